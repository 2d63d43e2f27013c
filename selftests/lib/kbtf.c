// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "kbtf.h"
#include "kmod.h"

int kbtf__next(__u32 *id, char *name)
{
	int err;

	while (!(err = bpf_btf_get_next_id(*id, id))) {
		struct bpf_btf_info info = {
			.name = (__u64)(unsigned long)name,
			.name_len = KBTF_NAME_LEN,
		};
		__u32 len = sizeof(info);
		int fd = bpf_btf_get_fd_by_id(*id);

		if (fd == -ENOENT) /* gone meanwhile */
			continue;
		if (fd < 0)
			return fd;
		err = bpf_obj_get_info_by_fd(fd, &info, &len);
		if (!err && info.kernel_btf)
			return fd;
		close(fd);
		if (err)
			return err;
	}
	return err;
}

int kbtf__open(const char *name)
{
	char found[KBTF_NAME_LEN];
	__u32 id = 0;
	int fd;

	while ((fd = kbtf__next(&id, found)) >= 0) {
		if (!strcmp(found, name))
			return fd;
		close(fd);
	}
	return fd;
}

int kbtf__read(int fd, void **ret, __u32 *size)
{
	struct bpf_btf_info info = {};
	__u32 len = sizeof(info);
	void *data;
	int err;

	err = bpf_obj_get_info_by_fd(fd, &info, &len);
	if (err)
		return err;
	data = malloc(info.btf_size);
	if (!data)
		return -ENOMEM;
	*size = info.btf_size;
	info = (struct bpf_btf_info){
		.btf = (__u64)(unsigned long)data,
		.btf_size = *size,
	};
	err = bpf_obj_get_info_by_fd(fd, &info, &len);
	if (err) {
		free(data);
		return err;
	}
	*ret = data;
	return 0;
}

int kbtf__verify(const void *data, size_t size, char *log, size_t log_size)
{
	LIBBPF_OPTS(bpf_btf_load_opts, opts, .log_buf = log, .log_size = log_size, .log_level = 1);
	int fd = bpf_btf_load(data, size, NULL);

	if (fd < 0) {
		log[0] = '\0';
		close(bpf_btf_load(data, size, &opts));
		return fd;
	}
	close(fd);
	return 0;
}

__u32 btf_func__next(const struct btf *btf, __u32 id, const char *name)
{
	while (++id < btf__type_cnt(btf)) {
		const struct btf_type *t = btf__type_by_id(btf, id);

		if (btf_is_func(t) &&
		    (!name || !strcmp(btf__name_by_offset(btf, t->name_off), name)))
			return id;
	}
	return 0;
}

const struct btf_type *btf_func__proto(const struct btf *btf, __u32 id)
{
	return btf__type_by_id(btf, btf__type_by_id(btf, id)->type);
}

int btf_func__param(const struct btf *btf, __u32 id, const char *name)
{
	const struct btf_type *proto = btf_func__proto(btf, id);
	int i;

	for (i = 0; i < btf_vlen(proto); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_params(proto)[i].name_off), name))
			return i;
	return -1;
}

const char **btf_units__read(const struct btf *btf)
{
	__u32 id, cnt = btf__type_cnt(btf);
	const char **units = calloc(cnt, sizeof(*units));

	for (id = 1; units && id < cnt; id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);
		const char *tag;

		if (!btf_is_decl_tag(t) || btf_decl_tag(t)->component_idx != -1)
			continue;
		tag = btf__name_by_offset(btf, t->name_off);
		if (!strncmp(tag, "cu:", 3) && t->type < cnt)
			units[t->type] = tag + 3;
	}
	return units;
}

int kbtf__open_module(struct kbtf_module *m, const char *name)
{
	char path[128];

	libbpf_set_print(NULL); /* the log is what tests look at */
	*m = (struct kbtf_module){ .name = name, .log = calloc(1, KBTF_LOG_SIZE) };
	m->base = btf__parse("/sys/kernel/btf/vmlinux", NULL);
	snprintf(path, sizeof(path), "/sys/kernel/btf/%s", name);
	m->btf = m->base ? btf__parse_split(path, m->base) : NULL;
	m->fd = kbtf__open(name);
	if (m->fd < 0)
		return m->fd;
	return m->log && m->btf ? 0 : -ENOENT;
}

int kbtf__load_module(struct kbtf_module *m, const char *name, const char *params)
{
	int err = kmod__load(name, params);

	if (err)
		return err;
	err = kbtf__open_module(m, name);
	if (err)
		kbtf__unload_module(m);
	return err;
}

void kbtf__close_module(struct kbtf_module *m)
{
	if (m->fd >= 0)
		close(m->fd);
	btf__free(m->btf);
	btf__free(m->base);
	free(m->log);
}

int kbtf__unload_module(struct kbtf_module *m)
{
	kbtf__close_module(m);
	return kmod__unload(m->name);
}

int kbtf__func(const struct kbtf_module *m, const char *name)
{
	return btf__find_by_name_kind(m->btf, name, BTF_KIND_FUNC);
}
