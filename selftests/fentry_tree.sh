#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# fentry trace --tree: which call was made inside which, also when events are lost. TAP.
source "$(dirname -- "${BASH_SOURCE[0]}")/lib/fentry_lib.sh"

readonly OPEN=do_sys_openat2 TRACING=/sys/kernel/tracing
# what 7.3's open calls, and what it no longer calls
FILP=do_filp_open NAMES=(out "cat +[0-9]+    getname_flags\(filename=\"/proc/version\", flags=0\) = .* in [0-9.]+ [mu]s")
[[ $MAJOR -lt 7 ]] || FILP=do_file_open NAMES=()
readonly FILP NAMES READ=${SYSCALL}read OPENS=("$OPEN" getname_flags vfs_open do_dentry_open)

test_nesting() {
	fentry trace --tree "${OPENS[@]}" -- cat /proc/version
	check "trace --tree" 0 \
		out "cat +[0-9]+  $OPEN\(dfd=-100, filename=\"/proc/version\", .*\) \{" \
		"${NAMES[@]}" \
		out "cat +[0-9]+    vfs_open\(path=\"version\", file=.*\) \{" \
		out "cat +[0-9]+      do_dentry_open\(f=\"version\", open=.*\) = 0 in [0-9.]+ [mu]s" \
		out "cat +[0-9]+    \} vfs_open = 0 in [0-9.]+ [mu]s" \
		out "cat +[0-9]+  \} $OPEN = [0-9]+ in [0-9.]+ [mu]s"
	fentry trace --tree --time "${OPENS[@]}" -- cat /proc/version
	check "trace --tree --time" 0 \
		out "[0-9:.]+ \[[0-9]+\]  cat +[0-9]+    \} vfs_open = 0 in .*"
	on_terminal 24 60 "$FENTRY" trace --tree "${OPENS[@]}" -- cat /proc/version
	grep -qE '^cat +[0-9]+    vfs_open\(path="version".*\.\.\.\) \{$' "$work/plain" &&
		[[ $(grep '^cat ' "$work/plain" | wc -L) -le 60 ]]
	report $? "trace --tree: lines fit a terminal, and have their ends"
}

# The way of an error: calls around the one that failed, and no tree without one.
test_if() {
	fentry trace --tree "$OPEN" "$FILP" vfs_open --if 'ret == -2' -- \
		sh -c 'cat /proc/version /no/such/file; true'
	check "trace --tree --if: the tree of a call that failed, and no other" 0 no_out '"/proc/version"' \
		out "cat +[0-9]+  $OPEN\(.*\"/no/such/file\".*\) \{" \
		out "cat +[0-9]+    $FILP\(.*" \
		out "cat +[0-9]+  \} $OPEN = -ENOENT in .*"
	fentry trace --tree $OPEN dput --if 'ret < 0' -- cat /no/such/file
	check "trace --tree --if: functions that can't be what it looks for" 1 \
		says "1 of 2 functions can't be what --if looks for: .*" \
		out "cat .* \} $OPEN = -ENOENT in .*"
	fentry trace --tree hrtimer_nanosleep "${SYSCALL}clock_nanosleep" \
		--min-duration 5ms -- sh -c 'sleep 0.01; sleep 0.001'
	[[ $status -eq 0 && $(grep -c "hrtimer_nanosleep(.* in [0-9.]* ms$" "$work/out") -ge 1 ]] &&
		[[ $(grep -c "} ${SYSCALL}clock_nanosleep = 0 in" "$work/out") -ge 1 ]]
	report $? "trace --tree --min-duration: the calls around a long one"
}

test_refused() {
	fails 2 "trace: --if 'no_such > 1', column 1: .*" \
		trace --tree "$OPEN" --if 'no_such > 1'
}

# A call that hasn't returned, found by its task's state.
test_open() {
	local sleeper begin=$SECONDS

	start "$FENTRY" trace --tree hrtimer_nanosleep "${SYSCALL}clock_nanosleep" --comm sleep
	sleep 1000 &
	sleeper=$!
	while [[ $(<"/proc/$sleeper/wchan") != *nanosleep* ]] && ((SECONDS - begin < LIMIT)); do
		sleep 0.1
	done
	interrupt
	kill "$sleeper"
	check "trace --tree: calls that haven't returned" 0 \
		out "sleep +$sleeper  ${SYSCALL}clock_nanosleep\(.*\) \{" \
		out "sleep +$sleeper    hrtimer_nanosleep\(.*\), not seen to return" \
		out "sleep +$sleeper  \} ${SYSCALL}clock_nanosleep, not seen to return"
}

# function_graph prints "comm-tid | name() {" with two spaces for each level.
test_as_function_graph() {
	local tid

	echo nop >$TRACING/current_tracer
	printf '%s\n' "${OPENS[@]}" >$TRACING/set_ftrace_filter
	echo function_graph >$TRACING/current_tracer
	echo funcgraph-proc >$TRACING/trace_options
	fentry trace --tree "${OPENS[@]}" -- cat /proc/version
	tid=$(awk '$1 == "cat" { print $2; exit }' "$work/out")
	sed -nE "s/^[^|]*-$tid [^|]*\\| .*\\|  (.*)\$/\\1/p" $TRACING/trace |
		sed -E 's/\(.*\);.*/();/; s/\(.*\) \{.*/() {/; s/\}.*/}/' >"$work/graph"
	echo nofuncgraph-proc >$TRACING/trace_options
	echo nop >$TRACING/current_tracer
	: >$TRACING/set_ftrace_filter
	sed -nE "s/^[^ ]+ +$tid  //p" "$work/out" |
		sed -E 's/\} .*/}/; s/\(.*\) \{$/() {/; s/\(.* in [0-9.]+ [nmu]?s$/();/' >"$work/tree"
	[[ $(wc -l <"$work/tree") -gt 10 ]] && diff "$work/graph" "$work/tree" | head -n 20 | sed 's/^/# /' &&
		cmp "$work/graph" "$work/tree"
	report $? "trace --tree is what function_graph prints"
}

# nested - Fail unless each vfs_read() is in the system call of its task, or behind a gap, and there
# are so many of each kind.
nested() {
	jq -se --arg call "$READ" --argjson gaps "$1" '
		(map({ (.call | tostring): . }) | add) as $all |
		map(select(.function == "vfs_read")) as $reads | ($reads | length > 100) and
		([$reads[] | select(.parent)] | length > 100) and
		all($reads[]; . as $r | if .parent then $all[.parent | tostring] |
				.function == $call and .tid == $r.tid and .time <= $r.time else true end) and
		(map(select(.gap)) | length > 0) == $gaps' "$work/out" >/dev/null
}

test_tasks() {
	fentry trace --tree --json vfs_read "$READ" --follow -- sh -c '
		for i in 1 2 3; do dd if=/dev/zero of=/dev/null bs=1 count=200 2>/dev/null & done; wait'
	[[ $status -eq 0 ]] && nested false
	report $? "trace --tree --json: tasks side by side don't mix"
}

# While fentry is stopped, the buffer overflows.
test_losses() {
	local dd begin=$SECONDS

	start "$FENTRY" trace --tree --json vfs_read "$READ" --comm dd
	dd if=/dev/zero of=/dev/null bs=1 2>/dev/null &
	dd=$!
	kill -STOP "$pid"
	dd if=/dev/zero of=/dev/null bs=1 count=60000 2>/dev/null # the buffer is full before
	kill -CONT "$pid"
	while ! grep -q '"gap":true' "$work/out" && ((SECONDS - begin < LIMIT)); do
		sleep 0.2
	done
	interrupt
	kill "$dd"
	grep -qE 'fentry: [0-9]+ calls came faster than they could be printed' "$work/err"
	report $? "trace --tree: losses are told"
	nested true
	report $? "trace --tree --json: gaps, and no wrong nesting"
}

call_tests
