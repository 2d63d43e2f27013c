// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sites.h"
#include "sorted.h"

#define LIST	   "/sys/kernel/tracing/available_filter_functions_addrs"
#define ENDBR_SIZE 4

/* Is it the same module, or neither one? */
static bool is_same(const char *one, const char *other)
{
	return one && other ? !strcmp(one, other) : one == other;
}

/* Where the functions of a module begin, sorted. */
static __u64 *function_starts(const struct ksyms *syms, const char *module, size_t *cnt)
{
	__u64 *addrs = calloc(syms->cnt + 1, sizeof(*addrs));
	size_t i, n = 0;

	for (i = 0; addrs && i < syms->cnt; i++)
		if (is_same(syms->syms[i].module, module) && ksym__is_text(&syms->syms[i]))
			addrs[n++] = syms->syms[i].addr;
	if (addrs)
		qsort(addrs, n, sizeof(*addrs), sorted__cmp_addrs);
	*cnt = n;
	return addrs;
}

/* The module that a line is of; it is cut off there. */
static char *cut_module(char *line)
{
	char *module = strstr(line, " [");

	if (module) {
		*module = '\0';
		module += 2;
		module[strcspn(module, "]")] = '\0';
	}
	return module;
}

/* A line is "ffffffff81000000 name", and " [module]" for those of modules. */
static int add_line(struct sites *s, size_t *room, char *line, const char *module,
		    const __u64 *starts, size_t start_cnt)
{
	__u64 addr, *addrs;
	char *end;

	addr = strtoull(line, &end, 16);
	if (end == line || *end != ' ')
		return -EINVAL;
	if (!is_same(cut_module(end), module))
		return 0;
	/* With an endbr64, the place to patch is behind it. */
	if (!sorted__has_addr(starts, start_cnt, addr) &&
	    sorted__has_addr(starts, start_cnt, addr - ENDBR_SIZE))
		addr -= ENDBR_SIZE;
	else if (!sorted__has_addr(starts, start_cnt, addr))
		s->unnamed++;
	if (s->cnt == *room) {
		size_t new_room = *room ? *room * 2 : 1024;

		addrs = reallocarray(s->addrs, new_room, sizeof(*addrs));
		if (!addrs)
			return -ENOMEM;
		s->addrs = addrs;
		*room = new_room;
	}
	s->addrs[s->cnt++] = addr;
	return 0;
}

int sites__read(const struct ksyms *syms, const char *module, struct sites *ret)
{
	size_t room = 0, size = 0, start_cnt;
	struct sites s = {};
	char *line = NULL;
	__u64 *starts;
	int err = 0;
	FILE *f;

	f = fopen(LIST, "re");
	if (!f)
		return -errno;
	starts = function_starts(syms, module, &start_cnt);
	if (!starts)
		err = -ENOMEM;
	errno = 0;
	while (!err && getline(&line, &size, f) >= 0)
		err = add_line(&s, &room, line, module, starts, start_cnt);
	if (!err && ferror(f))
		err = -errno ?: -EIO;
	fclose(f);
	free(line);
	free(starts);
	if (err) {
		sites__free(&s);
		return err;
	}
	qsort(s.addrs, s.cnt, sizeof(*s.addrs), sorted__cmp_addrs);
	*ret = s;
	return 0;
}

void sites__free(struct sites *s)
{
	free(s->addrs);
	memset(s, 0, sizeof(*s));
}

bool sites__has(const struct sites *s, __u64 addr)
{
	return sorted__has_addr(s->addrs, s->cnt, addr);
}
