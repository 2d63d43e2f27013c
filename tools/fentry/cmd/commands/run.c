// SPDX-License-Identifier: GPL-2.0-only
/* fentry run: load a user's BPF object, attach it, print what it prints. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "attach/pair.h"
#include "commands/options.h"
#include "kernel/access.h"
#include "kernel/verdict.h"
#include "output/messages.h"
#include "output/stream.h"

/* A program that gets functions from --target. */
struct job {
	struct bpf_program *prog;
	const char *calls_of; /* a specification, if it is for inlined calls, too */
	struct selection sel; /* its index is the runner's */
};

/* What a program is attached by. */
struct attached {
	struct bpf_link *link;
	struct fentry_multi *multi; /* instead of link */
};

#define PRINTED_SIZE (64 * 1024)
/* Limits of time: if reading calls a program's function, lines may come without end. */
#define STALE_MS  1000
#define FINISH_MS 100

/* What programs print. */
struct printed {
	int fd;	     /* trace_pipe; -1: not open */
	int own;     /* of printed__own() */
	bool wanted; /* the last line was; a line that continues it is, too */
	size_t len;  /* of text: a line that isn't complete */
	char text[PRINTED_SIZE];
};

struct run_opts {
	struct opt_texts targets;
	bool best_effort, unverified;
	const char *output; /* NULL: stdout */
	double seconds;	    /* 0: no limit */
	char **command;	    /* NULL: none */
};

struct runner {
	struct fentry_index *idx;
	struct bpf_object *obj;
	struct job *jobs;
	size_t job_cnt;
	struct attached *attached;
	size_t running; /* so many programs are attached */
	struct run_opts opts;
	struct printed printed;
};

/* Pause between reads, in ms: lines that reading itself causes come no faster. */
#define PRINTED_PAUSE 50

/* Begin to read, without the lines that are there already, or complain. */
static int printed__open(struct printed *p)
{
	long long end = clock_ms() + STALE_MS;

	p->wanted = false;
	p->len = 0;
	p->own = printed__own();
	p->fd = open_tracefs("trace_pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC,
			     "read what the program prints");
	if (p->fd < 0)
		return EXIT_FAILED;
	while (read(p->fd, p->text, sizeof(p->text)) > 0 && clock_ms() < end)
		;
	return 0;
}

/* Names of tasks and what programs print may have characters that a terminal would obey. */
static void put_line(const char *line)
{
	for (; *line; line++) {
		if (((unsigned char)*line < ' ' && *line != '\t') || (unsigned char)*line > '~')
			fprintf(output(), "\\x%02x", (unsigned char)*line);
		else
			fputc(*line, output());
	}
	fputc('\n', output());
}

/*
 * Write a portion of the lines that have come to stdout. Lines of other tracing are left out, and
 * those that this process caused: a program on a function that reading or writing calls would
 * otherwise print forever. Return false if there was nothing to be read.
 */
static bool printed__copy(struct printed *p)
{
	char *line = p->text, *end;
	ssize_t len;

	len = read(p->fd, p->text + p->len, sizeof(p->text) - 1 - p->len);
	if (len <= 0)
		return false;
	p->len += len;
	p->text[p->len] = '\0';
	while ((end = printed__end(line))) {
		*end = '\0';
		p->wanted = printed__is_wanted(line, p->own, p->wanted);
		if (p->wanted)
			put_line(line);
		line = end + 1;
	}
	p->len -= line - p->text;
	memmove(p->text, line, p->len);
	if (p->len == sizeof(p->text) - 1) /* no line is that long */
		p->len = 0;
	return true;
}

/* Copy what is left, as far as time allows. */
static void printed__finish(struct printed *p)
{
	long long end = clock_ms() + FINISH_MS;

	while (printed__copy(p) && clock_ms() < end)
		;
}

static int open_object(struct runner *r, const char *path)
{
	int err;

	if (access(path, R_OK))
		return failure("can't open %s: %s", path, strerror(errno));
	r->obj = bpf_object__open_file(path, NULL);
	err = libbpf_get_error(r->obj);
	if (!err)
		return 0;
	r->obj = NULL;
	return failure("%s is no BPF object that libbpf can read: %s", path, libbpf_text(err));
}

/* Is it for all calls of a function, inlined ones among them? */
static bool is_at_calls(const struct bpf_program *prog)
{
	return fentry_prog__cookie(prog) == FENTRY_PROBE;
}

static bool has_functions(const struct runner *r)
{
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, r->obj)
		if (bpf_program__autoload(prog) && fentry_prog__cookie(prog))
			return true;
	return false;
}

static struct job *find_job(const struct runner *r, const struct bpf_program *prog)
{
	size_t i;

	for (i = 0; i < r->job_cnt; i++)
		if (r->jobs[i].prog == prog)
			return &r->jobs[i];
	return NULL;
}

static int add_functions(struct runner *r, struct bpf_program *prog, const char *text)
{
	struct job *job = find_job(r, prog);

	if (job && is_at_calls(prog)) {
		complain("program '%s' has two targets, but can have only one in this section",
			 bpf_program__name(prog));
		return EXIT_AMBIGUOUS;
	}
	if (!job) {
		job = &r->jobs[r->job_cnt++];
		*job = (struct job){ .prog = prog, .sel.idx = r->idx };
	}
	if (is_at_calls(prog)) {
		job->calls_of = text;
		return 0;
	}
	return selection__add(&job->sel, text, 0);
}

/* Find the program of "prog=SPEC". */
static int find_program(const struct runner *r, const char *text, struct bpf_program **ret)
{
	const char *equals = strchr(text, '=');
	struct bpf_program *prog;
	char name[256];

	if (!equals || equals == text || !equals[1] || equals - text >= (int)sizeof(name))
		return usage_error("run: --target needs PROG=SPEC, not '%s'", text);
	snprintf(name, sizeof(name), "%.*s", (int)(equals - text), text);
	prog = bpf_object__find_program_by_name(r->obj, name);
	if (!prog) {
		complain("the object has no program '%s'; it has:", name);
		bpf_object__for_each_program(prog, r->obj)
			if (fentry_prog__cookie(prog))
				fprintf(stderr, "  %s\n", bpf_program__name(prog));
		return EXIT_FAILED;
	}
	if (!fentry_prog__cookie(prog))
		return failure(
			"program '%s' can't have a target: it is in section '%s', not fentry, fexit or fmod_ret",
			name, bpf_program__section_name(prog));
	bpf_program__set_autoload(prog, true);
	*ret = prog;
	return 0;
}

/*
 * If there are several functions, the program is loaded for the first one that can have the program
 * and has the arguments that the program uses.
 */
static size_t add_bindings(const struct job *job, struct fentry_binding *bindings)
{
	bool exit = bpf_program__expected_attach_type(job->prog) == BPF_TRACE_FEXIT;
	const struct fentry_target *t;
	size_t i, cnt = 0;

	for (i = 0; i < job->sel.cnt; i++) {
		t = job->sel.targets[i];
		if (t->addr && t->same_name <= 1 && !fentry_target__why_probe(t, exit))
			bindings[cnt++] = (struct fentry_binding){ job->prog, t };
	}
	if (!cnt)
		bindings[cnt++] = (struct fentry_binding){ job->prog, job->sel.targets[0] };
	return cnt;
}

/* A section that matches nothing has an exit status of its own, and near names are shown. */
static int load_failed(const struct runner *r, const struct fentry_error *error)
{
	struct fentry_spec spec;
	const char *section;
	int status;

	if (error->prog && error->err == -ENOENT) {
		section = bpf_program__section_name(error->prog);
		if (!fentry_spec__parse(strchr(section, '/') + 1, &spec, NULL)) {
			status = no_match(r->idx, &spec);
			fentry_spec__clear(&spec);
			return status;
		}
	}
	fputs(fentry_load_log(), stderr); /* it's the user's program */
	complain_load(error);
	if (error->err == -EOPNOTSUPP && strstr(error->msg, FENTRY_UNVERIFIED))
		complain("--unverified attaches it anyway");
	return error->prog && error->err == -ENOTUNIQ ? EXIT_AMBIGUOUS : EXIT_FAILED;
}

static int load(struct runner *r)
{
	struct fentry_binding *bindings;
	struct fentry_error error;
	size_t i, cnt = 0;
	int err;

	for (i = 0; i < r->job_cnt; i++)
		cnt += r->jobs[i].sel.cnt;
	bindings = calloc(cnt + 1, sizeof(*bindings));
	if (!bindings)
		return no_memory();
	for (i = 0, cnt = 0; i < r->job_cnt; i++)
		cnt += r->jobs[i].calls_of ? 0 : add_bindings(&r->jobs[i], bindings + cnt);
	err = fentry_object__load(r->obj, r->idx, bindings, cnt, &error);
	free(bindings);
	return err ? load_failed(r, &error) : 0;
}

static void attach_failed(const struct runner *r, const struct bpf_program *prog, int err)
{
	struct fentry_error error;

	if (fentry_prog__cookie(prog)) {
		fentry_prog__attach_error(r->idx, bpf_program__fd(prog), err, &error);
		complain("program '%s': %s", bpf_program__name(prog), error.msg);
		return;
	}
	complain("can't attach program '%s' (SEC(\"%s\")): %s", bpf_program__name(prog),
		 bpf_program__section_name(prog), libbpf_text(err));
}

static int attach_one(const struct runner *r, struct bpf_program *prog, struct attached *ret)
{
	struct bpf_link *link = bpf_program__attach(prog);
	int err = libbpf_get_error(link);

	if (err) {
		attach_failed(r, prog, err);
		return EXIT_FAILED;
	}
	ret->link = link;
	return 0;
}

static void complain_why(const struct bpf_program *prog, const struct fentry_multi *multi)
{
	const char *why;
	size_t i;

	for (i = 0; i < fentry_multi__cnt(multi); i++) {
		why = fentry_multi__why(multi, i);
		if (why)
			complain("program '%s': %s", bpf_program__name(prog), why);
	}
}

/* A program of SEC("fentry.probe/..."): the user is told of each call that it misses. */
static int attach_to_calls(const struct runner *r, const struct bpf_program *prog,
			   struct attached *ret)
{
	LIBBPF_OPTS(fentry_multi_opts, opts, .all_or_none = !r->opts.best_effort);
	const char *name = bpf_program__name(prog);
	const struct job *job = find_job(r, prog);
	struct fentry_multi *multi;
	struct fentry_error error;
	size_t cnt;

	if (fentry_prog__attach_calls(r->obj, prog, job ? job->calls_of : NULL, r->idx, &opts,
				      &multi, &error)) {
		complain("%s", error.msg);
		return error.err == -ENOENT ? EXIT_NO_MATCH : EXIT_FAILED;
	}
	complain_why(prog, multi);
	cnt = fentry_multi__attached(multi);
	if (!cnt) {
		complain(
			"program '%s' is not attached, as calls would be missing: --best-effort leaves them out",
			name);
		fentry_multi__free(multi);
		return EXIT_FAILED;
	}
	ret->multi = multi;
	complain("program '%s' is attached at %zu place%s, %s", name, cnt, cnt == 1 ? "" : "s",
		 fentry_index__has_inlined(r->idx) ?
			 "inlined calls included" :
			 "inlined calls aren't known: there is no file of them");
	return 0;
}

/* Say to how many functions a program is attached. It must be one at least. */
static int keep_multi(const struct bpf_program *prog, struct fentry_multi *multi,
		      struct attached *ret)
{
	size_t attached = fentry_multi__attached(multi);

	if (!attached) {
		fentry_multi__free(multi);
		return EXIT_FAILED;
	}
	ret->multi = multi;
	complain("program '%s' is attached to %zu function%s by %zu link%s",
		 bpf_program__name(prog), attached, attached == 1 ? "" : "s",
		 fentry_multi__links(multi), fentry_multi__links(multi) == 1 ? "" : "s");
	return 0;
}

static int attach_job(struct job *job, struct attached *ret)
{
	struct fentry_multi *multi;
	struct fentry_error error;

	if (fentry_multi__attach(job->prog, job->sel.targets, job->sel.cnt, NULL, &multi, &error))
		return failure("program '%s': %s", bpf_program__name(job->prog), error.msg);
	complain_left_out(&job->sel, 0, multi);
	return keep_multi(job->prog, multi, ret);
}

/* Attach a program to each symbol of the function that its section names. */
static int attach_section(const struct runner *r, const struct bpf_program *prog,
			  struct attached *ret)
{
	struct fentry_multi *multi;
	struct fentry_error error;

	if (fentry_prog__attach_section(prog, r->idx, NULL, &multi, &error))
		return failure("program '%s': %s", bpf_program__name(prog), error.msg);
	complain_why(prog, multi);
	return keep_multi(prog, multi, ret);
}

static int attach_all(struct runner *r)
{
	struct bpf_program *prog;
	size_t cnt = 0;

	bpf_object__for_each_program(prog, r->obj)
		cnt++;
	r->attached = calloc(cnt + 1, sizeof(*r->attached));
	if (!r->attached)
		return no_memory();
	bpf_object__for_each_program(prog, r->obj) {
		struct attached *next = &r->attached[r->running];
		struct job *job = find_job(r, prog);

		if (!bpf_program__autoload(prog))
			continue;
		if (is_at_calls(prog))
			r->running += !attach_to_calls(r, prog, next);
		else if (job && job->sel.cnt > 1)
			r->running += !attach_job(job, next);
		else if (fentry_prog__cookie(prog) && fentry_prog__symbol_cnt(prog) > 1)
			r->running += !attach_section(r, prog, next);
		else
			r->running += !attach_one(r, prog, next);
	}
	if (!cnt)
		complain("the object has no program");
	return r->running ? 0 : EXIT_FAILED;
}

/* Complain of calls that the programs on a function don't see. */
static void complain_unseen(const struct runner *r, const struct fentry_target *target)
{
	struct selection sel = { .idx = r->idx, .targets = &target, .cnt = 1 }, all = sel;
	char spec[LABEL_MAX];

	all.targets = NULL;
	all.cnt = 0;
	if (fentry_target__function_spec(target, spec, sizeof(spec)) &&
	    !selection__add(&all, spec, 0))
		selection__complain_inlined(&all);
	else
		selection__complain_inlined(&sel);
	free(all.targets);
}

static void complain_inlined(const struct runner *r)
{
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, r->obj) {
		const struct job *job = find_job(r, prog);
		const struct fentry_target *target;

		if (!bpf_program__autoload(prog) || !fentry_prog__cookie(prog) || is_at_calls(prog))
			continue;
		target = fentry_prog__target(r->idx, bpf_program__fd(prog));
		if (job)
			selection__complain_inlined(&job->sel);
		else if (target)
			complain_unseen(r, target);
	}
}

static void copy_output(void *ctx)
{
	struct runner *r = ctx;

	printed__copy(&r->printed);
}

static int wait_for_end(struct runner *r, struct waiter *w)
{
	const struct waiter_events events = {
		.fd = r->printed.fd,
		.on_input = copy_output,
		.pause_ms = PRINTED_PAUSE,
		.ctx = r,
	};
	int status;

	complain("running %zu program%s%s", r->running, r->running == 1 ? "" : "s",
		 r->opts.command || r->opts.seconds ? "" : ", end with ^C");
	status = waiter__run(w, r->opts.seconds, r->opts.command, &events);
	printed__finish(&r->printed);
	status = output__end() ?: status;
	if (has_functions(r))
		complain_ftrace();
	return status ?: waiter__status(w);
}

static void runner__fini(struct runner *r)
{
	size_t i;

	for (i = 0; i < r->running; i++) {
		bpf_link__destroy(r->attached[i].link);
		fentry_multi__free(r->attached[i].multi);
	}
	for (i = 0; i < r->job_cnt; i++) {
		free(r->jobs[i].sel.targets);
		verdicts__free(r->jobs[i].sel.verdicts);
	}
	free(r->attached);
	free(r->jobs);
	free(r->opts.targets.texts);
	bpf_object__close(r->obj);
	fentry_index__free(r->idx);
	if (r->printed.fd >= 0)
		close(r->printed.fd);
}

static int prepare(struct runner *r, const char *path)
{
	const struct opt_texts *targets = &r->opts.targets;
	struct bpf_program *prog;
	int status;
	size_t i;

	status = open_object(r, path);
	/* complain of wrong programs at once, also to users who may not read BTF */
	for (i = 0; !status && i < targets->cnt; i++)
		status = find_program(r, targets->texts[i], &prog);
	status = status ?: open_index(&r->idx);
	for (i = 0; !status && i < targets->cnt; i++) {
		status = find_program(r, targets->texts[i], &prog);
		if (!status)
			status = add_functions(r, prog, strchr(targets->texts[i], '=') + 1);
	}
	if (!status && has_functions(r))
		status = check_ftrace();
	status = status ?: load(r);
	status = status ?: printed__open(&r->printed);
	return status;
}

#define OPTIONS struct run_opts

static const struct opt options[] = {
	OPT(OPT_TEXTS, targets, "target", "PROG=SPEC", "attach this program to SPEC instead"),
	OPT(OPT_FLAG, best_effort, "best-effort", NULL,
	    "with \"fentry.probe/SPEC\", leave out calls that can't be attached to"),
	FLAG(unverified,
	     "attach trampolines by BTF that nobody has verified; a false prototype can\n"
	     "break the kernel"),
	OPT_OUTPUT,
	OPT_END,
	{},
};

static int parse(struct runner *r, int *argc, char **argv)
{
	int status;

	r->opts.targets.texts = calloc(*argc + 1, sizeof(*r->opts.targets.texts));
	r->jobs = calloc(*argc + 1, sizeof(*r->jobs));
	if (!r->opts.targets.texts || !r->jobs)
		return no_memory();
	status = parse_options(&run_command, argc, argv, &r->opts);
	if (!status && *argc != 1)
		status = usage_error(*argc ? "run: expected one object" : "run: which object?");
	if (r->opts.unverified)
		take_unverified();
	return status;
}

static int run(int argc, char **argv)
{
	struct runner r = { .printed.fd = -1 };
	struct waiter w;
	int status;

	status = parse(&r, &argc, argv) ?: waiter__init(&w);
	if (!status) {
		status = output__redirect(r.opts.output) ?: prepare(&r, argv[0]);
		status = status ?: waiter__check(&w) ?: attach_all(&r);
		if (!status)
			complain_inlined(&r);
		status = status ?: waiter__empty_output(&w, r.opts.output);
		status = status ?: wait_for_end(&r, &w);
		waiter__fini(&w);
	}
	runner__fini(&r);
	return status;
}

const struct command run_command = {
	.name = "run",
	.args = "OBJ.bpf.o",
	.text = "run loads a BPF object, whose sections may be named \"fentry/SPEC\", attaches its\n"
		"programs, and prints what they write with bpf_printk().\n",
	.examples = "  fentry run mine.bpf.o --duration 10\n"
		    "  fentry run mine.bpf.o --target on_call=s_next@kallsyms.c\n",
	.options = options,
	.run = run,
};
