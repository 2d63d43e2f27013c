// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>

#include "array.h"
#include "attach/sites.h"
#include "commands/stacks.h"
#include "kernel/ksyms.h"
#include "output/messages.h"
#include "output/text.h"

/* The function's own frame: where its trampoline was called, near its start. */
#define ENTRY_MAX      16
#define TRACING_FRAMES 2

struct stacks {
	const struct selection *sel;
	struct ksyms *ksyms;
	const struct fentry_target **shared; /* that share their names, by address */
	size_t shared_cnt;
};

static int cmp_addr(const void *a, const void *b)
{
	const struct fentry_target *x = *(const struct fentry_target *const *)a;
	const struct fentry_target *y = *(const struct fentry_target *const *)b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* The index is sorted by name. */
static bool find_shared(struct stacks *s)
{
	const struct fentry_target *t, *last = NULL;
	size_t i, cnt = fentry_index__cnt(s->sel->idx);
	bool shared = false, same;

	for (i = 0; i <= cnt; i++, last = t, shared = same) {
		t = i < cnt ? fentry_index__target(s->sel->idx, i) : NULL;
		same = t && last && !strcmp(t->name, last->name);
		if (!(shared || same) || !last->unit || !last->addr)
			continue;
		if (!ARRAY_GROW(s->shared, s->shared_cnt))
			return false;
		s->shared[s->shared_cnt++] = last;
	}
	if (s->shared_cnt)
		qsort(s->shared, s->shared_cnt, sizeof(*s->shared), cmp_addr);
	return true;
}

int stacks__load(const struct selection *sel, struct stacks **ret)
{
	struct stacks *s = calloc(1, sizeof(*s));
	int status;

	if (!s)
		return no_memory();
	s->sel = sel;
	status = ksyms__load(&s->ksyms);
	if (!status && !find_shared(s))
		status = no_memory();
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
	free(s->shared);
	free(s);
}

/*
 * The program's frame and the trampoline's come before the function's. The function has no frame if
 * the trampoline was jumped to (Linux 7.3, at exit): then its start is shown.
 */
int stack__clean(const struct stacks *s, size_t target, const unsigned long long *stack, int cnt,
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
	const struct fentry_target key = { .addr = sym->addr }, *wanted = &key;
	size_t i = lower_bound(&wanted, s->shared, s->shared_cnt, sizeof(*s->shared), cmp_addr);

	return i < s->shared_cnt && s->shared[i]->addr == sym->addr ? s->shared[i]->unit : NULL;
}

void stack__frame(const struct stacks *s, unsigned long long addr, enum frame_form form, char *buf,
		  size_t size)
{
	unsigned long long sym_size;
	const struct ksym *sym = ksyms__at(s->ksyms, addr, &sym_size);
	const char *unit = sym ? unit_of(s, sym) : NULL;
	char offset[64] = "";

	if (!sym || s->ksyms->hidden) {
		snprintf(buf, size, "%#llx", addr);
		return;
	}
	if (form == FRAME_OFFSET)
		snprintf(offset, sizeof(offset), "+0x%llx", addr - sym->addr);
	else if (form == FRAME_SIZES)
		snprintf(offset, sizeof(offset), "+0x%llx/0x%llx", addr - sym->addr, sym_size);
	snprintf(buf, size, "%s%s%s%s%s%s%s", sym->name, unit ? "@" : "", unit ?: "", offset,
		 sym->module ? " [" : "", sym->module ?: "", sym->module ? "]" : "");
}

char *stack__text(const struct stacks *s, size_t target,
		  const unsigned long long stack[TRACE_STACK_MAX], bool folded)
{
	unsigned long long frames[TRACE_STACK_MAX + 1];
	/* an inlined call is in the first function of its stack */
	int i, first = !selection__call(s->sel, target), cnt = 0;
	struct text text = {};
	char frame[LABEL_MAX];

	while (cnt < TRACE_STACK_MAX && stack[cnt])
		cnt++;
	cnt = stack__clean(s, target, stack, cnt, frames);
	for (i = first; i < cnt; i++) {
		stack__frame(s, frames[folded ? cnt - 1 - (i - first) : i],
			     folded ? FRAME_NAME : FRAME_OFFSET, frame, sizeof(frame));
		if (i > first)
			text__string(&text, folded ? ";" : " < ");
		text__string(&text, frame);
	}
	text__char(&text, '\0');
	return text.data;
}
