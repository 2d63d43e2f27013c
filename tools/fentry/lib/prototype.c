// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Functions as C declarations. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "printable.h"

#define ROOM_MIN 1024

static bool grow(struct fentry_printed *out, size_t size)
{
	size_t room = 2 * (out->len + size) + ROOM_MIN;
	char *text = realloc(out->text, room);

	if (!text) {
		out->failed = true;
		return false;
	}
	out->text = text;
	out->room = room;
	return true;
}

static void put(struct fentry_printed *out, const char *text, size_t len)
{
	if (out->room - out->len <= len && !grow(out, len))
		return;
	memcpy(out->text + out->len, text, len);
	out->len += len;
	out->text[out->len] = '\0';
}

static void put_formatted(struct fentry_printed *out, const char *fmt, va_list args)
{
	char *text;
	int len = vasprintf(&text, fmt, args);

	if (len < 0) {
		out->failed = true;
		return;
	}
	put(out, text, len);
	free(text);
}

/*
 * libbpf prints a declaration in pieces, nearly all of them by "%s" and nothing else: of
 * all functions, a stream in memory and printf() take longer than libbpf does.
 */
static void dump_printf(void *ctx, const char *fmt, va_list args)
{
	struct fentry_printed *out = ctx;
	const char *at, *text;

	for (at = strchr(fmt, '%'); at; at = strchr(at + 1, '%'))
		if (at[1] != 's') {
			put_formatted(out, fmt, args);
			return;
		}
	while ((at = strchr(fmt, '%'))) {
		put(out, fmt, at - fmt);
		text = va_arg(args, const char *);
		put(out, text, strlen(text));
		fmt = at + 2;
	}
	put(out, fmt, strlen(fmt));
}

/*
 * Make one blank of each run of white space: an anonymous struct takes several
 * lines.
 */
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

/*
 * libbpf prints a function without parameters as f(): say f(void), as a
 * prototype must. @text is replaced if need be.
 */
static int say_void(char **text, const char *name)
{
	size_t len = strlen(name);
	char *at = *text, *new;

	while ((at = strstr(at, name)) && strncmp(at + len, "()", 2))
		at++;
	if (!at)
		return 0;
	at += len + 1;			/* between the parentheses */
	if (asprintf(&new, "%.*svoid%s", (int)(at - *text), *text, at) < 0)
		return -ENOMEM;
	free(*text);
	*text = new;
	return 0;
}

/* @out is where @dump writes to. */
static int emit(struct btf_dump *dump, struct fentry_printed *out,
		const struct fentry_target *target, char **ret)
{
	const struct btf_type *func = btf__type_by_id(target->btf, target->type_id);
	LIBBPF_OPTS(btf_dump_emit_type_decl_opts, opts,
		    .field_name = target->name);
	char *text;
	int err;

	if (!fentry_btf__printable(target->btf, func->type))
		return -EINVAL;
	out->len = 0;
	out->failed = false;
	err = btf_dump__emit_type_decl(dump, func->type, &opts);
	if (err)
		return err;
	text = out->failed || !out->text ? NULL : strdup(out->text);
	if (!text)
		return -ENOMEM;
	squeeze(text);
	err = say_void(&text, target->name);
	if (err)
		free(text);
	else
		*ret = text;
	return err;
}

/* With the index' dump of the BTF, which is made once, under its lock. */
static int emit_shared(struct fentry_index *idx,
		       const struct fentry_target *target, char **ret)
{
	struct fentry_object *obj = fentry_index__object(idx, target->module);
	struct btf_dump *dump;
	int err = 0;

	pthread_mutex_lock(&idx->lock);
	if (!obj->dump) {
		dump = btf_dump__new(obj->btf, dump_printf, &idx->printed, NULL);
		err = libbpf_get_error(dump);
		if (!err)
			obj->dump = dump;
	}
	if (!err)
		err = emit(obj->dump, &idx->printed, target, ret);
	pthread_mutex_unlock(&idx->lock);
	return err;
}

static int emit_alone(const struct fentry_target *target, char **ret)
{
	struct fentry_printed out = {};
	struct btf_dump *dump = btf_dump__new(target->btf, dump_printf, &out, NULL);
	int err = libbpf_get_error(dump);

	if (err)
		return err;
	err = emit(dump, &out, target, ret);
	btf_dump__free(dump);
	free(out.text);
	return err;
}

int fentry_target__prototype(const struct fentry_target *target, char **ret,
			     struct fentry_error *error)
{
	char label[FENTRY_LABEL_MAX];
	int err;

	err = fentry_target__is_listed(target) ? emit_shared(target->idx, target, ret) :
			    emit_alone(target, ret);
	if (!err)
		return 0;
	fentry_target__label(target, label);
	return fentry_error__set(error, err,
		"can't print the prototype of %s: %s", label,
		err == -EINVAL ? "its types are damaged, or too deep in each other" :
				 strerror(-err));
}
