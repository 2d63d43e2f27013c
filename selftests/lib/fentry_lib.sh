# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # variables are for those who source this
#
# Sourced by the tests of the fentry command. The runner sets $FENTRY, $TRIGGER and $MODULES.
. "$(dirname -- "${BASH_SOURCE[0]}")/../../tools/harness/taplib.sh"

"${BASH_SOURCE[0]%/*}/built_kernel" || exit
need FENTRY TRIGGER MODULES

# The VM shows the kernel's files of inlined calls. Tests run without them, unless $INLINED is given
# to fentry, or the test sets SHOWN.
FILES=/lib/modules/$(uname -r)/btf
readonly FILES
if [[ -z ${SHOWN:-} ]] && mountpoint -q "$FILES"; then
	exec unshare --mount sh -c 'umount "$0" && exec "$@"' "$FILES" "$0" "$@"
fi

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)	# the selftests
readonly here
FENTRY=$(realpath "$FENTRY")
TRIGGER=$(realpath "$TRIGGER")
readonly FENTRY TRIGGER MODULES
readonly OUTPUT=${TRIGGER%/*} NAME=bpf_iter_detach_map
readonly MAP_ITER=$NAME@kernel/bpf/map_iter.c SK_STORAGE=$NAME@net/core/bpf_sk_storage.c
readonly NOBODY=65534
# A system call's function, its first two arguments, and a function that runs system calls untraced;
# the flag O_LARGEFILE, which openat() sets; a function that is inlined in code without probes, too.
case $(uname -m) in
aarch64) SYSCALL=__arm64_sys_ ARG1='regs->regs[0]' ARG2='regs->regs[1]' ENTRY=el0_svc LARGE=131072
	IRQS=arch_local_irq_disable ;;
*) SYSCALL=__x64_sys_ ARG1='regs->di' ARG2='regs->si' ENTRY=do_syscall_64 LARGE=32768
	IRQS=native_save_fl ;;
esac
readonly SYSCALL ARG1 ARG2 ENTRY LARGE IRQS
readonly AS_NOBODY=(setpriv --reuid "$NOBODY" --clear-groups)
# with the capabilities for programs
readonly AS_TRACER=("${AS_NOBODY[@]}" --inh-caps "+bpf,+perfmon" --ambient-caps "+bpf,+perfmon")
readonly NO_TRACEFS=(unshare --mount bash -c 'umount -l /sys/kernel/{debug,tracing}; exec "$@"' -)
readonly LIMIT=${LIMIT:-120}	# seconds for one run of fentry

status=0
work=$(mktemp -d) && chmod 755 "$work" || exit 1
trap 'rm -rf -- "$work"' EXIT

# details - Print the results of the last run, for a test that failed.
details() {
	echo "status: $status"
	sed 's/^/stdout: /' "$work/out" | cut -c 1-300 | head -n 8
	sed 's/^/stderr: /' "$work/err" | cut -c 1-300 | head -n 8
}

# capture(command...) - Run it; sets status, and the files out and err. A trace that should
# have been refused would never end.
capture() {
	status=0
	timeout "$LIMIT" "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
}

# fentry(argument...) - Capture the command; with() gives it the files of inlined calls.
fentry() {
	capture "$FENTRY" "$@"
}

with() {
	capture "$FENTRY" --functions "$INLINED" "$@"
}

# start(command...) - Run a trace that ^C can end in the background, until it is attached. Sets pid.
start() {
	local begin=$SECONDS

	# a shell without job control starts background jobs that ignore ^C
	env --default-signal=INT "$@" >"$work/out" 2>"$work/err" </dev/null &
	pid=$!
	while ! grep -qE 'fentry: (tracing|measuring|running)' "$work/err" &&
		kill -0 "$pid" 2>/dev/null && ((SECONDS - begin < LIMIT)); do
		sleep 0.1
	done
}

# interrupt() - End what start() started, as ^C does; sets status.
interrupt() {
	kill -INT "$pid"
	status=0
	wait "$pid" || status=$?
}

# jq(arguments...) - As jq, but fail if nothing is printed: jq 1.6 takes an empty file for a success.
jq() {
	local text

	text=$(command jq "$@") && [[ -n $text ]] && echo "$text"
}

# holds(what, value) - Is it so in the last run? WHAT is one of these:
#   out, err        a line of the file matches the whole extended regex
#   says            a message of fentry does, without its name before it
#   no_out, no_err  no part of a line matches
#   lines, messages the number of lines of out, of err
#   printed         "N TEXT": so often programs have printed a line with this regex at its beginning
#   json, calls     jq's filter is true of out, of the array of all objects there
holds() {
	case $1 in
	out|err) grep -qxE -- "$2" "$work/$1" ;;
	says) grep -qxE -- "fentry: $2" "$work/err" ;;
	no_out|no_err) ! grep -qE -- "$2" "$work/${1#no_}" ;;
	lines) [[ $(wc -l <"$work/out") -eq $2 ]] ;;
	messages) [[ $(wc -l <"$work/err") -eq $2 ]] ;;
	printed) [[ $(grep -cE "bpf_trace_printk: ${2#* }( |$)" "$work/out") -eq ${2%% *} ]] ;;
	json) jq -e "$2" "$work/out" >/dev/null ;;
	calls) jq -se "$2" "$work/out" >/dev/null ;;
	*) false ;;
	esac
}

# check(description, status, [what value]...) - What the last run must have given, as holds() takes it.
check() {
	local description=$1 result=0

	[[ $status -eq $2 ]] || result=1
	shift 2
	while [[ $# -gt 0 ]]; do
		if ! holds "$1" "$2"; then
			result=1
			echo "# not so: $1 $2"
		fi
		shift 2
	done
	report "$result" "$description"
}

# fails(status, regex, argument...) - fentry must end with this status, and say this, as "says" above.
fails() {
	fentry "${@:3}"
	check "fentry ${*:3}: $2" "$1" says "$2"
}

# count_of(function) - The count that the last run printed for a function.
count_of() {
	awk -v name="$1" '$NF == name { print $1 }' "$work/out"
}

release=$(uname -r)
readonly MAJOR=${release%%.*}

# has_multi() - Has the kernel links of many functions? As of 7.3, x86 alone has.
has_multi() {
	[[ $MAJOR -ge 7 && $(uname -m) == x86_64 ]]
}

# has_links() - Has the kernel links for many functions of one kind or the other?
has_links() {
	[[ $(uname -m) == x86_64 ]]
}

# A pointer to memory or a stack; newer kernels have five levels of pages here, arm64's 52 bits.
KPTR="0xffff[0-9a-f]{12}"
[[ $MAJOR -lt 7 ]] || KPTR="0xff[1-9a-d][0-9a-f]{13}"
[[ $(uname -m) != aarch64 ]] || KPTR="0xfff[0-9a-f]{13}"
readonly KPTR

# many_arguments() - Print a function with a unique name, more than 12 arguments (by bpftool's
# dump), and an ftrace site.
many_arguments() {
	bpftool btf dump file /sys/kernel/btf/vmlinux | awk '
		$2 == "FUNC_PROTO" && substr($NF, 6) + 0 > 12 { many[substr($1, 2) + 0] }
		$2 == "FUNC" { proto_of[substr($3, 2, length($3) - 2)] = substr($4, 9) }
		END { for (name in proto_of) if (proto_of[name] in many) print name }' | sort |
		comm -12 - <(awk '{ print $2 }' /sys/kernel/tracing/available_filter_functions_addrs |
			sort | uniq -u) | head -n 1
}

# patched_entries() - Print the start of each function that ftrace can patch: the last symbol up to the
# place, which may follow an endbr64 or, on arm64, a "bti c" and a nop.
patched_entries() {
	python3 -c 'import bisect
starts = sorted({int(line.split()[0], 16) for line in open("/proc/kallsyms")})
for line in open("/sys/kernel/tracing/available_filter_functions_addrs"):
    print(f"{starts[bisect.bisect(starts, int(line.split()[0], 16)) - 1]:016x}")'
}

# on_terminal(rows, columns, command...) - Run it on a terminal of this size. out has its output, and
# plain the same without colours and other control sequences.
on_terminal() {
	local rows=$1 columns=$2 command

	shift 2
	printf -v command '%q ' "$@"
	if [[ ! -e /dev/pts/ptmx ]]; then
		mkdir -p /dev/pts && mount -t devpts -o ptmxmode=666 none /dev/pts
		[[ -e /dev/ptmx ]] || ln -s pts/ptmx /dev/ptmx
	fi
	capture env -u COLUMNS TERM=vt100 script -qec "stty rows $rows cols $columns; $command" /dev/null
	tr -d '\r' <"$work/out" | sed 's/\x1b\[[0-9;]*[A-Za-z]//g' >"$work/plain"
}

# load_module(module, what) - Load a test module. If that fails, report WHAT as failed.
load_module() {
	insmod "$MODULES/$1.ko" 2>"$work/err" && return
	report 1 "$2: $(head -n 1 "$work/err")"
	return 1
}

# unload_module(module) - Wait, because the kernel frees closed programs only after some time.
unload_module() {
	local begin=$SECONDS

	while ! rmmod "$1" 2>"$work/err"; do
		((SECONDS - begin < LIMIT)) || return 1
		sleep 0.2
	done
}
