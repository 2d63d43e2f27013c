#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The fentry command on a kernel whose BTF has no addresses, such as those of distributions: a name
# that one function has works as ever, and a name that several have is refused. TAP.
source "$(dirname -- "${BASH_SOURCE[0]}")/lib/fentry_lib.sh"

readonly UNIQUE=do_sys_openat2
readonly REFUSAL="2 functions are called $NAME, and this kernel can't tell them apart: a functions file can, see fentry\(1\)"
readonly REASON="its name has several functions, and this kernel can't tell them apart without a functions file"

test_unique() {
	local address

	[[ ! -e /proc/kallsyms_btf ]]
	report $? "this kernel has no /proc/kallsyms_btf"
	address=$(awk -v name="$UNIQUE" '$3 == name { print $1 }' /proc/kallsyms)
	fentry resolve "$UNIQUE"
	check "resolve: a unique name has the address of /proc/kallsyms" 0 \
		out "-:[0-9]+ $address vmlinux $UNIQUE -"
	fentry trace "$UNIQUE" -- cat /proc/version
	check "trace: a unique name" 0 out "cat +[0-9]+  $UNIQUE\(dfd=-100, .*\"/proc/version\".*\)"
	fentry explain "$UNIQUE"
	check "explain: a unique name" 0 out "  address    $address in vmlinux" \
		out "  traceable  yes, by a probe; its arguments are as BTF says, which nobody has verified" \
		says "the BTF of this kernel isn't verified, so its functions are traced by probes, .*"
	fentry latency "$UNIQUE" --count 3 -- sh -c "cat /proc/version; cat /proc/version"
	check "latency: a unique name" 0 out "$UNIQUE: 3 calls, .*"
	fails 4 "'$UNIQUE@fs/open.c' may mean another function: .*" trace "$UNIQUE@fs/open.c"
}

test_ambiguous() {
	local id spec

	fentry list "$NAME"
	check "list: an ambiguous name has no address, and list says why" 0 \
		out "- +[0-9]+ +vmlinux +$NAME +- +void .*" \
		says "this kernel can't tell functions of the same name apart, .*"
	id=$(awk 'NR == 2 { print $2 }' "$work/out")
	for spec in "$NAME" "$MAP_ITER" "#$id"; do
		fails 4 "$REFUSAL" trace "$spec"
	done
	for spec in "$NAME*" "#$id"; do
		fentry resolve "$UNIQUE" "$spec"
		check "resolve: $spec, and prints nothing" 4 says ".*this kernel can't tell them apart.*" lines 0
	done
	fentry trace "$NAME*" "$UNIQUE" --count -v -- cat /proc/version
	check "trace: refused among others, which are traced" 0 says "can't trace $NAME.*: $REASON" \
		out " *[1-9][0-9]* .* $UNIQUE"
	fails 4 "$REFUSAL" run "$OUTPUT/fentry_ambiguous.bpf.o"
	fentry explain "$NAME"
	check "explain: an ambiguous name" 0 out "  traceable  no: $REASON"
	fentry list "$NAME" --untraceable --ambiguous
	check "list --untraceable: an ambiguous name" 0 out ".* $NAME +- +$REASON"
}

# Ordinary BTF may have a FUNC for each name of one address.
test_names() {
	local name names=(__do_sys_munlockall __x64_sys_munlockall)

	# gcc makes one function of these
	[[ $(uname -m) != aarch64 ]] || names=(lru_add_drain lru_add_and_bh_lrus_drain)
	for name in "${names[@]}"; do
		fentry explain "$name"
		check "explain: $name, which is one of two at its address" 0 out "$name" out "  BTF        id .*"
		[[ $(grep -c '^\w*$' "$work/out") -eq 1 ]]
		report $? "explain: and not the other one"
	done
}

# Ordinary BTF has parameters by name, too.
test_by_name() {
	fentry run "$OUTPUT/fentry_named.bpf.o" --target "opened=$UNIQUE" -- cat /dev/null
	check "run: no trampoline by BTF that isn't verified" 1 says "--unverified attaches it anyway" \
		says ".*its arguments are as BTF says.*: use SEC\(\"fentry.probe/[a-z0-9_]+\"\).*"
	fentry run "$OUTPUT/fentry_named.bpf.o" --target "opened=$UNIQUE" --unverified -- cat /dev/null
	check "run --unverified: arguments by name" 0 out ".* bpf_trace_printk: opened -100 1"
	fentry run "$OUTPUT/fentry_calls.bpf.o" --target "on_opened=$UNIQUE" -- cat /dev/null
	check "run: arguments by name at a probe" 0 out ".* bpf_trace_printk: opened -100" \
		says "program 'on_opened' is attached at 1 place, inlined calls aren't known: there is no file of them"
}

# BTF has no source: tags here, and fentry doesn't guess.
test_changed() {
	fentry list --changed --json
	check "list --changed: none is known to be" 0 out '\[\]'
	fentry explain finish_task_switch
	check "explain: what the suffix means, and why it can't be traced; no more" 0 \
		out "  renamed    \.isra\.: .*" no_out '^  (source|parameter|returns|told by) ' \
		out "  traceable  no: BTF doesn't describe it, but a functions file may"
}

# What list --ambiguous shows, compared with /proc/kallsyms.
test_list() {
	awk '$2 ~ /^[tTwW]$/ && !$4 { print $3 }' /proc/kallsyms | sort | uniq -d >"$work/names"
	fentry list --ambiguous
	awk 'NR > 1 { print $4 }' "$work/out" | sort -u >"$work/listed"
	[[ $status -eq 0 && -s $work/listed && -z $(comm -23 "$work/listed" "$work/names") ]]
	report $? "list --ambiguous: $(wc -l <"$work/listed") of $(wc -l <"$work/names") ambiguous names, as BTF has them"
	[[ -z $(awk 'NR > 1 && $1 != "-"' "$work/out") ]]
	report $? "list --ambiguous: none has an address"
}

test_module() {
	load_module kinds "functions of modules" || return 0
	fentry trace kinds:modified --exit -- \
		sh -c 'echo modified@kinds_main.c 7 >/sys/module/kinds/parameters/call'
	check "trace: a unique name of a module" 0 out "sh .* modified\(n=7\) = 7"
	fails 4 "2 functions are called differs, .*" trace kinds:differs
	if [[ -e ${INLINED:-}/vmlinux.functions ]]; then
		fentry --functions "$INLINED/vmlinux.functions" resolve kinds:modified
		check "resolve: a module that has no functions file isn't verified" 0 \
			says "the BTF of kinds isn't verified, .*"
	fi
	unload_module kinds
	report $? "the module can be unloaded afterwards"
}

# With the functions file, each of two functions of a name is traced by a probe, which sees its calls
# and no others.
test_probes() {
	local file=${INLINED:-}/vmlinux.functions event spec

	[[ -e $file ]] || { report_skipped "functions by probes" "no $file"; return; }
	for event in map_elem sk_storage; do
		for spec in "$MAP_ITER" "$SK_STORAGE"; do
			local want=0
			[[ $event:$spec != map_elem:$MAP_ITER && $event:$spec != sk_storage:$SK_STORAGE ]] || want=7
			fentry --functions "$file" trace "$spec" --count -v -- "$TRIGGER" "$event" 7
			check "trace --count: $spec, $event" 0 out " *$want +- .* $spec"
			fentry --functions "$file" latency "$spec" -- "$TRIGGER" "$event" 7
			check "latency: $spec, $event" 0 says "$want calls of 1 function in .*"
		done
	done
	fentry --functions "$file" trace "$MAP_ITER" --exit -- "$TRIGGER" map_elem 7
	[[ $status -eq 0 && $(grep -cE "^trigger .* $NAME@.*\\(aux=" "$work/out") -eq 7 ]]
	report $? "trace --exit: the arguments of 7 calls, at their returns"
	fentry --functions "$file" explain "$MAP_ITER"
	check "explain: what can be traced by a probe" 0 \
		out "  traceable  yes, by a probe: BTF has .*"
	fails 4 "program 'on_pselect' has two targets, but can have only one in this section" \
		--functions "$file" run "$OUTPUT/fentry_calls.bpf.o" \
		--target on_pselect=vfs_read --target on_pselect=vfs_write
	fentry --functions "$file" trace do_mprotect_pkey --exit --if 'len == 5' -- python3 -c \
		'import ctypes; ctypes.CDLL(None).mprotect(ctypes.c_void_p(4097), 5, 3)'
	check "trace --exit: what a system call passed, and got" 0 \
		out "python3 .*\.constprop\.0@?.*\(start=(4097|0x1001), len=5, prot=3\) = -(22|EINVAL)"
	"$FENTRY" --functions "$file" list --false --json >"$work/false"
	[[ $(jq length "$work/false") -ge 1 ]]
	report $? "list --false: there are some"
	while read -r spec known; do
		fentry --functions "$file" trace "$spec" --count --duration 0.2
		if [[ $known == null ]] && grep -q ': notrace: ' "$work/err"; then
			check "trace: $spec is a false prototype, and can't be traced" 1
		elif [[ $known == null ]]; then
			check "trace: $spec is a false prototype, without a true one" 0 says "tracing 1 function"
		else
			check "trace: $spec is a false prototype, true one: $known" 1 \
				says "BTF's $spec is a false prototype of .*: give the name instead"
		fi
	done < <(jq -r '.[] | "#\(.id) \(.["true"])"' "$work/false")
	fentry --functions "$file" run "$OUTPUT/fentry_ambiguous.bpf.o" --target "ambiguous=$MAP_ITER" \
		--duration 0.2
	check "run: no trampoline, with or without --unverified" 1 err ".*use SEC\(\"fentry.probe/$NAME\"\) with FENTRY_PROBE_PROG\(\)"
}

call_tests
