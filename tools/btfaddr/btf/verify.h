/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_VERIFY_H
#define BTFADDR_VERIFY_H

#include "btf/btf_image.h"

/**
 * btf_verify() - would a kernel take this BTF as its own, or a module's?
 * @name: of the file, for messages
 *
 * Types of a base are not checked.
 *
 * These are the checks of the kernel's btf_parse_base() and btf_parse_module() in
 * kernel/bpf/btf.c. It does not resolve the types of a kernel's BTF; for those that btfaddr
 * adds, see btf/added.h.
 *
 * Return: 0, or -1 after an error message that names the first mistake.
 */
int btf_verify(const struct btf_image *img, const char *name);

/* Only whether the types and strings exist that its types refer to. */
int btf_verify_refs(const struct btf_image *img, const char *name);

#endif
