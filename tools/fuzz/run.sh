#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: run.sh check
#        run.sh fuzz SECONDS
#
# "check" gives each target its reproducers, and inputs that are always the same. It prints TAP. "fuzz"
# runs each target with a corpus that grows. It fails if it has found something, which is in OBJ/found.
#
# Environment: OBJ (where the targets are), BTFADDR (the program), TARGETS
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
. "$here/../harness/taplib.sh"
: "${OBJ:?}" "${BTFADDR:?}" "${TARGETS:?}"
readonly seeds=$OBJ/seeds
export BASE=$OBJ/work/base.btf
# resolve_btfids ends without freeing what it has.
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:handle_abort=1
export UBSAN_OPTIONS=print_stacktrace=1

# How many inputs "check" gives each target.
readonly runs=20000

# link OUTPUT COMPILER FLAG... - Compile both halves of seed.c, whose functions share names.
link() {
	local half flags=(-O2 -g -fno-pie -ffreestanding "${@:3}")

	for half in FIRST SECOND; do
		"$2" "${flags[@]}" "-D$half" -c "$here/seed.c" -o "$work/$half.o"
	done
	if [[ $1 == *.ko ]]; then
		ld -r "$work"/{FIRST,SECOND}.o -o "$1"
	else
		ld -e start --defsym=_text=0x401000 "$work"/{FIRST,SECOND}.o -o "$1"
	fi
}

# make_modules COMPILER - Make a module as pahole leaves it, and one with btfaddr's BTF in .BTF.raw.
make_modules() {
	local ko=$work/$1.ko modules=$seeds/fuzz_module

	link "$ko" "$1" -Dnode=peer -Dsum=total_of
	pahole -J --btf_base "$BASE" "$ko"
	cp -- "$ko" "$modules/$1"
	"$BTFADDR" --btf_base "$BASE" "$ko" -o "$ko.raw"
	objcopy --add-section .BTF.raw="$ko.raw" "$ko" "$modules/$1-raw"
	cp -- "$modules/$1-raw" "$seeds/fuzz_resolve_btfids"
}

# finish_vmlinux - Make a kernel as its build leaves it: with .BTF_func beside ordinary BTF. The dump
# has the offset from _text and the id of each function. Id 1 is at position 0.
finish_vmlinux() {
	"$BTFADDR" --dump "$seeds/fuzz_libbpf_btf/extended" | python3 -c '
import struct, sys
records = sorted((int(line.split()[0], 16), int(line.split()[1]) - 1) for line in sys.stdin)
sys.stdout.buffer.write(b"".join(struct.pack("<II", *record) for record in records))
' >"$work/records"
	objcopy --update-section .BTF="$BASE" --add-section .BTF_func="$work/records" \
		"$seeds/fuzz_elf/gcc" "$seeds/fuzz_elf/gcc-finished"
	"$BTFADDR" --check "$seeds/fuzz_elf/gcc-finished"
}

# finish_module COMPILER - Have resolve_btfids finish a module. It leaves BTF and the base in files of
# their own.
finish_module() {
	local folder=$work/finish section

	rm -rf -- "$folder"
	mkdir -- "$folder"
	(cd -- "$folder" && "$OBJ/fuzz_resolve_btfids" "$seeds/fuzz_resolve_btfids/$1-raw" 2>/dev/null)
	objcopy --remove-section .BTF.raw "$folder/input"
	for section in .BTF .BTF.base; do
		[[ -e $folder/input$section ]] || continue
		objcopy --remove-section "$section" "$folder/input"
		objcopy --add-section "$section=$folder/input$section" "$folder/input"
	done
	"$BTFADDR" --btf_base "$BASE" --check "$folder/input"
	cp -- "$folder/input" "$seeds/fuzz_module/$1-finished"
}

# list_funcs MODULE OBJECT ARGUMENT... - Print the functions of BTF as /proc/kallsyms_btf does.
list_funcs() {
	PATH=$PATH:/usr/sbin bpftool btf dump "${@:3}" | tr -d "[]'" |
		awk -v module="$1" -v object="$2" '$2 == "FUNC" {
			printf "ffffffff81%06d t %s\t%s%s%s:%d\n", $1, $3, module, module ? "\t" : "", object, $1
		}'
}

# make_btf - Make raw BTF: with addresses, without, and with that of a module behind it.
make_btf() {
	objcopy -O binary --only-section=.BTF --set-section-flags .BTF=alloc \
		"$work/gcc.ko" "$work/split.btf"
	"$BTFADDR" "$seeds/fuzz_elf/gcc" -o "$seeds/fuzz_libbpf_btf/extended"
	cp -- "$BASE" "$seeds/fuzz_libbpf_btf/ordinary"
	cat -- "$BASE" "$work/split.btf" >"$seeds/fuzz_libbpf_btf/split"
	{
		cat -- "$BASE" "$work/split.btf"
		list_funcs '' 1 file "$BASE"
		list_funcs '[module]' 2 -B "$BASE" file "$work/split.btf"
	} >"$seeds/fuzz_index/ids"
	cat -- "$BASE" - >"$seeds/fuzz_index/kallsyms" <<-'END'
	KKKKKKKKKKKKKKKK t first
	ffffffff81000100 T start
	END
}

# make_inlined - Make a file with calls of static functions, which compilers inline if they may.
make_inlined() {
	local linked=$work/inlined

	link "$linked" gcc -Dnoinline=unused
	pahole -J "$linked"
	"$BTFADDR" --functions "$linked.calls" "$linked"
	objcopy -O binary --only-section=.BTF --set-section-flags .BTF=alloc "$linked" "$linked.btf"
	cat -- "$linked.btf" "$linked.calls" >"$seeds/fuzz_inlined/calls"
}

# make_seeds - Make the files that mutation begins with, by this machine's compilers.
make_seeds() {
	local target work=$OBJ/work spec i=0

	rm -rf -- "$seeds" "$work"
	mkdir -p -- "$work" "$seeds"/fuzz_{elf,module,resolve_btfids,libbpf_btf,index,inlined,spec,object}
	link "$seeds/fuzz_elf/gcc" gcc
	link "$seeds/fuzz_elf/clang" clang -gdwarf-4
	# pahole takes only the first of several files
	pahole -J "$seeds/fuzz_elf/gcc"
	pahole -J "$seeds/fuzz_elf/clang"
	"$BTFADDR" "$seeds/fuzz_elf/gcc" --legacy -o "$BASE"
	make_modules gcc
	make_modules clang
	make_btf
	make_inlined
	finish_vmlinux
	finish_module gcc
	finish_module clang
	for spec in twin 'twin@a/b.c' 'vmlinux:#7' 'module:tw*n@c/b.c' 'foo' '#4711' '[a-z]*'; do
		i=$((i + 1))
		printf %s "$spec" >"$seeds/fuzz_spec/$i"
	done
	clang -target bpf -O2 -g -I"$here/../fentry/lib" -I"/usr/include/$(gcc -print-multiarch)" \
		-c "$here/seed.bpf.c" -o "$seeds/fuzz_object/seed"
}

# fuzzer TARGET ARGUMENT... - Run a target in a folder of its own.
fuzzer() {
	local folder=$room/$1-$BASHPID

	mkdir -p -- "$folder" && cd -- "$folder" && nice "$OBJ/$1" -artifact_prefix="$OBJ/found/$1-" "${@:2}"
}

# reproduce TARGET/NAME - Give a target the input of this case.
reproduce() {
	local target

	target=${1%/*}
	sed '/^#/d' "$here/cases/$1" | base64 -d | gzip -d >"$OBJ/work/$target-${1##*/}" || return
	fuzzer "$target" "$OBJ/work/$target-${1##*/}"
}

# fixed TARGET - Give a target the inputs that are the same in every run. It also fails if there are
# fewer, or if it takes none of them.
fixed() {
	fuzzer "$1" -seed=1 "-runs=$runs" -max_len=65536 "$seeds/$1" || return
	grep -q "^Done $runs runs" "$logs/fixed-$1" &&
		grep -q '^[1-9][0-9]* of [0-9]* inputs were taken' "$logs/fixed-$1"
}

# list_jobs - Print what "check" runs, one a line, the longest first.
list_jobs() {
	local target case

	for target in $TARGETS; do
		[[ $target == oracle ]] || echo "fixed $target"
	done
	for case in "$here"/cases/*/*; do
		echo "reproduce ${case#"$here/cases/"}"
	done
}

# check - Run two jobs at a time. Their output, and their status, are in files until the end.
check() {
	local kind what log

	while read -r kind what; do
		[[ $(jobs -rp | wc -l) -lt 2 ]] || wait -n
		log=$logs/$kind-${what//\//-}
		( "$kind" "$what" >"$log" 2>&1; echo $? >"$log.status" ) </dev/null &
	done < <(list_jobs)
	wait
	tap_begin
	details() { tail -n 40 -- "$log"; }
	while read -r kind what; do
		log=$logs/$kind-${what//\//-}
		report "$(<"$log.status")" "$what, $kind"
	done < <(list_jobs)
	tap_end
}

# guided TARGET SECONDS - Grow the corpus. Begin again after each finding, up to 20 times.
guided() {
	local end=$((SECONDS + $2)) left try

	for try in {1..20}; do
		left=$((end - SECONDS))
		[[ $left -gt 0 ]] || break
		(fuzzer "$1" "-seed=$try$BASHPID" "-max_total_time=$left" -print_final_stats=1 \
			-max_len=65536 -reload=5 "$OBJ/corpus/$1" "$seeds/$1") 2>&1 |
			grep -aE '^(stat::number|#[0-9]+.*cov:|SUMMARY|.*Test unit written)'
	done
}

# programs SECONDS - Run random programs, which btfaddr must describe as they are.
programs() {
	"$here/../btfaddr/tests/oracle/oracle.py" --fuzz "$1" "$BTFADDR" "$OBJ/work/oracle" \
		>"$logs/oracle" || cp -- "$logs/oracle" "$OBJ/found/oracle"
	sed -n '$s/^/oracle: /p' "$logs/oracle"
}

# fuzz SECONDS - Run each target for its share of the time, in two processes with one corpus.
fuzz() {
	local target nr

	nr=$(wc -w <<<"$TARGETS")
	for target in $TARGETS; do
		if [[ $target == oracle ]]; then
			programs $(($1 / nr))
			continue
		fi
		mkdir -p -- "$OBJ/corpus/$target"
		guided "$target" $(($1 / nr)) >"$logs/$target.1" &
		guided "$target" $(($1 / nr)) >"$logs/$target.2" &
		wait
		awk -v target="$target" '/^stat::number/ { runs += $2 }
			match($0, /cov: [0-9]+/) { cov = substr($0, RSTART + 5, RLENGTH - 5) }
			/Test unit written/ { found++ }
			END { printf "%s: %d runs, %d edges, %d findings\n", target, runs, cov, found }
			' "$logs/$target".[12]
	done
	[[ -z $(ls -A -- "$OBJ/found") ]] || fail "what was found is in $OBJ/found"
}

# A target writes a file for each input, or several: on a disk that takes ten times as long.
room=$(mktemp -d -p /dev/shm 2>/dev/null) || room=$(mktemp -d)
trap 'rm -rf -- "$room"' EXIT
logs=$OBJ/work/logs
set -e	# without its seeds a target would find nothing
make_seeds >&2
mkdir -p -- "$OBJ/found" "$logs"
set +e
"$@"
