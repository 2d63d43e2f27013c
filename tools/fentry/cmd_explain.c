// SPDX-License-Identifier: GPL-2.0
/*
 * fentry explain: each function behind a name, why it can or can't be traced, and
 * what the compiler made of it, as far as BTF, symbols and ftrace say.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "verdict.h"

#define GREEN "\033[32m"
#define RED "\033[31m"
#define PLAIN "\033[0m"

#define ALIASES_MAX 4			/* sys_ni_syscall() has a hundred */

/* What a suffix of a symbol's name tells. */
static const struct {
	const char *suffix, *meaning;
} suffixes[] = {
	{ ".isra.", "gcc took parameters away or passes their members instead" },
	{ ".constprop.", "a copy that gcc made for calls with certain constant arguments" },
	{ ".part.", "a part that gcc split off a function, which it calls" },
	{ ".llvm.", "ThinLTO gave a static function that other units use a global name" },
};

struct explanation {
	const char *base;		/* the name without any suffix */
	struct fentry_index *idx;
	const struct verdicts *v;
	bool colour;
	size_t cnt;			/* functions explained so far */
};

static bool has_base(const char *name, const char *base)
{
	size_t len = strlen(base);

	return !strncmp(name, base, len) && (!name[len] || name[len] == '.');
}

/* The only function of just the base name, to compare with; or NULL. */
static const struct fentry_target *find_base(const struct explanation *e)
{
	struct fentry_spec spec = { .name = (char *)e->base };
	const struct fentry_target **found, *only = NULL;
	size_t cnt;

	if (fentry_index__find(e->idx, &spec, &found, &cnt, NULL))
		return NULL;
	if (cnt == 1 && !strcmp(found[0]->name, e->base))
		only = found[0];
	free(found);
	return only;
}

static const struct btf_type *proto_of(const struct btf *btf,
				       const struct fentry_target *target)
{
	return btf__type_by_id(btf, btf__type_by_id(btf, target->type_id)->type);
}

static bool has_param(const struct btf *btf, const struct btf_type *proto,
		      const char *name)
{
	const struct btf_param *p = btf_params(proto);
	int i;

	for (i = 0; i < btf_vlen(proto); i++)
		if (!strcmp(btf__name_by_offset(btf, p[i].name_off), name))
			return true;
	return false;
}

/* Parameters of one that the other lacks. */
static void print_missing(const struct btf *has, const struct btf_type *of,
			  const struct btf *lacks, const struct btf_type *in,
			  const char *text)
{
	const struct btf_param *p = btf_params(of);
	int i;

	for (i = 0; i < btf_vlen(of); i++) {
		const char *name = btf__name_by_offset(has, p[i].name_off);

		if (*name && !has_param(lacks, in, name))
			printf("  changed    parameter '%s' %s\n", name, text);
	}
}

/* The annotator calls a member that is passed alone <parameter>__<member>. */
static void print_members(const struct btf *btf, const struct btf_type *proto)
{
	const struct btf_param *p = btf_params(proto);
	int i;

	for (i = 0; i < btf_vlen(proto); i++) {
		const char *name = btf__name_by_offset(btf, p[i].name_off);
		const char *at = *name ? strstr(name + 1, "__") : NULL;

		if (at && at[2])
			printf("  changed    '%s' is '%s' of parameter '%.*s', if the compiler split it\n",
			       name, at + 2, (int)(at - name), name);
	}
}

static void print_changes(const struct explanation *e, const char *name,
			  const struct fentry_target *target)
{
	const struct fentry_target *base = find_base(e);
	const struct btf *btf, *base_btf;
	bool renamed = false;
	size_t i;

	for (i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		if (!strstr(name, suffixes[i].suffix))
			continue;
		renamed = true;
		printf("  renamed    %s: %s\n", suffixes[i].suffix,
		       suffixes[i].meaning);
	}
	if (!target || !renamed)
		return;
	btf = fentry_index__btf(e->idx, target);
	print_members(btf, proto_of(btf, target));
	if (!base || base == target)
		return;
	base_btf = fentry_index__btf(e->idx, base);
	print_missing(base_btf, proto_of(base_btf, base), btf,
		      proto_of(btf, target), "of the function without suffix is gone");
	print_missing(btf, proto_of(btf, target), base_btf,
		      proto_of(base_btf, base), "is one that the function without suffix lacks");
}

/* Several names are several functions to BTF, but one place to patch. */
static void print_aliases(const struct explanation *e,
			  const struct fentry_target *target)
{
	const struct fentry_target *all;
	char label[LABEL_MAX];
	size_t i, cnt, n = 0;

	all = fentry_index__targets(e->idx, &cnt);
	for (i = 0; target->addr && i < cnt; i++) {
		if (all[i].addr != target->addr || &all[i] == target)
			continue;
		if (n++ >= ALIASES_MAX)
			continue;
		print_label(e->idx, &all[i], label);
		printf("%s%s", n == 1 ? "  aliases    " : ", ", label);
	}
	if (n > ALIASES_MAX)
		printf(" and %zu more", n - ALIASES_MAX);
	if (n)
		printf(": only one of the names can have programs at a time\n");
}

static void print_verdict(const struct explanation *e, const char *why)
{
	const char *colour = why ? RED : GREEN;

	printf("  traceable  %s%s%s%s%s\n", e->colour ? colour : "",
	       why ? "no" : "yes", e->colour ? PLAIN : "", why ? ": " : "",
	       why ?: "");
}

static int print_function(struct explanation *e, const char *name,
			  const char *module, unsigned long long addr,
			  const struct fentry_target *target, const char *why)
{
	struct fentry_error error;
	char label[LABEL_MAX], *prototype = NULL;

	if (e->cnt++)
		putchar('\n');
	if (target)
		print_label(e->idx, target, label);
	printf("%s\n", target ? label : name);
	if (addr)
		printf("  address    %016llx in %s\n", addr, module ?: "vmlinux");
	if (target) {
		if (fentry_target__prototype(e->idx, target, &prototype,
					     &error)) {
			complain("%s", error.msg);
			return EXIT_FAILED;
		}
		printf("  BTF        id %u of %s%s%s\n", target->type_id,
		       target->module ?: "vmlinux",
		       target->unit ? ", unit " : "", target->unit ?: "");
		printf("  prototype  %s\n", prototype);
		free(prototype);
		print_aliases(e, target);
	} else {
		printf("  BTF        doesn't describe it\n");
	}
	print_changes(e, name, target);
	print_verdict(e, why);
	return 0;
}

static int explain(struct explanation *e)
{
	const struct ksyms *k = verdicts__ksyms(e->v);
	const struct fentry_target *all, *target;
	int status = 0;
	const char *why;
	size_t i, cnt;

	for (i = 0; !status && i < k->cnt; i++) {
		const struct ksym *sym = &k->syms[i];

		if (!has_base(sym->name, e->base) || !ksym__is_function(sym))
			continue;
		why = verdicts__of_symbol(e->v, sym, &target);
		status = print_function(e, sym->name, sym->module, sym->addr,
					target, why);
	}
	all = fentry_index__targets(e->idx, &cnt);
	for (i = 0; !status && i < cnt; i++) {
		if (!has_base(all[i].name, e->base))
			continue;
		why = verdicts__without_symbol(e->v, &all[i]);
		if (why)
			status = print_function(e, all[i].name, all[i].module,
						0, &all[i], why);
	}
	return status;
}

static int no_function(const char *base)
{
	complain("no function is called '%s', with or without a compiler's suffix: the compiler may have inlined all its calls",
		 base);
	return EXIT_NO_MATCH;
}

int cmd_explain(int argc, char **argv)
{
	static const struct opt none[] = { {} };
	struct explanation e = { .colour = use_colour(stdout) };
	struct verdicts *v = NULL;
	struct fentry_index *idx;
	int status;

	status = parse_options("explain", &argc, argv, none, NULL);
	if (status)
		return status;
	if (argc != 1 || !*argv[0] || strpbrk(argv[0], "@:#*?["))
		return usage_error("explain: give one name, without unit or glob");
	argv[0][1 + strcspn(argv[0] + 1, ".")] = '\0';
	e.base = argv[0];

	status = open_index(&idx);
	if (status)
		return status;
	status = verdicts__load(idx, &v);
	if (!status) {
		e.idx = idx;
		e.v = v;
		status = explain(&e);
	}
	if (!status && !e.cnt)
		status = no_function(e.base);
	verdicts__free(v);
	fentry_index__free(idx);
	return status;
}
