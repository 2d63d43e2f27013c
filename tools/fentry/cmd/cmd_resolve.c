// SPDX-License-Identifier: GPL-2.0-only
/* fentry resolve: what a specification means, for scripts. */
#include <stdio.h>

#include "command.h"
#include "json.h"

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

static void print_json(const struct fentry_target *t, bool first)
{
	printf("%s\n{\"object\":", first ? "" : ",");
	json_id(t->obj_id);
	printf(",\"id\":%u,\"address\":", t->type_id);
	if (t->addr)
		printf("\"%016llx\"", (unsigned long long)t->addr);
	else
		fputs("null", stdout);
	fputs(",\"module\":", stdout);
	json_text(t->module ?: "vmlinux");
	fputs(",\"function\":", stdout);
	json_text(t->name);
	fputs(",\"unit\":", stdout);
	json_text(t->unit);
	putchar('}');
}

static void print_all(const struct selection *sel, bool json)
{
	size_t i;

	if (json)
		putchar('[');
	for (i = 0; i < sel->cnt; i++) {
		if (json)
			print_json(sel->targets[i], !i);
		else
			print(sel->targets[i]);
	}
	if (json)
		puts("\n]");
}

int cmd_resolve(int argc, char **argv)
{
	bool json = false;
	const struct opt options[] = {
		{ .name = "json", .flag = &json },
		{}
	};
	struct selection sel;
	int status;

	status = parse_options("resolve", &argc, argv, options, NULL);
	if (status)
		return status;
	if (!argc)
		return usage_error("resolve: which function?");
	status = selection__init(&sel, argv, argc, 0);
	if (!status)
		print_all(&sel, json);
	selection__fini(&sel);
	return status;
}
