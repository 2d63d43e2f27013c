# SPDX-License-Identifier: GPL-2.0-only
# Which functions get a FUNC, and by which name: one of those at its address. If several functions
# have one name, the first FUNC is that of the symbol that the kernel finds. Sourced by run.sh.

# func_id FILE NAME - id of the first FUNC of that name in the BTF of an ELF file
func_id()
{
	bpftool btf dump file "$1" format raw | sed -n "s/^\[\([0-9]*\)\] FUNC '$2'.*/\1/p" | head -n 1
}

# at NAME "TYPE SYMBOL" - the symbol's address from nm, in the form of the dump
at()
{
	printf '0x%x' $((0x$(nm "$WORK/$1" | sed -n "s/ $2\$//p") - TEXT))
}

# has_names NAME... - of the functions of several_names(), just these are in the dump, as declared
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
	# pahole describes the definitions, except the one whose symbol has another name
	has_names z_static z_local __do_sys_call z_label
	# now the input describes aliases, and no name of the second function
	section .BTF "$WORK/names" |
		sed 's/z_static/a_global/; s/z_local/nowhere/; s/__do_sys_call/__ia32_sys_ca/' >"$WORK/names.btf"
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
}

# pahole's FUNC, which loaders find by name, goes to the lowest address, which kallsyms has first.
first_by_address()
{
	alike
	grep -q "^$(at alike 't alike')	$(func_id "$WORK/alike" alike)	" "$WORK/guard.dump"
	grep -q "^$(at alike 'T alike')	" "$WORK/guard.dump"
	# pahole's threads may write one with another prototype in front of it
	section .BTF "$WORK/alike" >"$WORK/alike.raw"
	python3 "$HERE/mutate.py" spare "$WORK/alike.raw" "$WORK/alike.btf" alike use_2
	annotated "$WORK/alike" --btf "$WORK/alike.btf"
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

# In a module it goes to the first in the symbol table: local symbols come before global ones.
first_in_symtab()
{
	local kernel=$WORK/gcc-5.elf ko=$WORK/alike.ko id

	link_module "$ko" "$WORK/alike.2.o" "$WORK/alike.o"
	nm -p "$ko" | grep ' alike$' >"$WORK/symbols"
	head -n 1 "$WORK/symbols" | grep ' t alike'
	sort "$WORK/symbols" | head -n 1 | grep ' T alike'
	id=$(bpftool btf dump -B "$kernel.btf.legacy" file "$ko" format raw | sed -n "s/^\[\([0-9]*\)\] FUNC 'alike'.*/\1/p")
	annotated_module "$ko"
	grep "^.text+0x$(nm "$ko" | sed -n 's/^0*\([0-9a-f]*\) t alike$/\1/p')	$id	" "$WORK/guard.dump"
	[ "$(grep -c '^.text.* alike(int a);' "$WORK/guard.dump")" = 2 ]
}

# traceable_c >C - functions that ftrace can patch, and others
traceable_c()
{
	cat <<-'C'
	long sink;
	struct s { long a, b; };
	#define noinline __attribute__((noinline))
	#define quiet __attribute__((QUIET))
	noinline int traced(int a) { return sink += a; }
	__attribute__((section(".text.unlikely"))) static noinline int hidden(int a) { return sink += 2 * a; }
	int (*volatile use_hidden)(int) = hidden;
	__attribute__((section(".text.unlikely"))) static noinline quiet int shown(int a) { return sink += 3 * a; }
	int (*volatile use_shown)(int) = shown;
	static noinline quiet int listed(int a) { return sink += 10 * a; }
	int (*volatile use_listed)(int) = listed;
	asm(".pushsection .BTF_ids, \"a\"; __BTF_ID__func__listed__712: .zero 4; .popsection");
	noinline quiet int described(int a) { return sink -= a; }
	static noinline long renamed(const struct s *s, int n) { return sink += s->b; }
	static noinline quiet long silent(const struct s *s, int n)
	{
		/* like the site of a weak function without a symbol, behind another one's start */
		asm volatile(".skip 8, 0x90; .Lsite%=: .pushsection " TABLE "; .quad .Lsite%=; .popsection" ::);
		return sink -= s->b;
	}
	quiet long use(long a)
	{
		struct s s = { a, 2 * a };

		return renamed(&s, 1) + renamed(&s, 2) + silent(&s, 1) + silent(&s, 2);
	}
	C
}

# twins_c QUIET >C - a function of a name that others have
twins_c()
{
	echo "extern long sink; static __attribute__((noinline$1)) int twin(int a) { return sink += a; }"
	echo "int (*volatile use_$2)(int) = twin;"
}

# The section with the places that ftrace patches, for the assembler; what makes the compiler leave such
# places, and what makes it leave none in a function.
TABLE='__mcount_loc, "a", @progbits'
SITES=-mrecord-mcount
QUIET=no_instrument_function

# traceable_o FLAG... - compile traceable_c, and twins_c thrice: ftrace can patch the second twin
traceable_o()
{
	local cc=("${CC:-${CROSS}gcc}" "${CFLAGS[@]}" "$SITES" "-DQUIET=$QUIET" "-DTABLE=\"${TABLE//\"/\\\"}\"" "$@" -g -c -x c -)

	{
		twins_c ', QUIET' 1
		echo 'static __attribute__((noinline, QUIET)) long hidden(long b) { return sink -= b; }'
		echo 'long (*volatile use_hidden_1)(long) = hidden;'
		echo 'static __attribute__((noinline, QUIET)) int listed(int a) { return sink += 9 * a; }'
		echo 'int (*volatile use_listed_1)(int) = listed;'
		echo 'static __attribute__((noinline)) long shown(long b) { return sink -= 2 * b; }'
		echo 'long (*volatile use_shown_1)(long) = shown;'
	} | "${cc[@]}" -o "$WORK/twin.1.o"
	twins_c '' 2 | "${cc[@]}" -o "$WORK/twin.2.o"
	twins_c ', QUIET' 3 | "${cc[@]}" -o "$WORK/twin.3.o"
	traceable_c | "${cc[@]}" -o "$WORK/traceable.o"
}

# want_traceable LEFT_OUT DUMP - of traceable_c and twins_c
want_traceable()
{
	if [[ ${CC:-gcc} != clang* ]]; then
		grep -P '\tsilent\.[a-z0-9.]*\tftrace cannot patch it$' "$1"
		grep -P '^[^-].* renamed\.[a-z0-9.]*isra\.0\(' "$2"
		refute grep 'silent' "$2"
	fi
	grep -P '\ttwin\tftrace cannot patch it$' "$1"
	refute grep ' shown(int' "$2"
	grep -P '^[^-].* shown\(' "$2"
	for name in traced described use; do
		grep -P "^[^-].*[ *]$name\(" "$2"
	done
	[ "$(grep -cP '^[^-].*twin\(int a\);' "$2")" = 2 ]
	[ "$(grep -cP '^[^-].*listed\(int a\);' "$2")" = 2 ]
}

# traceable FLAG... - a function that pahole doesn't describe gets a FUNC if ftrace can patch it
traceable()
{
	traceable_o "$@"
	link_kernel "$WORK/traceable" --defsym=__start_mcount_loc="__start_${TABLE%%,*}" \
		--defsym=__stop_mcount_loc="__stop_${TABLE%%,*}" "$WORK"/{twin.{1,2,3},traceable}.o
	annotated "$WORK/traceable"
	want_traceable "$WORK/guard.left" "$WORK/guard.dump"
	# pahole describes the second one, and the kernel finds the first
	grep '	hidden	ftrace cannot patch it$' "$WORK/guard.left"
	grep '^0x.* hidden(' "$WORK/guard.dump" >"$WORK/out"
	[ "$(cut -f 2,4 "$WORK/out")" = "$(func_id "$WORK/traceable" hidden)	int hidden(int a);" ]
	# the table tells; without one, all can be patched
	"${CROSS}objcopy" --strip-symbol __start_mcount_loc "$WORK/traceable" "$WORK/no-table"
	"$BTFADDR" "$WORK/no-table" --left-out >"$WORK/out"
	refute grep 'ftrace cannot patch it' "$WORK/out"
}

# traceable_module FLAG... - in modules the table has relocations
traceable_module()
{
	local ko=$WORK/traceable.ko

	traceable_o "$@"
	link_module "$ko" "$WORK"/{twin.{1,2,3},traceable}.o
	has_section "$ko" __patchable_function_entries
	annotated_module "$ko"
	want_traceable "$WORK/guard.left" "$WORK/guard.dump"
}

names()
{
	check "names: several of an address" several_names
	check "names: of several functions, the first address" first_by_address
	check "names: in a module, the first symbol" first_in_symtab
	check "names: the tag of a kfunc" kfunc_tag
	check "names: what ftrace can patch" traceable
	check "names: what ftrace can patch behind an endbr64" traceable -fcf-protection=branch
	# __patchable_function_entries has the padding of all functions there
	check "names: what ftrace can patch in a module" traceable_module -fpatchable-function-entry=16,16
}
