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

/* Functions of one BTF object: what one tracing_multi link can have. */
struct fentry_group {
	const struct fentry_object *obj;
	size_t *members;		/* positions in the plan's targets */
	size_t cnt;
};

/* How a program is attached to many functions at once: see plan.c. */
struct fentry_plan {
	const struct fentry_index *idx;
	const struct fentry_target * const *targets;
	size_t cnt;
	char **why;			/* of each: why it is left out, or NULL */
	struct fentry_group *groups;	/* functions of no group are to be alone */
	size_t group_cnt;
};

/**
 * fentry_plan__init() - Plan it, without asking the kernel.
 * @plan: the plan, to be released with fentry_plan__fini()
 * @idx: the index
 * @targets: its functions, to outlive the plan
 * @cnt: their number
 * @exit: the program runs at their end
 *
 * Return: 0 or -ENOMEM.
 */
int fentry_plan__init(struct fentry_plan *plan, const struct fentry_index *idx,
		      const struct fentry_target * const *targets, size_t cnt,
		      bool exit);

/** fentry_plan__fini() - Release what it has. @plan: may be zeroed */
void fentry_plan__fini(struct fentry_plan *plan);

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
int fentry_multi_link__create(int prog_fd, int type, const __u32 *ids,
			      const __u64 *cookies, __u32 cnt);

/**
 * fentry_multi_link__ids() - What a link is attached to.
 * @fd: the link
 * @obj_id: set to the BTF object's id
 * @ret: set to the BTF ids, to be released with free()
 * @cnt: set to their number
 *
 * Return: 0, -EINVAL if it is no such link, or another negative errno.
 */
int fentry_multi_link__ids(int fd, __u32 *obj_id, __u32 **ret, __u32 *cnt);

/* The ids that a link can't have, because the kernel refuses them. */
struct fentry_sieve {
	int prog_fd, type;
	__u32 *ids;			/* with room for one more */
	size_t cnt;
	int *errs;			/* set to the negative errno of each refused one */
	bool attach;			/* try to attach the others; else only ask */
};

/**
 * fentry_sieve__run() - Find them. Nothing is attached afterwards.
 * @s: what to do
 *
 * Return: 0, or a negative errno that isn't any id's fault.
 */
int fentry_sieve__run(const struct fentry_sieve *s);

/**
 * fentry_prog__clone_multi() - Load a program once more, for tracing_multi links.
 * @prog: see fentry_prog__clone()
 * @target: one of the functions: decides about the BTF object
 * @ret: file descriptor of the new program, to be closed
 * @error: see libfentry.h
 *
 * Return: 0, or what the kernel refused the program with.
 */
int fentry_prog__clone_multi(const struct bpf_program *prog,
			     const struct fentry_target *target, int *ret,
			     struct fentry_error *error);

#endif /* FENTRY_INTERNAL_H */
