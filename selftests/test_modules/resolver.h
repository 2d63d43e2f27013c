/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TEST_MODULES_RESOLVER_H
#define TEST_MODULES_RESOLVER_H

/* Type ids in resolver_btf.S, in the order that the types have there; see btf_asm.h. */
#define TYPE_PTR	2
#define TYPE_CALL	3
#define TYPE_RELEASE	4
#define TYPE_OBJ_RIGHT	5
#define TYPE_OBJ_WRONG	6
#define FUNC_RIGHT	7
#define FUNC_WRONG	8
#define KFUNC_RIGHT	9
#define KFUNC_WRONG	10
#define DTOR_RIGHT	11
#define DTOR_WRONG	12
#define FUNC_ALIAS	13
#define FUNC_NOWHERE	14	/* "release_right" again, without an address */

#endif /* TEST_MODULES_RESOLVER_H */
