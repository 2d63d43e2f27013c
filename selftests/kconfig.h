/* SPDX-License-Identifier: GPL-2.0 */
/* What the running kernel was configured with: $KCONFIG is its .config. */
#ifndef SELFTESTS_KCONFIG_H
#define SELFTESTS_KCONFIG_H

#include <stdbool.h>

/** kconfig__has() - Is an option ("CONFIG_X") built in? Not if there is no $KCONFIG. */
bool kconfig__has(const char *option);

#endif /* SELFTESTS_KCONFIG_H */
