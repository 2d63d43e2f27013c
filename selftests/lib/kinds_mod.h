/* SPDX-License-Identifier: GPL-2.0-only */
/* The module "kinds", whose functions user space calls with values of its choice. */
#ifndef SELFTESTS_KINDS_MOD_H
#define SELFTESTS_KINDS_MOD_H

#include "libfentry.h"

#define KINDS_MODULE "kinds"

/**
 * kinds_mod__load() - Load the module, and then read all functions.
 * @idx: to be released with kinds_mod__unload()
 * @error: what went wrong
 *
 * It calls fentry_register(), too. Return: 0 or a negative errno; nothing is loaded then.
 */
int kinds_mod__load(struct fentry_index **idx, struct fentry_error *error);

/** kinds_mod__unload() - Unload the module, and release @idx. Returns 0 or a negative errno. */
int kinds_mod__unload(struct fentry_index *idx);

/**
 * kinds_mod__find() - The one function of the module that the first word of a text names.
 * @idx: the index
 * @text: "function@unit ..."; the unit doesn't matter if the name is unique, and the compiler
 *	may have given the name a suffix
 *
 * Return: NULL if there is none, or more than one.
 */
const struct fentry_target *kinds_mod__find(const struct fentry_index *idx, const char *text);

/** kinds_mod__call() - Call "function@unit value...". Returns 0 or a negative errno. */
int kinds_mod__call(const char *text);

/** kinds_mod__result() - What the last call gave; -1 if it can't be read. */
long kinds_mod__result(void);

#endif /* SELFTESTS_KINDS_MOD_H */
