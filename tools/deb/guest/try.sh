#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Does what a new user does on a Debian with the packages installed. Runs as root in the guest that
# tools/deb/system boots, and prints TAP. TESTS chooses the tests for this boot by their names:
#   any        for any kernel
#   debian     for a kernel that can't tell functions of one name apart: the distribution's, or ours
#              without the option
#   btfaddr    for the kernel of linux-image-*-btfaddr, which can
#   packages   for upgrade and removal of the packages
#   removed    for the system after the removal
# RELEASE is the kernel that was booted, and KERNELS are those that "make deb-kernel" made.
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
. "$here/../../harness/taplib.sh"
. "$here/../twins.sh"

readonly trigger=${here%/tools/deb/guest}/trigger
readonly twice=bpf_iter_detach_map
readonly units=(kernel/bpf/map_iter.c net/core/bpf_sk_storage.c)
readonly tools=(btfaddr fentry libfentry1 libfentry-dev)
export DEBIAN_FRONTEND=noninteractive

# want COMMAND... - Run a command, which must succeed.
want() {
	run "$@"
	want_status 0
}

# want_line REGEX - Check that a line of the last output matches.
want_line() {
	grep -qE -- "$1" <<<"$out" || fail "no line like '$1' in the output: $out"
}

test_any_system_is_up() {
	[[ $(uname -r) == "$RELEASE" ]] || fail "booted $(uname -r), not $RELEASE"
	[[ $(realpath "$(findmnt -no SOURCE /)") == "$(realpath /dev/disk/by-id/virtio-root)" ]] ||
		fail "$(findmnt /)"
	want systemctl --failed --plain --no-legend
	[[ -z $out ]] || fail "units failed: $out"
}

test_any_fentry_traces_a_function() {
	want fentry trace do_sys_openat2 -- cat /proc/version
	want_line ' do_sys_openat2\(dfd=.*"/proc/version"'
	want fentry latency do_sys_openat2 --count 3 -- sh -c 'cat /proc/version; cat /proc/version'
	want_line '^do_sys_openat2: 3 calls'
	want fentry explain do_sys_openat2
	want_line '^  traceable  yes'
}

test_debian_list_says_that_it_cannot_tell() {
	want fentry list --ambiguous
	out=$(grep -E "kallsyms_btf| $twice " <<<"$out") || :
	want_text "this kernel has no /proc/kallsyms_btf"
	want_line "^- .* $twice +-"
	[[ $(wc -l <<<"$out") -eq 2 ]] || fail "more than one: $out"
}

test_debian_trace_refuses_to_guess() {
	run fentry trace "$twice" --count -- "$trigger" map_elem 3
	want_status 4
	want_text "2 functions are called $twice, and this kernel can't tell them apart"
	want fentry explain "$twice"
	want_line '^  traceable  no: its name has several functions'
}

# both_apart TRIGGER_ONE TRIGGER_TWO SPEC_ONE SPEC_TWO - Check that a program on either function
# counts only the calls of this function: 3 of the first, 5 of the second.
both_apart() {
	local i calls=(3 5) specs=("$3" "$4")

	for i in 0 1; do
		want fentry trace "${specs[i]}" --count -- sh -ec "$1; $2"
		want_line "^ *${calls[i]} .* ${specs[i]##*:}\$"
	done
}

# These are the two commands of README. The VM has no network, so apt's archive is a folder. Its
# debug package has few modules: an emulated CPU would take an hour for all.
test_debian_fentry_files_and_trace() {
	echo "deb [trusted=yes] file:$(echo "${trigger%/*}"/*.debug) ./" >/etc/apt/sources.list.d/x.list
	want apt-get -o Dir::Etc::SourceList=/dev/null update
	want fentry-files
	want_line "^fentry-files: vmlinux and [1-9][0-9]* of [0-9]+ modules of Linux $RELEASE, "
	both_apart "$trigger map_elem 3" "$trigger sk_storage 5" "$twice@${units[0]}" "$twice@${units[1]}"
}

test_btfaddr_list_and_explain() {
	local unit

	want fentry list --ambiguous
	out=$(grep -E "kallsyms_btf| $twice " <<<"$out") || :
	want_no_text "kallsyms_btf"
	for unit in "${units[@]}"; do
		want_line "^[0-9a-f]{16} .* $twice +$unit +void $twice\("
		[[ $(fentry explain "$twice" | grep -c "$unit") -ge 1 ]] ||
			fail "explain: $(fentry explain "$twice")"
	done
	want fentry explain finish_task_switch
	want_line '^  source +struct rq \*finish_task_switch\(struct task_struct \*prev\)'
}

test_btfaddr_both_traced_apart() {
	both_apart "$trigger map_elem 3" "$trigger sk_storage 5" "$twice@${units[0]}" "$twice@${units[1]}"
}

# DKMS has installed the module, so modprobe finds it by name.
test_btfaddr_module_by_dkms() {
	local parameters=/sys/module/twins/parameters

	write_twins /usr/src/twins-1
	want dkms install twins/1 -k "$RELEASE"
	want modprobe twins
	want fentry list twins:twin
	want_line '^[0-9a-f]{16} .* twins +twin +.*one\.c +int twin\(int one\)'
	want_line '^[0-9a-f]{16} .* twins +twin +.*two\.c +int twin\(int two\)'
	both_apart "for i in 1 2 3; do echo >$parameters/one; done" \
		"for i in 1 2 3 4 5; do echo >$parameters/two; done" twins:twin@one.c twins:twin@two.c
	want modprobe -r twins
}

# Debian's modules are compressed, and signed by Debian. Our kernel's own key signs its modules.
test_btfaddr_modules_are_signed() {
	want modinfo -F signer virtio_blk
	[[ -n $out ]] || fail "virtio_blk has no signature"
	[[ $(($(</proc/sys/kernel/tainted) & ~0x3000)) -eq 0 ]] ||
		fail "tainted: $(</proc/sys/kernel/tainted)"
}

# Upgrades to the same packages with a newer version.
test_packages_upgrade() {
	local package files=()

	for package in "${tools[@]}"; do
		dpkg-deb -R /srv/deb/"$package"_*.deb "$scratch/new"
		sed -i -E 's/[0-9.]+~git[^) ]*/9.0+newer/' "$scratch/new/DEBIAN/control"
		dpkg-deb -Zgzip -z1 -b "$scratch/new" "$scratch/$package.deb" >/dev/null
		rm -r "$scratch/new"
		files+=("$scratch/$package.deb")
	done
	want apt-get -y install "${files[@]}"
	[[ $(dpkg-query -W -f '${Version} ' "${tools[@]}") == "9.0+newer 9.0+newer 9.0+newer 9.0+newer " ]] ||
		fail "$(dpkg-query -W "${tools[@]}")"
	want fentry explain do_sys_openat2
}

test_packages_removal() {
	local release packages=("${tools[@]}")

	for release in $KERNELS; do
		packages+=("linux-image-$release" "linux-headers-$release")
	done
	want apt-get -y purge "${packages[@]}"
	for release in $KERNELS; do
		[[ -z $(find /boot /lib/modules /usr/src -maxdepth 1 -name "*$release*") ]] ||
			fail "left: $(find /boot /lib/modules /usr/src -maxdepth 1 -name "*$release*")"
	done
	[[ -e /boot/vmlinuz-$RELEASE && -e /boot/initrd.img-$RELEASE ]] || fail "$(ls /boot)"
	[[ -z $(type -P fentry) ]] || fail "fentry is still there"
}

test_removed_system_is_up() {
	test_any_system_is_up
	[[ -z $KERNELS ]] || [[ $(find /boot -name 'vmlinuz-*' | wc -l) -eq 1 ]] || fail "$(ls /boot)"
}

run_tests
