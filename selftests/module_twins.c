// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two functions of a module have the same name, and BTF has no addresses: the kernel must not
 * choose one. No build makes such BTF reliably. So the test writes split BTF on the running
 * kernel's, into the room that the module has for BTF.
 */
#include <errno.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "expect.h"

#include "file.h"
#include "hits.h"
#include "kbtf.h"
#include "kmod.h"

#define MODULE	 "twins"
#define LOG_SIZE 65536
#define CALLS	 4

FIXTURE(module_twins) {
	struct btf *base, *btf; /* vmlinux's, and the module's on it */
	int only_id, twin_id;	/* FUNCs in btf */
	int btf_fd;		/* the kernel's object */
	bool loaded;
	struct hits *hits;
	char *log;
};

/* The strings come last. Their section is extended to fill the room. */
static bool put_btf(const struct btf *btf, char *room, size_t room_size)
{
	struct btf_header *hdr = (struct btf_header *)room;
	const void *data;
	__u32 size;

	data = btf__raw_data(btf, &size);
	if (!data || size > room_size)
		return false;
	memcpy(room, data, size);
	hdr->str_len += room_size - size;
	return true;
}

static int load_module(const struct btf *btf)
{
	Elf_Data *room;
	size_t size;
	void *image;
	Elf *elf;
	int err;

	elf_version(EV_CURRENT);
	err = kmod__read(MODULE, &image, &size);
	if (err)
		return err;
	elf = elf_memory(image, size);
	room = elf_sect__data(elf, ".BTF");
	err = room && put_btf(btf, room->d_buf, room->d_size) ? kmod__load_image(image, size) :
								-ENOENT;
	elf_end(elf);
	free(image);
	return err;
}

static bool call_functions(unsigned int times)
{
	while (times--)
		if (kmod__write_param(MODULE, "call", "7"))
			return false;
	return true;
}

FIXTURE_SETUP(module_twins)
{
	int proto, err;

	self->btf_fd = -1;
	libbpf_set_print(NULL); /* the log is what we look at */
	self->log = calloc(1, LOG_SIZE);
	ASSERT_NE(NULL, self->log);
	self->base = btf__parse("/sys/kernel/btf/vmlinux", NULL);
	ASSERT_NE(NULL, self->base);
	self->btf = btf__new_empty_split(self->base);
	ASSERT_NE(NULL, self->btf);
	proto = btf__add_func_proto(self->btf, 0);
	ASSERT_LT(0, proto);
	self->only_id = btf__add_func(self->btf, "only", BTF_FUNC_STATIC, proto);
	self->twin_id = btf__add_func(self->btf, "twin", BTF_FUNC_STATIC, proto);
	ASSERT_LT(0, self->only_id);
	ASSERT_LT(0, self->twin_id);

	err = load_module(self->btf);
	ASSERT_OK(err, MODULE ".ko: %s", strerror(-err));
	self->loaded = true;
	self->btf_fd = kbtf__open(MODULE);
	ASSERT_LE(0, self->btf_fd);
}

FIXTURE_TEARDOWN(module_twins)
{
	hits__free(self->hits);
	if (self->btf_fd >= 0)
		close(self->btf_fd);
	if (self->loaded)
		EXPECT_EQ(0, kmod__unload(MODULE));
	btf__free(self->btf);
	btf__free(self->base);
	free(self->log);
}

/* Load a program for the name that one function has. Expect it to fire. */
TEST_F_TIMEOUT(module_twins, unique_name, 120)
{
	ASSERT_OK(hits__load_for(self->btf_fd, self->only_id, self->log, LOG_SIZE, &self->hits),
		  "log: %s", self->log);
	ASSERT_EQ(0, hits__attach(self->hits));
	ASSERT_TRUE(call_functions(CALLS));
	EXPECT_EQ(CALLS, hits__count(self->hits));
	hits__detach(self->hits);
}

/* Load a program for the name that two functions have. Expect a refusal that says so. */
TEST_F_TIMEOUT(module_twins, ambiguous_name, 120)
{
	const char *expected = "2 functions have the name twin";

	EXPECT_EQ(-EADDRNOTAVAIL,
		  hits__load_for(self->btf_fd, self->twin_id, self->log, LOG_SIZE, &self->hits));
	EXPECT_LOG(self->log, expected);
}

TEST_HARNESS_MAIN
