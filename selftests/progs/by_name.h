/* SPDX-License-Identifier: GPL-2.0-only */
/* What the BPF programs of the test by_name and the test itself share. */
#ifndef SELFTESTS_BY_NAME_H
#define SELFTESTS_BY_NAME_H

#define BY_NAME_MAX_VALUES 10
#define BY_NAME_MAX_FUNCS  256

/* Of the first call by the process of the test. */
struct by_name_seen {
	unsigned long long calls;
	struct {
		long long there, value;
	} of[BY_NAME_MAX_VALUES]; /* each parameter; the return value is the last one */
};

#endif /* SELFTESTS_BY_NAME_H */
