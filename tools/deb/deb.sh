# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # repo comes from common.sh
#
# Sourced, after common.sh, by the scripts that make Debian packages.

# shellcheck disable=SC2034 # used there
readonly debs=$BUILD/deb	# where packages go when they are complete

# commit_version PATH... - Print the last part of a version, for the last commit of these paths,
# such as git20261122.022157.3d9b95f. With uncommitted changes, dpkg sorts the version between those
# of this commit and the next one.
commit_version() {
	local dirty=

	git -C "$repo" rev-parse -q --verify HEAD >/dev/null 2>&1 ||
		die "$repo is no git repository with a commit: the packages' version is that of" \
		    "the commit; clone it"
	[[ -z $(git -C "$repo" --no-optional-locks status --porcelain -- "$@") ]] || dirty=+local
	printf '%s%s\n' "$(TZ=UTC git -C "$repo" log -1 --abbrev=7 --format=git%cd.%h \
		--date=format-local:%Y%m%d.%H%M%S -- "$@")" "$dirty"
}

# changelog PACKAGE VERSION WHAT - Print a changelog with one entry.
changelog() {
	cat <<-END
		$1 ($2) unstable; urgency=medium

		  * $3 commit $(git -C "$repo" rev-parse HEAD).

		 -- $DEBFULLNAME <$DEBEMAIL>  $(git -C "$repo" log -1 --format=%cD)
	END
}

# set_maintainer - Set the maintainer to the committer of the last commit, unless the variables of
# Debian's own tools name one.
set_maintainer() {
	: "${DEBFULLNAME:=$(git -C "$repo" log -1 --format=%cn)}"
	: "${DEBEMAIL:=$(git -C "$repo" log -1 --format=%ce)}"
	export DEBFULLNAME DEBEMAIL
}

apt=()	# options of apt, for another suite than the system's

# fetch PACKAGE LOG - Download a package of the distribution, unless it is there already, and set
# fetched to the file. PACKAGE may also be a file.
fetch() {
	local package=$1 into=$BUILD/fetched

	fetched=$package
	if [[ $package == *.deb ]]; then
		[[ -r $package ]] || die "cannot read $package"
		return
	fi
	[[ $package =~ ^[a-z0-9][a-z0-9+.-]*$ ]] || usage_error "'$package' is no package's name"
	fetched=$(compgen -G "$into/${package}_*.deb") && return
	step FETCH "$package"
	rm -rf -- "$into/part"
	mkdir -p -- "$into/part"
	(cd -- "$into/part" && apt-get -qq "${apt[@]}" download "$package") >>"$2" 2>&1 </dev/null ||
		die "cannot download $package: 'apt-cache policy $package' says where it is (log: $2)"
	mv -- "$into/part/"*.deb "$into/"
	fetched=$(compgen -G "$into/${package}_*.deb")
}

# vmlinux in a debug package, and links to it: in boot/, or as of 7.3 in lib/modules/RELEASE/.
readonly debug_vmlinux='./usr/lib/debug/*vmlinux*'

# unpack FILE INTO PATTERN... - Take files out of a package.
unpack() {
	mkdir -p -- "$2"
	dpkg-deb --fsys-tarfile "$1" | tar -x --wildcards -C "$2" "${@:3}"
}

# make_debian ROOT SUITE PACKAGE... - Make a Debian with these packages in ROOT, unless there is
# one.
make_debian() {
	local folder=$1 made=$1.made

	[[ $(id -u) -eq 0 ]] || die "needs root, as mmdebstrap and systemd-nspawn do"
	[[ ! -e $made || $(<"$made") != "${*:2}" ]] || return 0
	need_space 3000 "a Debian of $2"
	step DEBIAN "$2 with ${*:3}"
	rm -rf -- "$folder" "$made"
	mkdir -p -- "$folder"
	mmdebstrap --variant=apt --include="${*:3}" "$2" "$folder" >"$folder.log" 2>&1 </dev/null || {
		grep '^E:' "$folder.log" | tail -n 5 >&2
		die "mmdebstrap could not make a Debian of '$2' (log: $folder.log)"
	}
	echo "${*:2}" >"$made"
}

# in_debian ROOT OPTION... -- COMMAND... - Run a command as root in the Debian ROOT, with these
# options of systemd-nspawn. The command sees only those files and devices of the host that options
# bind.
in_debian() {
	local folder=$1 alone=()

	[[ -d /run/systemd/system ]] || alone=(--keep-unit)	# no systemd here to make a scope
	# A tmpfs on /tmp is too small for builds, and tzdata can't replace a mounted localtime.
	SYSTEMD_NSPAWN_TMPFS_TMP=0 systemd-nspawn --quiet --as-pid2 --pipe --register=no \
		"${alone[@]}" --timezone=off --setenv=DEBIAN_FRONTEND=noninteractive \
		--directory="$folder" "${@:2}"
}
