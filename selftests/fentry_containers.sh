#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# fentry in a PID namespace: numbers of processes are those of its own namespace. TAP.
source "$(dirname -- "${BASH_SOURCE[0]}")/lib/fentry_lib.sh"

readonly READ=vfs_read
# A shell that reads all the time, without children.
readonly READER='while read -r line </proc/version; do :; done'
readonly CONTAINER=(unshare -fp --mount-proc)

# contained(script) - Run it by a shell in a container, with $FENTRY as $0; see capture().
contained() {
	capture "${CONTAINER[@]}" sh -c "$1" "$FENTRY"
}

test_own_calls() {
	local number mounted

	contained 'exec "$0" trace vfs_write -o '"$work/calls"' -- sh -c "
		echo \$\$ >&2; for i in 1 2 3 4 5 6 7 8; do echo x; done >/dev/null"'
	number=$(grep -xE '[0-9]+' "$work/err")
	[[ $status -eq 0 && $(grep -cE "^sh +$number  vfs_write\(" "$work/calls") -eq 9 ]] &&
		! grep -q ^fentry "$work/calls"
	report $? "trace in a container: the command's calls with its number there, no own ones"
	for mounted in --mount-proc ""; do
		capture unshare -fp $mounted sh -c '"$0" trace '$READ' --duration 1 | cat' "$FENTRY"
		check "trace in a container${mounted:+ with its /proc}: the reader of its output is left out" 0 \
			says '.*[0-9] calls of 1 function.*' no_out ^cat
	done
	capture "${CONTAINER[@]}" "$FENTRY" run "$OUTPUT/fentry_feeds.bpf.o" --duration 1
	check "run in a container: without what fentry's own calls print" 0 no_out '^ *fentry-'
}

test_filters() {
	local number by='--count --by pid,tid,comm'

	contained "exec \"\$0\" trace $READ --follow --count -- sh -c 'cat /proc/version; head -c 1 /proc/version'"
	check "trace --follow in a container" 0 out " *[1-9][0-9]* .* $READ"
	capture "${CONTAINER[@]}" "$FENTRY" latency "$READ" --follow -- sh -c 'cat /proc/version'
	check "latency --follow in a container" 0 out "$READ: [1-9][0-9]* calls?, .*"
	contained "($READER) & \"\$0\" trace $READ --pid \$! $by --duration 0.5; echo is \$! >&2"
	number=$(sed -n 's/^is //p' "$work/err")
	check "trace --pid in a container: no other's calls" 0 out " *[1-9][0-9]* +$number +$number +sh .*" lines 2
	contained "($READER) & \"\$0\" trace $READ --if \"pid == \$! && tid == \$!\" --print pid,tid --duration 0.5; echo is \$! >&2"
	number=$(sed -n 's/^is //p' "$work/err")
	check "trace in a container: expressions" 0 out "sh +$number  $READ\(pid=$number, tid=$number\)"
}

# Tasks in a namespace below fentry's have a number in fentry's, and those around it have none.
test_others() {
	local number outsider

	contained "unshare -fp --mount-proc sh -c '$READER' &
		until inner=\$(pgrep -P \$!); do :; done
		\"\$0\" trace $READ --pid \$inner --count --by pid --duration 0.5; echo is \$inner >&2"
	number=$(sed -n 's/^is //p' "$work/err")
	check "trace --pid in a container: of a process in another one, within" 0 out " *[1-9][0-9]* +$number .*"
	bash -c "printf outsider >/proc/\$\$/comm; $READER" &
	outsider=$!
	capture "${CONTAINER[@]}" "$FENTRY" trace "$READ" --comm outsider --print pid --duration 0.3
	check "trace in a container: a task outside has no number there" 0 out "outsider +-  $READ\(pid=<fault>\)"
	capture "${CONTAINER[@]}" "$FENTRY" trace "$READ" --comm outsider --json --duration 0.3
	check "trace --json in a container: its number is null" 0 calls 'all(.[]; .pid == null and .tid == null)'
	capture "${CONTAINER[@]}" "$FENTRY" trace "$READ" --comm outsider --count --by pid --duration 0.3
	check "trace --by pid in a container: a task outside" 0 out " *[1-9][0-9]* +- .*"
	capture "${CONTAINER[@]}" "$FENTRY" trace "$READ" --pid "$outsider" --duration 0.3
	check "trace --pid in a container: a number from outside" 1 \
		says "trace: --pid: there is no process $outsider"
	kill "$outsider"
}

test_user_namespace() {
	capture unshare -Urfp --mount-proc "$FENTRY" trace "$READ" --duration 0.3
	check "trace in a user namespace: says that it may not" 1 \
		says "not allowed to load BPF programs, .*: it is in a user namespace, or .*"
}

call_tests
