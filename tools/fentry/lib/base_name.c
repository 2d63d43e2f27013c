// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* What a symbol is called in the source. btfaddr uses this file, too. */
#include <string.h>

#include "libfentry.h"

size_t fentry_symbol__base_len(const char *name)
{
	const char *dot = *name ? strchr(name + 1, '.') : NULL;

	return dot ? (size_t)(dot - name) : strlen(name);
}
