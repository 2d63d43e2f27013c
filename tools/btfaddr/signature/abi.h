/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_ABI_H
#define BTFADDR_ABI_H

#include "dwarf/dwarf_die.h"

/* What is larger is in memory: psABI 3.2.3, "Classification". */
#define MAX_REG_SIZE 16

enum abi_class {
	ABI_INT,    /* in general purpose registers, if enough are left */
	ABI_MEMORY, /* on the stack */
	ABI_OTHER,  /* floating point, or unknown */
};

/**
 * struct abi_type - how a type is passed as an argument
 * @size: in bytes
 * @aggregate: struct or union; @die is its definition, without typedefs
 * @pointer: a pointer
 */
struct abi_type {
	enum abi_class class;
	u64 size;
	bool aggregate;
	bool pointer;
	Dwarf_Die die;
};

/* Return: 0, or -1 if the type is damaged or unknown. */
int abi_type_read(Dwarf_Die *type, struct abi_type *ret);

/**
 * abi_find_member() - the member of a struct that is exactly these bytes
 * @prefix: put before the member's name, e.g. the parameter's
 * @name_ret: "<prefix>__<member>", of inner structs "<prefix>__<outer>__<member>";
 *	to be freed
 *
 * Return: 0, or -1 if there isn't exactly one such scalar member.
 */
int abi_find_member(const struct abi_type *type, u32 off, u32 size, const char *prefix,
		    char **name_ret, Dwarf_Die *type_ret);

#endif
