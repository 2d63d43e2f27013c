# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # BUILD and the like come from common.sh
#
# Sourced, after common.sh, by the scripts that build a kernel. They set
#   what		the kernel's name in messages
#   out, log		its object tree, and the log of its build
#   make_args		the arguments of make: -C, O=, CC= and so on
#   fragments		files with the options that it must have
# tools/deb/deb-functions sets the log alone.

readonly linux=$BUILD/linux
readonly btfaddr=$BUILD/bin/btfaddr
readonly error_lines=15		# number of lines of the log to show when a build fails

# With these, the same source always gives the same kernel, and ccache hits.
export KBUILD_BUILD_TIMESTAMP='1970-01-01 00:00:00 UTC' KBUILD_BUILD_VERSION=1
export KBUILD_BUILD_USER=btfaddr KBUILD_BUILD_HOST=localhost

# A compiler's heap in huge pages saves a fifth of clang's time where page faults are slow, as in
# many a VM. The heap gets huge pages only if it grows by enough at once.
export GLIBC_TUNABLES=${GLIBC_TUNABLES:-glibc.malloc.hugetlb=1:glibc.malloc.top_pad=67108864}

# What comes before the compiler's name.
# shellcheck disable=SC2034 # for the script that sources this
ccache=$([[ -z $(type -P ccache) || -n ${CCACHE_DISABLE:-} ]] || echo 'ccache ')

# check_tools COMPILER - Check that everything is there that a kernel is built from.
check_tools() {
	[[ -n $(type -P "$1") ]] || die "no $1; 'make deps' installs it"
	[[ -e $linux/Makefile ]] || die "no kernel source in $linux; 'make source' makes it"
	[[ -x $btfaddr ]] || die "no $btfaddr; 'make btfaddr' builds it"
}

# tree_inputs - Print the state of the tree, with its changes, as text.
tree_inputs() {
	git -C "$linux" rev-parse 'HEAD^{tree}'
	git -C "$linux" --no-optional-locks diff --binary HEAD | sha256sum
	git -C "$linux" ls-files -z -o --exclude-standard |
		(cd "$linux" && xargs -0r sha256sum --)
}

# tools_inputs COMPILER - Print, as text, the versions of tools whose changes kbuild doesn't notice.
tools_inputs() {
	sha256sum <"$btfaddr"
	"$1" --version | head -n 1
	pahole --version
}

# asked - Print the last setting of each option in the fragments, as "CONFIG_X=value".
asked() {
	awk -F= '/^CONFIG_[A-Z0-9_]+=/ { value[$1] = substr($0, length($1) + 2) }
		 END { for (o in value) print o "=" value[o] }' "${fragments[@]}" | sort
}

# allnoconfig - Configure with the options of the fragments, and no others.
allnoconfig() {
	asked >"$out/.all.config"
	make "${make_args[@]}" "KCONFIG_ALLCONFIG=$out/.all.config" allnoconfig </dev/null \
		>>"$log" 2>&1 || build_failed "configuring"
}

# not_honoured - Print a line for each option that has another value than the one asked for.
not_honoured() {
	local option value line got

	while IFS='=' read -r option value; do
		line=$(grep -E "^(# )?${option}[= ]" "$out/.config") || line=''
		got=${line#"$option="}
		[[ -n $line && $line != \#* ]] || got=n
		[[ $got == "$value" ]] || echo "$option=$value became $got"
	done < <(asked)
}

# check_config - End the script if an option did not take. Keep the time stamp of an unchanged
# configuration, so that kbuild doesn't rebuild anything.
check_config() {
	local bad

	bad=$(not_honoured)
	if [[ -n $bad ]]; then
		sed 's/^/  /' <<<"$bad" >&2
		die "these options of ${fragments[*]##*/} did not take (unknown, or a" \
		    "dependency is missing; is the series applied?)"
	fi
	if cmp -s "$out/.config" "$out/.config.built"; then
		touch -r "$out/.config.built" "$out/.config"
	fi
}

build_failed() {
	note "$1 $what failed; the errors, or else the last lines:"
	{ grep -nE '(error|Error [0-9]+|undefined reference|^btfaddr|FAILED|No rule)' "$log" ||
		tail -n "$error_lines" "$log"; } | tail -n "$error_lines" | sed 's/^/  /' >&2
	die "the whole log: $log"
}

objects() {
	grep -cE '^  (CC|AS) ' "$log" || :
}

# count_objects TARGET... - Print how many objects make would compile. The dry run stops where
# vmlinux would be linked; by then it has listed every object. The tree must be prepared.
count_objects() {
	make "${make_args[@]}" -j"$(nproc)" prepare </dev/null >>"$log" 2>&1 || return
	{ make "${make_args[@]}" -n "$@" 2>/dev/null || :; } | grep -cE "echo '  (CC|AS) " || :
}

# on_terminal - Tell whether somebody is watching. If not, each step prints one line.
on_terminal() {
	[[ -t 1 && ${TERM:-dumb} != dumb ]]
}

# watch_build PID BEFORE TOTAL SECONDS - Show the progress of the build until it ends: on a line of
# the terminal, or with a new line every SECONDS.
watch_build() {
	local pid=$1 before=$2 total=$3 every=$4 start=$SECONDS next=$4 line ready

	while kill -0 "$pid" 2>/dev/null; do
		ready=$(($(objects) - before))
		[[ $ready -le $total ]] || total=$ready
		line="$what: $ready of $total objects, $(elapsed $((SECONDS - start)))"
		if on_terminal; then
			printf '\r  CC       %s\033[K' "$line"
		elif [[ $((SECONDS - start)) -ge $next ]]; then
			step CC "$line, $(grep -E '^  [A-Z]' "$log" | tail -n 1 | tr -s ' ')"
			next=$((next + every))
		fi
		sleep 0.5
	done
	! on_terminal || printf '\r\033[K'
}

# run_make SECONDS TARGET... - Make these targets. Show progress on a line of the terminal, or else
# with a new line every SECONDS (0: none). Set compiled to the number of compiled objects.
run_make() {
	local every=$1 before total=0 pid watch=

	shift
	if on_terminal || [[ $every -gt 0 ]]; then
		watch=y
		total=$(count_objects "$@") || build_failed "preparing"
		on_terminal || step CC "$what: $total objects to compile"
	fi
	before=$(objects)
	make "${make_args[@]}" -j"$(nproc)" "$@" </dev/null >>"$log" 2>&1 &
	pid=$!
	# shellcheck disable=SC2064 # expand the pid now
	trap "kill $pid 2>/dev/null" EXIT
	[[ -z $watch ]] || watch_build "$pid" "$before" "$total" "$every"
	wait "$pid" || build_failed "building"
	trap - EXIT
	# shellcheck disable=SC2034 # for the script that sources this
	compiled=$(($(objects) - before))
}

# functions_files ARGUMENT... - Run fentry-files with the btfaddr that was built.
functions_files() {
	BTFADDR=$btfaddr "$repo/tools/fentry/fentry-files" "$@" 2>&1 | tee -a "$log"
}
