// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions that BTF without addresses lacks, shares or is wrong about: entries.sh makes it so. As
 * inlined.c, it tells what it passes, by expect(). With OTHER, this is the second unit.
 */
#define NOINLINE __attribute__((noipa))
#define EXPECT(func, ...) expect(#func, __VA_ARGS__)
#define CALL(func, ...) (EXPECT(func, __VA_ARGS__), func(__VA_ARGS__))

struct node { long a, b; };
struct pair { long first, second; };
struct big { long vals[4]; };
struct odd { char c; long n; } __attribute__((packed));

#ifdef OTHER
/* The name and the FUNC are another function's in the first unit, or only this one's FUNC stays. */
__attribute__((noipa)) static long shared(struct node *p) { return p->a; }
long use_shared_2(void) { return shared(&(struct node){ 1, 2 }); }
#else
#ifdef __aarch64__
asm(".globl _start\n_start: bl main\nmov x8, #93\nsvc #0");
#endif
volatile long sink = 3;

NOINLINE void expect(const char *func, ...)
{
	asm volatile("" :: "r"(func) : "memory");
}

NOINLINE static long shared(long a, long b) { return a + b; }
/* What is false about these FUNCs is that each has the prototype of the one named. */
NOINLINE long few(long a, long b, long c) { return a + b + c; }			/* two */
NOINLINE long many(long a) { return a + sink; }					/* two */
NOINLINE long types(struct node *p, long n) { return p->b + n; }		/* two */
NOINLINE void returns(long a, long b) { sink = a + b; }				/* two */
NOINLINE long born(long a, long b, long c) { return a - b - c; }		/* none */
NOINLINE long open(long a, long b) { return a - b; }				/* dots */
/* There is a second FUNC, of these. */
NOINLINE long alike(long a, long b) { return a * b; }				/* two */
NOINLINE long differs(long a, long b) { return a * b + 1; }			/* many */
/* The FUNCs of these are gone. */
NOINLINE long lost_regs(long a, int b, char c, long d, _Bool e, struct node *f) { return a + b + c + d + e + f->a; }
NOINLINE long lost_stack(long a, long b, long c, long d, struct pair p, long e, int f, int g, long h) { return a + p.second + e + f + g + h; }
NOINLINE long lost_ref(long a, struct big b, long c) { return a + b.vals[3] + c; }
NOINLINE long lost_pair(long a, struct pair p, long b) { return a + p.first + p.second + b; }
NOINLINE struct big lost_big(long a, long b) { return (struct big){ { a, b } }; }
/* These are true. */
NOINLINE long two(const long a, long b) { return a + b; }
NOINLINE long none(void) { return sink; }
NOINLINE long dots(long a, ...) { return a; }
/* The compiler renames these, and changes them. */
__attribute__((noinline)) static long split(struct node *p, long n) { sink = n; return p->b; }
__attribute__((noinline)) static long constant(long a, long b) { sink = a; return a * b + sink; }
#ifdef __aarch64__
#define keeps(n)
#else
/* No program may take its registers for arguments. */
NOINLINE __attribute__((naked)) void keeps(long a) { asm("ret"); }
#endif

long use_shared_2(void);

int main(void)
{
	struct node node = { 5, sink };
	struct pair pair = { 11, sink };
	long n = sink;

	n += CALL(few, n, 2L, 3L);
	n += CALL(many, n);
	n += CALL(types, &node, n);
	CALL(returns, n, 7L);
	n += CALL(born, n, 8L, 9L);
	n += CALL(open, n, 8L);
	n += CALL(lost_regs, n, 2L, 3L, 4L, 1L, &node);
	EXPECT(lost_stack, n, 2L, 3L, 4L, 11L, pair.second, 6L, 7L, 8L, 9L);
	n += lost_stack(n, 2, 3, 4, pair, 6, 7, 8, 9);
	EXPECT(lost_ref, n, 1L, 2L, 3L, 4L, 5L), n += lost_ref(n, (struct big){ { 1, 2, 3, 4 } }, 5);
	EXPECT(lost_pair, n, 11L, pair.second, 5L), n += lost_pair(n, pair, 5);
	n += CALL(lost_big, n, 6L).vals[1];
	n += shared(n, 1) + use_shared_2() + alike(n, 2) + differs(n, 2) + two(n, 1) + none() + dots(n);
	n += split(&node, n) + split(&node, 2) + constant(n, 3) + constant(4, 3);
	keeps(n);
	sink = n;
	return 0;
}
#endif
