// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kprobes.h>

#include "kinds.h"

static noinline int equal(int n, long m)
{
	WRITE_ONCE(kinds_sink, n - m);
	return n + m;
}

static long call_equal(const struct kinds_values *values)
{
	return equal(values->v[0], values->v[1]);
}

static noinline short differs(const struct kinds_wide *wide, u64 n)
{
	WRITE_ONCE(kinds_sink, wide->second + n);
	return wide->fourth;
}

static long call_differs(const struct kinds_values *values)
{
	struct kinds_wide wide = { .second = values->v[0], .fourth = values->v[1] };

	return differs(&wide, values->v[2]);
}

static long call_in_header(const struct kinds_values *values)
{
	return in_header(values->v[0]);
}

/* An aggregate in two registers. */
static noinline long in_two(struct kinds_pair pair, u16 n)
{
	WRITE_ONCE(kinds_sink, pair.first);
	return pair.second * n;
}

static long call_in_two(const struct kinds_values *values)
{
	struct kinds_pair pair = { values->v[0], values->v[1] };

	return in_two(pair, values->v[2]);
}

/* The last two are on the stack. */
static noinline long on_stack(int a, long b, u8 c, long d, int e, long f, u16 g, long h)
{
	WRITE_ONCE(kinds_sink, a + b + c + d);
	return e + f + g + h;
}

static long call_on_stack(const struct kinds_values *values)
{
	const long *v = values->v;

	return on_stack(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
}

/* A struct of vmlinux. Its type id depends on options of the kernel, which add types before it. */
static noinline __noipa long of_vmlinux(const struct kretprobe *probe, int n)
{
	WRITE_ONCE(kinds_sink, n);
	return probe->nmissed + probe->maxactive;
}

static long call_of_vmlinux(const struct kinds_values *values)
{
	struct kretprobe probe = { .maxactive = values->v[0], .nmissed = values->v[1] };

	return of_vmlinux(&probe, values->v[2]);
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
	{ "equal@kinds_b.c", call_equal, equal },
	{ "differs@kinds_b.c", call_differs, differs },
	{ "in_header@kinds_b.c", call_in_header, in_header },
	{ "in_two@kinds_b.c", call_in_two, in_two },
	{ "on_stack@kinds_b.c", call_on_stack, on_stack },
	{ "of_vmlinux@kinds_b.c", call_of_vmlinux, of_vmlinux },
	{ "kinds_kfunc@kinds_main.c", kinds_call_kfunc, kinds_kfunc },
	{},
};
