#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# If a signature can't be established, no FUNC with another one is left to attach to. Also compilers
# that don't say what they changed.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# A function's second FUNC, with another function's prototype, is removed, and its tag stays.
test_spare_func() {
	local ids

	section .BTF "$kernel" >"$scratch/plain.btf"
	read -ra ids < <(mutate spare "$scratch/plain.btf" "$scratch/spare.btf" only_here use_half)
	annotated "$kernel" --btf "$scratch/spare.btf"
	grep -F ' only_here(' "$scratch/dump" >"$scratch/spare.lines"
	[[ $(wc -l <"$scratch/spare.lines") = 1 ]]
	grep -P "^0x\w+\t${ids[1]}\t-\tint only_here\(struct layout \*l\);" "$scratch/spare.lines"
	grep "^\[${ids[0]}\] CONST '(anon)' type_id=0" "$scratch/raw"
	grep "^\[${ids[2]}\] DECL_TAG 'spare' type_id=${ids[1]} " "$scratch/raw"
}

# The function is refused. So all its FUNCs are removed, and the tag becomes a type without meaning.
test_refused_function() {
	local ids

	make_lie 'DW_AT_name: "liar"' 'LLST.*DW_AT_location' '\t.long\t0x7ffffff'
	read -ra ids < <(mutate spare "$FIXTURES/honest.raw" "$scratch/spare.btf" liar honest)
	annotated "$scratch/lie" --btf "$scratch/spare.btf"
	cat "$scratch/raw"
	refute grep -E "'(liar|spare)'" "$scratch/raw"
	grep "^\[${ids[0]}\] CONST '(anon)' type_id=0" "$scratch/raw"
	grep "^\[${ids[1]}\] CONST '(anon)' type_id=0" "$scratch/raw"
	grep "^\[${ids[2]}\] INT " "$scratch/raw"
}

# GCC's link-time optimizer calls itself "GNU GIMPLE"; functions that it changes have GCC's suffixes.
test_gcc_flto() {
	local elf=$scratch/gcc-lto

	gcc "${CFLAGS[@]}" -flto -g -static -nostdlib -Wl,-Ttext=$TEXT -Wl,--defsym=_text=$TEXT \
		-Wl,--build-id=none "$here"/src/kernel/{regs,opt,one}.c "$here/src/start.c" \
		-Wl,-u,use_deref -o "$elf"
	readelf --debug-dump=info "$elf" | grep 'DW_AT_producer.*GNU GIMPLE'
	pahole -J "$elf"
	annotated "$elf"
	described 'long deref.isra.0(it__isra0, int n);'
	declared 1 "$here"/src/{kernel,net}/*.c "$here"/src/{start.c,header.h}
}

# Types in a section of their own, where offsets begin at 0 as well. pahole 1.24 can't read them.
# The type that held_there() takes isn't known then: two structs have one type signature if they
# differ only in which of two structs of one name they point to.
test_types_in_debug_types() {
	local elf=$scratch/gcc-4-fdebug-types-section.elf

	"$here/fixture" "$elf" >/dev/null 2>&1 || :
	has_section "$elf" .debug_types
	section .BTF "$FIXTURES/gcc-4.elf" >"$scratch/plain.btf"
	annotated "$elf" --btf "$scratch/plain.btf"
	normalize <"$FIXTURES/gcc-4.elf.btf.dump" | cut -f 1,3,4 | grep -v held_there | sort >"$scratch/before"
	cut -f 1,3,4 "$scratch/dump" | grep -v held_there | sort | diff "$scratch/before" -
}

# Newer pahole may write the name in the source for a function whose symbol has a suffix. No symbol
# has that name, so only the name with the suffix may be found in the output.
test_name_of_the_source() {
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
	section .BTF "$scratch/source-name" | sed 's/rename_/renamed/' >"$scratch/renamed.btf"
	bpftool btf dump file "$scratch/renamed.btf" | grep "FUNC 'renamed'"
	annotated "$scratch/source-name" --btf "$scratch/renamed.btf"
	described 'long rename_(int n);'
	dumped '^0x.* renamed\.[a-z0-9.]*isra\.0\('
	not_dumped ' renamed\('
}

# Values that are passed in vector registers, or in two halves, are not integers.
test_complex_numbers() {
	small complex <<-'C'
	int sink;
	int complex_int(_Complex int a, int b) { return __real__ a + b; }
	int plain(int a) { return a; }
	C
	left_out complex_int 'floating-point or unknown parameter type'
	dumped 'int plain\(int a\);'
}

# Static calls are counted, but not listed.
test_static_calls() {
	small static-calls <<-'C'
	int plain(int a) { return a; }
	asm(".type __SCT__some_call, @function\n__SCT__some_call: jmp plain\n");
	C
	refute grep __SCT__ "$scratch/left"
	"$BTFADDR" "$scratch/static-calls" --stats=json | grep '"static_call":1,'
}

WITHOUT=${QUICK:+debug_types}
run_tests
