/* SPDX-License-Identifier: GPL-2.0-only */
/* btfaddr's main file: its run() does all that comes after reading the options. */
#ifndef FUZZ_BTFADDR_H
#define FUZZ_BTFADDR_H

#include <unistd.h>

#define main btfaddr_main
#include "../btfaddr/main.c"
#undef main

#include "fuzz.h"

/* What may be added to an input, at most: types and names for the functions of a seed. */
#define MAX_ADDED 65536

static inline bool fuzz_has_addresses(const struct btf *btf)
{
	const struct btf_type *t;
	u32 id;

	for (id = 1; id < btf__type_cnt(btf); id++) {
		t = btf__type_by_id(btf, id);
		if (btf_is_func(t) && btf_kflag(t))
			return true;
	}
	return false;
}

/*
 * Run btfaddr on the file "input". If libbpf accepts the input, it must accept the output, and the
 * output's addresses must pass --check. Neither is required of "calls", whose kinds are newer.
 */
static inline void fuzz_btfaddr(struct opts *opts, bool accepted, struct btf *base)
{
	struct opts check = { .input = "input",
			      .btf = "output",
			      .btf_base = opts->btf_base,
			      .jobs = 1,
			      .check = true };
	struct btf *btf;

	opts->jobs = 1;
	unlink("output");
	unlink("calls");
	if (run(opts)) {
		FUZZ_CHECK(access("output", F_OK));
		return;
	}
	fuzz_taken();
	FUZZ_CHECK(fuzz_size("calls") <= fuzz_size("input") + MAX_ADDED);
	if (!opts->output)
		return;
	FUZZ_CHECK(fuzz_size("output") <= fuzz_size("input") + MAX_ADDED);
	btf = btf__parse_split("output", base);
	FUZZ_CHECK(btf || !accepted);
	if (btf && fuzz_has_addresses(btf) && !is_btf_file("input"))
		FUZZ_CHECK(!run(&check));
	btf__free(btf);
}

#endif
