/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's kselftest_harness.h, with expectations that say more when they aren't met. */
#ifndef SELFTESTS_EXPECT_H
#define SELFTESTS_EXPECT_H

#include <sys/wait.h>

#include "kselftest_harness.h"

/* Before main(), skip the test on a kernel that isn't $VMLINUX, as scripts do. */
static __attribute__((constructor)) void begin(void)
{
	int status = system(BUILT_KERNEL);

	if (status)
		exit(WEXITSTATUS(status));
}

/* Expect a call to return 0; otherwise log the text that follows. */
#define EXPECT_OK(call, ...) EXPECT_EQ(0, call) TH_LOG(__VA_ARGS__)
#define ASSERT_OK(call, ...) ASSERT_EQ(0, call) TH_LOG(__VA_ARGS__)

/* Expect a text, such as the verifier's log, to contain @expected; otherwise log both. */
#define EXPECT_LOG(log, expected) \
	EXPECT_NE(NULL, strstr(log, expected)) TH_LOG("expected '%s' in: %s", expected, log)

#endif /* SELFTESTS_EXPECT_H */
