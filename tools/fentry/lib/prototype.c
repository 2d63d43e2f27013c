// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Functions as C declarations. */
#include <errno.h>
#include <string.h>

#include "internal.h"

/* With a printer of the index, which is made once, under its lock. */
static int emit_shared(struct fentry_index *idx, const struct fentry_target *target,
		       struct fentry_printer **printer, char **ret)
{
	int err = 0;

	pthread_mutex_lock(&idx->lock);
	if (!*printer)
		err = fentry_printer__new(target->btf, printer);
	if (!err)
		err = fentry_printer__print(*printer, target, ret);
	pthread_mutex_unlock(&idx->lock);
	return err;
}

static int emit_alone(const struct fentry_target *target, char **ret)
{
	struct fentry_printer *printer;
	int err = fentry_printer__new(target->btf, &printer);

	if (err)
		return err;
	err = fentry_printer__print(printer, target, ret);
	fentry_printer__free(printer);
	return err;
}

static int emit_target(const struct fentry_target *target, char **ret)
{
	struct fentry_object *obj;

	if (!target->idx)
		return emit_alone(target, ret);
	obj = fentry_index__object(target->idx, target->module);
	return emit_shared(target->idx, target,
			   fentry_target__is_listed(target) ? &obj->printer : &obj->inlined_printer,
			   ret);
}

int fentry_target__prototype(const struct fentry_target *target, char **ret,
			     struct fentry_error *error)
{
	char label[FENTRY_LABEL_MAX];
	int err;

	err = emit_target(target, ret);
	if (!err)
		return 0;
	fentry_target__label(target, label);
	return fentry_error__set(error, err, "can't print the prototype of %s: %s", label,
				 err == -EINVAL ?
					 "its types are damaged, or too deep in each other" :
					 strerror(-err));
}
