# SPDX-License-Identifier: GPL-2.0-only
# Kernels and modules for arm64, made by cross compilers. Sourced by run.sh, after modules.sh.

arm64_source()
{
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
		sink += always(), many(1, n), many(2, sink);
		homed(n, 7, 4), homed(sink, 7, 4);
		clone(p, 5, n, (struct big){ n }), clone(p, 5, sink, (struct big){ sink });
		unread(p, n, n), unread(p + 1, 3, sink);
		return gone(p, n, n) + gone(p + 1, 3, sink) * 2;
	}
	void _start(void) { }
	asm(".section .plt, \"ax\"\n.byte 0\n.text");
	C
}

# arm64_object CC FLAG... - compile $WORK/arm64.c
arm64_object()
{
	arm64_source >"$WORK/arm64.c"
	"$@" -O2 -g -ffreestanding -fno-asynchronous-unwind-tables -w -fpatchable-function-entry=2 \
		-c "$WORK/arm64.c" -o "$WORK/arm64.o"
}

# unsure BTF NAME - the function may not return what the source says
unsure()
{
	bpftool btf dump file "$1" format raw |
		grep "DECL_TAG 'return:unsure' type_id=$(func_id "$1" "$2") "
}

# arm64_known CC - the trampoline would look for an argument behind a skipped register in the wrong
# place: clang's function has its registers only.
arm64_known()
{
	# the address of what nobody reads is in x8 anyway, and a trampoline changes x8
	grep -qP '\tstruct big unread[.0-9a-z]*\(' "$WORK/guard.dump"
	# x1 is another system's result
	grep -qP '\tlong asks\(void\)' "$WORK/guard.dump"
	# GCC's place of b isn't where it arrives, but where its address is from then on
	grep -qP '\tlong moved\(struct pair \*p, int n, struct big b\)' "$WORK/guard.dump"
	[[ $1 == clang* ]] || grep -qP '\tvoid clone\.constprop\.0\(struct pair \*p, long n, struct big b\)' \
		"$WORK/guard.dump"
	# where the constant is in the frame doesn't say that it is in x0
	grep -P '\tvoid homed[.0-9a-z]*\((_Bool a|unsigned long __isra0)\)' "$WORK/guard.dump"
	# LLVM leaves what it returns in x0, where nothing is passed to many()
	[[ $1 != clang* ]] || unsure "$WORK/arm64.legacy" always
	grep -qP '\tin_fp\t.*floating' "$WORK/guard.left"
	grep -qP '\t(skips\tparam.* not|long skips\(.* (unsigned long __isra8|__isra4, long f)\))' \
		"$WORK/guard.left" "$WORK/guard.dump"
	grep -qP '\t(odd\tparameters not where|long odd\(unsigned long __isra0, .* __isra4\))' \
		"$WORK/guard.left" "$WORK/guard.dump"
}

arm64_vmlinux()
{
	arm64_object "$@"
	aarch64-linux-gnu-ld -static -Ttext="$TEXT" --defsym=_text="$TEXT" "$WORK/arm64.o" \
		-o "$WORK/arm64"
	pahole -J "$WORK/arm64"
	"$BTFADDR" "$WORK/arm64" -o "$WORK/arm64.btf" --left-out >"$WORK/guard.left"
	"$BTFADDR" "$WORK/arm64.btf" --dump | normalize >"$WORK/guard.dump"
	"$BTFADDR" "$WORK/arm64.btf" --legacy -o "$WORK/arm64.legacy"
	arm64_known "$1"
	addresses_fit "$WORK/arm64" "$WORK/guard.dump"
}

# Inlined calls, and functions that BTF lacks or is wrong about. Who calls what, from which line, is
# DWARF's, and the same for each architecture.
arm64_places()
{
	local flag

	for flag in -O2 -Os; do
		check "arm64: inlined: gcc $flag, run" runs_as_said 200 "${CROSS}gcc" 5 $flag
	done
	[ -n "${QUICK:-}" ] || [ -z "$(type -P clang-19)" ] || check "arm64: inlined: clang-19, run" \
		runs_as_said 15 clang-19 5 -O2 --target=aarch64-linux-gnu -fuse-ld=lld
	check "arm64: inlined: direct calls" direct_calls
	check "arm64: inlined: module" inlined_module
	entries "arm64: "
}

# The table of ftrace's places has the entry, what is behind a landing pad, or two nops before both.
arm64_traceable()
{
	local TABLE='__patchable_function_entries, "awo", @progbits, .Lsite%=' QUIET='patchable_function_entry(0)' SITES flags

	for SITES in -fpatchable-function-entry={2,"4,2"}; do
		for flags in none standard; do
			check "arm64: what ftrace can patch: ${CC:-gcc} $SITES $flags" traceable \
				-mbranch-protection=$flags "$@"
			check "arm64: the same in a module" traceable_module -mbranch-protection=$flags "$@"
		done
	done
}

# What the sources say for each compiler.
arm64_sources()
{
	local CROSS=aarch64-linux-gnu- CFLAGS=(-O2 -fno-pie -ffreestanding -mgeneral-regs-only -w
		-fno-asynchronous-unwind-tables -fpatchable-function-entry=2)
	local -x MACHINE=arm64

	arm64_traceable
	edges "arm64: "
	compiler_tests "${CROSS}gcc" gcc "$GCC" 5
	modules_of "${CROSS}gcc" gcc "$GCC"
	if [ -n "$(type -P qemu-aarch64-static)" ]; then
		arm64_places
	else
		report_skipped "arm64: where arguments are" "apt-get install qemu-user-static"
	fi
	[ -z "${QUICK:-}" ] && [ -n "$(type -P clang-19)" ] || return 0
	CC=clang-19 arm64_traceable --target=aarch64-linux-gnu
	compiler_tests clang-19 clang clang19 5 --target=aarch64-linux-gnu
	# it gets to the next function, as an argument
	check "arm64: a value that may be dropped" unsure \
		"$WORK/clang-19-5--target=aarch64-linux-gnu.elf.btf.legacy" counts
}

arm64()
{
	local cc=aarch64-linux-gnu-gcc

	if ! command -v $cc >/dev/null; then
		report_skipped "arm64" "no $cc: apt-get install gcc-aarch64-linux-gnu"
		return
	fi
	arm64_sources
	check "arm64: vmlinux by gcc" arm64_vmlinux $cc
	check "arm64: landing pads" arm64_vmlinux $cc -mbranch-protection=standard
	[ -n "${QUICK:-}" ] || ! command -v clang-19 >/dev/null ||
		check "arm64: vmlinux by clang" arm64_vmlinux clang-19 --target=aarch64-linux-gnu
	# EI_DATA, and e_machine in that order
	cp "$WORK/arm64" "$WORK/arm64.big"
	printf '\002' | dd of="$WORK/arm64.big" bs=1 seek=5 conv=notrunc status=none
	printf '\000\267' | dd of="$WORK/arm64.big" bs=1 seek=18 conv=notrunc status=none
	fails "arm64: big endian" "arm64.big: arm64 big endian: not supported" 1 \
		"$BTFADDR" "$WORK/arm64.big" -o "$WORK/never"
}
