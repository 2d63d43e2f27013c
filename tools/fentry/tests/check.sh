#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of libfentry and the fentry command that need no patched kernel and no root. TAP.
#
# usage: check.sh FENTRY TEST...
#
# With VALGRIND=1, the command and the test programs run under valgrind. A test fails if valgrind
# finds anything.
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

# shellcheck source-path=SCRIPTDIR source=../../harness/taplib.sh
. "$here/../harness/taplib.sh"
set -e
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

# check_library TEST - Run a test program, and report its lines "ok NAME" and "not ok NAME".
check_library() {
	local status=0 output

	output=$("${under[@]}" "$1") || status=$?
	report_lines <<<"$output"
	# this also fails if the program ends early
	report "$status" "${1##*/} exits with 0"
}

# expect DESCRIPTION COMMAND... - Report whether a command succeeds. Its output is in $work/log, and
# is shown if it fails.
expect() {
	local result=0

	"${@:2}" >"$work/log" 2>&1 || result=1
	report "$result" "$1"
	[[ $result -eq 0 ]] || sed 's/^/# /' "$work/log"
}

# silently COMMAND... - Run a command, and fail if it says anything.
silently() {
	"$@" >"$work/said" 2>&1 && [[ ! -s $work/said ]] || { cat "$work/said"; return 1; }
}

# like TEXT PATTERN - Fail if a text doesn't match, and print it.
like() {
	# shellcheck disable=SC2053 # a pattern
	[[ $1 == $2 ]] || { echo "$1"; return 1; }
}

# refuses STATUS KEYWORD ARGUMENT... - Check that fentry fails with this status, and prints one line
# with the keyword. For wrong usage, the line must also name the help.
refuses() {
	local want=$1 keyword=$2 status=0 output result=1 line="fentry: *"

	shift 2
	[[ $want -ne 2 ]] || line+=" (try 'fentry help')"
	output=$("${under[@]}" "$FENTRY" "$@" 2>&1) || status=$?
	# shellcheck disable=SC2053 # a pattern
	[[ $status -eq $want && $output == $line && $output == *"$keyword"* && $output != *$'\n'* ]] &&
		result=0
	report "$result" "fentry $*: $want, '$keyword'"
	[[ $result -eq 0 ]] || echo "# status $status: $output"
}

# refused - Print the cases: status, keyword, and arguments as in a shell. None of them needs a
# kernel feature.
refused() {
	cat <<'EOF'
2 | which command	|
2 | 'lis'		| lis
2 | 'me'		| help me
2 | one command		| help list trace
2 | -V takes no		| -V x
2 | --version takes no	| --version x
2 | list: unknown	| list -x
2 | --json takes no	| list --json=x
2 | decimal number	| list '#x'
2 | which function	| trace
2 | which function	| trace --count
2 | '--cont'		| trace a --cont
2 | '-c'		| trace a -c
2 | '-vv'		| trace a -vv
2 | --count takes no	| trace a --count=1
2 | --stack		| trace a --count --stack
2 | --print		| trace a --count --print b
2 | --time		| trace a --by pid --time
2 | more than 4 keys	| trace a --by comm,pid,tid,uid,cpu
2 | needs an argument	| trace a -o
2 | needs an argument	| trace a --if
2 | '-ox'		| trace a -ox
2 | with its unit	| latency a --min-duration 5
2 | with its unit	| latency a --min-duration ms
2 | with its unit	| latency a --min-duration -1ms
2 | a time above 0	| latency a --min-duration 1h
2 | below 1000000000 s	| latency a --min-duration 1e10s
2 | trace: --min-duration	| trace a --min-duration 5
2 | --if'		| latency a --if b
2 | a folder or a file	| --functions
2 | after '--'		| trace a --
2 | '--=x'		| trace a --=x true
2 | 'a@'		| trace a@
2 | needs an argument	| trace a --duration
2 | above 0, at most 1000000000, not ''	| trace a --duration ''
2 | above 0, at most 1000000000, not '0'	| trace a --duration 0
2 | above 0, at most 1000000000, not '-1'	| trace a --duration -1
2 | above 0, at most 1000000000, not '1s'	| trace a --duration 1s
2 | above 0, at most 1000000000, not 'nan'	| trace a --duration nan
2 | above 0, at most 1000000000, not 'inf'	| trace a --duration inf
2 | above 0, at most 1000000000, not '1e99'	| trace a --duration 1e99
2 | above 0, at most 1000000000, not 'x'	| trace a --duration=x
2 | which function	| latency --count 3
2 | '--exit'		| latency a --exit
2 | needs an argument	| latency a --count
2 | above 0, below 2^64, not ''	| latency a --count ''
2 | above 0, below 2^64, not '0'	| latency a --count 0
2 | above 0, below 2^64, not '-1'	| latency a --count -1
2 | above 0, below 2^64, not '+1'	| latency a --count +1
2 | above 0, below 2^64, not ' 1'	| latency a --count ' 1'
2 | above 0, below 2^64, not '1s'	| latency a --count 1s
2 | above 0, below 2^64, not '1.5'	| latency a --count 1.5
2 | above 0, below 2^64, not '9999	| latency a --count 99999999999999999999
2 | which object	| run
2 | one object		| run a b
2 | '--count'		| run a --count
2 | needs an argument	| run a --target
1 | can't open		| run /no/such.bpf.o
1 | format invalid	| run "$0"
2 | which function	| resolve
2 | '--exit'		| resolve a --exit
2 | '--'		| resolve a -- b
2 | one function	| explain
2 | one function	| explain a b
2 | 'a@'		| explain a@
2 | '#' must be		| explain '#0'
2 | '#' must be		| explain 'm:f@u.c#x'
2 | 'a@'		| list --untraceable b a@
2 | '--count'		| explain a --count
EOF
}

check_refused() {
	local status keyword arguments words

	while IFS='|' read -r status keyword arguments; do
		read -r keyword <<<"$keyword"
		eval "words=($arguments)"
		refuses "${status% }" "$keyword" "${words[@]}"
	done < <(refused)
}

check_help() {
	local command

	expect "fentry help" like "$("$FENTRY" help)" "usage: fentry list*"
	expect "fentry --help" test "$("$FENTRY" --help)" = "$("$FENTRY" help)"
	for command in list trace latency run resolve explain; do
		expect "fentry $command --help" like "$("$FENTRY" "$command" x --help -- y)" \
			"usage: fentry $command *Exit status:*"
	done
	expect "fentry help COMMAND" test "$("$FENTRY" help latency)" = "$("$FENTRY" latency --help)"
	expect "fentry -V" test "$("$FENTRY" -V)" = "$("$FENTRY" --version)"
	expect "COMMAND --help: what it takes" like "$("$FENTRY" latency -h)" '*--cgroup*'
	expect "COMMAND --help: and no more" like "$("$FENTRY" run -h && echo ok)" 'usage:*ok'
	expect "COMMAND --help: nothing of others" like "$("$FENTRY" run -h | grep -e --cgroup)" ''
	expect "fentry --version" grep -qxE 'fentry [0-9.]+, libbpf v[0-9.]+' <<<"$("$FENTRY" --version)"
}

# fence INFO - Print the fenced block of the README that begins with ```INFO.
fence() {
	awk -v info="\`\`\`$1" '$0 == "```" { show = 0 } show; $0 == info { show = 1 }' \
		"$here/README.md"
}

# check_install - Install, and compile the README's examples against the installed files, as the
# README says.
check_install() {
	local build=${FENTRY%/bin/fentry} dest=$work/dest file

	expect "make install" make -s -C "$here" BUILD="$build" DESTDIR="$dest" prefix=/usr install
	for file in bin/fentry lib/libfentry.a lib/libfentry.so include/libfentry.h \
		include/fentry.bpf.h lib/pkgconfig/libfentry.pc share/man/man1/fentry.1 \
		share/bash-completion/completions/fentry; do
		expect "make install: $file" test -s "$dest/usr/$file"
	done
	expect "the installed command runs" "$dest/usr/bin/fentry" --version

	mkdir "$work/example"
	for file in hello.bpf.c hello.c switch.bpf.c; do
		fence "c $file" >"$work/example/$file"
	done
	cd "$work/example"
	PKG_CONFIG_SYSROOT_DIR=$dest PKG_CONFIG_PATH=$dest/usr/lib/pkgconfig \
		expect "the README's example compiles" silently bash -euc "$(fence sh)"
	expect "and is short" test "$(wc -l <hello.c)" -le 45
	# up to the command that needs a kernel
	C_INCLUDE_PATH=$dest/usr/include expect "the README's example of arguments by name compiles" \
		silently bash -euc "$(fence "sh switch" | grep -v '^fentry ')"
	# for selftests/fentry_objects.sh
	cp hello switch.bpf.o "$build/fentry/" || :
	cd "$OLDPWD"
}

# check_parameters - Compile programs with as many parameters as there can be, and one more.
check_parameters() {
	local macro pairs params i

	for macro in FENTRY_PROG FEXIT_PROG FENTRY_PROG2 FEXIT_PROG2; do
		pairs=; [[ $macro != *2 ]] || pairs=,
		params=; for ((i = 1; i <= 12; i++)); do params+=", int$pairs p$i"; done
		expect "$macro() of 12 parameters compiles" \
			try_program "int $macro(f$params) { return p12; }"
		expect "$macro() of 13 parameters says that there are too many" \
			too_many "int $macro(f$params, int$pairs p13) { return p13; }"
	done
}

# try_program SOURCE - Compile a program.
try_program() {
	printf '%s\n' '#include <linux/bpf.h>' '#include <fentry.bpf.h>' 'SEC("fexit")' "$1" |
		clang -target bpf -O2 -g -I"$here/lib" "-I/usr/include/$(gcc -print-multiarch)" \
			-x c -c - -o "$work/program.bpf.o" 2>&1
}

too_many() {
	local said

	! said=$(try_program "$1") && grep -m 1 'error:' <<<"$said" |
		grep -q 'at most 12 parameters, return value included'
}

# same_as_released - Check that abi.txt is that of the release, if this version has been released:
# its tag is v<version>. So a change of abi.txt takes a new version.
same_as_released() {
	local tag

	tag=v$(sed -n 's/^VERSION := //p' "$here/../version.mk")
	git -C "$here" rev-parse -q --verify "$tag^{commit}" >/dev/null 2>&1 || return 0
	git -C "$here" show "$tag:./tests/abi.txt" | diff - "$here/tests/abi.txt"
}

# check_abi - Check that the interface is unchanged, as other programs are linked against it.
check_abi() {
	expect "the library's interface is that of tests/abi.txt, which says how to update it" \
		diff "$here/tests/abi.txt" \
		<("$here/tests/abi.sh" "${FENTRY%/bin/fentry}/fentry/libfentry.so.1" 2>&1)
	expect "a released version's interface isn't changed" same_as_released
}

check_documents() {
	local word page

	page=$(man -l "$here/fentry.1" 2>/dev/null)
	expect "man page without warnings" like "$(man -l --warnings "$here/fentry.1" 2>&1 >/dev/null)" ''
	for word in $("$FENTRY" help | grep -oE -- '--[a-z]+' | sort -u); do
		expect "man page has $word" grep -qF -e "$word" <<<"$page"
	done
}

# complete_words WORD... - Print the completions of a command line, sorted, on one line. In it, "fentry"
# is a command that knows two units of a name, and there are some functions.
complete_words() (
	COMP_LINE=$* COMP_POINT=$((${#COMP_LINE})) COMPREPLY=() COMP_WORDBREAKS=$' \t\n"\'@><=;|&(:'
	# shellcheck source=../fentry.bash-completion
	source "$here/fentry.bash-completion"
	# shellcheck disable=SC2317 # called by the completion
	_fentry_symbols() {
		printf '%s\n' "0 t vfs_open" "0 T vfs_read" "0 D vfs_data" "0 t veth_open [veth]"
	}
	# shellcheck disable=SC2317
	fentry() {
		if [[ $1 == run || $2 == --help ]]; then
			"$FENTRY" "$@"
		else
			printf '1:2 - vmlinux %s\n' "s_next kernel/trace/trace.c" "s_next.llvm.7 kernel/kallsyms.c" \
				"s_next_one a.c" "s_next -"
		fi
	}
	_fentry
	printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd ' '
)

completes() {
	expect "completion of '${*:2}': $1" diff <(echo "$1") - <<<"$(complete_words "${@:2}")"
}

check_completion() {
	completes "resolve run" fentry r
	completes "--exit" fentry trace --e
	completes "latency list" fentry help l
	completes "latency list" fentry l
	completes "--cgroup --comm --count" fentry latency --c
	completes "comm cpu" fentry trace x --by c
	completes "" fentry trace x --if ''
	completes "--help --json" fentry resolve x --
	completes "" fentry latency x --count ''
	completes "--ambiguous --changed --false --help --json --renamed --untraceable" fentry list --
	completes "" fentry trace x --duration ''
	completes "" fentry trace x -- --c
	completes "--help --json" fentry explain --
	completes "vfs_open vfs_read" fentry trace x vfs_
	completes "veth: veth_open" fentry trace ve
	completes "veth_open" fentry trace veth:v
	completes "vfs_open vfs_read" fentry list vmlinux:vfs
	completes "kernel/kallsyms.c kernel/trace/trace.c" fentry trace s_next@
	completes "trace/trace.c" fentry trace s_next@trace
	completes "kallsyms.c" fentry explain vmlinux:s_next@ka
	completes "missing=" fentry run --duration 3 "$work/two.bpf.o" --target m
	completes "missing= other=" fentry run "$work/two.bpf.o" --target ''
	completes "vfs_open" fentry run "$work/two.bpf.o" --target missing=vfs_o
}

# check_program_names - An object with two programs for functions, and another one.
check_program_names() {
	local output status=0

	clang -target bpf -O2 -g -c -o "$work/two.bpf.o" -x c - <<'END'
#define SEC(name) __attribute__((section(name), used))
SEC("fentry") int missing(void *ctx) { return 0; }
SEC("fexit/x") int other(void *ctx) { return 0; }
SEC("xdp") int packet(void *ctx) { return 0; }
char LICENSE[] SEC("license") = "GPL";
END
	output=$("$FENTRY" run "$work/two.bpf.o" --target x=y 2>&1) || status=$?
	expect "fentry run --target: names those that can have one, whatever the kernel has" \
		like "$status $output" "1 fentry: the object has no program 'x'; it has:
  missing
  other"
}

tap_begin
for test in "$@"; do
	check_library "$test"
done
check_refused
if [[ -z ${VALGRIND:-} ]]; then
	check_help
	check_install
	check_parameters
	check_abi
	check_documents
	check_program_names
	check_completion
fi
tap_end
