// SPDX-License-Identifier: GPL-2.0-only
/*
 * Adds types that BTF has, or whose names it has, or finds a string. check.sh uses valgrind.
 *
 * usage: add_type base | other | itself | name | find
 *
 *   base	a type of the base BTF to split BTF that is based on it
 *   other	a type of one split BTF to another one on the same base
 *   itself	a type of some BTF to itself, until its memory has moved
 *   name	a new type with a name of the base BTF to split BTF
 *   find	nothing: searches split BTF for a string of the base, which must not move the types
 *		and strings of the split BTF
 *
 * All BTF is as if read from a file. Prints the last type's name, and with "find" its kind.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/btf.h>

#define NAME	 "name_of_the_base"
#define OWN_NAME "name_of_the_split"
#define MANY	 1000

static void fail(const char *what)
{
	fprintf(stderr, "add_type: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Returns this BTF as if it had been read from a file. */
static struct btf *reread(struct btf *btf, struct btf *base)
{
	struct btf *copy;
	const void *raw;
	__u32 size;

	raw = btf__raw_data(btf, &size);
	copy = raw ? btf__new_split(raw, size, base) : NULL;
	if (!copy)
		fail("reading BTF");
	return copy;
}

static struct btf *add_name(struct btf *btf)
{
	if (!btf || btf__add_typedef(btf, NAME, 1) < 0)
		fail("making BTF");
	return btf;
}

static int add(const char *what, struct btf *to, const struct btf *from, int id)
{
	const struct btf_type *t = btf__type_by_id(from, id);

	if (!to)
		return -ENOMEM;
	if (!strcmp(what, "name"))
		return btf__add_typedef(to, btf__name_by_offset(from, t->name_off), 1);
	return btf__add_type(to, from, t);
}

/* Search for a string of the base. A type and a name from before must stay where they are. */
static void find(struct btf *made, struct btf *base)
{
	struct btf *split = btf__new_empty_split(made), *to;
	const struct btf_type *t;
	const char *name;

	if (!split || btf__add_typedef(split, OWN_NAME, 1) != 3)
		fail("making BTF");
	to = reread(split, base);
	t = btf__type_by_id(to, 3);
	name = btf__name_by_offset(to, t->name_off);
	if (btf__find_str(to, NAME) <= 0)
		fail("finding a string");
	printf("%s %d\n", name, btf_kind(t));
	btf__free(to);
	btf__free(split);
}

int main(int argc, char **argv)
{
	const char *what = argc == 2 ? argv[1] : "";
	struct btf *made = btf__new_empty(), *base, *to, *from = NULL, *split = NULL;
	int i, id, times = 1;

	if (!made || btf__add_int(made, "int", 4, 0) != 1)
		fail("making BTF");
	base = reread(add_name(made), NULL);
	if (!strcmp(what, "find")) {
		find(made, base);
		btf__free(base);
		btf__free(made);
		return 0;
	}
	if (!strcmp(what, "other")) {
		split = add_name(btf__new_empty_split(made));
		from = reread(split, base);
		id = 3;
	} else if (!strcmp(what, "base") || !strcmp(what, "itself") || !strcmp(what, "name")) {
		id = 2;
	} else {
		fprintf(stderr, "usage: add_type base | other | itself | name | find\n");
		return 2;
	}
	if (!strcmp(what, "itself"))
		times = MANY;
	to = times > 1 ? base : btf__new_empty_split(base);
	for (i = 0; i < times; i++)
		if (add(what, to, from ?: base, id) < 0)
			fail("adding a type");
	id = btf__type_cnt(to) - 1;
	puts(btf__name_by_offset(to, btf__type_by_id(to, id)->name_off));
	if (to != base)
		btf__free(to);
	btf__free(from);
	btf__free(split);
	btf__free(base);
	btf__free(made);
	return 0;
}
