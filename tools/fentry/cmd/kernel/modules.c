// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "kernel/module_file.h"
#include "kernel/modules.h"
#include "output/messages.h"

#define MODULES	   "/sys/module"
#define MODULE_BTF "/sys/kernel/btf"

static bool is_listed(const char *list, const char *module)
{
	return module_list__find(list, module, NULL, 0);
}

/* Words that bpftrace has before the ':'. */
static bool is_probe_type(const char *word)
{
	static const char *const words[] = { "kprobe", "kretprobe", "kfunc", "kretfunc", "fentry",
					     "fexit",  "k",	    "kr",    "f",	 "fr" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i], word))
			return true;
	return false;
}

bool module__complain_absent(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), MODULE_BTF "/%s", name);
	if (!access(path, F_OK))
		return false;
	snprintf(path, sizeof(path), MODULES "/%s/initstate", name);
	if (!access(path, F_OK)) {
		complain("module %s is loaded, but has no BTF", name);
		return true;
	}
	*strrchr(path, '/') = '\0';
	if (is_listed("modules.dep", name))
		complain("module %s is not loaded: 'modprobe %s' loads it", name, name);
	else if (!access(path, F_OK) || is_listed("modules.builtin", name))
		complain("%s is no module here, but part of vmlinux: leave '%s:' out", name, name);
	else if (is_probe_type(name))
		complain(
			"before ':' is a module, not a type of probe as in bpftrace: leave '%s:' out",
			name);
	else
		complain("there is no module %s (trace and latency wait for one with --wait)",
			 name);
	return true;
}

bool module__is_to_come(const char *module)
{
	char path[256], state[16] = "";
	FILE *f;

	snprintf(path, sizeof(path), MODULES "/%s/initstate", module);
	f = fopen(path, "re");
	if (f) {
		if (!fgets(state, sizeof(state), f))
			state[0] = '\0';
		fclose(f);
		return !strncmp(state, "coming", strlen("coming"));
	}
	*strrchr(path, '/') = '\0';
	return access(path, F_OK) && !is_listed("modules.builtin", module) &&
	       !is_probe_type(module);
}

static int cmp_module(const void *a, const void *b)
{
	return strcmp(((const struct module *)a)->name, ((const struct module *)b)->name);
}

static void add_module(struct modules *m, const struct dirent *entry)
{
	char *name = strdup(entry->d_name);

	if (name && ARRAY_GROW(m->modules, m->cnt))
		m->modules[m->cnt++] = (struct module){ name, entry->d_ino };
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
			add_module(ret, entry);
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

bool modules__has(const struct modules *m, const struct module *module)
{
	const struct module *found;

	found = m->cnt ? bsearch(module, m->modules, m->cnt, sizeof(*module), cmp_module) : NULL;
	return found && found->ino == module->ino;
}
