// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Inlined calls of a function: where they are, which functions have them, and where their arguments
 * are. No program that is attached to the function sees them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "inlined/functions_file.h"
#include "util.h"

#define BLACKLIST "/sys/kernel/debug/kprobes/blacklist"

static bool is_of_header(const struct fentry_target *inlined)
{
	size_t len = inlined->file ? strlen(inlined->file) : 0;

	return len > 2 && !strcmp(inlined->file + len - 2, ".h");
}

/* Does the index have code of an inlined function? */
static bool has_target(const struct fentry_index *idx, const struct fentry_target *inlined)
{
	size_t i = fentry_index__lower_bound(idx, inlined->name), len = strlen(inlined->name);

	for (; i < idx->cnt && !strncmp(idx->targets[i].name, inlined->name, len); i++)
		if (!fentry_symbol__is_piece(idx->targets[i].name) &&
		    fentry_target__same_source(inlined, &idx->targets[i]))
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
	for_each(f, idx->inlined, idx->inlined_cnt)
		if (!spec->id && fentry_spec__match(spec, f) && !has_target(idx, f))
			found[n++] = f;
	*ret = found;
	*cnt = n;
	return 0;
}

int fentry_index__check_inlined(const struct fentry_index *idx, const struct fentry_spec *spec,
				struct fentry_error *error)
{
	const struct fentry_target **found = NULL, **inlined = NULL;
	size_t i, n = 0, cnt = 0, inlined_cnt = 0;
	char text[FENTRY_LABEL_MAX];
	int err;

	if (spec->glob || spec->id)
		return 0;
	/* what makes this fail, makes fentry_index__resolve() fail, too */
	fentry_index__find(idx, spec, &found, &cnt, NULL);
	/* a FUNC without symbol is of a function that is only inlined */
	for (i = 0; i < cnt; i++)
		if (found[i]->addr || found[i]->file)
			found[n++] = found[i];
	cnt = n;
	err = fentry_index__find_inlined(idx, spec, &inlined, &inlined_cnt);
	if (err || !ARRAY_APPEND(found, cnt, inlined, inlined_cnt)) {
		err = fentry_error__no_memory(error);
	} else if (inlined_cnt && fentry_targets__sources(found, cnt) > 1) {
		fentry_spec__text(spec, text, sizeof(text));
		err = fentry_targets__several(text, found, cnt, error);
		fentry_targets__choose(found, cnt, error);
	}
	free(found);
	free(inlined);
	return err;
}

#define NESTED_MAX 256 /* functions that are inlined in each other */

/* A search for calls. */
struct calls {
	const struct fentry_index *idx;
	const struct fentry_target *func; /* whose calls are added */
	const struct fentry_object *obj;  /* that has the calls */
	__u64 section_addr;
	struct fentry_inlined_call *ret;	    /* NULL: calls are only counted */
	const struct fentry_inline_origin *origins; /* in this object; NULL: not known */
	size_t cnt;
	bool of_header; /* a header defines the function */
	int err;
	struct fentry_error *error;
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

/*
 * Return the function whose code has the site. Functions that are inlined around the site have no
 * code of their own.
 */
static const char *outermost(const struct calls *c, const struct fentry_inline_origin *origin)
{
	int level;

	for (level = 0; level < NESTED_MAX && origin->nested; level++)
		origin = &c->origins[origin->from];
	return origin->nested ? NULL : name_of(c->obj->inlined, origin->from);
}

static void add_origin(const struct calls *c, size_t site, struct fentry_inlined_call *call)
{
	const struct fentry_inline_origin *origin = &c->origins[site];
	const struct fentry_inline *in = c->obj->inlined;

	call->caller = origin->nested ? func_of_site(in, origin->from) : name_of(in, origin->from);
	call->symbol = outermost(c, origin);
	call->inexact = origin->inexact;
	if (origin->line) {
		call->file = btf__name_by_offset(in->btf, in->files[origin->file]);
		call->line = origin->line;
	}
}

/* Return a type that libbpf doesn't know, if it is of this kind. */
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
		.func = c->func,
		.module = c->obj->module,
		.section = s->name,
		.offset = s->sites[i].offset,
		.addr = c->section_addr ? c->section_addr + s->sites[i].offset : 0,
		.locations = loc_of(in, s->sites[i].loc_proto, FENTRY_LOC_PROTO),
	};
	if (c->origins)
		add_origin(c, s->first + i, ret);
}

/* @a/@b: structures that begin with the id of a function */
static int cmp_func(const void *a, const void *b)
{
	const __u32 x = *(const __u32 *)a, y = *(const __u32 *)b;

	return cmp_int(x, y);
}

static size_t first_site(const struct fentry_inline_section *s, __u32 func)
{
	const struct fentry_inline_site key = { .func = func };

	return lower_bound(&key, s->sites, s->cnt, sizeof(key), cmp_func);
}

static void add_calls_in(struct calls *c, const struct fentry_inline_section *s)
{
	__u32 func = c->func->type_id;
	size_t i = first_site(s, func);

	if (c->ret && i < s->cnt && s->sites[i].func == func) {
		c->section_addr = fentry_index__section(c->idx, c->obj->module, s->name);
		c->err = fentry_inline__origins(c->obj->inlined, &c->origins, c->error);
		if (c->err)
			c->ret = NULL;
	}
	for (; i < s->cnt && s->sites[i].func == func; i++, c->cnt++)
		if (c->ret)
			describe(c, c->obj->inlined, s, i, &c->ret[c->cnt]);
}

static void add_calls(struct calls *c, const struct fentry_target *func,
		      const struct fentry_object *obj)
{
	const struct fentry_inline *in = obj->inlined;
	const struct fentry_inline_section *s;

	c->func = func;
	c->obj = obj;
	c->of_header |= !fentry_target__is_listed(func) && is_of_header(func);
	for_each(s, in->sections, in->section_cnt)
		add_calls_in(c, s);
}

/*
 * Add the calls of inlined functions that are the same as the target. If the compiler changed the
 * target, BTF has it with other types, or under another name.
 */
static void add_calls_of_source(const struct fentry_target *target, struct calls *c)
{
	const struct fentry_index *idx = c->idx;
	size_t i, len = fentry_symbol__base_len(target->name);
	char name[FENTRY_LABEL_MAX];

	snprintf(name, sizeof(name), "%.*s", (int)len, target->name);
	i = fentry_targets__lower_bound(idx->inlined, idx->inlined_cnt, name);
	for (; i < idx->inlined_cnt && !strcmp(idx->inlined[i].name, name); i++)
		if (fentry_target__same_source(&idx->inlined[i], target))
			add_calls(c, &idx->inlined[i],
				  fentry_index__object(idx, idx->inlined[i].module));
}

static void find_calls(const struct fentry_target *target, struct calls *c)
{
	const struct fentry_index *idx = target->idx;
	const struct fentry_object *own, *obj;

	c->idx = idx;
	c->cnt = 0;
	own = fentry_index__object(idx, target->module);
	if (!fentry_target__is_listed(target)) {
		add_calls(c, target, own);
		return;
	}
	/* modules may have calls of vmlinux's functions; in files of theirs, an id that only
	 * vmlinux's functions file has is another type's
	 */
	for_each(obj, idx->objects, idx->object_cnt)
		if (obj->inlined &&
		    (obj == own || (own == idx->objects && !fentry_target__by_probe(target))))
			add_calls(c, target, obj);
	if (!fentry_symbol__is_piece(target->name))
		add_calls_of_source(target, c);
}

size_t fentry_target__inlined_cnt(const struct fentry_target *target)
{
	struct calls c = {};

	find_calls(target, &c);
	return c.cnt;
}

bool fentry_target__direct_cnt(const struct fentry_target *target, size_t *ret)
{
	const struct fentry_index *idx = target->idx;
	const struct fentry_inline_called key = { .func = target->type_id }, *found;
	const struct fentry_object *own, *obj;

	*ret = 0;
	if (!idx || !target->type_id)
		return false;
	own = fentry_index__object(idx, target->module);
	if (!own->inlined || !own->inlined->files)
		return false;
	/* a function that is only inlined has no code, and its id is another type's elsewhere */
	if (!fentry_target__is_listed(target))
		return true;
	for_each(obj, idx->objects, idx->object_cnt) {
		/* modules' files know nothing of ids that only vmlinux's functions file has */
		if (!obj->inlined || !obj->inlined->called_cnt ||
		    (obj != own && (own != idx->objects || fentry_target__by_probe(target))))
			continue;
		found = bsearch(&key, obj->inlined->called, obj->inlined->called_cnt, sizeof(key),
				cmp_func);
		*ret += found ? found->cnt : 0;
	}
	return true;
}

/* One allocation has the pointers and, behind them, the calls. */
int fentry_target__inlined_calls(const struct fentry_target *target,
				 const struct fentry_inlined_call ***ret, size_t *cnt,
				 struct fentry_error *error)
{
	const struct fentry_inlined_call **calls;
	struct calls c = { .error = error };
	size_t i;

	find_calls(target, &c);
	calls = malloc((c.cnt + 1) * (sizeof(*calls) + sizeof(**calls)));
	if (!calls)
		return fentry_error__no_memory(error);
	c.ret = (struct fentry_inlined_call *)(calls + c.cnt + 1);
	find_calls(target, &c);
	if (c.err) {
		free(calls);
		return c.err;
	}
	for (i = 0; i < c.cnt; i++)
		calls[i] = &c.ret[i];
	calls[i] = NULL;
	*ret = calls;
	*cnt = c.cnt;
	return 0;
}

const char *fentry_target__inlined_unknown(const struct fentry_target *target, size_t i)
{
	const struct fentry_index *idx = target->idx;
	const struct fentry_object *own = fentry_index__object(idx, target->module), *obj;
	bool looked = false;
	struct calls c = {};

	for_each(obj, idx->objects, idx->object_cnt) {
		if (obj->inlined)
			continue;
		if (obj != own && !looked)
			find_calls(target, &c);
		looked |= obj != own;
		if ((obj == own || c.of_header) && !i--)
			return obj->module ?: "vmlinux";
	}
	return NULL;
}

/* Flags of a LOC_PARAM. */
#define LOC_CONST  0x02
#define LOC_ADDR   0x04
#define LOC_REG	   0x08
#define LOC_DEREF  0x10
#define LOC_OFFSET 0x20

/* @param has name, info, size, flags and values. */
static void read_param(const struct fentry_index *idx, const __u32 *param,
		       struct fentry_location *ret)
{
	__u32 cnt = FENTRY_VLEN(param[1]), flags = param[3];
	const __u32 *values = param + 4;
	__u64 base = flags & LOC_ADDR ? fentry_index__section(idx, NULL, NULL) : 0;

	if (!cnt || (flags & LOC_ADDR && (!base || !(flags & LOC_CONST))))
		return;
	*ret = (struct fentry_location){ .size = param[2], .reg = values[0] };
	if (flags & LOC_CONST) {
		ret->place = FENTRY_VALUE;
		ret->offset = base + (cnt > 1 ? (__s64)((__u64)values[1] << 32 | values[0]) :
						(__s32)values[0]);
	} else if (flags & LOC_REG && flags & (LOC_DEREF | LOC_OFFSET)) {
		ret->place = flags & LOC_DEREF ? FENTRY_MEMORY : FENTRY_REGISTER;
		ret->offset = flags & LOC_OFFSET && cnt > 1 ? (__s32)values[1] : 0;
	} else if (flags & LOC_REG) {
		ret->place = cnt > 1 ? FENTRY_REGISTERS : FENTRY_REGISTER;
		ret->high = cnt > 1 ? values[1] : 0;
	}
}

void fentry_inlined_call__location(const struct fentry_inlined_call *call, __u32 nr,
				   struct fentry_location *ret)
{
	const struct fentry_index *idx = call->func->idx;
	const struct fentry_object *obj = fentry_index__object(idx, call->module);
	const __u32 *proto = call->locations, *param = NULL;

	if (proto && nr < FENTRY_VLEN(proto[1]))
		param = loc_of(obj->inlined, proto[3 + nr], FENTRY_LOC_PARAM);
	*ret = (struct fentry_location){};
	if (param)
		read_param(idx, param, ret);
	else if (!call->section && !call->func->untrue && !fentry_target__by_probe(call->func))
		fentry_target__at_entry(call->func, nr, ret);
}

void fentry_inlined_call__where(const struct fentry_inlined_call *call, char *buf, size_t size)
{
	const char *caller = call->caller ?: "a function that isn't known";

	if (call->file)
		snprintf(buf, size, "%s, %s:%u", caller, call->file, call->line);
	else
		snprintf(buf, size, "%s", caller);
}

/* How many inlined calls a site is in, itself included; 0 if it is in itself. */
static int depth_of(const struct fentry_inline_origin *origins, size_t site)
{
	int depth = 1;

	for (; origins[site].nested; site = origins[site].from)
		if (++depth > NESTED_MAX)
			return 0;
	return depth;
}

/* The innermost site whose code has the address; its depth is 0 if there is none. */
static size_t site_at(const struct fentry_inline_ranges *ranges,
		      const struct fentry_inline_origin *origins, __u64 addr, int *depth)
{
	const struct fentry_inline_range *list = ranges->list;
	__u64 next = addr + 1;
	size_t i = lower_bound(&next, list, ranges->cnt, sizeof(*list), cmp_u64), ret = 0;
	int found;

	*depth = 0;
	while (i-- && list[i].reach > addr) {
		found = addr < list[i].end ? depth_of(origins, list[i].site) : 0;
		if (found > *depth) {
			*depth = found;
			ret = list[i].site;
		}
	}
	return ret;
}

/* Returns as fentry_index__inlined_at(). */
static int frames_in(const struct fentry_index *idx, const struct fentry_object *obj, __u64 addr,
		     struct fentry_inlined_frame *ret, int max, struct fentry_error *error)
{
	const struct fentry_inline *in = obj->inlined;
	const struct fentry_inline_origin *origins, *at;
	const struct fentry_inline_ranges *ranges;
	int err, depth, i;
	size_t site;

	err = fentry_inline__origins(in, &origins, error) ?:
		      fentry_inline__ranges(idx, obj, &ranges, error);
	if (err || !origins)
		return err;
	site = site_at(ranges, origins, addr, &depth);
	for (i = 0; i < depth && i < max; i++, site = at->from) {
		at = &origins[site];
		ret[i] = (struct fentry_inlined_frame){ .name = func_of_site(in, site) };
		if (at->line) {
			ret[i].file = btf__name_by_offset(in->btf, in->files[at->file]);
			ret[i].line = at->line;
		}
	}
	return depth;
}

int fentry_index__inlined_at(const struct fentry_index *idx, __u64 addr,
			     struct fentry_inlined_frame *ret, int max, struct fentry_error *error)
{
	const struct fentry_object *obj;
	int cnt = 0;

	for (obj = idx->objects; !cnt && obj < idx->objects + idx->object_cnt; obj++)
		if (obj->inlined)
			cnt = frames_in(idx, obj, addr, ret, max, error);
	return cnt;
}

/* Where the functions file has the arguments of a function that it describes anew. */
static const __u32 *find_locations(const struct fentry_target *target)
{
	const struct fentry_inline *in;
	const struct fentry_inline_section *s;
	size_t i;

	in = fentry_index__object(target->idx, target->module)->inlined;
	for_each(s, in->entries, in->entry_cnt) {
		i = first_site(s, target->type_id);
		if (i < s->cnt && s->sites[i].func == target->type_id)
			return loc_of(in, s->sites[i].loc_proto, FENTRY_LOC_PROTO);
	}
	return NULL;
}

void fentry_target__entry(const struct fentry_target *target, struct fentry_inlined_call *ret)
{
	*ret = (struct fentry_inlined_call){
		.func = target,
		.symbol = target->name,
		.module = target->module,
		.addr = target->addr,
		.locations = fentry_target__by_probe(target) ? find_locations(target) : NULL,
	};
}

/* Read lines of "0xFIRST-0xEND\tNAME", in any order. */
static void read_blacklist(struct fentry_index *idx)
{
	FILE *f = fopen(BLACKLIST, "re");
	struct fentry_range range;
	unsigned long long end;
	size_t size = 0;
	char *line = NULL;

	idx->no_probes_read = true;
	while (f && getline(&line, &size, f) >= 0) {
		if (sscanf(line, "%llx-%llx", &range.first, &end) != 2 || !end)
			continue;
		range.last = end > range.first ? end - 1 : range.first;
		if (!ARRAY_GROW(idx->no_probes, idx->no_probe_cnt))
			break;
		idx->no_probes[idx->no_probe_cnt++] = range;
	}
	free(line);
	if (f)
		fclose(f);
}

const char *fentry_inlined_call__unfit(const struct fentry_inlined_call *call)
{
	struct fentry_index *idx = call->func->idx;
	bool found = false;
	size_t i;

	pthread_mutex_lock(&idx->lock);
	if (!idx->no_probes_read)
		read_blacklist(idx);
	for (i = 0; call->addr && !found && i < idx->no_probe_cnt; i++)
		found = call->addr >= idx->no_probes[i].first &&
			call->addr <= idx->no_probes[i].last;
	pthread_mutex_unlock(&idx->lock);
	return found ? "is in code that the kernel has no probes in (noinstr, NOKPROBE or entry code)" :
		       NULL;
}
