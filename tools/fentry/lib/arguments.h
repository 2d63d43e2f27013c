/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Programs of the library's sections, and the arguments that they read by name. */
#ifndef FENTRY_ARGUMENTS_H
#define FENTRY_ARGUMENTS_H

#include "libfentry.h"

/* A section name of the library, and the cookie that libbpf returns for its programs. */
struct fentry_handler {
	const char *section;
	long cookie; /* the attach type, and FENTRY_SLEEPABLE */
};

#define FENTRY_SLEEPABLE 0x100
#define FENTRY_PROBE	 0x200 /* a kprobe at each call */
extern const struct fentry_handler fentry_handlers[];
extern const size_t fentry_handler_cnt;

/* Returns the cookie of the section that a program is in; 0 if it is none of the library's. */
long fentry_prog__cookie(const struct bpf_program *prog);

/* A program's parameters, and where it reads them: see arguments.c. */
struct fentry_arguments {
	const struct bpf_program *prog;
	const char *prog_name;
	struct fentry_site *sites;
	size_t cnt;
	struct btf *btf;		   /* owned; NULL if not known */
	const struct btf_member *declared; /* NULL: not from FENTRY_PROG() */
	int cnt_declared;		   /* the return value is behind them */
	bool exit;			   /* a return value is declared */
	__u32 used, asked;		   /* read, and asked for; a bit for each */
	struct fentry_load *load;	   /* NULL: this library isn't loading the object */
	size_t symbols;			   /* of the function that it is loaded for */
	bool bound;			   /* a binding said the function, not its section */
	char tail_calls[BPF_OBJ_NAME_LEN]; /* the map that has programs for it; "": none */
	struct fentry_arguments *next;
};

/*
 * Note the instructions of a program that isn't relocated yet. @prog_name must outlive @a, which
 * is to be released with fentry_arguments__fini(), also on failure. Returns 0 or -ENOMEM.
 */
int fentry_arguments__init(struct fentry_arguments *a, const char *prog_name,
			   const struct bpf_insn *insns, size_t cnt);

void fentry_arguments__fini(struct fentry_arguments *a);

/* Find the parameters that the program declares in its BTF, which @a owns then; may be NULL. */
void fentry_arguments__declare(struct fentry_arguments *a, struct btf *btf);

/*
 * Find which arguments the program, now relocated, reads and asks for. Returns 0, -EINVAL if it
 * isn't a program of FENTRY_PROG(), -EOPNOTSUPP if the compiler made an instruction that can't be
 * changed.
 */
int fentry_arguments__prepare(struct fentry_arguments *a, const struct bpf_insn *insns,
			      struct fentry_error *error);

/* Returns the name of parameter @nr, or of the return value behind the last one. */
static inline const char *fentry_arguments__name(const struct fentry_arguments *a, int nr)
{
	return btf__name_by_offset(a->btf, a->declared[nr].name_off);
}

/*
 * Does the function of FUNC @type_id have the arguments that the program reads? Returns 0 if not, 2
 * if the program also declares all arguments of the function, else 1.
 */
int fentry_arguments__fit(const struct fentry_arguments *a, const struct btf *btf, __u32 type_id);

/*
 * Make the program, which may run @at_exit of the function, read the function's arguments. Returns
 * 0, or -EINVAL or -ENODATA if the function lacks an argument that the program reads; then @insns
 * are half changed.
 */
int fentry_arguments__place(const struct fentry_arguments *a, const struct fentry_target *target,
			    bool at_exit, struct bpf_insn *insns, struct fentry_error *error);

/* Note the instructions of a program of an object that is being opened. Returns 0 or -ENOMEM. */
int fentry_arguments__note(const struct bpf_program *prog);

/* Returns what was noted of a program; NULL if nothing was. */
struct fentry_arguments *fentry_arguments__of(const struct bpf_program *prog);

/* Find what a program that is about to be loaded reads: see fentry_arguments__prepare(). */
int fentry_prog__prepare(const struct bpf_program *prog, const struct bpf_prog_load_opts *opts,
			 struct fentry_error *error);

/* Make a prepared program read a function's arguments. Returns as above, or -ENOMEM. */
int fentry_prog__place(struct bpf_program *prog, const struct bpf_prog_load_opts *opts,
		       const struct fentry_target *target, struct fentry_error *error);

/*
 * Make a loaded program's instructions for another function, to be released with free(); NULL if
 * the program's own will do. Returns as above.
 */
int fentry_prog__insns_for(const struct bpf_program *prog, const struct fentry_target *target,
			   struct bpf_insn **ret, struct fentry_error *error);

/* Does a loaded program read arguments by name? */
bool fentry_prog__reads_by_name(const struct bpf_program *prog);

#endif /* FENTRY_ARGUMENTS_H */
