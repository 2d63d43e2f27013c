# SPDX-License-Identifier: GPL-2.0-only
# Types that the kernel would refuse: if they are in DWARF, the functions that need them are left
# out; if they are in BTF, the file is refused. Sourced by run.sh, after lies.sh.

# kernel_takes BTF - the running kernel loads the raw file, if it lets us load BTF. It is stricter
# with a user's BTF than with its own: parameters of functions must have names.
kernel_takes()
{
	[ -z "$CAN_LOAD" ] || "$LOAD" "$1"
}

# annotate_damaged ASM OUT - with a BTF that has none of the types
annotate_damaged()
{
	assemble "$1" "$2"
	timeout 20 "$BTFADDR" "$2" --btf "$WORK/int.btf" -o "$2.btf" --left-out >"$2.left"
	"$BTFADDR" "$2.btf" --dump >"$2.dump"
	"$BTFADDR" "$2.btf" --legacy -o "$2.legacy"
	kernel_takes "$2.legacy"
}

# costs SYMBOL ANCHOR PATTERN TEXT - because of the damage, only this function is left out
costs()
{
	local out=$WORK/damaged

	change "$2" "$3" "$4" <"$WORK/deep.32.s" >"$out.s"
	annotate_damaged "$out.s" "$out"
	cat "$out.left"
	[ "$(grep -v '^#' "$out.left" | cut -f2)" = "$1" ]
	grep -q "	damaged" "$out.left"
	refute grep -qF " $1(" "$out.dump"
	grep -q "^0x.* honest(int a);" "$out.dump"
}

# compile_deep NESTED - make the honest assembly, whose deepest struct has that many levels
compile_deep()
{
	(cd "$WORK" && gcc -O2 -g -gdwarf-5 -dA -S -fno-pie -ffreestanding -DDEEP="n$1" \
		"$HERE/src/damaged.c" -o "deep.$1.s")
}

# As deep as the kernel goes, and one more.
depth()
{
	compile_deep 33
	annotate_damaged "$WORK/deep.32.s" "$WORK/deep.32"
	[ ! -s "$WORK/deep.32.left" ]
	grep "^0x.* deep(struct n32 \*p);" "$WORK/deep.32.dump"
	annotate_damaged "$WORK/deep.33.s" "$WORK/deep.33"
	grep "	deep	damaged type" "$WORK/deep.33.left"
	[ "$(wc -l <"$WORK/deep.33.left")" = 1 ]
}

damaged_dwarf()
{
	local name symbol anchor pattern text

	while IFS='|' read -r name symbol anchor pattern text; do
		check "damaged DWARF: $name" costs "$symbol" "$anchor" "$pattern" "$text"
	done <<-'END'
	name of a struct|pair_user|debug_str,|"pair"$|	.string "p-ir"
	name of a member|pair_user|debug_str,|"second"$|	.string "sec nd"
	name of an enumerator|row_user|"RED.0"|"RED.0"|	.ascii "R-D\\0"
	name of a parameter|names|debug_str,|"other"$|	.string "o-her"
	two parameters of a name|names|debug_str,|"other"$|	.string "only"
	member after its struct|pair_user|DW_AT_name: "second"|data_member_location|	.byte 0x10
	end of a member after its struct|pair_user|DW_AT_name: "second"|data_member_location|	.byte 0x5
	array longer than its struct|row_user|DW_TAG_subrange|DW_AT_upper_bound|	.value 0x4ff
	members out of order|flags_user|"low(.0)?"|data_bit_offset|	.byte 0x8
	bit-field larger than its type|flags_user|DW_AT_name: "high"|DW_AT_bit_size|	.byte 0x30
	size of an enum|row_user|DW_AT_name: "color"|DW_AT_byte_size|	.byte 0x3
	size of a union|either_user|DW_AT_name: "either"|DW_AT_byte_size|	.byte 0x4
	END
}

# refuses_btf WHAT PATTERN - BTF that has addresses must obey the same rules
refuses_btf()
{
	local bad=$WORK/bad.btf

	python3 "$HERE/mutate.py" btf "$WORK/gcc-5.elf.btf" "$bad" "$1"
	rm -f "$WORK/never"
	refuses "bad.btf: .BTF is damaged: type [0-9]*.*: $2" "$BTFADDR" "$bad" -o "$WORK/never"
	[ ! -e "$WORK/never" ]
	[ "$(wc -l <"$WORK/said")" = 1 ]
	python3 "$HERE/mutate.py" btf "$WORK/gcc-5.elf.btf.legacy" "$bad" "$1"
	[ -z "$CAN_LOAD" ] || refute "$LOAD" "$bad"
}

damaged_btf()
{
	local what pattern

	while IFS='|' read -r what pattern; do
		check "damaged BTF: $what" refuses_btf "$what" "$pattern"
	done <<-'END'
	name|its name is not one that C could have
	no name|it has no name
	name nowhere|a name of it is not in the string section
	member name|the name of a member is not one that C could have
	member name nowhere|a name of it is not in the string section
	reference|it refers to a type that is not there
	void member|a member is void
	member order|its members are not in order
	member outside|a member lies outside of it
	union member|a member of a union is not at its start
	integer bits|it has more bits than its size has room for
	integer encoding|its encoding is not known
	array of void|it is an array of void
	enum size|no enum has that size
	enumerator|the name of an enumerator is not one that C could have
	named pointer|it has a name
	kind_flag|its kind is damaged
	linkage|its linkage is not known
	prototype|it has no prototype
	tag index|it is a tag of a member or parameter that is not there
	tag target|it is a tag of a type that cannot have one
	modifiers|the types that it refers to never end
	END
}

# prints_others - one function has a declaration without an end, the other is printed
prints_others()
{
	sed '/^#/d' "$HERE/../../fuzz/cases/fuzz_elf/pointer-to-itself" |
		python3 -c 'import sys; sys.stdout.buffer.write(bytes.fromhex(sys.stdin.read()))' >"$WORK/endless.btf"
	timeout 20 "$BTFADDR" "$WORK/endless.btf" --dump >"$WORK/endless"
	grep -q "^0x10	4	-	f: types are damaged" "$WORK/endless"
	grep -q "^0x20	6	-	int g(int x);" "$WORK/endless"
}

damaged()
{
	gcc -g -c -x c - -o "$WORK/int.o" <<<'int x;'
	pahole -J "$WORK/int.o"
	section .BTF "$WORK/int.o" >"$WORK/int.btf"
	compile_deep 32
	damaged_dwarf
	check "damaged DWARF: nested too deep" depth
	damaged_btf
	check "damaged BTF: a declaration without an end" prints_others
}

# can_load BTF - sets CAN_LOAD if the kernel takes BTF from us at all
can_load()
{
	CAN_LOAD=
	if "$LOAD" "$1" >"$WORK/out" 2>&1; then
		CAN_LOAD=1
		report 0 "the running kernel can be asked"
	else
		report_skipped "the running kernel can be asked" \
			"it takes no BTF: $(head -1 "$WORK/out")"
	fi
}
