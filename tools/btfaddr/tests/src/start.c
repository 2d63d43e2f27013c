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

#ifdef __aarch64__
/* What GCC calls there to clear a struct. */
void *memset(void *p, int c, unsigned long n)
{
	return p;
}
#endif

/* Of kernel/regs.c: nobody knows what it does with the pointer. */
void regs_take(long *p)
{
	asm volatile("" :: "r"(p) : "memory");
}
