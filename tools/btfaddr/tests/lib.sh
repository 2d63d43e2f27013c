# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # the tests use the variables
#
# Sourced by the tests of btfaddr. Run alone, a test script has make build what it needs first.
#
# Environment, from make: BTFADDR (the program), RESOLVE_BTFIDS (of the kernel tree), LOAD (load.c),
# FIXTURES (the folder that fixtures.mk describes), KERNELS, MODULES, PROGRAMS (names of fixtures),
# QUICK (if set, one compiler instead of all, and one mutant of eight), EACH_ONCE (if set, three
# mutants of eight), DECODERS (decoders.c; if set, btfaddr runs under valgrind)

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
[[ -n ${FIXTURES:-} ]] ||
	exec make -s --no-print-directory -C "$here/.." check SCRIPTS="tests/${0##*/}"
. "$here/../../harness/taplib.sh"
shopt -s inherit_errexit

readonly TEXT=0x1000000
# what most tests take, and link_module()'s base unless it is another
kernel=$FIXTURES/gcc-5.elf ko=$FIXTURES/gcc-5.ko
# What expectations call the native gcc
gcc=gcc14
[[ $(gcc -dumpversion) -gt 12 ]] || gcc=gcc12
CFLAGS=(-O2 -fno-pie -ffreestanding -mno-sse -pg -mfentry -Wno-unused-parameter
	-fno-asynchronous-unwind-tables)
# Prefix of the tools for another architecture
CROSS=
export MACHINE=x86
seeds=({1..8})
[[ -z ${EACH_ONCE:-} ]] || seeds=({1..3})
[[ -z ${QUICK:-} ]] || seeds=(1)

# needs COMMAND [PACKAGE] - Skip the test if there is no such command.
needs() {
	[[ -n $(type -P "$1") ]] || skip "no $1: apt-get install ${2:-$1}"
}

# on_arm64 COMMAND... - Run a test with what is compiled for arm64.
on_arm64() {
	needs aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu
	CROSS=aarch64-linux-gnu- MACHINE=arm64
	CFLAGS=(-O2 -fno-pie -ffreestanding -mgeneral-regs-only -w
		-fno-asynchronous-unwind-tables -fpatchable-function-entry=2)
	"$@"
}

# of NAME - Set cc, dwarf and flags, and the architecture, as the name of a fixture says:
# [arm64-]CC-DWARF[-FLAG+...]. who and marks are what expectations call the compiler.
of() {
	[[ $1 != arm64-* ]] || on_arm64 :
	[[ ${1#arm64-} =~ ^(.*)-([45])(-.*)?$ ]]
	cc=${BASH_REMATCH[1]} dwarf=${BASH_REMATCH[2]} flags=() who=clang marks=clang
	[[ -z ${BASH_REMATCH[3]} ]] || IFS=+ read -ra flags <<<"${BASH_REMATCH[3]}"
	case $cc in
	gcc) cc=${CROSS}gcc who=gcc marks=$gcc ;;
	lto) cc=clang-19 ;;
	clang-19) marks=clang19; [[ -z $CROSS ]] || flags+=(--target=aarch64-linux-gnu) ;;
	esac
	needs "$cc"
}

# base_of NAME - Print the kernel that a module of this name is for: one by the same compiler.
base_of() {
	[[ $1 =~ ^(.*-[45]) ]]
	echo "$FIXTURES/${BASH_REMATCH[1]/#lto/clang-19}.elf"
}

# link_kernel OUT OBJECT... - Link objects as a kernel is linked, and run pahole.
link_kernel() {
	"${CROSS}gcc" "${CFLAGS[@]}" -g0 -c "$here/src/start.c" -o "$1.start.o"
	"${CROSS}ld" -static -Ttext=$TEXT --defsym=_text=$TEXT "${@:2}" "$1.start.o" -o "$1"
	pahole -J "$1"
}

# link_module KO OBJECT... - Link objects as a module is linked, and run pahole. The script does what
# the kernel's does: newer compilers make a list of sites for each section, and the kernel reads one.
link_module() {
	"${CROSS}ld" -r -T "$here/src/module.lds" "${@:2}" -o "$1"
	pahole -J --btf_base "$kernel.btf.legacy" "$1"
}

# addr OPTION... - Run btfaddr with the kernel as the base.
addr() {
	"$BTFADDR" --btf_base "$kernel.done" "$@"
}

# object OUT [FLAG...] <C - Compile, with the flags in prelude, too.
prelude=()
object() {
	"${CC:-${CROSS}gcc}" "${CFLAGS[@]}" "${prelude[@]}" -g "${@:2}" -x c -c - -o "$1"
}

# btf_of OUT [OPTION...] <C - Write the raw BTF that pahole, with these options, makes of the types.
btf_of() {
	gcc -g -x c -c - -o "$1.o"
	pahole -J "${@:2}" "$1.o"
	section .BTF "$1.o" >"$1"
}

# section NAME FILE - Print its contents.
section() {
	local tmp=$scratch/section.$BASHPID

	"${CROSS}objcopy" --dump-section "$1=$tmp" "$2" "$tmp.ko"
	cat "$tmp"
	rm "$tmp" "$tmp.ko"
}

without_ids() {
	cut -f1,3-
}

has_section() {
	readelf -SW "$1" | grep -F " $2 "
}

mutate() {
	"$here/mutate.py" "$@"
}

# normalize - Give base types the same names for all compilers, and raw parameters, which must be
# unsigned long, no type.
normalize() {
	sed 's/long int/long/g; s/long unsigned int/unsigned long/g; s/short int/short/g
		s/unsigned long \([^ ,()]*__isra[0-9]\)/\1/g
		s/\* restrict/*restrict/g; s/volatile const/const volatile/g; s/\* const \*/*const */g
		s/\.llvm\.[0-9]*/.llvm.HASH/g'
}

# annotated ELF [--btf FILE] - Annotate it, in bounded time. Afterwards its functions are in
# $scratch/dump, its types in $scratch/raw, and what is left out is in $scratch/left.
annotated() {
	timeout 60 "$BTFADDR" "$@" -o "$scratch/btf" --left-out >"$scratch/left"
	"$BTFADDR" "$@" --legacy -o "$scratch/legacy"
	"$BTFADDR" "$scratch/btf" --dump | normalize >"$scratch/dump"
	types_of "$scratch/legacy" >"$scratch/raw"
	cat "$scratch/dump" "$scratch/left"
}

# annotated_module KO - The same for a module, but without its types.
annotated_module() {
	addr "$1" --dump | normalize >"$scratch/dump"
	addr "$1" --left-out >"$scratch/left"
	cat "$scratch/dump" "$scratch/left"
}

# small NAME [LINK OPTION...] <C - Compile, link and annotate. CC, and OPT for -O, may be set.
small() {
	cat >"$scratch/$1.c"
	object "$scratch/$1.o" ${OPT:+"$OPT"} <"$scratch/$1.c"
	link_kernel "$scratch/$1" "$scratch/$1.o" "${@:2}"
	annotated "$scratch/$1"
}

# described PROTO... - Functions have an address, no unit, and these prototypes.
described() {
	local proto

	for proto; do
		grep -qP "^[^-][^\t]*\t\d+\t-\t\Q$proto\E$" "$scratch/dump" || fail "not described: $proto"
	done
}

# dumped REGEX, not_dumped REGEX - Is there a line in what annotated() wrote?
dumped() {
	grep -P -- "$1" "$scratch/dump"
}

not_dumped() {
	refute dumped "$@"
}

# left_out SYMBOL [REASON] - The symbol, a regular expression, is left out.
left_out() {
	grep -P "\t$1\t${2:-}" "$scratch/left"
}

# types_of FILE [OPTION...] - Print the types, as bpftool does with these options.
types_of() {
	bpftool "${@:2}" btf dump file "$1" format raw
}

# func_id FILE NAME [OPTION...] - Print the id of the first FUNC of that name in BTF.
func_id() {
	types_of "$1" "${@:3}" | sed -n "s/^\[\([0-9]*\)\] FUNC '$2'.*/\1/p" | head -n 1
}

# unsure BTF NAME - The function may not return what the source says.
unsure() {
	types_of "$1" | grep "DECL_TAG 'return:unsure' type_id=$(func_id "$1" "$2") "
}

# places - Print the address and the name of each function in a dump that has an address.
places() {
	sed -n 's/^\([.0][^\t]*\)\t[^(]*[ *](\?\**\([A-Za-z0-9_.]*\)(.*/\1 \2/p'
}

# are_of_nm ELF DUMP - nm has each pair of address and name that is in the dump.
are_of_nm() {
	nm "$1" | while read -r addr _ name; do
		printf '0x%x %s\n' $((0x$addr - TEXT)) "$name"
	done | sort >"$scratch/nm"
	places <"$2" | sort >"$scratch/got"
	[[ -s $scratch/got && -z $(comm -13 "$scratch/nm" "$scratch/got") ]]
}

# same_on_threads ELF - Output and messages are the same on any number of threads.
same_on_threads() {
	local nr numbers=(1 2 3 8 1000)

	[[ -z ${QUICK:-} ]] || numbers=(1 3)
	for nr in "${numbers[@]}"; do
		"$BTFADDR" -j "$nr" "$1" -o "$scratch/btf-$nr" --stats --left-out >"$scratch/out-$nr"
		cmp "$scratch/btf-1" "$scratch/btf-$nr"
		cmp "$scratch/out-1" "$scratch/out-$nr"
	done
}

# declared MIN SOURCE... - In what annotated() wrote, functions that the compiler changed have tags
# that agree with the sources, others have none; there are at least MIN tags.
declared() {
	"$here/declared.py" "$scratch/dump" "$scratch/raw" "${@:2}"
	[[ $(grep -c "DECL_TAG 'source:" "$scratch/raw") -ge $1 ]]
}

# refused TEXT COMMAND... - The command ends with status 1, and says nothing but one line with TEXT.
# It has written no $scratch/never, which may be its output.
refused() {
	expect 1 "$1" "${@:2}"
	[[ $out != *$'\n'* && ! -e $scratch/never ]] || fail "more than a line, or a file: $out"
}

# can_load - Does the running kernel let us load BTF?
can_load() {
	"$LOAD" "$kernel.btf.legacy" >/dev/null 2>&1
}

# kernel_takes BTF - If so, it takes this raw file. It is stricter with a user's BTF than with its
# own: parameters of functions must have names.
kernel_takes() {
	! can_load || "$LOAD" "$1"
}

# change ANCHOR PATTERN TEXT <ASM - Replace the first line that matches PATTERN at or after the
# first that matches ANCHOR.
change() {
	awk -v anchor="$1" -v pattern="$2" -v text="$3" '
		!seen && $0 ~ anchor { seen = 1 }
		seen && !done && $0 ~ pattern { print text; done = 1; next }
		{ print }
		END { exit !done }'
}

# assemble ASM OUT - Assemble and link it.
assemble() {
	gcc -c "$1" -o "$2.o" 2>/dev/null
	ld -static -Ttext=$TEXT --defsym=_text=$TEXT -e $TEXT "$2.o" -o "$2"
}

# make_lie ANCHOR PATTERN TEXT - Make $scratch/lie, the honest program with a change.
make_lie() {
	change "$@" <"$FIXTURES/honest.s" >"$scratch/lie.s"
	assemble "$scratch/lie.s" "$scratch/lie"
}

# mutants ELF SECTIONS SEEDS COMMAND... - The command succeeds with files that have damaged bytes in
# one of these sections. The seeds are fixed. The last line of the output names the one that failed.
mutants() {
	local section seed

	for section in $2; do
		for seed in $3; do
			mutate bytes "$1" "$scratch/mutant" "$section" "$seed"
			echo "mutate.py bytes $1 OUT $section $seed"
			"${@:4}"
		done
	done
}

# runs_as_said MIN ELF FUNCTIONS [BASE] - Run a program. At breakpoints, at least MIN values are
# where FUNCTIONS says, and all are right.
runs_as_said() {
	needs qemu-x86_64-static qemu-user-static
	"$here/inline_run.py" "$2" "$3" "${4:-$2}" | tee "$scratch/run"
	[[ $(sed -n 's/.* \([0-9]*\) values$/\1/p' "$scratch/run") -ge $1 ]]
}

# inline_says COMMAND FILE BASE... - Run a command of inline_btf.py.
inline_says() {
	"$here/inline_btf.py" "$@"
}
