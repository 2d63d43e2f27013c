/* SPDX-License-Identifier: GPL-2.0-only */
/* The events that call the two bpf_iter_detach_map(). */
#ifndef SELFTESTS_ITERS_H
#define SELFTESTS_ITERS_H

#include "iters.skel.h"

enum iter_event {
	ITER_MAP_ELEM,	 /* kernel/bpf/map_iter.c */
	ITER_SK_STORAGE, /* net/core/bpf_sk_storage.c */
};

/**
 * iters__trigger() - Create and close links. Each calls a bpf_iter_detach_map() before this
 * returns.
 * @it: from iters_bpf__open_and_load()
 * @event: which of the two functions is called
 * @times: how often
 *
 * Return: 0 or a negative errno.
 */
int iters__trigger(struct iters_bpf *it, enum iter_event event, unsigned int times);

#endif /* SELFTESTS_ITERS_H */
