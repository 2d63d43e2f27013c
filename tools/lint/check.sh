#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Checks rules for every file of the repository. clang-tidy needs btfaddr and fentry built in BUILD.
lint=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
repo=${lint%/tools/lint}
. "$repo/tools/harness/taplib.sh"
build=$(realpath -m -- "${BUILD:-$repo/build}")
unset BUILD MAKEFLAGS MFLAGS MAKELEVEL

# files - Print the repository's files, without patches, which change files of another tree.
files() {
	git -C "$repo" ls-files -co --exclude-standard -- ':!kernel/**.patch' ':!LICENSES' |
		while read -r file; do
			[[ ! -e $repo/$file ]] || printf '%s\n' "$file"
		done
}

# kind FILE - Print c, shell or python, or nothing if the file is of another kind.
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

# files_of KIND... - Print the files of these kinds.
files_of() {
	local file

	files | while read -r file; do
		[[ " $* " != *" $(kind "$file" 2>/dev/null) "* ]] || printf '%s\n' "$file"
	done
}

# reference COMMAND VERSION - Skip the test if the command has another version than Debian 12's:
# other versions find other things.
reference() {
	[[ -n $(type -P "$1") ]] || fail "there is no $1"
	[[ $("$1" --version) == *"$2"* ]] || skip "this $1 isn't $2, Debian 12's"
}

# licences - Print the files whose first lines name a licence, each with this licence.
licences() {
	cd -- "$repo"
	files | xargs -d '\n' awk 'FNR <= 3 && sub(/.*SPDX-License-Identifier: /, "") {
		sub(/ *\*\/$/, "")
		print FILENAME, $0
	}'
}

# "reuse lint" finds no wrong licence if .reuse/dep5 states one for all files, and without it every
# file needs a copyright line.
test_each_file_has_the_licence_of_its_folder() {
	licences | awk '{
		want = /^tools\/fentry\/lib\// ? "LGPL-2.1-only OR BSD-2-Clause" : "GPL-2.0-only"
		if ($0 != $1 " " want)
			print $0 ", but COPYING says " want
	}' >"$scratch/bad"
	# These have no licence line.
	files | grep -vE '^COPYING$|\.md$|/README$|\.gitignore$|^tools/deb/debian/[^r]' | sort |
		comm -23 - <(licences | cut -d ' ' -f 1 | sort) >>"$scratch/bad"
	[[ ! -s $scratch/bad ]] || fail "$(<"$scratch/bad")"
}

test_each_licence_has_its_text() {
	local name

	for name in $(licences | cut -d ' ' -f 2- | sed 's/ OR /\n/g' | sort -u); do
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

# Without the directives of a file, shellcheck must find the faults that they name.
test_shellcheck_directives_suppress_something() {
	local file code bad=0

	reference shellcheck 'version: 0.9.'
	cd -- "$repo"
	while read -r file; do
		# In the file's folder, shellcheck finds the files that this one sources.
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

test_no_file_has_more_than_800_lines() {
	local file bad=0

	while read -r file; do
		[[ $(wc -l <"$repo/$file") -gt 800 ]] || continue
		echo "$file: $(wc -l <"$repo/$file") lines"
		bad=1
	done < <(files_of c shell python)
	return $bad
}

# Shell commands may be longer: quotes make them hard to break. Strings of 50 characters or more
# needn't be split, nor declarations that tests compare as text. pylint checks Python.
test_no_line_is_too_long() {
	local file limit

	while read -r file; do
		limit=100
		[[ $(kind "$file") == c ]] || limit=120
		expand -- "$repo/$file" | awk -v file="$file" -v limit="$limit" '
		length > limit {
			rest = $0
			gsub(/\\./, "__", rest)
			gsub(/"[^"]*("|$)|\x27[^\x27]*(\x27|$)/, "", rest)
			if ($0 !~ /^ *(#[^d]|\*)/ && length(rest) <= limit - 50)
				next
			print file ":" NR ": " length " columns"
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

# .editorconfig must state the indentation that each file has.
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

# Looks at the commits since the one that added this test.
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

test_hooks_refuse_what_is_not_formatted_and_long_subjects() {
	reference clang-format 'version 14.'
	cd -- "$scratch"
	git init -q
	git config core.hooksPath "$lint/hooks"
	git config user.name x
	git config user.email x@example.com
	cp "$repo/.clang-format" .
	printf 'int f(void)\n{\n  return 0;\n}\n' >a.c
	git add -A
	expect 1 "run: clang-format -i a.c" git commit -m "part: a"
	clang-format -i a.c
	expect 1 "run: clang-format -i a.c" git commit -m "part: a"	# what is committed counts
	git add -A
	expect 1 "more than 72" git commit -m "part: $(printf 'x%.0s' {1..67})"
	expect 1 "'a' names no part" git commit -m a
	expect 0 '' git commit -m "part: $(printf 'x%.0s' {1..66})"
}

run_tests
