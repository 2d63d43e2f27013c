# SPDX-License-Identifier: GPL-2.0-only
# Of a name that several functions have, the first FUNC is that of the symbol which the kernel finds.
# Sourced by run.sh.

# func_id FILE NAME - id of the first FUNC of that name in the BTF of an ELF file
func_id()
{
	bpftool btf dump file "$1" format raw | sed -n "s/^\[\([0-9]*\)\] FUNC '$2'.*/\1/p" | head -n 1
}

# at NAME "TYPE SYMBOL" - where nm has it, as the dump says it
at()
{
	printf '0x%x' $((0x$(nm "$WORK/$1" | sed -n "s/ $2\$//p") - TEXT))
}

# alike.c, with a static function, and alike.2.c, with a global one of the same name and prototype
alike()
{
	"${CC:-gcc}" "${CFLAGS[@]}" -g -c -x c - -o "$WORK/alike.2.o" <<-'C'
	long sink;
	__attribute__((noinline)) int alike(int a) { return sink += a; }
	long use_2(long a) { return alike(a) + alike(a + 1); }
	C
	small alike "$WORK/alike.2.o" <<-'C'
	#ifdef __clang__
	__attribute__((btf_decl_tag("bpf_kfunc")))
	#endif
	static __attribute__((noinline)) int alike(int a) { extern long sink; return sink -= a; }
	int (*volatile use_1)(int) = alike;
	C
	cat "$WORK/guard.dump"
}

# pahole's FUNC, which loaders find by name, is that of the first address, as kallsyms has it.
first_by_address()
{
	alike
	grep -q "^$(at alike 't alike')	$(func_id "$WORK/alike" alike)	" "$WORK/guard.dump"
	grep -q "^$(at alike 'T alike')	" "$WORK/guard.dump"
	# pahole's threads may write one with another prototype in front of it
	objcopy --dump-section .BTF="$WORK/alike.raw" "$WORK/alike" "$WORK/alike.copy"
	python3 "$HERE/spare.py" "$WORK/alike.raw" "$WORK/alike.btf" alike use_2
	annotated "$WORK/alike" --btf "$WORK/alike.btf"
	cat "$WORK/guard.dump"
	[ "$(grep -c ' alike(' "$WORK/guard.dump")" = 2 ]
	grep ' alike(' "$WORK/guard.dump" | head -n 1 | grep "^$(at alike 't alike')	"
}

# pahole tags kfuncs by name. They are global.
kfunc_tag()
{
	local CC=clang id

	alike
	id=$(sed -n "s/^$(at alike 'T alike')\t\([0-9]*\)\t.*/\1/p" "$WORK/guard.dump")
	bpftool btf dump file "$WORK/alike" format raw | grep "DECL_TAG 'bpf_kfunc' type_id=$(func_id "$WORK/alike" alike) "
	grep "DECL_TAG 'bpf_kfunc' type_id=$id " "$WORK/guard.raw"
}

# In a module it is the first in the symbol table, where local symbols come before global ones.
first_in_symtab()
{
	local kernel=$WORK/gcc-5.elf ko=$WORK/alike.ko id

	ld -r "$WORK/alike.2.o" "$WORK/alike.o" -o "$ko"
	nm -p "$ko" | grep ' alike$' >"$WORK/symbols"
	head -n 1 "$WORK/symbols" | grep ' t alike'
	sort "$WORK/symbols" | head -n 1 | grep ' T alike'
	pahole -J --btf_base "$kernel.btf.legacy" "$ko"
	id=$(bpftool btf dump -B "$kernel.btf.legacy" file "$ko" format raw | sed -n "s/^\[\([0-9]*\)\] FUNC 'alike'.*/\1/p")
	addr "$kernel" "$ko" --dump >"$WORK/guard.dump"
	cat "$WORK/guard.dump"
	grep "^.text+0x$(nm "$ko" | sed -n 's/^0*\([0-9a-f]*\) t alike$/\1/p')	$id	" "$WORK/guard.dump"
	[ "$(grep -c '^.text.* alike(int a);' "$WORK/guard.dump")" = 2 ]
}

names()
{
	check "names: of several functions, the first address" first_by_address
	check "names: in a module, the first symbol" first_in_symtab
	check "names: the tag of a kfunc" kfunc_tag
}
