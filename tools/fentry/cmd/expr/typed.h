/* SPDX-License-Identifier: GPL-2.0-only */
/* Values of calls as their types in BTF say: as text, and as JSON. */
#ifndef FENTRY_TYPED_H
#define FENTRY_TYPED_H

#include "expr/call.h"
#include "output/text.h"

struct typed;

/** typed__new() - A printer of values. Return: the printer, or NULL. */
struct typed *typed__new(void);

/** typed__free() - Release a printer. @t: may be NULL */
void typed__free(struct typed *t);

/**
 * typed__text() - A value as text.
 * @brief: in short
 *
 * Return: the text, until the next one is asked for.
 */
const char *typed__text(struct typed *t, const struct call *call, const struct shown *shown,
			bool brief);

/** typed__is_behind() - Is the text of a number behind a pointer, "*name"? */
bool typed__is_behind(const struct call *call, const struct shown *shown);

/* How types become JSON, worked out once for each. Zeroed at first. */
struct json_forms {
	struct json_form *buckets[64];
};

/** json_forms__free() - Release them. */
void json_forms__free(struct json_forms *forms);

/**
 * typed__json() - Append members of a JSON object.
 * @forms: how types become JSON
 * @value: what the member with the value is called
 * @address: the member with the address of what the value is behind a pointer
 */
void typed__json(struct json_forms *forms, struct text *to, const struct call *call,
		 const struct shown *shown, const char *value, const char *address);

#endif /* FENTRY_TYPED_H */
