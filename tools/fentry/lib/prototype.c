// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Functions as C declarations. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static void dump_printf(void *ctx, const char *fmt, va_list args)
{
	FILE *const *out = ctx;

	vfprintf(*out, fmt, args);
}

/* Runs of white space (an anonymous struct takes several lines) to one blank. */
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

static int open_dump(struct fentry_index *idx, struct fentry_object *obj)
{
	struct btf_dump *dump;
	int err;

	if (obj->dump)
		return 0;
	dump = btf_dump__new(obj->btf, dump_printf, &idx->out, NULL);
	err = libbpf_get_error(dump);
	if (!err)
		obj->dump = dump;
	return err;
}

/* @out is where @dump writes to. */
static int emit(struct btf_dump *dump, FILE **out, const struct btf_type *func,
		const char *name, char **ret)
{
	LIBBPF_OPTS(btf_dump_emit_type_decl_opts, opts, .field_name = name);
	char *text = NULL;
	size_t size;
	int err;

	*out = open_memstream(&text, &size);
	if (!*out)
		return -errno;
	err = btf_dump__emit_type_decl(dump, func->type, &opts);
	if (fclose(*out) && !err)
		err = -ENOMEM;
	*out = NULL;
	if (!err) {
		squeeze(text);
		err = say_void(&text, name);
	}
	if (err) {
		free(text);
		return err;
	}
	*ret = text;
	return 0;
}

/* With idx->lock held. */
static int emit_prototype(struct fentry_index *idx,
			  const struct fentry_target *target, char **ret)
{
	struct fentry_object *obj = fentry_index__object(idx, target->module);

	return open_dump(idx, obj) ?:
	       emit(obj->dump, &idx->out,
		    btf__type_by_id(obj->btf, target->type_id), target->name, ret);
}

char *fentry_prototype__print(const struct fentry_target *target)
{
	FILE *out = NULL;
	struct btf_dump *dump = btf_dump__new(target->btf, dump_printf, &out, NULL);
	char *text = NULL;

	if (libbpf_get_error(dump))
		return NULL;
	emit(dump, &out, btf__type_by_id(target->btf, target->type_id),
	     target->name, &text);
	btf_dump__free(dump);
	return text;
}

int fentry_target__prototype(struct fentry_index *idx,
			     const struct fentry_target *target, char **ret,
			     struct fentry_error *error)
{
	char label[FENTRY_LABEL_MAX];
	int err;

	pthread_mutex_lock(&idx->lock);
	err = emit_prototype(idx, target, ret);
	pthread_mutex_unlock(&idx->lock);
	if (!err)
		return 0;
	fentry_target__label(target, label);
	return fentry_error__set(error, err,
		"can't print the prototype of %s: %s", label, strerror(-err));
}
