/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_STATIC_CALLS_H
#define BTFADDR_STATIC_CALLS_H

#include <elfutils/libdw.h>

#include "elf/elf_file.h"

/**
 * struct static_call - a trampoline of a static call, which is patched at run time
 * @name: of its symbol
 * @addr: its address, which is made up if another file has it
 * @nr_regs: argument registers of all functions that may be patched in; -1 if that isn't known
 * @variadic: these may have more arguments
 * @declared: there is a declaration, which says so
 */
struct static_call {
	const char *name;
	u64 addr;
	int nr_regs;
	bool variadic, declared;
};

/**
 * struct static_calls - all that a file has or refers to
 * @calls: sorted by name
 * @by_addr: address to index + 1
 */
struct static_calls {
	struct static_call *calls;
	size_t nr, cap;
	struct u64map by_addr;
};

/* Is it the name of such a trampoline? */
static inline bool name_is_static_call(const char *name)
{
	return !strncmp(name, "__SCT__", 7);
}

/* List them; free with static_calls_free(). */
void static_calls_list(struct static_calls *calls, const struct elf_file *file);
void static_calls_free(struct static_calls *calls);

/* Number of the static call of this name, from 1 on; 0 if there is none. */
u32 static_calls_find(const struct static_calls *calls, const char *name);

/* The static call at an address, or NULL. */
const struct static_call *static_calls_at(const struct static_calls *calls, u64 addr);

/* Is this the first declaration of number @nr? That one counts. */
bool static_calls_claim(struct static_calls *calls, u32 nr);

/* Number @nr is declared by @die. */
void static_calls_declare(struct static_calls *calls, u32 nr, Dwarf_Die *die);

#endif
