// SPDX-License-Identifier: GPL-2.0-only
/* Modules that come and go while inlined calls are traced. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "attach/inlined.h"
#include "attach/modules.h"

#define MODULES "/sys/module"

static int cmp_module(const void *a, const void *b)
{
	return strcmp(((const struct module *)a)->name, ((const struct module *)b)->name);
}

static void add(struct modules *m, const struct dirent *entry)
{
	struct module *modules = reallocarray(m->modules, m->cnt + 1, sizeof(*modules));
	char *name = strdup(entry->d_name);

	if (modules)
		m->modules = modules;
	if (modules && name)
		modules[m->cnt++] = (struct module){ name, entry->d_ino };
	else
		free(name);
}

void modules__read(struct modules *ret)
{
	DIR *dir = opendir(MODULES);
	const struct dirent *entry;

	*ret = (struct modules){};
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			add(ret, entry);
	if (dir)
		closedir(dir);
	if (ret->cnt)
		qsort(ret->modules, ret->cnt, sizeof(*ret->modules), cmp_module);
}

void modules__free(struct modules *m)
{
	while (m->cnt)
		free(m->modules[--m->cnt].name);
	free(m->modules);
	m->modules = NULL;
}

static bool has(const struct modules *m, const struct module *module)
{
	const struct module *found;

	found = m->cnt ? bsearch(module, m->modules, m->cnt, sizeof(*module), cmp_module) : NULL;
	return found && found->ino == module->ino;
}

static size_t calls_in(const struct selection *sel, const char *module)
{
	size_t i, cnt = 0;

	for (i = 0; i < sel->site_cnt; i++)
		cnt += !strcmp(sel->sites[i].call->module ?: "", module);
	return cnt;
}

/* What is inlined anywhere, or was in this module when it was there. */
static bool may_be_in(const struct selection *sel, const char *module)
{
	const char *unit;
	size_t i, len;

	for (i = 0; i < sel->site_cnt; i++) {
		unit = sel->sites[i].call->func->unit;
		len = unit ? strlen(unit) : 0;
		if ((len > 2 && !strcmp(unit + len - 2, ".h")) ||
		    !strcmp(sel->sites[i].call->module ?: "", module))
			return true;
	}
	return false;
}

void modules__complain_changes(const struct modules *before, const struct selection *sel)
{
	struct modules now;
	size_t i, cnt;

	modules__read(&now);
	/* without one list, nothing is known */
	for (i = 0; now.cnt && i < before->cnt; i++) {
		cnt = calls_in(sel, before->modules[i].name);
		if (cnt && !has(&now, &before->modules[i]))
			complain("%s was unloaded: %zu inlined call%s in it %s not seen since",
				 before->modules[i].name, cnt, cnt == 1 ? "" : "s",
				 cnt == 1 ? "was" : "were");
	}
	for (i = 0; before->cnt && i < now.cnt; i++)
		if (!has(before, &now.modules[i]) && may_be_in(sel, now.modules[i].name))
			complain(
				"%s was loaded meanwhile: calls that are inlined in it are not seen",
				now.modules[i].name);
	modules__free(&now);
}
