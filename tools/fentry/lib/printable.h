/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What libbpf's printer must not be given. Of btfaddr, too, so it needs nothing of libfentry. */
#ifndef FENTRY_PRINTABLE_H
#define FENTRY_PRINTABLE_H

#include <stdbool.h>

#include <bpf/btf.h>

/**
 * fentry_btf__printable() - Can libbpf print the declaration of a type?
 * @btf: the BTF, whose names exist
 * @id: the type
 *
 * btf_dump__emit_type_decl() of any release so far dies of types that lead back to
 * themselves, of members without an alignment, and of C that is right but whose
 * nameless structs have long declarations in them. No C that people write is refused.
 */
bool fentry_btf__printable(const struct btf *btf, __u32 id);

#endif
