#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Globs for tracing_multi links: what libbpf attaches on a kernel without addresses in BTF, it attaches
# on one with them. Boots both kernels, of flavours gcc and noaddr. Runs on the host; TAP.
#
# A link has all of its functions or none, and libbpf takes all in BTF that match. So most globs that
# find many functions fail on both kernels, as some function can't be traced. BTF with addresses has
# functions that are not in the other one, such as those that the compiler renamed, and some of
# these can't be traced either. A glob that finds one of them is counted, and is no failure.
#
# usage: selftests/host/globs.sh
# shellcheck source-path=SCRIPTDIR source=boot_lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/boot_lib.sh"

readonly PROGRAM=$BUILD/tree-tests/attach_multi
readonly GLOBS=$BUILD/log/globs
readonly FEW=3 MANY=60			# functions that a glob is to find
readonly NR_MIN=200			# globs that attach
readonly TRACED=/sys/kernel/tracing/available_filter_functions_addrs

# write_globs() - One for each first part of a name that some functions share, as "tcp_*".
write_globs() {
	awk '$2 ~ /^[tT]$/ && match($3, /^_*[a-z0-9]+_/) { n[substr($3, 1, RLENGTH)]++ }
	     END { for (p in n) if (n[p] >= '"$FEW"' && n[p] <= '"$MANY"') print p "*" }' \
		"$BUILD/gcc/System.map" | sort >"$GLOBS"
	printf '%s\n' '*sys_fork' 'ksys_*' '__x64_sys_*' >>"$GLOBS"
}

# attached(command) - Print those globs that attach, and what else the command prints.
attached() {
	in_vm "'$PROGRAM' \$(cat '$GLOBS'); $1" | sed -nE 's/^glob (.*) ok$/glob \1/p; /^untraced /p'
}

# is_untraced(glob) - Does it find one of those functions?
is_untraced() {
	local name

	while read -r name; do
		# shellcheck disable=SC2053 # it is a glob
		[[ $name != $1 ]] || return 0
	done <<<"$untraced"
}

details() {
	printf '%s\n' "${refused[@]}"
}

main() {
	local FLAVOUR with without untraced glob nr=0 nr_untraced=0
	local -a refused=()

	tap_begin 2
	[[ -x $PROGRAM ]] || { echo "Bail out! no $PROGRAM: make -C tools/tree-tests"; exit 1; }
	write_globs
	FLAVOUR=noaddr without=$(attached :)
	FLAVOUR=gcc
	with=$(attached "awk 'NR == FNR { traced[\$1]; next } !(\$1 in traced) { print \"untraced\", \$3 }' \
		$TRACED /proc/kallsyms_btf")
	untraced=$(sed -n 's/^untraced //p' <<<"$with")
	while read -r _ glob; do
		nr=$((nr + 1))
		if grep -qxF -- "glob $glob" <<<"$with"; then
			continue
		elif is_untraced "$glob"; then
			nr_untraced=$((nr_untraced + 1))
		else
			refused+=("$glob")
		fi
	done <<<"$without"
	echo "# of $nr globs $nr_untraced find functions that can't be traced"
	report $((nr < NR_MIN)) "globs attach without addresses in BTF"
	report ${#refused[@]} "they attach with them"
	tap_end
}

main
