#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Attaches to functions of an installed kernel, and of 50 of its modules, one after another, with
# the selftests "sweep" and "module_sweep". Runs as root in the guest that "tools/deb/system sweep"
# boots, in a folder with these selftests, vmlinux, the files of modules in ko/, and "left-out".
# RELEASE is the kernel's release, and "sweep" uses STEP. Prints TAP, nested like that of
# kselftest's runner.
. "$(dirname -- "${BASH_SOURCE[0]}")/../../harness/taplib.sh"

readonly wanted=50
here=$PWD
export KCONFIG=/boot/config-$RELEASE VMLINUX=$here/vmlinux LEFT_OUT=$here/left-out MODULES=$here/ko
export STEP SWEEP_MODULES=

# load_modules - Load modules of ko/ until there are enough that can be loaded and have a function.
load_modules() {
	local name count=0

	for name in ko/*.ko; do
		name=${name#ko/} name=${name%.ko}
		{ modprobe -q "$name" && grep -qF "[$name]" /proc/kallsyms_btf; } || continue
		SWEEP_MODULES+="$name " count=$((count + 1))
		[[ $count -lt $wanted ]] || return
	done
	echo "Bail out! only $count modules of ko/ can be loaded, $wanted are needed"
	exit 1
}

main() {
	local name

	load_modules
	tap_begin 2
	for name in sweep module_sweep; do
		"./$name" 2>&1 | sed -u 's/^/# /'
		report "${PIPESTATUS[0]}" "selftests: $name"
	done
	tap_end
}

main
