#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The commands list, resolve and explain: options, JSON, colours and width. TAP.
source "$(dirname -- "${BASH_SOURCE[0]}")/lib/fentry_lib.sh"

# json(filter) - What jq's filter gives for the last run's output.
json() {
	jq -r "$1" "$work/out" 2>/dev/null
}

test_json() {
	local address

	fentry list "$NAME" --json
	address=$(awk -v name="$NAME" '$3 == name { print $1; exit }' /proc/kallsyms)
	[[ $status -eq 0 && $(json length) -eq 2 &&
	   $(json '.[].unit' | paste -sd ' ') == "kernel/bpf/map_iter.c net/core/bpf_sk_storage.c" &&
	   $(json '.[0].address') == "$address" && $(json '.[0].module') == vmlinux &&
	   $(json '.[0].prototype') == "void $NAME(struct bpf_iter_aux_info *aux)" &&
	   $(json '.[0].id | type') == number ]]
	report $? "list --json"
	fentry list bpf_iter_attach_cgroup --json
	check "list --json: null for what isn't known" 0 json '.[0].unit == null'
	fentry list 'no_such_*' --json
	check "list --json: nothing gives 3" 3
}

# shared() - The names without their suffix that several text symbols have.
shared() {
	awk '$2 ~ /^[tTwW]$/ { sub(/\..*/, "", $3); print $3 }' /proc/kallsyms | sort | uniq -d
}

# The ambiguous names, counted in another way: in kallsyms_btf, without ThinLTO's suffixes.
test_filters() {
	local expected

	expected=$(awk '{ sub(/\.llvm\.[0-9]+$/, "", $3); print $3 }' /proc/kallsyms_btf |
		sort | uniq -d)
	fentry list --ambiguous
	[[ $status -eq 0 && -n $expected &&
	   $(awk 'NR > 1 && $1 != "-" { sub(/\.llvm\.[0-9]+$/, "", $4); print $4 }' "$work/out" |
		sort | uniq -d) == "$expected" ]]
	report $? "list --ambiguous: $(wc -l <<<"$expected") names"
	# one that is listed alone shares its name with a function that can't be traced
	[[ -z $(awk 'NR > 1 { sub(/\..*/, "", $4); print $4 }' "$work/out" | sort |
		uniq -u | comm -23 - <(shared)) ]]
	report $? "list --ambiguous: none that is unique"

	fentry list --renamed
	[[ $status -eq 0 && $(($(wc -l <"$work/out") - 1)) -eq $("$FENTRY" list | awk '$4 ~ /\./' | wc -l) ]]
	report $? "list --renamed: each name with a dot"
	[[ $(wc -l <"$work/out") -gt 50 ]] && ! awk 'NR > 1 { print $4 }' "$work/out" | grep -vq '\.'
	report $? "list --renamed: no name without a dot"
	fentry list bpf_iter_attach_cgroup "$NAME" "$MAP_ITER"
	check "list: several patterns, each function once" 0 lines 4
	fentry list --untraceable "$ENTRY" bpf_get_stackid_tp bpf_iter_detach_mop
	check "list --untraceable: one of several patterns matches nothing, but nearly" 3 \
		says "no function matches 'bpf_iter_detach_mop'" err "  $MAP_ITER"
	fentry list --untraceable "$ENTRY" bpf_get_stackid_tp
	check "list --untraceable: several patterns" 0 lines 3
	fentry list 's_*' --ambiguous
	[[ $status -eq 0 ]] && ! awk 'NR > 1 { print $4 }' "$work/out" | grep -vq '^s_'
	report $? "list PATTERN --ambiguous"
}

# listed(arguments...) - What list shows with these: address, id, module and name, sorted.
listed() {
	"$FENTRY" list "$@" | awk 'NR > 1 { print $1, $2, $3, $4 }' | sort
}

# A function must pass each filter that is given.
test_filters_together() {
	local others='--ambiguous --renamed' file=$work/combined

	# shellcheck disable=SC2086
	listed $others >"$file"
	[[ $(<"$file") == "$(comm -12 <(listed --ambiguous) <(listed --renamed))" ]]
	report $? "list $others: the $(wc -l <"$file") functions that either one shows"

	listed --untraceable >"$work/untraceable"
	listed --untraceable --renamed >"$file"
	[[ -s $file && $(<"$file") == "$(awk '$4 ~ /.\./' "$work/untraceable")" ]]
	report $? "list --untraceable --renamed: the $(wc -l <"$file") with a dot among those that can't be traced"

	# Names without their suffix that several text symbols have. Clones of functions that only their
	# file tells apart may be listed, too.
	awk '$2 ~ /^[tTwW]$/ { sub(/\.llvm\.[0-9]+$/, "", $3); print $3 }' /proc/kallsyms | sort |
		uniq -d >"$work/names"
	listed --untraceable --ambiguous >"$file"
	[[ -s $file && -z $(awk 'NR == FNR { several[$1]; next }
		{ name = $4; sub(/\.llvm\.[0-9]+$/, "", name) } $1 != "-" && name in several' \
		"$work/names" "$work/untraceable" | comm -23 - "$file") && -z $(awk '
		NR == FNR { several[$1]; next } { sub(/\..*/, "", $4) } $1 != "-" && !($4 in several)' \
		<(shared) "$file") ]]
	report $? "list --untraceable --ambiguous: the $(wc -l <"$file") with such a name among those that can't be traced"
	[[ -z $(comm -13 "$work/untraceable" "$file") ]]
	report $? "list --untraceable --ambiguous: and no other"

	fentry list --untraceable --ambiguous --json
	check "list --untraceable --ambiguous --json: the same" 0 \
		json "length == $(wc -l <"$file") and all(.[]; .reason)"

	fentry list bpf_iter_attach_cgroup --ambiguous --json
	check "list --json: nothing that passes the filter is an empty array" 0 out '\[\]'
	fentry list "$NAME" --untraceable --ambiguous
	check "list PATTERN --untraceable --ambiguous: both filters count" 0 lines 1
}

# Each reason, against what ftrace says of the functions.
test_untraceable() {
	fentry list --untraceable
	check "list --untraceable" 0 \
		out "ADDRESS +BTF-ID +MODULE +FUNCTION +UNIT +REASON" \
		out "[0-9a-f]{16} .* bpf_get_stackid_tp .*notrace: .*" \
		out ".* notrace: in \.noinstr\.text" \
		out ".* no ftrace site, and BTF doesn't describe it" \
		out "[0-9a-f]{16} .* init text: freed after boot"
	patched_entries | sort >"$work/sites"
	awk '/no ftrace site/ { print $1 }' "$work/out" | sort >"$work/without"
	[[ -z $(comm -12 "$work/sites" "$work/without") ]]
	report $? "list --untraceable: no ftrace site at the address"
	awk '/no verified signature/ { print $1 }' "$work/out" | sort -u >"$work/unverified"
	if [[ -s $work/unverified ]]; then
		[[ -z $(comm -13 "$work/sites" "$work/unverified") ]]
		report $? "list --untraceable: without verified signature, but with a site"
	else
		report_skipped "list --untraceable: without verified signature" "none in this kernel"
	fi
	awk '{ print $4 }' "$work/out" | grep -x bpf_iter_attach_cgroup >/dev/null
	[[ $? -eq 1 ]]
	report $? "list --untraceable: nothing that can be traced"
	awk '$4 ~ /^\.L/' "$work/out" >"$work/labels"
	[[ ! -s $work/labels ]]
	report $? "list --untraceable: no labels, as modules with kCFI have them"
	fentry list bpf_get_stackid_tp --untraceable --json
	check "list PATTERN --untraceable --json" 0 json '.[0].reason | startswith("notrace:")'

	# Before Linux 6.5, ftrace lists only names.
	mkdir "$work/tracing"
	cat /sys/kernel/tracing/available_filter_functions >"$work/tracing/available_filter_functions"
	awk '$2 ~ /^[tTwW]$/ { print $3 }' /proc/kallsyms | sort | uniq -u >"$work/unique"
	listed --untraceable | awk 'NR == FNR { unique[$1]; next } $4 in unique' "$work/unique" - >"$work/expected"
	capture unshare --mount sh -c 'umount -l /sys/kernel/debug; mount --bind "$1" /sys/kernel/tracing; shift; exec "$@"' - \
		"$work/tracing" "$FENTRY" list --untraceable
	[[ $status -eq 0 && -s $work/expected &&
	   $(awk 'NR == FNR { unique[$1]; next } $4 in unique { print $1, $2, $3, $4 }' \
		"$work/unique" "$work/out" | sort) == "$(<"$work/expected")" ]]
	report $? "list --untraceable: the same for unique names, if ftrace lists no addresses"

	capture "${AS_NOBODY[@]}" "$FENTRY" list --untraceable
	check "list --untraceable: not without root" 1 \
		says "addresses are hidden from this user \(kernel.kptr_restrict, CAP_SYSLOG\): can't tell what ftrace can trace"
	capture "${AS_NOBODY[@]}" "$FENTRY" explain "$MAP_ITER"
	check "explain: what BTF says, without root" 0 out "  BTF        id [0-9]+ of vmlinux, unit kernel/bpf/map_iter.c" \
		out "  traceable  not known" says "addresses are hidden .*: can't tell what ftrace can trace"
	capture "${NO_TRACEFS[@]}" "$FENTRY" explain "$MAP_ITER" --json
	check "explain: what BTF and symbols say, without tracefs" 0 \
		json '.[0] | .prototype and .address and .traceable == null'
	capture "${NO_TRACEFS[@]}" "$FENTRY" list --untraceable
	check "list --untraceable: not without tracefs" 1 \
		says "can't tell what ftrace can trace: no /sys/kernel/tracing/available_filter_functions: mount tracefs .*"
}

test_resolve() {
	local line spec

	fentry resolve "$SK_STORAGE"
	line=$(<"$work/out")
	check "resolve" 0 out "[0-9]+:[0-9]+ [0-9a-f]{16} vmlinux $NAME net/core/bpf_sk_storage\.c"
	[[ $(awk -v id="${line%% *}" '$NF == id { print $1, $3 }' /proc/kallsyms_btf) == \
		"$(awk '{ print $2, $4 }' <<<"$line")" ]]
	report $? "resolve: as /proc/kallsyms_btf has it"
	spec=${line%% *}
	fentry resolve --json "$SK_STORAGE"
	[[ $status -eq 0 && $(json '.[0] | "\(.object):\(.id) \(.address) \(.module) \(.function) \(.unit) \(.kind)"') == "$line FUNC" ]]
	report $? "resolve --json"
	fentry resolve "#${spec#*:}"
	[[ $(<"$work/out") == "$line" ]]
	report $? "resolve: by BTF id"
	fentry resolve "$NAME*" bpf_iter_attach_cgroup "$MAP_ITER"
	check "resolve: several specifications, each function once; - for an unknown unit" 0 lines 3 \
		out ".* bpf_iter_attach_cgroup -"
	capture "${AS_NOBODY[@]}" "$FENTRY" resolve "$MAP_ITER"
	check "resolve: - for a hidden address" 0 out "[0-9]+:[0-9]+ - vmlinux .*"
	fentry resolve "$NAME"
	check "resolve: ambiguous gives 4" 4 err "  $MAP_ITER" err "  $SK_STORAGE"
	fentry resolve "$MAP_ITER" no_such_function_at_all
	check "resolve: one that doesn't match gives 3, and nothing of the others" 3 lines 0
	fails 4 "'bpf_iter_attach_cgroup@.*' may mean another function: .* isn't known .*" \
		resolve bpf_iter_attach_cgroup@kernel/bpf/cgroup_iter.c
}

# Names that ThinLTO or gcc made.
test_base_name() {
	local name several

	name=$(awk '$3 ~ /^[^.]+\.(llvm|isra|constprop)\.[0-9]+$/ { print $3; exit }' <(awk '{ print $3 }' \
		/proc/kallsyms_btf | sed 's/\..*//' | sort | uniq -u | awk 'NR == FNR { unique[$1]; next }
		{ base = $3; sub(/\..*/, "", base) } base in unique' - /proc/kallsyms_btf))
	if [[ -z $name ]]; then
		report_skipped "resolve: base names" "no renamed function in this kernel"
		return
	fi
	fentry resolve "${name%%.*}"
	check "resolve: a base name finds $name" 0 out ".* $name -"
	fentry resolve "$name"
	check "resolve: its exact name" 0 out ".* $name -"
	fentry resolve "${name%.*}.*"
	check "resolve: a glob" 0 out ".* $name -"
	fentry trace "${name%%.*}" --count -v --duration 0.2
	check "trace: a base name" 0 out ".* $name"

	several=$(awk '$3 ~ /\.llvm\.[0-9]+$/ { sub(/\.llvm.*/, "", $3); print $3 }' /proc/kallsyms_btf |
		sort | uniq -d | head -n 1)
	if [[ -z $several ]]; then
		report_skipped "resolve: a base name of several" "none in this kernel"
		return
	fi
	fentry resolve "$several"
	check "resolve: a base name of several gives 4" 4 err "  $several(\.llvm\.[0-9]+|@.*)"
}

test_explain() {
	local renamed id label

	fentry explain "$NAME"
	check "explain: each instance" 0 out "$MAP_ITER" out "$SK_STORAGE" \
		out "  address    [0-9a-f]{16} in vmlinux" \
		out "  BTF        id [0-9]+ of vmlinux, unit kernel/bpf/map_iter.c" \
		out "  prototype  void $NAME\(struct bpf_iter_aux_info \*aux\)" \
		out "  traceable  yes, by a trampoline"
	fentry explain s_next
	check "explain: one can be traced, another can't" 0 out "  traceable  yes, by a trampoline" \
		out "  traceable  no: no ftrace site, and BTF doesn't describe it"
	renamed=$("$FENTRY" list --renamed | awk '$4 ~ /^[a-z_]+\.(isra|constprop|llvm)\.[0-9]+$/ { print $4; exit }')
	fentry explain "${renamed%%.*}"
	check "explain: a renamed function by its base name ($renamed)" 0 \
		out "  renamed    \.(isra|constprop|llvm)\.: .*" out "${renamed//./\\.}"
	fentry explain bpf_iter_detach_mop
	check "explain: no such function gives 3, and the nearest" 3 \
		says "no function matches 'bpf_iter_detach_mop'" err "  $MAP_ITER" \
		says "the kernel has no function bpf_iter_detach_mop; .*"
	id=$(awk -v name="$NAME" '$3 == name { sub(/.*:/, "", $NF); print $NF; exit }' /proc/kallsyms_btf)
	for label in "$MAP_ITER" "vmlinux:$NAME@map_iter.c" "$NAME@kernel/bpf/map_iter.c#$id" "#$id"; do
		fentry explain "$label"
		check "explain: $label" 0 out "$MAP_ITER"
		[[ $(grep -c traceable "$work/out") -eq 1 ]]
		report $? "explain: and no other"
	done
}

test_terminal() {
	local longest changed source

	capture env COLUMNS=60 "$FENTRY" list "$NAME"
	longest=$(awk '{ if (length > max) max = length } END { print max }' "$work/out")
	[[ $longest -le 60 ]] && grep -q '\.\.\.$' "$work/out"
	report $? "list: \$COLUMNS"
	capture env COLUMNS=60 "$FENTRY" list --untraceable "$ENTRY"
	check "list --untraceable: a narrow terminal has the reason below" 0 \
		out "    REASON" out "    notrace: in \.noinstr\.text"
	fentry list --changed --json
	changed=$(json '[.[] | select(.source | length > 60)][0].id')
	source=$(json '[.[] | select(.source | length > 60)][0].source')
	capture env COLUMNS=60 "$FENTRY" list "#$changed" --changed
	[[ $status -eq 0 && $(wc -L <"$work/out") -le 60 && -n $source &&
	   $(tr -s ' \n' ' ' <"$work/out") == *" $source "* ]]
	report $? "list --changed: a narrow terminal has the whole source, wrapped"
	fentry list "$NAME"
	[[ $(wc -L <"$work/out") -gt 100 ]] && ! grep -q $'\033' "$work/out"
	report $? "list: to a file neither cut nor coloured"
	on_terminal 24 70 "$FENTRY" list "$NAME"
	longest=$(wc -L <"$work/plain")
	[[ $status -eq 0 && $longest -le 70 && $longest -gt 60 ]] && grep -q $'\033\[1m' "$work/out"
	report $? "list: on a terminal cut to its width, with a bold heading"
	on_terminal 24 70 env NO_COLOR=1 "$FENTRY" list "$NAME"
	check "list: NO_COLOR" 0 no_out $'\033'
	on_terminal 24 70 "$FENTRY" explain s_next
	grep -q $'\033\[32myes' "$work/out" && grep -q $'\033\[31mno' "$work/out"
	report $? "explain: yes and no in colours"
}

call_tests
