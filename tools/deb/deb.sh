# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # repo comes from common.sh
#
# Sourced, after common.sh, by the scripts that make Debian packages.

# shellcheck disable=SC2034 # used there
readonly debs=$BUILD/deb	# where packages go when they are whole

# commit_version PATH... - the last commit of these, as the end of a version:
# git20261122.022157.3d9b95f. With changes that aren't committed, it is newer than that, and
# older than the next.
commit_version() {
	local dirty=

	git -C "$repo" rev-parse -q --verify HEAD >/dev/null 2>&1 ||
		die "$repo is no git repository with a commit: the packages' version is that of" \
		    "the commit; clone it"
	[[ -z $(git -C "$repo" --no-optional-locks status --porcelain -- "$@") ]] || dirty=+local
	printf '%s%s\n' "$(TZ=UTC git -C "$repo" log -1 --abbrev=7 --format=git%cd.%h \
		--date=format-local:%Y%m%d.%H%M%S -- "$@")" "$dirty"
}

# Whoever made the last commit, unless told as Debian's own tools are.
set_maintainer() {
	: "${DEBFULLNAME:=$(git -C "$repo" log -1 --format=%cn)}"
	: "${DEBEMAIL:=$(git -C "$repo" log -1 --format=%ce)}"
	export DEBFULLNAME DEBEMAIL
}
