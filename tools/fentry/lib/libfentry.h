/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * libfentry: attach BPF programs to kernel functions by identity, not by name.
 *
 * A kernel with CONFIG_DEBUG_INFO_BTF_FUNC_ADDR has one BTF FUNC for each function *instance*, and
 * knows its address. A program that is loaded with this FUNC's id attaches to this instance and to
 * no other one of the same name. The library finds the id for a specification, such as "name",
 * "name@map_iter.c" or "module:#4711"; fentry(1) says what each means.
 *
 * A function of the source is a base name (the symbol's name up to its first dot) in one file. It
 * can have several symbols: "foo" and copies of it that the compiler made ("foo.constprop.0"), or
 * copies of a header's function in several units.
 *
 * Other kernels have at most one FUNC for each name. A name that several functions have is refused
 * there.
 *
 * Conventions: functions return 0 or a negative errno, and describe a failure in *error, which may
 * be NULL and is untouched on success. Out parameters come before @error and are written only on
 * success, unless said otherwise. An array in *@ret has @cnt elements, and is to be released with
 * free(). A text for @buf that is longer than @size is cut. @opts may be NULL. A parameter is
 * described below only if its name doesn't say all. Only libbpf prints anything. Threads can share
 * an index.
 *
 * Options are declared as LIBBPF_OPTS(fentry_index_opts, opts, .btf_dir = "/tmp/btf"). A program
 * may have been compiled for an older or a newer library. Options that it doesn't know have their
 * default. A function returns -EINVAL if an option is set that it doesn't know. Only the library
 * makes struct fentry_target and struct fentry_inlined_call: later versions may add members at
 * their ends. Other structures stay as they are.
 *
 * Any function that returns errors may return -ENOMEM. Three errors say what is missing: -ENOENT, a
 * function that matches the specification; -ENODATA, an argument that the program uses, or a file
 * of inlined calls; -ESTALE, the function's module, which has been removed since the index was
 * opened.
 */
#ifndef LIBFENTRY_H
#define LIBFENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#ifdef __cplusplus
extern "C" {
#endif
/* The library hides all other functions. */
#pragma GCC visibility push(default)

/* What went wrong: one line, without newline, that names the input. */
struct fentry_error {
	int err; /* negative errno, as returned */
	char msg[1024];
	const struct bpf_program *prog; /* whose target kept an object from being loaded; or NULL */
};

struct fentry_index;

/* One function of the running kernel. All pointers belong to the index. */
struct fentry_target {
	const char *name;   /* symbol name, suffixes included */
	const char *unit;   /* NULL: not known; BTF has it for ambiguous names only */
	const char *module; /* NULL for vmlinux */
	__u64 addr;	    /* 0: not known, or hidden from this user */
	__u32 obj_id;	    /* id of the BTF object; 0 if not known */
	__u32 type_id;	    /* id of the FUNC in it */
	__u32 same_name;    /* over 1: so many functions have the name, and can't be told apart */
	const struct btf *btf;	  /* that has the FUNC: vmlinux's, or a module's split BTF */
	struct fentry_index *idx; /* that has the function; NULL: none */
	const char *source; /* declaration in the source, if BTF says that it differs; or NULL */
	const char *file;   /* that defines it; NULL if not known */
	bool shares_name;   /* the kernel's BTF says that other symbols have its base name */
	bool by_probe;	    /* see fentry_target__by_probe() */
	/* how the prototype that the kernel's BTF has differs; NULL: it isn't known to */
	const char *untrue;
};

/* Where BTF has a part of a parameter: between the parameter's name and the name of the part. */
#define FENTRY_PARTS "__"

/* A parsed target specification. */
struct fentry_spec {
	char *module; /* NULL: any, or vmlinux if id is set */
	char *name;   /* name or glob; NULL if id is set */
	char *unit;   /* tail of the unit's path; NULL: any */
	__u32 id;     /* BTF id; 0 if name is set */
	bool glob;    /* may match several */
	bool exact;   /* name is a symbol's name, not also a base name */
};

/* Length of a symbol's base name, which ends before its first dot. */
size_t fentry_symbol__base_len(const char *name);

/*
 * Is a symbol a part of a function, such as "foo.part.0"?
 *
 * Symbols without suffix, and copies of functions such as "foo.constprop.0.isra.0", aren't.
 */
bool fentry_symbol__is_piece(const char *name);

/*
 * Parse a target specification, to be released with fentry_spec__clear().
 *
 * Return: 0, or -EINVAL if @text isn't a specification.
 */
int fentry_spec__parse(const char *text, struct fentry_spec *ret, struct fentry_error *error);

/* Release a specification, which may be zeroed or cleared already. */
void fentry_spec__clear(struct fentry_spec *spec);

/*
 * Does a specification mean this function?
 * @target: the function, which need not be in an index: only name, unit, file, module and type_id
 *	are read
 *
 * The path in @spec may be that of the unit, or that of the file that defines the function. The
 * index prefers units.
 */
bool fentry_spec__match(const struct fentry_spec *spec, const struct fentry_target *target);

/* A module that isn't loaded yet. */
struct fentry_coming {
	const char *module;
	/* Of its file, with BTF, which isn't compressed. Or of BTF, and it has no functions file. */
	const char *path;
};

/* Where an index comes from; NULL members stand for the running kernel. */
struct fentry_index_opts {
	size_t sz;		   /* see LIBBPF_OPTS() */
	const char *btf_dir;	   /* default /sys/kernel/btf */
	const char *ids_path;	   /* default /proc/kallsyms_btf */
	const char *kallsyms_path; /* default /proc/kallsyms */
	/*
	 * Folder of functions files, or one such file, as of --functions in fentry(1). Default: the
	 * folders under FILES there, where they may be missing.
	 */
	const char *functions_path;
	/*
	 * Attach trampolines by prototypes that nobody has verified, see
	 * fentry_target__why_probe(). A false one can break the kernel.
	 */
	bool unverified;
	/* whose functions are traced from the first call on: see fentry_target__is_coming() */
	const struct fentry_coming *coming;
	size_t coming_cnt;
};

/*
 * Read all functions that the kernel's BTF describes.
 * @opts: other files to read, for tests; NULL for the running kernel
 * @ret: the index, to be released with fentry_index__free()
 *
 * These are the functions of vmlinux and of the modules that are loaded at the moment. Without
 * /proc/kallsyms_btf, addresses come from /proc/kallsyms: see fentry_index__is_exact().
 *
 * Return: 0, -EOPNOTSUPP if the kernel lacks BTF or kallsyms, -EINVAL if a file is
 * malformed or of another kernel, or what opening one failed with.
 */
int fentry_index__open(const struct fentry_index_opts *opts, struct fentry_index **ret,
		       struct fentry_error *error);

/* Release an index and all its targets; NULL is fine. */
void fentry_index__free(struct fentry_index *idx);

/* Can /proc/kallsyms_btf tell functions of one name apart? */
bool fentry_index__is_exact(const struct fentry_index *idx);

/*
 * The function that an address is in.
 * @addr: what bpf_get_func_ip() returns, or an entry of a stack; of a return address, subtract 1
 *
 * Return: the function; NULL if the index hasn't got it, as parts such as foo.cold and functions
 * that BTF doesn't describe, or if addresses are hidden from this user.
 */
const struct fentry_target *fentry_index__at(const struct fentry_index *idx, __u64 addr);

/* Number of its functions. */
size_t fentry_index__cnt(const struct fentry_index *idx);

/*
 * One of all functions.
 * @idx: the index, which owns it
 * @i: its position: functions are sorted by name, then by address and id
 *
 * Return: the function, or NULL if there are no more. Pointers compare as positions do.
 */
const struct fentry_target *fentry_index__target(const struct fentry_index *idx, size_t i);

/*
 * Find every function that a specification matches.
 * @ret: the functions in the index's order, at least one
 *
 * Return: 0, -ENOENT if there is none, -ENOTUNIQ if a path is asked for and the unit of a function
 * of the name isn't known, or the kernel can't tell these functions apart.
 */
int fentry_index__find(const struct fentry_index *idx, const struct fentry_spec *spec,
		       const struct fentry_target ***ret, size_t *cnt, struct fentry_error *error);

/*
 * As fentry_index__find(), but refuse to guess.
 * @ret: several if one function of the source has several symbols, or @spec is a glob
 *
 * If one function of a name has an address, functions of this name without address are no
 * candidates: the kernel would refuse them.
 *
 * Return: 0, -ENOENT, or -ENOTUNIQ if @spec is no glob and means several functions of the source,
 * or one that the kernel can't tell from others of its name. -ENOTUNIQ may set *@ret and *@cnt to
 * the candidates: initialize both. Candidates whose same_name is over 1 can't be chosen.
 */
int fentry_index__resolve(const struct fentry_index *idx, const struct fentry_spec *spec,
			  const struct fentry_target ***ret, size_t *cnt,
			  struct fentry_error *error);

/*
 * Find the one symbol that a text means.
 * @ret: the function, which belongs to the index
 * @error: if several functions match, says what to write for each
 *
 * Return: 0, -EINVAL, -ENOENT, or -ENOTUNIQ if there are several, or it is refused.
 */
int fentry_index__lookup(const struct fentry_index *idx, const char *text,
			 const struct fentry_target **ret, struct fentry_error *error);

/*
 * One of the FUNCs of BTF that are no functions of the index.
 * @i: from 0
 *
 * On a kernel without /proc/kallsyms_btf, these are FUNCs that say the same as another one, and
 * those instead of which the functions file has functions: see fentry_target__by_probe().
 *
 * Return: the FUNC, which belongs to the index, or NULL if there are no more.
 */
const struct fentry_target *fentry_index__replaced(const struct fentry_index *idx, size_t i);

/*
 * Are BTF's prototypes known to be those of the functions?
 * @module: a module's name, or NULL for vmlinux
 *
 * Return: true if BTF has addresses, or a functions file says which prototypes are false.
 */
bool fentry_index__is_verified(const struct fentry_index *idx, const char *module);

/* Does the index have a file of inlined calls? */
bool fentry_index__has_inlined(const struct fentry_index *idx);

/* Why a file of inlined calls isn't used, or NULL; @idx has it */
const char *fentry_index__inline_problem(const struct fentry_index *idx);

/*
 * Which objects may have unknown inlined calls of a function?
 * @target: a function of an index with fentry_index__has_inlined(), or of
 *	fentry_index__find_inlined()
 * @i: from 0
 *
 * Return: the name of an object without a file, its own or, if a header defines it, any; NULL if
 * there are no more.
 */
const char *fentry_target__inlined_unknown(const struct fentry_target *target, size_t i);

/*
 * A place where a call of a function was inlined: no program that is attached to the function sees
 * this call. All pointers belong to the index. What isn't known is NULL.
 */
struct fentry_inlined_call {
	const struct fentry_target *func; /* the called function, with the source's types */
	const char *caller;		  /* the function that has the call in its source */
	const char *symbol;		  /* the function whose code has the place */
	const char *file;		  /* of the call in the source */
	__u32 line;
	bool inexact;		/* some calls in this place may not pass its first instruction */
	const char *module;	/* that has the code; NULL for vmlinux */
	const char *section;	/* that has the code, such as ".text" */
	__u32 offset;		/* of the first instruction in the section */
	__u64 addr;		/* of that instruction; 0: not known, or hidden from this user */
	const __u32 *locations; /* see fentry_inlined_call__location() */
};

/*
 * How many calls of a function are inlined; 0 if nothing is known.
 * @target: a function of an index, or of fentry_index__find_inlined()
 */
size_t fentry_target__inlined_cnt(const struct fentry_target *target);

/*
 * How many instructions call a function directly, or jump to it?
 * @target: as above
 * @ret: their number in the code of vmlinux and modules that have a file; calls by pointers and
 *	inlined calls don't count, nor those by a module under a name that vmlinux's BTF lacks, or
 *	has several times
 *
 * Return: true if the number is known: the function's own object has a file.
 */
bool fentry_target__direct_cnt(const struct fentry_target *target, size_t *ret);

/*
 * Has the kernel's BTF no FUNC that is this function's alone, or a false one?
 * @target: a function of an index
 *
 * Its prototype is in the functions file then, and type_id is no id of the kernel's. Everything
 * that would attach a trampoline refuses it with -EOPNOTSUPP.
 */
bool fentry_target__by_probe(const struct fentry_target *target);

/* The reason if nobody has verified BTF's prototype. */
#define FENTRY_UNVERIFIED "its arguments are as BTF says, which nobody has verified"

/*
 * Why is a function for probes, and not for a trampoline?
 * @exit: the program runs at the function's exit
 *
 * A trampoline by a false prototype breaks the function, and some of them the kernel. So BTF's
 * prototype must be proved: BTF has addresses, or a functions file doesn't call it false. And it
 * must be fit, see fentry_target__unfit(). fentry_target__entry() says where a probe belongs.
 *
 * Return: the reason, such as FENTRY_UNVERIFIED or "has more than 12 arguments"; NULL if a
 * trampoline will do.
 */
const char *fentry_target__why_probe(const struct fentry_target *target, bool exit);

/*
 * Is a function in a module that wasn't loaded when the index was opened?
 *
 * It has no address. fentry_multi__attach_inlined() makes an event of tracefs for its entry, which
 * the kernel arms before the module's init function runs. The program must have no
 * expected_attach_type then.
 */
bool fentry_target__is_coming(const struct fentry_target *target);

/*
 * Where a function begins, for a probe.
 * @ret: the entry, for fentry_inlined_call__location() and fentry_multi__attach_inlined(); its
 *	section is NULL, and its func is @target. Arguments are where the functions file has them,
 *	or else where the calling convention has those of BTF's prototype
 */
void fentry_target__entry(const struct fentry_target *target, struct fentry_inlined_call *ret);

/*
 * Where calls of a function are inlined.
 * @ret: the calls, maybe none; free() releases them with the array
 *
 * Return: 0, or -EINVAL if a file of inlined calls is damaged.
 */
int fentry_target__inlined_calls(const struct fentry_target *target,
				 const struct fentry_inlined_call ***ret, size_t *cnt,
				 struct fentry_error *error);

/* Where an argument of an inlined call is, just before the first instruction runs. */
enum fentry_place {
	FENTRY_UNKNOWN,
	FENTRY_VALUE,	  /* the argument is offset */
	FENTRY_REGISTER,  /* the argument is reg's value, plus offset */
	FENTRY_REGISTERS, /* the low half is in reg, the high half in high */
	FENTRY_MEMORY,	  /* the argument is at the address in reg, plus offset */
};

struct fentry_location {
	enum fentry_place place;
	__u32 size;	 /* bytes of the argument */
	__u32 reg, high; /* as DWARF numbers them */
	__s64 offset;
};

/*
 * Where is an argument of an inlined call?
 * @nr: position of the parameter in the called function, from 0
 */
void fentry_inlined_call__location(const struct fentry_inlined_call *call, __u32 nr,
				   struct fentry_location *ret);

/* A function that is inlined around an address. The index has its name. */
struct fentry_inlined_frame {
	const char *name, *file; /* of the function, and of its call; NULL: not known */
	__u32 line;
};

/*
 * Which functions are inlined around an address?
 * @addr: of an instruction; of a call that returns to an address, this minus 1
 * @ret: room for @max of them, the innermost first; modules are where they were at the first use
 *
 * Return: how many there are, even above @max; 0 also if no functions file says it; -EINVAL if one
 * is damaged.
 */
int fentry_index__inlined_at(const struct fentry_index *idx, __u64 addr,
			     struct fentry_inlined_frame *ret, int max, struct fentry_error *error);

/* Say where an inlined call is, as "CALLER, FILE:LINE". */
void fentry_inlined_call__where(const struct fentry_inlined_call *call, char *buf, size_t size);

/*
 * Why can no program be attached to an inlined call?
 *
 * Only root can read the kernel's list, /sys/kernel/debug/kprobes/blacklist. The list isn't
 * complete: the kernel may refuse a probe at other places, too.
 *
 * Return: the reason, such as "is on the kernel's list of code without probes", or NULL.
 */
const char *fentry_inlined_call__unfit(const struct fentry_inlined_call *call);

/*
 * Find functions that no program can be attached to: all of their calls are inlined, or BTF doesn't
 * describe their code.
 * @spec: their name; with an id, none is found
 * @ret: the functions, maybe none; they have no address and no position in the index, and a unit
 *	only if all their calls are in it
 */
int fentry_index__find_inlined(const struct fentry_index *idx, const struct fentry_spec *spec,
			       const struct fentry_target ***ret, size_t *cnt);

/*
 * Refuse a name that means several functions of the source, if those that are only inlined count,
 * too.
 *
 * Return: 0, also if no function has the name; -ENOTUNIQ, and @error says what to write for each.
 */
int fentry_index__check_inlined(const struct fentry_index *idx, const struct fentry_spec *spec,
				struct fentry_error *error);

/*
 * Write the specification that means this symbol alone.
 * @target: a function at a position of an index
 * @buf: receives "name", "name@unit", "module:name", "module:name@unit", each also with "=" before
 *	the name, or "module:#id", the first that is unique ("#id" in vmlinux)
 */
void fentry_target__spec(const struct fentry_target *target, char *buf, size_t size);

/*
 * Write the specification that means all symbols of the function of the source that a symbol
 * belongs to.
 * @target: as above
 * @buf: receives the specification, or that of the symbol if there is none of the function
 *
 * Return: false if @buf has that of the symbol.
 */
bool fentry_target__function_spec(const struct fentry_target *target, char *buf, size_t size);

/*
 * Are two functions, which may be inlined only, one function of the source?
 *
 * Return: true only if that is known.
 */
bool fentry_target__same_source(const struct fentry_target *a, const struct fentry_target *b);

/*
 * Do several functions of the source share its base name?
 *
 * If the file that defines one of them isn't known, they do.
 */
bool fentry_target__is_ambiguous(const struct fentry_target *target);

/*
 * Write the specification to be offered for a candidate.
 * @found: candidates that fentry_index__resolve() refused to choose from
 * @i: position of the candidate
 * @buf: receives the specification of its function of the source; if all candidates are one such
 *	function, that of the symbol
 *
 * Return: false if nothing is to be offered: an earlier candidate has the same specification, or
 * the kernel can't tell the candidate from others.
 */
bool fentry_targets__choice(const struct fentry_target *const *found, size_t cnt, size_t i,
			    char *buf, size_t size);

/*
 * Find the parts that the compiler split off a function.
 * @ret: the parts that BTF describes, such as foo.part.0, maybe none
 */
int fentry_target__pieces(const struct fentry_target *target, const struct fentry_target ***ret,
			  size_t *cnt);

/*
 * Get another name of a function.
 * @target: of an index
 * @i: which one, from 0
 *
 * Return: a name that fentry_index__find() takes, which belongs to the index, or NULL if there are
 * no more. Without /proc/kallsyms_btf, no other names are known.
 */
const char *fentry_target__alias(const struct fentry_target *target, size_t i);

/* Longest text of fentry_target__label(). */
#define FENTRY_LABEL_MAX 768

/*
 * What messages call a function.
 * @buf: receives "name", "name@unit", "module:name" or "module:name@unit", the first that no other
 *	symbol has, or "module:name@unit#id" if only an id is unique; "module:name@unit", as far as
 *	known, if it is at no position of an index
 */
void fentry_target__label(const struct fentry_target *target, char buf[FENTRY_LABEL_MAX]);

/*
 * The function's declaration in C, on one line.
 * @ret: the text without semicolon, to be released with free()
 *
 * Return: 0, or -EINVAL if BTF can't be printed.
 */
int fentry_target__prototype(const struct fentry_target *target, char **ret,
			     struct fentry_error *error);

/*
 * Why can't a program be given a function's arguments?
 * @exit: the program runs at the function's exit
 *
 * Return: the reason, a limit of BPF trampolines, such as "has more than 12 arguments", or NULL.
 */
const char *fentry_target__unfit(const struct fentry_target *target, bool exit);

/*
 * Get the attach_btf_obj_fd for BPF_PROG_LOAD.
 * @ret: file descriptor of the BTF object, to be closed; 0 for vmlinux, which needs none
 *
 * Return: 0, -EPERM without CAP_SYS_ADMIN (for modules), -ESTALE.
 */
int fentry_target__btf_fd(const struct fentry_target *target, int *ret, struct fentry_error *error);

/*
 * Make libbpf load programs with targets of this library.
 *
 * Takes over SEC("fentry"), SEC("fexit"), SEC("fmod_ret"), these with ".s", and
 * SEC("fentry.probe"), alone and with "/SPECIFICATION", of all BPF objects that the process opens
 * from now on. If a specification means several functions of the source and is no glob, the program
 * gets the one that has the arguments that it uses, see fentry.bpf.h; of several, the one that has
 * only arguments that it declares. If this function has several symbols, the program is loaded for
 * the first that has these arguments, and only fentry_prog__attach_section() attaches it: libbpf's
 * functions would miss calls, and fail.
 *
 * Must be called once, before bpf_object__open(); further calls do nothing. Thread-safe as long as
 * nobody else registers libbpf handlers at the same moment.
 *
 * libbpf's own functions can load such an object, too. Then an index is opened for each program,
 * and libbpf's print function gets the errors.
 *
 * Return: 0 or libbpf's error.
 */
int fentry_register(struct fentry_error *error);

/* Says what a program of a BPF object shall be attached to. */
struct fentry_binding {
	const struct bpf_program *prog;
	const struct fentry_target *target;
};

/*
 * bpf_object__load() with attach targets.
 * @obj: object opened after fentry_register()
 * @idx: where section names are looked up; NULL opens one if needed
 * @bindings: targets that override section names; a program with several targets gets the first one
 *	that has the arguments that the program uses
 *
 * A program of FENTRY_PROG() (see fentry.bpf.h) is changed to read its arguments where the target
 * has them.
 *
 * As with bpf_object__load(), an object that failed to load can only be closed, and its programs'
 * log buffers and libbpf's messages are the same. The message in @error has the program's name and
 * the last line of the verifier's log; fentry_load_log() has the whole log.
 *
 * Return: 0, the error that the kernel refused the program with, an error of fentry_index__lookup()
 * for a section name, -ENODATA if the target lacks an argument that the program uses, -EINVAL if
 * that argument has another type, or -ESTALE. @error says which program's target is to blame.
 */
int fentry_object__load(struct bpf_object *obj, struct fentry_index *idx,
			const struct fentry_binding *bindings, size_t cnt,
			struct fentry_error *error);

/*
 * fentry_object__load() for a bpftool skeleton.
 * @skel: the skeleton's member "skeleton"
 */
int fentry_skeleton__load(struct bpf_object_skeleton *skel, struct fentry_index *idx,
			  const struct fentry_binding *bindings, size_t cnt,
			  struct fentry_error *error);

/*
 * The verifier's log of the last object or program that this thread loaded with this library,
 * whether it has a log buffer or not; valid until the thread loads again. "" if there is none.
 */
const char *fentry_load_log(void);

/*
 * Load a loaded program once more, for another target.
 * @prog: a program of a loaded object, licensed as GPL; maps are shared
 * @ret: file descriptor of the new program, to be closed
 *
 * Return: as fentry_object__load(); -ENOTUNIQ if the kernel can't tell the target from others of
 * its name.
 */
int fentry_prog__clone(const struct bpf_program *prog, const struct fentry_target *target, int *ret,
		       struct fentry_error *error);

/*
 * Attach a loaded program to the target that it was loaded for.
 * @idx: index that names the target in the error message
 * @type: BPF_TRACE_FENTRY or BPF_TRACE_FEXIT
 * @cookie: what bpf_get_attach_cookie() returns in the program
 * @ret: file descriptor of the link; closing it detaches
 *
 * Return: 0 or what the kernel refused the link with, see fentry_prog__attach_error().
 */
int fentry_prog__attach(const struct fentry_index *idx, int prog_fd, enum bpf_attach_type type,
			__u64 cookie, int *ret, struct fentry_error *error);

/* The function of the index that a program was loaded for, or NULL. */
const struct fentry_target *fentry_prog__target(const struct fentry_index *idx, int prog_fd);

/*
 * Say why a program couldn't be attached. Return: @err.
 * @idx: index that has its target
 * @err: the negative errno that bpf_program__attach() or the like gave
 *
 * Seeing that the program is attached already takes CAP_SYS_ADMIN.
 */
int fentry_prog__attach_error(const struct fentry_index *idx, int prog_fd, int err,
			      struct fentry_error *error);

/*
 * Can one tracing_multi link have many functions (Linux 7.3, x86-64)?
 *
 * Return: true if so, and this process may load programs. The kernel is asked once.
 */
bool fentry_has_multi(void);

/* The same: can one kprobe_multi link have probes at any addresses (BPF_F_KPROBE_MULTI_ANY)? */
bool fentry_has_probe_links(void);

/* As above, at entries or returns of functions (CONFIG_FPROBE)? */
bool fentry_has_entry_links(void);

/* BPF_TRACE_KPROBE_SESSION, which stock headers lack. */
#define FENTRY_KPROBE_SESSION 56

/* As above, at both, for FENTRY_KPROBE_SESSION (Linux 6.10)? */
bool fentry_has_session_links(void);

/* What is attached, to be detached with fentry_multi__free(). */
struct fentry_multi;

struct fentry_multi_opts {
	size_t sz; /* see LIBBPF_OPTS() */
	/*
	 * Called before each try to make a link for one function or for inlined calls, as that
	 * takes time; @done tries came before. If it returns false, what the link would have is
	 * left out.
	 */
	bool (*go_on)(void *ctx, size_t done);
	void *ctx;
	bool all_or_none; /* if one is left out, all are */
	bool exit;	  /* entries: the program runs when the function returns instead */
	/* Leave out what this, attached to the same ones, has left out. */
	const struct fentry_multi *like;
};

/*
 * Attach a program to many functions.
 * @prog: a fentry or fexit program of a loaded object, licensed as GPL; it is loaded once more,
 *	sharing the maps
 * @targets: functions of one index, each given once; the array must outlive what is returned
 *
 * bpf_get_attach_cookie() returns the function's position in @targets. If fentry_has_multi(), a
 * program that reads arguments with bpf_get_func_arg() and the like gets one link for vmlinux and
 * for each module. One that reads its context, or is of FENTRY_PROG(), is loaded for each function,
 * with the function's types. Functions that it can't be attached to, or that lack its arguments,
 * are left out; so is the second of two names of one function.
 *
 * Return: 0, even if all functions are left out. On -EPERM, -ENOMEM, or another failure that isn't
 * a function's fault, nothing is attached.
 */
int fentry_multi__attach(const struct bpf_program *prog, const struct fentry_target *const *targets,
			 size_t cnt, const struct fentry_multi_opts *opts,
			 struct fentry_multi **ret, struct fentry_error *error);

/*
 * How many symbols has the function that a program was loaded for? 1 if a binding said the target;
 * 0 if none was found yet.
 */
size_t fentry_prog__symbol_cnt(const struct bpf_program *prog);

/*
 * Attach a program of SEC("fentry/name") and the like to each symbol of the function that its
 * section names.
 * @prog: a program of an object that was loaded without a binding for it, licensed as GPL
 * @idx: the index, which must outlive what is returned
 *
 * Return: as fentry_multi__attach(); an error of fentry_index__resolve().
 */
int fentry_prog__attach_section(const struct bpf_program *prog, const struct fentry_index *idx,
				const struct fentry_multi_opts *opts, struct fentry_multi **ret,
				struct fentry_error *error);

/*
 * Attach a program to inlined calls.
 * @prog: a loaded program of type BPF_PROG_TYPE_KPROBE, with expected_attach_type
 *	BPF_TRACE_KPROBE_MULTI if fentry_has_probe_links(), or fentry_has_entry_links() and all
 *	calls are entries: then all have one link. Else it is 0, and each has its own link. With
 *	FENTRY_KPROBE_SESSION, it runs at the entries and at the returns
 * @calls: the calls, or entries of functions (fentry_target__entry()), of one index
 *
 * The program runs just before the first instruction of a call, with the registers as its context:
 * fentry_inlined_call__location() says where the arguments are. bpf_get_attach_cookie() returns the
 * call's position in @calls. Calls where the kernel allows no probe are left out: it doesn't
 * instrument their code, or patches it itself. If opts.all_or_none leaves all out for that,
 * fentry_multi__why() has the reason for at least one.
 *
 * Return: as fentry_multi__attach(); -ENODATA if the address of a call isn't known.
 */
int fentry_multi__attach_inlined(const struct bpf_program *prog,
				 const struct fentry_inlined_call *const *calls, size_t cnt,
				 const struct fentry_multi_opts *opts, struct fentry_multi **ret,
				 struct fentry_error *error);

/*
 * Attach a program of SEC("fentry.probe/name") to all calls.
 * @obj: the object, loaded
 * @prog: a program of FENTRY_PROBE_PROG() in fentry.bpf.h; another program in this section gets
 *	the registers as its context, and no arguments
 * @spec: the function, written as in a section; NULL: the one in the program's section
 * @idx: the index, which must outlive what is returned
 *
 * That is to the function itself and to each place where it is inlined. A place is left out if the
 * kernel allows no probe there, or if it isn't known where an argument is that the program
 * declares.
 *
 * Return: as fentry_multi__attach_inlined(); -ENOENT if no function has the name, -ENODATA if it
 * isn't known which calls are inlined, -EINVAL if an argument has another type.
 */
int fentry_prog__attach_calls(const struct bpf_object *obj, const struct bpf_program *prog,
			      const char *spec, const struct fentry_index *idx,
			      const struct fentry_multi_opts *opts, struct fentry_multi **ret,
			      struct fentry_error *error);

/*
 * Why was the function, or inlined call, at position @i left out?
 *
 * Return: a message, as of struct fentry_error, which belongs to @m; NULL if the program is
 * attached there.
 */
const char *fentry_multi__why(const struct fentry_multi *m, size_t i);

/* By what is it attached? A word as "trampoline"; NULL: it was left out. */
const char *fentry_multi__by(const struct fentry_multi *m, size_t i);

/* Number of functions or calls that were given. */
size_t fentry_multi__cnt(const struct fentry_multi *m);

/* Number of functions or calls that have the program. */
size_t fentry_multi__attached(const struct fentry_multi *m);

/* Number of links. */
size_t fentry_multi__links(const struct fentry_multi *m);

/* Detach one link, to show progress. Return: false: there is none. */
bool fentry_multi__detach_one(struct fentry_multi *m);

/*
 * Calls that came while the program was running.
 * @m: what is attached; links that are detached don't count
 *
 * While a program runs on a CPU, the kernel doesn't run it again there, whichever function is
 * called. Nor does it run a probe within another one; before Linux 6.7, it doesn't count these.
 */
unsigned long long fentry_multi__missed(const struct fentry_multi *m);

/* Does the kernel count the calls that probes missed (6.7)? */
bool fentry_multi__tells_missed(const struct fentry_multi *m);

/* Detach and release. @m: may be NULL */
void fentry_multi__free(struct fentry_multi *m);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* LIBFENTRY_H */
