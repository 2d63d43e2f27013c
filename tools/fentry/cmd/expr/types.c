// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "expr/types.h"

__u32 types__skip(const struct btf *btf, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (btf_is_mod(t) || btf_is_typedef(t) || btf_is_type_tag(t)) {
		id = t->type;
		t = btf__type_by_id(btf, id);
	}
	return id;
}

const struct btf_type *types__real(const struct btf *btf, __u32 id)
{
	return btf__type_by_id(btf, types__skip(btf, id));
}

const char *types__name(const struct btf *btf, const struct btf_type *t)
{
	return btf__name_by_offset(btf, t->name_off) ?: "";
}

unsigned int types__slots(const struct btf *btf, __u32 id)
{
	long long size = btf__resolve_size(btf, id);

	return size > 8 ? (size + 7) / 8 : 1;
}

bool types__is_text(const struct btf *btf, __u32 id)
{
	const struct btf_type *t = types__real(btf, id);

	if (!btf_is_int(t) || t->size != 1)
		return false;
	if (!strcmp(types__name(btf, t), "char"))
		return true;
	if (strcmp(types__name(btf, t), "unsigned char"))
		return false;
	for (t = btf__type_by_id(btf, id); btf_is_mod(t) || btf_is_type_tag(t);)
		t = btf__type_by_id(btf, t->type);
	return btf_is_int(t);
}

bool types__is_number(const struct btf_type *t)
{
	return ((btf_is_int(t) || btf_is_any_enum(t)) && t->size <= 8) || btf_is_ptr(t);
}

bool types__is_signed(const struct btf_type *t)
{
	if (btf_is_int(t))
		return btf_int_encoding(t) & BTF_INT_SIGNED;
	return btf_is_any_enum(t) && btf_kflag(t);
}

/* pahole sets the kind_flag of signed enumerations since 1.24 only. */
static bool has_enumerator(const struct btf_type *t, int i, long long value)
{
	if (btf_is_enum64(t))
		return (long long)btf_enum64_value(btf_enum64(t) + i) == value;
	return btf_enum(t)[i].val == (__s32)value &&
	       (value == (__s32)value || value == (__u32)value);
}

const char *types__enumerator(const struct btf *btf, const struct btf_type *t, long long value)
{
	int i;

	for (i = 0; i < btf_vlen(t); i++)
		if (has_enumerator(t, i, value))
			return btf__name_by_offset(btf, btf_is_enum64(t) ?
								btf_enum64(t)[i].name_off :
								btf_enum(t)[i].name_off);
	return NULL;
}

#define TYPE_MAX 128

/* The words of an integer's type. */
struct integer {
	unsigned int longs, shorts, chars, others;
	bool is_unsigned, is_signed;
};

static bool add_integer_word(struct integer *i, const char *word)
{
	unsigned int *count = !strcmp(word, "long")  ? &i->longs :
			      !strcmp(word, "short") ? &i->shorts :
			      !strcmp(word, "char")  ? &i->chars :
						       &i->others;

	i->is_unsigned |= !strcmp(word, "unsigned");
	i->is_signed |= !strcmp(word, "signed");
	if (count == &i->others && strcmp(word, "int") && strcmp(word, "unsigned") &&
	    strcmp(word, "signed"))
		return false;
	(*count)++;
	return true;
}

static __s32 find_integer(const struct btf *btf, const struct integer *i)
{
	unsigned int size = i->longs ? 8 : i->shorts ? 2 : i->chars ? 1 : 4;
	bool plain = i->chars && !i->others;
	const struct btf_type *t;
	__u32 id;

	for (id = 1; id < btf__type_cnt(btf); id++) {
		t = btf__type_by_id(btf, id);
		if (!btf_is_int(t) || t->size != size || btf_int_encoding(t) & BTF_INT_BOOL)
			continue;
		if (plain ? !strcmp(types__name(btf, t), "char") :
			    types__is_signed(t) == !i->is_unsigned)
			return id;
	}
	return -1;
}

/* Find the type in front of the stars; 0 is void. @words: is changed */
static __s32 find_named(const struct btf *btf, char *words)
{
	static const struct {
		const char *word;
		int kind;
	} tags[] = { { "struct", BTF_KIND_STRUCT },
		     { "union", BTF_KIND_UNION },
		     { "enum", BTF_KIND_ENUM } };
	struct integer integer = {};
	char *save, *word, *name = NULL;
	bool is_integer = false;
	int kind = 0;
	size_t i;
	__s32 id;

	for (word = strtok_r(words, " \t", &save); word; word = strtok_r(NULL, " \t", &save)) {
		for (i = 0; i < 3 && strcmp(word, tags[i].word); i++)
			;
		if (!strcmp(word, "const"))
			continue;
		if (i < 3 && !kind && !name)
			kind = tags[i].kind;
		else if (add_integer_word(&integer, word))
			is_integer = true;
		else if (name)
			return -1;
		else
			name = word;
	}
	if (!name || is_integer)
		return name || kind || !is_integer ? -1 : find_integer(btf, &integer);
	if (!kind && !strcmp(name, "void"))
		return 0;
	if (kind)
		return btf__find_by_name_kind(btf, name, kind);
	id = btf__find_by_name_kind(btf, name, BTF_KIND_TYPEDEF);
	return id > 0 ? id : btf__find_by_name_kind(btf, name, BTF_KIND_INT);
}

static __s32 find_pointer(const struct btf *btf, __u32 to)
{
	const struct btf_type *t;
	__u32 id;

	for (id = 1; id < btf__type_cnt(btf); id++) {
		t = btf__type_by_id(btf, id);
		if (btf_is_ptr(t) && types__skip(btf, t->type) == types__skip(btf, to))
			return id;
	}
	return -1;
}

__u32 types__find(const struct btf *btf, const char *text, size_t len)
{
	char words[TYPE_MAX];
	size_t i, stars = 0;
	__s32 id;

	if (len >= sizeof(words))
		return 0;
	memcpy(words, text, len);
	words[len] = '\0';
	for (i = 0; i < len; i++) {
		stars += words[i] == '*';
		/* nothing but stars follows the first one */
		if (stars && !strchr("* \t", words[i]))
			return 0;
		words[i] = stars ? ' ' : words[i];
	}
	for (id = find_named(btf, words); id >= 0 && stars; stars--)
		id = find_pointer(btf, id);
	return id > 0 && types__is_number(types__real(btf, id)) ? id : 0;
}
