/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module's BTF, which lacks the last parameter of one of two functions. A kernel's build would
 * refuse such BTF, because it doesn't fit the code.
 */
#include "btf_asm.h"

#define TYPE_LONG	2
#define TYPE_THREE	3
#define TYPE_TWO	4

	btf_begin
	int_of_64_bits	dropped_long				/* TYPE_LONG */
	proto	TYPE_LONG, 3					/* TYPE_THREE */
	param	a, TYPE_LONG
	param	b, TYPE_LONG
	param	c, TYPE_LONG
	proto	TYPE_LONG, 2					/* TYPE_TWO */
	param	a, TYPE_LONG
	param	b, TYPE_LONG
	func	with_all, TYPE_THREE, with_all
	func	without_last, TYPE_TWO, without_last
	btf_end
