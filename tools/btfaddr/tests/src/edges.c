// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions that use a register, or a callee's return value, only on a path that a table of the
 * kernel adds: see code/edges.c. Their names say which table. Built by edges.sh.
 *
 * JUMP_TABLE: the section of that table. BUG_ENTRY: what an entry of __bug_table has behind the
 * address, with FLAGS.
 */
#define noinline __attribute__((noinline))

#ifdef __aarch64__
#define NOP	       "nop"
#define NOTHING	       NOP
#define JUMP	       "b"
#define BREAK	       "brk #0x800"
#define REG	       ""
#define SECOND	       "x1"
#define SCRATCH	       "x9"
#define READ(reg)      "cmp " reg ", #0"
#define CLEAR(reg)     "mov " reg ", xzr"
#define COPY(from, to) "mov " to ", " from
#define LOAD(from)     "ldr x9, [" from "]"
#define PLAIN	       "7"
#define BY_FUNCTION    "0x8007"
#define EX_PLAIN       "2, 0x3ff"
#define EX_ERROR       "2, 0x3e1"
#else
#define NOP	       ".byte 0x0f, 0x1f, 0x44, 0x00, 0x00"
#define NOTHING	       ""
#define JUMP	       "jmp"
#define BREAK	       "ud2"
#define REG	       "%%"
#define SECOND	       "rsi"
#define SCRATCH	       "rcx"
#define READ(reg)      "test " reg ", " reg
#define CLEAR(reg)     "xor " reg ", " reg
#define COPY(from, to) "mov " from ", " to
#define LOAD(from)     "mov (" from "), %%rcx"
#define PLAIN	       "7, 0"
#define BY_FUNCTION    "7, 2"
#define EX_PLAIN       "1, 0"
#define EX_ERROR       "0x611, 0"
#endif

#define IN(section) ".pushsection " section ", \"aw\"\n"

/* As arch_static_branch(): a nop now, and a jump when the key is on; or the other way round. */
#define JUMP_ENTRY(label)						\
	IN(JUMP_TABLE) ".balign 8\n.long 1b - ., %l[" #label "] - .\n.quad 0\n.popsection"
#define NOP_OR_JUMP(label)						\
	asm goto("1: " NOP "\n" JUMP_ENTRY(label) : : : : label)
#define JUMP_OR_NOP(label) asm goto("1: " JUMP " %l[" #label "]\n" JUMP_ENTRY(label) : : : : label)

#define TRAP(flags, behind)						\
	asm volatile("1: " BREAK "\n" IN("__bug_table") ".balign 4\n.set FLAGS, " #flags "\n"	\
		     ".long 1b - .\n" BUG_ENTRY "\n.popsection\n" behind ::: "memory")
/* WARN_ON(): the kernel goes on behind it. BUG(): it doesn't, whatever is there. */
#define WARN() TRAP(0x901, "")
#define BUG(behind) do { TRAP(0, behind); __builtin_unreachable(); } while (0)

/* Instructions, and what takes their place. */
#define ALTERNATIVE(flags, old, new)					\
	"661: " old "\n662:\n"						\
	".pushsection .altinstructions, \"a\"\n.long 661b - ., 663f - .\n.short " flags "\n" \
	".byte 662b - 661b, 664f - 663f\n.popsection\n"			\
	".pushsection .altinstr_replacement, \"ax\"\n663: " new "\n664: .popsection\n"

#define FAULT(insn, fixup, type)					\
	"1: " insn "\n.pushsection __ex_table, \"a\"\n.long 1b - ., " fixup " - .\n.short " type "\n" \
	".popsection\n"

struct pair { long first, second; };
volatile long sink;

#ifdef JUMP_TABLE_BY_SYMBOLS
asm(IN(JUMP_TABLE) ".globl __start___jump_table\n__start___jump_table:\n.subsection 9\n"
    ".globl __stop___jump_table\n__stop___jump_table:\n.popsection");
#endif

static noinline long by_key(const struct pair *p)
{
	long a = p->first, b = p->second;

	NOP_OR_JUMP(yes);
	return sink += a;
yes:
	return sink += a * b;
}

static noinline long by_key_on(const struct pair *p)
{
	long a = p->first, b = p->second;

	JUMP_OR_NOP(yes);
	return sink += a * b;
yes:
	return sink += a;
}

static noinline long by_warn(const struct pair *p)
{
	long a = p->first, b = p->second;

	if (a == 77) {
		WARN();
		return sink += b;
	}
	return sink += a;
}

/* Members of p are on the stack. */
static noinline long by_warn_on_stack(long x, long y, long a, long b, long c, long d, long e,
				      long f, const struct pair *p)
{
	long g = p->first, h = p->second;

	sink += x * y * a * b * c * d * e * f;
	if (g == 77) {
		WARN();
		return sink += h;
	}
	return sink += g;
}

static noinline long no_warn(const struct pair *p)
{
	long a = p->first;

	if (a == 77)
		BUG(READ(REG SECOND));
	return sink += a;
}

static noinline long by_alternative(const struct pair *p)
{
	long a = p->first, b = p->second;

	asm volatile(ALTERNATIVE(PLAIN, NOP, READ("%0")) : : "r"(b));
	return sink += a;
}

/* The instruction that writes the register may be replaced by nothing. */
static noinline long by_nothing(const struct pair *p)
{
	long a = p->first, b = p->second;

	asm volatile(ALTERNATIVE(PLAIN, CLEAR("%0"), NOTHING) : "+r"(b));
	return sink += a * b;
}

/* The code behind a replacement isn't run after it. */
static noinline long no_alternative(const struct pair *p)
{
	long a = p->first;

	asm volatile(ALTERNATIVE(PLAIN, NOP, NOP)
		     ALTERNATIVE(BY_FUNCTION, NOP, READ(REG SECOND)) : : : "memory");
	return sink += a;
}

static noinline long by_fault(const struct pair *p)
{
	long a = p->first, b = p->second;

	asm goto(FAULT(LOAD("%0"), "%l[bad]", EX_PLAIN) : : "r"(a) : SCRATCH : bad);
	return sink += a;
bad:
	return sink += b;
}

/* The handler leaves an error in the second register. */
static noinline long no_fault(const struct pair *p)
{
	long a = p->first, error;

	asm volatile(FAULT(LOAD("%1"), "2f", EX_ERROR) CLEAR(REG SECOND)
		     "\n2: " COPY(REG SECOND, "%0") : "=r"(error) : "r"(a) : SCRATCH, SECOND);
	return sink += a + error;
}

static noinline long by_hypercall(const struct pair *p)
{
	long a = p->first, b = p->second, ret;

#ifdef __aarch64__
	register long r0 asm("x0") = a, r1 asm("x1") = b;

	asm volatile("hvc #0" : "+r"(r0) : "r"(r1) : "memory");
	ret = r0;
#else
	asm volatile("vmcall" : "=a"(ret) : "a"(3), "S"(b), "D"(a) : "memory");
#endif
	return sink += ret;
}

static noinline int ret_key(struct pair *p, int n) { sink += p->second; return sink > n; }
static noinline int ret_warn(struct pair *p, int n) { sink *= p->second; return sink > n; }
static noinline int ret_unused(struct pair *p, int n) { sink -= p->second; return sink > n; }

void use_ret_key(struct pair *p, int n)
{
	int ret = ret_key(p, n + 1);

	NOP_OR_JUMP(yes);
	return;
yes:
	sink += ret;
}

void use_ret_warn(struct pair *p, int n)
{
	int ret;

	ret_unused(p, n);
	ret = ret_warn(p, n + 1);
	if (sink == 5) {
		WARN();
		sink += ret;
	}
}

long use(struct pair *p)
{
	ret_key(p + 1, 5);
	ret_warn(p + 1, 6);
	ret_unused(p + 1, 7);
	return by_key(p) + by_key_on(p) + by_warn(p) + no_warn(p) + by_alternative(p) +
	       by_nothing(p) + no_alternative(p) + by_fault(p) + no_fault(p) + by_hypercall(p) +
	       by_warn_on_stack(8, 9, sink, 1 + sink, 2 + sink, 3 + sink, 4 + sink, 5 + sink, p);
}

long use_again(struct pair *p)
{
	return by_key(p) - by_key_on(p) - by_warn(p) - no_warn(p) - by_alternative(p) -
	       by_nothing(p) - no_alternative(p) - by_fault(p) - no_fault(p) - by_hypercall(p) -
	       by_warn_on_stack(sink, sink, sink, 7 * sink, 2 * sink, 3 * sink, 4 * sink, 5 * sink, p);
}
