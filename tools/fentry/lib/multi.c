// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * One program on many functions: by one tracing_multi link for each BTF object, if the kernel has
 * such links.
 *
 * The program of such a link is verified for no function in particular. It may use
 * bpf_get_func_arg() and bpf_get_func_ret(), which get the values of each call, and its cookie
 * tells it which function was called. A program that reads its context has the parameters of one
 * function, and the kernel refuses it in such a link. So it is loaded once for each function, with
 * this function's types, as on kernels without these links. One load for each signature would be no
 * help: a program on a single function has one id, and a program in a link has no parameters.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "index.h"
#include "arguments.h"
#include "array.h"
#include "links.h"
#include "load.h"
#include "multi.h"
#include "util.h"

/*
 * Attaching, and why the kernel didn't attach a program to a function.
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

	for (i = 0; i < idx->cnt; i++) {
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

/*
 * Which functions go into one tracing_multi link. A link is all or nothing, so functions that break
 * a rule are left out before:
 *  - all functions are of one BTF object, as the program has one attach_btf (BPF_PROG_LOAD);
 *  - a function comes once, or the kernel refuses all. On kernels whose BTF has no addresses,
 *    several FUNCs may be of one function. Linux 7.3 doesn't check that when it attaches, and
 *    WARNs when it detaches (bpf_trampoline_multi_detach()). Hence a function whose address isn't
 *    known gets a link of its own, where the kernel does check;
 *  - a trampoline can pass on the arguments (btf_distill_func_proto(), arch_bpf_trampoline_size(),
 *    bpf_check_attach_btf_id_multi()). The same limits hold for a program on a single function.
 */

int fentry_plan__leave_out(struct fentry_plan *plan, size_t i, const char *why)
{
	plan->why[i] = strdup(why);
	return plan->why[i] ? 0 : -ENOMEM;
}

static int check(struct fentry_plan *plan, size_t i, bool exit)
{
	struct fentry_error error;

	return fentry_target__check_fit(plan->targets[i], exit, &error) ?
		       fentry_plan__leave_out(plan, i, error.msg) :
		       0;
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

/* Of functions at one address, keep only the first one. */
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
	struct fentry_group *g;

	if (!ARRAY_GROW(plan->groups, plan->group_cnt))
		return NULL;
	g = &plan->groups[plan->group_cnt];
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

static void add_link(struct fentry_multi *m, int prog_fd, int fd)
{
	m->links[m->link_cnt++] = (struct fentry_multi_link){ prog_fd, fd };
}

static int leave_out(struct fentry_multi *m, size_t i, const char *why, struct fentry_error *error)
{
	int err = fentry_plan__leave_out(&m->plan, i, why);

	return err ? fentry_error__no_memory(error) : 0;
}

/*
 * Attach a program of its own to a function. The function is left out, with the reason, if the
 * kernel refuses that.
 */
static int attach_alone(struct fentry_multi *m, size_t i, struct fentry_error *error)
{
	const struct fentry_target *target = m->plan.targets[i];
	int err, fd, prog_fd = -1;
	struct fentry_error why;

	if (m->opts.go_on && !m->opts.go_on(m->opts.ctx, m->alone++)) {
		fentry_target__refuse(target, -EINTR, &why, "interrupted");
		return leave_out(m, i, why.msg, error);
	}
	err = fentry_prog__clone(m->prog, target, &prog_fd, &why) ?:
		      fentry_prog__attach(target->idx, prog_fd,
					  bpf_program__expected_attach_type(m->prog), i, &fd, &why);
	if (!err) {
		add_link(m, prog_fd, fd);
		return 0;
	}
	if (prog_fd >= 0)
		close(prog_fd);
	if (err == -EPERM) { /* the next functions would fail, too */
		if (error)
			*error = why;
		return err;
	}
	return leave_out(m, i, why.msg, error);
}

/* Handle a function that the kernel refuses in a link. */
static int refused(struct fentry_multi *m, size_t i, int err, struct fentry_error *error)
{
	struct fentry_error why;

	/* the address is known, so bpf_check_attach_btf_id_multi() found no site */
	if (err != -ENOENT)
		return attach_alone(m, i, error);
	fentry_target__refuse(
		m->plan.targets[i], err, &why,
		"it has no ftrace site: it is notrace, or init text, which is freed after boot");
	return leave_out(m, i, why.msg, error);
}

/* A group's functions on their way into a link. */
struct batch {
	int prog_fd, type;
	__u32 *ids;	/* with room for one more */
	__u64 *cookies; /* positions in the plan's targets */
	int *errs;	/* negative errno of each that the kernel refuses */
	size_t cnt;
	bool attach; /* try to attach them; else only ask */
};

static int batch__init(struct batch *b, const struct fentry_plan *plan,
		       const struct fentry_group *g, int prog_fd, int type)
{
	size_t i;

	*b = (struct batch){
		.prog_fd = prog_fd,
		.type = type,
		.cnt = g->cnt,
		.ids = calloc(g->cnt + 1, sizeof(*b->ids)),
		.errs = calloc(g->cnt, sizeof(*b->errs)),
		.cookies = calloc(g->cnt, sizeof(*b->cookies)),
	};
	if (!b->ids || !b->errs || !b->cookies)
		return -ENOMEM;
	for (i = 0; i < g->cnt; i++) {
		b->cookies[i] = g->members[i];
		b->ids[i] = plan->targets[g->members[i]]->type_id;
	}
	return 0;
}

static void batch__fini(struct batch *b)
{
	free(b->ids);
	free(b->errs);
	free(b->cookies);
}

static int batch__fail(const struct batch *b, int err, struct fentry_error *error)
{
	return fentry_error__set(error, err, "can't attach to %zu functions at once: %s", b->cnt,
				 strerror(-err));
}

/*
 * Would the kernel take all of these ids? It checks every id before it patches the first function.
 * With an invalid id behind the others it patches none, and reports what is wrong with one of the
 * others, unless that error is -EINVAL, too. To find errors of -EINVAL, the functions have to be
 * attached for a moment.
 */
static int try(const struct batch *b, size_t from, size_t to)
{
	__u32 cnt = to - from, next = b->ids[to]; /* there is room for one more */
	int fd;

	if (!b->attach) {
		b->ids[to] = FENTRY_NO_ID;
		cnt++;
	}
	fd = fentry_multi_link__create(b->prog_fd, b->type, b->ids + from, NULL, cnt);
	b->ids[to] = next;
	if (fd >= 0)
		close(fd);
	return fd >= 0 || (!b->attach && fd == -EINVAL) ? 0 : fd;
}

/* Set errs of the ids that the kernel refuses. Nothing is attached afterwards. */
static int sieve(const struct batch *b, size_t from, size_t to)
{
	size_t mid = from + (to - from) / 2;
	int err;

	if (from == to)
		return 0;
	err = try(b, from, to);
	if (!err || err == -EPERM || err == -ENOMEM || err == -EMFILE)
		return err;
	if (to - from == 1) {
		b->errs[from] = err;
		return 0;
	}
	return sieve(b, from, mid) ?: sieve(b, mid, to);
}

/* Functions that the kernel refuses leave the batch. They are attached alone or left out. */
static int sift(struct fentry_multi *m, struct batch *b, bool attach, struct fentry_error *error)
{
	size_t i, cnt = b->cnt;
	int err;

	b->attach = attach;
	err = sieve(b, 0, cnt);
	if (err)
		return batch__fail(b, err, error);
	for (b->cnt = 0, i = 0; i < cnt; i++) {
		if (b->errs[i]) {
			err = refused(m, b->cookies[i], b->errs[i], error);
			if (err)
				return err;
			continue;
		}
		b->ids[b->cnt] = b->ids[i];
		b->cookies[b->cnt++] = b->cookies[i];
	}
	memset(b->errs, 0, cnt * sizeof(*b->errs));
	return 0;
}

static int create_link(struct fentry_multi *m, const struct batch *b)
{
	int err, fd, prog_fd;

	if (!b->cnt)
		return 0;
	fd = fentry_multi_link__create(b->prog_fd, b->type, b->ids, b->cookies, b->cnt);
	if (fd < 0)
		return fd;
	prog_fd = dup(b->prog_fd);
	if (prog_fd < 0) {
		err = -errno;
		close(fd);
		return err;
	}
	add_link(m, prog_fd, fd);
	return 0;
}

static int attach_batch(struct fentry_multi *m, struct batch *b, struct fentry_error *error)
{
	int err;

	err = sift(m, b, false, error);
	if (err || !create_link(m, b))
		return err;
	/* some functions are refused only when the link is made */
	err = sift(m, b, true, error);
	if (err)
		return err;
	err = create_link(m, b);
	return err ? batch__fail(b, err, error) : 0;
}

static int attach_each(struct fentry_multi *m, const struct fentry_group *g,
		       struct fentry_error *error)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < g->cnt; i++)
		err = attach_alone(m, g->members[i], error);
	return err;
}

static int attach_group(struct fentry_multi *m, const struct fentry_group *g,
			struct fentry_error *error)
{
	int type = fentry_multi_type(bpf_program__expected_attach_type(m->prog));
	struct batch b;
	int err, prog_fd;

	if (g->cnt == 1 || !fentry_has_multi() ||
	    fentry_prog__clone_multi(m->prog, m->plan.targets[g->members[0]], &prog_fd, NULL))
		return attach_each(m, g, error);
	err = batch__init(&b, &m->plan, g, prog_fd, type);
	err = err ? fentry_error__no_memory(error) : attach_batch(m, &b, error);
	batch__fini(&b);
	close(prog_fd);
	return err;
}

static int attach_all(struct fentry_multi *m, struct fentry_error *error)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < m->plan.group_cnt; i++)
		err = attach_group(m, &m->plan.groups[i], error);
	for (i = 0; !err && i < m->plan.cnt; i++)
		if (!m->plan.why[i] && !m->plan.targets[i]->addr) /* in no group */
			err = attach_alone(m, i, error);
	for (i = 0; i < m->plan.cnt; i++)
		m->left_out += m->plan.why[i] != NULL;
	return err;
}

int fentry_multi__attach(const struct bpf_program *prog, const struct fentry_target *const *targets,
			 size_t cnt, const struct fentry_multi_opts *opts,
			 struct fentry_multi **ret, struct fentry_error *error)
{
	bool exit = bpf_program__expected_attach_type(prog) == BPF_TRACE_FEXIT;
	struct fentry_multi *m = calloc(1, sizeof(*m));
	int err;

	if (!m)
		return fentry_error__no_memory(error);
	m->prog = prog;
	m->links = calloc(cnt + 1, sizeof(*m->links));
	err = fentry_opts__copy(&m->opts, sizeof(m->opts), opts, error);
	if (!err && m->opts.all_or_none)
		err = fentry_error__set(error, -EINVAL, "all_or_none is for inlined calls");
	if (!err && (!m->links || fentry_plan__init(&m->plan, targets, cnt, exit)))
		err = fentry_error__no_memory(error);
	if (!err)
		err = attach_all(m, error);
	if (err)
		fentry_multi__free(m);
	else
		*ret = m;
	return err;
}

int fentry_prog__attach_section(const struct bpf_program *prog, const struct fentry_index *idx,
				const struct fentry_multi_opts *opts, struct fentry_multi **ret,
				struct fentry_error *error)
{
	const struct fentry_arguments *a = fentry_arguments__of(prog);
	const struct fentry_target **found;
	size_t cnt;
	int err;

	if (!a || a->bound)
		return fentry_error__set(
			error, -EINVAL,
			"program '%s' wasn't loaded for the function in its section",
			bpf_program__name(prog));
	err = fentry_prog__resolve_section(prog, idx, &found, &cnt, error);
	if (err)
		return err;
	err = fentry_multi__attach(prog, found, cnt, opts, ret, error);
	if (err)
		free(found);
	else
		(*ret)->owned = found;
	return err;
}

const char *fentry_multi__why(const struct fentry_multi *m, size_t i)
{
	return m->plan.why[i];
}

size_t fentry_multi__cnt(const struct fentry_multi *m)
{
	return m->plan.cnt;
}

size_t fentry_multi__attached(const struct fentry_multi *m)
{
	return m->plan.cnt - m->left_out;
}

size_t fentry_multi__links(const struct fentry_multi *m)
{
	return m->link_cnt;
}

static unsigned long long missed_by(int prog_fd)
{
	struct bpf_prog_info info = {};
	__u32 size = sizeof(info);

	return bpf_obj_get_info_by_fd(prog_fd, &info, &size) ? 0 : info.recursion_misses;
}

unsigned long long fentry_multi__missed(const struct fentry_multi *m)
{
	unsigned long long missed = 0;
	bool is_shared = false;
	size_t i;

	for (i = 0; i < m->link_cnt; i++) {
		is_shared |= m->links[i].prog_fd < 0;
		missed += m->links[i].prog_fd < 0 ? fentry_probe_link__missed(m->links[i].fd) :
						    missed_by(m->links[i].prog_fd);
	}
	return missed + (is_shared ? missed_by(bpf_program__fd(m->prog)) : 0);
}

bool fentry_multi__detach_one(struct fentry_multi *m)
{
	struct fentry_multi_link *l;

	if (!m->link_cnt)
		return false;
	l = &m->links[--m->link_cnt];
	close(l->fd);
	if (l->prog_fd >= 0)
		close(l->prog_fd);
	return true;
}

void fentry_multi__free(struct fentry_multi *m)
{
	if (!m)
		return;
	while (fentry_multi__detach_one(m))
		;
	free(m->links);
	fentry_plan__fini(&m->plan);
	free(m->owned);
	free(m);
}
