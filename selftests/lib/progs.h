/* SPDX-License-Identifier: GPL-2.0-only */
/* Small programs and maps, made by bare system calls, so libbpf resolves nothing. */
#ifndef SELFTESTS_PROGS_H
#define SELFTESTS_PROGS_H

#include <stddef.h>
#include <linux/bpf.h>

/* A program's target, and where to put the verifier's log. */
struct prog_target {
	enum bpf_prog_type type;
	enum bpf_attach_type attach_type;
	int btf_fd;   /* 0: vmlinux */
	__u32 btf_id; /* FUNC in it */
	char *log;    /* emptied first */
	size_t log_size;
};

/**
 * progs__load_empty() - Load a program that only returns 0, for a target.
 *
 * Return: its file descriptor, to be closed, or the negative errno of BPF_PROG_LOAD.
 */
int progs__load_empty(const struct prog_target *target);

/**
 * progs__kptr_map() - Create a map with one value, a kptr.
 * @struct_name: the struct that it points to, in the BTF of vmlinux or a module
 *
 * Return: the map's file descriptor, to be closed, or a negative errno. The kernel says -EINVAL if
 * the type's destructor isn't where BTF has it.
 */
int progs__kptr_map(const char *struct_name);

/**
 * progs__insns() - Read a loaded program's instructions, with the kernel's changes: @max at most.
 *
 * Return: their number or a negative errno.
 */
int progs__insns(int fd, struct bpf_insn *insns, unsigned int max);

#endif /* SELFTESTS_PROGS_H */
