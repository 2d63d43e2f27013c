/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_INLINE_FORMAT_H
#define BTFADDR_INLINE_FORMAT_H

#include "util.h"

/*
 * What `btfaddr --inline` writes: split BTF on that of the kernel or module, with the kinds that
 * Linux describes inline sites with since September 2026 (include/uapi/linux/btf.h there), and
 * behind its strings a section that other readers skip.
 *
 *	struct btf_header	24 bytes; 32 if the base has a layout, and so has this
 *	types			missing ones, FUNC_PROTO, FUNC, DECL_TAG "cu:...",
 *				LOC_PARAM, LOC_PROTO, LOCSEC, in this order
 *	layout			only with a header of 32 bytes
 *	strings
 *	struct inline_origins	at the next multiple of 4
 *
 * Type ids and string offsets continue those of the base.
 */

/*
 * LOC_PARAM: has no name; size: of the parameter, 1 to 16 bytes; u32 flags, u32 values[vlen].
 *	CONST			vlen 1, or 2 (low, high) if the size is above 4
 *	CONST | ADDR		vlen 2, size 8: the same, counted from _text; not in modules
 *	REG			vlen 1: register; 2: registers of the low and the high 8 bytes
 *	REG | OFFSET		vlen 2: register + offset is the value
 *	REG | DEREF		vlen 1: the value is in memory where the register points to
 *	REG | DEREF | OFFSET	vlen 2: the same with an offset
 * SIGNED is set with a CONST of a signed type, and with an OFFSET below 0. Registers have their
 * DWARF numbers. A value has the low bytes of what is found, as many as the size says.
 *
 * LOC_PROTO: has no name and type 0; u32[vlen]: a LOC_PARAM for each parameter of the FUNC_PROTO,
 * 0 if it is not known where that is.
 *
 * LOCSEC: "inline" and the name of the section, as in inline.text; struct loc_site[vlen], sorted
 * by func and offset.
 */
#define KIND_LOC_PARAM 20
#define KIND_LOC_PROTO 21
#define KIND_LOCSEC    22
#define NR_KINDS       23

#define MAX_LOC_SIZE 16

#define LOC_SIGNED 0x01
#define LOC_CONST  0x02
#define LOC_ADDR   0x04
#define LOC_REG	   0x08
#define LOC_DEREF  0x10
#define LOC_OFFSET 0x20

/* In these kernels info has 7 bits of kind and 24 of vlen. */
#define KIND_INFO(kind, vlen) ((u32)(kind) << 24 | (vlen))
#define MAX_VLEN	      0xffffffu

/**
 * struct loc_site - an entry of a LOCSEC
 * @func: the FUNC that is inlined
 * @loc_proto: where its parameters are when the instruction at @offset is about to run
 * @offset: from where the section begins at run time
 */
struct loc_site {
	u32 func, loc_proto, offset;
};

/*
 * struct inline_origins - what this project adds: where each site comes from
 * @magic: ORIGINS_MAGIC; another format would have another
 * @len: bytes of this section, with this header
 * @nr_sites: as many as all LOCSECs have together
 * @nr_files: entries of the table of files
 * @base_types/@base_strs: how many types, with void, and bytes of strings the base has
 * @build_id_len/@build_id: of the vmlinux or module that the sites are of, 0 if it has none
 *
 * It is followed by u32 files[nr_files], each the string offset of a path, which may be in the
 * middle of a string, and by one to three numbers for each site, in the order of the LOCSECs and
 * their entries. A number is unsigned LEB128, as in DWARF, of at most 64 bits; these are its bits,
 * from the lowest one on:
 *
 *	1	nested: the call is in the source of what is inlined at another site
 *	1	split: what is inlined has its code in several places, and if the compiler copied
 *		it, when it unrolled a loop for instance, DWARF has one entry for all
 *	1	empty: there is no instruction left of it
 *	1	the call is at the same place as that of the site before; no other number follows
 *	rest	index of the other site; or if it isn't nested, the FUNC whose code the site is in,
 *		which has the call in its source, 0 if it has no FUNC. As a difference from the last
 *		site that is nested, or not nested, as this one is.
 *
 *	1	the file isn't that of the site before, and another number follows
 *	rest	line of the call, as a difference from the site before; 0 if it is not known
 *
 *	all	index of the file, as a difference from the site before
 *
 * A difference d is 2d, or -2d - 1 if it is negative. What is before the first is 0. Some calls may
 * not come along at a site that is split or empty.
 */
#define ORIGINS_MAGIC 0x324e4c49 /* "ILN2" */
#define MAX_BUILD_ID  20
struct inline_origins {
	u32 magic, len, nr_sites, nr_files, base_types, base_strs;
	u8 build_id_len, zero[3];
	u8 build_id[MAX_BUILD_ID];
};

#define ORIGIN_NESTED 0x1
#define ORIGIN_SPLIT  0x2
#define ORIGIN_EMPTY  0x4
#define ORIGIN_SAME   0x8
#define ORIGIN_BITS   4

#endif
