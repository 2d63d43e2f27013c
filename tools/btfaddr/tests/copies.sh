#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# BTF in which each unit has its own copies of types, because libbpf could not merge them.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# Each function has its own, on any number of threads.
test_copies_of_types() {
	local out=$scratch/copies file

	mkdir "$out.o"
	"$here/copies.py" write "$out.o"
	for file in "$out.o"/unit*.c; do
		gcc "${CFLAGS[@]}" -g -c "$file" -o "$file.o"
	done
	link_kernel "$out" "$out.o"/*.o
	"$BTFADDR" --legacy "$out" -o "$out.btf"
	bpftool -j btf dump file "$out.btf" | "$here/copies.py" check
	same_on_threads "$out"
}

# A struct in BTF from another build isn't taken for another struct of its name: both are there in
# the end: same_name "MEMBERS IN THE BTF" "MEMBERS IN THE FILE".
same_name() {
	local out=$scratch/same_name

	btf_of "$out.raw" <<<"struct thing { $1 } *thing;"
	echo "struct thing { $2 }; long f(struct thing *t) { return (long)t->a; }" |
		object "$out.o"
	link_kernel "$out" "$out.o"
	"$BTFADDR" "$out" --btf "$out.raw" --legacy -o "$out.full"
	bpftool btf dump file "$out.full" | tee "$out.dump"
	[[ $(grep -c "STRUCT 'thing' " "$out.dump") = 2 ]]
}

test_types_of_one_name_and_other_sizes() { same_name "long a, b;" "int a;"; }

test_types_of_one_name_and_size_and_other_members() { same_name "int a, b;" "long a;"; }

test_types_of_one_name_and_size_and_members_of_other_types() {
	same_name "struct other *a;" "char *a;"
}

run_tests
