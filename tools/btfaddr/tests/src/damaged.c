// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compiled to assembly, in which damaged.sh then changes the DWARF of the types. The BTF that
 * btfaddr gets has none of them.
 */
struct pair {
	int first, second;
};

union either {
	int number;
	long word;
};

enum color { RED, GREEN };

struct row {
	int cells[1024];
	enum color color;
};

struct flags {
	unsigned int low : 3, high : 5;
};

/* Nested structs: the kernel follows 32 of them. */
#define NEST(outer, inner) struct outer { struct inner in; }
struct n1 { int in; };
NEST(n2, n1); NEST(n3, n2); NEST(n4, n3); NEST(n5, n4); NEST(n6, n5); NEST(n7, n6);
NEST(n8, n7); NEST(n9, n8); NEST(n10, n9); NEST(n11, n10); NEST(n12, n11); NEST(n13, n12);
NEST(n14, n13); NEST(n15, n14); NEST(n16, n15); NEST(n17, n16); NEST(n18, n17);
NEST(n19, n18); NEST(n20, n19); NEST(n21, n20); NEST(n22, n21); NEST(n23, n22);
NEST(n24, n23); NEST(n25, n24); NEST(n26, n25); NEST(n27, n26); NEST(n28, n27);
NEST(n29, n28); NEST(n30, n29); NEST(n31, n30); NEST(n32, n31); NEST(n33, n32);

volatile long sink;

#define USER(name, type) __attribute__((noinline)) void name(type *p) { sink += *(int *)p; }

USER(pair_user, struct pair)
USER(either_user, union either)
USER(row_user, struct row)
USER(flags_user, struct flags)
USER(deep, struct DEEP)

__attribute__((noinline)) int names(int only, int other)
{
	return sink += only * other;
}

__attribute__((noinline)) int honest(int a)
{
	return sink += a;
}
