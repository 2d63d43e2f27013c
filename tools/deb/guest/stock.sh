#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in an initramfs, on a distribution's kernel, with the file that fentry-files wrote of it.
# fentry must find the file, print the arguments that user space passed, count as many calls as
# kprobes do, and leave the kernel's work as it is. Prints TAP.
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
. "$here/../../harness/taplib.sh"

readonly lib=$here/../../../lib		# of the selftests
readonly twice=bpf_iter_detach_map
INLINED=/lib/modules/$(</proc/sys/kernel/osrelease)/btf
export FENTRY=fentry INLINED

# the numbers of system calls
case $(uname -m) in
x86_64) readonly semctl=66 msgctl=71 pselect=270 ;;
aarch64) readonly semctl=191 msgctl=187 pselect=72 ;;
esac

masks=(449 450 451 452 453 454 455)	# 0701 to 0707

details() {
	head -n 30 /run/out /run/err
}

test_arguments() {
	local mask seen=0

	fentry trace --inlined __do_sys_umask -- \
		python3 -c "import os; [os.umask(mask) for mask in ($(printf '%s, ' "${masks[@]}"))]" \
		>/run/out 2>/run/err
	report $? "trace --inlined finds the files, and ends well"
	for mask in "${masks[@]}"; do
		[[ $(grep -cE "__do_sys_umask@kernel/sys\.c\(mask=$mask\) in " /run/out) -eq 1 ]] || seen=1
	done
	report $seen "trace --inlined: ${#masks[@]} calls, with their arguments"
}

# It depends on the kernel which of the functions the workload calls.
test_counts() {
	"$lib/inlined_counts.py" witness "$lib/workload.py" --pick "${FUNCTIONS:?}" \
		--called $((FUNCTIONS / 4)) >/run/out 2>/run/err
	report_lines </run/out
	[[ $(grep -cE '^(not )?ok ' /run/out) -eq $((FUNCTIONS + 1)) ]]
	report $? "all functions were compared"
}

# Each of the two is called another number of times.
test_both_apart() {
	local i units=(map_iter.c bpf_sk_storage.c) calls=(3 5)

	for i in 0 1; do
		fentry trace "$twice@${units[i]}" --count -- \
			sh -ec "trigger map_elem 3; trigger sk_storage 5" >/run/out 2>/run/err
		[[ $(awk -v name="$twice" 'index($0, name) && $1 ~ /^[0-9]+$/ { n += $1 } END { print n + 0 }' \
			/run/out) -eq ${calls[i]} ]]
		report $? "$twice@${units[i]}: ${calls[i]} of 8 calls"
	done
}

# count SPEC FILE - Print how many calls fentry counts while this file is read.
count() {
	fentry trace "$1" --count -- cat "$2" 2>>/run/err | awk -v name="${1%@*}" \
		'index($0, name) && $1 ~ /^[0-9]+$/ { n += $1 } END { print n + 0 }'
}

# pahole 1.32 writes no FUNC for names like these. Reading a file of /proc calls one function of the
# name, and running a program one load_elf_binary().
test_namesakes() {
	local lines calls one=fs/namespace.c two=kernel/module/procfs.c

	: >/run/out
	# tracing adds some symbols
	lines=$(wc -l </proc/kallsyms) calls=$(count s_next@kernel/kallsyms.c /proc/kallsyms)
	[[ $calls -ge $lines && $calls -lt $((lines + 100)) && $(count s_next@kernel/kallsyms.c /proc/mounts) -eq 0 ]]
	report $? "s_next@kernel/kallsyms.c has $calls calls for the $lines lines of /proc/kallsyms, and no other"
	[[ -e /sys/module/tun ]] || insmod tun.ko
	[[ $(count m_next@$one /proc/mounts) -gt 0 && $(count m_next@$one /proc/modules) -eq 0 &&
	   $(count m_next@$two /proc/modules) -gt 0 && $(count m_next@$two /proc/mounts) -eq 0 ]]
	report $? "m_next@$one is called for /proc/mounts alone, m_next@$two for /proc/modules"
	for lines in "cat /dev/null; :" "cat /dev/null; cat /dev/null; :"; do
		fentry trace load_elf_binary@fs/binfmt_elf.c --count -- sh -c "$lines" 2>>/run/err
	done >/run/out
	[[ $(awk '/load_elf_binary/ && $1 ~ /^[0-9]+$/ { print $1 }' /run/out) == $'2\n3' ]]
	report $? "load_elf_binary@fs/binfmt_elf.c has the calls of 2 and of 3 programs"
}

# x86's compiler has made a copy for each version that the system call doesn't pass, and arm64's has
# inlined both.
test_arguments_of_copies() {
	fentry trace --inlined ksys_semctl ksys_msgctl -- python3 -c "import ctypes
libc = ctypes.CDLL(None)
for n in range(1001, 1005): libc.syscall($semctl, n, n + 1, 12, 0); libc.syscall($msgctl, n, 2, 0)" \
		>/run/out 2>/run/err
	[[ $(grep -cE 'semctl.*\(semid=(100[1-4]), semnum=(100[2-5]), cmd=12[,)]' /run/out) -eq 4 &&
	   $(grep -cE 'msgctl.*\(msqid=(100[1-4]), cmd=2[,)]' /run/out) -eq 4 ]]
	report $? "ksys_semctl() and ksys_msgctl(), copied or inlined, have the arguments of the system calls"
}

# mm_init() is called once for each process. The FUNC in 6.1 is another one's, which takes nothing.
# 7.3's has two arguments.
test_mm_init() {
	local last=', user_ns=0xf'

	[[ $(</proc/sys/kernel/osrelease) != 7.* ]] || last='\)'
	fentry trace mm_init -- sh -c 'true | cat; true | cat; true | cat' >/run/out 2>/run/err
	[[ $(grep -cE 'mm_init.*\(mm=0xf[0-9a-f]+ \(mm_struct\), p="?[a-z0-9].*'"$last" /run/out) -ge 5 ]]
	report $? "mm_init() has its arguments, and the kernel lives"
}

# Without the files no trampoline is attached by BTF that nobody has verified: mm_init() is the FUNC that
# would kill this kernel.
test_unverified() {
	local some=(vfs_read vfs_write vfs_open do_sys_openat2 ksys_read ksys_write vfs_fstat)

	mv "$INLINED" "$INLINED.off"
	fentry explain mm_init >/run/out 2>/run/err
	grep -q '^  traceable  yes, by a probe; its arguments are as BTF says, which nobody has verified' /run/out
	report $? "without files, explain: mm_init() is traced by a probe"
	fentry trace mm_init -- sh -c 'true | cat; true | cat' >/run/out 2>/run/err
	[[ $(grep -c 'mm_init(' /run/out) -ge 3 ]]
	report $? "without files, mm_init() is traced, and the kernel lives"
	fentry trace do_sys_openat2 --exit --if 'ret == -2' -- sh -c 'cat /no_such_file || :' >/run/out 2>/run/err
	[[ $(grep -cE 'do_sys_openat2\(.*"/no_such_file".* = -(2|ENOENT)' /run/out) -eq 1 ]]
	report $? "without files, arguments and result at an exit"
	fentry trace "${some[@]}" --exit --json -- cat /proc/version >/run/out 2>/run/err
	[[ $(grep -c '"traced_by":"\(kprobe_session\|kprobe_multi\|perf_event\)"' /run/out) -ge 5 &&
	   $(grep -vc '"traced_by":"[kp]' /run/out) -eq 1 ]]
	report $? "without files, ${#some[@]} functions by probes"
	mv "$INLINED.off" "$INLINED"
}

# Tasks have the numbers of the namespace that fentry is in.
test_namespace() {
	python3 -c 'import ctypes, os
libc = ctypes.CDLL(None)
libc.unshare(0x20020000)  # CLONE_NEWPID, CLONE_NEWNS
if not os.fork():
    libc.mount(b"none", b"/", None, 0x44000, None)  # MS_REC, MS_PRIVATE
    libc.mount(b"proc", b"/proc", b"proc", 0, None)
    os.execvp("fentry", "fentry trace vfs_read --follow --by pid,comm -- cat /proc/version".split())
os.wait()' >/run/out 2>/run/err
	grep -qE '^ +[1-9][0-9]*  +[2-9]  cat +vfs_read$' /run/out
	report $? "in a PID namespace, --follow, and the number of the task there"
}

# A trampoline that keeps too few registers makes the filter deny what it has.
test_bloom_filter() {
	grep -q ' t hash$' /proc/kallsyms || { report_skipped "hash() of a filter" "it is inlined"; return; }
	"$here/stock_counts.py" bloom >/run/out 2>/run/err
	report_lines <<<"$(grep 'ok - ' /run/out)"
	# 3 calls for each value. The kernel runs no program at a probe below bpf(), but counts the hits.
	grep -qE '(^ *| )1500 (.*hash$|calls came while)' /run/out /run/err
	report $? "hash() was traced meanwhile: 1500 calls"
}

# pselect() takes two arguments in a structure, and x86's do_pselect() has the last one on the stack. arm64's
# compiler has inlined that one, and icmp_route_lookup() has the code of an ICMP message there: port (3) or
# protocol (2) unreachable.
test_stack_argument() {
	local select="import ctypes
for size in range(1001, 1008):
    ctypes.CDLL(None).syscall($pselect, 0, 0, 0, 0, bytes(16), (ctypes.c_long * 2)(0, size))"

	fentry trace --inlined do_pselect -- python3 -c "$select" >/run/out 2>/run/err
	[[ $(grep -cE 'do_pselect.*, sigsetsize=100[1-7]' /run/out) -eq 7 ]]
	report $? "the 7th argument of do_pselect() is what 7 system calls passed"
	if [[ $(uname -m) == aarch64 ]]; then
		fentry trace icmp_route_lookup -- python3 -c 'from socket import *
for _ in range(4):
    socket(AF_INET, SOCK_DGRAM).sendto(b"", ("127.0.0.1", 9))
    unknown = bytes.fromhex("450000140000000040fd00007f0000017f000001")
    socket(AF_INET, SOCK_RAW, IPPROTO_RAW).sendto(unknown, ("127.0.0.1", 0))' >/run/out 2>/run/err
		[[ $(grep -oE 'icmp_route_lookup.*, type=3, code=[0-9]+' /run/out | sed 's/.*=//' | xargs) == \
		   "3 2 3 2 3 2 3 2" ]]
		report $? "the 9th argument of icmp_route_lookup() is what 8 packets caused"
	fi
	fentry run fentry_calls.bpf.o --target on_pselect=do_pselect -- python3 -c "$select" >/run/out 2>/run/err
	[[ $(grep -cE '100[1-7] of pselect$' /run/out) -eq 7 ]]
	report $? "a program has the 7th argument of do_pselect() in 7 calls"
}

# The compiler has removed one of the six parameters; the fourth says whether IFF_NAPI (16) is set.
test_module() {
	[[ -e /sys/module/tun ]] || insmod tun.ko
	fentry trace tun_attach -- python3 -c 'import fcntl, struct
for flags in (0x1001, 0x1011, 0x1001):
    fcntl.ioctl(open("/dev/net/tun"), 0x400454ca, struct.pack("16sH22x", b"", flags))' \
		>/run/out 2>/run/err
	[[ $(grep -oE 'tun_attach.* napi=[a-z]+' /run/out | sed 's/.*=//') == $'false\ntrue\nfalse' ]]
	report $? "tun_attach() of a module that was loaded later: what three devices passed"
}

test_entries() {
	"$here/stock_counts.py" counts "$lib/workload.py" >/run/out 2>/run/err
	report_lines </run/out
	grep -qE '^ok .* sweep' /run/out
	report $? "stock_counts.py ended well"
}

tap_begin
for name in ${TESTS:-arguments both_apart namesakes arguments_of_copies mm_init unverified namespace bloom_filter \
	stack_argument module entries counts}; do
	"test_$name"
done
tap_end
