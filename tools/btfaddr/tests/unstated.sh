#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What DWARF doesn't state: prototypes, calling conventions, returned values; and DWARF or BTF that is
# elsewhere, of another build, or can't be read.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# plain - Make $scratch/plain.o, which is described, and $scratch/plain.btf.
plain() {
	object "$scratch/plain.o" <<<'long total; int more(long n) { total += n; return n; }'
	link_kernel "$scratch/plain" "$scratch/plain.o"
	section .BTF "$scratch/plain" >"$scratch/plain.btf"
}

# linked OUT OBJECT... - Link, but don't run pahole.
linked() {
	"${CROSS}ld" -e 0 -Ttext=$TEXT --defsym=_text=$TEXT --unresolved-symbols=ignore-all \
		"${@:2}" -o "$1"
}

# changed NAME SED-COMMAND [FLAG...] <C - Compile, change the assembly, link and annotate.
changed() {
	local out=$scratch/$1

	gcc "${CFLAGS[@]}" -g "${@:3}" -x c -S - -o - | sed "$2" >"$out.s"
	gcc -c "$out.s" -o "$out.o"
	link_kernel "$out" "$out.o" "$scratch/plain.o"
	annotated "$out"
}

two_functions() {
	cat <<-'C'
	struct s { int a; long b; };
	long g(struct s *p, int n) { return p->b + n; }
	void h(void) { }
	C
}

# The FUNC of h lacks no register that the code reads, so it stays. A true one of g stays, too.
test_gcc_g1() {
	plain
	two_functions | OPT=-g1 small g1 "$scratch/plain.o"
	left_out g 'DWARF has neither parameters nor types'
	left_out h 'DWARF has neither'
	grep "FUNC 'h'" "$scratch/raw"
	refute grep "'g'" "$scratch/raw"
	"$BTFADDR" "$scratch/g1" --functions "$scratch/g1.functions"
	grep -a "false:its code takes other registers" "$scratch/g1.functions"
	two_functions | small full "$scratch/plain.o"
	described 'long g(struct s *p, int n);'
	section .BTF "$scratch/full" >"$scratch/full.btf"
	annotated "$scratch/g1" --btf "$scratch/full.btf"
	left_out g 'DWARF has neither'
	grep "FUNC 'g'" "$scratch/raw"
}

# libdw 0.188 can't read a list whose first location is behind what -fvar-tracking-uninit adds. Where
# it can (0.192), the function is described.
test_gcc_uninit() {
	plain
	changed uninit '/^.LLST0:/,/DW_OP_reg5/ {
		s/uleb128 0x1\t# Location expression size/uleb128 0x2/
		s/byte\t0x55\t# DW_OP_reg5/byte 0x55, 0xf0/ }' -dA <<-'C'
	long more(long);
	long k(long *p, int n) { more(n); return *p + n; }
	void h(void) { }
	C
	grep 0xf0 "$scratch/uninit.s"
	left_out k 'damaged parameter list, or locations that libdw cannot read' ||
		described 'long k(long *p, int n);'
	described 'void h(void);'
}

# GCC passes what p, q and n point to in five registers, and the sixth is too few for both words of s.
test_gcc_aggregate_behind_members() {
	plain
	small behind "$scratch/plain.o" <<-'C'
	struct two { long a, b; };
	long more(long);
	static __attribute__((noinline, pure)) long f(const struct two *p, const struct two *q,
						      const long *n, struct two s)
	{
		return (p->a + p->b) * 5 + (q->a + q->b) * *n + (s.a + s.b) * 8;
	}
	void first(long n)
	{
		struct two p = { n, n * 2 }, q = { n + 1, n * 5 }, s = { n, n + 4 };
		more(f(&p, &q, &n, s));
	}
	void second(long n)
	{
		struct two p = { n, n * 4 }, q = { n + 3, n * 7 }, s = { n, n + 9 };
		more(f(&p, &q, &n, s));
	}
	C
	objdump -d --disassemble=f.isra.0 "$scratch/behind" | grep '0x10(%rsp)'
	left_out 'f[.]isra[.]0' 'parameters not where the calling convention has them'
	described 'void first(long n);'
}

# moved SED-COMMAND - Change the assembly of g() and k(), of which DWARF says the same registers
# everywhere.
moved() {
	changed moved "$1" -fno-var-tracking <<-'C'
	struct s { int a; long b; };
	long g(struct s *p, int n) { return p->b + n; }
	int more(long);
	long k(struct s *p, int n) { more(n); return p->b + n; }
	C
}

# As gcc 16 compiles preserve_none.
test_arguments_in_registers_that_functions_keep() {
	plain
	moved ''
	described 'long g(struct s *p, int n);' 'long k(struct s *p, int n);'
	moved 's/\.byte\t0x55$/.byte\t0x53/; s/\.byte\t0x54$/.byte\t0x56/'
	described 'long g(struct s *p, int n);' 'long k(struct s *p, int n);'
	moved 's/\.byte\t0x55$/.byte\t0x5c/; s/\.byte\t0x54$/.byte\t0x5d/
		s/%rdi/%r12/; s/%esi/%r13d/; s/%rsi/%r13/'
	left_out g "another calling convention than C's"
	left_out k "another calling convention than C's"
}

# As gcc 14 compiles no_callee_saved_registers: only the frame's description tells.
test_registers_that_functions_do_not_keep() {
	local change

	plain
	for change in '' '/\(push\|pop\)q\t%rbx/d; /\.cfi_\(def_cfa_\)\?offset/d'; do
		changed unkept "$change" <<-'C'
		int more(long);
		long kept(long n) { return more(n) + n; }
		C
		[[ -n $change ]] || described 'long kept(long n);'
	done
	left_out kept "another calling convention than C's"
}

# As gcc 15 compiles ms_abi with KASAN.
test_register_is_saved_behind_a_move() {
	plain
	changed behind 's/\tpushq\t%rdi/\tmovl\t$3, %eax\n&/' <<-'C'
	long sink;
	static __attribute__((noinline, ms_abi)) long saves(long five)
	{
		asm volatile("" ::: "rdi");
		return sink += five;
	}
	long use(void) { return saves(5) + saves(5); }
	C
	left_out 'saves[.]constprop[.]0' "another calling convention than C's"
}

test_naked_function_reads_a_register() {
	needs clang-19
	plain
	CC=clang-19 small naked "$scratch/plain.o" <<-'C'
	int n;
	__attribute__((naked)) void f(void)
	{
		asm("test %%edx,%0\n\tjz 1f\n\tinc %%eax\n1:\tret" :: "m" (n));
	}
	C
	left_out f "another calling convention than C's"
}

# LLVM gives 7 to the callers, and eax isn't set.
test_constant_that_is_not_returned() {
	needs clang-19
	CC=clang-19 small constant <<-'C'
	__attribute__((noinline)) void more(long *p) { asm("" :: "r" (p) : "memory"); }
	static __attribute__((noinline)) int f(long *p)
	{
		static const void *const tab[] = { &&a, &&b, &&c };
		goto *tab[p[0] % 3];
	a:	p[1]++;
	b:	p[2]++;
	c:	more(p);
		return 7;
	}
	static __attribute__((noinline)) int used(long *p) { more(p); return p[3] * 2; }
	int use(long *p) { f(p); f(p + 1); return f(p + 2) + used(p); }
	void ignore(long *p) { f(p + 5); used(p + 1); }
	C
	described 'int f(long *p);' 'int used(long *p);'
	unsure "$scratch/legacy" f
	refute unsure "$scratch/legacy" used
}

test_reasons_of_types_and_names() {
	needs clang-19
	plain
	CC=clang-19 object "$scratch/c23.o" -std=c2x <<-'C'
	int null(typeof(nullptr) p) { return 1; }
	typeof(nullptr) none(void) { return nullptr; }
	int nameless(int) { return 1; }
	C
	# pahole 1.24 can't encode these types
	linked "$scratch/c23" "$scratch/c23.o" "$scratch/plain.o"
	annotated "$scratch/c23" --btf "$scratch/plain.btf"
	left_out null "floating-point or unknown parameter type"
	left_out none "type that BTF does not have"
	left_out nameless "name that BTF cannot have"
}

test_the_man_page_has_all_reasons() {
	local reason

	sed -n '/reasons\[NR_REASONS\]/,/^};/s/.*= { "\([^"]*\)".*/\1/p' "$here/../annotate/report.c" \
		>"$scratch/reasons"
	[[ $(grep -c . "$scratch/reasons") -eq $(grep -c '^	\[REASON_' "$here/../annotate/report.c") ]]
	while read -r reason; do
		grep -xF ".B $reason" "$here/../btfaddr.1" || fail "not in btfaddr.1: $reason"
	done <"$scratch/reasons"
}

# refuses TEXT ARG... - btfaddr writes nothing, and says this.
refuses() {
	refused "$1" "$BTFADDR" "${@:2}" -o "$scratch/never"
}

test_dwarf_in_other_files() {
	local version

	plain
	two_functions >"$scratch/two.c"
	for version in 4 5; do
		(cd "$scratch" && gcc "${CFLAGS[@]}" -gdwarf-$version -gsplit-dwarf -c two.c)
		linked "$scratch/split" "$scratch/two.o"
		refuses "split: 1 of its units have their DWARF in .dwo files" "$scratch/split" \
			--btf "$scratch/plain.btf"
	done
	echo other >"$scratch/link"
	objcopy --add-section ".gnu_debugaltlink=$scratch/link" "$scratch/plain" "$scratch/alt"
	refuses "alt: DWARF that dwz -m has moved" "$scratch/alt"
}

# Debian 12's libelf can't read zstd; where it can, all functions are there.
test_sections_that_are_compressed_alone() {
	local name

	needs llvm-objcopy-19 llvm-19
	two_functions | small full
	for name in abbrev str info; do
		llvm-objcopy-19 --compress-sections=.debug_$name=zstd "$scratch/full" "$scratch/zstd"
		run "$BTFADDR" "$scratch/zstd" --dump
		if [[ $status -eq 0 ]]; then
			want_text "long int g(struct s *p, int n);"
		else
			want_text "zstd: DWARF compressed by zstd, which this libelf cannot read"
		fi
	done
}

test_x32() {
	needs clang-19
	two_functions | clang-19 -target x86_64-linux-gnux32 -g -x c -c - -o "$scratch/x32"
	refuses "x32: x86-64 with 32-bit addresses" "$scratch/x32"
}

# many N - Print 200 functions with structures that have N members.
many() {
	local i

	for i in {1..200}; do
		echo "struct s$i { int a[$1]; int b$1; }; int f$i(struct s$i *p) { return p->b$1; }"
	done
}

test_btf_of_another_build() {
	many 1 | small other
	section .BTF "$scratch/other" >"$scratch/other.btf"
	many 2 | small this
	refuses "other.btf: lacks types of 200 of the 200 functions of" "$scratch/this" \
		--btf "$scratch/other.btf"
	refused "lacks types of 200" "$BTFADDR" "$scratch/this" --btf "$scratch/other.btf" \
		--functions "$scratch/never"
	annotated "$scratch/other" --btf "$scratch/other.btf"
	described 'int f7(struct s7 *p);'
}

run_tests
