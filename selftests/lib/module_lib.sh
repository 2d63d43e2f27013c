# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Sourced by tests that load another file of the module "kinds". The runner sets $MODULES.
. "$(dirname -- "${BASH_SOURCE[0]}")/../../tools/harness/taplib.sh"

"${BASH_SOURCE[0]%/*}/built_kernel" || exit
need MODULES KCONFIG
readonly MODULES
readonly OUTPUT=${MODULES%/*}
readonly LIMIT=${LIMIT:-300}	# seconds for one run of a test program

# load_file FILE - as a user does; the module goes when the test has ended.
load_file() {
	trap 'rmmod kinds' EXIT
	run insmod "$1"
	want_status 0
}

# refused FILE TEXT - insmod fails and says TEXT; nothing of the module is there.
refused() {
	run insmod "$1"
	[[ $status -ne 0 ]] || rmmod kinds
	want_status 1
	want_text "$2"
	[[ ! -e /sys/kernel/btf/kinds && $(functions /proc/kallsyms_btf) == "" ]] ||
		fail "it has BTF"
}

# functions TABLE - the module's functions in resident text, as "address name", without those that the
# compiler or the linker makes, and without the one that clang's BTF leaves out (see regs.c).
functions() {
	awk -F '[ \t]' '$4 == "[kinds]" && tolower($2) == "t" &&
		$3 !~ /^(\.L|\$|__pfx_|__cfi_|_sub_|asan\.|cleanup_module|kinds_exit|two_halves$)/ { print $1, $3 }' \
		"$1" | sort
}

# described - does BTF have each function of the loaded module, with its address?
described() {
	functions /proc/kallsyms >"$scratch/functions"
	[[ $(wc -l <"$scratch/functions") -gt 30 ]] || fail "too few: $(<"$scratch/functions")"
	functions /proc/kallsyms_btf | diff "$scratch/functions" - ||
		fail "kallsyms <, kallsyms_btf >"
}

# kinds FILE - runs the tests of the module "kinds" with this file.
kinds() {
	local test

	mkdir "$scratch/modules"
	ln -s "$1" "$MODULES"/{resolver,protos,protos_lone}.ko "$scratch/modules/"
	for test in kinds regs; do
		run env MODULES="$scratch/modules" timeout "$LIMIT" "$OUTPUT/$test"
		want_status 0
		grep '^# Totals' <<<"$out"
	done
}
