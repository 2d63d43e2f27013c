#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# fentry trace --count on all functions with ambiguous names at once, while some of them are called.
# Kprobes at the same addresses count the same calls. fentry counts for longer than the load
# runs, but not for as long as the probes are there, so its counts lie between what the probes count
# during the load and what they count in all. TAP.
source "$(dirname -- "${BASH_SOURCE[0]}")/lib/fentry_lib.sh"

readonly TRACEFS=/sys/kernel/tracing GROUP=fentry_counts

# Reads files, which calls functions with ambiguous names.
make_calls() {
	local file

	for file in /proc/{kallsyms,cpuinfo,modules,mounts,consoles,tty/drivers,iomem} \
		"$TRACEFS"/{available_events,available_tracers,trace,set_event,printk_formats,set_ftrace_filter}; do
		cat "$file" >/dev/null 2>&1
	done
	find /sys/devices /sys/kernel/irq /sys/firmware /sys/power -maxdepth 6 -type f \
		\( -name type -o -name name -o -name modalias -o -name status -o -name enabled \
		-o -name event -o -name umask -o -name edge -o -name inv -o -name cmask \
		-o -name id -o -name flags -o -name vendor -o -name device -o -name version \) \
		-exec cat {} + >/dev/null 2>&1
	"$TRIGGER" map_elem 5
	"$TRIGGER" sk_storage 7
}

# What the probes have counted so far, as lines "BTF-ID hits".
probe_counts() {
	awk '$1 ~ /^id/ { print substr($1, 3), $2 }' "$TRACEFS/kprobe_profile" | sort
}

# Puts a probe at each function of the last trace, if there can be one.
add_probes() {
	awk 'NR > 1 { print "p:'"$GROUP"'/id" $2 " 0x" $3 }' "$work/out" >"$work/probes"
	while read -r line; do
		echo "$line" >>"$TRACEFS/kprobe_events"
	done <"$work/probes" 2>/dev/null
	echo 1 >"$TRACEFS/events/$GROUP/enable"
}

remove_probes() {
	echo 0 >"$TRACEFS/events/$GROUP/enable"
	echo >"$TRACEFS/kprobe_events"
}

# Joins counts by BTF id: the id, fentry's count, the probe's during the load, and the probe's in all.
compare() {
	awk 'NR > 1 { print $2, $1 }' "$work/out" | sort >"$work/counts"
	join "$work/counts" <(join "$work/before" "$work/after" | awk '{ print $1, $3 - $2 }') |
		join - "$work/total" >"$work/compared"
}

# compare_counts(what, specification...) - Count them, and probes count the same calls.
compare_counts() {
	local names functions=("${@:2}") wrong reached

	# this run tells which of them ftrace can trace
	fentry trace "${functions[@]}" --count -v --duration 0.1
	check "trace --count: all of ${#functions[@]} $1" 0 \
		says "tracing [0-9]+ functions"
	mapfile -t functions < <(awk 'NR > 1 { print "#" $2 }' "$work/out")
	names=$(awk 'NR > 1 { sub(/[@#].*/, "", $4); print $4 }' "$work/out" | sort -u | wc -l)
	add_probes
	start "$FENTRY" trace "${functions[@]}" --count -v
	probe_counts >"$work/before"
	make_calls
	probe_counts >"$work/after"
	interrupt
	probe_counts >"$work/total"
	remove_probes
	compare

	[[ $(wc -l <"$work/compared") -ge $((${#functions[@]} * 9 / 10)) ]]
	report $? "kprobes at $(wc -l <"$work/compared") of ${#functions[@]} functions of $names names"
	wrong=$(awk '$2 < $3 || $2 > $4' "$work/compared")
	[[ $status -eq 0 && -z $wrong ]]
	report $? "$1: each count is the kprobe's"
	[[ -z $wrong ]] || awk '{ print "# id, count, kprobe during the load, in all: " $0 }' <<<"$wrong"
	reached=$(awk '$3 > 0' "$work/compared" | wc -l)
	[[ $reached -ge 10 ]]
	report $? "$1: the load reached $reached of them"
	echo "# $(awk '$3 == $4' "$work/compared" | wc -l) were called during the load only"
}

test_counts() {
	local functions

	mapfile -t functions < <("$FENTRY" list --ambiguous --json |
		jq -r '.[] | select(.address) | if .module == "vmlinux" then "" else .module + ":" end + "#\(.id)"')
	compare_counts "functions of ambiguous names" "${functions[@]}"
	[[ $(count_of "$MAP_ITER") -eq 5 && $(count_of "$SK_STORAGE") -eq 7 ]]
	report $? "the two $NAME() were called 5 and 7 times"
}

# Arguments and results are those of the system calls, also of functions that sleep or call each other;
# and JSON says by what each is traced.
test_values() {
	local one=trampoline many=kprobe_multi exit=kprobe_session by functions

	functions=(vfs_read vfs_write vfs_open vfs_fstat vfs_fstatat vfs_getattr_nosec do_sys_openat2)
	[[ $(uname -m) == x86_64 ]] || many=trampoline exit=trampoline
	! has_multi || many=tracing_multi exit=tracing_multi
	fentry trace "${functions[@]}" --exit -- python3 -c 'import os
r, w = os.pipe()
if not os.fork():
    os.read(r, 77)
    os._exit(0)
with open("/proc/version", "rb", buffering=0) as version:
    for count in (5, 6, 7): os.read(version.fileno(), count)
os.write(w, b"wake")
os.wait()'
	[[ $status -eq 0 && $(sed -nE 's/^python3 .* vfs_read\(.*count=([567]),.*\) = (.*)/\1:\2/p' \
		"$work/out" | xargs) == "5:5 6:6 7:7" ]]
	report $? "trace --exit: the arguments and results of three system calls"
	check "trace --exit: a call that slept has its arguments and its result; nothing is lost" 0 \
		out "python3 .* vfs_read\(.*count=77, .*\) = 4" out "python3 .* vfs_write\(.*count=4, .*\) = 4" \
		no_err "not counted|not shown"
	for by in "$one 1" "$many ${#functions[@]}"; do
		fentry trace "${functions[@]:0:${by#* }}" --json -- cat /proc/version
		[[ $status -eq 0 && $(grep -v "^Linux" "$work/out" | jq -r .traced_by | sort -u) == "${by% *}" ]]
		report $? "trace --json: ${by#* } functions by ${by% *}"
	done
	fentry trace "${functions[@]}" --exit --json -- cat /proc/version
	[[ $status -eq 0 && $(grep -v "^Linux" "$work/out" | jq -r .traced_by | sort -u) == "$exit" ]]
	report $? "trace --json --exit: by $exit"
}

# The program for vfs_read() calls the first one itself, and can't run on top of itself.
test_missed() {
	if ! has_links; then
		report_skipped "trace of many: calls that its link misses" "each function has its own"
		return
	fi
	fentry trace copy_from_kernel_nofault vfs_read vfs_write vfs_open vfs_fstat -- cat /proc/version
	check "trace of many: calls that its link misses are told" 0 out "cat .* vfs_read\(.*" \
		says "[1-9][0-9]* calls came while the same program.* was running, and are not counted"
}

call_tests
