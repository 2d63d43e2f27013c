/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * BTF by hand, for the assembler. It is split BTF on a distilled base that has only int, so the ids
 * are right on any kernel. The assembler doesn't know addresses, so they have relocations.
 * host/raw_btf.py resolves them and writes raw BTF. resolve_btfids then makes .BTF_func.
 *
 * At first the sections are called .comment.BTF*: modpost warns of others that aren't allocated.
 *
 *	btf_begin
 *	... types, whose ids begin with 2
 *	btf_end
 */
#ifndef TEST_MODULES_BTF_ASM_H
#define TEST_MODULES_BTF_ASM_H

#define TYPE_INT 1 /* of the base */

#define KIND_INT	1
#define KIND_PTR	2
#define KIND_STRUCT	4
#define KIND_FUNC	12
#define KIND_FUNC_PROTO 13
#define KFLAG		1 << 31
#define INT_SIGNED_32	(1 << 24 | 32)

#define BASE_STRS_LEN 5 /* "\0int\0" */
#define NAME_INT      1

#ifdef __ASSEMBLY__

.macro header types_len, strs_len
	.short	0xeb9f		/* magic */
	.byte	1, 0		/* version, flags */
	.long	24		/* length of this */
	.long	0, \types_len
	.long	\types_len, \strs_len
.endm

/* The offset of a name. The string itself is in the next subsection, behind all types. */
.macro name text
	.pushsection .comment.BTF, "", @progbits
	.subsection 1
.Lname\@:
	.asciz	"\text"
	.popsection
	.long	BASE_STRS_LEN + .Lname\@ - .Lstrs
.endm

.macro ptr type
	.long	0, KIND_PTR << 24, \type
.endm

/* A FUNC_PROTO. @cnt lines "param" must follow. */
.macro proto returns, cnt
	.long	0, KIND_FUNC_PROTO << 24 | \cnt, \returns
.endm

.macro param text, type
	name	\text
	.long	\type
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

.macro btf_begin
	.section .comment.BTF.base, "", @progbits
	.balign 4
	header	16, BASE_STRS_LEN
	.long	NAME_INT, KIND_INT << 24, 4, INT_SIGNED_32	/* TYPE_INT */
	.asciz	"", "int"

	.section .comment.BTF, "", @progbits
	.subsection 1
.Lstrs:
	.subsection 2
.Lstrs_end:
	.subsection 0
	.balign 4
	header	(.Ltypes_end-.Ltypes), (.Lstrs_end-.Lstrs)
.Ltypes:
.endm

.macro btf_end
.Ltypes_end:
	.section .note.GNU-stack, "", %progbits
.endm

#endif /* __ASSEMBLY__ */

#endif /* TEST_MODULES_BTF_ASM_H */
