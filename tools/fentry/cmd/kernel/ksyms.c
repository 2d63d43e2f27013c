// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/ksyms.h"
#include "array.h"
#include "output/messages.h"

#define PATH "/proc/kallsyms"
#define PAGE 4096ULL
/* No function is larger: symbols that are further apart aren't neighbours. */
#define SIZE_LIMIT (256 * 1024)

/* A symbol's strings are in one allocation, which begins with its name. */
static bool parse_line(char *line, struct ksym *ret, char *type)
{
	char module[64] = "", name[600];
	int cnt;

	cnt = sscanf(line, "%llx %c %599s [%63[^]]", &ret->addr, type, name, module);
	if (cnt < 3)
		return false;
	ret->name = malloc(strlen(name) + strlen(module) + 2);
	if (!ret->name)
		return false;
	strcpy(ret->name, name);
	ret->module = NULL;
	if (cnt == 4) {
		ret->module = ret->name + strlen(name) + 1;
		strcpy(ret->module, module);
	}
	return true;
}

static void note_section(struct ksyms *k, const struct ksym *sym)
{
	const struct {
		const char *name;
		unsigned long long *addr;
	} limits[] = {
		{ "__noinstr_text_start", &k->noinstr_start },
		{ "__noinstr_text_end", &k->noinstr_end },
		{ "_sinittext", &k->init_start },
		{ "_einittext", &k->init_end },
	};
	size_t i;

	for (i = 0; sym->name[0] == '_' && i < sizeof(limits) / sizeof(limits[0]); i++)
		if (!strcmp(sym->name, limits[i].name))
			*limits[i].addr = sym->addr;
}

static bool read_symbols(struct ksyms *k, FILE *f)
{
	size_t size = 0;
	char *line = NULL, type;
	struct ksym sym;
	bool ok = true;

	while (ok && getline(&line, &size, f) >= 0) {
		ok = parse_line(line, &sym, &type);
		if (!ok)
			break;
		note_section(k, &sym);
		/* Modules with kCFI have labels in their code, those of arm64 "$x" and "$d". */
		if (!strchr("tTwW", type) || !strncmp(sym.name, ".L", 2) || *sym.name == '$') {
			free(sym.name);
			continue;
		}
		if (sym.addr)
			k->hidden = false;
		ok = ARRAY_GROW(k->syms, k->cnt);
		if (ok)
			k->syms[k->cnt++] = sym;
		else
			free(sym.name);
	}
	free(line);
	return ok;
}

static int cmp_addr(const void *a, const void *b)
{
	const struct ksym *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return strcmp(x->name, y->name);
}

int ksyms__load(struct ksyms **ret)
{
	struct ksyms *k = calloc(1, sizeof(*k));
	FILE *f = fopen(PATH, "re");
	bool ok = false;

	if (!f) {
		complain("can't open " PATH ": %s", strerror(errno));
	} else if (k) {
		k->hidden = true;
		ok = read_symbols(k, f);
		if (!ok)
			complain("can't read " PATH);
	}
	if (f)
		fclose(f);
	if (!ok) {
		ksyms__free(k);
		return EXIT_FAILED;
	}
	qsort(k->syms, k->cnt, sizeof(*k->syms), cmp_addr);
	*ret = k;
	return 0;
}

void ksyms__free(struct ksyms *k)
{
	size_t i;

	if (!k)
		return;
	for (i = 0; i < k->cnt; i++)
		free(k->syms[i].name);
	free(k->syms);
	free(k);
}

static unsigned long long end_of(const struct ksyms *k, const struct ksym *sym)
{
	const struct ksym *next = sym + 1, *end = k->syms + k->cnt;

	while (next < end && next->addr == sym->addr)
		next++;
	if (next == end || strcmp(sym->module ?: "", next->module ?: "") ||
	    next->addr - sym->addr > SIZE_LIMIT)
		return (sym->addr | (PAGE - 1)) + 1;
	return next->addr;
}

const struct ksym *ksyms__at(const struct ksyms *k, unsigned long long addr,
			     unsigned long long *size)
{
	const struct ksym *sym;
	const struct ksym behind = { .addr = addr + 1, .name = "" };

	sym = k->syms + lower_bound(&behind, k->syms, k->cnt, sizeof(*sym), cmp_addr);
	if (sym == k->syms)
		return NULL;
	sym--;
	*size = end_of(k, sym) - sym->addr;
	return addr - sym->addr < *size ? sym : NULL;
}

bool ksym__is_function(const struct ksym *sym)
{
	static const char *const prefixes[] = { "__pfx_", "__cfi_", "__SCT__" };
	const char *cold = strstr(sym->name, ".cold");
	size_t i;

	for (i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(sym->name, prefixes[i], strlen(prefixes[i])))
			return false;
	return !cold || (cold[5] && cold[5] != '.');
}

bool ksyms__is_init(const struct ksyms *k, const struct ksym *sym)
{
	return sym->addr >= k->init_start && sym->addr < k->init_end;
}
