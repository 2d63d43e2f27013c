#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Which of several static functions of one name get a FUNC, by released packages of Debian 12, 13 and sid
# alone.
#
# Two units have same(), with equal prototypes, and differ(), with different ones. pahole -J of 1.24 and 1.30
# writes one FUNC for each name, so differ() has the prototype of one of its functions. 1.30 leaves differ()
# out if it is told --btf_features=default. 1.32 leaves out both, with these features and without: what
# traced same() by BTF of 1.30 finds nothing in that of 1.32. No release says a word, and all end with 0.
#
# Seen 2026-11-28: as the last lines say.
. "${0%/*}/lib.bash"

cat >"$work/a.c" <<'EOF'
static __attribute__((noipa)) int same(int n) { asm volatile("nop"); return n; }
static __attribute__((noipa)) int differ(int n) { asm volatile("nop; nop"); return n; }
int second(int n);
void _start(void) { second(same(1) + differ(2)); }
EOF
cat >"$work/b.c" <<'EOF'
static __attribute__((noipa)) int same(int n) { asm volatile("nop; nop; nop"); return n; }
static __attribute__((noipa)) long differ(char *s, int m) { asm volatile(""); return s[m]; }
int second(int n) { return same(n) + differ("x", 0); }
EOF

# funcs OPTION... - The names, of the two, that have a FUNC.
funcs() {
	rm -f "$root/w/x.btf"
	in_root pahole -J "$@" --btf_encode_detached=/w/x.btf /w/x
	chroot "$all" bpftool btf dump file "/w/$suite/w/x.btf" | sed -n "s/.* FUNC '\(same\|differ\)' .*/\1/p" | sort | xargs
}

all=$work/all root=$work/all
fetch bookworm gcc-12=12.2.0-14+deb12u1 binutils=2.40-2 libc6-dev bpftool
cp "$work"/[ab].c "$all/w/"
chroot "$all" gcc-12 -O2 -g -nostdlib -static -o /w/x /w/a.c /w/b.c
for version in bookworm=1.24-4.1 trixie=1.30-1 sid=1.32-1; do
	suite=${version%=*} root=$work/all/w/${version%=*}
	rm -rf "$work"/{lists,cache,none}
	fetch "$suite" "pahole=${version#*=}"
	cp "$all/w/x" "$root/w/"
	case $suite in
	bookworm) expect "1.24:" "differ same" "$(funcs)" ;;
	trixie)
		expect "1.30:" "differ same" "$(funcs)"
		expect "1.30 with --btf_features=default:" same "$(funcs --btf_features=default)"
		;;
	sid)
		expect "1.32:" "" "$(funcs)"
		expect "1.32 with --btf_features=default:" "" "$(funcs --btf_features=default)"
		;;
	esac
done
