# SPDX-License-Identifier: GPL-2.0-only
# Names of FUNCs: of those of an address, one; of a name that several functions have, the first is that
# of the symbol which the kernel finds. Sourced by run.sh.

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

# has_names NAME... - which of the functions of several_names() are in the dump, with their prototype
has_names()
{
	sed -n 's/^0x.*\tlong \(\w*\)(long \w);$/\1/p' "$WORK/guard.dump" | sort >"$WORK/got"
	printf '%s\n' "$@" | sort | diff - "$WORK/got"
}

# Of several names of an address, one that pahole describes comes first, then a global one, then that
# of the definition, then __x64_ before __ia32_, and then the first by strcmp.
several_names()
{
	small names <<-'C'
	long sink;
	#define def __attribute__((noinline, used))
	#define name(symbol, of) asm(".type " #symbol ", @function; .set " #symbol ", " #of)
	#define global(symbol, of) asm(".globl " #symbol); name(symbol, of)
	static def long z_static(long n) { return sink += n; }
	global(a_global, z_static);
	static def long z_local(long n) { return sink += 2 * n; }
	name(a_local, z_local);
	static def long __do_sys_call(long n) { return sink += 3 * n; }
	global(__x64_sys_call, __do_sys_call);
	global(__ia32_sys_call, __do_sys_call);
	long labelled(long n) asm("z_label");
	def long labelled(long n) { return sink += 4 * n; }
	name(a_label, z_label);
	C
	objcopy --dump-section .BTF="$WORK/names.raw" "$WORK/names" "$WORK/names.copy"
	# pahole describes the definitions, but for that whose symbol has another name
	has_names z_static z_local __do_sys_call z_label
	# an alias, and nothing of the second function
	sed 's/z_static/a_global/; s/z_local/nowhere/; s/__do_sys_call/__ia32_sys_ca/' "$WORK/names.raw" >"$WORK/names.btf"
	annotated "$WORK/names" --btf "$WORK/names.btf"
	has_names a_global z_local __x64_sys_call z_label
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
	check "names: several of an address" several_names
	check "names: of several functions, the first address" first_by_address
	check "names: in a module, the first symbol" first_in_symtab
	check "names: the tag of a kfunc" kfunc_tag
}
