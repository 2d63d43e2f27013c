// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kbtf.h"
#include "reads.h"

int reads__return_size(const struct fentry_target *target)
{
	const struct btf_type *t = btf_func__proto(target->btf, target->type_id);

	return t->type ? btf__resolve_size(target->btf, t->type) : 0;
}

int reads__attach(struct reads *r, struct fentry_index *idx, const struct fentry_target *target,
		  const char *prog, bool at_exit)
{
	struct fentry_binding binding = { .target = target };
	struct fentry_error error = {};
	char name[64];
	int err;

	r->skel = reads_bpf__open();
	if (!r->skel)
		return -errno;
	snprintf(name, sizeof(name), "%s%s", prog, at_exit ? "_exit" : "");
	binding.prog = bpf_object__find_program_by_name(r->skel->obj, name);
	if (!binding.prog)
		return -ENOENT;
	bpf_program__set_autoload((struct bpf_program *)binding.prog, true);
	err = fentry_skeleton__load(r->skel->skeleton, idx, &binding, 1, &error);
	if (!err) {
		r->link = bpf_program__attach_trace(binding.prog);
		err = r->link ? 0 : -errno;
	}
	if (err)
		snprintf(r->why, sizeof(r->why), "cannot attach %s to %s: %.900s", name,
			 target->name, *error.msg ? error.msg : strerror(-err));
	r->at_exit = at_exit;
	r->ret_size = at_exit ? reads__return_size(target) : 0;
	return err;
}

void reads__detach(struct reads *r)
{
	bpf_link__destroy(r->link);
	r->link = NULL;
}

void reads__close(struct reads *r)
{
	reads__detach(r);
	reads_bpf__destroy(r->skel);
	r->skel = NULL;
}

void reads__begin(struct reads *r)
{
	r->skel->bss->only_tgid = getpid();
}

void reads__end(struct reads *r)
{
	r->skel->bss->only_tgid = 0;
}

unsigned int reads__calls(const struct reads *r)
{
	return r->skel->bss->call_cnt;
}

/* The return value, little-endian. */
static bool returns_right(struct reads *r, const struct reads_call *call,
			  const struct reads_want *want)
{
	size_t size = r->ret_size > (int)sizeof(long) ? sizeof(long) : r->ret_size;

	if (!r->at_exit)
		return true;
	if (!size) {
		snprintf(r->why, sizeof(r->why), "BTF has no return value");
		return want->may_lack_ret;
	}
	snprintf(r->why, sizeof(r->why), "it returns %#lx, not %#lx", call->ret, want->ret);
	return !memcmp(&call->ret, &want->ret, size);
}

static bool is_right(struct reads *r, const struct reads_call *call, const struct reads_want *want)
{
	unsigned int i;

	for (i = 0; i < call->cnt; i++) {
		if (call->values[i] == want->values[i] ||
		    (call->values[i] == READS_NONE && want->may & 1 << i))
			continue;
		snprintf(r->why, sizeof(r->why), "value %u is %#lx, not %#lx", i, call->values[i],
			 want->values[i]);
		return false;
	}
	return returns_right(r, call, want);
}

unsigned int reads__right(struct reads *r, const struct reads_want *want)
{
	unsigned int nr, right = 0, cnt = reads__calls(r);

	for (nr = 0; nr < cnt && nr < READS_MAX_CALLS; nr++)
		right += is_right(r, &r->skel->bss->calls[nr], want);
	return right;
}
