#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The fentry command on the running kernel: which functions it finds, what it counts, how it ends,
# and what it complains about. TAP.
source "$(dirname -- "${BASH_SOURCE[0]}")/lib/fentry_lib.sh"

readonly NOTRACE="notrace: no ftrace site, by attribute or for its whole file"
readonly UNDESCRIBED="no verified signature, so BTF doesn't describe it"

test_list() {
	local addresses known row='[0-9a-f]{16} +[0-9]+ +vmlinux +'

	fentry list "$NAME"
	check "list: both instances with unit and prototype" 0 \
		out "ADDRESS +BTF-ID +MODULE +FUNCTION +UNIT +PROTOTYPE" \
		out "$row$NAME +kernel/bpf/map_iter\.c +void $NAME\(struct bpf_iter_aux_info \*aux\)" \
		out "$row$NAME +net/core/bpf_sk_storage\.c +void $NAME\(struct bpf_iter_aux_info \*aux\)"

	addresses=$(awk 'NR > 1 { print $1 }' "$work/out" | sort)
	known=$(awk -v name="$NAME" '$3 == name { print $1 }' /proc/kallsyms | sort)
	[[ -n $known && $addresses == "$known" ]]
	report $? "list: the addresses are those of /proc/kallsyms"

	fentry list "$NAME@map_iter.c"
	check "list: a unit's tail chooses one" 0 lines 2

	fentry list 'vmlinux:bpf_iter_detach_ma[op]@bpf/map_iter.c'
	check "list: object, glob and unit together" 0 lines 2

	fentry list
	[[ $status -eq 0 && $(wc -l <"$work/out") -gt $(wc -l </proc/kallsyms_btf) ]]
	report $? "list: everything without a pattern"
}

test_no_match() {
	fentry list bpf_iter_detach_mop
	check "list: a typing error gives 3 and the nearest name" 3 \
		says "no function matches 'bpf_iter_detach_mop'" \
		err "  $MAP_ITER"

	fentry trace "$NAME@bpf/ap_iter.c"
	check "trace: an unknown unit gives 3 and those there are" 3 \
		says "no function matches '$NAME@bpf/ap_iter.c'" \
		err "  $MAP_ITER" err "  $SK_STORAGE"

	fentry trace "$NAME@iter.c"
	check "trace: a unit's tail begins at a slash" 3

	fails 3 "no function matches 'no_such_function_\*'" trace 'no_such_function_*'

	fails 3 "the kernel has no function no_such_function_at_all; .* it isn't known .*" \
		trace no_such_function_at_all
	fails 3 "there is no module no_such_module \(.* --wait\)" \
		trace no_such_module:vfs_read
	mkdir "$work/modules" && echo 'kernel/absent.ko:' >"$work/modules/modules.dep"
	capture unshare --mount sh -c 'mount --bind "$0" "/lib/modules/$(uname -r)" && exec "$@"' \
		"$work/modules" "$FENTRY" trace absent:vfs_read
	check "trace: a module that isn't loaded" 3 \
		says "module absent is not loaded: 'modprobe absent' loads it"
	fails 3 "printk is no module here, but part of vmlinux: leave 'printk:' out" \
		trace printk:vfs_read
	fails 3 "before ':' is a module, .*" trace kprobe:vfs_read
	fails 3 "openat is a system call: .*${SYSCALL}openat, do_sys_openat2" trace openat
	fails 3 "openat is a system call: .*" trace sys_openat
	fentry trace vfs_read vfs_reed "$NAME" --best-effort --count --duration 0.2
	check "trace --best-effort: the others, and which not" 0 says "no function matches 'vfs_reed'" \
		says "'$NAME' matches 2 functions; .*" says "tracing 1 function"
	fails 3 "no function matches 'vfs_reed'" trace vfs_reed --best-effort
	fentry trace "${NAME^^}"
	check "trace: another case is near" 3 err "  $NAME@.*"

	fails 3 "no function matches '#1'" trace '#1'
}

test_ambiguous() {
	local spec ids=()

	fentry trace "$NAME" --count -v --duration 1
	check "trace: an ambiguous name gives 4 and specs" 4 \
		says "'$NAME' matches 2 functions; choose one" \
		err "  $MAP_ITER" err "  $SK_STORAGE"

	while read -r spec; do
		fentry list "$spec"
		[[ $status -eq 0 ]] && holds lines 2 &&
			ids+=("$(awk 'NR == 2 { print $2 }' "$work/out")")
	done < <("$FENTRY" trace "$NAME" 2>&1 | sed -n 's/^  //p')
	[[ ${#ids[@]} -eq 2 && ${ids[0]} != "${ids[1]}" ]]
	report $? "trace: each of these specs means one function"
}

# fentry counts the calls of one of two functions of a name, and not the other's.
test_count() {
	local id

	fentry trace "$MAP_ITER" --count -- "$TRIGGER" map_elem 3
	check "trace --count: exact" 0 \
		out "COUNT  FUNCTION" out " *3  $MAP_ITER" \
		says "3 calls of 1 function in [0-9.]+ s"
	fentry trace "$MAP_ITER" --count -v -- "$TRIGGER" sk_storage 3
	check "trace --count -v: not the other instance's calls" 0 \
		out "COUNT +BTF-ID +ADDRESS +FUNCTION" out " *0 +[0-9]+ +[0-9a-f]{16} +$MAP_ITER"
	fentry trace "$SK_STORAGE" --count -- "$TRIGGER" sk_storage 5
	check "trace --count: the other instance alone" 0 out " *5  $SK_STORAGE"

	fentry trace "$NAME*" --count -v -- "$TRIGGER" sk_storage 4
	check "trace --count: a glob counts each apart" 0 out " *4 .* $SK_STORAGE" out " *0 .* $MAP_ITER"

	id=$("$FENTRY" list "$SK_STORAGE" | awk 'NR == 2 { print $2 }')
	fentry trace "#$id" --count -- "$TRIGGER" sk_storage 2
	check "trace --count: by BTF id" 0 out " *2  $SK_STORAGE"
}

test_end() {
	start "$FENTRY" trace "$MAP_ITER" --count
	"$TRIGGER" map_elem 6
	interrupt
	check "trace --count: ^C ends it with the counts" 0 out " *6  $MAP_ITER"

	fentry trace "$MAP_ITER" --count -v --duration 0.5 -- sleep 300
	check "trace --duration: ends before the command does" 0 out " *0 .*$MAP_ITER"

	fentry trace "$MAP_ITER" --count -v -- sh -c 'exit 7'
	check "trace: a command that fails gives 1" 1 \
		says "'sh' exited with status 7" out " *0 .*$MAP_ITER"
	fails 1 "'sh' was killed by signal 15" \
		trace "$MAP_ITER" --count -- sh -c 'kill -TERM $$'
	fails 1 "can't run '/no/such/command': No such file or directory" \
		trace "$MAP_ITER" --count -- /no/such/command
}

# A function that btfaddr refused, by its name and by a glob.
test_undescribed() {
	local name

	# the first of them whose name isn't the beginning of another one's
	name=$("$FENTRY" list --untraceable | awk '/no verified signature/ { print $4 }' | LC_ALL=C sort |
		awk 'name != "" && index($0, name) != 1 { print name; exit }
			{ name = /\./ || $0 == last ? "" : $0; last = $0 }')
	if [[ -z $name ]]; then
		report_skipped "trace: a function that isn't in BTF" "this kernel has none with a name of its own"
		return
	fi
	fentry trace "$name"
	check "trace: says that $name isn't in BTF" 3 says "no function matches '$name'" \
		says "can't trace $name: $UNDESCRIBED"
	fentry trace "$name*" do_sys_openat2 --count --duration 0.1
	check "trace: and that a glob matches it" $(($(grep -c 'no function' "$work/err") * 3)) \
		says "can't trace $name: $UNDESCRIBED"
}

test_refused() {
	local name

	# functions of init text have a BTF id, but no address any more
	name=$("$FENTRY" list 'vmlinux:*' | awk '$1 == "-" { print $4; exit }')
	fails 1 "can't trace $name: init text: freed after boot" trace "$name"
	fails 1 "can't trace bpf_get_stackid_tp: $NOTRACE" trace bpf_get_stackid_tp
	fentry trace _printk --count -v --duration 1
	check "trace: a function with variable arguments" 0 says "tracing 1 function"
	name=$(many_arguments)
	fentry trace "$name" --exit --duration 1
	check "trace: a function with more than 12 arguments" 0 says "tracing 1 function"
	# without tracefs, fentry knows only the kernel's error
	capture "${NO_TRACEFS[@]}" "$FENTRY" trace bpf_get_stackid_tp --count --duration 1
	check "trace: without tracefs, says what the kernel says" 1 \
		says "can't attach to bpf_get_stackid_tp: .*: it is a notrace function, or .*"
}

# Without root, with some capabilities only, and with no place to write to.
# The switch is thrown only while nothing is attached. Another file in its place is read, too.
test_switched_off() {
	local switch=/proc/sys/kernel/ftrace_enabled command
	local refused="fentry: kernel.ftrace_enabled is 0, so the kernel calls no program at functions: .*"

	echo 0 >"$work/off"
	# Linux 7.3 refuses to switch it off
	echo 0 2>/dev/null >"$switch" || mount --bind "$work/off" "$switch"
	for command in "trace $NAME@map_iter.c --count" "latency vfs_read" "run $OUTPUT/fentry_feeds.bpf.o"; do
		# shellcheck disable=SC2086 # words
		fentry $command --duration 0.2
		check "${command%% *}: ftrace is switched off" 1 err "$refused"
	done
	fentry explain vfs_read
	check "explain: ftrace is switched off" 0 out "  traceable  no: kernel.ftrace_enabled is 0"
	umount "$switch" 2>/dev/null || echo 1 >"$switch"
	for command in "trace vfs_read --count" "run $OUTPUT/fentry_feeds.bpf.o"; do
		# shellcheck disable=SC2086 # words
		capture unshare --mount "$FENTRY" $command -- sh -c 'mount --bind "$0" "$1"' "$work/off" "$switch"
		check "${command%% *}: ftrace is switched off meanwhile" 0 \
			says "kernel.ftrace_enabled became 0 meanwhile: calls may be missing"
	done
}

test_environment() {
	capture "${AS_NOBODY[@]}" "$FENTRY" list "$NAME"
	check "list: works without root, addresses are hidden" 0 \
		out "- +[0-9]+ +vmlinux +$NAME +kernel/bpf/map_iter.c .*" \
		says "addresses are hidden from this user .*"
	capture "${AS_NOBODY[@]}" "$FENTRY" trace "$MAP_ITER" --count -v --duration 1
	check "trace: says what it lacks without root, once" 1 messages 1 \
		says "not allowed to load BPF programs: this process lacks CAP_BPF and CAP_PERFMON"
	capture "${AS_NOBODY[@]}" "$FENTRY" trace 's*' --count -v --duration 1
	check "trace: says it once of many functions" 1 messages 1

	sysctl -q kernel.perf_event_paranoid=3
	capture "${AS_TRACER[@]}" "$FENTRY" trace "$MAP_ITER" --count -v --duration 0.2
	check "trace: CAP_BPF and CAP_PERFMON are enough, perf_event_paranoid or not" 0 \
		out " *0 .*$MAP_ITER"
	capture "${AS_NOBODY[@]}" --inh-caps +bpf --ambient-caps +bpf \
		"$FENTRY" trace "$MAP_ITER" --count -v --duration 0.2
	check "trace: CAP_BPF alone isn't" 1 \
		says "not allowed to load BPF programs: this process lacks CAP_PERFMON"
	capture setpriv --bounding-set=-sys_admin,-bpf --inh-caps=-sys_admin,-bpf \
		"$FENTRY" latency "$MAP_ITER" --duration 0.2
	check "latency: root is told which capability is missing" 1 \
		says "not allowed to load BPF programs: this process lacks CAP_BPF"
	capture unshare --user --map-root-user "$FENTRY" trace "$MAP_ITER" --count --duration 0.2
	check "trace: in a user namespace the capabilities aren't what is missing" 1 \
		says "not allowed to load BPF programs, though .*"

	capture unshare --mount sh -c 'mount -t tmpfs none /sys && exec "$0" list "$1"' \
		"$FENTRY" "$NAME"
	check "a kernel without BTF gives 1 and says so" 1 \
		says "no /sys/kernel/btf/vmlinux: .*"

	status=0
	"$FENTRY" list "$NAME" >/dev/full 2>"$work/err" || status=$?
	check "output that can't be written gives 1" 1 \
		says "can't write the output: No space left on device"
}

call_tests
