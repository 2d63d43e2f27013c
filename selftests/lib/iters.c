// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "iters.h"

int iters__trigger(struct iters_bpf *it, enum iter_event event, unsigned int times)
{
	const struct bpf_program *prog = it->progs.map_elem;
	struct bpf_map *map = it->maps.elems;
	union bpf_iter_link_info info = {};
	LIBBPF_OPTS(bpf_iter_attach_opts, opts, .link_info = &info, .link_info_len = sizeof(info));
	struct bpf_link *link;

	if (event == ITER_SK_STORAGE) {
		prog = it->progs.sk_storage;
		map = it->maps.storage;
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
