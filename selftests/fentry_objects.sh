#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Users' own objects: fentry run with each form of section and --target, and the
# program that tools/fentry/README.md shows. TAP.
source "$(dirname -- "${BASH_SOURCE[0]}")/lib/fentry_lib.sh"

readonly FORMS=$OUTPUT/fentry_forms.bpf.o AMBIGUOUS=$OUTPUT/fentry_ambiguous.bpf.o
readonly MISSING=$OUTPUT/fentry_missing.bpf.o SLEEPABLE=$OUTPUT/fentry_sleepable.bpf.o
readonly HELPER=$OUTPUT/fentry_helper.bpf.o MANY=$OUTPUT/fentry_many.bpf.o
readonly NAMED=$OUTPUT/fentry_named.bpf.o
readonly EXAMPLE=${FENTRY%/bin/*}/fentry

test_forms() {
	fentry run "$FORMS" -- sh -c \
		"'$TRIGGER' map_elem 3 && '$TRIGGER' sk_storage 2 && cat /sys/kernel/irq/4/name"
	check "run: an object with each form of section" 0 says "running 5 programs"
	check 'run: SEC("fentry/name@unit")' 0 printed "3 with_unit"
	check 'run: SEC("fexit/module:name@unit")' 0 printed "2 with_module"
	check 'run: SEC("fexit/glob") has one function, which is not called' 0 printed "0 with_glob"
	check 'run: SEC("fentry/name") chose the function with its parameters' 0 printed "1 by_parameters" \
		printed "1 by_parameters 1"
	check 'run: SEC("fexit/name"), with a parameter for the return value' 0 printed "1 by_parameters_exit"
}

test_sleepable() {
	fentry run "$SLEEPABLE" -- cat /proc/version
	check "run: SEC(\"fentry.s/...\") and SEC(\"fexit.s/...\") may read what isn't in memory" 0 \
		says "running 2 programs" \
		out ".* bpf_trace_printk: sleepable /proc/version" \
		out ".* bpf_trace_printk: sleepable_exit /proc/version"
	fentry run "$SLEEPABLE" -- sh -c 'cat "/$(printf "\033")[31m" 2>/dev/null; true'
	check "run: no terminal obeys what programs print" 0 out '.* sleepable /\\x1b\[31m'
}

test_end() {
	start "$FENTRY" run "$AMBIGUOUS" --target "ambiguous=$SK_STORAGE"
	"$TRIGGER" sk_storage 2
	sleep 1		# nothing says when everything has arrived in the trace pipe
	interrupt
	check "run: streams until ^C" 0 printed "2 ambiguous 1"
	fentry run "$AMBIGUOUS" --target="ambiguous=$SK_STORAGE" --duration 0.3
	check "run --duration: ends" 0 says "running 1 program"
	fails 1 "'sh' exited with status 3" \
		run "$AMBIGUOUS" --target "ambiguous=$SK_STORAGE" -- sh -c 'exit 3'
}

test_target() {
	fails 4 "'$NAME' matches 2 functions, of which 2 have the parameters of program 'ambiguous'; choose one: $MAP_ITER, $SK_STORAGE" \
		run "$AMBIGUOUS"
	fentry run "$AMBIGUOUS" --target "ambiguous=$MAP_ITER" -- "$TRIGGER" map_elem 4
	check "run --target: one function" 0 printed "4 ambiguous 1"
	fentry run "$AMBIGUOUS" --target "ambiguous=$SK_STORAGE" -- "$TRIGGER" map_elem 4
	check "run --target: not the other function" 0 printed "0 ambiguous 1"
	fentry run "$AMBIGUOUS" --target "ambiguous=$NAME"
	check "run --target: an ambiguous name gives 4 and specs" 4 err "  $MAP_ITER" err "  $SK_STORAGE"
	fails 3 "no function matches 'no_such_function_at_all'" \
		run "$AMBIGUOUS" --target ambiguous=no_such_function_at_all
	fentry run "$AMBIGUOUS" --target "other=$MAP_ITER"
	check "run --target: no such program gives 1, and those there are" 1 \
		says "the object has no program 'other'; it has:" err "  ambiguous"
	fails 1 "program 'kprobe' can't have a target: it is in section '\??kprobe/no_such_function', not fentry, fexit or fmod_ret" \
		run "$MISSING" --target "kprobe=$MAP_ITER"
	fails 2 "run: --target needs PROG=SPEC, not 'ambiguous' \(try 'fentry help run'\)" \
		run "$AMBIGUOUS" --target ambiguous
	fails 2 "bad target 'x@': .*" run "$AMBIGUOUS" --target ambiguous=x@
}

# A program may have several functions: with tracing_multi in one link, else in one for each.
test_several() {
	local links="1 link"

	has_multi || links="2 links"
	fentry run "$MANY" --target "any=$MAP_ITER" --target "any=$SK_STORAGE" -- \
		sh -c "'$TRIGGER' map_elem 3 && '$TRIGGER' sk_storage 2"
	check "run --target: a list, in which each function has its number" 0 says "running 1 program" \
		says "program 'any' is attached to 2 functions by $links" \
		printed "3 any 0 [0-9a-f]+" printed "2 any 1 [0-9a-f]+"
	fentry run "$MANY" --target "any=$NAME*" -- "$TRIGGER" map_elem 3
	check "run --target: a glob" 0 \
		says "program 'any' is attached to 2 functions by $links"
	fentry run "$MANY" --target "typed=$NAME*" -- \
		sh -c "'$TRIGGER' map_elem 3 && '$TRIGGER' sk_storage 2"
	check "run --target: a program that reads its arguments has a link for each" 0 \
		says "program 'typed' is attached to 2 functions by 2 links" \
		printed "3 typed 0 [0-9a-f]+" printed "2 typed 1 [0-9a-f]+"
}

test_refused() {
	fails 1 "can't load program 'on_(read|open)' for vfs_(read|open): .* map 'jumps' .*" \
		run "$OUTPUT/fentry_tail.bpf.o"
	fentry run "$MISSING"
	check "run: a section without match gives 3 and the nearest" 3 \
		says "no function matches 'bpf_iter_detach_mop'" err "  $MAP_ITER"
	fentry run "$MISSING" --target "missing=$MAP_ITER" --duration 0.2
	check "run --target: whatever the section says" 0 says "running 1 program"
	# changed, so that libbpf loads this program, too
	sed 's,?kprobe/no_such_function,kprobe/no_such_function_,' "$MISSING" >"$work/kprobe.bpf.o"
	fentry run "$work/kprobe.bpf.o" --target "missing=$MAP_ITER" --duration 0.2
	check "run: a program that libbpf can't attach" 0 \
		says "can't attach program 'kprobe' \(SEC\(\"kprobe/no_such_function_\"\)\): .*"
	sed 's,?fentry\x0,fentry\x0\x0,' "$MANY" >"$work/many.bpf.o"
	fails 1 "program 'any' has no target: SEC\(\"fentry\"\) names none and none was set" \
		run "$work/many.bpf.o"
	fails 1 "can't load program 'anywhere' for $MAP_ITER: .*: $NAME is not sleepable" \
		run "$SLEEPABLE" --target "anywhere=$MAP_ITER"
	fails 1 "can't attach to _printk: it has variable arguments" \
		run "$MISSING" --target missing=_printk
	fentry run "$HELPER" --duration 1
	check "run: says why the verifier refuses a program" 1 \
		err "processed [0-9]+ insns .*" \
		says "can't load program 'helper' for $NAME@[a-z_/]+\.c: .*helper.*"
	# others may not be able to read the repository
	install -m 644 "$AMBIGUOUS" "$work/ambiguous.bpf.o"
	capture "${AS_NOBODY[@]}" "$FENTRY" run "$work/ambiguous.bpf.o" --target "ambiguous=$MAP_ITER"
	check "run: without root" 1 \
		says "not allowed to load BPF programs: this process lacks CAP_BPF and CAP_PERFMON"
	capture "${AS_TRACER[@]}" "$FENTRY" run "$work/ambiguous.bpf.o" --target "ambiguous=$MAP_ITER"
	check "run: by a user who may not read tracefs" 1 \
		says "can't read what the program prints: can't open /sys/kernel/tracing/trace_pipe: Permission denied"
	capture "${NO_TRACEFS[@]}" "$FENTRY" run "$AMBIGUOUS" --target "ambiguous=$MAP_ITER"
	check "run: without tracefs" 1 \
		says "can't read what the program prints: no /sys/kernel/tracing/trace_pipe: mount tracefs .*"
	# Under lockdown a program lacks helpers. This file tells fentry that lockdown is the cause.
	capture unshare --mount sh -c 'mount -t tmpfs none /sys/kernel/security &&
		echo "none integrity [confidentiality]" >/sys/kernel/security/lockdown && exec "$@"' - \
		"$FENTRY" run "$HELPER"
	check "run: under lockdown" 1 \
		says "kernel lockdown \(confidentiality\) forbids programs to read kernel memory: can't load program .*"
}

# Arguments by name: the function must have the arguments that the program uses.
test_named() {
	fentry run "$NAMED" --target "named=$MAP_ITER" -- "$TRIGGER" map_elem 3
	check "run: arguments by name" 0 out ".* bpf_trace_printk: named 1"
	fails 1 "program 'other' uses 'map' of $NAME@kernel/bpf/map_iter.c, but there is no such argument: it is 'void $NAME\(struct bpf_iter_aux_info \*aux\)' in this kernel" \
		run "$NAMED" --target "other=$MAP_ITER"
}

# The program of the README, which tools/fentry's own tests compile as it says there.
test_example() {
	if [[ ! -x $EXAMPLE/hello ]]; then
		report_skipped "the README's example" "make -C tools/fentry check compiles it"
		return
	fi
	mkfifo "$work/enter"
	LD_LIBRARY_PATH=$EXAMPLE "$EXAMPLE/hello" "$SK_STORAGE" <"$work/enter" >"$work/out" 2>"$work/err" &
	exec 5>"$work/enter"
	while ! bpftool prog show 2>/dev/null | grep 'name on_call' >/dev/null && kill -0 $! 2>/dev/null; do
		sleep 0.2
	done
	sleep 1		# it is attached just after it is loaded
	"$TRIGGER" sk_storage 4
	"$TRIGGER" map_elem 2
	echo >&5
	exec 5>&-
	status=0
	wait $! || status=$?
	check "the README's example counts calls" 0 out "4 calls"
	capture env LD_LIBRARY_PATH="$EXAMPLE" "$EXAMPLE/hello" "$NAME"
	check "and says what to choose from" 1 \
		err "'$NAME' matches 2 functions; choose one: $MAP_ITER, $SK_STORAGE"
	capture env LD_LIBRARY_PATH="$EXAMPLE" "$EXAMPLE/hello" bpf_get_stackid_tp
	check "and why it can't be attached, and has no calls then" 1 lines 0 \
		err "can't attach to bpf_get_stackid_tp: .*: it is a notrace function, .*"
	capture env LD_LIBRARY_PATH="$EXAMPLE" "$EXAMPLE/hello"
	check "and how it is used" 1 err "usage: hello FUNCTION"
}

# The program of docs/features.md.
# The example's sum is that of the sizes that dd reads: 7 times 100 bytes, and what the loader reads.
test_sums() {
	local before

	fentry run "$OUTPUT/fentry_readbytes.bpf.o" -- dd if=/dev/zero of=/dev/null bs=100 count=0
	before=$(grep -oE ': dd read [0-9]+ bytes$' "$work/out" | tr -dc 0-9)
	fentry run "$OUTPUT/fentry_readbytes.bpf.o" -- dd if=/dev/zero of=/dev/null bs=100 count=7
	check "run: an example that adds up" 0 out ".*: dd read $((before + 700)) bytes"
}

test_block_io() {
	insmod "${VMLINUX%/*}/drivers/block/brd.ko" rd_nr=1
	fentry run "$OUTPUT/fentry_biolatency.bpf.o" -- \
		dd if=/dev/ram0 of=/dev/null bs=8192 count=3 iflag=direct
	[[ $status -eq 0 && $(grep -cE ': read of 8192 bytes took [1-9][0-9]* ns$' "$work/out") -eq 3 ]]
	report $? "run: an example that measures from one function to another"
	rmmod brd
}

# The README's object with arguments by name. Compilers may drop the function's return value.
test_example_by_name() {
	local line="after [0-9]+"

	if [[ ! -e $EXAMPLE/switch.bpf.o ]]; then
		report_skipped "the README's example of arguments by name" "make -C tools/fentry check compiles it"
		return
	fi
	if "$FENTRY" list finish_task_switch\* | grep -q 'rq \*finish_task_switch'; then
		line+=" on [0-9a-f]+"
	fi
	fentry run "$EXAMPLE/switch.bpf.o" -- sleep 1
	check "the README's example of arguments by name: '$line'" 0 \
		says "running 1 program" out ".* bpf_trace_printk: $line"
}

test_example_for_loaders() {
	fence "$here/../docs/loaders.md" "python count.py" >"$work/count.py"
	capture python3 "$work/count.py" "$("$FENTRY" resolve "$SK_STORAGE" | sed 's/ .*//; s/.*://')" \
		sh -c '"$0" sk_storage 4; "$0" map_elem 2' "$TRIGGER"
	check "the example of docs/loaders.md by system calls counts calls" 0 out "4 calls"
}

call_tests
