#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the documentation: that links lead somewhere, and that examples work. Needs nothing that
# is built.
# shellcheck disable=SC2154 # status, out and scratch come from taplib.sh
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
repo=${here%/tools/docs}
. "$repo/tools/harness/taplib.sh"
unset MAKEFLAGS MFLAGS MAKELEVEL

# documents - Print the repository's Markdown files.
documents() {
	git -C "$repo" ls-files -co --exclude-standard -- '*.md' | while read -r file; do
		[[ ! -e $repo/$file ]] || printf '%s\n' "$repo/$file"
	done
}

test_each_link_leads_somewhere() {
	local files

	mapfile -t files < <(documents)
	[[ ${#files[@]} -gt 5 ]] || fail "only ${#files[@]} files"
	"$here/links.py" "${files[@]}"
}

test_links_to_nowhere_are_named() {
	mkdir "$scratch/docs"
	printf '# One\n## A `b_c`: d, e\n## One\n' >"$scratch/docs/other.md"
	cat >"$scratch/a.md" <<-'END'
		# Top-level: x
		[a](docs/other.md) [b](docs/) ![c](a.md)
		[d](#top-level-x) [e](docs/other.md#a-b_c-d-e) [f](docs/other.md#one-1) [g](https://x.test/nosuch)
		`[a](code)`, and what follows is code, too

		    [b](code)

		```
		# code
		[c](code)
		```
		[h]: docs/other.md
		[a](docs/nosuch.md) [b](docs/other.md#two) [c](#code) [d](/docs)
		[i]: gone
	END
	run "$here/links.py" "$scratch/a.md"
	want_status 1
	[[ ${out//$scratch\//} == "a.md: docs/nosuch.md: no such file
a.md: docs/other.md#two: no such heading
a.md: #code: no such heading
a.md: /docs: no such file
a.md: gone: no such file" ]] || fail "$out"
}

# Runs the example of docs/loaders.md on BTF of some functions, and on a kallsyms_btf that gives
# several of them one name.
test_the_example_for_loaders_resolves_names() {
	local spec want name

	fence "$repo/docs/loaders.md" "python resolve.py" | sed "s,/sys/kernel/btf/,$scratch/,; s,/proc/,$scratch/," \
		>"$scratch/resolve.py"
	diff <(grep -oP '"\.\K\w+(?=\.",)' "$repo/tools/fentry/lib/spec.c") \
		<(sed -nE 's/^copies = .*\\\.\((.*)\)\\.*/\1/p' "$scratch/resolve.py" | tr '|' '\n') ||
		fail "libfentry knows other suffixes"
	cat >"$scratch/a.c" <<-'EOF'
		#define UNIT(u) __attribute__((btf_decl_tag("cu:" u), noinline))
		UNIT("kernel/bpf/map_iter.c") int one(int n) { return n; }
		UNIT("net/core/storage.c") int two(int n) { return n + 1; }
		UNIT("net/xmap_iter.c") int three(int n) { return n + 2; }
		UNIT("net/xmap_iter.c") __attribute__((btf_decl_tag("file:net/in.c")))
		int four(int n) { return n + 3; }
		int five(int n) { return n + 4; }
	EOF
	clang -target bpf -O2 -g -c "$scratch/a.c" -o "$scratch/vmlinux"
	PATH=$PATH:/usr/sbin
	bpftool btf dump file "$scratch/vmlinux" >"$scratch/dump"
	for name in one two three four five; do
		eval "$name=$(sed -nE "s/^\\[([0-9]+)\\] FUNC '$name' .*/\\1/p" "$scratch/dump")"
	done
	printf 'ffffffff81000000 t %s\n' $'s_next\t1:'"$one" $'s_next\t1:'"$two" \
		$'s_next.llvm.77\t1:'"$three" $'f.llvm.12\t1:'"$four" $'f.llvm.a\t1:'"$two" \
		$'s_next\t[mod]\t2:'"$four" $'f\t[mod]\t2:'"$one" $'g.isra.0.constprop.1\t1:'"$five" \
		$'g.part.0\t1:'"$two" >"$scratch/kallsyms_btf"
	while read -r spec want; do
		run python3 "$scratch/resolve.py" "$spec"
		[[ ${out//$'\n'/ } == "$want" ]] || fail "$spec: '$out', want '$want'"
	done <<-EOF
		s_next $one kernel/bpf/map_iter.c $two net/core/storage.c $three net/xmap_iter.c
		s_next@map_iter.c $one kernel/bpf/map_iter.c
		s_next@bpf/map_iter.c $one kernel/bpf/map_iter.c
		s_next@xmap_iter.c $three net/xmap_iter.c
		s_next@iter.c
		f $four net/in.c
		f@in.c $four net/in.c
		f@xmap_iter.c $four net/in.c
		g $five -
		g@a.c the unit of g isn't known
		g.part
		s_next.llvm.77@map_iter.c
	EOF
}

test_prose_is_wrapped() {
	local files

	mapfile -t files < <(documents)
	# The limit is near 100 columns. Tables, code, links and titles can't be wrapped.
	run awk 'FNR == 1 { fence = 0 } /^```/ { fence = !fence }
		!fence && !/^(\||#|    )/ && !/^[^ ]*\]\([^ ]*$/ && length > 104 {
			print FILENAME ":" FNR ": " length " columns" }' "${files[@]}"
	[[ -z $out ]] || fail "$out"
}

run_tests
