/* SPDX-License-Identifier: GPL-2.0-only */
/* Test programs print "ok <name>" or "not ok <name>" lines, which check.sh numbers. */
#ifndef FENTRY_TEST_H
#define FENTRY_TEST_H

#include <stdbool.h>
#include <stdio.h>

#include <bpf/btf.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static int failures;

/* @detail: the actual result, to be shown if the test fails; may be empty */
static inline void report(bool ok, const char *what, const char *detail)
{
	printf("%sok %s%s%s\n", ok ? "" : "not ", what, ok || !*detail ? "" : ": ",
	       ok ? "" : detail);
	failures += !ok;
}

static inline bool write_file(const char *path, const void *data, size_t size)
{
	FILE *f = fopen(path, "we");
	bool ok = f && fwrite(data, 1, size, f) == size;

	return f && !fclose(f) && ok;
}

static inline bool write_btf(const char *path, const struct btf *btf)
{
	__u32 size;
	const void *data = btf__raw_data(btf, &size);

	return data && write_file(path, data, size);
}

#endif /* FENTRY_TEST_H */
