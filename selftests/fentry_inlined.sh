#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The fentry command on inlined calls and on the units of functions, with files that btfaddr wrote.
# Witnesses are the module's source, calls that the module counts itself, and the symbols of the
# kernel's object files. With FEWER=y, only what attaches is tested. TAP.
source "$(dirname -- "${BASH_SOURCE[0]}")/lib/fentry_lib.sh"

need INLINED KCONFIG
readonly INLINED SOURCE=$here/test_modules/timing/timing_main.c PARAMETERS=/sys/module/timing/parameters
readonly WITH=("$FENTRY" --functions "$INLINED")
# One link for all probes, by kernel/7.3/other/kprobe-multi, or a perf event and a link for each.
HOW=links
[[ $(uname -r) != 6.12.* ]] || HOW=events
readonly HOW

# in_source(function) - Its callers and lines, from the comments in the module's source.
in_source() {
	awk -v call="^\t$1\\\\(.*\\\\);[ \t]+/\\\\* inlined in " '
		$0 ~ call { sub(/.* inlined in /, ""); sub(/ .*/, ""); print $0, "timing_main.c", NR }' "$SOURCE"
}

# explained() - The same, from the last "explain --json".
explained() {
	jq -r '.[].inlined[] | "\(.caller) \(.file | sub(".*/"; "")) \(.line)"' "$work/out" | sort
}

test_where() {
	local name

	for name in partly wholly; do
		with explain "timing:$name" --json
		[[ $status -eq 0 && -n $(in_source "$name") && $(explained) == "$(in_source "$name" | sort)" ]]
		report $? "explain: calls of $name() are inlined where the source has them"
	done
	check "explain: the function whose code each call is part of" 0 \
		json '.[].inlined | all(.symbol == "inlines" and .exact)'
	with explain timing:wholly
	check "explain: nothing but inlined calls" 0 out "timing:wholly@.*timing_main\.c" \
		out "  inlined    1 of 1 direct call, seen by trace --inlined only, in" \
		out "  traceable  no: BTF knows nothing but inlined calls of it"
	with list timing:partly --json
	check "list: their number" 0 json 'length == 1 and .[0].inlined == 2'
	with list timing:partly
	check "list: a column with their number" 0 out "ADDRESS .* UNIT +INLINED +DIRECT +PROTOTYPE" \
		out ".* partly +.*timing_main\.c +2 +0 +.*"
	# the source calls two of these by their names
	with list timing:does_nothing timing:inlines timing:partly --json
	check "list: how many calls are direct" 0 json 'map(.direct_calls) == [1, 1, 0]'
	with explain timing:inlines --json
	check "explain --json: the same" 0 json '.[].direct_calls == 1'
}

# The module counts all calls. A program misses the inlined ones.
test_unseen() {
	local before after script

	before=$(<"$PARAMETERS/inlined_sum")
	script="echo partly 1 >$PARAMETERS/call; echo partly 2 >$PARAMETERS/call"
	script+="; echo inlines 4 >$PARAMETERS/call"
	with trace timing:partly --count -- sh -c "$script"
	after=$(<"$PARAMETERS/inlined_sum")
	check "trace: says how many calls it doesn't see" 0 \
		says "2 of 2 direct calls of partly are inlined, and not seen without trace --inlined: 'fentry explain partly' says where"
	[[ $((after - before)) -eq $((1 + 2 + 2 * 4 + 4 + 7 + 5)) && $(count_of partly) -eq 2 ]]
	report $? "trace: of 4 calls of partly(), the 2 that are inlined aren't seen"
	with trace 'timing:part*' timing:inlines --count -- true
	check "trace: of several functions" 0 \
		says "2 of [23] direct calls of 1 of these functions are inlined, and not seen without .*"
	with latency timing:partly -- true
	check "latency: says it, too" 0 says "2 of 2 direct calls of partly are inlined, and not seen without .*"
	with trace timing:inlines -- true
	check "trace: says nothing where none is" 0 no_err inlined
	with trace timing:wholly
	check "trace: a function that is only inlined" 3 says "no function matches 'timing:wholly'" \
		says "1 call of timing:wholly is inlined, and not seen without trace --inlined: 'fentry explain timing:wholly' says where"
	fentry trace timing:partly -- true
	[[ $status -eq 0 ]] && ! grep -v "may be inlined" "$work/err" | grep -q inlined
	report $? "trace: says nothing without the file"
}

# call(name, number) - Makes the module call a function.
call() {
	printf 'echo %s %s >%s/call; ' "$1" "$2" "$PARAMETERS"
}

# traced() - The calls that the last "trace --json" printed: arguments, then who made it where.
traced() {
	jq -r '"\([.args[].value] | map(tostring) | join(" ")) \(.inlined | if . then
		"\(.caller) \(.file | sub(".*/"; "")) \(.line)" else "-" end)"' "$work/out"
}

# probes(symbol) - At how many places in it the kernel has probes now.
probes() {
	awk -v symbol="^$1\\+" '$3 ~ symbol { print $1 }' /sys/kernel/debug/kprobes/list | sort -u | wc -l
}

# The trace has each call, with the arguments that the module passes. The module's sum agrees.
test_traced() {
	local before after sum probes

	before=$(<"$PARAMETERS/inlined_sum")
	with trace --inlined timing:partly --json -- \
		sh -c "$(call partly 1; call inlines 40; call partly 3)"
	after=$(<"$PARAMETERS/inlined_sum")
	check "trace --inlined: the function and each place" 0 \
		says "tracing 1 function and 2 inlined calls" \
		says "4 calls of 1 function and 2 inlined calls in .*"
	[[ $(traced) == "1 -
$(in_source partly | awk '{ print 40, $0 }' | sort -k 2)
3 -" ]]
	report $? "trace --inlined: all calls in their order, with callers and arguments"
	sum=$(jq -s 'map(.args[0].value) | add' "$work/out")
	[[ $sum -eq 84 && $((after - before)) -eq $((sum + 40 + 7 + 41)) ]]
	report $? "trace --inlined: none is missing in what the module summed up"
	with trace --inlined timing:wholly -- sh -c "$(call inlines 5)"
	check "trace --inlined: nothing but inlined calls" 0 says "tracing 1 inlined call" \
		out "sh +[0-9]+  timing:wholly@.*timing_main\.c\(usec=5\) in inlines, .*timing_main\.c:[0-9]+"
	with trace --inlined timing:partly timing:wholly --count -- \
		sh -c "$(call inlines 1; call inlines 1; call partly 1)"
	check "trace --inlined --count: a line for each place" 0 \
		out " *2 .* partly in inlines, .*timing_main\.c:[0-9]+" \
		out " *2 .* partly in wholly, .*timing_main\.c:[0-9]+" \
		out " *2 .* timing:wholly@.* in inlines, .*" out " *1 .* partly"
	with trace --inlined timing:partly --count --json -- \
		sh -c "$(call inlines 1; call partly 1)"
	check "trace --inlined --count --json: members say where each place is" 0 \
		json 'map(.caller) | sort == [null, "inlines", "wholly"]' \
		json 'map(select(.caller)) | all(.symbol == "inlines" and (.line | type == "number") and
			(.file | endswith("timing_main.c")) and (.function | contains(" in ") | not))'
	with trace --inlined timing:partly --if 'usec > 5' --print usec -- \
		sh -c "$(call inlines 5; call inlines 6)"
	check "trace --inlined: filters and expressions" 0 lines 2 no_out 'usec=[^6]' out '.*partly\(usec=6\).*'
	with trace --inlined timing:wholly --stack -- sh -c "$(call inlines 5)"
	grep -A 1 'timing:wholly' "$work/out" | tail -n 1 | grep -qE '^ +inlines\+0x[0-9a-f]+/0x[0-9a-f]+ \[timing\]$'
	report $? "trace --inlined --stack: begins where the code is"
	with trace timing:is_reached --stack -- sh -c "$(call nests 5)"
	grep -A 3 'is_reached+' "$work/out" | sed -E 's,^ +,,; s,\+.*,,; s,at .*/,at ,' >"$work/answer"
	diff "$work/answer" - <<-END
		is_reached
		$(in_source calls_it | sed 's/.* \(.*\) /calls_it (inlined at \1:/'))
		$(in_source passes_on | sed 's/.* \(.*\) /passes_on (inlined at \1:/'))
		nests
	END
	report $? "trace --stack: what is inlined in a frame, and where it is called"
	with trace timing:is_reached --by stack --folded -- sh -c "$(call nests 5)"
	check "trace --by stack --folded: inlined functions are marked" 0 \
		out '.*;nests \[timing\];passes_on_\[i];calls_it_\[i];is_reached 1'
	start "${WITH[@]}" trace --inlined timing:partly timing:wholly --count
	probes=$(probes inlines)
	interrupt
	[[ $status -eq 0 && $probes -eq 2 && $(probes inlines) -eq 0 ]]
	report $? "trace --inlined: the kernel has probes there, and none afterwards"
}

# A specification may select some of the calls. Then fentry traces nothing else.
test_chosen() {
	local in_wholly in_inlines spec

	in_wholly=$(in_source partly | awk '$1 == "wholly" { print $3 }')
	with explain timing:partly --json
	in_inlines=$(jq -r '.[].inlined[] | select(.caller == "inlines") | "\(.file):\(.line)"' "$work/out")
	for spec in timing:partly@wholly @wholly "timing:partly@timing_main.c:$in_wholly" \
		"timing_main.c:$in_wholly"; do
		with trace --inlined "$spec" --json -- sh -c "$(call partly 1; call inlines 7)"
		[[ $status -eq 0 && $(traced) == "7 wholly timing_main.c $in_wholly" ]]
		report $? "trace --inlined ${spec/$in_wholly/LINE}: that call, and no other"
	done
	with trace --inlined partly@wholly "$in_inlines" \
		timing:wholly --count -- sh -c "$(call partly 1; call inlines 7)"
	check "trace --inlined: several specifications" 0 says "tracing 3 inlined calls" \
		says "3 calls of 3 inlined calls in .*"
	with trace --inlined timing:partly@vfs_read -- true
	check "trace --inlined: a caller that doesn't call it" 3 \
		says "no inlined call is 'timing:partly@vfs_read': 'fentry explain timing:partly' lists them"
	with trace --inlined timing_main.c:1 -- true
	check "trace --inlined: a line without a call" 3 says "no inlined call is 'timing_main\.c:1'"
	with trace --inlined timing:parly@wholly -- true
	check "trace --inlined: no such function" 3 says "no function matches 'timing:parly'"
	with trace timing:partly@wholly -- true
	check "trace: a place of inlined calls" 2 \
		says "trace: 'timing:partly@wholly' means inlined calls, and needs --inlined .*"
}

# In the object file the call is in .text.unlikely, which the linker may put into .text.
test_cold() {
	with trace --inlined timing:coldly --json -- sh -c "$(call rarely 6)"
	[[ $status -eq 0 && $(traced) == "6 $(in_source coldly)" ]]
	report $? "trace --inlined: in a cold function"
}

# No probe can be in a notrace function.
test_refused() {
	local refused="fentry: can't attach to the inlined call of timing:sums@.* in hides, .*timing_main\.c:[0-9]+: it is in a notrace function"
	local changed="<unavailable>"

	[[ $(in_source sums | wc -l) -eq 2 ]]
	report $? "the source has two calls"
	with trace --inlined timing:sums -- sh -c "$(call inlines 3; call hides 3)"
	check "trace --inlined: all or none" 1 err "$refused" says "nothing is traced, as .*"
	[[ ! -s $work/out && $(probes inlines) -eq 0 ]]
	report $? "trace --inlined: none is left then"
	grep -q '^CONFIG_CC_IS_CLANG=y' "$KCONFIG" || changed=4
	with trace --inlined --best-effort timing:sums -- sh -c "$(call inlines 3; call hides 3)"
	check "trace --inlined --best-effort: says which isn't seen" 0 err "$refused" \
		says "1 call of 1 inlined call in .*" \
		out "sh +[0-9]+  timing:sums@.*\(usec=3, seven=(7|<unavailable>), changed=$changed\) in inlines, .*"
	[[ $changed == 4 ]] || {
		with trace --inlined --best-effort timing:sums --if 'changed == 4' -- \
			sh -c "$(call inlines 3)"
		check "trace --inlined: a filter on what isn't known" 0 \
			says "--if needs an argument that isn't known at 2 of 2 inlined calls: .*"
	}
	with trace --inlined timing:partly --exit -- true
	check "trace --inlined: no return value" 2 says "trace: --exit needs calls that return, .*"
	with trace --inlined timing:partly --if 'ret == 0' -- true
	check "trace --inlined: a filter on the return value" 2 \
		says "trace: --if 'ret == 0', column 1: the function returns nothing .*"
	echo 2 >/proc/sys/kernel/kptr_restrict
	with trace --inlined timing:partly -- true
	echo 0 >/proc/sys/kernel/kptr_restrict
	check "trace --inlined: addresses that are hidden from root" 1 says ".*kernel\.kptr_restrict.*"
	fails 1 "it isn't known which calls are inlined: .*" \
		trace --inlined timing:partly -- true
	cp -r "$INLINED" "$work/inlined"	# where another user can read it
	capture "${AS_NOBODY[@]}" "$FENTRY" --functions "$work/inlined" trace --inlined timing:partly -- true
	check "trace --inlined: not for everybody" 1 lines 0
}

test_open_files() {
	capture setpriv --bounding-set -sys_resource --inh-caps -sys_resource prlimit --nofile=100:100 \
		"${WITH[@]}" trace --inlined --best-effort list_add -- true
	check "trace --inlined: hundreds of probes with few open files" 0 \
		says "tracing [0-9]{3} inlined calls"
}

# blacklisted() - The kernel's list of code without probes: "first end".
blacklisted() {
	sed -E 's/^0x([0-9a-f]+)-0x([0-9a-f]+)\t.*/\1 \2/' /sys/kernel/debug/kprobes/blacklist
}

# fentry reads the kernel's lists of code without probes, and says so before it tries.
test_marked() {
	with explain timing:sums
	check "explain: a place in a notrace function" 0 \
		out " +hides, .*timing_main\.c:[0-9]+ .*\(no probe: it is in a notrace function\)" \
		out " +inlines, .*timing_main\.c:[0-9]+( \(may be several .*)?"
	with explain "$IRQS" --json
	blacklisted >"$work/ranges"
	jq -r '.[].inlined[] | "\(.address) \(.reason // "" | startswith("is in code"))"' "$work/out" | awk '
		NR == FNR { first[NR] = $1; end[NR] = $2; next }
		{
			listed = "false"
			for (i in first)
				if ($1 >= first[i] && $1 < end[i])
					listed = "true"
			n[listed]++
			wrong += $2 != listed
		}
		END { exit wrong || !n["true"] || !n["false"] }' "$work/ranges" -
	report $? "explain --json: the places that are in the kernel's list, and no others"
	with trace --inlined "$IRQS" -- true
	check "trace --inlined: one line for one cause" 1 \
		says "can't attach to [0-9]+ inlined calls \(it is in code that the kernel has no probes in .*\): $IRQS@.* in .*; .*" \
		says "nothing is traced, as .*"
	[[ $(wc -l <"$work/err") -le 4 ]]
	report $? "trace --inlined: and not one for each place"
}

# If a module has no file, its inlined calls are unknown.
test_unknown() {
	local only=("$FENTRY" --functions "$work/only") others=": --best-effort traces the others"
	local unknown="fentry: it isn't known which calls are inlined in timing, as there is no file of it"

	mkdir "$work/only"
	cp "$INLINED/vmlinux.functions" "$work/only"
	capture "${only[@]}" trace timing:partly -- true
	check "trace: a module without a file" 0 err "$unknown"
	capture "${only[@]}" trace --inlined timing:partly -- true
	check "trace --inlined: all or none needs it" 1 err "$unknown$others"
	capture "${only[@]}" trace --inlined list_add -- true
	check "trace --inlined: and so does a header's function" 1 err "$unknown$others"
	capture "${only[@]}" trace --inlined vfs_open -- true
	check "trace --inlined: not a function that the module can't have" 0 no_err "isn't known"
	capture "${only[@]}" trace --inlined --best-effort timing:partly --count -- sh -c "$(call partly 1)"
	check "trace --inlined --best-effort: goes on without" 0 err "$unknown" says "1 call of 1 function in .*"
	capture "${only[@]}" explain timing:partly
	check "explain: what isn't known" 0 out "  unknown    which calls are inlined in timing"
	capture "${only[@]}" explain timing:partly --json
	check "explain --json: what isn't known" 0 \
		json '.[0].inlined == [] and .[0].inlined_unknown == ["timing"]'
	capture "${only[@]}" list timing:partly vfs_open --json
	check "list --json: null is what isn't known" 0 json '.[0].inlined == null and .[1].inlined != null'
}

# One file instead of a folder.
test_one_file() {
	fentry --functions "$INLINED/timing.functions" explain timing:partly --json
	check "--functions FILE: a module's" 0 \
		json '.[0].inlined_unknown == [] and (.[0].inlined | length == 2)'
	cp "$INLINED/vmlinux.functions" "$work/of-this-build.functions"
	fentry "--functions=$work/of-this-build.functions" list vfs_open --json
	check "--functions FILE: vmlinux's, whatever it is called" 0 \
		json '.[0].unit == "fs/open.c" and .[0].inlined != null'
}

# If the compiler copied a call, the file has one place, and the other copies aren't seen.
test_inexact() {
	with explain timing:repeated
	check "explain: a place that the compiler copied" 0 \
		out " +repeats, .*timing_main\.c:[0-9]+ \(may be several calls, not all of which are seen\)"
	with trace --inlined timing:repeated --count -- sh -c "$(call repeats 1)"
	check "trace --inlined: warns of a place that the compiler copied" 0 \
		says "at 1 of 1 inlined calls not every call may be seen, .*" \
		says "1 call of 1 inlined call in .*"
}

test_run() {
	with run "$OUTPUT/fentry_many.bpf.o" --target any=timing:partly -- true
	check "run: says how many calls it doesn't see" 0 \
		says "2 of 2 direct calls of partly are inlined, and not seen without trace --inlined: .*"
}

# run_at(program, specification, ...) - Run program on_PROGRAM while the module makes calls.
run_at() {
	with run "$OUTPUT/fentry_calls.bpf.o" --target "on_$1=timing:$2" "${@:3}" -- \
		sh -c "$(call partly 1; call inlines 40; call partly 3)"
}

# printed(text) - The calls that programs printed.
printed() {
	grep -oE "$1 [0-9].*" "$work/out"
}

test_run_calls() {
	local clang=

	! grep -q '^CONFIG_CC_IS_CLANG=y' "$KCONFIG" || clang=1
	run_at partly partly
	check "run: a program at all calls" 0 \
		says "program 'on_partly' is attached at 3 places, inlined calls included"
	[[ $(printed partly) == "partly 1
partly 40
partly 40
partly 3" ]]
	report $? "run: sees each call, with its argument"
	[[ $HOW == events || $(probes inlines) -eq 0 ]]
	report $? "run: and leaves no probe"
	run_at partly wholly
	[[ $status -eq 0 && $(printed partly) == "partly 40" ]]
	report $? "run --target: of another function, which has nothing but inlined calls"
	run_at registers wholly
	[[ $status -eq 0 && $(grep -c 'wholly$' "$work/out") -eq 1 ]]
	report $? "run: a program with the registers as its context"
	run_at sums sums
	check "run: all or none" 1 \
		says "program 'on_sums': can't attach to the inlined call of timing:sums@.* in hides, .*" \
		says "program 'on_sums' is not attached, as calls would be missing: --best-effort .*"
	run_at sums sums --best-effort
	if [[ -z $clang ]]; then
		[[ $status -eq 0 && $(printed sums) == "sums 40 7" ]]
		report $? "run --best-effort: arguments by name, in another order"
	else
		check "run --best-effort: says whose arguments aren't known" 1 \
			says "program 'on_sums': .* in inlines, .*: an argument that the program declares isn't known there"
	fi
	run_at wrong wholly
	check "run: an argument of another type" 1 \
		says "program 'on_wrong': 'usec' has another type in timing:wholly@.*"
	run_at missing wholly
	check "run: an argument that the function hasn't" 1 \
		says "program 'on_missing': .*: it lacks an argument that the program declares"
	run_at nothing none_such
	check "run: no such function" 1 \
		says "program 'on_nothing': no function matches 'timing:none_such'"
	run_at nothing '#99999999'
	check "run: no such BTF id" 1 \
		says "program 'on_nothing': no function matches 'timing:#99999999'"
	fentry run "$OUTPUT/fentry_calls.bpf.o" --target on_partly=timing:partly -- true
	check "run: without the file" 0 \
		says "program 'on_partly' is attached at 1 place, inlined calls aren't known: there is no file of them"
}

# While a program runs for one call, the kernel reaches the place of another. There it can't run.
test_missed() {
	if ! "${WITH[@]}" explain htab_map_hash | grep -q ' __htab_map_lookup_elem,'; then
		report_skipped "calls that are missed" "this kernel has htab_map_hash() inlined elsewhere"
		return
	fi
	with trace --inlined timing:partly@inlines htab_map_hash@__htab_map_lookup_elem \
		--by pid -- sh -c "$(call inlines 1; call inlines 2)"
	check "trace --inlined: counts calls that are missed because they happen while a program runs" 0 \
		out " *2 .* partly in inlines, .*" \
		says "[1-9][0-9]* calls came while the same program, or another probe, was running, and are not counted"
}

# tools/regcheck/sources compares the units of all functions with those in DWARF.
test_units() {
	with list '*@fs/open.c'
	check "list: all functions of a file" 0 out ".* vfs_open +fs/open\.c .*"
	with trace vfs_open@fs/read_write.c
	check "trace: a unique name is refused in another unit" 3 \
		says "no function matches 'vfs_open@fs/read_write.c'"
	with resolve vfs_open@open.c
	check "resolve: a unit of a unique name" 0 out ".* vfs_open fs/open\.c"
}

# Where fentry looks for a file, and what it says of one that doesn't fit.
test_places() {
	local found='.* vfs_open +fs/open\.c +[0-9]+ .*' byte

	capture unshare --mount sh -c "mkdir $work/btf &&
		cp /sys/kernel/btf/* $work/btf && cp $INLINED/vmlinux.functions $work/btf/vmlinux.inline &&
		mount --bind $work/btf /sys/kernel/btf && exec $FENTRY list vfs_open"
	check "list: a file beside the kernel's BTF" 0 out "$found"
	capture nsenter --mount --target 1 "$FENTRY" list vfs_open
	check "list: a file beside the kernel's modules" 0 out "$found"
	fails 1 "can't read $work/vmlinux.functions: No such file .*" \
		--functions "$work" list vfs_open
	# its build id is 36 bytes behind this
	byte=$(grep -abo FNS2 "$INLINED/vmlinux.functions" | tail -n 1 | cut -d : -f 1)
	mkdir "$work/wrong"
	cp "$INLINED/vmlinux.functions" "$work/wrong"
	printf 'wrong' | dd of="$work/wrong/vmlinux.functions" bs=1 seek=$((byte + 36)) conv=notrunc status=none
	fails 1 "$work/wrong/vmlinux.functions is of another build of the kernel than the one that is running" \
		--functions "$work/wrong" list vfs_open
	cp "$work/wrong/vmlinux.functions" "$work/btf/vmlinux.inline"
	capture unshare --mount sh -c "mount --bind $work/btf /sys/kernel/btf && exec $FENTRY list vfs_open"
	check "list: goes on without one that wasn't asked for" 0 out '.* vfs_open +- +.*' \
		says "not used: /sys/kernel/btf/vmlinux.inline is of another build .*"
}

# links(type) - How many links of this type does the running trace have?
links() {
	cat "/proc/$pid/fdinfo/"* 2>/dev/null | grep -cx "link_type:[[:space:]]*$1"
}

test_links() {
	local events

	start "${WITH[@]}" trace --inlined timing:partly@inlines timing:wholly@inlines --count
	events=$(links perf)
	if [[ $HOW == links ]]; then
		[[ $events -eq 0 && $(links kprobe_multi) -eq 1 ]]
		report $? "trace --inlined: one link for all places"
	else
		[[ $events -eq 2 && $(links kprobe_multi) -eq 0 ]]
		report $? "trace --inlined: a perf event for each place, as there are no links for all"
	fi
	interrupt
}

# A link keeps the modules of its probes loaded. A perf event doesn't: it loses its probe.
test_modules() {
	start "${WITH[@]}" trace --inlined timing:wholly --count
	if [[ $HOW == links ]]; then
		! rmmod timing 2>/dev/null && sh -c "$(call inlines 3)"
		report $? "trace --inlined: its module stays"
		interrupt
		check "trace --inlined: and is still traced" 0 says "1 call of 1 inlined call in .*"
	else
		sh -c "$(call inlines 3)"
		unload_module timing && insmod "$MODULES/timing.ko" && sh -c "$(call inlines 3)"
		report $? "trace --inlined: its module can be unloaded, and loaded again"
		interrupt
		check "trace --inlined: says what was lost" 0 says "1 call of 1 inlined call in .*" \
			says "timing was unloaded: 1 inlined call in it was not seen since" \
			says "timing was loaded meanwhile: calls that are inlined in it are not seen"
	fi
	unload_module timing
	start "${WITH[@]}" trace --inlined --best-effort list_add@list_move --count
	insmod "$MODULES/timing.ko"
	interrupt
	check "trace --inlined: says what a module that came has" 0 \
		says "timing was loaded meanwhile: calls that are inlined in it are not seen"
	with trace --inlined list_add@list_move timing:wholly --best-effort -- true
	check "trace --inlined: says nothing of modules that stay" 0 no_err loaded
}

test_unload() {
	unload_module timing
	report $? "the module can be unloaded afterwards"
}

insmod "$MODULES/timing.ko" || exit 1
attaching=(test_links test_traced test_cold test_chosen test_refused test_marked test_inexact \
	test_run_calls test_missed)
others=(test_where test_unseen test_unknown test_one_file test_run test_units test_places)
[[ $HOW != links ]] || attaching+=(test_open_files)	# one link needs few, events one each
[[ ${FEWER:-} != y ]] || others=()
call_tests "${attaching[@]}" "${others[@]}" test_modules test_unload
