// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel accepts the BTF that btfaddr writes from damaged DWARF. Otherwise a kernel would lose
 * all of its BTF. $DAMAGED has thousands of such BTF (host/damaged.py).
 */
#include <stdlib.h>
#include <string.h>

#include "expect.h"

#include "env.h"
#include "file.h"
#include "kbtf.h"

#define COUNT 2000

/* Load each as the BTF of a program, whose rules are the same or stricter. */
TEST(kernel_accepts_it)
{
	const char *at, *end;
	size_t size, cnt = 0;
	char log[1024];
	__u32 len;
	void *data;

	ASSERT_EQ(0, file__read(env__need("DAMAGED"), &data, &size));
	end = data + size;
	for (at = data; at + sizeof(len) <= end; at += len, cnt++) {
		memcpy(&len, at, sizeof(len));
		at += sizeof(len);
		ASSERT_LE(len, end - at);
		EXPECT_OK(kbtf__verify(at, len, log, sizeof(log)), "number %zu: %s", cnt, log);
	}
	EXPECT_EQ(COUNT, cnt);
	free(data);
}

TEST_HARNESS_MAIN
