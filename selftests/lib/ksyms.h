/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables of /proc/kallsyms and /proc/kallsyms_btf, ftrace's sites, searches in sorted arrays. */
#ifndef SELFTESTS_KSYMS_H
#define SELFTESTS_KSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

struct ksym {
	__u64 addr;
	char *name;
	char *module;	       /* without brackets; NULL for vmlinux */
	__u32 obj_id, type_id; /* 0 in /proc/kallsyms */
	char type;
};

struct ksyms {
	struct ksym *syms; /* sorted by name, then address */
	size_t cnt;
};

/**
 * ksyms__read() - Read /proc/kallsyms or /proc/kallsyms_btf. ksyms__free() releases *@ret.
 *
 * Return: 0, or a negative errno; -EINVAL for a line of another form.
 */
int ksyms__read(const char *path, struct ksyms *ret);

/** ksyms__read_fd() - Like ksyms__read(), from an open file. */
int ksyms__read_fd(int fd, bool with_ids, struct ksyms *ret);

void ksyms__free(struct ksyms *k);

/** ksyms__find() - All *@cnt symbols of a name. Return: the first of them, or NULL. */
const struct ksym *ksyms__find(const struct ksyms *k, const char *name, size_t *cnt);

/** ksyms__addr() - The address of the symbol of a name; 0 if there is none, or several. */
__u64 ksyms__addr(const struct ksyms *k, const char *name);

/** ksyms__at() - The vmlinux symbol of this name at this address, or NULL. */
const struct ksym *ksyms__at(const struct ksyms *k, const char *name, __u64 addr);

/** ksym__is_text() - Is it a function, or another label in code? */
bool ksym__is_text(const struct ksym *sym);

/** ksym__is_of() - Is it of this module? */
bool ksym__is_of(const struct ksym *sym, const char *module);

/** ksyms__all_hidden() - Is there a symbol, and are all addresses zero? */
bool ksyms__all_hidden(const struct ksyms *k);

/**
 * sorted__range() - Find, as bsearch(), all elements that are equal to a key.
 * @found: set to their number
 *
 * Return: the first of them; NULL if there is none.
 */
const void *sorted__range(const void *key, const void *base, size_t cnt, size_t size,
			  int (*cmp)(const void *, const void *), size_t *found);

/** sorted__cmp_addrs() - Compares two __u64, for qsort() and bsearch(). */
int sorted__cmp_addrs(const void *a, const void *b);

/** sorted__has_addr() - Is this address among them? */
bool sorted__has_addr(const __u64 *addrs, size_t cnt, __u64 addr);

/* The places that ftrace can patch, as tracefs lists them. */
struct sites {
	__u64 *addrs; /* sorted; entries of functions */
	size_t cnt;
	size_t unnamed; /* places that no symbol starts at */
};

/**
 * sites__read() - Read the functions of vmlinux that ftrace can trace, to be released with
 *	sites__free().
 * @syms: /proc/kallsyms
 *
 * Return: 0 or a negative errno; -EINVAL for a line of another form.
 */
int sites__read(const struct ksyms *syms, struct sites *ret);

void sites__free(struct sites *s);

/** sites__has() - Can ftrace trace the function that begins at @addr? */
bool sites__has(const struct sites *s, __u64 addr);

#endif /* SELFTESTS_KSYMS_H */
