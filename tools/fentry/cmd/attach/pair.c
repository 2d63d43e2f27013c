// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "array.h"
#include "attach/pair.h"
#include "kernel/access.h"
#include "kernel/verdict.h"
#include "output/terminal.h"
#include "way.h"

/*
 * Above this number of links, say beforehand how long they take: seconds for each, measured on
 * Debian's 6.1, which has none for many functions.
 */
#define LINKS_SILENT_MAX 10
#define ATTACH_SECONDS	 0.03
#define DETACH_SECONDS	 0.08

/* How far something slow is: one line on stderr, rewritten if that is possible. */
struct progress {
	const char *what;
	long long last; /* ms: when it was shown last; 0: not yet, wait for a second */
	bool shown;
};

/* How far attaching one by one is, and who may stop it. */
struct pace {
	struct progress progress;
	struct waiter *w;
	size_t cnt;
};

/* Show it once a second. */
static void progress__show(struct progress *p, size_t done, size_t cnt)
{
	long long now = clock_ms();
	bool terminal;

	if (!p->last)
		p->last = now;
	if (now - p->last < 1000)
		return;
	p->last = now;
	p->shown = true;
	terminal = use_colour(STDERR_FILENO);
	fprintf(stderr, "%sfentry: %s %zu of %zu%s", terminal ? "\r" : "", p->what, done, cnt,
		terminal ? "" : "\n");
}

/* Take the line off a terminal. */
static void progress__end(struct progress *p)
{
	if (p->shown && use_colour(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

/* Is it an error of this process, whatever the function? */
static bool is_own(int err)
{
	return err == -EPERM || err == -EMFILE || err == -ENFILE || err == -ENOMEM;
}

/* Complain that no function takes a program. @first: error of the first, if no reason is known */
static void complain_unloaded(struct selection *sel, size_t cnt, const struct fentry_error *first)
{
	struct left_out left_out = {};
	size_t i, known = 0;

	if (!is_own(first->err) && !sel->verdicts)
		verdicts__load(sel->idx, true, &sel->verdicts);
	for (i = 0; i < cnt; i++)
		known += left_out__add_untraceable(&left_out, sel->verdicts, sel->targets[i]);
	left_out__complain(&left_out);
	if (known == cnt)
		return;
	complain_load(first);
	if (!is_own(first->err) && cnt > 1)
		complain("no other of the %zu functions takes the program either", cnt);
}

int pair__load(const struct pair *pair, bool best_effort,
	       int (*load)(void *ctx, const struct fentry_target *target,
			   struct fentry_error *error),
	       void *ctx)
{
	struct selection *sel = pair->sel;
	struct fentry_error first = {}, error;
	size_t i, cnt = selection__first_site(sel);
	int err = 0;

	if (check_ftrace())
		return EXIT_FAILED;
	for (i = 0; i < cnt && !is_own(err); i++) {
		err = load(ctx, sel->targets[i], i ? &error : &first);
		if (!err)
			return 0;
	}
	if (cnt)
		complain_unloaded(sel, cnt, &first);
	if (cnt == sel->cnt || is_own(err) || (cnt && !best_effort))
		return EXIT_FAILED;
	if (!load(ctx, NULL, &error))
		return 0;
	complain_load(&error);
	return EXIT_FAILED;
}

int open_skeleton_failed(struct fentry_error *error)
{
	*error = (struct fentry_error){ .err = -errno };
	snprintf(error->msg, sizeof(error->msg), "can't open the BPF object: %s",
		 libbpf_text(error->err));
	return error->err;
}

/* While attaching takes long, a key on the terminal stops it. */
static struct termios keys_before;
static bool keys_on;

static bool keys__begin(void)
{
	struct termios now;

	/* who isn't in the foreground must not touch the terminal */
	if (tcgetpgrp(STDIN_FILENO) != getpgrp() || !use_colour(STDERR_FILENO) ||
	    tcgetattr(STDIN_FILENO, &keys_before))
		return false;
	now = keys_before;
	now.c_lflag &= ~(ICANON | ECHO);
	keys_on = !tcsetattr(STDIN_FILENO, TCSANOW, &now);
	return keys_on;
}

static bool keys__pressed(void)
{
	struct pollfd fd = { STDIN_FILENO, POLLIN, 0 };
	char key;

	return keys_on && poll(&fd, 1, 0) == 1 && read(STDIN_FILENO, &key, 1) == 1;
}

static void keys__end(void)
{
	if (keys_on)
		tcsetattr(STDIN_FILENO, TCSANOW, &keys_before);
	keys_on = false;
}

static bool go_on(void *ctx, size_t done)
{
	struct pace *p = ctx;

	p->w->interrupted |= keys__pressed();
	progress__show(&p->progress, done, p->cnt);
	return !waiter__interrupted(p->w);
}

static void add_left_out_function(struct left_out *l, const struct fentry_target *target,
				  const char *message, struct verdicts *v)
{
	char label[LABEL_MAX];

	if (left_out__add_untraceable(l, v, target))
		return;
	fentry_target__label(target, label);
	left_out__add(l, label, message);
}

/* The kernel's error alone doesn't tell that a function is notrace. */
static void add_left_out_call(struct left_out *l, const struct fentry_inlined_call *call,
			      const char *message, struct verdicts *v)
{
	const char *why = NULL;
	char label[2 * LABEL_MAX], own[3 * LABEL_MAX];

	fentry_target__label(call->func, label);
	strcat(label, " in ");
	fentry_inlined_call__where(call, label + strlen(label), LABEL_MAX - 4);
	if (v && !fentry_inlined_call__unfit(call))
		why = verdicts__no_probe(v, call->addr);
	if (why) {
		snprintf(own, sizeof(own), "can't attach to the inlined call of %s: it %s", label,
			 why);
		message = own;
	}
	left_out__add(l, label, message);
}

void complain_left_out(struct selection *sel, size_t first, const struct fentry_multi *multi)
{
	struct left_out functions = {}, calls = { .inlined = true };
	struct verdicts **v = &sel->verdicts;
	const char *why;
	size_t i;

	for (i = first; i < first + fentry_multi__cnt(multi); i++) {
		why = fentry_multi__why(multi, i - first);
		if (why && !*v)
			verdicts__load(sel->idx, true, v);
		if (why && selection__call(sel, i))
			add_left_out_call(&calls, selection__call(sel, i), why, *v);
		else if (why)
			add_left_out_function(&functions, sel->targets[i], why, *v);
	}
	left_out__complain(&functions);
	left_out__complain(&calls);
}

/* Is everything that a program is for attached by one link? Else each has its own. */
static bool has_one_link(enum pair_kind kind, const struct bpf_program *prog)
{
	return kind == PAIR_TRAMPOLINE ? fentry_has_multi() :
					 bpf_program__expected_attach_type(prog);
}

/* Let a program call the kernel's function. Return false if it can't. */
static bool set_session_call(struct bpf_program *prog, const struct selection *sel)
{
	const struct btf *btf = sel->targets[0]->btf;
	size_t i, cnt = bpf_program__insn_cnt(prog);
	struct bpf_insn *insns;
	int id, err = 0;

	btf = btf__base_btf(btf) ?: btf;
	id = btf__find_by_name_kind(btf, "bpf_session_is_return", BTF_KIND_FUNC);
	insns = calloc(cnt, sizeof(*insns));
	if (id <= 0 || !insns) {
		free(insns);
		return false;
	}
	memcpy(insns, bpf_program__insns(prog), cnt * sizeof(*insns));
	for (i = 0; i < cnt; i++) {
		if (insns[i].code != (BPF_JMP | BPF_CALL) || insns[i].imm != SESSION_IS_RETURN)
			continue;
		insns[i].src_reg = BPF_PSEUDO_KFUNC_CALL;
		insns[i].imm = id;
	}
	err = bpf_program__set_insns(prog, insns, cnt);
	free(insns);
	return !err;
}

static void prepare_probe(struct bpf_program *prog, int type)
{
	bpf_program__set_autoload(prog, true);
	bpf_program__set_expected_attach_type(prog, type);
}

static void prepare_probes(struct pair_programs *progs, const struct selection *sel, size_t first)
{
	bool entries = true, coming = false;
	int type = 0;
	size_t i;

	for (i = first; i < sel->cnt; i++) {
		entries &= !selection__call(sel, i);
		coming |= fentry_target__is_coming(sel->targets[i]);
	}
	if (!coming && (entries ? fentry_has_entry_links() : fentry_has_probe_links()))
		type = BPF_TRACE_KPROBE_MULTI;
	if (progs->session && entries && !coming && fentry_has_session_links() &&
	    set_session_call(progs->session, sel)) {
		type = FENTRY_KPROBE_SESSION;
		progs->start = progs->session;
		progs->end = NULL;
	}
	prepare_probe(progs->start, type);
	if (progs->end)
		prepare_probe(progs->end, type);
}

size_t pair__prepare(struct pair *pair, const struct fentry_target *target,
		     struct fentry_binding bindings[2])
{
	struct bpf_program *const trampolines[] = { pair->progs[PAIR_TRAMPOLINE].start,
						    pair->progs[PAIR_TRAMPOLINE].end };
	size_t i, n = 0, first = selection__first_site(pair->sel);

	for (i = 0; target && i < 2; i++) {
		if (!trampolines[i])
			continue;
		bpf_program__set_autoload(trampolines[i], true);
		bindings[n++] = (struct fentry_binding){ trampolines[i], target };
	}
	if (first < pair->sel->cnt)
		prepare_probes(&pair->progs[PAIR_PROBE], pair->sel, first);
	return n;
}

/* Find the entries of a part. Are they alone, without inlined calls? */
static bool find_entries(const struct selection *sel, const struct pair_part *part,
			 const struct fentry_inlined_call **calls)
{
	bool alone = true;
	size_t i;

	for (i = 0; i < part->cnt; i++) {
		calls[i] = selection__site(sel, part->first + i)->call;
		alone &= !calls[i]->section;
	}
	return alone;
}

/*
 * Why functions that one link has no place for are left out. Else libfentry would read once more
 * what ftrace can patch, or the kernel would be asked for halves of halves.
 */
static void find_whys(const struct selection *sel, const struct pair_part *part, const char **whys)
{
	size_t i;

	for (i = 0; i < part->cnt; i++)
		whys[i] = verdicts__no_probe(sel->verdicts, sel->targets[part->first + i]->addr);
}

/* Attach a loaded program to the targets of a part, or complain. */
static int attach_to(const struct selection *sel, const struct pair_part *part, enum pair_kind kind,
		     const struct bpf_program *prog, struct fentry_multi_opts *opts,
		     struct fentry_multi **ret)
{
	const struct fentry_inlined_call **calls = calloc(part->cnt + 1, sizeof(*calls));
	const char **whys = calloc(part->cnt + 1, sizeof(*whys));
	bool probe = kind == PAIR_PROBE, known;
	struct pace *pace = opts->ctx;
	struct fentry_error error;
	int err;

	if (!calls || !whys) {
		free(calls);
		free(whys);
		return no_memory();
	}
	known = sel->verdicts && has_one_link(kind, prog) &&
		(probe || verdicts__has_sites(sel->verdicts));
	if (probe)
		known &= find_entries(sel, part, calls);
	if (known)
		find_whys(sel, part, whys);
	err = fentry_multi__attach_points(prog, sel->targets + part->first, probe ? calls : NULL,
					  whys, part->cnt, opts, ret, &error);
	free(calls);
	free(whys);
	progress__end(&pace->progress);
	return err ? complain_error(&error) : 0;
}

/*
 * Attach at the ends first: some functions can't have a program there. Then attach at the starts of
 * the others.
 */
static int attach_part(struct pair *pair, enum pair_kind kind, bool all, struct waiter *w)
{
	const struct pair_programs *progs = &pair->progs[kind];
	struct pair_part *part = &pair->parts[kind];
	struct selection *sel = pair->sel;
	struct pace pace = { .w = w, .cnt = part->cnt };
	LIBBPF_OPTS(fentry_multi_opts, opts, .go_on = go_on, .ctx = &pace, .exit = true,
		    .all_or_none = all && kind == PAIR_PROBE);
	int status = 0;

	part->paired = progs->end || (progs->session && progs->start == progs->session);
	/* a program that no function takes isn't loaded */
	if (!part->cnt || bpf_program__fd(progs->start) < 0)
		return 0;
	pace.progress.what = "attached to the end of";
	if (progs->end)
		status = attach_to(sel, part, kind, progs->end, &opts, &part->end);
	pace.progress =
		(struct progress){ .what = progs->end ? "attached to the start of" : "attached" };
	opts.exit = false;
	opts.like = part->end;
	status = status ?: attach_to(sel, part, kind, progs->start, &opts, &part->start);
	if (status || w->interrupted)
		return status;
	complain_left_out(sel, part->first, part->start);
	if (!opts.all_or_none || fentry_multi__attached(part->start) == part->cnt)
		return 0;
	return failure(
		"nothing is traced, as calls would be missing: --best-effort leaves them out");
}

/*
 * Prepare for links of their own, or complain: allow the open files that they and their programs
 * take, and say how long they take.
 */
static int prepare_links(const struct pair *pair)
{
	const struct pair_programs *progs = pair->progs;
	const struct selection *sel = pair->sel;
	size_t kind, calls = 0, i, files = 0, links = 0;
	char what[COUNT_TEXT_MAX];
	int status;

	for (i = 0; i < sel->cnt; i++)
		calls += selection__call(sel, i) != NULL;
	for (kind = 0; kind < PAIR_KINDS; kind++) {
		if (!pair->parts[kind].cnt || bpf_program__fd(progs[kind].start) < 0 ||
		    has_one_link(kind, progs[kind].start))
			continue;
		i = pair->parts[kind].cnt * (progs[kind].end ? 2 : 1);
		links += i;
		files += kind == PAIR_TRAMPOLINE ? FILES_OF_TRAMPOLINE * i : i;
	}
	status = open_files__reserve(files, sel->cnt - calls, calls);
	if (status || links <= LINKS_SILENT_MAX)
		return status;
	count_text(sel->cnt - calls, calls, what);
	complain(
		"this kernel has no link for many: attaching to %s takes about %.0f s, and ending %.0f s%s",
		what, ATTACH_SECONDS * links + 0.5, DETACH_SECONDS * links + 0.5,
		keys__begin() ? "; a key or ^C stops here" : "");
	return 0;
}

bool pair__has(const struct pair *pair, size_t i)
{
	const struct pair_part *part = &pair->parts[i >= pair->parts[PAIR_PROBE].first];

	return part->start && !fentry_multi__why(part->start, i - part->first);
}

/* Number of functions, or of @inlined calls, that have their programs. */
static size_t count(const struct pair *pair, bool inlined)
{
	size_t i, n = 0;

	for (i = 0; i < pair->sel->cnt; i++)
		n += pair__has(pair, i) && !selection__call(pair->sel, i) == !inlined;
	return n;
}

void pair__text(const struct pair *pair, char buf[COUNT_TEXT_MAX])
{
	count_text(count(pair, false), count(pair, true), buf);
}

int pair__attach(struct pair *pair, bool all, struct waiter *w)
{
	struct selection *sel = pair->sel;
	size_t kind, first = selection__first_site(sel);
	int status;

	pair->parts[PAIR_TRAMPOLINE].cnt = pair->parts[PAIR_PROBE].first = first;
	pair->parts[PAIR_PROBE].cnt = sel->cnt - first;
	status = prepare_links(pair);
	for (kind = 0; !status && kind < PAIR_KINDS; kind++)
		status = attach_part(pair, kind, all, w);
	keys__end();
	verdicts__free(sel->verdicts);
	sel->verdicts = NULL;
	if (status || count(pair, false) || count(pair, true))
		return status;
	return failure(w->interrupted ? "interrupted before anything was attached" :
					"nothing is left to trace");
}

const char *pair__by(const struct pair *pair, size_t i)
{
	const struct pair_part *part = &pair->parts[i >= pair->parts[PAIR_PROBE].first];

	return part->start ? fentry_multi__by(part->start, i - part->first) : NULL;
}

/*
 * Calls that were missed since the programs were attached. Of two trampolines it is those that the
 * end missed: what the start missed counts as unpaired at the end.
 */
static unsigned long long all_missed(const struct pair *pair, enum pair_kind kind)
{
	const struct pair_part *part = &pair->parts[kind];
	const struct fentry_multi *multi =
		kind == PAIR_TRAMPOLINE && part->end ? part->end : part->start;

	return multi ? fentry_multi__missed(multi) : 0;
}

void pair__measure(struct pair *pair, bool *measuring, bool on)
{
	size_t kind;

	for (kind = 0; on && kind < PAIR_KINDS; kind++)
		pair->parts[kind].missed -= all_missed(pair, kind);
	__atomic_store_n(measuring, on, __ATOMIC_RELEASE);
	for (kind = 0; !on && kind < PAIR_KINDS; kind++)
		pair->parts[kind].missed += all_missed(pair, kind);
}

static void detach(struct fentry_multi *multi)
{
	size_t i, cnt = multi ? fentry_multi__links(multi) : 0;
	struct progress progress = { .what = "detached" };

	/* If there are many, say so at once. The result stays the last line. */
	progress.last = cnt > LINKS_SILENT_MAX;
	for (i = 0; i < cnt; i++) {
		if (use_colour(STDERR_FILENO))
			progress__show(&progress, i, cnt);
		fentry_multi__detach_one(multi);
	}
	progress__end(&progress);
	fentry_multi__free(multi);
}

void pair__detach(struct pair *pair)
{
	struct pair_part *part;

	for_each(part, pair->parts, PAIR_KINDS) {
		detach(part->start);
		detach(part->end);
	}
}

static unsigned long long count_pending(int fd)
{
	unsigned long long n = 0;
	struct pair_bucket b;
	__u32 key;
	int i;

	for (key = 0; key < PAIR_BUCKETS; key++) {
		if (bpf_map_lookup_elem(fd, &key, &b))
			continue;
		for (i = 0; i < PAIR_BUCKET_CALLS; i++)
			n += b.calls[i].frame != 0;
	}
	return n;
}

static void complain_lost(unsigned long long calls, const char *what)
{
	if (calls)
		complain("not counted: %llu call%s %s", calls, calls == 1 ? "" : "s", what);
}

/* Losses of targets that have two programs. */
static void complain_unpaired(const struct pair *pair, int cpus_fd, int buckets_fd)
{
	const struct pair_part *trampolines = &pair->parts[PAIR_TRAMPOLINE];
	const struct pair_part *probes = &pair->parts[PAIR_PROBE];
	int i, cpu_cnt = libbpf_num_possible_cpus();
	struct pair_cpu *cpus = calloc(cpu_cnt, sizeof(*cpus));
	struct pair_cpu lost = { .missed = trampolines->paired ? trampolines->missed : 0 };
	__u32 key = 0;

	if (!cpus || bpf_map_lookup_elem(cpus_fd, &key, cpus)) {
		complain("can't read how many calls were missed");
		cpu_cnt = 0;
	}
	for (i = 0; i < cpu_cnt; i++) {
		lost.missed += cpus[i].missed;
		lost.unpaired += cpus[i].unpaired;
		lost.no_room += cpus[i].no_room;
		lost.unreturned += cpus[i].unreturned;
	}
	free(cpus);
	/* a call that both probes missed is in no map; one whose return was seen is unpaired */
	if (probes->paired && lost.unpaired < probes->missed)
		lost.unpaired = probes->missed;
	complain_lost(lost.missed, "that returned while a program was running on the CPU");
	complain_lost(lost.unpaired, "whose start wasn't seen");
	complain_lost(lost.no_room, "that began when too many others hadn't returned");
	complain_lost(count_pending(buckets_fd) + lost.unreturned,
		      "that began, and whose return wasn't seen");
}

void pair__complain_losses(const struct pair *pair, int cpus_fd, int buckets_fd,
			   unsigned long long missed)
{
	const struct pair_part *part;
	bool paired = false;

	for_each(part, pair->parts, PAIR_KINDS) {
		paired |= part->paired && part->start;
		missed += part->paired ? 0 : part->missed;
	}
	if (paired)
		complain_unpaired(pair, cpus_fd, buckets_fd);
	part = &pair->parts[PAIR_PROBE];
	if (part->start && !fentry_multi__tells_missed(part->start))
		complain(
			"Linux before 6.7 doesn't say how many calls came while another probe was running: these are not counted");
	if (missed)
		complain(
			"%llu calls came while the same program%s was running, and are not counted",
			missed, pair->parts[PAIR_PROBE].start ? ", or another probe," : "");
}
