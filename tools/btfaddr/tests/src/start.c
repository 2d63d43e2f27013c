// SPDX-License-Identifier: GPL-2.0-only
/*
 * What makes the other files linkable: an entry point and ftrace's.
 *
 * LEFT_OUT all: __fentry__
 */
__attribute__((naked)) void __fentry__(void)
{
	asm("ret");
}

void _start(void)
{
}

/* Of kernel/regs.c: nobody knows what it does with the pointer. */
void regs_take(long *p)
{
	asm volatile("" :: "r"(p) : "memory");
}
