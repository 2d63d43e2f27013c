/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_THREADS_H
#define BTFADDR_THREADS_H

#include "util.h"

/**
 * threads_run() - call a function once for each of several threads, and wait for all
 * @nr: of threads, the caller's included
 * @fn: gets the number of the thread, from 0; that is the caller's
 *
 * If a thread can't be started, the caller's does its share.
 */
void threads_run(u32 nr, void (*fn)(void *ctx, u32 thread), void *ctx);

#endif
