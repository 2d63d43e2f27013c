#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What fentry trace prints of calls: typed arguments, return values, stacks and JSON, also of
# several functions at once, and live counts. TAP.
source "$(dirname -- "${BASH_SOURCE[0]}")/lib/fentry_lib.sh"

readonly OPEN=do_sys_openat2

test_arguments() {
	local verbose ns=10000000

	fentry trace "$OPEN" -- cat /proc/version
	check "trace: numbers, strings, what pointers point to" 0 \
		out "cat +[0-9]+  $OPEN\(dfd=-100, filename=\"/proc/version\", how=$KPTR \(open_how\)\)" \
		says "tracing 1 function" \
		says "[0-9]+ calls? of 1 function in [0-9.]+ s"
	for verbose in -v --verbose; do
		fentry trace "$OPEN" $verbose -- cat /proc/version
		check "trace $verbose: structures" 0 \
			out "cat +[0-9]+  $OPEN\(dfd=-100, filename=0x[0-9a-f]+ \"/proc/version\", how=$KPTR \(struct open_how\)\{\.flags = \(__u64\)$LARGE,\}\)"
	done
	fentry trace vfs_read -- cat /proc/version
	check "trace: a structure's short form; a number behind a pointer" 0 \
		out "cat +[0-9]+  vfs_read\(file=\"version\", buf=.*, count=[0-9]+, \*pos=[0-9]+\)"
	# coreutils later than Debian 12's (9.1) ask for one nanosecond more
	[[ $(sleep --version | head -n 1) == *" 9.1" ]] || ns=10000001
	# the command's own output would be mixed with long lines
	fentry trace vfs_read --json -- sh -c 'exec cat /proc/version >/dev/null'
	jq -R 'fromjson? | .args[0].short' "$work/out" | grep -x '"version"' >"$work/short"
	report $? "trace --json: a structure's short form"
	fentry trace "${SYSCALL}openat" --print "(char *)$ARG2, (int)$ARG1" -- cat /proc/version
	check "trace --print: casts" 0 out \
		"cat .* ${SYSCALL}openat\(\S+=\"/proc/version\", \S+=-100\)"
	fentry trace tcp_v4_connect --print \
		'((struct sockaddr_in *)uaddr)->sin_addr:ip, ((struct sockaddr_in *)uaddr)->sin_port:port' \
		-- bash -c ': </dev/tcp/127.1.2.3/4660'
	check "trace --print: addresses and ports" 1 out "bash .*\(sin_addr=127\.1\.2\.3, sin_port=4660\)"
	fentry trace hrtimer_nanosleep -- sleep 0.01
	check "trace: enumerators by name" 0 \
		out "sleep .* hrtimer_nanosleep\(rqtp=$ns, mode=HRTIMER_MODE_REL, clockid=[01]\)"
	fentry trace "$OPEN" --exit -- sh -c 'cat /no/such/file; true'
	check "trace --exit: return values; errnos by name" 0 \
		out "cat .* $OPEN\(dfd=-100, .*\"/no/such/file\".*\) = -ENOENT"
	fentry trace "$OPEN" -- cat "/$(printf '%0300d' 0)" "/tab	\"quote\""
	check "trace: a long string is cut" 1 out "cat .*=\"/0{254}\"\.\.\., .*"
	check "trace: a string's special characters" 1 out 'cat .*="/tab\\x09\\"quote\\"", .*'
}

# The command itself is traced from its first call on, fentry's own calls are not.
test_task() {
	fentry trace vfs_read --exit -- cat /proc/version
	check "trace: the command's calls, not fentry's" 0 out 'cat .*' no_out '^fentry '
}

test_stack() {
	# the command's own output would be mixed with the trace
	fentry trace "$OPEN" --stack -- sh -c 'exec cat /proc/version >/dev/null'
	check "trace --stack" 0 out "cat .*$OPEN\(.*" out "        $OPEN\+0x[0-9a-f]+/0x[0-9a-f]+" \
		out "        ${SYSCALL}openat\+0x[0-9a-f]+/0x[0-9a-f]+" out "        $ENTRY\+0x[0-9a-f]+/0x[0-9a-f]+"
	[[ $(sed -n 2p "$work/out") == "        $OPEN+"* ]]
	report $? "trace --stack: begins with the function"
}

test_json() {
	fentry trace "$OPEN" "$SK_STORAGE" --exit --stack --json -- \
		sh -c 'cat /proc/version >/dev/null'
	check "trace --json: an object for each call" 0 \
		calls 'map(select(.args[1].value == "/proc/version")) | .[0] |
		.comm == "cat" and .function == "'$OPEN'" and .args[0] == { name: "dfd", value: -100 } and
		.return >= 3 and (.stack[0] | startswith("'$OPEN'+")) and .pid == .tid and
		.module == "vmlinux" and .unit == null and .time > 0'
	fentry trace "$NAME*" --count --json -- "$TRIGGER" sk_storage 3
	check "trace --count --json" 0 json 'map(select(.function == "'"$SK_STORAGE"'")) | .[0].count == 3'
}

# lacks COMMAND ARGUMENT... - Print the members of a command's objects that its part of the man page
# doesn't name.
lacks() {
	local page=$here/../tools/fentry/fentry.1 member

	fentry "$@"
	awk -v part=".SS $1" '/^\.S[SH]/ { show = $0 == part } show' "$page" >"$work/part"
	jq -r 'if type == "array" then .[] else . end | [paths | map(select(type == "string"))] |
		map(select(length > 0) | .[-1]) | .[]' "$work/out" | sort -u >"$work/members"
	[[ -s $work/members ]] || echo "no output: $(<"$work/err")"
	while read -r member; do
		grep -qE "^\.IR? (.*, )?$member\\b" "$work/part" || echo "$member"
	done <"$work/members"
}

test_members() {
	local command lacking options

	for command in "list" "resolve" "trace --exit --stack --min-duration 1ns --print dfd" \
		"trace --count --by comm,pid,uid,stack" "latency"; do
		options=()
		[[ $command == @(list|resolve) ]] || options=(--comm cat -- sh -c 'cat /proc/version >/dev/null')
		# shellcheck disable=SC2086 # words
		lacking=$(lacks $command --json "$OPEN" "${options[@]}" | paste -sd ' ')
		[[ -z $lacking ]]
		report $? "$command --json: the man page names each member${lacking:+, but not $lacking}"
	done
}

test_several() {
	local why

	fentry trace "$SK_STORAGE" "$NAME*" "$MAP_ITER" --count -v -- "$TRIGGER" map_elem 3
	check "trace: several specifications, each function once" 0 lines 3 out " *3 .* $MAP_ITER"
	fentry trace "$SK_STORAGE" no_such_function_at_all --count -v --duration 1
	check "trace: one that doesn't match gives 3" 3
	fentry trace "$SK_STORAGE" "$NAME" --count -v --duration 1
	check "trace: one that is ambiguous gives 4" 4
	why="\(notrace: no ftrace site, by attribute or for its whole file\)"
	fentry trace s_next@kallsyms.c 'bpf_get_stackid_*tp' --count -v --duration 0.2
	check "trace: what can't be attached to is listed in one line, the rest is traced" 0 \
		says "can't trace 2 functions $why: bpf_get_stackid_[a-z_]+, bpf_get_stackid_[a-z_]+" \
		says "tracing 1 function" \
		out ".* s_next"
}

# Lines are as wide as the terminal, with the return value at the end.
test_width() {
	local line="cat +[0-9]+  $OPEN\(filename=\"/no/such" whole

	whole=${line/filename/dfd=-100, filename}
	on_terminal 24 80 "$FENTRY" trace "$OPEN" --exit -- \
		sh -c "cat /no/such/$(printf '%0100d' 0) 2>/dev/null"
	grep -xE "$line.*\.\.\.\) = -ENOENT" "$work/plain" | grep -xE '.{80}' >/dev/null &&
		[[ $(wc -L <"$work/plain") -le 80 ]] && grep -q $'\033\[36m' "$work/out"
	report $? "trace: on a terminal cut to its width, but for the return value"
	on_terminal 24 80 "$FENTRY" trace "$OPEN" --exit --time -- sh -c 'cat /no/such 2>/dev/null; true'
	cut -c 24- "$work/plain" >"$work/out"
	# a longer number of the process leaves less of the name
	check "trace --time: what people look for has room on a terminal" 0 \
		out "${line%such}.*\.\.\.\) = -ENOENT"
	fentry trace "$OPEN" --time --comm cat -- \
		sh -c 'cat /proc/version; date -s "+2 hours" >/dev/null; cat /proc/version'
	date -s '-2 hours' >/dev/null
	awk -F : '/ cat / { at[n++] = $1 * 60 + $2 }
		END { exit !(n > 1 && (at[n - 1] - at[0] + 1440) % 1440 - 120 < 3) }' "$work/out"
	report $? "trace --time: goes with the clock if somebody sets it"
	on_terminal 24 200 "$FENTRY" trace "$OPEN" --exit -- sh -c 'cat /no/such/file 2>/dev/null'
	grep -xE "$whole/file\", how=$KPTR \(open_how\)\) = -ENOENT" "$work/plain" >/dev/null
	report $? "trace: what fits isn't cut"
	on_terminal 24 80 "$FENTRY" trace "$OPEN" -v -- cat /proc/version
	[[ $(wc -L <"$work/plain") -gt 100 ]]
	report $? "trace -v: nothing is cut"
	capture env COLUMNS=60 "$FENTRY" trace "$OPEN" -- cat /proc/version
	[[ $status -eq 0 && $(grep -F "$OPEN(" "$work/out" | wc -L) -eq 60 ]]
	report $? "trace: \$COLUMNS"
	capture env COLUMNS=60 "$FENTRY" trace "$OPEN" --json -- cat /proc/version
	grep -F "$OPEN" "$work/out" | jq -e ".args[2].value.flags == $LARGE" >/dev/null
	report $? "trace --json: has everything whatever the width"
	capture env COLUMNS=20 "$FENTRY" trace "$OPEN" -- cat /proc/version
	check "trace: a width that nothing fits into leaves the task" 0 out "cat +[0-9]+  \.\.\.\)"
}

# Counts change while they are shown: the table is drawn again each second.
test_live() {
	on_terminal 24 80 "$FENTRY" trace "$NAME*" --count -- \
		sh -c "'$TRIGGER' map_elem 3; sleep 2.5; '$TRIGGER' map_elem 4; sleep 1.5"
	[[ $status -eq 0 && $(grep -c "^ *3 .*$MAP_ITER" "$work/out") -ge 1 &&
	   $(grep -c "^ *7 .*$MAP_ITER" "$work/out") -ge 2 ]] && grep -q $'\033\[J' "$work/out"
	report $? "trace --count: live on a terminal"
	on_terminal 5 80 "$FENTRY" trace 'bpf_iter_*' --count --duration 1.5
	# 5 rows have room for a heading and 3 functions with calls. Here no function was called.
	[[ $status -eq 0 && $(grep -c COUNT "$work/out") -ge 2 ]]
	report $? "trace --count: live within the terminal's rows"
	# the terminal has wrapped the lines: it isn't enough to take back as many as there were
	on_terminal 24 80 "$FENTRY" trace "$NAME*" --count -- \
		sh -c "'$TRIGGER' map_elem 3; sleep 1.5; stty cols 30; sleep 2"
	[[ $status -eq 0 && $(grep -c $'\033\[H\033\[2J' "$work/out") -eq 1 ]]
	report $? "trace --count: leaves nothing behind when the terminal's width changes"
	fentry trace "$NAME*" --count -v --duration 2.5
	check "trace --count: not live to a file" 0 lines 3 no_out $'\033'
}

# Hundreds of functions are attached in one go. Without links for many, fentry says how long it takes.
test_progress() {
	fentry trace 'bpf_map_*' 'perf_trace_*' --count -v --duration 0.1
	if has_links; then
		check "trace: hundreds of functions at once, so that there is no progress to be shown" 0 \
			says "tracing [0-9]{2,} functions" no_err '(at|de)tached [0-9]+ of|takes about'
		return
	fi
	check "trace: says before how long it takes" 0 says "tracing [0-9]{2,} functions" \
		says "this kernel has no link for many: attaching to .* takes about [0-9]+ s, and ending [0-9]+ s"
	tail -n 1 "$work/err" | grep -qE '^fentry: [0-9]+ calls? of'
	report $? "trace: the summary comes last"
	on_terminal 24 80 "$FENTRY" trace 'bpf_map_*' --count --duration 0.1
	tr -s '\r' '\n' <"$work/out" | grep -A 1 -E 'calls? of' |
		grep -xE 'fentry: detached 0 of [0-9]+' >/dev/null &&
		[[ $(tail -c 4 "$work/out") == $'\r\033[K' ]]
	report $? "trace: on a terminal, how far it is in one line, which goes in the end"

	env --default-signal=INT "$FENTRY" trace 'bpf_map_*' 'perf_trace_*' --count >"$work/out" 2>"$work/err" &
	pid=$!
	while ! grep -q 'attached' "$work/err" && kill -0 "$pid" 2>/dev/null; do
		sleep 0.1
	done
	interrupt
	[[ $status -eq 0 ]] && grep -qE 'tracing [0-9]+ functions?' "$work/err" &&
		grep -q "COUNT" "$work/out"
	report $? "trace: ^C while it attaches ends it cleanly"
}

# Any name of a function works. fentry then says which name BTF has.
test_aliases() {
	local call=/sys/module/resolver/parameters/call

	load_module resolver "trace: aliases" || return 0
	fentry trace resolver:alias --count -- sh -c "echo 1 >$call"
	check "trace: another name of a function" 0 out " *1 .* right" \
		says "alias is another name of right" says "tracing 1 function"
	fentry trace resolver:right resolver:alias --count -- sh -c "echo 1 >$call"
	check "trace: both names at once are one function" 0 out " *1 .* right" says "tracing 1 function"
	fentry run "$OUTPUT/fentry_missing.bpf.o" --target "missing=resolver:alias" --duration 0.2
	check "run: another name of a function" 0 says "alias is another name of right"
	fentry resolve resolver:alias
	check "resolve: another name of a function" 0 out ".* resolver right .*"
	fentry explain alias
	check "explain: the names of a function" 0 out "  aliases    alias"
	fentry list 'resolver:ali*'
	check "list: the function of which a name matches" 0 out ".* right .*"
	unload_module resolver
	report $? "the module of the two names can be unloaded"
}

# Functions of modules. What is refused without addresses, fentry_without.sh tests.
test_module() {
	local call=/sys/module/kinds/parameters/call one='differs@kinds_a.c' two='differs@kinds_b.c'
	local name='differs(\.llvm\.[0-9]+)?'	# ThinLTO may make the name unique

	load_module kinds "trace: functions of modules" || return 0
	fentry trace "kinds:$one" "$two" --exit -- \
		sh -c "echo $one 7 3 >$call; echo $two 40 2 >$call; echo $one 8 3 >$call"
	check "trace: two functions of a module, each with its arguments, and no other call" 0 lines 3 \
		out "sh .* $name(@kinds_a\.c)?\(n=7, m=3\) = 21" \
		out "sh .* $name(@kinds_a\.c)?\(n=8, m=3\) = 24" \
		out "sh .* $name(@kinds_b\.c)?\(wide=$KPTR \(kinds_wide\), n=[0-9]+\) = .*"
	fentry trace differs --count -v --duration 0.2
	check "trace: an ambiguous name of a module" 4 err "  $name(@kinds_[ab]\.c)?"
	[[ $(grep -cE "^  $name" "$work/err") -eq 2 ]]
	report $? "trace: both functions are candidates"
	fails 1 "can't trace without_site: notrace: no ftrace site, by attribute or for its whole file" \
		trace kinds:without_site
	fentry explain without_site
	check "explain: a module's notrace function" 0 \
		out "  traceable  no: notrace: no ftrace site, by attribute or for its whole file"
	fentry resolve "kinds:$one"
	check "resolve: a function of a module" 0 out "[0-9]+:[0-9]+ [0-9a-f]{16} kinds $name kinds_a\.c"
	capture "${AS_TRACER[@]}" "$FENTRY" trace "kinds:$one" --count -v --duration 0.2
	check "trace: a module's BTF needs CAP_SYS_ADMIN, and the error says so" 1 \
		says "not allowed to open the BTF of module kinds: this takes CAP_SYS_ADMIN"
	unload_module kinds
	report $? "the module can be unloaded afterwards"
	fentry resolve "kinds:$one"
	check "resolve: nothing after it was unloaded" 3
}

call_tests
