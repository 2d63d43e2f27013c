// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "ksyms.h"
#include "text.h"

#define LIST "/sys/kernel/tracing/available_filter_functions_addrs"

const void *sorted__range(const void *key, const void *base, size_t cnt, size_t size,
			  int (*cmp)(const void *, const void *), size_t *found)
{
	const char *first = (const char *)base + lower_bound(key, base, cnt, size, cmp) * size;
	const char *end = (const char *)base + cnt * size, *next = first;

	while (next < end && !cmp(next, key))
		next += size;
	*found = (next - first) / size;
	return *found ? first : NULL;
}

int sorted__cmp_addrs(const void *a, const void *b)
{
	__u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return (x > y) - (x < y);
}

bool sorted__has_addr(const __u64 *addrs, size_t cnt, __u64 addr)
{
	return cnt && bsearch(&addr, addrs, cnt, sizeof(addr), sorted__cmp_addrs);
}

static int ksym__cmp_name(const void *a, const void *b)
{
	const struct ksym *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int ksym__cmp(const void *a, const void *b)
{
	const struct ksym *x = a, *y = b;

	return ksym__cmp_name(a, b) ?: (x->addr > y->addr) - (x->addr < y->addr);
}

/*
 * Checks each character of a line, because other programs parse these files:
 *	ffffffff81000000 t name\n
 *	ffffffff81000000 t name\t[module]\t1:4711\n
 */
static int parse_line(char *line, bool with_ids, struct ksym *ret)
{
	char *rest, *end, *ids;

	ret->addr = strtoull(line, &end, 16);
	if (end != line + 16 || end[0] != ' ' || !end[1] || end[2] != ' ')
		return -EINVAL;
	ret->type = end[1];
	ret->name = end + 3;
	rest = ret->name + strcspn(ret->name, "\t\n ");
	if (rest == ret->name)
		return -EINVAL;

	if (rest[0] == '\t' && rest[1] == '[') {
		*rest = '\0';
		ret->module = rest + 2;
		rest = strchr(ret->module, ']');
		if (!rest)
			return -EINVAL;
		*rest++ = '\0';
	}
	if (with_ids) {
		if (*rest != '\t')
			return -EINVAL;
		*rest = '\0';
		ids = rest + 1;
		ret->obj_id = strtoul(ids, &end, 10);
		if (end == ids || *end != ':')
			return -EINVAL;
		ids = end + 1;
		ret->type_id = strtoul(ids, &rest, 10);
		if (rest == ids)
			return -EINVAL;
	}
	if (strcmp(rest, "\n"))
		return -EINVAL;
	*rest = '\0';
	return 0;
}

static int add_line(struct ksyms *k, char *line, bool with_ids)
{
	struct ksym sym = {};
	int err;

	err = parse_line(line, with_ids, &sym);
	if (err)
		return err;
	if (!ARRAY_GROW(k->syms, k->cnt))
		return -ENOMEM;
	sym.name = strdup(sym.name);
	if (sym.module)
		sym.module = strdup(sym.module);
	k->syms[k->cnt++] = sym;
	return sym.name ? 0 : -ENOMEM;
}

int ksyms__read_fd(int fd, bool with_ids, struct ksyms *ret)
{
	struct ksyms k = {};
	size_t size = 0;
	char *line = NULL;
	int err = 0;
	FILE *f;

	f = fdopen(dup(fd), "r");
	if (!f)
		return -errno;
	errno = 0;
	while (!err && getline(&line, &size, f) >= 0)
		err = add_line(&k, line, with_ids);
	if (!err && ferror(f))
		err = -errno ?: -EIO;
	free(line);
	fclose(f);
	if (err) {
		ksyms__free(&k);
		return err;
	}
	qsort(k.syms, k.cnt, sizeof(*k.syms), ksym__cmp);
	*ret = k;
	return 0;
}

int ksyms__read(const char *path, struct ksyms *ret)
{
	int fd, err;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = ksyms__read_fd(fd, strstr(path, "_btf") != NULL, ret);
	close(fd);
	return err;
}

void ksyms__free(struct ksyms *k)
{
	size_t i;

	for (i = 0; i < k->cnt; i++) {
		free(k->syms[i].name);
		free(k->syms[i].module);
	}
	free(k->syms);
	memset(k, 0, sizeof(*k));
}

const struct ksym *ksyms__find(const struct ksyms *k, const char *name, size_t *cnt)
{
	const struct ksym key = { .name = (char *)name };

	return sorted__range(&key, k->syms, k->cnt, sizeof(*k->syms), ksym__cmp_name, cnt);
}

__u64 ksyms__addr(const struct ksyms *k, const char *name)
{
	const struct ksym *sym;
	size_t cnt;

	sym = ksyms__find(k, name, &cnt);
	return cnt == 1 ? sym->addr : 0;
}

const struct ksym *ksyms__at(const struct ksyms *k, const char *name, __u64 addr)
{
	const struct ksym *sym;
	size_t cnt;

	for (sym = ksyms__find(k, name, &cnt); sym && cnt; sym++, cnt--)
		if (sym->addr == addr && !sym->module)
			return sym;
	return NULL;
}

bool ksym__is_text(const struct ksym *sym)
{
	return strchr("tTwW", sym->type) != NULL;
}

bool ksym__is_of(const struct ksym *sym, const char *module)
{
	return sym->module && !strcmp(sym->module, module);
}

bool ksyms__all_hidden(const struct ksyms *k)
{
	size_t i;

	for (i = 0; i < k->cnt; i++)
		if (k->syms[i].addr)
			return false;
	return k->cnt > 0;
}

/* The sorted addresses of vmlinux's functions. */
static __u64 *function_starts(const struct ksyms *syms, size_t *cnt)
{
	__u64 *addrs = calloc(syms->cnt + 1, sizeof(*addrs));
	size_t i, n = 0;

	for (i = 0; addrs && i < syms->cnt; i++)
		if (!syms->syms[i].module && ksym__is_text(&syms->syms[i]))
			addrs[n++] = syms->syms[i].addr;
	if (addrs)
		qsort(addrs, n, sizeof(*addrs), sorted__cmp_addrs);
	*cnt = n;
	return addrs;
}

/* A line is "ffffffff81000000 name", and " [module]" for those of modules. */
static int add_site(struct sites *s, const char *line, const __u64 *starts, size_t start_cnt)
{
	__u64 addr, next;
	size_t before;
	char *end;

	addr = strtoull(line, &end, 16);
	if (end == line || *end != ' ')
		return -EINVAL;
	if (strstr(end, " ["))
		return 0;
	/* What ftrace patches is at the entry of the last function that begins up to there. */
	next = addr + 1;
	before = lower_bound(&next, starts, start_cnt, sizeof(*starts), sorted__cmp_addrs);
	if (before && addr - starts[before - 1] < TEXT_SIZE)
		addr = starts[before - 1];
	else
		s->unnamed++;
	if (!ARRAY_GROW(s->addrs, s->cnt))
		return -ENOMEM;
	s->addrs[s->cnt++] = addr;
	return 0;
}

int sites__read(const struct ksyms *syms, struct sites *ret)
{
	size_t size = 0, start_cnt;
	struct sites s = {};
	char *line = NULL;
	__u64 *starts;
	int err = 0;
	FILE *f;

	f = fopen(LIST, "re");
	if (!f)
		return -errno;
	starts = function_starts(syms, &start_cnt);
	if (!starts)
		err = -ENOMEM;
	errno = 0;
	while (!err && getline(&line, &size, f) >= 0)
		err = add_site(&s, line, starts, start_cnt);
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
