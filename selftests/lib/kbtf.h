/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads BTF objects of the kernel and its modules, by BPF_OBJ_GET_INFO_BY_FD. */
#ifndef SELFTESTS_KBTF_H
#define SELFTESTS_KBTF_H

#include <bpf/btf.h>
#include <stddef.h>
#include <linux/types.h>

/* Room for the name of an object. */
#define KBTF_NAME_LEN 64

/**
 * kbtf__next() - Go through all BTF objects of the kernel.
 * @id: 0 to begin with, then the id of the last object; set to that of the next
 * @name: set to its name; KBTF_NAME_LEN bytes
 *
 * Return: its file descriptor, to be closed; -ENOENT after the last one; another negative errno.
 */
int kbtf__next(__u32 *id, char *name);

/** kbtf__open() - As kbtf__next(), for the object of a module, or of "vmlinux". */
int kbtf__open(const char *name);

/** kbtf__read() - Read an object's BTF. free() releases *@ret. Return: 0 or a negative errno. */
int kbtf__read(int fd, void **ret, __u32 *size);

/**
 * kbtf__verify() - Does the kernel accept this BTF as that of a program? Keeps no object.
 * @log: receives the end of the verifier's log, with the reason, on failure
 *
 * Return: 0 or a negative errno.
 */
int kbtf__verify(const void *data, size_t size, char *log, size_t log_size);

/** btf_func__next() - The id of the next FUNC behind @id, of this name unless it is NULL; or 0. */
__u32 btf_func__next(const struct btf *btf, __u32 id, const char *name);

/** btf_func__proto() - The prototype of a FUNC. */
const struct btf_type *btf_func__proto(const struct btf *btf, __u32 id);

/** btf_func__param() - The place of a parameter; -1 if the FUNC hasn't got it. */
int btf_func__param(const struct btf *btf, __u32 id, const char *name);

/**
 * btf_units__read() - Read the compilation units that BTF tags ambiguous functions with.
 *
 * Return: by type id, the path that a FUNC's "cu:" tag has, which @btf owns; NULL for those
 * without. To be released with free(). NULL if out of memory.
 */
const char **btf_units__read(const struct btf *btf);

#define KBTF_LOG_SIZE 65536

/* A test module that is loaded, and its BTF. */
struct kbtf_module {
	const char *name;
	struct btf *base, *btf; /* vmlinux's, and the module's on it */
	int fd;			/* the kernel's object */
	char *log;		/* for the verifier, KBTF_LOG_SIZE bytes */
};

/**
 * kbtf__open_module() - Read the BTF of a loaded module. Turns libbpf's messages off.
 * @m: to be released with kbtf__close_module(), in any case
 *
 * Return: 0 or a negative errno.
 */
int kbtf__open_module(struct kbtf_module *m, const char *name);

/**
 * kbtf__load_module() - Load a module like kmod__load(), and open it.
 * @m: to be released with kbtf__unload_module()
 *
 * Return: 0, or a negative errno without the module.
 */
int kbtf__load_module(struct kbtf_module *m, const char *name, const char *params);

/** kbtf__close_module() - Release all, and leave the module loaded. */
void kbtf__close_module(struct kbtf_module *m);

/** kbtf__unload_module() - Release all, and unload the module. Returns 0 or a negative errno. */
int kbtf__unload_module(struct kbtf_module *m);

/** kbtf__func() - The id of the FUNC of this name, or a negative errno. */
int kbtf__func(const struct kbtf_module *m, const char *name);

#endif /* SELFTESTS_KBTF_H */
