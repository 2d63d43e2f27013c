// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kprobes.h>

#include "kinds.h"

static noinline int equal(int n, long m)
{
	WRITE_ONCE(kinds_sink, n - m);
	return n + m;
}

KINDS_CALL(equal, v[0], v[1])

static noinline short differs(const struct kinds_wide *wide, u64 n)
{
	WRITE_ONCE(kinds_sink, wide->second + n);
	return wide->fourth;
}

static long call_differs(const long *v)
{
	struct kinds_wide wide = { .second = v[0], .fourth = v[1] };

	return differs(&wide, v[2]);
}

KINDS_CALL(in_header, v[0])

/* An aggregate in two registers. */
static noinline long in_two(struct kinds_pair pair, u16 n)
{
	WRITE_ONCE(kinds_sink, pair.first);
	return pair.second * n;
}

static long call_in_two(const long *v)
{
	struct kinds_pair pair = { v[0], v[1] };

	return in_two(pair, v[2]);
}

/* The last two are on the stack. */
static noinline long on_stack(int a, long b, u8 c, long d, int e, long f, u16 g, long h)
{
	WRITE_ONCE(kinds_sink, a + b + c + d);
	return e + f + g + h;
}

KINDS_CALL(on_stack, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7])

/* A struct of vmlinux. Its type id depends on options of the kernel, which add types before it. */
static noinline __noipa long of_vmlinux(const struct kretprobe *probe, int n)
{
	WRITE_ONCE(kinds_sink, n);
	return probe->nmissed + probe->maxactive;
}

static long call_of_vmlinux(const long *v)
{
	struct kretprobe probe = { .maxactive = v[0], .nmissed = v[1] };

	return of_vmlinux(&probe, v[2]);
}

/* Called from a copy of kinds_imported() in the other unit, if ThinLTO makes one. */
static noinline long promoted(int n, long m)
{
	WRITE_ONCE(kinds_sink, n | m);
	return n * m;
}

long kinds_imported(int n, long m)
{
	return promoted(n, m);
}

const struct kinds_case kinds_b_cases[] = {
	KINDS_CASE(equal, equal),
	KINDS_CASE(differs, differs),
	KINDS_CASE(in_header, in_header),
	KINDS_CASE(in_two, in_two),
	KINDS_CASE(on_stack, on_stack),
	KINDS_CASE(of_vmlinux, of_vmlinux),
	{ "kinds_kfunc@kinds_main.c", kinds_call_kfunc, kinds_kfunc },
	{},
};
