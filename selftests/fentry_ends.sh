#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# When fentry begins to report calls, and how it ends: with functions that are called all the time,
# with output that nobody reads or that can't be written, in the middle of detaching, and with too few open files. TAP.
source "$(dirname -- "${BASH_SOURCE[0]}")/lib/fentry_lib.sh"

# A run that doesn't end by itself is killed after this many seconds, and fails with status 137.
readonly PATIENCE=60
# Seconds that a run may take from a signal to its end. An idle machine needs 0.2, but an emulated
# one with a load of many times its cores needs far more.
readonly PROMPT=20
# Nearly all of these functions can be traced, and it takes some seconds to detach from them.
readonly MANY='bpf_iter_*'

# ending(command...) - Capture a run that should end.
ending() {
	capture timeout -s KILL "$PATIENCE" "$@"
}

# told(signal, command...) - Capture a run that gets a signal some time after it has begun to trace.
# Sets took, in microseconds.
told() {
	local signal=$1 begin

	shift
	start timeout -s KILL "$PATIENCE" "$@"
	sleep 2		# by then it has events to print
	begin=${EPOCHREALTIME/[.,]/}
	kill -s "$signal" "$pid"
	status=0
	wait "$pid" || status=$?
	took=$((${EPOCHREALTIME/[.,]/} - begin))
}

# check_prompt(description) - Has the last told() ended soon?
check_prompt() {
	echo "# it took $((took / 1000)) ms"
	[[ $took -lt $((PROMPT * 1000000)) ]]
	report $? "$1 within $PROMPT s"
}

# busy(command...) - Run it while vfs_read() is called as often as one CPU can.
busy() {
	local dd result=0

	dd if=/dev/zero of=/dev/null bs=1 2>/dev/null &
	dd=$!
	"$@" || result=$?
	kill "$dd"
	wait "$dd" 2>/dev/null
	return "$result"
}

# dd reads as often as it writes. Functions are attached one after another, which takes a while.
test_window() {
	local first last seconds

	busy fentry trace vfs_read 'bpf_map_*' vfs_write --count --comm dd --json --duration 0.5
	check "trace --count: counts all functions from one time on" 0 \
		json 'map({ (.function): .count }) | add | .vfs_read > 100 and (.vfs_read - .vfs_write | fabs) <= 1'
	busy fentry trace vfs_read 'bpf_map_*' --comm dd --json -- sleep 0.5
	# the kernel's clock of the first and the last call, against the time in the summary
	first=$(head -n 1 "$work/out" | jq .time) last=$(tail -n 1 "$work/out" | jq .time)
	seconds=$(sed -n 's/^fentry: .* calls of .* in \([0-9.]*\) s$/\1/p' "$work/err")
	echo "# calls in $((last - first)) ns, of $seconds s"
	[[ $status -eq 0 ]] && jq -en "$last - $first <= ($seconds + 0.06) * 1e9" >/dev/null
	report $? "trace: prints no call from before the command"
}

test_hot_function() {
	busy ending "$FENTRY" trace vfs_read --duration 1
	check "ends after --duration, whatever the load" 0 says "[0-9]+ calls of 1 function in .*"
	busy ending "$FENTRY" trace vfs_read -- true
	check "ends with the command, whatever the load" 0 says "[0-9]+ calls? of 1 function in .*"
	busy told INT "$FENTRY" trace vfs_read
	check "ends with ^C, whatever the load" 0 says "[0-9]+ calls of 1 function in .*"
	check_prompt "ends with ^C"
	busy told TERM "$FENTRY" trace vfs_read --json
	check "ends with SIGTERM, whatever the load" 0 says "[0-9]+ calls of 1 function in .*"
	check_prompt "ends with SIGTERM"
	# one by one, because all lines at once could fill the guest's memory
	[[ -s $work/out ]] && jq -en 'all(inputs; .function == "vfs_read")' "$work/out" >/dev/null
	report $? "each JSON line that was written is complete"
}

# check_gone(description) - Does the command end whose process is in the file pid?
check_gone() {
	local took=0

	while kill -0 "$(<"$work/pid")" 2>/dev/null && ((took++ < 50)); do
		sleep 0.1
	done
	kill -0 "$(<"$work/pid")" 2>/dev/null
	report $((! $?)) "$1"
}

# A signal that comes while programs are attached is pending from the start here.
test_early_signal() {
	local signal early=(python3 -c 'import os, signal, sys
nr = getattr(signal, sys.argv[1])
signal.pthread_sigmask(signal.SIG_BLOCK, {nr})
os.kill(os.getpid(), nr)
os.execv(sys.argv[2], sys.argv[2:])')
	local traces=("$FENTRY" trace vfs_read vfs_write)

	for signal in SIGINT SIGHUP; do
		capture "${early[@]}" "$signal" "${traces[@]}" -- touch "$work/ran"
		check "$signal before it attaches: says so" 1 says "interrupted before anything was attached"
		[[ ! -e $work/ran ]]
		report $? "$signal before it attaches: the command isn't run"
	done
	echo kept >"$work/kept"
	capture "${early[@]}" SIGINT "${traces[@]}" -o "$work/kept" --duration 1
	[[ $status -eq 1 && $(<"$work/kept") == kept ]]
	report $? "a signal while it attaches: -o's file stays as it is"
}

# A terminal that is closed sends SIGHUP.
test_hangup() {
	# without timeout(1), which would send the signal to the command, too
	start "$FENTRY" trace vfs_read --count -- sh -c 'echo $$ >"$0"; exec sleep 50' "$work/pid"
	until [[ -s $work/pid ]]; do
		sleep 0.1
	done
	kill -HUP "$pid"
	status=0
	wait "$pid" || status=$?
	check "ends with SIGHUP, and prints the counts" 0 out " *[0-9]+ .* vfs_read" \
		says "[0-9]+ calls of 1 function in .*"
	check_gone "ends the command then"
	capture nohup "$FENTRY" trace vfs_read --count --duration 3 -- \
		sh -c "sleep 1; kill -HUP \$PPID; cat /proc/version"
	check "goes on if SIGHUP is ignored, as by nohup" 0 out "Linux version .*"
}

# unread(function, command...) - Capture a run whose output goes to a pipe that nobody reads.
unread() {
	rm -f "$work/out"
	mkfifo "$work/out"
	exec 7<>"$work/out"
	"$@"
	exec 7>&-
	rm "$work/out"
	: >"$work/out"
}

test_output_that_nobody_reads() {
	busy unread ending "$FENTRY" trace vfs_read --duration 2
	check "ends after --duration, though nobody reads the output" 0 \
		says "[0-9]+ calls came faster than they could be printed, and are not shown: .*--buffer.*" \
		says "the output isn't being read: the last [0-9]+ bytes are left out"
	busy unread told INT "$FENTRY" trace vfs_read
	check "ends with ^C, though nobody reads the output" 0 \
		says "the output isn't being read: the last [0-9]+ bytes are left out"
	check_prompt "ends with ^C, though nobody reads the output,"
}

test_output_that_fails() {
	status=0
	busy timeout -s KILL "$PATIENCE" "$FENTRY" trace vfs_read --duration 50 \
		>/dev/full 2>"$work/err" || status=$?
	check "a full disk ends it, and is the reason" 1 \
		says "can't write the output: No space left on device" \
		says "[0-9]+ calls? of 1 function in .*"
	status=0
	busy sh -c 'trap "" PIPE; exec "$@"' sh timeout -s KILL "$PATIENCE" \
		"$FENTRY" trace vfs_read --duration 50 2>"$work/err" > >(head -n 1 >/dev/null) || status=$?
	check "a reader that went away ends it, with SIGPIPE ignored, too" 1 \
		says "can't write the output: Broken pipe"
	[[ $(grep -c "can't" "$work/err") -eq 1 ]]
	report $? "and no other reason is given"
	status=0
	timeout -s KILL "$PATIENCE" "$FENTRY" trace vfs_read --if 'file->f_path.dentry->d_name.name == "version"' -- \
		sh -c 'echo $$ >"$0"; while cat /proc/version; do sleep 0.1; done >/dev/null' "$work/pid" \
		2>"$work/err" > >(head -n 1 >/dev/null) || status=$?
	check "a reader that went away ends it, and is the reason" 1 says "can't write the output: Broken pipe"
	check_gone "and ends the command"
	mkfifo "$work/pipe"
	: <"$work/pipe" &
	ending "$FENTRY" trace vfs_read -o "$work/pipe" --duration 1
	check "-o: nor does it wait for another reader of a pipe" 1 \
		says "can't open $work/pipe: No such device or address"
}

# Detaching from many functions takes a while. The counts come first; a second ^C doesn't wait.
test_second_interrupt() {
	local tries programs

	if has_links; then
		report_skipped "a second ^C leaves at once" "this kernel detaches from all functions at once"
		return
	fi
	start "$FENTRY" trace "$MANY" --count -v
	kill -INT "$pid"
	for ((tries = 0; tries < 600; tries++)); do
		! grep -q "calls of [0-9]* functions in" "$work/err" || break
		sleep 0.1
	done
	sleep 0.3	# a signal just after the first one is taken for its repetition
	interrupt
	check "a second ^C leaves at once" 130
	grep -q "^ *[0-9]* *[0-9]* .*bpf_iter_" "$work/out" && grep -q "calls of [0-9]* functions in" "$work/err"
	report $? "the counts have been printed by then"
	for ((tries = 0; tries < 600; tries++)); do
		programs=$(bpftool prog show | grep -c "name on_entry ")
		[[ $programs -gt 0 ]] || break
		sleep 0.1
	done
	report "$programs" "and nothing stays attached"
}

test_open_files() {
	local few=$((RANDOM % 8 + 70))
	local limited=(setpriv --bounding-set -sys_resource --inh-caps -sys_resource
		prlimit --nofile="$few:$few")

	if has_links; then
		capture "${limited[@]}" "$FENTRY" trace "$MANY" --count --duration 0.2
		check "one link for many functions takes few open files" 0
		return
	fi
	capture prlimit --nofile="$few:4096" "$FENTRY" trace "$MANY" --count --duration 0.2
	check "the soft limit of open files is raised" 0 says "tracing [0-9]{2,} functions"
	capture prlimit --nofile="$few:4096" "$FENTRY" trace vfs_read --count -- sh -c 'ulimit -Sn'
	check "the command has the limit that it had" 0 out "$few"
	capture "${limited[@]}" "$FENTRY" trace "$MANY" --count --duration 0.2
	check "a hard limit that is too low is an error, in one line, and nothing is attached" 1 messages 1 \
		says "[0-9]+ functions need [0-9]+ open files, but this process may have $few: .*"
	capture prlimit --nofile=10:10 setpriv --bounding-set -sys_resource --inh-caps -sys_resource \
		"$FENTRY" trace vfs_read vfs_write vfs_open --duration 0.2
	check "a limit that leaves room for nothing" 1 err '.*open files.*' no_err "no other"
}

# The program is attached to the functions that read and write its own output.
test_program_that_feeds_itself() {
	local marker=/sys/kernel/tracing/trace_marker

	echo stale >"$marker"
	# A line has the last recorded name of its thread, so only the id identifies the thread.
	ending bash -c 'echo $$ >"$0"; exec "$@"' "$work/pid" "$FENTRY" run "$OUTPUT/fentry_feeds.bpf.o" \
		-- cat /proc/version
	check "run: ends though its output makes output" 0 \
		out ".* bpf_trace_printk: reads" out ".* bpf_trace_printk: writes"
	check "run: without what fentry's own calls print" 0 no_out "-$(<"$work/pid") *\["
	check "run: without lines that were there before" 0 no_out stale
	told INT "$FENTRY" run "$OUTPUT/fentry_feeds.bpf.o"
	check "run: ends with ^C, too" 0
	ending "$FENTRY" run "$OUTPUT/fentry_feeds.bpf.o" -- sh -c "echo foreign >$marker"
	check "run: without lines of other tracing" 0 out ".*: writes" no_out foreign
}

call_tests
