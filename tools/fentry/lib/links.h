/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Links that one program has to many functions or addresses, and libbpf doesn't know. */
#ifndef FENTRY_LINKS_H
#define FENTRY_LINKS_H

#include "libfentry.h"

/**
 * fentry_multi_type() - The attach type for many functions instead of one.
 * @type: BPF_TRACE_FENTRY or BPF_TRACE_FEXIT
 *
 * Return: the type, which stock headers don't have, or -EOPNOTSUPP.
 */
int fentry_multi_type(enum bpf_attach_type type);

/**
 * fentry_multi_link__create() - Attach a program to functions, all or none.
 * @prog_fd: loaded with fentry_prog__clone_multi()
 * @type: see fentry_multi_type()
 * @ids: BTF ids, of the BTF object that the program was loaded for
 * @cookies: of each; NULL for none
 * @cnt: their number
 *
 * Return: file descriptor of the link, or negative errno.
 */
int fentry_multi_link__create(int prog_fd, int type, const __u32 *ids, const __u64 *cookies,
			      __u32 cnt);

/* The ids that a link can't have, because the kernel refuses them. */
struct fentry_sieve {
	int prog_fd, type;
	__u32 *ids; /* with room for one more */
	size_t cnt;
	int *errs;   /* set to the negative errno of each refused one */
	bool attach; /* try to attach the others; else only ask */
};

/**
 * fentry_sieve__run() - Find them. Nothing is attached afterwards.
 *
 * Return: 0, or a negative errno that isn't any id's fault.
 */
int fentry_sieve__run(const struct fentry_sieve *s);

/**
 * fentry_probe_link__create() - Attach a program to addresses, all or none.
 * @prog_fd: of BPF_TRACE_KPROBE_MULTI
 * @addrs: where there shall be probes
 * @cookies: of each
 * @cnt: their number
 * @failed: set to the position of the address that the kernel refused, if it is one's fault
 *
 * Return: file descriptor of the link, or a negative errno.
 */
int fentry_probe_link__create(int prog_fd, const __u64 *addrs, const __u64 *cookies, __u32 cnt,
			      __u32 *failed);

/** fentry_probe_event__type() - The kernel's number for events of probes; 0 if it has none. */
int fentry_probe_event__type(void);

/**
 * fentry_probe_event__create() - Attach a program to one address.
 * @type: see above
 * @prog_fd: of no expected attach type
 * @addr: where there shall be a probe
 * @cookie: of it
 *
 * Return: file descriptor of the link, which keeps its event, or a negative errno.
 */
int fentry_probe_event__create(int type, int prog_fd, __u64 addr, __u64 cookie);

/** fentry_probe_link__missed() - Calls that came while another probe was being handled. */
unsigned long long fentry_probe_link__missed(int fd);

#endif /* FENTRY_LINKS_H */
