// SPDX-License-Identifier: GPL-2.0-only
/*
 * fentry explain: each function behind a name, why it can or can't be traced, and what the compiler
 * made of it, as far as BTF, symbols and ftrace say. If BTF doesn't say what the source has, only
 * the meaning of the name's suffix is shown.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/selection.h"
#include "commands/changes.h"
#include "commands/options.h"
#include "output/json.h"
#include "output/stream.h"
#include "output/terminal.h"
#include "kernel/verdict.h"

#define GREEN "\033[32m"
#define RED   "\033[31m"
#define PLAIN "\033[0m"

#define NAMES_MAX 4  /* sys_ni_syscall() has a hundred aliases */
#define CALLS_MAX 10 /* list_add() has hundreds; JSON has all */

#define SUFFIX_CNT 4

/* What suffixes of symbols' names mean. */
static const struct {
	const char *suffix, *meaning;
	bool arguments; /* may differ from those in the source */
} suffixes[SUFFIX_CNT] = {
	{ ".isra.", "gcc removed parameters, or passes their members instead", true },
	{ ".constprop.", "a copy that gcc made for calls with certain constant arguments", true },
	{ ".part.", "gcc split this part off a function, which calls it", true },
	{ ".llvm.", "ThinLTO made a static function global, as other units use it", false },
};

struct explanation {
	struct fentry_spec spec;
	char *base; /* its name without any suffix; NULL if it's a glob */
	struct fentry_index *idx;
	/* what it matches, if a unit or an id is asked for */
	const struct fentry_target **found;
	size_t found_cnt;
	struct verdicts *v;
	bool json, colour;
	size_t cnt; /* functions explained so far */
};

/* What is known of one function. */
struct account {
	const char *name, *module;	    /* module: NULL for vmlinux */
	unsigned long long addr;	    /* 0: it has none */
	const struct fentry_target *target; /* NULL: BTF doesn't describe it */
	const char *why;		    /* it can't be traced; NULL: it can */
	const char *by_probe;		    /* why not by a trampoline; NULL: it is by one */
	const char *by_probe_exit;	    /* the same at its exit */
	char label[LABEL_MAX];
	char *prototype;
	struct changes *changes;		  /* NULL: none are known */
	const struct fentry_inlined_call **calls; /* that are inlined */
	size_t call_cnt;
	bool only_inlined; /* target is from a file of inlined calls, not from BTF */
};

static bool has_base(const char *name, const char *base)
{
	size_t len = strlen(base);

	return len == fentry_symbol__base_len(name) && !strncmp(name, base, len);
}

static bool may_be_meant(const struct explanation *e, const char *name, const char *module)
{
	const struct fentry_spec *spec = &e->spec;

	if (spec->module && strcmp(spec->module, module ?: "vmlinux"))
		return false;
	return spec->id || (spec->glob ? !fnmatch(spec->name, name, 0) : has_base(name, e->base));
}

/* The unit of a function that BTF doesn't describe isn't known. */
static bool is_meant(const struct explanation *e, const struct fentry_target *target)
{
	size_t i;

	for (i = 0; i < e->found_cnt; i++)
		if (e->found[i] == target)
			return true;
	return !e->spec.id && !e->spec.unit && !e->spec.exact;
}

static void print_argument(const struct changes *c, int i)
{
	printf("argument %d (%s)", i + 1, c->args[i].name);
}

static void print_fate(const struct changes *c, int nr)
{
	enum fate fate = changes__fate(c, nr);
	const char *before = fate == FATE_PARTS	  ? "passed as parts of it: " :
			     fate == FATE_UNKNOWN ? "gone, or in " :
						    "";
	int i;

	if (fate == FATE_GONE)
		printf("gone");
	for (i = 0; i < c->arg_cnt; i++) {
		if (!changes__is_about(c, i, nr))
			continue;
		fputs(before, stdout);
		before = fate == FATE_UNKNOWN ? " or " : ", ";
		if (c->args[i].whole)
			printf("argument %d", i + 1);
		else
			print_argument(c, i);
	}
	if (fate == FATE_MOVED)
		printf(", was %d", nr + 1);
	putchar('\n');
}

static void print_changes(const struct account *a)
{
	const struct changes *c = a->changes;
	int i;

	for (i = 0; i < c->param_cnt; i++) {
		printf("  parameter  %s: ",
		       *c->params[i].name ? c->params[i].name : c->params[i].text);
		print_fate(c, i);
	}
	for (i = 0; i < c->arg_cnt; i++) {
		if (c->args[i].of >= 0)
			continue;
		fputs("  unnamed    ", stdout);
		print_argument(c, i);
		puts(": a parameter or a part of one; BTF doesn't say which");
	}
	if (c->return_dropped)
		printf("  returns    nothing, was %s\n", c->returns);
	else
		printf("  returns    %s, as in the source\n", c->returns);
}

/* How a user can tell that the function isn't what the source has. */
static void print_marks(const struct account *a)
{
	bool in_name = false;
	size_t i;

	for (i = 0; i < SUFFIX_CNT; i++) {
		if (!strstr(a->name, suffixes[i].suffix))
			continue;
		in_name |= suffixes[i].arguments;
		printf("  renamed    %s: %s\n", suffixes[i].suffix, suffixes[i].meaning);
	}
	if (a->target && a->target->source)
		printf("  told by    BTF's tag 'source:'%s\n",
		       in_name ? ", and the suffix" :
				 " alone: nothing in the name says that it was changed");
}

/* Print the names that @get returns. */
static void print_names(const struct account *a, const char *title,
			const char *(*get)(const struct fentry_target *target, size_t n))
{
	const char *name;
	size_t n;

	for (n = 0; a->target && (name = get(a->target, n)); n++)
		if (n < NAMES_MAX)
			printf("%s%s", n ? ", " : title, name);
	if (n > NAMES_MAX)
		printf(" and %zu more", n - NAMES_MAX);
	if (n)
		putchar('\n');
}

/* Why can't an inlined call be traced? The kernel may refuse other places, too. */
static const char *unfit_call(const struct explanation *e, const struct fentry_inlined_call *call)
{
	return fentry_inlined_call__unfit(call) ?: verdicts__no_probe(e->v, call->addr);
}

static void print_call(const struct explanation *e, const struct fentry_inlined_call *call)
{
	const char *why = unfit_call(e, call);
	char where[LABEL_MAX];

	fentry_inlined_call__where(call, where, sizeof(where));
	printf("             %s", where);
	if (call->caller && call->symbol && strcmp(call->caller, call->symbol))
		printf(", inlined into %s", call->symbol);
	if (call->inexact)
		printf(" (may be several calls, not all of which are seen)");
	if (why)
		printf(" (no probe: it %s)", why);
	putchar('\n');
}

static void print_calls(const struct explanation *e, const struct account *a)
{
	size_t i, direct = 0;

	if (fentry_index__has_inlined(e->idx))
		print_names(a, "  unknown    which calls are inlined in ",
			    fentry_target__inlined_unknown);
	if (!a->call_cnt)
		return;
	printf("  inlined    %zu", a->call_cnt);
	if (a->target && fentry_target__direct_cnt(a->target, &direct))
		printf(" of %zu direct", a->call_cnt + direct);
	printf(" call%s, seen by trace --inlined only, in\n", a->call_cnt + direct == 1 ? "" : "s");
	for (i = 0; i < a->call_cnt && i < CALLS_MAX; i++)
		print_call(e, a->calls[i]);
	if (i < a->call_cnt)
		printf("             and %zu more\n", a->call_cnt - i);
}

static void print_verdict(const struct explanation *e, const struct account *a)
{
	const char *colour = a->why ? RED : GREEN;

	if (!a->why && !verdicts__has_sites(e->v)) {
		puts("  traceable  not known");
		return;
	}
	printf("  traceable  %s%s%s", e->colour ? colour : "", a->why ? "no" : "yes",
	       e->colour ? PLAIN : "");
	if (a->why)
		printf(": %s\n", a->why);
	else if (a->by_probe)
		printf(", by a probe%s %s%s%s\n",
		       strcmp(a->by_probe, FENTRY_UNVERIFIED) ? ":" : ";", a->by_probe,
		       a->target->untrue ? ", " : "", a->target->untrue ?: "");
	else if (a->by_probe_exit)
		printf(", by a trampoline; at its exit by a probe: %s\n", a->by_probe_exit);
	else
		puts(", by a trampoline");
}

static void print_identity(const struct fentry_target *t)
{
	if (fentry_target__by_probe(t))
		printf("  BTF        of the functions file of %s, unit %s\n",
		       t->module ?: "vmlinux", t->unit ?: "not known");
	else
		printf("  BTF        id %u of %s, unit %s\n", t->type_id, t->module ?: "vmlinux",
		       t->unit ?: "not known");
}

static void print_plain(const struct explanation *e, const struct account *a)
{
	const struct fentry_target *t = a->target;

	if (e->cnt)
		putchar('\n');
	printf("%s\n", a->label);
	if (a->addr)
		printf("  address    %016llx in %s\n", a->addr, a->module ?: "vmlinux");
	if (t) {
		if (a->only_inlined)
			printf("  defined    in %s\n", t->file ?: "a file that isn't known");
		else
			print_identity(t);
		if (!a->only_inlined && t->unit && strcmp(t->file, t->unit))
			printf("  defined    in %s\n", t->file);
		if (t->source)
			printf("  source     %s\n", t->source);
		printf("  prototype  %s\n", a->prototype);
		print_names(a, "  aliases    ", fentry_target__alias);
	} else {
		printf("  BTF        doesn't describe it\n");
	}
	if (a->changes)
		print_changes(a);
	print_marks(a);
	print_calls(e, a);
	print_verdict(e, a);
}

static void put_json_parameters(struct text *to, const struct changes *c)
{
	static const char *const fates[] = {
		[FATE_SAME] = "same", [FATE_MOVED] = "moved",	  [FATE_PARTS] = "parts",
		[FATE_GONE] = "gone", [FATE_UNKNOWN] = "unknown",
	};
	int i, j;

	json_open(to, "parameters", '[');
	for (i = 0; i < c->param_cnt; i++) {
		json_open(to, NULL, '{');
		json_number(to, "position", i + 1);
		json_text(to, "name", c->params[i].name);
		json_text(to, "declaration", c->params[i].text);
		json_text(to, "fate", fates[changes__fate(c, i)]);
		json_open(to, "arguments", '[');
		for (j = 0; j < c->arg_cnt; j++) {
			if (!changes__is_about(c, j, i))
				continue;
			json_open(to, NULL, '{');
			json_number(to, "position", j + 1);
			json_text(to, "name", c->args[j].name);
			json_close(to, '}');
		}
		text__string(to, "]}");
	}
	json_close(to, ']');
	json_text(to, "returns", c->returns);
	json_bool(to, "return_dropped", c->return_dropped);
}

static void put_json_suffixes(struct text *to, const struct account *a)
{
	size_t i;

	json_open(to, "suffixes", '[');
	for (i = 0; i < SUFFIX_CNT; i++)
		if (strstr(a->name, suffixes[i].suffix))
			json_text(to, NULL, suffixes[i].suffix);
	json_close(to, ']');
}

static void put_json_names(struct text *to, const char *key, const struct account *a,
			   const char *(*get)(const struct fentry_target *target, size_t n))
{
	const char *name;
	size_t n;

	json_open(to, key, '[');
	for (n = 0; a->target && (name = get(a->target, n)); n++)
		json_text(to, NULL, name);
	json_close(to, ']');
}

static void put_json_calls(struct text *to, const struct explanation *e, const struct account *a)
{
	size_t i, direct;

	if (a->target && fentry_target__direct_cnt(a->target, &direct))
		json_number(to, "direct_calls", direct);
	else
		json_text(to, "direct_calls", NULL);
	if (!fentry_index__has_inlined(e->idx)) {
		json_text(to, "inlined", NULL);
		json_text(to, "inlined_unknown", NULL);
		return;
	}
	json_open(to, "inlined", '[');
	for (i = 0; i < a->call_cnt; i++) {
		json_open(to, NULL, '{');
		json_inlined_call(to, a->calls[i]);
		json_bool(to, "exact", !a->calls[i]->inexact);
		json_text(to, "reason", unfit_call(e, a->calls[i]));
		json_close(to, '}');
	}
	json_close(to, ']');
	put_json_names(to, "inlined_unknown", a, fentry_target__inlined_unknown);
}

static void print_json(const struct explanation *e, const struct account *a)
{
	const struct fentry_target *t = a->target;
	struct text to = {};

	text__string(&to, e->cnt ? ",\n{" : "[\n{");
	json_text(&to, "spec", a->label);
	json_text(&to, "function", a->name);
	json_address(&to, "address", a->addr);
	json_text(&to, "module", a->module ?: "vmlinux");
	if (t && !a->only_inlined) {
		json_id(&to, "object", t->obj_id);
		json_id(&to, "id", fentry_target__by_probe(t) ? 0 : t->type_id);
		json_text(&to, "traced_by", a->why ? NULL : a->by_probe ? "probe" : "trampoline");
		json_text(&to, "traced_by_at_exit",
			  a->why	   ? NULL :
			  a->by_probe_exit ? "probe" :
					     "trampoline");
		json_text(&to, "why_probe", a->by_probe ?: a->by_probe_exit);
		json_text(&to, "untrue", t->untrue);
	}
	if (t) {
		json_text(&to, "unit", t->unit);
		json_text(&to, "file", t->file);
		json_text(&to, "prototype", a->prototype);
		json_text(&to, "source", t->source);
	}
	if (a->changes)
		put_json_parameters(&to, a->changes);
	put_json_suffixes(&to, a);
	put_json_names(&to, "aliases", a, fentry_target__alias);
	put_json_calls(&to, e, a);
	if (a->why || verdicts__has_sites(e->v))
		json_bool(&to, "traceable", !a->why);
	else
		json_text(&to, "traceable", NULL);
	json_text(&to, "reason", a->why);
	json_close(&to, '}');
	output__print(&to);
	text__fini(&to);
}

/* Find out the rest of what is known, and print it. */
static int print_function(struct explanation *e, struct account *a)
{
	struct fentry_error error;

	snprintf(a->label, sizeof(a->label), "%s", a->name);
	if (a->target) {
		complain_unverified(e->idx, &a->target, 1);
		if (fentry_target__inlined_calls(a->target, &a->calls, &a->call_cnt, &error))
			return complain_error(&error);
		fentry_target__label(a->target, a->label);
		a->by_probe = fentry_target__why_probe(a->target, false);
		a->by_probe_exit = fentry_target__why_probe(a->target, true);
		if (fentry_target__prototype(a->target, &a->prototype, &error)) {
			complain("%s", error.msg);
			free(a->calls);
			return EXIT_FAILED;
		}
		if (a->target->source)
			a->changes = changes__new(a->target);
	}
	if (e->json)
		print_json(e, a);
	else
		print_plain(e, a);
	e->cnt++;
	free(a->prototype);
	free(a->calls);
	changes__free(a->changes);
	return 0;
}

/* Explain functions that have nothing but inlined calls, as far as BTF says. */
static int explain_inlined(struct explanation *e)
{
	const struct fentry_target **found;
	size_t i, cnt;
	int status = 0;

	if (fentry_index__find_inlined(e->idx, &e->spec, &found, &cnt))
		return no_memory();
	for (i = 0; !status && i < cnt; i++) {
		struct account a = {
			.name = found[i]->name,
			.module = found[i]->module,
			.target = found[i],
			.why = "BTF knows nothing but inlined calls of it",
			.only_inlined = true,
		};

		status = print_function(e, &a);
	}
	free(found);
	return status;
}

static int explain(struct explanation *e)
{
	const struct ksyms *k = verdicts__ksyms(e->v);
	const struct fentry_target *t, *last = NULL;
	int status = 0;
	size_t i;

	/* without addresses it isn't known which function a symbol is */
	for (i = 0; !status && !k->hidden && i < k->cnt; i++) {
		const struct ksym *sym = &k->syms[i];
		struct account a = {
			.name = sym->name,
			.module = sym->module,
			.addr = sym->addr,
		};

		if (!may_be_meant(e, sym->name, sym->module) || !ksym__is_function(sym))
			continue;
		a.target = verdicts__target(e->v, sym);
		a.why = verdicts__of_symbol(e->v, sym, a.target);
		/* the names of a function stand together */
		if (!is_meant(e, a.target) || (last && a.target == last))
			continue;
		if (a.target)
			a.name = a.target->name;
		/* whose symbol the FUNC is, nobody knows */
		if (a.target && a.target->same_name > 1)
			a.addr = 0;
		last = a.target;
		status = print_function(e, &a);
	}
	for (i = 0; !status && (t = fentry_index__target(e->idx, i)); i++) {
		struct account a = {
			.name = t->name,
			.module = t->module,
			.target = t,
		};

		if (!may_be_meant(e, t->name, t->module) || !is_meant(e, t))
			continue;
		a.why = k->hidden ? verdicts__of_target(e->v, t) :
				    verdicts__without_symbol(e->v, t);
		if (a.why || k->hidden)
			status = print_function(e, &a);
	}
	status = status ?: explain_inlined(e);
	if (e->json && e->cnt)
		puts("\n]");
	return status;
}

/*
 * A specification, or "module:name@unit#id": messages use this form for functions that only their
 * ids tell apart.
 */
static int parse(struct explanation *e, const char *text)
{
	const char *hash = strrchr(text, '#'), *colon = strchr(text, ':');
	int module_len = colon ? colon + 1 - text : 0;
	char spec[LABEL_MAX];
	struct fentry_error error;

	if (hash && hash > text + module_len) {
		snprintf(spec, sizeof(spec), "%.*s%s", module_len, text, hash);
		text = spec;
	}
	if (fentry_spec__parse(text, &e->spec, &error))
		return usage_error("%s", error.msg);
	if (e->spec.id || e->spec.glob)
		return 0;
	e->base = strndup(e->spec.name, fentry_symbol__base_len(e->spec.name));
	return e->base ? 0 : no_memory();
}

/* A unit or an id needs the library's knowledge. */
static int find(struct explanation *e)
{
	struct fentry_error error;
	int err = 0;

	if (e->spec.unit || e->spec.id || e->spec.exact)
		err = fentry_index__find(e->idx, &e->spec, &e->found, &e->found_cnt, &error);
	if (!err || err == -ENOENT)
		return 0;
	complain("%s", error.msg);
	return err == -ENOTUNIQ || err == -ENODATA ? EXIT_AMBIGUOUS : EXIT_FAILED;
}

#define OPTIONS struct explanation

static const struct opt options[] = {
	OPT_JSON,
	{},
};

static int run(int argc, char **argv)
{
	struct explanation e = { .colour = use_colour(STDOUT_FILENO) };
	int status;

	status = parse_options(&explain_command, &argc, argv, &e);
	if (!status && argc != 1)
		status = usage_error("explain: expected one function");
	status = status ?: parse(&e, argv[0]);
	status = status ?: open_index(&e.idx);
	status = status ?: find(&e);
	status = status ?: verdicts__load(e.idx, false, &e.v);
	status = status ?: explain(&e);
	if (!status && !e.cnt)
		status = no_match(e.idx, &e.spec);
	verdicts__free(e.v);
	free(e.found);
	free(e.base);
	fentry_spec__clear(&e.spec);
	fentry_index__free(e.idx);
	return status;
}

const struct command explain_command = {
	.name = "explain",
	.args = "SPEC",
	.text = "explain says whether the functions of a name can be traced, how the source declares\n"
		"them, what became of each parameter, and where calls are inlined.\n",
	.examples = "  fentry explain finish_task_switch\n"
		    "  fentry explain vfs_read --json\n",
	.options = options,
	.run = run,
};
