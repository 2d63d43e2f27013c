// SPDX-License-Identifier: GPL-2.0-only
/* btfaddr on a module, whose base is BASE. */
#include "btfaddr.h"

void fuzz_one(const uint8_t *data, size_t size)
{
	static struct btf *base;
	static const char *path;
	struct opts opts = { .input = "input",
			     .output = "output",
			     .dump = true,
			     .left_out = true,
			     .legacy = size & 1 };
	struct btf *btf;

	if (!path) {
		path = getenv("BASE");
		FUZZ_CHECK(path);
		base = btf__parse(path, NULL);
		FUZZ_CHECK(base);
	}
	opts.btf_base = path;
	fuzz_write("input", data, size);
	opts.btf = fuzz_write_raw_btf("btf", "input") ? "btf" : NULL;
	btf = btf__parse_split(opts.btf ?: "input", base);
	fuzz_btfaddr(&opts, btf, base);
	btf__free(btf);
	/* now read it like a finished module */
	opts.btf = opts.output = NULL;
	opts.inlined = "calls";
	fuzz_btfaddr(&opts, false, NULL);
}
