// SPDX-License-Identifier: GPL-2.0-only
/*
 * Short forms: what a structure behind a pointer is shown as, a string that says which
 * one it is. What a kernel's structure doesn't have isn't shown.
 */
#include <string.h>

#include "expr/typed.h"

static const struct {
	const char *name;
	const char *way;
} forms[] = {
	{ "block_device", "->bd_disk->disk_name" },
	{ "bpf_map", "->name" },
	{ "bpf_prog", "->aux->name" },
	{ "cgroup", "->kn->name" },
	{ "dentry", "->d_name.name" },
	{ "file", "->f_path.dentry->d_name.name" },
	{ "file_system_type", "->name" },
	{ "filename", "->name" },
	{ "gendisk", "->disk_name" },
	{ "kobject", "->name" },
	{ "linux_binprm", "->filename" },
	{ "module", "->name" },
	{ "net_device", "->name" },
	{ "path", "->dentry->d_name.name" },
	{ "qstr", "->name" },
	{ "sk_buff", "->dev->name" },
	{ "super_block", "->s_id" },
	{ "task_struct", "->comm" },
};

const char *forms__of(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (!strcmp(forms[i].name, name))
			return forms[i].way;
	return NULL;
}
