// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Loading by BTF id with stock libbpf.
 *
 * libbpf's own SEC("fentry/name") looks the name up in BTF and takes the first FUNC of this name.
 * Custom section handlers may set the id themselves, just before BPF_PROG_LOAD. libbpf passes a
 * handler nothing but the program. So the note on the program, see arguments.c, points to the load
 * while fentry_object__load() runs. Handlers also work for objects that libbpf's own functions
 * load. Errors then go where libbpf's messages go.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "index.h"
#include "load.h"
#include "util.h"

/*
 * Why an object wasn't loaded. libbpf gets the verifier's log, at any size, and passes it to its
 * print function, unless the program has a log buffer of its own. So while this thread loads an
 * object, libbpf's print function is one that also keeps the log. The user's own print function
 * gets the same messages as before.
 */

/* Parts of libbpf's messages. If libbpf changes them, errors lack the reason. */
#define PROG_FORMAT "libbpf: prog '%127[^']'"
#define LOG_BEGIN   "-- BEGIN PROG LOAD LOG --\n"
#define LOG_END	    "-- END PROG LOAD LOG --"

/* The log of the last load that failed in a thread. */
struct load_log {
	bool loading;
	char prog[128]; /* that libbpf has complained of last */
	char *text;	/* NULL: there is none */
};

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
/* Protects the variables below, and libbpf's setting of its print function. */
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

static void set_log(char *text)
{
	struct load_log *log = get_log();

	if (!log) {
		free(text);
		return;
	}
	free(log->text);
	log->text = text;
}

static void note(struct load_log *log, const char *message)
{
	const char *begin = strstr(message, LOG_BEGIN), *end;

	sscanf(message, PROG_FORMAT, log->prog);
	if (!begin)
		return;
	begin += strlen(LOG_BEGIN);
	end = strstr(begin, LOG_END);
	set_log(strndup(begin, end ? (size_t)(end - begin) : strlen(begin)));
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

static void start_log(void)
{
	struct load_log *log = get_log();

	if (log) {
		log->prog[0] = '\0';
		log->loading = true;
	}
	set_log(NULL);
	pthread_mutex_lock(&print_lock);
	if (!loading++)
		__atomic_store_n(&print_before, libbpf_set_print(hear), __ATOMIC_RELAXED);
	pthread_mutex_unlock(&print_lock);
}

static struct bpf_program *stop_log(const struct bpf_object *obj)
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
		set_log(strndup(text, size));
	return prog;
}

const char *fentry_load_log(void)
{
	struct load_log *log = get_log();

	return log && log->text ? log->text : "";
}

/* Give a message to libbpf's print function. */
static void __attribute__((format(printf, 1, 2))) warn(const char *fmt, ...)
{
	libbpf_print_fn_t print;
	va_list args;

	/* libbpf returns its print function only when another one is set */
	pthread_mutex_lock(&print_lock);
	print = libbpf_set_print(NULL);
	libbpf_set_print(print);
	pthread_mutex_unlock(&print_lock);
	if (!print)
		return;
	va_start(args, fmt);
	print(LIBBPF_WARN, fmt, args);
	va_end(args);
}

/*
 * Which function a program's section name means, such as "fentry/name@path". If several functions
 * have the name, the parameters in the program's BTF decide.
 */

/*
 * Keep the functions that have the arguments that the program reads. If several are left, keep
 * those of which the program declares all parameters: it is written as the source has the function.
 * Returns their number, or -1 if the program doesn't declare its parameters.
 */
static int keep_fitting(const struct bpf_program *prog, const struct fentry_target **found,
			size_t cnt)
{
	const struct fentry_arguments *a = fentry_arguments__of(prog);
	int fitting = 0, best = 1;
	size_t i;

	if (!a || !a->declared)
		return -1;
	for (i = 0; i < cnt; i++) {
		const struct fentry_target *t = found[i];
		int fit = fentry_arguments__fit(a, t->btf, t->type_id);

		if (fit < best)
			continue;
		if (fit > best)
			fitting = 0;
		best = fit;
		found[i] = found[fitting]; /* the others go behind */
		found[fitting++] = t;
	}
	return fitting;
}

/* Keep functions that are the same function of the source as the first one. */
static size_t keep_source(const struct fentry_target **found, size_t cnt)
{
	size_t i, n = 0;

	for (i = 0; i < cnt; i++)
		if (fentry_target__same_source(found[0], found[i]))
			found[n++] = found[i];
	return n;
}

/* Choose the one of several functions of the source that a section without glob means. */
static int choose(const struct bpf_program *prog, const struct fentry_target **found, size_t *cnt,
		  struct fentry_error *error)
{
	int fitting = keep_fitting(prog, found, *cnt);
	size_t sources = fitting > 0 ? fentry_targets__sources(found, fitting) : 0;
	char name[256];

	if (sources == 1) {
		*cnt = keep_source(found, *cnt);
		return fentry_target__check(found[0], error);
	}
	snprintf(name, sizeof(name), "%s", strchr(bpf_program__section_name(prog), '/') + 1);
	if (fitting < 0)
		fentry_targets__several(name, found, *cnt, error);
	else
		fentry_error__set(
			error, -ENOTUNIQ,
			"'%s' matches %zu functions, of which %zu have the parameters of program '%s'; choose one",
			name, fentry_targets__sources(found, *cnt), sources,
			bpf_program__name(prog));
	fentry_targets__choose(found, fitting > 0 ? (size_t)fitting : *cnt, error);
	return -ENOTUNIQ;
}

int fentry_prog__resolve_section(const struct bpf_program *prog, const struct fentry_index *idx,
				 const struct fentry_target ***ret, size_t *cnt,
				 struct fentry_error *error)
{
	const char *section = bpf_program__section_name(prog);
	const struct fentry_target **found = NULL;
	const char *text = strchr(section, '/');
	struct fentry_spec spec = {};
	size_t n = 0;
	int err;

	if (!text)
		return fentry_error__set(
			error, -EINVAL,
			"program '%s' has no target: SEC(\"%s\") names none and none was set",
			bpf_program__name(prog), section);
	err = fentry_spec__parse(text + 1, &spec, error) ?:
		      fentry_index__resolve(idx, &spec, &found, &n, error);
	if (err == -ENOTUNIQ && n > 1)
		err = choose(prog, found, &n, error);
	else if (!err && n > 1 && spec.glob)
		err = fentry_error__set(
			error, -ENOTUNIQ,
			"SEC(\"%s\") matches %zu functions, but a program has one target", section,
			n);
	else if (!err && n > 1)
		keep_fitting(prog, found, n);
	fentry_spec__clear(&spec);
	if (err) {
		free(found);
		return err;
	}
	*ret = found;
	*cnt = n;
	return 0;
}

#define LOG_SIZE (1 << 24) /* memory that isn't written to costs nothing */

struct fentry_load {
	struct fentry_index *idx; /* NULL until it's needed */
	bool own_idx;
	const struct fentry_binding *bindings;
	size_t cnt;
	struct fentry_error *error;
	const struct bpf_program *prog;	    /* that is being loaded */
	const struct fentry_target *target; /* prog's */
	int btf_fd;			    /* of a module's target, else 0 */
	int err;			    /* why prog isn't loaded */
};

static pthread_once_t register_once = PTHREAD_ONCE_INIT;
static int register_err;
/*
 * If libbpf's own functions load an object, the library can't see when BPF_PROG_LOAD has returned.
 * So the BTF's file descriptor is closed when the thread loads the next program, or ends.
 */
static pthread_key_t kept_fd;

/* The first of several targets that has what the program reads by name. */
static const struct fentry_target *find_binding(const struct fentry_load *req,
						const struct bpf_program *prog)
{
	const struct fentry_arguments *a = fentry_arguments__of(prog);
	const struct fentry_target *first = NULL;
	size_t i;

	for (i = 0; i < req->cnt; i++) {
		const struct fentry_target *t = req->bindings[i].target;

		if (req->bindings[i].prog != prog)
			continue;
		if (!a || !a->declared || fentry_arguments__fit(a, t->btf, t->type_id))
			return t;
		first = first ?: t;
	}
	return first;
}

static int find_target(struct fentry_load *req, const struct bpf_program *prog)
{
	const struct fentry_target **found;
	size_t cnt;
	int err;

	req->target = find_binding(req, prog);
	fentry_arguments__of(prog)->bound = req->target;
	fentry_arguments__of(prog)->symbols = req->target ? 1 : 0;
	if (req->target)
		return 0;
	if (!req->idx) {
		err = fentry_index__open(NULL, &req->idx, req->error);
		if (err)
			return err;
		req->own_idx = true;
	}
	err = fentry_prog__resolve_section(prog, req->idx, &found, &cnt, req->error);
	if (err)
		return err;
	req->target = found[0];
	fentry_arguments__of(prog)->symbols = cnt;
	free(found);
	return 0;
}

size_t fentry_prog__symbol_cnt(const struct bpf_program *prog)
{
	const struct fentry_arguments *a = fentry_arguments__of(prog);

	return a ? a->symbols : 0;
}

/* Note the map of a program that makes tail calls: the kernel doesn't say if it is at fault. */
static void note_tail_calls(const struct bpf_program *prog)
{
	const struct bpf_insn *insns = bpf_program__insns(prog);
	size_t i, cnt = bpf_program__insn_cnt(prog);
	struct bpf_map_info info;
	bool calls = false;
	__u32 len;

	for (i = 0; i < cnt; i++)
		calls |= insns[i].code == (BPF_JMP | BPF_CALL) && !insns[i].src_reg &&
			 insns[i].imm == BPF_FUNC_tail_call;
	for (i = 0; calls && i < cnt; i++) {
		if (insns[i].code != (BPF_LD | BPF_IMM | BPF_DW) ||
		    insns[i].src_reg != BPF_PSEUDO_MAP_FD)
			continue;
		info = (struct bpf_map_info){};
		len = sizeof(info);
		if (!bpf_obj_get_info_by_fd(insns[i].imm, &info, &len) &&
		    info.type == BPF_MAP_TYPE_PROG_ARRAY)
			strcpy(fentry_arguments__of(prog)->tail_calls, info.name);
	}
}

static int set_target(struct fentry_load *req, struct bpf_program *prog,
		      struct bpf_prog_load_opts *opts)
{
	bool exit = opts->expected_attach_type != BPF_TRACE_FENTRY;
	int err, fd;

	note_tail_calls(prog);
	err = fentry_prog__prepare(prog, opts, req->error)		      ?:
		      find_target(req, prog)				      ?:
		      fentry_target__check_fit(req->target, exit, req->error) ?:
		      fentry_prog__place(prog, opts, req->target, req->error);
	if (!err)
		err = fentry_target__btf_fd(req->target, &fd, req->error);
	if (err)
		return err;
	if (req->btf_fd) /* of the program before */
		close(req->btf_fd);
	req->btf_fd = fd;
	opts->attach_btf_obj_fd = fd;
	opts->attach_btf_id = req->target->type_id;
	return 0;
}

static void close_kept_fd(void *fd)
{
	close((long)fd);
}

/* End a load by libbpf's own functions, of one program. */
static void finish_once(const struct fentry_load *req)
{
	void *before = pthread_getspecific(kept_fd);

	if (req->err)
		warn("libfentry: prog '%s': %s\n", bpf_program__name(req->prog), req->error->msg);
	if (req->own_idx)
		fentry_index__free(req->idx);
	if (before)
		close_kept_fd(before);
	pthread_setspecific(kept_fd, (void *)(long)req->btf_fd);
}

/* libbpf calls this right before BPF_PROG_LOAD. */
static int prepare_load(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	struct fentry_error error;
	struct fentry_load once = { .error = &error };
	struct fentry_load *given = fentry_arguments__of(prog)->load, *req = given ?: &once;

	req->prog = prog;
	if (cookie == FENTRY_PROBE) {
		opts->expected_attach_type = bpf_program__expected_attach_type(prog);
		req->err = fentry_prog__prepare(prog, opts, req->error);
	} else {
		opts->expected_attach_type = cookie & ~FENTRY_SLEEPABLE;
		req->err = set_target(req, prog, opts);
	}
	if (!given)
		finish_once(&once);
	return req->err;
}

/* libbpf calls this when it opens the object. */
static int setup(struct bpf_program *prog, long cookie)
{
	int err = fentry_arguments__note(prog);

	if (!err && cookie == FENTRY_PROBE)
		bpf_program__set_expected_attach_type(
			prog, fentry_has_probe_links() ? BPF_TRACE_KPROBE_MULTI : 0);
	if (err || !(cookie & FENTRY_SLEEPABLE))
		return err;
	return bpf_program__set_flags(prog, bpf_program__flags(prog) | BPF_F_SLEEPABLE);
}

static int attach(const struct bpf_program *prog, long cookie, struct bpf_link **link)
{
	/* libbpf has no link for many calls: see fentry_prog__attach_calls() */
	if (cookie == FENTRY_PROBE)
		return *link = NULL, 0;
	if (fentry_arguments__of(prog)->symbols > 1) {
		warn("libfentry: prog '%s': SEC(\"%s\") means %zu symbols; fentry_prog__attach_section() attaches to all of them\n",
		     bpf_program__name(prog), bpf_program__section_name(prog),
		     fentry_arguments__of(prog)->symbols);
		return *link = NULL, -ENOTUNIQ;
	}
	*link = bpf_program__attach_trace(prog);
	return libbpf_get_error(*link);
}

static void register_handlers(void)
{
	size_t i;

	register_err = -pthread_key_create(&kept_fd, close_kept_fd);
	for (i = 0; !register_err && i < fentry_handler_cnt; i++) {
		bool inlined = fentry_handlers[i].cookie == FENTRY_PROBE;
		LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .cookie = fentry_handlers[i].cookie,
			    .prog_setup_fn = setup, .prog_prepare_load_fn = prepare_load,
			    .prog_attach_fn = attach);
		int id = libbpf_register_prog_handler(
			fentry_handlers[i].section,
			inlined ? BPF_PROG_TYPE_KPROBE : BPF_PROG_TYPE_TRACING,
			inlined ? 0 : fentry_handlers[i].cookie & ~FENTRY_SLEEPABLE, &opts);

		if (id < 0)
			register_err = id;
	}
}

int fentry_register(struct fentry_error *error)
{
	pthread_once(&register_once, register_handlers);
	if (register_err)
		return fentry_error__set(error, register_err,
					 "can't register section handlers with libbpf: %s",
					 strerror(-register_err));
	return 0;
}

/*
 * Find the verifier's reason: the last line of the log, before its statistics and before the advice
 * that Linux 7.3 adds. A long log is cut, and may lack its beginning. Returns the length.
 */
static int find_reason(const char *log, const char **ret)
{
	static const char statistics[] = "processed ";
	const char *explanation = strstr(log, "\nVerification failed: "), *line, *end;

	line = explanation ?: log + strlen(log);
	do {
		for (end = line; end > log && end[-1] == '\n'; end--)
			;
		for (line = end; line > log && line[-1] != '\n'; line--)
			;
	} while (line > log && !strncmp(line, statistics, strlen(statistics)));
	*ret = line;
	return end - line;
}

/* @prog and @target are NULL if they aren't known, or aren't to blame. */
static int load_failed(struct fentry_error *error, int err, const struct bpf_program *prog,
		       const struct fentry_target *target)
{
	char label[FENTRY_LABEL_MAX], what[256] = "the BPF object";
	const struct fentry_arguments *a;
	const char *why;
	int len = find_reason(fentry_load_log(), &why);

	if (err == -EPERM && !len)
		return fentry_error__set(
			error, err,
			"not allowed to load BPF programs: this takes CAP_BPF and CAP_PERFMON");
	if (target)
		fentry_target__label(target, label);
	if (prog)
		snprintf(what, sizeof(what), "program '%s'", bpf_program__name(prog));
	a = prog ? fentry_arguments__of(prog) : NULL;
	/* the verifier has accepted the program */
	if (a && a->tail_calls[0] && err == -EINVAL && !strncmp(why, "processed ", 10))
		return fentry_error__set(
			error, err,
			"can't load %s%s%s: the programs that use map '%s' for tail calls must be of one kind, on functions with one prototype (since Linux 6.11), and another one uses it",
			what, target ? " for " : "", target ? label : "", a->tail_calls);
	return fentry_error__set(error, err, "can't load %s%s%s: %s%s%.*s", what,
				 target ? " for " : "", target ? label : "", strerror(-err),
				 len ? ": " : "", len, why);
}

/* Empty the log buffers that the user has set: what they had before isn't a log of this load. */
static void clear_log_bufs(struct bpf_object *obj)
{
	struct bpf_program *prog;
	size_t size;
	char *buf;

	bpf_object__for_each_program(prog, obj) {
		buf = (char *)bpf_program__log_buf(prog, &size);
		if (buf && size)
			*buf = '\0';
	}
}

/* Tell prepare_load() what the object's programs are loaded for. */
static void set_load(struct bpf_object *obj, struct fentry_load *req)
{
	struct fentry_arguments *a;
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, obj) {
		a = fentry_arguments__of(prog);
		if (a)
			a->load = req;
	}
}

static int load(struct bpf_object *obj, struct bpf_object_skeleton *skel, struct fentry_index *idx,
		const struct fentry_binding *bindings, size_t cnt, struct fentry_error *error)
{
	struct fentry_load l = { .idx = idx, .bindings = bindings, .cnt = cnt, .error = error };
	struct bpf_program *failed;
	int err;

	clear_log_bufs(obj);
	start_log();
	set_load(obj, &l);
	err = skel ? bpf_object__load_skeleton(skel) : bpf_object__load(obj);
	set_load(obj, NULL);
	failed = stop_log(obj);

	if (l.btf_fd)
		close(l.btf_fd);
	if (l.err)
		err = l.err; /* described already */
	else if (err)
		err = load_failed(error, err, failed, failed && failed == l.prog ? l.target : NULL);
	if (l.err && error)
		error->prog = l.prog;
	if (l.own_idx)
		fentry_index__free(l.idx);
	return err;
}

int fentry_object__load(struct bpf_object *obj, struct fentry_index *idx,
			const struct fentry_binding *bindings, size_t cnt,
			struct fentry_error *error)
{
	return load(obj, NULL, idx, bindings, cnt, error);
}

int fentry_skeleton__load(struct bpf_object_skeleton *skel, struct fentry_index *idx,
			  const struct fentry_binding *bindings, size_t cnt,
			  struct fentry_error *error)
{
	return load(*skel->obj, skel, idx, bindings, cnt, error);
}

/* Load @prog once more, with the attach type and id in @opts, and @target's BTF object. */
static int load_again(const struct bpf_program *prog, const struct fentry_target *target,
		      struct bpf_prog_load_opts *opts, int *ret, struct fentry_error *error)
{
	char *log = malloc(LOG_SIZE);
	struct bpf_insn *insns = NULL;
	int btf_fd, err, fd;

	err = log ? 0 : fentry_error__no_memory(error);
	err = err							  ?:
		      fentry_prog__insns_for(prog, target, &insns, error) ?:
		      fentry_target__btf_fd(target, &btf_fd, error);
	if (err) {
		free(insns);
		free(log);
		return err;
	}
	*log = '\0';
	opts->prog_flags = bpf_program__flags(prog);
	opts->attach_btf_obj_fd = btf_fd;
	opts->log_buf = log;
	opts->log_size = LOG_SIZE;
	fd = bpf_prog_load(bpf_program__type(prog), bpf_program__name(prog), "GPL",
			   insns ?: bpf_program__insns(prog), bpf_program__insn_cnt(prog), opts);
	if (fd < 0)
		set_log(strdup(log));
	free(log);
	free(insns);
	if (btf_fd)
		close(btf_fd);
	if (fd < 0)
		return load_failed(error, fd, prog, target);
	*ret = fd;
	return 0;
}

int fentry_prog__clone(const struct bpf_program *prog, const struct fentry_target *target, int *ret,
		       struct fentry_error *error)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		    .expected_attach_type = bpf_program__expected_attach_type(prog),
		    .attach_btf_id = target->type_id);
	bool exit = opts.expected_attach_type != BPF_TRACE_FENTRY;

	return fentry_target__check_fit(target, exit, error) ?:
		       load_again(prog, target, &opts, ret, error);
}

int fentry_prog__clone_multi(const struct bpf_program *prog, int type,
			     const struct fentry_target *target, int *ret,
			     struct fentry_error *error)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = type);

	return load_again(prog, target, &opts, ret, error);
}
