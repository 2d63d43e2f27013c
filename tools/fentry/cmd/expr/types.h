/* SPDX-License-Identifier: GPL-2.0-only */
/* What the command asks of types in BTF. */
#ifndef FENTRY_TYPES_H
#define FENTRY_TYPES_H

#include <stdbool.h>
#include <stddef.h>

#include "type.h"

/* A type without typedefs and qualifiers. */
__u32 types__skip(const struct btf *btf, __u32 id);

/* The type behind types__skip(). */
const struct btf_type *types__real(const struct btf *btf, __u32 id);

/* Name of a type as it is; "" if it has none. */
const char *types__name(const struct btf *btf, const struct btf_type *t);

/* Slots that a parameter takes: a structure may take two. */
unsigned int types__slots(const struct btf *btf, __u32 id);

/*
 * Are these the characters of a string?
 * @id: type of one
 *
 * It is char, under whatever name, and "unsigned char" by just this name: "u8" are bytes.
 */
bool types__is_text(const struct btf *btf, __u32 id);

/* Is it an integer, an enumeration or a pointer? @t: of types__real() */
bool types__is_number(const struct btf_type *t);

/* Is a number signed? @t: its type, of types__real() */
bool types__is_signed(const struct btf_type *t);

/*
 * Find the type of a number or pointer that is written in C, as "struct file *".
 * @len: how much of @text it is
 *
 * Integers are found by size and sign, as compilers call them differently.
 *
 * Return: its id; 0 if BTF has none.
 */
__u32 types__find(const struct btf *btf, const char *text, size_t len);

/* Name of an enumerator. Return: NULL if there is none. */
const char *types__enumerator(const struct btf *btf, const struct btf_type *t, long long value);

#endif /* FENTRY_TYPES_H */
