/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of tests, in a folder of their own. */
#ifndef FENTRY_TEST_FILES_H
#define FENTRY_TEST_FILES_H

#include <ftw.h>
#include <stdlib.h>
#include <unistd.h>

#include <bpf/btf.h>

#include "test.h"

static char test_folder[] = "/tmp/test_fentry.XXXXXX";

static inline int remove_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static inline void remove_folder(void)
{
	nftw(test_folder, remove_file, 8, FTW_DEPTH | FTW_PHYS);
}

/* Go to an empty folder, which is removed at the end. */
static inline bool enter_folder(void)
{
	return mkdtemp(test_folder) && !atexit(remove_folder) && !chdir(test_folder);
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

/* Tests name types by the ids that these get. */
static inline void is(int want, int id)
{
	if (id != want) {
		fprintf(stderr, "a type has id %d, not %d\n", id, want);
		abort();
	}
}

#endif /* FENTRY_TEST_FILES_H */
