// SPDX-License-Identifier: GPL-2.0-only
/*
 * The places that ftrace can patch. tracefs has a line for each:
 * "ffffffff81000000 name [module]" in available_filter_functions_addrs (Linux 6.5),
 * "name [module]" in available_filter_functions.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "kernel/sites.h"

#define ADDRS "available_filter_functions_addrs"
#define NAMES "available_filter_functions"

/* Symbols sorted by name, then by module. */
struct by_name {
	const struct ksym **syms;
	size_t cnt;
};

static int cmp_u64(const void *a, const void *b)
{
	unsigned long long x = *(const unsigned long long *)a;
	unsigned long long y = *(const unsigned long long *)b;

	return x < y ? -1 : x > y;
}

static int cmp_sym(const void *a, const void *b)
{
	const struct ksym *x = *(const struct ksym **)a;
	const struct ksym *y = *(const struct ksym **)b;

	return strcmp(x->name, y->name) ?: strcmp(x->module ?: "", y->module ?: "");
}

static bool add(struct sites *s, size_t *room, unsigned long long addr)
{
	unsigned long long *addrs;

	if (s->cnt == *room) {
		*room = *room ? 2 * *room : 16384;
		addrs = reallocarray(s->addrs, *room, sizeof(*addrs));
		if (!addrs)
			return false;
		s->addrs = addrs;
	}
	s->addrs[s->cnt++] = addr;
	return true;
}

/* Add the start of each symbol that a line "name [module]" may mean. */
static bool add_named(struct sites *s, size_t *room, const struct by_name *by, char *line)
{
	char *name = strtok(line, " \t\n"), *module = strtok(NULL, " \t\n[]");
	const struct ksym wanted = { .name = name, .module = module };
	const struct ksym *key = &wanted, **found, **end = by->syms + by->cnt;

	found = name ? bsearch(&key, by->syms, by->cnt, sizeof(*by->syms), cmp_sym) : NULL;
	while (found && found > by->syms && !cmp_sym(&found[-1], &key))
		found--;
	for (; found && found < end && !cmp_sym(found, &key); found++)
		if (!add(s, room, (*found)->addr))
			return false;
	return true;
}

/* by: NULL if the lines have addresses. */
static bool read_lines(struct sites *s, FILE *f, const struct by_name *by)
{
	size_t size = 0, room = 0;
	char *line = NULL;
	bool ok = true;

	while (ok && getline(&line, &size, f) >= 0)
		ok = by ? add_named(s, &room, by, line) : add(s, &room, strtoull(line, NULL, 16));
	free(line);
	if (!ok || !feof(f))
		return false;
	qsort(s->addrs, s->cnt, sizeof(*s->addrs), cmp_u64);
	return true;
}

static bool sort_by_name(const struct ksyms *ksyms, struct by_name *ret)
{
	ret->syms = calloc(ksyms->cnt + 1, sizeof(*ret->syms));
	if (!ret->syms)
		return false;
	for (ret->cnt = 0; ret->cnt < ksyms->cnt; ret->cnt++)
		ret->syms[ret->cnt] = &ksyms->syms[ret->cnt];
	qsort(ret->syms, ret->cnt, sizeof(*ret->syms), cmp_sym);
	return true;
}

int sites__load(const struct ksyms *ksyms, bool quiet, struct sites *ret)
{
	struct by_name by = {};
	bool named, ok;
	FILE *f;
	int fd;

	fd = open_tracefs(ADDRS, O_RDONLY, NULL);
	named = fd < 0;
	if (named)
		fd = open_tracefs(NAMES, O_RDONLY, quiet ? NULL : "tell what ftrace can trace");
	if (fd < 0)
		return EXIT_FAILED;
	f = fdopen(fd, "r");
	if (!f)
		close(fd);
	ok = f && (!named || sort_by_name(ksyms, &by)) && read_lines(ret, f, named ? &by : NULL);
	if (f)
		fclose(f);
	free(by.syms);
	if (!ok && !quiet)
		complain("can't read tracefs' %s", named ? NAMES : ADDRS);
	return ok ? 0 : EXIT_FAILED;
}
