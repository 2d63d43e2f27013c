// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Which functions go into one tracing_multi link. A link is all or nothing, so
 * what it can't have is found before:
 *  - its functions are of one BTF object, as the program has one attach_btf
 *    (BPF_PROG_LOAD);
 *  - an address comes once. Two names of a function have a trampoline each, but
 *    one place to patch, which Linux 7.3 doesn't look at when it attaches, and
 *    WARNs of when it detaches (bpf_trampoline_multi_detach()). Hence a function
 *    whose address isn't known gets a link of its own, where the kernel does look;
 *  - the arguments are such as a trampoline can pass on (btf_distill_func_proto(),
 *    arch_bpf_trampoline_size(), bpf_check_attach_btf_id_multi()). These are the
 *    same for a program on a single function.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define ARGS_MAX 12			/* MAX_BPF_FUNC_ARGS; in slots of 8 bytes, too */
#define ARG_SIZE_MAX 16			/* of a structure by value */
#define RETURN_SIZE_MAX 8		/* that a program at the end is given */

static int leave_out(struct fentry_plan *plan, size_t i, const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = vasprintf(&plan->why[i], fmt, args);
	va_end(args);
	if (len >= 0)
		return 0;
	plan->why[i] = NULL;
	return -ENOMEM;
}

static const struct btf_type *skip_names(const struct btf *btf, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (btf_is_mod(t) || btf_is_typedef(t) || btf_is_type_tag(t))
		t = btf__type_by_id(btf, t->type);
	return t;
}

/* As __get_type_size(): -1 for what no argument is. */
static long size_of(const struct btf *btf, const struct btf_type *t)
{
	if (btf_is_ptr(t))
		return btf__pointer_size(btf);
	if (btf_is_int(t) || btf_is_any_enum(t) || btf_is_composite(t))
		return t->size;
	return btf_is_void(t) ? 0 : -1;
}

static const char *refuse_return(const struct btf *btf, __u32 id, bool exit)
{
	const struct btf_type *t = skip_names(btf, id);
	long size = size_of(btf, t);

	if (size < 0)
		return "returns what has no size";
	if (btf_is_composite(t))
		return "returns a structure or union by value";
	if (exit && size > RETURN_SIZE_MAX)
		return "returns more than 8 bytes, too much for a program at its exit";
	return NULL;
}

const char *fentry_target__unfit(const struct fentry_index *idx,
				 const struct fentry_target *target, bool exit)
{
	const struct btf *btf = fentry_index__btf(idx, target);
	const struct btf_type *func = btf__type_by_id(btf, target->type_id);
	const struct btf_type *proto = btf__type_by_id(btf, func->type);
	const struct btf_param *params = btf_params(proto);
	int i, cnt = btf_vlen(proto), slots = 0;

	if (cnt > ARGS_MAX)
		return "has more than 12 arguments";
	for (i = 0; i < cnt; i++) {
		long size;

		if (!params[i].type)
			return i == cnt - 1 ? "has variable arguments" :
					      "has an argument without type";
		size = size_of(btf, skip_names(btf, params[i].type));
		if (size <= 0)
			return "has an argument without size";
		if (size > ARG_SIZE_MAX)
			return "has a structure of more than 16 bytes by value";
		slots += (size + 7) / 8;
	}
	if (slots > ARGS_MAX)
		return "has more than 12 arguments, as a structure counts twice";
	return refuse_return(btf, proto->type, exit);
}

static int check(struct fentry_plan *plan, size_t i, bool exit)
{
	const struct fentry_target *t = plan->targets[i];
	struct fentry_error error;
	const char *why;

	if (fentry_target__check(t, &error))
		return leave_out(plan, i, "%s", error.msg);
	why = fentry_target__unfit(plan->idx, t, exit);
	return why ? leave_out(plan, i, "it %s", why) : 0;
}

/* By address; equal ones in the order in which they were given. */
static int cmp_addr(const void *a, const void *b, void *ctx)
{
	const struct fentry_plan *plan = ctx;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	__u64 x_addr = plan->targets[x]->addr, y_addr = plan->targets[y]->addr;

	if (x_addr != y_addr)
		return x_addr < y_addr ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Of functions at one address all but the first are left out. */
static int leave_out_aliases(struct fentry_plan *plan)
{
	size_t i, n = 0, *order = calloc(plan->cnt + 1, sizeof(*order));
	const struct fentry_target *kept = NULL, *t;
	char label[FENTRY_LABEL_MAX];
	int err = order ? 0 : -ENOMEM;

	for (i = 0; !err && i < plan->cnt; i++)
		if (!plan->why[i] && plan->targets[i]->addr)
			order[n++] = i;
	if (n)
		qsort_r(order, n, sizeof(*order), cmp_addr, plan);
	for (i = 0; !err && i < n; i++) {
		t = plan->targets[order[i]];
		if (!kept || kept->addr != t->addr) {
			kept = t;
			continue;
		}
		fentry_target__label(kept, label);
		err = leave_out(plan, order[i],
			"it is another name of %s, which gets the program; only one of them can",
			label);
	}
	free(order);
	return err;
}

static struct fentry_group *find_group(struct fentry_plan *plan,
				       const struct fentry_object *obj)
{
	size_t i;

	for (i = 0; i < plan->group_cnt; i++)
		if (plan->groups[i].obj == obj)
			return &plan->groups[i];
	return NULL;
}

static struct fentry_group *add_group(struct fentry_plan *plan,
				      const struct fentry_object *obj)
{
	struct fentry_group *groups, *g;

	groups = reallocarray(plan->groups, plan->group_cnt + 1, sizeof(*groups));
	if (!groups)
		return NULL;
	plan->groups = groups;
	g = &groups[plan->group_cnt];
	*g = (struct fentry_group){
		.obj = obj, .members = calloc(plan->cnt, sizeof(*g->members)),
	};
	if (!g->members)
		return NULL;
	plan->group_cnt++;
	return g;
}

static int sort_into_groups(struct fentry_plan *plan)
{
	size_t i;

	for (i = 0; i < plan->cnt; i++) {
		const struct fentry_target *t = plan->targets[i];
		const struct fentry_object *obj;
		struct fentry_group *g;

		if (plan->why[i] || !t->addr)
			continue;
		obj = fentry_index__object(plan->idx, t->module);
		g = find_group(plan, obj) ?: add_group(plan, obj);
		if (!g)
			return -ENOMEM;
		g->members[g->cnt++] = i;
	}
	return 0;
}

int fentry_plan__init(struct fentry_plan *plan, const struct fentry_index *idx,
		      const struct fentry_target * const *targets, size_t cnt,
		      bool exit)
{
	size_t i;
	int err = 0;

	*plan = (struct fentry_plan){
		.idx = idx, .targets = targets, .cnt = cnt,
		.why = calloc(cnt + 1, sizeof(*plan->why)),
	};
	if (!plan->why)
		return -ENOMEM;
	for (i = 0; !err && i < cnt; i++)
		err = check(plan, i, exit);
	if (!err)
		err = leave_out_aliases(plan);
	if (!err)
		err = sort_into_groups(plan);
	if (err)
		fentry_plan__fini(plan);
	return err;
}

void fentry_plan__fini(struct fentry_plan *plan)
{
	size_t i;

	for (i = 0; plan->why && i < plan->cnt; i++)
		free(plan->why[i]);
	for (i = 0; i < plan->group_cnt; i++)
		free(plan->groups[i].members);
	free(plan->groups);
	free(plan->why);
	*plan = (struct fentry_plan){};
}
