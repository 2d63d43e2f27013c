#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Which calls fentry trace reports, and what it prints: filters, expressions, keys, -o. TAP.
source "$(dirname -- "${BASH_SOURCE[0]}")/lib/fentry_lib.sh"

readonly READ=vfs_read OPEN=vfs_open
readonly NAME_OF='file->f_path.dentry->d_name.name'
# Three commands that read files.
readonly COMMANDS='cat /proc/version; cat /proc/uptime; head -c 1 /proc/version'

# lines(regex) - How many lines of out match it as a whole.
lines() {
	grep -cxE -- "$1" "$work/out"
}

# only(description, regex) - There is output, all of it like this, and status 0.
only() {
	[[ $status -eq 0 && $(lines "$2") -gt 0 && $(lines "$2") -eq $(lines '.*') ]]
	report $? "$1"
}

test_expressions() {
	fentry trace "$OPEN" -o "$work/calls" \
		--print 'path->dentry->d_name.name, file->f_flags:x, path->dentry->d_parent->d_parent->d_parent->d_name.len' \
		-- cat /proc/version
	grep -qxE "cat +[0-9]+  $OPEN\(name=\"version\", f_flags=0x$(printf %x "$LARGE"), len=1\)" "$work/calls"
	report $? "trace --print: members through pointers, in hexadecimal"
	[[ $status -eq 0 && $(<"$work/out") == "$(</proc/version)" ]]
	report $? "trace -o: the command keeps the standard output"
	capture env COLUMNS=72 "$FENTRY" trace "$OPEN" -o "$work/calls" --comm cat \
		--print 'path->dentry->d_name.name, up=path->dentry->d_parent->d_name.name, file->f_flags:x' \
		-- cat /proc/version
	grep -qxE "cat [0-9]+  $OPEN\(name=\"version\", up=\"/\", f_flags=0x[0-9a-f]+\)" "$work/calls"
	report $? "trace --print: columns go before a value is cut; name=EXPR"
	capture env COLUMNS=46 "$FENTRY" trace "$OPEN" --comm cat \
		--print 'path->dentry->d_name.name, file->f_path.dentry->d_name.name' -- cat /proc/version
	check "trace --print: then the task; members of one name" 0 \
		out "$OPEN\(path->dentry->d_name.name=\"versi.*\.\.\.\)"
	# the rest of the buffer are bytes of lines before
	fentry trace vfs_write --comm bash -- bash -c 'echo longer than this; echo short'
	check "trace: a buffer ends where its length says" 0 out "bash .*, buf=\"short\\\\n\", count=6, .*"
	fentry trace vfs_write --comm bash --print 'buf:s[3], b=buf:x[count], buf:x[2]' -- bash -c 'echo hi'
	check "trace --print: lengths" 0 out "bash .*\(buf:s\[3\]=\"hi\\\\n\", b=68 69 0a, buf:x\[2\]=68 69\)"
	echo keep >"$work/calls"
	fentry trace vfs_reed -o "$work/calls" --duration 0.1
	[[ $status -eq 3 && $(<"$work/calls") == keep ]]
	report $? "trace -o: a file is kept if the function is unknown"
	fentry trace bpf_get_stackid_tp -o "$work/calls" --duration 0.1
	[[ $status -eq 1 && $(<"$work/calls") == keep ]]
	report $? "trace -o: a file is kept if the function can't be traced"
	fentry trace vfs_reed -o "$work/none" --duration 0.1
	[[ $status -eq 3 && ! -e $work/none ]]
	report $? "trace -o: no file is made for a trace that doesn't begin"
	fentry trace "$READ" -o "$work/calls" --comm nobody --duration 0.1
	[[ $status -eq 0 && ! -s $work/calls ]]
	report $? "trace -o: a trace without calls empties the file"
	fails 1 "can't open $work/no/calls: No such file or directory" \
		trace "$READ" -o "$work/no/calls"
	fentry trace "$READ" --exit --json --if "ret > 0 && $NAME_OF == \"version\"" \
		--print "$NAME_OF, file->f_inode->i_sb->s_fs_info, ((file->f_op))" -- \
		sh -c "($COMMANDS) >/dev/null"
	check "trace --print --json: one object a line" 0 \
		calls 'length == 2 and all(.[]; .return > 0 and .values[0].value == "version" and
			(.object > 0) and (.id > 0) and (.cpu >= 0))'
	fails 2 "trace: --print 'count, file->f_flag', column 14: struct file has no member 'f_flag'; did you mean 'f_flags'\? It has: .*" \
		trace "$READ" --print 'count, file->f_flag'
	fentry trace "$READ" --comm cat --print 'pos, *pos, file->f_wb_err' -- cat /proc/version
	check "trace --print: what is behind a pointer" 0 \
		out "cat +[0-9]+  $READ\(\*pos=[0-9]+, \*pos=[0-9]+, f_wb_err=0\)"
}

# Files of /proc have no module that they belong to: the pointer to it is NULL.
test_faults() {
	fentry trace "$OPEN" --comm cat --print 'file->f_op->owner->name, path->dentry' \
		-- cat /proc/version
	check "trace: marks what can't be read, and goes on" 0 \
		out "cat .*  $OPEN\(name=<fault>, dentry=\"version\"\)"
	fentry trace "$OPEN" --comm cat --json --print 'file->f_op->owner->name' \
		-- sh -c 'cat /proc/version >/dev/null'
	check "trace --json: null for what can't be read" 0 calls 'length > 0 and .[0].values[0].value == null'
	fentry trace "$OPEN" --count -v \
		--if 'file->f_op->owner->name == "x" || !(file->f_op->owner->name == "x")' -- cat /proc/version
	check "trace --if: what can't be read is neither equal nor different" 0 out " *0 .* $OPEN"
}

test_conditions() {
	fentry trace "$READ" --exit --if "ret > 0 && $NAME_OF == \"uptime\"" -o "$work/calls" \
		-- sh -c "$COMMANDS"
	cp "$work/calls" "$work/out"
	only "trace --if: the return value and a string" "cat +[0-9]+  $READ\(file=\"uptime\", .*\) = [1-9][0-9]*"
	fentry trace "$READ" --if "$NAME_OF == \"uptime\"" --count -- sh -c "$COMMANDS"
	check "trace --if --count" 0 out " *2 .* $READ"
	fentry trace "$READ" --if "ret > 0 && comm == \"head\"" -- sh -c "($COMMANDS) >/dev/null"
	only "trace --if: a condition on the return value implies --exit" "head +[0-9]+  $READ\(.*\) = [1-9][0-9]*"
	fails 2 "trace: --if 'comm == cat', column 9: strings have quotes: \"cat\" .*" \
		trace "$READ" --if 'comm == cat'
	fails 2 "trace: --by 'kstack', .*; or comm, pid, tid, uid, cpu, stack .*" \
		trace "$READ" --by kstack
	fentry trace "$READ" vfs_open --if 'count > 0' --count -- cat /proc/version
	check "trace --if: functions that it doesn't fit are left out" 0 \
		says "left out 1 of 2 functions that an expression doesn't fit: --if 'count > 0', column 1: .*" \
		says "tracing 1 function"
}

test_tasks() {
	local cgroup

	fentry trace "$READ" --comm head --count --by comm -- sh -c "$COMMANDS"
	check "trace --comm: and no other" 0 out " *[0-9]+  head .* $READ" no_out ' cat '
	fentry trace "$READ" --uid "$NOBODY" --count --by uid -- \
		sh -c "cat /proc/version; setpriv --reuid $NOBODY --clear-groups cat /proc/version"
	[[ $status -eq 0 && $(lines " *[0-9]+ +$NOBODY .*") -eq 1 && $(lines '.*vfs_read') -eq 1 ]]
	report $? "trace --uid"
	fentry trace "$READ" --pid $$ --count --duration 0.5
	check "trace --pid: one that does nothing, and no other's calls" 0 no_out 'vfs_read$'
	# 4194304 is the highest number that a process may have
	fails 1 "trace: --pid: there is no process 4194305" trace "$READ" --pid 4194305
	python3 -c 'import threading, time
threading.Thread(target=lambda: time.sleep(9), daemon=True).start()
time.sleep(8)' &
	until [[ $(ls "/proc/$!/task" 2>/dev/null | wc -l) -eq 2 ]]; do sleep 0.1; done
	fails 1 "latency: --pid: [0-9]+ is a thread of process $!" \
		latency "$READ" --pid "$(ls "/proc/$!/task" | tail -n 1)"
	kill $!
	sleep 5 &
	fentry trace "$READ" --pid $! --count
	check "trace --pid: ends with its process" 0
	mkdir -p "$work/cgroup" && mount -t cgroup2 none "$work/cgroup" &&
		cgroup=$work/cgroup/filters && mkdir "$cgroup"
	fentry trace "$READ" --cgroup "$cgroup" --count --by comm -- \
		sh -c "head -c 1 /proc/version; echo 0 >$cgroup/cgroup.procs; cat /proc/version"
	check "trace --cgroup" 0 out '.* cat .*' no_out ' head '
	fentry latency "$READ" --cgroup "$cgroup" --by comm -- \
		sh -c "head -c 1 /proc/version; echo 0 >$cgroup/cgroup.procs; cat /proc/version"
	check "latency --cgroup" 0 out '.* cat: .*' no_out ' head: '
	rmdir "$cgroup"
	umount "$work/cgroup"
	fails 2 "trace: --comm: the kernel keeps the first 15 characters of a name .*" \
		trace "$READ" --comm 0123456789abcdef
	for cgroup in /no/such ""; do
		fails 1 "trace: --cgroup: can't open '$cgroup', .*" \
			trace "$READ" --cgroup "$cgroup"
	done
	fails 1 "trace: --cgroup: can't open '/proc/version': Not a directory" \
		trace "$READ" --cgroup /proc/version
	fails 1 "trace: --cgroup: '/tmp' is no folder of a cgroup .*" \
		trace "$READ" --cgroup /tmp
	fails 2 "trace: --uid: there is no user 'no-such-user' .*" \
		trace "$READ" --uid no-such-user
}

# A shell starts a child, and one that outlives its parent. Others read, too. The last command ends
# when nobody can write to its pipe any more, so the trace has the orphan's calls however late it is.
test_follow() {
	local dd command="(cat /proc/version; (sleep 0.2; head -c 1 /proc/uptime) & true) | cat >/dev/null"

	dd if=/dev/zero of=/dev/null bs=1 2>/dev/null &
	dd=$!
	fentry trace "$READ" --follow --count --by comm -- sh -c "$command"
	check "trace --follow: children, theirs, and orphans" 0 out " *[0-9]+  cat .*" out " *[0-9]+  head .*" \
		out " *[0-9]+  sleep .*"
	[[ $(tail -n +2 "$work/out" | awk '{ print $2 }' | grep -cvxE 'sh|cat|head|sleep') -eq 0 ]]
	report $? "trace --follow: nobody else"
	fentry latency "$READ" --follow --json -- cat /proc/version
	[[ $status -eq 0 ]] && tail -n +2 "$work/out" | jq -e '.[0].count | . >= 3 and . < 20' >/dev/null
	report $? "latency --follow"
	fentry trace "$READ" --follow --comm cat -- sh -c 'cat /proc/version; head -c 1 /proc/uptime'
	only "trace --follow --comm: both must be true" "(cat .*|Linux version .*|[0-9])"
	kill "$dd"
	wait "$dd" 2>/dev/null
	fails 2 "trace: --follow is for a command: -- COMMAND .*" trace "$READ" --follow
}

# If fentry traced the reader of its own pipe, the output would never end.
test_readers() {
	capture bash -c "'$FENTRY' trace '$READ' -- cat /proc/version 2>/dev/null | cat >'$work/calls'"
	[[ $status -eq 0 && $(grep -c '^cat ' "$work/calls") -le 8 ]] &&
		grep -q "file=\"version\"" "$work/calls"
	report $? "trace: not the reader of its pipe"
}

test_keys() {
	fentry trace "$READ" --by "$NAME_OF" -- sh -c "($COMMANDS) >/dev/null"
	check "trace --by: a string" 0 out "COUNT +$NAME_OF +FUNCTION" out " *[0-9]+  version .* $READ" \
		out " *2  uptime .* $READ"
	tail -n +2 "$work/out" | grep "$READ" | awk '{ print $1 }' | sort -rnc
	report $? "trace --by: the highest first"
	fentry trace "$READ" --exit --by ret --json --comm cat -- sh -c "($COMMANDS) >/dev/null"
	check "trace --by --json: numbers" 0 \
		json 'any(.[]; .by == 0 and .count >= 2) and all(.[]; .object > 0 and .id > 0)'
	fentry trace do_sys_openat2 --exit --by ret --if 'ret < 0' -- sh -c 'cat /no/such; true'
	check "trace --by ret: errnos by name" 0 out " *1  -ENOENT .*"
	fentry trace do_sys_openat2 --exit --by ret --if 'ret < 0' --json -- sh -c 'cat /no/such; true'
	check "trace --by ret --json: errnos as numbers" 0 json '.[0].by == -2'
	fentry trace "$READ" --exit --by "comm, ret,$NAME_OF" --comm cat -- sh -c "($COMMANDS) >/dev/null"
	check "trace --by: several keys" 0 out "COUNT +comm +ret +$NAME_OF +FUNCTION" \
		out " *1  cat +0  uptime .* $READ" out " *1  cat +[1-9][0-9]*  uptime .* $READ"
	fentry trace rw_verify_area --by 'comm , stack ' --json -- sh -c \
		"head -c 1 /proc/version >/dev/null; python3 -c 'import os; os.write(1, b\"\\n\")'"
	check "trace --by stack: who called it" 0 \
		json 'any(.[]; .by == "head" and (.by2 | test("^vfs_read\\+0x[0-9a-f]+ < ksys_read\\+0x[0-9a-f]+ < ")))' \
		json 'any(.[]; .by == "python3" and .count == 1 and (.by2 | test("^vfs_write\\+0x[0-9a-f]+ < ")))'
	fentry trace "$READ" --by comm,stack --folded -- sh -c \
		'head -c 1 /proc/version; head -c 1 /proc/version'
	awk -v stack="^head;(.*;)?$ENTRY;.*;$READ\$" '$1 ~ stack { n += $2 } END { exit n < 2 }' "$work/out"
	report $? "trace --by stack --folded: outermost first, and what is counted last"
	fentry trace 'vfs_*' --count --comm cat -- cat /proc/version
	[[ $status -eq 0 && $(lines ' +0 .*') -eq 0 ]] && grep -q " $READ$" "$work/out"
	report $? "trace --count: none that wasn't called"
	head -c 20000 /dev/zero >"$work/numbers"
	# dd reads at 20001 positions
	fentry trace "$READ" --by '*pos' --if 'file->f_path.dentry->d_name.name == "numbers"' \
		-- dd if="$work/numbers" of=/dev/null bs=1
	check "trace --by: a full table is called that, and nothing else" 0 no_err faster \
		says "$((20001 - 16384)) calls are in no row: the table of --by is full, with 16384 keys of other calls"
}

# What expressions say of the task is what the shell and the file systems say.
test_words() {
	local by_shell='echo "pid=$$, tid=$$, comm=\"$(cat /proc/$$/comm)\", uid=$(id -u)"'

	fentry trace "$READ" --print 'pid, tid, comm, uid' -o "$work/calls" \
		--if 'pid == tid && comm == "sh" && uid == 0 && cpu < 64' -- sh -c "$by_shell; read -r line </proc/version"
	grep -qF "$READ($(<"$work/out"))" "$work/calls"
	report $? "trace --print: words for the task"
	fentry trace "$READ" --by comm --if "uid == $NOBODY" -- \
		sh -c "cat /proc/version; setpriv --reuid $NOBODY --clear-groups head -c 1 /proc/version"
	check "trace --if: the user" 0 out '.* head .*' no_out ' cat '
	fentry trace "$READ" --print cpu --comm cat -- taskset -c 1 cat /proc/version
	check "trace --print: the CPU" 0 out "cat .* $READ\(cpu=1\)"
	mkdir -p "$work/cgroup" && mount -t cgroup2 none "$work/cgroup" && mkdir "$work/cgroup/words"
	fentry trace "$READ" --print cgroup --comm cat -- \
		sh -c "echo 0 >$work/cgroup/words/cgroup.procs; cat /proc/version"
	check "trace --print: the cgroup" 0 out "cat .* $READ\(cgroup=$(stat -c %i "$work/cgroup/words")\)"
	rmdir "$work/cgroup/words"
	umount "$work/cgroup"
}

# A task with a name that would forge a line, in red.
readonly FORGER='printf "a\\nroot 1 x\\033[31m" >/proc/$$/comm; read -r line </proc/version'

test_names() {
	local name='a\\nroot 1 x\\x1b\[31m' options

	for options in "" --time "--by comm" "--by prev->comm"; do
		# shellcheck disable=SC2086 # words
		fentry trace "$([[ $options == *prev* ]] && echo finish_task_switch || echo "$READ")" \
			$options -- sh -c "$FORGER; sleep 0.1"
		grep -qE "(^|[] ])$name" "$work/out" && ! grep -qE $'\033|^root' "$work/out"
		report $? "trace${options:+ $options}: a task's name is escaped"
	done
	fentry trace "$READ" --by comm --json -- sh -c "$FORGER"
	check "trace --by --json: a task's name, escaped once" 0 json 'any(.[]; .by == "a\nroot 1 x\u001b[31m")'
}

test_columns() {
	fentry trace "$OPEN" --time -- cat /proc/version
	check "trace --time" 0 \
		out "[0-2][0-9]:[0-5][0-9]:[0-6][0-9]\.[0-9]{6} \[[0-9]{3}\]  cat +[0-9]+  $OPEN\(path=\"version\", .*\)"
}

call_tests
