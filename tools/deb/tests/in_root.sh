#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests that "in-root" keeps its command away from the host. Needs root. The Debian of the tests is
# this system itself.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# Make a Debian in $scratch/root with its own /etc and /dev, and this system's programs.
small_root() {
	local folder

	[[ $(id -u) -eq 0 ]] || skip "needs root"
	unshare --mount true 2>/dev/null || skip "may not mount"
	export BUILD=$scratch/build
	root=$scratch/root
	mkdir -p "$root"/{dev,etc,proc,sys,tmp,usr/sbin}
	for folder in bin lib lib64; do
		ln -s "usr/$folder" "$root/$folder"
		mkdir -p "$root/usr/$folder"
	done
}

# in_root TEXT... - Run a shell script there.
in_root() {
	local folder places=()

	for folder in bin lib lib64; do
		[[ ! -d /usr/$folder ]] || places+=("/usr/$folder=/usr/$folder")
	done
	run "$repo/tools/deb/in-root" "$root" "$scratch/changes" "${places[@]}" -- /bin/sh -euc "$*"
}

test_in_root_a_link_to_a_file_of_the_host_is_not_followed() {
	small_root
	echo "the host's" >"$scratch/precious"
	ln -s "$scratch/precious" "$root/etc/resolv.conf"
	in_root 'cat /etc/resolv.conf'
	want_status 0
	[[ $(<"$scratch/precious") == "the host's" ]] || fail "overwritten: $(<"$scratch/precious")"
	[[ $out == "$(</etc/resolv.conf)" ]] || fail "$out"
}

test_in_root_the_hosts_devices_and_kernel_are_out_of_reach() {
	small_root
	in_root 'echo x >/dev/null; head -c 1 /dev/urandom >/dev/null; test -d /sys/kernel; ls /dev/fd/0
		: >/dev/mark; mkdir /dev/shm/mark
		for file in /sys/kernel/profiling /sys/power/state /proc/sys/kernel/hostname; do
			test ! -e $file || ! (: >>$file) 2>/dev/null || echo "$file is writable"
		done
		ls /dev'
	want_status 0
	want_no_text "is writable"
	[[ ! -e /dev/mark && ! -e /dev/shm/mark ]] || { rm -rf /dev/mark /dev/shm/mark; fail "/dev is the host's"; }
	! sed 1d <<<"$out" | grep -vxE \
		'null|zero|full|u?random|tty|kvm|pts|ptmx|shm|mark|fd|std(in|out|err)' || fail "$out"
}

test_in_root_no_service_is_started() {
	small_root
	in_root '/usr/sbin/policy-rc.d x start && echo allowed; echo $?'
	[[ $out == *101 ]] || fail "$out"
	[[ -z $(find "$scratch/changes/upper" "$root" -name policy-rc.d) ]] || fail "stays there"
	in_root 'rm /usr/sbin/policy-rc.d'
	in_root 'test ! -e /usr/sbin/policy-rc.d'
	want_status 0
}

test_in_root_changes_stay_in_their_folder() {
	small_root
	in_root 'echo new >/etc/new; echo x >/etc/passwd'
	want_status 0
	[[ -z $(ls "$root/etc") ]] || fail "in the Debian itself: $(ls "$root/etc")"
	in_root 'cat /etc/new'
	[[ $out == new ]] || fail "$out"
}

run_tests
