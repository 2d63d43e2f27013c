// SPDX-License-Identifier: GPL-2.0-only
#define COUNTER TWICE_1
#define CALL	names_call_t1
#define TIMES	2
#include "names_twice.c"
