# SPDX-License-Identifier: GPL-2.0-only
# Bad modules: btfaddr says in one line what is wrong and writes nothing. Sourced by run.sh.

# refused NAME PATTERN OPTION... - btfaddr with a base and these options writes nothing
refused()
{
	local name=$1 pattern=$2

	shift 2
	fails "$name" "$pattern" 1 addr "$WORK/gcc-5.elf" "$@" -o "$WORK/never"
}

# names_lie WHAT PATTERN - --check says what is wrong with the first address, and nothing is written
names_lie()
{
	local ko=$WORK/gcc-5.ko

	python3 "$HERE/mutate.py" lie "$ko.btf" "$WORK/lie.btf" "$ko" "$1"
	refuses "lie.btf: type [0-9]*, function '.*' at $2" \
		addr "$WORK/gcc-5.elf" --check --btf "$WORK/lie.btf" "$ko"
	[ "$(wc -l <"$WORK/said")" -le 2 ]
	refute grep -v "^btfaddr: .*lie.btf: " "$WORK/said"
	rm -f "$WORK/never"
	refute addr "$WORK/gcc-5.elf" --btf "$WORK/lie.btf" "$ko" -o "$WORK/never"
	[ ! -e "$WORK/never" ]
}

# A symbol may be at the end of its section, where no function is.
at_end()
{
	local ko=$WORK/end.ko func offset

	names_lie "end of section" ".*"
	func=$(sed -n "s/.*function '\(.*\)' at .*/\1/p" "$WORK/said")
	offset=$(sed -n "s/.* at \([.a-z]*\)+\(0x[0-9a-f]*\): .*/\1:\2/p" "$WORK/said")
	objcopy --add-symbol "$func=$offset,function" "$WORK/gcc-5.ko" "$ko"
	[ "$(readelf -sW "$ko" | grep -c "FUNC .* $func$")" = 2 ]
	refute addr "$WORK/gcc-5.elf" --check --btf "$WORK/lie.btf" "$ko"
}

lies_of_modules()
{
	local what pattern

	while IFS='|' read -r what pattern; do
		check "bad module: address: $what" names_lie "$what" "$pattern"
	done <<-'END'
	offset|[.a-z]*text+0x[0-9a-f]*1: no function symbol of this name is there
	offset outside|[.a-z]*text+0xfffffff0: no function symbol of this name is there
	section|[ .a-z0-9]*+0x[0-9a-f]*: no function symbol of this name is there
	no section|section 0+0x[0-9a-f]*: no function symbol of this name is there
	section outside|section [0-9]*+0x[0-9a-f]*: no function symbol of this name is there
	section far outside|section 429496[0-9]*+0x[0-9a-f]*: no function symbol of this name is there
	end of section|[.a-z]*text+0x[0-9a-f]*: no function symbol of this name is there
	data|section [0-9]*+0x[0-9a-f]*: no function symbol of this name is there
	another function|.text+0x[0-9a-f]*: no function symbol of this name is there
	init|.init.text+0x[0-9a-f]*: no function symbol of this name is there
	END
}

# in_init KO - an encoder may not know that init text is not resident
in_init()
{
	objcopy --rename-section .text.unlikely=.init.text.unlikely "$1" "$WORK/init.ko"
	refuses "gcc-5.ko.btf: [12] of [0-9]* addresses don't fit the symbols of .*init.ko" \
		addr "$WORK/gcc-5.elf" --check --btf "$1.btf" "$WORK/init.ko"
	grep "function 'unlikely_text' at .init.text.unlikely+0x[0-9a-f]*: this is not in resident text" "$WORK/said"
}

# odd_header WHAT - a header that no compiler writes; btfaddr can still read what it needs
odd_header()
{
	python3 "$HERE/mutate.py" header "$WORK/gcc-5.ko" "$WORK/header.ko" "$1"
	addr "$WORK/gcc-5.elf" "$WORK/header.ko" -o "$WORK/header.btf"
	cmp "$WORK/header.btf" "$WORK/gcc-5.ko.btf"
}

all_bits()
{
	python3 "$HERE/mutate.py" lie "$WORK/gcc-5.ko.btf" "$WORK/lie.btf" "$WORK/gcc-5.ko" "all bits"
	refused "bad module: address: all bits" "lie.btf: .BTF is damaged at type [0-9]*" \
		--btf "$WORK/lie.btf" "$WORK/gcc-5.ko"
}

headers()
{
	local what

	for what in xindex inactive alignment "odd alignment" "on the header" "on another"; do
		check "bad module: section header: $what" odd_header "$what"
	done
	for what in "xindex nowhere" "xindex of no names"; do
		python3 "$HERE/mutate.py" header "$WORK/gcc-5.ko" "$WORK/header.ko" "$what"
		refused "bad module: section header: $what" "header.ko: no .BTF section" "$WORK/header.ko"
	done
	python3 "$HERE/mutate.py" header "$WORK/gcc-5.ko" "$WORK/header.ko" "code on headers"
	refused "bad module: section header: code on headers" \
		"header.ko: .text is damaged: it overlaps headers of the file" "$WORK/header.ko"
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

# The base is of another kernel: some names begin in the middle of its strings, or beyond these.
other_bases()
{
	local elf=$WORK/gcc-5.elf

	base_of_structs 1 "$WORK/small.btf"
	base_of_structs 2000 "$WORK/big.btf"
	objcopy --remove-section .BTF "$elf" "$WORK/nobtf"
	refused "bad module: base too small" "what pahole had as --btf_base" \
		--btf_base "$WORK/small.btf" "$WORK/gcc-5.ko"
	refused "bad module: base before btfaddr" "what pahole had as --btf_base" \
		--btf_base "$elf" "$WORK/gcc-5.ko"
	refused "bad module: base too big" "what pahole had as --btf_base" \
		--btf_base "$WORK/big.btf" "$WORK/gcc-5.ko"
	refused "bad module: base is none" "none: cannot open" \
		--btf_base "$WORK/none" "$WORK/gcc-5.ko"
	refused "bad module: base without BTF" "no .BTF section" \
		--btf_base "$WORK/nobtf" "$WORK/gcc-5.ko"
	refused "bad module: base is a module" "a relocatable file: give the vmlinux" \
		--btf_base "$WORK/gcc-5.ko" "$WORK/gcc-5.ko"
	fails "bad module: no base" "gcc-5.ko: .*give it with --btf_base" 1 \
		"$BTFADDR" "$WORK/gcc-5.ko" -o "$WORK/never"
	fails "bad module: base for a vmlinux" "gcc-5.elf: not a module" 1 \
		"$BTFADDR" --btf_base "$elf" "$elf" -o "$WORK/never"
}

# The base that pahole's distilled_base makes is too small to find types in.
distilled_by_pahole()
{
	objcopy --add-section .BTF.base="$WORK/small.btf" "$WORK/gcc-5.ko" "$WORK/pahole.ko"
	refused "bad module: distilled by pahole" "pahole.ko: has .BTF.base" "$WORK/pahole.ko"
}

# btfaddr 1.0 wrote addresses into the module.
with_addresses()
{
	objcopy --update-section .BTF="$WORK/gcc-5.ko.btf" "$WORK/gcc-5.ko" "$WORK/addresses.ko"
	refused "bad module: addresses in it" "addresses.ko: its .BTF has addresses" "$WORK/addresses.ko"
	fails "bad module: --check with addresses in it" "addresses.ko: its .BTF has addresses" 1 \
		addr "$WORK/gcc-5.elf" --check "$WORK/addresses.ko"
}

# is_input FILE OPTION... - FILE can't be OUTPUT, too: its BTF would replace all of it
is_input()
{
	cp "$1" "$WORK/itself"
	refuses "itself: is INPUT" "$BTFADDR" "${@:2}" "$WORK/itself" -o "$WORK/itself"
	cmp "$1" "$WORK/itself"
}

bad_module_files()
{
	local ko=$WORK/gcc-5.ko elf=$WORK/gcc-5.elf size

	size=$(stat -c %s "$ko")
	head -c $((size / 2)) "$ko" >"$WORK/half.ko"
	objcopy --remove-section .BTF "$ko" "$WORK/nobtf.ko"
	strip --strip-debug -o "$WORK/nodwarf.ko" "$ko"
	strip -o "$WORK/stripped.ko" "$ko"
	cp "$ko" "$WORK/whole.ko"
	pahole -J "$WORK/whole.ko"
	refused "bad module: truncated" "half.ko: .*truncated" "$WORK/half.ko"
	refused "bad module: no .BTF" "nobtf.ko: no .BTF section: run pahole -J --btf_base" \
		"$WORK/nobtf.ko"
	refused "bad module: no DWARF" "nodwarf.ko: no DWARF" "$WORK/nodwarf.ko"
	refused "bad module: no symbols" "stripped.ko: no symbol table" "$WORK/stripped.ko"
	refused "bad module: BTF is not split" "whole.ko: .BTF is not split BTF" "$WORK/whole.ko"
	refused "bad module: --btf of its base" "gcc-5.elf.btf: .BTF is not split BTF" \
		--btf "$elf.btf" "$ko"
	refused "bad module: raw BTF alone" "gcc-5.ko.btf: .BTF is damaged, or that of a module" "$ko.btf"
	fails "bad module: folder is missing" "nowhere/x: cannot write" 1 \
		addr "$elf" "$ko" -o "$WORK/nowhere/x"
	fails "bad module: --check without addresses" "no function in .BTF has an address" 1 \
		addr "$elf" --check "$ko"
	check "bad module: OUTPUT is the module" is_input "$ko" --btf_base "$elf.done"
	check "OUTPUT is the vmlinux" is_input "$elf"
	check "bad module: address in init text" in_init "$ko"
	with_addresses
}

# A module with nothing but data and init functions: to have nothing to annotate is no mistake.
no_functions()
{
	local ko=$WORK/data.ko

	gcc -O2 -g -c -x c - -o "$ko.o" <<<'int data; __attribute__((section(".init.text"))) int start(void) { return data; }'
	link_module "$ko" "$ko.o"
	addr "$WORK/gcc-5.elf" "$ko" -o "$ko.btf"
	addr "$WORK/gcc-5.elf" --check --btf "$ko.btf" "$ko"
	section .BTF "$ko" | cmp - "$ko.btf"
	# a base that was distilled before pahole ran again isn't used
	objcopy --add-section .BTF.base="$WORK/small.btf" "$ko" "$WORK/based.ko"
	addr "$WORK/gcc-5.elf" "$WORK/based.ko" -o "$ko.btf"
	section .BTF "$ko" | cmp - "$ko.btf"
}

# Cut a module off, in small steps through the header, then in large ones.
cut_off()
{
	local ko=$WORK/gcc-5.ko size len

	size=$(stat -c %s "$ko")
	for ((len = 0; len < size; len += len < 128 ? 8 : size / 20)); do
		head -c $len "$ko" >"$WORK/cut.ko"
		refuses . addr "$WORK/gcc-5.elf" --check "$WORK/cut.ko"
		refuses . addr "$WORK/gcc-5.elf" "$WORK/cut.ko" -o "$WORK/never"
	done
}

bad_modules()
{
	bad_module_files
	other_bases
	distilled_by_pahole
	lies_of_modules
	all_bits
	check "bad module: address: symbol at the end of a section" at_end
	headers
	check "module: no functions" no_functions
	check "bad module: cut off anywhere" cut_off
}
