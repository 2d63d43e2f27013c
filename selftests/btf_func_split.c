// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's split of extended BTF, kernel/bpf/btf_func.c, built in user space:
 * what it makes of well-formed BTF, and that it refuses everything else without
 * touching a byte outside of it (build with SANITIZE=1 to have that checked).
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <linux/types.h>

#include "kselftest_harness.h"

/* What the kernel file needs of the kernel */
typedef __u32 u32;
typedef __u64 u64;
#define U32_MAX		UINT32_MAX
#define min(a, b)	((a) < (b) ? (a) : (b))
#define vmalloc		malloc
#define vfree		free
#define sort(base, n, size, cmp, swap) qsort(base, n, size, cmp)
#define struct_size(p, member, n) (sizeof(*(p)) + sizeof((p)->member[0]) * (n))
#include KERNEL_UAPI_BTF_H
#include KERNEL_BTF_FUNC_H
#include KERNEL_BTF_FUNC_C

#define INFO(kind, vlen, kflag) ((kind) << 24 | (vlen) | (__u32)(kflag) << 31)
#define TEXT_OFF 0x1000
#define STRS "\0int\0f\0g"

/* [1] int  [2] f() at TEXT_OFF  [3] proto(int)  [4] f() at TEXT_OFF + 0x20
 * [5] tag on 4  [6] g() without address
 */
static const __u32 types[] = {
	1, INFO(BTF_KIND_INT, 0, 0), 4, BTF_INT_SIGNED << 24 | 32,
	5, INFO(BTF_KIND_FUNC, BTF_FUNC_STATIC, 1), 3, TEXT_OFF, 0,
	0, INFO(BTF_KIND_FUNC_PROTO, 1, 0), 0, 0, 1,
	5, INFO(BTF_KIND_FUNC, BTF_FUNC_GLOBAL, 1), 3, TEXT_OFF + 0x20, 0,
	5, INFO(BTF_KIND_DECL_TAG, 0, 0), 4, -1,
	7, INFO(BTF_KIND_FUNC, BTF_FUNC_STATIC, 0), 3,
};

static const __u32 plain_types[] = {
	1, INFO(BTF_KIND_INT, 0, 0), 4, BTF_INT_SIGNED << 24 | 32,
	5, INFO(BTF_KIND_FUNC, BTF_FUNC_STATIC, 0), 3,
	0, INFO(BTF_KIND_FUNC_PROTO, 1, 0), 0, 0, 1,
	5, INFO(BTF_KIND_FUNC, BTF_FUNC_GLOBAL, 0), 3,
	5, INFO(BTF_KIND_DECL_TAG, 0, 0), 4, -1,
	7, INFO(BTF_KIND_FUNC, BTF_FUNC_STATIC, 0), 3,
};

/* BTF of @types and STRS, in this order or with the strings first */
static void *make_btf(const void *types, __u32 types_len, bool strs_first, __u32 *size)
{
	__u32 strs_len = (sizeof(STRS) + 3) & ~3;
	struct btf_header *hdr;

	*size = sizeof(*hdr) + types_len + strs_len;
	hdr = calloc(1, *size);
	if (!hdr)
		exit(KSFT_FAIL);
	hdr->magic = BTF_MAGIC;
	hdr->version = BTF_VERSION;
	hdr->hdr_len = sizeof(*hdr);
	hdr->type_len = types_len;
	hdr->str_len = strs_len;
	hdr->type_off = strs_first ? strs_len : 0;
	hdr->str_off = strs_first ? 0 : types_len;
	memcpy((void *)(hdr + 1) + hdr->type_off, types, types_len);
	memcpy((void *)(hdr + 1) + hdr->str_off, STRS, sizeof(STRS));
	return hdr;
}

FIXTURE(split) {
	void *in, *out, *want;
	__u32 in_size, out_size, want_size;
	struct btf_func_tab *tab;
};

FIXTURE_SETUP(split)
{
	self->in = make_btf(types, sizeof(types), false, &self->in_size);
	self->want = make_btf(plain_types, sizeof(plain_types), false, &self->want_size);
}

FIXTURE_TEARDOWN(split)
{
	free(self->in);
	free(self->out);
	free(self->want);
	free(self->tab);
}

#define SPLIT_FROM(base) \
	btf_func_split(self->in, self->in_size, base, &self->out, &self->out_size, &self->tab)
#define SPLIT() SPLIT_FROM(0)

/* Nothing may be handed out by a split that failed */
#define EXPECT_REFUSED(err) do {			\
	EXPECT_EQ(err, SPLIT());			\
	EXPECT_EQ(NULL, self->out);			\
	EXPECT_EQ(NULL, self->tab);			\
} while (0)

TEST_F(split, types_are_plain_and_in_order)
{
	ASSERT_EQ(0, SPLIT());
	ASSERT_EQ(self->want_size, self->out_size);
	EXPECT_EQ(0, memcmp(self->want, self->out, self->want_size));
}

TEST_F(split, strings_before_types)
{
	free(self->in);
	free(self->want);
	self->in = make_btf(types, sizeof(types), true, &self->in_size);
	self->want = make_btf(plain_types, sizeof(plain_types), true, &self->want_size);
	ASSERT_EQ(0, SPLIT());
	ASSERT_EQ(self->want_size, self->out_size);
	EXPECT_EQ(0, memcmp(self->want, self->out, self->want_size));
}

TEST_F(split, table_finds_functions_with_address_only)
{
	__u64 addr = 0;

	ASSERT_EQ(0, SPLIT());
	ASSERT_EQ(2, self->tab->cnt);
	EXPECT_TRUE(btf_func_tab_find(self->tab, 1, &addr));
	EXPECT_EQ(TEXT_OFF, addr);
	EXPECT_TRUE(btf_func_tab_find(self->tab, 3, &addr));
	EXPECT_EQ(TEXT_OFF + 0x20, addr);
	EXPECT_FALSE(btf_func_tab_find(self->tab, 0, &addr));
	EXPECT_FALSE(btf_func_tab_find(self->tab, 2, &addr));
	EXPECT_FALSE(btf_func_tab_find(self->tab, 5, &addr));
	EXPECT_FALSE(btf_func_tab_find(self->tab, 6, &addr));
	EXPECT_FALSE(btf_func_tab_find(NULL, 1, &addr));
}

/* [2] and [4] exchanged: the table is in the order of addresses, not of types */
TEST_F(split, table_finds_functions_at_address)
{
	__u32 swapped[sizeof(types) / sizeof(*types)], cnt = 0;
	const struct btf_func_ent *ent;

	memcpy(swapped, types, sizeof(types));
	swapped[7] = TEXT_OFF + 0x20;
	swapped[17] = TEXT_OFF;
	free(self->in);
	self->in = make_btf(swapped, sizeof(swapped), false, &self->in_size);
	ASSERT_EQ(0, SPLIT());

	ent = btf_func_tab_at(self->tab, TEXT_OFF, &cnt);
	ASSERT_EQ(1, cnt);
	EXPECT_EQ(3, ent->idx);
	ent = btf_func_tab_at(self->tab, TEXT_OFF + 0x20, &cnt);
	ASSERT_EQ(1, cnt);
	EXPECT_EQ(1, ent->idx);
	EXPECT_EQ(NULL, btf_func_tab_at(self->tab, TEXT_OFF - 1, &cnt));
	EXPECT_EQ(NULL, btf_func_tab_at(self->tab, TEXT_OFF + 1, &cnt));
	EXPECT_EQ(NULL, btf_func_tab_at(self->tab, TEXT_OFF + 0x21, &cnt));
	EXPECT_EQ(0, cnt);
	EXPECT_EQ(NULL, btf_func_tab_at(NULL, TEXT_OFF, &cnt));
}

/* Two names, one address */
TEST_F(split, table_has_aliases_in_order_of_types)
{
	__u32 alias[sizeof(types) / sizeof(*types)], cnt = 0;
	const struct btf_func_ent *ent;

	memcpy(alias, types, sizeof(types));
	alias[17] = TEXT_OFF;
	free(self->in);
	self->in = make_btf(alias, sizeof(alias), false, &self->in_size);
	ASSERT_EQ(0, SPLIT());

	ent = btf_func_tab_at(self->tab, TEXT_OFF, &cnt);
	ASSERT_EQ(2, cnt);
	EXPECT_EQ(1, ent[0].idx);
	EXPECT_EQ(3, ent[1].idx);
}

TEST_F(split, ordinary_btf_is_copied)
{
	free(self->in);
	self->in = make_btf(plain_types, sizeof(plain_types), false, &self->in_size);
	ASSERT_EQ(0, SPLIT());
	EXPECT_EQ(NULL, self->tab);
	ASSERT_EQ(self->in_size, self->out_size);
	EXPECT_EQ(0, memcmp(self->in, self->out, self->in_size));
}

/* Addresses of a module are 64 bits, but not far from its text */
TEST_F(split, high_addresses)
{
	__u32 high[sizeof(types) / sizeof(*types)];
	__u64 addr = 0;

	memcpy(high, types, sizeof(types));
	high[8] = high[18] = 0xffffffff;
	free(self->in);
	self->in = make_btf(high, sizeof(high), false, &self->in_size);
	ASSERT_EQ(0, SPLIT_FROM(0xffffffff00000000ULL));
	EXPECT_TRUE(btf_func_tab_find(self->tab, 3, &addr));
	EXPECT_EQ(0xffffffff00000000ULL + TEXT_OFF + 0x20, addr);
}

/* One that is nowhere near, such as 0 in a module, becomes one where nothing is */
TEST_F(split, address_out_of_range)
{
	__u64 base = 0xffffffff00000000ULL, addr = 0;
	__u32 cnt;

	ASSERT_EQ(0, SPLIT_FROM(base));
	EXPECT_TRUE(btf_func_tab_find(self->tab, 3, &addr));
	EXPECT_EQ(base + U32_MAX, addr);
	EXPECT_EQ(NULL, btf_func_tab_at(self->tab, TEXT_OFF, &cnt));
}

TEST_F(split, cut_short_anywhere)
{
	__u32 whole = self->in_size, end = whole - ((sizeof(STRS) + 3) & ~3);

	for (self->in_size = 0; self->in_size < end; self->in_size++) {
		/* a copy without slack, for the address sanitizer */
		void *keep = self->in, *cut = malloc(self->in_size);

		ASSERT_NE(NULL, cut);
		memcpy(cut, keep, self->in_size);
		self->in = cut;
		EXPECT_REFUSED(-EINVAL);
		self->in = keep;
		free(cut);
	}
	self->in_size = whole;
}

/* The last type ends outside of the type section */
TEST_F(split, type_section_ends_within_a_type)
{
	struct btf_header *hdr = self->in;

	for (hdr->type_len -= 4; hdr->type_len > sizeof(types) - 12; hdr->type_len -= 4)
		EXPECT_REFUSED(-EINVAL);
}

TEST_F(split, kind_unknown)
{
	struct btf_type *t = self->in + sizeof(struct btf_header);

	t->info = INFO(BTF_KIND_MAX + 1, 0, 0);
	EXPECT_REFUSED(-EINVAL);
	t->info = INFO(BTF_KIND_UNKN, 0, 0);
	EXPECT_REFUSED(-EINVAL);
}

TEST_F(split, header_malformed)
{
	struct btf_header good, *hdr = self->in;

	good = *hdr;
	hdr->magic = 0x9feb;
	EXPECT_REFUSED(-EINVAL);
	*hdr = good;
	hdr->hdr_len = sizeof(good) - 1;
	EXPECT_REFUSED(-EINVAL);
	hdr->hdr_len = self->in_size + 1;
	EXPECT_REFUSED(-EINVAL);
	*hdr = good;
	hdr->type_off = 0xfffffffc;
	EXPECT_REFUSED(-EINVAL);
	hdr->type_off = 2;
	EXPECT_REFUSED(-EINVAL);
	*hdr = good;
	hdr->type_len = 0xffffffff;
	EXPECT_REFUSED(-EINVAL);
}

/* No input may crash it, and what it makes is never larger than what it got */
TEST_F(split, mutated)
{
	unsigned int seed, i, n;

	for (seed = 0; seed < 200000; seed++) {
		__u32 size = self->in_size;
		unsigned char *bytes = malloc(size);
		struct btf_func_tab *tab = NULL;
		unsigned int state = seed;
		void *out = NULL;
		__u32 out_size = 0;

		ASSERT_NE(NULL, bytes);
		memcpy(bytes, self->in, size);
		n = 1 + rand_r(&state) % 4;
		for (i = 0; i < n; i++)
			bytes[rand_r(&state) % size] = rand_r(&state);

		if (!btf_func_split(bytes, size, 0, &out, &out_size, &tab)) {
			EXPECT_EQ(size, out_size + (tab ? tab->cnt * sizeof(struct btf_func) : 0));
		} else {
			EXPECT_EQ(NULL, out);
			EXPECT_EQ(NULL, tab);
		}
		free(out);
		free(tab);
		free(bytes);
	}
}

TEST_HARNESS_MAIN
