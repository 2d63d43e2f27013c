// SPDX-License-Identifier: GPL-2.0-only
/* A user's programs that read arguments by name. One argument doesn't exist. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <fentry.bpf.h>

struct bpf_iter_aux_info;
struct bpf_map;
struct open_how;

/* This name is unique, so bpftool finds the function, too. */
SEC("fentry/bpf_iter_map_fill_link_info")
int FENTRY_PROG(unique, const struct bpf_iter_aux_info *aux)
{
	bpf_printk("unique %d", aux != 0);
	return 0;
}

SEC("?fentry")
int FENTRY_PROG(named, struct bpf_iter_aux_info *aux)
{
	bpf_printk("named %d", aux != 0);
	return 0;
}

SEC("?fentry")
int FENTRY_PROG(other, struct bpf_iter_aux_info *aux, struct bpf_map *map)
{
	bpf_printk("other %d", map != 0);
	return 0;
}

/* The program leaves out the second parameter. */
SEC("?fentry/do_sys_openat2")
int FENTRY_PROG(opened, int dfd, struct open_how *how)
{
	bpf_printk("opened %d %d", dfd, how != 0);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
