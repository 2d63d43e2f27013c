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
	if renumbers; then
		ln -sf "$1" "$WORK/raw.elf"
		"$RESOLVE_BTFIDS" --btf "$2" "$WORK/raw.elf"
		mv "$WORK/raw.elf.BTF" "$WORK/raw"
		mv "$WORK/raw.elf.BTF_func" "$WORK/raw_func"
	else
		cp "$2" "$WORK/raw"
		"$RESOLVE_BTFIDS" --finalize "$WORK/raw"
	fi
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
	"$BTFADDR" --legacy "$done" -o "$WORK/again.legacy"
	renumbers || {
		cmp "$WORK/raw" "$WORK/again.legacy"
		cmp "$elf.btf" "$WORK/again.btf"
		cmp "$elf.btf.legacy" "$WORK/again.legacy"
	}
}

# refused_records SCRIPT PATTERN - change the records by a line of python: recs is a list of
# [addr, idx]
refused_records()
{
	local rc=0

	python3 - "$WORK/raw_func" "$WORK/bad_func" "$1" <<-'PY'
		import struct, sys
		data = open(sys.argv[1], "rb").read()
		recs = [list(r) for r in struct.iter_unpack("<II", data)]
		exec(sys.argv[3])
		open(sys.argv[2], "wb").write(b"".join(struct.pack("<II", *r) for r in recs))
	PY
	objcopy --update-section .BTF_func="$WORK/bad_func" "$WORK/finished.elf" "$WORK/bad.elf"
	"$BTFADDR" --check "$WORK/bad.elf" >"$WORK/out" 2>&1 || rc=$?
	[ $rc = 1 ] && grep -q "$2" "$WORK/out" || { cat "$WORK/out"; return 1; }
}

finished_lies()
{
	refused_records 'recs[0], recs[1] = recs[1], recs[0]' "record 1 of .BTF_func: it is out of order"
	refused_records 'recs[1] = recs[0]' "record 1 of .BTF_func: its function has a record already"
	refused_records 'recs[2][1] = 0x7fffffff' "record 2 of .BTF_func: it is not of a type of this BTF"
	refused_records 'recs[2][1] = 0' "record 2 of .BTF_func: it is not of a function"
	refused_records 'recs[-1][0] += 1' "1 of [0-9]* addresses don't fit"
}

# A finished module can be read, pahole and btfaddr can run on it again, and btfaddr notices if
# its relocations are missing.
finished_module()
{
	local kernel=$WORK/gcc-5.elf ko=$WORK/finished.ko rc=0

	cp "$WORK/gcc-5.mod.ko" "$ko"
	"$RESOLVE_BTFIDS" -b "$kernel.btf.legacy" "$ko"
	rm -f "$ko".BTF*
	has_section "$ko" .BTF_func
	refute has_section "$ko" .rela.BTF
	addr "$kernel" --check "$ko"
	dump_is --btf_base "$kernel.done" "$ko" <"$WORK/gcc-5.mod.ko.dump"
	renumbers ||
		"$BTFADDR" --btf_base "$WORK/finished.elf" --dump "$ko" | diff "$WORK/gcc-5.mod.ko.dump" -
	again "$kernel" "$ko"
	refute has_section "$WORK/again.ko" .BTF_func
	records_fit "$WORK/again.ko" "$kernel"
	objcopy --remove-section .rela.BTF_func "$ko" "$WORK/norela.ko" 2>/dev/null
	addr "$kernel" --check "$WORK/norela.ko" >"$WORK/out" 2>&1 || rc=$?
	[ $rc = 1 ] && grep -q "no relocations for [0-9]* records of .BTF_func" "$WORK/out"
}

# The same for a module with a base of its own.
finished_distilled_module()
{
	local kernel=$WORK/gcc-5.elf ko=$WORK/finished.ko

	addr "$kernel" --distill "$WORK/gcc-5.mod.distil" -o "$ko"
	"$BTFADDR" --dump "$ko" >"$WORK/want"
	"$RESOLVE_BTFIDS" "$ko"
	"$BTFADDR" --check "$ko"
	dump_is "$ko" <"$WORK/want"
	again "$kernel" "$ko" --distill
}

finished()
{
	check "finished: vmlinux" finished_vmlinux
	check "finished: bad records" finished_lies
	check "finished: module" finished_module
	check "finished: module with a base of its own" finished_distilled_module
}
