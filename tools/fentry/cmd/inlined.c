// SPDX-License-Identifier: GPL-2.0-only
/*
 * Inlined calls that are traced. The compiler left no function to attach to, only code somewhere
 * in its callers. Where that begins, the kernel sets a probe, and DWARF has told btfaddr what the
 * registers hold there.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inlined.h"
#include "json.h"
#include "ksyms.h"
#include "progress.h"
#include "site_spec.h"
#include "types.h"

#define KPROBE_TYPE "/sys/bus/event_source/devices/kprobe/type"

struct inlined_links {
	int *fds;			/* negative if there is none */
	size_t cnt, attached;
};

/* The number that a file of sysfs has; 0 if it can't be read. */
static unsigned long long read_number(const char *path)
{
	FILE *f = fopen(path, "re");
	char text[32] = "";

	if (f) {
		if (!fgets(text, sizeof(text), f))
			text[0] = '\0';
		fclose(f);
	}
	return strtoull(text, NULL, 0);
}

/* Where a section is in memory; 0 if this user can't know. */
static unsigned long long section_addr(const struct fentry_inlined_call *call)
{
	char path[4096];

	/* vmlinux has but one section that stays, and it begins there */
	if (!call->module)
		return strcmp(call->section, ".text") ? 0 : ksyms__addr("_text");
	snprintf(path, sizeof(path), "/sys/module/%s/sections/%s", call->module, call->section);
	return read_number(path);
}

struct fentry_inlined_call *inlined_calls(const struct fentry_index *idx,
					  const struct fentry_target *func, size_t *cnt)
{
	struct fentry_inlined_call *calls;

	*cnt = fentry_index__inlined_calls(idx, func, NULL, 0);
	calls = calloc(*cnt + 1, sizeof(*calls));
	if (calls)
		fentry_index__inlined_calls(idx, func, calls, *cnt);
	else
		complain("out of memory");
	return calls;
}

/* Calls of one function, behind those that there are. @only: NULL means all */
static int add_calls(struct selection *sel, const struct fentry_target *func,
		     const struct site_spec *only)
{
	struct fentry_inlined_call *calls;
	struct inlined_site *sites;
	size_t i, cnt;

	calls = inlined_calls(sel->idx, func, &cnt);
	if (!calls)
		return EXIT_FAILED;
	sites = reallocarray(sel->sites, sel->site_cnt + cnt + 1, sizeof(*sites));
	if (!sites) {
		free(calls);
		complain("out of memory");
		return EXIT_FAILED;
	}
	sel->sites = sites;
	for (i = 0; i < cnt; i++)
		if (!only || site_spec__match(only, &calls[i]))
			sites[sel->site_cnt++] = (struct inlined_site){ .call = calls[i] };
	free(calls);
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

/* The calls that one specification means. */
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
	if (err && err != -ENOENT) {
		complain("out of memory");
		status = EXIT_FAILED;
	}
	if (!status)
		status = add_calls_of(sel, funcs, cnt, &spec) ?:
			 add_calls_of(sel, inlined, inlined_cnt, &spec);
	if (!status && sel->site_cnt == before)
		status = complain_no_site(sel, text, &spec, cnt + inlined_cnt);
	free(funcs);
	free(inlined);
	site_spec__clear(&spec);
	return status;
}

static int cmp_site(const void *a, const void *b)
{
	const struct fentry_inlined_call *x = &((const struct inlined_site *)a)->call;
	const struct fentry_inlined_call *y = &((const struct inlined_site *)b)->call;
	int diff = strcmp(x->module ?: "", y->module ?: "") ?: strcmp(x->section, y->section);

	if (diff)
		return diff;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->func < y->func ? -1 : x->func > y->func;
}

/* A header's function may be inlined for several of the functions that were asked for. */
static void sort_sites(struct selection *sel)
{
	size_t i, n = 0;

	if (sel->site_cnt)
		qsort(sel->sites, sel->site_cnt, sizeof(*sel->sites), cmp_site);
	for (i = 0; i < sel->site_cnt; i++)
		if (!n || cmp_site(&sel->sites[n - 1], &sel->sites[i]))
			sel->sites[n++] = sel->sites[i];
	sel->site_cnt = n;
}

/* Of an argument, the 8 bytes from @at on. */
static struct trace_location part_of(const struct fentry_location *loc, unsigned int at)
{
	unsigned int left = loc->size - at;
	struct trace_location ret = {
		.reg = loc->reg, .offset = loc->offset, .size = left < 8 ? left : 8,
	};

	if (loc->place == FENTRY_MEMORY) {
		ret.place = TRACE_POINTED;
		ret.offset += at;
	} else if (loc->place == FENTRY_REGISTERS) {
		ret.place = TRACE_REGISTER;
		ret.reg = at ? loc->high : loc->reg;
	} else if (!at) {
		ret.place = loc->place == FENTRY_VALUE ? TRACE_VALUE :
			    loc->place == FENTRY_REGISTER ? TRACE_REGISTER : TRACE_UNKNOWN;
	}
	if (ret.reg >= TRACE_REGISTERS)
		ret.place = TRACE_UNKNOWN;
	return ret;
}

static void find_places(const struct selection *sel, struct inlined_site *site)
{
	const struct fentry_target *func = site->call.func;
	const struct btf_type *proto = types__proto(func->btf, func->type_id);
	const struct btf_param *params = btf_params(proto);
	unsigned int slot = 0, slots, part;
	struct fentry_location loc;
	int i;

	for (i = 0; i < btf_vlen(proto) && params[i].type; i++, slot += slots) {
		slots = types__slots(func->btf, params[i].type);
		fentry_inlined_call__location(sel->idx, &site->call, i, &loc);
		for (part = 0; part < slots && slot + part < TRACE_MAX_ARGS; part++)
			if (loc.size > 8 * part)
				site->places.args[slot + part] = part_of(&loc, 8 * part);
	}
}

/* Sections come one after the other. */
static int locate_sites(struct selection *sel)
{
	const struct fentry_inlined_call *last = NULL;
	unsigned long long addr = 0;
	size_t i;

	for (i = 0; i < sel->site_cnt; i++) {
		const struct fentry_inlined_call *call = &sel->sites[i].call;

		if (!last || last->module != call->module || strcmp(last->section, call->section))
			addr = section_addr(call);
		if (!addr) {
			complain("can't tell where section %s of %s is: run as root",
				 call->section, call->module ?: "vmlinux");
			return EXIT_FAILED;
		}
		sel->sites[i].addr = addr + call->offset;
		find_places(sel, &sel->sites[i]);
		last = call;
	}
	return 0;
}

static int append_targets(struct selection *sel)
{
	const struct fentry_target **targets;
	size_t i;

	targets = reallocarray(sel->targets, sel->cnt + sel->site_cnt + 1, sizeof(*targets));
	sel->site_of = calloc(sel->cnt + sel->site_cnt + 1, sizeof(*sel->site_of));
	if (targets)
		sel->targets = targets;
	if (!targets || !sel->site_of) {
		complain("out of memory");
		return EXIT_FAILED;
	}
	for (i = 0; i < sel->site_cnt; i++) {
		sel->site_of[sel->cnt] = &sel->sites[i];
		sel->targets[sel->cnt++] = sel->sites[i].call.func;
	}
	return 0;
}

int selection__add_inlined(struct selection *sel, char **specs, size_t cnt,
			   unsigned long long max)
{
	int status;
	size_t i;

	if (!fentry_index__has_inlined(sel->idx)) {
		complain("it isn't known which calls are inlined: 'man fentry' says what file that takes");
		return EXIT_FAILED;
	}
	status = add_calls_of(sel, sel->targets, sel->cnt, NULL) ?:
		 add_calls_of(sel, sel->inlined, sel->inlined_cnt, NULL);
	for (i = 0; !status && i < cnt; i++)
		status = add_sites(sel, specs[i]);
	if (status)
		return status;
	sort_sites(sel);
	if (sel->site_cnt > max)
		return usage_error("trace: %zu calls are inlined, and --max-sites is %llu",
				   sel->site_cnt, max);
	status = locate_sites(sel);
	return status ?: append_targets(sel);
}

void inlined_call__text(const struct fentry_inlined_call *call, char *buf, size_t size)
{
	const char *caller = call->caller ?: "a function that isn't known";

	if (call->file)
		snprintf(buf, size, "%s, %s:%u", caller, call->file, call->line);
	else
		snprintf(buf, size, "%s", caller);
}

void inlined_call__json(const struct fentry_inlined_call *call)
{
	fputs("\"caller\":", stdout);
	json_text(call->caller);
	fputs(",\"symbol\":", stdout);
	json_text(call->symbol);
	fputs(",\"file\":", stdout);
	json_text(call->file);
	printf(",\"line\":%u", call->line);
}

/* Return a link, which keeps its event, or a negative errno. */
static int attach_one(int type, int prog_fd, unsigned long long addr, __u64 cookie)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = cookie);
	struct perf_event_attr attr = {
		.type = type, .size = sizeof(attr), .kprobe_addr = addr,
	};
	int event, link;

	event = syscall(__NR_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (event < 0)
		return -errno;
	link = bpf_link_create(prog_fd, event, BPF_PERF_EVENT, &opts);
	close(event);
	return link;
}

/* Is it what arch/x86/kernel/kprobes/core.c or kernel/kprobes.c says of a place? */
static bool is_refusal(int err)
{
	return err == -EINVAL || err == -EILSEQ || err == -EADDRNOTAVAIL || err == -ENOSPC;
}

static void complain_refused(const struct inlined_site *site, int err)
{
	char label[LABEL_MAX], where[LABEL_MAX];

	fentry_target__label(site->call.func, label);
	inlined_call__text(&site->call, where, sizeof(where));
	complain("can't trace the inlined call of %s in %s, at %#llx: %s", label, where, site->addr,
		 is_refusal(err) ?
		 "the kernel allows no probe there (noinstr, entry text, a static call or the like)" :
		 strerror(-err));
}

static struct inlined_links *new_links(size_t cnt)
{
	struct inlined_links *links = calloc(1, sizeof(*links));

	if (links)
		links->fds = calloc(cnt + 1, sizeof(*links->fds));
	if (links && links->fds)
		return links;
	free(links);
	complain("out of memory");
	return NULL;
}

int inlined_links__attach(const struct selection *sel, size_t first, int prog_fd,
			  const struct inlined_opts *opts, struct waiter *w,
			  struct inlined_links **ret)
{
	struct progress progress = PROGRESS("attached to inlined calls");
	struct inlined_links *links = new_links(sel->cnt - first);
	int type = read_number(KPROBE_TYPE), fd, status = 0;
	size_t i;

	*ret = links;
	if (!links)
		return EXIT_FAILED;
	if (!type) {
		complain("can't trace inlined calls: this kernel has no probes (CONFIG_KPROBE_EVENTS)");
		return EXIT_FAILED;
	}
	for (i = first; !status && i < sel->cnt && !waiter__interrupted(w); i++) {
		progress__show(&progress, i - first, sel->cnt - first);
		fd = attach_one(type, prog_fd, sel->site_of[i]->addr, i);
		links->fds[links->cnt++] = fd;
		links->attached += fd >= 0;
		if (fd >= 0)
			continue;
		progress__end(&progress);
		complain_refused(sel->site_of[i], fd);
		status = opts->best_effort ? 0 : EXIT_FAILED;
	}
	progress__end(&progress);
	if (status)
		complain("nothing is traced, as calls would be missing: --best-effort leaves them out");
	return status;
}

bool inlined_links__has(const struct inlined_links *links, size_t i)
{
	return i < links->cnt && links->fds[i] >= 0;
}

size_t inlined_links__cnt(const struct inlined_links *links)
{
	return links ? links->attached : 0;
}

void inlined_links__free(struct inlined_links *links)
{
	struct progress progress = PROGRESS("detached");
	size_t i;

	if (!links)
		return;
	for (i = 0; i < links->cnt; i++) {
		progress__show(&progress, i, links->cnt);
		if (links->fds[i] >= 0)
			close(links->fds[i]);
	}
	progress__end(&progress);
	free(links->fds);
	free(links);
}
