/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's kselftest_harness.h, with expectations that say more when they aren't met. */
#ifndef SELFTESTS_EXPECT_H
#define SELFTESTS_EXPECT_H

#include "kselftest_harness.h"

#include "vmsyms.h"

/* Before main(), a test skips on a kernel that isn't $VMLINUX. */
static __attribute__((constructor)) void begin(void)
{
	vmlinux__skip_unless_running();
}

/* That a call returns 0; otherwise the text behind it is logged. */
#define EXPECT_OK(call, ...) EXPECT_EQ(0, call) TH_LOG(__VA_ARGS__)
#define ASSERT_OK(call, ...) ASSERT_EQ(0, call) TH_LOG(__VA_ARGS__)

/* That a text, as the verifier's log, has @expected in it; otherwise both are shown. */
#define EXPECT_LOG(log, expected) \
	EXPECT_NE(NULL, strstr(log, expected)) TH_LOG("expected '%s' in: %s", expected, log)

#endif /* SELFTESTS_EXPECT_H */
