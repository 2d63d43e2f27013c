/* SPDX-License-Identifier: GPL-2.0-only */
/* The test modules that were built for the running flavour. */
#ifndef SELFTESTS_KMOD_H
#define SELFTESTS_KMOD_H

#include <stddef.h>
#include "libfentry.h"

/**
 * kmod__load() - Load a module.
 * @name: of the module; its file is $MODULES/<name>.ko. If there is only a <name>.ko.zst,
 *	the kernel decompresses it.
 * @params: "name=value ..."
 *
 * Return: 0 or a negative errno.
 */
int kmod__load(const char *name, const char *params);

/** kmod__read() - Read the module's file, to change it. free() releases *@image. */
int kmod__read(const char *name, void **image, size_t *size);

/** kmod__load_image() - Load a module from memory. Returns 0 or a negative errno. */
int kmod__load_image(const void *image, size_t size);

/** kmod__try_unload() - Unload it. Returns 0 or a negative errno, -EAGAIN if it's in use. */
int kmod__try_unload(const char *name);

/**
 * kmod__unload() - Unload it when nothing uses it any more: the kernel frees programs some time
 *	after they were closed.
 *
 * Return: 0 or a negative errno; -EAGAIN if it is in use for half a minute.
 */
int kmod__unload(const char *name);

/** kmod__write_param() - Write to a parameter. Returns 0 or a negative errno. */
int kmod__write_param(const char *name, const char *param, const char *value);

/** kmod__wait_for() - Wait until its state is @state, or return -ETIMEDOUT after half a minute. */
int kmod__wait_for(const char *name, const char *state);

/* The module "kinds", whose functions user space calls with values of its choice. */
#define KINDS_MODULE "kinds"

/**
 * kinds_mod__load() - Load the module, and then read all functions. Calls fentry_register(), too.
 * @idx: to be released with kinds_mod__unload()
 *
 * Return: 0, or a negative errno with nothing loaded.
 */
int kinds_mod__load(struct fentry_index **idx, struct fentry_error *error);

/** kinds_mod__unload() - Unload the module, and release @idx. Returns 0 or a negative errno. */
int kinds_mod__unload(struct fentry_index *idx);

/**
 * kinds_mod__find() - The one function of the module that the first word of a text names.
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

#endif /* SELFTESTS_KMOD_H */
