// SPDX-License-Identifier: GPL-2.0-only
#include <linux/delay.h>

#include "timing.h"

/* The other function of this name: see timing_main.c. */
static noinline __noipa void waits(unsigned int usec)
{
	fsleep(usec);
}

/* noinline, or ThinLTO inlines it into the other unit and renames its callee. */
noinline void timing_other(unsigned int usec)
{
	waits(usec);
}
