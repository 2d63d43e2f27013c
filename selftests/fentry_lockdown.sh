#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The fentry command on a kernel that is locked down, for integrity or confidentiality: what works,
# and the messages of what doesn't. lockdown.sh boots the kernel. TAP.
#
# usage: fentry_lockdown.sh integrity|confidentiality
source "$(dirname -- "${BASH_SOURCE[0]}")/lib/fentry_lib.sh"

readonly MODE=$1 READS=$OUTPUT/fentry_reads.bpf.o
readonly LOCKDOWN='kernel lockdown \(confidentiality\)'

# one_line() - Was nothing printed but one line on stderr?
one_line() {
	[[ ! -s $work/out && $(wc -l <"$work/err") -eq 1 ]]
	report $? "there is one line, and no more"
}

# Commands that need only BTF, symbols, and a program that reads no memory.
test_harmless() {
	[[ $(</sys/kernel/security/lockdown) == *"[$MODE]"* ]]
	report $? "the kernel is locked down: $(</sys/kernel/security/lockdown)"
	fentry list "$NAME"
	check "list" 0 out "[0-9a-f]{16} .*kernel/bpf/map_iter\.c .*" \
		out "[0-9a-f]{16} .*net/core/bpf_sk_storage\.c .*"
	fentry resolve "$MAP_ITER"
	check "resolve" 0 out "[0-9]+:[0-9]+ [0-9a-f]{16} vmlinux $NAME kernel/bpf/map_iter\.c"
	fentry trace "$MAP_ITER" --count -- "$TRIGGER" map_elem 3
	check "trace --count" 0 out " *3 .* $MAP_ITER"
	fentry trace "$MAP_ITER" --count --exit -- "$TRIGGER" map_elem 2
	check "trace --count --exit" 0 out " *2 .* $MAP_ITER"
	fentry latency "$MAP_ITER" -- "$TRIGGER" map_elem 3
	check "latency" 0 out "$MAP_ITER: 3 calls, .*"
}

test_integrity() {
	fentry trace "$MAP_ITER" --stack -v -- "$TRIGGER" map_elem 2
	check "trace prints arguments" 0 out ".*\(aux=$KPTR \(struct bpf_iter_aux_info\)\{.*\}\)" \
		out "        $NAME(@\S+)?\+0x[0-9a-f]+/0x[0-9a-f]+"
	fentry list bpf_get_stackid_tp --untraceable
	check "list --untraceable" 0 out ".* notrace: .*"
	fentry explain "$NAME"
	check "explain" 0 out "  traceable  yes, by a trampoline"
	fentry run "$READS" -- "$TRIGGER" map_elem 1
	check "run" 0 out ".* bpf_trace_printk: reads 1"
}

test_confidentiality() {
	local option

	for option in --stack --exit --json; do
		fails 1 "can't print calls: $LOCKDOWN forbids programs to read kernel memory, where the arguments are; --count works" \
			trace "$NAME*" "$option"
		one_line
	done
	fails 1 "can't test --if: $LOCKDOWN forbids programs to read kernel memory, where the arguments are; --count alone works, and --by a word" \
		trace "$NAME*" --count --if 'map == 0'
	fails 1 "can't tell what ftrace can trace: $LOCKDOWN leaves nothing in tracefs" \
		list --untraceable
	one_line
	fentry explain "$NAME"
	check "explain says what it knows, and why it can't say more" 0 out "  traceable  not known" \
		says "can't tell what ftrace can trace: $LOCKDOWN leaves nothing in tracefs"
	fails 1 "$LOCKDOWN forbids programs to read kernel memory: can't load program .*bpf_probe_read.*" \
		run "$READS"
	fails 1 "can't read what the program prints: $LOCKDOWN leaves nothing in tracefs" \
		run "$OUTPUT/fentry_ambiguous.bpf.o" --target "ambiguous=$MAP_ITER"
	one_line
}

call_tests test_harmless "test_$MODE"
