/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Links that one program has to many functions or addresses, and libbpf doesn't know. */
#ifndef FENTRY_LINKS_H
#define FENTRY_LINKS_H

#include "libfentry.h"

/* Sorted last by the kernel, and refused with -EINVAL: no BTF has so many types. */
#define FENTRY_NO_ID 0xffffffffU

/*
 * Returns the attach type for many functions, which stock headers don't have, instead of
 * BPF_TRACE_FENTRY or BPF_TRACE_FEXIT, or -EOPNOTSUPP.
 */
int fentry_multi_type(enum bpf_attach_type type);

/*
 * Attach a program to functions, all or none. It is loaded with fentry_prog__clone_multi(), for the
 * BTF object that all ids are of. @cookies may be NULL. Returns a link's file descriptor, or a
 * negative errno.
 */
int fentry_multi_link__create(int prog_fd, int type, const __u32 *ids, const __u64 *cookies,
			      __u32 cnt);

/*
 * Attach a program of BPF_TRACE_KPROBE_MULTI to addresses, all or none. Returns a link's file
 * descriptor, or a negative errno; then @failed is the position of the address that the kernel
 * refused, or no position.
 */
int fentry_probe_link__create(int prog_fd, const __u64 *addrs, const __u64 *cookies, __u32 cnt,
			      __u32 *failed);

/* Returns the kernel's number for events of probes; 0 if it has none. */
int fentry_probe_event__type(void);

/*
 * Attach a program of no expected attach type to one address, by an event of that type. Returns a
 * link's file descriptor, which keeps its event, or a negative errno.
 */
int fentry_probe_event__create(int type, int prog_fd, __u64 addr, __u64 cookie);

/* Returns how many calls came while another probe was being handled. */
unsigned long long fentry_probe_link__missed(int fd);

#endif /* FENTRY_LINKS_H */
