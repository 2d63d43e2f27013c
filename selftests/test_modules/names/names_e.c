// SPDX-License-Identifier: GPL-2.0-only
static noinline __noipa void deeper(int n)
{
	names_count(DEEPER_E);
}
