// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "kinds_mod.h"
#include "kmod.h"

#define MAX_TEXT 256

int kinds_mod__load(struct fentry_index **idx, struct fentry_error *error)
{
	int err = fentry_register(error);

	if (err)
		return err;
	err = kmod__load(KINDS_MODULE, "");
	if (err) {
		snprintf(error->msg, sizeof(error->msg), "cannot load " KINDS_MODULE ": %s",
			 strerror(-err));
		return err;
	}
	err = fentry_index__open(NULL, idx, error);
	if (err)
		kmod__unload(KINDS_MODULE);
	return err;
}

int kinds_mod__unload(struct fentry_index *idx)
{
	fentry_index__free(idx);
	return kmod__unload(KINDS_MODULE);
}

/* Find the one function of the module whose name is @len bytes of @text, and @suffix. */
static const struct fentry_target *resolve(const struct fentry_index *idx, const char *text,
					   size_t len, const char *suffix)
{
	const struct fentry_target **found = NULL, *target = NULL;
	struct fentry_spec spec = {};
	char whole[MAX_TEXT];
	size_t cnt;

	snprintf(whole, sizeof(whole), KINDS_MODULE ":%.*s%s", (int)len, text, suffix);
	if (!fentry_spec__parse(whole, &spec, NULL) &&
	    !fentry_index__find(idx, &spec, &found, &cnt, NULL) && cnt == 1)
		target = found[0];
	fentry_spec__clear(&spec);
	free(found);
	return target;
}

const struct fentry_target *kinds_mod__find(const struct fentry_index *idx, const char *text)
{
	size_t name = strcspn(text, "@ ");
	const struct fentry_target *target;

	target = resolve(idx, text, strcspn(text, " "), "");
	if (!target)
		target = resolve(idx, text, name, "");
	return target ?: resolve(idx, text, name, ".*");
}

int kinds_mod__call(const char *text)
{
	return kmod__write_param(KINDS_MODULE, "call", text);
}

long kinds_mod__result(void)
{
	return file__number("/sys/module/" KINDS_MODULE "/parameters/call");
}
