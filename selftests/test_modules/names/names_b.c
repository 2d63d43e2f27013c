// SPDX-License-Identifier: GPL-2.0-only
#include "names.h"

static void cookie(int n) names_symbol("cookie.constprop.0");
static void hidden(int n) names_symbol("hidden.llvm.4711");
/* vmlinux has a function of this name. */
static void version_proc_show(int n) names_symbol("version_proc_show.isra.0");

static noinline __noipa void cookie(int n)
{
	names_count(COOKIE_B);
	WRITE_ONCE(names_sink, n); /* or clang removes the parameter */
}

static noinline __noipa void hidden(int n)
{
	names_count(HIDDEN_B);
}

static noinline __noipa void mixed(int n)
{
	names_count(MIXED_B);
}

static noinline __noipa void version_proc_show(int n)
{
	names_count(VERSION);
}

/* The other module has one of this name, too. */
static noinline __noipa void alone(int n)
{
	names_count(ALONE);
}

noinline void names_call_b(int n)
{
	int i;

	for (i = 0; i < 5; i++)
		cookie(n);
	for (i = 0; i < 2; i++)
		hidden(n);
	for (i = 0; i < 8; i++)
		mixed(n);
	for (i = 0; i < 3; i++)
		shared(n, NAMES_SHARED_B);
	for (i = 0; i < 4; i++)
		version_proc_show(n);
	alone(n);
}
