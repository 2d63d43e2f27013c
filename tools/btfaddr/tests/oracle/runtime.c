// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a kernel trampoline does to a function, in user space. Each function calls
 * __fentry__ first; if the table has it, it is called again as BPF's trampoline does
 * (arch/x86/net/bpf_jit_comp.c, BPF_TRAMP_F_CALL_ORIG): with the arguments that BTF lists,
 * and garbage in all other registers and behind the last argument on the stack. What it
 * returns is handed on if BTF has a return type, in rax only. On arm64, only what the table has
 * calls __fentry__: as ftrace does, oracle_main() writes that over nops.
 *
 * The table comes into the section .oracle after linking, when BTF is known.
 */
typedef unsigned long u64;
typedef unsigned int u32;
typedef unsigned char u8;

#ifdef __aarch64__
#define NR_REGS	     8
#define SYS_WRITE    64
#define SYS_EXIT     93
#define SYS_MPROTECT 226
#define MOV_X9_X30   0xaa1e03e9
#define BTI_C	     0xd503245f
#else
#define NR_REGS	     6
#define SYS_WRITE    1
#define SYS_EXIT     60
#define SYS_MPROTECT 10
#endif
#define MAX_CHECKS 12
#define NR_ROWS	   512

/* Where an argument arrives, and what its caller wrote down: index in want[]. */
struct check {
	u8 place; /* below NR_REGS: a register, then the stack */
	u8 size;
	unsigned short param;
	u32 want;
};

struct row {
	u64 addr;
	u8 nr_regs, nr_stack, returns, nr_checks;
	/* what it returns: index in want[], and bytes; 0 if that isn't checked */
	unsigned short want, ret_size;
	struct check checks[MAX_CHECKS];
};

struct pair {
	long first, second;
};
struct wide {
	long x, y, z;
};

__attribute__((section(".oracle"), used, aligned(8))) volatile struct row rows[NR_ROWS] = { { 1 } };

long sum, fuel;
volatile long noise, want[4096];
struct pair pairs[8];
struct wide wides[8];
long longs[8];

void run_0(long acc);
void run_1(long acc);
void oracle_main(void);
const volatile struct row *oracle_row(const u64 *regs);
void oracle_ret(const volatile struct row *row, u64 ret);
void __SCT__null(void);
void __SCT__ret0(void);
void __SCT__there(void);
long extern_two(long a, long b);
void stop(long n);

static long system_call(long nr, u64 a, u64 b, u64 c)
{
#ifdef __aarch64__
	register u64 x0 asm("x0") = a, x1 asm("x1") = b, x2 asm("x2") = c, x8 asm("x8") = nr;

	asm volatile("svc #0" : "+r"(x0) : "r"(x1), "r"(x2), "r"(x8) : "memory");
	return x0;
#else
	long ret;

	asm volatile("syscall"
		     : "=a"(ret)
		     : "a"(nr), "D"(a), "S"(b), "d"(c)
		     : "rcx", "r11", "memory");
	return ret;
#endif
}

static void print(const char *what, u64 a, u64 b)
{
	char line[80], *p = line;
	u64 vals[2] = { a, b };
	int i, shift;

	while (*what)
		*p++ = *what++;
	for (i = 0; i < 2; i++) {
		*p++ = ' ';
		for (shift = 60; shift >= 0; shift -= 4)
			*p++ = "0123456789abcdef"[vals[i] >> shift & 15];
	}
	*p++ = '\n';
	system_call(SYS_WRITE, 1, (u64)line, p - line);
}

unsigned long __stack_chk_guard = 0x12345678;

void __stack_chk_fail(void)
{
	stop(-1);
}

/* What instrumented code calls: it leaves garbage in all registers that a function may change. */
asm(R"(
.macro stub name:vararg
	.globl	\name
	.type	\name, @function
\name:
.endm
	stub	__sanitizer_cov_trace_pc
	.irp	size, 1, 2, 4, 8, 16, N
	stub	__asan_load\size\()_noabort
	stub	__asan_store\size\()_noabort
	.endr
	.irp	kind, , volatile_, unaligned_, unaligned_volatile_
	.irp	size, 1, 2, 4, 8, 16
	stub	__tsan_\kind\()read\size
	stub	__tsan_\kind\()write\size
	.endr
	.endr
	stub	__asan_handle_no_return
	stub	__asan_register_globals
	stub	__asan_unregister_globals
	stub	__tsan_init
	stub	__tsan_read_range
	stub	__tsan_write_range
	.irp	what, builtin_unreachable, load_invalid_value, out_of_bounds, shift_out_of_bounds
	stub	__ubsan_handle_\what
	.endr
)"
#ifdef __aarch64__
    R"(
	ldr	x0, =0x5a5a5a5a5a5a5a5a
	.irp	r, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17
	mov	x\r, x0
	.endr
	ret
	.ltorg
)");
#else
    R"(
	mov	$0x5a5a5a5a5a5a5a5a, %rax
	.irp	r, rcx, rdx, rsi, rdi, r8, r9, r10, r11
	mov	%rax, %\r
	.endr
	ret
)");
#endif

/* What compilers call to copy or clear structs; these loops may not become calls of themselves. */
#define plain_loop __attribute__((optimize("no-tree-loop-distribute-patterns")))

plain_loop void *memcpy(void *to, const void *from, unsigned long n)
{
	while (n--)
		((u8 *)to)[n] = ((const u8 *)from)[n];
	return to;
}

plain_loop void *memset(void *to, int c, unsigned long n)
{
	while (n--)
		((u8 *)to)[n] = c;
	return to;
}

void escape(volatile void *p)
{
	asm volatile("" ::"r"(p) : "memory");
}

void chill(void)
{
	sum++;
}

void stop(long n)
{
	print("stopped", n, sum);
	for (;;)
		system_call(SYS_EXIT, 0, 0, 0);
}

/* Address of the function that called __fentry__, which returns to @ret. */
static u64 traced(u64 ret)
{
#ifdef __aarch64__
	return ret - 8 - 4 * (*(u32 *)(ret - 12) == BTI_C);
#else
	return ret - 5;
#endif
}

/*
 * @regs: registers of arguments, return address into the function, into its caller, arguments on
 * the stack
 */
const volatile struct row *oracle_row(const u64 *regs)
{
	const volatile struct row *row;
	u64 mask, got;
	u32 i;

	for (row = rows; row->addr && row->addr != traced(regs[NR_REGS]); row++)
		;
	if (!row->addr)
		return 0;
	for (i = 0; i < row->nr_checks; i++) {
		const volatile struct check *c = &row->checks[i];

		mask = c->size < 8 ? (1ul << c->size * 8) - 1 : -1ul;
		got = regs[c->place < NR_REGS ? c->place : c->place + 2];
		if ((got ^ want[c->want]) & mask)
			print("mismatch", row->addr, c->param);
	}
	return row;
}

/* @ret: what the function returned */
void oracle_ret(const volatile struct row *row, u64 ret)
{
	u64 mask = row->ret_size < 8 ? (1ul << row->ret_size * 8) - 1 : -1ul;

	if (row->ret_size && (ret ^ want[row->want]) & mask)
		print("returned", row->addr, ret);
}

#ifdef __aarch64__
/*
 * The function's return address is in x9, and the one into the function in x30. x19 is the row, and
 * x20 where the registers are.
 */
asm(R"(
	brk	#1 /* nothing falls into it */
__fentry__:
	sub	sp, sp, #80
	stp	x0, x1, [sp]
	stp	x2, x3, [sp, #16]
	stp	x4, x5, [sp, #32]
	stp	x6, x7, [sp, #48]
	stp	x30, x9, [sp, #64]
	mov	x0, sp
	stp	x19, x20, [sp, #-16]!
	mov	x20, x0
	bl	oracle_row
	mov	x19, x0
	/* garbage, then the arguments on the stack over its start */
	ldr	x9, =0x5a5a5a5a5a5a5a5a
	mov	w10, #32
1:	stp	x9, x9, [sp, #-16]!
	subs	w10, w10, #1
	b.ne	1b
	ldrb	w10, [x19, #9]
	add	x11, x20, #80
2:	subs	w10, w10, #1
	b.mi	3f
	ldr	x12, [x11, x10, lsl #3]
	str	x12, [sp, x10, lsl #3]
	b	2b
3:	ldrb	w10, [x19, #8]
	.irp	r, 0, 1, 2, 3, 4, 5, 6, 7
	ldr	x\r, [x20, #8 * \r]
	cmp	w10, #\r
	csel	x\r, x\r, x9, hi
	.endr
	ldr	x16, [x20, #64]
	.irp	r, 8, 10, 11, 12, 13, 14, 15, 17
	mov	x\r, x9
	.endr
	blr	x16
	stp	x0, x1, [sp, #-16]!
	mov	x1, x0
	mov	x0, x19
	bl	oracle_ret
	ldp	x0, x1, [sp], #16
	ldr	x9, =0x5a5a5a5a5a5a5a5a
	ldrb	w10, [x19, #10]
	cmp	w10, #0
	csel	x0, x9, x0, eq
	.irp	r, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16, 17
	mov	x\r, x9
	.endr
	ldr	x30, [x20, #72]
	add	sp, x20, #80
	ldp	x19, x20, [x20, #-16]
	ret
	.ltorg
)");
#else
asm(R"(
	.globl __fentry__
	.type __fentry__, @function
__fentry__:
	.irp	r, r9, r8, rcx, rdx, rsi, rdi, rax
	push	%\r
	.endr
	lea	8(%rsp), %rdi
	call	oracle_row
	test	%rax, %rax
	jnz	1f
	.irp	r, rax, rdi, rsi, rdx, rcx, r8, r9
	pop	%\r
	.endr
	ret
	/* rbx: the row; rbp: rax as it was, then the registers, and so on, as above */
1:	push	%rbx
	push	%rbp
	mov	%rax, %rbx
	lea	16(%rsp), %rbp
	and	$-16, %rsp
	/* garbage, then the arguments on the stack over its start */
	mov	$0x5a5a5a5a5a5a5a5a, %rax
	mov	$64, %ecx
2:	push	%rax
	dec	%ecx
	jnz	2b
	movzbl	9(%rbx), %ecx
3:	dec	%ecx
	js	4f
	mov	72(%rbp, %rcx, 8), %rdx
	mov	%rdx, (%rsp, %rcx, 8)
	jmp	3b
4:	movzbl	8(%rbx), %r10d
	mov	%rax, %r11
	.set	nr, 0
	.irp	r, rdi, rsi, rdx, rcx, r8, r9
	.set	nr, nr + 1
	mov	%rax, %\r
	cmp	$nr, %r10d
	cmovae	8 * nr(%rbp), %\r
	.endr
	mov	%rax, %r10
	call	*56(%rbp)
	push	%rax
	push	%rdx
	mov	%rbx, %rdi
	mov	%rax, %rsi
	call	oracle_ret
	pop	%rdx
	pop	%rax
	mov	$0x5a5a5a5a5a5a5a5a, %rdx
	cmpb	$0, 10(%rbx)
	cmove	%rdx, %rax
	.irp	r, rdi, rsi, rcx, r8, r9, r10, r11
	mov	%rdx, %\r
	.endr
	mov	%rbp, %rsp
	mov	-8(%rbp), %rbx
	mov	-16(%rbp), %rbp
	add	$64, %rsp
	ret
)");
#endif

/*
 * Static calls: room for a jump, as they are before anything is patched in. arm64's kernel has
 * none: there these are other functions.
 */
#ifdef __aarch64__
#define FIRST_CODE(arm64, x86) arm64
#else
#define FIRST_CODE(arm64, x86) x86
#endif
#define STATIC_CALL(name, code)                       \
	"	.globl	__SCT__" name "\n"            \
	"	.type	__SCT__" name ", @function\n" \
	"__SCT__" name ":\n"                          \
	"	" code "\n"                           \
	"	.skip	8 - (. - __SCT__" name "), 0xcc\n"
asm(STATIC_CALL("null", FIRST_CODE("b patched_two", "ret")));
asm(STATIC_CALL("ret0", FIRST_CODE("b patched_three", "xor %eax, %eax; ret")));
asm(STATIC_CALL("there", FIRST_CODE("b patched_two", "jmp only_second")));
asm(STATIC_CALL("nothing", "ret"));
asm("	.globl	_start\n_start:\n	" FIRST_CODE("bl", "call") "	oracle_main\n");

__attribute__((used)) static long only_second(long a, long b)
{
	return b * 3;
}

__attribute__((used)) static long patched_two(long a, long b)
{
	sum = sum * 33 + a * 5 + b;
	return a - b;
}

__attribute__((used)) static long patched_three(long a, long b, long c)
{
	sum = sum * 35 + a * 5 + b * 7 + c;
	return a - b + c;
}

static long called_1(const struct pair *p)
{
	sum = sum * 37 + p->first + p->second;
	return p->first;
}

long (*op2)(long, long) = patched_two;
long (*op1)(const struct pair *) = called_1;

long extern_two(long a, long b)
{
	return patched_two(b, a);
}

/* The two pages that it may be in can be written. */
static void *writable(u64 place)
{
	system_call(SYS_MPROTECT, place & -4096ul, 8192, 7);
	return (void *)place;
}

#ifdef __aarch64__
void __fentry__(void);

static void patch_all(void)
{
	const volatile struct row *row;
	u32 *p;

	for (row = rows; row->addr; row++) {
		p = writable(row->addr);
		p += *p == BTI_C;
		p[0] = MOV_X9_X30;
		p[1] = 0x94000000 | (((u64)__fentry__ - (u64)&p[1]) >> 2 & 0x3ffffff);
	}
}
#else
static void patch(void *place, void *target)
{
	u8 *p = writable((u64)place);

	p[0] = 0xe9;
	*(int *)(p + 1) = (u8 *)target - (p + 5);
}

static void patch_all(void)
{
	patch(__SCT__null, patched_two);
	patch(__SCT__ret0, patched_three);
	patch(__SCT__there, patched_two);
}
#endif

__attribute__((used)) void oracle_main(void)
{
	int i;

	patch_all();
	for (i = 0; i < 8; i++) {
		pairs[i] = (struct pair){ i * 77 + 3, i * 55 + 9 };
		wides[i] = (struct wide){ i * 13 + 1, i * 17 + 2, i * 19 + 5 };
		longs[i] = i * 333 + 7;
	}
	noise = 1;
	run_0(1);
	run_1(2);
	stop(0);
}
