// SPDX-License-Identifier: GPL-2.0
/*
 * From a program's section name, as "fentry/name@path", to the function that it
 * means. What several functions are called is decided by the program's own
 * parameters, if its BTF says them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* A copy of the BTF behind a file descriptor. */
static struct btf *copy_btf(int fd)
{
	struct bpf_btf_info info = {};
	__u32 len = sizeof(info);
	struct btf *btf = NULL;
	void *data;
	__u32 size;

	if (fd <= 0 || bpf_obj_get_info_by_fd(fd, &info, &len))
		return NULL;
	size = info.btf_size;
	data = malloc(size);
	memset(&info, 0, sizeof(info));
	info.btf = (__u64)(unsigned long)data;
	info.btf_size = size;
	len = sizeof(info);
	if (data && !bpf_obj_get_info_by_fd(fd, &info, &len))
		btf = btf__new(data, size);
	free(data);
	return libbpf_get_error(btf) ? NULL : btf;
}

/*
 * Of several functions keep those that have the parameters of the program.
 * Return their number, or -1 if the program's BTF doesn't say its parameters.
 */
static int keep_fitting(const struct bpf_program *prog,
			const struct bpf_prog_load_opts *opts,
			const struct fentry_index *idx,
			const struct fentry_target **found, size_t cnt)
{
	bool takes_return = opts->expected_attach_type != BPF_TRACE_FENTRY;
	struct btf *btf = copy_btf(opts->prog_btf_fd);
	const struct btf_type *proto = NULL;
	int fitting = 0;
	size_t i;

	if (btf)
		proto = fentry_signature__find(btf, bpf_program__name(prog));
	for (i = 0; proto && i < cnt; i++) {
		const struct fentry_target *t = found[i];

		if (!fentry_signature__fits(btf, proto, takes_return,
					    fentry_index__btf(idx, t),
					    t->type_id))
			continue;
		found[i] = found[fitting];	/* those that don't go behind */
		found[fitting++] = t;
	}
	btf__free(btf);
	return proto ? fitting : -1;
}

/* The one of several functions that a section without glob means. */
static int choose(const struct bpf_program *prog,
		  const struct bpf_prog_load_opts *opts,
		  const struct fentry_index *idx,
		  const struct fentry_target **found, size_t cnt,
		  struct fentry_error *error)
{
	int fitting = keep_fitting(prog, opts, idx, found, cnt);
	char name[256];

	if (fitting == 1)
		return fentry_target__check(found[0], error);
	snprintf(name, sizeof(name), "%s",
		 strchr(bpf_program__section_name(prog), '/') + 1);
	if (fitting < 0)
		fentry_error__set(error, -ENOTUNIQ,
			"'%s' matches %zu functions; choose one", name, cnt);
	else
		fentry_error__set(error, -ENOTUNIQ,
			"'%s' matches %zu functions, of which %d have the parameters of program '%s'; choose one",
			name, cnt, fitting, bpf_program__name(prog));
	fentry_index__choose(idx, found, fitting > 0 ? (size_t)fitting : cnt,
			     error);
	return -ENOTUNIQ;
}

int fentry_section__resolve(const struct bpf_program *prog,
			    const struct bpf_prog_load_opts *opts,
			    const struct fentry_index *idx,
			    const struct fentry_target **ret,
			    struct fentry_error *error)
{
	const char *section = bpf_program__section_name(prog);
	const struct fentry_target **found = NULL;
	const char *text = strchr(section, '/');
	struct fentry_spec spec = {};
	size_t cnt = 0;
	int err;

	if (!text)
		return fentry_error__set(error, -EINVAL,
			"program '%s' has no target: SEC(\"%s\") names none and none was set",
			bpf_program__name(prog), section);
	err = fentry_spec__parse(text + 1, &spec, error);
	if (!err)
		err = fentry_index__resolve(idx, &spec, &found, &cnt, error);
	if (err == -ENOTUNIQ && cnt > 1)
		err = choose(prog, opts, idx, found, cnt, error);
	else if (!err && cnt > 1)
		err = fentry_error__set(error, -ENOTUNIQ,
			"SEC(\"%s\") matches %zu functions, but a program has one target",
			section, cnt);
	if (!err)
		*ret = found[0];
	free(found);
	fentry_spec__clear(&spec);
	return err;
}
