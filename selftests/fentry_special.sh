#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Inlined calls that begin with code that the kernel patches, or in which it allows no probes.
# "trace --inlined" must refuse those that the kernel refuses for a kprobe by hand, and must count
# the calls that the module counts. TAP.
source "$(dirname -- "${BASH_SOURCE[0]}")/lib/fentry_lib.sh"

need INLINED KCONFIG
readonly INLINED PARAMETERS=/sys/module/timing/parameters EVENTS=/sys/kernel/tracing/kprobe_events
readonly KINDS=(altered branches calls_statically calls_pointer dies isnt_instrumented has_no_probe)
readonly LISTED="it is in code that the kernel has no probes in .*"
readonly PATCHED="the kernel allows no probe there: it patches the place itself .*"
readonly NO_INSTRUCTION="the kernel finds no instruction there .*"
declare -A place cause

# explained(kind, expression) - What explain said of the only inlined call of this function.
explained() {
	jq -r --arg kind "$1" ".[] | select(.function == \$kind) | .inlined[] | $2" "$work/places"
}

# Where the calls are, and what explain knows of code without probes.
test_explained() {
	local kind

	with explain 'timing:*@timing_special.c' --json
	cp "$work/out" "$work/places"
	for kind in "${KINDS[@]}"; do
		place[$kind]=$(explained "$kind" .address)
		[[ ${place[$kind]} =~ ^[0-9a-f]{16}$ && $(explained "$kind" .caller) == "has_$kind" ]]
		report $? "explain: the place of $kind()"
	done
	for kind in isnt_instrumented has_no_probe; do
		[[ $(explained "$kind" .reason) == "is in code that the kernel has no probes in"* ]]
		report $? "explain: there can be no probe at $kind()"
	done
}

# by_hand(kind) - Does the kernel take a probe there?
by_hand() {
	bash -c 'echo "p:by_hand/$1 0x$2" >>'"$EVENTS" - "$1" "${place[$1]}" 2>/dev/null &&
		echo 1 >"${EVENTS%/*}/events/by_hand/$1/enable" 2>/dev/null
}

# A refusal must have the reason that the test is about. A call by a pointer is special only with
# kCFI, a branch only with jump labels, and a static call only where the kernel patches it.
test_by_hand() {
	local kind result altered=" 0f 1f 00"

	cause=([dies]=$PATCHED [isnt_instrumented]=$LISTED [has_no_probe]=$LISTED)
	! grep -q '^CONFIG_HAVE_STATIC_CALL=y' "$KCONFIG" || cause[calls_statically]=$PATCHED
	! grep -q '^CONFIG_JUMP_LABEL=y' "$KCONFIG" || cause[branches]=$PATCHED
	! grep -q '^CONFIG_CFI_CLANG=y' "$KCONFIG" || cause[calls_pointer]=$NO_INSTRUCTION
	for kind in "${KINDS[@]}"; do
		result=0
		by_hand "$kind" || result=1
		if [[ -n ${cause[$kind]:-} ]]; then
			report $((!result)) "by hand: there can be no probe at $kind()"
		else
			report "$result" "by hand: there can be a probe at $kind()"
		fi
	done
	for kind in "${EVENTS%/*}"/events/by_hand/*/enable; do
		echo 0 >"$kind"
	done
	: >"$EVENTS"
	[[ $(uname -m) == x86_64 ]] || altered=" df 3f 03 d5"	# isb
	[[ $("$OUTPUT/peek" "${place[altered]}") == *"  ${altered# }"* ]]
	report $? "what altered() begins with is what the kernel put there"
}

# called(kind) - How often the module called it.
called() {
	awk -v name="$1" '$1 == name { print $2 }' "$PARAMETERS/special"
}

# counted(kind) - Hits of its place in the last count.
counted() {
	awk -v at=" in has_$1," -v name=" timing:$1@" 'index($0, at) && index($0, name) { print $1 }' "$work/out"
}

# calls() - Makes the module call each kind, some more often than others.
calls() {
	local i

	for i in "${!KINDS[@]}"; do
		echo "${KINDS[i]} $((i + 3))" >"$PARAMETERS/call"
	done
}

test_traced() {
	local i kind refused=0

	calls
	for i in "${!KINDS[@]}"; do
		[[ $(called "${KINDS[i]}") -eq $((i + 3)) ]] || refused=1
	done
	report $refused "the module counts its calls"
	export PARAMETERS KINDS
	with trace --inlined --best-effort --count "${KINDS[@]/#/timing:}" -- \
		bash -c "$(declare -p KINDS); $(declare -f calls); calls"
	[[ $status -eq 0 ]]
	report $? "trace --inlined --best-effort: traces what can be"
	for i in "${!KINDS[@]}"; do
		kind=${KINDS[i]}
		if [[ -n ${cause[$kind]:-} ]]; then
			grep -qE "^fentry: can't attach to .*timing:$kind@.* in has_$kind, " "$work/err" &&
				grep -E "timing:$kind@" "$work/err" | grep -qE "[:(] ?${cause[$kind]}" &&
				[[ -z $(counted "$kind") ]]
			report $? "trace --inlined --best-effort: says why $kind() isn't seen"
		else
			[[ $(counted "$kind") -eq $((i + 3)) && $(called "$kind") -eq $((2 * (i + 3))) ]]
			report $? "trace --inlined: all $((i + 3)) calls of $kind()"
		fi
	done
}

test_all_or_none() {
	local kind

	for kind in calls_statically isnt_instrumented; do
		[[ -n ${cause[$kind]:-} ]] || continue
		with trace --inlined timing:altered "timing:$kind" --count -- true
		check "trace --inlined: nothing, as there can be no probe at $kind()" 1 \
			says "can't attach to the inlined call of timing:$kind@.* in has_$kind, .*: ${cause[$kind]}" \
			says "nothing is traced, as .*"
	done
	[[ $(grep -c timing /sys/kernel/debug/kprobes/list) -eq 0 ]]
	report $? "trace --inlined: no probe is left"
}

load_module timing "special places" || exit 1
trap 'unload_module timing; rm -rf -- "$work"' EXIT
call_tests
