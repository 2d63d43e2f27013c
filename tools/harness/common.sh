# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Sourced by every script of this folder. Sets repo and BUILD (absolute paths), BASE, series (the
# folder of that base's patches in repo) and bootable (what of a built kernel boots), and
# has the functions that print messages. A step prints one line ("  VERB     what"). Errors go to
# stderr, start with the script's name, and end the script with status 1.

set -euo pipefail
export LC_ALL=C
# A step's make must not take itself for a sub-make: the kernel's would take over our V=1.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL

harness=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
repo=${harness%/tools/harness}
# The kernel version that the series is for. Each base has a folder of patches and a build folder.
BASE=${BASE:-6.12}
series=kernel/$BASE
build=build
[[ $BASE == 6.12 ]] || build=build/$BASE
# The architecture that the kernel is for: x86, or arm64 in build folders of its own. kbuild takes
# ARCH and CROSS_COMPILE from the environment.
case ${ARCH:=x86} in
x86) bootable=arch/x86/boot/bzImage; unset ARCH ;;
arm64) bootable=arch/arm64/boot/Image build+=/arm64; export ARCH CROSS_COMPILE=aarch64-linux-gnu- ;;
*) echo "ARCH=$ARCH: there are x86 and arm64" >&2; exit 2 ;;
esac
BUILD=$(realpath -m -- "${BUILD:-$repo/$build}")
export BASE BUILD
# The user may choose another cache. By default it is in the build folder.
export CCACHE_DIR=${CCACHE_DIR:-$BUILD/ccache}
me=$(basename -- "$0")
# shellcheck disable=SC2034 # bootable is for the scripts that source this
readonly harness repo series bootable me
readonly made_by_make=$BUILD/.btfaddr-build	# marks a build folder

# step VERB TEXT... - Announce a step, in the manner of kbuild.
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

# usage_error TEXT... - Say what is wrong with the command line, and exit with status 2.
usage_error() {
	note "$*"
	exit 2
}

# claim_build - Make the build folder, and mark it. Refuse a folder that has other files in it, as
# steps remove things there. The repository's own build/ needs no mark.
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

# elapsed SECONDS - Print a time as m:ss.
elapsed() {
	printf '%d:%02d' $(($1 / 60)) $(($1 % 60))
}

# count_tap COMMAND... - Run a command that prints TAP, and pass that on. Set status, and the counts
# passed, failed and skipped. The command's stderr counts as its output.
# shellcheck disable=SC2034 # for the script that sources this
count_tap() {
	local counts

	counts=$(mktemp -p "${results:-${TMPDIR:-/tmp}}")
	set +e
	"$@" </dev/null 2>&1 | "$harness/tap" "$counts"
	status=${PIPESTATUS[0]}
	set -e
	if ! read -r passed failed skipped <"$counts"; then
		echo "# the TAP reader died"
		passed=0 failed=1 skipped=0
	fi
	rm -f -- "$counts"
}

# print_counts PASSED FAILED SKIPPED
print_counts() {
	printf '%d passed, %d failed' "$1" "$2"
	[[ $3 -eq 0 ]] || printf ', %d skipped' "$3"
	echo
}

# only_one FOLDER WHAT [wait] - End the script if another one works in the folder, or wait for its end.
# Processes that a killed script left running count, too, as they still hold its lock.
only_one() {
	mkdir -p -- "$(dirname -- "$1")"
	exec 9>"$1.lock"
	! flock -n 9 || return 0
	[[ ${3:-} == wait ]] || die "another '$2' works in $1; wait for its end"
	note "waiting for another '$2', which works in $1"
	flock 9
}

# need_space MEGABYTES WHAT - Fail now, with a clear message, rather than in the middle of a build.
need_space() {
	local need=$1 what=$2 has

	has=$(df -Pm -- "$BUILD" | awk 'NR == 2 { print $4 }')
	[[ $has -ge $need ]] ||
		die "no disk space for $what: $BUILD needs $need MB free, has $has MB"
}

# patches [FOLDER] - Print the files of the series in order, without the cover letter, one a line;
# or those of a folder beside it, such as "fixes".
patches() {
	local file

	for file in "$repo/$series${1:+/$1}"/[0-9][0-9][0-9][0-9]-*.patch; do
		[[ -e $file && ${file##*/} != 0000-* ]] || continue
		printf '%s\n' "$file"
	done
}

# base_patches - Print the patches that are below the series, in the branch "base".
base_patches() {
	local folder

	patches fixes
	for folder in "$repo/$series"/other/*; do
		patches "${folder#"$repo/$series/"}"
	done
}

# format_series TREE DIR - Write the commits base..series as patches, in a form that changes only
# when a patch does, regardless of the user's git configuration. 7.3 is the base that is posted. They
# have no diffstats: git adds them when somebody posts the series.
format_series() {
	local prefix="PATCH $BASE"

	[[ $BASE != 7.3 ]] || prefix="RFC $prefix"
	GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 \
	git -C "$1" -c diff.algorithm=histogram -c core.abbrev=12 format-patch -q --zero-commit \
		--no-signature --no-base --no-thread --no-cover-letter \
		--subject-prefix="$prefix" -o "$2" base..series
	find "$2" -name '*.patch' -exec sed -i \
		'1,/^diff --git /{/^---$/,/^diff --git /{/^---$\|^diff --git /!d}}' {} +
}

# "clean" only removes the build folder, so it must not make one.
[[ $me == clean ]] || claim_build
