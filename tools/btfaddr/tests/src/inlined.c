// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program in which functions are inlined in many ways. Before each call it tells, by expect(),
 * what it is going to pass; inline_run.py compares that with what btfaddr says of the call.
 */
#define INLINE static inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))
#define EXPECT(func, ...) expect(#func, __VA_ARGS__)
#define CALL(func, ...) (EXPECT(func, __VA_ARGS__), func(__VA_ARGS__))
#define BARRIER asm volatile("" ::: "memory")

#ifdef __aarch64__
#define CLOBBER asm volatile("" ::: "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", \
			     "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x19", "x20", \
			     "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "memory")
asm(".globl _start\n_start: bl main\nmov x8, #93\nsvc #0");
#else
#define CLOBBER asm volatile("" ::: "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", \
			     "r11", "r12", "r13", "r14", "r15", "memory")
#endif

enum color { RED, GREEN = -7 };
struct pair { long first, second; };
struct small { int a, b; };
struct odd { long first; int second; };
struct big { long vals[4]; };
typedef const unsigned char always;
struct node { long pad[3]; struct pair pair; struct node *next; };

volatile long sink, source = 41;
static struct node nodes[3];
static long table[8];

/* A tracer stops here. */
NOINLINE __attribute__((noclone)) void expect(const char *func, ...)
{
	asm volatile("" :: "r"(func) : "memory");
}

NOINLINE long opaque(long n)
{
	asm volatile("" : "+r"(n));
	return n;
}

NOINLINE __attribute__((cold)) void rare(long n)
{
	sink = n;
}

INLINE long in_reg(long n, long m) { return n * 3 + m; }
INLINE int in_int(int n, unsigned char c, _Bool yes) { sink = n; return yes ? c : n; }
INLINE long mixed(long n, unsigned int u, int i, long big, enum color color)
{
	sink = n + u;
	BARRIER;
	return i + big + color;
}
INLINE long unused(long n, long m) { return n; }
INLINE long counts_up(long n) { n++; BARRIER; sink = n; return n; }
INLINE long overwrites(long n, long m) { n = 5; BARRIER; sink = n; BARRIER; return n + m; }
INLINE long swaps(long a, long b) { long t = a; a = b; b = t; BARRIER; sink = a; BARRIER; return a * 7 + b; }
INLINE long picks(long n, long m, int which) { if (which) n = m; BARRIER; sink = n; return n + which; }
INLINE long follows(struct node *p) { p = p->next; BARRIER; sink = p->pad[0]; return p->pad[1]; }
INLINE void by_address(long n) { asm volatile("" :: "r"(&n) : "memory"); sink = n; }
INLINE long of_pair(struct pair p) { sink = p.first; BARRIER; return p.second; }
INLINE int of_small(struct small s) { sink = s.a; BARRIER; return s.b; }
INLINE long of_odd(struct odd o) { sink = o.first; BARRIER; return o.second; }
INLINE long of_big(struct big b) { sink = b.vals[1]; BARRIER; return b.vals[3]; }
INLINE long member(struct pair *p) { sink = p->first; BARRIER; return p->second; }
INLINE long deepest(long n, long depth) { sink = n; BARRIER; return n ^ depth; }
INLINE long middle(long n) { return CALL(deepest, n + 1, 3L) + n; }
INLINE long outer(long n) { return CALL(middle, n * 2) - n; }
INLINE long called(long (*fn)(long), long n) { return fn(n) + 1; }
static long maybe(long n) { sink = n; BARRIER; return n * n + source; }
INLINE void checked(long n, const char *why) { if (__builtin_expect(n > 100, 0)) { rare(n); sink = *why; } }
INLINE long stepped(long *p, long n) { long sum = 0; while (n--) sum += *p++; return sum; }
INLINE long late(long n, long m) { sink = 1; return opaque(3) + n * m; }
INLINE long narrow(unsigned int n) { sink = n; BARRIER; return n; }
INLINE long fixed(const long n, const int i, const always c) { sink = n; BARRIER; return i + c; }
INLINE long fixed_pair(const struct pair p, struct pair *const q) { sink = p.first; BARRIER; return p.second + q->first; }

NOINLINE long regs(long a, long b)
{
	long n = opaque(a), m = opaque(b);

	a = CALL(in_reg, n, m);
	a += CALL(in_int, (long)(int)(a + 1), 200L, 1L);
	a += CALL(in_int, (long)(int)b, (long)(unsigned char)a, (long)(b > 5));
	return a + CALL(narrow, (long)(unsigned int)(b << 31));
}

NOINLINE long constants(long a)
{
	a += CALL(mixed, -1L, 4000000000L, -5L, 0x123456789abcdefL, (long)GREEN);
	a += CALL(mixed, a, 7L, 0L, -1L, (long)RED);
	return CALL(in_reg, 2L, a);
}

NOINLINE long changes(long a, long b)
{
	a = CALL(unused, a, b);
	a += CALL(counts_up, a);
	a += CALL(counts_up, 7L);
	a += CALL(overwrites, a * 3, b);
	a += CALL(swaps, a, b);
	a += CALL(picks, a, b, 1L);
	a += CALL(picks, a, b, 0L);
	a += CALL(follows, &nodes[0]);
	CALL(by_address, a);
	a += CALL(stepped, table, 4L);
	return a + CALL(stepped, &table[1], b);
}

/* What the function gives its parameter is in a register of the caller already. */
NOINLINE long ahead(long n)
{
	long next = n + 1;

	sink = next;
	EXPECT(counts_up, n);
	sink += counts_up(n);
	return next;
}

NOINLINE long constant(long a, struct pair *pair)
{
	a += CALL(fixed, a, 5L, (long)(unsigned char)a);
	a += CALL(fixed, a + 7, (long)(int)a, 255L);
	EXPECT(fixed_pair, a, a + 2, pair);
	return fixed_pair((struct pair){ a, a + 2 }, pair);
}

NOINLINE long aggregates(struct node *node, long n)
{
	struct big big = { { n, n + 1, n + 2, n + 3 } };

	EXPECT(of_pair, node->pair.first, node->pair.second);
	n += of_pair(node->pair);
	EXPECT(of_pair, n, 9L);
	n += of_pair((struct pair){ n, 9 });
	EXPECT(of_small, (n & 0xffffffff) | 8L << 32);
	n += of_small((struct small){ n, 8 });
	EXPECT(of_odd, n, 3L);
	n += of_odd((struct odd){ n, 3 });
	EXPECT(of_big, big.vals[0], big.vals[1], big.vals[2], big.vals[3]);
	n += of_big(big);
	return n + CALL(member, &node->pair);
}

NOINLINE long nested(long n)
{
	long i, sum = 0;

	sum = CALL(outer, n);
	for (i = 0; i < 5; i++) {
		sum += CALL(outer, i + n);
	}
	return sum;
}

NOINLINE long others(long a, long b, long c, long d, long e, long f, long g, long h)
{
	a += CALL(in_reg, g, h);
	a += CALL(called, opaque, b);
	EXPECT(called, maybe, c);
	EXPECT(maybe, c);
	a += called(maybe, c);
	a += CALL(maybe, d);
	CALL(checked, e, "e");
	CALL(checked, a + 1000, "a");
	BARRIER;
	return a + e + f + g;
}

/* A block of its own doesn't belong to the call before it. */
NOINLINE long blocks(long n)
{
	sink = CALL(counts_up, n);	/* before the block */
	if (source) {
		long in_block = opaque(n) & 0xff;

		n += CALL(narrow, in_block);	/* in the block */
		sink += in_block;
	}
	return n;
}

/* The values are in memory, as no register is left for them. */
NOINLINE long pressure(long n, long m)
{
	struct small small = { n, m };
	int i = n + m;

	EXPECT(late, n, m);
	CLOBBER;
	n += late(n, m);
	EXPECT(late, m, n);
	CLOBBER;
	m += late(m, n);
	EXPECT(in_int, (long)i, (long)(unsigned char)m, 0L);
	CLOBBER;
	n += in_int(i, m, 0);
	EXPECT(of_small, small.a | (long)small.b << 32);
	CLOBBER;
	return n + of_small(small) + i;
}

int main(int argc, char **argv)
{
	long i, n = source;

	nodes[0].next = &nodes[1];
	nodes[1].pad[0] = 77;
	nodes[0].pair = (struct pair){ 11, 22 };
	for (i = 0; i < 3; i++) {
		n += regs(n, i + 4);
		n += constants(n);
		n += changes(n, i + 1);
		n += ahead(n);
		n += constant(n, &nodes[0].pair);
		n += aggregates(&nodes[0], n);
		n += nested(n & 0xff);
		n += blocks(n);
		n += pressure(n, i);
		n += others(1, 2, 3, 4, 5 + i * 60, 6, 7, n);
	}
	sink = n;
	return 0;
}

/* Another name of a function, which has the same FUNC. */
long other_name(long a, long b) __attribute__((alias("regs")));
