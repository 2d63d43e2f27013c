/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_EDGES_H
#define BTFADDR_EDGES_H

#include "code/insn.h"
#include "elf/elf_file.h"

/* Another place where execution may go on, in place of an instruction. */
struct code_edge {
	u64 from;   /* address of the instruction */
	u64 to;	    /* address where execution may go on; 0 for the next instruction */
	bool fault; /* the instruction may have written registers before */
	u32 reads;  /* registers that the kernel's fault handler uses, a mask as in struct insn */
	u32 writes; /* registers that the handler writes */
	u32 next;   /* index + 1 of another edge from the same address, 0 if there is none */
};

/* Instructions that the kernel may copy over others. */
struct replacement {
	u64 start, end; /* where they are in the file */
	u64 back; /* where execution goes on then: behind the instructions that they replace */
};

/**
 * struct code_edges - where execution goes on besides where instructions say
 * @first: address to index + 1 of the first edge from there
 * @replacements: sorted by @start
 * @rodata: section .rodata of a vmlinux, with @rodata_size bytes from @rodata_addr on; has the
 *	tables of jumps
 *
 * The kernel has tables of these beside its code: of static branches, of instructions that may
 * fault, of warnings, and of alternatives.
 */
struct code_edges {
	struct u64map first;
	struct code_edge *edges;
	size_t nr;
	struct replacement *replacements;
	size_t nr_replacements;
	const u8 *rodata;
	u64 rodata_addr, rodata_size;
};

/* Read the tables of a file; free with code_edges_free(). May be used on several threads then. */
void code_edges_read(struct code_edges *edges, struct elf_file *file);
void code_edges_free(struct code_edges *edges);

/* The first edge from @addr, and the one after @edge; NULL if there is none. */
const struct code_edge *code_edges_from(const struct code_edges *edges, u64 addr);
const struct code_edge *code_edges_next(const struct code_edges *edges,
					const struct code_edge *edge);

/*
 * Where execution goes on after the instruction at @addr, which ends at @end: at @end or, if it is
 * the last one of a replacement, behind the replaced instructions.
 */
u64 code_edges_behind(const struct code_edges *edges, u64 addr, u64 end);

/**
 * code_edges_format() - how many arguments a format of printk() takes
 * @addr: address of the string
 *
 * Return: their number, or -1 if that isn't certain.
 */
int code_edges_format(const struct code_edges *edges, u64 addr);

/**
 * code_edges_table() - where an indirect jump leads
 * @addr: its address
 * @bound: of its index
 * @nr_ret: number of places; 0 if it isn't by a table
 * @bounded_ret: it goes to all of these places. Otherwise the table may be shorter: all that is
 *	known is that it ends before a place outside of the jump's function.
 *
 * Return: places in the jump's own function, as u64 that need not be aligned.
 */
const u8 *code_edges_table(const struct code_edges *edges, const struct elf_file *file, u64 addr,
			   const struct insn *insn, const struct insn_bound *bound, u32 *nr_ret,
			   bool *bounded_ret);

#endif
