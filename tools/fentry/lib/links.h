/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Links of one program to many functions or addresses, which libbpf 1.1 doesn't know. */
#ifndef FENTRY_LINKS_H
#define FENTRY_LINKS_H

#include "libfentry.h"

/* The kernel sorts this id last, and refuses it with -EINVAL: no BTF has so many types. */
#define FENTRY_NO_ID 0xffffffffU

/*
 * Returns the attach type for many functions that corresponds to BPF_TRACE_FENTRY or
 * BPF_TRACE_FEXIT, or -EOPNOTSUPP. Stock headers don't have these types.
 */
int fentry_multi_type(enum bpf_attach_type type);

/*
 * Attach a program to functions, all or none. fentry_prog__clone_multi() has loaded the program for
 * the BTF object that has all ids. @cookies may be NULL. Returns a link's file descriptor, or a
 * negative errno.
 */
int fentry_multi_link__create(int prog_fd, int type, const __u32 *ids, const __u64 *cookies,
			      __u32 cnt);

/* Where the probes of a kprobe_multi link are: numbers of include/uapi/linux/bpf.h */
#define FENTRY_PROBES_ENTRY  0
#define FENTRY_PROBES_RETURN (1U << 0)
#define FENTRY_PROBES_ANY    (1U << 1)

/*
 * Attach a program of BPF_TRACE_KPROBE_MULTI to addresses, all or none. Returns a link's file
 * descriptor, or a negative errno; then @failed is the position of the address that the kernel
 * refused, or at least @cnt if it didn't say.
 */
int fentry_probe_link__create(int prog_fd, __u32 flags, const __u64 *addrs, const __u64 *cookies,
			      __u32 cnt, __u32 *failed);

/* Returns the type of the kernel's perf events for kprobes; 0 if there is none. */
int fentry_probe_event__type(void);

/*
 * Attach a program without expected attach type to one address, by a perf event of this type; or to
 * the return of the function there, if @exit. Returns a link's file descriptor, or a negative
 * errno. The link keeps the event.
 */
int fentry_probe_event__create(int type, bool exit, int prog_fd, __u64 addr, __u64 cookie);

/* Returns how many calls came while another probe was being handled. */
unsigned long long fentry_probe_link__missed(int fd);

#endif /* FENTRY_LINKS_H */
