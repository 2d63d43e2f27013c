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
#define BY_ARCH(arm64, x86) arm64
#else
#define BY_ARCH(arm64, x86) x86
#endif
#define NOP	       BY_ARCH("nop", ".byte 0x0f, 0x1f, 0x44, 0x00, 0x00")
#define NOTHING	       BY_ARCH(NOP, "")
#define SECOND	       BY_ARCH("x1", "%%rsi")
#define READ(reg)      BY_ARCH("cmp " reg ", #0", "test " reg ", " reg)
#define CLEAR(reg)     BY_ARCH("mov " reg ", xzr", "xor " reg ", " reg)
#define COPY(from, to) BY_ARCH("mov " to ", " from, "mov " from ", " to)
#define LOAD(from)     BY_ARCH("ldr x9, [" from "]", "mov (" from "), %%rcx")
#define PLAIN	       BY_ARCH("7", "7, 0")
#define BY_FUNCTION    BY_ARCH("0x8007", "7, 2")
#define LOADED	       BY_ARCH("x9", "rcx")

#define IN(section) ".pushsection " section ", \"aw\"\n"

/* As arch_static_branch(): a nop now, and a jump when the key is on; or the other way round. */
#define JUMP_ENTRY(label)						\
	IN(JUMP_TABLE) ".balign 8\n.long 1b - ., %l[" #label "] - .\n.quad 0\n.popsection"
#define NOP_OR_JUMP(label)						\
	asm goto("1: " NOP "\n" JUMP_ENTRY(label) : : : : label)
#define JUMP_OR_NOP(label)						\
	asm goto("1: " BY_ARCH("b", "jmp") " %l[" #label "]\n" JUMP_ENTRY(label) : : : : label)

#define TRAP(flags, behind)						\
	asm volatile("1: " BY_ARCH("brk #0x800", "ud2") "\n"		\
		     IN("__bug_table") ".balign 4\n.set FLAGS, " #flags "\n"	\
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
		BUG(READ(SECOND));
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
		     ALTERNATIVE(BY_FUNCTION, NOP, READ(SECOND)) : : : "memory");
	return sink += a;
}

static noinline long by_fault(const struct pair *p)
{
	long a = p->first, b = p->second;

	asm goto(FAULT(LOAD("%0"), "%l[bad]", BY_ARCH("2, 0x3ff", "1, 0")) : : "r"(a) : LOADED : bad);
	return sink += a;
bad:
	return sink += b;
}

/* The handler leaves an error in the second register. */
static noinline long no_fault(const struct pair *p)
{
	long a = p->first, error;

	asm volatile(FAULT(LOAD("%1"), "2f", BY_ARCH("2, 0x3e1", "0x611, 0")) CLEAR(SECOND)
		     "\n2: " COPY(SECOND, "%0") : "=r"(error) : "r"(a) : LOADED, BY_ARCH("x1", "rsi"));
	return sink += a + error;
}

static noinline long by_hypercall(const struct pair *p)
{
	register long a asm(BY_ARCH("x0", "rdi")) = p->first, b asm(BY_ARCH("x1", "rsi")) = p->second;

	asm volatile(BY_ARCH("hvc #0", "vmcall") : "+r"(a) : "r"(b) : "memory");
	return sink += a;
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
