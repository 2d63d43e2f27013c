#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of regcheck itself, and of the kernels of FLAVOURS in BUILD and their modules. Names of the
# kernels' tests end in the flavour.
# shellcheck disable=SC2154 # status, out and scratch come from taplib.sh
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
repo=${here%/tools/regcheck}
. "$repo/tools/harness/taplib.sh"

build=$(realpath -m -- "${BUILD:-$repo/build}")
unset BUILD
readonly inline_btf=$repo/tools/btfaddr/tests/inline_btf.py
# Each flavour's kernel and modules are looked at once. Two tests use the result.
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

regcheck() {
	"$here/regcheck" "$@"
}

# selftest NAME - Run the tests of that name in selftest.py. "input" makes a kernel of ten functions in
# $scratch/vmlinux, and its BTF in $scratch/btf.
selftest() {
	expect 0 '' "$here/selftest.py" "$1" "$scratch"
}

# need_kernel FLAVOUR - Skip the test if there is no such kernel. Else set vmlinux.
need_kernel() {
	vmlinux=$build/$1/vmlinux
	[[ -e $vmlinux ]] || skip "no kernel in $build/$1; 'make kernel FLAVOUR=$1' builds it"
}

need_dwarfdump() {
	[[ -n $(type -P llvm-dwarfdump-19 llvm-dwarfdump) ]] || skip "needs llvm-dwarfdump"
}

# modules FLAVOUR - Print all modules that are built for a kernel, except for the one that lies.
modules() {
	local folders=("$build/$1")

	[[ ! -d $build/selftests/modules-$1 ]] || folders+=("$build/selftests/modules-$1")
	# A module's own build folder has a copy of it.
	find "${folders[@]}" -name '*.ko' ! -name dropped.ko ! -path '*/modules-*/*/*' | sort
}

# report_of FLAVOUR - Write the report on a kernel and its modules to $work/FLAVOUR.
report_of() {
	local list

	need_kernel "$1"
	[[ ! -e $work/$1 ]] || return 0
	mapfile -t list < <(modules "$1")
	run regcheck --exceptions "$here/exceptions" "$vmlinux" "${list[@]}"
	[[ $status -le 1 ]] || fail "status $status: $out"
	printf '%s\n' "$out" >"$work/$1"
}

# want_clean REPORT PATTERN - Check that no file whose summary matches the pattern has a finding.
want_clean() {
	local summaries

	summaries=$(grep -E "$2[0-9]+ functions, " "$1") || fail "nothing was looked at: $(<"$1")"
	printf '%s\n' "$summaries"
	! grep -v ', 0 reads of .* 0 unknown instructions, ' <<<"$summaries" || fail "$(<"$1")"
}

kernel() {
	report_of "$1"
	want_clean "$work/$1" '/vmlinux: '
}

kernel_modules() {
	report_of "$1"
	grep -q '\.ko: ' "$work/$1" || skip "no modules for $1; 'make selftests' builds some"
	want_clean "$work/$1" '[.]ko: '
}

test_findings_are_named_with_place_register_and_instruction() {
	selftest input
	expect 1 '' regcheck --btf "$scratch/btf" "$scratch/vmlinux"
	want_text "beyond: ffffffff81000040 reads rsi, BTF lists rdi: ffffffff81000048: add %rsi,%rax"
	want_text "passes: ffffffff81000050 reads rsi, BTF lists rdi: ffffffff81000055: jmp"
	want_text "it goes on to right (ffffffff81000025: lea (%rdi,%rsi,1),%rax)"
	want_text "by_name: ffffffff81000060 reads rdx, BTF lists none"
	want_text "strange: ffffffff810000a0 unknown instruction with rsi rdx rcx r8 r9"
	want_text "8 functions, 3 reads of a register that BTF doesn't list, 1 unknown instructions"
	want_no_text untraceable
	want_no_text fewer
	want_no_text pushes
}

test_exceptions() {
	selftest input
	cat >"$scratch/exceptions" <<-'END'
		# comment
		b* rsi add %rsi,*	# a reason
		right rsi lea *	# another
		by_name rdx *	# a third
	END
	expect 1 '' regcheck --exceptions "$scratch/exceptions" --btf "$scratch/btf" "$scratch/vmlinux"
	want_text "exception: beyond reads rsi: ffffffff81000048: add %rsi,%rax; harmless: a reason"
	want_text "exception: right reads rsi: ffffffff81000025: lea (%rdi,%rsi,1),%rax; harmless: another"
	want_text " 0 reads of a register"
	echo 'beyond rsi add*' >"$scratch/exceptions"
	expect 2 "exceptions:1: 'beyond rsi add*' is not an exception; write: FUNCTION REGISTER" \
		regcheck --exceptions "$scratch/exceptions" --btf "$scratch/btf" "$scratch/vmlinux"
}

test_input_that_cannot_be_checked() {
	selftest input
	expect 2 "nothing: can't be read" regcheck "$scratch/nothing"
	expect 2 "check.sh: not a 64-bit ELF file" regcheck "$here/check.sh"
	expect 2 "vmlinux: it has no BTF; build it with CONFIG_DEBUG_INFO_BTF" \
		regcheck "$scratch/vmlinux"
	head -c 100 "$scratch/btf" >"$scratch/short"
	expect 2 "short: its BTF is damaged or truncated" \
		regcheck --btf "$scratch/short" "$scratch/vmlinux"
	expect 2 "a vmlinux comes first" regcheck --btf "$scratch/btf" "$scratch/vmlinux.o"
	strip -o "$scratch/stripped" "$scratch/vmlinux"
	expect 2 "stripped: it has no symbols" regcheck --btf "$scratch/btf" "$scratch/stripped"
	expect 2 '' regcheck
}

# folder_of_btf [CROSS FLAG...] - Make a kernel and a module in $scratch, for x86 or by a cross compiler, and
# $scratch/folder with their BTF.
folder_of_btf() {
	local cross=${1:-} flags=(-pg -mfentry -fcf-protection=none)
	local btfaddr=$build/bin/btfaddr text=0xffffffff81000000

	[[ -x $btfaddr ]] || skip "no $btfaddr; 'make -C tools/btfaddr' builds it"
	[[ -z $cross ]] || flags=("${@:2}")
	flags+=(-g -O1 -fno-pie -ffreestanding -x c -c -)
	cd "$scratch" && mkdir folder
	"${cross}gcc" "${flags[@]}" -o kernel.o <<-'END'
		asm(".globl __fentry__; __fentry__: ret");
		struct one { int a; };
		int first(struct one *p) { return p->a; }
	END
	"${cross}ld" -Ttext=$text --defsym=_text=$text -e 0 -o vmlinux kernel.o
	"${cross}gcc" "${flags[@]}" -o module.ko <<-'END'
		struct two { long b; };
		long second(struct two *p, const volatile int (*unused1)[2][3]) { return p->b; }
		__attribute__((noinline)) long third(struct two *p, long n) { return p->b * n; }
		long passes(struct two *p, long n) { return third(p, n) + 1; }
	END
	"${PAHOLE:-pahole}" -J vmlinux && "${PAHOLE:-pahole}" -J --btf_base vmlinux module.ko
	expect 0 '' "$btfaddr" vmlinux -o folder/vmlinux.btf
	expect 0 '' "$btfaddr" --btf_base vmlinux module.ko -o folder/module.ko.btf
}

type_in_a_module() {
	need_dwarfdump
	folder_of_btf "$@"
	expect 0 "module.ko: 3 FUNCs, 0 false" "$here/prototypes" --btf folder vmlinux module.ko
	LC_ALL=C sed -i 's/two/six/' folder/module.ko.btf
	expect 1 "second: FUNC " "$here/prototypes" --btf folder vmlinux module.ko
}

test_type_in_a_module() { type_in_a_module; }

test_type_in_an_arm64_module() {
	[[ -n $(type -P aarch64-linux-gnu-gcc) ]] || skip "needs gcc-aarch64-linux-gnu"
	type_in_a_module aarch64-linux-gnu- -fpatchable-function-entry=4,2 -mbranch-protection=standard
}

test_made_up_parameter_in_a_module() {
	folder_of_btf
	expect 0 "module.ko: 3 functions, " regcheck --btf folder vmlinux module.ko
	LC_ALL=C sed -i 's/unused1/__isra0/' folder/module.ko.btf
	expect 1 "second: .text+0x0 doesn't read rsi, which BTF lists without a name" \
		regcheck --btf folder vmlinux module.ko
}

# What is called is in relocations.
test_call_in_an_arm64_module() {
	[[ -n $(type -P aarch64-linux-gnu-gcc) ]] || skip "needs gcc-aarch64-linux-gnu"
	folder_of_btf aarch64-linux-gnu- -fpatchable-function-entry=2
	expect 0 "module.ko: 3 functions, " regcheck --btf folder vmlinux module.ko
	expect 1 "module.ko: 3 functions, 1 reads" \
		regcheck --drop-last passes --btf folder vmlinux module.ko
	want_text "reads x1, BTF lists x0: .text+"
	want_text "it goes on to third (.text+"
	expect 1 " returns nothing, but passes uses the value: .text+" \
		"$here/returns" --drop third --btf folder vmlinux module.ko
}

# other_tool TOOL FLAVOUR PATTERN - Check a kernel and its modules by another tool of this folder.
# Its output matches PATTERN if it has looked at enough.
other_tool() {
	local list

	need_kernel "$2"
	mapfile -t list < <(modules "$2")
	expect 0 '' "$here/$1" "$vmlinux" "${list[@]}"
	[[ $out =~ $3 ]] || fail "looked at little: $out"
}

declarations() {
	other_tool declarations "$1" '/vmlinux: [1-9][0-9]{2,} declarations, 0 wrong'
}

returns() {
	other_tool returns "$1" '/vmlinux: [1-9][0-9]+ functions that dropped [a-z ]+, [1-9][0-9]+ calls, 0 use it, 0 may'
}

# inline_sites FLAVOUR - What btfaddr --functions writes of a kernel and its modules breaks no rule.
inline_sites() {
	local btfaddr=$build/bin/btfaddr module list

	need_kernel "$1"
	expect 0 '' "$btfaddr" --functions "$scratch/inline" "$vmlinux"
	expect 0 '' "$inline_btf" stats "$scratch/inline" "$vmlinux"
	[[ $out =~ ^sites\ [1-9][0-9]{5,}:.*\ 0\ without\ caller ]] || fail "$out"
	mapfile -t list < <(modules "$1")
	for module in "${list[@]}"; do
		# the selftests have modules that lie, and they are refused, most in one line
		run "$btfaddr" --btf_base "$vmlinux" --functions "$scratch/inline" "$module"
		[[ $status != 1 || ($out == *$'\n'* && $out != *" addresses don't fit "*) ]] || continue
		want_status 0
		expect 0 '' "$inline_btf" check "$scratch/inline" "$vmlinux" "$module"
	done
}

# pahole_flags KERNEL - Print what the kernel's build gives pahole.
pahole_flags() {
	make -s -C "$1" -f - flags <<-'END'
		include include/config/auto.conf
		include source/scripts/Kbuild.include
		include source/scripts/Makefile.btf
		flags: ; @echo $(PAHOLE_FLAGS)
	END
}

# names FLAVOUR - Compare a kernel's BTF with what pahole alone makes of it.
names() {
	local flags

	need_kernel "$1"
	flags=$(pahole_flags "$build/$1") && [[ -n $flags ]] || fail "its build has no flags for pahole"
	# shellcheck disable=SC2086 # several
	expect 0 '' "${PAHOLE:-pahole}" -J $flags --btf_encode_detached="$scratch/plain" "$vmlinux"
	expect 0 '' "$build/bin/btfaddr" --btf "$scratch/plain" --left-out "$vmlinux"
	printf '%s\n' "$out" >"$scratch/left"
	expect 0 '' "$here/names" --left-out "$scratch/left" --plain "$scratch/plain" "$vmlinux"
	[[ $out =~ /vmlinux:\ [1-9][0-9]{4,}\ names\ have\ a\ FUNC ]] || fail "looked at little: $out"
	printf '%s\n' "$out"
}

# What btfaddr --functions says is false in a kernel's BTF without addresses, against another reader of
# DWARF.
false_prototypes() {
	need_kernel "$1"
	need_dwarfdump
	expect 0 '' "$build/bin/btfaddr" --functions "$scratch/functions" "$vmlinux"
	expect 0 '' "$inline_btf" check "$scratch/functions" "$vmlinux"
	expect 0 '' "$inline_btf" false "$scratch/functions" "$vmlinux"
	printf '%s\n' "$out" >"$scratch/false"
	expect 0 '' "$here/prototypes" --tagged "$scratch/false" "$vmlinux"
	[[ $out =~ \ [1-9][0-9]{4,}\ FUNCs,\ [1-9][0-9]*\ false,\ 0\ differences ]] ||
		fail "looked at little: $out"
}

# What btfaddr and this folder take instructions to do.
instructions() {
	local decoders=$build/btfaddr/decoders

	need_kernel "$1"
	expect 0 '' make -s -C "$repo/tools/btfaddr" BUILD="$build" "$decoders"
	# a small kernel has no virtual machines, nor numbers of thousands of bits
	as -o "$scratch/rare.o" <<-'END'
		1: vmwrite %rax,%rdi; vmread %rdi,%rsi; adox %rdx,%rax; adcx %rdi,%rsi; loop 1b
		jrcxz 1b; ud1 %esp,%ecx; iretq; lods (%rsi),%al; testl $1,(%rdi); .byte 0xf6,0xc9,1
		cmpxchg %rsi,%rdx; shld %cl,%rdi,%rsi; test %edx,8(%rip); wrpkru; rdsspq %rdi; tpause %edi
		sysretq; ret
	END
	expect 0 '' "$here/decoders" "$decoders" "$vmlinux" "$scratch/rare.o"
	[[ $out =~ ^[1-9][0-9]{4,}\ instructions,\ 0\ differ ]] || fail "looked at little: $out"
}

# wrong_declaration FROM TO TEXT - Replace FROM by TO, which is as long, in the BTF of a real kernel.
# "declarations" must print TEXT.
wrong_declaration() {
	need_kernel gcc
	objcopy --only-section=.BTF --dump-section ".BTF=$scratch/right" \
		"$vmlinux" "$scratch/elf"
	LC_ALL=C sed "s/source:struct rq \*$1/source:$2/" "$scratch/right" >"$scratch/wrong"
	[[ $(stat -c %s "$scratch/right") = $(stat -c %s "$scratch/wrong") ]] || fail "other length"
	expect 1 "$3" "$here/declarations" --btf "$scratch/wrong" "$vmlinux"
}

wrong_declarations() {
	local name=finish_task_switch prev="(struct task_struct \*prev)"

	wrong_declaration "$name$prev" "struct rq *$name(struct task_struct *next)" \
		"finish_task_switch.isra.0: 'struct rq *$name(struct task_struct *next)' lacks one"
	wrong_declaration "$name" "struct rq *finish_task_switcH" "declares another function"
	wrong_declaration "$name$prev" "struct rq *$name(struct task_struct *prev," "error: "
	wrong_declaration "$name$prev" "void $name(struct task_struct *prev)      " \
		"is the same as the FUNC"
}

# What libfentry takes names for, against another reader of DWARF.
sources() {
	local library=$build/fentry/libfentry.so.1

	need_kernel "$1"
	need_dwarfdump
	[[ -e $library && -e $build/$1/btf/vmlinux.functions ]] ||
		skip "no $library, or no $build/$1/btf; 'make fentry' and 'make kernel FLAVOUR=$1' build them"
	expect 0 '' "$here/sources" --functions "$build/$1/btf" "$library" "$vmlinux"
	[[ $out =~ without:.*[1-9][0-9]{4,}\ specifications.*files.*[1-9][0-9]{4,}\ specifications ]] ||
		fail "looked at little: $out"
}

module_whose_btf_lacks_a_parameter() {
	local module=$build/selftests/modules-gcc/dropped.ko

	need_kernel gcc
	[[ -e $module ]] || skip "no $module; 'make selftests' builds it"
	expect 1 "without_last: .text+" \
		regcheck --exceptions "$here/exceptions" "$vmlinux" "$module"
	want_text "dropped.ko: 2 functions, 1 reads of a register"
	want_no_text "with_all: "
}

tests=("selftest "{instructions,flow,open,linked,doubts,prototypes,returns,names})
for flavour in ${FLAVOURS:-gcc thinlto noaddr}; do
	case $flavour in
	noaddr) tests+=("false_prototypes noaddr") ;;
	gcc) tests+=({wrong_declarations,module_whose_btf_lacks_a_parameter}" gcc") ;;&
	gcc | thinlto)
		tests+=({instructions,declarations,returns,inline_sites,names,sources,kernel,kernel_modules}" $flavour")
		;;
	esac
done
run_tests "${tests[@]}"
