// SPDX-License-Identifier: GPL-2.0-only
/*
 * Comparing a DWARF type with a BTF type, to tell apart types of one name.
 *
 * Two types are the same if they look the same, and the types that they refer to are the same, too.
 * There is a list of pairs of types to compare. Comparing a pair adds the pairs of types that the
 * two refer to. Types are cyclic, so a pair that is on the list already is not added again.
 *
 * The results are remembered from one call to the next. Without that this would take very long
 * where libbpf could not merge the types of all units: BTF has hundreds of copies of each struct
 * then, and many of them refer to all others.
 */
#include "btf/types.h"

/*
 * Which kinds of BTF stand for a DWARF type.
 */

/* The kind that pahole writes for a DIE's tag. */
u32 die_btf_kind(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_base_type:
		return BTF_KIND_INT;
	case DW_TAG_pointer_type:
		return BTF_KIND_PTR;
	case DW_TAG_const_type:
		return BTF_KIND_CONST;
	case DW_TAG_volatile_type:
		return BTF_KIND_VOLATILE;
	case DW_TAG_restrict_type:
		return BTF_KIND_RESTRICT;
	case DW_TAG_typedef:
		return BTF_KIND_TYPEDEF;
	case DW_TAG_structure_type:
		return BTF_KIND_STRUCT;
	case DW_TAG_union_type:
		return BTF_KIND_UNION;
	case DW_TAG_enumeration_type:
		return BTF_KIND_ENUM;
	case DW_TAG_array_type:
		return BTF_KIND_ARRAY;
	case DW_TAG_subroutine_type:
		return BTF_KIND_FUNC_PROTO;
	default:
		return 0;
	}
}

int die_type_tags(Dwarf_Die *pointer, const char **tags, int max)
{
	Dwarf_Die child;
	int nr = 0;

	for_each_child(pointer, TAG_LLVM_ANNOTATION, &child) {
		if (nr == max || strcmp(die_name(&child), "btf_type_tag"))
			continue;
		tags[nr] = die_string(&child, DW_AT_const_value);
		nr += tags[nr] != NULL;
	}
	return nr;
}

/*
 * What is known of a pair. ASSUMED: the pair is on the list now, and counts as the same until the
 * end. UNKNOWN: the pair was on a list when another pair differed, which ended that comparison.
 */
enum verdict { UNKNOWN = 1, ASSUMED, SAME, DIFFERENT };

#define STRICT_BIT (1u << 31) /* above every id */
#define NO_PAIR	   UINT32_MAX

/**
 * struct pair - a DWARF type and a BTF type
 * @key: as in struct types_seen; the low bits are the BTF id
 * @parent: index of the pair that refers to it, NO_PAIR for the first
 */
struct pair {
	Dwarf_Die die;
	u64 key;
	u32 parent;
};

/**
 * struct same - state of types_same()
 * @at: index of the pair that is being looked at
 */
struct same {
	const struct btf_index *idx;
	struct types_seen *seen;
	bool strict;
	struct pair *pairs;
	size_t nr;
	u32 at;
};

static bool same_base(Dwarf_Die *die, const struct btf_type *t)
{
	/* pahole makes a float of everything that is no integer */
	if (btf_kind(t) != (die_is_integer(die) ? BTF_KIND_INT : BTF_KIND_FLOAT))
		return false;
	return t->size == die_udata(die, DW_AT_byte_size, 0);
}

static bool same_enum(const struct btf_image *img, Dwarf_Die *die, const struct btf_type *t)
{
	u32 i = 0, vlen = btf_vlen(t);
	const char *name;
	Dwarf_Die child;
	u64 have, val;

	if (t->size != die_udata(die, DW_AT_byte_size, 0))
		return false;
	for_each_child(die, DW_TAG_enumerator, &child) {
		if (i == vlen)
			return false;
		val = die_sdata(&child, DW_AT_const_value, 0);
		if (btf_is_enum64(t)) {
			name = btf_image_str(img, btf_enum64(t)[i].name_off);
			have = btf_enum64_value(&btf_enum64(t)[i]);
		} else {
			name = btf_image_str(img, btf_enum(t)[i].name_off);
			have = (u32)btf_enum(t)[i].val;
			val = (u32)val;
		}
		if (have != val || strcmp(name, die_name(&child)))
			return false;
		i++;
	}
	return i == vlen;
}

static bool same_members(const struct btf_image *img, Dwarf_Die *die, const struct btf_type *t)
{
	const struct btf_member *m = btf_members(t);
	u32 i = 0, vlen = btf_vlen(t);
	struct member_place place;
	Dwarf_Die child;

	if (t->size != die_udata(die, DW_AT_byte_size, 0))
		return false;
	for_each_child(die, DW_TAG_member, &child) {
		if (i == vlen || strcmp(btf_image_str(img, m[i].name_off), die_name(&child)))
			return false;
		die_member_place(&child, &place);
		if (btf_member_bit_offset(t, i) != place.bit_off)
			return false;
		if (btf_kflag(t) && btf_member_bitfield_size(t, i) != place.bit_size)
			return false;
		i++;
	}
	return i == vlen;
}

bool types_same_shape(const struct btf_image *img, Dwarf_Die *die, const struct btf_type *t)
{
	u32 kind = btf_kind(t);

	if (strcmp(type_name(img, t), die_name(die)))
		return false;
	switch (die_btf_kind(die)) {
	case BTF_KIND_INT:
		return same_base(die, t);
	case BTF_KIND_ENUM:
		return (kind == BTF_KIND_ENUM || kind == BTF_KIND_ENUM64) && same_enum(img, die, t);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return kind == die_btf_kind(die) && same_members(img, die, t);
	default:
		return false;
	}
}

/* Is @id the only struct or union of its kind and name? */
static bool is_only(struct same *same, u32 id)
{
	const struct btf_type *t = type_by_id(same->idx->img, id);
	const char *name = type_name(same->idx->img, t);
	u32 i;

	if (!*name)
		return false;
	for_each_named(i, same->idx, btf_kind(t), name) {
		if (i != id)
			return false;
	}
	return true;
}

static u64 pair_key(struct same *same, Dwarf_Die *die, u32 id)
{
	struct u64map *die_nr = &same->seen->die_nr;
	u32 nr = u64map_get(die_nr, die_key(die));

	if (!nr) {
		nr = die_nr->nr + 1;
		u64map_set(die_nr, die_key(die), nr);
	}
	return (u64)nr << 32 | id | (same->strict ? STRICT_BIT : 0);
}

/* Add a pair to the list. Returns false if it is known to be different. */
static bool add(struct same *same, Dwarf_Die *die, u32 id)
{
	struct u64map *verdicts = &same->seen->verdicts;
	bool is_void = !die->addr || dwarf_tag(die) == DW_TAG_unspecified_type;
	u32 verdict;
	u64 key;

	if (is_void || !id)
		return is_void && !id;
	key = pair_key(same, die, id);
	verdict = u64map_get(verdicts, key);
	if (verdict > UNKNOWN)
		return verdict != DIFFERENT;
	u64map_set(verdicts, key, ASSUMED);
	PUSH(same->pairs, same->nr, *die, key, same->at);
	return true;
}

static bool same_composite(struct same *same, Dwarf_Die *die, u32 id)
{
	const struct btf_type *t = type_by_id(same->idx->img, id);
	const struct btf_member *m = btf_members(t);
	Dwarf_Die child, type;
	u32 i = 0;

	if (!types_same_shape(same->idx->img, die, t))
		return false;
	if (btf_is_any_enum(t) || (same->at && is_only(same, id)))
		return true;
	for_each_child(die, DW_TAG_member, &child) {
		if (die_type(&child, &type) || !add(same, &type, m[i++].type))
			return false;
	}
	return true;
}

static bool same_fwd(struct same *same, Dwarf_Die *die, u32 id)
{
	const struct btf_type *t = type_by_id(same->idx->img, id);
	u32 kind = die_btf_kind(die);

	if (strcmp(type_name(same->idx->img, t), die_name(die)))
		return false;
	if (btf_is_fwd(t))
		return btf_kflag(t) == (kind == BTF_KIND_UNION);
	if (kind == BTF_KIND_ENUM)
		return btf_is_any_enum(t);
	return btf_kind(t) == kind && (!same->strict || is_only(same, id));
}

static bool same_proto(struct same *same, Dwarf_Die *die, const struct btf_type *t)
{
	const struct btf_param *p = btf_params(t);
	Dwarf_Die child, type;
	u32 i = 0;

	if (die_type(die, &type) || !add(same, &type, t->type))
		return false;
	for_each_child(die, TAG_ANY_PARAM, &child) {
		if (i == btf_vlen(t) || die_type(&child, &type) || !add(same, &type, p[i++].type))
			return false;
	}
	return i == btf_vlen(t);
}

static bool same_ref(struct same *same, Dwarf_Die *die, const struct btf_type *t)
{
	const char *tags[MAX_TYPE_TAGS];
	const struct btf_type *tag;
	u32 id = t->type;
	Dwarf_Die type;
	int i, nr = 0;

	if (btf_kind(t) != die_btf_kind(die) || die_type(die, &type))
		return false;
	if (btf_is_ptr(t))
		nr = die_type_tags(die, tags, MAX_TYPE_TAGS);
	for (i = 0; i < nr; i++) {
		tag = type_by_id(same->idx->img, id);
		if (!btf_is_type_tag(tag) || strcmp(type_name(same->idx->img, tag), tags[i]))
			return false;
		id = tag->type;
	}
	return add(same, &type, id);
}

static bool same_array(struct same *same, Dwarf_Die *die, const struct btf_type *t)
{
	Dwarf_Die type;

	return btf_is_array(t) && btf_array(t)->nelems == die_nr_elements(die) &&
	       !die_type(die, &type) && add(same, &type, btf_array(t)->type);
}

static bool same_typedef(struct same *same, Dwarf_Die *die, const struct btf_type *t)
{
	Dwarf_Die type;

	return btf_is_typedef(t) && !strcmp(type_name(same->idx->img, t), die_name(die)) &&
	       !die_type(die, &type) && add(same, &type, t->type);
}

/* Do the two look the same? Adds the pairs of types that they refer to. */
static bool look_at(struct same *same, Dwarf_Die *die, u32 id)
{
	const struct btf_type *t = type_by_id(same->idx->img, id);

	switch (die_btf_kind(die)) {
	case BTF_KIND_INT:
		return types_same_shape(same->idx->img, die, t);
	case BTF_KIND_PTR:
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
		return same_ref(same, die, t);
	case BTF_KIND_TYPEDEF:
		return same_typedef(same, die, t);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_ENUM:
		if (die_flag(die, DW_AT_declaration))
			return same_fwd(same, die, id);
		return same_composite(same, die, id);
	case BTF_KIND_ARRAY:
		return same_array(same, die, t);
	case BTF_KIND_FUNC_PROTO:
		return btf_is_func_proto(t) && same_proto(same, die, t);
	default:
		return false;
	}
}

/*
 * If a pair differs, so do the pairs that refer to it. All others on the list were only assumed to
 * be the same, so they become UNKNOWN.
 */
static void set_different(struct same *same)
{
	struct u64map *verdicts = &same->seen->verdicts;
	u32 i;

	for (i = 0; i < same->nr; i++)
		u64map_set(verdicts, same->pairs[i].key, UNKNOWN);
	for (i = same->at; i != NO_PAIR; i = same->pairs[i].parent)
		u64map_set(verdicts, same->pairs[i].key, DIFFERENT);
}

static bool look_at_all(struct same *same)
{
	struct pair pair;

	for (same->at = 0; same->at < same->nr; same->at++) {
		/* a copy, as the list may move when pairs are added to it */
		pair = same->pairs[same->at];
		if (!look_at(same, &pair.die, (u32)pair.key & ~STRICT_BIT)) {
			set_different(same);
			return false;
		}
	}
	for (same->at = 0; same->at < same->nr; same->at++)
		u64map_set(&same->seen->verdicts, same->pairs[same->at].key, SAME);
	return true;
}

bool types_same(const struct btf_index *idx, struct types_seen *seen, Dwarf_Die *die, u32 id,
		bool strict)
{
	struct same same = { .idx = idx, .seen = seen, .strict = strict, .at = NO_PAIR };
	bool ret = add(&same, die, id) && look_at_all(&same);

	free(same.pairs);
	return ret;
}

void types_seen_free(struct types_seen *seen)
{
	u64map_free(&seen->die_nr);
	u64map_free(&seen->verdicts);
}
