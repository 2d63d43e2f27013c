// SPDX-License-Identifier: GPL-2.0-only
/*
 * /proc/kallsyms_btf shows addresses to the same users as /proc/kallsyms. That depends on
 * kernel.kptr_restrict, kernel.perf_event_paranoid, and who opened the file.
 */
#include <fcntl.h>
#include <grp.h>

#include "expect.h"

#include "file.h"
#include "kmod.h"
#include "ksyms.h"

#define MODULE	      "resolver" /* its functions have addresses, too */
#define KPTR_RESTRICT "/proc/sys/kernel/kptr_restrict"
#define PARANOID      "/proc/sys/kernel/perf_event_paranoid"
#define NOBODY	      65534

static bool write_setting(const char *path, int value)
{
	FILE *f = fopen(path, "we");

	if (!f)
		return false;
	fprintf(f, "%d\n", value);
	return !fclose(f);
}

FIXTURE(visibility) {
	int kptr_restrict, paranoid; /* to be restored */
};

FIXTURE_VARIANT(visibility) {
	int kptr_restrict, paranoid;
	bool nobody; /* opens the file, not root */
	bool hidden; /* expected */
};

/* clang-format off */
FIXTURE_VARIANT_ADD(visibility, root) {
	.paranoid = 2,
};

FIXTURE_VARIANT_ADD(visibility, root_kptr_restrict_1) {
	.kptr_restrict = 1,
	.paranoid = 2,
};

FIXTURE_VARIANT_ADD(visibility, root_kptr_restrict_2) {
	.kptr_restrict = 2,
	.paranoid = 2,
	.hidden = true,
};

FIXTURE_VARIANT_ADD(visibility, nobody) {
	.paranoid = 2,
	.nobody = true,
	.hidden = true,
};

FIXTURE_VARIANT_ADD(visibility, nobody_kptr_restrict_1) {
	.kptr_restrict = 1,
	.nobody = true,
	.hidden = true,
};

FIXTURE_VARIANT_ADD(visibility, nobody_kptr_restrict_2) {
	.kptr_restrict = 2,
	.nobody = true,
	.hidden = true,
};

FIXTURE_VARIANT_ADD(visibility, nobody_may_profile_the_kernel) {
	.paranoid = 1,
	.nobody = true,
};
/* clang-format on */

FIXTURE_SETUP(visibility)
{
	self->kptr_restrict = file__number(KPTR_RESTRICT);
	self->paranoid = file__number(PARANOID);
	ASSERT_LE(0, self->kptr_restrict);
	ASSERT_NE(-1, self->paranoid);
	ASSERT_TRUE(write_setting(PARANOID, variant->paranoid));
	ASSERT_TRUE(write_setting(KPTR_RESTRICT, variant->kptr_restrict));
	ASSERT_EQ(0, kmod__load(MODULE, ""));
}

FIXTURE_TEARDOWN(visibility)
{
	write_setting(KPTR_RESTRICT, self->kptr_restrict);
	write_setting(PARANOID, self->paranoid);
	EXPECT_EQ(0, kmod__unload(MODULE));
}

/* Open a file as nobody, read it as root. */
static int open_as(const char *path, bool nobody)
{
	int fd;

	if (nobody && setresuid(-1, NOBODY, 0))
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (nobody && setresuid(-1, 0, 0)) {
		close(fd);
		return -1;
	}
	return fd;
}

static int read_as(const char *path, bool nobody, bool with_ids, struct ksyms *ret)
{
	int fd, err;

	fd = open_as(path, nobody);
	if (fd < 0)
		return -1;
	err = ksyms__read_fd(fd, with_ids, ret);
	close(fd);
	return err;
}

/* Expect addresses in both files or in neither. Ids are shown anyway. */
TEST_F_TIMEOUT(visibility, as_in_kallsyms, 120)
{
	struct ksyms syms, btf_syms;
	size_t i, modules = 0;

	ASSERT_EQ(0, read_as("/proc/kallsyms", variant->nobody, false, &syms));
	ASSERT_EQ(0, read_as("/proc/kallsyms_btf", variant->nobody, true, &btf_syms));
	EXPECT_LT(0, btf_syms.cnt);
	EXPECT_EQ(variant->hidden, ksyms__all_hidden(&syms));
	EXPECT_EQ(variant->hidden, ksyms__all_hidden(&btf_syms));
	for (i = 0; i < btf_syms.cnt; i++) {
		ASSERT_NE(0, btf_syms.syms[i].type_id);
		ASSERT_EQ(variant->hidden, !btf_syms.syms[i].addr);
		modules += btf_syms.syms[i].module != NULL;
	}
	EXPECT_LT(0, modules);
	ksyms__free(&syms);
	ksyms__free(&btf_syms);
}

TEST_HARNESS_MAIN
