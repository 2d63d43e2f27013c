#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of libfentry and the fentry command that need no patched kernel and no root. TAP.
#
# usage: check.sh FENTRY TEST...
#
# VALGRIND=1: those that run the command or a test program, under valgrind, which fails
# them if it finds anything.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
here=${here%/tests}
readonly here
[[ $# -ge 2 ]] || { echo "usage: check.sh FENTRY TEST..." >&2; exit 2; }
readonly FENTRY=$1
shift
under=()
[[ -z ${VALGRIND:-} ]] || under=(valgrind -q --error-exitcode=99 --leak-check=full)
readonly under

tests=0 failures=0
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

# report(result, description)
report() {
	tests=$((tests + 1))
	if [[ $1 -eq 0 ]]; then
		echo "ok $tests - $2"
	else
		failures=$((failures + 1))
		echo "not ok $tests - $2"
	fi
}

# check_library(test) - Number its tests, whose lines are "ok NAME" or "not ok NAME".
check_library() {
	local line status=0 output

	output=$("${under[@]}" "$1") || status=$?
	while IFS= read -r line; do
		case $line in
		"ok "*) report 0 "${line#ok }" ;;
		"not ok "*) report 1 "${line#not ok }" ;;
		*) echo "# $line" ;;
		esac
	done <<<"$output"
	# it also fails if it ends early
	report "$status" "${1##*/} exits with 0"
}

# usage_error(message, arguments...) - These must give status 2 and this one line.
usage_error() {
	local message=$1 status=0 output result=1

	shift
	output=$("${under[@]}" "$FENTRY" "$@" 2>&1) || status=$?
	[[ $status -eq 2 && $output == "fentry: $message (try 'fentry help')" ]] &&
		result=0
	report "$result" "fentry $*: $message"
	[[ $result -eq 0 ]] || echo "# status $status: $output"
}

check_usage() {
	local bad

	usage_error "what to do?"
	usage_error "unknown command 'lis'" lis
	usage_error "help takes no arguments" help me
	usage_error "list: unknown option '-x'" list -x
	usage_error "list: one pattern, please, not 'b' too" list a b
	usage_error "trace: which function?" trace
	usage_error "trace: which function?" trace --count
	usage_error "trace: unknown option '--cont'" trace a --cont
	usage_error "trace: unknown option '-c'" trace a -c
	usage_error "trace: --count takes no argument" trace a --count=1
	usage_error "trace: --count has no calls that --stack could be of" trace a --count --stack
	usage_error "trace: --count has no calls that --verbose could be of" trace a --count -v
	usage_error "trace: unknown option '-vv'" trace a -vv
	usage_error "list: unknown option '-v'" list -v
	usage_error "trace: no command after '--'" trace a --
	for bad in '' 0 -1 1s nan inf 1e99; do
		usage_error "trace: --duration needs a number of seconds above 0, not '$bad'" \
			trace a --duration "$bad"
	done
	usage_error "trace: --duration needs an argument" trace a --duration
	usage_error "trace: --duration needs a number of seconds above 0, not 'x'" \
		trace a --duration=x
	usage_error "latency: which function?" latency --count 3
	usage_error "latency: --count needs an argument" latency a --count
	for bad in '' 0 -1 +1 ' 1' 1s 1.5 99999999999999999999; do
		usage_error "latency: --count needs a number of calls above 0, not '$bad'" \
			latency a --count "$bad"
	done
	usage_error "latency: --duration needs a number of seconds above 0, not '0'" \
		latency a --duration 0
	usage_error "latency: --json takes no argument" latency a --json=1
	usage_error "latency: unknown option '--exit'" latency a --exit
	usage_error "latency: no command after '--'" latency a --
	usage_error "run: which object?" run
	usage_error "run: one object, please" run a b
	usage_error "run: --target needs an argument" run a --target
	usage_error "run: --duration needs a number of seconds above 0, not '0'" run a --duration 0
	usage_error "run: no command after '--'" run a --
	usage_error "run: unknown option '--count'" run a --count
	usage_error "resolve: which function?" resolve
	usage_error "resolve: unknown option '--json'" resolve a --json
	usage_error "resolve: unknown option '--'" resolve a -- b
	usage_error "explain: give one name, without unit or glob" explain
	usage_error "explain: give one name, without unit or glob" explain a b
	usage_error "explain: give one name, without unit or glob" explain a@b
	usage_error "explain: give one name, without unit or glob" explain 'a*'
	usage_error "explain: unknown option '--count'" explain a --count
	usage_error "list: --json takes no argument" list --json=x
	usage_error "--version takes no arguments" --version x
	usage_error "bad target 'a@': expected [module:]name[@path] or [module:]#id" trace a@
	usage_error "bad target '#x': '#' must be followed by a BTF id (a decimal number from 1)" \
		list '#x'
}

check_help() {
	local result=0

	[[ $("$FENTRY" help) == "usage: fentry list"* ]] || result=1
	[[ $("$FENTRY" --help) == "$("$FENTRY" help)" ]] || result=1
	report "$result" "fentry help"
	result=0
	[[ $("$FENTRY" --version) =~ ^fentry\ [0-9.]+,\ libbpf\ v[0-9.]+$ ]] || result=1
	report "$result" "fentry --version"
}

# What needs no kernel feature, only a file that is or isn't there.
check_run() {
	local output status=0 result=1

	output=$("${under[@]}" "$FENTRY" run /no/such.bpf.o 2>&1) || status=$?
	[[ $status -eq 1 && $output == "fentry: can't open /no/such.bpf.o: No such file or directory" ]] &&
		result=0
	report "$result" "fentry run: no such file"
	status=0 result=1
	output=$("${under[@]}" "$FENTRY" run "$0" 2>&1) || status=$?
	[[ $status -eq 1 && $output == "fentry: $0 is no BPF object that libbpf can read: "* ]] && result=0
	report "$result" "fentry run: no BPF object"
}

# fence(info) - The fenced block of the README that begins with ```info.
fence() {
	awk -v info="\`\`\`$1" '$0 == "```" { show = 0 } show; $0 == info { show = 1 }' \
		"$here/README.md"
}

# Install, and compile the README's example against what was installed, as it says.
check_install() {
	local build=${FENTRY%/bin/fentry} dest=$work/dest file result=0

	make -s -C "$here" BUILD="$build" DESTDIR="$dest" prefix=/usr install || result=1
	report "$result" "make install"
	for file in bin/fentry lib/libfentry.a lib/libfentry.so include/libfentry.h \
		include/fentry.bpf.h lib/pkgconfig/libfentry.pc share/man/man1/fentry.1 \
		share/bash-completion/completions/fentry; do
		result=0
		[[ -s $dest/usr/$file ]] || result=1
		report "$result" "make install: $file"
	done
	result=0
	"$dest/usr/bin/fentry" --version >/dev/null || result=1
	report "$result" "the installed command runs"

	mkdir "$work/example"
	for file in hello.bpf.c hello.c; do
		fence "c $file" >"$work/example/$file"
	done
	result=0
	(cd "$work/example" && PKG_CONFIG_SYSROOT_DIR=$dest \
		PKG_CONFIG_PATH=$dest/usr/lib/pkgconfig bash -euc "$(fence sh)") \
		>"$work/log" 2>&1 || result=1
	[[ -s $work/log ]] && result=1	# a warning
	report "$result" "the README's example compiles"
	sed 's/^/# /' "$work/log"
	result=0
	[[ $(wc -l <"$work/example/hello.c") -le 45 ]] || result=1
	report "$result" "and is short"
	# the other one, up to the command that needs a kernel
	fence "c switch.bpf.c" >"$work/example/switch.bpf.c"
	result=0
	(cd "$work/example" && C_INCLUDE_PATH=$dest/usr/include \
		bash -euc "$(fence "sh switch" | grep -v '^fentry ')") >"$work/log" 2>&1 || result=1
	[[ -s $work/log ]] && result=1
	report "$result" "the README's example of arguments by name compiles"
	sed 's/^/# /' "$work/log"
	# for selftests/fentry_objects.sh
	cp "$work"/example/hello "$work"/example/{hello,switch}.bpf.o "$build/fentry/" || :
}

check_documents() {
	local word result log page

	page=$(man -l "$here/fentry.1" 2>/dev/null)
	log=$(man -l --warnings "$here/fentry.1" 2>&1 >/dev/null) || :
	result=0
	[[ -z $log ]] || result=1
	report "$result" "man page without warnings${log:+: $log}"
	for word in $("$FENTRY" help | grep -oE -- '--[a-z]+' | sort -u); do
		result=0
		[[ $page == *"$word"* ]] || result=1
		report "$result" "man page has $word"
		result=0
		grep -qF -- "$word" "$here/fentry.bash-completion" || result=1
		report "$result" "completion has $word"
	done
}

# complete(words...) - What completion makes of a command line, sorted, on one line.
complete_words() (
	# shellcheck disable=SC2030
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
	# shellcheck source=/dev/null
	source "$here/fentry.bash-completion"
	_fentry
	printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd ' '
)

completes() {
	local expected=$1 seen result=1

	shift
	seen=$(complete_words "$@")
	[[ $seen == "$expected" ]] && result=0
	report "$result" "completion of '$*': $expected"
	[[ $result -eq 0 ]] || echo "# $seen"
}

check_completion() {
	completes "resolve run" fentry r
	completes "--exit" fentry trace --e
	completes "latency list" fentry l
	completes "--count" fentry latency --c
	completes "" fentry latency x --count ''
	completes "--ambiguous --changed --json --renamed --untraceable" fentry list --
	completes "" fentry trace x --duration ''
	completes "" fentry trace x -- --c
	completes "--json" fentry explain --
}

echo "TAP version 13"
for test in "$@"; do
	check_library "$test"
done
check_usage
check_run
if [[ -z ${VALGRIND:-} ]]; then
	check_help
	check_install
	check_documents
	check_completion
fi
echo "1..$tests"
[[ $failures -eq 0 ]]
