// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A program of its own on each function, by a BPF trampoline. The program is loaded for the
 * function, with the function's types.
 *
 * BPF_LINK_CREATE has no log. Its -EBUSY has several causes, of which the first is -EINVAL on Linux
 * 7.3:
 *  - the function's first instruction calls something else already, and can call only one thing.
 *    Programs on the same function share a trampoline, so the other thing isn't BPF's
 *    (register_ftrace_direct());
 *  - the function doesn't begin with a nop, because ftrace has no site in it. For a module's
 *    function this is -EINVAL (bpf_arch_text_poke());
 *  - the program is attached already.
 * The kernel shows only to CAP_SYS_ADMIN what each link is attached to.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "index.h"
#include "util.h"
#include "way.h"

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

	for (i = 0; idx && i < idx->cnt; i++) {
		/* the id of a function of a functions file is none of the kernel's */
		if (idx->targets[i].type_id == type_id && !idx->targets[i].by_probe &&
		    is_in_object(&idx->targets[i], obj_id))
			return &idx->targets[i];
	}
	return NULL;
}

/* Is a program attached already? Links can be seen with CAP_SYS_ADMIN only. */
static bool is_attached(int prog_fd)
{
	struct bpf_prog_info prog = {};
	__u32 id = 0, len = sizeof(prog);
	struct bpf_link_info link;
	bool found = false;
	int fd;

	if (bpf_obj_get_info_by_fd(prog_fd, &prog, &len))
		return false;
	while (!found && !bpf_link_get_next_id(id, &id)) {
		fd = bpf_link_get_fd_by_id(id);
		if (fd == -ENOENT) /* gone since */
			continue;
		if (fd < 0)
			break;
		memset(&link, 0, sizeof(link));
		len = sizeof(link);
		found = !bpf_obj_get_info_by_fd(fd, &link, &len) &&
			link.type == BPF_LINK_TYPE_TRACING && link.prog_id == prog.id;
		close(fd);
	}
	return found;
}

#define ENOTSUPP 524 /* the kernel's own */

static int set_other(const struct fentry_target *target, int err, struct fentry_error *error)
{
	if (err == -EBUSY)
		return fentry_target__refuse(
			target, err, error,
			"busy: it is a notrace function, or something other than BPF has a direct call there");
	if (err == -ENOTSUPP)
		return fentry_target__refuse(
			target, err, error,
			"this kernel has no trampoline for it: it is a notrace function, or not all of its arguments are in registers");
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
	const struct fentry_target *target = fentry_prog__target(idx, prog_fd);

	if (!target)
		return fentry_error__set(error, err, "can't attach a program: %s", strerror(-err));
	if ((err == -EBUSY || err == -EINVAL) && is_attached(prog_fd))
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

static bool takes(const struct fentry_multi *m, const struct fentry_point *p)
{
	(void)m;
	return !p->call;
}

/*
 * The function is left out, with the reason, if the kernel refuses it. @own: the program was loaded
 * for it, so no copy is needed, unless the program is attached already. Verifying takes longest.
 */
static int attach_to(struct fentry_multi *m, size_t i, bool own)
{
	enum bpf_attach_type type = bpf_program__expected_attach_type(m->prog);
	const struct fentry_target *target = m->points[i].target;
	int err, fd, prog_fd = -1;
	struct fentry_error why;

	if (!fentry_multi__goes_on(m))
		return fentry_multi__refuse(m, i, "interrupted");
	err = own ? fentry_prog__attach(target->idx, bpf_program__fd(m->prog), type, i, &fd, &why) :
		    -EBUSY;
	if (err)
		err = fentry_prog__clone(m->prog, target, &prog_fd, &why) ?:
			      fentry_prog__attach(target->idx, prog_fd, type, i, &fd, &why);
	if (!err) {
		fentry_multi__add_link(m, &fentry_way_trampoline, i, prog_fd, fd);
		return 0;
	}
	if (prog_fd >= 0)
		close(prog_fd);
	if (err != -EPERM)
		return fentry_multi__leave_out(m, i, why.msg);
	if (m->error) /* the next functions would fail, too */
		*m->error = why;
	return err;
}

static int attach(struct fentry_multi *m, size_t *nrs, size_t cnt)
{
	const struct fentry_target *own =
		fentry_prog__target(m->points[*nrs].target->idx, bpf_program__fd(m->prog));
	size_t i;
	int err = 0;

	for (i = 0; !err && i < cnt; i++)
		err = attach_to(m, nrs[i], m->points[nrs[i]].target == own);
	return err;
}

const struct fentry_way fentry_way_trampoline = {
	.name = "trampoline",
	.takes = takes,
	.attach = attach,
};
