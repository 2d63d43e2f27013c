/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Programs of the library's sections, and the arguments that they read by name. */
#ifndef FENTRY_ARGUMENTS_H
#define FENTRY_ARGUMENTS_H

#include "libfentry.h"

/* A section of the library's, and what libbpf shall hand back for its programs. */
struct fentry_handler {
	const char *section;
	long cookie; /* the attach type, and FENTRY_SLEEPABLE */
};

#define FENTRY_SLEEPABLE 0x100
#define FENTRY_INLINED	 0x200 /* a kprobe at each call */
extern const struct fentry_handler fentry_handlers[];
extern const size_t fentry_handler_cnt;

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
	struct fentry_load *load; /* NULL: libbpf's own functions load the object, or nobody */
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

/** fentry_arguments__name() - Return the name of parameter @nr. */
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
 * Return: 0 if not, 2 if the program also declares all that the function is given, else 1.
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
 * Return: 0, or -EINVAL or -ENODATA if the function has not all that the program reads.
 */
int fentry_arguments__place(const struct fentry_arguments *a, const struct fentry_target *target,
			    bool at_exit, struct bpf_insn *insns, struct fentry_error *error);

/** fentry_arguments__note() - Note an opened program's instructions. Return: 0 or -ENOMEM. */
int fentry_arguments__note(const struct bpf_program *prog);

/** fentry_arguments__of() - Return what was noted of a program; NULL if nothing was. */
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
 * fentry_prog__insns_for() - Make a loaded program's instructions for another function.
 * @prog: the program
 * @target: the function
 * @ret: the instructions, to be released with free(); NULL if the program's own will do
 * @error: see libfentry.h
 *
 * Return: as fentry_prog__place().
 */
int fentry_prog__insns_for(const struct bpf_program *prog, const struct fentry_target *target,
			   struct bpf_insn **ret, struct fentry_error *error);

/** fentry_prog__reads_by_name() - Does a loaded program read arguments by name? */
bool fentry_prog__reads_by_name(const struct bpf_program *prog);

#endif /* FENTRY_ARGUMENTS_H */
