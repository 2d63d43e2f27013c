/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module's BTF, by hand: the address of a function "wrong" is that of "right".
 * The assembler makes .rela.BTF of the symbols, and resolve_btfids .BTF_func of that. It is split BTF on a distilled base,
 * so the ids below hold on any kernel.
 *
 * The sections are notes as modpost warns of any other that isn't allocated.
 */
#include "resolver.h"

#define KIND_INT	1
#define KIND_PTR	2
#define KIND_STRUCT	4
#define KIND_FUNC	12
#define KIND_FUNC_PROTO	13
#define KFLAG		1 << 31
#define INT_SIGNED_32	(1 << 24 | 32)

#define BASE_STRS_LEN	5	/* "\0int\0" */
#define NAME_INT	1

.macro header types_len, strs_len
	.short	0xeb9f		/* magic */
	.byte	1, 0		/* version, flags */
	.long	24		/* length of this */
	.long	0, \types_len
	.long	\types_len, \strs_len
.endm

/* The offset of a name. Strings stand behind all types: in the next subsection. */
.macro name text
	.pushsection .BTF, "", @note
	.subsection 1
.Lname\@:
	.asciz	"\text"
	.popsection
	.long	BASE_STRS_LEN + .Lname\@ - .Lstrs
.endm

.macro proto returns, param, param_type
	.long	0, KIND_FUNC_PROTO << 24 | 1, \returns
	name	\param
	.long	\param_type
.endm

.macro struct_of_int text
	name	\text
	.long	KIND_STRUCT << 24 | 1, 4
	name	n
	.long	TYPE_INT, 0
.endm

.macro func text, type, symbol
	name	\text
	.long	KFLAG | KIND_FUNC << 24, \type
	.quad	\symbol
.endm

.macro func_without_address text, type
	name	\text
	.long	KIND_FUNC << 24, \type
.endm

	.section .BTF.base, "", @note
	.balign 4
	header	16, BASE_STRS_LEN
	.long	NAME_INT, KIND_INT << 24, 4, INT_SIGNED_32	/* TYPE_INT */
	.asciz	"", "int"

	.section .BTF, "", @note
	.subsection 1
.Lstrs:
	.subsection 2
.Lstrs_end:
	.subsection 0
	.balign 4
	header	(.Ltypes_end-.Ltypes), (.Lstrs_end-.Lstrs)
.Ltypes:
	.long	0, KIND_PTR << 24, 0				/* TYPE_PTR */
	proto	TYPE_INT, n, TYPE_INT				/* TYPE_CALL */
	proto	0, obj, TYPE_PTR				/* TYPE_RELEASE */
	struct_of_int	resolver_right				/* TYPE_OBJ_RIGHT */
	struct_of_int	resolver_wrong				/* TYPE_OBJ_WRONG */
	func	right, TYPE_CALL, right				/* FUNC_RIGHT */
	func	wrong, TYPE_CALL, right				/* FUNC_WRONG */
	func	kfunc_right, TYPE_CALL, kfunc_right		/* KFUNC_RIGHT */
	func	kfunc_wrong, TYPE_CALL, kfunc_right		/* KFUNC_WRONG */
	func	release_right, TYPE_RELEASE, release_right	/* DTOR_RIGHT */
	func	release_wrong, TYPE_RELEASE, release_right	/* DTOR_WRONG */
	func	alias, TYPE_CALL, alias				/* FUNC_ALIAS: of right */
	func_without_address right, TYPE_CALL			/* FUNC_NOWHERE */
.Ltypes_end:

	.section .note.GNU-stack, "", @progbits
