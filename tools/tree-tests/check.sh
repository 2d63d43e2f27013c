#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of libbpf, bpftool and resolve_btfids, as the kernel tree's Makefiles build them. TAP.
#
# Environment: OBJ (where run_prog_tests and add_type are), BPFTOOL, RESOLVE_BTFIDS
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
. "$here/../harness/taplib.sh"
: "${OBJ:?}" "${BPFTOOL:?}" "${RESOLVE_BTFIDS:?}"

# btf_funcs ARGS... - Make BTF with functions (see add_funcs). Set with_addr to the functions that
# are given with an address.
btf_funcs() {
	local arg

	"$here/add_funcs" "$@" || fail "add_funcs $*: $?"
	with_addr=()
	for arg; do
		[[ $arg != *@* ]] || with_addr+=("$arg")
	done
}

# -- libbpf: the tree's own tests --

# prog_test NAME - Run a test, and show its output except for what passed.
prog_test() {
	run "$OBJ/run_prog_tests" "$1"
	out=$(grep -v ':PASS:' <<<"$out")
	want_status 0
	[[ ${out##*$'\n'} == "0 failed" ]] || fail "ended early: $out"
}

# libbpf used to read memory that it had freed.
test_libbpf_adds_a_type_that_btf_has() {
	local what

	for what in base other itself name; do
		expect 0 '' valgrind -q --error-exitcode=99 "$OBJ/add_type" "$what"
		[[ $out == name_of_the_base ]] || fail "$what: $out"
	done
}

# libbpf used to move types and strings that it didn't change.
test_libbpf_finds_a_string_of_the_base() {
	expect 0 '' valgrind -q --error-exitcode=99 "$OBJ/add_type" find
	[[ $out == "name_of_the_split 8" ]] || fail "$out"
}

# -- bpftool --

# want_dump FILE [OPTION]... - Compare bpftool's raw dump, apart from its tabs, with stdin.
want_dump() {
	local file=$1

	shift
	diff - <("$BPFTOOL" "$@" btf dump file "$file" 2>&1 | sed 's/^\t*//')
}

# types - Make BTF of two C files, one on top of the other: base and mod without addresses, base.ext
# and mod.ext with addresses. Also make prog.o, a program that is relocated against both.
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
	btf_funcs -b base.ext mod.o mod.ext diff@0x100000030 diff@0x100000040
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

# The result has what the program reads of both, in one BTF that needs no base.
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

# With --func_addr, resolve_btfids writes BTF to files beside the given one. In Linux 6.12 it then
# looks up no BTF IDs in a vmlinux: another run, without --func_addr, does that in the file itself.
# In 7.3 it deduplicates BTF and sorts it by name. So the tests name functions in this order. The
# base's prototype may replace that of a module, which is its first type. "own" is the id of a
# module's first function.
own=5
[[ $("$RESOLVE_BTFIDS" --help 2>&1) != *--patch_btfids* ]] || own=4
readonly own

# unit NAME LINE... - Write and compile $scratch/NAME.c. The line "id FUNC" makes a BTF ID. These
# lines make a function: "static FUNC", "init FUNC" (static, in .init.text), "global FUNC" and "lto
# FUNC" (global, as ThinLTO leaves it). Its second name, FUNC_in_NAME, is unique.
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
		}
	done >"$scratch/$unit.c"
	gcc -O1 -ffreestanding -fno-pie -fcf-protection=none -fno-asynchronous-unwind-tables \
		-c "$scratch/$unit.c" -o "$scratch/$unit.o"
}

# btf_id SYMBOL [DATA] - Print the C code of the kernel's BTF_ID(), or with DATA of BTF_ID_FLAGS().
btf_id() {
	cat <<-EOF
		asm(".pushsection .BTF_ids,\"a\"; .balign 4; .local $1; .type $1, @object; .size $1, 4;"
		    "$1: .zero 4; ${2:+.long $2;} .popsection");
	EOF
}

# The symbols that say where the text of a kernel is; the test functions are in its first 64 KiB.
readonly layout=("-Ttext=$text" "--defsym=_text=$text" "--defsym=_stext=$text" -e 0)

# vmlinux UNIT... - Link the units as a kernel.
vmlinux() {
	(cd "$scratch" && ld "${layout[@]}" --defsym=_etext=$text+0x10000 -o vmlinux "${@/%/.o}")
}

# at FUNC UNIT - Print "FUNC@<offset from _text>" for this function in $scratch/vmlinux.
at() {
	local addr

	addr=$(nm "$scratch/vmlinux" | awk -v name="$1_in_$2" '$3 == name { print "0x" $1 }')
	[[ -n $addr ]] || fail "no $1 in $2"
	echo "$1@$((addr - text))"
}

# with_btf FUNC[@ADDR]... - Give $scratch/vmlinux BTF in which the ids of functions start at 2.
with_btf() {
	btf_funcs - "$scratch/btf" "$@"
	[[ $own -eq 5 ]] || return 0	# resolve() does the rest
	cp "$scratch/btf" "$scratch/types"
	finalize "$scratch/types"
	want_status 0
	[[ -z $out ]] || fail "said: $out"
	objcopy --add-section .BTF="$scratch/types" --add-section .BTF_func="$scratch/types_func" \
		"$scratch/vmlinux"
}

# finalize FILE [-s] - Move the addresses from raw BTF to FILE_func. With -s the BTF has the other
# byte order. btf_funcs has just made it.
finalize() {
	local cc=gcc func objs=()

	[[ -z ${2:-} ]] || cc="clang -target aarch64_be-linux-gnu"
	# one file for each, because several may have the same name
	for func in "" "${with_addr[@]}"; do
		objs+=("$1.${#objs[@]}.o")
		[[ -z $func ]] || func=".set ${func%@*}, $text + ${func#*@}; .type ${func%@*}, %function"
		echo ".text; $func" | $cc -x assembler -c - -o "${objs[-1]}"
	done
	ld.lld-19 "${layout[@]}" --defsym=_etext=$text+0x200000000 -o "$1.elf" "${objs[@]}"
	run "$RESOLVE_BTFIDS" --func_addr --btf "$1" "$1.elf"
	[[ $status -eq 0 ]] || return 0
	mv "$1.elf.BTF" "$1"
	mv "$1.elf.BTF_func" "$1_func"
}

# want_ids FILE ID... - Check that .BTF_ids has these numbers.
want_ids() {
	local file=$scratch/$1 ids

	shift
	objcopy -O binary --only-section=.BTF_ids "$file" "$file.ids"
	ids=$(od -An -v -tu4 -w4 "$file.ids" | xargs)
	[[ $ids == "$*" ]] || fail "ids: $ids, want: $*; output: $out"
}

# run_resolve FILE [ARG]... - Run resolve_btfids.
run_resolve() {
	local file=$scratch/$1

	shift
	case $file in
	*.ko) set -- --func_addr --btf "$scratch/mod.btf" -b "$scratch/vmlinux" "$@" ;;
	*)
		set -- --btf "$scratch/btf" "$@"
		[[ $own -eq 5 ]] || set -- --func_addr "$@"
		;;
	esac
	run "$RESOLVE_BTFIDS" "$@" "$file"
}

# resolve FILE [ARG]... - Run resolve_btfids, which must succeed.
resolve() {
	local file=$scratch/$1 section

	run_resolve "$@"
	want_status 0
	# the same steps as in gen-btf.sh and link-vmlinux.sh
	for section in .BTF .BTF_func; do
		[[ ! -e $file$section ]] ||
			objcopy --remove-section $section --add-section $section="$file$section" "$file"
	done
	[[ ! -e $file.BTF_ids ]] || "$RESOLVE_BTFIDS" --patch_btfids "$file.BTF_ids" "$file"
	rm -f "$file.BTF" "$file.BTF_func" "$file.BTF_ids"
}

# resolves FILE ID... - Run resolve_btfids, which must say nothing, and check the numbers in .BTF_ids.
resolves() {
	resolve "$1"
	want_ids "$@"
	[[ -z $out ]] || fail "said: $out"
}

test_resolve_functions_by_their_address() {
	local scope

	for scope in static global lto; do
		unit a "$scope peek" "id peek"
		unit b "id peek" "static poke" "id poke"
		vmlinux a b
		with_btf "$(at peek a)" "$(at poke b)"
		resolves vmlinux 2 2 3
	done
}

# BTF has one function for an address, which may have another name.
test_resolve_another_name_of_a_function() {
	unit a "static peek" "id peek_in_a" "id peek"
	vmlinux a
	with_btf "$(at peek a)"
	resolves vmlinux 2 2
}

# want_none_meant COUNT - Check that resolve_btfids has taken none of the functions called peek.
want_none_meant() {
	want_text "WARN: resolve_btfids: $1 functions are named peek, and none of them is meant"
}

# Of several functions of a name, a BTF ID means the global one.
test_resolve_the_global_function_of_a_name() {
	unit a "static peek" "id peek"
	unit b "static poke" "id peek" "static peek"
	unit c "global peek"
	vmlinux a b c
	with_btf "$(at peek c)" "$(at peek b)" "$(at peek a)" "$(at poke b)"
	resolves vmlinux 2 2
	vmlinux a b c
	with_btf "$(at peek b)" "$(at poke b)"
	resolve vmlinux
	want_ids vmlinux 0 0
	want_text "WARN: resolve_btfids: unresolved symbol peek"
}

# Of static ones, nobody knows which is meant, even if BTF has only one. Event classes of one name
# have such functions, so that is no error.
test_resolve_none_of_several_static_functions() {
	local fatal=()

	[[ $own -eq 5 ]] || fatal=(--fatal_warnings)
	unit a "static peek" "id peek"
	unit b "static poke" "id peek" "static peek"
	vmlinux a b
	with_btf "$(at peek a)" "$(at peek b)" "$(at poke b)"
	resolve vmlinux "${fatal[@]}"
	want_ids vmlinux 0 0
	want_none_meant 2
	vmlinux a b
	with_btf "$(at peek b)" "$(at poke b)"
	resolve vmlinux "${fatal[@]}"
	want_ids vmlinux 0 0
	want_none_meant 2
}

# BTF lacks the function, or has another name for it after gcc renamed it.
test_resolve_not_to_another_function() {
	unit a "static peek" "id peek" "static poke"
	vmlinux a
	with_btf "$(at poke a)"
	resolve vmlinux
	want_ids vmlinux 0
	want_text "WARN: resolve_btfids: unresolved symbol peek"
}

# A function without an address in BTF is found by its name alone, as before.
test_resolve_functions_without_address() {
	unit a "static peek" "id peek"
	unit b "static peek" "id peek"
	vmlinux a b
	with_btf peek
	resolves vmlinux 2 2
	vmlinux a b
	with_btf alias peek peek
	resolve vmlinux
	want_ids vmlinux 3 3
	# after deduplication there is only one
	[[ $own -eq 4 ]] || want_text "WARN: multiple IDs found for 'peek': 3, 4 - using 3"
}

# set8 UNIT SET_FLAGS FUNC FLAGS... - Add a set of BTF IDs with flags to a unit.
set8() {
	local unit=$1 flags=$2 nr=0

	shift 2
	{
		echo "asm(\".pushsection .BTF_ids,\\\"a\\\"; .local __BTF_ID__set8__list;"
		echo "__BTF_ID__set8__list: .long 0, $flags; .popsection\");"
		while [[ $# -gt 0 ]]; do
			nr=$((nr + 1))
			btf_id "__BTF_ID__func__${1}__$nr" "$2"
			shift 2
		done
		echo 'asm(".pushsection .BTF_ids,\"a\";'
		echo '.size __BTF_ID__set8__list, .-__BTF_ID__set8__list; .popsection");'
	} | tr '\n' ' ' >>"$scratch/$unit.c"
	gcc -O1 -ffreestanding -fno-pie -c "$scratch/$unit.c" -o "$scratch/$unit.o"
}

# A set is sorted by ids, and each id keeps its flags.
test_resolve_set_with_flags() {
	unit a "static peek" "static poke"
	unit b "static last"
	set8 a 0 peek 11 poke 22
	vmlinux b a
	with_btf "$(at last b)" "$(at peek a)" "$(at poke a)"
	resolve vmlinux
	want_ids vmlinux 2 0 3 11 4 22
}

# The kfunc isn't the first function of its name. In 6.12 pahole writes these tags.
test_resolve_tags_the_global_kfunc() {
	unit a "static peek"
	unit b "global peek" "static poke"
	set8 b 1 peek 0 poke_in_b 0
	vmlinux a b
	with_btf "$(at peek a)" "$(at peek b)" "$(at poke b)"
	resolve vmlinux
	want_ids vmlinux 2 1 5 0 6 0
	"$BPFTOOL" btf dump file "$scratch/vmlinux" | grep DECL_TAG >"$scratch/tags"
	[[ $(sed 's/.*type_id=\([0-9]*\).*/\1/' "$scratch/tags" | xargs) == "5 6" ]] ||
		fail "$(cat "$scratch/tags")"
}

# place FUNC_in_UNIT - Print "FUNC@<section and offset>" for this function in $scratch/mod.ko.
place() {
	local place

	place=$(readelf -sW "$scratch/mod.ko" | awk -v name="$1" '$8 == name { print $7, "0x" $2 }')
	[[ -n $place ]] || fail "no $1"
	printf '%s@%#x\n' "${1%_in_*}" $((${place% *} << 32 | ${place#* }))
}

# module UNIT... -- FUNC... - Link the units as $scratch/mod.ko. $scratch/mod.btf is its BTF, on top of
# that of $scratch/vmlinux, and has these functions. A function given as FUNC_in_UNIT has the name FUNC
# there, and an address.
module() {
	local units=() funcs=() func

	while [[ $1 != -- ]]; do
		units+=("$1.o")
		shift
	done
	shift
	(cd "$scratch" && ld -r -o mod.ko "${units[@]}")
	for func; do
		[[ $func != *_in_* ]] || func=$(place "$func")
		funcs+=("$func")
	done
	btf_funcs -b "$scratch/vmlinux" - "$scratch/mod.btf" "${funcs[@]}"
}

# base FUNC FUNC - Make a kernel with BTF of two functions, whose ids are 2 and 3. A function given as
# FUNC_in_UNIT has an address. The ids of functions in a module then start at $own.
base() {
	local func funcs=()

	unit kernel "static peek" "static other"
	unit again "static peek"
	vmlinux kernel again
	for func; do
		[[ $func != *_in_* ]] || func=$(at "${func%_in_*}" "${func#*_in_}")
		funcs+=("$func")
	done
	with_btf "${funcs[@]}"
	[[ $own -eq 5 ]] || resolve vmlinux
}

test_resolve_in_a_module() {
	base other_in_kernel peek_in_kernel
	unit a "static peek" "id peek"
	unit b "id poke_in_c" "id peek"
	unit c "static poke" "id poke"
	module a b c -- peek_in_a poke_in_c
	resolves mod.ko $own $((own + 1)) $own $((own + 1))
	unit b "id peek" "global peek"
	module a b -- peek_in_a peek_in_b
	resolves mod.ko $((own + 1)) $((own + 1))
}

# resolve_btfids goes by names, and the kernel's functions come first.
test_resolve_in_a_module_without_addresses() {
	unit a "static peek" "id peek" "id other"
	base other_in_kernel peek_in_kernel
	module a -- peek
	resolve mod.ko
	want_ids mod.ko 3 2
	base peek_in_kernel peek_in_again
	unit a "id peek"
	module a -- poke
	resolve mod.ko
	want_ids mod.ko 2
}

# vmlinux has several functions of the name since it has addresses. That is no fault of the module.
test_resolve_fatal_warnings_are_not_about_names_of_vmlinux() {
	base peek_in_kernel peek_in_again
	unit a "static poke" "id peek" "id poke"
	module a -- poke_in_a
	resolve mod.ko --fatal_warnings
	want_ids mod.ko 2 $own
	want_text "WARN: multiple IDs found for 'peek': 2, 3 - using 2"
}

# -- resolve_btfids: what addresses must be --

# want_dropped FILE FUNC ID WHAT - Check that a run has left a function without an address.
want_dropped() {
	want_status 0
	want_text "WARN: resolve_btfids: $1: function '$2' (type id $3) $4: it gets no address"
}

test_check_that_functions_are_where_btf_says() {
	unit a "static peek" "id peek"
	vmlinux a
	btf_funcs - "$scratch/btf" peek@0x1
	run_resolve vmlinux --func_addr
	want_dropped "$scratch/vmlinux" peek 2 "is not where BTF says it is"
	[[ -e $scratch/vmlinux.BTF_func && ! -s $scratch/vmlinux.BTF_func ]] || fail "has a record"
	rm "$scratch"/vmlinux.BTF*
	unit a "init peek"
	base other_in_kernel peek_in_kernel
	module a -- peek_in_a
	run_resolve mod.ko
	want_dropped "$scratch/mod.ko" peek "$own" "is not where BTF says it is"
}

# Since 7.3 a warning is an error with CONFIG_WERROR.
test_fatal_warnings() {
	unit a "static peek" "id poke"
	vmlinux a
	with_btf peek
	btf_funcs - "$scratch/btf" peek@0
	run_resolve vmlinux
	want_status 0
	want_text "unresolved symbol poke"
	run_resolve vmlinux --fatal_warnings
	[[ $status -ne 0 ]] || fail "succeeded: $out"
	unit a "static peek"
	vmlinux a
	btf_funcs - "$scratch/btf" peek@1
	run_resolve vmlinux --func_addr --fatal_warnings
	[[ $status -ne 0 ]] || fail "succeeded: $out"
}

# Without --func_addr, resolve_btfids writes ordinary BTF, and no addresses.
test_addresses_that_nobody_wants() {
	base other_in_kernel peek_in_kernel
	unit a "static poke"
	module a -- poke_in_a
	expect 0 '' "$RESOLVE_BTFIDS" --btf "$scratch/mod.btf" -b "$scratch/vmlinux" "$scratch/mod.ko"
	! readelf -SW "$scratch/mod.ko" | grep -q '\.BTF_func' || fail "the module has .BTF_func"
}

# -- resolve_btfids: addresses out of BTF --

# words FILE - Print the file as numbers of 32 bits. With $swap they have the other byte order.
words() {
	od -An -v -tx4 -w4 ${swap:+--endian=big} "$1" | xargs
}

test_finalize_raw_btf() {
	local swap

	for swap in "" -s; do
		btf_funcs $swap - "$scratch/plain" alias last peek pike poke
		btf_funcs $swap - "$scratch/btf" alias@0x20 last@0xffffffff peek@0x30 pike@0x10 poke
		finalize "$scratch/btf" $swap
		want_status 0
		[[ -z $out ]] || fail "said: $out"
		# libbpf's header may be longer; its words 3 to 6 say where types and strings are
		tail -c +25 "$scratch/plain" >"$scratch/want"
		tail -c +"$((16#$(words "$scratch/btf" | cut -d ' ' -f 2) + 1))" "$scratch/btf" |
			cmp "$scratch/want"
		[[ $(words "$scratch/btf" | cut -d ' ' -f 3-6) == \
			"$(words "$scratch/plain" | cut -d ' ' -f 3-6)" ]] ||
			fail "$(words "$scratch/btf")"
		[[ $(words "$scratch/btf_func") == "00000010 00000004 00000020 00000001 \
00000030 00000003 ffffffff 00000002" ]] || fail "$(words "$scratch/btf_func")"
	done
	btf_funcs - "$scratch/btf" peek poke
	cp "$scratch/btf" "$scratch/plain"
	finalize "$scratch/btf"
	want_status 0
	cmp "$scratch/plain" "$scratch/btf"
	[[ -e $scratch/btf_func && ! -s $scratch/btf_func ]] || fail "$(words "$scratch/btf_func")"
}

# What is right keeps its address.
test_finalize_drops_what_is_too_far_or_twice_there() {
	btf_funcs - "$scratch/btf" far@0x100000000 last@0x20 peek@0x10 poke@0x10
	finalize "$scratch/btf"
	want_dropped "$scratch/btf.elf" far 2 "is not within 4 GiB of _text"
	want_dropped "$scratch/btf.elf" peek 4 "has the address of another one"
	want_dropped "$scratch/btf.elf" poke 5 "has the address of another one"
	[[ $(words "$scratch/btf_func") == "00000020 00000001" ||
	   $(words "$scratch/btf_func") == "00000020 00000002" ]] || fail "$(words "$scratch/btf_func")"
}

test_finalize_refuses_what_is_no_btf() {
	echo "no BTF at all, only a line" >"$scratch/text"
	finalize "$scratch/text"
	[[ $status -ne 0 ]] || fail "status $status: $out"
	want_text "load BTF from $scratch/text"
}

# want_records FUNC... - Link $scratch/mod.ko to some address. Check that .BTF_func has one record
# for each function, which leads to it, and that the records are in the order of addresses.
want_records() {
	local section id at addr place=0 last=0 want

	(cd "$scratch" && ld -Ttext=$text --section-start=.BTF_func="$(printf %#x $((text + 0x100000)))" -e 0 \
		-o linked mod.ko)
	objcopy -O binary --only-section=.BTF_func "$scratch/linked" "$scratch/records"
	[[ $(stat -c %s "$scratch/records") -eq $(($# * 8)) ]] || fail "$(words "$scratch/records")"
	while read -r at id; do
		addr=$((text + 0x100000 + place + at))
		want=$(nm "$scratch/linked" | awk -v name="$1" '$3 == name { print "0x" $1 }')
		[[ $addr -eq $((want)) && $addr -ge $last ]] ||
			fail "record $place: $(printf %#x $addr), want $1: $want"
		last=$addr place=$((place + 8))
		shift
	done < <(od -An -v -td4 -w8 "$scratch/records")
}

test_finalize_a_module() {
	local sections func id=$own proto=$((own == 4 ? 1 : 4))

	base other_in_kernel peek_in_kernel
	unit a "static peek" "id peek"
	unit b "static poke"
	module a b -- peek_in_a poke_in_b rest
	resolve mod.ko
	want_ids mod.ko $own
	sections=$(readelf -SW "$scratch/mod.ko")
	grep -q ' \.BTF_func .* A ' <<<"$sections" && grep -q ' \.rela\.BTF_func ' <<<"$sections" ||
		fail "$sections"
	! grep -q ' \.rela\.BTF ' <<<"$sections" || fail "$sections"
	want_records peek_in_a poke_in_b
	objcopy -O binary --only-section=.BTF --set-section-flags .BTF=alloc "$scratch/mod.ko" \
		"$scratch/types"
	{
		[[ $own -eq 4 ]] || echo "[4] FUNC_PROTO '(anon)' ret_type_id=0 vlen=0"
		for func in peek poke rest; do
			echo "[$((id++))] FUNC '$func' type_id=$proto linkage=static"
		done
	} | want_dump "$scratch/types" -B "$scratch/vmlinux"
}

# Everything else stays as it was, and tools still accept the file as a module.
test_finalize_leaves_the_rest_of_a_module() {
	base other_in_kernel peek_in_kernel
	unit a "static peek" "global poke"
	module a -- peek_in_a poke_in_a
	nm "$scratch/mod.ko" >"$scratch/nm"
	objdump -dr "$scratch/mod.ko" | tail -n +4 >"$scratch/code"
	resolve mod.ko
	nm "$scratch/mod.ko" | diff "$scratch/nm" -
	objdump -dr "$scratch/mod.ko" | tail -n +4 | diff "$scratch/code" -
	strip --strip-debug "$scratch/mod.ko"
	want_records peek_in_a poke_in_a
}

# If only vmlinux was built again, resolve_btfids runs again on the same module.
test_finalize_again() {
	base other_in_kernel peek_in_kernel
	unit a "static peek"
	module a -- peek_in_a
	resolve mod.ko
	# as scripts/Makefile.modfinal of 6.12 does; later kernels link the module anew
	objcopy --remove-section .BTF_func "$scratch/mod.ko"
	! readelf -SW "$scratch/mod.ko" | grep -q BTF_func || fail "something is left"
	resolve mod.ko
	want_records peek_in_a
}

# At a function's place, a module must have a symbol of its name, in text that stays.
test_finalize_drops_a_place_of_no_such_function() {
	local func

	base other_in_kernel peek_in_kernel
	unit a "static peek" "static poke" "init gone"
	for func in peek@0x100000001 peek@0xfff100000000 "$(module a -- rest; place poke_in_a)" \
		    "$(module a -- rest; place gone_in_a)"; do
		[[ $func != poke* ]] || func=peek@${func#*@}
		module a -- rest
		btf_funcs -b "$scratch/vmlinux" - "$scratch/mod.btf" "$func"
		cp "$scratch/mod.ko" "$scratch/before"
		run_resolve mod.ko
		want_dropped "$scratch/mod.ko" "${func%@*}" "$own" "is not where BTF says it is"
		cmp "$scratch/mod.ko" "$scratch/before"
	done
}

# 6.12, its fixes and its series lack what these tests are about.
[[ $own -eq 4 ]] ||
	WITHOUT='btf_func_addr|adds_a_type|min_core_btf_of|tags_the_global_kfunc|fatal_warnings|nobody_wants'
prog_tests=()
for prog_test in btf_func_addr btf_write btf_split btf_dedup_split btf_distill btf_field_iter; do
	eval "test_libbpf_by_$prog_test() { prog_test $prog_test; }"
	prog_tests+=("test_libbpf_by_$prog_test")
done
run_tests "${prog_tests[@]}"
