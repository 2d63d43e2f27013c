#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Globs for tracing_multi links: what libbpf attaches on a kernel without addresses in BTF, it must
# attach with them, too. Boots kernels of the flavours gcc and noaddr. Runs on the host; TAP.
#
# A link attaches to all of its functions or to none. Without addresses, libbpf takes all matching
# functions of BTF, so many globs fail because one of these can't be traced. With addresses, BTF has
# more functions that can't be traced, but libbpf leaves them all out.
#
# usage: selftests/host/globs.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/boot_lib.sh"

readonly PROGRAM=$BUILD/tree-tests/attach_multi
readonly GLOBS=$BUILD/log/globs
readonly FEW=3 MANY=60			# functions that a glob should find
readonly EACH=3				# of these globs
readonly NR_MIN=100			# globs that attach

# write_globs() - Write a glob such as "tcp_*" for each prefix that several names share.
write_globs() {
	awk '$2 ~ /^[tT]$/ && match($3, /^_*[a-z0-9]+_/) { n[substr($3, 1, RLENGTH)]++ }
	     END { for (p in n) if (n[p] >= '"$FEW"' && n[p] <= '"$MANY"') print p "*" }' \
		"$BUILD/gcc/System.map" | sort | awk 'NR % '"$EACH"' == 0' >"$GLOBS"
	printf '%s\n' '*sys_fork' 'ksys_*' '__x64_sys_*' >>"$GLOBS"
}

# attached() - Print those globs that attach.
attached() {
	in_vm "'$PROGRAM' \$(cat '$GLOBS')" | sed -n 's/^glob \(.*\) ok$/\1/p'
}

details() {
	printf '%s\n' "${refused[@]}"
}

main() {
	local FLAVOUR with without glob nr=0
	local -a refused=()

	tap_begin 2
	[[ -x $PROGRAM ]] || { echo "Bail out! no $PROGRAM: make -C tools/tree-tests"; exit 1; }
	write_globs
	FLAVOUR=noaddr without=$(attached)
	FLAVOUR=gcc with=$(attached)
	while read -r glob; do
		nr=$((nr + 1))
		grep -qxF -- "$glob" <<<"$with" || refused+=("$glob")
	done <<<"$without"
	echo "# $nr globs attach without addresses, and $(wc -l <<<"$with") with them"
	report $((nr < NR_MIN)) "globs attach without addresses in BTF"
	report ${#refused[@]} "they attach with them"
	tap_end
}

main
