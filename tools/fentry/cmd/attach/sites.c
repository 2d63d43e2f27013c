// SPDX-License-Identifier: GPL-2.0-only
/*
 * Inlined calls that are traced. The compiler left no function to attach to, only code somewhere in
 * its callers. The kernel sets a probe where this code begins. btfaddr knows from DWARF what the
 * registers hold there. The entry of a function that BTF has no true prototype of is such a place,
 * too.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attach/coming.h"
#include "attach/sites.h"
#include "expr/types.h"
#include "kernel/direct_calls.h"
#include "kernel/verdict.h"
#include "array.h"
#include "index.h"
#include "registers.h"

#define UNCALLED_MAX 5 /* functions of which it is looked up whether anything calls them */

/*
 * [module:]name@caller, [module:]name@file:line; @caller and file:line are for all functions. A
 * file is the tail of its path, as a unit is.
 */
struct site_spec {
	struct fentry_spec func; /* what is called */
	const char *place;	 /* the caller, or the file */
	const char *line;	 /* the ':' behind a file, or NULL */
};

/* The ':' before the number at the end of a text, or NULL. */
static const char *line_at(const char *text)
{
	const char *colon = strrchr(text, ':');

	if (!colon || colon == text || !colon[1])
		return NULL;
	return colon[1 + strspn(colon + 1, "0123456789")] ? NULL : colon;
}

/* The part that chooses some calls of a function, or NULL. A unit isn't one: its name has a '.'. */
static const char *place_of(const char *text)
{
	const char *at = strchr(text, '@'), *ret = at ? at + 1 : text;

	return line_at(ret) || (at && *ret && !strpbrk(ret, "./:*?[")) ? ret : NULL;
}

/* Parse a specification of inlined calls, or complain. */
static int site_spec__parse(const char *text, struct site_spec *ret)
{
	const char *at = place_of(text);
	size_t len = at == text ? 0 : at - text - strlen("@");
	char *func = len ? strndup(text, len) : strdup("*");
	struct fentry_error error;
	int status = 0;

	*ret = (struct site_spec){ .place = at, .line = line_at(at) };
	if (!func)
		return no_memory();
	if (fentry_spec__parse(func, &ret->func, &error))
		status = usage_error("%s", error.msg);
	free(func);
	return status;
}

/* Is a call of spec->func at the specified place? */
static bool site_spec__match(const struct site_spec *spec, const struct fentry_inlined_call *call)
{
	char file[LABEL_MAX];

	if (!spec->line)
		return call->caller && !strcmp(call->caller, spec->place);
	snprintf(file, sizeof(file), "%.*s", (int)(spec->line - spec->place), spec->place);
	return call->line == strtoul(spec->line + 1, NULL, 10) &&
	       fentry_path__is_meant(call->file, file);
}

/* Let the selection free a function's calls. */
static bool keep(struct selection *sel, const struct fentry_inlined_call **calls)
{
	if (!ARRAY_GROW(sel->calls, sel->call_cnt)) {
		free(calls);
		return false;
	}
	sel->calls[sel->call_cnt++] = calls;
	return true;
}

static bool add_site(struct selection *sel, const struct fentry_inlined_call *call)
{
	if (!ARRAY_GROW(sel->sites, sel->site_cnt))
		return false;
	sel->sites[sel->site_cnt++] = (struct probe_site){ .call = call };
	return true;
}

/* Add the inlined calls of one function. @only: NULL means all of them */
static int add_calls(struct selection *sel, const struct fentry_target *func,
		     const struct site_spec *only)
{
	const struct fentry_inlined_call **calls = NULL;
	struct fentry_error error;
	size_t i, cnt = 0;

	if (fentry_target__inlined_calls(func, &calls, &cnt, &error))
		return complain_error(&error);
	if (!keep(sel, calls))
		return no_memory();
	for (i = 0; i < cnt; i++)
		if ((!only || site_spec__match(only, calls[i])) && !add_site(sel, calls[i]))
			return no_memory();
	return 0;
}

static int add_calls_of(struct selection *sel, const struct fentry_target **funcs, size_t cnt,
			const struct site_spec *only)
{
	int status = 0;
	size_t i;

	for (i = 0; !status && i < cnt; i++)
		status = add_calls(sel, funcs[i], only);
	return status;
}

static int complain_no_site(const struct selection *sel, const char *text,
			    const struct site_spec *spec, size_t func_cnt)
{
	if (!func_cnt)
		return no_match(sel->idx, &spec->func);
	if (spec->func.glob)
		complain("no inlined call is '%s'", text);
	else
		complain("no inlined call is '%s': 'fentry explain %.*s' lists them", text,
			 (int)(strchr(text, '@') - text), text);
	return EXIT_NO_MATCH;
}

/* Add the calls that one specification means. */
static int add_sites(struct selection *sel, const char *text)
{
	const struct fentry_target **funcs = NULL, **inlined = NULL;
	size_t cnt = 0, inlined_cnt = 0, before = sel->site_cnt;
	struct fentry_error error;
	struct site_spec spec;
	int err, status;

	status = site_spec__parse(text, &spec);
	if (status)
		return status;
	err = fentry_index__find_inlined(sel->idx, &spec.func, &inlined, &inlined_cnt) ?:
		      fentry_index__find(sel->idx, &spec.func, &funcs, &cnt, &error);
	if (err && err != -ENOENT)
		status = no_memory();
	if (!status)
		status = add_calls_of(sel, funcs, cnt, &spec) ?:
				 add_calls_of(sel, inlined, inlined_cnt, &spec);
	if (!status && sel->site_cnt == before)
		status = complain_no_site(sel, text, &spec, cnt + inlined_cnt);
	free(funcs);
	free(inlined);
	fentry_spec__clear(&spec.func);
	return status;
}

/* @a/@b: pointers to calls, as a struct probe_site begins with one */
static int cmp_site(const void *a, const void *b)
{
	const struct fentry_inlined_call *x = *(const struct fentry_inlined_call *const *)a;
	const struct fentry_inlined_call *y = *(const struct fentry_inlined_call *const *)b;
	int diff = strcmp(x->section ?: "", y->section ?: "");

	/* entries are in the order of functions */
	if (!diff && x->section)
		diff = strcmp(x->module ?: "", y->module ?: "");
	if (diff)
		return diff;
	return (x->section ? cmp_int(x->offset, y->offset) : 0) ?: cmp_int(x->func, y->func);
}

/* Several specifications may mean the same call, which is traced once. */
static void sort_sites(struct selection *sel)
{
	sel->site_cnt = array_settle(sel->sites, sel->site_cnt, sizeof(*sel->sites), cmp_site);
}

/* Where 8 bytes of an argument are, from byte @at on. */
static struct trace_location part_of(const struct fentry_location *loc, unsigned int at)
{
	unsigned int left = loc->size - at;
	struct trace_location ret = {
		.reg = loc->reg,
		.offset = loc->offset,
		.size = left < 8 ? left : 8,
	};

	if (loc->place == FENTRY_MEMORY) {
		ret.place = TRACE_POINTED;
		ret.offset += at;
	} else if (loc->place == FENTRY_REGISTERS) {
		ret.place = TRACE_REGISTER;
		ret.reg = at ? loc->high : loc->reg;
	} else if (!at) {
		ret.place = loc->place == FENTRY_VALUE	  ? TRACE_VALUE :
			    loc->place == FENTRY_REGISTER ? TRACE_REGISTER :
							    TRACE_UNKNOWN;
	}
	if (ret.reg >= REGISTERS)
		ret.place = TRACE_UNKNOWN;
	return ret;
}

static void find_places(struct probe_site *site)
{
	const struct fentry_target *func = site->call->func;
	const struct btf_type *proto = fentry_type__proto(func->btf, func->type_id);
	const struct btf_param *params = btf_params(proto);
	unsigned int slot = 0, slots, part;
	struct fentry_location loc;
	int i;

	for (i = 0; i < btf_vlen(proto) && params[i].type; i++, slot += slots) {
		slots = types__slots(func->btf, params[i].type);
		fentry_inlined_call__location(site->call, i, &loc);
		for (part = 0; part < slots && slot + part < TRACE_MAX_ARGS; part++)
			if (loc.size > 8 * part)
				site->places.args[slot + part] = part_of(&loc, 8 * part);
	}
}

static int append_targets(struct selection *sel)
{
	const struct fentry_target **targets;
	size_t i;

	targets = reallocarray(sel->targets, sel->cnt + sel->site_cnt + 1, sizeof(*targets));
	sel->site_of = calloc(sel->cnt + sel->site_cnt + 1, sizeof(*sel->site_of));
	if (targets)
		sel->targets = targets;
	if (!targets || !sel->site_of)
		return no_memory();
	for (i = 0; i < sel->site_cnt; i++) {
		sel->site_of[sel->cnt] = &sel->sites[i];
		sel->targets[sel->cnt++] = sel->sites[i].call->func;
	}
	return 0;
}

/* Names in a message. */
#define UNKNOWN_MAX 4

/*
 * Name the objects where it isn't known whether functions are inlined. The message ends in @more.
 * Return whether there are any.
 */
static bool complain_unknown_calls(const struct fentry_target *const *targets, size_t cnt,
				   const char *more)
{
	const char *names[UNKNOWN_MAX], *name;
	size_t i, j, k, n = 0, most = 0;
	char text[LABEL_MAX] = "";

	for (i = 0; i < cnt; i++) {
		for (j = 0; (name = fentry_target__inlined_unknown(targets[i], j)); j++) {
			for (k = 0; k < n && names[k] != name; k++)
				;
			if (k == n && n < UNKNOWN_MAX)
				names[n++] = name;
		}
		if (j > most)
			most = j;
	}
	for (k = 0; k < n; k++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", k ? ", " : "",
			 names[k]);
	if (n)
		complain(
			"it isn't known which calls are inlined in %s%s, as there is no file of %s%s",
			text, most > n ? ", ..." : "", n > 1 ? "them" : "it", more);
	return n;
}

/* Count all calls that are meant: it isn't known yet which of them can't be attached to. */
static void complain_inexact(const struct selection *sel)
{
	size_t i, inexact = 0;

	for (i = 0; i < sel->site_cnt; i++)
		inexact += sel->sites[i].call->inexact;
	if (inexact)
		complain(
			"at %zu of %zu inlined calls not every call may be seen, as the code is in several parts or was copied: 'fentry explain' marks them",
			inexact, sel->site_cnt);
}

/* Unless some may be missing, it must be known where all inlined calls are. */
static int check_unknown(const struct selection *sel, bool best_effort)
{
	const char *more = best_effort ? "" : ": --best-effort traces the others";
	bool unknown;

	unknown = complain_unknown_calls(sel->targets, sel->cnt, more) ||
		  complain_unknown_calls(sel->inlined, sel->inlined_cnt, more);
	return unknown && !best_effort ? EXIT_FAILED : 0;
}

/* Add the inlined calls of a selection's functions, and others of these specifications. */
static int add_inlined(struct selection *sel, char **texts, size_t cnt, bool best_effort)
{
	int status;
	size_t i;

	if (!fentry_index__has_inlined(sel->idx))
		return failure(
			"it isn't known which calls are inlined: 'man fentry' says which files are needed");
	status = check_unknown(sel, best_effort)			 ?:
			 add_calls_of(sel, sel->targets, sel->cnt, NULL) ?:
			 add_calls_of(sel, sel->inlined, sel->inlined_cnt, NULL);
	for (i = 0; !status && i < cnt; i++)
		if (place_of(texts[i]))
			status = add_sites(sel, texts[i]);
	if (status)
		return status;
	sort_sites(sel);
	complain_inexact(sel);
	return 0;
}

/*
 * One link has the probes of any number of functions, and fentry ends sooner by it from two
 * functions on: each trampoline more takes 0.11 s. But it costs 96 instructions less for each call,
 * in the tasks that are traced, so a trampoline is worth its time from a million calls on. Up to
 * this number, fentry itself takes half a second longer at the most (docs/figures.md).
 */
#define TRAMPOLINES_MAX 4

static bool are_many(const struct selection *sel)
{
	return sel->cnt > TRAMPOLINES_MAX && !fentry_has_multi() &&
	       (sel->site_cnt ? fentry_has_probe_links() : fentry_has_entry_links());
}

/*
 * Move functions that aren't for trampolines from the targets to the sites. One allocation has the
 * functions' entries.
 */
static int move_entries(struct selection *sel, bool exit)
{
	const struct fentry_inlined_call **calls;
	struct fentry_inlined_call *entries;
	bool many = are_many(sel);
	size_t i, n = 0;

	calls = calloc(sel->cnt + 1, sizeof(*calls) + sizeof(*entries));
	if (!calls || !keep(sel, calls))
		return no_memory();
	entries = (struct fentry_inlined_call *)(calls + sel->cnt + 1);
	for (i = 0; i < sel->cnt; i++) {
		if (!(many && sel->targets[i]->addr) &&
		    !fentry_target__why_probe(sel->targets[i], exit)) {
			sel->targets[n++] = sel->targets[i];
			continue;
		}
		fentry_target__entry(sel->targets[i], entries);
		if (!add_site(sel, entries++))
			return no_memory();
	}
	sel->cnt = n;
	return 0;
}

/* Find the arguments of all probes. */
static int place_sites(struct selection *sel, bool exit)
{
	int status = move_entries(sel, exit);
	size_t i;

	if (status)
		return status;
	sort_sites(sel);
	for (i = 0; i < sel->site_cnt; i++)
		find_places(&sel->sites[i]);
	return append_targets(sel);
}

/* "N", or "N of M direct" if it is known how many there are. */
static void inlined_text(const struct selection *sel, size_t inlined, char *buf, size_t size)
{
	size_t i, direct, all = inlined;
	bool known = true;

	for (i = 0; i < sel->cnt; i++) {
		known &= fentry_target__direct_cnt(sel->targets[i], &direct);
		all += direct;
	}
	if (known)
		snprintf(buf, size, "%zu of %zu direct", inlined, all);
	else
		snprintf(buf, size, "%zu", inlined);
}

/*
 * How many calls of a function of the source are inlined? @i: its first symbol. All symbols have
 * the calls in units without code of the function, and each has those in its own unit.
 */
static size_t inlined_of_source(const struct selection *sel, size_t i)
{
	const struct fentry_inlined_call **calls, **all = NULL;
	size_t j, cnt, all_cnt = 0;

	if (i + 1 == sel->cnt || !fentry_target__same_source(sel->targets[i], sel->targets[i + 1]))
		return fentry_target__inlined_cnt(sel->targets[i]);
	for (j = i; j < sel->cnt; j++) {
		if (!fentry_target__same_source(sel->targets[i], sel->targets[j]) ||
		    fentry_target__inlined_calls(sel->targets[j], &calls, &cnt, NULL))
			continue;
		ARRAY_APPEND(all, all_cnt, calls, cnt);
	}
	all_cnt = array_settle(all, all_cnt, sizeof(*all), cmp_site);
	free(all);
	return all_cnt;
}

static void complain_known_calls(const struct selection *sel, size_t sources)
{
	size_t i, n, calls = 0, functions = 0;
	char spec[LABEL_MAX], text[64];

	for (i = 0; i < sel->cnt; i++) {
		n = fentry_targets__is_repeated(sel->targets, i) ? 0 : inlined_of_source(sel, i);
		calls += n;
		functions += n > 0;
	}
	if (!calls)
		return;
	inlined_text(sel, calls, text, sizeof(text));
	if (sources > 1) {
		complain(
			"%s calls of %zu of these functions are inlined, and not seen without trace --inlined: 'fentry list' has a column for it",
			text, functions);
		return;
	}
	fentry_target__function_spec(sel->targets[0], spec, sizeof(spec));
	complain(
		"%s call%s of %s %s inlined, and not seen without trace --inlined: 'fentry explain %s' says where",
		text, !strcmp(text, "1") ? "" : "s", spec, calls == 1 ? "is" : "are", spec);
}

/* The compiler split parts off functions. Calls may go to a part, with the rest inlined. */
struct pieces {
	const struct fentry_target *first;
	size_t cnt, functions, direct;
	bool unknown; /* how many calls go there */
};

static bool is_selected(const struct selection *sel, const struct fentry_target *target)
{
	size_t i;

	for (i = 0; i < sel->cnt; i++)
		if (sel->targets[i] == target)
			return true;
	return false;
}

static void add_pieces(const struct selection *sel, const struct fentry_target *target,
		       struct pieces *p)
{
	const struct fentry_target **found;
	size_t i, direct, cnt, before = p->cnt;

	if (fentry_symbol__is_piece(target->name) || fentry_target__pieces(target, &found, &cnt))
		return;
	for (i = 0; i < cnt; i++) {
		if (is_selected(sel, found[i]))
			continue;
		p->first = p->first ?: found[i];
		p->cnt++;
		p->unknown |= !fentry_target__direct_cnt(found[i], &direct);
		p->direct += direct;
	}
	p->functions += p->cnt > before;
	free(found);
}

static void complain_pieces(const struct selection *sel, size_t sources)
{
	struct pieces p = {};
	char label[LABEL_MAX], calls[32] = "";
	size_t i;

	for (i = 0; i < sel->cnt; i++)
		if (!fentry_targets__is_repeated(sel->targets, i))
			add_pieces(sel, sel->targets[i], &p);
	if (!p.cnt || (!p.unknown && !p.direct))
		return;
	fentry_target__label(p.first, label);
	if (!p.unknown)
		snprintf(calls, sizeof(calls), "%zu direct ", p.direct);
	if (sources > 1)
		complain(
			"%zu of these functions have parts, such as %s: %scalls that go there are not seen",
			p.functions, label, calls);
	else if (p.cnt > 1)
		complain("%scalls that go to %s and %zu other parts of it are not seen", calls,
			 label, p.cnt - 1);
	else
		complain("%s%s to %s, which is a part of it, and %s not seen", calls,
			 p.unknown     ? "calls can go" :
			 p.direct == 1 ? "call goes" :
					 "calls go",
			 label, p.direct == 1 && !p.unknown ? "is" : "are");
}

void selection__complain_inlined(const struct selection *sel)
{
	size_t i, sources = 0;

	for (i = 0; i < sel->cnt; i++)
		sources += !fentry_targets__is_repeated(sel->targets, i);
	complain_known_calls(sel, sources);
	complain_pieces(sel, sources);
	if (fentry_index__has_inlined(sel->idx))
		complain_unknown_calls(sel->targets, sel->cnt, "");
}

int selection__choose(struct selection *sel, char **texts, size_t cnt, const struct choice *choice)
{
	int status = 0;
	size_t i;

	for (i = 0; !status && i < cnt; i++) {
		if (!choice->cmd || !place_of(texts[i]))
			status = selection__parse(sel, texts[i]);
		else if (!choice->inlined)
			status = usage_error("%s: '%s' means inlined calls, and needs --inlined",
					     choice->cmd, texts[i]);
	}
	if (status)
		return status;
	if (choice->w)
		coming__prepare(sel, choice->w, !choice->inlined);
	modules__read(&sel->modules);
	status = selection__find(sel, (choice->inlined ? SELECT_INLINED : 0) |
					      (choice->best_effort ? SELECT_BEST_EFFORT : 0));
	if (!status && choice->inlined)
		status = add_inlined(sel, texts, cnt, choice->best_effort);
	if (status)
		return status;
	selection__complain_unseen(sel);
	if (!choice->inlined)
		selection__complain_inlined(sel);
	if (choice->condition && choice->implies_exit(choice->condition, sel))
		*choice->exit = true;
	if (choice->inlined && *choice->exit)
		return usage_error(
			"%s: --if '%s' needs calls that return, and an inlined one doesn't",
			choice->cmd, choice->condition);
	return place_sites(sel, *choice->exit);
}

/*
 * Is it sure that no instruction calls a function? A file counts only calls from objects that have
 * one, and the code can prove only that there is none.
 */
static bool is_never_called(const struct fentry_target *target, const struct verdicts *v)
{
	size_t direct;

	return (!fentry_target__direct_cnt(target, &direct) || !direct) &&
	       direct_calls__none(verdicts__ksyms(v), target->addr);
}

/* What else may have the calls of a function that nothing calls directly. */
static void complain_uncalled(const struct fentry_target *target)
{
	const struct fentry_target **found = NULL;
	char label[LABEL_MAX], piece[LABEL_MAX];
	size_t cnt = 0;

	fentry_target__label(target, label);
	if (!fentry_target__pieces(target, &found, &cnt) && cnt)
		fentry_target__label(found[0], piece);
	complain("nothing calls %s directly: its calls may be inlined, made by pointers%s%s", label,
		 cnt ? ", or go to " : "", cnt ? piece : "");
	free(found);
}

void selection__complain_uncalled(const struct selection *sel, const bool *called)
{
	struct verdicts *v = NULL;
	size_t i;

	/* reading the kernel's code takes time */
	for (i = 0; sel->cnt <= UNCALLED_MAX && i < sel->cnt; i++) {
		if (called[i] || selection__call(sel, i) ||
		    fentry_target__is_coming(sel->targets[i]))
			continue;
		if (!v && verdicts__load(sel->idx, true, &v))
			return;
		if (is_never_called(sel->targets[i], v))
			complain_uncalled(sel->targets[i]);
	}
	verdicts__free(v);
}

static size_t calls_in(const struct selection *sel, const char *module)
{
	size_t i, cnt = 0;

	for (i = 0; i < sel->site_cnt; i++)
		cnt += probe_site__call(&sel->sites[i]) &&
		       !strcmp(sel->sites[i].call->module ?: "", module);
	return cnt;
}

/* May a module have such calls? Only a header's function may be inlined in another module. */
static bool may_be_in(const struct selection *sel, const char *module)
{
	const char *file;
	size_t i, len;

	for (i = 0; i < sel->site_cnt; i++) {
		if (!probe_site__call(&sel->sites[i]))
			continue;
		file = sel->sites[i].call->func->file;
		len = file ? strlen(file) : 0;
		if ((len > 2 && !strcmp(file + len - 2, ".h")) ||
		    !strcmp(sel->sites[i].call->module ?: "", module))
			return true;
	}
	return false;
}

/* Complain of functions in a new module that the specifications mean, too. */
static void complain_new_functions(const struct fentry_index *idx, const struct selection *sel,
				   char *module)
{
	const struct fentry_target **found;
	struct fentry_spec spec;
	char label[LABEL_MAX];
	size_t i, cnt;

	for (i = 0; i < sel->spec_cnt; i++) {
		spec = sel->specs[i];
		if (!spec.module && !spec.id)
			spec.module = module;
		if (!spec.module || strcmp(spec.module, module) ||
		    fentry_index__find(idx, &spec, &found, &cnt, NULL))
			continue;
		fentry_target__label(found[0], label);
		complain("%s was loaded meanwhile: %s%s not traced", module, label,
			 cnt > 1 ? " and others in it are" : " in it is");
		free(found);
	}
}

void selection__complain_changes(const struct selection *sel)
{
	const struct modules *before = &sel->modules;
	struct fentry_index *idx = NULL;
	struct modules now;
	size_t i, cnt;

	modules__read(&now);
	/* if a list couldn't be read, nothing is known */
	for (i = 0; now.cnt && i < before->cnt; i++) {
		cnt = calls_in(sel, before->modules[i].name);
		if (cnt && !modules__has(&now, &before->modules[i]))
			complain("%s was unloaded: %zu inlined call%s in it %s not seen since",
				 before->modules[i].name, cnt, cnt == 1 ? "" : "s",
				 cnt == 1 ? "was" : "were");
	}
	for (i = 0; before->cnt && i < now.cnt; i++) {
		if (modules__has(before, &now.modules[i]) || coming__has(now.modules[i].name))
			continue;
		if (may_be_in(sel, now.modules[i].name))
			complain(
				"%s was loaded meanwhile: calls that are inlined in it are not seen",
				now.modules[i].name);
		if (idx || !open_index(&idx))
			complain_new_functions(idx, sel, now.modules[i].name);
	}
	fentry_index__free(idx);
	modules__free(&now);
}
