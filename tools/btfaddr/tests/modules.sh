# SPDX-License-Identifier: GPL-2.0-only
# Modules: the same sources, and those in src/module, linked by ld -r. Their BTF is
# based on that of the kernel which run.sh built, as btfaddr wrote it: a kernel KERNEL
# has it in KERNEL.btf and KERNEL.done, and pahole gets KERNEL.btf.legacy.
# Sourced by run.sh.

# compile_module CC DWARF DIR [FLAG...] - compile the objects, with the paths of a module that is
# built out of tree
compile_module()
{
	local cc=$1 dwarf=$2 dir=$3 file

	shift 3
	rm -rf "$dir"
	mkdir -p "$dir"
	for file in kernel/one.c net/two.c net/three.c kernel/abi.c kernel/opt.c kernel/regs.c kernel/memory.c kernel/source.c \
		    module/a.c module/b.c; do
		(cd "$dir" && "$cc" "${CFLAGS[@]}" -g -gdwarf-"$dwarf" "$@" \
			-c "$HERE/src/$file" -o "${file//\//_}.o")
	done
}

# build_module CC DWARF KERNEL OUT [FLAG...]
build_module()
{
	local kernel=$3 out=$4

	compile_module "$1" "$2" "$out.o" "${@:5}"
	ld -r "$out.o"/*.o -o "$out"
	pahole -J --btf_base "$kernel.btf.legacy" "$out"
}

# addr KERNEL OPTION... - btfaddr with that kernel as base
addr()
{
	"$BTFADDR" --btf_base "$1.done" "${@:2}"
}

# places KO KERNEL - print where btfaddr says that functions are, in the form that module.py has
places()
{
	addr "$2" "$1" --dump |
		sed -n 's/^\(\.[^\t]*\)\t[^(]*[ *](\?\**\([A-Za-z0-9_.]*\)(.*/\1 \2/p'
}

# records_fit KO KERNEL - module.py, which reads ELF and BTF by itself, finds the same places
records_fit()
{
	python3 "$HERE/module.py" records "$1" "$2.btf.legacy" >"$WORK/records"
	[ -s "$WORK/records" ]
	places "$1" "$2" | diff "$WORK/records" -
}

# survives_strip KO KERNEL COMMAND... - COMMAND makes a smaller module of its arguments
# IN and OUT
survives_strip()
{
	local ko=$1 kernel=$2 small=$WORK/small.ko

	shift 2
	rm -f "$small"
	"$@" "$ko" "$small"
	addr "$kernel" --check "$small"
	addr "$kernel" --dump "$small" | diff "$ko.dump" -
	# in the ordinary form, nothing but the addresses is gone
	addr "$kernel" --legacy "$small" -o "$WORK/legacy.ko"
	python3 "$HERE/module.py" same "$small" "$WORK/legacy.ko"
	has_section "$WORK/legacy.ko" .BTF
	refute has_section "$WORK/legacy.ko" .rela.BTF
}

gnu_strip() { strip "$1" -o "$3" "$2"; }
llvm_strip() { llvm-strip-19 "$1" -o "$3" "$2"; }

# in_place IN KERNEL OUT - the module itself may be the output, and keeps its mode
in_place()
{
	cp "$1" "$WORK/place.ko"
	chmod 640 "$WORK/place.ko"
	addr "$2" "$WORK/place.ko" -o "$WORK/place.ko"
	cmp "$WORK/place.ko" "$3"
	[ "$(stat -c %a "$WORK/place.ko")" = 640 ]
}

# any_base IN KERNEL OUT - the base may be ordinary or extended, ELF or raw, stripped or not
any_base()
{
	local base

	strip -o "$WORK/base.stripped" "$2.done"
	objcopy --update-section .BTF="$2.btf.legacy" "$2" "$WORK/base.ordinary"
	for base in "$2.done" "$2.btf" "$2.btf.legacy" "$WORK/base.stripped" \
		    "$WORK/base.ordinary"; do
		"$BTFADDR" --btf_base "$base" "$1" -o "$WORK/based.ko"
		cmp "$WORK/based.ko" "$3"
	done
}

# again KERNEL KO [OPTION] - kbuild runs pahole on a module again if vmlinux is newer
again()
{
	local kernel=$1 ko=$WORK/again.ko

	cp "$2" "$ko"
	pahole -J --btf_base "$kernel.btf.legacy" "$ko"
	addr "$kernel" "$ko" "${@:3}" -o "$ko"
	addr "$kernel" --check "$ko"
	addr "$kernel" --dump "$ko" | without_ids | sort >"$WORK/got"
	addr "$kernel" --dump "$2" | without_ids | sort | diff - "$WORK/got"
	readelf -SW "$ko" | grep BTF
}

# again_distilled IN KERNEL
again_distilled()
{
	addr "$2" --distill "$1" -o "$WORK/distilled.ko"
	again "$2" "$WORK/distilled.ko" --distill
	has_section "$WORK/again.ko" .BTF.base
	again_without "$2" "$WORK/distilled.ko"
}

# again_without KERNEL KO - the distilled base is gone if nobody asks for it
again_without()
{
	again "$1" "$2"
	refute has_section "$WORK/again.ko" .BTF.base
	records_fit "$WORK/again.ko" "$1"
}

# from_file IN KERNEL OUT - the same with BTF that pahole wrote to a file, whether or not there is
# some in the module
from_file()
{
	local ko=$WORK/fromfile.ko

	section .BTF "$1" >"$WORK/split.raw"
	objcopy --remove-section .BTF "$1" "$ko"
	addr "$2" --btf "$WORK/split.raw" "$ko" -o "$ko"
	records_fit "$ko" "$2"
	addr "$2" --dump "$ko" | diff "$3.dump" -
	section .BTF "$3" | cmp - <(section .BTF "$ko")
	addr "$2" --btf "$WORK/split.raw" "$ko" -o "$WORK/twice.ko"
	cmp "$ko" "$WORK/twice.ko"
}

# distilled_kernel KERNEL - it has no base
distilled_kernel()
{
	"$BTFADDR" --legacy --distill "$1" -o "$WORK/distilled.btf"
	cmp "$1.btf.legacy" "$WORK/distilled.btf"
}

# own_copy IN KERNEL OUT - a type may be both in the module and in its base
own_copy()
{
	local ko=$WORK/copy.ko

	section .BTF "$1" >"$WORK/split.raw"
	"$SPLIT" copy "$2.btf.legacy" pair "$WORK/split.raw" "$WORK/copied.raw"
	refute cmp "$WORK/split.raw" "$WORK/copied.raw"
	cp "$1" "$ko"
	objcopy --update-section .BTF="$WORK/copied.raw" "$ko"
	addr "$2" "$ko" -o "$ko"
	records_fit "$ko" "$2"
	places "$ko" "$2" | sort >"$WORK/got"
	places "$3" "$2" | sort | diff - "$WORK/got"
}

# legacy IN KERNEL OUT - the input's types are there with their ids
legacy()
{
	addr "$2" --legacy "$1" -o "$WORK/legacy.ko"
	addr "$2" --legacy "$3" -o "$WORK/legacy2.ko"
	cmp <(section .BTF "$WORK/legacy.ko") <(section .BTF "$WORK/legacy2.ko")
	python3 "$HERE/module.py" same "$1" "$WORK/legacy.ko"
	refute has_section "$WORK/legacy.ko" .rela.BTF
	dump_raw "$2" "$1" >"$WORK/before"
	dump_raw "$2" "$WORK/legacy.ko" >"$WORK/after"
	[ -s "$WORK/before" ]
	cmp -n "$(stat -c %s "$WORK/before")" "$WORK/before" "$WORK/after"
}

# module_declared KERNEL DUMP - legacy() must have been called before
module_declared()
{
	bpftool btf dump -B "$1.btf.legacy" file "$WORK/legacy.ko" format raw >"$WORK/declared"
	declared "$WORK/declared" "$2" 10 "${SOURCES[@]}" "$HERE/src/header.h"
}

dump_raw()
{
	bpftool btf dump -B "$1.btf.legacy" file "$2" format raw | sed "$MAY_DIFFER"
}

# distilled IN KERNEL - distill the base of a module in which all types can be found by name
distilled()
{
	local in=$1.distil ko=$WORK/distilled.ko whole=$WORK/whole.ko

	ld -r "$1.o"/{module_a.c,module_b.c,net_three.c,kernel_opt.c}.o -o "$in"
	pahole -J --btf_base "$2.btf.legacy" "$in"
	addr "$2" "$in" -o "$whole"
	addr "$2" "$whole" --dump | without_ids >"$WORK/expected"
	addr "$2" --distill "$in" -o "$ko"
	"$BTFADDR" --check "$ko"
	"$BTFADDR" --dump "$ko" | without_ids | diff "$WORK/expected" -
	[ "$(section .BTF.base "$ko" | wc -c)" -lt 1000 ]
	addr "$2" --distill "$whole" -o "$WORK/distilled2.ko"
	cmp "$ko" "$WORK/distilled2.ko"
	addr "$2" --distill "$ko" -o "$WORK/distilled2.ko"
	cmp "$ko" "$WORK/distilled2.ko"
	other_kernel "$2" "$ko"
}

# other_kernel KERNEL DISTILLED - on a kernel with other type ids, the types are the same
other_kernel()
{
	local other=$WORK/other.kernel

	ld -static -Ttext=$TEXT --defsym=_text=$TEXT $(ls -r "$1.o"/*.o) -o "$other"
	pahole -J "$other"
	refute cmp <(section .BTF "$1") <(section .BTF "$other")
	"$BTFADDR" --legacy "$2" -o "$WORK/ordinary.ko"
	section .BTF "$WORK/ordinary.ko" >"$WORK/split.raw"
	section .BTF.base "$WORK/ordinary.ko" >"$WORK/base.raw"
	section .BTF "$other" >"$WORK/other.raw"
	"$SPLIT" relocate "$WORK/other.raw" "$WORK/base.raw" "$WORK/split.raw" "$WORK/moved.raw"
	objcopy --update-section .BTF="$WORK/moved.raw" --remove-section .BTF.base \
		"$WORK/ordinary.ko" "$WORK/moved.ko"
	"$BTFADDR" --btf_base "$other" "$WORK/moved.ko" --dump | without_ids |
		diff "$WORK/expected" -
}

without_ids() { cut -f1,3-; }

# section NAME FILE - print its contents
section()
{
	local tmp=$WORK/section.$BASHPID

	objcopy --dump-section "$1=$tmp" "$2" "$tmp.ko"
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

# not_in_btf IN KERNEL - types that a module's BTF lacks are added to it, not to its base
not_in_btf()
{
	local ko=$WORK/lacking.ko

	gcc -g -c -x c /dev/null -o "$WORK/small.o" -include /dev/stdin <<<'struct unseen *p;'
	pahole -J --btf_base "$2.btf.legacy" "$WORK/small.o"
	section .BTF "$WORK/small.o" >"$WORK/small.raw"
	cp "$1" "$ko"
	objcopy --update-section .BTF="$WORK/small.raw" "$ko"
	addr "$2" "$ko" -o "$ko"
	records_fit "$ko" "$2"
	addr "$2" --dump "$ko" | without_ids | sort >"$WORK/got"
	grep -v '^-' "$1.ko.dump" | without_ids | sort | diff - "$WORK/got"
}

# compressed IN KERNEL OUT - DWARF may be compressed
compressed()
{
	objcopy --compress-debug-sections "$1" "$WORK/compressed.ko"
	readelf -SW "$WORK/compressed.ko" | grep 'debug_info.* C ' >/dev/null
	addr "$2" "$WORK/compressed.ko" -o "$WORK/compressed.ko"
	addr "$2" --dump "$WORK/compressed.ko" | diff "$3.dump" -
	section .BTF "$3" | cmp - <(section .BTF "$WORK/compressed.ko")
}

# no_init DUMP - init_only is not even in the module's BTF: its base has an equal FUNC
no_init()
{
	grep -qP '^-\t.* module_start\(' "$1"
	grep -qP '^-\t.* module_end\(' "$1"
	refute grep -w init_only "$1"
	[ "$(grep -cw also_init "$1")" = 1 ]
}

# idempotent KO KERNEL
idempotent()
{
	addr "$2" "$1" -o "$WORK/same.ko"
	cmp "$1" "$WORK/same.ko"
}

module_tests()
{
	local cc=$1 kind=$2 marks=$3 dwarf=$4 title="module $1 dwarf$4${5:+ $5}"
	local kernel=$WORK/$1-$4.elf in=$WORK/$1-$4${5:+$5}.mod ko rc

	ko=$in.ko
	shift 4
	try "$WORK/build.log" build_module "$cc" "$dwarf" "$kernel" "$in" "$@"
	if [ $rc != 0 ]; then
		report 1 "$title: builds" "$WORK/build.log"
		return
	fi
	if ! addr "$kernel" "$in" -o "$ko" --left-out >"$ko.left" 2>&1; then
		report 1 "$title: is annotated" "$ko.left"
		return
	fi
	if ! addr "$kernel" --dump "$ko" >"$ko.dump" 2>"$WORK/out"; then
		report 1 "$title: can be read" "$WORK/out"
		return
	fi
	normalize <"$ko.dump" >"$ko.normal"
	expectations "$title" "$ko.normal" "$ko.left" "$kind" "$marks" skip_init
	check "$title: no address: init and exit" no_init "$ko.dump"
	check "$title: records and relocations" records_fit "$ko" "$kernel"
	check "$title: nothing else changes" python3 "$HERE/module.py" same "$in" "$ko"
	check "$title: in place, again the same" in_place "$in" "$kernel" "$ko"
	check "$title: --btf" from_file "$in" "$kernel" "$ko"
	check "$title: --check accepts it" addr "$kernel" --check "$ko"
	check "$title: idempotent" idempotent "$ko" "$kernel"
	check "$title: --legacy keeps ids" legacy "$in" "$kernel" "$ko"
	check "$title: what changed is tagged with its source" module_declared "$kernel" "$ko.normal"
	check "$title: --distill" distilled "$in" "$kernel"
	module_strips "$title" "$ko" "$kernel"
}

module_strips()
{
	local title=$1 how

	shift
	for how in --strip-debug --strip-unneeded; do
		check "$title: strip $how" survives_strip "$@" gnu_strip $how
		if command -v llvm-strip-19 >/dev/null; then
			check "$title: llvm-strip $how" survives_strip "$@" llvm_strip $how
		fi
	done
	check "$title: objcopy" survives_strip "$@" objcopy
}

# Each function has a section of its own, and its record is against that one.
own_sections()
{
	grep -q "^\.text\.same+0x.*kernel/one.c.* same(" "$1" &&
		grep -q "^\.text\.same+0x.*net/two.c.* same(" "$1" &&
		grep -q "^\.text\.only_here+0x0.* only_here(" "$1"
}

# ThinLTO: llvm makes one object out of bitcode, with references between its units.
lto_module()
{
	local out=$WORK/lto.mod dwarf=$1 proto kernel=$WORK/clang-19-$1.elf

	clang-19 -fuse-ld=lld -nostdlib -r "$WORK/lto-$dwarf".{a,b}.o -o "$out"
	pahole -J --btf_base "$kernel.btf.legacy" "$out"
	addr "$kernel" "$out" -o "$out"
	records_fit "$out" "$kernel"
	addr "$kernel" --dump "$out" | sed 's/\.llvm\.[0-9]*/.llvm.HASH/g' >"$out.dump"
	for proto in "long promoted.llvm.HASH(struct pair *p, int n);" \
		     "long imported(struct pair *p, int n);" \
		     "long lto_user(struct pair *p, int n);"; do
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

modules()
{
	local elf=$WORK/gcc-5.elf in=$WORK/gcc-5.mod ko=$WORK/gcc-5.mod.ko
	local SOURCES=("$HERE"/src/{kernel,net,module}/*.c)

	module_tests gcc gcc "$GCC" 5
	[ -z "${QUICK:-}" ] || return 0
	module_tests gcc gcc "$GCC" 4
	module_tests gcc gcc "$GCC" 5 -ffunction-sections
	check "module: own sections" own_sections "$WORK/gcc-5-ffunction-sections.mod.ko.dump"
	module_tests clang clang clang 5
	module_tests clang clang clang 4
	if command -v clang-19 >/dev/null; then
		module_tests clang-19 clang clang19 5
		module_tests clang-19 clang clang19 4
		check "module: thinlto dwarf4" lto_module 4
		check "module: thinlto dwarf5" lto_module 5
	fi
	check "module: any form of base" any_base "$in" "$elf" "$ko"
	check "module: pahole again, btfaddr again" again_without "$elf" "$ko"
	check "module: pahole again after --distill" again_distilled "$in.distil" "$elf"
	check "module: --distill of a vmlinux" distilled_kernel "$elf"
	check "module: own copy of a type" own_copy "$in" "$elf" "$ko"
	check "module: compressed DWARF" compressed "$in" "$elf" "$ko"
	check "module: types from DWARF" not_in_btf "$in" "$elf"
	check "module: in tree, with O=" unit_paths src/drivers/x obj "- drivers/x/one.c drivers/x/sub/two.c "
	check "module: in tree, object tree inside" unit_paths src/drivers/x src/obj "- drivers/x/one.c drivers/x/sub/two.c "
	check "module: in tree" unit_paths src/drivers/x src "- drivers/x/one.c drivers/x/sub/two.c "
	check "module: out of tree" unit_paths home/x obj "- one.c sub/two.c "
}
