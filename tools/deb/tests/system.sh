#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of "system".
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# Make a repository with packages, and stubs of mmdebstrap, systemd-nspawn, debugfs and the VM,
# which writes its commands to $scratch/boots.
small_system() {
	local package

	small_repo
	mkdir -p "$r/build/deb" "$r/build/selftests" "$r/tools/vm"
	for package in btfaddr fentry libfentry1 libfentry-dev linux-{image,headers,functions}-6.12.117-btfaddr; do
		echo deb >"$r/build/deb/${package}_1_amd64.deb"
	done
	cp /bin/true "$r/build/selftests/trigger"
	cp "$repo/tools/vm/vm.service" "$r/tools/vm/"
	stub id 'echo 0'
	stub mmdebstrap 'exit 0'
	stub systemd-nspawn '[[ ! -e "'"$scratch"'/fail" ]] || { echo "E: Unable to correct problems"; exit 100; }
		: >"'"$r"'/build/system/new"; echo run >>"'"$scratch"'/installed"'
	stub debugfs 'case $2 in
		ls*) printf "/%s/\n" 12/100644/0/0/vmlinuz-6.{1.0-9,12.117-btfaddr,1.0-51-cloud-amd64}/9 ;;
		*config-*-btfaddr*) echo CONFIG_DEBUG_INFO_BTF_FUNC_ADDR=y >"${2##* }" ;;
		*) echo x >"${2##* }" ;;
		esac'
	stub vm-run 'echo "${*: -1}" >>"'"$scratch"'/boots"; if [[ -e "'"$scratch"'/dead" ]]; then exit 125; fi
		echo "TAP version 13"; echo 1..1; echo ok 1 - x'
	mv "$scratch/bin/vm-run" "$r/tools/vm/run"
}

# Print the boots so far, with kernel and tests.
boots() {
	sed -nE "s/^RELEASE=([^ ]*) .*TESTS='([^']*)'.*/\1 \2/p" "$scratch/boots" 2>/dev/null
	rm -f "$scratch/boots"
}

test_system_boots_each_kernel_and_again_without_ours() {
	small_system
	run "$steps/system"
	want_status 0
	want_text "linux-functions-6.12.117-btfaddr_1_amd64.deb"
	[[ $(boots) == "6.12.117-btfaddr ^test_(any|btfaddr)_
6.1.0-51-cloud-amd64 ^test_(any|debian|packages)_
6.1.0-51-cloud-amd64 ^test_(removed)_" ]] || fail "$out"
	[[ ${out##*$'\n'} == "3 passed, 0 failed, 0 skipped" ]] || fail "$out"
}

test_system_expects_nothing_new_of_a_kernel_without_the_option() {
	small_system
	echo deb >"$r/build/deb/linux-image-6.12.117-plain_1_amd64.deb"
	run "$steps/system"
	want_status 0
	want_text "4 passed, 0 failed"
	[[ $(boots | sed -n 2p) == "6.12.117-plain ^test_(any|debian)_" ]] || fail "$out"
}

test_system_without_a_kernel_of_ours() {
	small_system
	rm "$r"/build/deb/linux-*
	run "$steps/system"
	want_status 0
	want_text "no linux-image in $r/build/deb, so none is booted; 'make deb-kernel' builds it"
	[[ $(boots | wc -l) -eq 2 ]] || fail "$out"
}

test_system_twice_makes_one_image() {
	small_system
	"$steps/system"
	rm "$scratch/installed"
	run "$steps/system"
	want_status 0
	[[ ! -e $scratch/installed && $(boots | wc -l) -eq 6 ]] || fail "$out"
	echo newer >"$r/build/deb/fentry_1_amd64.deb"
	run "$steps/system"
	want_status 0
	[[ -e $scratch/installed ]] || fail "the old image was taken: $out"
}

test_system_without_what_it_gives_to_the_guest() {
	small_system
	rm "$r/build/selftests/trigger"
	run "$steps/system"
	want_status 1
	want_text "no $r/build/selftests/trigger; 'make system' builds it"
	[[ -z $(boots) ]] || fail "$out"
}

test_system_of_an_unknown_suite() {
	small_system
	SUITE=sid run "$steps/system"
	want_status 2
	[[ $out == "system: SUITE='sid': there are bookworm and trixie" ]] || fail "$out"
}

test_system_without_packages() {
	small_system
	rm "$r"/build/deb/fentry_*
	run "$steps/system"
	want_status 1
	[[ $out == "system: no package fentry in $r/build/deb; 'make deb' builds it" ]] || fail "$out"
}

# The next run begins again with the Debian that is there.
test_system_with_packages_of_another_suite() {
	small_system
	: >"$scratch/fail"
	SUITE=trixie run "$steps/system"
	want_status 1
	want_text "E: Unable to correct problems"
	want_text "cannot make an image of trixie with the packages of $r/build/deb: are they built for"
	[[ ! -e $r/build/system/trixie.img && -z $(boots) ]] || fail "half made: $out"
	rm "$scratch/fail"
	SUITE=trixie run "$steps/system"
	want_status 0
	want_no_text "DEBIAN "
	[[ -e $r/build/system/trixie.img ]] || fail "$out"
}

test_system_with_too_little_disk() {
	small_system
	stub_free 17 99999
	run "$steps/system"
	want_status 1
	[[ $out == "system: no disk space for a Debian of bookworm: $r/build needs "*" MB free, has 17 MB" ]] ||
		fail "$out"
}

test_system_whose_guest_says_nothing() {
	small_system
	: >"$scratch/dead"
	run "$steps/system"
	want_status 1
	want_text "0 passed, 3 failed"
}

run_tests
