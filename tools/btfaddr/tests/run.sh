#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Unit tests of btfaddr: TAP on stdout, status 1 if one fails.
#
# The sources in src/ are compiled with each compiler and DWARF version, linked
# and given to pahole -J. Comments in them say what btfaddr must print:
#   EXPECT <who> <unit or ->: <prototype>	with an address, its unit tagged if given
#   LEFT_OUT <who>: <symbol>			not given an address
#   INIT <who>: <name>				in BTF, without an address
#   ABSENT <who>: <symbol>			neither of these
# <who> is all, gcc, clang, or clang19 (clang 15 and later, which mark changes), gcc12, or
# gcc14 (later than 12; it names some changes otherwise). gcc_kernel and gcc_module differ because
# pahole writes no FUNC into a module if the base has an equal one. All but "all" may have _x86 or
# _arm64 behind them.
#
# Environment: BTFADDR (the program), RESOLVE_BTFIDS (of the kernel tree), LOAD (load.c), WORK (folder
# for what is built), QUICK (if set, one compiler instead of all, and one mutant of eight), EACH_ONCE
# (if set, three mutants of eight), DECODERS (decoders.c; if set, everything is run under valgrind)
set -euo pipefail
shopt -s inherit_errexit

HERE=$(cd "$(dirname "$0")" && pwd)
readonly HERE
: "${BTFADDR:?}" "${LOAD:?}" "${WORK:?}" "${RESOLVE_BTFIDS:?}"
. "$HERE/../../harness/taplib.sh"
. "$HERE/lies.sh"
. "$HERE/lto.sh"
. "$HERE/damaged.sh"
. "$HERE/modules.sh"
. "$HERE/bad_modules.sh"
. "$HERE/guard.sh"
. "$HERE/names.sh"
. "$HERE/uses.sh"
. "$HERE/clang.sh"
. "$HERE/edges.sh"
. "$HERE/oracle.sh"
. "$HERE/finished.sh"
. "$HERE/copies.sh"
. "$HERE/arm64.sh"
. "$HERE/inlined.sh"
. "$HERE/entries.sh"
readonly TEXT=0x1000000
# These are compiled, and the expectations are read from them.
SOURCES=("$HERE"/src/{kernel,net}/*.c "$HERE/src/start.c")
GCC=gcc14
[ "$(gcc -dumpversion)" -gt 12 ] || GCC=gcc12
readonly GCC
CFLAGS=(-O2 -fno-pie -ffreestanding -mno-sse -pg -mfentry -Wno-unused-parameter
	-fno-asynchronous-unwind-tables)
# Prefix of the tools for another architecture
CROSS=

if [ -n "${QUICK:-}" ]; then
	readonly THREADS=(3) SEEDS=(1)
elif [ -n "${EACH_ONCE:-}" ]; then
	readonly THREADS=(2 3 8 1000) SEEDS=({1..3})
else
	readonly THREADS=(2 3 8 1000) SEEDS=({1..8})
fi

# report_log RESULT NAME FILE - as report; the first lines of FILE explain a failure
report_log()
{
	local log=$3

	report "$1" "$2"
}

# details - what "report" shows
details()
{
	[ -z "${log:-}" ] || head -20 "$log"
}

# try LOG CMD... - run CMD in a subshell; a function ends where a command in it fails. Its status is
# in $rc, as bash would ignore the -e in a condition.
try()
{
	local log=$1

	shift
	set +e
	(set -e; "$@") >"$log" 2>&1
	rc=$?
	set -e
}

# check NAME CMD... - passes if CMD succeeds, as try() runs it; $rc says so
check()
{
	try "$WORK/out" "${@:2}"
	report_log "$rc" "$1" "$WORK/out"
}

fails_early()
{
	false
	true
}

# If check() missed such failures, most tests would prove nothing.
sees_early_failure()
{
	check "an early failure" fails_early >"$WORK/inner"
	grep '^not ok' "$WORK/inner"
}

# compile CC DWARF DIR [FLAG...] - compile SOURCES in a folder, where their objects stay. The paths in
# DWARF are those of a module that is built out of tree.
compile()
{
	local file out

	rm -rf "$3"
	mkdir -p "$3"
	for file in "${SOURCES[@]}"; do
		out=${file#"$HERE/src/"}
		(cd "$3" && "$1" "${CFLAGS[@]}" -g -gdwarf-"$2" "${@:4}" -c "$file" -o "${out//\//_}.o")
	done
}

# link_kernel OUT OBJECT... - link objects as a kernel is linked, and run pahole
link_kernel()
{
	"${CROSS}gcc" "${CFLAGS[@]}" -g0 -c "$HERE/src/start.c" -o "$WORK/start.o"
	"${CROSS}ld" -static -Ttext=$TEXT --defsym=_text=$TEXT "${@:2}" "$WORK/start.o" -o "$1"
	pahole -J "$1"
}

# build CC DWARF OUT [FLAG...] - make a kernel of src/
build()
{
	compile "$1" "$2" "$3.o" "${@:4}"
	# the kernel's linker script has these symbols, too
	link_kernel "$3" --defsym=_stext=$TEXT --defsym=_etext=etext \
		"$3.o"/{kernel_one,net_{two,three},kernel_{abi,opt,regs,memory,source}}.c.o
}

# lines KEYWORD KIND MARKS - what the sources say, without keyword and compiler
lines()
{
	local kinds="all\|$2\|$2_${WHERE:-kernel}\|$2_${MACHINE:-x86}\|$3\|$3_${MACHINE:-x86}"

	sed -n "s/^ \* $1 \($kinds\)[: ] *\(.*\)/\2/p" "${SOURCES[@]}"
}

# normalize - give base types the same names for all compilers
normalize()
{
	sed 's/long int/long/g; s/long unsigned int/unsigned long/g; s/short int/short/g; s/\* restrict/*restrict/g; s/volatile const/const volatile/g; s/\* const \*/*const */g'
}

# has_line FILE ADDR_PATTERN UNIT PROTO
has_line()
{
	awk -F'\t' -v addr="$2" -v unit="$3" -v proto="$4" \
		'$1 ~ addr && $3 == unit && $4 == proto { found = 1 } END { exit !found }' "$1"
}

# expectations TITLE DUMP LEFT KIND MARKS
expectations()
{
	local title=$1 dump=$2 left=$3 kind=$4 marks=$5 line name rc

	while IFS= read -r line; do
		rc=0
		has_line "$dump" '^[^-]' "${line%%: *}" "${line#*: }" || rc=1
		name=${line%%(*}
		grep -F "${name##* }" "$dump" "$left" >"$WORK/out" || true
		report_log $rc "$title: $line" "$WORK/out"
	done < <(lines EXPECT "$kind" "$marks")
	while IFS= read -r line; do
		name=$line
		rc=0
		cut -f2 "$left" | grep -xF "$name" >/dev/null || rc=1
		grep -qP "^[^-].*[ *]\Q$name\E\(" "$dump" && rc=1
		report_log $rc "$title: left out: $name" "$left"
	done < <(lines LEFT_OUT "$kind" "$marks")
	[ "${6:-}" = skip_init ] || while IFS= read -r line; do
		rc=0
		grep -qP "^-\t.*[ *]\Q$line\E\(" "$dump" || rc=1
		report_log $rc "$title: no address: $line" "$dump"
	done < <(lines INIT "$kind" "$marks")
	while IFS= read -r line; do
		rc=0
		grep -qF "$line" "$dump" "$left" && rc=1
		report_log $rc "$title: absent: $line" "$dump"
	done < <(lines ABSENT "$kind" "$marks")
}

# addresses_fit ELF DUMP - nm has each pair of address and name that is in the dump
addresses_fit()
{
	nm "$1" | while read -r addr _ name; do
		printf '0x%x %s\n' $((0x$addr - TEXT)) "$name"
	done | sort >"$WORK/nm"
	sed -n 's/^\(0x[0-9a-f]*\)\t[^(]*[ *](\?\**\([A-Za-z0-9_.]*\)(.*/\1 \2/p' "$2" | sort >"$WORK/got"
	[ -s "$WORK/got" ] && [ -z "$(comm -13 "$WORK/nm" "$WORK/got")" ]
}

# What may differ in the types of the input: prototypes of FUNCs, the indexes of parameters in tags,
# and functions that are left out, which become "const void".
readonly MAY_DIFFER="/ FUNC /s/type_id=[0-9]*//; / DECL_TAG /s/component_idx=.*//;
s/ FUNC '\(folded_write\|unnamed\)' .*/ CONST '(anon)' type_id=0/"

# ids_kept ELF LEGACY - the input's types are there with their ids
ids_kept()
{
	bpftool btf dump file "$1" format raw | sed "$MAY_DIFFER" >"$WORK/before"
	bpftool btf dump file "$2" format raw | sed "$MAY_DIFFER" >"$WORK/after"
	cmp -n "$(stat -c %s "$WORK/before")" "$WORK/before" "$WORK/after"
}

# threads ELF - output and messages are the same on any number of threads
threads()
{
	local nr

	for nr in 1 "${THREADS[@]}"; do
		"$BTFADDR" -j "$nr" "$1" -o "$WORK/btf-$nr" --stats --left-out >"$WORK/out-$nr" &&
			cmp "$WORK/btf-1" "$WORK/btf-$nr" &&
			cmp "$WORK/out-1" "$WORK/out-$nr" || return 1
	done
}

# declared RAW DUMP MIN SOURCE... - functions that the compiler changed have tags that agree with
# the sources, others have none; there are at least MIN tags
declared()
{
	local raw=$1 dump=$2 min=$3

	shift 3
	"$HERE/declared.py" "$dump" "$raw" "$@" &&
		[ "$(grep -c "DECL_TAG 'source:" "$raw")" -ge "$min" ]
}

# general TITLE ELF BTF - tests that every input must pass
general()
{
	local title=$1 elf=$2 btf=$3

	check "$title: addresses are those of nm" addresses_fit "$elf" "$btf.dump"
	check "$title: deterministic" eval '"$BTFADDR" "$elf" -o "$btf.2" && cmp "$btf" "$btf.2"'
	check "$title: same on any number of threads" threads "$elf"
	check "$title: --legacy keeps ids" eval \
		'"$BTFADDR" --legacy "$elf" -o "$btf.legacy" && ids_kept "$elf" "$btf.legacy"'
	cp "$elf" "$elf.done"
	"${CROSS}objcopy" --update-section .BTF="$btf" "$elf.done" 2>/dev/null
	check "$title: --check accepts it" "$BTFADDR" --check "$elf.done"
	check "$title: idempotent" eval '"$BTFADDR" "$elf.done" -o "$btf.3" && cmp "$btf" "$btf.3"'
	check "$title: --legacy of annotated BTF" eval \
		'"$BTFADDR" --legacy "$elf.done" -o "$btf.4" && cmp "$btf.legacy" "$btf.4"'
}

# compiler_tests CC KIND MARKS DWARF [FLAG...]
compiler_tests()
{
	local cc=$1 kind=$2 marks=$3 dwarf=$4 title="$1 dwarf$4${5:+ $5}" elf rc

	shift 4
	elf="$WORK/$cc-$dwarf${1:+$1}.elf"
	check "$title: builds" build "$cc" "$dwarf" "$elf" "$@"
	[ "$rc" = 0 ] || return 0
	check "$title: is annotated" eval '"$BTFADDR" "$elf" -o "$elf.btf" --left-out >"$elf.left"'
	[ "$rc" = 0 ] || return 0
	"$BTFADDR" "$elf.btf" --dump | normalize >"$elf.btf.dump"
	expectations "$title" "$elf.btf.dump" "$elf.left" "$kind" "$marks"
	general "$title" "$elf" "$elf.btf"
	bpftool btf dump file "$elf.btf.legacy" format raw >"$elf.raw"
	check "$title: what changed is tagged with its source" declared \
		"$elf.raw" "$elf.btf.dump" 10 "${SOURCES[@]}" "$HERE/src/header.h"
}

# Tags on parameters of a function that lost a parameter.
param_tags()
{
	local elf=$WORK/clang-5.elf

	bpftool btf dump file "$elf" format raw >"$WORK/before"
	bpftool btf dump file "$elf.btf.legacy" format raw >"$WORK/out"
	grep -q "DECL_TAG 'on_kept' .*component_idx=2" "$WORK/before" &&
		grep -q "DECL_TAG 'on_const' .*component_idx=1" "$WORK/before" &&
		grep -q "DECL_TAG 'on_kept' .*component_idx=1" "$WORK/out" &&
		grep -q "DECL_TAG 'on_const' .*component_idx=-1" "$WORK/out"
}

# fails NAME PATTERN STATUS CMD... - CMD ends with STATUS, prints one line that matches PATTERN, and
# writes no output
fails()
{
	local name=$1 pattern=$2 status=$3 rc=0

	shift 3
	rm -f "$WORK/never"
	"$@" >"$WORK/out" 2>&1 || rc=$?
	if [ $rc = "$status" ] && [ ! -e "$WORK/never" ] && grep -q "$pattern" "$WORK/out" &&
	   { [ "$status" = 2 ] || [ "$(wc -l <"$WORK/out")" = 1 ]; }; then
		report 0 "$name"
	else
		echo "status $rc, expected $status and: $pattern" >>"$WORK/out"
		report_log 1 "$name" "$WORK/out"
	fi
}

# refuses PATTERN CMD... - CMD ends with status 1, and prints what matches PATTERN
refuses()
{
	local rc=0

	"${@:2}" >"$WORK/said" 2>&1 || rc=$?
	cat "$WORK/said"
	[ $rc = 1 ]
	grep -- "$1" "$WORK/said"
}

# compressed_by_zstd ELF NEVER - Debian 12's libelf can't decompress it, that of 13 can.
compressed_by_zstd()
{
	objcopy --compress-debug-sections=zstd "$1" "$WORK/zstd"
	if pkg-config --atleast-version=0.189 libelf; then
		check "DWARF compressed by zstd" eval \
			'"$BTFADDR" "$WORK/zstd" -o "$WORK/zstd.btf" && cmp "$WORK/zstd.btf" "$WORK/gcc-5.elf.btf"'
	else
		fails "DWARF compressed by zstd" "zstd: DWARF compressed by zstd.*decompress" 1 \
			"$BTFADDR" "$WORK/zstd" -o "$2"
	fi
}

bad_input()
{
	local elf=$WORK/gcc-5.elf out=$WORK/never size

	echo "hello, world, this is no kernel" >"$WORK/text"
	: >"$WORK/empty"
	size=$(stat -c %s "$elf")
	head -c $((size / 2)) "$elf" >"$WORK/half"
	head -c 40 "$elf" >"$WORK/head"
	objcopy --remove-section .BTF "$elf" "$WORK/nobtf"
	objcopy --strip-debug "$elf" "$WORK/nodwarf"
	strip -o "$WORK/stripped" "$elf"
	objcopy --strip-symbol _text "$elf" "$WORK/notext"
	head -c 1000 "$elf.btf" >"$WORK/half.btf"
	fails "no such file" "none: cannot open" 1 "$BTFADDR" "$WORK/none" -o "$out"
	fails "not an ELF file" "text: not an ELF" 1 "$BTFADDR" "$WORK/text" -o "$out"
	fails "empty file" "empty: not an ELF" 1 "$BTFADDR" "$WORK/empty" -o "$out"
	fails "truncated ELF" "half: .*truncated" 1 "$BTFADDR" "$WORK/half" -o "$out"
	fails "truncated ELF header" "head: " 1 "$BTFADDR" "$WORK/head" -o "$out"
	fails "no .BTF" "nobtf: no .BTF section: run pahole" 1 "$BTFADDR" "$WORK/nobtf" -o "$out"
	fails "no DWARF" "nodwarf: no DWARF" 1 "$BTFADDR" "$WORK/nodwarf" -o "$out"
	compressed_by_zstd "$elf" "$out"
	fails "no symbols" "stripped: no symbol table" 1 "$BTFADDR" "$WORK/stripped" -o "$out"
	fails "no _text" "notext: no symbol _text" 1 "$BTFADDR" "$WORK/notext" -o "$out"
	fails "truncated BTF" "half.btf: .*truncated" 1 \
		"$BTFADDR" "$elf" --btf "$WORK/half.btf" -o "$out"
	fails "BTF of something else" "text: not BTF" 1 "$BTFADDR" "$elf" --btf "$WORK/text" -o "$out"
	fails "raw BTF without addresses" "this BTF has no addresses" 1 \
		"$BTFADDR" "$elf.btf.legacy" -o "$out"
	fails "folder is missing" "nowhere/x: cannot write" 1 "$BTFADDR" "$elf" -o "$WORK/nowhere/x"
	fails "--check without addresses" "no function in .BTF has an address" 1 \
		"$BTFADDR" --check "$elf"
	# root may write anywhere, but nobody writes to /proc
	fails "folder not writable" "/proc/x: cannot write" 1 "$BTFADDR" "$elf" -o /proc/x
	fails "output is a device" "not a regular file" 1 "$BTFADDR" "$elf" -o /dev/null
	check "--check names a mismatch" moved
}

usage_errors()
{
	local elf=$WORK/gcc-5.elf

	fails "no INPUT" "no INPUT" 2 "$BTFADDR"
	fails "two INPUTs" "more than one INPUT" 2 "$BTFADDR" a b
	fails "nothing to do" "nothing to do" 2 "$BTFADDR" "$elf"
	fails "unknown option" "unrecognized option" 2 "$BTFADDR" --guess "$elf"
	fails "no threads" "jobs=0: not a number" 2 "$BTFADDR" -j 0 "$elf"
	fails "unknown number of threads" "jobs=2x: not a number" 2 "$BTFADDR" --jobs=2x "$elf"
	fails "unknown statistics" "only json" 2 "$BTFADDR" --stats=xml "$elf"
}

# --check names what does not fit
moved()
{
	objcopy --redefine-sym only_here=moved_away "$WORK/gcc-5.elf.done" "$WORK/moved"
	refuses "function 'only_here' at _text+0x[0-9a-f]*: no function symbol of this name" \
		"$BTFADDR" --check "$WORK/moved"
	grep "1 of [0-9]* addresses don't fit" "$WORK/said"
}

# Compressed sections hold the same.
compressed_vmlinux()
{
	objcopy --compress-debug-sections="$1" "$WORK/gcc-5.elf" "$WORK/compressed" &&
		"$BTFADDR" "$WORK/compressed" -o "$WORK/compressed.btf" &&
		cmp "$WORK/compressed.btf" "$WORK/gcc-5.elf.btf"
}

json()
{
	"$BTFADDR" --stats=json "$WORK/gcc-5.elf" >"$WORK/json"
	python3 - "$WORK/json" "$GCC" <<'PY'
import json, sys
s = json.load(open(sys.argv[1]))
assert s["seen"] == s["annotated"] + sum(s["left_out"].values()), s
assert s["annotated"] == s["kept"] + s["corrected"] + s["added"], s
assert s["annotated"] == sum(s["by_kind"].values()), s
kinds = {"gcc12": (13, 13), "gcc14": (24, 2)}[sys.argv[2]]
assert (s["by_kind"]["isra"], s["by_kind"]["constprop"]) == kinds, s
assert s["by_kind"]["part"] == 2 and s["dropped"] == 5, s
assert s["changed"] == 26 and 16 * s["changed"] < s["source_bytes"] < 4096, s
assert s["ambiguous"] == 8 and s["without_address"]["init"] == 1, s
assert s["bytes_after"] > s["bytes_before"] > 0, s
PY
}

# Types that the BTF lacks come from DWARF. The BTF is of one source, the functions of others.
missing_types()
{
	local elf=$WORK/gcc-5.elf

	gcc -g -c -x c /dev/null -o "$WORK/small.o" -include /dev/stdin <<<'int x; struct pair *p; struct pair { long first, second; };'
	pahole -J "$WORK/small.o"
	section .BTF "$WORK/small.o" >"$WORK/small.btf"
	"$BTFADDR" "$elf" --btf "$WORK/small.btf" -o "$WORK/full.btf"
	"$BTFADDR" "$WORK/full.btf" --dump | normalize >"$WORK/full.dump"
	# init_only isn't in that BTF
	grep -v init_only "$elf.left" >"$WORK/full.left"
	expectations "types from DWARF" "$WORK/full.dump" "$WORK/full.left" gcc "$GCC" skip_init
}

more_compilers()
{
	local cc=clang-19

	compiler_tests gcc gcc "$GCC" 4
	compiler_tests clang clang clang 5
	compiler_tests clang clang clang 4
	if command -v $cc >/dev/null; then
		compiler_tests $cc clang clang19 5
		compiler_tests $cc clang clang19 4
		lto
	else
		report_skipped "$cc and ThinLTO" "no $cc: apt-get install clang-19 lld-19"
	fi
}

main()
{
	rm -rf "$WORK"
	mkdir -p "$WORK"
	tap_begin
	check "tests fail where a command does" sees_early_failure
	[ -z "${DECODERS:-}" ] || check "threads that decode share nothing" \
		valgrind -q --tool=helgrind --error-exitcode=99 "$DECODERS"
	compiler_tests gcc gcc "$GCC" 5
	# not as "|| more": bash would ignore -e in there
	if [ -z "${QUICK:-}" ]; then
		more_compilers
		usage_errors
		check "tags on parameters" param_tags
	fi
	bad_input
	missing_types
	can_load "$WORK/gcc-5.elf.btf.legacy"
	lies
	# the sanitizers run these, too, in a quarter of the time
	if [ -z "${DECODERS:-}" ]; then
		damaged
		guard
	fi
	uses
	[ -n "${QUICK:-}" ] || uses_clang
	edges
	[ -n "${QUICK:-}" ] || oracle
	modules
	names
	finished
	copies
	arm64
	inlined
	entries
	if [ -z "${QUICK:-}" ]; then
		bad_modules
	fi
	check "DWARF compressed by zlib" compressed_vmlinux zlib
	check "DWARF compressed in GNU's old way" compressed_vmlinux zlib-gnu
	check "--stats of annotated BTF" eval '"$BTFADDR" --stats "$WORK/gcc-5.elf.btf" | grep "^annotated already: [1-9]" >/dev/null'
	check "--stats=json adds up" json
	tap_end
}

main "$@"
