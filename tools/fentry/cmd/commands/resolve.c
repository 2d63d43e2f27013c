// SPDX-License-Identifier: GPL-2.0-only
/* fentry resolve: what a specification means, for scripts. */
#include <stdio.h>

#include "command.h"
#include "output/json.h"
#include "attach/left_out.h"
#include "kernel/verdict.h"

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
	printf(",\"id\":%u,\"kind\":\"FUNC\",\"address\":", t->type_id);
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

/* A glob matches functions, too, that are refused by name. */
static int refuse_ambiguous(const struct selection *sel)
{
	char label[LABEL_MAX], message[2 * LABEL_MAX];
	struct left_out refused = {};
	int status = 0;
	size_t i;

	for (i = 0; i < sel->cnt; i++) {
		if (sel->targets[i]->same_name <= 1)
			continue;
		fentry_target__label(sel->targets[i], label);
		snprintf(message, sizeof(message), "can't resolve %s: %s", label,
			 VERDICT_AMBIGUOUS);
		left_out__add(&refused, label, message);
		status = EXIT_AMBIGUOUS;
	}
	left_out__complain(&refused);
	return status;
}

int cmd_resolve(int argc, char **argv)
{
	bool json = false;
	const struct opt options[] = {
		{ .name = "json", .flag = &json },
		{},
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
		status = refuse_ambiguous(&sel);
	if (!status)
		print_all(&sel, json);
	selection__fini(&sel);
	return status;
}
