#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Which functions get a FUNC, and by which name: one of those at its address. If several functions
# have one name, the first FUNC is that of the symbol that the kernel finds.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# at NAME "TYPE SYMBOL" - Print the symbol's address from nm, in the form of the dump
at() {
	printf '0x%x' $((0x$(nm "$scratch/$1" | sed -n "s/ $2\$//p") - TEXT))
}

# has_names NAME... - Of the functions of the next test, just these are in the dump, as declared.
has_names() {
	sed -n 's/^0x.*\tlong \(\w*\)(long \w);$/\1/p' "$scratch/dump" | sort >"$scratch/got"
	printf '%s\n' "$@" | sort | diff - "$scratch/got"
}

# Of several names of an address, one that pahole describes comes first, then a global one, then that
# of the definition, then __x64_ before __ia32_, and then the first by strcmp.
test_several_of_an_address() {
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
	section .BTF "$scratch/names" |
		sed 's/z_static/a_global/; s/z_local/nowhere/; s/__do_sys_call/__ia32_sys_ca/' >"$scratch/names.btf"
	annotated "$scratch/names" --btf "$scratch/names.btf"
	has_names a_global z_local __x64_sys_call z_label
}

# alike.c, with a static function, and alike.2.c, with a global one of the same name and prototype
alike() {
	object "$scratch/alike.2.o" <<-'C'
	long sink;
	__attribute__((noinline)) int alike(int a) { return sink += a; }
	long use_2(long a) { return alike(a) + alike(a + 1); }
	C
	small alike "$scratch/alike.2.o" <<-'C'
	#ifdef __clang__
	__attribute__((btf_decl_tag("bpf_kfunc")))
	#endif
	static __attribute__((noinline)) int alike(int a) { extern long sink; return sink -= a; }
	int (*volatile use_1)(int) = alike;
	C
}

# pahole's FUNC, which loaders find by name, goes to the lowest address, which kallsyms has first.
test_of_several_functions_the_first_address() {
	alike
	dumped "^$(at alike 't alike')\t$(func_id "$scratch/alike" alike)\t"
	dumped "^$(at alike 'T alike')\t"
	# pahole's threads may write one with another prototype in front of it
	section .BTF "$scratch/alike" >"$scratch/alike.raw"
	mutate spare "$scratch/alike.raw" "$scratch/alike.btf" alike use_2
	annotated "$scratch/alike" --btf "$scratch/alike.btf"
	[[ $(grep -c ' alike(' "$scratch/dump") = 2 ]]
	grep ' alike(' "$scratch/dump" | head -n 1 | grep "^$(at alike 't alike')	"
}

# pahole tags kfuncs by name. They are global.
test_tag_of_a_kfunc() {
	local CC=clang id

	alike
	id=$(sed -n "s/^$(at alike 'T alike')\t\([0-9]*\)\t.*/\1/p" "$scratch/dump")
	types_of "$scratch/alike" | grep "DECL_TAG 'bpf_kfunc' type_id=$(func_id "$scratch/alike" alike) "
	grep "DECL_TAG 'bpf_kfunc' type_id=$id " "$scratch/raw"
}

# In a module it goes to the first in the symbol table: local symbols come before global ones.
test_in_a_module_the_first_symbol() {
	local ko=$scratch/alike.ko id

	alike
	link_module "$ko" "$scratch/alike.2.o" "$scratch/alike.o"
	nm -p "$ko" | grep ' alike$' >"$scratch/symbols"
	head -n 1 "$scratch/symbols" | grep ' t alike'
	sort "$scratch/symbols" | head -n 1 | grep ' T alike'
	id=$(func_id "$ko" alike -B "$kernel.btf.legacy")
	annotated_module "$ko"
	dumped "^.text\+0x$(nm "$ko" | sed -n 's/^0*\([0-9a-f]*\) t alike$/\1/p')\t$id\t"
	[[ $(grep -c '^.text.* alike(int a);' "$scratch/dump") = 2 ]]
}

# traceable_c >C - functions that ftrace can patch, and others
traceable_c() {
	cat <<-'C'
	long sink;
	struct s { long a, b; };
	#define noinline __attribute__((noinline))
	#define used __attribute__((used))
	#define quiet __attribute__((QUIET))
	noinline int traced(int a) { return sink += a; }
	#define unlikely __attribute__((section(".text.unlikely")))
	unlikely static used int hidden(int a) { return sink += 2 * a; }
	unlikely static used quiet int shown(int a) { return sink += 3 * a; }
	static used quiet int listed(int a) { return sink += 10 * a; }
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

# twins_c [, QUIET] >C - a function of a name that others have
twins_c() {
	echo "extern long sink; static __attribute__((used$1)) int twin(int a) { return sink += a; }"
}

# The section with the places that ftrace patches, for the assembler; what makes the compiler leave such
# places, and what makes it leave none in a function.
TABLE='__mcount_loc, "a", @progbits'
SITES=-mrecord-mcount
QUIET=no_instrument_function

# traceable_o FLAG... - compile traceable_c, and twins_c thrice: ftrace can patch the second twin
traceable_o() {
	local cc=("${CC:-${CROSS}gcc}" "${CFLAGS[@]}" "$SITES" "-DQUIET=$QUIET" "-DTABLE=\"${TABLE//\"/\\\"}\"" "$@" -g -c -x c -)

	{
		twins_c ', QUIET'
		echo 'static __attribute__((used, QUIET)) long hidden(long b) { return sink -= b; }'
		echo 'static __attribute__((used, QUIET)) int listed(int a) { return sink += 9 * a; }'
		echo 'static __attribute__((used)) long shown(long b) { return sink -= 2 * b; }'
	} | "${cc[@]}" -o "$scratch/twin.1.o"
	twins_c '' | "${cc[@]}" -o "$scratch/twin.2.o"
	twins_c ', QUIET' | "${cc[@]}" -o "$scratch/twin.3.o"
	traceable_c | "${cc[@]}" -o "$scratch/traceable.o"
}

# want_traceable - Of traceable_c and twins_c.
want_traceable() {
	local name

	if [[ ${CC:-gcc} != clang* ]]; then
		left_out 'silent\.[a-z0-9.]*' 'ftrace cannot patch it$'
		dumped '^[^-].* renamed\.[a-z0-9.]*isra\.0\('
		not_dumped silent
	fi
	left_out twin 'ftrace cannot patch it$'
	not_dumped ' shown\(int'
	for name in shown traced described use; do
		dumped "^[^-].*[ *]$name\\("
	done
	for name in twin listed; do
		[[ $(grep -cP "^[^-].*$name\\(int a\\);" "$scratch/dump") = 2 ]]
	done
}

# traceable FLAG... - a function that pahole doesn't describe gets a FUNC if ftrace can patch it
traceable() {
	traceable_o "$@"
	link_kernel "$scratch/traceable" --defsym=__start_mcount_loc="__start_${TABLE%%,*}" \
		--defsym=__stop_mcount_loc="__stop_${TABLE%%,*}" "$scratch"/{twin.{1,2,3},traceable}.o
	annotated "$scratch/traceable"
	want_traceable
	# pahole describes the second one, and the kernel finds the first
	left_out hidden 'ftrace cannot patch it$'
	grep '^0x.* hidden(' "$scratch/dump" >"$scratch/out"
	[[ $(cut -f 2,4 "$scratch/out") = "$(func_id "$scratch/traceable" hidden)	int hidden(int a);" ]]
	# the table tells; without one, all can be patched
	"${CROSS}objcopy" --strip-symbol __start_mcount_loc "$scratch/traceable" "$scratch/no-table"
	"$BTFADDR" "$scratch/no-table" --left-out >"$scratch/out"
	refute grep 'ftrace cannot patch it' "$scratch/out"
}

# traceable_module FLAG... - in modules the table has relocations
traceable_module() {
	local ko=$scratch/traceable.ko

	traceable_o "$@"
	link_module "$ko" "$scratch"/{twin.{1,2,3},traceable}.o
	has_section "$ko" __patchable_function_entries
	annotated_module "$ko"
	want_traceable
}

# arm64_traceable TEST CC SITES PROTECTION - On arm64 the table of ftrace's places has the entry, what is
# behind a landing pad, or two nops before both.
arm64_traceable() {
	local TABLE='__patchable_function_entries, "awo", @progbits, .Lsite%=' QUIET='patchable_function_entry(0)'
	local CC='' SITES=-fpatchable-function-entry=$3 target=()

	if [[ $2 != gcc ]]; then
		needs "$2"
		CC=$2 target=(--target=aarch64-linux-gnu)
	fi
	"$1" -mbranch-protection="$4" "${target[@]}"
}

tests=()
compilers=(gcc)
[[ -n ${QUICK:-} ]] || compilers+=(clang-19)
for compiler in "${compilers[@]}"; do
	for sites in 2 4,2; do
		tests+=("on_arm64 arm64_traceable traceable"{,_module}" $compiler $sites "{none,standard})
	done
done
# __patchable_function_entries has the padding of all functions there
run_tests traceable "traceable -fcf-protection=branch" \
	"traceable_module -fpatchable-function-entry=16,16" "${tests[@]}"
