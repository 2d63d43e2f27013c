/* SPDX-License-Identifier: GPL-2.0-only */
/* A fentry program that counts calls of one BTF function, by its id. */
#ifndef SELFTESTS_HITS_H
#define SELFTESTS_HITS_H

#include <stddef.h>
#include <linux/types.h>

struct hits;

/**
 * hits__load() - Load the program for a function, to be released with hits__free().
 * @btf_id: the FUNC's id in the vmlinux BTF
 * @log: the verifier's log; may be NULL
 *
 * Return: 0, or the negative errno of BPF_PROG_LOAD.
 */
int hits__load(__u32 btf_id, char *log, size_t log_size, struct hits **ret);

/** hits__load_for() - Like hits__load(), for an id of another BTF object. */
int hits__load_for(int btf_fd, __u32 btf_id, char *log, size_t log_size, struct hits **ret);

/**
 * hits__clone() - Load the same instructions for another function. Both count in the same place.
 * @btf_id: the FUNC's id in the vmlinux BTF
 * @log: the verifier's log; emptied first
 *
 * Far quicker than hits__load(). Return: the program's file descriptor, to be closed, or the
 * negative errno of BPF_PROG_LOAD.
 */
int hits__clone(const struct hits *h, __u32 btf_id, char *log, size_t log_size);

/** hits__attach() - Begin to count. Returns 0 or a negative errno. */
int hits__attach(struct hits *h);

/** hits__detach() - Cease to count; the numbers stay. */
void hits__detach(struct hits *h);

void hits__free(struct hits *h);

/** hits__only_self() - Count calls by this process alone. */
void hits__only_self(struct hits *h);

/** hits__count() - Number of calls. */
__u64 hits__count(const struct hits *h);

/** hits__func_ip() - What bpf_get_func_ip() returned in the last call. */
__u64 hits__func_ip(const struct hits *h);

#endif /* SELFTESTS_HITS_H */
