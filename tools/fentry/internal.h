/* SPDX-License-Identifier: GPL-2.0 */
/* What libfentry's files share and users don't see. */
#ifndef FENTRY_INTERNAL_H
#define FENTRY_INTERNAL_H

#include <pthread.h>
#include <stdio.h>

#include "libfentry.h"

/* vmlinux or a module. */
struct fentry_object {
	char *module;			/* NULL for vmlinux */
	struct btf *btf;
	struct btf_dump *dump;		/* prints prototypes; made when needed */
	size_t first, cnt;		/* its targets, before they are sorted */
};

struct fentry_index {
	struct fentry_object *objects;	/* vmlinux first */
	size_t object_cnt;
	struct fentry_target *targets;	/* sorted by fentry_target__cmp() */
	size_t cnt;
	bool exact;			/* addresses are from kallsyms_btf */
	pthread_mutex_t lock;		/* protects dumps and what follows */
	FILE *out;			/* where a dump writes to at the moment */
};

/**
 * fentry_error__set() - Record a failure.
 * @error: where to; may be NULL
 * @err: negative errno
 * @fmt: printf() format of the message
 *
 * Return: @err, so that callers can return it.
 */
int __attribute__((format(printf, 3, 4)))
fentry_error__set(struct fentry_error *error, int err, const char *fmt, ...);

/**
 * fentry_target__cmp() - Order of an index: name, address, id, module.
 * @a: a target
 * @b: another one
 */
int fentry_target__cmp(const void *a, const void *b);

/**
 * fentry_index__object() - Find vmlinux or a module.
 * @idx: the index
 * @module: name; NULL for vmlinux
 *
 * Return: the object, or NULL.
 */
struct fentry_object *fentry_index__object(const struct fentry_index *idx,
					   const char *module);

/**
 * fentry_index__by_id() - Find a function of an object, before they are sorted.
 * @idx: the index
 * @obj: the object
 * @id: BTF id
 *
 * Return: the function, or NULL if the id isn't one of the object's functions.
 */
struct fentry_target *fentry_index__by_id(struct fentry_index *idx,
					  const struct fentry_object *obj,
					  __u32 id);

/**
 * fentry_index__lower_bound() - Where a name is, or would be.
 * @idx: the index, sorted
 * @name: the name
 *
 * Return: position of the first function whose name isn't less than @name.
 */
size_t fentry_index__lower_bound(const struct fentry_index *idx,
				 const char *name);

/**
 * fentry_index__read_ids() - Give targets their addresses, by BTF ids.
 * @idx: the index, not sorted yet
 * @path: /proc/kallsyms_btf
 * @error: see libfentry.h
 *
 * Return: 0, -ENOENT if there is no such file, -EINVAL, -ENOMEM, or what
 * reading failed with. @error isn't set with -ENOENT.
 */
int fentry_index__read_ids(struct fentry_index *idx, const char *path,
			   struct fentry_error *error);

/**
 * fentry_index__read_symbols() - Give targets their addresses, by unique names.
 * @idx: the index, sorted
 * @path: /proc/kallsyms
 * @error: see libfentry.h
 *
 * Return: 0, -EINVAL, or what reading failed with.
 */
int fentry_index__read_symbols(struct fentry_index *idx, const char *path,
			       struct fentry_error *error);

/**
 * fentry_spec__is_base_name() - Is a name another one without ThinLTO's suffix?
 * @base: such as "foo"
 * @name: such as "foo.llvm.1234"
 */
bool fentry_spec__is_base_name(const char *base, const char *name);

/**
 * fentry_spec__text() - The text that fentry_spec__parse() makes @spec of.
 * @spec: the specification
 * @buf: receives the text
 * @size: size of @buf; a longer text is cut
 */
void fentry_spec__text(const struct fentry_spec *spec, char *buf, size_t size);

/**
 * fentry_target__check() - Refuse a function that would be a guess.
 * @target: the function
 * @error: see libfentry.h
 *
 * Return: 0, or -ENOTUNIQ if the kernel can't tell it from others of its name.
 */
int fentry_target__check(const struct fentry_target *target,
			 struct fentry_error *error);

/**
 * fentry_index__choose() - Report candidates, as specifications to choose from.
 * @idx: the index
 * @found: the candidates
 * @cnt: their number
 * @error: a message, which those of them that the kernel can tell from others are
 *	appended to, as far as there is room
 */
void fentry_index__choose(const struct fentry_index *idx,
			  const struct fentry_target **found, size_t cnt,
			  struct fentry_error *error);

/**
 * fentry_signature__find() - The parameters that a program declares.
 * @btf: the program's BTF
 * @prog_name: its name
 *
 * Return: FUNC_PROTO whose first parameter is the context, or NULL if the BTF
 * doesn't say: see fentry.bpf.h.
 */
const struct btf_type *fentry_signature__find(const struct btf *btf,
					      const char *prog_name);

/**
 * fentry_signature__fits() - Does a program expect this function's parameters?
 * @btf: the program's BTF
 * @proto: what fentry_signature__find() found
 * @takes_return: the program may have a last parameter for the return value
 * @target_btf: BTF of the function
 * @type_id: its FUNC
 */
bool fentry_signature__fits(const struct btf *btf, const struct btf_type *proto,
			    bool takes_return, const struct btf *target_btf,
			    __u32 type_id);

/**
 * fentry_section__resolve() - The one function that a program's section means.
 * @prog: the program
 * @opts: what it is about to be loaded with
 * @idx: where to look
 * @ret: the function
 * @error: see libfentry.h
 *
 * Return: 0, or as fentry_index__lookup().
 */
int fentry_section__resolve(const struct bpf_program *prog,
			    const struct bpf_prog_load_opts *opts,
			    const struct fentry_index *idx,
			    const struct fentry_target **ret,
			    struct fentry_error *error);

#endif /* FENTRY_INTERNAL_H */
