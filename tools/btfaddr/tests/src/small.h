/* SPDX-License-Identifier: GPL-2.0-only */
/* What most of the small programs in uses.sh and clang.sh begin with. */
#define noinline __attribute__((noinline))

struct pair { long first, second; };

volatile long sink;

/* Calls it twice, with a pointer that compilers don't know. */
#define CALLED(name) long use_##name(struct pair *p) { return name(p) + name(p + 1) * 2; }
