# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # BUILD and the like come from common.sh
#
# Sourced, after common.sh, by the scripts that build a kernel. They set
#   what		the kernel's name in messages
#   out, log		its object tree, the log
#   make_args		how to call make: -C, O=, CC= and so on
#   fragments		files of options that it must have

readonly linux=$BUILD/linux
readonly btfaddr=$BUILD/bin/btfaddr
readonly error_lines=15		# of the log, shown when a build fails

# The same source gives the same kernel, and ccache hits.
export KBUILD_BUILD_TIMESTAMP='1970-01-01 00:00:00 UTC' KBUILD_BUILD_VERSION=1
export KBUILD_BUILD_USER=btfaddr KBUILD_BUILD_HOST=localhost

# check_tools COMPILER - what any kernel is built from is there.
check_tools() {
	[[ -n $(type -P "$1") ]] || die "no $1; 'make deps' installs it"
	[[ -e $linux/Makefile ]] || die "no kernel source in $linux; 'make source' makes it"
	[[ -x $btfaddr ]] || die "no $btfaddr; 'make btfaddr' builds it"
}

# The tree with its changes, as text.
tree_inputs() {
	git -C "$linux" rev-parse 'HEAD^{tree}'
	git -C "$linux" --no-optional-locks diff --binary HEAD | sha256sum
	git -C "$linux" ls-files -z -o --exclude-standard |
		(cd "$linux" && xargs -0r sha256sum --)
}

# tools_inputs COMPILER - what kbuild doesn't know that a kernel depends on, as text.
tools_inputs() {
	sha256sum <"$btfaddr"
	"$1" --version | head -n 1
	pahole --version
}

# The last setting of every option in the fragments, as "CONFIG_X=value".
asked() {
	awk -F= '/^CONFIG_[A-Z0-9_]+=/ { value[$1] = substr($0, length($1) + 2) }
		 END { for (o in value) print o "=" value[o] }' "${fragments[@]}" | sort
}

# Prints one line for each option that did not become what was asked for.
not_honoured() {
	local option value line got

	while IFS='=' read -r option value; do
		line=$(grep -E "^(# )?${option}[= ]" "$out/.config") || line=''
		got=${line#"$option="}
		[[ -n $line && $line != \#* ]] || got=n
		[[ $got == "$value" ]] || echo "$option=$value became $got"
	done < <(asked)
}

# Are all options there? An unchanged configuration must not make kbuild rebuild anything: it
# keeps its time stamp.
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
	progress_end
	note "$1 $what failed; the errors, or else the last lines:"
	{ grep -nE '(error|Error [0-9]+|undefined reference|^btfaddr|FAILED|No rule)' "$log" ||
		tail -n "$error_lines" "$log"; } | tail -n "$error_lines" | sed 's/^/  /' >&2
	die "the whole log: $log"
}

objects() {
	grep -cE '^  (CC|AS) ' "$log" || :
}

# How many objects make would compile. The dry run stops where vmlinux would be linked;
# by then every object has been seen. Of a tree that isn't prepared it would see none.
count_objects() {
	make "${make_args[@]}" -j"$(nproc)" prepare </dev/null >>"$log" 2>&1 || return
	{ make "${make_args[@]}" -n "$@" 2>/dev/null || :; } | grep -cE "echo '  (CC|AS) " || :
}

# watch_build PID BEFORE TOTAL SECONDS - how far the build is, until it has ended: one line on
# a terminal, or one each so many seconds.
watch_build() {
	local pid=$1 before=$2 total=$3 every=$4 start=$SECONDS next line ready

	next=$every
	while kill -0 "$pid" 2>/dev/null; do
		ready=$(($(objects) - before))
		[[ $ready -le $total ]] || total=$ready
		line="$what: $ready of $total objects, $(elapsed $((SECONDS - start)))"
		if on_terminal; then
			progress "CC       $line"
		elif [[ $((SECONDS - start)) -ge $next ]]; then
			step CC "$line, $(grep -E '^  [A-Z]' "$log" | tail -n 1 | tr -s ' ')"
			next=$((next + every))
		fi
		sleep 0.5
	done
	progress_end
}

# run_make SECONDS TARGET... - make these, with a line of progress on a terminal, or else each
# so many seconds (0: none); sets compiled, the number of objects.
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
	# shellcheck disable=SC2064 # the process of now
	trap "kill $pid 2>/dev/null" EXIT
	[[ -z $watch ]] || watch_build "$pid" "$before" "$total" "$every"
	wait "$pid" || build_failed "building"
	trap - EXIT
	# shellcheck disable=SC2034 # for the script that sources this
	compiled=$(($(objects) - before))
}
