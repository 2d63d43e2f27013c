# SPDX-License-Identifier: GPL-2.0-only
# BTF in which each unit has its own copies of types, because libbpf could not merge them.
# Sourced by run.sh.

build_copies()
{
	local out=$1 file

	rm -rf "$out.o"
	mkdir "$out.o"
	"$HERE/copies.py" write "$out.o"
	for file in "$out.o"/unit*.c; do
		gcc "${CFLAGS[@]}" -g -c "$file" -o "$file.o"
	done
	link_kernel "$out" "$out.o"/*.o
}

# A struct in BTF from another build isn't taken for another struct of its name: both are there in
# the end. same_name "MEMBERS IN THE BTF" "MEMBERS IN THE FILE"
same_name()
{
	local out=$WORK/same_name

	echo "struct thing { $1 } *thing;" | gcc -g -c -x c - -o "$out.o"
	pahole -J "$out.o"
	section .BTF "$out.o" >"$out.raw"
	echo "struct thing { $2 }; long f(struct thing *t) { return (long)t->a; }" |
		gcc "${CFLAGS[@]}" -g -c -x c - -o "$out.o"
	link_kernel "$out" "$out.o"
	"$BTFADDR" "$out" --btf "$out.raw" --legacy -o "$out.full"
	bpftool btf dump file "$out.full" | tee "$out.dump"
	[ "$(grep -c "STRUCT 'thing' " "$out.dump")" = 2 ]
}

copies()
{
	local out=$WORK/copies rc

	check "copies of types: builds" build_copies "$out"
	[ $rc = 0 ] || return 0
	check "copies of types: each function has its own" eval \
		'"$BTFADDR" --legacy "$out" -o "$out.btf" && bpftool -j btf dump file "$out.btf" | "$HERE/copies.py" check'
	check "copies of types: same on any number of threads" threads "$out"
	check "types: of one name, and other sizes" same_name "long a, b;" "int a;"
	check "types: of one name and size, and other members" same_name "int a, b;" "long a;"
	check "types: of one name and size, and members of other types" \
		same_name "struct other *a;" "char *a;"
}
