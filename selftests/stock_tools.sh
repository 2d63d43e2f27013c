#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Debian's own bpftool, bpftrace, pahole and drgn, on a kernel whose build put addresses into BTF. They
# don't know of addresses, and must work as ever. TAP; runs on the patched kernel.
. "$(dirname -- "${BASH_SOURCE[0]}")/../tools/harness/taplib.sh"

"${BASH_SOURCE[0]%/*}/lib/built_kernel" || exit
need VMLINUX MODULES
readonly VMLINUX_BTF=/sys/kernel/btf/vmlinux
# mkdir in tmpfs calls it. No compiler inlines it, as it is only called by inode_operations.
readonly FUNC=shmem_mkdir
# Two functions have this name.
readonly TWIN=bpf_iter_detach_map

# Protocols, or the kernel's interface to programs, say what size these have.
readonly SIZES='bpf_insn 8
iphdr 20
ipv6hdr 40
sockaddr_in6 28
tcphdr 20
udphdr 8'

# to(file, command...) - Like taplib's run, for output that is too long for a variable.
to() {
	local file=$1

	shift
	status=0 out=
	"$@" >"$scratch/$file" 2>"$scratch/$file.err" </dev/null || {
		status=$?
		out=$(tail -n 5 "$scratch/$file.err")
	}
}

# ids(name) - The type ids that the kernel lists for a function, sorted.
ids() {
	awk -F '[ \t:]' -v name="$1" '$3 == name { print $NF }' /proc/kallsyms_btf | sort
}

test_bpftool_dumps_the_types_raw() {
	local name

	to raw bpftool btf dump file "$VMLINUX_BTF" format raw
	want_status 0
	if [[ ! -e /proc/kallsyms_btf ]]; then	# CONFIG_DEBUG_INFO_BTF_FUNC_ADDR=n
		[[ $(grep -cE "^\[[0-9]+\] FUNC '($FUNC|$TWIN)' " "$scratch/raw") -eq 2 ]] ||
			fail "not one $FUNC and one $TWIN"
		return
	fi
	for name in "$FUNC" "$TWIN"; do
		sed -n "s/^\[\([0-9]*\)\] FUNC '$name' .*/\1/p" "$scratch/raw" | sort >"$scratch/dumped"
		ids "$name" | diff "$scratch/dumped" - || fail "ids of $name: dumped <, listed >"
	done
	[[ $(wc -l <"$scratch/dumped") -eq 2 ]] || fail "$(<"$scratch/dumped")"
	[[ $(grep -c "^\[[0-9]*\] DECL_TAG 'cu:.*/\(map_iter\|bpf_sk_storage\)\.c' type_id=\($(
		paste -sd '|' "$scratch/dumped" | sed 's/|/\\|/')\) " "$scratch/raw") -eq 2 ]] ||
		fail "no tag for each of: $(paste -sd ' ' "$scratch/dumped")"
}

test_bpftool_dumps_the_types_as_c_that_compiles() {
	local name size

	to vmlinux.h bpftool btf dump file "$VMLINUX_BTF" format c
	want_status 0
	while read -r name size; do
		echo "_Static_assert(sizeof(struct $name) == $size, \"$name\");"
	done <<<"$SIZES" >"$scratch/sizes.c"
	run gcc -w -fsyntax-only -include "$scratch/vmlinux.h" "$scratch/sizes.c"
	want_status 0
}

test_pahole_prints_structs_with_their_sizes() {
	to sizes pahole --sizes "$VMLINUX_BTF"
	want_status 0
	awk '{ print $1, $2 }' "$scratch/sizes" | grep -xF "$SIZES" | sort -u |
		diff - <(sort <<<"$SIZES") || fail "sizes: printed <, known >"
	to list_head pahole -C list_head "$VMLINUX_BTF"
	want_status 0
	tr -s ' \t\n' ' ' <"$scratch/list_head" >"$scratch/line"
	grep -qF "struct list_head { struct list_head * next; /* 0 8 */ struct list_head * prev; /* 8 8 */ /* size: 16," \
		"$scratch/line" || fail "$(<"$scratch/list_head")"
}

# One bpftrace uses every kind of probe, and meanwhile starts the other tools.
test_bpftrace_probes_and_bpftool_shows_them() {
	local dir=$scratch/of_$FUNC prog

	cat >"$scratch/inside" <<-END
		mkdir $dir
		bpftool prog show >$scratch/progs
		bpftool link show >$scratch/links
	END
	run bpftrace -c "/usr/bin/bash $scratch/inside" -e "
		kfunc:$FUNC { printf(\"kfunc %s\\n\", str(args->dentry->d_name.name)); }
		kretfunc:$FUNC { printf(\"kretfunc %d %s\\n\", retval, str(args->dentry->d_name.name)); }
		kprobe:$FUNC { printf(\"kprobe %s\\n\", str(((struct dentry *)arg2)->d_name.name)); }
		tracepoint:syscalls:sys_enter_mkdir { printf(\"tracepoint %s\\n\", str(args->pathname)); }"
	want_status 0
	want_text "kfunc of_$FUNC"
	want_text "kretfunc 0 of_$FUNC"
	want_text "kprobe of_$FUNC"
	want_text "tracepoint $dir"
	# newer ones call it fentry_vmlinux_shmem_mkdir_1
	prog=$(sed -nE "s/^([0-9]+): tracing  name ($FUNC|fentry_vmlinux_${FUNC}_1)  .*/\1/; T; p; q" \
		"$scratch/progs")
	[[ -n $prog ]] || fail "no program on $FUNC: $(<"$scratch/progs")"
	grep -qxE "[0-9]+: tracing  prog $prog +" "$scratch/links" ||
		fail "no link of program $prog: $(<"$scratch/links")"
	grep -A 1 "  prog $prog " "$scratch/links" | grep 'attach_type trace_f' >/dev/null ||
		fail "link of another type: $(<"$scratch/links")"
}

test_bpftrace_lists_a_function_and_its_arguments() {
	run bpftrace -lv "kfunc:$FUNC"
	want_status 0
	grep -qxE "(kfunc|fentry):vmlinux:$FUNC" <<<"$out" || fail "not listed: $out"
	want_text "struct dentry * dentry"
	case $(uname -r) in
	6.12.*) want_text "int retval" ;;
	*) want_text "struct dentry * retval" ;;
	esac
}

# The test btf_object compares that of vmlinux with what the kernel has.
#
# The file as it is built, and as it is installed. Since 7.3, modules that are built outside of the
# tree have a .BTF.base, which these tools need as an option.
test_bpftool_and_pahole_read_the_file_of_a_module() {
	local file base=$VMLINUX

	objcopy --only-section=.BTF.base --dump-section ".BTF.base=$scratch/base" \
		"$MODULES/kinds.ko" "$scratch/elf" 2>/dev/null || :
	[[ ! -s $scratch/base ]] || base=$scratch/base

	strip --strip-debug -o "$scratch/stripped.ko" "$MODULES/kinds.ko"
	for file in "$MODULES/kinds.ko" "$scratch/stripped.ko"; do
		to dump bpftool -B "$base" btf dump file "$file" format raw
		want_status 0
		grep -q "^\[[0-9]*\] FUNC 'call_members['.]" "$scratch/dump" || fail "no functions of kinds"
		! grep -q '(invalid' "$scratch/dump" || fail "$(grep '(invalid' "$scratch/dump")"
		to structs pahole -F btf --btf_base "$base" -C kinds_wide "$file"
		want_status 0
		grep -q '^struct kinds_wide {' "$scratch/structs" || fail "no structure of kinds"
	done
}

# drgn finds both functions of a name by DWARF alone, at the addresses that the kernel lists.
test_drgn_reads_the_running_kernel() {
	cat >"$scratch/look.py" <<-END
		print("comm", prog["init_task"].comm.string_().decode())
		for unit in "kernel/bpf/map_iter.c", "net/core/bpf_sk_storage.c":
		    print(f"{prog.function('$TWIN', unit).address_:x}")
	END
	run drgn --no-default-symbols -k -s "$VMLINUX" "$scratch/look.py"
	want_status 0
	want_text "comm swapper/0"
	[[ -e /proc/kallsyms_btf ]] || return 0
	diff <(grep -oE '^[0-9a-f]{16}$' <<<"$out" | sort) <(awk -v name="$TWIN" '$3 == name { print $1 }' \
		/proc/kallsyms_btf | sort) || fail "addresses by drgn <, by the kernel >"
}

run_tests
