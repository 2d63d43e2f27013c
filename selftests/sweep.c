// SPDX-License-Identifier: GPL-2.0
/*
 * Every ambiguous and every renamed function that ftrace can trace is attached
 * to, one after another, and of all that are listed a sample, or each one with
 * FULL=1 in the environment. Each time the kernel's text is read before, meanwhile
 * and afterwards: the call has to stand where vmlinux's symbol table and DWARF
 * have the function of this name and compilation unit, nowhere else where this
 * name is, and to be gone again.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "kselftest_harness.h"

#include "btf_units.h"
#include "hits.h"
#include "ksyms.h"
#include "left_out.h"
#include "sites.h"
#include "text.h"
#include "vmsyms.h"
#include "vmunits.h"

#define LOG_SIZE 8192
#define CODE_SIZE 9		/* an endbr64 and what ftrace patches */
#define MAX_INSTANCES 128	/* functions of one name */
#define SAMPLE 200		/* one of so many functions */
#define MIN_DESCRIBED 0.99	/* of all that ftrace can trace */

enum kind {
	KIND_OTHER,
	KIND_AMBIGUOUS,		/* several functions have this name */
	KIND_RENAMED,		/* by the compiler, with a unique result */
	KIND_ANY,
};

enum outcome {
	ATTACHED,
	REFUSED,		/* by the verifier, with a reason: no error */
	MISSED,			/* anything else that isn't as it should be */
};

FIXTURE(sweep) {
	struct vmlinux *vmlinux;
	struct vmunits *vmunits;
	struct ksyms syms, btf_syms;
	struct sites sites;
	struct left_out left_out;
	struct btf *btf;
	struct hits *hits;
	const char **units;	/* by type id */
	__u64 text;
	char log[LOG_SIZE];
	char why[256];		/* of the last REFUSED or MISSED */
};

typedef FIXTURE_DATA(sweep) sweep_t;

FIXTURE_SETUP(sweep)
{
	const char *why = "";
	const struct ksym *text;
	size_t cnt;

	ASSERT_EQ(0, vmlinux__open(&self->vmlinux, &why)) TH_LOG("%s", why);
	ASSERT_EQ(0, vmunits__open(self->vmlinux, &self->vmunits));
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms", &self->syms));
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms_btf", &self->btf_syms));
	ASSERT_EQ(0, sites__read(&self->syms, &self->sites));
	self->btf = btf__parse("/sys/kernel/btf/vmlinux", NULL);
	ASSERT_NE(NULL, self->btf);
	self->units = btf_units__read(self->btf);
	ASSERT_NE(NULL, self->units);
	text = ksyms__find(&self->syms, "_text", &cnt);
	ASSERT_EQ(1, cnt);
	self->text = text->addr;
	if (left_out__read(&self->left_out))
		TH_LOG("no list of left out functions in $LEFT_OUT");
}

FIXTURE_TEARDOWN(sweep)
{
	hits__free(self->hits);
	left_out__free(&self->left_out);
	free(self->units);
	btf__free(self->btf);
	sites__free(&self->sites);
	ksyms__free(&self->syms);
	ksyms__free(&self->btf_syms);
	vmunits__close(self->vmunits);
	vmlinux__close(self->vmlinux);
}

/* .isra.0, .constprop.1.isra.0, .part.0, .llvm.1234 */
static bool has_suffix(const char *name)
{
	static const char *const suffixes[] = {
		".isra.", ".constprop.", ".part.", ".llvm.",
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

static enum kind kind_of(const struct ksyms *syms, const char *name)
{
	if (count_places(syms, name) > 1)
		return KIND_AMBIGUOUS;
	return has_suffix(name) ? KIND_RENAMED : KIND_OTHER;
}

/* Is @path, or a tail of it that begins with a component, @tail? */
static bool path_ends(const char *path, const char *tail)
{
	size_t len = strlen(path), tail_len = strlen(tail);

	if (len < tail_len || strcmp(path + len - tail_len, tail))
		return false;
	return len == tail_len || path[len - tail_len - 1] == '/';
}

/* Both the symbol table and DWARF have to agree with the unit. */
static bool is_of_unit(const sweep_t *self, const struct vmsym *sym,
		       const char *unit)
{
	const char *by_dwarf = vmunits__at(self->vmunits, sym->offset);

	if (sym->file && !path_ends(unit, sym->file))
		return false;
	return by_dwarf && path_ends(by_dwarf, unit);
}

/*
 * Where the function of this name and unit is, by vmlinux alone; 0 if there is
 * none, or it isn't clear which.
 */
static __u64 find_expected(const sweep_t *self, const char *name,
			   const char *unit)
{
	const struct vmsym *sym;
	__u64 found = 0, addr;
	size_t cnt;

	for (sym = vmlinux__named(self->vmlinux, name, &cnt); cnt;
	     sym++, cnt--) {
		if (unit && !is_of_unit(self, sym, unit))
			continue;
		addr = self->text + sym->offset;
		if (found && addr != found)
			return 0;
		found = addr;
	}
	return found;
}

struct instance {
	__u64 addr;
	unsigned char before[CODE_SIZE];
};

/* All places of a name, with their text as it is now. -E2BIG if too many. */
static int take_instances(const sweep_t *self, const char *name,
			  struct instance *ret)
{
	const struct vmsym *sym;
	size_t i, cnt;
	int err;

	sym = vmlinux__named(self->vmlinux, name, &cnt);
	if (cnt > MAX_INSTANCES)
		return -E2BIG;
	for (i = 0; i < cnt; i++) {
		ret[i].addr = self->text + sym[i].offset;
		err = text__read(ret[i].addr, ret[i].before, CODE_SIZE);
		if (err && err != -EFAULT)	/* init text is gone */
			return err;
	}
	return cnt;
}

static bool is_unchanged(const struct instance *inst)
{
	unsigned char now[CODE_SIZE] = {};

	text__read(inst->addr, now, CODE_SIZE);
	return !memcmp(now, inst->before, CODE_SIZE);
}

#define because(self, ...) \
	snprintf((self)->why, sizeof((self)->why), __VA_ARGS__)

/* While a program is attached: is the call at @addr, and there alone? */
static bool is_call_at(sweep_t *self, const struct instance *insts, int cnt,
		       __u64 addr)
{
	int i, state = text__state(addr);

	if (state != TEXT_CALL) {
		because(self, "text at _text+0x%llx is \"%s\", not a call",
			(unsigned long long)(addr - self->text),
			text__state_name(state));
		return false;
	}
	for (i = 0; i < cnt; i++) {
		if (insts[i].addr == addr || is_unchanged(&insts[i]))
			continue;
		because(self, "text at _text+0x%llx was patched too",
			(unsigned long long)(insts[i].addr - self->text));
		return false;
	}
	return true;
}

/* The last line of the verifier's log that isn't statistics. */
static const char *last_log_line(char *log)
{
	char *line = log, *last = "", *end;

	for (; *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		if (*line && strncmp(line, "processed ", 10) &&
		    strncmp(line, "verification time", 17) &&
		    strncmp(line, "stack depth", 11))
			last = line;
	}
	return last;
}

/* Is it one of those that the kernel refuses without a word (btf_id_deny)? */
static bool is_denied(const char *name)
{
	static const char *const denied[] = {
		"migrate_disable", "migrate_enable", "rcu_read_unlock_strict",
		"preempt_count_add", "preempt_count_sub",
		"__rcu_read_lock", "__rcu_read_unlock",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(denied); i++)
		if (!strcmp(name, denied[i]))
			return true;
	return false;
}

/* Load for the function. The file descriptor goes to *@fd. */
static enum outcome load(sweep_t *self, const struct ksym *sym, int *fd)
{
	const char *line;

	*fd = hits__clone(self->hits, sym->type_id, self->log, sizeof(self->log));
	if (*fd >= 0)
		return ATTACHED;
	line = last_log_line(self->log);
	because(self, "%s: %.200s", strerror(-*fd),
		*line ? line : "(no log)");
	if (*fd == -EINVAL && is_denied(sym->name))
		return REFUSED;
	/* The resolver's refusal would be our bug, as is one without a word. */
	return *fd == -EADDRNOTAVAIL || !*line ? MISSED : REFUSED;
}

/* Attach, look, detach, look again. */
static enum outcome attach_and_look(sweep_t *self, int prog_fd,
				    const struct instance *insts, int cnt,
				    __u64 addr)
{
	bool right;
	int i, link;

	link = bpf_link_create(prog_fd, 0, BPF_TRACE_FENTRY, NULL);
	if (link < 0) {
		because(self, "can't attach: %s", strerror(-link));
		return MISSED;
	}
	right = is_call_at(self, insts, cnt, addr);
	close(link);
	if (!right)
		return MISSED;
	for (i = 0; i < cnt; i++) {
		if (is_unchanged(&insts[i]))
			continue;
		because(self, "text at _text+0x%llx is not what it was",
			(unsigned long long)(insts[i].addr - self->text));
		return MISSED;
	}
	return ATTACHED;
}

static enum outcome try_function(sweep_t *self, const struct ksym *sym)
{
	struct instance insts[MAX_INSTANCES] = {};
	enum outcome outcome;
	__u64 addr;
	int fd, cnt;

	addr = find_expected(self, sym->name, self->units[sym->type_id]);
	if (!addr) {
		because(self, "vmlinux has no single one of this name and unit");
		return MISSED;
	}
	cnt = take_instances(self, sym->name, insts);
	if (cnt < 0 || text__state(addr) != TEXT_NOP) {
		because(self, "text at _text+0x%llx is no nop before",
			(unsigned long long)(addr - self->text));
		return MISSED;
	}
	outcome = load(self, sym, &fd);
	if (outcome != ATTACHED)
		return outcome;
	outcome = attach_and_look(self, fd, insts, cnt, addr);
	close(fd);
	return outcome;
}

/* What became of a function, in a line; nothing if all is well. */
static void log_outcome(struct __test_metadata *_metadata, sweep_t *self,
			const struct ksym *s, enum outcome outcome)
{
	const char *unit = self->units[s->type_id];

	if (outcome == ATTACHED)
		return;
	TH_LOG("%s: %s%s%s (#%u): %s",
	       outcome == MISSED ? "MISS" : "not attachable", s->name,
	       unit ? "@" : "", unit ?: "", s->type_id, self->why);
}

/* Try one of every @step functions of a kind. */
static void sweep(struct __test_metadata *_metadata, sweep_t *self,
		  enum kind kind, size_t step)
{
	size_t i, nr = 0, results[MISSED + 1] = {}, untraceable = 0;

	for (i = 0; i < self->btf_syms.cnt; i++) {
		const struct ksym *s = &self->btf_syms.syms[i];
		enum outcome outcome;

		if (s->module ||
		    (kind != KIND_ANY && kind_of(&self->syms, s->name) != kind) ||
		    nr++ % step)
			continue;
		if (!sites__has(&self->sites, s->addr)) {
			untraceable++;
			continue;
		}
		outcome = try_function(self, s);
		results[outcome]++;
		log_outcome(_metadata, self, s, outcome);
	}
	TH_LOG("%zu attached, %zu not attachable, %zu missed, %zu not traceable",
	       results[ATTACHED], results[REFUSED], results[MISSED],
	       untraceable);
	EXPECT_LT(0, results[ATTACHED]);
	EXPECT_EQ(0, results[MISSED]);
}

/* Any function will do: its instructions are loaded again for the others. */
#define LOAD_TEMPLATE() do { \
	const struct ksym *_any; \
	size_t _cnt; \
	_any = ksyms__find(&self->btf_syms, "bpf_iter_detach_map", &_cnt); \
	ASSERT_NE(NULL, _any); \
	ASSERT_EQ(0, hits__load(_any->type_id, NULL, 0, &self->hits)); \
} while (0)

TEST_F_TIMEOUT(sweep, ambiguous_functions, 240)
{
	LOAD_TEMPLATE();
	sweep(_metadata, self, KIND_AMBIGUOUS, 1);
}

TEST_F_TIMEOUT(sweep, renamed_functions, 240)
{
	LOAD_TEMPLATE();
	sweep(_metadata, self, KIND_RENAMED, 1);
}

TEST_F_TIMEOUT(sweep, listed_functions, 3 * 3600)
{
	LOAD_TEMPLATE();
	sweep(_metadata, self, KIND_ANY, getenv("FULL") ? 1 : SAMPLE);
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

static int cmp_addrs(const void *a, const void *b)
{
	__u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return (x > y) - (x < y);
}

/* The addresses of all functions that BTF describes, sorted. */
static __u64 *described_addrs(const struct ksyms *btf_syms)
{
	__u64 *addrs = calloc(btf_syms->cnt + 1, sizeof(*addrs));
	size_t i;

	for (i = 0; addrs && i < btf_syms->cnt; i++)
		addrs[i] = btf_syms->syms[i].addr;
	if (addrs)
		qsort(addrs, btf_syms->cnt, sizeof(*addrs), cmp_addrs);
	return addrs;
}

/*
 * Expect a description of nearly each function that ftrace can trace, and of
 * each ambiguous one unless btfaddr said why not.
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
		const char *reason;

		if (bsearch(&sites->addrs[i], described, self->btf_syms.cnt,
			    sizeof(*described), cmp_addrs))
			continue;
		undescribed++;
		s = find_at(&self->syms, sites->addrs[i]);
		if (!s)
			continue;
		reason = left_out__reason(&self->left_out, s->name,
					  s->addr - self->text);
		TH_LOG("not described: %s: %s", s->name,
		       reason ?: "btfaddr gives no reason");
		if (!reason && count_places(&self->syms, s->name) > 1)
			unexplained++;
	}
	free(described);
	ASSERT_LT(0, sites->cnt);
	share = 1 - (double)undescribed / sites->cnt;
	TH_LOG("%zu of %zu traceable functions described: %.2f %%",
	       sites->cnt - undescribed, sites->cnt, share * 100);
	EXPECT_EQ(0, sites->unnamed);
	EXPECT_EQ(0, unexplained);
	EXPECT_LE(MIN_DESCRIBED, share);
}

TEST_HARNESS_MAIN
