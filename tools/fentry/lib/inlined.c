// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Inlined calls: no program that is attached to a function sees them. An index knows of them if
 * there are files that btfaddr wrote. These also say the unit of every function.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "inlined.h"

#define MODULES_DIR "/lib/modules"
#define NESTED_MAX 256			/* functions that are inlined in each other */

/* struct fentry_inline_origin.from */
#define ORIGIN_NESTED 0x80000000u
#define ORIGIN_INEXACT 0x60000000u

/* Where to look first: what was asked for, or beside the kernel's modules. */
static void first_path(const struct fentry_index_opts *opts, const char *object, char *ret,
		       size_t size)
{
	struct utsname uts;

	if (opts->inline_dir)
		snprintf(ret, size, "%s/%s.inline", opts->inline_dir, object);
	else if (!uname(&uts))
		snprintf(ret, size, MODULES_DIR "/%s/btf/%s.inline", uts.release, object);
}

/*
 * A file that was asked for must be there and fit. Of others, nothing that is wrong is a reason
 * not to trace: they aren't used. Nobody has a file of each module.
 */
static int give_up(struct fentry_index *idx, const struct fentry_object *obj, bool asked,
		   const struct fentry_error *why, struct fentry_error *error)
{
	if (why->err == -ENOENT && (!asked || obj->module))
		return 0;
	if (asked)
		return fentry_error__set(error, why->err, "%s", why->msg);
	if (!idx->inline_problem)
		idx->inline_problem = strdup(why->msg);
	return 0;
}

static int add_function(struct fentry_index *idx, const struct fentry_object *obj, __u32 id)
{
	const struct btf *btf = obj->inlined->btf;
	struct fentry_target *t;

	if (!(idx->inlined_cnt & (idx->inlined_cnt - 1))) {
		t = reallocarray(idx->inlined, 2 * idx->inlined_cnt + 1, sizeof(*t));
		if (!t)
			return -ENOMEM;
		idx->inlined = t;
	}
	idx->inlined[idx->inlined_cnt++] = (struct fentry_target){
		.name = btf__name_by_offset(btf, btf__type_by_id(btf, id)->name_off),
		.btf = btf, .module = obj->module, .type_id = id,
	};
	return 0;
}

/* Functions that the object's own BTF hasn't, in the order of their ids. */
static int add_functions(struct fentry_index *idx, const struct fentry_object *obj)
{
	__u32 id = btf__type_cnt(obj->btf), end = btf__type_cnt(obj->inlined->btf);
	int err = 0;

	for (; !err && id < end; id++)
		if (btf_is_func(btf__type_by_id(obj->inlined->btf, id)))
			err = add_function(idx, obj, id);
	return err;
}

static void add_units(struct fentry_index *idx, const struct fentry_object *obj, size_t first)
{
	const struct btf *btf = obj->inlined->btf;
	__u32 id, end = btf__type_cnt(btf), own = btf__type_cnt(obj->btf);
	const struct btf_type *type;
	struct fentry_target *t;
	const char *unit;

	for (id = own; id < end; id++) {
		type = btf__type_by_id(btf, id);
		if (!btf_is_decl_tag(type))
			continue;
		unit = fentry_tag__value(btf__name_by_offset(btf, type->name_off),
					 FENTRY_UNIT_TAG);
		if (!unit)
			continue;
		t = type->type < own ? fentry_index__by_id(idx, obj, type->type) :
		    bsearch(&type->type, idx->inlined + first, idx->inlined_cnt - first,
			    sizeof(*t), fentry_target__cmp_id);
		if (t && !t->unit)
			t->unit = unit;
	}
}

int fentry_index__add_inlined(struct fentry_index *idx, struct fentry_object *obj,
			      const struct fentry_index_opts *opts, const char *btf_dir,
			      struct fentry_error *error)
{
	const char *object = obj->module ?: "vmlinux";
	size_t first = idx->inlined_cnt;
	struct fentry_error why;
	char path[4096] = "";
	int err;

	first_path(opts, object, path, sizeof(path));
	err = fentry_inline__open(path, obj, &obj->inlined, &why);
	if (err == -ENOENT && !opts->inline_dir) {
		snprintf(path, sizeof(path), "%s/%s.inline", btf_dir, object);
		err = fentry_inline__open(path, obj, &obj->inlined, &why);
	}
	if (err)
		return give_up(idx, obj, opts->inline_dir, &why, error);
	if (add_functions(idx, obj))
		return fentry_error__set(error, -ENOMEM, "out of memory");
	add_units(idx, obj, first);
	return 0;
}

void fentry_index__sort_inlined(struct fentry_index *idx)
{
	if (idx->inlined_cnt)
		qsort(idx->inlined, idx->inlined_cnt, sizeof(*idx->inlined),
		      fentry_target__cmp);
}

bool fentry_index__has_inlined(const struct fentry_index *idx)
{
	return idx->objects[0].inlined;
}

const char *fentry_index__inline_problem(const struct fentry_index *idx)
{
	return idx->inline_problem;
}

/* Calls that are looked for. */
struct calls {
	const struct fentry_target *func;	/* of those that are added */
	const char *module;
	struct fentry_inlined_call *ret;
	size_t max, cnt;
};

static const char *name_of(const struct fentry_inline *in, __u32 func)
{
	const struct btf_type *t = btf__type_by_id(in->btf, func);

	return func && t && btf_is_func(t) ? btf__name_by_offset(in->btf, t->name_off) : NULL;
}

static const char *func_of_site(const struct fentry_inline *in, size_t site)
{
	const struct fentry_inline_section *s = in->sections;

	for (; s < in->sections + in->section_cnt; s++)
		if (site < s->first + s->cnt)
			return name_of(in, s->sites[site - s->first].func);
	return NULL;
}

/* The function whose code the site is in: what it's nested in isn't. */
static const char *outermost(const struct fentry_inline *in, __u32 from)
{
	int level;

	for (level = 0; level < NESTED_MAX && from & ORIGIN_NESTED; level++) {
		from &= ~(ORIGIN_NESTED | ORIGIN_INEXACT);
		if (from >= in->site_cnt)
			return NULL;
		from = in->origins[from].from;
	}
	return from & ORIGIN_NESTED ? NULL : name_of(in, from & ~ORIGIN_INEXACT);
}

static void add_origin(const struct fentry_inline *in, size_t site,
		       struct fentry_inlined_call *call)
{
	__u32 from, place, file;

	from = in->origins[site].from;
	place = in->origins[site].place;
	file = place >> in->line_bits;
	call->caller = from & ORIGIN_NESTED ?
		       func_of_site(in, from & ~(ORIGIN_NESTED | ORIGIN_INEXACT)) :
		       name_of(in, from & ~ORIGIN_INEXACT);
	call->symbol = outermost(in, from);
	call->inexact = from & ORIGIN_INEXACT;
	if (place && file < in->file_cnt) {
		call->file = btf__name_by_offset(in->btf, in->files[file]);
		call->line = place & ((1u << in->line_bits) - 1);
	}
}

/* A type that libbpf doesn't know, if it is one of this kind. */
static const __u32 *loc_of(const struct fentry_inline *in, __u32 id, __u32 kind)
{
	const __u32 *loc;

	if (id < in->first_loc || id - in->first_loc >= in->loc_cnt)
		return NULL;
	loc = in->locs[id - in->first_loc];
	return FENTRY_KIND(loc[1]) == kind ? loc : NULL;
}

static void describe(const struct calls *c, const struct fentry_inline *in,
		     const struct fentry_inline_section *s, size_t i,
		     struct fentry_inlined_call *ret)
{
	*ret = (struct fentry_inlined_call){
		.func = c->func, .module = c->module, .section = s->name,
		.offset = s->sites[i].offset,
		.locations = loc_of(in, s->sites[i].loc_proto, FENTRY_LOC_PROTO),
	};
	if (in->origins)
		add_origin(in, s->first + i, ret);
}

static size_t first_site(const struct fentry_inline_section *s, __u32 func)
{
	size_t from = 0, to = s->cnt;

	while (from < to) {
		size_t mid = (from + to) / 2;

		if (s->sites[mid].func < func)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

/* Calls of a function in the code of an object. */
static void add_calls(struct calls *c, const struct fentry_target *func,
		      const struct fentry_object *obj)
{
	const struct fentry_inline *in = obj->inlined;
	const struct fentry_inline_section *s;
	size_t i;

	c->func = func;
	c->module = obj->module;
	for (s = in->sections; s < in->sections + in->section_cnt; s++)
		for (i = first_site(s, func->type_id);
		     i < s->cnt && s->sites[i].func == func->type_id; i++)
			if (c->cnt++ < c->max)
				describe(c, in, s, i, &c->ret[c->cnt - 1]);
}

/*
 * Is what is inlined the function that is also there by itself? BTF has that with other types, or
 * under another name, if the compiler changed it. What a header defines may be in any unit.
 */
static bool is_same(const struct fentry_target *inlined, const struct fentry_target *target)
{
	size_t len = inlined->unit ? strlen(inlined->unit) : 0;

	if (strcmp(inlined->name, target->name) &&
	    !fentry_spec__is_base_name(inlined->name, target->name))
		return false;
	if (len > 2 && !strcmp(inlined->unit + len - 2, ".h"))
		return true;
	return inlined->module == target->module && inlined->unit && target->unit &&
	       !strcmp(inlined->unit, target->unit);
}

/* Calls of functions of this name that are the target's. */
static void add_calls_of_name(const struct fentry_index *idx, const struct fentry_target *target,
			      const char *name, struct calls *c)
{
	size_t i = fentry_targets__lower_bound(idx->inlined, idx->inlined_cnt, name);

	for (; i < idx->inlined_cnt && !strcmp(idx->inlined[i].name, name); i++)
		if (is_same(&idx->inlined[i], target))
			add_calls(c, &idx->inlined[i],
				  fentry_index__object(idx, idx->inlined[i].module));
}

size_t fentry_index__inlined_calls(const struct fentry_index *idx,
				   const struct fentry_target *target,
				   struct fentry_inlined_call *ret, size_t max)
{
	const struct fentry_object *own = fentry_index__object(idx, target->module), *obj;
	struct calls c = { .ret = ret, .max = max };
	char name[FENTRY_LABEL_MAX];
	size_t len;

	if (own && target->btf != own->btf) {
		add_calls(&c, target, own);
		return c.cnt;
	}
	/* a module can call what is vmlinux's */
	for (obj = idx->objects; obj < idx->objects + idx->object_cnt; obj++)
		if (obj->inlined && (obj == own || own == idx->objects))
			add_calls(&c, target, obj);
	for (len = strlen(target->name); len; len--) {
		if (target->name[len] && target->name[len] != '.')
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)len, target->name);
		add_calls_of_name(idx, target, name, &c);
	}
	return c.cnt;
}

static bool has_target(const struct fentry_index *idx, const struct fentry_target *inlined)
{
	size_t i = fentry_index__lower_bound(idx, inlined->name), len = strlen(inlined->name);

	for (; i < idx->cnt && !strncmp(idx->targets[i].name, inlined->name, len); i++)
		if (is_same(inlined, &idx->targets[i]))
			return true;
	return false;
}

int fentry_index__find_inlined(const struct fentry_index *idx, const struct fentry_spec *spec,
			       const struct fentry_target ***ret, size_t *cnt)
{
	const struct fentry_target **found = calloc(idx->inlined_cnt + 1, sizeof(*found)), *f;
	size_t n = 0;

	if (!found)
		return -ENOMEM;
	for (f = idx->inlined; f < idx->inlined + idx->inlined_cnt; f++)
		if (!spec->id && fentry_spec__match(spec, f) && !has_target(idx, f))
			found[n++] = f;
	*ret = found;
	*cnt = n;
	return 0;
}

/* What a LOC_PARAM has in its flags. */
#define LOC_CONST 0x02
#define LOC_ADDR 0x04
#define LOC_REG 0x08
#define LOC_DEREF 0x10
#define LOC_OFFSET 0x20

/* name, info, size, flags, values */
static void read_param(const __u32 *param, struct fentry_location *ret)
{
	__u32 cnt = FENTRY_VLEN(param[1]), flags = param[3];
	const __u32 *values = param + 4;

	if (!cnt || flags & LOC_ADDR)
		return;
	*ret = (struct fentry_location){ .size = param[2], .reg = values[0] };
	if (flags & LOC_CONST) {
		ret->place = FENTRY_VALUE;
		ret->offset = cnt > 1 ? (__s64)((__u64)values[1] << 32 | values[0]) :
					(__s32)values[0];
	} else if (flags & LOC_REG && flags & (LOC_DEREF | LOC_OFFSET)) {
		ret->place = flags & LOC_DEREF ? FENTRY_MEMORY : FENTRY_REGISTER;
		ret->offset = flags & LOC_OFFSET && cnt > 1 ? (__s32)values[1] : 0;
	} else if (flags & LOC_REG) {
		ret->place = cnt > 1 ? FENTRY_REGISTERS : FENTRY_REGISTER;
		ret->high = cnt > 1 ? values[1] : 0;
	}
}

void fentry_inlined_call__location(const struct fentry_index *idx,
				   const struct fentry_inlined_call *call, __u32 nr,
				   struct fentry_location *ret)
{
	const struct fentry_object *obj = fentry_index__object(idx, call->module);
	const __u32 *proto = call->locations, *param = NULL;

	if (proto && nr < FENTRY_VLEN(proto[1]))
		param = loc_of(obj->inlined, proto[3 + nr], FENTRY_LOC_PARAM);
	*ret = (struct fentry_location){};
	if (param)
		read_param(param, ret);
}
