#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of tools/vm/run itself. Needs a kernel that boots: KERNEL, or the gcc kernel in BUILD.
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
repo=${here%/tools/vm}
. "$repo/tools/harness/taplib.sh"

build=$(realpath -m -- "${BUILD:-$repo/build}")
kernel=${KERNEL:-$build/gcc/arch/x86/boot/bzImage}
unset BUILD

# vm OPTION... CMD - Run the runner with the test's own build folder and TMPDIR.
vm() {
	run env TMPDIR="$scratch" "$here/run" --kernel "$kernel" --build "$scratch/build" \
		--timeout 120 "$@"
}

# Check that no QEMU of this test is left. Each has the scratch folder on its command line.
want_no_qemu() {
	local dir

	for dir in /proc/[0-9]*; do
		if tr '\0' ' ' 2>/dev/null <"$dir/cmdline" | grep -q "^qemu.*$scratch"; then
			return 1
		fi
	done
}

wait_for_no_qemu() {
	for _ in {1..50}; do
		! want_no_qemu || return 0
		sleep 0.1
	done
	fail "QEMU is still there"
}

# wait_for_line TEXT - Wait until the background run has printed TEXT to $scratch/out.
wait_for_line() {
	for _ in {1..600}; do
		! grep -qx "$1" "$scratch/out" || return 0
		sleep 0.1
	done
	fail "no line '$1' within 60 s: $(<"$scratch/out")"
}

test_exit_status_passes_through() {
	vm 'exit 0'
	want_status 0
	[[ -z $out ]] || fail "output of its own: $out"
	vm 'exit 7'
	want_status 7
}

test_exit_status_of_a_command_killed_by_a_signal() {
	vm 'kill -9 $$'
	want_status 137
}

test_output_is_complete_and_apart_from_the_console() {
	vm --log "$scratch/console" \
		'seq 1 200000; echo to-stderr >&2; echo by-name >/dev/stdout; echo k >/dev/kmsg'
	want_status 0
	[[ $out == "$(seq 1 200000; echo to-stderr; echo by-name)" ]] ||
		fail "differs: $(wc -c <<<"$out") bytes, ends in $(tail -n 3 <<<"$out")"
	grep -q 'Linux version' "$scratch/console" || fail "no kernel messages in the log"
}

test_output_comes_while_the_command_runs() {
	TMPDIR=$scratch "$here/run" --kernel "$kernel" --build "$scratch/build" \
		'echo first; sleep 1000' >"$scratch/out" 2>&1 &
	wait_for_line first
	kill -TERM $!
	status=0
	wait $! || status=$?
	want_status 143
	wait_for_no_qemu
}

test_qemu_dies_with_a_killed_runner() {
	TMPDIR=$scratch "$here/run" --kernel "$kernel" --build "$scratch/build" \
		'echo first; sleep 1000' >"$scratch/out" 2>&1 &
	wait_for_line first
	! want_no_qemu || fail "the test can't see QEMU"
	kill -KILL $!
	wait_for_no_qemu
}

test_what_a_command_leaves_running_does_not_hold_up_the_end() {
	vm 'sleep 1000 & exit 3'
	want_status 3
}

test_no_verdict_is_a_failure() {
	vm 'echo exit 0; echo b >/proc/sysrq-trigger; sleep 60'
	want_status 125
	want_text "no verdict from the guest"
	want_text "console: "
	vm 'echo o >/proc/sysrq-trigger; sleep 60'
	want_status 125
	want_text "no verdict from the guest"
}

test_panic_is_a_failure_and_shown() {
	vm 'echo c >/proc/sysrq-trigger; sleep 60'
	want_status 125
	want_text "Kernel panic - not syncing: sysrq triggered crash"
	want_text "the kernel complained"
}

test_kernel_complaints_fail_a_command_that_succeeded() {
	vm 'for l in "WARNING: CPU: 0 PID: 1 at x" "BUG: KASAN: use-after-free" "Oops: 0000 [#1]" \
		"WARNING: possible circular locking dependency detected"; do
		echo "$l" >/dev/kmsg; done'
	want_status 123
	want_text "WARNING: CPU: 0 PID: 1 at x"
	want_text "BUG: KASAN: use-after-free"
	want_text "Oops: 0000 [#1]"
	want_text "WARNING: possible circular locking dependency detected"
}

test_kernel_complaint_keeps_the_status_of_a_command_that_failed() {
	vm 'echo "WARNING: x" >/dev/kmsg; exit 9'
	want_status 9
	want_text "the kernel complained"
}

test_harmless_console_lines_do_not_fail() {
	vm 'echo "DEBUG: a; 3 WARNINGs; bug: b; no Oops" >/dev/kmsg; dmesg -n 1 2>/dev/null; :'
	want_status 0
}

test_timeout_kills_the_vm() {
	vm --timeout 8 'echo started; sleep 1000'
	want_status 124
	want_text "within 8 s"
	want_no_qemu || fail "QEMU is still there"
}

test_nothing_is_left_in_tmpdir() {
	vm 'exit 1'
	[[ $(ls "$scratch") == build ]] || fail "left: $(ls "$scratch")"
}

test_root_is_read_only_build_and_tmp_are_writable() {
	vm 'if touch /etc/x /usr/x 2>/dev/null || mount -o remount,rw / 2>/dev/null &&
		touch /etc/x 2>/dev/null; then exit 9; fi
		set -e; echo tmp >/tmp/file; echo run >/run/file; echo guest >"$BUILD/file"'
	want_status 0
	[[ $(<"$scratch/build/file") == guest ]] || fail "the host doesn't see the file"
	[[ ! -e /etc/x && ! -e /usr/x ]] || fail "written on the host"
}

test_guest_environment() {
	vm 'set -ex
		for fs in proc sysfs devtmpfs tracefs debugfs securityfs bpf cgroup2; do
			grep -q " $fs " /proc/mounts
		done
		test -r /proc/kcore
		test "$(hostname) $(id -u) $HOME $LC_ALL" = "btfaddr-vm 0 /root C"
		ip link show lo | grep -q ,UP
		test "$(nproc)" = 2'
	want_status 0
}

test_repository_with_a_blank_in_its_name_below_tmp_or_run() {
	local base copy

	for base in /tmp /run; do
		copy=$(mktemp -d "$base/btfaddr test.XXXXXX")
		cp -r "$repo/tools" "$copy/"
		run "$copy/tools/vm/run" --kernel "$kernel" --timeout 60 \
			'pwd; ls tools/vm/run; echo w >build/w; touch tools/x; ls /tmp /run'
		out+=" $(cat "$copy/build/w")"
		rm -rf -- "$copy"
		want_status 0
		want_text "$copy"$'\n'"tools/vm/run"
		want_text " w"
		want_text "tools/x': Read-only file system"
	done
}

test_kernel_parameters_and_memory() {
	vm --append 'btfaddr.x=1' --append btfaddr.y=2 --mem 700M \
		'cat /proc/cmdline; grep MemTotal /proc/meminfo'
	want_status 0
	want_text "btfaddr.x=1 btfaddr.y=2"
	[[ $out =~ MemTotal:\ +[56][0-9]{5}\ kB ]] || fail "not 700M: $out"
}

test_missing_kernel() {
	run "$here/run" --kernel "$scratch/nosuch" true
	want_status 125
	want_text "no kernel at $scratch/nosuch"
}

test_file_that_is_no_kernel() {
	head -c 100000 /dev/urandom >"$scratch/junk"
	run "$here/run" --kernel "$scratch/junk" --build "$scratch/build" --timeout 10 true
	[[ $status -eq 125 || $status -eq 124 ]] || fail "status $status: $out"
}

test_kernel_that_does_not_boot_shows_its_last_lines() {
	vm --append root=nosuch true
	want_status 125
	want_text "Unable to mount root fs"
}

# Only the refusals are tested here: a boot from a disk takes a whole system. "make system" does it.
# Our kernels have no initramfs: "make deb-inlined-check" boots one.
test_missing_disk_and_what_goes_with_it() {
	vm --disk "$scratch/nosuch" true
	want_status 125
	want_text "cannot read $scratch/nosuch"
	: >"$scratch/disk"
	vm --disk "$scratch/disk" --give "$scratch/nothing" true
	want_status 125
	want_text "cannot read $scratch/nothing"
	vm --initrd "$scratch/nothing" true
	want_status 125
	want_text "cannot read $scratch/nothing"
}

test_unwritable_log() {
	vm --log "$scratch/no/such/folder/log" true
	want_status 125
	want_text "cannot write the log"
}

test_wrong_usage() {
	local args

	for args in "" "a b" "--nosuch true" "--timeout x true" "--timeout 0 true" "--mem 1T true" \
		"--log" "--give . true"; do
		# shellcheck disable=SC2086 # several words
		run "$here/run" $args
		want_status 2
	done
	run "$here/run" --help
	want_status 0
	want_text "usage: tools/vm/run"
}

if [[ ! -r $kernel ]]; then
	echo "tools/vm: no kernel at $kernel; 'make kernel' builds it" >&2
	exit 1
fi
run_tests
