/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The index of a kernel's functions, and how functions are found in it. */
#ifndef FENTRY_INDEX_H
#define FENTRY_INDEX_H

#include <pthread.h>

#include "libfentry.h"

/* The printer of fentry_target__prototype() for the functions of one BTF. */
struct fentry_printer;

/* Release a printer; NULL is fine. */
void fentry_printer__free(struct fentry_printer *p);

/* Addresses, the last one included. */
struct fentry_range {
	__u64 first, last;
};

/* vmlinux or a module. */
struct fentry_object {
	char *module; /* NULL for vmlinux */
	struct btf *btf;
	struct fentry_printer *printer;		/* of prototypes; made when needed */
	struct fentry_printer *inlined_printer; /* the same, of functions in @inlined's BTF */
	size_t first, cnt;			/* its targets, before they are sorted */
	bool has_ids;				/* kallsyms_btf has functions of it */
	const struct fentry_coming *coming;	/* if it isn't loaded yet; the caller's */
	struct fentry_inline *inlined;		/* NULL: there is no file of inlined calls */
};

/* Another name of a function. */
struct fentry_alias {
	char *name;
	struct fentry_target func;	    /* as it was when the name was read */
	const struct fentry_target *target; /* once the index is sorted */
};

struct fentry_index {
	struct fentry_object *objects; /* vmlinux first */
	size_t object_cnt;
	struct fentry_target *targets; /* sorted by name, address, id, module */
	size_t cnt;
	struct fentry_alias *aliases; /* sorted by name */
	size_t alias_cnt;
	struct fentry_target *inlined; /* functions in functions files: see inlined/calls.c */
	size_t inlined_cnt;
	struct fentry_target *replacing; /* from functions files, until all is sorted */
	size_t replacing_cnt;
	struct fentry_target *replaced; /* BTF's, instead of which others are listed */
	size_t replaced_cnt;
	char *inline_problem; /* why a file of inlined calls isn't used */
	bool exact;	      /* addresses are from kallsyms_btf */
	bool unverified;      /* trampolines may go by BTF that nobody has verified */
	char *kallsyms_path;
	__u64 text_addr, stext_addr;	/* of _text and _stext: 0 until somebody needs them */
	pthread_mutex_t lock;		/* protects printers and what follows */
	struct fentry_range *no_probes; /* where the kernel allows no probes: see inlined/calls.c */
	size_t no_probe_cnt;
	bool no_probes_read;
	__u64 *starts; /* of all code; see index_at.c */
	size_t start_cnt;
	bool starts_read;
	const struct fentry_target **by_addr; /* functions that have one; NULL: not sorted yet */
	size_t by_addr_cnt;
};

/* Find vmlinux (NULL) or a module. Returns NULL if the index hasn't got it. */
struct fentry_object *fentry_index__object(const struct fentry_index *idx, const char *module);

/* Returns the position of the first of some sorted functions whose name isn't less than @name. */
size_t fentry_targets__lower_bound(const struct fentry_target *targets, size_t cnt,
				   const char *name);

static inline size_t fentry_index__lower_bound(const struct fentry_index *idx, const char *name)
{
	return fentry_targets__lower_bound(idx->targets, idx->cnt, name);
}

/* Sort functions as an index does: by name, address, id, module. */
void fentry_targets__sort(struct fentry_target *targets, size_t cnt);

/* Find a function by its BTF id among functions in the order of ids. Returns NULL without one. */
struct fentry_target *fentry_targets__find_id(struct fentry_target *targets, size_t first,
					      size_t cnt, __u32 id);

/* Find a function that begins at an address: the one of this name; NULL: any. */
const struct fentry_target *fentry_index__begins_at(const struct fentry_index *idx, __u64 addr,
						    const char *name);

/*
 * Find the addresses of all functions of an index, which has no order yet, and put them into order.
 * @ids is the path of kallsyms_btf. Returns 0, or a negative errno: @error says what is wrong.
 */
int fentry_index__read_addresses(struct fentry_index *idx, const char *ids,
				 struct fentry_error *error);

/* Is a function at a position of its index? Those of fentry_index__find_inlined() aren't. */
static inline bool fentry_target__is_listed(const struct fentry_target *target)
{
	const struct fentry_index *idx = target->idx;

	return idx && !(target >= idx->inlined && target < idx->inlined + idx->inlined_cnt);
}

/*
 * The address of a section of vmlinux (NULL) or of a module; 0 if this user can't know it. ".text"
 * alone of vmlinux' sections stays after boot. NULL is all of vmlinux.
 */
__u64 fentry_index__section(const struct fentry_index *idx, const char *module,
			    const char *section);

/* Find where argument @nr is when a function is entered, by BTF's prototype. */
void fentry_target__at_entry(const struct fentry_target *func, __u32 nr,
			     struct fentry_location *ret);

/*
 * Does a user who writes @wanted mean @path, which may be NULL? Paths are relative to the top of
 * the source tree. An absolute one, as addr2line prints it, has more before that.
 */
bool fentry_path__is_meant(const char *path, const char *wanted);

/* Is a function meant, whatever the path in the specification? */
bool fentry_spec__is_candidate(const struct fentry_spec *spec, const struct fentry_target *target);

/* Write the text that fentry_spec__parse() makes @spec of; a longer one than @size is cut. */
void fentry_spec__text(const struct fentry_spec *spec, char *buf, size_t size);

/*
 * Refuse a function that would be a guess. Returns 0, or -ENOTUNIQ if the kernel can't tell the
 * function from others of its name.
 */
int fentry_target__check(const struct fentry_target *target, struct fentry_error *error);

/*
 * Refuse a function that a trampoline isn't for: as above, with -EOPNOTSUPP if its prototype isn't
 * proved, or with -EINVAL if a program can't get its arguments or, @exit, its return value.
 */
int fentry_target__check_fit(const struct fentry_target *target, bool exit,
			     struct fentry_error *error);

/* Report "can't attach to <label>: <reason>". Returns @err, a negative errno. */
int __attribute__((format(printf, 4, 5)))
fentry_target__refuse(const struct fentry_target *target, int err, struct fentry_error *error,
		      const char *fmt, ...);

/* Is the function at @i the same one of the source as one before it? @found: as the index sorts */
bool fentry_targets__is_repeated(const struct fentry_target *const *found, size_t i);

/* How many functions of the source are these? */
size_t fentry_targets__sources(const struct fentry_target *const *found, size_t cnt);

/* Report that a text means several functions. Returns -ENOTUNIQ. */
int fentry_targets__several(const char *text, const struct fentry_target *const *found, size_t cnt,
			    struct fentry_error *error);

/*
 * Append to the message in @error, as far as there is room, the specification of each function of
 * the source that is among candidates; if it is only one, the specification of each symbol.
 */
void fentry_targets__choose(const struct fentry_target **found, size_t cnt,
			    struct fentry_error *error);

#endif /* FENTRY_INDEX_H */
