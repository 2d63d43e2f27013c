/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How bytes of a type become JSON, worked out once: a list of numbers, each with the text that
 * comes before it. Structures are objects, whose anonymous members' members are their own.
 */
#ifndef FENTRY_JSON_FORM_H
#define FENTRY_JSON_FORM_H

#include <bpf/btf.h>

#include "output/text.h"

/* Those that were asked for. Zeroed at first. */
struct json_forms {
	struct json_form *buckets[64];
};

/** json_forms__free() - Release them. */
void json_forms__free(struct json_forms *forms);

/**
 * json_forms__put() - Append bytes as JSON.
 * @forms: to remember it
 * @to: the text; it failed if there is no memory
 * @btf: BTF
 * @t: the type, of types__real()
 * @data: the bytes
 * @size: so many there are
 */
void json_forms__put(struct json_forms *forms, struct text *to, const struct btf *btf,
		     const struct btf_type *t, const void *data, size_t size);

/**
 * json_put_value() - Append a number as its type says.
 * @to: the text
 * @btf: BTF
 * @t: the type, of types__real()
 * @n: the number
 */
void json_put_value(struct text *to, const struct btf *btf, const struct btf_type *t,
		    unsigned long long n);

#endif /* FENTRY_JSON_FORM_H */
