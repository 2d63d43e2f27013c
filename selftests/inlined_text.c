// SPDX-License-Identifier: GPL-2.0-only
/*
 * libfentry attaches a program to $SITES (40) inlined calls of vmlinux at once. They are spread
 * evenly over the calls in $INLINED. The kernel's text must have a breakpoint or a jump at each of
 * them, must not change elsewhere, and must be as before in the end.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "expect.h"

#include "env.h"
#include "inlined_text.skel.h"
#include "ksyms.h"
#include "libfentry.h"
#include "text.h"

#define SITES	     40
#define MIN_ATTACHED 0.7 /* of those that are tried */
#define OPEN_FILES   65536
#define SETTLED	     30 /* seconds */

FIXTURE(inlined) {
	struct fentry_index *idx;
	const struct fentry_inlined_call **calls; /* one for each address, sorted by it */
	size_t cnt;
	struct inlined_text_bpf *skel;
	struct fentry_multi *keeper, *multi;
	unsigned char *before, *now;
	__u64 text, end, kept;
};

typedef FIXTURE_DATA(inlined) inlined_t;

/* What a function's calls are in stays allocated until the test's process ends. */
static int add_calls(inlined_t *self, const struct fentry_target *target)
{
	const struct fentry_inlined_call **calls, **all;
	size_t i, cnt;

	if (!fentry_target__inlined_cnt(target))
		return 0;
	if (fentry_target__inlined_calls(target, &calls, &cnt, NULL))
		return -ENOMEM;
	all = reallocarray(self->calls, self->cnt + cnt, sizeof(*all));
	if (!all)
		return -ENOMEM;
	self->calls = all;
	for (i = 0; i < cnt; i++)
		if (!calls[i]->module && calls[i]->addr)
			all[self->cnt++] = calls[i];
	return 0;
}

static int cmp_addr(const void *a, const void *b)
{
	const struct fentry_inlined_call *x = *(const struct fentry_inlined_call **)a;
	const struct fentry_inlined_call *y = *(const struct fentry_inlined_call **)b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Several calls may begin at one address, nested or not. One of them is enough. */
static void sort_calls(inlined_t *self)
{
	size_t i, n = 0;

	qsort(self->calls, self->cnt, sizeof(*self->calls), cmp_addr);
	for (i = 0; i < self->cnt; i++)
		if (!n || self->calls[n - 1]->addr != self->calls[i]->addr)
			self->calls[n++] = self->calls[i];
	self->cnt = n;
}

static int read_calls(inlined_t *self)
{
	struct fentry_spec all = { .name = (char *)"*", .glob = true };
	size_t i, found_cnt, cnt = fentry_index__cnt(self->idx);
	const struct fentry_target **found;
	int err;

	err = fentry_index__find_inlined(self->idx, &all, &found, &found_cnt);
	for (i = 0; !err && i < cnt; i++)
		err = add_calls(self, fentry_index__target(self->idx, i));
	for (i = 0; !err && i < found_cnt; i++)
		err = add_calls(self, found[i]);
	if (!err)
		sort_calls(self);
	return err;
}

/* The kernel's text, without that of modules. */
static int read_text(inlined_t *self, unsigned char *buf)
{
	return text__read(self->text, buf, self->end - self->text);
}

FIXTURE_SETUP(inlined)
{
	LIBBPF_OPTS(fentry_index_opts, opts, .functions_path = env__need("INLINED"));
	const struct rlimit files = { OPEN_FILES, OPEN_FILES };
	struct fentry_error error = {};
	struct ksyms syms;

	/* one for each link */
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));
	ASSERT_OK(fentry_index__open(&opts, &self->idx, &error), "%s", error.msg);
	ASSERT_EQ(0, read_calls(self));
	ASSERT_LT(10000, self->cnt);
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms", &syms));
	self->text = ksyms__addr(&syms, "_stext");
	self->end = ksyms__addr(&syms, "_etext");
	ksyms__free(&syms);
	ASSERT_LT(self->text, self->end);
	self->before = malloc(self->end - self->text);
	self->now = malloc(self->end - self->text);
	ASSERT_NE(NULL, self->before);
	ASSERT_NE(NULL, self->now);
	self->skel = inlined_text_bpf__open();
	ASSERT_NE(NULL, self->skel);
	if (fentry_has_probe_links())
		bpf_program__set_expected_attach_type(self->skel->progs.at_call,
						      BPF_TRACE_KPROBE_MULTI);
	ASSERT_EQ(0, inlined_text_bpf__load(self->skel));
}

FIXTURE_TEARDOWN(inlined)
{
	fentry_multi__free(self->multi);
	fentry_multi__free(self->keeper);
	inlined_text_bpf__destroy(self->skel);
	free(self->before);
	free(self->now);
	free(self->calls);
	fentry_index__free(self->idx);
}

/* Ignore the bytes of a probe in the next comparison. */
static void forget(inlined_t *self, __u64 addr)
{
	size_t at = addr - self->text, size = self->end - self->text;

	memcpy(self->now + at, self->before + at, at + PROBE_SIZE < size ? PROBE_SIZE : size - at);
}

/* Number of bytes that differ, and where the first one is. */
static size_t count_changed(inlined_t *self, __u64 *first)
{
	size_t i, changed = 0, size = self->end - self->text;

	forget(self, self->kept);
	for (i = 0; i < size; i++)
		if (self->now[i] != self->before[i] && !changed++)
			*first = self->text + i;
	return changed;
}

/* Number of missing probes, or else of bytes that differ outside of probes. */
static size_t count_wrong(inlined_t *self, __u64 *first)
{
	size_t i, at, wrong = 0;

	for (i = 0; i < self->cnt; i++) {
		at = self->calls[i]->addr - self->text;
		if (fentry_multi__why(self->multi, i) ||
		    (text__probe_size(self->now + at) &&
		     memcmp(self->now + at, self->before + at, PROBE_SIZE)))
			continue;
		if (!wrong++)
			*first = self->calls[i]->addr;
	}
	for (i = 0; i < self->cnt; i++)
		if (!fentry_multi__why(self->multi, i))
			forget(self, self->calls[i]->addr);
	return wrong ?: count_changed(self, first);
}

/* The kernel replaces breakpoints by jumps, and removes jumps, some time later: wait for that. */
static void expect_text(struct __test_metadata *_metadata, inlined_t *self,
			size_t (*count)(inlined_t *self, __u64 *first))
{
	time_t end = time(NULL) + SETTLED;
	__u64 first = 0;
	size_t wrong;

	do {
		ASSERT_EQ(0, read_text(self, self->now));
		wrong = count(self, &first);
		usleep(100000);
	} while (wrong && time(NULL) < end);
	EXPECT_OK(wrong, "wrong at %#llx, _stext is at %#llx", first, self->text);
}

/* The first probe of a kernel changes other code, too, so keep one attached all the time. */
static void keep_one(struct __test_metadata *_metadata, inlined_t *self)
{
	struct fentry_error error = {};
	size_t i;

	for (i = self->cnt / 2; i < self->cnt; i++) {
		ASSERT_OK(fentry_multi__attach_inlined(self->skel->progs.at_call, &self->calls[i],
						       1, NULL, &self->keeper, &error),
			  "%s", error.msg);
		if (fentry_multi__attached(self->keeper))
			break;
		fentry_multi__free(self->keeper);
		self->keeper = NULL;
	}
	ASSERT_NE(NULL, self->keeper);
	self->kept = self->calls[i]->addr;
	memmove(self->calls + i, self->calls + i + 1, (self->cnt - i - 1) * sizeof(*self->calls));
	self->cnt--;
}

static void thin_out(inlined_t *self, size_t want)
{
	size_t i;

	if (want >= self->cnt)
		return;
	for (i = 0; i < want; i++)
		self->calls[i] = self->calls[i * self->cnt / want];
	self->cnt = want;
}

TEST_F_TIMEOUT(inlined, sweep, 3600)
{
	const char *sites = getenv("SITES");
	struct fentry_error error = {};
	size_t i, all = self->cnt, links;

	ASSERT_LT(0, sites ? atoi(sites) : SITES);
	keep_one(_metadata, self);
	thin_out(self, sites ? atoi(sites) : SITES);
	ASSERT_EQ(0, read_text(self, self->before));
	ASSERT_OK(fentry_multi__attach_inlined(self->skel->progs.at_call, self->calls, self->cnt,
					       NULL, &self->multi, &error),
		  "%s", error.msg);
	links = fentry_multi__links(self->multi);
	EXPECT_EQ(fentry_has_probe_links() ? 1 : fentry_multi__attached(self->multi), links);
	EXPECT_LT(self->cnt * MIN_ATTACHED, fentry_multi__attached(self->multi));
	for (i = 0; i < self->cnt; i++)
		if (fentry_multi__why(self->multi, i))
			TH_LOG("%s", fentry_multi__why(self->multi, i));
	expect_text(_metadata, self, count_wrong);
	TH_LOG("%zu of %zu addresses tried, %zu have a probe, by %zu link(s)", self->cnt, all,
	       fentry_multi__attached(self->multi), links);
	fentry_multi__free(self->multi);
	self->multi = NULL;
	expect_text(_metadata, self, count_changed);
}

TEST_HARNESS_MAIN
