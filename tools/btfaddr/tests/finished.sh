# SPDX-License-Identifier: GPL-2.0-only
# What the kernel's build makes of btfaddr's output: BTF without addresses, and .BTF_func.
# The tool that does so is the kernel tree's, $RESOLVE_BTFIDS. Sourced by run.sh.

# Since 7.3 resolve_btfids does more, and types have other ids afterwards.
renumbers()
{
	[[ $("$RESOLVE_BTFIDS" --help 2>&1) == *--patch_btfids* ]]
}

# dump_is IN... - "btfaddr --dump IN" prints what stdin has, apart from ids
dump_is()
{
	diff <(without_ids | sort) <("$BTFADDR" --dump "$@" | without_ids | sort)
}

# finish_vmlinux ELF BTF OUT
finish_vmlinux()
{
	ln -sf "$1" "$WORK/raw.elf"
	"$RESOLVE_BTFIDS" --func_addr --btf "$2" "$WORK/raw.elf"
	mv "$WORK/raw.elf.BTF" "$WORK/raw"
	mv "$WORK/raw.elf.BTF_func" "$WORK/raw_func"
	objcopy --update-section .BTF="$WORK/raw" --add-section .BTF_func="$WORK/raw_func" \
		"$1" "$3" 2>/dev/null
}

# A finished vmlinux says the same as the extended BTF that it was made of.
finished_vmlinux()
{
	local elf=$WORK/gcc-5.elf done=$WORK/finished.elf

	finish_vmlinux "$elf" "$elf.btf" "$done"
	"$BTFADDR" --check "$done"
	"$BTFADDR" "$done" -o "$WORK/again.btf"
	"$BTFADDR" --dump "$elf.btf" | dump_is "$WORK/again.btf"
	[ -s "$elf.left" ] && "$BTFADDR" --left-out "$done" | diff "$elf.left" -
	"$BTFADDR" --legacy "$done" -o "$WORK/again.legacy"
	renumbers || {
		cmp "$WORK/raw" "$WORK/again.legacy"
		diff <(bpftool btf dump file "$elf.btf.legacy") <(bpftool btf dump file "$WORK/raw")
	}
}

# refused_records SCRIPT PATTERN - change the records by a line of python: recs is a list of
# [addr, idx]
refused_records()
{
	python3 - "$WORK/raw_func" "$WORK/bad_func" "$1" <<-'PY'
		import struct, sys
		data = open(sys.argv[1], "rb").read()
		recs = [list(r) for r in struct.iter_unpack("<II", data)]
		exec(sys.argv[3])
		open(sys.argv[2], "wb").write(b"".join(struct.pack("<II", *r) for r in recs))
	PY
	objcopy --update-section .BTF_func="$WORK/bad_func" "$WORK/finished.elf" "$WORK/bad.elf"
	refuses "$2" "$BTFADDR" --check "$WORK/bad.elf"
}

finished_lies()
{
	refused_records 'recs[0], recs[1] = recs[1], recs[0]' "record 1 of .BTF_func: it is out of order"
	refused_records 'recs[1] = recs[0]' "record 1 of .BTF_func: its function has a record already"
	refused_records 'recs[2][1] = 0x7fffffff' "record 2 of .BTF_func: it is not of a type of this BTF"
	refused_records 'recs[2][1] = 0' "record 2 of .BTF_func: it is not of a function"
	refused_records 'recs[-1][0] += 1' "1 of [0-9]* addresses don't fit"
}

# finish_module KERNEL KO BTF OUT [OPTION...]
finish_module()
{
	local base=() out=$4

	cp "$2" "$out"
	rm -f "$out".BTF*
	"$RESOLVE_BTFIDS" --func_addr "${@:5}" -b "$1.btf.legacy" --btf "$3" "$out"
	[ ! -e "$out.BTF.base" ] || base=(--add-section .BTF.base="$out.BTF.base")
	objcopy --update-section .BTF="$out.BTF" "${base[@]}" "$out" 2>/dev/null
	has_section "$out" .BTF_func
	has_section "$out" .rela.BTF_func
}

gnu_strip() { strip "$1" -o "$3" "$2"; }
llvm_strip() { llvm-strip-19 "$1" -o "$3" "$2"; }

# read_after COMMAND... - COMMAND IN OUT makes a smaller module, which is read in the same way
read_after()
{
	local kernel=$WORK/gcc-5.elf small=$WORK/small.ko

	rm -f "$small"
	"$@" "$WORK/finished.ko" "$small"
	addr "$kernel" --check "$small"
	addr "$kernel" --dump "$WORK/finished.ko" | diff - <(addr "$kernel" --dump "$small")
}

module_strips()
{
	local how

	for how in --strip-debug --strip-unneeded; do
		check "finished: strip $how" read_after gnu_strip $how
		if command -v llvm-strip-19 >/dev/null; then
			check "finished: llvm-strip $how" read_after llvm_strip $how
		fi
	done
	check "finished: objcopy" read_after objcopy
}

# A finished module says the same as the extended BTF that it was made of, and btfaddr notices if its
# relocations are missing or of other functions.
finished_module()
{
	local kernel=$WORK/gcc-5.elf ko=$WORK/finished.ko

	finish_module "$kernel" "$WORK/gcc-5.ko" "$WORK/gcc-5.ko.btf" "$ko"
	addr "$kernel" --check "$ko"
	dump_is --btf_base "$kernel.done" "$ko" <"$WORK/gcc-5.ko.btf.dump"
	renumbers || addr "$kernel" --dump "$ko" | diff "$WORK/gcc-5.ko.btf.dump" -
}

# refused_module FILE PATTERN - --check says what is wrong with a finished module
refused_module()
{
	refuses "$2" addr "$WORK/gcc-5.elf" --check "$1"
}

# changed_relocation OFFSET HEX - overwrite bytes of the first relocation
changed_relocation()
{
	local ko=$WORK/relocation.ko off

	cp "$WORK/finished.ko" "$ko"
	off=$(readelf -SW "$ko" | sed -n 's/.* \.rela\.BTF_func *RELA *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')
	xxd -r -p <<<"$2" | dd of="$ko" bs=1 seek=$((0x$off + $1)) conv=notrunc status=none
}

finished_module_lies()
{
	local ko=$WORK/relocation.ko what="record 0 of .BTF_func: it has no 32-bit PC-relative relocation with addend 0"

	objcopy --remove-section .rela.BTF_func "$WORK/finished.ko" "$ko" 2>/dev/null
	refused_module "$ko" "no relocations for [0-9]* records of .BTF_func"
	changed_relocation 0 04
	refused_module "$ko" "$what"
	changed_relocation 8 01
	refused_module "$ko" "$what"
	changed_relocation 16 01
	refused_module "$ko" "$what"
	changed_relocation 12 ffffff7f
	refused_module "$ko" "$what"
	objcopy --redefine-sym unlikely_text=moved_away "$WORK/finished.ko" "$ko"
	refused_module "$ko" "function 'unlikely_text' at .text.unlikely+0x.*: no function symbol of this name"
}

# kbuild runs pahole on a module again if vmlinux is newer. Sections of the first run don't matter.
pahole_again()
{
	local kernel=$WORK/gcc-5.elf ko=$WORK/again.ko

	cp "$WORK/$1" "$ko"
	pahole -J --btf_base "$kernel.btf.legacy" "$ko"
	addr "$kernel" "$ko" -o "$ko.btf"
	cmp "$ko.btf" "$2"
}

# A module with a base of its own needs no other.
finished_distilled_module()
{
	local kernel=$WORK/gcc-5.elf in=$WORK/distil.ko ko=$WORK/distilled.ko

	link_module "$in" "$WORK"/gcc-5.ko.o/{module_a.c,module_b.c,net_three.c,kernel_opt.c}.o
	addr "$kernel" "$in" -o "$in.btf"
	finish_module "$kernel" "$in" "$in.btf" "$ko" --distill_base
	[ "$(section .BTF.base "$ko" | wc -c)" -lt 1000 ]
	"$BTFADDR" --check "$ko"
	addr "$kernel" --btf "$in.btf" --dump "$in" | dump_is "$ko"
	pahole_again distilled.ko "$in.btf"
}

finished()
{
	check "finished: vmlinux" finished_vmlinux
	check "finished: bad records" finished_lies
	check "finished: module" finished_module
	check "finished: bad module" finished_module_lies
	module_strips
	check "finished: pahole again, btfaddr again" pahole_again finished.ko "$WORK/gcc-5.ko.btf"
	check "finished: module with a base of its own" finished_distilled_module
}
