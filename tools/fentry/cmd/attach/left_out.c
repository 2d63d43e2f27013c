// SPDX-License-Identifier: GPL-2.0-only
/* Functions that were meant and have no program, and why: a line for each reason. */
#include <stdlib.h>
#include <string.h>

#include "attach/left_out.h"
#include "attach/selection.h"
#include "kernel/verdict.h"
#include "output/array.h"

#define NAMES_MAX 4 /* of a group */

struct left_out_group {
	char *head, *tail;	/* the complaint before a label and behind it */
	char *names[NAMES_MAX]; /* the first ones */
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
	char *head, quoted[LABEL_MAX + 4];
	const char *at;

	snprintf(quoted, sizeof(quoted), " %s: ", label);
	at = strstr(message, quoted);
	head = strndup(message, at ? (size_t)(at + 1 - message) : 0);
	if (head)
		g = find_group(l, head, at ? at + 1 + strlen(label) : message);
	free(head);
	if (!g || (g->cnt < NAMES_MAX && !(g->names[g->cnt] = strdup(label))))
		complain("%s", message); /* no memory to collect it */
	else
		g->cnt++;
}

static void add_verdict(struct left_out *l, const struct fentry_target *target, const char *why)
{
	char label[LABEL_MAX], message[2 * LABEL_MAX];

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

		if (fentry_spec__match(spec, &named) && ksym__is_function(sym) &&
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
	/* ": reason" */
	fprintf(stderr, "fentry: %s%zu %s (%s):", inlined ? "can't attach to " : g->head, g->cnt,
		inlined ? "inlined calls" : "functions", g->tail + strspn(g->tail, ": "));
	for (i = 0; i < g->cnt && i < NAMES_MAX; i++)
		fprintf(stderr, "%s %s", i ? comma : "", g->names[i]);
	fprintf(stderr, g->cnt > NAMES_MAX ? "%s ...\n" : "\n", comma);
}

void left_out__complain(struct left_out *l)
{
	struct left_out_group *g;
	size_t i;

	for (g = l->groups; g < l->groups + l->cnt; g++) {
		print_group(g, l->inlined);
		for (i = 0; i < g->cnt && i < NAMES_MAX; i++)
			free(g->names[i]);
		free(g->head);
		free(g->tail);
	}
	free(l->groups);
	*l = (struct left_out){};
}
