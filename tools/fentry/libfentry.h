/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libfentry: attach BPF programs to kernel functions by identity, not by name.
 *
 * A kernel with CONFIG_DEBUG_INFO_BTF_FUNC_ADDR has one BTF FUNC for each
 * function *instance*, and knows the address that belongs to it. A program that
 * is loaded with this FUNC's id attaches to this instance and to no other one
 * of the same name. The library finds the id for what a person writes:
 *
 *	name			the function, if only one has this name
 *	name@map_iter.c		the one whose compilation unit is map_iter.c,
 *	name@bpf/map_iter.c	said with as many path components as needed
 *	s_*			a glob (fnmatch(3)) matches any number of functions
 *	#4711			the function of this BTF id
 *	vmlinux:name		the function of this object (default: any)
 *
 * Conventions: functions return 0 or a negative errno, and describe a failure
 * in *error, which may be NULL and is untouched on success. Out parameters come
 * before it and are written only on success, unless said otherwise. Nothing is
 * printed. An index can be shared by threads.
 */
#ifndef LIBFENTRY_H
#define LIBFENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

/* What went wrong: one line, without newline, that names the input. */
struct fentry_error {
	int err;			/* negative errno, as returned */
	char msg[1024];
};

/* One function of the running kernel. All strings belong to the index. */
struct fentry_target {
	const char *name;		/* symbol name, suffixes included */
	const char *unit;		/* compilation unit; NULL if name is unique */
	const char *module;		/* NULL for vmlinux */
	__u64 addr;			/* 0: not known, or hidden from this user */
	__u32 obj_id;			/* id of the BTF object; 0 if not known */
	__u32 type_id;			/* id of the FUNC in it */
};

/* A parsed target specification. */
struct fentry_spec {
	char *module;			/* NULL: any */
	char *name;			/* name or glob; NULL if id is set */
	char *unit;			/* tail of the unit's path; NULL: any */
	__u32 id;			/* BTF id; 0 if name is set */
	bool glob;			/* may match several */
};

/**
 * fentry_spec__parse() - Parse a target specification.
 * @text: what the user wrote
 * @ret: the result, to be released with fentry_spec__clear()
 * @error: see above
 *
 * Return: 0, -EINVAL if @text isn't a specification, -ENOMEM.
 */
int fentry_spec__parse(const char *text, struct fentry_spec *ret,
		       struct fentry_error *error);

/**
 * fentry_spec__clear() - Release what fentry_spec__parse() allocated.
 * @spec: the specification; may be zeroed or cleared already
 */
void fentry_spec__clear(struct fentry_spec *spec);

/**
 * fentry_spec__match() - Does a specification mean this function?
 * @spec: the specification
 * @target: the function
 */
bool fentry_spec__match(const struct fentry_spec *spec,
			const struct fentry_target *target);

struct fentry_index;

/* Where an index comes from; NULL members stand for the running kernel. */
struct fentry_index_opts {
	const char *btf_path;		/* default /sys/kernel/btf/vmlinux */
	const char *ids_path;		/* default /proc/kallsyms_btf */
};

/**
 * fentry_index__open() - Read all functions that the kernel's BTF describes.
 * @opts: other files to read, for tests; NULL for the running kernel
 * @ret: the index, to be released with fentry_index__free()
 * @error: see above
 *
 * Return: 0, -EOPNOTSUPP if the kernel lacks BTF or the address table, -EINVAL
 * if one of them is malformed, -ENOMEM, or what opening them failed with.
 */
int fentry_index__open(const struct fentry_index_opts *opts,
		       struct fentry_index **ret, struct fentry_error *error);

/**
 * fentry_index__free() - Release an index and all its targets.
 * @idx: the index; NULL is fine
 */
void fentry_index__free(struct fentry_index *idx);

/**
 * fentry_index__targets() - All functions, sorted by name, then address and id.
 * @idx: the index, which owns the array
 * @cnt: number of functions
 */
const struct fentry_target *
fentry_index__targets(const struct fentry_index *idx, size_t *cnt);

/**
 * fentry_index__btf() - The BTF that the targets' type ids belong to.
 * @idx: the index, which owns it
 * @target: one of its functions
 */
const struct btf *fentry_index__btf(const struct fentry_index *idx,
				    const struct fentry_target *target);

/**
 * fentry_index__find() - Find every function that a specification matches.
 * @idx: the index
 * @spec: the specification
 * @ret: array of the functions in the index's order, to be released with free()
 * @cnt: number of functions, at least one
 * @error: see above
 *
 * Return: 0, -ENOENT if there is none, -ENOMEM.
 */
int fentry_index__find(const struct fentry_index *idx,
		       const struct fentry_spec *spec,
		       const struct fentry_target ***ret, size_t *cnt,
		       struct fentry_error *error);

/**
 * fentry_index__resolve() - As fentry_index__find(), but refuse to guess.
 * @idx: the index
 * @spec: the specification
 * @ret: array of the functions, to be released with free()
 * @cnt: number of functions
 * @error: see above
 *
 * Return: 0, -ENOENT, -ENOMEM, or -ENOTUNIQ if several functions match and
 * @spec is no glob. Then *@ret and *@cnt are the candidates all the same.
 */
int fentry_index__resolve(const struct fentry_index *idx,
			  const struct fentry_spec *spec,
			  const struct fentry_target ***ret, size_t *cnt,
			  struct fentry_error *error);

/**
 * fentry_index__nearest() - What the user may have meant by a specification.
 * @idx: the index
 * @spec: a specification that matches nothing
 * @max: size of @ret
 * @ret: filled with the nearest functions, best first; those of the same name
 *	in other compilation units come alone
 *
 * Return: the number of functions in @ret, or -ENOMEM.
 */
int fentry_index__nearest(const struct fentry_index *idx,
			  const struct fentry_spec *spec, size_t max,
			  const struct fentry_target **ret);

/**
 * fentry_target__spec() - The specification that means this function alone.
 * @idx: the index
 * @target: one of its functions
 * @buf: receives "name", "name@unit" or "#id", the first that is unique
 * @size: size of @buf; a longer text is cut
 */
void fentry_target__spec(const struct fentry_index *idx,
			 const struct fentry_target *target,
			 char *buf, size_t size);

/**
 * fentry_target__prototype() - The function's declaration in C, on one line.
 * @idx: the index
 * @target: one of its functions
 * @ret: the text without semicolon, to be released with free()
 * @error: see above
 *
 * Return: 0, -EINVAL if BTF can't be printed, -ENOMEM.
 */
int fentry_target__prototype(struct fentry_index *idx,
			     const struct fentry_target *target, char **ret,
			     struct fentry_error *error);

/**
 * fentry_register() - Make libbpf load programs with targets of this library.
 * @error: see above
 *
 * Takes over SEC("fentry"), SEC("fexit"), SEC("fentry/...") and
 * SEC("fexit/...") of all BPF objects that the process opens from now on; what
 * follows the '/' is a specification. Needed once, before bpf_object__open();
 * further calls do nothing. Thread-safe as far as nobody else registers libbpf
 * handlers at the same moment.
 *
 * Return: 0 or libbpf's error.
 */
int fentry_register(struct fentry_error *error);

/* Says what a program of a BPF object shall be attached to. */
struct fentry_binding {
	const struct bpf_program *prog;
	const struct fentry_target *target;
};

/**
 * fentry_object__load() - bpf_object__load() with attach targets.
 * @obj: object opened after fentry_register()
 * @idx: where section names are looked up; NULL opens one if needed
 * @bindings: targets that override section names; others keep theirs
 * @cnt: number of bindings
 * @error: see above
 *
 * As with bpf_object__load(), an object that failed to load can only be closed.
 * The verifier logs go into @error: log buffers set before are not used, and
 * bpf_program__log_buf() must not be called afterwards.
 *
 * Return: 0, what the kernel refused the program with (the message has the
 * verifier's reason), or one of fentry_index__resolve()'s for section names.
 */
int fentry_object__load(struct bpf_object *obj, struct fentry_index *idx,
			const struct fentry_binding *bindings, size_t cnt,
			struct fentry_error *error);

/**
 * fentry_prog__clone() - Load a loaded program once more, for another target.
 * @prog: a program of a loaded object, licensed as GPL; maps are shared
 * @target: the target
 * @ret: file descriptor of the new program, to be closed
 * @error: see above
 *
 * Return: 0 or what the kernel refused the program with.
 */
int fentry_prog__clone(const struct bpf_program *prog,
		       const struct fentry_target *target, int *ret,
		       struct fentry_error *error);

/**
 * fentry_prog__attach() - Attach a loaded program to the target it has.
 * @prog_fd: the program
 * @type: BPF_TRACE_FENTRY or BPF_TRACE_FEXIT
 * @cookie: what bpf_get_attach_cookie() returns in the program
 * @target: the target, for the error message
 * @ret: file descriptor of the link; closing it detaches
 * @error: see above
 *
 * Return: 0 or what the kernel refused the link with.
 */
int fentry_prog__attach(int prog_fd, enum bpf_attach_type type, __u64 cookie,
			const struct fentry_target *target, int *ret,
			struct fentry_error *error);

#endif /* LIBFENTRY_H */
