#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# No source files of a tool use each other in a circle. Also tests the functions of circles.sh,
# which look for such circles. The tools must be built.
built=${BUILD:-}
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=../circles.sh
. "$harness/circles.sh"
built=$(realpath -m -- "${built:-$tools/../build}")

test_no_circle_between_files_of_btfaddr() {
	no_circles "$tools/btfaddr" "$built/btfaddr"
}

test_no_circle_between_files_of_fentry() {
	no_circles "$tools/fentry" "$built/fentry"
}

# compile NAME TEXT - Write a source file to $scratch/src, and its object to $scratch/obj.
compile() {
	mkdir -p "$scratch/src/sub" "$scratch/obj/sub"
	echo "$2" >"$scratch/src/$1.c"
	gcc -c "$scratch/src/$1.c" -o "$scratch/obj/$1.o"
}

test_circle_through_three_files_is_named() {
	compile a 'int b(void); int a(void) { return b(); }'
	compile sub/b 'extern int c; int b(void) { return c; }'
	compile c 'int a(void); int c = 1; int d(void) { return a(); }'
	compile user 'int a(void); int user(void) { return a(); }'
	expect 1 "a.c uses b of sub/b.c" no_circles "$scratch/src" "$scratch/obj"
	want_text "sub/b.c uses c of c.c"
	want_text "c.c uses a of a.c"
	want_no_text "user.c uses"
	compile c 'int c = 1;'
	expect 0 '' no_circles "$scratch/src" "$scratch/obj"
	[[ -z $out ]] || fail "said: $out"
}

test_circles_are_not_looked_for_without_objects() {
	compile a 'int a;'
	touch -d '1 hour' "$scratch/src/a.c"
	expect 1 "/obj/a.o is missing or older than" no_circles "$scratch/src" "$scratch/obj"
	rm "$scratch/obj/a.o"
	expect 1 "/obj/a.o is missing or older than" no_circles "$scratch/src" "$scratch/obj"
}

run_tests
