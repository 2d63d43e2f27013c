#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What a name means: a function of the source, with all copies that compilers make of it. The
# modules "names" and "names_too" have the combinations, and count their calls. Kprobes count those
# of each symbol. Every test runs without files of inlined calls and with them. TAP.
source "$(dirname -- "${BASH_SOURCE[0]}")/lib/fentry_lib.sh"

need INLINED
readonly INLINED PARAMETERS=/sys/module/names/parameters TRACEFS=/sys/kernel/tracing N=3
readonly CALL="echo $N >$PARAMETERS/call; cat /proc/version >/dev/null"
readonly OBJECT=$OUTPUT/fentry_names.bpf.o

# symbols(base) - Addresses and names of a function and its copies in vmlinux and both modules.
symbols() {
	awk -v base="$1" 'tolower($2) == "t" && ($3 == base || index($3, base ".") == 1) &&
		$3 !~ /\.(part|cold)/ { print $1, $3 }' /proc/kallsyms | sort
}

# exists(symbol...) - Has the compiler made these symbols?
exists() {
	local symbol

	for symbol; do
		[[ -n $(symbols "${symbol%%.*}" | awk -v s="$symbol" '$2 ~ "^" s "$"') ]] || return
	done
}

add_probes() {
	local addr name

	while read -r addr name; do
		echo "p:names/a$addr 0x$addr" >>"$TRACEFS/kprobe_events" || return
	done < <(for name in cookie hidden mixed shared included deeper twice both clones parted \
			version_proc_show alone; do symbols "$name"; done)
	echo 1 >"$TRACEFS/events/names/enable"
}

remove_probes() {
	echo 0 >"$TRACEFS/events/names/enable"
	echo >"$TRACEFS/kprobe_events"
}

# snapshot(suffix) - Write what the module and the probes have counted.
snapshot() {
	sort "$PARAMETERS/calls" >"$work/calls$1"
	awk '$1 ~ /^a[0-9a-f]+$/ { print substr($1, 2), $2 }' "$TRACEFS/kprobe_profile" |
		sort >"$work/hits$1"
}

# grown(file) - What has been counted between two snapshots, as lines "key number".
grown() {
	join "$work/$1.before" "$work/$1.after" | awk '{ print $1, $3 - $2 }'
}

# traced(spec...) - Count the calls that CALL makes; out has them with addresses.
traced() {
	snapshot .before
	capture "${RUN[@]}" trace "$@" --count -v -- sh -c "$CALL"
	snapshot .after
	awk 'NR > 1 { print $3, $1 }' "$work/out" | sort >"$work/counted"
}

# means(spec, calls, function@unit...) - The spec means these functions of the source and no others;
# in all they have been called so often. Each symbol's count is its kprobe's.
means() {
	local spec=$1 calls=$2 sum=0 key result=0

	shift 2
	traced "$spec"
	for key; do
		sum=$((sum + $(grown calls | awk -v key="$key" '$1 == key { print $2 }')))
	done
	[[ $status -eq 0 && $sum -eq $calls ]] || result=1
	[[ $(awk '{ n += $2 } END { print n + 0 }' "$work/counted") -eq $sum ]] || result=1
	[[ -z $(comm -23 <(awk '$2' "$work/counted") <(grown hits)) ]] || result=1
	report "$result" "$HOW: $spec means $*, $calls calls"
}

# offered() - The specs that the last run offers.
offered() {
	sed -nE "s/^  '?([^ ']+)'?$/\1/p" "$work/err"
}

# refused(name, number) - It is ambiguous. Each of so many offers works; together they have each
# symbol, and none twice.
refused() {
	local spec offers result=0

	capture "${RUN[@]}" trace "$1" --count -- true
	mapfile -t offers < <(offered)
	[[ $status -eq 4 && ${#offers[@]} -eq $2 ]]
	report $? "$HOW: $1 is ambiguous: ${offers[*]}"
	: >"$work/covered"
	for spec in "${offers[@]}"; do
		traced "$spec"
		[[ $status -eq 0 ]] || result=1
		[[ -z $(comm -23 <(awk '$2' "$work/counted") <(grown hits)) ]] || result=1
		# symbols without calls have no line
		"${RUN[@]}" resolve "$spec" --json 2>/dev/null | jq -r '.[].address' | sed 's/^0x//' \
			>>"$work/covered"
	done
	[[ $(sort "$work/covered") == "$(symbols "$1" | cut -d ' ' -f 1)" ]] || result=1
	report "$result" "$HOW: what is offered for $1 are all its symbols, each once"
}

# nothing(spec, status) - It is refused, or matches nothing.
nothing() {
	capture "${RUN[@]}" trace "$1" --count -- sh -c "$CALL"
	check "$HOW: $1 isn't taken: $(head -n 1 "$work/err")" "$2" lines 0
}

# known(spec, calls, function@unit...) - As means(). Without a file of inlined calls, the unit of a
# candidate isn't known.
known() {
	if [[ $HOW == with ]]; then
		means "$@"
	else
		nothing "$1" 4
	fi
}

test_files() {
	means cookie@names_a.c 6 cookie@names_a.c
	means cookie@names_b.c 5 cookie@names_b.c
	means cookie.constprop.0 5 cookie@names_b.c
	means '=cookie' 6 cookie@names_a.c
	means hidden@names_a.c 7 hidden@names_a.c
	means hidden@names_b.c 2 hidden@names_b.c
	means mixed@names_a.c 3 mixed@names_a.c
	means mixed@names_b.c 8 mixed@names_b.c
	refused cookie 2
	refused hidden 2
	refused mixed 2
	means 'cookie*' 11 cookie@names_a.c cookie@names_b.c
}

test_copies() {
	means both 3 both@names_o3.c
	means clones 3 clones@names_o3.c
	# clang's module has a single symbol, whose unit only the file says
	"$([[ $CONFIG_CC == clang ]] && echo known || echo means)" clones@names_o3.c 3 clones@names_o3.c
	means shared 5 shared@names_a.c shared@names_b.c
	means shared@names.h 5 shared@names_a.c shared@names_b.c
	means shared@names_a.c 2 shared@names_a.c
	means twice 5 twice@names_t1.c twice@names_t2.c
	means twice@names_twice.c 5 twice@names_t1.c twice@names_t2.c
	means twice@names_t1.c 2 twice@names_t1.c
}

test_included() {
	means included@names_build.c 9 included@names_build.c
	means included@names_d.c 9 included@names_build.c
	means included@names_a.c 4 included@names_a.c
	known deeper@names_e.c 1 deeper@names_build.c
	means deeper 1 deeper@names_build.c
	nothing included@names_e.c 3
	refused included 2
}

test_vmlinux() {
	refused version_proc_show 2
	known version_proc_show@names_b.c 4 version_proc_show@names_b.c
	means names:version_proc_show 4 version_proc_show@names_b.c
	traced vmlinux:version_proc_show
	[[ $status -eq 0 && $(awk '{ print $2 }' "$work/counted") == 1 ]]
	report $? "$HOW: vmlinux:version_proc_show"
}

# Only gcc makes it.
test_part() {
	if ! grep -q ' parted\.part\.0' /proc/kallsyms; then
		report_skipped "$HOW: part" "the compiler made no parted.part.0"
		return
	fi
	capture "${RUN[@]}" trace parted --count -- sh -c "$CALL"
	check "$HOW: trace: says that calls go to a part" 0 says ".*parted\.part\.0.*"
	traced parted.part.0
	[[ $(awk '{ print $2 }' "$work/counted") == 3 && $(grown calls) == *"parted@names_a.c 3"* ]]
	report $? "$HOW: the part has all calls"
}

# Programs for one function each, with its argument: cookie(n), clones(n or n + 1), included(n).
test_programs() {
	local prog want

	capture "${RUN[@]}" run "$OBJECT" -- sh -c "$CALL"
	[[ $status -eq 0 ]]
	report $? "$HOW: run: programs for functions of files"
	for want in "cookie $N:5" "clones $N:2" "clones $((N + 1)):1" "included $N:9"; do
		prog=${want% *}
		check "$HOW: run: $prog is called ${want#*:} times with ${want#* }" 0 \
			printed "${want#*:} ${want%:*}"
	done
	[[ $(grep -c 'bpf_trace_printk' "$work/out") -eq 17 ]]
	report $? "$HOW: run: and no other function"
}

# One of two modules with a function of the name comes and goes.
test_modules() {
	refused alone 2
	unload_module names_too
	means alone 1 alone@names_b.c
	nothing alone@names_c.c "$([[ $HOW == with ]] && echo 3 || echo 4)"
	objcopy -R '.BTF*' -R '.rela.BTF*' "$MODULES/names_too.ko" "$work/bare.ko"
	insmod "$work/bare.ko"
	capture "${RUN[@]}" trace names_too:alone
	if [[ $HOW == with ]]; then
		# the file is of the module as it was built
		check "$HOW: trace: a module without BTF" 1 \
			says ".*/names_too.functions continues other BTF than names_too has"
	else
		check "$HOW: trace: a function of a module without BTF" 3 \
			says "can't trace names_too:alone: .*: its module has no BTF with addresses"
		capture "${RUN[@]}" trace names_too:alonf
		check "$HOW: trace: a module without BTF" 3 \
			says "module names_too is loaded, but has no BTF"
	fi
	unload_module names_too
	start "${RUN[@]}" trace alone --count
	insmod "$MODULES/names_too.ko"
	interrupt
	check "$HOW: trace: says that a module with one has come" 0 \
		says "names_too was loaded meanwhile: .*alone.* in it is not traced"
	known alone@names_b.c 1 alone@names_b.c
	means names:alone 1 alone@names_b.c
}

test_made() {
	echo "# symbols: $({ symbols both; symbols clones; symbols mixed; } | cut -c 18- | paste -sd ' ')"
	[[ $(symbols cookie | awk '{ print $2 }' | sort) == $'cookie\ncookie.constprop.0' ]]
	report $? "the module has the symbols that it asks for"
	[[ $CONFIG_CC == clang ]] || exists 'both' 'both.constprop.*' 'clones.constprop.0.*' \
		'clones.constprop.1.*' 'mixed.isra.*'
	report $? "gcc made copies"
}

test_with() {
	RUN=("$FENTRY" --functions "$INLINED") HOW=with
}

CONFIG_CC=gcc
! grep -q clang /proc/version || CONFIG_CC=clang
RUN=("$FENTRY") HOW=without
insmod "$MODULES/names.ko" && insmod "$MODULES/names_too.ko" && add_probes || exit 1
trap 'remove_probes; rmmod names names_too; rm -rf -- "$work"' EXIT
tests=(test_files test_copies test_included test_vmlinux test_part test_programs test_modules)
call_tests test_made "${tests[@]}" test_with "${tests[@]}"
