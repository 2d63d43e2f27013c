// SPDX-License-Identifier: GPL-2.0-only
/* fentry resolve: what a specification means, for scripts. */
#include <stdio.h>

#include "attach/selection.h"
#include "commands/options.h"
#include "kernel/verdict.h"
#include "output/json.h"
#include "output/stream.h"

static void print(const struct fentry_target *t)
{
	if (fentry_target__by_probe(t)) /* no id of the kernel's */
		printf("-:- ");
	else if (t->obj_id)
		printf("%u:%u ", t->obj_id, t->type_id);
	else
		printf("-:%u ", t->type_id);
	if (t->addr)
		printf("%016llx ", (unsigned long long)t->addr);
	else
		printf("- ");
	printf("%s %s %s\n", t->module ?: "vmlinux", t->name, t->unit ?: "-");
}

static void print_json(const struct selection *sel)
{
	struct text to = {};
	size_t i;

	text__char(&to, '[');
	for (i = 0; i < sel->cnt; i++) {
		const struct fentry_target *t = sel->targets[i];

		text__string(&to, i ? ",\n{" : "\n{");
		json_function(&to, t);
		json_text(&to, "kind", "FUNC");
		json_address(&to, "address", t->addr);
		json_close(&to, '}');
	}
	text__string(&to, "\n]\n");
	output__print(&to);
	text__fini(&to);
}

/* A glob also matches functions that are refused by name. */
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
			 verdict_ambiguous(sel->targets[i]));
		left_out__add(&refused, label, message);
		status = EXIT_AMBIGUOUS;
	}
	left_out__complain(&refused);
	return status;
}

struct resolve_opts {
	bool json;
};

#define OPTIONS struct resolve_opts

static const struct opt options[] = {
	OPT_JSON,
	{},
};

static int run(int argc, char **argv)
{
	struct resolve_opts opts = {};
	struct selection sel;
	int status;
	size_t i;

	status = parse_options(&resolve_command, &argc, argv, &opts);
	if (status)
		return status;
	if (!argc)
		return usage_error("resolve: which function?");
	status = selection__init(&sel, argv, argc, 0);
	status = status ?: refuse_ambiguous(&sel);
	if (!status && opts.json)
		print_json(&sel);
	for (i = 0; !status && !opts.json && i < sel.cnt; i++)
		print(sel.targets[i]);
	selection__fini(&sel);
	return status;
}

const struct command resolve_command = {
	.name = "resolve",
	.args = "SPEC...",
	.text = "resolve prints 'object:id address module name unit', '-' for what isn't known.\n",
	.examples = "  fentry resolve bpf_iter_detach_map@map_iter.c\n"
		    "  fentry resolve 'bpf_iter_*' --json\n",
	.options = options,
	.run = run,
};
