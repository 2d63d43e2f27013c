/* SPDX-License-Identifier: GPL-2.0-only */
/* Modules that specifications name and that aren't loaded yet. */
#ifndef FENTRY_COMING_H
#define FENTRY_COMING_H

#include "attach/selection.h"
#include "attach/waiter.h"

/*
 * Have functions of modules that aren't loaded traced from their first call on, by what
 * open_index() returns from now on; or wait until such a module is loaded, or a signal.
 * @sel: has parsed specifications
 * @early: whether that will do, else wait for all
 */
void coming__prepare(const struct selection *sel, struct waiter *w, bool early);

bool coming__has(const char *module);

/* Complain at the end of modules that haven't come, or not as expected. */
void coming__complain(const struct selection *sel);

#endif /* FENTRY_COMING_H */
