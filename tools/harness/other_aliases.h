/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * FLAVOUR=other: kernel/exit.c and fs/open.c include this file before all else. It gives a second
 * name to two functions that the kernel has in sets (selftests/sets.c).
 */
#if defined(ALIAS_IN_EXIT)
void make_task_dead_alias(int signr) __attribute__((alias("make_task_dead"), noreturn));
#elif defined(ALIAS_IN_OPEN)
struct file;
int filp_close_alias(struct file *filp, void *id) __attribute__((alias("filp_close")));
#endif
