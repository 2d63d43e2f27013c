#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Kernels and modules for arm64, made by cross compilers.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

arm64_source() {
	cat <<-'C'
	#define noinline __attribute__((noinline))
	struct pair { long first, second; };
	struct big { long a, b, c; };
	struct floats { double a, b, c, d; };
	volatile long sink;
	noinline long even(__int128 a, int b) { return sink += a * b; }
	noinline long odd(int a, __int128 b, int c) { return sink += b * c; }
	noinline long skips(long a, long b, int c, __int128 d, struct pair e, long f)
	{
		return sink += a + b + c + d + e.first * e.second * f;
	}
	noinline long in_fp(struct floats f, int n) { return sink += n; }
	static noinline long gone(const struct pair *p, int unused, long n)
	{
		return sink += p->first * p->second * n;
	}
	static noinline struct big unread(const struct pair *p, int unused, long n)
	{
		sink += p->first * n;
		return (struct big){ n, sink };
	}
	noinline long asks(void) { register long x1 asm("x1"); asm volatile("hvc #0" : "=r"(x1)); return sink += x1; }
	noinline void takes(struct pair *p, int n, struct big b) { sink += p->first * b.c; }
	noinline long moved(struct pair *p, int n, struct big b)
	{
		long first = p->first;

		if (p->second)
			return 1;
		takes(p, n, b);
		p->first = first;
		return 0;
	}
	static noinline void clone(struct pair *p, int five, long n, struct big b)
	{
		do
			takes(p, five, b), sink += n;
		while (p->second);
	}
	noinline void escape(void *p) { asm volatile("" :: "r"(p) : "memory"); }
	static noinline void homed(_Bool a, long constant, _Bool other)
	{
		escape(&constant), escape(&other);
		sink += (a ? 9 : 6) * constant + other * 3;
	}
	static noinline long paired(long constant, const long *p)
	{
		escape(&constant), escape(&p);
		return sink += constant * *p;
	}
	#define none static noinline __attribute__((preserve_none))
	none void none_reads(long gone, long n) { sink += n; }
	none void none_passes(long gone, long n) { none_reads(3, n); }
	none void none_writes(long gone, char n) { long old = sink; escape(&sink); sink -= n + old; }
	static noinline int always(void) { sink += 3; return 7; }
	static noinline void many(char unused, ...)
	{
		__builtin_va_list l;

		__builtin_va_start(l, unused);
		sink += __builtin_va_arg(l, int);
		__builtin_va_end(l);
	}
	long use(struct pair *p, int n)
	{
		none_reads(4, n), none_passes(5, n), none_passes(6, n + 3);
		none_writes(5, n), none_writes(6, n + 1);
		sink += always(), many(1, n), many(2, sink);
		homed(n, 7, 4), homed(sink, 7, 4);
		sink += paired(2, &p->first) * paired(2, &p->second);
		clone(p, 5, n, (struct big){ n }), clone(p, 5, sink, (struct big){ sink });
		unread(p, n, n), unread(p + 1, 3, sink);
		return gone(p, n, n) + gone(p + 1, 3, sink) * 2;
	}
	void _start(void) { }
	asm(".section .plt, \"ax\"\n.byte 0\n.text");
	C
}

# arm64_known CC - The trampoline would look for an argument behind a skipped register in the wrong
# place: clang's function has its registers only.
arm64_known() {
	# the address of what nobody reads is in x8 anyway, and a trampoline changes x8
	dumped '\tstruct big unread[.0-9a-z]*\('
	# x1 is another system's result
	dumped '\tlong asks\(void\)'
	# GCC's place of b isn't where it arrives, but where its address is from then on
	dumped '\tlong moved\(struct pair \*p, int n, struct big b\)'
	[[ $1 == clang* ]] || dumped '\tvoid clone\.constprop\.0\(struct pair \*p, long n, struct big b\)'
	# where the constant is in the frame doesn't say that it is in x0
	dumped '\tvoid homed[.0-9a-z]*\((_Bool a|__isra0)\)'
	# nor that it is there, if it is stored together with what is in x0
	dumped '\tlong paired[.0-9a-z]*\(const long \*p\)'
	# LLVM leaves what it returns in x0, where nothing is passed to many()
	[[ $1 != clang* ]] || unsure "$scratch/legacy" always
	left_out in_fp '.*floating'
	# its registers aren't those of C's arguments, and it changes some that a trampoline uses
	[[ $1 != clang* || $(grep -c '	none_.*another calling' "$scratch/left") = 3 ]]
	grep -P '\t(skips\tparam.* not|long skips\(.* (__isra8|__isra4, long f)\))' \
		"$scratch/left" "$scratch/dump"
	grep -P '\t(odd\tparameters not where|long odd\(__isra0, .* __isra4\))' \
		"$scratch/left" "$scratch/dump"
}

# vmlinux CC FLAG...
vmlinux() {
	needs aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu
	needs "$1"
	arm64_source | "$@" -O2 -g -ffreestanding -fno-asynchronous-unwind-tables -w \
		-fpatchable-function-entry=2 -x c -c - -o "$scratch/arm64.o"
	aarch64-linux-gnu-ld -static -Ttext="$TEXT" --defsym=_text="$TEXT" "$scratch/arm64.o" \
		-o "$scratch/arm64"
	pahole -J "$scratch/arm64"
	annotated "$scratch/arm64"
	arm64_known "$1"
	are_of_nm "$scratch/arm64" "$scratch/dump"
}

# EI_DATA, and e_machine in that order
test_big_endian() {
	of arm64-gcc-5
	cp "$FIXTURES/arm64-gcc-5.ko" "$scratch/arm64.big"
	printf '\002' | dd of="$scratch/arm64.big" bs=1 seek=5 conv=notrunc status=none
	printf '\000\267' | dd of="$scratch/arm64.big" bs=1 seek=18 conv=notrunc status=none
	refused "arm64.big: arm64 big endian: not supported" "$BTFADDR" "$scratch/arm64.big" -o "$scratch/never"
}

# It gets to the next function, as an argument.
value_may_be_dropped() {
	of arm64-clang-19-5
	unsure "$FIXTURES/arm64-clang-19-5.elf.btf.legacy" counts
}

tests=()
[[ -n ${QUICK:-} ]] || tests=(value_may_be_dropped "vmlinux clang-19 --target=aarch64-linux-gnu")
run_tests "vmlinux aarch64-linux-gnu-gcc" "vmlinux aarch64-linux-gnu-gcc -mbranch-protection=standard" \
	"${tests[@]}"
