/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_CHECK_H
#define BTFADDR_CHECK_H

#include "btf/btf_image.h"

/**
 * btf_verify() - would a kernel accept this BTF as its own, or as that of a module?
 * @name: of the file, for messages
 *
 * Types of a base are not checked.
 *
 * These are the checks of the kernel's btf_parse_base() and btf_parse_module() in
 * kernel/bpf/btf.c. The kernel does not resolve the types of its own BTF; for types that btfaddr
 * adds, see added_types_check().
 *
 * Return: 0, or -1 after an error message that names the first mistake.
 */
int btf_verify(const struct btf_image *img, const char *name);

/* Check only that the types and strings that its types refer to exist. */
int btf_verify_refs(const struct btf_image *img, const char *name);

/**
 * added_types_check() - which of the added types would be refused?
 * @img: all types; those below @first are assumed to be right
 * @first: id of the first that was added
 *
 * All ids that types refer to must exist. A type is bad if it breaks a rule of the kernel's or of
 * C's, or refers to a bad type.
 *
 * Return: by id - @first, whether the type is bad; the caller frees it.
 */
bool *added_types_check(const struct btf_image *img, u32 first);

/* May a type, member, parameter or enumerator have this name? None may be "". */
bool btf_name_valid(const char *name);

#endif
