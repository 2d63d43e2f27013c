# SPDX-License-Identifier: GPL-2.0-only
# Modules: the same sources, and those in src/module, linked by ld -r. Their base is a kernel KERNEL
# that run.sh built, with btfaddr's BTF in KERNEL.btf and KERNEL.done; pahole gets KERNEL.btf.legacy.
# A module KO has pahole's BTF in it, and KO.btf is btfaddr's. Sourced by run.sh.

# link_module KO OBJECT... - link objects as a module is linked, and run pahole. KERNEL may be set.
link_module()
{
	"${CROSS}ld" -r "${@:2}" -o "$1"
	pahole -J --btf_base "${KERNEL:-$WORK/gcc-5.elf}.btf.legacy" "$1"
}

# build_module CC DWARF KERNEL OUT [FLAG...] - make a module of src/
build_module()
{
	compile "$1" "$2" "$4.o" "${@:5}"
	KERNEL=$3 link_module "$4" "$4.o"/*.o
}

# addr KERNEL OPTION... - btfaddr with that kernel as base
addr()
{
	"$BTFADDR" --btf_base "$1.done" "${@:2}"
}

# places BTF KO KERNEL - print where btfaddr says that functions are, in the form that elf_btf.py has
places()
{
	addr "$3" --btf "$1" "$2" --dump |
		sed -n 's/^\(\.[^\t]*\)\t[^(]*[ *](\?\**\([A-Za-z0-9_.]*\)(.*/\1 \2/p'
}

# addresses_are_right BTF KO KERNEL - elf_btf.py, which reads ELF and BTF by itself, finds the same
addresses_are_right()
{
	python3 "$HERE/elf_btf.py" "$1" "$3.btf.legacy" "$2" >"$WORK/places"
	[ -s "$WORK/places" ]
	places "$@" | diff "$WORK/places" -
}

# any_base KO KERNEL BTF - the base may be ordinary or extended, ELF or raw, stripped or not
any_base()
{
	local base

	strip -o "$WORK/base.stripped" "$2.done"
	objcopy --update-section .BTF="$2.btf.legacy" "$2" "$WORK/base.ordinary"
	for base in "$2.done" "$2.btf" "$2.btf.legacy" "$WORK/base.stripped" \
		    "$WORK/base.ordinary"; do
		"$BTFADDR" --btf_base "$base" "$1" -o "$WORK/based.btf"
		cmp "$WORK/based.btf" "$3"
	done
}

# only_read KO KERNEL BTF - the module stays as it is. It needs no BTF if there is some in a file,
# which may be OUTPUT.
only_read()
{
	local ko=$WORK/read.ko raw=$WORK/split.raw

	section .BTF "$1" >"$raw"
	"${CROSS}objcopy" --remove-section .BTF "$1" "$ko"
	cp "$ko" "$ko.before"
	addr "$2" --btf "$raw" "$ko" -o "$raw"
	cmp "$ko" "$ko.before"
	addresses_are_right "$raw" "$ko" "$2"
	addr "$2" --btf "$raw" --dump "$ko" | diff "$3.dump" -
	# the module's own .BTF doesn't matter
	section .BTF "$1" >"$raw"
	addr "$2" --btf "$raw" "$1" -o "$raw"
	cmp "$raw" "$3"
}

# own_copy KO KERNEL BTF - a type may be both in the module and in its base
own_copy()
{
	local out=$WORK/copy.btf

	section .BTF "$1" >"$WORK/split.raw"
	python3 "$HERE/mutate.py" copy "$WORK/split.raw" "$WORK/copied.raw" "$2.btf.legacy" pair
	refute cmp "$WORK/split.raw" "$WORK/copied.raw"
	addr "$2" --btf "$WORK/copied.raw" "$1" -o "$out"
	addresses_are_right "$out" "$1" "$2"
	places "$out" "$1" "$2" | sort >"$WORK/got"
	places "$3" "$1" "$2" | sort | diff - "$WORK/got"
}

# legacy KO KERNEL BTF - the input's types are there with their ids
legacy()
{
	addr "$2" --legacy "$1" -o "$3.legacy"
	addr "$2" --legacy --btf "$3" "$1" -o "$WORK/legacy.btf"
	cmp "$3.legacy" "$WORK/legacy.btf"
	section .BTF "$1" >"$WORK/split.raw"
	dump_raw "$2" "$WORK/split.raw" >"$WORK/before"
	dump_raw "$2" "$3.legacy" >"$WORK/after"
	[ -s "$WORK/before" ]
	cmp -n "$(stat -c %s "$WORK/before")" "$WORK/before" "$WORK/after"
}

# module_declared KERNEL LEGACY DUMP
module_declared()
{
	bpftool btf dump -B "$1.btf.legacy" file "$2" format raw >"$WORK/declared"
	declared "$WORK/declared" "$3" 10 "${SOURCES[@]}" "$HERE/src/header.h"
}

dump_raw()
{
	bpftool btf dump -B "$1.btf.legacy" file "$2" format raw | sed "$MAY_DIFFER"
}

without_ids() { cut -f1,3-; }

# section NAME FILE - print its contents
section()
{
	local tmp=$WORK/section.$BASHPID

	"${CROSS}objcopy" --dump-section "$1=$tmp" "$2" "$tmp.ko"
	cat "$tmp"
	rm "$tmp" "$tmp.ko"
}

has_section() { readelf -SW "$1" | grep -F " $2 " >/dev/null; }

# refute CMD... - CMD must fail; a plain "!" would go unnoticed
refute()
{
	if "$@"; then
		echo "unexpected success: $*"
		return 1
	fi
}

# not_in_btf KO KERNEL BTF - types that a module's BTF lacks are added to it, not to its base. As it
# has no FUNCs, another one of an address's two names is taken.
not_in_btf()
{
	local out=$WORK/lacking.btf

	gcc -g -c -x c /dev/null -o "$WORK/small.o" -include /dev/stdin <<<'struct unseen *p;'
	pahole -J --btf_base "$2.btf.legacy" "$WORK/small.o"
	section .BTF "$WORK/small.o" >"$WORK/small.raw"
	addr "$2" --btf "$WORK/small.raw" "$1" -o "$out"
	addresses_are_right "$out" "$1" "$2"
	addr "$2" --btf "$out" --dump "$1" | grep -v ' folded_' | without_ids | sort >"$WORK/got"
	grep -v -e '^-' -e ' folded_' "$3.dump" | without_ids | sort | diff - "$WORK/got"
}

# compressed KO KERNEL BTF - DWARF may be compressed
compressed()
{
	objcopy --compress-debug-sections "$1" "$WORK/compressed.ko"
	readelf -SW "$WORK/compressed.ko" | grep 'debug_info.* C ' >/dev/null
	addr "$2" "$WORK/compressed.ko" -o "$WORK/compressed.btf"
	cmp "$3" "$WORK/compressed.btf"
}

# no_init DUMP - init_only is not even in the module's BTF: its base has an equal FUNC
no_init()
{
	grep -qP '^-\t.* module_start\(' "$1"
	grep -qP '^-\t.* module_end\(' "$1"
	refute grep -w init_only "$1"
	[ "$(grep -cw also_init "$1")" = 1 ]
}

# idempotent KO KERNEL BTF - also on any number of threads
idempotent()
{
	addr "$2" --btf "$3" "$1" -o "$WORK/same.btf"
	cmp "$3" "$WORK/same.btf"
	addr "$2" -j 7 "$1" -o "$WORK/same.btf"
	cmp "$3" "$WORK/same.btf"
}

module_tests()
{
	local cc=$1 kind=$2 marks=$3 dwarf=$4 title="module $1 dwarf$4${5:+ $5}"
	local kernel=$WORK/$1-$4.elf ko=$WORK/$1-$4${5:+$5}.ko btf rc

	btf=$ko.btf
	shift 4
	check "$title: builds" build_module "$cc" "$dwarf" "$kernel" "$ko" "$@"
	[ $rc = 0 ] || return 0
	check "$title: is annotated" eval 'addr "$kernel" "$ko" -o "$btf" --left-out >"$btf.left"'
	[ $rc = 0 ] || return 0
	check "$title: can be read" eval 'addr "$kernel" --btf "$btf" --dump "$ko" >"$btf.dump"'
	[ $rc = 0 ] || return 0
	normalize <"$btf.dump" >"$btf.normal"
	expectations "$title" "$btf.normal" "$btf.left" "$kind" "$marks" skip_init
	check "$title: no address: init and exit" no_init "$btf.dump"
	check "$title: addresses are those of symbols" addresses_are_right "$btf" "$ko" "$kernel"
	check "$title: is only read" only_read "$ko" "$kernel" "$btf"
	check "$title: --check accepts it" addr "$kernel" --check --btf "$btf" "$ko"
	check "$title: idempotent" idempotent "$ko" "$kernel" "$btf"
	check "$title: --legacy keeps ids" legacy "$ko" "$kernel" "$btf"
	check "$title: what changed is tagged with its source" module_declared "$kernel" "$btf.legacy" "$btf.normal"
}

# Each function has a section of its own, and that is where it is.
own_sections()
{
	grep -q "^\.text\.same+0x.*kernel/one.c.* same(" "$1" &&
		grep -q "^\.text\.same+0x.*net/two.c.* same(" "$1" &&
		grep -q "^\.text\.only_here+0x0.* only_here(" "$1"
}

# of_section KO NAME - number of a section
of_section()
{
	readelf -SW "$1" | sed -n "s/^ *\[ *\([0-9]*\)\] $2 .*/\1/p"
}

# A module's code is in several sections. A function with two names has one FUNC.
several_sections()
{
	local kernel=$WORK/gcc-5.elf ko=$WORK/several.ko section

	"${CROSS}gcc" "${CFLAGS[@]}" -g -x c -c - -o "$ko.o" <<-'C'
		int sink;
		__attribute__((noinline)) int first(int n) { return sink += n; }
		__attribute__((noinline)) int named(int n) { return sink -= n; }
		int other_name(int n) __attribute__((alias("named")));
		__attribute__((section(".text.unlikely"))) int unlikely(int n) { return sink *= n; }
		__attribute__((section(".text.unlikely"))) int unlikely_2(int n) { return sink /= n; }
		__attribute__((section(".init.text"))) int init(int n) { return first(n) + named(n); }
	C
	link_module "$ko" "$ko.o"
	addr "$kernel" "$ko" -o "$ko.btf"
	addresses_are_right "$ko.btf" "$ko" "$kernel"
	sort -o "$WORK/places" "$WORK/places"
	nm "$ko" | while read -r value _ name; do
		section=.text
		case $name in
			unlikely*) section=.text.unlikely ;;
			first|named) ;;
			*) continue ;;
		esac
		printf '%s+0x%x %s\n' $section "0x$value" "$name"
	done | sort | diff - "$WORK/places"
	# these are bytes of the file: the section's number is behind the offset
	section=$(of_section "$ko" .text.unlikely)
	xxd -p "$ko.btf" | tr -d '\n' | grep "00000000$(printf %02x "$section")000000"
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

# A section's number may be too large for a symbol, and in a table of its own (SHN_XINDEX).
large_numbers()
{
	local kernel=$WORK/gcc-5.elf ko=$WORK/large.ko

	more_sections 66000 "$WORK/sections.o"
	gcc "${CFLAGS[@]}" -g -x c -c - -o "$WORK/late.o" <<-'C'
		int sink_late;
		__attribute__((section(".late"))) int late(int n) { return sink_late += n; }
	C
	pahole -J --btf_base "$kernel.btf.legacy" "$WORK/late.o"
	section .BTF "$WORK/late.o" >"$WORK/late.raw"
	ld -r "$WORK/sections.o" "$WORK/late.o" -o "$ko"
	[ "$(of_section "$ko" .late)" -gt 65535 ]
	addr "$kernel" --btf "$WORK/late.raw" "$ko" -o "$ko.btf"
	addr "$kernel" --check --btf "$ko.btf" "$ko"
	addresses_are_right "$ko.btf" "$ko" "$kernel"
	[ "$(cat "$WORK/places")" = ".late+0x0 late" ]
}

# ThinLTO: llvm makes one object out of bitcode, with references between its units.
lto_module()
{
	local out=$WORK/lto.ko dwarf=$1 proto kernel=$WORK/clang-19-$1.elf

	clang-19 -fuse-ld=lld -nostdlib -r "$WORK/lto-$dwarf".{a,b}.o -o "$out"
	pahole -J --btf_base "$kernel.btf.legacy" "$out"
	addr "$kernel" "$out" -o "$out.btf"
	addresses_are_right "$out.btf" "$out" "$kernel"
	addr "$kernel" --btf "$out.btf" --dump "$out" | sed 's/\.llvm\.[0-9]*/.llvm.HASH/g' >"$out.dump"
	for proto in "${LTO_PROTOS[@]}"; do
		has_line "$out.dump" '^\.text' - "$proto" || { cat "$out.dump"; return 1; }
	done
}

# unit_paths DIR_OF_SOURCE DIR_OF_COMPILER EXPECTED - a module of the kernel's tree is known by its
# one file from scripts/, wherever the module is
unit_paths()
{
	local top=$WORK/paths out=$WORK/paths/x.mod dir=$WORK/paths/$1

	rm -rf "$top"
	mkdir -p "$dir/sub" "$top/src/scripts" "$top/$2"
	cp "$HERE/src/header.h" "$top"
	printf 'int sink; static __attribute__((noinline)) int f(void) { return sink++; } int %s(void) { return f() + f(); }\n' one >"$dir/one.c"
	printf 'extern int sink; static __attribute__((noinline)) int f(void) { return sink--; } int %s(void) { return f() - f(); }\n' two >"$dir/sub/two.c"
	echo 'const char info[] __attribute__((used)) = "common";' >"$top/src/scripts/module-common.c"
	(cd "$top/$2" && gcc -O2 -g -c "$dir/one.c" "$dir/sub/two.c" "$top/src/scripts/module-common.c" &&
		ld -r one.o two.o module-common.o -o "$out")
	pahole -J --btf_base "$WORK/gcc-5.elf.btf.legacy" "$out"
	addr "$WORK/gcc-5.elf" "$out" --dump | cut -f3 | sort -u | tr '\n' ' ' >"$WORK/units"
	[ "$(cat "$WORK/units")" = "$3" ] || { cat "$WORK/units"; return 1; }
}

# modules_of CC KIND MARKS - what is tested for each architecture
modules_of()
{
	local SOURCES=("$HERE"/src/{kernel,net,module}/*.c) WHERE=module

	module_tests "$@" 5
	check "module $1: several sections" several_sections
}

modules()
{
	local elf=$WORK/gcc-5.elf ko=$WORK/gcc-5.ko btf=$WORK/gcc-5.ko.btf
	local SOURCES=("$HERE"/src/{kernel,net,module}/*.c) WHERE=module

	modules_of gcc gcc "$GCC"
	[ -z "${QUICK:-}" ] || return 0
	module_tests gcc gcc "$GCC" 4
	module_tests gcc gcc "$GCC" 5 -ffunction-sections
	check "module: own sections" own_sections "$WORK/gcc-5-ffunction-sections.ko.btf.dump"
	module_tests clang clang clang 5
	module_tests clang clang clang 4
	if command -v clang-19 >/dev/null; then
		module_tests clang-19 clang clang19 5
		module_tests clang-19 clang clang19 4
		check "module: thinlto dwarf4" lto_module 4
		check "module: thinlto dwarf5" lto_module 5
	fi
	check "module: large numbers of sections" large_numbers
	check "module: any form of base" any_base "$ko" "$elf" "$btf"
	check "module: own copy of a type" own_copy "$ko" "$elf" "$btf"
	check "module: compressed DWARF" compressed "$ko" "$elf" "$btf"
	check "module: types from DWARF" not_in_btf "$ko" "$elf" "$btf"
	check "module: in tree, with O=" unit_paths src/drivers/x obj "- drivers/x/one.c drivers/x/sub/two.c "
	check "module: in tree, object tree inside" unit_paths src/drivers/x src/obj "- drivers/x/one.c drivers/x/sub/two.c "
	check "module: in tree" unit_paths src/drivers/x src "- drivers/x/one.c drivers/x/sub/two.c "
	check "module: out of tree" unit_paths home/x obj "- one.c sub/two.c "
}
