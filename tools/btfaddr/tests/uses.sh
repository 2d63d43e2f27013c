#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# BTF lists the registers that code may use; a register in doubt is never taken for unused; and
# btfaddr finds this out in bounded time.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
prelude=(-include "$here/src/small.h")

# A caller that is refused, or of which nothing is known, returns a function's value. GCC says that
# it changed both functions.
test_returned_by_who_is_refused_or_unknown() {
	small returned-on <<-'C'
	static noinline int returned(struct pair *p, int n) { sink += p->second; return sink > n; }
	static noinline int in_init(struct pair *p, int n) { sink -= p->second; return sink < n; }
	static noinline int dropped(struct pair *p, int n) { sink *= p->second; return sink < n; }
	struct pair pairs[9];
	static noinline int refused(int n, struct pair *p)
	{
		((void (*)(long))p->first)(n);
		return returned(pairs + n, n + 2);
	}
	void use(struct pair *p, int n)
	{
		if (refused(n, p))
			sink++;
		if (refused(n + 1, p + 1))
			sink += 2;
		returned(p, n);
		dropped(p, n);
		dropped(p + 1, n + 1);
	}
	#define __init __attribute__((section(".init.text")))
	__init int init_1(struct pair *p, int n) { return in_init(p, n); }
	__init int init_2(struct pair *p, int n) { return in_init(p + 1, n); }
	C
	left_out 'refused\.isra\.0'
	described 'int returned.isra.0(p__isra0, int n);' \
			  'int in_init.isra.0(p__isra0, int n);'
	dumped '\tvoid dropped\.isra\.0\('
}

half_returned_source() {
	cat <<-'C'
	static noinline struct pair second(struct pair *p, int dead, long x)
	{
		sink += p->second;
		return (struct pair){ sink * 2, x + 5 };
	}
	long use(struct pair *p, long a)
	{
		return second(p, 1, a).second + second(p + 1, 2, a + 1).second;
	}
	C
}

# Callers use one half of a value in two registers. GCC returns both halves all the same; LLVM moves
# the used half into rax, and doesn't say which half it is.
test_half_of_what_is_returned() {
	half_returned_source | small half-returned
	dumped '\tstruct pair second\.[a-z0-9.]*isra\.0\('
	half_returned_source | CC=clang small half-returned
	left_out second 'half of the return value'
	not_dumped ' second\('
}

# A function that is patched into a static call may use all arguments, even if nothing is there now,
# or a function that doesn't.
test_static_calls_may_be_patched() {
	small patchable <<-'C'
	long __SCT__null(long a, long b);
	long __SCT__ret0(long a, long b);
	long __SCT__there(long a, long b);
	void __SCT__nothing(void);
	__attribute__((used)) static long only_second(long a, long b) { return b; }
	asm(".macro sct name, insn\n"
	    ".type __SCT__\\name, @function\n__SCT__\\name:\n\\insn\nret\n.skip 3, 0xcc\n.endm\n"
	    "sct null\n sct ret0, \"xor %eax, %eax\"\n sct there, \"jmp only_second\"\n"
	    "sct nothing\n");
	#define THROUGH(name)							\
	static noinline long through_##name(const struct pair *p)		\
	{									\
		return __SCT__##name(p->first, p->second);			\
	}									\
	CALLED(through_##name)
	THROUGH(null)
	THROUGH(ret0)
	THROUGH(there)
	static noinline long none(long n, const struct pair *p) { __SCT__nothing(); return sink += n; }
	long use_none(struct pair *p) { return none(1, p) + none(2 + sink, p + 1) * 2; }
	C
	described 'long through_null.isra.0(p__isra0, p__isra1);' \
		  'long through_ret0.isra.0(p__isra0, p__isra1);' \
		  'long through_there.isra.0(p__isra0, p__isra1);'
	dumped '\tlong none\.(constprop|isra)\.0\(long n\);'
}

# Paravirt code calls through pointers in two arrays. These calls keep all registers, so a register
# that is read after one is an argument. After calls through other pointers that isn't known.
test_paravirt_calls() {
	small paravirt <<-'C'
	void (*pv_ops[3])(void), (*pv_ops_lock[3])(void), (*others[3])(void);
	#define BEHIND(array, nr)							\
	static noinline long behind_##array(const struct pair *p)			\
	{										\
		long a = p->first, b = p->second;					\
											\
		asm volatile("xor %%edx, %%edx; xor %%ecx, %%ecx; xor %%r8d, %%r8d; xor %%r9d, %%r9d;"	\
			     "call *" #array "+" #nr "*8(%%rip)"				\
			     : "+D"(a), "+S"(b) :: "rax", "rcx", "rdx", "r8", "r9", "memory");	\
		return sink += a * b;							\
	}										\
	CALLED(behind_##array)
	BEHIND(pv_ops, 2)
	BEHIND(pv_ops_lock, 1)
	BEHIND(others, 0)
	C
	described 'long behind_pv_ops.isra.0(p__isra0, p__isra1);' \
		  'long behind_pv_ops_lock.isra.0(p__isra0, p__isra1);'
	left_out 'behind_others\.isra\.0'
}

# A static call of the kernel: its declaration in the module's DWARF says what it takes.
test_static_calls_of_a_module() {
	object "$scratch/static-call.o" <<-'C'
	long __SCT__kernels(long a, long b);
	static noinline long through(const struct pair *p) { return __SCT__kernels(p->first, p->second); }
	CALLED(through)
	C
	link_module "$scratch/static-call.ko" "$scratch/static-call.o"
	annotated_module "$scratch/static-call.ko"
	dumped '\tlong through\.isra\.0\(p__isra0, p__isra1\);'
}

# An instruction reads a register that it doesn't name, or an argument by an index.
test_registers_without_names() {
	small not-named <<-'C'
	unsigned char table[256];
	static noinline int translated(struct pair *p, int n) { sink += p->second; return sink > n; }
	static noinline long by_index(long a, long b, long c, long d, long e, long f, const struct pair *p)
	{
		long first = p->first, other;

		asm volatile("mov 8(%%rsp, %1, 8), %0" : "=r"(other) : "r"(a));
		return sink += b * c * d * e * f * first * other;
	}
	void use(struct pair *p, int n)
	{
		long ret = translated(p, n);

		asm volatile("xlatb; mov %%rbx, sink(%%rip)" : "+a"(ret) : "b"(table));
		translated(p + 1, n);
		sink += by_index(n, n, n, n, n, n, p) + by_index(1, n, n, 2, n, n, p + 1);
	}
	C
	dumped '\tint translated\.isra\.0\('
	left_out 'by_index\.isra\.0'
}

# What the code does with the stack isn't known, as it reads there by an index. But where DWARF has
# a parameter, nothing before it is missing, and behind it nothing can be split: .constprop splits
# nothing, nor does anything split a pointer to code.
test_what_is_on_the_stack_is_not_known() {
	small stack-unknown <<-'C'
	__attribute__((used)) noinline void escape(volatile void *p) { sink = (long)p; }
	long (*volatile other)(long);
	long next(long n) { return sink += n; }
	#define ROOM(n) long room[4]; escape(room); sink += room[n & 3]
	static noinline long constant(long a, long b, long c, long d, long e, long f, long g,
				      const char *gone, long h)
	{
		ROOM(a);
		return sink += a * b * c * d * e * f * g * h + (gone ? *gone : 0);
	}
	static noinline long between(long n, const struct pair *p, long m)
	{
		long product = p->first * p->second;

		ROOM(n);
		return sink += n * product * m;
	}
	static noinline long hook(const struct pair *p, long n, long (*okfn)(long))
	{
		long first = p->first;

		return sink ? other(first) + n : okfn(first * n);
	}
	long use(struct pair *p, long n)
	{
		return constant(n, n, n, n, n, n, n, 0, 8) + constant(1, 2, 3, 4, 5, 6, 7, 0, n) +
		       between(n, p, 1) + between(1, p + n, n) + hook(p, n, next) + hook(p + n, 1, next);
	}
	C
	described 'long constant.constprop.0(long a, long b, long c, long d, long e, long f, long g, long h);' \
		  'long between.isra.0(long n, p__isra0, p__isra1, long m);'
	dumped '\tlong hook\.[a-z0-9.]*isra[.0-9a-z]*\(p__isra0, long n\);'
}

# printk() and the like read as many arguments as their format says.
test_formats_of_printk() {
	small formats <<-'C'
	__attribute__((used, noipa)) int print(const char *fmt, ...) { return sink; }
	__attribute__((used, noipa)) int others(const char *first, ...) { return sink; }
	#define PRINTS(name, call)						\
	static noinline long name(const struct pair *p)				\
	{									\
		sink += p->first;						\
		return call;							\
	}									\
	CALLED(name)
	PRINTS(plain, print("100%%\n"))
	PRINTS(ended, others("100%%\n"))
	PRINTS(known, print("%*d of %lx%pV", 1, 2, 3L, 0))
	PRINTS(strange, print("%y"))
	C
	described 'long plain.isra.0(p__isra0);' \
		  'long known.isra.0(p__isra0);'
	left_out 'ended\.isra\.0' 'may pass parts'
	left_out 'strange\.isra\.0' 'may pass parts'
}

# Members that aren't aligned put a struct into memory, in arrays and inner structs, too. The kernel
# would look for it in registers, unless these are taken.
test_members_that_are_not_aligned() {
	small unaligned <<-'C'
	#define packed __attribute__((packed))
	struct inner { int i; } packed;
	struct ints { char c; int i[2]; } packed;
	struct inners { char c; struct { short s; struct { int i; } t; } s; } packed;
	struct bytes { char c; char b[3]; struct { char d, e; } f[2]; } packed;
	struct whole { int i[2]; struct { short s[2]; } t; } packed;
	int ints(struct ints s, int n) { return s.i[1] + n; }
	int inners(struct inners s, int n) { return s.s.s + n; }
	int behind(long a, long b, long c, long d, long e, struct ints s, long f, struct ints t)
	{
		return a + b + c + d + e + s.i[1] + f + t.i[0];
	}
	struct large { char c; long l[2]; } packed;
	int large(struct large s, int n) { return s.l[1] + n; }
	int bytes(struct bytes s, int n) { return s.b[0] + n; }
	int whole(struct whole s, int n) { return s.i[1] + n; }
	C
	left_out ints 'parameters not where'
	left_out inners 'parameters not where'
	described 'int behind(long a, long b, long c, long d, long e, struct ints s, long f, struct ints t);'
	described 'int large(struct large s, int n);' \
		  'int bytes(struct bytes s, int n);' 'int whole(struct whole s, int n);'
	refute grep "DECL_TAG 'source:" "$scratch/raw"
}

# One bit moves a symbol far down, to where nothing else is.
test_time_of_a_symbol_far_from_its_code() {
	local elf=$scratch/moved-symbol

	object "$elf.o" -mcmodel=kernel <<-'C'
	static noinline __attribute__((section(".text.last"))) int f(struct pair *p, int n);
	long use(struct pair *p, int n) { return f(p, n) + f(p + 1, n); }
	static int f(struct pair *p, int n) { sink += p->second; return n; }
	C
	ld -static -Ttext=0xffffffff81000000 --defsym=_text=0xffffffff81000000 -e use \
		--defsym=__fentry__=0xffffffff81000000 "$elf.o" -o "$elf"
	pahole -J "$elf"
	timeout 60 "$BTFADDR" "$elf" -o "$elf.btf"
	mutate flip "$elf" "$elf" use 62
	timeout 60 "$BTFADDR" "$elf" -o "$elf.btf"
}

# Few lines, but many ways to the innermost union. With members in it, compilers would take long, too.
test_time_of_unions_in_unions() {
	local i

	{
		echo 'union u0 { };'
		for i in {1..7}; do
			echo "union u$i { union u$((i - 1)) a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p; };"
		done
		echo 'struct s { long l; union u7 u; };'
		echo 'long nested(struct s s) { return s.l; }'
	} | small nested
	described 'long nested(struct s s);'
}

# Code in assembler that calls other such code very often.
test_time_of_assembler_that_calls_much() {
	small many-calls <<-'C'
	asm(".altmacro\n.macro level n, next\n.type asm_\\n, @function\nasm_\\n:\n"
	    ".rept 400\ncall asm_\\next\n.endr\nret\n.endm\n"
	    "level 0, 1\nlevel 1, 2\nlevel 2, 3\nlevel 3, 4\nlevel 4, 5\nlevel 5, 6\n"
	    ".type asm_6, @function\nasm_6: ret\n");
	static noinline long f(struct pair *p)
	{
		long second = p->second;

		asm volatile("call asm_0");
		return sink += second;
	}
	CALLED(f)
	C
}

# What instructions don't read, though they name it: the destination of "or $-1" and of "bsr", and a
# register that is pushed to align the stack. What is pushed as an argument is read.
test_registers_that_are_named_and_not_read() {
	small no-reads <<-'C'
	asm(".type keeps, @function\nkeeps: push %rdx\nmov %rdi, %rdx\nlea (%rdx,%rdx), %rax\n"
	    "pop %rdx\nret\n");
	#define CODE(name, ...)							\
	static noinline long name(const struct pair *p)				\
	{									\
		long ret = p->first;						\
										\
		asm volatile(__VA_ARGS__ : "+D"(ret) :: "rax", "rsi", "rdx", "rcx", "r8", "r9", "memory");	\
		return sink += ret;						\
	}									\
	CALLED(name)
	CODE(ors, "or $-1, %%r9d; or $-1, %%rcx; add %%r9, %%rdi")
	CODE(scans, "bsr %%rdi, %%rdx; bsf %%rdi, %%rcx; add %%rdx, %%rdi")
	CODE(aligns, "push %%rcx; call keeps; pop %%rcx; mov %%rax, %%rdi")
	CODE(restores, "push %%rsi; xor %%esi, %%esi; pop %%rsi; add %%rsi, %%rdi")
	C
	described 'long ors.isra.0(p__isra0);' \
		'long scans.isra.0(p__isra0);' \
		'long aligns.isra.0(p__isra0);' \
		'long restores.isra.0(p__isra0, p__isra1);'
}

# A module calls what doesn't return, and another function is behind the call.
test_calls_that_do_not_return() {
	object "$scratch/never-returns.o" -fstack-protector-all -mstack-protector-guard=global <<-'C'
	__attribute__((noreturn)) void theirs(long n);
	void look(void *p);
	static noinline long guarded(long a, long dead, long b)
	{
		long room[2] = { a, b };

		look(room);
		if (sink > 5)
			theirs(3);
		return sink += room[1];
	}
	long behind(long a, long b, long c, long d, long e, long f, long g) { return a + b * c - d * e + f * g; }
	long use(long a) { return guarded(a, 1, 3) + guarded(sink, 1, a) * 2; }
	C
	link_module "$scratch/never-returns.ko" "$scratch/never-returns.o"
	annotated_module "$scratch/never-returns.ko"
	dumped '\tlong guarded\.[a-z]+\.0\(long a, long b\);'
}

# Nobody uses the value. The call in the cold part, and the jump by a table behind a call, leave no
# doubt; the call of init text that returns the value does, and a tag says so.
test_value_that_nobody_uses() {
	small dropped-value <<-'C'
	__attribute__((cold)) void chill(void) { sink++; }
	static noinline int dropped(struct pair *p, int n) { sink *= p->second; return sink < n; }
	static noinline int passed(struct pair *p, int n) { sink -= p->second; return sink < n; }
	void use(struct pair *p, int n)
	{
		dropped(p, n);
		if (sink == 3) {
			chill();
			dropped(p + 2, n + 1);
		}
		dropped(p + 1, n);
		switch (n) {
		case 0: sink += 3; break; case 1: sink ^= 9; break; case 2: sink *= 5; break;
		case 3: sink <<= 3; break; case 4: sink -= 8; break; case 5: sink |= 4; break;
		}
	}
	#define __init __attribute__((section(".init.text")))
	__init int init_1(struct pair *p, int n) { return passed(p, n); }
	__init int init_2(struct pair *p, int n) { return passed(p + 1, n); }
	C
	dumped '\tvoid dropped\.isra\.0\('
	dumped '\tint passed\.isra\.0\('
	[[ $(grep -c "'return:unsure'" "$scratch/raw") = 1 ]]
}

# Functions that aren't called as C functions are
test_other_conventions() {
	local cc

	for cc in gcc $(command -v clang-19); do
		CC=$cc small conventions -e use <<-'C'
			#define general noinline __attribute__((target("general-regs-only")))
		__attribute__((ms_abi)) general long ms(long a, long b) { return a * 3 + b + sink; }
		__attribute__((ms_abi)) general long saves(void) { asm volatile("" ::: "rdi"); return sink; }
		__attribute__((naked)) general long bare(long a) { asm("lea (%rdi,%rsi), %rax; ret"); }
		__attribute__((no_caller_saved_registers)) general void all(long a)
		{
			asm volatile("" ::: "rcx", "r8");
			sink += a;
		}
		general long aligned(long a)
		{
			long room[4] __attribute__((aligned(64)));

			asm volatile("" ::"r"(room), "r"(a) : "memory", "r10");
			return sink + a;
		}
		long use(void) { ms(1, sink); saves(); bare(2); all(sink); return aligned(3); }
		C
		[[ $(grep -cE '	(ms|saves|bare|all)	' "$scratch/left") = 4 ]]
		described 'long aligned(long a);'
	done
}

# GCC makes one function of two. DWARF describes the code by the name of one of them.
test_name_of_folded_functions() {
	local name

	small folded <<-'C'
	#define BODY { sink += n * 3; asm volatile("" ::: "memory"); return sink; }
	noinline static long zz(long n) BODY
	noinline static long aa(long n) BODY
	long use(long n) { return zz(n) + aa(n + 1) * 2 + zz(sink); }
	C
	name=$(addr2line -f -e "$scratch/folded" "$(nm "$scratch/folded" | awk '$3 == "zz" { print $1 }')" | head -1)
	described "long $name(long n);"
	[[ $(grep -cE ' (zz|aa)\(' "$scratch/dump") = 1 ]]
}

# BTF has no _Atomic. What pahole 1.24 writes in its place is void.
test_atomic() {
	local cc

	gcc -g -x c -c - -o "$scratch/probe" <<<'int use(_Atomic int a) { return a; }'
	pahole -J "$scratch/probe" || skip "this pahole refuses _Atomic, as 1.30 does"
	for cc in gcc $(command -v clang-19); do
		CC=$cc small atomic -e use <<-'C'
		long use(_Atomic int a, long *_Atomic p, const _Atomic long *c) { return a + *p + *c; }
		C
		described 'long use(int a, long *p, const long *c);'
	done
}

# valgrind has a time of its own
WITHOUT=${QUICK:+time}
run_tests
