/* SPDX-License-Identifier: GPL-2.0-only */
/* A thread that attaches to the module "kinds" and detaches, while the module comes and goes. */
#ifndef SELFTESTS_ATTACHER_H
#define SELFTESTS_ATTACHER_H

#include <stdbool.h>

struct attacher;

/**
 * attacher__start() - Start the thread. It waits whenever the module has no BTF, and as long as it
 * is paused, which it is at first.
 * @ret: to be given to attacher__stop()
 *
 * The module must not be loaded: it is loaded once, to find the ids of its functions.
 *
 * Return: 0 or a negative errno.
 */
int attacher__start(struct attacher **ret);

/** attacher__pause() - Stop the thread before its next attempt, or let it go on. */
void attacher__pause(struct attacher *a, bool pause);

/**
 * attacher__unload() - Unload the module while the thread runs. If the module is in use, the thread
 * is paused: the module might never be free otherwise.
 *
 * Return: 0 or a negative errno.
 */
int attacher__unload(struct attacher *a);

/** attacher__attached(), attacher__refused() - How often it could attach, and how often not. */
unsigned int attacher__attached(const struct attacher *a);
unsigned int attacher__refused(const struct attacher *a);

/** attacher__stop() - End the thread. Returns 0 or a negative errno; nothing is attached then. */
int attacher__stop(struct attacher *a);

/** attacher__free() - Release it; it must have been stopped, or be NULL. */
void attacher__free(struct attacher *a);

#endif /* SELFTESTS_ATTACHER_H */
