#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# usage: abi.sh libfentry.so.1
#
# Prints the interface that programs compiled for this libfentry rely on: the functions that it
# exports, by version, and the layout of the structures in its header. abi.txt must have
# this text. Needs nm and dwarves, and a library with DWARF.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
readonly header=${here%/tests}/lib/libfentry.h library=$1

# blanks - Normalize blanks, in which versions of dwarves differ.
blanks() {
	sed -E 's/[ \t]+/ /g; s,([^/])\* ,\1*,g; s/^ /\t/'
}

cat <<'EOF'
# SPDX-License-Identifier: GPL-2.0-only
# These entries must not change once the version in tools/version.mk is released, as the tag
# v<version>. A new function gets a new version in libfentry.map.
# To update: tests/abi.sh ../../build/fentry/libfentry.so.1 >tests/abi.txt

EOF
pfunct --prototypes --externals --no_parm_names "$library" | blanks | sort -u |
	awk 'NR == FNR && $2 == "A" { next }
		NR == FNR { split($3, symbol, "@+"); version[symbol[1]] = symbol[2]; next }
		match($0, /fentry_[a-z_]+\(/) {
			name = substr($0, RSTART, RLENGTH - 1)
			if (version[name])
				print version[name] ": " $0
			delete version[name]
		}
		END {
			for (name in version)
				print version[name] ": " name
		}' <(nm -D --defined-only --with-symbol-versions "$library") - |
	sort -s -t: -k1,1 | awk -F': ' '$1 != last { print (last = $1) ":" } { print "\t" $2 }'
sed -nE 's/^(struct|enum) (fentry_[a-z_]+) \{$/\2/p' "$header" | while read -r name; do
	echo
	# pahole 1.30 prints it from DWARF, and exits with 1, as there is no BTF
	{ pahole -C "$name" "$library" || :; } |
		sed -E '/^$|bytes hole|boundary|padding|sum members|last cacheline/d
		s,(/\* +size: [0-9]+).*,\1 */,' | blanks
done
