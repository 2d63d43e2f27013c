/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_DWARF_DIE_H
#define BTFADDR_DWARF_DIE_H

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "util.h"

/* Of LLVM and later GCC, not in every dwarf.h. */
#define TAG_LLVM_ANNOTATION	0x6000
#define TAG_GNU_ANNOTATION	0x6001

/*
 * A die without .addr stands for void, or for "none".
 */

/**
 * die_type() - the type that DW_AT_type of a DIE refers to
 * @die: DW_AT_abstract_origin and DW_AT_specification are followed
 * @type_ret: its type, .addr NULL if it has none (void)
 *
 * Return: 0, or -1 if the attribute leads nowhere.
 */
int die_type(Dwarf_Die *die, Dwarf_Die *type_ret);

/*
 * What a DIE is known by, in maps: an offset is not enough, as .debug_types has offsets of
 * its own. Handles of one ELF file share its bytes.
 */
static inline u64 die_key(const Dwarf_Die *die)
{
	return (uintptr_t)die->addr;
}

/* Name of a DIE, also through DW_AT_abstract_origin; "" if it has none. */
const char *die_name(Dwarf_Die *die);

/* The DIE with the parameter list of the source. Returns 0, or -1 if there is none. */
int die_origin(Dwarf_Die *func, Dwarf_Die *ret);

/* Is the flag attribute set, here or at the DIE's origin? */
bool die_flag(Dwarf_Die *die, unsigned int attr);

/* Unsigned value of a constant attribute of this very DIE; @dflt if not there. */
u64 die_udata(Dwarf_Die *die, unsigned int attr, u64 dflt);

/*
 * Value of a possibly negative constant. Forms of fixed size have no sign of their own, and
 * compilers use DW_FORM_sdata for what is negative.
 */
int64_t die_sdata(Dwarf_Die *die, unsigned int attr, int64_t dflt);

/* Is a base type an integer, character or boolean, and not floating point or complex? */
bool die_is_integer(Dwarf_Die *base);

/* First child, or next sibling, of a tag; false if there is none. */
bool die_first(Dwarf_Die *die, unsigned int tag, Dwarf_Die *ret);
bool die_next(Dwarf_Die *die, unsigned int tag, Dwarf_Die *ret);

#define for_each_child(parent, tag, child)				\
	for (bool _more = die_first((parent), (tag), (child)); _more;	\
	     _more = die_next((child), (tag), (child)))

/* Number of elements of an array type, all dimensions multiplied; 0: unknown. */
u32 die_nr_elements(Dwarf_Die *array);
/* The same in one dimension. */
u64 die_range_count(Dwarf_Die *range);

/**
 * struct member_place - where a member of a struct or union is
 * @bit_off: from the start of the struct
 * @bit_size: of a bit-field, else 0
 */
struct member_place {
	u64 bit_off;
	u32 bit_size;
};

void die_member_place(Dwarf_Die *member, struct member_place *ret);

#endif
