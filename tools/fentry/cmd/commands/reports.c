// SPDX-License-Identifier: GPL-2.0-only
/* What fentry trace reads of each function's calls, as its options say. */
#include <stdlib.h>
#include <string.h>

#include "commands/reports.h"

#define MESSAGE_MAX 1024

enum trace_by reports__by(const char *text)
{
	static const char *const words[] = {
		[TRACE_BY_COMM] = "comm", [TRACE_BY_PID] = "pid", [TRACE_BY_TID] = "tid",
		[TRACE_BY_UID] = "uid",	  [TRACE_BY_CPU] = "cpu",
	};
	size_t i;

	if (!text)
		return TRACE_BY_NOTHING;
	for (i = 1; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i], text))
			return i;
	return TRACE_BY_VALUE;
}

/* Return whether the expressions fit; else @message says why not. */
static bool make(const struct expr_scope *scope, const struct reports_opts *opts,
		 struct call_plan *ret, char *message)
{
	const char *option = "--if", *text = opts->filter;
	struct expr_error error;
	bool ok = !text || call_plan__filter(ret, scope, text, &error);

	if (ok && reports__by(opts->by) == TRACE_BY_VALUE) {
		option = "--by";
		text = opts->by;
		ok = call_plan__key(ret, scope, text, &error);
	}
	if (ok && opts->count)
		return true;
	if (ok)
		call_plan__return(ret, scope, opts->brief);
	if (ok && opts->print) {
		option = "--print";
		text = opts->print;
		ok = call_plan__print(ret, scope, text, opts->brief, &error);
	} else if (ok && call_plan__args(ret, scope, opts->brief)) {
		snprintf(message, MESSAGE_MAX, "out of memory");
		return false;
	}
	if (!ok)
		expr__explain(option, text, &error, message, MESSAGE_MAX);
	return ok;
}

int reports__make(struct selection *sel, const struct reports_opts *opts, struct call_plan **ret)
{
	struct call_plan *plans = calloc(sel->cnt, sizeof(*plans));
	char first[MESSAGE_MAX] = "", message[MESSAGE_MAX];
	size_t i, n = 0;

	if (!plans) {
		complain("out of memory");
		return EXIT_FAILED;
	}
	for (i = 0; i < sel->cnt; i++) {
		const struct fentry_target *t = sel->targets[i];
		const struct expr_scope scope = { t->btf, t->type_id, opts->exit };

		if (make(&scope, opts, &plans[n], message)) {
			if (sel->site_of)
				sel->site_of[n] = sel->site_of[i];
			sel->targets[n++] = t;
			continue;
		}
		if (!first[0])
			strcpy(first, message);
		call_plan__fini(&plans[n]);
		plans[n] = (struct call_plan){};
	}
	if (!n) {
		reports__free(plans, 0);
		return usage_error("trace: %s", first);
	}
	if (n < sel->cnt)
		complain("left out %zu of %zu functions that an expression doesn't fit: %s",
			 sel->cnt - n, sel->cnt, first);
	sel->cnt = n;
	*ret = plans;
	return 0;
}

void reports__free(struct call_plan *plans, size_t cnt)
{
	size_t i;

	for (i = 0; plans && i < cnt; i++)
		call_plan__fini(&plans[i]);
	free(plans);
}
