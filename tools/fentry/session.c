// SPDX-License-Identifier: GPL-2.0
/*
 * A tracing session. One skeleton is loaded for the first target that takes a
 * program; for the others its program is loaded again, sharing the maps.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/btf.h>

#include "command.h"
#include "session.h"
#include "trace.h"
#include "trace.skel.h"

struct attachment {
	int prog_fd;			/* -1: this target failed */
	int link_fd;			/* -1: detached */
};

struct session {
	struct fentry_index *idx;
	const struct fentry_target **targets;
	struct attachment *attachments;	/* of each target */
	size_t cnt;
	bool count_only;
	struct trace_bpf *skel;		/* NULL until a target took it */
	struct ring_buffer *ring;	/* NULL if count_only */
};

/* Load the skeleton with its program on target @i, for the whole session. */
static int load_skeleton(struct session *s, size_t i, int *prog_fd,
			 struct fentry_error *error)
{
	struct fentry_binding binding = { .target = s->targets[i] };
	struct trace_bpf *skel;
	int err, fd;

	skel = trace_bpf__open();
	if (!skel)
		return -errno;
	skel->rodata->count_only = s->count_only;
	bpf_map__set_max_entries(skel->maps.counts, s->cnt);
	binding.prog = skel->progs.on_entry;
	err = fentry_object__load(skel->obj, s->idx, &binding, 1, error);
	if (err)
		goto err_destroy;
	fd = dup(bpf_program__fd(skel->progs.on_entry));
	if (fd < 0) {
		err = -errno;
		goto err_destroy;
	}
	s->skel = skel;
	*prog_fd = fd;
	return 0;

err_destroy:
	trace_bpf__destroy(skel);
	return err;
}

static int attach_target(struct session *s, size_t i,
			 struct fentry_error *error)
{
	struct attachment *a = &s->attachments[i];
	int err, prog_fd, link_fd;

	err = s->skel ? fentry_prog__clone(s->skel->progs.on_entry,
					   s->targets[i], &prog_fd, error) :
			load_skeleton(s, i, &prog_fd, error);
	if (err)
		return err;
	err = fentry_prog__attach(prog_fd, BPF_TRACE_FENTRY, i, s->targets[i],
				  &link_fd, error);
	if (err) {
		close(prog_fd);
		return err;
	}
	a->prog_fd = prog_fd;
	a->link_fd = link_fd;
	return 0;
}

static int attach_all(struct session *s)
{
	size_t i, attached = 0;

	for (i = 0; i < s->cnt; i++) {
		struct fentry_error error = { .msg = "out of memory" };
		int err = attach_target(s, i, &error);

		if (!err) {
			attached++;
			continue;
		}
		complain("%s", error.msg);
		if (err == -EPERM)	/* it won't be better with the next */
			return EXIT_FAILED;
	}
	return attached ? 0 : EXIT_FAILED;
}

static const struct btf_param *func_params(const struct session *s,
					   const struct fentry_target *target,
					   int *cnt)
{
	const struct btf *btf = fentry_index__btf(s->idx, target);
	const struct btf_type *t = btf__type_by_id(btf, target->type_id);

	t = btf__type_by_id(btf, t->type);
	*cnt = btf_vlen(t);
	return btf_params(t);
}

/* Print the registers of one parameter, return their number. */
static int print_arg(const struct btf *btf, const struct btf_param *param,
		     const struct trace_event *e, unsigned int reg)
{
	long long size = btf__resolve_size(btf, param->type);
	unsigned int i, regs = size > 8 ? (size + 7) / 8 : 1;
	unsigned long long value;

	printf("%s=", btf__name_by_offset(btf, param->name_off));
	for (i = reg; i < reg + regs && i < e->arg_cnt; i++) {
		value = e->args[i];
		if (size > 0 && size < 8)	/* the rest may be garbage */
			value &= (1ULL << (size * 8)) - 1;
		printf("%s%#llx", i > reg ? ":" : "", value);
	}
	return regs;
}

static int print_event(void *ctx, void *data, size_t size)
{
	const struct session *s = ctx;
	const struct trace_event *e = data;
	const struct fentry_target *target = s->targets[e->target];
	const struct btf_param *params;
	unsigned int reg = 0;
	int i, cnt;

	(void)size;
	printf("%-15s %7u  %s%s%s(", e->comm, e->pid, target->name,
	       target->unit ? "@" : "", target->unit ?: "");
	params = func_params(s, target, &cnt);
	for (i = 0; i < cnt; i++) {
		if (i)
			fputs(", ", stdout);
		if (reg >= TRACE_MAX_ARGS || reg >= e->arg_cnt) {
			fputs("...", stdout);
			break;
		}
		reg += print_arg(fentry_index__btf(s->idx, target), &params[i],
				 e, reg);
	}
	puts(")");
	return 0;
}

int session__start(struct fentry_index *idx,
		   const struct fentry_target **targets, size_t cnt,
		   bool count_only, struct session **ret)
{
	struct session *s;
	size_t i;
	int status;

	s = calloc(1, sizeof(*s));
	if (s)
		s->attachments = calloc(cnt, sizeof(*s->attachments));
	if (!s || !s->attachments) {
		free(s);
		complain("out of memory");
		return EXIT_FAILED;
	}
	s->idx = idx;
	s->targets = targets;
	s->cnt = cnt;
	s->count_only = count_only;
	for (i = 0; i < cnt; i++)
		s->attachments[i] = (struct attachment){ -1, -1 };

	status = attach_all(s);
	if (status)
		goto err_free;
	if (!count_only) {
		s->ring = ring_buffer__new(bpf_map__fd(s->skel->maps.events),
					   print_event, s, NULL);
		if (!s->ring) {
			complain("can't open the ring buffer: %s",
				 strerror(errno));
			status = EXIT_FAILED;
			goto err_free;
		}
	}
	*ret = s;
	return 0;

err_free:
	session__free(s);
	return status;
}

void session__free(struct session *s)
{
	size_t i;

	if (!s)
		return;
	session__stop(s);
	for (i = 0; i < s->cnt; i++)
		if (s->attachments[i].prog_fd >= 0)
			close(s->attachments[i].prog_fd);
	ring_buffer__free(s->ring);
	trace_bpf__destroy(s->skel);
	free(s->attachments);
	free(s);
}

size_t session__attached(const struct session *s)
{
	size_t i, n = 0;

	for (i = 0; i < s->cnt; i++)
		n += s->attachments[i].link_fd >= 0;
	return n;
}

int session__poll_fd(const struct session *s)
{
	return s->ring ? ring_buffer__epoll_fd(s->ring) : -1;
}

void session__print_events(struct session *s)
{
	if (s->ring)
		ring_buffer__consume(s->ring);
}

void session__stop(struct session *s)
{
	size_t i;

	for (i = 0; i < s->cnt; i++) {
		if (s->attachments[i].link_fd >= 0)
			close(s->attachments[i].link_fd);
		s->attachments[i].link_fd = -1;
	}
}

int session__print_counts(const struct session *s)
{
	int fd = bpf_map__fd(s->skel->maps.counts);
	unsigned long long count;
	unsigned int i;

	printf("%10s  %6s  %-16s  %s\n", "COUNT", "BTF-ID", "ADDRESS",
	       "FUNCTION");
	for (i = 0; i < s->cnt; i++) {
		const struct fentry_target *t = s->targets[i];

		if (s->attachments[i].prog_fd < 0)
			continue;
		if (bpf_map_lookup_elem(fd, &i, &count)) {
			complain("can't read the count of %s: %s", t->name,
				 strerror(errno));
			return EXIT_FAILED;
		}
		printf("%10llu  %6u  %016llx  %s%s%s\n", count, t->type_id,
		       (unsigned long long)t->addr, t->name,
		       t->unit ? "@" : "", t->unit ?: "");
	}
	return 0;
}

void session__report_losses(const struct session *s)
{
	unsigned long long dropped = 0, missed = 0;
	unsigned int key = 0;
	size_t i;

	for (i = 0; i < s->cnt; i++) {
		struct bpf_prog_info info = {};
		__u32 size = sizeof(info);

		if (s->attachments[i].prog_fd >= 0 &&
		    !bpf_obj_get_info_by_fd(s->attachments[i].prog_fd, &info,
					    &size))
			missed += info.recursion_misses;
	}
	if (missed)
		complain("%llu calls came while the same program was running, and are not counted",
			 missed);
	if (!bpf_map_lookup_elem(bpf_map__fd(s->skel->maps.dropped), &key,
				 &dropped) && dropped)
		complain("%llu calls came faster than they could be printed, and are not shown",
			 dropped);
}
