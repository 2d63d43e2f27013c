// SPDX-License-Identifier: GPL-2.0-only
/* btfaddr on a module, whose base is BASE. */
#include "btfaddr.h"

void fuzz_one(const uint8_t *data, size_t size)
{
	static struct btf *base;
	static const char *path;
	struct opts opts = { .input = "input", .output = "output", .dump = true, .left_out = true };
	struct btf *btf;

	if (!path) {
		path = getenv("BASE");
		FUZZ_CHECK(path);
		base = btf__parse(path, NULL);
		FUZZ_CHECK(base);
	}
	opts.btf_base = path;
	opts.distill = size & 1;	/* the mutator seldom changes it: both have seeds */
	fuzz_write("input", data, size);
	btf = btf__parse_split("input", base);
	fuzz_btfaddr(&opts, btf && !opts.distill, base);
	btf__free(btf);
	/* as a finished module is read */
	opts.output = NULL;
	opts.distill = false;
	opts.inlined = "calls";
	fuzz_btfaddr(&opts, false, NULL);
}
