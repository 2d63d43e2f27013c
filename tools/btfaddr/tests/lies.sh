# SPDX-License-Identifier: GPL-2.0-only
# DWARF that lies or is damaged: the functions that it is about are left out, and no others.
# Sourced by run.sh.

# change ANCHOR PATTERN TEXT <asm - replace the first line that matches PATTERN at
# or after the first that matches ANCHOR
change()
{
	awk -v anchor="$1" -v pattern="$2" -v text="$3" '
		!seen && $0 ~ anchor { seen = 1 }
		seen && !done && $0 ~ pattern { print text; done = 1; next }
		{ print }
		END { exit !done }'
}

# assemble ASM OUT - assemble and link it
assemble()
{
	gcc -c "$1" -o "$2.o" 2>/dev/null
	ld -static -Ttext=$TEXT --defsym=_text=$TEXT -e $TEXT "$2.o" -o "$2"
}

# make_lie ANCHOR PATTERN TEXT - the honest program with a change
make_lie()
{
	change "$@" <"$WORK/honest.s" >"$WORK/lie.s"
	assemble "$WORK/lie.s" "$WORK/lie"
}

# lie NAME SYMBOL REASON ANCHOR PATTERN TEXT
lie()
{
	local name="lie: $1" symbol=$2 reason=$3 out=$WORK/lie rc

	try "$WORK/out" make_lie "${@:4}"
	if [ $rc != 0 ]; then
		report 1 "$name: can be made"
		return
	fi
	timeout 20 "$BTFADDR" "$out" --btf "$WORK/honest.raw" -o "$out.btf" --left-out \
		>"$WORK/out" 2>&1 || rc=1
	grep -qP "^0x[0-9a-f]+\t\Q$symbol\E\t$reason" "$WORK/out" || rc=1
	"$BTFADDR" "$out.btf" --dump >"$out.dump" || rc=1
	grep -q "^0x.* honest(int a);" "$out.dump" || rc=1
	# the input has a FUNC of it, which must be gone, as it could be attached to
	grep -qF " $symbol(" "$out.dump" && rc=1
	report_log $rc "$name" "$WORK/out"
}

# DWARF has both parameters in one register. The code knows better, but not their types.
wrong_register()
{
	local out=$WORK/lie

	make_lie 'DW_AT_name: "liar"' 'byte.*0x55' '\t.byte\t0x54'
	"$BTFADDR" "$out" --btf "$WORK/honest.raw" -o "$out.btf"
	"$BTFADDR" "$out.btf" --dump >"$out.dump"
	cat "$out.dump"
	grep -q "^0x.*int liar(long unsigned int __isra0, long unsigned int __isra1);" "$out.dump"
}

# A unit in another language: none of its functions is described.
foreign()
{
	change DW_AT_language DW_AT_language '\t.byte\t0x1c' <"$WORK/honest.s" >"$WORK/rust.s"
	assemble "$WORK/rust.s" "$WORK/rust"
	"$BTFADDR" "$WORK/rust" --btf "$WORK/honest.raw" -o "$WORK/rust.btf" --left-out >"$WORK/rust.left"
	[ "$(grep -c 'not written in C' "$WORK/rust.left")" = 3 ] || { cat "$WORK/rust.left"; return 1; }
	# in a namespace, as all functions of Rust
	clang -x c++ -fno-pie -g -c - -o "$WORK/rust.o" <<<'namespace n { int inner(int a) { return a; } }'
	ld -static -Ttext=$TEXT --defsym=_text=$TEXT -e $TEXT "$WORK/rust.o" -o "$WORK/rust"
	"$BTFADDR" "$WORK/rust" --btf "$WORK/honest.raw" --left-out | tee "$WORK/rust.left"
	grep -q '	_ZN1n5innerEi	not written in C' "$WORK/rust.left"
}

# A symbol that is in the symbol table twice gets one FUNC.
twice()
{
	local elf=$WORK/twice addr

	addr=$(nm "$WORK/honest" | awk '$3 == "liar" { print $1 }')
	objcopy --add-symbol liar=.text:$((0x$addr - TEXT)),function,local "$WORK/honest" "$elf"
	"$BTFADDR" "$elf" --btf "$WORK/honest.raw" -o "$elf.btf"
	"$BTFADDR" "$elf.btf" --dump >"$elf.dump"
	[ "$(nm "$elf" | grep -c " liar$")" = 2 ] && [ "$(grep -c ' liar(' "$elf.dump")" = 1 ] &&
		grep -q "^0x.*-.* liar(" "$elf.dump"
}

# survives ELF [OPTION] - btfaddr does not crash, does the same on any number of threads, and what
# it writes can be read, by the kernel too
survives()
{
	local elf=$1 out=$WORK/mutant.btf rc=0

	shift
	rm -f "$out"
	timeout 20 "$BTFADDR" "$elf" "$@" -j1 -o "$out" >"$WORK/out" 2>&1 || rc=$?
	[ $rc -le 1 ] || return 1
	if [ $rc = 0 ]; then
		"$BTFADDR" "$elf" --btf "$out" --dump >/dev/null &&
			"$BTFADDR" "$out" --legacy -o "$out.legacy" &&
			kernel_takes "$out.legacy" >>"$WORK/out" || return 1
	fi
	same_result $rc "$elf" "$@"
}

# same_result STATUS ELF [OPTION] - the result is the same on four threads
same_result()
{
	local status=$1 rc=0

	shift
	rm -f "$WORK/four.btf"
	timeout 20 "$BTFADDR" "$@" -j4 -o "$WORK/four.btf" >"$WORK/four" 2>&1 || rc=$?
	[ $rc = "$status" ] && cmp "$WORK/out" "$WORK/four" || return 1
	[ $rc = 1 ] || cmp "$WORK/mutant.btf" "$WORK/four.btf"
}

# mutants ELF SECTIONS SEEDS CMD... - CMD succeeds with files that have damaged bytes in one of these
# sections; the seeds are fixed
mutants()
{
	local section seed

	for section in $2; do
		for seed in $3; do
			python3 "$HERE/mutate.py" bytes "$1" "$WORK/mutant" "$section" "$seed"
			"${@:4}" && continue
			cp "$WORK/mutant" "$WORK/crash-$section-$seed"
			echo "$section $seed" >>"$WORK/out"
			cat "$WORK/out"
			return 1
		done
	done
}

lies()
{
	local nowhere='\t.long\t0x7ffffff'

	(cd "$WORK" && gcc -O2 -g -gdwarf-5 -dA -S -fno-pie -ffreestanding "$HERE/src/lie.c" -o honest.s)
	assemble "$WORK/honest.s" "$WORK/honest"
	pahole -J "$WORK/honest"
	section .BTF "$WORK/honest" >"$WORK/honest.raw"
	lie "location list past the end" liar "damaged parameter list" \
		'DW_AT_name: "liar"' 'LLST.*DW_AT_location' "$nowhere"
	lie "type is nowhere" liar "damaged" 'DW_AT_name: "liar"' 'DW_TAG_formal_param' \
		"$(printf '\t.uleb128 0x7f')"
	lie "cyclic typedef" liar "damaged" 'DW_TAG_typedef' 'DW_AT_type' '\t.long\t0x2e'
	lie "abstract origin is nowhere" clone.constprop.0 "damaged" \
		'0x[0-9a-f]*.*DW_AT_abstract_origin' 'DW_AT_abstract_origin' "$nowhere"
	lie "discarded code" liar "no DWARF" 'DW_AT_name: "liar"' 'DW_AT_low_pc' '\t.quad\t0'
	check "lie: wrong register: what the code reads" wrong_register
	check "lie: symbol twice" twice
	check "unit in Rust" foreign
	[ -z "${DECODERS:-}" ] || return 0
	check "mutated sections: no crash" mutants "$WORK/gcc-5.elf" \
		".debug_info .debug_abbrev .debug_loclists .debug_rnglists .symtab .BTF" \
		"${SEEDS[*]}" survives "$WORK/mutant"
	check "mutated sections, types from DWARF" mutants "$WORK/gcc-5.elf" \
		".debug_info .debug_abbrev .debug_str" "${SEEDS[*]}" \
		survives "$WORK/mutant" --btf "$WORK/small.btf"
}
