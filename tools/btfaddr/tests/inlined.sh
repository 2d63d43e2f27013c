#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Inline sites: src/inlined.c is run, with a breakpoint at each. What the file says is read by
# inline_btf.py, which shares nothing with btfaddr.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# as_said NAME - Only GCC's views tell that the parameters of swaps() are exchanged before its first
# instruction. Without views, only the parameters of fixed() and fixed_pair(), which can't change,
# have places.
as_said() {
	local min=200

	of "${1#inlined-}"
	case $1 in
	*clang*) min=15 ;;
	*-gno-*) min=20 ;;
	esac
	"$BTFADDR" --functions "$scratch/functions" "$FIXTURES/$1.elf"
	inline_says check "$scratch/functions" "$FIXTURES/$1.elf"
	runs_as_said $min "$FIXTURES/$1.elf" "$scratch/functions"
}

elf=$FIXTURES/inlined-gcc-5-O2.elf
functions=$elf.functions

# DWARF has as many inlined functions as there are sites.
test_as_many_as_in_dwarf() {
	[[ $(inline_says sites "$functions" "$elf" | wc -l) = \
		$(readelf --debug-dump=info "$elf" | grep -c DW_TAG_inlined_subroutine) ]]
}

# said ELF FUNC CALLER TEXT - CALLER has a site of FUNC in the line with TEXT, which isn't nested.
said() {
	local line

	line=$(grep -nF "$4" "$here/src/inlined.c" | cut -d: -f1)
	inline_says sites "$1.functions" "$1" | grep -F "\"func\": \"$2\"" |
		grep -F "\"caller\": \"$3\", \"parent\": null" |
		grep "\"file\": \".*inlined.c\", \"line\": $line}"
}

# Where calls come from; a call in an inlined function is nested in that function's site.
test_callers_nesting_and_lines() {
	local outer middle

	said "$elf" called others 'called(maybe, c);'
	said "$elf" member aggregates 'return n + CALL(member'
	outer=$(said "$elf" outer nested 'sum = CALL(outer' |
		sed 's/{"index": \([0-9]*\),.*/\1/')
	middle=$(inline_says sites "$functions" "$elf" | grep '"func": "middle"' |
		 grep "\"caller\": \"nested\", \"parent\": $outer," |
		 sed 's/{"index": \([0-9]*\),.*/\1/')
	inline_says sites "$functions" "$elf" | grep '"func": "deepest"' |
		grep "\"caller\": \"nested\", \"parent\": $middle,"
}

# LLVM says the same of each byte of the text: which functions are inlined, and in which line each is
# called.
test_what_is_inlined_at_each_address() {
	local elf text offset

	for elf in "$FIXTURES"/inlined-[cg]*-5-O2.elf; do
		text=$(readelf -SW "$elf" | sed -nE 's/.* \.text +PROGBITS +(\w+) .*/\1/p')
		inline_says frames "$elf.functions" "$elf" >"$scratch/said"
		while read -r offset _; do printf '%#x\n' $((0x$text + offset)); done <"$scratch/said" |
			llvm-symbolizer --obj="$elf" --inlines --relativenames --functions=short |
			awk -v RS= -F '\n' '{
				for (i = 1; i + 3 <= NF; i += 2) {
					split($(i + 3), at, ":")
					printf "%s%s:%s", (i > 1 ? " " : ""), $i, at[2]
				}
				print ""
			}' >"$scratch/llvm"
		[[ $(wc -l <"$scratch/said") -gt 500 ]] || return
		cut -d ' ' -f 2- "$scratch/said" | diff - "$scratch/llvm" || return
	done
}

# A call in a block isn't nested in the call before the block. GCC writes blocks first.
test_callers_of_calls_in_blocks() {
	local elf

	for elf in "$FIXTURES"/inlined-[cg]*-5-O2.elf; do
		said "$elf" counts_up blocks 'before the block'
		said "$elf" narrow blocks 'in the block'
	done
}

# A function that is out of line, too, has one FUNC, that of the input, with a unit.
test_funcs_of_the_input() {
	inline_says sites "$functions" "$elf" | grep '"func": "maybe"' >"$scratch/maybe"
	grep '"unit": "[^"]*inlined.c", "new": false' "$scratch/maybe"
	[[ $(grep -c '"new": true' "$scratch/maybe") = 0 ]]
	inline_says sites "$functions" "$elf" | grep '"func": "outer"' | grep '"new": true' >/dev/null
}

# With -o, the file is based on the BTF that -o writes.
test_beside_a_build() {
	"$BTFADDR" "$elf" -o "$scratch/btf" --functions "$scratch/functions2"
	"$BTFADDR" "$elf" -o "$scratch/btf2"
	cmp "$scratch/btf" "$scratch/btf2"
	"$BTFADDR" "$scratch/btf" --legacy -o "$scratch/legacy"
	inline_says check "$scratch/functions2" "$scratch/legacy"
	runs_as_said 1 "$elf" "$scratch/functions2" "$scratch/legacy"
	objcopy --update-section .BTF="$scratch/btf" "$elf" "$scratch/done"
	"$BTFADDR" --functions "$scratch/functions3" "$scratch/done"
	cmp "$scratch/functions2" "$scratch/functions3"
}

# The base has a layout, so the file has one, too, with the kinds that it adds.
test_layout() {
	section .BTF "$elf" >"$scratch/raw"
	mutate layout "$scratch/raw" "$scratch/layout"
	"$BTFADDR" --btf "$scratch/layout" "$elf" --functions "$scratch/layout.functions"
	inline_says check "$scratch/layout.functions" "$scratch/layout"
	diff <(inline_says sites "$scratch/layout.functions" "$scratch/layout") \
		<(inline_says sites "$functions" "$elf")
}

# Direct calls and jumps are those that objdump sees.
test_direct_calls() {
	local elf

	for elf in "$FIXTURES/inlined-${CROSS:+arm64-}"[cg]*-5-O2.elf; do
		inline_says calls "$elf.functions" "$elf" | sort >"$scratch/said"
		"${CROSS}objdump" -d --no-show-raw-insn -j .text "$elf" |
			sed -nE 's/.*\t(call|j[a-z]+|bl?) *\t?[0-9a-f]+ <([^+>]+)>$/\2/p' |
			sed 's/^other_name$/regs/' | sort | uniq -c |
			awk 'NR == FNR { calls[$2] = $1; next } calls[$2] { print $2, calls[$2] }' - \
				<(bpftool btf dump file "$elf" | sed -n "s/.* FUNC '\([^']*\)'.*/func \1/p"
				# what pahole has left out
				sed 's/^/func /; s/ [0-9]*$//' "$scratch/said") |
			sort -u >"$scratch/calls"
		[[ $(wc -l <"$scratch/calls") -gt 10 ]]
		diff "$scratch/calls" "$scratch/said"
	done
}

# A module's file is based on the module's BTF; sites in init text are left out. A call may follow an
# instruction that capstone doesn't know. call *disp32(%rax,%rbp,8) may end in bytes of a direct one.
test_module() {
	local ko=$scratch/inlined.ko first=5

	[[ -z $CROSS ]] || first=0
	"${CROSS}gcc" "${CFLAGS[@]}" -g -gdwarf-5 -x c -S - -o - <<-'C' |
		#ifdef __aarch64__
		#define UNKNOWN ".inst 0x04e30041" /* add z1.d, z2.d, z3.d */
		#define INDIRECT(n) 0
		#else
		#define UNKNOWN ".byte 0x66, 0x48, 0x0f, 0x38, 0xf5, 0x2b" /* wrussq %rbp, (%rbx) */
		#define INDIRECT(n) indirect(n)
		#endif
		volatile long sink;
		static inline __attribute__((always_inline)) long twice(long n) { sink = n; return 2 * n; }
		extern void nothing(void);
		__attribute__((noipa)) long plain(long n) { return twice(n + 1); }
		__attribute__((section(".text.unlikely"))) long unlikely(long n) { return twice(n); }
		__attribute__((noipa)) long indirect(long n) { sink = n; return n; }
		__attribute__((noipa)) long calls(long n)
		{
			asm volatile(UNKNOWN : "+r"(n));
			n = plain(n) + plain(1) + INDIRECT(n);
			nothing();
			return n;
		}
		__attribute__((section(".init.text"))) long init(long n) { return twice(n); }
		__attribute__((section(".exit.text"))) long leave(long n) { nothing(); return twice(n); }
	C
		sed 's/^\tcall\tindirect$/.byte 0xff, 0x94, 0xe8; .long indirect - . - 4/' |
		"${CROSS}gcc" -x assembler -c - -o "$ko.o"
	[[ -n $CROSS ]] || objdump -d "$ko.o" | grep 'call .*(%rax,%rbp,8)'
	link_module "$ko" "$ko.o"
	addr "$ko" --functions "$ko.functions"
	section .BTF "$ko" >"$ko.btf"
	inline_says check "$ko.functions" "$kernel.btf.legacy" "$ko.btf"
	inline_says sites "$ko.functions" "$kernel.btf.legacy" "$ko.btf" | tee "$ko.sites"
	[[ $(wc -l <"$ko.sites") = 2 ]]
	inline_says calls "$ko.functions" "$kernel.btf.legacy" "$ko.btf" | sort >"$ko.calls"
	printf '%s\n' 'nothing 1' 'plain 2' | diff - "$ko.calls"
	grep '"section": ".text", "offset": .*"caller": "plain"' "$ko.sites"
	grep '"section": ".text.unlikely", .*"n": \["reg", \['$first'\], 8\].*"caller": "unlikely"' "$ko.sites"
}

test_same_on_any_number_of_threads() {
	local nr

	for nr in 1 2 5; do
		"$BTFADDR" -j $nr "$kernel" --functions "$scratch/inline-$nr"
		cmp "$scratch/inline-1" "$scratch/inline-$nr"
	done
	inline_says check "$scratch/inline-1" "$kernel"
}

# survives ELF - Damaged DWARF gives one line, or a file that breaks no rule.
survives() {
	run timeout 20 "$BTFADDR" "$1" --functions "$scratch/mutant.functions"
	if [[ $status = 1 ]]; then
		[[ -n $out && $out != *$'\n'* ]] || fail "not one line: $out"
	else
		want_status 0
		inline_says check "$scratch/mutant.functions" "$1"
	fi
}

test_mutated_sections() {
	mutants "$elf" ".debug_info .debug_abbrev .debug_loclists .debug_rnglists .debug_line .debug_frame" \
		"${seeds[*]:0:3}" survives "$scratch/mutant"
}

# A section of code without bytes may claim to be larger than memory.
test_empty_section() {
	mutate header "$elf" "$scratch/empty" "code without bytes"
	"$BTFADDR" "$scratch/empty" --functions "$scratch/empty.functions"
	diff <(inline_says sites "$scratch/empty.functions" "$elf") \
		<(inline_says sites "$functions" "$elf")
}

tests=("on_arm64 test_direct_calls" "on_arm64 test_module")
for name in $PROGRAMS; do
	[[ $name != inlined-* ]] || tests+=("as_said $name")
done
run_tests "${tests[@]}"
