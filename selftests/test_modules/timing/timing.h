/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TEST_MODULES_TIMING_H
#define TEST_MODULES_TIMING_H

void timing_other(unsigned int usec);
int timing_call_special(const char *name, unsigned int times);

#endif /* TEST_MODULES_TIMING_H */
