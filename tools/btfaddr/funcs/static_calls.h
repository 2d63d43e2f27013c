/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_STATIC_CALLS_H
#define BTFADDR_STATIC_CALLS_H

#include "dwarf/dwarf_die.h"
#include "elf/elf_file.h"

/* A trampoline of a static call, which is patched at run time. */
struct static_call {
	/* Argument registers of all functions that may be patched in; -1 if that isn't known. */
	int nr_regs;
	bool variadic; /* these may have more arguments */
	bool declared; /* there is a declaration, which says both */
};

/* All that a file has or refers to. */
struct static_calls {
	const struct arch *arch; /* of the file */
	struct static_call *calls;
	size_t nr;
	/* to index + 1: an address, made up if it is in another file; hash_str() of a name */
	struct u64map by_addr, by_name;
};

/* Is this the name of a static call's trampoline? */
static inline bool name_is_static_call(const char *name)
{
	return starts_with(name, "__SCT__");
}

/* List the static calls of a file; free with static_calls_free(). */
void static_calls_list(struct static_calls *calls, const struct elf_file *file);
void static_calls_free(struct static_calls *calls);

/* Number of the static call of this name, from 1 on; 0 if there is none. */
u32 static_calls_find(const struct static_calls *calls, const char *name);

/* The static call at an address, or NULL. */
const struct static_call *static_calls_at(const struct static_calls *calls, u64 addr);

/* Is this the first declaration of number @nr? Only the first counts. */
bool static_calls_claim(struct static_calls *calls, u32 nr);

/* Number @nr is declared by @die. */
void static_calls_declare(struct static_calls *calls, u32 nr, Dwarf_Die *die);

#endif
