#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The commands explain and list --changed, for functions that the compiler changed. Their output
# about parameters must agree with the test module's source and with the arguments of calls. TAP.
source "$(dirname -- "${BASH_SOURCE[0]}")/lib/fentry_lib.sh"

readonly SOURCES=$here/test_modules/kinds CALL=/sys/module/kinds/parameters/call

# Calls of functions of the module, and the value of each parameter in the source: null for an
# unused parameter, and a list of the used members for a structure.
readonly CASES=(
	'without_first@kinds_args.c -7 600000000000|{"unused":null,"n":-7,"m":600000000000}'
	'without_middle@kinds_args.c -7 600000000000|{"n":-7,"unused":null,"m":600000000000}'
	'without_last@kinds_args.c -7 600000000000|{"n":-7,"m":600000000000,"unused":null}'
	'moved@kinds_args.c 11 13 600000000000 -17|{"n":11,"pair":[13,600000000000],"m":-17}'
	'last_bool@kinds_regs.c 40 1|{"unused":null,"n":40,"flag":1}'
	'bools@kinds_regs.c 1 70 0|{"first":1,"unused":null,"n":70,"second":0}'
	'dropped_return@kinds_regs.c 600000000000 3|{"unused":null,"pair":[600000000000],"n":3}'
	'kept_return@kinds_regs.c 600000000000 3|{"unused":null,"pair":[600000000000],"n":3}'
	'scaled@kinds_a.c 51 52|{"n":51,"factor":3,"m":52}'
	'members@kinds_a.c 81 82 83|{"wide":[81,82],"n":83}'
	'half@kinds_a.c 91 92 93|{"pair":[92],"n":93}'
	'unwanted@kinds_a.c 61 62|{"n":61,"m":62}'
	'by_value@kinds_o3.c 600000000000 5|{"p":[600000000000],"n":5}'
	'unmarked@kinds_o3.c 71 1|{"unused":null,"n":71,"flag":1}'
)

# in_source(name) - Print the declaration in the module's source.
in_source() {
	sed -nE "s/^(static noinline )?(([a-z_]+ )+\*?$1\(.*\))\$/\2/p" "$SOURCES"/*.c
}

# explain(name) - Write what fentry explains about the module's function to the file explained.
explain() {
	fentry explain "$1" --json
	jq 'map(select(.module == "kinds" and .source))' "$work/out" >"$work/explained"
}

# Traces all functions at once and calls each. Writes the output to the file calls.
trace_calls() {
	local one specs=() script=

	for one in "${CASES[@]}"; do
		specs+=("kinds:${one%%@*}*")
		script+="echo ${one%%|*} >$CALL; "
	done
	fentry trace "${specs[@]}" --json -- sh -c "$script"
	check "trace: ${#CASES[@]} functions that compilers change" 0 \
		says "tracing ${#CASES[@]} functions"
	cp "$work/out" "$work/calls"
}

# Do the arguments that explain states for a parameter have the value of the call? An unused
# parameter must be gone, and one that is the same in all calls may be gone. btfaddr may not know to
# which of several parameters a part belongs.
readonly AGREE='
	def number: if type == "boolean" then (if . then 1 else 0 end) else . end;
	($c | map(select(.module == "kinds" and .function == $e[0][0].function))) as $calls |
	$e[0][0].parameters as $parameters |
	($parameters | map(.name)) == ($want | keys_unsorted) and
	($parameters | map(.position)) == [range(1; 1 + ($want | length))] and
	any($calls[]; .args as $args | all($parameters[];
		$want[.name] as $value | [.arguments[].position | $args[. - 1].value | number] as $given |
		all(.arguments[]; .name == $args[.position - 1].name) and
		if .fate == "unknown" then all(.arguments[]; .name | test("^__isra")) and
			($value == null or any($given[]; [.] == $value))
		elif .name == "unused" then .fate == "gone"
		elif .fate == "gone" then .name == "factor"
		elif .fate == "parts" then $given == $value
		else $given == [$value] or ($value | type) == "array" end and
		(.fate == "same") == (.position == .arguments[0].position and
			.arguments[0].name == .name)))'

test_parameters() {
	local one name

	load_module kinds "explain: parameters" || return 0
	trace_calls
	for one in "${CASES[@]}"; do
		name=${one%%@*}
		explain "$name"
		if [[ $(jq length "$work/explained") -eq 0 ]]; then
			[[ $status -eq 0 ]] && not_changed "$name"
			report $? "explain $name: this compiler left it as it is"
			continue
		fi
		[[ $(jq -r '.[0].source' "$work/explained") == "$(in_source "$name")" ]]
		report $? "explain $name: the declaration in the source"
		jq -ne --slurpfile e "$work/explained" --slurpfile c "$work/calls" \
			--argjson want "${one#*|}" "$AGREE" >/dev/null
		report $? "explain $name: each parameter has the value that it is called with"
	done
}

# not_changed(name) - Did the trace, which uses BTF, print the parameters of the source?
not_changed() {
	local names

	names=$(jq -r "select(.function | test(\"^$1(\\\\.llvm\\\\.|\$)\")) | [.args[].name] | join(\" \")" \
		"$work/calls" | sort -u)
	[[ -n $names && $names == "$(in_source "$1" | sed 's/.*(//; s/)//; s/[a-z_ ]*[ *]\([a-z]*\),\?/\1 /g; s/ $//')" ]]
}

# The output as text, for changes that both compilers make.
test_text() {
	local part

	fentry explain without_middle
	check "explain: gone, and another position" 0 \
		out "  source     long without_middle\(int n, const struct kinds_pair \*unused, long m\)" \
		out "  prototype  long( int)? without_middle[.a-z0-9]*\(int n, long( int)? m\)" \
		out "  parameter  n: argument 1" out "  parameter  unused: gone" \
		out "  parameter  m: argument 2, was 3" out "  returns    long, as in the source" \
		out "  traceable  yes, by a trampoline"
	fentry explain unwanted
	check "explain: a return value that is gone" 0 out "  returns    nothing, was long"
	fentry explain half
	# with KASAN, DWARF doesn't say which part
	! grep -qx CONFIG_KASAN=y "$KCONFIG" || part=isra0
	check "explain: a part of a structure" 0 \
		out "  parameter  pair: passed as parts of it: argument 1 \(pair__${part:-second}\)" \
		out "  parameter  n: argument 2"
	fentry explain equal
	check "explain: says nothing of this if the compiler changed nothing" 0 \
		no_out '^  (source|parameter|returns|told by) '
}

# gcc adds a suffix, and clang doesn't.
test_marks() {
	fentry explain without_first
	if grep -q ' without_first\.' /proc/kallsyms; then
		check "explain: told by the suffix, too" 0 out "  renamed    \.(isra|constprop)\.: .*" \
			out "  told by    BTF's tag 'source:', and the suffix"
	else
		check "explain: told by BTF alone" 0 out "without_first" \
			out "  told by    BTF's tag 'source:' alone: nothing in the name says that it was changed"
	fi
	explain without_first
	[[ $(jq -r '.[0] | .function == "without_first" + (.suffixes | map(. + "0") | join(""))' \
		"$work/explained") == true ]]
	report $? "explain --json: its suffixes"
	unload_module kinds
	report $? "the module can be unloaded afterwards"
}

# The functions, counted in another way: in bpftool's dump of the BTF of vmlinux and the module.
test_list() {
	local tags

	bpftool btf dump file /sys/kernel/btf/vmlinux |
		sed -n "s/.* DECL_TAG 'source:\(.*\)' type_id=\([0-9]*\) .*/\2 \1/p" | sort >"$work/tags"
	tags=$(wc -l <"$work/tags")
	fentry list 'vmlinux:*' --changed --json
	jq -r '.[] | "\(.id) \(.source)"' "$work/out" | sort >"$work/listed"
	[[ $status -eq 0 && $tags -gt 100 ]] && cmp -s "$work/tags" "$work/listed"
	report $? "list --changed: $tags functions, with the declaration in the source"
	fentry list 'vmlinux:*' --changed
	[[ $status -eq 0 && $(wc -l <"$work/out") -eq $((tags + 1)) &&
	   $(head -n 1 "$work/out") == *" PROTOTYPE "*" SOURCE" ]]
	report $? "list --changed: as a table"
	fentry list 'vmlinux:*' --json
	check "list --json: has it without --changed, too" 0 json "(map(select(.source)) | length) == $tags"
	"$FENTRY" list 'vmlinux:*' --changed | awk '$4 ~ /\./ { print $2 }' | sort >"$work/both"
	fentry list 'vmlinux:*' --changed --renamed
	[[ -s $work/both && $(awk 'NR > 1 { print $2 }' "$work/out" | sort) == "$(<"$work/both")" ]]
	report $? "list --changed --renamed: $(wc -l <"$work/both") functions"
	"$FENTRY" list --untraceable --json | command jq 'map(select(.source))' >"$work/both"
	fentry list --changed --untraceable --json
	[[ $status -eq 0 ]] && cmp <(jq . "$work/out") <(jq . "$work/both")
	report $? "list --changed --untraceable: both filters count"
}

# Functions that aren't for trampolines, which can't be given their arguments.
test_unfit() {
	local many

	fentry explain _printk
	check "explain: variable arguments" 0 out "  traceable  yes, by a probe: has variable arguments"
	many=$(many_arguments)
	fentry explain "${many%%.*}"
	check "explain: too many arguments ($many)" 0 out "  traceable  yes, by a probe: has more than 12 arguments"
	fentry explain ns_to_timespec64 --json
	check "explain --json: a structure as return value" 0 \
		json '.[0] | .traceable and .traced_by == "probe" and .traced_by_at_exit == .traced_by and
			.why_probe == "returns a structure or union by value"'
	fentry list 'vmlinux:*' --untraceable --json
	check "list --untraceable: no function for its arguments" 0 \
		json 'all(.[]; .reason | test("argument|structure") | not)'
}

# The example of tools/fentry/README.md is of a kernel that gcc built.
test_readme() {
	local example

	example=$(awk '$0 == "```" { show = 0 } show; $0 == "```explain" { show = 1 }' \
		"$here/../tools/fentry/README.md" | sed 1d)
	if ! grep -q ' finish_task_switch\.isra\.0$' /proc/kallsyms; then
		report_skipped "the README's example of explain" "not a kernel that gcc built"
		return
	fi
	fentry explain finish_task_switch
	[[ -n $example && $(sed 's/[0-9a-f]\{16\}/N/; s/id [0-9]*/id N/' "$work/out") == \
		"$(sed 's/[0-9a-f]\{16\}/N/; s/id [0-9]*/id N/' <<<"$example")" ]]
	report $? "the README's example of explain"
}

# If vmlinux has a function of this module, too, only the BTF of vmlinux has its FUNC.
test_module_without_addresses() {
	load_module protos_lone "explain: a module without addresses" || return 0
	fentry explain protos_lone:bpf_fentry_test1
	check "explain: a module that was built without btfaddr" 0 \
		out "  traceable  no: BTF doesn't describe it: its module has no BTF with addresses"
	unload_module protos_lone
}

call_tests
