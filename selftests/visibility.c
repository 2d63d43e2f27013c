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

static int write_setting(const char *path, int value)
{
	char text[16];

	snprintf(text, sizeof(text), "%d\n", value);
	return file__write(path, 0, text);
}

FIXTURE(visibility) {
	int kptr_restrict, paranoid; /* to be restored */
};

static const struct user {
	const char *name;
	bool nobody; /* opens the file, not root */
	int kptr_restrict, paranoid;
	bool hidden; /* expected */
} users[] = {
	{ "root", false, 0, 2, false },
	{ "root, kptr_restrict 1", false, 1, 2, false },
	{ "root, kptr_restrict 2", false, 2, 2, true },
	{ "nobody", true, 0, 2, true },
	{ "nobody, kptr_restrict 1", true, 1, 0, true },
	{ "nobody, kptr_restrict 2", true, 2, 0, true },
	{ "nobody, who may profile the kernel", true, 0, 1, false },
};

FIXTURE_SETUP(visibility)
{
	self->kptr_restrict = file__number(KPTR_RESTRICT);
	self->paranoid = file__number(PARANOID);
	ASSERT_LE(0, self->kptr_restrict);
	ASSERT_NE(-1, self->paranoid);
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

static void compare(struct __test_metadata *_metadata, const struct user *user)
{
	struct ksyms syms, btf_syms;
	size_t i, modules = 0;

	TH_LOG("%s", user->name);
	ASSERT_EQ(0, write_setting(PARANOID, user->paranoid));
	ASSERT_EQ(0, write_setting(KPTR_RESTRICT, user->kptr_restrict));
	ASSERT_EQ(0, read_as("/proc/kallsyms", user->nobody, false, &syms));
	ASSERT_EQ(0, read_as("/proc/kallsyms_btf", user->nobody, true, &btf_syms));
	EXPECT_LT(0, btf_syms.cnt);
	EXPECT_EQ(user->hidden, ksyms__all_hidden(&syms));
	EXPECT_EQ(user->hidden, ksyms__all_hidden(&btf_syms));
	for (i = 0; i < btf_syms.cnt; i++) {
		ASSERT_NE(0, btf_syms.syms[i].type_id);
		ASSERT_EQ(user->hidden, !btf_syms.syms[i].addr);
		modules += btf_syms.syms[i].module != NULL;
	}
	EXPECT_LT(0, modules);
	ksyms__free(&syms);
	ksyms__free(&btf_syms);
}

/* Expect addresses in both files or in neither. Ids are shown anyway. */
TEST_F_TIMEOUT(visibility, as_in_kallsyms, 300)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(users); i++)
		compare(_metadata, &users[i]);
}

TEST_HARNESS_MAIN
