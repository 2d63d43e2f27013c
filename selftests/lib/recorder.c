// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "recorder.h"

#define MAX_EXPR 64

int recorder__open(struct recorder *r)
{
	memset(r, 0, sizeof(*r));
	r->skel = args_bpf__open();
	if (!r->skel)
		return -errno;
	/* these two call functions that are watched */
	bpf_program__set_autoload(r->skel->progs.lookup, true);
	bpf_program__set_autoload(r->skel->progs.update, true);
	return 0;
}

void recorder__close(struct recorder *r)
{
	recorder__detach(r);
	args_bpf__destroy(r->skel);
	r->skel = NULL;
}

/* Parse the first of several expressions that BTF has. */
static int parse_first(const struct btf *btf, __u32 func_id, const char *text, struct btf_expr *ret)
{
	char one[MAX_EXPR];
	int err;

	do {
		snprintf(one, sizeof(one), "%.*s", (int)strcspn(text, "|"), text);
		text += strcspn(text, "|");
		err = btf_expr__parse(btf, func_id, one, ret);
	} while (err == -ENOENT && *text++ == '|');
	return err;
}

int recorder__watch(struct recorder *r, const struct btf *btf, __u32 func_id,
		    const char *const *exprs, enum recorder_prog prog)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARGS_MAX_WATCHES && exprs[i]; i++) {
		bool optional = *exprs[i] == '?';

		r->texts[i] = exprs[i] + optional;
		r->skipped[i] = prog == RECORD_ENTRY && !strcmp(r->texts[i], "return");
		if (r->skipped[i])
			continue;
		err = parse_first(btf, func_id, r->texts[i], &r->exprs[i]);
		r->skipped[i] = optional && err == -ENOENT;
		if (err && !r->skipped[i]) {
			snprintf(r->why, sizeof(r->why), "BTF has no %s: %s", exprs[i],
				 strerror(-err));
			return err;
		}
		r->skel->bss->watches[i] = r->exprs[i].watch;
	}
	r->expr_cnt = i;
	r->skel->bss->watch_cnt = i;
	return 0;
}

int share_variables(const struct bpf_map *map, void *vars)
{
	size_t size = 0, page = getpagesize();

	if (!bpf_map__initial_value((struct bpf_map *)map, &size))
		return -EINVAL;
	size = (size + page - 1) / page * page;
	return mmap(vars, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, bpf_map__fd(map),
		    0) == MAP_FAILED ?
		       -errno :
		       0;
}

static struct bpf_program *choose(const struct recorder *r, enum recorder_prog prog)
{
	switch (prog) {
	case RECORD_EXIT:
		return r->skel->progs.at_exit;
	case RECORD_TYPED:
		return r->skel->progs.typed;
	default:
		return r->skel->progs.at_entry;
	}
}

int recorder__attach(struct recorder *r, struct fentry_index *idx,
		     const struct fentry_target *target, enum recorder_prog prog)
{
	struct fentry_binding binding = { choose(r, prog), target };
	struct fentry_error error = {};
	int err;

	bpf_program__set_autoload((struct bpf_program *)binding.prog, true);
	err = fentry_object__load(r->skel->obj, idx, &binding, 1, &error);
	if (!err)
		err = share_variables(r->skel->maps.bss, r->skel->bss);
	if (!err) {
		r->link = bpf_program__attach_trace(binding.prog);
		err = r->link ? 0 : -errno;
	}
	if (err)
		snprintf(r->why, sizeof(r->why), "cannot attach to %s: %.900s", target->name,
			 *error.msg ? error.msg : strerror(-err));
	return err;
}

void recorder__detach(struct recorder *r)
{
	bpf_link__destroy(r->link);
	r->link = NULL;
}

void recorder__begin(struct recorder *r)
{
	r->skel->bss->only_tgid = getpid();
}

void recorder__end(struct recorder *r)
{
	r->skel->bss->only_tgid = 0;
}

unsigned int recorder__values(const struct recorder *r)
{
	unsigned int i, cnt = 0;

	for (i = 0; i < r->expr_cnt; i++)
		cnt += !r->skipped[i];
	return cnt;
}

unsigned int recorder__calls(const struct recorder *r)
{
	return r->skel->bss->call_cnt;
}

static bool text_is_right(struct recorder *r, unsigned int i, const struct args_value *v,
			  const char *want)
{
	if (r->exprs[i].bits / 8 > strlen(want) && !strncmp((char *)v->bytes, want, ARGS_MAX_SIZE))
		return true;
	snprintf(r->why, sizeof(r->why), "%s is \"%.*s\", not \"%s\"", r->texts[i], ARGS_MAX_SIZE,
		 (char *)v->bytes, want);
	return false;
}

static bool number_is_right(struct recorder *r, unsigned int i, const struct args_value *v,
			    __u64 want)
{
	__u64 number = btf_expr__number(&r->exprs[i], v);

	want = btf_expr__truncate(&r->exprs[i], want);
	if (number == want)
		return true;
	snprintf(r->why, sizeof(r->why), "%s is 0x%llx, not 0x%llx", r->texts[i],
		 (unsigned long long)number, (unsigned long long)want);
	return false;
}

unsigned int recorder__right(struct recorder *r, const struct want *want)
{
	unsigned int i, nr, right = 0, cnt = recorder__calls(r);

	for (nr = 0; nr < cnt && nr < ARGS_MAX_CALLS; nr++) {
		const struct args_call *call = &r->skel->bss->calls[nr];
		bool all = true;

		for (i = 0; all && i < r->expr_cnt; i++)
			all = r->skipped[i] ||
			      (want[i].text ?
				       text_is_right(r, i, &call->values[i], want[i].text) :
				       number_is_right(r, i, &call->values[i], want[i].number));
		right += all;
	}
	return right;
}
