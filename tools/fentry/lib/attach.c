// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Attaching, and why the kernel didn't attach a program to a function.
 *
 * BPF_LINK_CREATE has no log, and its -EBUSY has several causes, the first of which is
 * -EINVAL on Linux 7.3:
 *  - the function's first instruction calls something already, and can call only
 *    one thing. Programs on the same BTF function share a trampoline, so it is
 *    that of another name of the function, or not BPF's (register_ftrace_direct());
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

static const struct fentry_target *find(const struct fentry_index *idx,
					__u32 obj_id, __u32 type_id)
{
	size_t i;

	for (i = 0; i < idx->cnt; i++)
		if (idx->targets[i].type_id == type_id &&
		    is_in_object(&idx->targets[i], obj_id))
			return &idx->targets[i];
	return NULL;
}

/* Another name of the function; NULL if none is known. */
static const struct fentry_target *
find_alias(const struct fentry_index *idx, const struct fentry_target *target)
{
	size_t i;

	for (i = 0; target->addr && i < idx->cnt; i++)
		if (idx->targets[i].addr == target->addr &&
		    &idx->targets[i] != target)
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

static bool has_id(const __u32 *ids, __u32 cnt, __u32 id)
{
	__u32 i;

	for (i = 0; i < cnt && ids[i] != id; i++)
		;
	return i < cnt;
}

/* Another name of the function that a tracing_multi link has; else NULL. */
static const struct fentry_target *
find_alias_in(const struct fentry_index *idx, int fd,
	      const struct fentry_target *target)
{
	const struct fentry_target *t = NULL;
	__u32 obj_id, *ids, cnt;
	size_t i;

	if (!target->addr || fentry_multi_link__ids(fd, &obj_id, &ids, &cnt))
		return NULL;
	for (i = 0; i < idx->cnt; i++) {
		t = &idx->targets[i];
		if (t != target && t->addr == target->addr &&
		    has_id(ids, cnt, t->type_id) && is_in_object(t, obj_id))
			break;
	}
	free(ids);
	return i < idx->cnt ? t : NULL;
}

/*
 * Is this a link of a program that is in the way of @prog? Sets @ret to its
 * function.
 */
static bool is_holder(const struct fentry_index *idx,
		      const struct bpf_prog_info *prog,
		      const struct fentry_target *target, int fd,
		      const struct fentry_target **ret)
{
	struct bpf_link_info link = {};
	__u32 len = sizeof(link);

	*ret = find_alias_in(idx, fd, target);
	if (*ret)
		return true;
	if (bpf_obj_get_info_by_fd(fd, &link, &len) ||
	    link.type != BPF_LINK_TYPE_TRACING ||
	    link.tracing.target_obj_id != prog->attach_btf_obj_id)
		return false;
	*ret = find(idx, link.tracing.target_obj_id, link.tracing.target_btf_id);
	return *ret == target ? link.prog_id == prog->id :
	       *ret && (*ret)->addr && (*ret)->addr == target->addr;
}

/*
 * Find the function whose program is in the way of @prog: this is the target
 * itself if @prog is attached to it already. Returns -ENOENT if there is none,
 * -EPERM if it can't be known.
 */
static int find_holder(const struct fentry_index *idx,
		       const struct bpf_prog_info *prog,
		       const struct fentry_target *target,
		       const struct fentry_target **ret)
{
	bool found = false;
	__u32 id = 0;
	int err, fd;

	while (!found && !(err = next_link(&id, &fd))) {
		found = is_holder(idx, prog, target, fd, ret);
		close(fd);
	}
	return found ? 0 : err;
}

/* Links can be seen with CAP_SYS_ADMIN only, addresses with CAP_SYSLOG only. */
static int set_unknown(const struct fentry_index *idx,
		       const struct fentry_target *target, int err,
		       struct fentry_error *error)
{
	const struct fentry_target *alias = find_alias(idx, target);
	char label[FENTRY_LABEL_MAX];

	if (!alias)
		return fentry_target__refuse(target, err, error,
			"busy: it is a notrace function, or another of its names has a program (run as root to see which)");
	fentry_target__label(alias, label);
	return fentry_target__refuse(target, err, error,
		"busy: another name of the same function, such as %s, has a program, or it is a notrace function",
		label);
}

static int set_other(const struct fentry_target *target, int err,
		     struct fentry_error *error)
{
	if (err == -EBUSY)
		return fentry_target__refuse(target, err, error,
			"busy: it is a notrace function, or something other than BPF has a direct call there");
	return fentry_target__refuse(target, err, error, "%s%s", strerror(-err),
		err == -EINVAL && target->module ?
		" (it may be a notrace function)" : "");
}

/* The place may be taken. */
static int set_taken(const struct fentry_index *idx,
		     const struct bpf_prog_info *prog,
		     const struct fentry_target *target, int err,
		     struct fentry_error *error)
{
	const struct fentry_target *holder;
	char label[FENTRY_LABEL_MAX];
	int unknown;

	unknown = find_holder(idx, prog, target, &holder);
	if (unknown == -ENOENT)
		return set_other(target, err, error);
	if (unknown)
		return set_unknown(idx, target, err, error);
	if (holder == target)
		return fentry_target__refuse(target, err, error,
			"the program is attached to it already");
	fentry_target__label(holder, label);
	return fentry_target__refuse(target, err, error,
		"busy: %s is another name of the same function and has a program; only one of the names can have programs",
		label);
}

int fentry_prog__attach_error(const struct fentry_index *idx, int prog_fd,
			      int err, struct fentry_error *error)
{
	const struct fentry_target *target = NULL;
	struct bpf_prog_info prog = {};
	__u32 len = sizeof(prog);

	if (!bpf_obj_get_info_by_fd(prog_fd, &prog, &len))
		target = find(idx, prog.attach_btf_obj_id, prog.attach_btf_id);
	if (!target)
		return fentry_error__set(error, err,
			"can't attach a program: %s", strerror(-err));
	if (err == -EBUSY || err == -EINVAL)
		return set_taken(idx, &prog, target, err, error);
	return set_other(target, err, error);
}

int fentry_prog__attach(const struct fentry_index *idx, int prog_fd,
			enum bpf_attach_type type, __u64 cookie, int *ret,
			struct fentry_error *error)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .tracing.cookie = cookie);
	int fd;

	fd = bpf_link_create(prog_fd, 0, type, &opts);
	if (fd < 0)
		return fentry_prog__attach_error(idx, prog_fd, fd, error);
	*ret = fd;
	return 0;
}
