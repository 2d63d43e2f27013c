/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module's BTF. After the build, each "wrong" function has another name: see resolver_main.c.
 */
#include "btf_asm.h"
#include "resolver.h"

	btf_begin
	ptr	0						/* TYPE_PTR */
	proto	TYPE_INT, 1					/* TYPE_CALL */
	param	n, TYPE_INT
	proto	0, 1						/* TYPE_RELEASE */
	param	obj, TYPE_PTR
	func	kfunc_right, TYPE_CALL, kfunc_right		/* KFUNC_RIGHT */
	func	kfunc_wrong, TYPE_CALL, kfunc_wrong		/* KFUNC_WRONG */
	func_without_address only, TYPE_CALL			/* FUNC_ONLY */
	func	release_right, TYPE_RELEASE, release_right	/* DTOR_RIGHT */
	func_without_address release_right, TYPE_RELEASE	/* FUNC_NOWHERE */
	func	release_wrong, TYPE_RELEASE, release_wrong	/* DTOR_WRONG */
	struct_of_int	resolver_right				/* TYPE_OBJ_RIGHT */
	struct_of_int	resolver_wrong				/* TYPE_OBJ_WRONG */
	func	right, TYPE_CALL, right				/* FUNC_RIGHT */
	func_without_address twin, TYPE_CALL			/* FUNC_TWIN */
	func	wrong, TYPE_CALL, wrong				/* FUNC_WRONG */
	btf_end
