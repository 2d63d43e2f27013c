/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which calls are wanted: those of some tasks, and those that take some time. Of two programs, one
 * notes when a call begins, and the other one looks that up when the call returns.
 *
 * They know a call by its stack frame. A program's context is in the frame of the trampoline that
 * the call went through, which stays there until the call returns; both programs of a call are run
 * by the one trampoline, and get the same context. No other call that hasn't returned has a frame
 * there, be it a recursion, another task's, or an interrupt's on the same stack. It doesn't matter
 * on which CPU the task goes on. When somebody attaches or detaches another program, calls go
 * through a new trampoline; those in the old one return through that, which either still runs the
 * programs or doesn't run them any more. Probes, see pair_probe(), go by the stack instead.
 *
 * The kernel doesn't nest a program in itself, but it does nest each of the two in the other: in
 * functions that they call, in interrupts, and in tasks that preempt them. So a call's start may be
 * noted, and its end not be seen. Its start must not be taken for that of a later call in the same
 * frame. Hence while one program runs on this CPU, the other one only forgets such a start. For the
 * same reason starts aren't in a hash map: to find one, no function is called that could be traced,
 * and no lock is taken.
 */
#ifndef FENTRY_CALLS_BPF_H
#define FENTRY_CALLS_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/shared.h"
#include "fentry.bpf.h"
#include "registers.h"

const volatile struct task_filter tasks = {};

/* Wanted tasks are in this cgroup or below it. */
struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__type(key, unsigned int);
	__type(value, unsigned int);
} cgroups SEC(".maps");

static __always_inline unsigned long long pid_tgid(void)
{
	return fentry_pid_tgid(tasks.ns_dev, tasks.ns_ino);
}

/* Return whether a part of a key that the task or the CPU is can be read. */
static __always_inline _Bool get_task_key(unsigned int by, union trace_part *ret)
{
	if (by == TRACE_BY_COMM)
		bpf_get_current_comm(ret->text, TRACE_COMM_LEN);
	else if (by == TRACE_BY_PID)
		ret->number = pid_tgid() >> 32;
	else if (by == TRACE_BY_TID)
		ret->number = (unsigned int)pid_tgid();
	else if (by == TRACE_BY_UID)
		ret->number = (unsigned int)bpf_get_current_uid_gid();
	else
		ret->number = bpf_get_smp_processor_id();
	return (by != TRACE_BY_PID && by != TRACE_BY_TID) ||
	       (unsigned int)ret->number != TRACE_OUTSIDE;
}

struct task_struct {
	unsigned int tgid;
} __attribute__((preserve_access_index));

/* Tasks that descend from the process that is followed. The kernel removes those that end. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, char);
} followed SEC(".maps");

/* Runs in the parent, before the new task does. */
SEC("?tp_btf/sched_process_fork")
int on_fork(unsigned long long *ctx)
{
	struct task_struct *parent = (void *)ctx[0], *child = (void *)ctx[1];

	if ((pid_tgid() >> 32 == tasks.follow && child->tgid != parent->tgid) ||
	    bpf_task_storage_get(&followed, parent, 0, 0))
		bpf_task_storage_get(&followed, child, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	return 0;
}

static __always_inline _Bool has_comm(void)
{
	char comm[TASKS_COMM_LEN] = {};
	int i;

	bpf_get_current_comm(comm, sizeof(comm));
	for (i = 0; i < TASKS_COMM_LEN; i++) {
		if (comm[i] != tasks.comm[i])
			return 0;
		if (!comm[i])
			break;
	}
	return 1;
}

static __always_inline _Bool is_ignored(unsigned int pid)
{
	int i;

	for (i = 0; i < TASKS_IGNORED && tasks.ignored[i]; i++)
		if (tasks.ignored[i] == pid)
			return 1;
	return 0;
}

static __always_inline _Bool is_wanted(void)
{
	unsigned int pid = pid_tgid() >> 32;

	if (is_ignored(pid) || (tasks.pid && tasks.pid != pid))
		return 0;
	if (tasks.follow && !bpf_task_storage_get(&followed, bpf_get_current_task_btf(), 0, 0))
		return 0;
	if (tasks.by_uid && (unsigned int)bpf_get_current_uid_gid() != tasks.uid)
		return 0;
	if (tasks.by_comm && !has_comm())
		return 0;
	return !tasks.by_cgroup || bpf_current_task_under_cgroup(&cgroups, 0) == 1;
}

/* Only calls that take this time at least; ns. */
const volatile unsigned long long min_duration = 0;
/* Calls don't count while programs are attached and detached, which may take a while. */
_Bool measuring = 0;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, PAIR_BUCKETS);
	__type(key, unsigned int);
	__type(value, struct pair_bucket);
} buckets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, unsigned int);
	__type(value, struct pair_cpu);
} cpus SEC(".maps");

/*
 * The context as a number. The verifier doesn't calculate with pointers, but their
 * differences are numbers; what is subtracted is the same for both programs.
 */
static __always_inline unsigned long long frame_of(void *ctx)
{
	return (unsigned long)ctx - (unsigned long)&measuring;
}

static __always_inline struct pair_cpu *this_cpu(void)
{
	unsigned int key = 0;

	return bpf_map_lookup_elem(&cpus, &key);
}

static __always_inline struct pair_bucket *bucket_of(unsigned long long frame)
{
	/*
	 * Multiplying by 2^64 divided by the golden ratio spreads values that are near each other.
	 */
	unsigned int key = frame * 0x9e3779b97f4a7c15ULL >> (64 - PAIR_BUCKETS_SHIFT);

	return bpf_map_lookup_elem(&buckets, &key);
}

static __always_inline struct pair_call *find(struct pair_bucket *b, unsigned long long frame)
{
	int i;

	for (i = 0; i < PAIR_BUCKET_CALLS; i++)
		if (b->calls[i].frame == frame)
			return &b->calls[i];
	return 0;
}

/* A free place for a call; it stays taken until take() frees it. */
static __always_inline struct pair_call *claim(struct pair_cpu *cpu, struct pair_bucket *b,
					       unsigned long long frame)
{
	struct pair_call *call = find(b, frame);
	int i;

	if (call) {
		cpu->unreturned++;
		return call;
	}
	for (i = 0; i < PAIR_BUCKET_CALLS; i++)
		if (!__sync_val_compare_and_swap(&b->calls[i].frame, 0, frame))
			return &b->calls[i];
	return 0;
}

/* Return when the call began, and forget it; 0 if that isn't known. */
static __always_inline unsigned long long
take(unsigned long long frame, unsigned long long function, unsigned long long *args)
{
	struct pair_bucket *b = bucket_of(frame);
	struct pair_call *call = b ? find(b, frame) : 0;
	unsigned long long start;

	if (!call)
		return 0;
	start = call->function == function ? call->start : 0;
	if (args)
		__builtin_memcpy(args, call->args, sizeof(call->args));
	__sync_lock_test_and_set(&call->frame, 0);
	return start;
}

/* Return when the call began; 0 if that isn't noted. */
static __always_inline unsigned long long begin(struct pair_cpu *cpu, unsigned long long frame,
						unsigned long long function,
						const unsigned long long *args)
{
	struct pair_bucket *b = bucket_of(frame);
	struct pair_call *call = b ? claim(cpu, b, frame) : 0;

	if (!call) {
		cpu->no_room++;
		return 0;
	}
	call->function = function;
	if (args)
		__builtin_memcpy(call->args, args, sizeof(call->args));
	return call->start = bpf_ktime_get_ns();
}

/*
 * Each program begins with this. It returns NULL if another program is running on this CPU: then
 * there is nothing more to do. Else the program ends with pair_leave().
 */
static __always_inline struct pair_cpu *pair_enter(unsigned long long frame, _Bool exit)
{
	struct pair_cpu *cpu = this_cpu();

	if (!cpu || !__sync_fetch_and_add(&cpu->busy, 1))
		return cpu;
	take(frame, 0, 0);
	__sync_fetch_and_add(&cpu->missed, exit);
	__sync_fetch_and_add(&cpu->busy, -1);
	return 0;
}

static __always_inline void pair_leave(struct pair_cpu *cpu)
{
	__sync_fetch_and_add(&cpu->busy, -1);
}

/* When a call began, and how long it took; ns. Start: 0 if that isn't known. */
struct pair_time {
	unsigned long long start, duration;
};

/*
 * What each of the two programs does. At the end of a call that took long enough, the caller ends
 * with pair_leave(). Else this returns NULL: nothing is left to do.
 * @time: zeroed; is set
 * @args: NULL, or what is kept from the start to the end
 */
static __always_inline struct pair_cpu *pair(unsigned long long frame, unsigned long long function,
					     _Bool exit, struct pair_time *time,
					     unsigned long long *args)
{
	unsigned long long now;
	struct pair_cpu *cpu;

	if (!measuring || !is_wanted())
		return 0;
	cpu = pair_enter(frame, exit);
	if (!cpu)
		return 0;
	if (exit) {
		now = bpf_ktime_get_ns();
		time->start = take(frame, function, args);
		time->duration = now - time->start;
		if (time->start && time->duration >= min_duration)
			return cpu;
		cpu->unpaired += !time->start;
	} else {
		time->start = begin(cpu, frame, function, args);
	}
	pair_leave(cpu);
	return 0;
}

static __always_inline struct pair_cpu *pair_trampoline(void *ctx, _Bool exit,
							struct pair_time *time)
{
	return pair(frame_of(ctx), bpf_get_func_ip(ctx), exit, time, 0);
}

/* Targets from this number on have probes, whose cookies count from it. */
const volatile unsigned int first_site = 0;

/*
 * Probes at the entry and the return of a call know it by the stack pointer, which at the return
 * has gone past the return address. On arm64, fprobes leave the stack pointer of a return undefined
 * (7.3), so there they go by the caller's frame pointer. A function that ends by a jump to another
 * one gives it its own frame, so the target belongs to the frame's number.
 */
static __always_inline unsigned long long probe_frame(const struct registers *regs,
						      unsigned int target, _Bool exit)
{
	unsigned long long frame = regs->FRAME - (exit ? RETURN_ADDRESS_SIZE : 0);

	return frame ^ (target + 1ULL) << 48;
}

static __always_inline struct pair_cpu *pair_probe(const struct registers *regs,
						   unsigned int target, _Bool exit,
						   struct pair_time *time, unsigned long long *args)
{
	return pair(probe_frame(regs, target, exit), target + 1, exit, time, args);
}

/* One program may have both probes. Does it run at the return? */
static _Bool (*const session_is_return)(void *ctx) = (void *)SESSION_IS_RETURN;

/* The includer's: what its programs do at an entry, or an inlined call, and at a return. */
static __always_inline int at_site(struct registers *ctx);
static __always_inline int at_return(struct registers *ctx);

SEC("?kprobe")
int on_site(struct registers *ctx)
{
	at_site(ctx);
	return 0;
}

SEC("?kprobe")
int on_return(struct registers *ctx)
{
	return at_return(ctx);
}

SEC("?kprobe")
int on_session(struct registers *ctx)
{
	return session_is_return(ctx) ? at_return(ctx) : at_site(ctx);
}

#endif /* FENTRY_CALLS_BPF_H */
