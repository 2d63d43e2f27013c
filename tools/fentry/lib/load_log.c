// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Why an object wasn't loaded. libbpf has the verifier's log, as large as it must be, and says it
 * to its print function, unless the program has a log buffer of its own. So while this thread loads
 * an object, libbpf's print function is one that also keeps what it hears: nothing of the user's is
 * changed, and messages go where they went before.
 */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* What libbpf's messages have. If that changes, errors lack the reason. */
#define PROG_FORMAT "libbpf: prog '%127[^']'"
#define LOG_BEGIN   "-- BEGIN PROG LOAD LOG --\n"
#define LOG_END	    "-- END PROG LOAD LOG --"

/* Of the last load that failed in a thread. */
struct load_log {
	bool loading;
	char prog[128]; /* that libbpf has complained of last */
	char *text;	/* NULL: there is none */
};

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
/* Protects what follows, and which print function libbpf has. */
static pthread_mutex_t print_lock = PTHREAD_MUTEX_INITIALIZER;
static libbpf_print_fn_t print_before;
static int loading; /* threads */

static void free_log(void *arg)
{
	struct load_log *log = arg;

	free(log->text);
	free(log);
}

static void make_key(void)
{
	pthread_key_create(&key, free_log);
}

/* NULL if there is no memory for it. */
static struct load_log *get_log(void)
{
	struct load_log *log;

	pthread_once(&key_once, make_key);
	log = pthread_getspecific(key);
	if (log)
		return log;
	log = calloc(1, sizeof(*log));
	if (!log || !pthread_setspecific(key, log))
		return log;
	free(log);
	return NULL;
}

static void note(struct load_log *log, const char *message)
{
	const char *begin = strstr(message, LOG_BEGIN), *end;

	sscanf(message, PROG_FORMAT, log->prog);
	if (!begin)
		return;
	begin += strlen(LOG_BEGIN);
	end = strstr(begin, LOG_END);
	fentry_load_log__set(strndup(begin, end ? (size_t)(end - begin) : strlen(begin)));
}

static int hear(enum libbpf_print_level level, const char *fmt, va_list args)
{
	libbpf_print_fn_t before = __atomic_load_n(&print_before, __ATOMIC_RELAXED);
	struct load_log *log = pthread_getspecific(key);
	char *message;
	va_list copy;

	if (log && log->loading && level == LIBBPF_WARN) {
		va_copy(copy, args);
		if (vasprintf(&message, fmt, copy) >= 0) {
			note(log, message);
			free(message);
		}
		va_end(copy);
	}
	return before ? before(level, fmt, args) : 0;
}

void fentry_load_log__start(void)
{
	struct load_log *log = get_log();

	if (log) {
		log->prog[0] = '\0';
		log->loading = true;
	}
	fentry_load_log__set(NULL);
	pthread_mutex_lock(&print_lock);
	if (!loading++)
		__atomic_store_n(&print_before, libbpf_set_print(hear), __ATOMIC_RELAXED);
	pthread_mutex_unlock(&print_lock);
}

struct bpf_program *fentry_load_log__stop(const struct bpf_object *obj)
{
	struct load_log *log = get_log();
	struct bpf_program *prog;
	libbpf_print_fn_t print;
	const char *text;
	size_t size;

	pthread_mutex_lock(&print_lock);
	if (!--loading) {
		print = libbpf_set_print(print_before);
		if (print != hear) /* the user has set another one meanwhile */
			libbpf_set_print(print);
	}
	pthread_mutex_unlock(&print_lock);
	if (!log)
		return NULL;
	log->loading = false;
	prog = bpf_object__find_program_by_name(obj, log->prog);
	text = prog ? bpf_program__log_buf(prog, &size) : NULL;
	if (text && size)
		fentry_load_log__set(strndup(text, size));
	return prog;
}

void fentry_load_log__set(char *text)
{
	struct load_log *log = get_log();

	if (!log) {
		free(text);
		return;
	}
	free(log->text);
	log->text = text;
}

const char *fentry_load_log(void)
{
	struct load_log *log = get_log();

	return log && log->text ? log->text : "";
}

static int say_nothing(enum libbpf_print_level level, const char *fmt, va_list args)
{
	(void)level;
	(void)fmt;
	(void)args;
	return 0;
}

void fentry_warn(const char *fmt, ...)
{
	libbpf_print_fn_t print;
	va_list args;

	/* libbpf tells its print function only to those who set another one */
	pthread_mutex_lock(&print_lock);
	print = libbpf_set_print(say_nothing);
	libbpf_set_print(print);
	pthread_mutex_unlock(&print_lock);
	if (!print)
		return;
	va_start(args, fmt);
	print(LIBBPF_WARN, fmt, args);
	va_end(args);
}
