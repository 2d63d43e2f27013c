#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of "deb-functions", which packages what btfaddr --functions writes.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

packages() {
	(cd "$r/build/deb" && ls)
}

# file NAME - Print a file of the package.
file() {
	dpkg-deb --fsys-tarfile "$r"/build/deb/*.deb | tar -xO "./lib/modules/6.12.117-mine+/btf/$1"
}

test_deb_functions_has_a_file_for_vmlinux_and_each_module() {
	small_kernel
	expect 0 "vmlinux and 3 of 3 modules" "$steps/deb-functions" "$kernel"
	id=$(git -C "$r" rev-parse --short=7 HEAD)
	[[ $(packages) == "linux-functions-6.12.117-mine+_6.12.117+mine++git20260102.030405.${id}_amd64.deb" ]] ||
		fail "$(packages)"
	files=$(dpkg-deb -c "$r"/build/deb/*.deb | awk '/functions$/ { print $2, $6 }' | sort)
	[[ $files == "$(printf 'root/root ./lib/modules/6.12.117-mine+/btf/%s.functions\n' dummy ext4 snd_usb vmlinux)" ]] ||
		fail "$files"
	[[ $(file vmlinux.functions) == "vmlinux " && $(file snd_usb.functions) == "snd-usb.ko vmlinux" ]] ||
		fail "$(file vmlinux.functions) $(file snd_usb.functions)"
	[[ $(dpkg-deb -f "$r"/build/deb/*.deb Maintainer) == "Dev <dev@example.com>" ]] || fail "maintainer"
}

# A package replaces the older one, unless it can't be made.
test_deb_functions_of_what_cannot_be_described() {
	local before

	small_kernel
	"$steps/deb-functions" "$kernel"
	echo bad >"$kernel/fs/ext4.ko"
	echo more >>"$r/tools/btfaddr/main.c"
	expect 0 "vmlinux and 2 of 3 modules" "$steps/deb-functions" "$kernel"
	want_text "left out $kernel/fs/ext4.ko: btfaddr: $kernel/fs/ext4.ko: no DWARF"
	grep -q 'ext4.ko: no DWARF' "$r/build/log/deb-functions.log" || fail "not in the log"
	! dpkg-deb -c "$r"/build/deb/*.deb | grep -q ext4 || fail "there"
	before=$(packages)
	[[ $before == *"+local_amd64.deb" && $(wc -l <<<"$before") -eq 1 ]] || fail "$before"
	echo "bad Linux version 6.12.117-mine+" >"$kernel/vmlinux"
	echo more >>"$r/tools/btfaddr/main.c"
	expect 1 "vmlinux: no DWARF" "$steps/deb-functions" "$kernel"
	[[ $(packages | grep deb$) == "$before" ]] || fail "$(packages)"
}

test_deb_functions_of_a_debug_package() {
	debug_package
	for _ in 1 2; do
		expect 0 "vmlinux and 1 of 1 modules" "$steps/deb-functions" --package "$debug_name"
		[[ $(packages) == "linux-functions-${release}_${release}+"*_amd64.deb ]] || fail "$(packages)"
		[[ $(dpkg-deb --fsys-tarfile "$r"/build/deb/*.deb |
			tar -xO "./lib/modules/$release/btf/ext4.functions") == "ext4.ko vmlinux-$release" ]] ||
			fail "wrong file"
	done
	[[ $(<"$scratch/asked") == "-qq download $debug_name" ]] || fail "asked: $(<"$scratch/asked")"
	[[ ! -e $r/build/deb-functions ]] || fail "left something: $(ls "$r/build/deb-functions")"
}

# Packages of Linux 7.3 are like this.
test_deb_functions_of_a_package_with_vmlinux_among_the_modules() {
	local debug

	debug_package
	debug=$scratch/tree/usr/lib/debug
	mv "$debug/boot/vmlinux-$release" "$debug/lib/modules/$release/vmlinux"
	ln -s "../lib/modules/$release/vmlinux" "$debug/boot/vmlinux-$release"
	dpkg-deb --build "$scratch/tree" "$scratch/new.deb" >/dev/null
	expect 0 "vmlinux and 1 of 1 modules" "$steps/deb-functions" --package "$scratch/new.deb"
}

test_deb_functions_of_another_package() {
	debug_package
	expect 1 "cannot download linux-image-1.2.3-dbg" "$steps/deb-functions" --package linux-image-1.2.3-dbg
	rm -r "$scratch/tree/usr/lib/debug/lib"
	dpkg-deb --build "$scratch/tree" "$scratch/other.deb" >/dev/null
	expect 1 "other.deb has no usr/lib/debug/boot/vmlinux-*, or no modules" \
		"$steps/deb-functions" --package "$scratch/other.deb"
	sed -i 's/-dbg$//' "$scratch/tree/DEBIAN/control"
	dpkg-deb --build "$scratch/tree" "$scratch/other.deb" >/dev/null
	expect 1 "'linux-image-6.12.117+deb12' is no debug package of a kernel" \
		"$steps/deb-functions" --package "$scratch/other.deb"
	expect 2 '' "$steps/deb-functions" --package
	expect 2 '' "$steps/deb-functions" --package 'a b'
	[[ ! -e $r/build/deb ]] || fail "half made"
}

run_tests
