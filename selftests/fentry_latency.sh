#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What fentry latency and trace --min-duration measure, of functions of the module "timing" that take
# at least a known time: nested ones, on two CPUs, in an interrupt, and one that doesn't return. TAP.
source "$(dirname -- "${BASH_SOURCE[0]}")/lib/fentry_lib.sh"

readonly PARAMETERS=/sys/module/timing/parameters
readonly WAITS=timing:waits@timing_main.c OTHER=timing:waits@timing_other.c
readonly USEC=1000 NSEC=1000000

# calls(function, count) - Print a shell command that calls it COUNT times, each time for USEC.
calls() {
	echo "for i in \$(seq $2); do echo $1 $USEC >$PARAMETERS/call || exit; done"
}

# json(filter) - Is jq's filter true of the JSON that the last run printed? $f has the functions'
# objects by name and unit.
json() {
	[[ $status -eq 0 ]] && jq -e --argjson ns "$NSEC" \
		'(map({ key: "\(.function)@\(.unit)", value: . }) | from_entries) as $f | '"$1" \
		"$work/out" >/dev/null
}

# hold() - Call is_held() in the background; returns when it has begun. Sets caller.
hold() {
	local begin=$SECONDS

	echo "is_held $USEC" >"$PARAMETERS/call" &
	caller=$!
	while [[ $(<"$PARAMETERS/held") -ne 1 ]] && ((SECONDS - begin < LIMIT)); do
		sleep 0.1
	done
	[[ $(<"$PARAMETERS/held") -eq 1 ]]
	report $? "a call has begun and hasn't returned"
}

# release() - Let it return.
release() {
	echo "release 1" >"$PARAMETERS/call"
	wait "$caller"
}

# Two functions share a name, and the test calls one of them.
test_twins() {
	fentry latency "$WAITS" "$OTHER" -- sh -c "$(calls waits 3)"
	check "latency: a function has its calls, the other one of its name has none" 0 \
		out "waits@timing_main\.c: 3 calls, average [0-9.]+ ms, min [0-9.]+ ms, max [0-9.]+ ms, total [0-9.]+ ms" \
		out "  p50 below [0-9]+ ms, p90 below [0-9]+ ms, p99 below [0-9]+ ms \(by the rows\)" \
		out "waits@timing_other\.c: 0 calls" \
		says "measuring 2 functions" \
		says "3 calls of 2 functions in [0-9.]+ s"
	[[ $(grep -cE '^\[[0-9]+ ms, [0-9]+ ms\) +[0-9]+ \|@* *\|$' "$work/out") -ge 1 &&
	   $(awk '/^\[/ { sum += $5 } END { print sum }' "$work/out") -eq 3 ]]
	report $? "latency: the rows of its histogram add up"
	fentry latency 'timing:waits*' --json -- sh -c "$(calls other 2)"
	json '$f."waits@timing_other.c" as $other | $f."waits@timing_main.c" as $main |
		$other.count == 2 and $other.min >= $ns and $other.total >= 2 * $ns and
		($other.histogram | map(.count) | add) == 2 and
		($other.histogram | all(.from >= 1000000 and .to <= 2 * .from)) and
		$other.p50 > $other.min and $other.p99 == $other.histogram[-1].to and
		$other.histogram[0].from <= $other.min and $other.min < $other.histogram[0].to and
		$other.histogram[-1].from <= $other.max and $other.max < $other.histogram[-1].to and
		$main.count == 0 and $main.min == null and $main.histogram == []'
	report $? "latency --json: the other one is called"
	python3 -m json.tool <"$work/out" >/dev/null
	report $? "latency --json: is JSON"
}

test_by() {
	local script

	script="$(calls waits 2); exec bash -c '$(calls waits 3); $(calls other 1)'"
	fentry latency "$WAITS" "$OTHER" --by comm -- sh -c "$script"
	check "latency --by comm: a histogram for each" 0 \
		out "waits@timing_main\.c, comm sh: 2 calls, .*" out "waits@timing_main\.c, comm bash: 3 calls, .*" \
		out "waits@timing_other\.c, comm bash: 1 call, .*" says "6 calls of 2 functions in [0-9.]+ s"
	[[ $(grep -c 'calls\?,' "$work/out") -eq 3 && $(head -n 1 "$work/out") == *"comm bash"* ]]
	report $? "latency --by comm: the one with most calls comes first"
	fentry latency "$WAITS" --by pid --json -- sh -c "$script"
	check "latency --by pid --json: a number" 0 \
		json 'length == 1 and .[0].count == 5 and (.[0].by | type == "number" and . > 0)'
}

# The time of each call contains those below it. Min, max and total determine all three times.
test_recursion() {
	fentry latency timing:recurses --json -- sh -c "$(calls recurses 1)"
	json '$f."recurses@null" | (.total - .min - .max) as $middle | .count == 3 and
		.min >= $ns and $middle >= .min + $ns and .max >= $middle + $ns'
	report $? "latency: a function that calls itself"
}

test_migration() {
	local before

	before=$(<"$PARAMETERS/moved")
	fentry latency timing:migrates --json -- sh -c "$(calls migrates 4)"
	json '$f."migrates@null" | .count == 4 and .min >= $ns' &&
		[[ $(<"$PARAMETERS/moved") -eq $((before + 4)) ]]
	report $? "latency: calls that return on another CPU"
}

test_interrupt() {
	fentry latency timing:is_interrupted --json -- sh -c "$(calls is_interrupted 1)"
	json '$f."is_interrupted@null" | .count == 2 and .min >= $ns and .max >= .min + $ns'
	report $? "latency: a function that is called in an interrupt on top of itself"
}

# A thread that ends in a function leaves a start behind. No later call may take it for its own.
test_no_return() {
	fentry latency timing:leaves "$WAITS" -- sh -c "$(calls leaves 3); $(calls waits 2)"
	check "latency: threads that end in a function" 0 out "leaves: 0 calls" \
		out "waits@timing_main\.c: 2 calls, .*" \
		says "not counted: [1-3] calls? that began, and whose return wasn't seen"
	fentry latency timing:leaves --duration 0.2
	check "latency: nothing is left of them for the next one" 0 out "leaves: 0 calls" no_err "that began"
}

test_half_seen() {
	local caller

	hold
	start "$FENTRY" latency timing:is_held
	release
	hold
	release
	interrupt
	check "latency: a call that began before isn't counted" 0 out "is_held: 1 call, .*"

	start "$FENTRY" latency timing:is_held
	hold
	interrupt
	check "latency: nor one that returns afterwards" 0 out "is_held: 0 calls" \
		says "not counted: 1 call that began, and whose return wasn't seen"
	release
}

# The module comes when fentry waits for it. A name that no module can have isn't waited for.
test_module_to_come() {
	local loader

	unload_module timing
	{
		until grep -q 'waiting until module timing is loaded' "$work/err"; do sleep 0.1; done
		insmod "$MODULES/timing.ko"
	} &
	loader=$!
	start "$FENTRY" trace "$WAITS" --wait --count
	wait "$loader"
	sh -c "$(calls waits 3)"
	interrupt
	check "trace --wait: a module that comes is traced" 0 out " *3 .* waits@timing_main\.c" \
		says "module timing was loaded: calls before now, as in its init function, were not seen"
	fentry latency "$WAITS" --wait -- sh -c "$(calls waits 2)"
	check "latency --wait: one that is there is, too" 0 out "waits@timing_main\.c: 2 calls, .*"
	fails 3 "before ':' is a module, not .*" trace kprobe:leaves --wait
}

# with_file(file, command...) - Run a command where this is all that modprobe could load.
with_file() {
	rm -rf "$work/modules" && mkdir "$work/modules" && cp "$1" "$work/modules/" &&
		echo "${1##*/}:" >"$work/modules/modules.dep"
	capture unshare --mount sh -c 'mount --bind "$0" "/lib/modules/$(uname -r)" && exec "$@"' \
		"$work/modules" "${@:2}"
}

# The kernel sets a module's parameters before its init function runs, and that calls functions.
test_first_calls() {
	local file load

	load="insmod $MODULES/timing.ko 'call=\"does_nothing 7\"'; $(calls does_nothing 2)"

	xz -c "$MODULES/timing.ko" >"$work/timing.ko.xz"
	for file in "$MODULES/timing.ko" "$work/timing.ko.xz"; do
		unload_module timing
		with_file "$file" "$FENTRY" trace timing:does_nothing --wait --exit -- sh -c "$load"
		check "trace --wait: calls before a module's init function, by ${file##*/}" 0 \
			says "module timing isn't loaded yet: events trace .*" \
			out "insmod +[0-9]+  (timing:)?does_nothing\(usec=7\)" \
			out "sh +[0-9]+  (timing:)?does_nothing\(usec=$USEC\)" lines 3 no_err "another file"
	done
	unload_module timing
	with_file "$MODULES/timing.ko" "$FENTRY" trace 'timing:does_*' vfs_open --wait --count -- sh -c "$load"
	check "trace --wait: a glob, among other functions" 0 out " *3 .* (timing:)?does_nothing" \
		out " *[1-9][0-9]* .* vfs_open"
	unload_module timing
	with_file "$MODULES/timing.ko" "$FENTRY" latency timing:does_nothing --wait -- sh -c "$load"
	check "latency --wait: calls before a module's init function" 0 out "(timing:)?does_nothing: 3 calls, .*"
	unload_module timing
	with_file "$MODULES/timing.ko" "$FENTRY" trace timing:does_nothing --wait --count --duration 0.3
	check "trace --wait: a module that doesn't come" 0 says "module timing isn't loaded"
	with_file "$MODULES/timing.ko" "$FENTRY" --functions "$INLINED" trace timing:does_nothing --wait --count -- \
		sh -c "$load"
	check "trace --wait: the functions file of a module that comes" 0 out " *3 .*does_nothing"
	unload_module timing
	objcopy --remove-section .note.gnu.build-id "$MODULES/timing.ko" "$work/timing.ko"
	with_file "$work/timing.ko" "$FENTRY" --functions "$INLINED" trace timing:does_nothing --wait -- true
	check "trace --wait: a functions file of another build" 1 \
		says ".*timing.functions is of another build of timing than the module's file"
	cp "$MODULES/names.ko" "$work/timing.ko"
	with_file "$work/timing.ko" "$FENTRY" trace timing:names_call_a --wait --count -- sh -c "$load"
	check "trace --wait: another file than modprobe's" 0 \
		says "module timing was loaded from another file than modprobe's: .*"
	unload_module timing
	objcopy --remove-section .BTF "$MODULES/timing.ko" "$work/timing.ko"
	with_file "$work/timing.ko" "$FENTRY" trace timing:{does_nothing,does_nothing,no_such} --wait -- sh -c "$load"
	check "trace --wait: a module whose file has no BTF" 0 out "insmod +[0-9]+  .*does_nothing\(\.\.\.\)" \
		says "module timing isn't loaded yet: .*, without arguments: no installed file of it has BTF that can be read before" \
		says "module timing has no function no_such" says "3 calls of .*"
	grep -q fentry_ /sys/kernel/tracing/kprobe_events
	report $((! $?)) "trace --wait: leaves no event"
}

# Functions that the programs call are traced, too, so calls are nested in the tracing of others.
test_nested() {
	fentry latency bpf_ktime_get_ns "$WAITS" -- sh -c "$(calls waits 5)"
	check "latency: calls by its own programs" 0 out "bpf_ktime_get_ns: 0 calls" \
		out "waits@timing_main\.c: 5 calls, .*" \
		says "not counted: [0-9]+ calls that returned while a program was running on the CPU"
}

test_end() {
	fentry latency "$WAITS" "$OTHER" --count 5 --json -- \
		sh -c "while :; do $(calls waits 1); $(calls other 1); done"
	json '(map(.count) | add) == 5 and all(.count >= 1)'
	report $? "latency --count: ends after so many calls in all"
	fentry latency "$WAITS" --count 4 -- sh -c "$(calls waits 2)"
	check "latency --count: ends with the command all the same" 0 \
		out "waits@timing_main\.c: 2 calls, .*"
	fentry latency "$WAITS" -- sh -c "$(calls waits 1); exit 3"
	check "latency: of a command that fails" 1 out "waits@timing_main\.c: 1 call, .*" \
		says "'sh' exited with status 3"
	start "$FENTRY" latency "$WAITS"
	sh -c "$(calls waits 2)"
	interrupt
	check "latency: until ^C" 0 out "waits@timing_main\.c: 2 calls, .*" \
		says "measuring 1 function, end with \^C"
	fentry latency "$WAITS" -o "$work/file" --duration 0.5
	check "latency --duration" 0
	[[ $(<"$work/file") == "waits@timing_main.c: 0 calls" && ! -s $work/out ]]
	report $? "latency -o: to a file"
}

test_live() {
	on_terminal 24 70 "$FENTRY" latency 'timing:*' -- \
		sh -c "$(calls waits 3); sleep 2.5; $(calls other 4); sleep 1.5"
	[[ $status -eq 0 && $(grep -c 'waits@timing_main.c: 3 calls' "$work/plain") -ge 2 &&
	   $(grep -c 'waits@timing_other.c: 4 calls' "$work/plain") -ge 2 ]] &&
		grep -q $'\033\[[0-9]*A\033\[J' "$work/out"
	report $? "latency: live on a terminal"
	[[ $(grep -c 'does_nothing: 0 calls' "$work/plain") -eq 1 && $(grep '^\[' "$work/plain" | wc -L) -le 70 ]]
	report $? "latency: live shows what was called, within the width; in the end everything"
	on_terminal 5 70 "$FENTRY" latency 'timing:*' -- sh -c "$(calls recurses 3); sleep 2.5"
	[[ $status -eq 0 ]] && grep -oP '\033\[\K[0-9]+(?=A)' "$work/out" >"$work/up" &&
		[[ $(sort -n "$work/up" | tail -n 1) -le 4 ]]
	report $? "latency: live within the terminal's rows"
	fentry latency "$WAITS" -- sh -c "$(calls waits 1); sleep 2.5"
	[[ $(grep -c waits "$work/out") -eq 1 ]] && ! grep -q $'\033' "$work/out"
	report $? "latency: not live to a file"
}

test_left_out() {
	fentry latency s_next@kallsyms.c 'bpf_get_stackid_*tp' --duration 0.2
	check "latency: what can't be attached to is listed" 0 \
		says "can't trace 2 functions \(notrace: no ftrace site, .*\): bpf_get_stackid_.*" \
		says "measuring 1 function" out "s_next: [0-9]+ calls?.*"
	fails 1 "can't trace 2 functions \(notrace: .*\): bpf_get_stackid_.*" \
		latency 'bpf_get_stackid_*tp'
	has_multi || return
	fentry latency do_exit "$WAITS" --duration 0.2
	check "latency: a function that doesn't return is left out" 0 \
		says "can't (attach to|load program '[a-z_]+' for) do_exit: .*noreturn.*" out "waits@timing_main\.c: 0 calls"
	fails 1 ".*do_exit.*noreturn.*" latency do_exit
}

# The trace has the long one of two calls, and the two long ones of three nested calls.
test_trace() {
	local long=300000

	fentry trace "$WAITS" --min-duration 200ms -- \
		sh -c "echo waits $USEC >$PARAMETERS/call; echo waits $long >$PARAMETERS/call"
	check "trace --min-duration: a call that takes this time, and no other" 0 says "1 calls? of 1 function in .*" \
		out "sh +[0-9]+  waits@timing_main\.c\(usec=$long\) in [0-9.]+ m?s" lines 1
	fentry trace timing:recurses --min-duration 500ms --json -- \
		sh -c "echo recurses $long >$PARAMETERS/call"
	check "trace --min-duration --json: calls in each other" 0 \
		calls "$((long * 1000)) as \$ns | length == 2 and (map(.args[1].value) == [2, 3]) and
			.[0].duration >= 2 * \$ns and .[1].duration >= .[0].duration + \$ns"
	fentry trace timing:recurses --min-duration 500ms --count -- \
		sh -c "echo recurses $long >$PARAMETERS/call"
	check "trace --min-duration --count" 0 out " *2 .* recurses"
}

# The other m_show() is fs/namespace.c's.
test_stacks() {
	fentry trace seq_printf --by stack --comm cat -- cat /proc/modules
	check "trace --by stack: the unit of a function that shares its name" 0 \
		out " *[0-9]+  m_show\S*@kernel/module/procfs\.c\+0x[0-9a-f]+ < .*"
	fentry trace seq_printf --stack --comm cat -- cat /proc/modules
	check "trace --stack: too" 0 out " +m_show\S*@kernel/module/procfs\.c\+0x[0-9a-f]+/0x[0-9a-f]+"
}

# The one link that many functions have tells names, calls of a call, and modules as others do.
test_many() {
	start "$FENTRY" latency 'timing:*' --json
	sh -c "$(calls waits 3); $(calls other 2); $(calls recurses 1)"
	! rmmod timing 2>"$work/rmmod" && grep -q "in use" "$work/rmmod"
	report $? "a module can't be unloaded while many of its functions are traced"
	interrupt
	json 'length > 4 and $f."waits@timing_main.c".count == 3 and
		$f."waits@timing_other.c".count == 2 and ($f."recurses@null" |
		(.total - .min - .max) as $middle | .count == 3 and .min >= $ns and
		$middle >= .min + $ns and .max >= $middle + $ns)'
	report $? "latency of many: functions of one name, and one that calls itself"
}

test_unload() {
	unload_module timing
	report $? "the module can be unloaded afterwards"
}

insmod "$MODULES/timing.ko" || exit 1
call_tests
