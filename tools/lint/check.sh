#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What holds for every file of the repository, whoever wrote it. clang-tidy needs btfaddr and
# fentry, built in BUILD.
lint=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
repo=${lint%/tools/lint}
. "$repo/tools/harness/taplib.sh"
build=$(realpath -m -- "${BUILD:-$repo/build}")
unset BUILD MAKEFLAGS MFLAGS MAKELEVEL

# files - the repository's files, without its patches, which change another tree's.
files() {
	git -C "$repo" ls-files -co --exclude-standard -- ':!kernel/**.patch' ':!LICENSES' |
		while read -r file; do
			[[ ! -e $repo/$file ]] || printf '%s\n' "$file"
		done
}

# kind FILE - c, shell or python; nothing for any other.
kind() {
	local line

	case $1 in
	*.c | *.h) echo c ;;
	*.py) echo python ;;
	*) for _ in 1 2 3; do
		IFS= read -r line || [[ -n $line ]] || break
		case $line in
		'#!'*[/\ ]bash* | '#!'*/sh* | '# shellcheck shell='*) echo shell; break ;;
		'#!'*python*) echo python; break ;;
		esac
	done <"$repo/$1" ;;
	esac
}

# files_of KIND... - the files of these kinds.
files_of() {
	local file

	files | while read -r file; do
		[[ " $* " != *" $(kind "$file" 2>/dev/null) "* ]] || printf '%s\n' "$file"
	done
}

# reference COMMAND VERSION - other versions than Debian 12's find other things.
reference() {
	[[ -n $(type -P "$1") ]] || fail "there is no $1"
	[[ $("$1" --version) == *"$2"* ]] || skip "this $1 isn't $2, Debian 12's"
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
	COPYING | *.md | */README | .gitignore) ;;
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

test_c_files_are_formatted() {
	reference clang-format 'version 14.'
	cd -- "$repo"
	files | grep '\.[ch]$' | grep -v '^kernel/' | xargs clang-format --dry-run -Werror
}

test_shellcheck_finds_nothing() {
	reference shellcheck 'version: 0.9.'
	cd -- "$repo"
	files_of shell | xargs -P 2 -n 8 shellcheck -f gcc
}

# Without their directives, files have at least what the directives name.
test_shellcheck_directives_suppress_something() {
	local file code bad=0

	reference shellcheck 'version: 0.9.'
	cd -- "$repo"
	while read -r file; do
		# Beside the file, as far as shellcheck can tell, are those that it sources.
		sed 's/^\(.*# shellcheck .*\)disable=.*/\1/; s/# shellcheck *$//' "$file" |
			(cd -- "$(dirname -- "$file")" && shellcheck -s bash -f gcc -) >"$scratch/out" || :
		for code in $(sed -n 's/.*# shellcheck .*disable=\([SC0-9,]*\).*/\1/p' "$file" |
			tr ',' '\n' | sort -u); do
			grep -q "\[$code\]" "$scratch/out" && continue
			echo "$file: $code is not found there"
			bad=1
		done
	done < <(files_of shell | xargs grep -l '# shellcheck .*disable=')
	return $bad
}

test_pylint_finds_nothing() {
	reference pylint 'pylint 2.16.'
	cd -- "$repo"
	files_of python | xargs pylint --score=n
}

test_clang_tidy_finds_nothing() {
	reference clang-tidy 'LLVM version 14.'
	"$lint/tidy" "$build"
}

# Exceptions would stand here, with their reasons. There are none.
test_no_file_has_more_than_800_lines() {
	local file bad=0

	while read -r file; do
		[[ $(wc -l <"$repo/$file") -gt 800 ]] || continue
		echo "$file: $(wc -l <"$repo/$file") lines"
		bad=1
	done < <(files_of c shell python)
	return $bad
}

# limit FILE - the columns of a line; commands of shells are full of quotes, and harder to break.
limit() {
	case $(kind "$1") in
	shell) echo 120 ;;
	*) echo 100 ;;
	esac
}

# Strings of 50 characters or more aren't split, nor the declarations that btfaddr's tests
# compare as text. pylint looks at Python.
test_no_line_is_too_long() {
	local file

	while read -r file; do
		expand -- "$repo/$file" | file=$file limit=$(limit "$file") awk '
		BEGIN { limit = ENVIRON["limit"] }
		length > limit {
			rest = $0
			gsub(/\\./, "__", rest)
			gsub(/"[^"]*("|$)|\x27[^\x27]*(\x27|$)/, "", rest)
			if ($0 !~ /^ *(#[^d]|\*)/ && length(rest) <= limit - 50)
				next
			print ENVIRON["file"] ":" NR ": " length " columns"
		}'
	done < <(files_of c shell | grep -v '^tools/btfaddr/tests/src/') >"$scratch/long"
	[[ ! -s $scratch/long ]] || fail "$(<"$scratch/long")"
}

test_scripts_are_executable_and_nothing_else_is() {
	local file first bad=0

	while read -r file; do
		IFS= read -r -n 2 first <"$repo/$file" || :
		if [[ $first == '#!' && ! -x $repo/$file ]]; then
			echo "$file: can't be executed, but has a #! line"
			bad=1
		elif [[ $first != '#!' && -x $repo/$file ]]; then
			echo "$file: can be executed, but has no #! line"
			bad=1
		fi
	done < <(files) 2>/dev/null
	return $bad
}

# What .editorconfig says of each file is what it is like.
test_files_are_as_editorconfig_says() {
	local file space style bad=0

	while read -r file; do
		style=$(editorconfig "$repo/$file" | sed -n 's/^indent_style=//p')
		case $(kind "$file") in
		python) space=space ;;
		c | shell) space=tab ;;
		*) space=$style ;;
		esac
		[[ $style == "$space" ]] || { echo "$file: indent_style=$style"; bad=1; }
	done < <(files_of c shell python; printf '%s\n' README.md)
	cd -- "$repo"
	files | xargs -d '\n' grep -InE '[[:space:]]$' && fail "spaces or carriage returns at the end"
	files | while read -r file; do
		[[ -z $(tail -c 1 -- "$file") ]] || fail "$file: no newline at its end"
	done
	files_of c shell | xargs grep -nE '^ {8}' && fail "spaces where tabs belong"
	files_of python | xargs grep -nP '^ *\t' && fail "tabs where spaces belong"
	return $bad
}

# Those since this test, whose own commit is the oldest.
test_new_commits_have_subjects_of_at_most_72_characters() {
	local first

	git -C "$repo" rev-parse -q --verify HEAD >/dev/null || skip "no git history"
	first=$(git -C "$repo" log --format=%H --reverse -S"${FUNCNAME[0]}" -- tools/lint/check.sh |
		head -n 1)
	[[ -n $first ]] || skip "this test isn't committed"
	git -C "$repo" log --no-merges --format='%h %s' "$first^..HEAD" 2>/dev/null |
		awk 'length($0) - index($0, " ") > 72' >"$scratch/long"
	[[ ! -s $scratch/long ]] || fail "$(<"$scratch/long")"
}

run_tests
