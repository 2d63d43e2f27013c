// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/ksyms.h"
#include "array.h"
#include "kallsyms.h"
#include "output/messages.h"

#define PATH "/proc/kallsyms"
#define PAGE 4096ULL
/* No function is larger: symbols that are further apart aren't neighbours. */
#define SIZE_LIMIT (256 * 1024)

static void note_section(struct ksyms *k, const struct fentry_symbol *sym)
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

	for (i = 0; sym->name[0] == '_' && i < ARRAY_SIZE(limits); i++)
		if (!strcmp(sym->name, limits[i].name))
			*limits[i].addr = sym->addr;
}

/* A symbol's strings are in one allocation, which begins with its name. */
static bool copy_names(const struct fentry_symbol *l, struct ksym *ret)
{
	size_t len = strlen(l->name) + 1, module_len = l->module ? strlen(l->module) + 1 : 0;

	ret->name = malloc(len + module_len);
	if (!ret->name)
		return false;
	memcpy(ret->name, l->name, len);
	ret->module = l->module ? memcpy(ret->name + len, l->module, module_len) : NULL;
	return true;
}

static int take_symbol(void *ctx, const struct fentry_symbol *l)
{
	struct ksyms *k = ctx;
	struct ksym *sym;

	note_section(k, l);
	/* Modules with kCFI have labels in their code, those of arm64 "$x" and "$d". */
	if (!strncmp(l->name, ".L", 2) || *l->name == '$')
		return 0;
	if (!ARRAY_GROW(k->syms, k->cnt))
		return -ENOMEM;
	sym = &k->syms[k->cnt];
	sym->addr = l->addr;
	k->hidden &= !l->addr;
	if (!copy_names(l, sym))
		return -ENOMEM;
	k->cnt++;
	return 0;
}

static int cmp_addr(const void *a, const void *b)
{
	const struct ksym *x = a, *y = b;

	return cmp_int(x->addr, y->addr) ?: strcmp(x->name, y->name);
}

int ksyms__load(struct ksyms **ret)
{
	struct ksyms *k = calloc(1, sizeof(*k));
	struct fentry_error error;
	int err;

	if (!k)
		return no_memory();
	k->hidden = true;
	err = fentry_kallsyms__read(PATH, take_symbol, k, &error);
	if (err) {
		ksyms__free(k);
		return err == -ENOMEM ? no_memory() : complain_error(&error);
	}
	array_sort(k->syms, k->cnt, sizeof(*k->syms), cmp_addr);
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

	for (i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (!strncmp(sym->name, prefixes[i], strlen(prefixes[i])))
			return false;
	return !cold || (cold[5] && cold[5] != '.');
}

bool ksyms__is_init(const struct ksyms *k, const struct ksym *sym)
{
	return sym->addr >= k->init_start && sym->addr < k->init_end;
}
