# SPDX-License-Identifier: GPL-2.0-only
# Inline sites: src/inlined.c is run, with a breakpoint at each. What the file says is read by
# inline_btf.py, which shares nothing with btfaddr. Sourced by run.sh.

# Of programs for arm64, which have no libc
NO_LIBC=(-nostdlib -static)

# inlined_program CC DWARF OUT [FLAG...] - with unwind tables in .debug_frame, as a kernel has them
inlined_program()
{
	"$1" -w -g -gdwarf-"$2" -fno-asynchronous-unwind-tables -no-pie ${CROSS:+"${NO_LIBC[@]}"} -Wl,--defsym=_text=__executable_start "${@:4}" \
		"$HERE/src/inlined.c" -o "$3" && pahole -J "$3"
}

# inline_says COMMAND FILE BASE... - run a COMMAND of inline_btf.py
inline_says()
{
	python3 "$HERE/inline_btf.py" "$@"
}

# runs_as_said MIN CC DWARF FLAG... - at least MIN values are compared, all of them right
runs_as_said()
{
	local min=$1 cc=$2 elf=$WORK/inlined${MACHINE:-}-$2-$3$4 values

	inlined_program "$cc" "$3" "$elf" "${@:4}"
	"$BTFADDR" --functions "$elf.functions" "$elf"
	inline_says check "$elf.functions" "$elf"
	"$HERE/inline_run.py" "$elf" "$elf.functions" "$elf" | tee "$WORK/run"
	values=$(sed -n 's/.* \([0-9]*\) values$/\1/p' "$WORK/run")
	[ "$values" -ge "$min" ]
}

# Only GCC's views tell that the parameters of swaps() are exchanged before its first instruction.
# Without views, only the parameters of fixed() and fixed_pair(), which can't change, have places.
run_inlined()
{
	local flag

	for flag in -O2 -Os; do
		check "inlined: gcc $flag, run" runs_as_said 200 gcc 5 $flag
		[ -z "${QUICK:-}" ] || return 0
		check "inlined: gcc dwarf4 $flag, run" runs_as_said 200 gcc 4 $flag
		check "inlined: gcc without views $flag, run" \
			runs_as_said 20 gcc 4 $flag -gno-variable-location-views
		check "inlined: gcc without views of entries $flag, run" \
			runs_as_said 20 gcc 4 $flag -gno-statement-frontiers
		check "inlined: clang $flag, run" runs_as_said 15 clang 5 $flag
		if command -v clang-19 >/dev/null; then
			check "inlined: clang-19 $flag, run" runs_as_said 15 clang-19 5 $flag
		fi
	done
}

# DWARF has as many inlined functions as there are sites.
all_sites()
{
	local elf=$WORK/inlined-gcc-5-O2

	[ "$(inline_says sites "$elf.functions" "$elf" | wc -l)" = \
	  "$(readelf --debug-dump=info "$elf" | grep -c DW_TAG_inlined_subroutine)" ]
}

# said FILE BASE FUNC CALLER FILE LINE - CALLER has a site of FUNC there, which isn't nested
said()
{
	inline_says sites "$1" "$2" | grep -F "\"func\": \"$3\"" |
		grep -F "\"caller\": \"$4\", \"parent\": null" | grep "\"file\": \".*$5\", \"line\": $6}"
}

# line TEXT - its number in the source
line()
{
	grep -nF "$1" "$HERE/src/inlined.c" | cut -d: -f1
}

# Where calls come from; a call in an inlined function is nested in that function's site.
call_lines()
{
	local elf=$WORK/inlined-gcc-5-O2 outer middle

	said "$elf.functions" "$elf" called others inlined.c "$(line 'called(maybe, c);')"
	said "$elf.functions" "$elf" member aggregates inlined.c "$(line 'return n + member')"
	outer=$(said "$elf.functions" "$elf" outer nested inlined.c "$(line 'sum = outer')" |
		sed 's/{"index": \([0-9]*\),.*/\1/')
	middle=$(inline_says sites "$elf.functions" "$elf" | grep '"func": "middle"' |
		 grep "\"caller\": \"nested\", \"parent\": $outer," |
		 sed 's/{"index": \([0-9]*\),.*/\1/')
	inline_says sites "$elf.functions" "$elf" | grep '"func": "deepest"' |
		grep -q "\"caller\": \"nested\", \"parent\": $middle,"
}

# A call in a block isn't nested in the call before the block. GCC writes blocks first.
block_callers()
{
	local elf

	for elf in "$WORK"/inlined-*-5-O2; do
		said "$elf.functions" "$elf" counts_up blocks inlined.c "$(line 'before the block')"
		said "$elf.functions" "$elf" narrow blocks inlined.c "$(line 'in the block')"
	done
}

# A function that is out of line, too, has one FUNC, that of the input, with a unit.
base_funcs()
{
	local elf=$WORK/inlined-gcc-5-O2

	inline_says sites "$elf.functions" "$elf" | grep '"func": "maybe"' >"$WORK/maybe"
	grep -q '"unit": "[^"]*inlined.c", "new": false' "$WORK/maybe"
	[ "$(grep -c '"new": true' "$WORK/maybe")" = 0 ]
	inline_says sites "$elf.functions" "$elf" | grep '"func": "outer"' | grep '"new": true' >/dev/null
}

# With -o, the file is based on the BTF that -o writes.
inlined_in_build()
{
	local elf=$WORK/inlined-gcc-5-O2

	"$BTFADDR" "$elf" -o "$elf.btf" --functions "$elf.functions2"
	"$BTFADDR" "$elf" -o "$elf.btf2"
	cmp "$elf.btf" "$elf.btf2"
	"$BTFADDR" "$elf.btf" --legacy -o "$elf.legacy"
	inline_says check "$elf.functions2" "$elf.legacy"
	"$HERE/inline_run.py" "$elf" "$elf.functions2" "$elf.legacy"
	objcopy --update-section .BTF="$elf.btf" "$elf" "$elf.done"
	"$BTFADDR" --functions "$elf.functions3" "$elf.done"
	cmp "$elf.functions2" "$elf.functions3"
}

# The base has a layout, so the file has one, too, with the kinds that it adds.
inlined_layout()
{
	local elf=$WORK/inlined-gcc-5-O2

	python3 - "$HERE" "$elf" "$WORK/layout" <<-'PY'
		import struct, sys
		sys.dont_write_bytecode = True
		sys.path.insert(0, sys.argv[1])
		import inline_btf
		data = inline_btf.read(sys.argv[2]).data
		magic, flags, size, *lens = struct.unpack_from("<HHIIIII", data)
		layout = b"".join(struct.pack("<BBH", *(4 * n for n in inline_btf.SIZES.get(k, (0, 0))), 0)
		                  for k in range(20))
		head = struct.pack("<HHIIIIIII", magic, flags, 32, 0, lens[1], lens[1] + len(layout),
		                   lens[3], lens[1], len(layout))
		types = data[size:size + lens[1]]
		strs = data[size + lens[2]:size + lens[2] + lens[3]]
		open(sys.argv[3], "wb").write(head + types + layout + strs)
	PY
	"$BTFADDR" --btf "$WORK/layout" "$elf" --functions "$WORK/layout.functions"
	inline_says check "$WORK/layout.functions" "$WORK/layout"
	diff <(inline_says sites "$WORK/layout.functions" "$WORK/layout") \
		<(inline_says sites "$elf.functions" "$elf")
}

# Direct calls and jumps are those that objdump sees.
direct_calls()
{
	local elf

	for elf in "$WORK/inlined${MACHINE:-}"-*-5-O2; do
		"${CROSS}objdump" -d --no-show-raw-insn -j .text "$elf" |
			sed -nE 's/.*\t(call|j[a-z]+|bl?) *\t?[0-9a-f]+ <([^+>]+)>$/\2/p' |
			sed 's/^other_name$/regs/' | sort | uniq -c |
			awk 'NR == FNR { calls[$2] = $1; next } calls[$2] { print $2, calls[$2] }' - \
				<(bpftool btf dump file "$elf" | sed -n "s/.* FUNC '\([^']*\)'.*/func \1/p") |
			sort >"$WORK/calls"
		[ "$(wc -l <"$WORK/calls")" -gt 10 ]
		diff "$WORK/calls" <(inline_says calls "$elf.functions" "$elf" | sort)
	done
}

# A module's file is based on the module's BTF; sites in init text are left out. A call may follow an
# instruction that capstone doesn't know. call *disp32(%rax,%rbp,8) may end in bytes of a direct one.
inlined_module()
{
	local ko=$WORK/inlined.ko first=5

	[ -z "$CROSS" ] || first=0

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
	[ -n "$CROSS" ] || objdump -d "$ko.o" | grep 'call .*(%rax,%rbp,8)'
	link_module "$ko" "$ko.o"
	addr "$WORK/gcc-5.elf" "$ko" --functions "$ko.functions"
	section .BTF "$ko" >"$ko.btf"
	inline_says check "$ko.functions" "$WORK/gcc-5.elf.btf.legacy" "$ko.btf"
	inline_says sites "$ko.functions" "$WORK/gcc-5.elf.btf.legacy" "$ko.btf" | tee "$ko.sites"
	[ "$(wc -l <"$ko.sites")" = 2 ]
	inline_says calls "$ko.functions" "$WORK/gcc-5.elf.btf.legacy" "$ko.btf" | sort >"$ko.calls"
	printf '%s\n' 'nothing 1' 'plain 2' | diff - "$ko.calls"
	grep '"section": ".text", "offset": .*"caller": "plain"' "$ko.sites"
	grep '"section": ".text.unlikely", .*"n": \["reg", \['$first'\], 8\].*"caller": "unlikely"' "$ko.sites"
}

inlined_threads()
{
	local elf=$WORK/gcc-5.elf nr

	for nr in 1 2 5; do
		"$BTFADDR" -j $nr "$elf" --functions "$WORK/inline-$nr"
		cmp "$WORK/inline-1" "$WORK/inline-$nr"
	done
	inline_says check "$WORK/inline-1" "$elf"
}

# inlined_survives ELF - damaged DWARF gives one line, or a file that breaks no rule
inlined_survives()
{
	local rc=0

	timeout 20 "$BTFADDR" "$1" --functions "$WORK/mutant.functions" >"$WORK/out" 2>&1 || rc=$?
	[ $rc = 1 ] && [ "$(wc -l <"$WORK/out")" = 1 ] && return
	[ $rc = 0 ] && inline_says check "$WORK/mutant.functions" "$1" >>"$WORK/out" 2>&1
}

# A section of code without bytes may claim to be larger than memory.
inlined_empty()
{
	local elf=$WORK/inlined-gcc-5-O2

	python3 - "$HERE" "$elf" "$WORK/empty" <<-'PY'
		import struct, sys
		sys.dont_write_bytecode = True
		sys.path.insert(0, sys.argv[1])
		import elf_btf
		data = elf_btf.read(sys.argv[2])
		fini = elf_btf.Elf(data).section(".fini")
		struct.pack_into("<I", data, fini.at + 4, elf_btf.SHT_NOBITS)
		struct.pack_into("<Q", data, fini.at + 32, 1 << 62)
		elf_btf.write(sys.argv[3], data)
	PY
	"$BTFADDR" "$WORK/empty" --functions "$WORK/empty.functions"
	diff <(inline_says sites "$WORK/empty.functions" "$elf") \
		<(inline_says sites "$elf.functions" "$elf")
}

inlined_usage()
{
	local elf=$WORK/gcc-5.elf

	fails "--functions: folder is missing" "nowhere/x: cannot write" 1 \
		"$BTFADDR" "$elf" --functions "$WORK/nowhere/x"
	fails "--functions of raw BTF" "give the vmlinux" 1 "$BTFADDR" "$elf.btf" --functions "$WORK/never"
	fails "--functions without DWARF" "no DWARF" 1 "$BTFADDR" "$WORK/nodwarf" --functions "$WORK/never"
	fails "--functions without BTF" "no .BTF section" 1 "$BTFADDR" "$WORK/nobtf" --functions "$WORK/never"
	[ -z "${QUICK:-}" ] || return 0
	fails "--functions and --check" "cannot be combined" 2 \
		"$BTFADDR" --check "$elf" --functions "$WORK/never"
	fails "--functions and --stats, no OUTPUT" "give -o OUTPUT" 2 \
		"$BTFADDR" --stats "$elf" --functions "$WORK/never"
}

inlined()
{
	run_inlined
	check "inlined: as many as in DWARF" all_sites
	check "inlined: callers, nesting and lines" call_lines
	check "inlined: callers of calls in blocks" block_callers
	check "inlined: FUNCs of the input" base_funcs
	check "inlined: beside a build" inlined_in_build
	check "inlined: layout" inlined_layout
	check "inlined: direct calls" direct_calls
	check "inlined: module" inlined_module
	check "inlined: empty section" inlined_empty
	check "inlined: same on any number of threads" inlined_threads
	check "inlined: mutated sections" mutants "$WORK/inlined-gcc-5-O2" \
		".debug_info .debug_abbrev .debug_loclists .debug_rnglists .debug_line .debug_frame" \
		"${SEEDS[*]:0:3}" inlined_survives "$WORK/mutant"
	inlined_usage
}
