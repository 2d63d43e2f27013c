// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "iters.h"
#include "iters.skel.h"

struct iters {
	struct iters_bpf *skel;
};

int iters__open(struct iters **ret)
{
	struct iters *it = calloc(1, sizeof(*it));

	if (!it)
		return -ENOMEM;
	it->skel = iters_bpf__open_and_load();
	if (!it->skel) {
		free(it);
		return -errno;
	}
	*ret = it;
	return 0;
}

void iters__close(struct iters *it)
{
	if (!it)
		return;
	iters_bpf__destroy(it->skel);
	free(it);
}

int iters__trigger(struct iters *it, enum iter_event event, unsigned int times)
{
	const struct bpf_program *prog = it->skel->progs.map_elem;
	struct bpf_map *map = it->skel->maps.elems;
	union bpf_iter_link_info info = {};
	LIBBPF_OPTS(bpf_iter_attach_opts, opts, .link_info = &info, .link_info_len = sizeof(info));
	struct bpf_link *link;

	if (event == ITER_SK_STORAGE) {
		prog = it->skel->progs.sk_storage;
		map = it->skel->maps.storage;
	}
	info.map.map_fd = bpf_map__fd(map);
	while (times--) {
		link = bpf_program__attach_iter(prog, &opts);
		if (!link)
			return -errno;
		bpf_link__destroy(link);
	}
	return 0;
}
