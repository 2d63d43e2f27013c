/* SPDX-License-Identifier: GPL-2.0-only */
/* Why a function can't be traced, and complaining of those that are left out. */
#ifndef FENTRY_VERDICT_H
#define FENTRY_VERDICT_H

#include "kernel/ksyms.h"
#include "libfentry.h"

struct verdicts;

/* The reason for a function whose same_name is over 1. */
const char *verdict_ambiguous(const struct fentry_target *target);

/*
 * Read the kernel's symbols and what ftrace can trace, or complain.
 * @idx: BTF's functions
 * @partly: don't complain if addresses or tracefs are hidden from this user; read what ftrace can
 *	trace only when it is needed
 * @ret: what is known, to be released with verdicts__free()
 */
int verdicts__load(const struct fentry_index *idx, bool partly, struct verdicts **ret);

/* Release it. @v: may be NULL */
void verdicts__free(struct verdicts *v);

/* Is it known what ftrace can trace? @v: wasn't loaded partly */
bool verdicts__has_sites(const struct verdicts *v);

/* The kernel's symbols, which @v owns. */
const struct ksyms *verdicts__ksyms(const struct verdicts *v);

/* The function of the index that is one of verdicts__ksyms(), or NULL. */
const struct fentry_target *verdicts__target(const struct verdicts *v, const struct ksym *sym);

/*
 * Judge a function of the kernel.
 * @sym: the function, of verdicts__ksyms()
 * @target: its verdicts__target()
 *
 * Return: why no program can be attached to it, or NULL if nothing is known to prevent it.
 */
const char *verdicts__of_symbol(struct verdicts *v, const struct ksym *sym,
				const struct fentry_target *target);

/* Judge a function of BTF, as verdicts__of_symbol(). */
const char *verdicts__of_target(struct verdicts *v, const struct fentry_target *target);

/*
 * Is a probe refused because its function is notrace?
 * @addr: the address; 0: it isn't known
 *
 * Kernels without CONFIG_KPROBE_EVENTS_ON_NOTRACE refuse probes that are events there.
 *
 * Return: "is ...", or NULL if nothing is known to prevent a probe.
 */
const char *verdicts__no_probe(struct verdicts *v, unsigned long long addr);

/* Do several symbols have this name, or functions its base name? */
bool verdicts__is_ambiguous(struct verdicts *v, const char *name);

/* Why a function of BTF has no symbol; NULL if its name has one. */
const char *verdicts__without_symbol(struct verdicts *v, const struct fentry_target *target);

/* Functions that got no program, grouped by reason. */
struct left_out {
	struct left_out_group *groups; /* one for each reason */
	size_t cnt;
	bool inlined; /* they are inlined calls */
};

/*
 * Add a function. @l is zeroed at first.
 * @message: the complaint; functions whose complaints differ only in the label share a line
 */
void left_out__add(struct left_out *l, const char *label, const char *message);

/*
 * Add a function if it is known that it can't be traced.
 * @v: what is known; may be NULL
 *
 * Return: whether it is known.
 */
bool left_out__add_untraceable(struct left_out *l, struct verdicts *v,
			       const struct fentry_target *target);

/*
 * Add the functions that BTF doesn't describe.
 * @spec: what matches them, without a unit
 * @init: those in init text, too, which is freed
 */
void left_out__add_undescribed(struct left_out *l, struct verdicts *v,
			       const struct fentry_spec *spec, bool init);

/* Complain of each reason, and release @l. */
void left_out__complain(struct left_out *l);

#endif /* FENTRY_VERDICT_H */
