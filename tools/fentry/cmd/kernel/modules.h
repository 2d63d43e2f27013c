/* SPDX-License-Identifier: GPL-2.0-only */
/* Which modules are loaded, may be loaded, or come and go. */
#ifndef FENTRY_MODULES_H
#define FENTRY_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Complain if a module isn't there. Return: whether that is so. */
bool module__complain_absent(const char *name);

/*
 * May a module still be loaded, or is it being loaded?
 *
 * Its BTF can be attached to once its init function is through.
 */
bool module__is_to_come(const char *name);

/* The loaded modules. Perf events don't keep a module from being unloaded. */
struct modules {
	struct module {
		char *name;
		ino_t ino; /* differs if the module is loaded again */
	} * modules;	   /* sorted by name */
	size_t cnt;
};

/* Note which modules seem to be loaded. modules__free() releases *@ret. */
void modules__read(struct modules *ret);

void modules__free(struct modules *m);

/* Is this module among them, and not loaded again since? */
bool modules__has(const struct modules *m, const struct module *module);

#endif /* FENTRY_MODULES_H */
