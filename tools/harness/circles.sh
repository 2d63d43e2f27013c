# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # scratch comes from taplib.sh
#
# Sourced by tests, after taplib.sh, to find out whether source files of a folder use each other in
# a circle.

# uses OBJECTS FILE.c... - Print a line "FILE OTHER SYMBOL" for each symbol of OTHER that FILE uses,
# according to the objects in the folder.
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

# no_circles SOURCES OBJECTS - Fail if source files of a folder, tests apart, use each other in a
# circle, directly or through others. Print the circle if there is one.
no_circles() {
	local objects=$2 file files

	mapfile -t files < <(find "$1" -name '*.c' -printf '%P\n' |
		grep -vE '^tests/|^test_|\.bpf\.c$' | sort)
	[[ ${#files[@]} -gt 0 ]] || fail "no source in $1"
	for file in "${files[@]}"; do
		[[ -e $objects/${file%.c}.o && ! $1/$file -nt $objects/${file%.c}.o ]] ||
			fail "$objects/${file%.c}.o is missing or older than $1/$file: build first"
	done
	uses "$objects" "${files[@]}" >"$scratch/uses" || fail "can't read the objects in $objects"
	if cut -d ' ' -f 1,2 "$scratch/uses" | tsort 2>"$scratch/loops" >/dev/null; then
		return
	fi
	# tsort prints a line for each loop, and then the files of the loop.
	awk 'NR == FNR && /contains a loop:$/ { loops++; next }
		NR == FNR { member[loops, $2]; next }
		{
			for (i = 1; i <= loops; i++)
				if ((i, $1) in member && (i, $2) in member) {
					print $1 " uses " $3 " of " $2
					next
				}
		}' "$scratch/loops" "$scratch/uses"
	fail "files of $1 use each other in a circle"
}
