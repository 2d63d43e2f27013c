// SPDX-License-Identifier: GPL-2.0-only
/*
 * Why a function can't be traced: what the kernel's symbols, ftrace and BTF say
 * of it, and what a BPF trampoline can pass on.
 *
 * tracefs has a line for each place that ftrace can patch: "ffffffff81000000 name [module]" in
 * available_filter_functions_addrs (Linux 6.5), "name [module]" in available_filter_functions.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/access.h"
#include "kernel/verdict.h"
#include "array.h"
#include "ftrace.h"
#include "index.h"
#include "kallsyms.h"
#include "output/messages.h"

#define NAMES	       "available_filter_functions"
#define LEFT_OUT_NAMES 4 /* names in a line */

struct verdicts {
	const struct fentry_index *idx;
	struct ksyms *ksyms;
	struct fentry_ftrace sites; /* that ftrace can patch */
	bool tried_sites, has_sites;
	bool off;		     /* ftrace is */
	const struct ksym **by_name; /* all symbols, sorted by name, then by module */
};

/* A key without a module comes before all symbols of its name. */
static int cmp_sym(const void *a, const void *b)
{
	const struct ksym *x = *(const struct ksym **)a;
	const struct ksym *y = *(const struct ksym **)b;

	return strcmp(x->name, y->name) ?: strcmp(x->module ?: "", y->module ?: "");
}

static bool sort_names(struct verdicts *v)
{
	size_t i;

	v->by_name = calloc(v->ksyms->cnt + 1, sizeof(*v->by_name));
	if (!v->by_name)
		return false;
	for (i = 0; i < v->ksyms->cnt; i++)
		v->by_name[i] = &v->ksyms->syms[i];
	qsort(v->by_name, v->ksyms->cnt, sizeof(*v->by_name), cmp_sym);
	return true;
}

/* Position in by_name of the first symbol that isn't before this one. */
static size_t find_name(struct verdicts *v, const char *name, const char *module)
{
	const struct ksym wanted = { .name = (char *)name, .module = (char *)module };
	const struct ksym *key = &wanted;

	if (!v->by_name && !sort_names(v))
		return v->ksyms->cnt;
	return lower_bound(&key, v->by_name, v->ksyms->cnt, sizeof(*v->by_name), cmp_sym);
}

static const struct ksym *symbol_of_name(struct verdicts *v, const char *name)
{
	size_t i = find_name(v, name, NULL);

	return i < v->ksyms->cnt && !strcmp(v->by_name[i]->name, name) ? v->by_name[i] : NULL;
}

/* Add the start of each symbol that a line "name [module]" may mean. */
static int add_named(void *ctx, char *line, char *end)
{
	char *name = strtok(line, " \t"), *module = strtok(NULL, " \t[]");
	const struct ksym wanted = { .name = name, .module = module };
	const struct ksym *key = &wanted;
	struct verdicts *v = ctx;
	size_t i;

	(void)end;
	for (i = name ? find_name(v, name, module) : v->ksyms->cnt;
	     i < v->ksyms->cnt && !cmp_sym(&v->by_name[i], &key); i++)
		if (!fentry_ftrace__add(&v->sites, v->by_name[i]->addr))
			return -ENOMEM;
	return 0;
}

/*
 * Before Linux 6.5, ftrace says names only: then every function of such a name is taken to have a
 * place, at its start. Return whether the places are known.
 */
static bool read_sites(struct verdicts *v, bool quiet)
{
	int fd = open_tracefs(FENTRY_FTRACE_SITES, O_RDONLY, NULL);
	bool named = fd < 0, ok;

	if (named)
		fd = open_tracefs(NAMES, O_RDONLY, quiet ? NULL : "tell what ftrace can trace");
	if (fd < 0)
		return false;
	ok = named ? !fentry_lines__read(fd, NAMES, add_named, v, NULL) :
		     fentry_ftrace__read(fd, &v->sites);
	close(fd);
	if (named)
		fentry_ftrace__sort(&v->sites);
	if (!ok && !quiet)
		complain("can't read tracefs' %s", named ? NAMES : FENTRY_FTRACE_SITES);
	return ok;
}

/* ftrace's list is long, and often not needed. */
static void load_sites(struct verdicts *v, bool quiet)
{
	v->tried_sites = true;
	if (v->ksyms->hidden && !quiet)
		complain(
			"addresses are hidden from this user (kernel.kptr_restrict, CAP_SYSLOG): can't tell what ftrace can trace");
	v->has_sites = !v->ksyms->hidden && read_sites(v, quiet);
}

int verdicts__load(const struct fentry_index *idx, bool partly, struct verdicts **ret)
{
	struct verdicts *v = calloc(1, sizeof(*v));
	int status;

	if (!v)
		return no_memory();
	v->idx = idx;
	v->off = ftrace_is_off();
	status = ksyms__load(&v->ksyms);
	if (!status && !partly)
		load_sites(v, false);
	if (status)
		verdicts__free(v);
	else
		*ret = v;
	return status;
}

void verdicts__free(struct verdicts *v)
{
	if (!v)
		return;
	ksyms__free(v->ksyms);
	fentry_ftrace__free(&v->sites);
	free(v->by_name);
	free(v);
}

bool verdicts__has_sites(const struct verdicts *v)
{
	return v->has_sites;
}

const struct ksyms *verdicts__ksyms(const struct verdicts *v)
{
	return v->ksyms;
}

/* Is there a site between the start of the function and the next one? */
static bool has_site(const struct verdicts *v, const struct ksym *sym)
{
	const struct ksym *end = v->ksyms->syms + v->ksyms->cnt, *next = sym;
	unsigned long long limit = sym->addr + FENTRY_SITE_OFFSET_MAX;

	while (next < end && next->addr == sym->addr)
		next++;
	if (next < end && next->addr < limit)
		limit = next->addr;
	return fentry_ftrace__has(&v->sites, sym->addr, limit);
}

/*
 * First choice is BTF's function of this name at this address. Next is a function of another name
 * there, if BTF has addresses: without them, any of several functions may be meant. Last is a
 * function without a known address: the only one of this name, or one of several that can't be told
 * apart.
 */
const struct fentry_target *verdicts__target(const struct verdicts *v, const struct ksym *sym)
{
	struct fentry_spec spec = {
		.name = sym->name,
		.module = sym->module ?: (char *)"vmlinux",
	};
	const struct fentry_target *there, **found, *only = NULL;
	size_t cnt;

	there = fentry_index__begins_at(v->idx, sym->addr, sym->name);
	if (!there && fentry_index__is_exact(v->idx))
		there = fentry_index__begins_at(v->idx, sym->addr, NULL);
	if (there)
		return there;
	if (fentry_index__find(v->idx, &spec, &found, &cnt, NULL))
		return NULL;
	if ((cnt == 1 || found[0]->same_name > 1 || v->ksyms->hidden) && !found[0]->addr &&
	    !strcmp(found[0]->name, sym->name))
		only = found[0];
	free(found);
	return only;
}

const char *verdict_ambiguous(const struct fentry_target *target)
{
	return fentry_index__is_verified(target->idx, target->module) ?
		       "its name has several functions, and neither this kernel nor its functions file tells them apart" :
		       "its name has several functions, and this kernel can't tell them apart without a functions file";
}

/* Judge a function by BTF alone. */
static const char *judge_target(const struct fentry_target *target)
{
	return target->same_name > 1 ? verdict_ambiguous(target) : NULL;
}

/*
 * Was this module built without btfaddr, for a kernel that has addresses? The BTF of such a module
 * lacks functions whose name and prototype vmlinux has, too.
 */
static bool lacks_addresses(const struct verdicts *v, const char *module)
{
	const struct fentry_object *obj = fentry_index__object(v->idx, module);

	return module && fentry_index__is_exact(v->idx) && !(obj && obj->has_ids);
}

const char *verdicts__of_symbol(struct verdicts *v, const struct ksym *sym,
				const struct fentry_target *target)
{
	bool site;

	if (ksyms__is_init(v->ksyms, sym))
		return "init text: freed after boot";
	if (!v->tried_sites)
		load_sites(v, true);
	if (!v->has_sites)
		return target ? judge_target(target) : "BTF doesn't describe it";
	site = has_site(v, sym);
	if (!site && sym->addr >= v->ksyms->noinstr_start && sym->addr < v->ksyms->noinstr_end)
		return "notrace: in .noinstr.text";
	if (!site && target)
		return "notrace: no ftrace site, by attribute or for its whole file";
	if (!site)
		return "no ftrace site, and BTF doesn't describe it";
	if (!target && lacks_addresses(v, sym->module))
		return "BTF doesn't describe it: its module has no BTF with addresses";
	/* whoever wrote this BTF may have left it out for its name alone */
	if (!target && !fentry_index__is_verified(v->idx, sym->module))
		return "BTF doesn't describe it, but a functions file may";
	if (!target)
		return "no verified signature, so BTF doesn't describe it";
	return judge_target(target) ?: v->off ? "kernel.ftrace_enabled is 0" : NULL;
}

const char *verdicts__of_target(struct verdicts *v, const struct fentry_target *target)
{
	unsigned long long size;
	const struct ksym *sym;

	if (target->same_name > 1)
		return judge_target(target);
	sym = target->addr ? ksyms__at(v->ksyms, target->addr, &size) :
			     symbol_of_name(v, target->name);
	return sym ? verdicts__of_symbol(v, sym, target) : verdicts__without_symbol(v, target);
}

const char *verdicts__no_probe(struct verdicts *v, unsigned long long addr)
{
	unsigned long long size;
	const struct ksym *sym = addr ? ksyms__at(v->ksyms, addr, &size) : NULL;
	const struct ksym *whole = sym;
	char name[512];

	if (sym && !v->tried_sites)
		load_sites(v, true);
	if (!sym || !v->has_sites || has_site(v, sym))
		return NULL;
	/* a part of a function has no site, but the function may have one */
	if (strchr(sym->name, '.')) {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(sym->name, "."), sym->name);
		whole = symbol_of_name(v, name);
	}
	return whole && has_site(v, whole) ? NULL : "is in a notrace function";
}

bool verdicts__is_ambiguous(struct verdicts *v, const char *name)
{
	size_t i, len = fentry_symbol__base_len(name), n = 0, same = 0;
	char base[512];

	snprintf(base, sizeof(base), "%.*s", (int)len, name);
	/* names that begin the same stand together */
	for (i = find_name(v, base, NULL); i < v->ksyms->cnt; i++) {
		const char *other = v->by_name[i]->name;

		if (strncmp(other, base, len))
			break;
		n += fentry_symbol__base_len(other) == len && !fentry_symbol__is_piece(other);
		same += !strcmp(other, name);
	}
	return n > 1 || same > 1;
}

const char *verdicts__without_symbol(struct verdicts *v, const struct fentry_target *target)
{
	if (target->addr || symbol_of_name(v, target->name))
		return NULL;
	return "the kernel has no such symbol";
}

struct left_out_group {
	char *head, *tail;	     /* the complaint before a label and behind it */
	char *names[LEFT_OUT_NAMES]; /* the first ones */
	size_t cnt;
};

static struct left_out_group *find_group(struct left_out *l, const char *head, const char *tail)
{
	struct left_out_group *g;
	size_t i;

	for (i = 0; i < l->cnt; i++)
		if (!strcmp(l->groups[i].head, head) && !strcmp(l->groups[i].tail, tail))
			return &l->groups[i];
	if (!ARRAY_GROW(l->groups, l->cnt))
		return NULL;
	g = &l->groups[l->cnt];
	*g = (struct left_out_group){ .head = strdup(head), .tail = strdup(tail) };
	if (g->head && g->tail) {
		l->cnt++;
		return g;
	}
	free(g->head);
	free(g->tail);
	return NULL;
}

void left_out__add(struct left_out *l, const char *label, const char *message)
{
	struct left_out_group *g = NULL;
	char *head, quoted[FENTRY_LABEL_MAX + 4];
	const char *at;

	snprintf(quoted, sizeof(quoted), " %s: ", label);
	at = strstr(message, quoted);
	head = strndup(message, at ? (size_t)(at + 1 - message) : 0);
	if (head)
		g = find_group(l, head, at ? at + 1 + strlen(label) : message);
	free(head);
	if (!g || (g->cnt < LEFT_OUT_NAMES && !(g->names[g->cnt] = strdup(label))))
		complain("%s", message); /* no memory to collect it */
	else
		g->cnt++;
}

static void add_verdict(struct left_out *l, const struct fentry_target *target, const char *why)
{
	char label[FENTRY_LABEL_MAX], message[2 * FENTRY_LABEL_MAX];

	fentry_target__label(target, label);
	snprintf(message, sizeof(message), "can't trace %s: %s", label, why);
	left_out__add(l, label, message);
}

bool left_out__add_untraceable(struct left_out *l, struct verdicts *v,
			       const struct fentry_target *target)
{
	const char *why = v ? verdicts__of_target(v, target) : NULL;

	if (why)
		add_verdict(l, target, why);
	return why;
}

/* A base name also means the parts of the function. */
static bool is_meant(const struct fentry_spec *spec, const struct fentry_target *named)
{
	size_t len = spec->glob ? 0 : fentry_symbol__base_len(named->name);

	return fentry_spec__match(spec, named) ||
	       (len && !spec->exact && !spec->module == !named->module &&
		!strncmp(spec->name, named->name, len) && !spec->name[len]);
}

void left_out__add_undescribed(struct left_out *l, struct verdicts *v,
			       const struct fentry_spec *spec, bool init)
{
	const struct ksyms *k = verdicts__ksyms(v);
	size_t i;

	for (i = 0; i < k->cnt; i++) {
		const struct ksym *sym = &k->syms[i];
		const struct fentry_target named = {
			.name = sym->name,
			.module = sym->module,
		};

		if (is_meant(spec, &named) && ksym__is_function(sym) &&
		    (init || !ksyms__is_init(k, sym)) && !verdicts__target(v, sym))
			add_verdict(l, &named, verdicts__of_symbol(v, sym, NULL));
	}
}

static void print_group(const struct left_out_group *g, bool inlined)
{
	const char *comma = inlined ? ";" : ",";
	size_t i;

	if (g->cnt == 1 || !*g->head) {
		complain("%s%s%s", g->head, *g->head ? g->names[0] : "", g->tail);
		return;
	}
	/* g->tail is ": reason" */
	fprintf(stderr, "fentry: %s%zu %s (%s):", inlined ? "can't attach to " : g->head, g->cnt,
		inlined ? "inlined calls" : "functions", g->tail + strspn(g->tail, ": "));
	for (i = 0; i < g->cnt && i < LEFT_OUT_NAMES; i++)
		fprintf(stderr, "%s %s", i ? comma : "", g->names[i]);
	fprintf(stderr, g->cnt > LEFT_OUT_NAMES ? "%s ...\n" : "\n", comma);
}

void left_out__complain(struct left_out *l)
{
	struct left_out_group *g;
	size_t i;

	for_each(g, l->groups, l->cnt) {
		print_group(g, l->inlined);
		for (i = 0; i < g->cnt && i < LEFT_OUT_NAMES; i++)
			free(g->names[i]);
		free(g->head);
		free(g->tail);
	}
	free(l->groups);
	*l = (struct left_out){};
}
