// SPDX-License-Identifier: GPL-2.0-only
/* btfaddr on a linked file with DWARF and pahole's BTF, before and after resolve_btfids. */
#include "btfaddr.h"

void fuzz_one(const uint8_t *data, size_t size)
{
	struct opts opts = { .input = "input",
			     .output = "output",
			     .stats = true,
			     .dump = true,
			     .left_out = true,
			     .inlined = "calls" };
	struct btf *btf;

	fuzz_write("input", data, size);
	btf = btf__parse("input", NULL);
	fuzz_btfaddr(&opts, btf, NULL);
	btf__free(btf);
}
