#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A loader in Go with cilium/ebpf, which does what docs/loaders.md says. TAP.
source "$(dirname -- "${BASH_SOURCE[0]}")/lib/fentry_lib.sh"

readonly CILIUM=$OUTPUT/cilium

# counts(spec..., --, command...) - Count the calls of these functions, while the command runs.
counts() {
	local specs=()

	while [[ $1 != -- ]]; do
		specs+=("$1")
		shift
	done
	"$FENTRY" resolve --json "${specs[@]}" >"$work/functions"
	status=0
	timeout "$LIMIT" "$CILIUM" "${@:2}" <"$work/functions" >"$work/out" 2>"$work/err" || status=$?
}

test_both() {
	counts "$MAP_ITER" "$SK_STORAGE" -- \
		sh -c "'$TRIGGER' map_elem 3 && '$TRIGGER' sk_storage 2"
	check "cilium/ebpf: both functions of a name, by their ids" 0 \
		out "$NAME kernel/bpf/map_iter\.c 3" out "$NAME net/core/bpf_sk_storage\.c 2"
}

test_module() {
	insmod "$MODULES/kinds.ko" || exit 1
	counts 'kinds:equal*' -- true
	rmmod kinds
	check "cilium/ebpf: functions of a module" 0 \
		out "equal\S* .*kinds_a\.c 0" out "equal\S* .*kinds_b\.c 0"
}

[[ -x $CILIUM ]] || skip_all "built only with Debian's golang-go and golang-github-cilium-ebpf-dev"
call_tests
