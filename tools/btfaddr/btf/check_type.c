// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's rules for each kind of type, see kernel/bpf/btf.c.
 */
#include <ctype.h>

#include "btf/check_type.h"

/* include/linux/kallsyms.h; the 0 at the end is one of them */
#define KSYM_NAME_LEN 512
/* BTF_INT_MASK in btf.c */
#define INT_MASK 0x0fffffffu
/* BTF_INFO_MASK in btf.c: kind_flag, five bits of kind, 16 of vlen */
#define INFO_MASK 0x9f00ffffu

static const char bad_name[] = "its name is not one that C could have";
static const char no_name[] = "it has no name";

/* btf_name_valid_identifier() */
bool btf_name_valid(const char *name)
{
	static const bool valid[256] = {
		['0' ... '9'] = true, ['A' ... 'Z'] = true, ['a' ... 'z'] = true,
		['_'] = true,	      ['.'] = true,
	};
	const char *s = name;

	if (isdigit((unsigned char)*s))
		return false;
	while (valid[(unsigned char)*s])
		s++;
	return s > name && !*s && s - name < KSYM_NAME_LEN;
}

static bool optional_name_valid(const struct btf_image *img, u32 off)
{
	return !off || btf_name_valid(btf_image_str(img, off));
}

static bool has_name(const struct btf_image *img, const struct btf_type *t)
{
	return *btf_image_str(img, t->name_off);
}

static const char *check_name(const struct btf_image *img, const struct btf_type *t)
{
	if (!has_name(img, t))
		return no_name;
	return optional_name_valid(img, t->name_off) ? NULL : bad_name;
}

static const char *check_int(const struct btf_image *img, const struct btf_type *t)
{
	u32 data = *(const u32 *)(t + 1), bits = BTF_INT_BITS(data) + BTF_INT_OFFSET(data);

	if (data & ~INT_MASK || bits > 128)
		return "it has more bits than an integer can have";
	if ((bits + 7) / 8 > t->size)
		return "it has more bits than bytes for them";
	switch (BTF_INT_ENCODING(data)) {
	case 0:
	case BTF_INT_SIGNED:
	case BTF_INT_CHAR:
	case BTF_INT_BOOL:
		return NULL;
	default:
		return "its encoding is not known";
	}
}

static const char *check_nameless(const struct btf_image *img, const struct btf_type *t)
{
	return t->name_off ? "it has a name" : NULL;
}

/* The names of tags are free. */
static const char *check_type_tag(const struct btf_image *img, const struct btf_type *t)
{
	return has_name(img, t) ? NULL : no_name;
}

static const char *check_array(const struct btf_image *img, const struct btf_type *t)
{
	const struct btf_array *array = btf_array(t);

	if (t->size)
		return "it has a size of its own";
	if (!array->type || !array->index_type)
		return "it is an array of void";
	return check_nameless(img, t);
}

/* Where a member is: from btf_struct_check_meta(). */
static const char *check_member(const struct btf_type *t, u32 i)
{
	u32 off = btf_member_bit_offset(t, i);

	if (!btf_members(t)[i].type)
		return "a member is void";
	if (btf_is_union(t) && off)
		return "a member of a union is not at its start";
	if (i && off < btf_member_bit_offset(t, i - 1))
		return "its members are not in order";
	if (off / 8 + !!(off % 8) > t->size)
		return "a member lies outside of it";
	return NULL;
}

static const char *check_struct(const struct btf_image *img, const struct btf_type *t)
{
	const char *what = optional_name_valid(img, t->name_off) ? NULL : bad_name;
	u32 i;

	for (i = 0; i < btf_vlen(t) && !what; i++) {
		if (!optional_name_valid(img, btf_members(t)[i].name_off))
			return "the name of a member is not one that C could have";
		what = check_member(t, i);
	}
	return what;
}

static const char *check_enum(const struct btf_image *img, const struct btf_type *t)
{
	u32 i, name;

	if (!t->size || t->size > 8 || t->size & (t->size - 1))
		return "no enum has that size";
	if (!optional_name_valid(img, t->name_off))
		return bad_name;
	for (i = 0; i < btf_vlen(t); i++) {
		name = btf_is_enum64(t) ? btf_enum64(t)[i].name_off : btf_enum(t)[i].name_off;
		if (!btf_name_valid(btf_image_str(img, name)))
			return "the name of an enumerator is not one that C could have";
	}
	return NULL;
}

static const char *check_fwd(const struct btf_image *img, const struct btf_type *t)
{
	return t->type ? "it refers to a type" : check_name(img, t);
}

static const char *check_func(const struct btf_image *img, const struct btf_type *t)
{
	if (btf_vlen(t) > BTF_FUNC_GLOBAL)
		return "its linkage is not known";
	if (!t->type || !btf_is_func_proto(type_by_id(img, t->type)))
		return "it has no prototype";
	return check_name(img, t);
}

static const char *check_var(const struct btf_image *img, const struct btf_type *t)
{
	if (btf_var(t)->linkage > BTF_VAR_GLOBAL_ALLOCATED)
		return "its linkage is not known";
	return t->type ? check_name(img, t) : "it is void";
}

/* btf_name_valid_section() */
static bool section_name_valid(const char *name)
{
	const char *s = name;

	while (isprint((unsigned char)*s))
		s++;
	return s > name && !*s && s - name < KSYM_NAME_LEN;
}

static const char *check_datasec(const struct btf_image *img, const struct btf_type *t)
{
	const struct btf_var_secinfo *var = btf_var_secinfos(t);
	u64 end = 0;
	u32 i;

	if (!t->size)
		return "it is empty";
	if (!section_name_valid(btf_image_str(img, t->name_off)))
		return "its name is not that of a section";
	for (i = 0; i < btf_vlen(t); i++, var++) {
		if (!var->type || !var->size || var->offset < end)
			return "its variables are not in order";
		end = (u64)var->offset + var->size;
		if (end > t->size)
			return "a variable lies outside of it";
	}
	return NULL;
}

static const char *check_float(const struct btf_image *img, const struct btf_type *t)
{
	switch (t->size) {
	case 2:
	case 4:
	case 8:
	case 12:
	case 16:
		return NULL;
	default:
		return "no floating-point number has that size";
	}
}

/* How many members or parameters of @t a tag can be on, -1 if no tag can be on @t. */
static int nr_components(const struct btf_image *img, const struct btf_type *t)
{
	if (btf_is_composite(t))
		return btf_vlen(t);
	if (btf_is_func(t))
		return t->type && t->type < img->nr_types ? btf_vlen(type_by_id(img, t->type)) : 0;
	return btf_is_var(t) || btf_is_typedef(t) ? 0 : -1;
}

/* The places that btf_decl_tag_resolve() wants; tools count on them. */
static const char *check_decl_tag(const struct btf_image *img, const struct btf_type *t)
{
	__s32 idx = btf_decl_tag(t)->component_idx;
	int nr = t->type ? nr_components(img, type_by_id(img, t->type)) : -1;

	if (!has_name(img, t))
		return no_name;
	if (nr < 0)
		return "it is a tag of a type that has none";
	return idx < -1 || idx >= nr ? "it is a tag of a member or parameter that is not there" :
				       NULL;
}

/**
 * struct rules - of a kind of type
 * @check: the rules that only this kind has
 * @vlen: info's vlen has a meaning
 * @kflag: so has its kind_flag; that of tags since Linux 6.15
 */
static const struct rules {
	const char *(*check)(const struct btf_image *img, const struct btf_type *t);
	bool vlen, kflag;
} rules[NR_BTF_KINDS] = {
	[BTF_KIND_INT] = { check_int },
	[BTF_KIND_PTR] = { check_nameless },
	[BTF_KIND_ARRAY] = { check_array },
	[BTF_KIND_STRUCT] = { check_struct, .vlen = true, .kflag = true },
	[BTF_KIND_UNION] = { check_struct, .vlen = true, .kflag = true },
	[BTF_KIND_ENUM] = { check_enum, .vlen = true, .kflag = true },
	[BTF_KIND_FWD] = { check_fwd, .kflag = true },
	[BTF_KIND_TYPEDEF] = { check_name },
	[BTF_KIND_VOLATILE] = { check_nameless },
	[BTF_KIND_CONST] = { check_nameless },
	[BTF_KIND_RESTRICT] = { check_nameless },
	[BTF_KIND_FUNC] = { check_func, .vlen = true },
	[BTF_KIND_FUNC_PROTO] = { check_nameless, .vlen = true },
	[BTF_KIND_VAR] = { check_var },
	[BTF_KIND_DATASEC] = { check_datasec, .vlen = true },
	[BTF_KIND_FLOAT] = { check_float },
	[BTF_KIND_DECL_TAG] = { check_decl_tag, .kflag = true },
	[BTF_KIND_TYPE_TAG] = { check_type_tag, .kflag = true },
	[BTF_KIND_ENUM64] = { check_enum, .vlen = true, .kflag = true },
};

/* The names that a type has besides its own. */
static bool part_names_exist(const struct btf_image *img, const struct btf_type *t)
{
	u32 i, name;

	for (i = 0; i < btf_vlen(t); i++) {
		if (btf_is_composite(t))
			name = btf_members(t)[i].name_off;
		else if (btf_is_func_proto(t))
			name = btf_params(t)[i].name_off;
		else if (btf_is_enum(t))
			name = btf_enum(t)[i].name_off;
		else if (btf_is_enum64(t))
			name = btf_enum64(t)[i].name_off;
		else
			return true;
		if (name >= btf_image_strs_end(img))
			return false;
	}
	return true;
}

const char *check_refs(const struct btf_image *img, const struct btf_type *t)
{
	u32 i, id;

	if (t->name_off >= btf_image_strs_end(img) || !part_names_exist(img, t))
		return "a name of it is not in the string section";
	for (i = 0; btf_type_ref(t, i, &id); i++) {
		if (id >= img->nr_types)
			return "it refers to a type that is not there";
	}
	return NULL;
}

const char *check_type(const struct btf_image *img, const struct btf_type *t)
{
	const struct rules *rule = &rules[type_kind(t)];

	if (t->info & ~INFO_MASK || (btf_vlen(t) && !rule->vlen) || (btf_kflag(t) && !rule->kflag))
		return "its kind is damaged";
	return check_refs(img, t) ?: rule->check(img, t);
}
