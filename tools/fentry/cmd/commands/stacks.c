// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "commands/stacks.h"
#include "attach/sites.h"
#include "output/text.h"

/* The function's own frame: where its trampoline was called, near its start. */
#define ENTRY_MAX      16
#define TRACING_FRAMES 2

/*
 * The program's frame and the trampoline's come before the function's. The function has no frame if
 * the trampoline was jumped to (Linux 7.3, at exit): then its start is shown.
 */
int stack__clean(const struct selection *sel, size_t target, const unsigned long long *stack,
		 int cnt, unsigned long long frames[TRACE_STACK_MAX + 1])
{
	/* a probe has no trampoline; an inlined call has no frame */
	unsigned long long addr = selection__site(sel, target) ? 0 : sel->targets[target]->addr;
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

void stack__frame(const struct ksyms *ksyms, unsigned long long addr, bool sizes, char *buf,
		  size_t size)
{
	unsigned long long sym_size;
	const struct ksym *sym = ksyms__at(ksyms, addr, &sym_size);
	char of[32] = "";

	if (sizes)
		snprintf(of, sizeof(of), "/0x%llx", sym ? sym_size : 0);
	if (!sym || ksyms->hidden)
		snprintf(buf, size, "%#llx", addr);
	else
		snprintf(buf, size, "%s+0x%llx%s%s%s%s", sym->name, addr - sym->addr, of,
			 sym->module ? " [" : "", sym->module ?: "", sym->module ? "]" : "");
}

char *stack__text(const struct selection *sel, const struct ksyms *ksyms, size_t target,
		  const unsigned long long stack[TRACE_STACK_MAX])
{
	unsigned long long frames[TRACE_STACK_MAX + 1];
	/* an inlined call is in the first function of its stack */
	int i, first = !selection__call(sel, target), cnt = 0;
	struct text text = {};
	char frame[LABEL_MAX];

	while (cnt < TRACE_STACK_MAX && stack[cnt])
		cnt++;
	cnt = stack__clean(sel, target, stack, cnt, frames);
	for (i = first; i < cnt; i++) {
		stack__frame(ksyms, frames[i], false, frame, sizeof(frame));
		text__string(&text, i > first ? " < " : "");
		text__string(&text, frame);
	}
	text__char(&text, '\0');
	return text.data;
}
