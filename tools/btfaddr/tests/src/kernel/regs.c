// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions whose registers DWARF alone doesn't tell, or tells in an unusual way.
 *
 * EXPECT clang19: int bools(_Bool a, _Bool b, long n);
 * EXPECT clang19: long phantom(long used, long last);
 * EXPECT clang19_x86: int bit_field(long a, _Bool p__flag);
 * EXPECT clang19: struct pair both_returned(long x);
 * EXPECT all: unsigned int table(const unsigned int (*values)[256], enum shade i);
 * EXPECT gcc12: long passed_on.constprop.0(long n);
 * EXPECT gcc14: long passed_on.isra.0(long n);
 * EXPECT gcc: void split_off.part.0(int *p);
 * EXPECT gcc: int split_used.part.0(int *p);
 * EXPECT gcc: long many.isra.0(long a, long b, long c, p__isra0, p__isra1, long d, long e);
 * EXPECT gcc_kernel: long folded_read(long n, void *buf);
 * LEFT_OUT gcc_kernel: folded_write
 * EXPECT gcc_module: long folded_write(long n, const void *buf);
 * LEFT_OUT gcc_module: folded_read
 * LEFT_OUT all: unnamed
 * EXPECT clang19: int bytes_divided(unsigned char a, unsigned char b);
 */
#define noinline __attribute__((noinline))

volatile long regs_sink;

void regs_take(long *p);

/* In clang's DWARF, a bool is the low bit of its register. */
static noinline int bools(int dead, _Bool a, _Bool b, long n)
{
	regs_sink += n;
	if (a)
		regs_sink++;
	if (b)
		regs_sink += 2;
	return regs_sink;
}

int use_bools(_Bool x, long n)
{
	return bools(1, x, n & 1, n) + bools(2, n > 4, x, n + 1);
}

/* What comes in as "gone" isn't used, but something of this name lives in the frame. */
static noinline long phantom(long used, long gone, long last)
{
	gone = used * 3;
	regs_take(&gone);
	regs_sink += gone + last;
	return gone;
}

long use_phantom(long a)
{
	return phantom(a, 7, a + 1) + phantom(a + 1, a, 3);
}

struct flagged {
	void *p;
	_Bool flag : 1;
};

static noinline int bit_field(long a, struct flagged p)
{
	regs_sink += a;
	return p.flag ? 3 : 4;
}

int use_bit_field(long a, void *p)
{
	return bit_field(a, (struct flagged){ p, 0 }) +
	       bit_field(a + 1, (struct flagged){ p, 1 });
}

struct pair {
	long first, second;
};

static noinline struct pair both_returned(int dead, long x)
{
	struct pair r = { x * 2, x + 5 };

	regs_sink += x;
	return r;
}

long use_returned(long a)
{
	struct pair r = both_returned(1, a), s = both_returned(2, a + 1);

	return r.first * r.second + s.first * s.second;
}

enum shade { SHADE_LESS = 1, SHADE_MORE = 200 };

/* 255 and 200 fit into a byte, whose sign isn't told. */
unsigned int table(const unsigned int (*values)[256], enum shade i)
{
	return i == SHADE_MORE ? (*values)[i] : 0;
}

unsigned int use_table(const unsigned int (*values)[256])
{
	return table(values, SHADE_MORE) + table(values, SHADE_LESS);
}

noinline long regs_one_arg(long n)
{
	regs_sink += n;
	return n;
}

/* No register behind the first is read, nor handed on: the callee has one parameter. */
static noinline long passed_on(long n, struct pair *unused)
{
	regs_sink++;
	return regs_one_arg(n);
}

long use_passed_on(long n, struct pair *p)
{
	return passed_on(n, p) + passed_on(n + 1, p + 1);
}

/* The part that is split off returns nothing, as it would always return 1. */
static int split_off(int *p)
{
	if (__builtin_expect(!p, 1))
		return 1;
	for (int i = 0; i < *p; i++) {
		regs_sink += i;
		regs_take(0);
		regs_sink += p[i] * 3;
		regs_take(0);
	}
	return 1;
}

static int split_used(int *p)
{
	int sum = 0;

	if (__builtin_expect(!p, 1))
		return 1;
	for (int i = 0; i < *p; i++) {
		regs_sink += i;
		regs_take(0);
		sum += regs_sink + p[i] * 3;
		regs_take(0);
	}
	return sum;
}

int use_split_1(int *p) { return split_off(p) + split_used(p); }
int use_split_2(int *p) { return split_off(p + 1) - split_used(p + 1); }
int use_split_3(int *p) { return split_off(p + 2) * split_used(p + 2); }

/* With members of the pointer in between, the last ones are on the stack. */
static noinline long many(long a, long b, long c, struct pair *p, long d, long e)
{
	regs_sink += a * b * c * p->first;
	regs_sink += p->second * d;
	return e * a;
}

long use_many(struct pair *p, long n)
{
	return many(n, n + 1, n + 2, p, n + 3, n + 4) + many(n, 1, n * 5, p + 1, n * 6, n * 7);
}

/*
 * Two functions with the same code, which differ in a type: GCC makes one a name of the other,
 * and describes only the other. BTF has one FUNC for their address.
 */
static noinline long folded_read(long n, void *buf)
{
	regs_sink += n * 77;
	return (long)buf + 12345;
}

static noinline long folded_write(long n, const void *buf)
{
	regs_sink += n * 77;
	return (long)buf + 12345;
}

long use_folded(long n, void *buf)
{
	return folded_read(n, buf) * 3 + folded_read(n + 1, 0) + folded_write(n + 2, buf) +
	       folded_write(n + 3, buf + 1);
}

/* A division of bytes has nothing to do with rdx, where something could be passed. */
static noinline int bytes_divided(unsigned char a, unsigned char b, struct pair *gone)
{
	regs_sink += a / b;
	return a % b;
}

int use_bytes_divided(int a, int b, struct pair *p)
{
	return bytes_divided(a, b, p) + bytes_divided(b, a + 1, p + 1);
}

/* Legal since C23. The kernel would refuse all of BTF for it. */
long unnamed(int, long n)
{
	return regs_sink += n;
}
