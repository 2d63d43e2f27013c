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
	expect 0 "linux-functions-6.12.117-btfaddr_1_amd64.deb" "$steps/system"
	[[ $(boots) == "6.12.117-btfaddr ^test_(any|btfaddr)_
6.1.0-51-cloud-amd64 ^test_(any|debian|packages)_
6.1.0-51-cloud-amd64 ^test_(removed)_" ]] || fail "$out"
	[[ ${out##*$'\n'} == "3 passed, 0 failed, 0 skipped" ]] || fail "$out"
}

test_system_twice_makes_one_image() {
	small_system
	"$steps/system"
	rm "$scratch/installed"
	expect 0 '' "$steps/system"
	[[ ! -e $scratch/installed && $(boots | wc -l) -eq 6 ]] || fail "$out"
	echo newer >"$r/build/deb/fentry_1_amd64.deb"
	expect 0 '' "$steps/system"
	[[ -e $scratch/installed ]] || fail "the old image was taken: $out"
}

# The next run begins again with the Debian that is there.
test_system_with_packages_of_another_suite() {
	small_system
	: >"$scratch/fail"
	SUITE=trixie expect 1 "E: Unable to correct problems" "$steps/system"
	want_text "cannot make an image of trixie with the packages of $r/build/deb: are they built for"
	[[ ! -e $r/build/system/trixie.img && -z $(boots) ]] || fail "half made: $out"
	rm "$scratch/fail"
	SUITE=trixie expect 0 '' "$steps/system"
	want_no_text "DEBIAN "
	[[ -e $r/build/system/trixie.img ]] || fail "$out"
}

test_system_whose_guest_says_nothing() {
	small_system
	: >"$scratch/dead"
	expect 1 "0 passed, 3 failed" "$steps/system"
}

run_tests
