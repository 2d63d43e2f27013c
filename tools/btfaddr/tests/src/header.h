/* SPDX-License-Identifier: GPL-2.0-only */
#define noinline __attribute__((noinline))
#define init_text __attribute__((section(".init.text")))

extern volatile long sink;

struct pair {
	long first, second;
};

/* One declaration, an instance in each unit that takes its address. */
static inline int in_header(int x)
{
	sink += x;
	return x + 1;
}
