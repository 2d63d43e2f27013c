/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the test by_name and its BPF programs. */
#ifndef SELFTESTS_BY_NAME_H
#define SELFTESTS_BY_NAME_H

#define BY_NAME_MAX_VALUES 10
#define BY_NAME_MAX_FUNCS  256

/* The record of the first call by the test's process. */
struct by_name_seen {
	unsigned long long calls;
	struct {
		long long there, value;
	} of[BY_NAME_MAX_VALUES]; /* each parameter; the return value is the last one */
};

#endif /* SELFTESTS_BY_NAME_H */
