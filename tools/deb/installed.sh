#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the packages in DEBS (build/deb), installed by apt in a Debian of their own (SUITE):
# those of "make deb", and kernel and headers of "make deb-kernel" if they are there. Needs root,
# and the network for what they depend on. TAP.
# shellcheck disable=SC2154 # status, out and scratch come from taplib.sh
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
harness=${here%/deb}/harness
fentry=${here%/deb}/fentry
. "$harness/taplib.sh"
. "$here/twins.sh"

build=$(realpath -m -- "${BUILD:-$here/../../build}")
export BUILD=$build
readonly pool=$(realpath -m -- "${DEBS:-$build/deb}")
readonly packages=(btfaddr fentry libfentry1 libfentry-dev)
root=$("$harness/debian-root" "${SUITE:-bookworm}" clang dkms gcc kmod libc6-dev make man-db \
	pkg-config) || exit 1

# in_debian TEXT... - a shell script in this test's Debian, with the packages in /deb and the
# test's folder in /mnt.
in_debian() {
	mkdir -p "$scratch/mnt"
	run "$harness/in-root" "$root" "$scratch/changes" "$pool=/deb" "$scratch/mnt=/mnt" -- \
		/bin/sh -euc "$*"
}

# want_in_debian TEXT... - the same; it must succeed.
want_in_debian() {
	in_debian "$@"
	want_status 0
}

# The arguments of apt-get for these packages.
debs() {
	printf ' /deb/%s_*.deb' "$@"
}

install() {
	want_in_debian "apt-get -qq update; apt-get -qq -y install $(debs "$@")"
}

test_commands_run_with_what_they_depend_on() {
	install btfaddr fentry
	want_in_debian 'btfaddr --version; fentry --version; dpkg-query -W btfaddr fentry'
	want_text "btfaddr 1.0"
	want_text "fentry 1.0"
	want_text $'btfaddr\t1.0~git'
	in_debian 'fentry list no_such_function'
	[[ $status -eq 3 || $status -eq 1 ]] || fail "status $status: $out"
	want_no_text "error while loading"
}

test_documents_are_installed() {
	install btfaddr fentry
	want_in_debian 'man btfaddr >/dev/null; man fentry >/dev/null
		bash -c ". /usr/share/bash-completion/completions/fentry; complete -p fentry"
		cat /usr/share/doc/fentry/copyright; zcat /usr/share/doc/fentry/changelog.gz'
	want_text "complete -o default -F _fentry fentry"
	want_text "License: GPL-2"
	want_text "Built from commit"
}

# As the README says, against what the packages put in its place.
test_examples_compile_against_the_library() {
	local info

	install libfentry1 libfentry-dev
	for info in 'c hello.bpf.c' 'c hello.c' 'c switch.bpf.c' 'sh' 'sh switch'; do
		awk -v info="\`\`\`$info" '$0 == "```" { show = 0 } show; $0 == info { show = 1 }' \
			"$fentry/README.md" >"$scratch/mnt/${info##* }"
	done
	sed -i '/^fentry /d' "$scratch/mnt/switch"
	want_in_debian 'cd /mnt; . ./sh; . ./switch; ldd ./hello; ./hello no_such_function && exit 9
		gcc hello.c -o static -Wl,-Bstatic -lfentry -Wl,-Bdynamic -lbpf -lm; ldd ./static
		ls -l hello.bpf.o switch.bpf.o'
	want_text "no_such_function"
	want_text "libfentry.so.1 => /lib/x86_64-linux-gnu/libfentry.so.1"
	want_no_text "not found"
	want_no_text "warning"
	[[ $(grep -c 'libfentry.so' <<<"$out") -eq 1 ]] || fail "static links it, too: $out"
}

# Others must not come to depend on what is nobody's business.
test_library_exports_what_its_map_names() {
	install libfentry1
	cp "$scratch"/changes/upper/usr/lib/x86_64-linux-gnu/libfentry.so.1.* "$scratch/lib"
	nm -D --defined-only --with-symbol-versions "$scratch/lib" |
		sed -nE 's/.* T (.*)@@LIBFENTRY_1.0$/\1/p' | sort >"$scratch/exported"
	sed -nE 's/^\t\t(fentry_.*);$/\1/p' "$fentry/lib/libfentry.map" | sort |
		diff - "$scratch/exported"
	[[ $(nm -D --defined-only "$scratch/lib" | grep -c ' [^A] ') -eq \
	   $(wc -l <"$scratch/exported") ]] || fail "more than that: $(nm -D --defined-only "$scratch/lib")"
	readelf -d "$scratch/lib" | grep -q 'SONAME.*\[libfentry.so.1\]' || fail "another SONAME"
}

# Every file but what apt and dpkg keep for themselves.
listing='find /bin /boot /etc /home /lib /opt /root /sbin /srv /usr /var/lib /var/local
	\( -path /var/lib/apt -o -path /var/lib/dpkg \) -prune -o -print'
listing="${listing//$'\n'} | sort"

test_removal_leaves_nothing() {
	want_in_debian "$listing >/mnt/before"
	install "${packages[@]}"
	want_in_debian "$listing >/mnt/installed
		apt-get -qq -y purge --autoremove ${packages[*]}; $listing >/mnt/after"
	[[ $(diff "$scratch"/mnt/{before,installed} | grep -c 'fentry\|btfaddr') -gt 10 ]] ||
		fail "nothing was installed"
	diff "$scratch"/mnt/{before,after} || fail "left behind"
}

test_upgrade_from_an_older_version() {
	local package

	mkdir -p "$scratch/mnt"
	for package in libfentry1 libfentry-dev fentry; do
		dpkg-deb -R "$pool/$package"_*.deb "$scratch/old"
		sed -i -E 's/1\.0~git[^) ]*/1.0~git20200101.1/' "$scratch/old/DEBIAN/control"
		dpkg-deb --root-owner-group -b "$scratch/old" "$scratch/mnt/${package}_old.deb" >/dev/null
		rm -r "$scratch/old"
	done
	want_in_debian "apt-get -qq update; apt-get -qq -y install /mnt/*_old.deb"
	want_in_debian "dpkg-query -W fentry libfentry1"
	want_text "1.0~git20200101.1"
	install fentry libfentry1 libfentry-dev
	want_in_debian "dpkg-query -W fentry libfentry1 libfentry-dev; fentry --version"
	want_no_text "1.0~git20200101.1"
	want_text "fentry 1.0"
}

# The initramfs is made anew, and nothing of the older one stays, nor of the kernel once it is purged.
test_kernel_upgrade_and_removal() {
	local images=("$pool"/linux-image-*.deb) name release
	local listing="ls -A /boot /lib/modules"

	[[ -e ${images[0]} ]] || skip "no linux-image in $pool: 'make deb-kernel' builds them"
	name=$(dpkg-deb -f "${images[0]}" Package)
	release=${name#linux-image-}
	mkdir -p "$scratch/mnt"
	dpkg-deb -R "${images[0]}" "$scratch/old"
	sed -i -E 's/^(Version: [^+]*).*/\1+git20200101.1/' "$scratch/old/DEBIAN/control"
	echo "an older one" >"$scratch/old/boot/vmlinuz-$release"
	touch "$scratch/old/lib/modules/$release/kernel/older.ko"
	dpkg-deb --root-owner-group -Znone -b "$scratch/old" "$scratch/mnt/image_old.deb" >/dev/null
	rm -r "$scratch/old"
	want_in_debian "apt-get -qq update; apt-get -qq -y install initramfs-tools
		$listing >/mnt/before
		apt-get -qq -y install /mnt/image_old.deb
		touch /mnt/installed
		apt-get -qq -y install /deb/${images[0]##*/}
		dpkg-query -W $name; dpkg --verify $name
		test /boot/initrd.img-$release -nt /mnt/installed
		test ! -e /lib/modules/$release/kernel/older.ko
		apt-get -qq -y purge $name
		$listing >/mnt/after"
	want_text "$name	$(dpkg-deb -f "${images[0]}" Version)"
	want_no_text "??5?????? "
	diff "$scratch"/mnt/{before,after} || fail "left behind"
}

# want_twins FILE - both functions of the module have a unit and an address in its BTF.
want_twins() {
	local base

	base=$(echo "$scratch"/changes/upper/usr/src/linux-headers-*/vmlinux)
	[[ $(bpftool -B "$base" btf dump file "$1" | grep -o "'cu:.*one.c'\|'cu:.*two.c'" | sort -u | wc -l) -eq 2 ]] ||
		fail "BTF: $(bpftool -B "$base" btf dump file "$1" | grep 'FUNC\|TAG')"
	# call_one, call_two and both twin: 8 bytes each
	[[ $(readelf -SW "$1" | sed -nE 's/.* \.BTF_func +PROGBITS +[0-9a-f]+ [0-9a-f]+ 0*([0-9a-f]+) .*/\1/p') == 20 ]] ||
		fail "$(readelf -SW "$1")"
}

install_headers() {
	headers=("$pool"/linux-headers-*.deb)
	[[ -e ${headers[0]} ]] || skip "no linux-headers in $pool: 'make deb-kernel' builds them"
	headers=$(dpkg-deb -f "${headers[0]}" Package)
	write_twins "$scratch/mnt"
	install btfaddr "$headers"
}

test_module_built_against_the_headers_has_addresses() {
	install_headers
	want_in_debian "make -C /usr/src/$headers M=/mnt"
	want_no_text "Skipping BTF"
	want_twins "$scratch/mnt/twins.ko"
	cp "$scratch/mnt/twins.ko" "$scratch/plain.ko"
	objcopy -R .BTF_func "$scratch/plain.ko"
	(want_twins "$scratch/plain.ko") >/dev/null && fail "the test sees addresses everywhere"
	:
}

test_module_built_by_dkms_has_addresses() {
	install_headers
	want_in_debian "cp -r /mnt /usr/src/twins-1; dkms add twins/1 -k ${headers#linux-headers-}
		dkms install twins/1 -k ${headers#linux-headers-}
		find /lib/modules -name 'twins.ko*' -exec cp {} /mnt/ ';'"
	[[ ! -e $scratch/mnt/twins.ko.xz ]] || xz -d "$scratch/mnt/twins.ko.xz"
	[[ ! -e $scratch/mnt/twins.ko.zst ]] || zstd -qd "$scratch/mnt/twins.ko.zst"
	want_twins "$scratch/mnt/twins.ko"
}

# A module can't be built with BTF that lacks its tools.
test_headers_want_the_tools_of_btf() {
	local tool

	install_headers
	for tool in btfaddr pahole; do
		want_in_debian "apt-get -s purge $tool"
		want_text "Purg $headers "
	done
}

for package in "${packages[@]}"; do
	compgen -G "$pool/${package}_*.deb" >/dev/null || {
		echo "tools/deb: no $package in $pool; 'make deb' builds it" >&2
		exit 1
	}
done
run_tests
