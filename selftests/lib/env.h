/* SPDX-License-Identifier: GPL-2.0-only */
/* The environment from run_tests in the Makefile. $KCONFIG is the running kernel's .config. */
#ifndef SELFTESTS_ENV_H
#define SELFTESTS_ENV_H

#include <stdbool.h>

/**
 * env__need() - The value of a variable without which a test can't be right.
 *
 * If it isn't set, the test ends with a line that says so. No test may pass, fail or skip for a
 * reason that its output doesn't show.
 */
const char *env__need(const char *name);

/** kconfig__has() - Is an option ("CONFIG_X") built in? */
bool kconfig__has(const char *option);

/**
 * kconfig__base() - Of which base is the running kernel?
 *
 * For messages and behaviour that depend on the base.
 *
 * Return: its version's first number: 6 or 7; 0 if it can't be told.
 */
int kconfig__base(void);

#define ENOTSUPP 524 /* the kernel's own: its trampoline can't pass the arguments on */

/* Linux 6.12's trampolines on arm64 pass eight registers, and nothing on the stack. */
#ifdef __aarch64__
#define PASSES_STACK (kconfig__base() != 6)
#else
#define PASSES_STACK true
#endif

#endif /* SELFTESTS_ENV_H */
