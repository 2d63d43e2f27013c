#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The source files of a tool must not use each other in a circle, directly or through others, nor
# must its headers include each other so. No room (a folder of sources) may use or include a later
# one. Reads the objects, too, so the tools must be built.
built=${BUILD:-}
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
built=$(realpath -m -- "${built:-$tools/../build}")

# uses OBJECTS FILE.c... - Print a line "FILE OTHER SYMBOL" for each symbol of OTHER that FILE uses.
uses() {
	local objects=$1

	shift
	(cd -- "$objects" && nm -A -P -- "${@/%.c/.o}") | awk '
		{ sub(/\.o:$/, ".c", $1) }
		$3 == "U" { user[++n] = $1; used[n] = $2; next }
		$3 ~ /^[A-Z]$/ { home[$2] = $1 }
		END {
			for (i = 1; i <= n; i++)
				if (used[i] in home)
					print user[i], home[used[i]], used[i]
		}'
}

# includes SOURCES FILE... - Print a line "FILE HEADER" for each header of SOURCES that FILE includes.
includes() {
	(cd -- "$1" && shift && awk '
		match($0, /^#include "[^"]*"/) {
			header = substr($0, 11, RLENGTH - 11)
			beside = FILENAME
			if (sub(/[^\/]*$/, header, beside) && (getline line <beside) >= 0)
				header = beside
			print FILENAME, header
		}' "$@" /dev/null)
}

# no_circles SOURCES OBJECTS - Fail if source files of a folder, tests apart, use each other in a
# circle. Print the circle if there is one.
no_circles() {
	local objects=$2 file files

	mapfile -t files < <(find "$1" -name '*.c' -printf '%P\n' | grep -vE '^tests/|^test_|\.bpf\.c$')
	[[ ${#files[@]} -gt 0 ]] || fail "no source in $1"
	for file in "${files[@]}"; do
		[[ -e $objects/${file%.c}.o && ! $1/$file -nt $objects/${file%.c}.o ]] ||
			fail "$objects/${file%.c}.o is missing or older than $1/$file: build first"
	done
	uses "$objects" "${files[@]}" >"$scratch/uses" || fail "can't read the objects in $objects"
	mapfile -t -O "${#files[@]}" files < <(cd -- "$1" && find . -name '*.h' -printf '%P\n')
	includes "$1" "${files[@]}" | awk '$1 ~ /h$/ { print $1, $2, "a header" }' >>"$scratch/uses"
	! cut -d ' ' -f 1,2 "$scratch/uses" | tsort 2>"$scratch/loops" >/dev/null || return 0
	# tsort prints a line for each loop, and then the files of the loop.
	awk 'NR == FNR && /contains a loop:$/ { loops++; next }
		NR == FNR { member[loops, $2]; next }
		{
			for (i = 1; i <= loops; i++)
				if ((i, $1) in member && (i, $2) in member) {
					print $1 " uses " substr($0, length($1 $2) + 3) " of " $2
					next
				}
		}' "$scratch/loops" "$scratch/uses"
	fail "files of $1 use each other in a circle"
}

# downwards SOURCES OBJECTS ROOM... - Fail if a file uses something of a room that comes later here,
# or includes a header of it.
downwards() {
	local sources=$1 objects=$2 rooms files headers

	shift 2
	rooms=$*
	mapfile -t files < <(cd -- "$objects" && find "$@" -name '*.o' ! -name '*.[at]san.o' | sed 's/o$/c/')
	mapfile -t headers < <(cd -- "$sources" && find "$@" -name '*.[ch]')
	[[ ${#headers[@]} -gt 0 ]] || fail "no source in $sources"
	{
		uses "$objects" "${files[@]}"
		includes "$sources" "${headers[@]}"
	} | awk -F '[ /]' -v rooms="$rooms" '
		BEGIN { for (n = split(rooms, name, " "); n; n--) at[name[n]] = n }
		at[$1] < at[$3] {
			print $1 "/" $2 " uses " (NF > 4 ? $5 : $4) " of a later room, " $3
			bad = 1
		}
		END { exit bad }'
}

test_rooms_of_btfaddr_use_earlier_ones() {
	downwards "$tools/btfaddr" "$built/btfaddr" arch elf dwarf code signature btf funcs annotate inline
}

# Their READMEs have the same orders.
test_rooms_of_fentry_use_earlier_ones() {
	downwards "$tools/fentry/cmd" "$built/fentry/cmd" bpf output kernel expr values attach commands
}

test_no_circle_between_files_of_btfaddr() {
	no_circles "$tools/btfaddr" "$built/btfaddr"
}

test_no_circle_between_files_of_fentry() {
	no_circles "$tools/fentry" "$built/fentry"
}

run_tests
