#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of "deb-inlined", which packages what btfaddr --inline writes.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# Make a kernel of three modules in $kernel, and a btfaddr that can't read damaged ones. It notes the
# file and its base in what it writes.
small_kernel() {
	small_repo
	kernel=$scratch/kernel
	mkdir -p "$r/build/bin" "$kernel"/{drivers/net,fs,include/config}
	echo 6.12.117-Mine+ | tr 'M' 'm' >"$kernel/include/config/kernel.release"
	echo good >"$kernel/vmlinux"
	for module in drivers/net/snd-usb drivers/net/dummy fs/ext4; do
		echo good >"$kernel/$module.ko"
	done
	cat >"$r/build/bin/btfaddr" <<-'END'
		#!/bin/bash
		[[ $1 == --inline ]] || exit 9
		input=${!#}
		grep -q good "$input" || { echo "btfaddr: $input: no DWARF" >&2; exit 1; }
		echo "$(basename "$input") $([[ $3 != --btf_base ]] || basename "$4")" >"$2"
	END
	chmod +x "$r/build/bin/btfaddr"
}

packages() {
	(cd "$r/build/deb" && ls)
}

# file NAME - Print a file of the package.
file() {
	dpkg-deb --fsys-tarfile "$r"/build/deb/*.deb | tar -xO "./lib/modules/6.12.117-mine+/btf/$1"
}

test_deb_inlined_has_a_file_for_vmlinux_and_each_module() {
	small_kernel
	run "$steps/deb-inlined" "$kernel"
	want_status 0
	want_text "vmlinux and 3 of 3 modules"
	id=$(git -C "$r" rev-parse --short=7 HEAD)
	[[ $(packages) == "linux-inlined-6.12.117-mine+_6.12.117+mine++git20260102.030405.${id}_amd64.deb" ]] ||
		fail "$(packages)"
	files=$(dpkg-deb -c "$r"/build/deb/*.deb | awk '/inline$/ { print $2, $6 }' | sort)
	[[ $files == "$(printf 'root/root ./lib/modules/6.12.117-mine+/btf/%s.inline\n' dummy ext4 snd_usb vmlinux)" ]] ||
		fail "$files"
	[[ $(file vmlinux.inline) == "vmlinux " && $(file snd_usb.inline) == "snd-usb.ko vmlinux" ]] ||
		fail "$(file vmlinux.inline) $(file snd_usb.inline)"
	[[ $(dpkg-deb -f "$r"/build/deb/*.deb Maintainer) == "Dev <dev@example.com>" ]] || fail "maintainer"
}

test_deb_inlined_leaves_out_what_cannot_be_described() {
	small_kernel
	echo bad >"$kernel/fs/ext4.ko"
	run "$steps/deb-inlined" "$kernel"
	want_status 0
	want_text "vmlinux and 2 of 3 modules"
	want_text "modules left out: 1;"
	grep -q 'ext4.ko: no DWARF' "$r/build/log/deb-inlined.log" || fail "not in the log"
	! dpkg-deb -c "$r"/build/deb/*.deb | grep -q ext4 || fail "there"
}

test_deb_inlined_that_fails_leaves_the_older_package() {
	local before

	small_kernel
	"$steps/deb-inlined" "$kernel"
	before=$(packages)
	echo more >>"$r/tools/btfaddr/main.c"
	echo bad >"$kernel/vmlinux"
	run "$steps/deb-inlined" "$kernel"
	want_status 1
	want_text "vmlinux: no DWARF"
	[[ $(packages | grep deb$) == "$before" ]] || fail "$(packages)"
}

test_deb_inlined_replaces_the_older_package() {
	small_kernel
	"$steps/deb-inlined" "$kernel"
	echo more >>"$r/tools/btfaddr/main.c"
	run "$steps/deb-inlined" "$kernel"
	want_status 0
	[[ $(packages) == *"+local_amd64.deb" && $(packages | wc -l) -eq 1 ]] || fail "$(packages)"
}

test_deb_inlined_of_no_kernel() {
	small_kernel
	run "$steps/deb-inlined" "$scratch"
	want_status 1
	want_text "no kernel was built there"
	run "$steps/deb-inlined"
	want_status 1
	want_text "build/deb-kernel/linux: no kernel was built there"
	run "$steps/deb-inlined" a b
	want_status 2
	echo 'Has Spaces' >"$kernel/include/config/kernel.release"
	run "$steps/deb-inlined" "$kernel"
	want_status 1
	want_text "can't be part of a package's name"
	[[ ! -e $r/build/deb ]] || fail "half made"
}

run_tests
