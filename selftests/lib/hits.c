// SPDX-License-Identifier: GPL-2.0-only
/* Works with stock libbpf: a section handler sets the id, so that libbpf looks up no name. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "hits.h"
#include "hits.skel.h"

struct hits {
	struct hits_bpf *skel;
	struct bpf_link *link;
};

static int fd_to_load;
static __u32 id_to_load;

static int prepare_load(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	(void)prog;
	(void)cookie;
	opts->expected_attach_type = BPF_TRACE_FENTRY;
	opts->attach_btf_obj_fd = fd_to_load;
	opts->attach_btf_id = id_to_load;
	return 0;
}

static int register_handler(void)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .prog_prepare_load_fn = prepare_load);
	static int id;

	if (!id)
		id = libbpf_register_prog_handler("by_id", BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY,
						  &opts);
	return id < 0 ? id : 0;
}

int hits__load_for(int btf_fd, __u32 btf_id, char *log, size_t log_size, struct hits **ret)
{
	struct hits *h;
	int err;

	err = register_handler();
	if (err)
		return err;
	h = calloc(1, sizeof(*h));
	if (!h)
		return -ENOMEM;
	h->skel = hits_bpf__open();
	if (!h->skel) {
		err = -errno;
		goto err_free;
	}
	if (log)
		bpf_program__set_log_buf(h->skel->progs.count, log, log_size);
	fd_to_load = btf_fd;
	id_to_load = btf_id;
	err = hits_bpf__load(h->skel);
	if (err)
		goto err_free;
	*ret = h;
	return 0;

err_free:
	hits__free(h);
	return err;
}

int hits__load(__u32 btf_id, char *log, size_t log_size, struct hits **ret)
{
	return hits__load_for(0, btf_id, log, log_size, ret); /* vmlinux */
}

int hits__clone(const struct hits *h, __u32 btf_id, char *log, size_t log_size)
{
	const struct bpf_program *prog = h->skel->progs.count;
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_FENTRY,
		    .attach_btf_id = btf_id, .log_buf = log, .log_size = log_size, .log_level = 1);

	*log = '\0';
	return bpf_prog_load(BPF_PROG_TYPE_TRACING, "count", "GPL", bpf_program__insns(prog),
			     bpf_program__insn_cnt(prog), &opts);
}

int hits__attach(struct hits *h)
{
	h->link = bpf_program__attach_trace(h->skel->progs.count);
	return h->link ? 0 : -errno;
}

void hits__detach(struct hits *h)
{
	bpf_link__destroy(h->link);
	h->link = NULL;
}

void hits__free(struct hits *h)
{
	if (!h)
		return;
	hits__detach(h);
	hits_bpf__destroy(h->skel);
	free(h);
}

void hits__only_self(struct hits *h)
{
	h->skel->bss->only_tgid = getpid();
}

__u64 hits__count(const struct hits *h)
{
	return h->skel->bss->hits;
}

__u64 hits__func_ip(const struct hits *h)
{
	return h->skel->bss->func_ip;
}
