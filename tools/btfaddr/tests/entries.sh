# SPDX-License-Identifier: GPL-2.0-only
# Functions that BTF without addresses lacks, shares or is wrong about: src/entries.c, with changes
# of pahole's BTF. Sourced by run.sh.

# edit COMMAND NAME OTHER - change $elf.raw by mutate.py
edit()
{
	python3 "$HERE/mutate.py" "$1" "$elf.raw" "$elf.raw" "${@:2}"
}

# entries_program NAME [FLAG...] - compile and link it as $elf, with such BTF, and write $elf.functions
entries_program()
{
	local other

	elf=$WORK/$1
	"${CROSS}gcc" -w -g -O2 -fno-pie "${@:2}" -c "$HERE/src/entries.c" -o "$elf.1.o"
	"${CROSS}gcc" -w -g -O2 -fno-pie -DOTHER -c "$HERE/src/entries.c" -o "$elf.2.o"
	"${CROSS}gcc" -no-pie ${CROSS:+"${NO_LIBC[@]}"} -Wl,--defsym=_text=__executable_start "$elf.1.o" "$elf.2.o" -o "$elf"
	pahole -J "$elf"
	section .BTF "$elf" | sed 's/lost_/gone_/g' >"$elf.raw"
	for other in few:two many:two types:two returns:two born:none open:dots shared:none; do
		edit as "${other%:*}" "${other#*:}"
	done
	edit spare alike two
	edit spare differs none
	"${CROSS}objcopy" --update-section .BTF="$elf.raw" "$elf"
	"$BTFADDR" --functions "$elf.functions" "$elf"
	inline_says check "$elf.functions" "$elf"
	inline_says false "$elf.functions" "$elf" | cut -f2,3 | sort >"$elf.false"
	inline_says entries "$elf.functions" "$elf" >"$elf.entries"
}

# Each kind of falsehood is tagged, and nothing else: not the two FUNCs of one type, nor those that
# only an inlined function has. In open() all is right but that it isn't variadic.
false_funcs()
{
	local elf

	entries_program entries
	# GCC has no functions without a frame for arm64
	diff "$elf.false" - < <(sed "${CROSS:+/^keeps/d}" <<-'END'
		born	0 parameters, not 3
		differs	0 parameters, not 2
		few	2 parameters, not 3
		keeps	another calling convention
		many	2 parameters, not 1
		open	1 parameters and ..., not 2
		returns	type of the return value
		shared	0 parameters, not 2
		types	type of parameter 1
	END
	)
}

# A reader that shares nothing with btfaddr finds the same, but it doesn't read code.
false_funcs_elsewhere()
{
	local elf=$WORK/entries

	inline_says false "$elf.functions" "$elf" | grep -v keeps >"$elf.tagged"
	"$HERE/../../regcheck/prototypes" --tagged "$elf.tagged" "$elf"
	# it sees a tag that is missing, and one too many
	sed -i "s/^[0-9]*\tfew\t/$(func_id "$elf" two)\ttwo\t/" "$elf.tagged"
	! "$HERE/../../regcheck/prototypes" --tagged "$elf.tagged" "$elf" >"$elf.differs"
	grep '^few: .* has no tag' "$elf.differs" && grep '^two: .* but is true' "$elf.differs"
}

# Functions without a true FUNC of their own have an entry, where nm has the symbol.
entries_of()
{
	local elf=$WORK/entries text

	text=0x$(readelf -SW "$elf" | sed -n 's/.* \.text *PROGBITS *\([0-9a-f]*\).*/\1/p')
	nm "$elf" | awk '$3 ~ /^(born|few|lost_.*|many|open|returns|shared|types|.*[.](isra|constprop)[.].*)$/ { print $1, $3 }' |
		while read -r addr name; do echo "$((0x$addr - text)) $name"; done | sort >"$elf.nm"
	[ "$(wc -l <"$elf.nm")" -ge 13 ]
	sed 's/.*"offset": \([0-9]*\), .*"func": "\([^"]*\)".*/\1 \2/' "$elf.entries" | sort | diff "$elf.nm" -
}

# At a breakpoint there, the places have the arguments.
entries_run()
{
	local elf

	entries_program entries-Os -Os
	for elf in "$WORK/entries" "$elf"; do
		"$HERE/inline_run.py" "$elf" "$elf.functions" "$elf" | tee "$elf.run"
		[ "$(sed -n 's/.* \([0-9]*\) values$/\1/p' "$elf.run")" -ge 30 ]
	done
}

# With addresses there is nothing to add.
no_entries()
{
	local elf=$WORK/entries

	"$BTFADDR" "$elf" -o "$elf.btf" --functions "$elf.functions2"
	"$BTFADDR" "$elf.btf" --legacy -o "$elf.legacy"
	inline_says check "$elf.functions2" "$elf.legacy"
	inline_says entries "$elf.functions2" "$elf.legacy" >"$elf.none"
	inline_says false "$elf.functions2" "$elf.legacy" >>"$elf.none"
	[ ! -s "$elf.none" ]
}

# A module's functions count from their sections.
module_entries()
{
	local ko=$WORK/entries.ko

	"${CROSS}gcc" "${CFLAGS[@]}" -g -gdwarf-5 -x c -c - -o "$ko.o" <<-'C'
		__attribute__((noipa)) long lost(long n, long m) { return n - m; }
		__attribute__((noipa)) long lies(long n, long m) { return n + m; }
		__attribute__((noipa, section(".text.unlikely"))) long alon(long n) { return n; }
	C
	link_module "$ko" "$ko.o"
	section .BTF "$ko" | sed 's/lost/gone/; s/lies/XXXX/; s/alon/lies/; s/XXXX/alon/' >"$ko.raw"
	"${CROSS}objcopy" --update-section .BTF="$ko.raw" "$ko"
	addr "$WORK/gcc-5.elf" "$ko" --functions "$ko.functions"
	inline_says check "$ko.functions" "$WORK/gcc-5.elf.btf.legacy" "$ko.raw"
	inline_says entries "$ko.functions" "$WORK/gcc-5.elf.btf.legacy" "$ko.raw" |
		sed 's/.*"section": "\([^"]*\)", "offset": \([0-9]*\), .*"func": "\([^"]*\)".*/\3 \1 \2/' |
		sort >"$ko.entries"
	nm "$ko" | sed -n 's/^0*\([0-9a-f]*\) T \(.*\)/\2 \1/p' | sort | while read -r name offset; do
		echo "$name .text$([ "$name" != alon ] || echo .unlikely) $((0x$offset))"
	done | diff - "$ko.entries"
	inline_says false "$ko.functions" "$WORK/gcc-5.elf.btf.legacy" "$ko.raw" | cut -f2 | sort >"$ko.false"
	printf '%s\n' alon lies | diff - "$ko.false"
}

# entries [PREFIX]
entries()
{
	check "${1:-}entries: false FUNCs" false_funcs
	if [ -n "$(type -P llvm-dwarfdump-19 llvm-dwarfdump)" ]; then
		check "${1:-}entries: false FUNCs, by another reader" false_funcs_elsewhere
	fi
	check "${1:-}entries: where functions begin" entries_of
	check "${1:-}entries: run" entries_run
	check "${1:-}entries: none with addresses" no_entries
	check "${1:-}entries: module" module_entries
}
