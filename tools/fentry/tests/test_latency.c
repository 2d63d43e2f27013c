// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs the programs of latency.bpf.c, with threads as CPUs. Tests how they handle starts and
 * ends that they don't see, a full table, and many CPUs at once.
 */
#include <linux/bpf.h>
#include <pthread.h>
#include <unistd.h>

#include "bpf/shared.h"
#include "test.h"

/* The programs use these names of bpf_helpers.h. */
#define __BPF_HELPERS__
#define SEC(name)
#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
/* NOLINTBEGIN(bugprone-macro-parentheses) their arguments are types */
#define __uint(name, value) int(*name)[value]
#define __type(name, value) typeof(value) *name
/* NOLINTEND(bugprone-macro-parentheses) */

static void *bpf_map_lookup_elem(void *map, const void *key);
static long bpf_map_update_elem(void *map, const void *key, const void *value, __u64 flags);
static long bpf_ringbuf_output(void *map, void *data, __u64 size, __u64 flags);
static __u64 bpf_ktime_get_ns(void);
static __u64 bpf_get_func_ip(void *ctx);
static __u64 bpf_get_attach_cookie(void *ctx);
static __u64 bpf_get_current_pid_tgid(void);
static long bpf_get_ns_current_pid_tgid(__u64 dev, __u64 ino, void *ret, __u32 size);
static __u64 bpf_get_current_task(void);
static long bpf_probe_read_kernel(void *to, __u32 size, const void *from);
static __u64 bpf_get_current_uid_gid(void);
static __u32 bpf_get_smp_processor_id(void);
static long bpf_get_current_comm(void *buf, __u32 size);
static long bpf_current_task_under_cgroup(void *map, __u32 index);
struct task_struct;
static struct task_struct *bpf_get_current_task_btf(void);
static void *bpf_task_storage_get(void *map, struct task_struct *task, void *value, __u64 flags);

#define const /* so that the limit can be set */
#define preserve_access_index
#include "bpf/latency.bpf.c"
#undef const

#define CPUS	 4
#define CALLS	 500000 /* on each CPU, in parallel */
#define FUNCTION 1000	/* address of the function that is called */

static struct pair_bucket the_buckets[PAIR_BUCKETS];
static struct pair_cpu the_cpus[CPUS];
static struct histogram the_histograms[CPUS];
static __u64 clock_ns, wakes;
static __thread int cpu_nr;
static __thread __u64 now, function = FUNCTION;
static pthread_barrier_t all_there;
static bool in_cgroup;
static struct task_struct current_task, *marked;
static __u64 current_pid = 100;

/* A thread in a PID namespace, 6, within another one, 5, within the first; and its process. */
static struct pid_namespace___fentry spaces[] = { { { 1 } }, { { 5 } }, { { 6 } } };
static struct {
	struct pid___fentry pid;
	struct upid___fentry more[2];
} numbers[] = { { { 2, { { 101, &spaces[0] } } }, { { 4, &spaces[1] }, { 2, &spaces[2] } } },
		{ { 2, { { 100, &spaces[0] } } }, { { 3, &spaces[1] }, { 1, &spaces[2] } } } };
static struct task_struct___fentry threads_of[] = { { &numbers[0].pid, &threads_of[1] },
						    { &numbers[1].pid, &threads_of[1] } };

static void *bpf_map_lookup_elem(void *map, const void *key)
{
	if (map == &buckets)
		return &the_buckets[*(const unsigned int *)key];
	return map == &cpus ? (void *)&the_cpus[cpu_nr] : (void *)&the_histograms[cpu_nr];
}

static long bpf_ringbuf_output(void *map, void *data, __u64 size, __u64 flags)
{
	wakes += map == &ended && data && size && !flags;
	return 0;
}

static __u64 bpf_ktime_get_ns(void)
{
	now = __sync_add_and_fetch(&clock_ns, 1);
	return now;
}

static __u64 bpf_get_func_ip(void *ctx)
{
	return ctx ? function : 0;
}

static __u64 bpf_get_attach_cookie(void *ctx)
{
	return ctx == NULL;
}

static __u64 bpf_get_current_pid_tgid(void)
{
	return current_pid << 32 | 101;
}

/* As the kernel's, this knows no namespace but the innermost one. */
static long bpf_get_ns_current_pid_tgid(__u64 dev, __u64 ino, void *ret, __u32 size)
{
	*(struct bpf_pidns_info *)ret = (struct bpf_pidns_info){ 2, 1 };
	return dev == 4 && ino == 6 && size == sizeof(struct bpf_pidns_info) ? 0 : -EINVAL;
}

static __u64 bpf_get_current_task(void)
{
	return (unsigned long)&threads_of[0];
}

static long bpf_probe_read_kernel(void *to, __u32 size, const void *from)
{
	memcpy(to, from, size);
	return 0;
}

static __u32 bpf_get_smp_processor_id(void)
{
	return cpu_nr;
}

/* Only --by adds keys. */
static long bpf_map_update_elem(void *map, const void *key, const void *value, __u64 flags)
{
	return -E2BIG;
}

static __u64 bpf_get_current_uid_gid(void)
{
	return 1ULL << 32 | 1000;
}

static long bpf_get_current_comm(void *buf, __u32 size)
{
	strncpy(buf, "cat", size);
	return 0;
}

static long bpf_current_task_under_cgroup(void *map, __u32 index)
{
	return map == &cgroups && !index && in_cgroup;
}

static struct task_struct *bpf_get_current_task_btf(void)
{
	return &current_task;
}

static void *bpf_task_storage_get(void *map, struct task_struct *task, void *value, __u64 flags)
{
	if (map != &followed || value)
		return NULL;
	if (flags == BPF_LOCAL_STORAGE_GET_F_CREATE)
		marked = task;
	return task == marked ? task : NULL;
}

/* Return whether a task is followed when another one has started it. */
static bool fork_task(int parent, int child)
{
	struct task_struct tasks_of[] = { { parent }, { child } };
	unsigned long long args[] = { (unsigned long)&tasks_of[0], (unsigned long)&tasks_of[1] };

	marked = NULL;
	current_pid = parent;
	on_fork(args);
	current_pid = 100;
	return marked == &tasks_of[1];
}

static void reset(void)
{
	memset((void *)&tasks, 0, sizeof(tasks));
	min_duration = 0;
	memset(the_buckets, 0, sizeof(the_buckets));
	memset(the_cpus, 0, sizeof(the_cpus));
	memset(the_histograms, 0, sizeof(the_histograms));
	limit = 0;
	clock_ns = wakes = measured = 0;
	measuring = 1;
}

/* Frames are counted from 1. */
static void *frame(size_t nr)
{
	return (void *)((unsigned long)&measuring + nr);
}

static void enter(size_t nr)
{
	on_entry(frame(nr));
}

static void leave(size_t nr)
{
	on_exit(frame(nr));
}

static void call(size_t nr)
{
	enter(nr);
	leave(nr);
}

/* Checks CPU 0's histogram and its counts of lost calls. */
static void check(const char *name, __u64 count, __u64 total, __u64 unpaired, __u64 missed,
		  __u64 no_room)
{
	const struct pair_cpu *c = &the_cpus[0];
	const struct histogram *h = &the_histograms[0];

	report(h->count == count && h->total == total && !c->busy && c->unpaired == unpaired &&
		       c->missed == missed && c->no_room == no_room,
	       name,
	       textf("count %llu total %llu unpaired %llu missed %llu no_room %llu", h->count,
		     h->total, c->unpaired, c->missed, c->no_room));
}

static void while_busy(int (*prog)(void *ctx), void *ctx)
{
	the_cpus[0].busy++;
	prog(ctx);
	the_cpus[0].busy--;
}

static void test_pairs(void)
{
	reset();
	enter(3);
	enter(2);
	enter(1); /* 3 */
	leave(1); /* took 1 */
	leave(2); /* 3 */
	leave(3); /* 5 */
	check("recursion", 3, 9, 0, 0, 0);
	enter(1);
	cpu_nr = 1;
	leave(1);
	cpu_nr = 0;
	check("the other CPU's", 3, 9, 0, 0, 0);
	the_histograms[0] = the_histograms[1];
	check("migration", 1, 1, 0, 0, 0);
	reset();
	measuring = 0;
	call(1);
	check("not measuring", 0, 0, 0, 0, 0);
}

static void test_unseen(void)
{
	reset();
	leave(1);
	check("an end without a start", 0, 0, 1, 0, 0);

	reset();
	enter(1); /* its end isn't seen */
	clock_ns = 1000;
	call(1);
	check("a start without an end", 1, 1, 0, 0, 0);

	reset();
	enter(1);
	while_busy(on_exit, frame(1));
	leave(1); /* its start wasn't seen */
	check("an end while a program runs", 0, 0, 1, 1, 0);

	reset();
	enter(1); /* its end isn't seen */
	while_busy(on_entry, frame(1));
	leave(1);
	check("a start while a program runs", 0, 0, 1, 0, 0);

	reset();
	enter(1); /* its end isn't seen */
	function++;
	leave(1);
	function--;
	check("another function in this place", 0, 0, 1, 0, 0);
}

/* Returns the next frame in the same bucket as the first one. */
static size_t next_frame(size_t nr)
{
	while (bucket_of(++nr) != bucket_of(1))
		;
	return nr;
}

static void test_full(void)
{
	size_t frames[PAIR_BUCKET_CALLS + 1], i;

	reset();
	frames[0] = 1;
	for (i = 1; i <= PAIR_BUCKET_CALLS; i++)
		frames[i] = next_frame(frames[i - 1]);
	for (i = 0; i <= PAIR_BUCKET_CALLS; i++)
		enter(frames[i]);
	for (i = 0; i <= PAIR_BUCKET_CALLS; i++)
		leave(frames[i]);
	check("a full bucket", PAIR_BUCKET_CALLS, PAIR_BUCKET_CALLS * PAIR_BUCKET_CALLS, 1, 0, 1);
	call(frames[i - 1]);
	check("and then an empty one", PAIR_BUCKET_CALLS + 1,
	      PAIR_BUCKET_CALLS * PAIR_BUCKET_CALLS + 1, 1, 0, 1);
}

static void test_limit(void)
{
	int i;

	reset();
	limit = 3;
	for (i = 0; i < 5; i++) {
		call(1);
	}
	check("a limit", 3, 3, 0, 0, 0);
	expect(wakes == 3, "a reached limit is reported until somebody reads it");
}

/* The shortest time in a slot; of the first one, the shortest but 0. */
static unsigned long long first_of(int slot)
{
	static const unsigned long long units[] = { 1, 1000, 1000000, 1000000000 };
	int unit = slot < 40 ? slot / 10 : 3;

	return units[unit] << (slot - 10 * unit);
}

/* Each slot has its calls: those with the shortest and the longest time. */
static void test_slots(void)
{
	bool ok = true;
	int i;

	for (i = 0; i < LATENCY_SLOTS; i++) {
		unsigned long long last = i + 1 < LATENCY_SLOTS ? first_of(i + 1) - 1 : ~0ULL;
		struct histogram h = {};

		add(&h, last);
		add(&h, first_of(i));
		ok &= h.slots[i] == 2 && h.min == first_of(i) && h.max == last;
	}
	expect(ok, "slots");
}

/* Makes calls in the same bucket on each CPU. All CPUs share the time, which passes meanwhile. */
static void *run_cpu(void *arg)
{
	struct pair_cpu *c;
	struct histogram *h;
	size_t frames[3], i;
	__u64 starts[3], total = 0, before;
	bool ok = true;
	int round;

	cpu_nr = (long)arg;
	c = &the_cpus[cpu_nr];
	h = &the_histograms[cpu_nr];
	for (frames[0] = 1, i = 0; i < (size_t)cpu_nr * 3; i++)
		frames[0] = next_frame(frames[0]);
	frames[1] = next_frame(frames[0]);
	frames[2] = next_frame(frames[1]);
	pthread_barrier_wait(&all_there);
	for (round = 0; round < CALLS; round++) {
		for (i = 0; i < 3; i++) {
			enter(frames[i]);
			starts[i] = now;
		}
		while (i--) {
			before = h->count;
			leave(frames[i]);
			if (h->count > before)
				total += now - starts[i];
			ok &= h->total == total;
		}
	}
	ok &= h->count && h->count + c->unpaired == 3 * CALLS && c->unpaired == c->no_room;
	return (void *)ok;
}

static void test_parallel(void)
{
	pthread_t threads[CPUS];
	void *ok;
	long i;

	reset();
	if (pthread_barrier_init(&all_there, NULL, CPUS))
		return expect(false, "barrier");
	for (i = 0; i < CPUS; i++)
		if (pthread_create(&threads[i], NULL, run_cpu, (void *)i)) {
			expect(false, "thread");
			_exit(1); /* the others wait for it */
		}
	for (i = 0; i < CPUS; i++) {
		pthread_join(threads[i], &ok);
		expect(ok, textf("CPU %ld among others", i));
	}
	pthread_barrier_destroy(&all_there);
}

static void one_call(const char *name, bool counted)
{
	call(1);
	check(name, counted, counted, 0, 0, 0);
	reset();
}

static void test_filters(void)
{
	static const struct {
		const char *name;
		struct task_filter tasks;
		unsigned long long min_duration;
		bool counted;
	} cases[] = {
		{ "the process", { .pid = 100 }, 0, true },
		{ "another process", { .pid = 101 }, 0, false },
		{ "its number in its namespace", { 4, 6, .pid = 1 }, 0, true },
		{ "its number in the one around it", { 4, 5, .pid = 3 }, 0, true },
		{ "its number elsewhere", { 4, 5, .pid = 100 }, 0, false },
		{ "a namespace that it isn't in", { 4, 9, .pid = 1 }, 0, false },
		{ "another one is ignored", { .ignored = { 99 } }, 0, true },
		{ "it is ignored", { .ignored = { 99, 100 } }, 0, false },
		{ "the user", { .by_uid = true, .uid = 1000 }, 0, true },
		{ "another user, 0", { .by_uid = true }, 0, false },
		{ "the command", { .by_comm = true, .comm = "cat" }, 0, true },
		{ "the beginning of a command", { .by_comm = true, .comm = "ca" }, 0, false },
		{ "more than the command", { .by_comm = true, .comm = "cats" }, 0, false },
		{ "another cgroup", { .by_cgroup = true }, 0, false },
		{ "a task that isn't followed", { .follow = 7 }, 0, false },
		{ "long enough", {}, 1, true },
		{ "too short", {}, 2, false },
	};

	for_each_in(c, cases) {
		reset();
		*(struct task_filter *)&tasks = c->tasks;
		min_duration = c->min_duration;
		one_call(c->name, c->counted);
	}
	tasks.by_cgroup = in_cgroup = true;
	one_call("the cgroup", true);
	tasks.follow = 7;
	expect(fork_task(7, 8) && !fork_task(7, 7) && !fork_task(8, 9),
	       "followed: what fentry starts, not its threads, not what others start");
	tasks.follow = 7;
	marked = &current_task;
	one_call("a task that is followed", true);
}

int main(void)
{
	test_pairs();
	test_unseen();
	test_full();
	test_limit();
	test_slots();
	test_parallel();
	test_filters();
	return failures != 0;
}
