#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of "deb-kernel".
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# Print a configuration like Debian's, for this version.
debian_config() {
	printf '#\n# Linux/x86 %s Kernel Configuration\n#\n' "$1"
	printf 'CONFIG_%s\n' MODULES=y DEBUG_INFO_BTF=y MODULE_SIG=y 'MODULE_SIG_KEY=""' EXT4_FS=m \
		'SYSTEM_TRUSTED_KEYS="debian/certs/x.pem"' 'LOCALVERSION="-deb"'
}

# Make a kernel that takes no time to build. The stub of make writes its target to $scratch/made,
# and makes empty files. apt knows Debian's kernel of this version,
# linux-image-6.12.117+deb12-cloud-amd64.
small_kernel() {
	small_repo
	mkdir -p "$r/build/bin" "$scratch/fs/boot"
	printf '#!/bin/sh\n' >"$r/build/bin/btfaddr"
	chmod +x "$r/build/bin/btfaddr"
	debian_config 6.12.117 >"$scratch/fs/boot/config-6.12.117+deb12-cloud-amd64"
	stub apt-cache '[[ $1 != pkgnames ]] ||
		printf "linux-image-6.12.%s\n" 9+deb12-cloud-amd64 117+deb12-cloud-amd64{,-dbg,-unsigned} |
			grep -F "$2"'
	stub apt-get 'echo "$*" >>"'"$scratch"'/apt"; : >"${!#}_1_amd64.deb"'
	stub dpkg-deb '[[ $1 != --root-owner-group ]] || { : >"${!#}"; exit; }; tar -c -C "'"$scratch"'/fs" ./boot'
	stub pahole 'echo v1.24'
	stub make '
		for a; do [[ $a != O=* ]] || cd "${a#O=}"; [[ $a != -n ]] || {
			[[ ! -e prepared ]] || printf "echo \x27  CC      %s.o\x27\n" a b c; exit 0; }; done
		echo "${@: -1} $KDEB_PKGVERSION" >>"'"$scratch"'/made"
		case ${!#} in
		olddefconfig) awk -F= "/^CONFIG/ { v[\$1] = \$0 } /^# Linux/ { print } END { for (o in v) print v[o] }" \
			.config >new && mv new .config ;;
		prepare) : >prepared ;;
		all) echo "  CC      a.o"; echo "Linux version 6.12.117-btfaddr " >vmlinux; mkdir -p include/config
			echo 6.12.117-btfaddr >include/config/kernel.release ;;
		bindeb-pkg) for p in linux-image linux-headers linux-libc-dev; do
			: >"../$p-6.12.117-btfaddr_${KDEB_PKGVERSION}_amd64.deb"; done ;;
		esac'
}

made() {
	cut -d ' ' -f 1 "$scratch/made" 2>/dev/null | paste -sd ' '
	rm -f "$scratch/made"
}

kernel_debs() {
	(cd "$r/build/deb" && find . -name '*.deb' | sort | paste -sd ' ')
}

test_deb_kernel_takes_the_configuration_out_of_debians_package() {
	small_kernel
	expect 0 "  CC       the kernel: 3 objects to compile" "$steps/deb-kernel"
	[[ $(<"$scratch/apt") == "-qq download linux-image-6.12.117+deb12-cloud-amd64" ]] || fail "$(<"$scratch/apt")"
	config=$r/build/deb-kernel/linux/.config
	grep -qx CONFIG_EXT4_FS=m "$config" || fail "not Debian's: $(<"$config")"
	grep -qx CONFIG_DEBUG_INFO_BTF_FUNC_ADDR=y "$config" || fail "without the option"
	grep -qx 'CONFIG_MODULE_SIG_KEY="certs/signing_key.pem"' "$config" || fail "no key of its own"
	grep -qx 'CONFIG_SYSTEM_TRUSTED_KEYS=""' "$config" || fail "certificates that are Debian's"
	version=6.12.117+git20260102.030405.$(git -C "$r" rev-parse --short=7 HEAD)
	[[ $(kernel_debs) == "./linux-functions-6.12.117-btfaddr_${version/+/+btfaddr+}_amd64.deb$(
	   ) ./linux-headers-6.12.117-btfaddr_${version}_amd64.deb$(
	   ) ./linux-image-6.12.117-btfaddr_${version}_amd64.deb" ]] ||
		fail "$(kernel_debs)"
	[[ -z $(find "$r/build/deb-kernel" -name '*.deb') ]] || fail "left: $(ls "$r/build/deb-kernel")"
}

test_deb_kernel_goes_on_where_it_was_interrupted() {
	local real=$scratch/bin/real-make

	small_kernel
	mv "$scratch/bin/make" "$real"
	stub make '[[ ${!#} != bindeb-pkg ]] || { echo "x: error: disk"; exit 2; }; exec "'"$real"'" "$@"'
	expect 1 "packaging the kernel failed" "$steps/deb-kernel"
	want_text "x: error: disk"
	[[ ! -e $r/build/deb ]] || fail "half made: $(kernel_debs)"
	touch -d 2020-01-01 "$r/build/deb-kernel/linux/vmlinux"
	mv "$real" "$scratch/bin/make"
	sed -i 's/echo "Linux version [^>]*>vmlinux/[[ -e vmlinux ]]/' "$scratch/bin/make"
	expect 0 '' "$steps/deb-kernel"
	[[ $(kernel_debs) == *linux-image* ]] || fail "$(kernel_debs)"
}

# kbuild doesn't know that vmlinux depends on btfaddr. In 7.3 it is vmlinux.unstripped that does.
test_deb_kernel_links_again_for_another_btfaddr() {
	small_kernel
	"$steps/deb-kernel"
	echo '# newer' >>"$r/build/bin/btfaddr"
	: >"$r/build/deb-kernel/linux/vmlinux.unstripped"
	sed -i 's/echo "Linux version [^>]*>vmlinux/[[ ! -e vmlinux \&\& ! -e vmlinux.unstripped ]] || exit; &/' "$scratch/bin/make"
	expect 0 '' "$steps/deb-kernel"
	want_text KERNEL
}

run_tests
