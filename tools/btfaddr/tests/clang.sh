#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What uses.sh says, of clang's code.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
prelude=(-include "$here/src/small.h")
readonly variable_arguments='
	noinline long many(long a, long gone, ...)
	{
		__builtin_va_list l;

		__builtin_va_start(l, gone);
		sink += __builtin_va_arg(l, long);
		__builtin_va_end(l);
		return sink += a;
	}
	noinline long to_many(long n, long gone) { return many(n, 5, n); }'

# clang -O3 passes members instead of a pointer, and doesn't say so. They may be passed on without
# being read: to an indirect call, so that the caller is not described, or to a function that is
# changed in the same way. A function with a pointer to it isn't changed.
test_what_a_pointer_points_to_passed_in_its_place() {
	printf '#!/bin/sh\nexec clang-19 "$@" -O3\n' >"$scratch/clang-O3"
	chmod +x "$scratch/clang-O3"
	CC=$scratch/clang-O3 small promoted <<-'C'
	struct s { long a, b, c; };
	long sum, (*op)(long, long);
	static noinline long two(int n, const struct s *p)
	{
		long r = p->a + p->c;

		sum += r;
		return r * n;
	}
	static noinline long first(const long *p, int n)
	{
		long r = *p;

		sum += r;
		return r * n;
	}
	long use_first(long a)
	{
		long l = a * 2;

		return first(&l, a) + first(&l, 3);
	}
	static noinline long to_pointer(const struct s *p) { return op(p->a, p->b); }
	static noinline long last(const struct s *p) { return sum += p->a * p->b; }
	static noinline long to_last(const struct s *p)
	{
		struct s s = { p->a, p->b };

		return last(&s);
	}
	static noinline long taken(const struct s *p) { return op(1, 2); }
	long (*table)(const struct s *) = taken;
	long use(long a)
	{
		struct s s = { a, 2 * a, a * 3 }, t = { a + 5, a };

		return to_pointer(&s) + to_pointer(&t) * 2 + to_last(&s) + to_last(&t) * 3 +
		       last(&s) + two(a, &s) + two(3, &s);
	}
	C
	not_dumped ' to_pointer\('
	described 'long two(int n, p__isra0, p__isra1);' \
			  'long first(p__isra0, int n);' \
			  'long to_last(p__isra0, p__isra1);' \
			  'long last(p__isra0, p__isra1);' \
			  'long taken(const struct s *p);'
	declared 4 "$scratch/promoted.c"
}

# All callers pass the same constant: LLVM lets them pass nothing, but still counts the register.
test_one_value_from_all_callers() {
	CC=clang-19 small one-value <<-C
	noinline long unused(long gone, long n) { return sink += n; }
	noinline long half(struct pair p, long n) { return sink += p.second * n; }
	noinline long by_pointer(long gone, long n) { return sink -= n; }
	long (*volatile table)(long, long) = by_pointer;
	noinline long ignored(long a, long b, long c, long d, long e, long f, struct pair gone, long n)
	{
		return sink += a * b * c * d * e * f * n;
	}
	$variable_arguments
	long use(long a)
	{
		struct pair p = { a, a + 3 };

		return unused(7, a) + unused(7, a + 1) + half(p, 3) + table(a, 2) + to_many(a, 7) +
		       ignored(1, 2, 3, 4, 5, 6, p, a);
	}
	C
	described 'long unused(__isra0, long n);' \
		  'long half(__isra0, long p__second, long n);' \
		  'long ignored(long a, long b, long c, long d, long e, long f, __isra0, __isra1, long n);' \
		  'long by_pointer(long gone, long n);' \
		  'long to_many(long n, __isra0);'
}

# LLVM doesn't write arguments that the called function leaves unused. A jump to one that is near has
# two bytes, if its name is local.
test_short_jump_to_a_function() {
	CC=clang-19 object "$scratch/short.s" -S <<-'C'
	long total;
	long last(_Bool b, int n);
	noinline long near(_Bool b, int n)
	{
		total += n * total + b;
		return last(b, n);
	}
	noinline long last(_Bool b, int n) { return ++total; }
	C
	sed -i 's/^last:.*/&\n.Llast:/; s/jmp\tlast.*/jmp .Llast/' "$scratch/short.s"
	clang-19 -c "$scratch/short.s" -o "$scratch/short.o"
	link_kernel "$scratch/short" "$scratch/short.o"
	annotated "$scratch/short"
	objdump -d --disassemble=near "$scratch/short" | grep 'eb .*jmp.*<last>'
	described 'long last(__isra0, __isra1);' 'long near(_Bool b, int n);'
}

# Where LLVM changes a function, that has its mark instead of that of another calling convention,
# and GCC never marks one. But registers of C's before those that the code reads are unused, and
# compilers remove such arguments.
test_convention_without_its_mark() {
	local CC

	for CC in gcc clang-19; do
		OPT=-O3 small hidden <<-'C'
		#define ms static noinline __attribute__((ms_abi))
		long sum;
		ms long number(long gone, long n) { return sum += n; }
		ms long pointer(int none, const long *gone, long n) { return sum += n; }
		ms long member(int none, const long *p, char c) { return sum += *p * c; }
		ms long behind(const long *p, int none) { return sum += *p; }
		ms long only(const long *p) { return sum += *p; }
		ms long large(__int128 n) { return sum += n; }
		long use(long a)
		{
			long b = a * 5, c = a * 7;

			return number(3, a) + number(b, 4) + pointer(1, &b, a) + pointer(1, &c, 6) +
			       member(2, &b, a) * member(2, &c, c) + behind(&b, a) * behind(&c, 5) +
			       only(&b) * only(&c) + large(b) * large(c);
		}
		C
		not_dumped ' (number|pointer|member|behind|only|large)'
		described 'long use(long a);'
	done
}

# Callers of preserve_most functions keep values in registers that C's functions may change. Nothing
# else shows that, if LLVM has also removed a parameter, and the function needs no such register. Where
# no caller relies on it, a tracer does no harm.
test_registers_that_callers_rely_on() {
	CC=clang-19 small relied-on <<-'C'
	#define most static noinline __attribute__((preserve_most))
	most void keeps(long gone, long n) { sink += n; }
	most void last(long gone, long n) { sink -= n; }
	most void tail(long gone, long n) { sink *= 3; last(gone, n); }
	most void free(long gone, long n) { sink ^= n; }
	noinline void alone(long n) { free(4, n); }
	long use(long a)
	{
		keeps(4, a), tail(5, a), tail(6, a + 1);
		return a;
	}
	C
	left_out keeps 'another calling convention'
	left_out last 'another calling convention'
	left_out tail 'another calling convention'
	described 'void free(long n);' 'void alone(long n);'
}

# Functions of preserve_none take arguments in registers that C functions save, and change these, which
# breaks a trampoline. Where LLVM's mark takes the place of the convention's, the description of the
# frame tells, and DWARF's places of what is only passed on.
test_registers_that_functions_save() {
	CC=clang-19 small saved <<-'C'
	#define none static noinline __attribute__((preserve_none))
	noinline void other(void) { sink = 3; }
	none void reads(long gone, long n) { sink += n; }
	none void passes(long gone, long n) { reads(3, n); }
	none void writes(long gone, const char n)
	{
		long before = sink;

		other();
		sink -= n + before;
	}
	static noinline void kept(long gone, long n) { other(), sink -= n; }
	long use(long a)
	{
		reads(4, a), passes(5, a), passes(6, a + 3);
		writes(5, a), writes(6, a + 1), kept(3, a), kept(4, a + 2);
		return a;
	}
	C
	left_out reads 'another calling convention'
	left_out passes 'another calling convention'
	left_out writes 'another calling convention'
	described 'void kept(long n);' 'long use(long a);'
}

# clang 21 changes such functions. They save all registers of arguments, with or without arguments.
test_variable_arguments_of_a_function_that_is_marked() {
	local type

	CC=clang-19 object "$scratch/marked.ll" -S -emit-llvm <<-C
	$variable_arguments
	long use(long a) { return to_many(a, 7); }
	C
	type=$(sed -n 's/.*DISubprogram(name: "many".* type: \(![0-9]*\),.*/\1/p' "$scratch/marked.ll")
	sed -i "s/^$type = .*Type(/&cc: DW_CC_nocall, /" "$scratch/marked.ll"
	clang-19 "${CFLAGS[@]}" -Wno-unused-command-line-argument -c "$scratch/marked.ll" \
		-o "$scratch/marked.o"
	link_kernel "$scratch/marked" "$scratch/marked.o"
	annotated "$scratch/marked"
	readelf --debug-dump=info "$scratch/marked" | grep 'calling_convention:'
	described 'long to_many(long n, __isra0);'
}

# A parameter that is always 1 is in the frame: it isn't passed, or its register isn't written. Where
# a jump may go anywhere, the code doesn't tell. In a module, that is one by a table.
test_constant_in_the_frame() {
	CC=clang-19 small constant <<-'C'
	long sum;
	void *volatile to;
	void regs_take(_Bool *b);
	static noinline void unwritten(long n, _Bool b)
	{
		regs_take(&b);
		to = n & 1 ? &&odd : &&even;
		goto *to;
	odd:
		sum += n * 3;
	even:
		sum += b;
	}
	static noinline void removed(long n, _Bool b)
	{
		regs_take(&b);
		switch (sum) {
		case 0: n = 21;
		case 1: to = &n; break;
		case 2: n *= 34;
		case 3: sum = n - 6; break;
		case 4: n *= 3;
		case 5: to++;
		}
		sum += n + b;
	}
	void use(long a)
	{
		unwritten(a, 1);
		unwritten(a + 1, 1);
		removed(a, 1);
		removed(a + 2, 1);
	}
	C
	described 'void unwritten(long n, __isra0);' 'void removed(long n);'
	link_module "$scratch/constant.ko" "$scratch/constant.o"
	annotated_module "$scratch/constant.ko"
	left_out removed
}

# clang has no place at entry for a parameter that is changed first, but the code surely reads it.
# The code doesn't read one for which all callers pass one value. No members are passed to a function
# of which other units know, so a register that it reads has the pointer.
test_lost_at_entry_but_read() {
	CC=clang-19 small lost-place <<-'C'
	struct node { struct node *next; long n; int flag; };
	noinline long walk(struct node *last, struct node *node, _Bool ok)
	{
		if (node->flag && !ok)
			node->flag = 2;
		if (--node->n)
			return last->n;
		return node->next == node ? sink : walk(last, node->next, ok);
	}
	noinline long late(const long *p, int constant, int small)
	{
		if (p[0] & 8)
			small = 0;
		if ((p[1] & 15) != 8)
			return -1;
		if (small && p[2] > 5)
			return -2;
		return sink += p[3];
	}
	long use(long *p, struct node *n)
	{
		return late(p, 2, n->n) + late(p + 1, 2, n->n + 1) * 2 + walk(n, n, n->flag);
	}
	C
	described 'long late(const long *p, __isra0, int small);' \
		  'long walk(struct node *last, struct node *node, _Bool ok);'
}

# Behind an __int128 on the stack, clang 19 puts a parameter there that the convention has in r9.
# clang 21 and later have it in r9, too, by their assembly.
test_behind_an_int128() {
	CC=clang-19 small behind-int128 <<-'C'
	static long behind(long a, long b, long c, long d, long e, __int128 wide, long n)
	{
		return sink += a * b * c * d * e * (long)wide * n;
	}
	long before(long a, long b, long c, long d, __int128 wide, long n)
	{
		return sink += a * b * c * d * (long)wide * n;
	}
	long (*volatile table)(long, long, long, long, long, __int128, long) = behind;
	C
	described 'long before(long a, long b, long c, long d, __int128 wide, long n);'
	left_out behind 'parameters not where'
}

# Arguments on the stack: one that is left there for a function that is jumped to, one that is read
# by its address, one in a function that ends in an indirect jump, and two whose place DWARF counts
# from the call frame. The code behind a jump by a table doesn't use a parameter's register.
test_what_is_on_the_stack() {
	local elf=$scratch/on-stack

	cat >"$elf.c" <<-'C'
	#define noinline __attribute__((noinline))
	struct sockptr { void *p; _Bool is_kernel : 1; };
	volatile long sink;
	noinline int copy(int *to, struct sockptr from) { *to = *(int *)from.p; return from.is_kernel; }
	noinline long run(void *p, long a, long b, long c, long d, long e, long *f)
	{
		return sink += (long)p * a * b * c * d * e * *f;
	}
	static long trace(void *p, short a, int b, long c, long d, long e, long *f)
	{
		return run(p, a, b, c, d, e, f);
	}
	static noinline int by_address(char *sk, int level, int opt, struct sockptr val,
				       struct sockptr len)
	{
		int n = 0;

		if (level || copy(&n, len))
			return -1;
		*sk = n * opt;
		return copy(&n, val) + copy(&n, len) + n;
	}
	long (*volatile table)(void *, short, int, long, long, long, long *) = trace;
	long (*volatile op)(void *);
	noinline long tail(void *p, long a, long b, long c, long d, long e, long *f)
	{
		sink += a * b * c * d * e * *f;
		return op(p);
	}
	struct big { long v[8]; };
	noinline void store(struct big *to, long a, long b, long c, long d, long e, long f, long g)
	{
		*to = (struct big){ { a, b, c, d, e, f, g, sink } };
	}
	noinline long pushes(long n, struct big one, struct big two)
	{
		store(&one, n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6);
		store(&two, one.v[0], n, n, n, n, n, n);
		return sink + two.v[n & 7] + one.v[n & 3];
	}
	__attribute__((used)) noinline long by_table(long data, int unused, long kind,
						     struct sockptr val, struct sockptr len)
	{
		data += (long)val.p + (val.is_kernel ? sink : (long)len.p);
		switch (kind) {
		case 0: asm volatile("xor $1, %0" : "+r"(data)); break;
		case 1: asm volatile("xor $2, %0" : "+r"(data)); break;
		case 2: asm volatile("xor $3, %0" : "+r"(data)); break;
		case 3: asm volatile("xor $4, %0" : "+r"(data)); break;
		case 4: asm volatile("xor $5, %0" : "+r"(data)); break;
		}
		return data;
	}
	noinline long unchecked(long a, long b, long c, long d, long e, long f, long *g)
	{
		switch ((a < b) * 2 + (c < d)) {
		case 0: asm volatile("xor $1, %0" : "+r"(e)); break;
		case 1: asm volatile("xor $2, %0" : "+r"(e)); break;
		case 2: asm volatile("xor $3, %0" : "+r"(e)); break;
		case 3: asm volatile("xor $4, %0" : "+r"(e)); break;
		}
		return sink += e * f * *g;
	}
	void _start(void)
	{
		struct big big = { { sink } };

		char *sk = (char *)sink;
		struct sockptr user = { sk }, kernel = { sk, 1 };

		sink = by_address(sk, sink, sink, user, user);
		sink = by_address(sk, sink, sink, kernel, kernel) + table(sk, 1, 2, 3, 4, 5, 0) +
		       tail(sk, sink, sink, sink, sink, sink, (long *)sink) +
		       pushes(sink, big, big) + pushes(sink + 1, (struct big){}, big) +
		       by_table(sink, 1, sink, user, kernel) +
		       unchecked(sink, sink, sink, sink, sink, sink, (long *)sink);
	}
	C
	# without LTO, clang loses the places of the other parameters
	clang-19 -flto=thin "${CFLAGS[@]:0:4}" -g -c "$elf.c" -o "$elf.o"
	clang-19 -fuse-ld=lld -nostdlib -static -Wl,-Ttext=$TEXT,--defsym=_text=$TEXT \
		"$elf.o" -o "$elf"
	pahole -J "$elf"
	annotated "$elf"
	described 'long trace(void *p, short a, int b, long c, long d, long e, long *f);' \
		  'int by_address(char *sk, int level, int opt, struct sockptr val, struct sockptr len);' \
		  'long tail(void *p, long a, long b, long c, long d, long e, long *f);' \
		  'long unchecked(long a, long b, long c, long d, long e, long f, long *g);' \
		  'long pushes(long n, struct big one, struct big two);' \
		  'long by_table(long data, __isra0, long kind, struct sockptr val, struct sockptr len);'
}

# A parameter whose address is taken lives in memory. All callers pass one value of the second, so
# the third is in its register. A bit-field is not the whole of its bytes.
in_memory() {
	CC=clang-19 OPT=$1 small homed <<-'C'
	struct bits { unsigned long a : 40, b : 24; int c : 9; };
	noinline void look(volatile void *p) { asm volatile("" ::"r"(p) : "memory"); }
	static noinline long f(long a, int flags, long b)
	{
		look(&flags);
		look(&b);
		return sink += a * flags + b;
	}
	static noinline long part(int dead, struct bits s) { return sink += s.a * s.b; }
	long use(struct bits s, long n) { return f(n, 7, n + 2) + f(sink, 7, n) + part(1, s) * part(2, s); }
	C
	not_dumped ' f\(long a, int flags\b'
	described 'long f(long a, long b);'
	not_dumped s__a
}

# Values that are there by chance: of a struct on the stack that is not read, which callers leave as
# it is, and in rax behind a caller that returns a struct in memory, without its address.
test_what_is_left_over() {
	CC=clang-19 OPT=-O3 small left-over <<-'C'
	struct wide { long x, y, z; };
	static noinline long seven(long n) { sink += n; return 7; }
	static noinline struct wide wide(long n) { sink = n; seven(n + 1); return (struct wide){ 3, 6, 9 }; }
	noinline long unread(char dead, struct pair gone, long a, char b, struct pair last) { return sink += a * b; }
	long use(long n)
	{
		struct pair p = { n, n + 1 };
		return wide(n).y + wide(n + 1).z + unread(n, p, n, 3, p) + seven(n);
	}
	C
	described 'void seven(long n);'
	not_dumped 'struct pair last'
}

[[ -n $(type -P clang-19) ]] || skip_all "no clang-19: apt-get install clang-19"
run_tests "in_memory -O2" "in_memory -Os"
