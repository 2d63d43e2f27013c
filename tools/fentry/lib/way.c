// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* What several ways of attaching need. */
#include <errno.h>
#include <string.h>

#include "index.h"
#include "util.h"
#include "way.h"

int fentry_multi__leave_out(struct fentry_multi *m, size_t i, const char *message)
{
	m->points[i].why = strdup(message);
	m->left_out++;
	return m->points[i].why ? 0 : fentry_error__no_memory(m->error);
}

int fentry_multi__refuse(struct fentry_multi *m, size_t i, const char *why)
{
	const struct fentry_inlined_call *call = m->points[i].call;
	char label[FENTRY_LABEL_MAX], where[FENTRY_LABEL_MAX];
	struct fentry_error refused;

	if (!call || !call->section) {
		fentry_target__refuse(m->points[i].target, 0, &refused, "%s", why);
	} else {
		fentry_target__label(call->func, label);
		fentry_inlined_call__where(call, where, sizeof(where));
		fentry_error__set(&refused, 0, "can't attach to the inlined call of %s in %s: %s",
				  label, where, why);
	}
	return fentry_multi__leave_out(m, i, refused.msg);
}

void fentry_multi__add_link(struct fentry_multi *m, const struct fentry_way *way, size_t i,
			    int prog_fd, int fd)
{
	m->links[m->link_cnt++] = (struct fentry_multi_link){ way, prog_fd, fd, 0 };
	m->points[i].way = way;
}

bool fentry_multi__goes_on(struct fentry_multi *m)
{
	return !m->opts.go_on || m->opts.go_on(m->opts.ctx, m->tries++);
}

int fentry_load_idle(enum bpf_prog_type type, int attach_type)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = attach_type);

	return bpf_prog_load(type, "probe", "GPL", insns, 2, &opts);
}

/*
 * What an error of kernel/kprobes.c and the architecture means. Returns NULL for an error
 * that isn't the place's fault.
 */
static const char *refusal(int err)
{
	switch (err) {
	case -EINVAL:
		return "the kernel allows no probe there: it patches the place itself (static call, jump label, alternative, BUG()), or the function is notrace";
	case -EILSEQ:
		return "the kernel finds no instruction there that it can put a probe at";
	case -EOPNOTSUPP:
	case -ENOSPC:
		return "the kernel can't execute a copy of the instruction, as a probe needs";
	case -ENOENT:
		return "its code is gone";
	case -EINTR:
		return "interrupted";
	default:
		return NULL;
	}
}

int fentry_multi__refuse_probe(struct fentry_multi *m, size_t i, int err)
{
	const struct fentry_inlined_call *call = m->points[i].call;
	const char *unfit = err == -EINVAL ? fentry_inlined_call__unfit(call) : NULL;
	const char *why = unfit ?: refusal(err);
	char text[256];

	snprintf(text, sizeof(text), "%s%s", unfit ? "it " : "", why ?: strerror(-err));
	if (fentry_multi__refuse(m, i, text))
		return -ENOMEM;
	return why ? 0 : fentry_error__set(m->error, err, "%s", m->points[i].why);
}

/* struct bpf_link_info, with the fields of probes, which stock headers lack */
struct link_info {
	__u32 type, id, prog_id, pad;
	union {
		struct {
			__u32 type, pad;
			__aligned_u64 name;
			__u32 name_len, offset;
			__u64 addr, missed;
		} event;
		struct {
			__aligned_u64 addrs;
			__u32 cnt, flags;
			__u64 missed;
		} multi;
	};
};

/* Returns how much the kernel has written. */
static __u32 get_info(int fd, struct link_info *ret)
{
	__u32 len = sizeof(*ret);

	*ret = (struct link_info){};
	return bpf_obj_get_info_by_fd(fd, ret, &len) ? 0 : len;
}

unsigned long long fentry_probe_link__missed(int fd)
{
	struct link_info info;

	if (!get_info(fd, &info))
		return 0;
	return info.type == BPF_LINK_TYPE_KPROBE_MULTI ? info.multi.missed : info.event.missed;
}

/* The structure has grown by the member that is the last one here. */
bool fentry_probe_link__tells(int fd)
{
	struct link_info info;

	return get_info(fd, &info) == sizeof(info);
}
