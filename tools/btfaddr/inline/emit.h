/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_EMIT_H
#define BTFADDR_EMIT_H

#include "inline/functions.h"

/**
 * struct emitted - a site as it is written
 * @section: index of its section in file->code
 * @func: id of the FUNC
 * @offset: from where the section begins
 * @unit/@site: where it is in what was read
 * @proto: number in @protos of struct emit
 */
struct emitted {
	u32 section, func, offset;
	u32 unit, site;
	u32 proto;
};

/**
 * struct emit - what is written, sorted
 * @sites: by section, FUNC and offset
 * @index_of: by unit, by site, where it is in @sites, or NOT_EMITTED
 * @params: contents of LOC_PARAMs; @protos: those of LOC_PROTOs, as numbers of parameters + 1
 * @section_names/@files: string offsets; the former by index of the section
 */
#define NOT_EMITTED UINT32_MAX
struct emit {
	const struct funcs *funcs;
	struct elf_file *file;
	const struct inline_funcs *inl;
	struct unit_sites *units;
	struct emitted *sites;
	u32 nr;
	size_t cap;
	u32 **index_of;
	struct pool params, protos;
	u32 *section_names, *files;
};

/* Sort the sites, and number what they need. */
void emit_collect(struct emit *emit);

/* Add the strings that the sites need. */
void emit_strings(struct emit *emit, struct btf_strings *strs);

/* Append the LOC kinds to @out. @next: id of the first. Returns 0, or -1 after an error message. */
int emit_types(const struct emit *emit, u32 next, struct buf *out);

/* The FUNC of definition @def of a unit, 0 if it has none. */
u32 emit_id_of(const struct emit *emit, u32 unit, u32 def);

/* Append where the sites come from. Returns 0, or -1 after an error message. */
int emit_origins(const struct emit *emit, const struct btf_image *base, struct buf *out);
void emit_free(struct emit *emit);

#endif
