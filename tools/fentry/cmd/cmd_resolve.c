// SPDX-License-Identifier: GPL-2.0-only
/* fentry resolve: what a specification means, for scripts. */
#include <stdio.h>

#include "command.h"

static void print(const struct fentry_target *t)
{
	if (t->obj_id)
		printf("%u:%u ", t->obj_id, t->type_id);
	else
		printf("-:%u ", t->type_id);
	if (t->addr)
		printf("%016llx ", (unsigned long long)t->addr);
	else
		printf("- ");
	printf("%s %s %s\n", t->module ?: "vmlinux", t->name, t->unit ?: "-");
}

int cmd_resolve(int argc, char **argv)
{
	static const struct opt none[] = { {} };
	struct selection sel;
	int status;
	size_t i;

	status = parse_options("resolve", &argc, argv, none, NULL);
	if (status)
		return status;
	if (!argc)
		return usage_error("resolve: which function?");
	status = selection__init(&sel, argv, argc, false);
	for (i = 0; !status && i < sel.cnt; i++)
		print(sel.targets[i]);
	selection__fini(&sel);
	return status;
}
