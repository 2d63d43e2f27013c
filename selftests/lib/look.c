// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "env.h"
#include "hits.h"
#include "look.h"
#include "text.h"
#include "vmsyms.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define LOG_SIZE      8192

struct place {
	__u64 addr;
	unsigned char before[TEXT_SIZE];
};

struct look {
	struct hits *hits;
	struct place places[LOOK_PLACES];
	size_t cnt;
	char log[LOG_SIZE];
	char why[256]; /* of the last LOOK_REFUSED or LOOK_MISSED */
};

int look__new(const struct ksyms *btf_syms, struct look **ret)
{
	struct look *l = calloc(1, sizeof(*l));
	const struct ksym *any;
	size_t cnt;
	int err;

	if (!l)
		return -ENOMEM;
	/* Any function will do: look__at() loads the same instructions for others. */
	any = ksyms__find(btf_syms, "bpf_iter_detach_map", &cnt);
	err = any ? hits__load(any->type_id, NULL, 0, &l->hits) : -ENOENT;
	if (err) {
		free(l);
		return err;
	}
	*ret = l;
	return 0;
}

void look__free(struct look *l)
{
	if (l)
		hits__free(l->hits);
	free(l);
}

const char *look__why(const struct look *l)
{
	return l->why;
}

#define because(l, ...) snprintf((l)->why, sizeof((l)->why), __VA_ARGS__)

/* Where the function of a unit is; 0 if there is none, or several. */
static __u64 find_expected(const struct look_func *funcs, size_t cnt, const char *unit)
{
	__u64 found = 0;
	size_t i;

	for (i = 0; i < cnt; i++) {
		if (unit && !(funcs[i].unit && path__ends(funcs[i].unit, unit)))
			continue;
		if (found && found != funcs[i].addr)
			return 0;
		found = funcs[i].addr;
	}
	return found;
}

/* Remember the current text of all functions. */
static bool take_places(struct look *l, const struct look_func *funcs, size_t cnt)
{
	size_t i;
	int err;

	if (cnt > LOOK_PLACES) {
		because(l, "%zu functions have this name", cnt);
		return false;
	}
	memset(l->places, 0, sizeof(l->places));
	l->cnt = cnt;
	for (i = 0; i < cnt; i++) {
		l->places[i].addr = funcs[i].addr;
		err = text__read(funcs[i].addr, l->places[i].before, TEXT_SIZE);
		if (err && err != -EFAULT) { /* init text is gone */
			because(l, "can't read the text at %llx: %s",
				(unsigned long long)funcs[i].addr, strerror(-err));
			return false;
		}
	}
	return true;
}

static bool is_unchanged(const struct place *p)
{
	unsigned char now[TEXT_SIZE] = {};

	text__read(p->addr, now, TEXT_SIZE);
	return !memcmp(now, p->before, TEXT_SIZE);
}

/* While a program is attached: is the call at @addr, and there alone? */
static bool is_call_at(struct look *l, __u64 addr)
{
	int state = text__state(addr);
	size_t i;

	if (state != TEXT_CALL) {
		because(l, "text at %llx is \"%s\", not a call", (unsigned long long)addr,
			text__state_name(state));
		return false;
	}
	for (i = 0; i < l->cnt; i++) {
		if (l->places[i].addr == addr || is_unchanged(&l->places[i]))
			continue;
		because(l, "text at %llx was patched too", (unsigned long long)l->places[i].addr);
		return false;
	}
	return true;
}

/* The last line of the verifier's log, without the statistics behind it. */
static const char *last_log_line(char *log)
{
	char *line = log, *last = "", *end;

	for (; *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		if (*line && strncmp(line, "processed ", 10) &&
		    strncmp(line, "verification time", 17) && strncmp(line, "stack depth", 11))
			last = line;
	}
	return last;
}

/* Is the function in btf_id_deny, so that the kernel refuses it without a line in the log? */
static bool is_denied(const char *name)
{
	static const char *const denied[] = {
		"migrate_disable",   "migrate_enable",	  "rcu_read_unlock_strict",
		"preempt_count_add", "preempt_count_sub", "__rcu_read_lock",
		"__rcu_read_unlock",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(denied); i++)
		if (!strcmp(name, denied[i]))
			return true;
	return false;
}

/* Load a program for the function. The file descriptor goes to *@fd. */
static enum look_outcome load_for(struct look *l, const struct ksym *sym, int *fd)
{
	const char *line;

	*fd = hits__clone(l->hits, sym->type_id, l->log, sizeof(l->log));
	if (*fd >= 0)
		return LOOK_ATTACHED;
	line = last_log_line(l->log);
	because(l, "%s: %.200s", strerror(-*fd), *line ? line : "(no log)");
	if (*fd == -EINVAL && is_denied(sym->name))
		return LOOK_REFUSED;
	/* A refusal by the resolver, or one without a log, would be a bug of the series. */
	return *fd == -EADDRNOTAVAIL || !*line ? LOOK_MISSED : LOOK_REFUSED;
}

/* Attach, look, detach, look again. */
static enum look_outcome attach_and_look(struct look *l, int prog_fd, __u64 addr)
{
	bool right;
	size_t i;
	int link;

	link = bpf_link_create(prog_fd, 0, BPF_TRACE_FENTRY, NULL);
	if (link < 0) {
		because(l, "can't attach: %s", strerror(-link));
		return link == -ENOTSUPP && !PASSES_STACK ? LOOK_REFUSED : LOOK_MISSED;
	}
	right = is_call_at(l, addr);
	close(link);
	if (!right)
		return LOOK_MISSED;
	for (i = 0; i < l->cnt; i++) {
		if (is_unchanged(&l->places[i]))
			continue;
		because(l, "text at %llx is not what it was",
			(unsigned long long)l->places[i].addr);
		return LOOK_MISSED;
	}
	return LOOK_ATTACHED;
}

enum look_outcome look__at(struct look *l, const struct ksym *sym, const char *unit,
			   const struct look_func *funcs, size_t cnt)
{
	enum look_outcome outcome;
	__u64 addr;
	int fd;

	if (!take_places(l, funcs, cnt))
		return LOOK_MISSED;
	addr = find_expected(funcs, cnt, unit);
	if (!addr) {
		because(l, "the file has none of this name and unit, or several");
		return LOOK_MISSED;
	}
	if (text__state(addr) != TEXT_NOP) {
		because(l, "text at %llx is no nop before it is attached to",
			(unsigned long long)addr);
		return LOOK_MISSED;
	}
	outcome = load_for(l, sym, &fd);
	if (outcome != LOOK_ATTACHED)
		return outcome;
	outcome = attach_and_look(l, fd, addr);
	close(fd);
	return outcome;
}
