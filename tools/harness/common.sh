# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Sourced by every script of this folder: where things are, and how a step talks.
# Sets repo and BUILD (absolute), BASE and series (its folder in repo). One step prints one line
# ("  VERB     what"); errors go to stderr, start with the script's name, and end the script with status 1.

set -euo pipefail
export LC_ALL=C
# A make that a step starts is no sub-make of ours: the kernel's would take V=1 and the like.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL

harness=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
repo=${harness%/tools/harness}
# The kernel that the series is for; there is one folder of patches for each, and one to build in.
BASE=${BASE:-6.12}
series=kernel/$BASE
build=build
[[ $BASE == 6.12 ]] || build=build/$BASE
BUILD=$(realpath -m -- "${BUILD:-$repo/$build}")
export BASE BUILD
# A cache of the user's own choice is taken; else it goes with the build folder.
export CCACHE_DIR=${CCACHE_DIR:-$BUILD/ccache}
me=$(basename -- "$0")
readonly harness repo series me
readonly made_by_make=$BUILD/.btfaddr-build	# the mark of a build folder

# step VERB TEXT... - announce a step, in the manner of kbuild.
step() {
	local verb=$1

	shift
	printf '  %-8s %s\n' "$verb" "$*"
}

note() {
	printf '%s: %s\n' "$me" "$*" >&2
}

die() {
	note "$*"
	exit 1
}

# usage_error TEXT... - the command line is wrong: status 2.
usage_error() {
	note "$*"
	exit 2
}

# claim_build - makes the build folder, and marks it. A folder that has other things in it is
# refused, as steps remove what they make there; but the repository's own, build/, is known.
claim_build() {
	[[ ! -e $made_by_make ]] || return 0
	mkdir -p -- "$BUILD" || die "cannot create the build folder $BUILD"
	if [[ -z $(ls -A -- "$BUILD") ]]; then
		: >"$made_by_make"
	elif [[ $BUILD/ != "$repo/build/"* ]]; then
		die "BUILD=$BUILD has files in it, and make did not make it: name a new folder," \
		    "or an empty one"
	fi
}

# on_terminal - is somebody watching? If not, progress is one line a step.
on_terminal() {
	[[ -t 1 && ${TERM:-dumb} != dumb ]]
}

# progress TEXT... - rewrite the current line of the terminal; nothing in a log.
progress() {
	if on_terminal; then
		printf '\r  %s\033[K' "$*"
	fi
}

progress_end() {
	if on_terminal; then
		printf '\r\033[K'
	fi
}

# elapsed SECONDS - as m:ss.
elapsed() {
	printf '%d:%02d' $(($1 / 60)) $(($1 % 60))
}

# only_one FOLDER WHAT - ends the script if another one works there; so does what a killed one
# left running, as it has the lock, too.
only_one() {
	mkdir -p -- "$(dirname -- "$1")"
	exec 9>"$1.lock"
	flock -n 9 || die "another '$2' works in $1; wait for its end"
}

# in_turn FOLDER WHAT - waits for the end of another one that works there, and then goes on.
in_turn() {
	mkdir -p -- "$(dirname -- "$1")"
	exec 9>"$1.lock"
	flock -n 9 || {
		note "waiting for another '$2', which works in $1"
		flock 9
	}
}

# need_space MEGABYTES WHAT - fail early, by name, rather than in the middle of a build.
need_space() {
	local need=$1 what=$2 has

	has=$(df -Pm -- "$BUILD" | awk 'NR == 2 { print $4 }')
	[[ $has -ge $need ]] ||
		die "no disk space for $what: $BUILD needs $need MB free, has $has MB"
}

# patches - the series' files, in order, without the cover letter; one a line.
patches() {
	local file

	for file in "$repo/$series"/[0-9][0-9][0-9][0-9]-*.patch; do
		[[ -e $file && ${file##*/} != 0000-* ]] || continue
		printf '%s\n' "$file"
	done
}

# format_series TREE DIR - write the commits base..series as patches, in a form that changes
# only when a patch does, whatever the user's git is set to.
format_series() {
	GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 \
	git -C "$1" -c diff.algorithm=histogram format-patch -q --zero-commit --full-index \
		--no-signature --no-base --no-thread --no-cover-letter --numbered \
		--subject-prefix="PATCH $BASE" -o "$2" base..series
}

# What only removes it needs none.
[[ $me == clean ]] || claim_build
