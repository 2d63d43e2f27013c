/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Which types libbpf can print. btfaddr uses this file, so it needs nothing of libfentry. */
#ifndef FENTRY_PRINTABLE_H
#define FENTRY_PRINTABLE_H

#include <stdbool.h>

#include <bpf/btf.h>

/*
 * Can libbpf print the declaration of a type?
 * @btf: the BTF; its offsets of names must be valid
 * @id: the type
 *
 * btf_dump__emit_type_decl() of any release so far crashes on types that lead back to themselves,
 * on members without an alignment, and on valid C with long declarations in nameless structs. No C
 * that people write is refused.
 */
bool fentry_btf__printable(const struct btf *btf, __u32 id);

#endif
