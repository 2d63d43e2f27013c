# SPDX-License-Identifier: GPL-2.0-only
# Modules that are not what they should be: btfaddr says so in one line and writes nothing.
# Sourced by run.sh.

# refused NAME PATTERN OPTION... - btfaddr with a base and these options writes nothing
refused()
{
	local name=$1 pattern=$2

	shift 2
	fails "$name" "$pattern" 1 addr "$WORK/gcc-5.elf" "$@" -o "$WORK/never"
}

# names_damage WHAT PATTERN - --check says what is wrong with the first relocation
names_damage()
{
	local rc=0

	python3 "$HERE/module.py" damage "$WORK/gcc-5.mod.ko" "$WORK/damaged.ko" "$1"
	addr "$WORK/gcc-5.elf" --check "$WORK/damaged.ko" >"$WORK/out" 2>&1 || rc=$?
	[ $rc = 1 ] && [ "$(wc -l <"$WORK/out")" -le 6 ] && grep -q "damaged.ko: $2" "$WORK/out" &&
		refute grep -v "^btfaddr: .*damaged.ko: " "$WORK/out" &&
		grep -q "annotate it again$" "$WORK/out" || {
		echo "status $rc, expected: $2" >>"$WORK/out"
		return 1
	}
	refute addr "$WORK/gcc-5.elf" "$WORK/damaged.ko" -o "$WORK/never" 2>/dev/null
	[ ! -e "$WORK/never" ]
}

damages()
{
	local what pattern

	while IFS='|' read -r what pattern; do
		check "bad module: relocation: $what" names_damage "$what" "$pattern"
	done <<-'END'
	outside|.rela.BTF entry 0, offset 0x[0-9a-f]*: there is no address in .BTF
	far outside|.rela.BTF entry 0, offset 0xfff[0-9a-f]*: there is no address in .BTF
	between|.rela.BTF entry 0, offset 0x[0-9a-f]*: there is no address in .BTF
	type|.rela.BTF entry 0, .* not R_X86_64_64 with addend 0
	unknown type|.rela.BTF entry 0, .* not R_X86_64_64 with addend 0
	addend|.rela.BTF entry 0, .* not R_X86_64_64 with addend 0
	no symbol|.rela.BTF entry 0, .* not against a function of resident text
	undefined|.rela.BTF entry 0, .* not against a function of resident text
	data|.rela.BTF entry 0, .* not against a function of resident text
	section symbol|.rela.BTF entry 0, .* not against a function of resident text
	init|.rela.BTF entry 0, .* not against a function of resident text
	no functions|.rela.BTF entry 0, .* not against a function of resident text
	another function|.rela.BTF entry 0, .* against a function of another name
	end of section|.rela.BTF entry 0, .* not against a function of resident text
	twice|type [0-9]*, function '.*': 2 relocations in .rela.BTF instead of 1
	not zero|.rela.BTF entry 0, .* the address in .BTF is not 0
	none|type [0-9]*, function '.*': 0 relocations in .rela.BTF instead of 1
	half an entry|.rela.BTF does not hold relocations of .BTF
	link|.rela.BTF does not hold relocations of .BTF
	info|.rela.BTF does not hold relocations of .BTF
	not rela|.rela.BTF does not hold relocations of .BTF
	END
}

# bad_header WHAT PATTERN - a section header that would make a huge file, or none
bad_header()
{
	local rc=0

	python3 "$HERE/module.py" damage "$WORK/gcc-5.mod" "$WORK/header.ko" "$1"
	rm -f "$WORK/never"*
	(ulimit -f 100000; addr "$WORK/gcc-5.elf" "$WORK/header.ko" -o "$WORK/never") >"$WORK/refused" 2>&1 || rc=$?
	cat "$WORK/refused"
	[ $rc = 1 ]
	[ "$(wc -l <"$WORK/refused")" = 1 ]
	grep -q "header.ko: $2" "$WORK/refused"
	[ -z "$(ls "$WORK/never"* 2>/dev/null)" ]
}

# odd_header WHAT - an unusual one, from which an ordinary module comes
odd_header()
{
	python3 "$HERE/module.py" damage "$WORK/gcc-5.mod" "$WORK/header.ko" "$1"
	(ulimit -f 100000; addr "$WORK/gcc-5.elf" "$WORK/header.ko" -o "$WORK/header.ko")
	[ "$(stat -c %s "$WORK/header.ko")" -le "$(stat -c %s "$WORK/gcc-5.mod.ko")" ]
	addr "$WORK/gcc-5.elf" --check "$WORK/header.ko"
	[ -z "${2:-}" ] || cmp "$WORK/header.ko" "$2"
}

headers()
{
	local what pattern

	while IFS='|' read -r what pattern; do
		check "bad module: section header: $what" bad_header "$what" "$pattern"
	done <<-'END'
	alignment|section [0-9]*, '.comment': its alignment is larger than the file
	odd alignment|section [0-9]*, '.comment': its alignment is not a power of two
	on the header|section [0-9]*, '.comment': it overlaps the ELF header
	on another|section [0-9]*, '.[a-z.]*': it overlaps another section
	xindex nowhere|no .BTF section
	xindex of no names|no .BTF section
	END
	check "bad module: section header: inactive" odd_header inactive
	check "bad module: section header: xindex" odd_header xindex "$WORK/gcc-5.mod.ko"
}

# more_sections NR OUT - make an object with that many sections of code
more_sections()
{
	local i

	for ((i = 0; i < $1; i++)); do
		echo ".section .text.f$i,\"ax\""
		echo ".byte 0xc3"
	done | gcc -c -x assembler - -o "$2"
}

# base_of_structs NR OUT - make raw BTF with that many structs
base_of_structs()
{
	local i

	for ((i = 0; i < $1; i++)); do
		echo "struct s_$i { int member_$i; } v_$i;"
	done | gcc -g -c -x c - -o "$2.o"
	pahole -J "$2.o"
	section .BTF "$2.o" >"$2"
}

# The base is of another kernel: some names begin in the middle of its strings, or
# after their end.
other_bases()
{
	local elf=$WORK/gcc-5.elf

	base_of_structs 1 "$WORK/small.btf"
	base_of_structs 2000 "$WORK/big.btf"
	objcopy --remove-section .BTF "$elf" "$WORK/nobtf"
	refused "bad module: base too small" "what pahole had as --btf_base" \
		--btf_base "$WORK/small.btf" "$WORK/gcc-5.mod"
	refused "bad module: base before btfaddr" "what pahole had as --btf_base" \
		--btf_base "$elf" "$WORK/gcc-5.mod"
	refused "bad module: base too big" "what pahole had as --btf_base" \
		--btf_base "$WORK/big.btf" "$WORK/gcc-5.mod"
	refused "bad module: base is none" "none: cannot open" \
		--btf_base "$WORK/none" "$WORK/gcc-5.mod"
	refused "bad module: base without BTF" "no .BTF section" \
		--btf_base "$WORK/nobtf" "$WORK/gcc-5.mod"
	refused "bad module: base is a module" "a relocatable file: give the vmlinux" \
		--btf_base "$WORK/gcc-5.mod" "$WORK/gcc-5.mod"
	fails "bad module: no base" "gcc-5.mod: .*give it with --btf_base" 1 \
		"$BTFADDR" "$WORK/gcc-5.mod" -o "$WORK/never"
	fails "bad module: base for a vmlinux" "gcc-5.elf: not a module" 1 \
		"$BTFADDR" --btf_base "$elf" "$elf" -o "$WORK/never"
}

# The base that pahole's distilled_base makes is too small to find types in. In any distilled base,
# two structs of one name and size can't be told apart.
undistillable()
{
	addr "$WORK/gcc-5.elf" --distill "$WORK/gcc-5.mod.distil" -o "$WORK/distilled.ko"
	"$BTFADDR" --legacy "$WORK/distilled.ko" -o "$WORK/pahole.ko"
	refused "bad module: distilled by pahole" "pahole.ko: has .BTF.base" "$WORK/pahole.ko"
	refused "bad module: ambiguous in distilled base" \
		"gcc-5.mod: cannot distill its base: .*'holder'.* multiple candidates" \
		--distill "$WORK/gcc-5.mod"
}

bad_module_files()
{
	local mod=$WORK/gcc-5.mod ko=$WORK/gcc-5.mod.ko size

	size=$(stat -c %s "$mod")
	head -c $((size / 2)) "$mod" >"$WORK/half.ko"
	objcopy --remove-section .BTF "$mod" "$WORK/nobtf.ko"
	strip --strip-debug -o "$WORK/nodwarf.ko" "$mod"
	strip -o "$WORK/stripped.ko" "$mod"
	(cat "$mod"; printf '~Module signature appended~\n') >"$WORK/signed.ko"
	objcopy --remove-section .rela.BTF "$ko" "$WORK/norela.ko" 2>/dev/null
	cp "$mod" "$WORK/whole.ko"
	pahole -J "$WORK/whole.ko"
	more_sections 66000 "$WORK/sections.o"
	ld -r "$mod" "$WORK/sections.o" -o "$WORK/sections.ko"
	refused "bad module: truncated" "half.ko: .*truncated" "$WORK/half.ko"
	refused "bad module: no .BTF" "nobtf.ko: no .BTF section: run pahole -J --btf_base" \
		"$WORK/nobtf.ko"
	refused "bad module: no DWARF" "nodwarf.ko: no DWARF" "$WORK/nodwarf.ko"
	refused "bad module: no symbols" "stripped.ko: no symbol table" "$WORK/stripped.ko"
	refused "bad module: signed" "signed.ko: the module is signed" "$WORK/signed.ko"
	refused "bad module: BTF is not split" "whole.ko: .BTF is not split BTF" "$WORK/whole.ko"
	refused "bad module: 66000 sections" "sections.ko: [0-9]* sections: more than" \
		"$WORK/sections.ko"
	refused "bad module: --btf of its base" "gcc-5.elf.btf: .BTF is not split BTF" \
		--btf "$WORK/gcc-5.elf.btf" "$mod"
	fails "bad module: folder is missing" "nowhere/x: cannot write" 1 \
		addr "$WORK/gcc-5.elf" "$mod" -o "$WORK/nowhere/x"
	fails "bad module: --check without addresses" "no function in .BTF has an address" 1 \
		addr "$WORK/gcc-5.elf" --check "$mod"
	check "bad module: addresses without .rela.BTF" no_rela
	undistillable
}

no_rela()
{
	refute addr "$WORK/gcc-5.elf" --check "$WORK/norela.ko"
}

# A module with nothing but data and init functions: to have nothing to annotate is no mistake.
no_functions()
{
	local ko=$WORK/data.ko

	gcc -O2 -g -c -x c - -o "$ko" <<<'int data; __attribute__((section(".init.text"))) int start(void) { return data; }'
	pahole -J --btf_base "$WORK/gcc-5.elf.btf.legacy" "$ko"
	addr "$WORK/gcc-5.elf" "$ko" -o "$ko"
	addr "$WORK/gcc-5.elf" --check "$ko"
	refute has_section "$ko" .rela.BTF
}

# survives_module IN - btfaddr does not crash, and what it writes is right, or has no addresses
survives_module()
{
	local base=$WORK/gcc-5.elf.done rc=0 option

	rm -f "$WORK/mutant.out"
	timeout 20 "$BTFADDR" --btf_base "$base" "$1" -o "$WORK/mutant.out" >"$WORK/mutant.log" 2>&1 || rc=$?
	[ $rc -le 1 ] || return 1
	if [ $rc = 0 ]; then
		"$BTFADDR" --btf_base "$base" --check "$WORK/mutant.out" >"$WORK/mutant.log" 2>&1 ||
			{ grep -q 'no function in .BTF has an address' "$WORK/mutant.log" &&
			  refute has_section "$WORK/mutant.out" .rela.BTF; } || return 1
	elif [ -e "$WORK/mutant.out" ]; then
		return 1
	fi
	for option in --check --dump --distill\ -o"$WORK/mutant.out" --legacy\ -o"$WORK/mutant.out"; do
		rc=0
		timeout 20 "$BTFADDR" --btf_base "$base" "$1" $option >"$WORK/mutant.log" 2>&1 || rc=$?
		[ $rc -le 1 ] || return 1
	done
}

# mutate_module IN SECTION... - btfaddr survives modules with damaged bytes in these sections
mutate_module()
{
	local in=$1 section seed

	shift
	for section; do
		for seed in 1 2 3 4; do
			python3 "$HERE/mutate.py" "$in" "$WORK/mutant.ko" "$section" $seed
			if ! survives_module "$WORK/mutant.ko"; then
				cp "$WORK/mutant.ko" "$WORK/crash$section-$seed.ko"
				echo "$section $seed"
				cat "$WORK/mutant.log"
				return 1
			fi
		done
	done
}

# Cut a module off, in small steps through the header, then in large ones.
cut_off()
{
	local ko=$WORK/gcc-5.mod.ko size len

	size=$(stat -c %s "$ko")
	for ((len = 0; len < size; len += len < 128 ? 8 : size / 20)); do
		head -c $len "$ko" >"$WORK/cut.ko"
		survives_module "$WORK/cut.ko" || { echo "length $len"; cat "$WORK/mutant.log"; return 1; }
		refute addr "$WORK/gcc-5.elf" --check "$WORK/cut.ko" 2>/dev/null
	done
}

bad_modules()
{
	bad_module_files
	other_bases
	damages
	headers
	check "module: no functions" no_functions
	check "bad module: cut off anywhere" cut_off
	check "bad module: mutated sections" mutate_module "$WORK/gcc-5.mod" \
		.debug_info .debug_abbrev .rela.debug_info .rela.text .text .symtab .BTF headers
	check "bad module: mutated when annotated" mutate_module "$WORK/gcc-5.mod.ko" \
		.rela.BTF .BTF .symtab .shstrtab headers
}
