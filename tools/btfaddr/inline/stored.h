/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_STORED_H
#define BTFADDR_STORED_H

#include "code/insn.h"
#include "elf/elf_file.h"
#include "inline/place.h"

/**
 * place_is_stored() - is a parameter yet to be stored where DWARF says that it is?
 * @dec: opened when it is first needed
 * @addr: the instruction that the place is of
 * @end: where DWARF says that it ends
 * @place: in memory, at an offset from rsp or rbp
 *
 * GCC moves instructions after it has noted where variables are: the one that stores a parameter
 * may come some time behind the first instruction of the function that has it.
 *
 * Return: whether, in the order of addresses, it is written before it is read.
 */
bool place_is_stored(struct insn_decoder *dec, const struct elf_file *file, u64 addr, u64 end,
		     const struct loc_param *place);

#endif
