// SPDX-License-Identifier: GPL-2.0-only
static noinline __noipa void included(int n)
{
	names_count(INCLUDED_D);
	WRITE_ONCE(names_sink, n); /* or clang removes the parameter */
}
