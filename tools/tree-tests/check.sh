#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of libbpf, bpftool and resolve_btfids, as the kernel tree's Makefiles build them. TAP.
#
# Environment: OBJ (where run_prog_tests and add_funcs are), BPFTOOL, RESOLVE_BTFIDS
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
. "$here/../harness/taplib.sh"
: "${OBJ:?}" "${BPFTOOL:?}" "${RESOLVE_BTFIDS:?}"

# btf_funcs ARGS... - make BTF with functions (see add_funcs.c); places[id] is then where in
# the file the address of that function is.
btf_funcs() {
	local id place

	"$OBJ/add_funcs" "$@" >"$scratch/places" || fail "add_funcs $*: $?"
	places=()
	while read -r id place; do
		places[id]=$place
	done <"$scratch/places"
}

# -- libbpf: the tree's own tests --

# prog_test NAME - run it; shows all but what went well.
prog_test() {
	run "$OBJ/run_prog_tests" "$1"
	out=$(grep -v ':PASS:' <<<"$out")
	want_status 0
	[[ ${out##*$'\n'} == "0 failed" ]] || fail "ended early: $out"
}

test_libbpf_functions_with_an_address() {
	prog_test btf_func_addr
}

test_libbpf_add_types() {
	prog_test btf_write
}

test_libbpf_split_btf() {
	prog_test btf_split
}

test_libbpf_dedup_of_split_btf() {
	prog_test btf_dedup_split
}

test_libbpf_distilled_base() {
	prog_test btf_distill
}

test_libbpf_fields_of_types() {
	prog_test btf_field_iter
}

# -- bpftool --

# want_dump FILE [OPTION]... - bpftool's raw dump, but for its tabs, must be what stdin has.
want_dump() {
	local file=$1

	shift
	diff - <("$BPFTOOL" "$@" btf dump file "$file" 2>&1 | sed 's/^\t*//')
}

test_bpftool_dump_shows_addresses() {
	btf_funcs - "$scratch/btf" peek@0x47ab80 poke peek@0 peek@0xffffffffc0123456
	want_dump "$scratch/btf" <<-'EOF'
		[1] FUNC_PROTO '(anon)' ret_type_id=0 vlen=0
		[2] FUNC 'peek' type_id=1 linkage=static addr=0x47ab80
		[3] FUNC 'poke' type_id=1 linkage=static
		[4] FUNC 'peek' type_id=1 linkage=static addr=0x0
		[5] FUNC 'peek' type_id=1 linkage=static addr=0xffffffffc0123456
	EOF
}

test_bpftool_json_dump_has_addresses() {
	btf_funcs - "$scratch/btf" peek@0x47ab80 poke
	"$BPFTOOL" -j btf dump file "$scratch/btf" >"$scratch/json"
	python3 - "$scratch/json" <<-'EOF'
		import json, sys
		peek, poke = json.load(open(sys.argv[1]))["types"][1:]
		assert peek["name"] == "peek" and peek["addr"] == 0x47ab80, peek
		assert poke["name"] == "poke" and "addr" not in poke, poke
	EOF
}

test_bpftool_dump_of_split_btf() {
	btf_funcs - "$scratch/base" peek@0x10
	btf_funcs -b "$scratch/base" - "$scratch/btf" peek@0x20
	want_dump "$scratch/btf" -B "$scratch/base" <<-'EOF'
		[3] FUNC_PROTO '(anon)' ret_type_id=0 vlen=0
		[4] FUNC 'peek' type_id=3 linkage=static addr=0x20
	EOF
}

# types - BTF of two C files, one on top of the other: base, base.ext, mod, mod.ext, those
# with ".ext" with addresses. And prog.o, a program that is relocated against both.
types() {
	cd "$scratch"
	cat >base.c <<-'EOF'
		struct base { long unused; int a; int b; };
		int sum(struct base *base) { return base->a + base->b; }
	EOF
	cat >mod.c <<-'EOF'
		struct base { long unused; int a; int b; };
		struct mod { struct base *base; long unused; int c; };
		int diff(struct mod *mod) { return mod->base->a - mod->c; }
	EOF
	cat >prog.c <<-'EOF'
		struct base { int b; } __attribute__((preserve_access_index));
		struct mod { int c; struct base *base; } __attribute__((preserve_access_index));
		__attribute__((section("raw"))) int prog(void *ctx)
		{
			struct mod *mod = ctx;

			return mod->base->b + mod->c;
		}
	EOF
	gcc -g -c base.c mod.c
	clang -target bpf -O2 -g -c prog.c
	pahole -J base.o
	btf_funcs base.o base sum diff
	btf_funcs base.o base.ext sum@0x10 diff@0x20
	pahole -J --btf_base base mod.o
	btf_funcs -b base mod.o mod diff diff
	btf_funcs -b base.ext mod.o mod.ext diff@0x30 diff@0x40
}

# Functions are no C declarations.
test_bpftool_c_dump_is_the_same_with_addresses() {
	types
	"$BPFTOOL" btf dump file base format c >plain.h
	"$BPFTOOL" btf dump file base.ext format c >ext.h
	grep -q '^struct base {' plain.h
	cmp plain.h ext.h
	"$BPFTOOL" -B base btf dump file mod format c >plain.h
	"$BPFTOOL" -B base.ext btf dump file mod.ext format c >ext.h
	grep -q '^struct mod {' plain.h
	cmp plain.h ext.h
}

test_bpftool_min_core_btf() {
	types
	"$BPFTOOL" gen min_core_btf base plain prog.o
	"$BPFTOOL" gen min_core_btf base.ext ext prog.o
	cmp plain ext
	want_dump ext <<-'EOF'
		[1] STRUCT 'base' size=16 vlen=1
			'b' type_id=2 bits_offset=96
		[2] INT 'int' size=4 bits_offset=0 nr_bits=32 encoding=SIGNED
	EOF
}

# What the program reads of both, in one BTF that needs no base.
test_bpftool_min_core_btf_of_split_btf() {
	types
	"$BPFTOOL" -B base gen min_core_btf mod plain prog.o
	"$BPFTOOL" -B base.ext gen min_core_btf mod.ext ext prog.o
	cmp plain ext
	want_dump ext <<-'EOF'
		[1] STRUCT 'base' size=16 vlen=1
			'b' type_id=2 bits_offset=96
		[2] INT 'int' size=4 bits_offset=0 nr_bits=32 encoding=SIGNED
		[3] PTR '(anon)' type_id=1
		[4] STRUCT 'mod' size=24 vlen=2
			'base' type_id=3 bits_offset=0
			'c' type_id=2 bits_offset=128
	EOF
}

test_bpftool_min_core_btf_of_split_btf_needs_its_base() {
	types
	run "$BPFTOOL" gen min_core_btf mod.ext out prog.o
	[[ $status -ne 0 && ! -e out ]] || fail "status $status: $out"
	want_text "failed parsing 'mod.ext' BTF file"
	run "$BPFTOOL" -B nosuch gen min_core_btf mod.ext out prog.o
	[[ $status -ne 0 && ! -e out ]] || fail "status $status: $out"
	want_text "failed to parse base BTF at 'nosuch'"
}

# -- resolve_btfids --

readonly text=0x1000000

# unit NAME LINE... - write and compile $scratch/NAME.c. A line is "id FUNC", a BTF ID, or one
# of "static FUNC", "init FUNC" (static, in .init.text), "global FUNC" and "lto FUNC" (global, as
# ThinLTO leaves it). Such a function has the other name FUNC_in_NAME, too, so that the test
# can tell it from others; before_FUNC_in_NAME is a byte before.
unit() {
	local unit=$1 line word func nr=0 used="static __attribute__((used)) void"

	shift
	for line; do
		word=${line% *} func=${line#* } nr=$((nr + 1))
		case $word in
		static|lto) echo "$used $func(void) { asm(\"nop\"); }" ;;
		init) echo "$used __attribute__((section(\".init.text\"))) $func(void) { }" ;;
		global) echo "void $func(void) { asm(\"nop\"); }" ;;
		id) btf_id "__BTF_ID__func__${func}__$nr" ;;
		esac
		[[ $word != lto ]] || echo "asm(\".hidden $func\");"
		[[ $word == id ]] || {
			echo "asm(\".globl ${func}_in_$unit; .set ${func}_in_$unit, $func\");"
			echo "asm(\".globl before_${func}_in_$unit\");"
			echo "asm(\".set before_${func}_in_$unit, $func - 1\");"
		}
	done >"$scratch/$unit.c"
	gcc -O1 -ffreestanding -fno-pie -fcf-protection=none -fno-asynchronous-unwind-tables \
		-c "$scratch/$unit.c" -o "$scratch/$unit.o"
}

# btf_id SYMBOL [DATA] - C code of the kernel's BTF_ID(), and with DATA of BTF_ID_FLAGS().
btf_id() {
	cat <<-EOF
		asm(".pushsection .BTF_ids,\"a\"; .balign 4; .local $1; .type $1, @object; .size $1, 4;"
		    "$1: .zero 4; ${2:+.long $2;} .popsection");
	EOF
}

# vmlinux UNIT... - link the units as a kernel.
vmlinux() {
	(cd "$scratch" && ld -Ttext=$text --defsym=_text=$text -e 0 -o vmlinux "${@/%/.o}")
}

# at FUNC UNIT - "FUNC@<offset from _text>" of that function in $scratch/vmlinux.
at() {
	local addr

	addr=$(nm "$scratch/vmlinux" | awk -v name="$1_in_$2" '$3 == name { print "0x" $1 }')
	[[ -n $addr ]] || fail "no $1 in $2"
	echo "$1@$((addr - text))"
}

# with_btf FUNC[@ADDR]... - give $scratch/vmlinux BTF; the ids of functions start at 2.
with_btf() {
	btf_funcs - "$scratch/btf" "$@"
	objcopy --add-section .BTF="$scratch/btf" "$scratch/vmlinux"
}

# want_ids FILE ID... - what .BTF_ids holds.
want_ids() {
	local file=$scratch/$1 ids

	shift
	objcopy -O binary --only-section=.BTF_ids "$file" "$file.ids"
	ids=$(od -An -v -tu4 -w4 "$file.ids" | xargs)
	[[ $ids == "$*" ]] || fail "ids: $ids, want: $*; output: $out"
}

# resolve FILE [ARG]... - resolve_btfids must succeed.
resolve() {
	local file=$scratch/$1

	shift
	run "$RESOLVE_BTFIDS" "$@" "$file"
	want_status 0
}

test_resolve_static_function_of_the_own_unit() {
	unit a "static peek" "id peek"
	unit b "static peek" "id peek" "static poke"
	unit c "id poke"
	vmlinux a b c
	with_btf "$(at peek a)" "$(at peek b)" "$(at poke b)"
	resolve vmlinux
	want_ids vmlinux 2 3 4
	[[ -z $out ]] || fail "said: $out"
	# other ids
	vmlinux a b c
	with_btf "$(at poke b)" "$(at peek b)" "$(at peek a)"
	resolve vmlinux
	want_ids vmlinux 4 3 2
}

test_resolve_global_function_where_no_static_one_is() {
	local scope

	for scope in global lto; do
		unit a "static peek" "id peek"
		unit b "id peek"
		unit c "$scope peek" "id peek"
		vmlinux a b c
		with_btf "$(at peek a)" "$(at peek c)"
		resolve vmlinux
		want_ids vmlinux 2 3 3
		[[ -z $out ]] || fail "said: $out"
	done
}

test_resolve_fails_if_a_name_may_mean_several() {
	unit a "static peek" "id peek"
	unit b "static peek"
	unit c "id peek"
	vmlinux a b c
	with_btf "$(at peek a)" "$(at peek b)"
	cp "$scratch/vmlinux" "$scratch/before"
	run "$RESOLVE_BTFIDS" "$scratch/vmlinux"
	[[ $status -ne 0 ]] || fail "succeeded: $out"
	want_text "BTF_ID(func, peek) in c.c"
	want_text "[2] peek at $(printf %#x $text) (a.c)"
	want_text "[3] peek at "
	want_text " (b.c)"
	cmp "$scratch/before" "$scratch/vmlinux"
}

# BTF has another function of this name: its id would be wrong.
test_resolve_not_to_another_function() {
	unit a "static peek" "id peek"
	unit b "static peek" "id peek"
	vmlinux a b
	with_btf "$(at peek b)"
	resolve vmlinux
	want_ids vmlinux 0 2
	want_text "WARN: resolve_btfids: unresolved symbol peek"
}

# One that BTF has no address for is taken at its word, as ever.
test_resolve_functions_without_address() {
	unit a "static peek" "id peek"
	unit b "static peek" "id peek"
	vmlinux a b
	with_btf peek
	resolve vmlinux
	want_ids vmlinux 2 2
	[[ -z $out ]] || fail "said: $out"
	vmlinux a b
	with_btf poke peek peek
	resolve vmlinux
	want_ids vmlinux 3 3
	want_text "WARN: multiple IDs found for 'peek': 3, 4 - using 3"
	vmlinux a b
	with_btf peek "$(at peek b)"
	resolve vmlinux
	want_ids vmlinux 2 3
}

# A set is sorted by ids, and flags stay with theirs.
test_resolve_set_with_flags() {
	unit a "static peek" "static poke"
	unit b "static peek"
	{
		echo "asm(\".pushsection .BTF_ids,\\\"a\\\"; .local __BTF_ID__set8__list;"
		echo "__BTF_ID__set8__list: .zero 8; .popsection\");" | tr '\n' ' '
		btf_id __BTF_ID__func__peek__1 11
		btf_id __BTF_ID__func__poke__2 22
		echo 'asm(".pushsection .BTF_ids,\"a\";'
		echo '.size __BTF_ID__set8__list, .-__BTF_ID__set8__list; .popsection");'
	} | tr '\n' ' ' >>"$scratch/a.c"
	gcc -O1 -ffreestanding -fno-pie -c "$scratch/a.c" -o "$scratch/a.o"
	vmlinux b a
	with_btf "$(at peek b)" "$(at poke a)" "$(at peek a)"
	resolve vmlinux
	want_ids vmlinux 2 0 3 22 4 11
}

# module UNIT... -- FUNC... - link the units as $scratch/mod.ko whose BTF, on top of
# $scratch/vmlinux's, has FUNCs, those called FUNC_in_UNIT under the name FUNC with a
# relocation instead of an address.
module() {
	local units=() funcs=() func id

	while [[ $1 != -- ]]; do
		units+=("$1.o")
		shift
	done
	shift
	for func; do
		funcs+=("${func/_in_*/@0}")
	done
	btf_funcs -b "$scratch/vmlinux" - "$scratch/mod.btf" "${funcs[@]}"
	{
		echo '.section .note.GNU-stack,"",@progbits'
		echo ".section .BTF,\"\",@progbits; .incbin \"$scratch/mod.btf\""
		for id in "${!places[@]}"; do
			# by an addend, as it is against the symbol of a section
			[[ $1 != *_in_* ]] ||
				echo ".reloc ${places[id]}, R_X86_64_64, before_$1 + 1"
			shift
		done
	} >"$scratch/btf.s"
	(cd "$scratch" && gcc -c btf.s && ld -r -o mod.ko "${units[@]}" btf.o)
}

# base FUNC[@ADDR] FUNC[@ADDR] - a kernel with BTF of two functions, 2 and 3. Those of a
# module start at 5.
base() {
	unit kernel "static peek"
	vmlinux kernel
	with_btf "$@"
}

test_resolve_in_a_module_by_relocation() {
	base peek@0x10 other@0x20
	unit a "static peek" "id peek"
	unit b "id peek" "static peek"
	unit c "init peek" "id peek"
	module a b c -- peek_in_c peek_in_b peek_in_a
	resolve mod.ko -b "$scratch/vmlinux"
	want_ids mod.ko 7 6 5
	[[ -z $out ]] || fail "said: $out"
}

test_resolve_in_a_module_without_addresses() {
	unit a "static peek" "id peek" "id other"
	base peek@0x10 other@0x20
	module a -- peek
	resolve mod.ko -b "$scratch/vmlinux"
	want_ids mod.ko 5 3
	[[ -z $out ]] || fail "said: $out"
	base peek other
	module a -- peek
	resolve mod.ko -b "$scratch/vmlinux"
	want_ids mod.ko 5 3
	[[ -z $out ]] || fail "said: $out"
}

test_resolve_in_a_module_fails_if_the_kernel_has_several() {
	base peek@0x10 peek@0x20
	unit a "id peek"
	module a -- poke
	run "$RESOLVE_BTFIDS" -b "$scratch/vmlinux" "$scratch/mod.ko"
	[[ $status -ne 0 ]] || fail "succeeded: $out"
	want_text "BTF_ID(func, peek) in a.c"
	want_text "[2] peek at 0 (base BTF)"
	want_text "[3] peek at 0 (base BTF)"
}

run_tests
