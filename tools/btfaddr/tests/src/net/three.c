// SPDX-License-Identifier: GPL-2.0-only
/*
 * EXPECT all net/three.c: int in_header(int x);
 */
#include "../header.h"

typedef int (*fn_t)(int);
int use_three(int a)
{
	static volatile fn_t p = in_header;

	return p(a);
}
