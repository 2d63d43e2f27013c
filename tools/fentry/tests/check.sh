#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the fentry command and of what is installed, without a patched kernel and without root. The
# programs test_* beside it test the library and the command's parts. With UNDER="valgrind -q", only
# what calls the command in many ways runs, under valgrind.
#
# Adding a test: write a function test_NAME. TESTS=NAME tests/check.sh runs it alone.
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source-path=SCRIPTDIR source=../../harness/taplib.sh
. "$here/../harness/taplib.sh"
readonly here BUILD=${BUILD:-${here%/tools/fentry}/build}
readonly FENTRY=$BUILD/bin/fentry
read -ra under <<<"${UNDER:-}"

# wrong_usage - Print the cases: keyword, arguments as in a shell, and the status if it isn't 2. None of
# them needs a kernel feature.
wrong_usage() {
	local bad

	for bad in '' 0 -1 1s nan inf 1e99; do
		echo "above 0, at most 1000000000, not '$bad' | trace a --duration '$bad'"
	done
	for bad in '' 0 -1 +1 ' 1' 1s 1.5; do
		echo "above 0, below 2^64, not '$bad' | latency a --count '$bad'"
	done
	cat <<'EOF'
which command	|
'lis'		| lis
'me'		| help me
one command		| help list trace
-V takes no		| -V x
--version takes no	| --version x
list: unknown	| list -x
--json takes no	| list --json=x
decimal number	| list '#x'
which function	| trace
which function	| trace --count
'--cont'		| trace a --cont
'-x'		| trace a -x
latency --count N	| trace a --count 5
latency --count N	| trace 5 a -c
'-vv'		| trace a -vv
--count takes no	| trace a --count=1
--stack		| trace a --count --stack
--stack is for calls	| trace a --by pid --stack
--folded is for --by stack, without --json	| trace a --by comm --folded -- true
--tree prints calls with their arguments, not --count	| trace --tree a --count
--tree needs calls that return, and an inlined one doesn't	| trace --tree a --inlined
--print		| trace a --count --print b
--time		| trace a --by pid --time
not 'stack'	| latency a --by stack
not 'comm,pid'	| latency a --by comm,pid
more than 4 keys	| trace a --by comm,pid,tid,uid,cpu
needs an argument	| trace a -o
needs an argument	| trace a --if
'-ox'		| trace a -ox
with its unit	| latency a --min-duration 5
with its unit	| latency a --min-duration ms
with its unit	| latency a --min-duration -1ms
a time above 0	| latency a --min-duration 1h
below 1000000000 s	| latency a --min-duration 1e10s
trace: --min-duration	| trace a --min-duration 5
--if'		| latency a --if b
a folder or a file	| --functions
after '--'		| trace a --
'--=x'		| trace a --=x true
'a@'		| trace a@
needs an argument	| trace a --duration
above 0, at most 1000000000, not 'x'	| trace a --duration=x
which function	| latency --count 3
'--exit'		| latency a --exit
needs an argument	| latency a --count
above 0, below 2^64, not '9999	| latency a --count 99999999999999999999
which object	| run
one object		| run a b
'--count'		| run a --count
needs an argument	| run a --target
can't open		| run /no/such.bpf.o	| 1
format invalid	| run "$0"	| 1
which function	| resolve
'--exit'		| resolve a --exit
'--'		| resolve a -- b
one function	| explain
one function	| explain a b
'a@'		| explain a@
'#' must be		| explain '#0'
'#' must be		| explain 'm:f@u.c#x'
'a@'		| list --untraceable b a@
'--count'		| explain a --count
EOF
}

# Each prints one line with the keyword. For wrong usage, the line names the help, too.
test_wrong_usage_is_refused() {
	local want keyword arguments words line command bad=0

	while IFS='|' read -r keyword arguments want; do
		want=${want:-2}
		read -r keyword <<<"$keyword"
		eval "words=($arguments)"
		run "${under[@]}" "$FENTRY" "${words[@]}"
		line="fentry: *" command=
		[[ ! ${words[0]:-} =~ ^(list|trace|latency|run|resolve|explain)$ ]] ||
			command=" ${words[0]}"
		[[ $want -ne 2 ]] || line+=" (try 'fentry help$command')"
		# shellcheck disable=SC2053 # a pattern
		[[ $status -eq $want && $out == $line && $out == *"$keyword"* && $out != *$'\n'* ]] ||
			{ echo "fentry$arguments: status $status: $out"; bad=1; }
	done < <(wrong_usage)
	return $bad
}

test_help() {
	local command

	expect 0 "usage: fentry list" "$FENTRY" help
	[[ $("$FENTRY" --help) == "$out" ]] || fail "--help isn't help"
	for command in list trace latency run resolve explain; do
		expect 0 "Exit status:" "$FENTRY" "$command" x --help -- y
		want_match "^usage: fentry $command "
		[[ $("$FENTRY" help "$command") == "$out" ]] || fail "help $command isn't $command --help"
	done
	expect 0 --cgroup "$FENTRY" latency -h
	expect 0 '' "$FENTRY" run -h
	want_no_text --cgroup
	expect 0 '' "$FENTRY" --version
	want_match '^fentry [0-9.]+, libbpf v[0-9.]+$'
	[[ $("$FENTRY" -V) == "$out" ]] || fail "-V isn't --version"
}

test_man_page_says_what_the_help_says() {
	expect 0 '' man -l --warnings "$here/fentry.1"
	[[ -z $(man -l --warnings "$here/fentry.1" 2>&1 >/dev/null) ]] || fail "$out"
	"$here/tests/help_and_page.py" "$FENTRY" "$here/fentry.1"
}

# Installs, and compiles the README's examples against the installed files, as the README says.
test_installed_library_compiles_the_examples() {
	local dest=$scratch/dest file

	expect 0 '' make -s -C "$here" BUILD="$BUILD" DESTDIR="$dest" prefix=/usr install
	for file in bin/fentry lib/libfentry.a lib/libfentry.so include/libfentry.h \
		include/fentry.bpf.h lib/pkgconfig/libfentry.pc share/man/man1/fentry.1 \
		share/bash-completion/completions/fentry; do
		[[ -s $dest/usr/$file ]] || fail "no $file"
	done
	"$dest/usr/bin/fentry" --version
	cd "$scratch"
	for file in hello.bpf.c hello.c switch.bpf.c; do
		fence "$here/README.md" "c $file" >"$file"
	done
	PKG_CONFIG_SYSROOT_DIR=$dest PKG_CONFIG_PATH=$dest/usr/lib/pkgconfig \
		expect 0 '' bash -euc "$(fence "$here/README.md" sh)"
	[[ -z $out && $(wc -l <hello.c) -le 45 ]] || fail "not short, or: $out"
	# up to the command that needs a kernel
	C_INCLUDE_PATH=$dest/usr/include \
		expect 0 '' bash -euc "$(fence "$here/README.md" "sh switch" | grep -v '^fentry ')"
	[[ -z $out ]] || fail "$out"
	# for selftests/fentry_objects.sh
	cp hello switch.bpf.o "$BUILD/fentry/" || :
}

# compile OUTPUT - Compile a BPF program of the standard input.
compile() {
	clang -target bpf -O2 -g -I"$here/lib" "-I/usr/include/$(gcc -print-multiarch)" -x c -c - -o "$1"
}

# try_program SOURCE - Compile a program of fentry.bpf.h.
try_program() {
	compile "$scratch/program.bpf.o" <<<$'#include <linux/bpf.h>\n#include <fentry.bpf.h>\nSEC("fexit")\n'"$1"
}

test_programs_have_at_most_12_parameters() {
	local macro pairs params i

	for macro in FENTRY_PROG FEXIT_PROG FENTRY_PROG2 FEXIT_PROG2; do
		pairs=; [[ $macro != *2 ]] || pairs=,
		params=; for ((i = 1; i <= 12; i++)); do params+=", int$pairs p$i"; done
		try_program "int $macro(f$params) { return p12; }"
		run try_program "int $macro(f$params, int$pairs p13) { return p13; }"
		[[ $status -ne 0 && $(grep -m 1 'error:' <<<"$out") == *"at most 12 parameters, return value included"* ]] ||
			fail "$macro: $out"
	done
}

# Other programs are linked against it. A change of a released version's takes a new version: its tag is
# v<version>.
test_interface_of_the_library_is_that_of_abi_txt() {
	local tag

	"$here/tests/abi.sh" "$BUILD/fentry/libfentry.so.1" | diff "$here/tests/abi.txt" - ||
		fail "tests/abi.txt says how to update it"
	tag=v$(sed -n 's/^VERSION := //p' "$here/../version.mk")
	git -C "$here" rev-parse -q --verify "$tag^{commit}" >/dev/null 2>&1 || return 0
	git -C "$here" show "$tag:./tests/abi.txt" | diff - "$here/tests/abi.txt"
}

# small_object - Make an object with two programs for functions, and another one.
small_object() {
	compile "$scratch/two.bpf.o" <<-'END'
		#define SEC(name) __attribute__((section(name), used))
		SEC("fentry") int missing(void *ctx) { return 0; }
		SEC("fexit/x") int other(void *ctx) { return 0; }
		SEC("xdp") int packet(void *ctx) { return 0; }
		char LICENSE[] SEC("license") = "GPL";
	END
}

# ... whatever the kernel has.
test_run_names_the_programs_that_can_have_a_target() {
	small_object
	expect 1 "fentry: the object has no program 'x'; it has:
  missing
  other" "$FENTRY" run "$scratch/two.bpf.o" --target x=y
}

# complete_words WORD... - Print the completions of "fentry WORD...", sorted, on one line. There, "fentry"
# is a command that knows two units of a name, and there are some functions.
complete_words() (
	COMP_LINE="fentry $*" COMP_POINT=$((${#COMP_LINE})) COMPREPLY=() COMP_WORDBREAKS=$' \t\n"\'@><=;|&(:'
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

# completes WANT WORD... - Check the completions of "fentry WORD...".
completes() {
	local said

	said=$(complete_words "${@:2}")
	[[ $said == "$1" ]] || fail "'fentry ${*:2}' is completed to: $said; want: $1"
}

test_completion() {
	small_object
	completes "resolve run" r
	completes "--exit" trace --e
	completes "latency list" help l
	completes "latency list" l
	completes "--cgroup --comm --count" latency --c
	completes "comm cpu" trace x --by c
	completes "" trace x --if ''
	completes "--help --json" resolve x --
	completes "" latency x --count ''
	completes "--ambiguous --changed --false --help --json --renamed --untraceable" list --
	completes "" trace x --duration ''
	completes "" trace x -- --c
	completes "--help --json" explain --
	completes "vfs_open vfs_read" trace x vfs_
	completes "veth: veth_open" trace ve
	completes "veth_open" trace veth:v
	completes "vfs_open vfs_read" list vmlinux:vfs
	completes "kernel/kallsyms.c kernel/trace/trace.c" trace s_next@
	completes "trace/trace.c" trace s_next@trace
	completes "kallsyms.c" explain vmlinux:s_next@ka
	completes "missing=" run --duration 3 "$scratch/two.bpf.o" --target m
	completes "missing= other=" run "$scratch/two.bpf.o" --target ''
	completes "vfs_open" run "$scratch/two.bpf.o" --target missing=vfs_o
}

[[ -z ${UNDER:-} ]] || TESTS=wrong_usage
run_tests
