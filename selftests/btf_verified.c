// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel trusts its own BTF and that of modules. This test loads both as the BTF of a program,
 * so that the kernel verifies them. It runs on each kernel that is built.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/btf.h>

#include "expect.h"

#include "file.h"
#include "kbtf.h"
#include "kmod.h"

#define FILES  "/sys/kernel/btf/"
#define MODULE "kinds"

static void *types(void *btf)
{
	struct btf_header *hdr = btf;

	return btf + hdr->hdr_len + hdr->type_off;
}

static void *strings(void *btf)
{
	struct btf_header *hdr = btf;

	return btf + hdr->hdr_len + hdr->str_off;
}

static char *append(char *to, const void *from, size_t size)
{
	memcpy(to, from, size);
	return to + size;
}

/* A program's BTF has no base: join vmlinux's with that of the module, which continues its ids. */
static void *join(void *base, void *split, size_t *size)
{
	struct btf_header *b = base, *s = split,
			  hdr = {
				  .magic = BTF_MAGIC,
				  .version = BTF_VERSION,
				  .hdr_len = sizeof(hdr),
				  .type_len = b->type_len + s->type_len,
				  .str_off = b->type_len + s->type_len,
				  .str_len = b->str_len + s->str_len,
			  };
	char *joined, *p;

	*size = sizeof(hdr) + hdr.type_len + hdr.str_len;
	joined = malloc(*size);
	if (!joined)
		return NULL;
	p = append(joined, &hdr, sizeof(hdr));
	p = append(p, types(base), b->type_len);
	p = append(p, types(split), s->type_len);
	p = append(p, strings(base), b->str_len);
	append(p, strings(split), s->str_len);
	return joined;
}

FIXTURE(verified) {
	char log[4096];
	void *vmlinux;
	size_t size;
};

FIXTURE_SETUP(verified)
{
	ASSERT_EQ(0, file__read(FILES "vmlinux", &self->vmlinux, &self->size));
}

FIXTURE_TEARDOWN(verified)
{
	free(self->vmlinux);
}

TEST_F_TIMEOUT(verified, vmlinux, 120)
{
	EXPECT_OK(kbtf__verify(self->vmlinux, self->size, self->log, sizeof(self->log)), "%s",
		  self->log);
}

TEST_F_TIMEOUT(verified, module, 120)
{
	void *split, *joined;
	size_t size;
	int err;

	err = kmod__load(MODULE, "");
	if (err == -EINVAL)
		SKIP(return, "the module is for the BTF of another kernel");
	ASSERT_EQ(0, err);
	EXPECT_EQ(0, file__read(FILES MODULE, &split, &size));
	ASSERT_EQ(0, kmod__unload(MODULE));
	joined = join(self->vmlinux, split, &size);
	ASSERT_NE(NULL, joined);
	EXPECT_OK(kbtf__verify(joined, size, self->log, sizeof(self->log)), "%s", self->log);
	/* the kernel verifies the module's types, too: a bad name of the first one fails */
	*(__u32 *)(types(joined) + ((struct btf_header *)self->vmlinux)->type_len) = -1;
	EXPECT_NE(0, kbtf__verify(joined, size, self->log, sizeof(self->log)));
	free(joined);
	free(split);
}

TEST_HARNESS_MAIN
