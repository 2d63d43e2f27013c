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
	TMPDIR=$scratch "$here/run" --kernel "$kernel" --build "$scratch/build" \
		--timeout 120 "$@"
}

# has_qemu - Tell whether a QEMU of this test runs. It has the scratch folder on its command line.
has_qemu() {
	grep -aqs "^qemu.*$scratch" /proc/[0-9]*/cmdline
}

wait_for_no_qemu() {
	for _ in {1..50}; do
		has_qemu || return 0
		sleep 0.1
	done
	fail "QEMU is still there"
}

# kill_running SIGNAL - Start a run in the background. Kill it once its command has printed a line.
kill_running() {
	TMPDIR=$scratch "$here/run" --kernel "$kernel" --build "$scratch/build" \
		'echo first; sleep 1000' >"$scratch/out" 2>&1 &
	for _ in {1..600}; do
		! grep -qx first "$scratch/out" || break
		sleep 0.1
	done
	[[ $(<"$scratch/out") == first ]] || fail "no first line within 60 s: $(<"$scratch/out")"
	has_qemu || fail "the test can't see QEMU"
	kill "-$1" $!
	status=0
	wait $! || status=$?
	wait_for_no_qemu
}

test_exit_status_passes_through() {
	expect 0 '' vm 'exit 0'
	[[ -z $out ]] || fail "output of its own: $out"
	expect 7 '' vm 'exit 7'
	expect 137 '' vm 'kill -9 $$'
}

test_output_is_complete_and_apart_from_the_console() {
	expect 0 '' vm --log "$scratch/console" \
		'seq 1 200000; echo to-stderr >&2; echo by-name >/dev/stdout; echo k >/dev/kmsg'
	[[ $out == "$(seq 1 200000; echo to-stderr; echo by-name)" ]] ||
		fail "differs: $(wc -c <<<"$out") bytes, ends in $(tail -n 3 <<<"$out")"
	grep -q 'Linux version' "$scratch/console" || fail "no kernel messages in the log"
}

test_output_comes_while_the_command_runs() {
	kill_running TERM
	want_status 143
}

test_qemu_dies_with_a_killed_runner() {
	kill_running KILL
}

test_what_a_command_leaves_running_does_not_hold_up_the_end() {
	expect 3 '' vm 'sleep 1000 & exit 3'
	[[ $(ls "$scratch") == build ]] || fail "left in TMPDIR: $(ls "$scratch")"
}

test_no_verdict_is_a_failure() {
	expect 125 "no verdict from the guest" \
		vm 'echo exit 0; echo b >/proc/sysrq-trigger; sleep 60'
	want_text "console: "
	expect 125 "no verdict from the guest" vm 'echo o >/proc/sysrq-trigger; sleep 60'
	expect 125 "Kernel panic - not syncing: sysrq triggered crash" \
		vm 'echo c >/proc/sysrq-trigger; sleep 60'
	want_text "the kernel complained"
}

test_kernel_complaints_fail_a_command_that_succeeds() {
	expect 123 '' vm 'for l in "WARNING: CPU: 0 PID: 1 at x" "BUG: KASAN: use-after-free" "Oops: 0000 [#1]" \
		"WARNING: possible circular locking dependency detected"; do
		echo "$l" >/dev/kmsg; done'
	want_text "WARNING: CPU: 0 PID: 1 at x"
	want_text "BUG: KASAN: use-after-free"
	want_text "Oops: 0000 [#1]"
	want_text "WARNING: possible circular locking dependency detected"
	expect 9 "the kernel complained" vm 'echo "WARNING: x" >/dev/kmsg; exit 9'
	expect 0 '' vm 'echo "DEBUG: a; 3 WARNINGs; bug: b; no Oops" >/dev/kmsg'
}

test_timeout_kills_the_vm() {
	expect 124 "within 8 s" vm --timeout 8 'echo started; sleep 1000'
	! has_qemu || fail "QEMU is still there"
}

test_root_is_read_only_build_and_tmp_are_writable() {
	expect 0 '' vm 'if touch /etc/x /usr/x 2>/dev/null || mount -o remount,rw / 2>/dev/null &&
		touch /etc/x 2>/dev/null; then exit 9; fi
		set -e; echo tmp >/tmp/file; echo run >/run/file; echo guest >"$BUILD/file"'
	[[ $(<"$scratch/build/file") == guest ]] || fail "the host doesn't see the file"
	[[ ! -e /etc/x && ! -e /usr/x ]] || fail "written on the host"
}

test_guest_environment() {
	expect 0 '' vm 'set -ex
		for fs in proc sysfs devtmpfs tracefs debugfs securityfs bpf cgroup2; do
			grep -q " $fs " /proc/mounts
		done
		test -r /proc/kcore
		test "$(hostname) $(id -u) $HOME $LC_ALL" = "btfaddr-vm 0 /root C"
		ip link show lo | grep -q ,UP
		test "$(nproc)" = 2'
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

test_files_of_inlined_calls_are_where_the_modules_would_be() {
	local tree=$scratch/tree arch=arch/x86/boot
	local entries='find /lib/ -mindepth 1 -maxdepth 1 ! -name modules -printf "%f %y %l\n" | sort'

	mkdir -p "$tree/$arch" "$tree/btf"
	ln -s "$kernel" "$tree/$arch/bzImage"
	echo its >"$tree/btf/vmlinux.functions"
	expect 0 its vm --kernel "$tree/$arch/bzImage" 'cat "/lib/modules/$(uname -r)/btf/vmlinux.functions"'
	expect 0 '' vm --kernel "$tree/$arch/bzImage" "$entries"
	[[ $out == "$(sh -c "$entries")" ]] || fail "/lib has other entries: $out"
	rm -r "$tree/btf"
	expect 0 none vm --kernel "$tree/$arch/bzImage" '[ -e "/lib/modules/$(uname -r)/btf" ] || echo none'
}

# stub_arm64 - Make a file with the mark of an arm64 kernel, and a QEMU that notes what it is given and
# says that the command ended with 7.
stub_arm64() {
	image=$scratch/build/gcc/arch/arm64/boot/Image
	mkdir -p "${image%/*}" "$scratch/build/gcc/btf"
	{ head -c 56 /dev/zero; printf ARMd; } >"$image"
	stub qemu-system-aarch64 'echo "$*" >"'"$scratch"'/args"
		all=$* work=${all##*id=verdict,path=} work=${work%%/verdict*}
		ls "$work" >"'"$scratch"'/files"
		echo "exit 7" >"$work/verdict"'
}

test_arm64_kernel_has_its_machine_and_its_own_root() {
	local root=$scratch/build/root

	stub_arm64
	expect 125 "no Debian for arm64 in $root; 'make root ARCH=arm64'" vm --kernel "$image" true
	mkdir -p "$root"/{bin,tmp}
	touch "$root/bin/bash"
	expect 7 '' vm --kernel "$image" true
	out=$(<"$scratch/args")
	want_text "-M virt -accel tcg"
	want_text "path=$root,readonly=on"
	want_text "path=$repo,readonly=on"
	want_text "mount_tag=repo"
	[[ $out =~ \ init=(/tmp/btfaddr-vm\.[A-Za-z0-9]+)/init ]] || fail "not within that root: $out"
	[[ -d $root$repo && -z $(find "$root/tmp" -name "btfaddr*") ]] || fail "no mount point, or left: $(find "$root")"
	grep -qx apart "$scratch/files" && grep -qx inlined "$scratch/files" || fail "$(cat "$scratch/files")"
	# functions files that aren't in the build folder aren't there for the guest
	mkdir "$scratch/other"
	mv "$scratch/build/gcc" "$scratch/other/gcc"
	expect 7 '' vm --kernel "${image/build/other}" true
	! grep -qx inlined "$scratch/files" || fail "$(cat "$scratch/files")"
}

test_kernel_parameters_and_memory() {
	expect 0 "btfaddr.x=1 btfaddr.y=2" \
		vm --append 'btfaddr.x=1' --append btfaddr.y=2 --mem 700M \
		'cat /proc/cmdline; grep MemTotal /proc/meminfo'
	[[ $out =~ MemTotal:\ +[56][0-9]{5}\ kB ]] || fail "not 700M: $out"
}

test_kernel_that_does_not_boot() {
	head -c 100000 /dev/urandom >"$scratch/junk"
	run "$here/run" --kernel "$scratch/junk" --build "$scratch/build" --timeout 10 true
	[[ $status -eq 125 || $status -eq 124 ]] || fail "status $status: $out"
	expect 125 "Unable to mount root fs" vm --append root=nosuch true
}

# A boot from a disk takes a whole system: "make system" does it. Our kernels have no initramfs:
# "make stock" boots one.
test_files_that_cannot_be_read_or_written() {
	local nothing=$scratch/nothing

	expect 125 "no kernel at $nothing" "$here/run" --kernel "$nothing" true
	expect 125 "cannot read $nothing" vm --disk "$nothing" true
	: >"$scratch/disk"
	expect 125 "cannot read $nothing" vm --disk "$scratch/disk" --give "$nothing" true
	expect 125 "cannot read $nothing" vm --initrd "$nothing" true
	expect 125 "cannot write the log" vm --log "$nothing/log" true
}

test_wrong_usage() {
	local args

	for args in "" "a b" "--nosuch true" "--timeout x true" "--timeout 0 true" "--mem 1T true" \
		"--log" "--give . true"; do
		# shellcheck disable=SC2086 # several words
		expect 2 '' "$here/run" $args
	done
	expect 0 "usage: tools/vm/run" "$here/run" --help
}

if [[ ! -r $kernel ]]; then
	echo "tools/vm: no kernel at $kernel; 'make kernel' builds it" >&2
	exit 1
fi
run_tests
