// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attaches programs to ambiguous functions and detaches them, $CYCLES times (200). No program, no
 * trampoline, no patched text and no memory may be left. Most of the time it waits for RCU.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "expect.h"

#include "env.h"
#include "file.h"
#include "hits.h"
#include "ksyms.h"
#include "text.h"

#define CYCLES	     200
#define WARM_UP	     20	 /* memory that the first cycles allocate may stay */
#define TRIES	     3	 /* others allocate, too, but a leak grows each time */
#define GRACE_SECS   30	 /* for what the kernel frees later */
#define MAX_GROWTH   128 /* KiB, of all memory that only the kernel uses */
#define KMEMLEAK     "/sys/kernel/debug/kmemleak"
#define KMEMLEAK_AGE 6 /* seconds: younger memory isn't looked at */
#define LOG_SIZE     8192

/* Counts that programs and trampolines raise. */
struct traces {
	size_t progs, images; /* program ids; symbols of programs and trampolines */
	size_t enabled;	      /* functions that ftrace has patched */
};

FIXTURE(attach_cycles) {
	struct ksyms syms, btf_syms;
	struct sites sites;
	struct hits *hits;
	size_t *targets, cnt; /* indices in btf_syms */
	size_t next;	      /* of targets */
	char log[LOG_SIZE];
};

typedef FIXTURE_DATA(attach_cycles) attach_cycles_t;

/* Functions that ftrace can trace, and that share their name with others. */
static void find_targets(attach_cycles_t *self)
{
	const struct ksym *s = self->btf_syms.syms;
	size_t i, cnt;

	self->targets = calloc(self->btf_syms.cnt, sizeof(*self->targets));
	for (i = 0; self->targets && i < self->btf_syms.cnt; i++) {
		ksyms__find(&self->btf_syms, s[i].name, &cnt);
		if (cnt > 1 && !s[i].module && sites__has(&self->sites, s[i].addr))
			self->targets[self->cnt++] = i;
	}
}

FIXTURE_SETUP(attach_cycles)
{
	const struct ksym *any;
	size_t cnt;

	ASSERT_EQ(0, ksyms__read("/proc/kallsyms", &self->syms));
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms_btf", &self->btf_syms));
	ASSERT_EQ(0, sites__read(&self->syms, &self->sites));
	find_targets(self);
	ASSERT_LT(0, self->cnt);
	any = ksyms__find(&self->btf_syms, "bpf_iter_detach_map", &cnt);
	ASSERT_NE(NULL, any);
	ASSERT_EQ(0, hits__load(any->type_id, NULL, 0, &self->hits));
}

FIXTURE_TEARDOWN(attach_cycles)
{
	hits__free(self->hits);
	free(self->targets);
	sites__free(&self->sites);
	ksyms__free(&self->syms);
	ksyms__free(&self->btf_syms);
}

static struct traces look(void)
{
	struct traces t = {
		.images = file__lines("/proc/kallsyms", "[bpf]"),
		.enabled = file__lines("/sys/kernel/tracing/enabled_functions", ""),
	};
	__u32 id = 0;

	while (!bpf_prog_get_next_id(id, &id))
		t.progs++;
	return t;
}

static bool is_same(const struct traces *a, const struct traces *b)
{
	return a->progs == b->progs && a->images == b->images && a->enabled == b->enabled;
}

/* Wait until the counts are those in @before; returns the last counts. */
static struct traces wait_for(const struct traces *before)
{
	time_t end = time(NULL) + GRACE_SECS;
	struct traces now = look();

	while (!is_same(&now, before) && time(NULL) < end) {
		sched_yield();
		now = look();
	}
	return now;
}

/* KiB that only the kernel uses; -1 if /proc/meminfo lacks them. */
static long kernel_memory(void)
{
	static const char *const names[] = {
		"SUnreclaim:",
		"VmallocUsed:",
		"Percpu:",
	};
	char name[64];
	long value, sum = 0;
	size_t i, found = 0;
	FILE *f = fopen("/proc/meminfo", "re");

	while (f && fscanf(f, "%63s %ld%*[^\n]", name, &value) == 2)
		for (i = 0; i < ARRAY_SIZE(names); i++)
			if (!strcmp(name, names[i])) {
				sum += value;
				found++;
			}
	if (f)
		fclose(f);
	return found == ARRAY_SIZE(names) ? sum : -1;
}

/* Load, attach, detach and unload a program for the next function; false on failure. */
static bool cycle(attach_cycles_t *self)
{
	const struct ksym *s;
	bool done;
	int prog, link;

	s = &self->btf_syms.syms[self->targets[self->next++ % self->cnt]];
	prog = hits__clone(self->hits, s->type_id, self->log, LOG_SIZE);
	if (prog < 0)
		return false;
	link = bpf_link_create(prog, 0, BPF_TRACE_FENTRY, NULL);
	done = link >= 0 && text__state(s->addr) == TEXT_CALL;
	close(link);
	done = done && text__state(s->addr) == TEXT_NOP;
	close(prog);
	return done;
}

static void cycles(struct __test_metadata *_metadata, attach_cycles_t *self, size_t cnt)
{
	while (cnt--)
		ASSERT_TRUE(cycle(self)) TH_LOG("cycle %zu: %s", self->next, self->log);
}

/* Start a scan of kmemleak, if the kernel has it; returns the number of lines it prints. */
static size_t find_leaks(void)
{
	int fd = open(KMEMLEAK, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	sleep(KMEMLEAK_AGE);
	if (write(fd, "scan", 4) != 4) {
		close(fd);
		return SIZE_MAX;
	}
	close(fd);
	return file__lines(KMEMLEAK, "");
}

/* Expect all to be as before, and ftrace to have no function patched. */
TEST_F_TIMEOUT(attach_cycles, nothing_is_left, 900)
{
	const char *wanted = getenv("CYCLES");
	size_t cnt = wanted ? atoi(wanted) : CYCLES;
	struct traces before, after;
	long memory;
	int i;

	before = look();
	ASSERT_EQ(0, before.enabled);
	ASSERT_NE(SIZE_MAX, before.images);
	cycles(_metadata, self, WARM_UP);
	after = wait_for(&before);
	for (i = 0; i < TRIES; i++) {
		memory = kernel_memory();
		ASSERT_LT(0, memory);
		cycles(_metadata, self, cnt);
		after = wait_for(&before);
		EXPECT_EQ(before.progs, after.progs);
		EXPECT_EQ(before.images, after.images);
		EXPECT_EQ(0, after.enabled);
		memory = kernel_memory() - memory;
		TH_LOG("%zu functions, %zu cycles: %+ld KiB", self->cnt, cnt, memory);
		if (memory <= MAX_GROWTH || kconfig__has("CONFIG_KASAN"))
			break;
	}
	if (kconfig__has("CONFIG_KASAN")) {
		TH_LOG("KASAN keeps freed memory for a while: only leaks count");
	} else {
		EXPECT_GE(MAX_GROWTH, memory);
	}
	EXPECT_EQ(0, find_leaks());
}

TEST_HARNESS_MAIN
