/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What libfentry's files share and users don't see. */
#ifndef FENTRY_INTERNAL_H
#define FENTRY_INTERNAL_H

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "libfentry.h"

/* Addresses, the last one included. */
struct fentry_range {
	__u64 first, last;
};

struct fentry_printer;

/* vmlinux or a module. */
struct fentry_object {
	char *module; /* NULL for vmlinux */
	struct btf *btf;
	struct fentry_printer *printer;		/* of prototypes; made when needed */
	struct fentry_printer *inlined_printer; /* the same, of functions in @inlined's BTF */
	size_t first, cnt;			/* its targets, before they are sorted */
	struct fentry_inline *inlined;		/* NULL: it isn't known which calls are */
};

/* Another name of a function. */
struct fentry_alias {
	char *name;
	struct fentry_target func;	    /* as it was when the name was read */
	const struct fentry_target *target; /* once the index is sorted */
};

/* Text that grows. */
struct fentry_printed {
	char *text;
	size_t len, room;
	bool failed; /* it isn't all there */
};

struct fentry_index {
	struct fentry_object *objects; /* vmlinux first */
	size_t object_cnt;
	struct fentry_target *targets; /* sorted by fentry_target__cmp() */
	size_t cnt;
	struct fentry_alias *aliases; /* sorted by name */
	size_t alias_cnt;
	struct fentry_target *inlined; /* that BTF hasn't like this: see inlined.c */
	size_t inlined_cnt;
	char *inline_problem; /* why a file of inlined calls isn't used */
	bool exact;	      /* addresses are from kallsyms_btf */
	char *kallsyms_path;
	__u64 text_addr;		/* of _text: 0 until somebody needs it */
	pthread_mutex_t lock;		/* protects printers and what follows */
	struct fentry_range *no_probes; /* where the kernel has no probes: see inlined.c */
	size_t no_probe_cnt;
	bool no_probes_read;
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
 * fentry_opts__copy() - Take over options of a program that was compiled for
 *	another version of the library, perhaps.
 * @to: receives them; members that @from lacks are zero
 * @size: size of @to
 * @from: begins with its own size; NULL: all are zero
 * @error: see libfentry.h
 *
 * Return: 0, or -EINVAL if a member is set that @to lacks.
 */
int fentry_opts__copy(void *to, size_t size, const void *from, struct fentry_error *error);

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
struct fentry_object *fentry_index__object(const struct fentry_index *idx, const char *module);

/**
 * fentry_index__by_id() - Find a function of an object, before they are sorted.
 * @idx: the index
 * @obj: the object
 * @id: BTF id
 *
 * Return: the function, or NULL if the id isn't one of the object's functions.
 */
struct fentry_target *fentry_index__by_id(struct fentry_index *idx, const struct fentry_object *obj,
					  __u32 id);

/** fentry_target__cmp_id() - Compare a BTF id with a target's. @id, @target: the two */
int fentry_target__cmp_id(const void *id, const void *target);

/* What a DECL_TAG of a function begins with: its unit, and its declaration in the source. */
#define FENTRY_UNIT_TAG	  "cu:"
#define FENTRY_SOURCE_TAG "source:"

/** fentry_tag__value() - What is behind the prefix of a tag, or NULL. @tag: its text */
static inline const char *fentry_tag__value(const char *tag, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(tag, prefix, len) ? NULL : tag + len;
}

/**
 * fentry_targets__lower_bound() - Where a name is, or would be.
 * @targets: functions, sorted by name
 * @cnt: their number
 * @name: the name
 *
 * Return: position of the first function whose name isn't less than @name.
 */
size_t fentry_targets__lower_bound(const struct fentry_target *targets, size_t cnt,
				   const char *name);

static inline size_t fentry_index__lower_bound(const struct fentry_index *idx, const char *name)
{
	return fentry_targets__lower_bound(idx->targets, idx->cnt, name);
}

/**
 * fentry_target__is_listed() - Is it at a position of its index?
 * @target: a function
 *
 * Return: false also for what fentry_index__find_inlined() finds.
 */
static inline bool fentry_target__is_listed(const struct fentry_target *target)
{
	const struct fentry_index *idx = target->idx;

	return idx && !(target >= idx->inlined && target < idx->inlined + idx->inlined_cnt);
}

/**
 * fentry_index__symbol() - Where a symbol of vmlinux is.
 * @idx: the index, which says what file has the symbols
 * @name: it must be unique
 *
 * Return: its address; 0 if there is none, or this user may not see it.
 */
__u64 fentry_index__symbol(const struct fentry_index *idx, const char *name);

/**
 * fentry_index__add_inlined() - Read an object's file of inlined calls, if there is one.
 * @idx: the index, not sorted yet
 * @obj: the object, whose functions have been added
 * @opts: where it is looked for
 * @btf_dir: where it may be, too
 * @error: see libfentry.h
 *
 * Gives all functions their units.
 *
 * Return: 0, -ENOMEM, or as fentry_inline__open() if the file was asked for.
 */
int fentry_index__add_inlined(struct fentry_index *idx, struct fentry_object *obj,
			      const struct fentry_index_opts *opts, const char *btf_dir,
			      struct fentry_error *error);

/** fentry_index__sort_inlined() - When all objects have been added. @idx: the index */
void fentry_index__sort_inlined(struct fentry_index *idx);

/**
 * fentry_index__read_ids() - Give targets their addresses, by BTF ids.
 * @idx: the index, not sorted yet
 * @path: /proc/kallsyms_btf
 * @error: see libfentry.h
 *
 * Return: 0, -ENOENT if there is no such file, -EINVAL, -ENOMEM, or what
 * reading failed with.
 */
int fentry_index__read_ids(struct fentry_index *idx, const char *path, struct fentry_error *error);

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
 * fentry_index__add_alias() - Note another name of a function.
 * @idx: the index, not sorted yet
 * @target: the function
 * @name: copied
 *
 * Return: 0 or -ENOMEM.
 */
int fentry_index__add_alias(struct fentry_index *idx, const struct fentry_target *target,
			    const char *name);

/**
 * fentry_index__settle_aliases() - Make the other names ready for use.
 * @idx: the index, sorted
 *
 * Those of a function that has no symbol of its own name are dropped.
 */
void fentry_index__settle_aliases(struct fentry_index *idx);

/**
 * fentry_spec__is_base_name() - Is a name another one without compilers' suffixes?
 * @base: such as "foo"
 * @name: such as "foo.llvm.1234" or "foo.constprop.0.isra.0"
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
 * fentry_index__search() - Find every function that a specification matches.
 * @idx: the index
 * @spec: the specification
 * @ret: array of the functions in the index's order, to be released with free()
 * @cnt: number of functions, may be 0
 *
 * Return: 0 or -ENOMEM.
 */
int fentry_index__search(const struct fentry_index *idx, const struct fentry_spec *spec,
			 const struct fentry_target ***ret, size_t *cnt);

/**
 * fentry_target__check() - Refuse a function that would be a guess.
 * @target: the function
 * @error: see libfentry.h
 *
 * Return: 0, or -ENOTUNIQ if the kernel can't tell it from others of its name.
 */
int fentry_target__check(const struct fentry_target *target, struct fentry_error *error);

/**
 * fentry_target__refuse() - Report that a program can't be attached to a function.
 * @target: the function
 * @err: negative errno
 * @error: see libfentry.h; gets "can't attach to <label>: <why>"
 * @fmt: printf() format of the reason
 *
 * Return: @err
 */
int __attribute__((format(printf, 4, 5)))
fentry_target__refuse(const struct fentry_target *target, int err, struct fentry_error *error,
		      const char *fmt, ...);

/**
 * fentry_targets__several() - Report that a text means several functions.
 * @text: the specification
 * @cnt: their number
 * @error: see libfentry.h
 *
 * Return: -ENOTUNIQ
 */
int fentry_targets__several(const char *text, size_t cnt, struct fentry_error *error);

/**
 * fentry_targets__choose() - Report candidates, as specifications to choose from.
 * @found: the candidates
 * @cnt: their number
 * @error: a message, which those of them that the kernel can tell from others are
 *	appended to, as far as there is room
 */
void fentry_targets__choose(const struct fentry_target **found, size_t cnt,
			    struct fentry_error *error);

/**
 * fentry_type__skip_names() - What a type is, below typedefs and qualifiers.
 * @btf: the BTF
 * @id: a type in it
 */
const struct btf_type *fentry_type__skip_names(const struct btf *btf, __u32 id);

/**
 * fentry_type__same() - Is a type that a program declares the function's?
 * @a_btf: the program's BTF
 * @a_id: a type in it
 * @b_btf: BTF of the function
 * @b_id: a type in it
 */
bool fentry_type__same(const struct btf *a_btf, __u32 a_id, const struct btf *b_btf, __u32 b_id);

/* An instruction of a program that is about one of its parameters. */
struct fentry_site {
	__u32 insn;	     /* its position */
	struct bpf_insn was; /* as it was compiled */
};

/*
 * btfaddr joins the name of an argument that was split and the name of a part by
 * this.
 */
#define PARTS "__"

/* A program's parameters, and where it reads them: see arguments.c. */
struct fentry_arguments {
	const struct bpf_program *prog;
	const char *prog_name;
	struct fentry_site *sites;
	size_t cnt;
	struct btf *btf;		   /* owned; NULL if not known */
	const struct btf_member *declared; /* NULL: not FENTRY_PROG()'s */
	int cnt_declared;		   /* the return value is behind them */
	bool exit;			   /* there is one */
	__u32 used, asked;		   /* which of them, as bits */
	struct fentry_arguments *next;
};

/**
 * fentry_arguments__init() - Note what the instructions are.
 * @a: the arguments, to be released with fentry_arguments__fini(), also on failure
 * @prog_name: name of the program, to outlive @a
 * @insns: the program, not relocated yet
 * @cnt: number of instructions
 *
 * Return: 0 or -ENOMEM.
 */
int fentry_arguments__init(struct fentry_arguments *a, const char *prog_name,
			   const struct bpf_insn *insns, size_t cnt);

/** fentry_arguments__fini() - Release what it has. @a: the arguments */
void fentry_arguments__fini(struct fentry_arguments *a);

/**
 * fentry_arguments__declare() - Find the parameters that the program declares.
 * @a: the arguments
 * @btf: BTF of the program, which @a owns from now on; may be NULL
 */
void fentry_arguments__declare(struct fentry_arguments *a, struct btf *btf);

/**
 * fentry_arguments__prepare() - Find what the program reads and asks.
 * @a: the arguments
 * @insns: the instructions, relocated
 * @error: see libfentry.h
 *
 * Return: 0, -EINVAL if the object isn't what FENTRY_PROG() makes, -EOPNOTSUPP if
 * the compiler made something of it that can't be placed.
 */
int fentry_arguments__prepare(struct fentry_arguments *a, const struct bpf_insn *insns,
			      struct fentry_error *error);

/**
 * fentry_arguments__name() - Name of a parameter.
 * @a: the arguments
 * @nr: its number
 */
static inline const char *fentry_arguments__name(const struct fentry_arguments *a, int nr)
{
	return btf__name_by_offset(a->btf, a->declared[nr].name_off);
}

/**
 * fentry_arguments__fit() - Has a function what the program reads?
 * @a: the arguments
 * @btf: BTF of the function
 * @type_id: its FUNC
 *
 * Return: 0 if not, 2 if it is also given nothing that the program doesn't declare,
 * else 1.
 */
int fentry_arguments__fit(const struct fentry_arguments *a, const struct btf *btf, __u32 type_id);

/**
 * fentry_arguments__place() - Make the program read a function's arguments.
 * @a: the arguments
 * @target: the function
 * @at_exit: the program runs at its end
 * @insns: the instructions; left half done on failure
 * @error: see libfentry.h
 *
 * Return: 0, or -EINVAL or -ENODATA if it has not all that the program reads.
 */
int fentry_arguments__place(const struct fentry_arguments *a, const struct fentry_target *target,
			    bool at_exit, struct bpf_insn *insns, struct fentry_error *error);

/**
 * fentry_arguments__missing() - Report an argument that a function isn't given.
 * @a: the arguments
 * @nr: the parameter, or the return value
 * @err: -ENODATA, or -EINVAL if it is something else
 * @target: the function
 * @error: a message that also has the function in the source and in BTF
 *
 * Return: @err
 */
int fentry_arguments__missing(const struct fentry_arguments *a, int nr, int err,
			      const struct fentry_target *target, struct fentry_error *error);

/**
 * fentry_arguments__note() - Note what a program's instructions are.
 * @prog: a program of an object that is being opened
 *
 * Return: 0 or -ENOMEM.
 */
int fentry_arguments__note(const struct bpf_program *prog);

/* A section of the library's, and what libbpf shall hand back for its programs. */
struct fentry_handler {
	const char *section;
	long cookie; /* the attach type, and FENTRY_SLEEPABLE */
};

#define FENTRY_SLEEPABLE 0x100
#define FENTRY_INLINED	 0x200 /* a kprobe at each call */
extern const struct fentry_handler fentry_handlers[];
extern const size_t fentry_handler_cnt;

/** fentry_prog__is_inlined() - Has it the section of programs at calls? @prog: the program */
bool fentry_prog__is_inlined(const struct bpf_program *prog);

/** fentry_prog__is_handled() - Has it a section of the library's? @prog: the program */
bool fentry_prog__is_handled(const struct bpf_program *prog);

/** fentry_arguments__of() - What was noted; NULL if nothing was. @prog: the program */
struct fentry_arguments *fentry_arguments__of(const struct bpf_program *prog);

/**
 * fentry_prog__prepare() - Find what a program reads by name.
 * @prog: relocated, and about to be loaded
 * @opts: what with
 * @error: see libfentry.h
 *
 * Return: as fentry_arguments__prepare().
 */
int fentry_prog__prepare(const struct bpf_program *prog, const struct bpf_prog_load_opts *opts,
			 struct fentry_error *error);

/**
 * fentry_prog__place() - Make a prepared program read a function's arguments.
 * @prog: the program
 * @opts: what it is loaded with
 * @target: the function
 * @error: see libfentry.h
 *
 * Return: as fentry_arguments__place(), or -ENOMEM.
 */
int fentry_prog__place(struct bpf_program *prog, const struct bpf_prog_load_opts *opts,
		       const struct fentry_target *target, struct fentry_error *error);

/**
 * fentry_prog__insns_for() - A loaded program's instructions for another function.
 * @prog: the program
 * @target: the function
 * @ret: the instructions, to be released with free(); NULL if they are those that
 *	the program has
 * @error: see libfentry.h
 *
 * Return: as fentry_prog__place().
 */
int fentry_prog__insns_for(const struct bpf_program *prog, const struct fentry_target *target,
			   struct bpf_insn **ret, struct fentry_error *error);

/** fentry_prog__reads_by_name() - Does it? @prog: a loaded program */
bool fentry_prog__reads_by_name(const struct bpf_program *prog);

/**
 * fentry_arguments__at_entry() - Report a return value that is used too early.
 * @a: the arguments
 * @target: the function
 * @error: see libfentry.h
 *
 * Return: -EINVAL
 */
int fentry_arguments__at_entry(const struct fentry_arguments *a, const struct fentry_target *target,
			       struct fentry_error *error);

/** fentry_load_log__start() - Begin to note what libbpf says of a load in this thread. */
void fentry_load_log__start(void);

/**
 * fentry_load_log__stop() - End it.
 * @obj: what was loaded
 *
 * Return: the program that libbpf complained of, or NULL; fentry_load_log() has its log.
 */
struct bpf_program *fentry_load_log__stop(const struct bpf_object *obj);

/** fentry_load_log__set() - Set this thread's log. @text: owned by it now; may be NULL */
void fentry_load_log__set(char *text);

/** fentry_warn() - Say something as libbpf does. @fmt: printf() format */
void __attribute__((format(printf, 1, 2))) fentry_warn(const char *fmt, ...);

/**
 * fentry_section__resolve() - The one function that a program's section means.
 * @prog: the program, whose arguments are prepared
 * @idx: where to look
 * @ret: the function
 * @error: see libfentry.h
 *
 * Return: 0, or as fentry_index__lookup().
 */
int fentry_section__resolve(const struct bpf_program *prog, const struct fentry_index *idx,
			    const struct fentry_target **ret, struct fentry_error *error);

/**
 * fentry_printer__new() - Make what prints the functions of a BTF.
 * @btf: the BTF, which must stay
 * @ret: to be released with fentry_printer__free()
 *
 * Return: 0, -ENOMEM, or what libbpf fails with.
 */
int fentry_printer__new(const struct btf *btf, struct fentry_printer **ret);

/** fentry_printer__free() - Release it. @p: may be NULL */
void fentry_printer__free(struct fentry_printer *p);

/**
 * fentry_printer__print() - Print a function as a C declaration.
 * @p: of the BTF that has it
 * @target: the function
 * @ret: the text, to be released with free()
 *
 * Return: 0, -EINVAL if BTF can't be printed, -ENOMEM.
 */
int fentry_printer__print(struct fentry_printer *p, const struct fentry_target *target, char **ret);

/**
 * fentry_btf__check() - Can the types be followed without looking further?
 * @btf: BTF that nobody may have checked
 * @start: its first type, behind those of the base
 * @path: where it is from, for the message
 * @error: see libfentry.h
 *
 * Return: 0, -EINVAL, -ENOMEM.
 */
int fentry_btf__check(const struct btf *btf, __u32 start, const char *path,
		      struct fentry_error *error);

/* Functions of one BTF object: what one tracing_multi link can have. */
struct fentry_group {
	const struct btf *btf;
	size_t *members; /* positions in the plan's targets */
	size_t cnt;
};

/* How a program is attached to many functions at once: see multi.c. */
struct fentry_plan {
	const struct fentry_target *const *targets;
	size_t cnt;
	char **why;		     /* of each: why it is left out, or NULL */
	struct fentry_group *groups; /* functions of no group are to be alone */
	size_t group_cnt;
};

/**
 * fentry_plan__init() - Plan it, without asking the kernel.
 * @plan: the plan, to be released with fentry_plan__fini()
 * @targets: functions of one index, to outlive the plan
 * @cnt: their number
 * @exit: the program runs at their end
 *
 * Return: 0 or -ENOMEM.
 */
int fentry_plan__init(struct fentry_plan *plan, const struct fentry_target *const *targets,
		      size_t cnt, bool exit);

/**
 * fentry_plan__leave_out() - Note that a function gets no program.
 * @plan: the plan
 * @i: its position
 * @why: a message
 *
 * Return: 0 or -ENOMEM.
 */
int fentry_plan__leave_out(struct fentry_plan *plan, size_t i, const char *why);

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
 * fentry_link__create() - BPF_LINK_CREATE, with attributes that libbpf doesn't know.
 * @attr: of the kernel's union bpf_attr, which may write to it
 * @size: of @attr
 *
 * Return: a file descriptor, or what the kernel says, negative.
 */
int fentry_link__create(void *attr, size_t size);

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
 * @s: what to do
 *
 * Return: 0, or a negative errno that isn't any id's fault.
 */
int fentry_sieve__run(const struct fentry_sieve *s);

/** fentry_number_in() - The number that a file of sysfs has; 0 if it can't be read. */
__u64 fentry_number_in(const char *path);

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

/**
 * fentry_prog__clone_multi() - Load a program once more, for tracing_multi links.
 * @prog: see fentry_prog__clone()
 * @target: one of the functions: decides about the BTF object
 * @ret: file descriptor of the new program, to be closed
 * @error: see libfentry.h
 *
 * Return: 0, or what the kernel refused the program with.
 */
int fentry_prog__clone_multi(const struct bpf_program *prog, const struct fentry_target *target,
			     int *ret, struct fentry_error *error);

#endif /* FENTRY_INTERNAL_H */
