/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The file that "btfaddr --functions" writes, and that a kernel may have one day. It is split BTF
 * on top of the BTF of vmlinux or of a module, with kinds that libbpf before 1.8 doesn't know.
 * Behind the strings, the file says where each call is from. btfaddr(1) describes the file.
 */
#ifndef FENTRY_FUNCTIONS_FILE_H
#define FENTRY_FUNCTIONS_FILE_H

#include "index.h"

/* An entry of a LOCSEC: a place where a function is inlined, or where it begins. */
struct fentry_inline_site {
	__u32 func, loc_proto, offset;
};

/* Kinds that libbpf before 1.8 doesn't know; in kernels that have them, a kind has 7 bits. */
#define FENTRY_LOC_PARAM  20
#define FENTRY_LOC_PROTO  21
#define FENTRY_LOCSEC	  22
#define FENTRY_KIND(info) ((info) >> 24 & 0x7f)
#define FENTRY_VLEN(info) ((info)&0xffffff)

/* A LOCSEC: the sites of one section, sorted by function and offset. */
struct fentry_inline_section {
	const char *name;
	const struct fentry_inline_site *sites;
	size_t cnt;
	size_t first; /* how many are in sections before it */
};

/* Where the call at each site is from; in the order of the sections. */
struct fentry_inline_origin {
	__u32 from; /* another site if it is nested, else a function or 0 */
	__u32 line; /* 0: the place isn't known */
	__u32 file : 30, nested : 1, inexact : 1;
};

/* Code of an inlined function. */
struct fentry_inline_range {
	__u64 start, end;
	__u64 reach; /* where the last of this range and all before it ends */
	size_t site;
};

struct fentry_inline_ranges {
	size_t cnt;
	struct fentry_inline_range list[]; /* by start */
};

/* How often this object's code directly calls a function of its own or of vmlinux. */
struct fentry_inline_called {
	__u32 func, cnt;
};

struct fentry_inline {
	char *path;
	void *data; /* the file, mapped */
	size_t size;
	struct btf *btf;			/* types that libbpf knows, with the module's own */
	struct fentry_inline_section *sections; /* of inlined calls */
	size_t section_cnt, site_cnt;
	struct fentry_inline_section *entries; /* of functions that BTF lacks or is wrong about */
	size_t entry_cnt;		       /* of sections */
	const __u32 **locs;		       /* LOC_PARAMs, LOC_PROTOs and LOCSECs */
	__u32 first_loc, loc_cnt;	       /* id of the first one */
	const __u32 *files;		       /* names of source files; NULL: no origins */
	__u32 file_cnt, called_cnt;
	const struct fentry_inline_called *called; /* functions that have direct calls, by id */
	const __u8 *numbers, *end;		   /* of the origins, as the file has them */
	const __u8 *ranges_end;			   /* of the numbers behind these */
	struct fentry_inline_origin *origins;	   /* NULL: not read yet */
	struct fentry_inline_ranges *ranges;	   /* the same */
};

#define FENTRY_FUNCTIONS ".functions" /* what their names end in */

/*
 * Where they are: in @asked, if it isn't NULL, else beside the kernel's modules, in the cache of
 * the user, and in that of the user who runs this by sudo. Find the folder at a place, from 0, or
 * the file of @object ("vmlinux" or a module), which FENTRY_PLACES and @btf_dir may have, too.
 * Return false if there is none at this place; whether it exists isn't looked at.
 */
#define FENTRY_PLACES 3
bool fentry_functions__folder(const char *asked, unsigned int place, char *ret, size_t size);
bool fentry_functions__path(const char *asked, unsigned int place, const char *object,
			    const char *btf_dir, char *ret, size_t size);

/*
 * Read the inlined calls of @obj from a file, to be released with fentry_inline__free(). Returns 0,
 * -ENOENT, -ESTALE if the file is of another build, -EINVAL, -ENOMEM, or what reading failed with.
 */
int fentry_inline__open(const char *path, const struct fentry_object *obj,
			struct fentry_inline **ret, struct fentry_error *error);

/*
 * Find where each call is from. *@ret belongs to @in, and is NULL if the file doesn't say it.
 * Returns 0, -EINVAL if the file is damaged, or -ENOMEM.
 */
int fentry_inline__origins(const struct fentry_inline *in, const struct fentry_inline_origin **ret,
			   struct fentry_error *error);

/*
 * Find where the code of inlined functions is, in sections of the object whose address is known.
 * *@ret and the return value are as above.
 */
int fentry_inline__ranges(const struct fentry_index *idx, const struct fentry_object *obj,
			  const struct fentry_inline_ranges **ret, struct fentry_error *error);

/* Release what was read; NULL is fine. */
void fentry_inline__free(struct fentry_inline *in);

#endif /* FENTRY_FUNCTIONS_FILE_H */
