/* SPDX-License-Identifier: GPL-2.0-only */
/* A thread that attaches to the module "kinds" and detaches, while the module comes and goes. */
#ifndef SELFTESTS_ATTACHER_H
#define SELFTESTS_ATTACHER_H

#include <stdbool.h>

struct attacher;

/**
 * attacher__start() - Start the thread, paused. While the module has no BTF, the thread waits.
 * @ret: to be given to attacher__stop()
 *
 * The module must not be loaded: this loads it once, to find the ids of its functions.
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

/** attacher__attached(), attacher__refused() - How often attaching succeeded, and failed. */
unsigned int attacher__attached(const struct attacher *a);
unsigned int attacher__refused(const struct attacher *a);

/** attacher__stop() - End the thread; nothing stays attached. Returns 0 or a negative errno. */
int attacher__stop(struct attacher *a);

/** attacher__free() - Release the thread, which must have been stopped, or be NULL. */
void attacher__free(struct attacher *a);

#endif /* SELFTESTS_ATTACHER_H */
