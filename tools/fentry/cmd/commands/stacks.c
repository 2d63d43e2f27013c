// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "attach/sites.h"
#include "commands/stacks.h"
#include "index.h"
#include "kernel/ksyms.h"
#include "output/messages.h"
#include "output/text.h"

/* The function's own frame: where its trampoline was called, near its start. */
#define ENTRY_MAX      16
#define TRACING_FRAMES 2

#define INLINED_MAX 16 /* inlined functions that are shown of a frame */

struct stacks {
	const struct selection *sel;
	struct ksyms *ksyms;
};

int stacks__load(const struct selection *sel, struct stacks **ret)
{
	struct stacks *s = calloc(1, sizeof(*s));
	int status;

	if (!s)
		return no_memory();
	s->sel = sel;
	status = ksyms__load(&s->ksyms);
	if (status)
		stacks__free(s);
	else
		*ret = s;
	return status;
}

void stacks__free(struct stacks *s)
{
	if (!s)
		return;
	ksyms__free(s->ksyms);
	free(s);
}

/*
 * The program's frame and the trampoline's come before the function's. The function has no frame if
 * the trampoline was jumped to (Linux 7.3, at exit): then its start is shown.
 */
static int clean(const struct stacks *s, size_t target, const unsigned long long *stack, int cnt,
		 unsigned long long frames[TRACE_STACK_MAX + 1])
{
	/* a probe has no trampoline; an inlined call has no frame */
	unsigned long long addr =
		selection__site(s->sel, target) ? 0 : s->sel->targets[target]->addr;
	int i, n = 0;

	for (i = 0; addr && i < cnt; i++)
		if (stack[i] >= addr && stack[i] < addr + ENTRY_MAX)
			break;
	if (addr && i >= cnt) {
		frames[n++] = addr;
		i = TRACING_FRAMES;
	} else if (!addr) {
		i = 0;
	}
	for (; i < cnt; i++)
		frames[n++] = stack[i];
	return n;
}

/* The unit of a function whose name others have, or NULL. */
static const char *unit_of(const struct stacks *s, const struct ksym *sym)
{
	size_t i = fentry_index__lower_bound(s->sel->idx, sym->name), cnt = 0;
	const struct fentry_target *t;
	const char *unit = NULL;

	for (; (t = fentry_index__target(s->sel->idx, i)) && !strcmp(t->name, sym->name); i++) {
		unit = t->addr == sym->addr ? t->unit : unit;
		cnt++;
	}
	return cnt > 1 ? unit : NULL;
}

static char *symbol_text(const struct stacks *s, unsigned long long addr, enum frame_form form)
{
	unsigned long long sym_size;
	const struct ksym *sym = ksyms__at(s->ksyms, addr, &sym_size);
	const char *unit = sym ? unit_of(s, sym) : NULL;
	char offset[64] = "", buf[LABEL_MAX];

	if (!sym || s->ksyms->hidden) {
		snprintf(buf, sizeof(buf), "%#llx", addr);
		return strdup(buf);
	}
	if (form == FRAME_OFFSET)
		snprintf(offset, sizeof(offset), "+0x%llx", addr - sym->addr);
	else if (form == FRAME_SIZES)
		snprintf(offset, sizeof(offset), "+0x%llx/0x%llx", addr - sym->addr, sym_size);
	snprintf(buf, sizeof(buf), "%s%s%s%s%s%s%s", sym->name, unit ? "@" : "", unit ?: "", offset,
		 sym->module ? " [" : "", sym->module ?: "", sym->module ? "]" : "");
	return strdup(buf);
}

/* Flame graphs give what ends in _[i] a colour of its own. */
static char *inlined_text(const struct fentry_inlined_frame *frame, enum frame_form form)
{
	const char *name = frame->name ?: "a function";
	char buf[LABEL_MAX];

	if (form == FRAME_NAME)
		snprintf(buf, sizeof(buf), "%s_[i]", name);
	else if (frame->file)
		snprintf(buf, sizeof(buf), "%s (inlined at %s:%u)", name, frame->file, frame->line);
	else
		snprintf(buf, sizeof(buf), "%s (inlined)", name);
	return strdup(buf);
}

static char *more_text(int cnt)
{
	char buf[64];

	snprintf(buf, sizeof(buf), "(%d more inlined)", cnt);
	return strdup(buf);
}

static bool add_text(struct frames *to, char *text)
{
	if (!text || !ARRAY_GROW(to->text, to->cnt))
		return free(text), false;
	to->text[to->cnt++] = text;
	return true;
}

/*
 * Add the functions that are inlined around a frame. The start of a traced function is in none. Of
 * a traced call that is inlined, only what is around it is shown: others may begin where it does.
 */
static bool add_inlined(const struct stacks *s, const struct fentry_inlined_call *call, bool first,
			unsigned long long addr, enum frame_form form, struct frames *to)
{
	struct fentry_inlined_frame inlined[INLINED_MAX];
	int i, from = 0, cnt = 0, more;

	if (!first || call)
		cnt = fentry_index__inlined_at(s->sel->idx, addr - !first, inlined, INLINED_MAX,
					       NULL);
	more = cnt > INLINED_MAX ? cnt - INLINED_MAX : 0;
	cnt -= more;
	for (i = 0; first && i < cnt; i++)
		if (inlined[i].name && !strcmp(inlined[i].name, call->func->name))
			from = i + 1;
	for (i = from; i < cnt; i++)
		if (!add_text(to, inlined_text(&inlined[i], form)))
			return false;
	return !more || add_text(to, more_text(more)); /* the outermost ones */
}

void stack__frames(const struct stacks *s, size_t target, const unsigned long long *stack, int cnt,
		   enum frame_form form, struct frames *ret)
{
	const struct fentry_inlined_call *call = selection__call(s->sel, target);
	unsigned long long frames[TRACE_STACK_MAX + 1];
	int i;

	*ret = (struct frames){};
	cnt = clean(s, target, stack, cnt, frames);
	for (i = 0; i < cnt; i++)
		if (!add_inlined(s, call, !i, frames[i], form, ret) ||
		    !add_text(ret, symbol_text(s, frames[i], form)))
			return;
}

void frames__free(struct frames *frames)
{
	while (frames->cnt)
		free(frames->text[--frames->cnt]);
	free(frames->text);
}

char *stack__text(const struct stacks *s, size_t target,
		  const unsigned long long stack[TRACE_STACK_MAX], bool folded)
{
	/* an inlined call is in the first function of its stack */
	size_t i, first = !selection__call(s->sel, target);
	struct frames frames;
	struct text text = {};
	int cnt = 0;

	while (cnt < TRACE_STACK_MAX && stack[cnt])
		cnt++;
	stack__frames(s, target, stack, cnt, folded ? FRAME_NAME : FRAME_OFFSET, &frames);
	for (i = first; i < frames.cnt; i++) {
		if (i > first)
			text__string(&text, folded ? ";" : " < ");
		text__string(&text, frames.text[folded ? frames.cnt - 1 - (i - first) : i]);
	}
	frames__free(&frames);
	text__char(&text, '\0');
	return text.data;
}
