// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions that take at least a known time. Writing "<function> <usec>" to the parameter "call"
 * calls one of them, or calls one of timing_special.c that many times; "release" lets is_held()
 * return. "moved" is the number of calls of migrates() that returned on another CPU, "held" the
 * number of calls of is_held() that haven't returned. "inlined_sum" is the sum of all arguments of
 * functions that are inlined.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "timing.h"

#define MAX_TEXT 64
#define DEPTH	 3

static unsigned int moved, held;
static unsigned int interrupt_usec;
static DECLARE_COMPLETION(released);
static DECLARE_COMPLETION(left);

static noinline __noipa void waits(unsigned int usec)
{
	fsleep(usec);
}

static noinline __noipa void is_held(unsigned int usec)
{
	held++;
	wait_for_completion_killable(&released);
	held--;
	fsleep(usec);
}

/* It takes less time than the measurement itself. */
static noinline __noipa void does_nothing(unsigned int usec)
{
	barrier(); /* otherwise compilers drop the call */
}

/* Each level waits after the one below it, so they take once, twice and three times the time. */
static noinline __noipa void recurses(unsigned int usec, int depth)
{
	if (depth > 1)
		recurses(usec, depth - 1);
	fsleep(usec);
}

static noinline __noipa void migrates(unsigned int usec)
{
	unsigned int from = raw_smp_processor_id(), to = cpumask_any_but(cpu_online_mask, from);

	if (to < nr_cpu_ids)
		set_cpus_allowed_ptr(current, cpumask_of(to));
	fsleep(usec);
	moved += raw_smp_processor_id() != from;
}

static void interrupt(struct irq_work *work);
static DEFINE_IRQ_WORK(interrupt_work, interrupt);

/* udelay() is too short on some machines. */
static void spin(unsigned int usec)
{
	u64 start = ktime_get_ns();

	while (ktime_get_ns() - start < usec * NSEC_PER_USEC)
		cpu_relax();
}

/* While it runs, an interrupt calls it again. */
static noinline __noipa void is_interrupted(unsigned int usec)
{
	if (!in_hardirq()) {
		interrupt_usec = usec;
		irq_work_queue(&interrupt_work);
		irq_work_sync(&interrupt_work);
	}
	spin(usec);
}

static void interrupt(struct irq_work *work)
{
	is_interrupted(interrupt_usec);
}

/* The thread ends here. */
static noinline __noipa void leaves(unsigned int usec)
{
	fsleep(usec);
	if (usec) /* or compilers would find out that it doesn't return */
		kthread_complete_and_exit(&left, 0);
}

static int leave(void *usec)
{
	leaves((unsigned long)usec);
	return 0;
}

static int run_leaving_thread(unsigned int usec)
{
	struct task_struct *task;

	reinit_completion(&left);
	task = kthread_run(leave, (void *)(unsigned long)usec, "timing_leaves");
	if (IS_ERR(task))
		return PTR_ERR(task);
	wait_for_completion(&left);
	return 0;
}

static unsigned int inlined_sum;

/* Compilers inline it, except where it is called by a pointer. */
static void partly(const unsigned int usec)
{
	inlined_sum += usec;
	barrier(); /* each inlined call has code of its own */
}

static void (*volatile partly_ptr)(const unsigned int usec) = partly;

/* This is always inlined. The test reads comments like the next one. */
static __always_inline void wholly(const unsigned int usec)
{
	partly(usec); /* inlined in wholly */
}

/* Clang's DWARF has no value for a parameter that isn't const. */
static __always_inline void sums(const unsigned int usec, const long seven, unsigned int changed)
{
	inlined_sum += usec + seven + changed;
	barrier();
}

static noinline __noipa void inlines(unsigned int usec)
{
	partly(usec);		 /* inlined in inlines */
	wholly(usec);		 /* inlined in inlines */
	sums(usec, 7, usec + 1); /* inlined in inlines */
}

static noinline __noipa void is_reached(unsigned int usec)
{
	inlined_sum += usec;
}

static __always_inline void calls_it(const unsigned int usec)
{
	is_reached(usec);
}

static __always_inline void passes_on(const unsigned int usec)
{
	calls_it(usec); /* inlined in passes_on */
}

static noinline __noipa void nests(unsigned int usec)
{
	passes_on(usec); /* inlined in nests */
	barrier();
}

static __always_inline void repeated(const unsigned int usec)
{
	inlined_sum += usec;
	barrier();
}

/* The compiler unrolls the loop: four copies of the call, but one place in DWARF. */
static noinline __noipa void repeats(unsigned int usec)
{
	unsigned int i;

#pragma GCC unroll 4
	for (i = 0; i < 4; i++) {
		WRITE_ONCE(moved, 0); /* separates the copies */
		repeated(usec);	      /* inlined in repeats */
	}
}

/* No probe can be in a notrace function. */
static noinline __noipa notrace void hides(unsigned int usec)
{
	sums(usec, 8, 9); /* inlined in hides */
}

static __always_inline void coldly(const unsigned int usec)
{
	inlined_sum += usec;
	barrier();
}

/* Compilers put code that rarely runs into this section. */
static noinline __noipa __section(".text.unlikely") void rarely(unsigned int usec)
{
	coldly(usec); /* inlined in rarely */
}

static int call(const char *name, unsigned int usec)
{
	if (!strcmp(name, "waits"))
		waits(usec);
	else if (!strcmp(name, "other"))
		timing_other(usec);
	else if (!strcmp(name, "is_held"))
		is_held(usec);
	else if (!strcmp(name, "release"))
		complete(&released);
	else if (!strcmp(name, "does_nothing"))
		does_nothing(usec);
	else if (!strcmp(name, "recurses"))
		recurses(usec, DEPTH);
	else if (!strcmp(name, "migrates"))
		migrates(usec);
	else if (!strcmp(name, "is_interrupted"))
		is_interrupted(usec);
	else if (!strcmp(name, "partly"))
		partly_ptr(usec);
	else if (!strcmp(name, "inlines"))
		inlines(usec);
	else if (!strcmp(name, "nests"))
		nests(usec);
	else if (!strcmp(name, "repeats"))
		repeats(usec);
	else if (!strcmp(name, "rarely"))
		rarely(usec);
	else if (!strcmp(name, "hides"))
		hides(usec);
	else if (!strcmp(name, "leaves"))
		return run_leaving_thread(usec);
	else
		return timing_call_special(name, usec);
	return 0;
}

static int call_set(const char *val, const struct kernel_param *kp)
{
	unsigned int usec;
	char name[MAX_TEXT];
	int err;

	if (sscanf(val, "%63s %u", name, &usec) != 2 || !usec)
		return -EINVAL;
	/* the call takes a while, and tests read "held" meanwhile */
	kernel_param_unlock(THIS_MODULE);
	err = call(name, usec);
	kernel_param_lock(THIS_MODULE);
	return err;
}

static const struct kernel_param_ops call_ops = {
	.set = call_set,
};

module_param_cb(call, &call_ops, NULL, 0200);
MODULE_PARM_DESC(call, "Call this function with a time in microseconds");
module_param(moved, uint, 0400);
MODULE_PARM_DESC(moved, "Calls that returned on another CPU");
module_param(inlined_sum, uint, 0400);
MODULE_PARM_DESC(inlined_sum, "Sum of what inlined functions were called with");
module_param(held, uint, 0400);
MODULE_PARM_DESC(held, "Calls of is_held() that have begun");

MODULE_DESCRIPTION("BTF tests: functions that take a known time");
MODULE_LICENSE("GPL");
