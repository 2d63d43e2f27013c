# SPDX-License-Identifier: GPL-2.0-only
# If a signature can't be established, no FUNC with another one is left to attach to. Also compilers
# that don't say what they changed. Sourced by run.sh.

# annotated ELF [--btf FILE] - annotate it, in bounded time; its functions are in $WORK/guard.dump
# afterwards, its types in $WORK/guard.raw, and what is left out in $WORK/guard.left
annotated()
{
	timeout 60 "$BTFADDR" "$@" -o "$WORK/guard.btf" --left-out >"$WORK/guard.left"
	"$BTFADDR" "$@" --legacy -o "$WORK/guard.legacy"
	"$BTFADDR" "$WORK/guard.btf" --dump | normalize >"$WORK/guard.dump"
	bpftool btf dump file "$WORK/guard.legacy" format raw >"$WORK/guard.raw"
	cat "$WORK/guard.dump" "$WORK/guard.left"
}

# annotated_module KO - the same for a module, but without its types
annotated_module()
{
	addr "$WORK/gcc-5.elf" "$1" --dump | normalize >"$WORK/guard.dump"
	addr "$WORK/gcc-5.elf" "$1" --left-out >"$WORK/guard.left"
	cat "$WORK/guard.dump" "$WORK/guard.left"
}

# small NAME [LINK OPTION...] <C - compile, link and annotate; CC, and OPT for -O, may be set
small()
{
	local elf=$WORK/$1

	cat >"$elf.c"
	"${CC:-gcc}" "${CFLAGS[@]}" ${OPT:+"$OPT"} -g -c "$elf.c" -o "$elf.o"
	link_kernel "$elf" "$elf.o" "${@:2}"
	annotated "$elf"
}

# A function's second FUNC, with another function's prototype, is removed, and its tag stays.
spare_func()
{
	local elf=$WORK/gcc-5.elf ids

	section .BTF "$elf" >"$WORK/plain.btf"
	ids=($(python3 "$HERE/mutate.py" spare "$WORK/plain.btf" "$WORK/spare.btf" only_here use_half))
	annotated "$elf" --btf "$WORK/spare.btf"
	grep -F ' only_here(' "$WORK/guard.dump" >"$WORK/spare.lines"
	[ "$(wc -l <"$WORK/spare.lines")" = 1 ] &&
		grep -qP "^0x\w+\t${ids[1]}\t-\tint only_here\(struct layout \*l\);" "$WORK/spare.lines" &&
		grep -q "^\[${ids[0]}\] CONST '(anon)' type_id=0" "$WORK/guard.raw" &&
		grep -q "^\[${ids[2]}\] DECL_TAG 'spare' type_id=${ids[1]} " "$WORK/guard.raw"
}

# The function is refused. So all its FUNCs are removed, and the tag becomes a type without meaning.
refused_func()
{
	local elf=$WORK/lie ids

	make_lie 'DW_AT_name: "liar"' 'LLST.*DW_AT_location' '\t.long\t0x7ffffff'
	ids=($(python3 "$HERE/mutate.py" spare "$WORK/honest.raw" "$WORK/spare.btf" liar honest))
	annotated "$elf" --btf "$WORK/spare.btf"
	cat "$WORK/guard.raw"
	! grep -q "'liar'" "$WORK/guard.raw" && ! grep -q "'spare'" "$WORK/guard.raw" &&
		grep -q "^\[${ids[0]}\] CONST '(anon)' type_id=0" "$WORK/guard.raw" &&
		grep -q "^\[${ids[1]}\] CONST '(anon)' type_id=0" "$WORK/guard.raw" &&
		grep -q "^\[${ids[2]}\] INT " "$WORK/guard.raw"
}

# GCC's link-time optimizer calls itself "GNU GIMPLE"; functions that it changes have GCC's suffixes.
gcc_lto()
{
	local elf=$WORK/gcc-lto

	gcc "${CFLAGS[@]}" -flto -g -static -nostdlib -Wl,-Ttext=$TEXT -Wl,--defsym=_text=$TEXT \
		-Wl,--build-id=none "$HERE"/src/kernel/{regs,opt,one}.c "$HERE/src/start.c" \
		-Wl,-u,use_deref -o "$elf"
	readelf --debug-dump=info "$elf" | grep 'DW_AT_producer' >"$WORK/lto.producers"
	pahole -J "$elf"
	annotated "$elf"
	cat "$WORK/lto.producers"
	grep -q 'GNU GIMPLE' "$WORK/lto.producers" &&
		has_line "$WORK/guard.dump" '^0x' - 'long deref.isra.0(unsigned long it__isra0, int n);' &&
		declared "$WORK/guard.raw" "$WORK/guard.dump" 1 "${SOURCES[@]}" "$HERE/src/header.h"
}

# Types in a section of their own, where offsets begin at 0 as well. pahole 1.24 can't read them.
# The type that held_there() takes isn't known then: two structs have one type signature if they
# differ only in which of two structs of one name they point to.
type_units()
{
	local elf=$WORK/type-units

	build gcc 4 "$elf" -fdebug-types-section >/dev/null 2>&1 || true
	readelf -SW "$elf" | grep -F .debug_types
	section .BTF "$WORK/gcc-4.elf" >"$WORK/plain.btf"
	annotated "$elf" --btf "$WORK/plain.btf"
	cut -f 1,3,4 "$WORK/gcc-4.elf.btf.dump" | grep -v held_there | sort >"$WORK/before"
	cut -f 1,3,4 "$WORK/guard.dump" | grep -v held_there | sort | diff "$WORK/before" -
}

# Newer pahole may write the name in the source for a function whose symbol has a suffix. No symbol
# has that name, so only the name with the suffix may be found in the output.
source_name()
{
	small source-name <<-'C'
	long sink;
	struct s { long a, b; };
	static __attribute__((noinline)) long renamed(const struct s *s, int unused) { return sink += s->b; }
	long rename_(int n) { return sink -= n; }
	long use(long a)
	{
		struct s s = { a, 2 * a };

		return renamed(&s, 1) + renamed(&s, 2);
	}
	C
	section .BTF "$WORK/source-name" | sed 's/rename_/renamed/' >"$WORK/renamed.btf"
	bpftool btf dump file "$WORK/renamed.btf" | grep "FUNC 'renamed'"
	annotated "$WORK/source-name" --btf "$WORK/renamed.btf"
	has_line "$WORK/guard.dump" '^0x' - 'long rename_(int n);' &&
		grep -q '^0x.* renamed\.[a-z0-9.]*isra\.0(' "$WORK/guard.dump" &&
		! grep -q ' renamed(' "$WORK/guard.dump"
}

# Values that are passed in vector registers, or in two halves, are not integers.
complex_numbers()
{
	small complex <<-'C'
	int sink;
	int complex_int(_Complex int a, int b) { return __real__ a + b; }
	int plain(int a) { return a; }
	C
	grep -q '	complex_int	floating-point or unknown parameter type' "$WORK/guard.left" &&
		grep -q 'int plain(int a);' "$WORK/guard.dump"
}

# Static calls are counted, but not listed.
static_calls()
{
	small static-calls <<-'C'
	int plain(int a) { return a; }
	asm(".type __SCT__some_call, @function\n__SCT__some_call: jmp plain\n");
	C
	! grep -q __SCT__ "$WORK/guard.left" &&
		"$BTFADDR" "$WORK/static-calls" --stats=json | grep -q '"static_call":1,'
}

guard()
{
	check "guard: complex numbers" complex_numbers
	check "guard: static calls" static_calls
	[ -n "${QUICK:-}" ] || check "guard: types in .debug_types" type_units
	check "guard: a spare FUNC" spare_func
	check "guard: a name of the source" source_name
	check "guard: a refused function" refused_func
	check "guard: gcc -flto" gcc_lto
}
