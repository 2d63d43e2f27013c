// SPDX-License-Identifier: GPL-2.0-only
/* Compiled to assembly, in which lies.sh then changes the DWARF. */
typedef int number;

struct s {
	long a;
};

volatile long sink;

__attribute__((noinline)) int liar(number n, struct s *p)
{
	sink += p->a;
	for (int i = 0; i < n; i++)
		sink += i;
	return n;
}

static __attribute__((noinline)) int clone(int gone, int kept)
{
	sink += kept * gone;
	return kept;
}

int honest(int a)
{
	return clone(5, a) + clone(5, a + 1);
}
