// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attaches a tracing_multi program to several BTF ids and detaches it. Of two ids that are of
 * one function a kernel without 0002-ftrace-*.patch takes both, and WARNs at the end:
 *
 *   gcc -I LINUX/tools/include/uapi -o two-ids two-ids.c
 *   ./two-ids ID ID...            ids of vmlinux, as those of an alias
 *   ./two-ids -o OBJECT ID ID...  in the BTF of a module, as one of it and one of vmlinux
 *                                 with the same name
 *
 * Status: 0 attached and detached, 1 refused, 2 wrong usage.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>
#include <linux/bpf.h>

#define MAX_IDS 64

static int bpf(int cmd, union bpf_attr *attr)
{
	return syscall(__NR_bpf, cmd, attr, sizeof(*attr));
}

static int btf_fd(__u32 object)
{
	union bpf_attr attr = { .btf_id = object };

	return bpf(BPF_BTF_GET_FD_BY_ID, &attr);
}

static int load(int btf)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },	/* r0 = 0 */
		{ .code = BPF_JMP | BPF_EXIT },
	};
	static char log[4096];
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_TRACING,
		.expected_attach_type = BPF_TRACE_FENTRY_MULTI,
		.insns = (unsigned long)insns,
		.insn_cnt = 2,
		.license = (unsigned long)"GPL",
		.log_level = 1,
		.log_buf = (unsigned long)log,
		.log_size = sizeof(log),
		.attach_btf_obj_fd = btf,
	};
	int fd = bpf(BPF_PROG_LOAD, &attr);

	if (fd < 0)
		fprintf(stderr, "load: %s\n%s", strerror(errno), log);
	return fd;
}

int main(int argc, char **argv)
{
	__u32 ids[MAX_IDS], object = 0;
	union bpf_attr attr = {};
	int prog, link, opt, btf = 0, cnt = 0;

	while ((opt = getopt(argc, argv, "o:")) != -1) {
		if (opt != 'o')
			return 2;
		object = atoi(optarg);
	}
	while (optind < argc && cnt < MAX_IDS)
		ids[cnt++] = atoi(argv[optind++]);
	if (!cnt || optind < argc)
		return 2;
	if (object)
		btf = btf_fd(object);
	prog = btf < 0 ? -1 : load(btf);
	if (prog < 0)
		return 1;
	attr.link_create.prog_fd = prog;
	attr.link_create.attach_type = BPF_TRACE_FENTRY_MULTI;
	attr.link_create.tracing_multi.ids = (unsigned long)ids;
	attr.link_create.tracing_multi.cnt = cnt;
	link = bpf(BPF_LINK_CREATE, &attr);
	if (link < 0) {
		fprintf(stderr, "attach: %s\n", strerror(errno));
		return 1;
	}
	close(link);
	printf("attached and detached\n");
	return 0;
}
