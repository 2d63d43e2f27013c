# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Sourced by scripts that take packages from another suite of Debian than the system's.

# mirror - Print the mirror that the system itself uses.
mirror() {
	local found

	found=$(apt-get indextargets --format '$(REPO_URI)' \
		'Created-By: Packages' 'Origin: Debian' 'Label: Debian' 2>/dev/null | head -n 1)
	printf '%s\n' "${found:-http://deb.debian.org/debian}"
}

# write_apt_conf FOLDER SUITE [ARCHITECTURE] - Write FOLDER/conf, which makes apt read a suite that the
# system may lack, or the system's own if SUITE is empty, and keep all of its state in FOLDER. Clear
# hooks, which look at the system's lists.
write_apt_conf() {
	mkdir -p -- "$1/lists/partial" "$1/cache/archives/partial"
	: >"$1/status"
	printf 'deb [signed-by=%s] %s %s main\n' /usr/share/keyrings/debian-archive-keyring.gpg "$(mirror)" "$2" \
		>"$1/sources.list"
	cat >"$1/conf" <<-END
		Dir::Etc::Preferences "/dev/null";
		Dir::Etc::PreferencesParts "/dev/null";
		Dir::State "$1";
		Dir::State::Lists "$1/lists";
		Dir::State::Status "$1/status";
		Dir::Cache "$1/cache";
		APT::Sandbox::User "root";
		Acquire::Languages "none";
		#clear APT::Update;
		#clear DPkg;
	END
	[[ -z $2 ]] || cat >>"$1/conf" <<-END
		Dir::Etc::SourceList "$1/sources.list";
		Dir::Etc::SourceParts "/dev/null";
	END
	[[ -z ${3:-} ]] || cat >>"$1/conf" <<-END
		APT::Architecture "$3";
		#clear APT::Architectures;
		APT::Architectures { "$3"; };
	END
}
