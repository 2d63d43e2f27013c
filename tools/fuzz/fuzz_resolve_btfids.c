// SPDX-License-Identifier: GPL-2.0-only
/*
 * resolve_btfids of the kernel tree on a module, whose base is BASE; "input" is rewritten. Seeds
 * have in .BTF.raw what btfaddr wrote, which the build hands on as a file.
 */
#include <signal.h>
#include <subcmd/parse-options.h>

#include "fuzz.h"

#define main resolve_btfids
#include "main.c"
#undef main

static bool has_raw_btf;

/* Instead of libsubcmd's: the only argument is the file. */
int parse_options(int argc, const char **argv, const struct option *options,
		  const char *const usagestr[], int flags)
{
	for (; options->type != OPTION_END; options++) {
		if (!strcmp(options->long_name, "btf_base"))
			*(const char **)options->value = getenv("BASE");
		if (!strcmp(options->long_name, "btf") && has_raw_btf)
			*(const char **)options->value = "btf";
		/* it is told to keep the addresses */
		if (!strcmp(options->long_name, "distill_base") ||
		    !strcmp(options->long_name, "func_addr"))
			*(bool *)options->value = true;
	}
	return 1;
}

void usage_with_options(const char *const *usagestr, const struct option *options)
{
	abort();
}

void fuzz_one(const uint8_t *data, size_t size)
{
	const char *argv[] = { "input", NULL };

	/* libelf lays the file out by alignments of sections that no linker makes */
	signal(SIGXFSZ, SIG_IGN);
	fuzz_write("input", data, size);
	has_raw_btf = fuzz_write_raw_btf("btf", "input");
	if (!resolve_btfids(1, argv))
		fuzz_taken();
}
