/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_INLINE_FORMAT_H
#define BTFADDR_INLINE_FORMAT_H

#include "btf/btf_image.h"

/*
 * `btfaddr --functions` writes split BTF on top of that of the kernel or module, with the kinds
 * that Linux has for inline sites since September 2026 (include/uapi/linux/btf.h there). Behind its
 * strings, at the next multiple of 4, is a section that other readers skip. btfaddr(1) describes
 * the kinds and the section under THE FUNCTIONS FILE.
 *
 * Types are in this order: missing ones, FUNC_PROTO, FUNC, DECL_TAG, LOC_PARAM, LOC_PROTO, LOCSEC.
 * There is a layout, between types and strings, only if the base has one.
 */
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

/* An entry of a LOCSEC: the FUNC that is inlined at this offset in the section, or begins there. */
struct loc_site {
	u32 func, loc_proto, offset;
};

/* The header of the section behind the strings; files, calls, numbers and ranges follow. */
#define ORIGINS_MAGIC 0x32534e46 /* "FNS2" */
#define MAX_BUILD_ID  20
struct inline_origins {
	u32 magic, len, nr_sites, nr_files, nr_called, ranges_len, base_types, base_strs;
	u8 build_id_len, zero[3];
	u8 build_id[MAX_BUILD_ID];
};

/* How many direct calls of a FUNC, or jumps to it, resident code has: at least one. */
struct called {
	u32 func, nr;
};

/* The lowest bits of a site's first number. */
#define ORIGIN_NESTED 0x1
#define ORIGIN_SPLIT  0x2
#define ORIGIN_EMPTY  0x4
#define ORIGIN_SAME   0x8
#define ORIGIN_BITS   4

#endif
