/* SPDX-License-Identifier: GPL-2.0-only */
/* What the running kernel is, and how it was configured: $KCONFIG is its .config. */
#ifndef SELFTESTS_KCONFIG_H
#define SELFTESTS_KCONFIG_H

#include <stdbool.h>

/** kconfig__has() - Is an option ("CONFIG_X") built in? */
bool kconfig__has(const char *option);

/**
 * kconfig__base() - Which base is the running kernel of?
 *
 * For what a base says or does in its own way.
 *
 * Return: its version's first number: 6 or 7; 0 if it can't be told.
 */
int kconfig__base(void);

#endif /* SELFTESTS_KCONFIG_H */
