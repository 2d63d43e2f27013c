// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Which functions go into one tracing_multi link. A link is all or nothing, so
 * what it can't have is found before:
 *  - its functions are of one BTF object, as the program has one attach_btf
 *    (BPF_PROG_LOAD);
 *  - a function comes once, or the kernel refuses all. On kernels whose BTF has no
 *    addresses, several FUNCs may be of one function, which Linux 7.3 doesn't look at
 *    when it attaches, and WARNs of when it detaches (bpf_trampoline_multi_detach()).
 *    Hence a function whose address isn't known gets a link of its own, where the
 *    kernel does look;
 *  - the arguments are such as a trampoline can pass on (btf_distill_func_proto(),
 *    arch_bpf_trampoline_size(), bpf_check_attach_btf_id_multi()). These are the
 *    same for a program on a single function.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

int fentry_plan__leave_out(struct fentry_plan *plan, size_t i, const char *why)
{
	plan->why[i] = strdup(why);
	return plan->why[i] ? 0 : -ENOMEM;
}

static int check(struct fentry_plan *plan, size_t i, bool exit)
{
	const struct fentry_target *t = plan->targets[i];
	struct fentry_error error;
	const char *why;

	if (fentry_target__check(t, &error))
		return fentry_plan__leave_out(plan, i, error.msg);
	why = fentry_target__unfit(t, exit);
	if (!why)
		return 0;
	fentry_target__refuse(t, -EINVAL, &error, "it %s", why);
	return fentry_plan__leave_out(plan, i, error.msg);
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

/* Of those at one address, only the first one stays. */
static int leave_out_repeated(struct fentry_plan *plan)
{
	size_t i, n = 0, *order = calloc(plan->cnt + 1, sizeof(*order));
	struct fentry_error error;
	int err = order ? 0 : -ENOMEM;

	for (i = 0; !err && i < plan->cnt; i++)
		if (!plan->why[i] && plan->targets[i]->addr)
			order[n++] = i;
	if (n)
		qsort_r(order, n, sizeof(*order), cmp_addr, plan);
	for (i = 1; !err && i < n; i++) {
		const struct fentry_target *t = plan->targets[order[i]];

		if (plan->targets[order[i - 1]]->addr != t->addr)
			continue;
		fentry_target__refuse(t, -EINVAL, &error, "it is given twice");
		err = fentry_plan__leave_out(plan, order[i], error.msg);
	}
	free(order);
	return err;
}

static struct fentry_group *find_group(struct fentry_plan *plan, const struct btf *btf)
{
	size_t i;

	for (i = 0; i < plan->group_cnt; i++)
		if (plan->groups[i].btf == btf)
			return &plan->groups[i];
	return NULL;
}

static struct fentry_group *add_group(struct fentry_plan *plan, const struct btf *btf)
{
	struct fentry_group *groups, *g;

	groups = reallocarray(plan->groups, plan->group_cnt + 1, sizeof(*groups));
	if (!groups)
		return NULL;
	plan->groups = groups;
	g = &groups[plan->group_cnt];
	*g = (struct fentry_group){
		.btf = btf,
		.members = calloc(plan->cnt, sizeof(*g->members)),
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
		struct fentry_group *g;

		if (plan->why[i] || !t->addr)
			continue;
		g = find_group(plan, t->btf) ?: add_group(plan, t->btf);
		if (!g)
			return -ENOMEM;
		g->members[g->cnt++] = i;
	}
	return 0;
}

int fentry_plan__init(struct fentry_plan *plan, const struct fentry_target *const *targets,
		      size_t cnt, bool exit)
{
	size_t i;
	int err = 0;

	*plan = (struct fentry_plan){
		.targets = targets,
		.cnt = cnt,
		.why = calloc(cnt + 1, sizeof(*plan->why)),
	};
	if (!plan->why)
		return -ENOMEM;
	for (i = 0; !err && i < cnt; i++)
		err = check(plan, i, exit);
	if (!err)
		err = leave_out_repeated(plan);
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
