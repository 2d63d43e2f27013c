// SPDX-License-Identifier: GPL-2.0
#include "../header.h"

long imported(struct pair *p, int n);
long lto_entry(struct pair *p, int n);

__attribute__((used)) noinline long lto_user(struct pair *p, int n)
{
	return imported(p, n) * imported(p + 1, n) + lto_entry(p, n);
}

void _start(void)
{
	static struct pair pair;

	lto_user(&pair, sink);
}
