// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Printing functions as C declarations. libbpf prints each type once, with a mark where a name
 * goes. The declaration of a function is put together from these texts:
 *
 *	int (*MARK)(void)	struct file *MARK	bool MARK
 *	int (*name(struct file *filp, bool flag))(void)
 *
 * If libbpf printed every function as a whole, that would take four times as many instructions.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "growing.h"
#include "index.h"
#include "printable.h"
#include "util.h"

#define MARK "\1"

struct fentry_printer {
	const struct btf *btf;
	struct btf_dump *dump;
	struct text printed; /* what libbpf prints */
	char **types;	     /* by id, printed with MARK for a name; NULL: not yet */
	__u32 cnt;
	struct text func; /* the function that is put together */
};

static void put_formatted(struct text *out, const char *fmt, va_list args)
{
	char *text;
	int len = vasprintf(&text, fmt, args);

	if (len < 0) {
		out->failed = true;
		return;
	}
	text__bytes(out, text, len);
	free(text);
}

/*
 * libbpf prints a declaration in pieces, nearly all of them by "%s" and nothing else. For all
 * functions of a kernel, a stream in memory takes four times as long as this (50 instead of 13 ms).
 */
static void dump_printf(void *ctx, const char *fmt, va_list args)
{
	struct text *out = ctx;
	const char *at;

	for (at = strchr(fmt, '%'); at; at = strchr(at + 1, '%'))
		if (at[1] != 's') {
			put_formatted(out, fmt, args);
			return;
		}
	while ((at = strchr(fmt, '%'))) {
		text__bytes(out, fmt, at - fmt);
		text__string(out, va_arg(args, const char *));
		fmt = at + 2;
	}
	text__string(out, fmt);
}

/* Make one blank of each run of white space: an anonymous struct has several lines. */
static void squeeze(char *text)
{
	char *from, *to = text;

	for (from = text; *from; from++) {
		if (*from != ' ' && *from != '\t' && *from != '\n')
			*to++ = *from;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
	}
	*to = '\0';
}

void fentry_printer__free(struct fentry_printer *p)
{
	if (!p)
		return;
	while (p->types && p->cnt)
		free(p->types[--p->cnt]);
	free(p->types);
	btf_dump__free(p->dump);
	free(p->printed.data);
	free(p->func.data);
	free(p);
}

static int printer__new(const struct btf *btf, struct fentry_printer **ret)
{
	struct fentry_printer *p = calloc(1, sizeof(*p));
	int err = -ENOMEM;

	if (!p)
		return -ENOMEM;
	p->btf = btf;
	p->cnt = btf__type_cnt(btf);
	p->types = calloc(p->cnt, sizeof(*p->types));
	if (p->types) {
		p->dump = btf_dump__new(btf, dump_printf, &p->printed, NULL);
		err = libbpf_get_error(p->dump);
	}
	if (err) {
		p->dump = NULL;
		fentry_printer__free(p);
		return err;
	}
	*ret = p;
	return 0;
}

static int print_type(struct fentry_printer *p, __u32 id, char **ret)
{
	LIBBPF_OPTS(btf_dump_emit_type_decl_opts, opts, .field_name = MARK);
	int err;

	if (!fentry_btf__printable(p->btf, id))
		return -EINVAL;
	text__clear(&p->printed);
	err = btf_dump__emit_type_decl(p->dump, id, &opts);
	if (err)
		return err;
	*ret = p->printed.failed ? NULL : strndup(p->printed.data ?: "", p->printed.len);
	if (!*ret)
		return -ENOMEM;
	squeeze(*ret);
	return 0;
}

/* Get the text before the name and behind it, in a declaration with this type. */
static int get_type(struct fentry_printer *p, __u32 id, size_t *before, const char **behind)
{
	const char *mark;
	int err = 0;

	if (id >= p->cnt)
		return -EINVAL;
	if (!p->types[id])
		err = print_type(p, id, &p->types[id]);
	if (err)
		return err;
	mark = strstr(p->types[id], MARK);
	if (!mark)
		return -EINVAL;
	*before = mark - p->types[id];
	*behind = mark + strlen(MARK);
	return 0;
}

static int put_param(struct fentry_printer *p, const struct btf_param *param)
{
	const char *name = btf__name_by_offset(p->btf, param->name_off), *behind;
	size_t before;
	int err = get_type(p, param->type, &before, &behind);

	if (err)
		return err;
	if (!name || !*name)
		while (before && p->types[param->type][before - 1] == ' ')
			before--;
	text__bytes(&p->func, p->types[param->type], before);
	if (name)
		text__string(&p->func, name);
	text__string(&p->func, behind);
	return 0;
}

static int put_params(struct fentry_printer *p, const struct btf_type *proto)
{
	const struct btf_param *params = btf_params(proto);
	int i, cnt = btf_vlen(proto), err = 0;

	if (!cnt || (cnt == 1 && !params->type))
		text__string(&p->func, "void");
	else
		for (i = 0; !err && i < cnt; i++) {
			if (i)
				text__string(&p->func, ", ");
			if (i == cnt - 1 && !params[i].type)
				text__string(&p->func, "...");
			else
				err = put_param(p, &params[i]);
		}
	return err;
}

static int printer__print(struct fentry_printer *p, const struct fentry_target *target, char **ret)
{
	const struct btf_type *func = btf__type_by_id(p->btf, target->type_id), *proto;
	struct text *out = &p->func;
	const char *behind;
	size_t before;
	int err;

	proto = btf__type_by_id(p->btf, func->type);
	if (!proto || !btf_is_func_proto(proto))
		return -EINVAL;
	err = get_type(p, proto->type, &before, &behind);
	if (err)
		return err;
	text__clear(out);
	text__bytes(out, p->types[proto->type], before);
	text__string(out, target->name);
	text__string(out, "(");
	err = put_params(p, proto);
	text__string(out, ")");
	text__string(out, behind);
	if (err)
		return err;
	*ret = out->failed ? NULL : strndup(out->data, out->len);
	return *ret ? 0 : -ENOMEM;
}

/* Print a function. The printer is made for the first one. */
static int print_with(struct fentry_printer **printer, const struct fentry_target *target,
		      char **ret)
{
	int err = *printer ? 0 : printer__new(target->btf, printer);

	return err ?: printer__print(*printer, target, ret);
}

/* An index has a printer for each BTF, under its lock. */
static int print_target(const struct fentry_target *target, char **ret)
{
	struct fentry_printer *own = NULL;
	struct fentry_object *obj;
	int err;

	if (!target->idx) {
		err = print_with(&own, target, ret);
		fentry_printer__free(own);
		return err;
	}
	obj = fentry_index__object(target->idx, target->module);
	pthread_mutex_lock(&target->idx->lock);
	err = print_with(target->btf == obj->btf ? &obj->printer : &obj->inlined_printer, target,
			 ret);
	pthread_mutex_unlock(&target->idx->lock);
	return err;
}

int fentry_target__prototype(const struct fentry_target *target, char **ret,
			     struct fentry_error *error)
{
	char label[FENTRY_LABEL_MAX];
	int err;

	err = print_target(target, ret);
	if (!err)
		return 0;
	fentry_target__label(target, label);
	return fentry_error__set(error, err, "can't print the prototype of %s: %s", label,
				 err == -EINVAL ?
					 "its types are damaged, or too deep in each other" :
					 strerror(-err));
}
