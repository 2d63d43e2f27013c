/* SPDX-License-Identifier: GPL-2.0-only */
/* Values of a call, as text and as JSON. */
#ifndef FENTRY_TYPED_H
#define FENTRY_TYPED_H

#include "output/text.h"
#include "values/call.h"

struct typed;

/* A printer of values, or NULL. */
struct typed *typed__new(void);

/* Release a printer. @t: may be NULL */
void typed__free(struct typed *t);

/* A value as text, or in short. It is valid until the next call. */
const char *typed__text(struct typed *t, const struct call *call, const struct shown *shown,
			bool brief);

/* Print the bytes of an address or a port of the network. */
void typed__network(struct text *to, enum expr_format format, const void *bytes, size_t size);

/* Print bytes as "68 65 6c". */
void typed__bytes(struct text *to, const void *bytes, size_t size);

/* Is the text a number behind a pointer, to be called "*name"? */
bool typed__is_behind(const struct call *call, const struct shown *shown);

/* How types become JSON, worked out once for each. Zeroed at first. */
struct json_forms {
	struct json_form *buckets[64];
};

void json_forms__free(struct json_forms *forms);

/*
 * Append members of a JSON object.
 * @forms: how types become JSON
 * @value: name of the member with the value; a short form has the member "short"
 * @address: name of the member with the address, if the value is behind a pointer
 */
void typed__json(struct json_forms *forms, struct text *to, const struct call *call,
		 const struct shown *shown, const char *value, const char *address);

#endif /* FENTRY_TYPED_H */
