/* SPDX-License-Identifier: GPL-2.0-only */
/* Modules that come and go while inlined calls are traced: perf events hold none. */
#ifndef FENTRY_MODULES_H
#define FENTRY_MODULES_H

#include <sys/types.h>

#include "command.h"

struct modules {
	struct module {
		char *name;
		ino_t ino; /* another one when it is loaded again */
	} * modules;	   /* sorted by name */
	size_t cnt;
};

/**
 * modules__read() - Note which modules are loaded, as far as that can be known.
 * @ret: to be released with modules__free()
 */
void modules__read(struct modules *ret);

void modules__free(struct modules *m);

/**
 * modules__complain_changes() - Say which inlined calls weren't seen because of modules.
 * @before: those that were loaded when the selection was made
 * @sel: what is traced
 *
 * With a module, the probes in its code are gone. One that is loaded later has none; what a header
 * defines may be inlined there, too.
 */
void modules__complain_changes(const struct modules *before, const struct selection *sel);

#endif /* FENTRY_MODULES_H */
