// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Inlined calls: no program that is attached to a function sees them. An index knows of them if
 * there are files that btfaddr wrote. These also say the unit of every function.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "inlined.h"

#define MODULES_DIR "/lib/modules"
#define FILE_SUFFIX ".inline"

/*
 * What was asked for may be one file: of the module whose name it has, else of vmlinux. Return
 * whether it is of this object.
 */
static bool is_file_of(const char *path, const char *object, const char *btf_dir)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t len = strlen(object);
	char btf[4096];

	if (!strncmp(name, object, len) && !strcmp(name + len, FILE_SUFFIX))
		return true;
	snprintf(btf, sizeof(btf), "%s/%.*s", btf_dir, (int)strcspn(name, "."), name);
	return !strcmp(object, "vmlinux") && access(btf, F_OK);
}

/* Where to look first: what was asked for, or beside the kernel's modules. */
static bool first_path(const struct fentry_index_opts *opts, const char *object,
		       const char *btf_dir, char *ret, size_t size)
{
	const char *asked = opts->inline_path;
	struct utsname uts;
	struct stat st;

	if (asked && !stat(asked, &st) && !S_ISDIR(st.st_mode)) {
		snprintf(ret, size, "%s", asked);
		return is_file_of(asked, object, btf_dir);
	}
	if (asked)
		snprintf(ret, size, "%s/%s" FILE_SUFFIX, asked, object);
	else if (!uname(&uts))
		snprintf(ret, size, MODULES_DIR "/%s/btf/%s" FILE_SUFFIX, uts.release, object);
	return true;
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
		.btf = btf,
		.idx = idx,
		.module = obj->module,
		.type_id = id,
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
		unit = fentry_tag__value(btf__name_by_offset(btf, type->name_off), FENTRY_UNIT_TAG);
		if (!unit)
			continue;
		t = type->type < own	      ? fentry_index__by_id(idx, obj, type->type) :
		    first == idx->inlined_cnt ? NULL :
						bsearch(&type->type, idx->inlined + first,
							idx->inlined_cnt - first, sizeof(*t),
							fentry_target__cmp_id);
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

	if (!first_path(opts, object, btf_dir, path, sizeof(path)))
		return 0;
	err = fentry_inline__open(path, obj, &obj->inlined, &why);
	if (err == -ENOENT && !opts->inline_path) {
		snprintf(path, sizeof(path), "%s/%s" FILE_SUFFIX, btf_dir, object);
		err = fentry_inline__open(path, obj, &obj->inlined, &why);
	}
	if (err)
		return give_up(idx, obj, opts->inline_path, &why, error);
	if (add_functions(idx, obj))
		return fentry_error__set(error, -ENOMEM, "out of memory");
	add_units(idx, obj, first);
	return 0;
}

void fentry_index__sort_inlined(struct fentry_index *idx)
{
	if (idx->inlined_cnt)
		qsort(idx->inlined, idx->inlined_cnt, sizeof(*idx->inlined), fentry_target__cmp);
}

bool fentry_index__has_inlined(const struct fentry_index *idx)
{
	size_t i;

	for (i = 0; i < idx->object_cnt; i++)
		if (idx->objects[i].inlined)
			return true;
	return false;
}

const char *fentry_index__inline_problem(const struct fentry_index *idx)
{
	return idx->inline_problem;
}

bool fentry_inline__is_of_header(const struct fentry_target *inlined)
{
	size_t len = inlined->unit ? strlen(inlined->unit) : 0;

	return len > 2 && !strcmp(inlined->unit + len - 2, ".h");
}

/*
 * Is what is inlined the function that is also there by itself? BTF has that with other types, or
 * under another name, if the compiler changed it. What a header defines may be in any unit.
 */
bool fentry_inline__is_same(const struct fentry_target *inlined, const struct fentry_target *target)
{
	if (strcmp(inlined->name, target->name) &&
	    !fentry_spec__is_base_name(inlined->name, target->name))
		return false;
	if (fentry_inline__is_of_header(inlined))
		return true;
	return inlined->module == target->module && inlined->unit && target->unit &&
	       !strcmp(inlined->unit, target->unit);
}

static bool has_target(const struct fentry_index *idx, const struct fentry_target *inlined)
{
	size_t i = fentry_index__lower_bound(idx, inlined->name), len = strlen(inlined->name);

	for (; i < idx->cnt && !strncmp(idx->targets[i].name, inlined->name, len); i++)
		if (fentry_inline__is_same(inlined, &idx->targets[i]))
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
