/* SPDX-License-Identifier: GPL-2.0-only */
/* The programs of reads.bpf.c, which includes this file twice. */
READS(calls_only)
{
	return SEE();
}

READS(n, int n)
{
	return SEE(n);
}

READS(in_header, unsigned int n)
{
	return SEE(n);
}

READS(n_m, int n, long m)
{
	return SEE(n, m);
}

READS(scaled, int n, int factor, long m)
{
	return SEE(n, m, EXISTS(scaled, factor) ? factor : READS_NONE);
}

READS(kinds_kfunc, unsigned int n, unsigned long long m)
{
	return SEE(n, m);
}

READS(differs_a, long n, unsigned char m)
{
	return SEE(n, m);
}

READS(differs_b, const struct kinds_wide *wide, unsigned long long n)
{
	return SEE(wide->second, wide->fourth, n);
}

/* Compilers leave out parameters that aren't used. */
READS(without_first, const struct kinds_pair *unused, int n, long m)
{
	return SEE(n, m);
}

READS(without_middle, int n, const struct kinds_pair *unused, long m)
{
	return SEE(n, m);
}

/* A compiler may pass parts of a parameter, which moves those behind it. */
READS(members, const struct kinds_wide *wide, int n, unsigned long wide__isra0,
      unsigned long wide__isra1)
{
	return SEE(n,
		   EXISTS(members, wide)	? wide->first :
		   EXISTS(members, wide__isra0) ? wide__isra0 :
						  READS_NONE,
		   EXISTS(members, wide)	? wide->fourth :
		   EXISTS(members, wide__isra1) ? wide__isra1 :
						  READS_NONE);
}

READS(moved, int n, const struct kinds_pair *pair, long m, unsigned long pair__isra0,
      unsigned long pair__isra1)
{
	return SEE(n, m,
		   EXISTS(moved, pair)	      ? pair->second :
		   EXISTS(moved, pair__isra1) ? pair__isra1 :
						READS_NONE);
}

/* With KASAN, DWARF doesn't say which part of the structure is passed. */
READS2(half, struct kinds_pair, pair, int, n, long, pair__second, unsigned long, pair__isra0)
{
	return SEE(n, EXISTS(half, pair)	 ? pair.second :
		      EXISTS(half, pair__second) ? pair__second :
		      EXISTS(half, pair__isra0)	 ? pair__isra0 :
						   READS_NONE);
}

READS2(in_two, struct kinds_pair, pair, unsigned short, n)
{
	return SEE(pair.first, pair.second, n);
}

READS(on_stack, int a, long b, unsigned char c, long d, int e, long f, unsigned short g, long h)
{
	return SEE(a, b, c, d, e, f, g, h);
}

READS(of_vmlinux, const struct kretprobe *probe, int n)
{
	return SEE(probe->maxactive, probe->nmissed, n);
}

READS(n_flag, int n, bool flag)
{
	return SEE(n, flag);
}

READS(bools, bool first, long unused, int n, bool second)
{
	return SEE(first, n, second);
}

/* At -O3, compilers pass the value behind the pointer. */
READS(by_value, const long *p, int n, unsigned long p__isra0)
{
	return SEE(EXISTS(by_value, p)	      ? pointed_to(p) :
		   EXISTS(by_value, p__isra0) ? p__isra0 :
						READS_NONE,
		   n);
}

/* gcc passes the second member. DWARF doesn't say of which parameter. */
READS(pair_n, long unused, const struct kinds_pair *pair, int n, unsigned long __isra0)
{
	return SEE(EXISTS(pair_n, pair)	   ? pair->second :
		   EXISTS(pair_n, __isra0) ? __isra0 :
					     READS_NONE,
		   n);
}

/* DWARF doesn't say which parameter clang passes. */
READS(homed, int n, unsigned long __isra0)
{
	return SEE(EXISTS(homed, n) ? n : EXISTS(homed, __isra0) ? (int)__isra0 : READS_NONE);
}

READS(times, long times)
{
	return SEE(times);
}
