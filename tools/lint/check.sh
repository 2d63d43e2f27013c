#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What holds for every file of the repository, whoever wrote it.
# shellcheck disable=SC2154 # scratch comes from taplib.sh
lint=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
repo=${lint%/tools/lint}
. "$repo/tools/harness/taplib.sh"

# files - the repository's files, without its patches, which change another tree's.
files() {
	git -C "$repo" ls-files -co --exclude-standard -- ':!kernel/**.patch' ':!LICENSES' |
		while read -r file; do
			[[ ! -e $repo/$file ]] || printf '%s\n' "$file"
		done
}

# licence_of FILE - what COPYING says of its folder.
licence_of() {
	case $1 in
	tools/fentry/lib/*) echo 'LGPL-2.1-only OR BSD-2-Clause' ;;
	*) echo 'GPL-2.0-only' ;;
	esac
}

# bare FILE - is it of a kind that has no licence line of its own?
bare() {
	case $1 in
	COPYING | *.md | */README | .gitignore | .editorconfig | .clang-format) ;;
	tools/deb/debian/rules) return 1 ;;
	tools/deb/debian/*) ;;
	*) return 1 ;;
	esac
}

# stated FILE - the licence that one of its first lines names.
stated() {
	head -n 3 -- "$repo/$1" |
		sed -nE 's,^.*SPDX-License-Identifier: ([^*]*[^* ])( \*/)?$,\1,p'
}

test_each_file_has_the_licence_of_its_folder() {
	local file want seen bad=0

	while read -r file; do
		want=$(licence_of "$file") seen=$(stated "$file")
		[[ $seen != "$want" ]] || continue
		[[ -n $seen ]] || ! bare "$file" || continue
		echo "$file: '${seen:-no licence}', COPYING says '$want'"
		bad=1
	done < <(files)
	return $bad
}

test_each_licence_has_its_text() {
	local name

	for name in $(files | while read -r file; do stated "$file"; done | sort -u |
		sed 's/ OR /\n/g' | sort -u); do
		[[ -s $repo/LICENSES/$name.txt ]] || fail "no LICENSES/$name.txt"
		grep -q -- "$name" "$repo/COPYING" || fail "COPYING doesn't name $name"
	done
}

run_tests
