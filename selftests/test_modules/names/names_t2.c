// SPDX-License-Identifier: GPL-2.0-only
#define COUNTER TWICE_2
#define CALL	names_call_t2
#define TIMES	3
#include "names_twice.c"
