// SPDX-License-Identifier: GPL-2.0-only
/* fentry list: tables of functions. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "attach/selection.h"
#include "commands/options.h"
#include "output/table.h"
#include "kernel/verdict.h"

struct list_opts {
	bool json, ambiguous, renamed, changed, untraceable, untrue;
};

/* A table, and what its rows are made of. */
struct listing {
	const struct list_opts *opts;
	struct selection sel;
	bool *matched; /* has a function matched each of the selection's specifications? */
	struct table *table;
};

/* Programs that read JSON can skip what they don't want. */
static int begin_table(struct listing *l)
{
	const struct list_opts *o = l->opts;
	bool no_calls = !fentry_index__has_inlined(l->sel.idx) && !o->json;
	const struct column columns[] = {
		COLUMN("ADDRESS", "address"),
		COLUMN("BTF-ID", "id", .number = true),
		COLUMN("MODULE", "module"),
		COLUMN("FUNCTION", "function"),
		COLUMN("UNIT", "unit"),
		COLUMN("INLINED", "inlined", .number = true, .hidden = no_calls),
		COLUMN("DIRECT", "direct_calls", .number = true, .hidden = no_calls),
		COLUMN("REASON", "reason", .hidden = !o->untraceable),
		COLUMN("PROTOTYPE", "prototype", .cut = !o->changed, .hidden = o->untraceable),
		COLUMN("SOURCE", "source", .hidden = !o->changed && !o->json),
		COLUMN("FILE", "file", .hidden = !o->json),
		COLUMN("OBJECT", "object", .number = true, .hidden = !o->json),
	};

	l->table = table__new(columns, ARRAY_SIZE(columns));
	return l->table ? 0 : no_memory();
}

/* Is there a file of the function's own object? */
static bool knows_inlined(const struct fentry_target *target)
{
	const char *own = target->module ?: "vmlinux", *name;
	size_t i;

	for (i = 0; (name = fentry_target__inlined_unknown(target, i)); i++)
		if (!strcmp(name, own))
			return false;
	return true;
}

/*
 * Add a row.
 * @text: the reason or the prototype
 *
 * Formatting takes time, so unknown numbers aren't formatted.
 */
static int add_row(const struct listing *l, const struct fentry_target *target, const char *text)
{
	char addr[32], id[16], object[16], inlined[24] = "", direct[24] = "";
	size_t direct_cnt;

	snprintf(addr, sizeof(addr), "%016llx", (unsigned long long)target->addr);
	snprintf(id, sizeof(id), "%u", target->type_id);
	if (fentry_index__has_inlined(l->sel.idx) && target->type_id && knows_inlined(target))
		snprintf(inlined, sizeof(inlined), "%zu", fentry_target__inlined_cnt(target));
	if (fentry_target__direct_cnt(target, &direct_cnt))
		snprintf(direct, sizeof(direct), "%zu", direct_cnt);
	if (l->opts->json)
		snprintf(object, sizeof(object), "%u", target->obj_id);
	return table__add(l->table,
			  (const char *[]){
				  target->addr ? addr : NULL,
				  target->type_id && !fentry_target__by_probe(target) ? id : NULL,
				  target->module ?: "vmlinux",
				  target->name,
				  target->unit,
				  *inlined ? inlined : NULL,
				  *direct ? direct : NULL,
				  text,
				  text,
				  target->source,
				  target->file,
				  target->obj_id ? object : NULL,
			  }) ?
		       no_memory() :
		       0;
}

static bool is_renamed(const char *name)
{
	return name[fentry_symbol__base_len(name)];
}

/* A function is listed if each of the filters lets it pass. */
static bool is_wanted(const struct list_opts *opts, const struct fentry_target *target)
{
	return (!opts->ambiguous || fentry_target__is_ambiguous(target)) &&
	       (!opts->renamed || is_renamed(target->name)) && (!opts->changed || target->source);
}

static int add_described(const struct listing *l)
{
	struct fentry_error error;
	char *prototype;
	int status = 0;
	size_t i;

	for (i = 0; !status && i < l->sel.cnt; i++) {
		const struct fentry_target *target = l->sel.targets[i];

		if (!is_wanted(l->opts, target))
			continue;
		prototype = NULL;
		/* one that can't be printed is no reason to hide the others */
		if (fentry_target__prototype(target, &prototype, &error) && error.err != -EINVAL)
			return complain_error(&error);
		status = add_row(l, target, prototype);
		free(prototype);
	}
	return status;
}

/* Parse patterns that functions must match, and open the index. */
static int parse_patterns(struct listing *l, char **texts, size_t cnt)
{
	int status = 0;
	size_t i;

	l->matched = calloc(cnt, sizeof(*l->matched));
	if (!l->matched)
		return no_memory();
	for (i = 0; !status && i < cnt; i++)
		status = selection__parse(&l->sel, texts[i]);
	return status ?: open_index(&l->sel.idx);
}

static bool matches(struct listing *l, const struct fentry_target *target)
{
	bool match, any = false;
	size_t i;

	for (i = 0; i < l->sel.spec_cnt; i++) {
		match = fentry_spec__match(&l->sel.specs[i], target);
		l->matched[i] |= match;
		any |= match;
	}
	return any;
}

/* Each pattern must match something. */
static int check_patterns(const struct listing *l)
{
	size_t i;

	for (i = 0; i < l->sel.spec_cnt; i++)
		if (!l->matched[i])
			return no_match(l->sel.idx, &l->sel.specs[i]);
	return 0;
}

/* Add functions that the kernel has. Those that BTF doesn't know can have ambiguous names, too. */
static int add_symbols(struct listing *l)
{
	struct verdicts *v = l->sel.verdicts;
	const struct list_opts *opts = l->opts;
	const struct ksyms *k = verdicts__ksyms(v);
	const struct fentry_target *target;
	int status = 0;
	const char *why;
	size_t i;

	for (i = 0; !status && i < k->cnt; i++) {
		struct fentry_target shown = {
			.name = k->syms[i].name,
			.module = k->syms[i].module,
		};

		if (!ksym__is_function(&k->syms[i]))
			continue;
		target = verdicts__target(v, &k->syms[i]);
		why = verdicts__of_symbol(v, &k->syms[i], target);
		/* other names have no line of their own */
		if (target && strcmp(target->name, k->syms[i].name))
			continue;
		if (target)
			shown = *target;
		shown.addr = k->syms[i].addr;
		if (!matches(l, &shown))
			continue;
		if (why && (!opts->renamed || is_renamed(shown.name)) &&
		    (!opts->changed || shown.source) &&
		    (!opts->ambiguous || verdicts__is_ambiguous(v, shown.name)))
			status = add_row(l, &shown, why);
	}
	return status;
}

/* Add functions that only BTF knows. */
static int add_without_symbol(struct listing *l)
{
	const struct fentry_target *target;
	int status = 0;
	const char *why;
	size_t i;

	for (i = 0; !status && (target = fentry_index__target(l->sel.idx, i)); i++) {
		if (!matches(l, target))
			continue;
		why = verdicts__without_symbol(l->sel.verdicts, target);
		if (why && is_wanted(l->opts, target))
			status = add_row(l, target, why);
	}
	return status;
}

static int list_untraceable(struct listing *l, char **texts, size_t cnt)
{
	struct verdicts **v = &l->sel.verdicts;
	int status;

	status = parse_patterns(l, texts, cnt);
	status = status ?: verdicts__load(l->sel.idx, false, v);
	if (!status && !verdicts__has_sites(*v))
		status = EXIT_FAILED;
	status = status ?: begin_table(l);
	status = status ?: add_symbols(l);
	status = status ?: add_without_symbol(l);
	return status ?: check_patterns(l);
}

/* Say what the table lacks, and why. */
static void note_gaps(const struct selection *sel)
{
	bool hidden = true, doubtful = false;
	size_t i;

	for (i = 0; i < sel->cnt; i++) {
		const struct fentry_target *t = sel->targets[i];

		hidden &= !t->addr && t->obj_id;
		doubtful |= t->same_name > 1;
	}
	if (hidden)
		complain("addresses are hidden from this user (kernel.kptr_restrict, CAP_SYSLOG)");
	if (doubtful)
		complain(
			"this kernel can't tell functions of the same name apart, so those without a functions file have no address here");
}

static int list_described(struct listing *l, char **texts, size_t cnt)
{
	int status;

	status = selection__init(&l->sel, texts, cnt, SELECT_SEVERAL);
	status = status ?: begin_table(l);
	return status ?: add_described(l);
}

/* Add a FUNC of BTF that is false. What is true is in the functions file, if it is known. */
static int add_false(struct table *t, const struct fentry_target *func)
{
	const struct fentry_target *now = NULL, *other;
	char id[16], *is = NULL, *was = NULL;
	size_t i;
	int status;

	for (i = 0; !now && (other = fentry_index__target(func->idx, i)); i++)
		if (fentry_target__by_probe(other) && !strcmp(other->name, func->name) &&
		    other->module == func->module)
			now = other;
	snprintf(id, sizeof(id), "%u", func->type_id);
	/* what can't be printed is left empty */
	fentry_target__prototype(func, &was, NULL);
	if (now)
		fentry_target__prototype(now, &is, NULL);
	status = table__add(t, (const char *[]){ id, func->module ?: "vmlinux", func->name,
						 func->untrue, was, is });
	free(was);
	free(is);
	return status ? no_memory() : 0;
}

static int list_false(struct listing *l, char **texts, size_t cnt)
{
	static const struct column columns[] = {
		COLUMN("BTF-ID", "id", .number = true),
		COLUMN("MODULE", "module"),
		COLUMN("FUNCTION", "function"),
		COLUMN("REASON", "reason"),
		COLUMN("BTF", "btf"),
		COLUMN("TRUE", "true"),
	};
	const struct fentry_target *func;
	int status;
	size_t i;

	l->table = table__new(columns, ARRAY_SIZE(columns));
	status = l->table ? parse_patterns(l, texts, cnt) : no_memory();
	if (!status && !fentry_index__is_verified(l->sel.idx, NULL))
		status = failure(
			"which prototypes are false isn't known without the functions file");
	for (i = 0; !status && (func = fentry_index__target(l->sel.idx, i)); i++)
		if (matches(l, func) && func->untrue && !fentry_target__by_probe(func))
			status = add_false(l->table, func);
	for (i = 0; !status && (func = fentry_index__replaced(l->sel.idx, i)); i++)
		if (func->untrue && matches(l, func))
			status = add_false(l->table, func);
	return status ?: check_patterns(l);
}

#define OPTIONS struct list_opts

static const struct opt options[] = {
	FLAG(ambiguous, "only functions whose base name several functions of the source have"),
	FLAG(renamed, "only functions that the compiler gave a suffix, such as foo.isra.0"),
	FLAG(changed, "only functions that the compiler changed; shows their source, too"),
	FLAG(untraceable, "instead, the functions that can't be traced, and why"),
	OPT(OPT_FLAG, untrue, "false", NULL,
	    "instead, BTF's false prototypes, why they are, and the true ones"),
	OPT_JSON,
	{},
};

static int run(int argc, char **argv)
{
	struct list_opts opts = {};
	struct listing l = { .opts = &opts };
	char *all[] = { "*" };
	int status;

	status = parse_options(&list_command, &argc, argv, &opts);
	if (status)
		return status;
	if (!argc) {
		argv = all;
		argc = 1;
	}
	status = (opts.untrue	   ? list_false :
		  opts.untraceable ? list_untraceable :
				     list_described)(&l, argv, argc);
	if (!status && opts.json)
		table__print_json(l.table);
	else if (!status)
		table__print(l.table, SIZE_MAX);
	if (!status && !opts.untrue && !opts.untraceable)
		note_gaps(&l.sel);
	table__free(l.table);
	selection__fini(&l.sel);
	free(l.matched);
	return status;
}

const struct command list_command = {
	.name = "list",
	.args = "[PATTERN]...",
	.text = "list shows the kernel functions that BTF describes: address, BTF id, module, name,\n"
		"compilation unit, numbers of inlined and direct calls (as far as these are\n"
		"known), C prototype.\n",
	.examples = "  fentry list --ambiguous\n"
		    "  fentry list 'tcp_*' --untraceable\n",
	.options = options,
	.run = run,
};
