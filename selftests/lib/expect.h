/* SPDX-License-Identifier: GPL-2.0-only */
/* Expectations that kselftest_harness.h, which comes first, doesn't have. */
#ifndef SELFTESTS_EXPECT_H
#define SELFTESTS_EXPECT_H

/* That a text, as the verifier's log, has @expected in it; otherwise both are shown. */
#define EXPECT_LOG(log, expected) do {					\
	EXPECT_NE(NULL, strstr(log, expected)) {			\
		TH_LOG("expected '%s' in: %s", expected, log);		\
	}								\
} while (0)

#endif /* SELFTESTS_EXPECT_H */
