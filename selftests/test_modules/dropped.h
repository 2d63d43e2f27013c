/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TEST_MODULES_DROPPED_H
#define TEST_MODULES_DROPPED_H

long with_all(long a, long b, long c);
long without_last(long a, long b, long c);

#endif /* TEST_MODULES_DROPPED_H */
