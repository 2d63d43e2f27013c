/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Expressions over a function's parameters, such as "m->file->f_inode->i_ino": where the value is,
 * by what BTF says.
 */
#ifndef SELFTESTS_BTF_EXPR_H
#define SELFTESTS_BTF_EXPR_H

#include <bpf/btf.h>

#include "args.h"

/* Where the value is: what to record at a call, and which bits of that. */
struct btf_expr {
	struct args_watch watch;
	unsigned int byte_off; /* of the value, in what was recorded */
	unsigned int bit_off;  /* likewise, for bit-fields */
	unsigned int bits;     /* its width; > 64 for arrays */
};

/**
 * btf_expr__parse() - Resolve an expression.
 * @btf: the kernel's
 * @func_id: the FUNC
 * @text: "param", "*param", "return", "#2" for the second parameter, whatever its name;
 *	behind that, ".member" of structures in registers or memory and "->member" of
 *	pointers to structures
 * @ret: the result
 *
 * Return: 0; -ENOENT if there is no such parameter or member; -EINVAL if a type
 * doesn't allow the operation; -E2BIG if there are too many pointers.
 */
int btf_expr__parse(const struct btf *btf, __u32 func_id, const char *text, struct btf_expr *ret);

/** btf_expr__number() - The number in what was recorded, zero-extended. */
__u64 btf_expr__number(const struct btf_expr *e, const struct args_value *v);

/** btf_expr__truncate() - @number, cut to the width of the expression. */
__u64 btf_expr__truncate(const struct btf_expr *e, __u64 number);

#endif /* SELFTESTS_BTF_EXPR_H */
