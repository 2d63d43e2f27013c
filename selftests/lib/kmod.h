/* SPDX-License-Identifier: GPL-2.0-only */
/* The test modules, as they were built for the flavour that runs. */
#ifndef SELFTESTS_KMOD_H
#define SELFTESTS_KMOD_H

#include <stddef.h>

/**
 * kmod__load() - Load a module.
 * @name: of the module; its file is $MODULES/<name>.ko. If there is only a <name>.ko.zst,
 *	the kernel decompresses it.
 * @params: "name=value ..."
 *
 * Return: 0 or a negative errno.
 */
int kmod__load(const char *name, const char *params);

/** kmod__path() - Where its file is, to be released with free(); NULL if out of memory. */
char *kmod__path(const char *name);

/**
 * kmod__read() - Read the module's file, to change it.
 * @name: as for kmod__load()
 * @image: its bytes, to be released with free()
 * @size: their number
 *
 * Return: 0 or a negative errno.
 */
int kmod__read(const char *name, void **image, size_t *size);

/** kmod__load_image() - Load such bytes. Returns 0 or a negative errno. */
int kmod__load_image(const void *image, size_t size);

/** kmod__try_unload() - Unload it. Returns 0 or a negative errno, -EAGAIN if it's in use. */
int kmod__try_unload(const char *name);

/**
 * kmod__unload() - Unload it when nothing uses it any more.
 *
 * The kernel frees programs some time after they were closed.
 *
 * Return: 0 or a negative errno; -EAGAIN if it is in use for half a minute.
 */
int kmod__unload(const char *name);

/** kmod__write_param() - Write to a parameter. Returns 0 or a negative errno. */
int kmod__write_param(const char *name, const char *param, const char *value);

/**
 * kmod__wait_for() - Wait until the module is in a state.
 * @state: "live", "coming" or "going"
 *
 * Return: 0 or a negative errno, -ETIMEDOUT after half a minute.
 */
int kmod__wait_for(const char *name, const char *state);

#endif /* SELFTESTS_KMOD_H */
