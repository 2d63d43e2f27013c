/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_DWARF_DIE_H
#define BTFADDR_DWARF_DIE_H

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "util.h"

/* Tags that LLVM and later versions of GCC use; not every dwarf.h has them. */
#define TAG_LLVM_ANNOTATION 0x6000
#define TAG_GNU_ANNOTATION  0x6001

/*
 * A die without .addr stands for void, or for "none".
 */

/**
 * die_type() - the type that DW_AT_type of a DIE refers to
 * @die: DW_AT_abstract_origin and DW_AT_specification are followed
 * @type_ret: its type, .addr NULL if it has none (void); without _Atomic, which BTF doesn't have
 *
 * Return: 0, or -1 if the attribute leads nowhere.
 */
int die_type(Dwarf_Die *die, Dwarf_Die *type_ret);

/*
 * The key of a DIE in maps: the address of its bytes, which all handles of one ELF file share. The
 * offset is not unique, as .debug_types has offsets of its own.
 */
static inline u64 die_key(const Dwarf_Die *die)
{
	return (uintptr_t)die->addr;
}

/* Name of a DIE, also through DW_AT_abstract_origin; "" if it has none. */
const char *die_name(Dwarf_Die *die);

/* A string attribute of this very DIE, NULL if it has none. */
const char *die_string(Dwarf_Die *die, unsigned int attr);

/* The DIE with the parameter list of the source. Returns 0, or -1 if there is none. */
int die_origin(Dwarf_Die *func, Dwarf_Die *ret);

/* Is the flag attribute set in this DIE, or in its origin? */
bool die_flag(Dwarf_Die *die, unsigned int attr);

/* Unsigned value of a constant attribute of this very DIE; @dflt if not there. */
u64 die_udata(Dwarf_Die *die, unsigned int attr, u64 dflt);

/*
 * Value of a constant that may be negative. Whether a form of fixed size is signed depends on the
 * context (DWARF 5, 7.5.5, class constant); for negative values compilers use DW_FORM_sdata.
 */
int64_t die_sdata(Dwarf_Die *die, unsigned int attr, int64_t dflt);

/* Is a unit written in C? */
bool die_is_c(Dwarf_Die *unit);

/* Is a base type an integer, character or boolean, and not floating point or complex? */
bool die_is_integer(Dwarf_Die *base);

/* First child, or next sibling, of a tag; false if there is none. */
bool die_first(Dwarf_Die *die, unsigned int tag, Dwarf_Die *ret);
bool die_next(Dwarf_Die *die, unsigned int tag, Dwarf_Die *ret);
/* Stands for the tags of parameters and of `...`. */
#define TAG_ANY_PARAM 0

#define for_each_child(parent, tag, child)                            \
	for (bool _more = die_first((parent), (tag), (child)); _more; \
	     _more = die_next((child), (tag), (child)))

/* Number of elements of an array type, all dimensions multiplied; 0: unknown. */
u32 die_nr_elements(Dwarf_Die *array);

/* Where a member of a struct or union is. */
struct member_place {
	u64 bit_off;  /* from the start of the struct */
	u32 bit_size; /* of a bit-field, else 0 */
};

void die_member_place(Dwarf_Die *member, struct member_place *ret);

/**
 * die_declaration() - a function as its source declares it, in C
 * @func: its DIE, concrete or not
 * @variadic: it ends in `...`, which @func's origin need not say
 *
 * Without storage class, attributes and semicolon. Types have the source's names, base
 * types one spelling for all compilers; an array that is a parameter is a pointer.
 *
 * Return: to be freed; NULL if DWARF is damaged.
 */
char *die_declaration(Dwarf_Die *func, bool variadic);

#endif
