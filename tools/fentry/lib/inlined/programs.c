// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Programs of SEC("fentry.probe/name"): one program at all calls of a function, by a kprobe at
 * the function and at each place where it is inlined. FENTRY_PROBE_PROG() finds the arguments in
 * a map, whose key is the attach cookie.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "array.h"
#include "index.h"
#include "registers.h"
#include "type.h"
#include "util.h"
#include "way.h"

#define MAP_SUFFIX "_args"

/* The values in the map of FENTRY_PROBE_PROG(), as in fentry.bpf.h. */
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

static bool set_arg(const struct fentry_location *loc, struct fentry_arg *ret)
{
	if (loc->place == FENTRY_UNKNOWN || loc->place == FENTRY_REGISTERS ||
	    loc->size > sizeof(ret->offset))
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
	fentry_inlined_call__location(call, param, &loc);
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
	struct fentry_inlined_call own;
	const struct fentry_inlined_call **calls;
	size_t i, cnt;
	int err;

	err = fentry_target__inlined_calls(func, &calls, &cnt, c->error);
	if (err)
		return err;
	for (i = 0; !err && i < cnt; i++)
		err = add_call(c, calls[i]);
	free(calls);
	if (err || !fentry_target__is_listed(func))
		return err;
	fentry_target__entry(func, &own);
	return add_call(c, &own);
}

static int cmp_place(const void *a, const void *b)
{
	const struct fentry_inlined_call *x = a, *y = b;
	int diff = cmp_int(x->addr, y->addr) ?: cmp_int(x->offset, y->offset);

	return diff ?: cmp_int(x->func, y->func);
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

	/* without any file, the program is for functions alone, as others are */
	all_or_none &= fentry_index__has_inlined(c->idx);
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
	const char *section = bpf_program__section_name(prog), *slash = strchr(section, '/');
	int err;

	if (fentry_prog__cookie(prog) != FENTRY_PROBE || !(spec || slash))
		return fentry_error__set(error, -EINVAL,
					 "program '%s' is in section '%s', not fentry.probe",
					 bpf_program__name(prog), section);
	err = fentry_opts__copy(&own, sizeof(own), opts, error) ?:
		      find_calls(&c, spec ?: slash + 1, own.all_or_none);
	err = err			 ?:
		      place_all(&c, obj) ?:
		      fentry_multi__attach_points(prog, NULL, c.list, c.whys, c.cnt, opts, ret,
						  error);
	free(c.calls);
	free(c.list);
	free(c.whys);
	return err;
}
