// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * One program on many inlined calls, or entries of functions: one link if the kernel has such
 * links, else one for each call.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "array.h"
#include "index.h"
#include "links.h"
#include "multi.h"
#include "registers.h"
#include "type.h"
#include "util.h"

/* Where a program is attached. */
struct sites {
	const struct fentry_inlined_call *const *calls;
	const char *const *whys; /* reasons not to try a call; may be NULL */
	__u32 flags;		 /* of a link that has all */
	__u64 *addrs, *cookies;
	size_t cnt;
};

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

static int leave_out_for(struct fentry_multi *m, const struct sites *s, size_t i, int err,
			 const char *why, struct fentry_error *refused)
{
	const struct fentry_inlined_call *call = s->calls[i];
	char label[FENTRY_LABEL_MAX], where[FENTRY_LABEL_MAX];

	fentry_target__label(call->func, label);
	fentry_inlined_call__where(call, where, sizeof(where));
	if (call->section)
		fentry_error__set(refused, err, "can't attach to the inlined call of %s in %s: %s",
				  label, where, why);
	else
		fentry_error__set(refused, err, "can't attach to %s: %s", label, why);
	m->left_out++;
	return fentry_plan__leave_out(&m->plan, i, refused->msg);
}

/* Returns 0 if the other calls can still be attached. */
static int leave_out(struct fentry_multi *m, const struct sites *s, size_t i, int err,
		     struct fentry_error *error)
{
	const char *unfit = err == -EINVAL ? fentry_inlined_call__unfit(s->calls[i]) : NULL;
	const char *why = unfit ?: refusal(err);
	struct fentry_error refused;
	char text[256];

	snprintf(text, sizeof(text), "%s%s", unfit ? "it " : "", why ?: strerror(-err));
	if (leave_out_for(m, s, i, err, text, &refused))
		return fentry_error__no_memory(error);
	if (why)
		return 0;
	if (error)
		*error = refused;
	return err;
}

static bool is_over(const struct fentry_multi *m)
{
	return m->opts.all_or_none && m->left_out;
}

static bool goes_on(struct fentry_multi *m)
{
	return !m->opts.go_on || m->opts.go_on(m->opts.ctx, m->alone++);
}

/* Collect the calls that haven't been left out. */
static void collect(const struct fentry_multi *m, struct sites *s)
{
	size_t i, n = 0;

	for (i = 0; i < m->plan.cnt; i++) {
		if (m->plan.why[i])
			continue;
		s->addrs[n] = s->calls[i]->addr;
		s->cookies[n++] = i;
	}
	s->cnt = n;
}

static void add_link(struct fentry_multi *m, int fd)
{
	m->links[m->link_cnt++] = (struct fentry_multi_link){ -1, fd };
}

static int interrupt(struct fentry_multi *m, const struct sites *s, struct fentry_error *error)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < s->cnt; i++)
		err = leave_out(m, s, s->cookies[i], -EINTR, error);
	return err;
}

static int create_link(const struct fentry_multi *m, const struct sites *s, size_t from, size_t to,
		       __u32 *failed)
{
	return fentry_probe_link__create(bpf_program__fd(m->prog), s->flags, s->addrs + from,
					 s->cookies + from, to - from, failed);
}

/* The kernel doesn't say which entry it refuses: try the halves. */
static int sieve(struct fentry_multi *m, const struct sites *s, size_t from, size_t to,
		 struct fentry_error *error)
{
	size_t mid = from + (to - from) / 2;
	__u32 failed;
	int fd = create_link(m, s, from, to, &failed);

	if (fd >= 0)
		return close(fd), 0;
	if (to - from == 1 || (fd != -EINVAL && fd != -ENOENT))
		return leave_out(m, s, s->cookies[from], fd, error);
	return sieve(m, s, from, mid, error) ?: sieve(m, s, mid, to, error);
}

/*
 * The kernel takes all addresses or none, and says which one it refuses. It has accepted those
 * before, so the next try starts behind the refused one. When a try succeeds, one link is made for
 * all.
 */
static int attach_at_once(struct fentry_multi *m, struct sites *s, struct fentry_error *error)
{
	int fd, err = 0;
	size_t from = 0;
	__u32 failed;

	for (collect(m, s); s->cnt && !err && !is_over(m); collect(m, s)) {
		from = from < s->cnt ? from : 0;
		if (!goes_on(m))
			return interrupt(m, s, error);
		fd = create_link(m, s, from, s->cnt, &failed);
		if (fd >= 0 && !from) {
			add_link(m, fd);
			return 0;
		}
		if (fd >= 0) {
			close(fd);
			from = 0;
			continue;
		}
		if (s->flags != FENTRY_PROBES_ANY && (fd == -EINVAL || fd == -ENOENT)) {
			err = sieve(m, s, 0, s->cnt, error);
			continue;
		}
		if (failed >= s->cnt - from)
			return fentry_error__set(error, fd,
						 "can't attach to %zu inlined calls at once: %s",
						 s->cnt - from, strerror(-fd));
		from += failed;
		err = leave_out(m, s, s->cookies[from], fd, error);
	}
	return err;
}

static int attach_each(struct fentry_multi *m, const struct sites *s, struct fentry_error *error)
{
	int fd, err = 0, type = fentry_probe_event__type(), prog_fd = bpf_program__fd(m->prog);
	size_t i;

	if (!type)
		return fentry_error__set(
			error, -ENODEV,
			"can't attach to inlined calls: this kernel has no probes (CONFIG_KPROBE_EVENTS)");
	for (i = 0; i < m->plan.cnt && !err && !is_over(m); i++) {
		if (m->plan.why[i])
			continue;
		fd = goes_on(m) ? fentry_probe_event__create(type, m->opts.exit, prog_fd,
							     s->calls[i]->addr, i) :
				  -EINTR;
		if (fd >= 0)
			add_link(m, fd);
		else
			err = leave_out(m, s, i, fd, error);
	}
	return err;
}

/* Leave out calls that the kernel is known to refuse. */
static int check(struct fentry_multi *m, struct sites *s, struct fentry_error *error)
{
	struct fentry_error refused;
	bool entries = true;
	const char *why;
	char text[256];
	size_t i;
	int err = 0;

	for (i = 0; i < m->plan.cnt && !err; i++) {
		const char *other = m->opts.like ? fentry_multi__why(m->opts.like, i) : NULL;

		if (other) {
			m->left_out++;
			if (fentry_plan__leave_out(&m->plan, i, other))
				return fentry_error__no_memory(error);
			continue;
		}
		if (s->whys && s->whys[i]) {
			if (leave_out_for(m, s, i, -ENODATA, s->whys[i], &refused))
				return fentry_error__no_memory(error);
			continue;
		}
		why = fentry_target__by_probe(s->calls[i]->func) && !s->calls[i]->section ?
			      fentry_target__unfit(s->calls[i]->func, m->opts.exit) :
			      NULL;
		if (why) {
			snprintf(text, sizeof(text), "it %s", why);
			if (leave_out_for(m, s, i, -EINVAL, text, &refused))
				return fentry_error__no_memory(error);
			continue;
		}
		entries &= !s->calls[i]->section;
		if (!s->calls[i]->addr)
			return fentry_error__set(
				error, -ENODATA,
				"can't tell where section %s of %s is: the kernel shows addresses to root with CAP_SYSLOG",
				s->calls[i]->section ?: ".text", s->calls[i]->module ?: "vmlinux");
		if (fentry_inlined_call__unfit(s->calls[i]))
			err = leave_out(m, s, i, -EINVAL, error);
	}
	s->flags = !entries	? FENTRY_PROBES_ANY :
		   m->opts.exit ? FENTRY_PROBES_RETURN :
				  FENTRY_PROBES_ENTRY;
	if (!err && m->opts.exit && !entries)
		err = fentry_error__set(error, -EINVAL, "inlined calls don't return");
	return err;
}

static int attach(struct fentry_multi *m, struct sites *s, struct fentry_error *error)
{
	int err;

	err = check(m, s, error);
	if (!err && bpf_program__expected_attach_type(m->prog) == BPF_TRACE_KPROBE_MULTI)
		err = attach_at_once(m, s, error);
	else if (!err)
		err = attach_each(m, s, error);
	if (!is_over(m))
		return err;
	while (fentry_multi__detach_one(m))
		;
	m->left_out = m->plan.cnt;
	return err;
}

static struct fentry_multi *new_multi(const struct bpf_program *prog, size_t cnt)
{
	struct fentry_multi *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->prog = prog;
	m->plan.cnt = cnt;
	m->links = calloc(cnt + 1, sizeof(*m->links));
	m->plan.why = calloc(cnt + 1, sizeof(*m->plan.why));
	if (m->links && m->plan.why)
		return m;
	fentry_multi__free(m);
	return NULL;
}

static int attach_calls(const struct bpf_program *prog,
			const struct fentry_inlined_call *const *calls, const char *const *whys,
			size_t cnt, const struct fentry_multi_opts *opts, struct fentry_multi **ret,
			struct fentry_error *error)
{
	struct sites s = {
		.calls = calls,
		.whys = whys,
		.addrs = calloc(cnt + 1, sizeof(*s.addrs)),
		.cookies = calloc(cnt + 1, sizeof(*s.cookies)),
	};
	struct fentry_multi *m = new_multi(prog, cnt);
	int err;

	if (!s.addrs || !s.cookies || !m)
		err = fentry_error__no_memory(error);
	else
		err = fentry_opts__copy(&m->opts, sizeof(m->opts), opts, error) ?:
			      attach(m, &s, error);
	free(s.addrs);
	free(s.cookies);
	if (err)
		fentry_multi__free(m);
	else
		*ret = m;
	return err;
}

int fentry_multi__attach_inlined(const struct bpf_program *prog,
				 const struct fentry_inlined_call *const *calls, size_t cnt,
				 const struct fentry_multi_opts *opts, struct fentry_multi **ret,
				 struct fentry_error *error)
{
	return attach_calls(prog, calls, NULL, cnt, opts, ret, error);
}

/*
 * Programs of SEC("fentry.inlined/name"): one program at all calls of a function, by a kprobe at
 * the function and at each place where it is inlined. FENTRY_INLINED_PROG() finds the arguments in
 * a map, whose key is the attach cookie.
 */

#define MAP_SUFFIX "_args"
#define SLOT_SIZE  8

/* The values in the map of FENTRY_INLINED_PROG(), as in fentry.bpf.h. */
struct fentry_arg {
	unsigned long long offset;
	unsigned char place; /* enum fentry_place */
	unsigned char size;
	unsigned char reg; /* offset in struct pt_regs */
	unsigned char pad[5];
};

struct fentry_args {
	struct fentry_arg arg[12];
};

struct calls {
	const struct bpf_program *prog;
	const struct fentry_index *idx;
	const struct fentry_arguments *args; /* NULL: the program declares none */
	int map_fd;
	struct fentry_inlined_call *calls;
	const struct fentry_inlined_call **list; /* of pointers to them */
	const char **whys;
	size_t cnt;
	struct fentry_error *error;
};

static bool is_inlined(const struct bpf_program *prog)
{
	static const char section[] = "fentry.inlined/";

	return !strncmp(bpf_program__section_name(prog), section, strlen(section));
}

/* Offsets in struct pt_regs of registers, by their DWARF numbers. */
static const unsigned char reg_offsets[] = {
#define OFFSET(member) offsetof(struct registers, member)
	EACH_REGISTER(OFFSET)
};

static const struct btf_type *proto_of(const struct fentry_target *func)
{
	return fentry_type__proto(func->btf, func->type_id);
}

/* A function's parameter of this name; -1 if it has none. */
static int find_param(const struct fentry_target *func, const char *name)
{
	const struct btf_type *proto = proto_of(func);
	int i;

	for (i = 0; i < btf_vlen(proto); i++)
		if (!strcmp(btf__name_by_offset(func->btf, btf_params(proto)[i].name_off), name))
			return i;
	return -1;
}

/* At the entry, arguments are where the calling convention has them. */
static void at_entry(const struct fentry_target *func, int nr, struct fentry_location *ret)
{
	static const unsigned char regs[] = { ARGUMENT_REGISTERS };
	const struct btf_param *params = btf_params(proto_of(func));
	__s64 size = 0, slot = 0;
	int i;

	*ret = (struct fentry_location){};
	/* the address of a large return value comes first */
	if (btf_is_composite(fentry_type__skip_names(func->btf, proto_of(func)->type)))
		return;
	for (i = 0; i <= nr; i++) {
		size = btf__resolve_size(func->btf, params[i].type);
		/* a larger one, and all that follow, may be in either */
		if (size <= 0 || size > SLOT_SIZE)
			return;
		slot = i;
	}
	if (slot < (__s64)sizeof(regs))
		*ret = (struct fentry_location){ .place = FENTRY_REGISTER,
						 .size = size,
						 .reg = regs[slot] };
	else
		*ret = (struct fentry_location){ .place = FENTRY_MEMORY,
						 .size = size,
						 .reg = REGISTER_SP,
						 .offset = RETURN_ADDRESS_SIZE +
							   (slot - sizeof(regs)) * SLOT_SIZE };
}

static bool set_arg(const struct fentry_location *loc, struct fentry_arg *ret)
{
	if (loc->place == FENTRY_UNKNOWN || loc->place == FENTRY_REGISTERS || loc->size > SLOT_SIZE)
		return false;
	if (loc->place != FENTRY_VALUE && loc->reg >= sizeof(reg_offsets))
		return false;
	*ret = (struct fentry_arg){
		.offset = loc->offset,
		.place = loc->place,
		.size = loc->size,
		.reg = loc->place == FENTRY_VALUE ? 0 : reg_offsets[loc->reg],
	};
	return true;
}

/* Where one of the program's parameters is. Sets @why if that isn't known at this call. */
static int find_arg(const struct calls *c, const struct fentry_inlined_call *call, int nr,
		    struct fentry_arg *ret, const char **why)
{
	const char *name = fentry_arguments__name(c->args, nr);
	const struct fentry_target *func = call->func;
	struct fentry_location loc;
	char label[FENTRY_LABEL_MAX];
	int param = find_param(func, name);

	if (param < 0) {
		*why = "it lacks an argument that the program declares";
		return 0;
	}
	fentry_target__label(func, label);
	if (!fentry_type__same(c->args->btf, c->args->declared[nr].type, func->btf,
			       btf_params(proto_of(func))[param].type))
		return fentry_error__set(c->error, -EINVAL,
					 "program '%s': '%s' has another type in %s",
					 bpf_program__name(c->prog), name, label);
	if (call->section || call->locations)
		fentry_inlined_call__location(call, param, &loc);
	else
		at_entry(func, param, &loc);
	if (!set_arg(&loc, ret))
		*why = "an argument that the program declares isn't known there";
	return 0;
}

static int place_args(struct calls *c, size_t i)
{
	struct fentry_args args = {};
	__u64 key = i;
	int nr, err = 0;

	for (nr = 0; !err && !c->whys[i] && nr < c->args->cnt_declared; nr++)
		err = find_arg(c, &c->calls[i], nr, &args.arg[nr], &c->whys[i]);
	if (err || c->whys[i])
		return err;
	if (bpf_map_update_elem(c->map_fd, &key, &args, BPF_ANY))
		return fentry_error__set(c->error, -errno, "program '%s': can't fill its map: %s",
					 bpf_program__name(c->prog), strerror(errno));
	return 0;
}

static int add_call(struct calls *c, const struct fentry_inlined_call *call)
{
	if (!ARRAY_GROW(c->calls, c->cnt))
		return fentry_error__no_memory(c->error);
	c->calls[c->cnt++] = *call;
	return 0;
}

/* Add the inlined calls of one function, and the function itself. */
static int add_function(struct calls *c, const struct fentry_target *func)
{
	struct fentry_inlined_call own = { .func = func,
					   .module = func->module,
					   .addr = func->addr };
	const struct fentry_inlined_call **calls;
	size_t i, cnt;
	int err;

	err = fentry_target__inlined_calls(func, &calls, &cnt, c->error);
	if (err)
		return err;
	for (i = 0; !err && i < cnt; i++)
		err = add_call(c, calls[i]);
	free(calls);
	fentry_target__entry(func, &own);
	return err || !fentry_target__is_listed(func) ? err : add_call(c, &own);
}

static int cmp_place(const void *a, const void *b)
{
	const struct fentry_inlined_call *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->func < y->func ? -1 : x->func > y->func;
}

/* The symbols of one function of the source have the same inlined calls: keep each once. */
static void drop_repeated(struct calls *c)
{
	size_t i, n = 0;

	if (c->cnt)
		qsort(c->calls, c->cnt, sizeof(*c->calls), cmp_place);
	for (i = 0; i < c->cnt; i++)
		if (!n || !c->calls[i].addr || cmp_place(&c->calls[n - 1], &c->calls[i]))
			c->calls[n++] = c->calls[i];
	c->cnt = n;
}

static int check_known(const struct calls *c, const struct fentry_target *func, bool all_or_none)
{
	const char *where = fentry_target__inlined_unknown(func, 0);
	char label[FENTRY_LABEL_MAX];

	if (!where || !all_or_none)
		return 0;
	fentry_target__label(func, label);
	return fentry_error__set(
		c->error, -ENODATA,
		"program '%s': it isn't known which calls of %s are inlined in %s, which has no file of inlined calls",
		bpf_program__name(c->prog), label, where);
}

static int add_functions(struct calls *c, const struct fentry_spec *spec, bool all_or_none)
{
	const struct fentry_target **found = NULL, **inlined = NULL, *func;
	size_t i, cnt = 0, inlined_cnt = 0;
	char text[FENTRY_LABEL_MAX];
	int err;

	fentry_spec__text(spec, text, sizeof(text));
	err = fentry_index__check_inlined(c->idx, spec, c->error) ?:
		      fentry_index__resolve(c->idx, spec, &found, &cnt, c->error);
	if (err == -ENOTUNIQ && cnt > 1)
		fentry_targets__choose(found, cnt, c->error);
	if (!err || err == -ENOENT)
		err = fentry_index__find_inlined(c->idx, spec, &inlined, &inlined_cnt) ?
			      fentry_error__no_memory(c->error) :
			      0;
	if (!err && !(cnt + inlined_cnt))
		err = fentry_error__set(c->error, -ENOENT, "program '%s': no function matches '%s'",
					bpf_program__name(c->prog), text);
	for (i = 0; !err && i < cnt + inlined_cnt; i++) {
		func = i < cnt ? found[i] : inlined[i - cnt];
		err = check_known(c, func, all_or_none) ?: add_function(c, func);
	}
	drop_repeated(c);
	free(found);
	free(inlined);
	return err;
}

static int find_calls(struct calls *c, const char *text, bool all_or_none)
{
	struct fentry_spec spec = {};
	int err;

	if (!fentry_index__has_inlined(c->idx))
		return fentry_error__set(
			c->error, -ENODATA,
			"program '%s': it isn't known which calls are inlined, as there is no file of inlined calls",
			bpf_program__name(c->prog));
	err = fentry_spec__parse(text, &spec, c->error) ?: add_functions(c, &spec, all_or_none);
	fentry_spec__clear(&spec);
	return err;
}

static int place_all(struct calls *c, const struct bpf_object *obj)
{
	char name[256];
	size_t i;
	int err = 0;

	c->whys = calloc(c->cnt + 1, sizeof(*c->whys));
	c->list = calloc(c->cnt + 1, sizeof(*c->list));
	if (!c->whys || !c->list)
		return fentry_error__no_memory(c->error);
	for (i = 0; i < c->cnt; i++)
		c->list[i] = &c->calls[i];
	snprintf(name, sizeof(name), "%s" MAP_SUFFIX, bpf_program__name(c->prog));
	c->map_fd = bpf_object__find_map_fd_by_name(obj, name);
	if (!c->args || !c->args->declared || c->map_fd < 0)
		return 0;
	for (i = 0; !err && i < c->cnt; i++)
		err = place_args(c, i);
	return err;
}

int fentry_prog__attach_calls(const struct bpf_object *obj, const struct bpf_program *prog,
			      const char *spec, const struct fentry_index *idx,
			      const struct fentry_multi_opts *opts, struct fentry_multi **ret,
			      struct fentry_error *error)
{
	struct fentry_multi_opts own = { .sz = sizeof(own) };
	struct calls c = {
		.prog = prog, .idx = idx, .error = error, .args = fentry_arguments__of(prog)
	};
	int err;

	if (!is_inlined(prog))
		return fentry_error__set(error, -EINVAL,
					 "program '%s' is in section '%s', not fentry.inlined",
					 bpf_program__name(prog), bpf_program__section_name(prog));
	err = fentry_opts__copy(&own, sizeof(own), opts, error) ?:
		      find_calls(&c, spec ?: strchr(bpf_program__section_name(prog), '/') + 1,
				 own.all_or_none);
	err = err			 ?:
		      place_all(&c, obj) ?:
		      attach_calls(prog, c.list, c.whys, c.cnt, opts, ret, error);
	free(c.calls);
	free(c.list);
	free(c.whys);
	return err;
}
