/* SPDX-License-Identifier: GPL-2.0-only */
/* What the running kernel is, and how it was configured: $KCONFIG is its .config. */
#ifndef SELFTESTS_KCONFIG_H
#define SELFTESTS_KCONFIG_H

#include <stdbool.h>

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

#endif /* SELFTESTS_KCONFIG_H */
