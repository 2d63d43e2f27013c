// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Attaching, and why the kernel didn't attach a program to a function.
 *
 * BPF_LINK_CREATE has no log, and its -EBUSY has several causes, the first of which is
 * -EINVAL on Linux 7.3:
 *  - the function's first instruction calls something already, and can call only
 *    one thing. Programs on the same function share a trampoline, so it isn't BPF's
 *    (register_ftrace_direct());
 *  - the function doesn't begin with a nop, as ftrace has no site in it. With a
 *    module's function this is -EINVAL (bpf_arch_text_poke());
 *  - the program is attached already.
 * The kernel's links say what programs are attached to, but only to CAP_SYS_ADMIN.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

static bool is_in_object(const struct fentry_target *t, __u32 obj_id)
{
	struct bpf_btf_info info = {};
	__u32 len = sizeof(info);
	int fd;

	/* Ids of modules begin where those of vmlinux end. */
	if (!t->module)
		return true;
	if (t->obj_id)
		return t->obj_id == obj_id;
	if (fentry_target__btf_fd(t, &fd, NULL))
		return false;
	bpf_obj_get_info_by_fd(fd, &info, &len);
	close(fd);
	return info.id == obj_id;
}

static const struct fentry_target *find(const struct fentry_index *idx, __u32 obj_id, __u32 type_id)
{
	size_t i;

	for (i = 0; i < idx->cnt; i++)
		if (idx->targets[i].type_id == type_id && is_in_object(&idx->targets[i], obj_id))
			return &idx->targets[i];
	return NULL;
}

/* Links that go meanwhile are skipped. Returns -ENOENT after the last one. */
static int next_link(__u32 *id, int *ret)
{
	int err, fd;

	do {
		err = bpf_link_get_next_id(*id, id);
		if (err)
			return err;
		fd = bpf_link_get_fd_by_id(*id);
	} while (fd == -ENOENT);
	if (fd < 0)
		return fd;
	*ret = fd;
	return 0;
}

/* Is @prog attached already? Links can be seen with CAP_SYS_ADMIN only. */
static bool is_attached(const struct bpf_prog_info *prog)
{
	struct bpf_link_info link;
	bool found = false;
	__u32 id = 0, len;
	int fd;

	while (!found && !next_link(&id, &fd)) {
		memset(&link, 0, sizeof(link));
		len = sizeof(link);
		found = !bpf_obj_get_info_by_fd(fd, &link, &len) &&
			link.type == BPF_LINK_TYPE_TRACING && link.prog_id == prog->id;
		close(fd);
	}
	return found;
}

static int set_other(const struct fentry_target *target, int err, struct fentry_error *error)
{
	if (err == -EBUSY)
		return fentry_target__refuse(
			target, err, error,
			"busy: it is a notrace function, or something other than BPF has a direct call there");
	return fentry_target__refuse(
		target, err, error, "%s%s", strerror(-err),
		err == -EINVAL && target->module ? " (it may be a notrace function)" : "");
}

const struct fentry_target *fentry_prog__target(const struct fentry_index *idx, int prog_fd)
{
	struct bpf_prog_info prog = {};
	__u32 len = sizeof(prog);

	if (bpf_obj_get_info_by_fd(prog_fd, &prog, &len))
		return NULL;
	return find(idx, prog.attach_btf_obj_id, prog.attach_btf_id);
}

int fentry_prog__attach_error(const struct fentry_index *idx, int prog_fd, int err,
			      struct fentry_error *error)
{
	const struct fentry_target *target = NULL;
	struct bpf_prog_info prog = {};
	__u32 len = sizeof(prog);

	if (!bpf_obj_get_info_by_fd(prog_fd, &prog, &len))
		target = find(idx, prog.attach_btf_obj_id, prog.attach_btf_id);
	if (!target)
		return fentry_error__set(error, err, "can't attach a program: %s", strerror(-err));
	if ((err == -EBUSY || err == -EINVAL) && is_attached(&prog))
		return fentry_target__refuse(target, err, error,
					     "the program is attached to it already");
	return set_other(target, err, error);
}

int fentry_prog__attach(const struct fentry_index *idx, int prog_fd, enum bpf_attach_type type,
			__u64 cookie, int *ret, struct fentry_error *error)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .tracing.cookie = cookie);
	int fd;

	fd = bpf_link_create(prog_fd, 0, type, &opts);
	if (fd < 0)
		return fentry_prog__attach_error(idx, prog_fd, fd, error);
	*ret = fd;
	return 0;
}
