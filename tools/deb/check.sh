#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the scripts that make Debian packages, on a small repository, with stubs for what
# takes long. Needs no kernel, no root and no network.
# shellcheck disable=SC2154 # status, out and scratch come from taplib.sh
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
repo=${here%/tools/deb}
. "$repo/tools/harness/taplib.sh"
unset BASE BUILD KSRC CONFIG LOCALVERSION OPTIONS DEBEMAIL DEBFULLNAME MAKEFLAGS MFLAGS MAKELEVEL
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1

commit() {
	git -C "$1" add -A
	git -C "$1" -c user.name=Dev -c user.email=dev@example.com commit -qm "$2" \
		--date "${3:-2026-01-02T03:04:05Z}"
}

# A repository with one commit, in $r, whose kernel tree is one as well, on a machine that has
# room for anything.
small_repo() {
	stub_free 99999 99999
	r=$scratch/r linux=$scratch/r/build/linux
	steps=$r/tools/deb
	mkdir -p "$r"/tools/{btfaddr,fentry} "$r/kernel/6.12" \
		"$linux"/{include/uapi,scripts} "$linux"/tools/{arch,build,include,lib,scripts}
	cp -r "$repo/tools/harness" "$r/tools/"
	cp -r "$here" "$r/tools/"
	cp "$repo/.gitignore" "$r/"
	echo 'const char *argp_program_version = "btfaddr 1.7";' >"$r/tools/btfaddr/main.c"
	echo code >"$r/tools/fentry/main.c"
	for file in include/uapi/a.h scripts/bpf_doc.py tools/{arch,build,include,lib,scripts}/x; do
		echo text >"$linux/$file"
	done
	printf 'VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 117\nEXTRAVERSION =\n' >"$linux/Makefile"
	git -C "$r" init -q
	export GIT_COMMITTER_DATE=2026-01-02T03:04:05Z
	commit "$r" first
	git -C "$linux" init -q
	commit "$linux" base
}

# dpkg-buildpackage that makes empty packages, and remembers what it was given.
small_deb() {
	small_repo
	# shellcheck disable=SC2016 # the stub's own
	stub dpkg-buildpackage 'v=$(sed -n "1s/.*(\(.*\)).*/\1/p" debian/changelog)
		for p in btfaddr fentry libfentry1 libfentry-dev; do : >"../${p}_${v}_amd64.deb"; done
		: >../x.changes; rm -rf "'"$scratch"'/src"; cp -r . "'"$scratch"'/src"'
	stub lintian 'exit 0'
	stub dpkg-query 'echo versions'
}

debs() {
	(cd "$r/build/deb" && ls -- *.deb | sort)
}

test_deb_version_is_that_of_the_commit() {
	small_deb
	run "$steps/deb"
	want_status 0
	id=$(git -C "$r" rev-parse --short=7 HEAD)
	[[ $(debs | tail -n 1) == "libfentry1_1.7~git20260102.030405.${id}_amd64.deb" ]] || fail "$(debs)"
	[[ $(debs | wc -l) -eq 4 ]] || fail "$(debs)"
	[[ $(grep '^Maintainer' "$scratch/src/debian/control") == "Maintainer: Dev <dev@example.com>" ]] ||
		fail "$(<"$scratch/src/debian/control")"
	grep -q 'Fri, 2 Jan 2026 03:04:05' "$scratch/src/debian/changelog" ||
		fail "$(<"$scratch/src/debian/changelog")"
	[[ -e $scratch/src/tools/fentry/main.c && -e $scratch/src/linux/tools/lib/x ]] || fail "not all there"
}

test_deb_twice_does_nothing() {
	small_deb
	"$steps/deb"
	stub dpkg-buildpackage 'exit 9'
	run "$steps/deb"
	want_status 0
	[[ -z $out ]] || fail "said: $out"
}

test_deb_follows_what_is_not_committed_and_what_is() {
	small_deb
	"$steps/deb"
	echo more >>"$r/tools/fentry/main.c"
	run "$steps/deb"
	want_status 0
	[[ $(debs | wc -l) -eq 4 && $(debs) == *"+local_amd64.deb" ]] || fail "$(debs)"
	grep -q more "$scratch/src/tools/fentry/main.c" || fail "not built"
	GIT_COMMITTER_DATE=2026-01-03T00:00:00Z commit "$r" second
	run "$steps/deb"
	[[ $(debs) == *"~git20260103.000000."* && $(debs) != *local* && $(debs | wc -l) -eq 4 ]] || fail "$(debs)"
	echo more >>"$linux/tools/lib/x"
	run "$steps/deb"
	want_text "DEB "
	grep -q more "$scratch/src/linux/tools/lib/x" || fail "not built"
}

# dpkg must take the next one for newer.
test_deb_versions_sort() {
	local a='1.7~git20260102.030405.abc1234'

	dpkg --compare-versions "$a" lt "$a+local"
	dpkg --compare-versions "$a+local" lt 1.7~git20260102.030406.0000000
	dpkg --compare-versions 1.7~git20260102.030406.0000000 lt 1.7
}

test_deb_that_fails_leaves_the_older_packages() {
	local before

	small_deb
	"$steps/deb"
	before=$(debs)
	echo more >>"$r/tools/fentry/main.c"
	stub lintian 'echo "E: fentry: some-tag"; exit 1'
	run "$steps/deb"
	want_status 1
	want_text "lintian found errors"
	want_text "E: fentry: some-tag"
	[[ $(debs) == "$before" ]] || fail "$(debs)"
	stub dpkg-buildpackage 'echo "main.c:1: error: no such thing"; exit 2'
	run "$steps/deb"
	want_status 1
	want_text "dpkg-buildpackage failed"
	want_text "main.c:1: error: no such thing"
	[[ $(debs) == "$before" ]] || fail "$(debs)"
}

test_deb_without_a_commit() {
	small_deb
	rm -rf "$r/.git"
	run "$steps/deb"
	want_status 1
	want_text "the packages' version is that of the commit"
	[[ ! -e $r/build/deb ]] || fail "half made"
}

test_deb_takes_the_maintainer_that_debian_tools_take() {
	small_deb
	DEBFULLNAME=Me DEBEMAIL=me@example.org run "$steps/deb"
	grep -qx 'Maintainer: Me <me@example.org>' "$scratch/src/debian/control" || fail "$out"
	grep -q '^ -- Me <me@example.org>' "$scratch/src/debian/changelog" || fail "$out"
}

# What Debian's configuration is like, of a version.
debian_config() {
	printf '#\n# Linux/x86 %s Kernel Configuration\n#\n' "$1"
	printf 'CONFIG_%s\n' MODULES=y DEBUG_INFO_BTF=y MODULE_SIG=y 'MODULE_SIG_KEY=""' EXT4_FS=m \
		'SYSTEM_TRUSTED_KEYS="debian/certs/x.pem"' 'LOCALVERSION="-deb"'
}

# A kernel that takes no time: make notes what it was asked for in $scratch/made, and builds
# and packages it. apt knows Debian's kernel of this version, as linux-image-6.12.117+deb12-cloud-amd64.
small_kernel() {
	small_repo
	mkdir -p "$r/build/bin" "$scratch/fs/boot"
	printf '#!/bin/sh\n' >"$r/build/bin/btfaddr"
	chmod +x "$r/build/bin/btfaddr"
	debian_config 6.12.117 >"$scratch/fs/boot/config-6.12.117+deb12-cloud-amd64"
	stub apt-cache 'case $1 in
		pkgnames) printf "linux-image-6.12.%s\n" 9+deb12-cloud-amd64 117+deb12-cloud-amd64{,-dbg,-unsigned} |
			grep -F "$2" ;;
		madison) [[ $2 != *+deb12* ]] || echo "$2 | 6.12.117-1 | http://x" ;;
		esac'
	stub apt-get 'echo "$*" >>"'"$scratch"'/apt"; : >x.deb'
	stub dpkg-deb 'tar -c -C "'"$scratch"'/fs" ./boot'
	stub pahole 'echo v1.24'
	stub make '
		for a; do [[ $a != O=* ]] || cd "${a#O=}"; [[ $a != -n ]] || {
			[[ ! -e prepared ]] || printf "echo \x27  CC      %s.o\x27\n" a b c; exit 0; }; done
		echo "${@: -1} $KDEB_PKGVERSION" >>"'"$scratch"'/made"
		printf "%s\n" "$@" >"'"$scratch"'/args"
		case ${!#} in
		olddefconfig) awk -F= "/^CONFIG/ { v[\$1] = \$0 } /^# Linux/ { print } END { for (o in v) print v[o] }" \
			.config >new && sed -i "s/^\(.*\)=n\$/# \1 is not set/" new && mv new .config ;;
		prepare) : >prepared ;;
		all) echo "  CC      a.o"; : >vmlinux ;;
		bindeb-pkg) for p in linux-image linux-headers linux-libc-dev; do
			: >"../$p-6.12.117$(sed -n "s/^LOCALVERSION=//p" "'"$scratch"'/args")_${KDEB_PKGVERSION}_amd64.deb"
			done ;;
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
	run "$steps/deb-kernel"
	want_status 0
	[[ $(<"$scratch/apt") == "-qq download linux-image-6.12.117+deb12-cloud-amd64" ]] || fail "$(<"$scratch/apt")"
	config=$r/build/deb-kernel/linux/.config
	grep -qx CONFIG_EXT4_FS=m "$config" || fail "not Debian's: $(<"$config")"
	grep -qx CONFIG_DEBUG_INFO_BTF_FUNC_ADDR=y "$config" || fail "without the option"
	grep -qx 'CONFIG_MODULE_SIG_KEY="certs/signing_key.pem"' "$config" || fail "no key of its own"
	grep -qx 'CONFIG_SYSTEM_TRUSTED_KEYS=""' "$config" || fail "certificates that are Debian's"
	version=6.12.117+git20260102.030405.$(git -C "$r" rev-parse --short=7 HEAD)
	[[ $(kernel_debs) == \
	   "./linux-headers-6.12.117-btfaddr_${version}_amd64.deb ./linux-image-6.12.117-btfaddr_${version}_amd64.deb" ]] ||
		fail "$(kernel_debs)"
	[[ -z $(find "$r/build/deb-kernel" -name '*.deb') ]] || fail "left: $(ls "$r/build/deb-kernel")"
}

test_deb_kernel_says_what_it_needs_first() {
	small_kernel
	run "$steps/deb-kernel"
	[[ ${out%%needs*} != *CONFIG* ]] || fail "late: $out"
	want_text "linux-image-6.12.117-btfaddr, 1 modules: needs 2506 MB of disk and 3000 MB of memory"
	stub_free 17 99999
	rm -rf "$r/build/deb-kernel"
	run "$steps/deb-kernel"
	want_status 1
	want_text "no disk space for the kernel: $r/build needs 2506 MB free, has 17 MB"
	stub_free 99999 1024
	run "$steps/deb-kernel"
	want_status 1
	want_text "no memory for the kernel: the build needs 3000 MB, 1024 MB are available"
}

test_deb_kernel_says_how_much_there_is_to_compile() {
	small_kernel
	run "$steps/deb-kernel"
	want_status 0
	want_text "  CC       the kernel: 3 objects to compile"
}

test_deb_kernel_twice_does_nothing() {
	small_kernel
	"$steps/deb-kernel"
	made
	run "$steps/deb-kernel"
	want_status 0
	[[ -z $out$(made) ]] || fail "said: $out"
	echo more >>"$linux/tools/lib/x"
	run "$steps/deb-kernel"
	[[ $(made) == "olddefconfig prepare all bindeb-pkg" ]] || fail "$out"
}

test_deb_kernel_goes_on_where_it_was_interrupted() {
	local real=$scratch/bin/real-make

	small_kernel
	mv "$scratch/bin/make" "$real"
	stub make '[[ ${!#} != bindeb-pkg ]] || { echo "x: error: disk"; exit 2; }; exec "'"$real"'" "$@"'
	run "$steps/deb-kernel"
	want_status 1
	want_text "packaging the kernel failed"
	want_text "x: error: disk"
	[[ ! -e $r/build/deb ]] || fail "half made: $(kernel_debs)"
	touch -d 2020-01-01 "$r/build/deb-kernel/linux/vmlinux"
	mv "$real" "$scratch/bin/make"
	sed -i 's/: >vmlinux/[[ -e vmlinux ]]/' "$scratch/bin/make"
	run "$steps/deb-kernel"
	want_status 0
	[[ $(kernel_debs) == *linux-image* ]] || fail "$(kernel_debs)"
}

# kbuild doesn't know that vmlinux depends on it; in 7.3 it is vmlinux.unstripped that does.
test_deb_kernel_links_again_for_another_btfaddr() {
	small_kernel
	"$steps/deb-kernel"
	echo '# newer' >>"$r/build/bin/btfaddr"
	: >"$r/build/deb-kernel/linux/vmlinux.unstripped"
	sed -i 's/: >vmlinux/[[ ! -e vmlinux \&\& ! -e vmlinux.unstripped ]]/' "$scratch/bin/make"
	run "$steps/deb-kernel"
	want_status 0
	want_text KERNEL
}

test_deb_kernel_of_another_name_beside_the_first() {
	small_kernel
	"$steps/deb-kernel"
	LOCALVERSION=-plain OPTIONS="DEBUG_INFO_BTF_FUNC_ADDR=n EXT4_FS=y" run "$steps/deb-kernel"
	want_status 0
	[[ $(kernel_debs | wc -w) -eq 4 ]] || fail "$(kernel_debs)"
	grep -qx '# CONFIG_DEBUG_INFO_BTF_FUNC_ADDR is not set' "$r/build/deb-kernel/linux/.config" ||
		fail "$(<"$r/build/deb-kernel/linux/.config")"
	grep -qx CONFIG_EXT4_FS=y "$r/build/deb-kernel/linux/.config" || fail "not taken"
}

test_deb_kernel_of_a_name_that_is_taken() {
	small_kernel
	LOCALVERSION=+deb12-cloud-amd64 run "$steps/deb-kernel"
	want_status 1
	want_text "linux-image-6.12.117+deb12-cloud-amd64 is a package of the distribution's (version 6.12.117-1): LOCALVERSION="
	[[ -z $(made) ]] || fail "built"
}

test_deb_kernel_of_a_name_that_no_package_can_have() {
	small_kernel
	for LOCALVERSION in -My -a_b btfaddr; do
		LOCALVERSION=$LOCALVERSION run "$steps/deb-kernel"
		want_status 2
		want_text "LOCALVERSION='$LOCALVERSION': it is part of a package's name"
	done
}

# wrong_config MESSAGE - the configuration in $scratch/config is refused, before anything is built.
wrong_config() {
	CONFIG=$scratch/config run "$steps/deb-kernel"
	want_status 1
	want_text "CONFIG=$scratch/config$1"
	[[ $(wc -l <<<"$out") -eq 1 && -z $(made) ]] || fail "$out"
}

test_deb_kernel_of_a_wrong_configuration() {
	small_kernel
	wrong_config ": no such file"
	echo CONFIG_MODULES=y >"$scratch/config"
	wrong_config " is no configuration of an x86 kernel"
	debian_config 6.1.140 >"$scratch/config"
	wrong_config " is of Linux 6.1.140, and the series' base is 6.12.117: take one of 6.12"
	debian_config 6.12.90 | grep -v BTF >"$scratch/config"
	wrong_config " has no CONFIG_DEBUG_INFO_BTF=y"
	debian_config 6.12.90 | grep -v MODULES >"$scratch/config"
	wrong_config " has no CONFIG_MODULES=y"
	debian_config 6.12.90 >"$scratch/config"
	CONFIG=$scratch/config run "$steps/deb-kernel"
	want_status 0
}

test_deb_kernel_names_options_that_did_not_take() {
	small_kernel
	sed -i 's/mv new .config/grep -v FUNC_ADDR new >.config/' "$scratch/bin/make"
	run "$steps/deb-kernel"
	want_status 1
	want_text "CONFIG_DEBUG_INFO_BTF_FUNC_ADDR=y became n"
	[[ $(made) == olddefconfig ]] || fail "built"
}

test_deb_kernel_that_apt_has_no_configuration_of() {
	small_kernel
	sed -i 's/SUBLEVEL = 117/SUBLEVEL = 118/' "$linux/Makefile"
	run "$steps/deb-kernel"
	want_status 1
	want_text "apt has no linux-image-6.12.118*-cloud-amd64 to take the configuration of (it has: linux-image-6.12.9+deb12-cloud-amd64 linux-image-6.12.117+deb12-cloud-amd64); CONFIG=FILE"
	sed -i 's/SUBLEVEL = 118/SUBLEVEL = 117/' "$linux/Makefile"
	stub apt-get 'exit 100'
	run "$steps/deb-kernel"
	want_status 1
	want_text "cannot get the configuration of linux-image-6.12.117+deb12-cloud-amd64: CONFIG=FILE takes any other"
}

# A repository with packages, and stubs for all that takes long: the Debian below, what is run
# in it, the disk's files, and the VM, which remembers its boots.
small_system() {
	local package

	small_repo
	mkdir -p "$r/build/deb" "$r/build/selftests" "$r/tools/vm"
	for package in btfaddr fentry libfentry1 libfentry-dev linux-{image,headers}-6.12.117-btfaddr; do
		echo deb >"$r/build/deb/${package}_1_amd64.deb"
	done
	cp /bin/true "$r/build/selftests/trigger"
	cp "$repo/tools/vm/vm.service" "$r/tools/vm/"
	mkdir -p "$scratch/root"
	: >"$scratch/root.packages"
	# shellcheck disable=SC2016 # the stubs' own
	{
		stub id 'echo 0'
		stub debian-root 'echo "'"$scratch"'/root"'
		stub in-root '[[ ! -e "'"$scratch"'/fail" || "${*: -1}" != *"$(<"'"$scratch"'/fail")"* ]] || {
			echo "E: Unable to correct problems"; exit 100; }
			[[ "${*: -1}" != *mke2fs* ]] || : >"'"$r"'/build/system/bookworm.new"; echo run >>"'"$scratch"'/in-root"'
		stub debugfs 'case $2 in
			ls*) printf "/%s/\n" 12/100644/0/0/vmlinuz-6.{1.0-9,12.117-btfaddr,1.0-51-cloud-amd64}/9 ;;
			*config-*-btfaddr*) echo CONFIG_DEBUG_INFO_BTF_FUNC_ADDR=y >"${2##* }" ;;
			*) echo x >"${2##* }" ;;
			esac'
		stub vm-run 'echo "${*: -1}" >>"'"$scratch"'/boots"; if [[ -e "'"$scratch"'/dead" ]]; then exit 125; fi
			echo "TAP version 13"; echo 1..1; echo ok 1 - x'
	}
	mv "$scratch/bin/"{debian-root,in-root} "$steps/"
	mv "$scratch/bin/vm-run" "$r/tools/vm/run"
}

# The boots so far: kernel and tests.
boots() {
	sed -nE "s/^RELEASE=([^ ]*) .*(TESTS='([^']*)'.*|(STEP=.*))/\1 \3\4/p" "$scratch/boots" 2>/dev/null
	rm -f "$scratch/boots"
}

test_system_boots_each_kernel_and_again_without_ours() {
	small_system
	run "$steps/system"
	want_status 0
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
	rm "$scratch/in-root"
	run "$steps/system"
	want_status 0
	[[ ! -e $scratch/in-root && $(boots | wc -l) -eq 6 ]] || fail "$out"
	echo newer >"$r/build/deb/fentry_1_amd64.deb"
	run "$steps/system"
	want_status 0
	[[ -e $scratch/in-root ]] || fail "the old image was taken: $out"
}

test_system_goes_on_where_it_was_interrupted() {
	local step

	small_system
	for step in apt-get vm.service mke2fs; do
		echo "$step" >"$scratch/fail"
		run "$steps/system"
		want_status 1
		[[ ! -e $r/build/system/bookworm.img && -z $(boots) ]] || fail "half made: $out"
	done
	want_text "cannot make the file system (log: $r/build/log/system-bookworm.log)"
	rm "$scratch/fail"
	run "$steps/system"
	want_status 0
	[[ -e $r/build/system/bookworm.img ]] || fail "$out"
}

# The object tree that the kernel in build/deb was made in, with as many modules as are given.
small_tree() {
	local i tree=$r/build/deb-kernel/linux

	mkdir -p "$tree/include/config" "$tree/drivers" "$r/build/bin"
	echo 6.12.117-btfaddr >"$tree/include/config/kernel.release"
	echo elf >"$tree/vmlinux"
	for ((i = 1; i <= $1; i++)); do
		echo "drivers/a-module-$i.o"
		echo ko >"$tree/drivers/a-module-$i.ko"
	done >"$tree/modules.order"
	stub objcopy true
	stub btfaddr 'echo "left out"'
	mv "$scratch/bin/btfaddr" "$r/build/bin/"
	cp /bin/true "$r/build/selftests/sweep"
	cp /bin/true "$r/build/selftests/module_sweep"
	stub vm-run 'echo "${*: -1}" >>"'"$scratch"'/boots"
		for file; do [[ $file != */ko ]] || ls "$file" >"'"$scratch"'/ko"; done
		printf "%s\n" "$@" >"'"$scratch"'/args"; echo "TAP version 13"; echo 1..1; echo ok 1 - x'
	mv "$scratch/bin/vm-run" "$r/tools/vm/run"
}

test_system_sweep_boots_our_kernel_alone() {
	local file

	small_system
	small_tree 300
	run "$steps/system" sweep
	want_status 0
	[[ $(boots) == "6.12.117-btfaddr STEP=20 tools/deb/guest/sweep.sh" ]] || fail "$out"
	for file in deb-kernel/linux/vmlinux selftests/sweep selftests/module_sweep \
		system/bookworm.run/ko system/bookworm.run/left-out; do
		grep -qx "$r/build/$file" "$scratch/args" || fail "no $file: $(<"$scratch/args")"
	done
	[[ $(wc -l <"$scratch/ko") -eq 150 ]] || fail "$(<"$scratch/ko")"
	grep -qx 'a_module_2\.ko' "$scratch/ko" || fail "$(<"$scratch/ko")"
	[[ ${out##*$'\n'} == "1 passed, 0 failed, 0 skipped" ]] || fail "$out"
}

test_system_sweep_needs_the_tree_of_a_kernel_that_is_installed() {
	small_system
	run "$steps/system" sweep
	want_status 1
	want_text "no kernel in $r/build/deb-kernel/linux; 'make deb-kernel' builds one"
	small_tree 3
	echo 6.12.117-other >"$r/build/deb-kernel/linux/include/config/kernel.release"
	run "$steps/system" sweep
	want_status 1
	want_text "no linux-image-6.12.117-other in $r/build/deb, which $r/build/deb-kernel/linux is the tree of; 'make deb-kernel' makes it"
	[[ -z $(boots) ]] || fail "$out"
}

test_system_without_what_it_gives_to_the_guest() {
	small_system
	rm "$r/build/selftests/trigger"
	run "$steps/system"
	want_status 1
	want_text "no $r/build/selftests/trigger; 'make system' or 'make system-sweep' builds it"
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

test_system_with_packages_of_another_suite() {
	small_system
	echo apt-get >"$scratch/fail"
	SUITE=trixie run "$steps/system"
	want_status 1
	want_text "E: Unable to correct problems"
	want_text "apt cannot install the packages of $r/build/deb in trixie: are they built for it?"
}

test_system_with_too_little_disk() {
	small_system
	stub_free 17 99999
	run "$steps/system"
	want_status 1
	[[ $out == "system: no disk space for an image of bookworm: $r/build needs "*" MB free, has 17 MB" ]] ||
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
