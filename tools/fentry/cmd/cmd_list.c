// SPDX-License-Identifier: GPL-2.0-only
/* fentry list: tables of functions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "table.h"
#include "verdict.h"

struct list_opts {
	bool json, ambiguous, renamed, changed, untraceable;
};

/* The last two aren't always shown. */
#define COLUMN_CNT 8

static const struct column columns[COLUMN_CNT] = {
	{ "ADDRESS", "address", false },
	{ "BTF-ID", "id", true },
	{ "MODULE", "module", false },
	{ "FUNCTION", "function", false },
	{ "UNIT", "unit", false },
	{ "PROTOTYPE", "prototype", false },
	{ "SOURCE", "source", false },
	{ "OBJECT", "object", true },
};

/* With --untraceable. */
static const struct column reason_columns[COLUMN_CNT] = {
	{ "ADDRESS", "address", false },
	{ "BTF-ID", "id", true },
	{ "MODULE", "module", false },
	{ "FUNCTION", "function", false },
	{ "UNIT", "unit", false },
	{ "REASON", "reason", false },
	{ "SOURCE", "source", false },
	{ "OBJECT", "object", true },
};

/*
 * The source's declaration is shown where it differs; programs that read JSON can
 * skip it.
 */
static size_t column_cnt(const struct list_opts *opts)
{
	if (opts->json)
		return COLUMN_CNT;
	return opts->changed ? COLUMN_CNT - 1 : COLUMN_CNT - 2;
}

static int add_row(struct table *t, const struct fentry_target *target,
		   const char *text)
{
	char addr[32], id[16], object[16];
	const char *cells[COLUMN_CNT] = {
		target->addr ? addr : NULL, target->type_id ? id : NULL,
		target->module ?: "vmlinux", target->name, target->unit, text,
		target->source, target->obj_id ? object : NULL,
	};

	snprintf(addr, sizeof(addr), "%016llx", (unsigned long long)target->addr);
	snprintf(id, sizeof(id), "%u", target->type_id);
	snprintf(object, sizeof(object), "%u", target->obj_id);
	if (!table__add(t, cells))
		return 0;
	complain("out of memory");
	return EXIT_FAILED;
}

/* Position of the first function whose name isn't before @name. */
static size_t lower_bound(const struct fentry_index *idx, const char *name)
{
	size_t from = 0, to = fentry_index__cnt(idx);

	while (from < to) {
		size_t mid = (from + to) / 2;

		if (strcmp(fentry_index__target(idx, mid)->name, name) < 0)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

/* Has a function's base name several functions of BTF? */
static bool is_ambiguous(const struct fentry_index *idx,
			 const struct fentry_target *target)
{
	const char *llvm = strstr(target->name, ".llvm.");
	size_t len = llvm ? (size_t)(llvm - target->name) : strlen(target->name);
	const struct fentry_target *t;
	struct fentry_spec base = {};
	size_t i, n = 0;

	if (target->same_name > 1)
		return true;
	base.name = strndup(target->name, len);
	if (!base.name)
		return false;
	/* names that begin the same stand together */
	for (i = lower_bound(idx, base.name); (t = fentry_index__target(idx, i)) &&
	     !strncmp(t->name, base.name, len); i++)
		n += fentry_spec__match(&base, t);
	free(base.name);
	return n > 1;
}

/* A dot that isn't the first character begins a compiler's suffix. */
static bool is_renamed(const char *name)
{
	return *name && strchr(name + 1, '.');
}

/* A function is listed if each of the filters lets it pass. */
static bool is_wanted(const struct fentry_index *idx,
		      const struct list_opts *opts,
		      const struct fentry_target *target)
{
	return (!opts->ambiguous || is_ambiguous(idx, target)) &&
	       (!opts->renamed || is_renamed(target->name)) &&
	       (!opts->changed || target->source);
}

static int add_described(struct table *t, const struct selection *sel,
			 const struct list_opts *opts)
{
	struct fentry_error error;
	char *prototype;
	int status = 0;
	size_t i;

	for (i = 0; !status && i < sel->cnt; i++) {
		const struct fentry_target *target = sel->targets[i];

		if (!is_wanted(sel->idx, opts, target))
			continue;
		if (fentry_target__prototype(target, &prototype, &error)) {
			complain("%s", error.msg);
			return EXIT_FAILED;
		}
		status = add_row(t, target, prototype);
		free(prototype);
	}
	return status;
}

/*
 * Functions that the kernel has. Those that BTF doesn't know can have ambiguous
 * names, too.
 */
static int add_symbols(struct table *t, const struct list_opts *opts,
		       const struct fentry_spec *spec,
		       struct verdicts *v, size_t *matches)
{
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
		why = verdicts__of_symbol(v, &k->syms[i], &target);
		if (target)
			shown = *target;
		shown.addr = k->syms[i].addr;
		if (!fentry_spec__match(spec, &shown))
			continue;
		(*matches)++;
		if (why && (!opts->renamed || is_renamed(shown.name)) &&
		    (!opts->changed || shown.source) &&
		    (!opts->ambiguous || verdicts__is_ambiguous(v, shown.name)))
			status = add_row(t, &shown, why);
	}
	return status;
}

/* Functions that BTF alone knows. */
static int add_without_symbol(struct table *t, const struct fentry_index *idx,
			      const struct list_opts *opts,
			      const struct fentry_spec *spec,
			      struct verdicts *v, size_t *matches)
{
	const struct fentry_target *target;
	int status = 0;
	const char *why;
	size_t i;

	for (i = 0; !status && (target = fentry_index__target(idx, i)); i++) {
		if (!fentry_spec__match(spec, target))
			continue;
		(*matches)++;
		why = verdicts__without_symbol(v, target);
		if (why && is_wanted(idx, opts, target))
			status = add_row(t, target, why);
	}
	return status;
}

static void print(const struct table *t, bool json)
{
	if (json)
		table__print_json(t);
	else
		table__print(t);
}

static int list_untraceable(const struct list_opts *opts, const char *pattern)
{
	struct verdicts *v = NULL;
	struct fentry_error error;
	struct fentry_spec spec;
	struct fentry_index *idx;
	struct table *t = NULL;
	size_t matches = 0;
	int status;

	if (fentry_spec__parse(pattern, &spec, &error))
		return usage_error("%s", error.msg);
	status = open_index(&idx);
	if (status)
		goto out_spec;
	status = verdicts__load(idx, false, &v);
	if (status)
		goto out;
	t = table__new(reason_columns, column_cnt(opts));
	status = t ? add_symbols(t, opts, &spec, v, &matches) : EXIT_FAILED;
	if (!status)
		status = add_without_symbol(t, idx, opts, &spec, v, &matches);
	if (!status && !matches)
		status = no_match(idx, &spec);
	if (!status)
		print(t, opts->json);
out:
	table__free(t);
	verdicts__free(v);
	fentry_index__free(idx);
out_spec:
	fentry_spec__clear(&spec);
	return status;
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
		complain("this kernel has no /proc/kallsyms_btf (CONFIG_DEBUG_INFO_BTF_FUNC_ADDR): it can't tell functions of the same name apart, so these have no address here");
}

static int list_described(const struct list_opts *opts, char *pattern)
{
	struct table *t = NULL;
	struct selection sel;
	int status;

	status = selection__init(&sel, &pattern, 1, true);
	if (!status) {
		t = table__new(columns, column_cnt(opts));
		status = t ? add_described(t, &sel, opts) : EXIT_FAILED;
	}
	if (!status) {
		print(t, opts->json);
		note_gaps(&sel);
	}
	table__free(t);
	selection__fini(&sel);
	return status;
}

int cmd_list(int argc, char **argv)
{
	struct list_opts opts = {};
	const struct opt table[] = {
		{ .name = "json", .flag = &opts.json },
		{ .name = "ambiguous", .flag = &opts.ambiguous },
		{ .name = "renamed", .flag = &opts.renamed },
		{ .name = "changed", .flag = &opts.changed },
		{ .name = "untraceable", .flag = &opts.untraceable },
		{}
	};
	char *pattern;
	int status;

	status = parse_options("list", &argc, argv, table, NULL);
	if (status)
		return status;
	if (argc > 1)
		return usage_error("list: expected one pattern, but '%s' is a second one",
				   argv[1]);
	pattern = argc ? argv[0] : "*";
	return opts.untraceable ? list_untraceable(&opts, pattern) :
				  list_described(&opts, pattern);
}
