/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TEST_MODULES_TWINS_H
#define TEST_MODULES_TWINS_H

int twins_other(int n);

#endif /* TEST_MODULES_TWINS_H */
