/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TEST_MODULES_RESOLVER_H
#define TEST_MODULES_RESOLVER_H

/*
 * Type ids in resolver_btf.S (see btf_asm.h), in the order of the types there. The resolve_btfids
 * of newer kernels sorts them in this order: first those without a name, then by name.
 */
#define TYPE_PTR       2
#define TYPE_CALL      3
#define TYPE_RELEASE   4
#define KFUNC_RIGHT    5
#define KFUNC_WRONG    6
#define FUNC_ONLY      7 /* without an address */
#define DTOR_RIGHT     8
#define FUNC_NOWHERE   9 /* "release_right" again, without an address */
#define DTOR_WRONG     10
#define TYPE_OBJ_RIGHT 11
#define TYPE_OBJ_WRONG 12
#define FUNC_RIGHT     13
#define FUNC_TWIN      14 /* without an address */
#define FUNC_WRONG     15

#ifndef __ASSEMBLY__
int call_other_twin(int n);
#endif

#endif /* TEST_MODULES_RESOLVER_H */
