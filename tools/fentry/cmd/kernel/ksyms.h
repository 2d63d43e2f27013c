/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's functions as symbols, whether or not BTF describes them. */
#ifndef FENTRY_KSYMS_H
#define FENTRY_KSYMS_H

#include <stdbool.h>
#include <stddef.h>

struct ksym {
	unsigned long long addr;
	char *name;
	char *module; /* NULL for vmlinux */
};

struct ksyms {
	struct ksym *syms; /* sorted by address */
	size_t cnt;
	bool hidden; /* all addresses are 0 for this user */
	/* .noinstr.text, and text that is freed after boot; 0: there are no such symbols */
	unsigned long long noinstr_start, noinstr_end;
	unsigned long long init_start, init_end;
};

/* Read the text symbols of /proc/kallsyms, for ksyms__free(), or complain. */
int ksyms__load(struct ksyms **ret);

/* Release symbols. @k: may be NULL */
void ksyms__free(struct ksyms *k);

/*
 * Find the symbol that an address is in.
 * @size: bytes of the symbol, as far as that is known
 *
 * /proc/kallsyms has no sizes: a symbol ends where the next one begins. The last one of
 * its module, or of vmlinux, ends with its page at the latest.
 *
 * Return: the symbol; NULL if the address is in none.
 */
const struct ksym *ksyms__at(const struct ksyms *k, unsigned long long addr,
			     unsigned long long *size);

/* Is it a function of its own, no ".cold" part, padding, or the like? */
bool ksym__is_function(const struct ksym *sym);

/* Is a symbol in text that is freed after boot? */
bool ksyms__is_init(const struct ksyms *k, const struct ksym *sym);

#endif /* FENTRY_KSYMS_H */
