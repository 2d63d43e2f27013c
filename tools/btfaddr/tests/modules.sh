#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Modules: the same sources, and those in src/module, linked by ld -r.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
. "$here/expectations.sh"
where=module

# module NAME TEST - A test of one of the modules. Its base is a kernel by the same compiler.
module() {
	local no_init=y

	take "$1"
	kernel=$(base_of "$1")
	"$2"
}

# places_of BTF KO - Print where btfaddr says that functions are, in the form that elf_btf.py has.
places_of() {
	addr --btf "$1" "$2" --dump | places
}

# addresses_are_right BTF KO - elf_btf.py, which reads ELF and BTF by itself, finds the same.
addresses_are_right() {
	python3 "$here/elf_btf.py" "$1" "$kernel.btf.legacy" "$2" >"$scratch/places"
	[[ -s $scratch/places ]]
	places_of "$1" "$2" | diff "$scratch/places" -
}

has_addresses_of_symbols() {
	addresses_are_right "$input.btf" "$input"
}

# The module stays as it is. It needs no BTF if there is some in a file, which may be OUTPUT.
is_only_read() {
	local read=$scratch/read.ko raw=$scratch/split.raw

	section .BTF "$input" >"$raw"
	"${CROSS}objcopy" --remove-section .BTF "$input" "$read"
	cp "$read" "$read.before"
	addr --btf "$raw" "$read" -o "$raw"
	cmp "$read" "$read.before"
	addresses_are_right "$raw" "$read"
	addr --btf "$raw" --dump "$read" | diff "$input.btf.dump" -
	# the module's own .BTF doesn't matter
	section .BTF "$input" >"$raw"
	addr --btf "$raw" "$input" -o "$raw"
	cmp "$raw" "$input.btf"
}

# init_only is not even in the module's BTF: its base has an equal FUNC
has_init_and_exit_without_address() {
	[[ $input != */lto-* ]] || return 0
	grep -P '^-\t.* module_start\(' "$input.btf.dump"
	grep -P '^-\t.* module_end\(' "$input.btf.dump"
	refute grep -w init_only "$input.btf.dump"
	[[ $(grep -cw also_init "$input.btf.dump") = 1 ]]
}

# Also on any number of threads, and of BTF that has addresses.
is_annotated_again() {
	addr --check --btf "$input.btf" "$input"
	addr "$input" -o "$scratch/btf" --left-out | cmp "$input.left"
	cmp "$input.btf" "$scratch/btf"
	addr --btf "$input.btf" "$input" -o "$scratch/btf"
	cmp "$input.btf" "$scratch/btf"
	addr -j 7 "$input" -o "$scratch/btf"
	cmp "$input.btf" "$scratch/btf"
}

# The base may be ordinary or extended, ELF or raw, stripped or not.
test_any_form_of_base() {
	local base

	strip -o "$scratch/stripped" "$kernel.done"
	objcopy --update-section .BTF="$kernel.btf.legacy" "$kernel" "$scratch/ordinary"
	for base in "$kernel.done" "$kernel.btf" "$kernel.btf.legacy" "$scratch"/{stripped,ordinary}; do
		"$BTFADDR" --btf_base "$base" "$ko" -o "$scratch/based.btf"
		cmp "$scratch/based.btf" "$ko.btf"
	done
}

# A type may be both in the module and in its base.
test_own_copy_of_a_type() {
	section .BTF "$ko" >"$scratch/split.raw"
	mutate copy "$scratch/split.raw" "$scratch/copied.raw" "$kernel.btf.legacy" pair
	refute cmp "$scratch/split.raw" "$scratch/copied.raw"
	addr --btf "$scratch/copied.raw" "$ko" -o "$scratch/copy.btf"
	addresses_are_right "$scratch/copy.btf" "$ko"
	places_of "$scratch/copy.btf" "$ko" | sort >"$scratch/got"
	places_of "$ko.btf" "$ko" | sort | diff - "$scratch/got"
}

# Types that a module's BTF lacks are added to it, not to its base. As it has no FUNCs, another one of
# an address's two names is taken.
test_types_from_dwarf() {
	btf_of "$scratch/small.raw" --btf_base "$kernel.btf.legacy" <<<'struct unseen *p;'
	addr --btf "$scratch/small.raw" "$ko" -o "$scratch/btf"
	addresses_are_right "$scratch/btf" "$ko"
	addr --btf "$scratch/btf" --dump "$ko" | grep -v ' folded_' | without_ids | sort >"$scratch/got"
	grep -v -e '^-' -e ' folded_' "$ko.btf.dump" | without_ids | sort | diff - "$scratch/got"
}

test_compressed_dwarf() {
	objcopy --compress-debug-sections "$ko" "$scratch/compressed.ko"
	readelf -SW "$scratch/compressed.ko" | grep 'debug_info.* C '
	addr "$scratch/compressed.ko" -o "$scratch/btf"
	cmp "$ko.btf" "$scratch/btf"
}

# Each function has a section of its own, and that is where it is.
test_own_sections() {
	local dump=$FIXTURES/gcc-5-ffunction-sections.ko.btf.dump

	grep "^\.text\.same+0x.*kernel/one.c.* same(" "$dump"
	grep "^\.text\.same+0x.*net/two.c.* same(" "$dump"
	grep "^\.text\.only_here+0x0.* only_here(" "$dump"
}

# of_section KO NAME - Print the number of a section.
of_section() {
	readelf -SW "$1" | sed -n "s/^ *\[ *\([0-9]*\)\] $2 .*/\1/p"
}

# A module's code is in several sections. A function with two names has one FUNC.
test_several_sections() {
	local several=$scratch/several.ko section

	object "$several.o" <<-'C'
		int sink;
		__attribute__((noinline)) int first(int n) { return sink += n; }
		__attribute__((noinline)) int named(int n) { return sink -= n; }
		int other_name(int n) __attribute__((alias("named")));
		__attribute__((section(".text.unlikely"))) int unlikely(int n) { return sink *= n; }
		__attribute__((section(".text.unlikely"))) int unlikely_2(int n) { return sink /= n; }
		__attribute__((section(".init.text"))) int init(int n) { return first(n) + named(n); }
	C
	link_module "$several" "$several.o"
	addr "$several" -o "$several.btf"
	addresses_are_right "$several.btf" "$several"
	sort -o "$scratch/places" "$scratch/places"
	nm "$several" | while read -r value _ name; do
		section=.text
		case $name in
		unlikely*) section=.text.unlikely ;;
		first | named) ;;
		*) continue ;;
		esac
		printf '%s+0x%x %s\n' $section "0x$value" "$name"
	done | sort | diff - "$scratch/places"
	# these are bytes of the file: the section's number is behind the offset
	section=$(of_section "$several" .text.unlikely)
	od -An -v -tx1 "$several.btf" | tr -d ' \n' | grep "00000000$(printf %02x "$section")000000" >/dev/null
}

# A section's number may be too large for a symbol, and in a table of its own (SHN_XINDEX).
test_large_numbers_of_sections() {
	local large=$scratch/large.ko i

	for ((i = 0; i < 66000; i++)); do
		echo ".section .text.f$i,\"ax\""
		echo ".byte 0xc3"
	done | gcc -c -x assembler - -o "$scratch/sections.o"
	object "$scratch/late.o" <<-'C'
		int sink_late;
		__attribute__((section(".late"))) int late(int n) { return sink_late += n; }
	C
	pahole -J --btf_base "$kernel.btf.legacy" "$scratch/late.o"
	section .BTF "$scratch/late.o" >"$scratch/late.raw"
	ld -r "$scratch/sections.o" "$scratch/late.o" -o "$large"
	[[ $(of_section "$large" .late) -gt 65535 ]]
	addr --btf "$scratch/late.raw" "$large" -o "$large.btf"
	addr --check --btf "$large.btf" "$large"
	addresses_are_right "$large.btf" "$large"
	[[ $(<"$scratch/places") = ".late+0x0 late" ]]
}

# unit_paths DIR_OF_SOURCE DIR_OF_COMPILER EXPECTED - A module of the kernel's tree is known by its
# one file from scripts/, wherever the module is.
unit_paths() {
	local dir=$scratch/$1 static='static __attribute__((noinline)) int f(void)'
	local common=$scratch/src/scripts/module-common.c

	mkdir -p "$dir/sub" "$scratch/src/scripts" "$scratch/$2"
	cp "$here/src/header.h" "$scratch"
	echo "int sink; $static { return sink++; } int one(void) { return f() + f(); }" >"$dir/one.c"
	echo "extern int sink; $static { return sink--; } int two(void) { return f() - f(); }" \
		>"$dir/sub/two.c"
	echo 'const char info[] __attribute__((used)) = "common";' >"$common"
	cd "$scratch/$2"
	gcc -O2 -g -c "$dir/one.c" "$dir/sub/two.c" "$common"
	link_module "$scratch/x.mod" one.o two.o module-common.o
	run eval 'addr "$scratch/x.mod" --dump | cut -f3 | sort -u | tr "\n" " "'
	[[ $out = "$3" ]] || fail "$out"
}

test_unit_in_tree() {
	local objects

	for objects in src src/obj obj; do
		(unit_paths src/drivers/x $objects "- drivers/x/one.c drivers/x/sub/two.c ")
		rm -r "$scratch/src"
	done
}

test_unit_out_of_tree() {
	unit_paths home/x obj "- one.c sub/two.c "
}

tests=()
for name in $MODULES; do
	for what in has_{its_signatures,tags_of_its_sources,addresses_of_symbols,init_and_exit_without_address} \
		is_only_read is_annotated_again keeps_its_ids; do
		tests+=("module $name $what")
	done
done
WITHOUT=${QUICK:+test_[^s]|large}
run_tests "on_arm64 test_several_sections" "${tests[@]}"
