// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attaches to every ambiguous and every renamed function that ftrace can trace, one after another,
 * and to each $STEP-th (200) listed function. Reads the kernel's text before, meanwhile and
 * afterwards: the call must be at the function that vmlinux's symbol table and DWARF have for this
 * name and compilation unit, at no other function of this name, and gone in the end.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/types.h>

#include "expect.h"

#include "env.h"
#include "hits.h"
#include "kbtf.h"
#include "ksyms.h"
#include "text.h"
#include "vmsyms.h"

#define STEP	      200  /* try one of this many functions */
#define MIN_DESCRIBED 0.99 /* of all that ftrace can trace */
#define MAX_PLACES    128  /* functions of one name that can be looked at */
#define LOG_SIZE      8192

enum naming {
	NAME_OTHER,
	NAME_AMBIGUOUS, /* several functions have this name */
	NAME_RENAMED,	/* the compiler has made the name unique */
	NAME_ANY,
};

enum outcome {
	ATTACHED,
	REFUSED, /* by the verifier, with a reason; not an error */
	MISSED,	 /* any other deviation */
};

/* A function in the file of the kernel. */
struct func {
	__u64 addr;	  /* in the running kernel */
	const char *unit; /* its path as DWARF has it; NULL if there is none */
};

struct place {
	__u64 addr;
	unsigned char before[TEXT_SIZE];
};

FIXTURE(sweep) {
	struct vmlinux *vmlinux;
	struct vmunits *vmunits;
	struct ksyms syms, btf_syms;
	struct sites sites;
	struct btf *btf;
	const char **units; /* by type id */
	__u64 text;
	struct hits *hits;
	struct place places[MAX_PLACES];
	size_t place_cnt;
	char log[LOG_SIZE];
	char why[256]; /* the last function was REFUSED or MISSED */
};

typedef FIXTURE_DATA(sweep) sweep_t;

FIXTURE_SETUP(sweep)
{
	const char *why = "";
	const struct ksym *any;
	size_t cnt;

	ASSERT_OK(vmlinux__open(&self->vmlinux, &why), "%s", why);
	ASSERT_EQ(0, vmunits__open(self->vmlinux, &self->vmunits));
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms", &self->syms));
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms_btf", &self->btf_syms));
	ASSERT_EQ(0, sites__read(&self->syms, &self->sites));
	self->btf = btf__parse("/sys/kernel/btf/vmlinux", NULL);
	ASSERT_NE(NULL, self->btf);
	self->units = btf_units__read(self->btf);
	ASSERT_NE(NULL, self->units);
	self->text = ksyms__addr(&self->syms, "_text");
	ASSERT_NE(0, self->text);
	/* any function will do: look_at() loads the same instructions for others */
	any = ksyms__find(&self->btf_syms, "bpf_iter_detach_map", &cnt);
	ASSERT_NE(NULL, any);
	ASSERT_EQ(0, hits__load(any->type_id, NULL, 0, &self->hits));
}

FIXTURE_TEARDOWN(sweep)
{
	hits__free(self->hits);
	free(self->units);
	btf__free(self->btf);
	sites__free(&self->sites);
	ksyms__free(&self->syms);
	ksyms__free(&self->btf_syms);
	vmunits__close(self->vmunits);
	vmlinux__close(self->vmlinux);
}

#define because(self, ...) snprintf((self)->why, sizeof((self)->why), __VA_ARGS__)

/* Where the function of a unit is; 0 if there is none, or several. */
static __u64 find_expected(const struct func *funcs, size_t cnt, const char *unit)
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
static bool take_places(sweep_t *self, const struct func *funcs, size_t cnt)
{
	size_t i;
	int err;

	if (cnt > MAX_PLACES) {
		because(self, "%zu functions have this name", cnt);
		return false;
	}
	memset(self->places, 0, sizeof(self->places));
	self->place_cnt = cnt;
	for (i = 0; i < cnt; i++) {
		self->places[i].addr = funcs[i].addr;
		err = text__read(funcs[i].addr, self->places[i].before, TEXT_SIZE);
		if (err && err != -EFAULT) { /* init text is gone */
			because(self, "can't read the text at %llx: %s",
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
static bool is_call_at(sweep_t *self, __u64 addr)
{
	int state = text__state(addr);
	size_t i;

	if (state != TEXT_CALL) {
		because(self, "text at %llx is \"%s\", not a call", (unsigned long long)addr,
			text__state_name(state));
		return false;
	}
	for (i = 0; i < self->place_cnt; i++) {
		if (self->places[i].addr == addr || is_unchanged(&self->places[i]))
			continue;
		because(self, "text at %llx was patched too",
			(unsigned long long)self->places[i].addr);
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
static enum outcome load_for(sweep_t *self, const struct ksym *sym, int *fd)
{
	const char *line;

	*fd = hits__clone(self->hits, sym->type_id, self->log, sizeof(self->log));
	if (*fd >= 0)
		return ATTACHED;
	line = last_log_line(self->log);
	because(self, "%s: %.200s", strerror(-*fd), *line ? line : "(no log)");
	if (*fd == -EINVAL && is_denied(sym->name))
		return REFUSED;
	/* A refusal by the resolver, or one without a log, would be a bug of the series. */
	return *fd == -EADDRNOTAVAIL || !*line ? MISSED : REFUSED;
}

/* Attach, look, detach, look again. */
static enum outcome attach_and_look(sweep_t *self, int prog_fd, __u64 addr)
{
	bool right;
	size_t i;
	int link;

	link = bpf_link_create(prog_fd, 0, BPF_TRACE_FENTRY, NULL);
	if (link < 0) {
		because(self, "can't attach: %s", strerror(-link));
		return link == -ENOTSUPP && !PASSES_STACK ? REFUSED : MISSED;
	}
	right = is_call_at(self, addr);
	close(link);
	if (!right)
		return MISSED;
	for (i = 0; i < self->place_cnt; i++) {
		if (is_unchanged(&self->places[i]))
			continue;
		because(self, "text at %llx is not what it was",
			(unsigned long long)self->places[i].addr);
		return MISSED;
	}
	return ATTACHED;
}

/*
 * Attach to a function. Compare its text and that of all @cnt functions of its name. @unit is the
 * end of its unit's path, as BTF has it, or NULL. The function is ATTACHED if a call was at the
 * only one of these that is of the unit, and at no other one, until it was detached. Otherwise
 * self->why says why not.
 */
static enum outcome look_at(sweep_t *self, const struct ksym *sym, const char *unit,
			    const struct func *funcs, size_t cnt)
{
	enum outcome outcome;
	__u64 addr;
	int fd;

	if (!take_places(self, funcs, cnt))
		return MISSED;
	addr = find_expected(funcs, cnt, unit);
	if (!addr) {
		because(self, "the file has none of this name and unit, or several");
		return MISSED;
	}
	if (text__state(addr) != TEXT_NOP) {
		because(self, "text at %llx is no nop before it is attached to",
			(unsigned long long)addr);
		return MISSED;
	}
	outcome = load_for(self, sym, &fd);
	if (outcome != ATTACHED)
		return outcome;
	outcome = attach_and_look(self, fd, addr);
	close(fd);
	return outcome;
}

/* .isra.0, .constprop.1.isra.0, .part.0, .llvm.1234 */
static bool has_suffix(const char *name)
{
	static const char *const suffixes[] = {
		".isra.",
		".constprop.",
		".part.",
		".llvm.",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(suffixes); i++)
		if (strstr(name, suffixes[i]))
			return true;
	return false;
}

/* The number of places in vmlinux's text that have this name. */
static size_t count_places(const struct ksyms *syms, const char *name)
{
	const struct ksym *sym;
	size_t cnt, n = 0;
	__u64 last = 0;

	for (sym = ksyms__find(syms, name, &cnt); cnt; sym++, cnt--) {
		if (sym->module || !ksym__is_text(sym) || sym->addr == last)
			continue;
		last = sym->addr;
		n++;
	}
	return n;
}

static enum naming naming_of(const struct ksyms *syms, const char *name)
{
	if (count_places(syms, name) > 1)
		return NAME_AMBIGUOUS;
	return has_suffix(name) ? NAME_RENAMED : NAME_OTHER;
}

/*
 * The functions of a name in vmlinux. Returns their number, which may exceed MAX_PLACES. If the
 * symbol table doesn't agree with DWARF's unit, the unit isn't known.
 */
static size_t find_funcs(const sweep_t *self, const char *name, struct func *funcs)
{
	const struct vmsym *sym;
	size_t i, cnt;

	sym = vmlinux__named(self->vmlinux, name, &cnt);
	for (i = 0; i < cnt && i < MAX_PLACES; i++) {
		const char *unit = vmunits__at(self->vmunits, sym[i].offset);

		if (unit && sym[i].file && !path__ends(unit, sym[i].file))
			unit = NULL;
		funcs[i] = (struct func){ self->text + sym[i].offset, unit };
	}
	return cnt;
}

/* Log the outcome for a function, unless all is well. */
static void log_outcome(struct __test_metadata *_metadata, sweep_t *self, const struct ksym *s,
			enum outcome outcome)
{
	const char *unit = self->units[s->type_id];

	if (outcome == ATTACHED)
		return;
	TH_LOG("%s: %s%s%s (#%u): %s", outcome == MISSED ? "MISS" : "not attachable", s->name,
	       unit ? "@" : "", unit ?: "", s->type_id, self->why);
}

/* Try one of every @step functions with names of this sort. */
static void sweep(struct __test_metadata *_metadata, sweep_t *self, enum naming naming, size_t step)
{
	size_t i, nr = 0, results[MISSED + 1] = {}, untraceable = 0;

	for (i = 0; i < self->btf_syms.cnt; i++) {
		const struct ksym *s = &self->btf_syms.syms[i];
		struct func funcs[MAX_PLACES];
		enum outcome outcome;

		if (s->module ||
		    (naming != NAME_ANY && naming_of(&self->syms, s->name) != naming) ||
		    nr++ % step)
			continue;
		if (!sites__has(&self->sites, s->addr)) {
			untraceable++;
			continue;
		}
		outcome = look_at(self, s, self->units[s->type_id], funcs,
				  find_funcs(self, s->name, funcs));
		results[outcome]++;
		log_outcome(_metadata, self, s, outcome);
	}
	TH_LOG("%zu attached, %zu not attachable, %zu missed, %zu not traceable", results[ATTACHED],
	       results[REFUSED], results[MISSED], untraceable);
	EXPECT_LT(0, results[ATTACHED]);
	EXPECT_EQ(0, results[MISSED]);
}

TEST_F_TIMEOUT(sweep, ambiguous_functions, 1200)
{
	sweep(_metadata, self, NAME_AMBIGUOUS, 1);
}

TEST_F_TIMEOUT(sweep, renamed_functions, 1200)
{
	sweep(_metadata, self, NAME_RENAMED, 1);
}

TEST_F_TIMEOUT(sweep, listed_functions, 3 * 3600)
{
	const char *step = getenv("STEP");

	ASSERT_LT(0, step ? atoi(step) : STEP);
	sweep(_metadata, self, NAME_ANY, step ? atoi(step) : STEP);
}

/* A function of vmlinux that begins at @addr, or NULL. */
static const struct ksym *find_at(const struct ksyms *syms, __u64 addr)
{
	size_t i;

	for (i = 0; i < syms->cnt; i++)
		if (syms->syms[i].addr == addr && !syms->syms[i].module &&
		    ksym__is_text(&syms->syms[i]))
			return &syms->syms[i];
	return NULL;
}

/* The addresses of all functions that BTF describes, sorted. */
static __u64 *described_addrs(const struct ksyms *btf_syms)
{
	__u64 *addrs = calloc(btf_syms->cnt + 1, sizeof(*addrs));
	size_t i;

	for (i = 0; addrs && i < btf_syms->cnt; i++)
		addrs[i] = btf_syms->syms[i].addr;
	if (addrs)
		qsort(addrs, btf_syms->cnt, sizeof(*addrs), sorted__cmp_addrs);
	return addrs;
}

/*
 * Why btfaddr left a function out of BTF; NULL if it doesn't say. When the selftests were built,
 * "btfaddr --left-out" wrote $LEFT_OUT: lines "0x<offset from _text>\tname\treason".
 */
static char *why_left_out(const char *name, __u64 offset)
{
	FILE *f = fopen(env__need("LEFT_OUT"), "re");
	char *line = NULL, *reason = NULL;
	char key[1024];
	size_t size = 0, len;

	len = snprintf(key, sizeof(key), "0x%llx\t%s\t", (unsigned long long)offset, name);
	while (f && !reason && getline(&line, &size, f) >= 0)
		if (!strncmp(line, key, len))
			reason = strndup(line + len, strcspn(line + len, "\n"));
	free(line);
	if (f)
		fclose(f);
	return reason;
}

/*
 * Expect BTF to describe nearly every function that ftrace can trace, and every ambiguous one
 * unless btfaddr has said why not.
 */
TEST_F_TIMEOUT(sweep, described_functions, 120)
{
	size_t i, undescribed = 0, unexplained = 0;
	const struct sites *sites = &self->sites;
	__u64 *described = described_addrs(&self->btf_syms);
	double share;

	ASSERT_NE(NULL, described);
	for (i = 0; i < sites->cnt; i++) {
		const struct ksym *s;
		char *reason;

		if (sorted__has_addr(described, self->btf_syms.cnt, sites->addrs[i]))
			continue;
		undescribed++;
		s = find_at(&self->syms, sites->addrs[i]);
		if (!s)
			continue;
		reason = why_left_out(s->name, s->addr - self->text);
		TH_LOG("not described: %s: %s", s->name, reason ?: "btfaddr gives no reason");
		if (!reason && count_places(&self->syms, s->name) > 1)
			unexplained++;
		free(reason);
	}
	free(described);
	ASSERT_LT(0, sites->cnt);
	share = 1 - (double)undescribed / sites->cnt;
	TH_LOG("%zu of %zu traceable functions described: %.2f %%", sites->cnt - undescribed,
	       sites->cnt, share * 100);
	EXPECT_EQ(0, sites->unnamed);
	EXPECT_EQ(0, unexplained);
	EXPECT_LE(MIN_DESCRIBED, share);
}

TEST_HARNESS_MAIN
