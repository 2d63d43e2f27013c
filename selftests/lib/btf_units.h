/* SPDX-License-Identifier: GPL-2.0-only */
/* The compilation units that BTF tags ambiguous functions with. */
#ifndef SELFTESTS_BTF_UNITS_H
#define SELFTESTS_BTF_UNITS_H

#include <bpf/btf.h>

/**
 * btf_units__read() - Read the tags.
 * @btf: owns the strings
 *
 * Return: by type id, the path that a FUNC's "cu:" tag has; NULL for those
 * without. To be released with free(). NULL if out of memory.
 */
const char **btf_units__read(const struct btf *btf);

#endif /* SELFTESTS_BTF_UNITS_H */
