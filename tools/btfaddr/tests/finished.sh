#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What the kernel's build makes of btfaddr's output: BTF without addresses, and .BTF_func.
# The tool that does so is the kernel tree's, $RESOLVE_BTFIDS.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# Since 7.3 resolve_btfids does more, and types have other ids afterwards.
renumbers() {
	[[ $("$RESOLVE_BTFIDS" --help 2>&1) == *--patch_btfids* ]]
}

# dump_is IN... - "btfaddr --dump IN" prints what stdin has, apart from ids
dump_is() {
	diff <(without_ids | sort) <("$BTFADDR" --dump "$@" | without_ids | sort)
}

# finish_vmlinux - Make $scratch/finished.elf, and its two sections raw and raw_func.
finish_vmlinux() {
	ln -s "$kernel" "$scratch/raw.elf"
	"$RESOLVE_BTFIDS" --func_addr --btf "$kernel.btf" "$scratch/raw.elf"
	mv "$scratch/raw.elf.BTF" "$scratch/raw"
	mv "$scratch/raw.elf.BTF_func" "$scratch/raw_func"
	objcopy --update-section .BTF="$scratch/raw" --add-section .BTF_func="$scratch/raw_func" \
		"$kernel" "$scratch/finished.elf" 2>/dev/null
}

# A finished vmlinux says the same as the extended BTF that it was made of.
test_vmlinux() {
	local finished=$scratch/finished.elf

	finish_vmlinux
	"$BTFADDR" --check "$finished"
	"$BTFADDR" "$finished" -o "$scratch/again.btf"
	"$BTFADDR" --dump "$kernel.btf" | dump_is "$scratch/again.btf"
	[[ -s $kernel.left ]]
	"$BTFADDR" --left-out "$finished" | diff "$kernel.left" -
	"$BTFADDR" --legacy "$finished" -o "$scratch/again.legacy"
	renumbers || {
		cmp "$scratch/raw" "$scratch/again.legacy"
		diff <(bpftool btf dump file "$kernel.btf.legacy") <(bpftool btf dump file "$scratch/raw")
	}
}

# bad SCRIPT TEXT - Change the records by a line of python: recs is a list of [addr, idx].
bad() {
	python3 - "$scratch/raw_func" "$scratch/bad_func" "$1" <<-'PY'
		import struct, sys
		data = open(sys.argv[1], "rb").read()
		recs = [list(r) for r in struct.iter_unpack("<II", data)]
		exec(sys.argv[3])
		open(sys.argv[2], "wb").write(b"".join(struct.pack("<II", *r) for r in recs))
	PY
	objcopy --update-section .BTF_func="$scratch/bad_func" "$scratch/finished.elf" "$scratch/bad.elf"
	expect 1 "$2" "$BTFADDR" --check "$scratch/bad.elf"
}

test_bad_records() {
	finish_vmlinux
	bad 'recs[0], recs[1] = recs[1], recs[0]' "record 1 of .BTF_func: it is out of order"
	bad 'recs[1] = recs[0]' "record 1 of .BTF_func: its function has a record already"
	bad 'recs[2][1] = 0x7fffffff' "record 2 of .BTF_func: it is not of a type of this BTF"
	bad 'recs[2][1] = 0' "record 2 of .BTF_func: it is not of a function"
	bad 'recs[-1][0] += 1' "addresses don't fit"
	want_match "[^0-9]1 of [0-9]+ addresses"
}

# finish_module KO BTF OUT [OPTION...]
finish_module() {
	local base=() out=$3

	cp "$1" "$out"
	"$RESOLVE_BTFIDS" --func_addr "${@:4}" -b "$kernel.btf.legacy" --btf "$2" "$out"
	[[ ! -e $out.BTF.base ]] || base=(--add-section .BTF.base="$out.BTF.base")
	objcopy --update-section .BTF="$out.BTF" "${base[@]}" "$out" 2>/dev/null
	has_section "$out" .BTF_func
	has_section "$out" .rela.BTF_func
}

# finish - Make $finished, a finished module.
finish() {
	finished=$scratch/finished.ko
	finish_module "$ko" "$ko.btf" "$finished"
}

gnu_strip() { strip "$1" -o "$3" "$2"; }
llvm_strip() { needs llvm-strip-19 llvm-19; llvm-strip-19 "$1" -o "$3" "$2"; }

# read_after COMMAND... - COMMAND IN OUT makes a smaller module, which is read in the same way.
read_after() {
	finish
	"$@" "$finished" "$scratch/small.ko"
	addr --check "$scratch/small.ko"
	addr --dump "$finished" | diff - <(addr --dump "$scratch/small.ko")
}

# A finished module says the same as the extended BTF that it was made of.
test_module() {
	finish
	addr --check "$finished"
	dump_is --btf_base "$kernel.done" "$finished" <"$ko.btf.dump"
	renumbers || addr --dump "$finished" | diff "$ko.btf.dump" -
}

# changed OFFSET HEX - Overwrite bytes of the first relocation.
changed() {
	local bad=$scratch/relocation.ko off

	cp "$finished" "$bad"
	off=$(readelf -SW "$bad" | sed -n 's/.* \.rela\.BTF_func *RELA *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')
	printf %b "$(sed 's/../\\x&/g' <<<"$2")" |
		dd of="$bad" bs=1 seek=$((0x$off + $1)) conv=notrunc status=none
	expect 1 "record 0 of .BTF_func: it has no 32-bit PC-relative relocation with addend 0" \
		addr --check "$bad"
}

# btfaddr notices if relocations are missing or of other functions.
test_bad_module() {
	local bad=$scratch/bad.ko

	finish
	objcopy --remove-section .rela.BTF_func "$finished" "$bad" 2>/dev/null
	expect 1 "no relocations for " addr --check "$bad"
	want_match "[0-9]+ records of .BTF_func"
	changed 0 04
	changed 8 01
	changed 16 01
	changed 12 ffffff7f
	objcopy --redefine-sym unlikely_text=moved_away "$finished" "$bad"
	expect 1 "function 'unlikely_text' at .text.unlikely+0x" addr --check "$bad"
	want_text ": no function symbol of this name"
}

# again KO BTF - kbuild runs pahole on a module again if vmlinux is newer. Sections of the first run
# don't matter.
again() {
	pahole -J --btf_base "$kernel.btf.legacy" "$1"
	addr "$1" -o "$scratch/again.btf"
	cmp "$scratch/again.btf" "$2"
}

test_pahole_again_and_btfaddr_again() {
	finish
	again "$finished" "$ko.btf"
}

# A module with a base of its own needs no other.
test_module_with_a_base_of_its_own() {
	local in=$scratch/distil.ko out=$scratch/distilled.ko

	link_module "$in" "$ko.o"/{module_a.c,module_b.c,net_three.c,kernel_opt.c}.o
	addr "$in" -o "$in.btf"
	finish_module "$in" "$in.btf" "$out" --distill_base
	[[ $(section .BTF.base "$out" | wc -c) -lt 1000 ]]
	"$BTFADDR" --check "$out"
	addr --btf "$in.btf" --dump "$in" | dump_is "$out"
	again "$out" "$in.btf"
}

run_tests "read_after "{{gnu,llvm}"_strip --strip-"{debug,unneeded},objcopy}
