/* SPDX-License-Identifier: GPL-2.0-only */
/* What the runner tells the tests, in the environment: see run_tests in the Makefile. */
#ifndef SELFTESTS_ENV_H
#define SELFTESTS_ENV_H

/**
 * env__need() - The value of a variable without which a test can't be right.
 *
 * If it isn't set, the test ends with a line that says so: none may pass, fail or be skipped
 * for a reason that it doesn't show.
 */
const char *env__need(const char *name);

#endif /* SELFTESTS_ENV_H */
