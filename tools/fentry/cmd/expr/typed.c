// SPDX-License-Identifier: GPL-2.0-only
/*
 * Values of calls as text, as their types in BTF say: numbers and enumerators as such,
 * pointers as addresses. What was read where they point to is shown behind the address;
 * libbpf prints structures, and leaves out zeroes.
 *
 * In brief a string is shown without its address, and of a structure behind a
 * pointer its short form, or only its name, unless the parameter is called the same:
 *
 *	filename=0x7ffc1e5f "/proc/version", how=0xffffc9000 (struct open_how){...}
 *	filename="/proc/version", how=0xffffc9000 (open_how)
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "output/text.h"
#include "expr/typed.h"

#define TEXT_MAX  4096
#define CUT	  "..."
#define FAULT	  "<fault>"
#define ERRNO_MAX 4095

struct typed {
	/* libbpf's printers, one for each BTF that was met */
	struct dump {
		const struct btf *btf;
		struct btf_dump *dump;
	} * dumps;
	size_t cnt;
	char text[TEXT_MAX]; /* of the value in hand; always ends */
	size_t len;
};

struct typed *typed__new(void)
{
	return calloc(1, sizeof(struct typed));
}

void typed__free(struct typed *t)
{
	size_t i;

	if (!t)
		return;
	for (i = 0; i < t->cnt; i++)
		btf_dump__free(t->dumps[i].dump);
	free(t->dumps);
	free(t);
}

/* What is behind @len of the text has no end yet if it is too long. */
static void cut(struct typed *t)
{
	if (t->len < sizeof(t->text))
		return;
	t->len = sizeof(t->text) - 1;
	strcpy(t->text + t->len - strlen(CUT), CUT);
}

static void append_va(struct typed *t, const char *fmt, va_list args)
{
	int len;

	len = vsnprintf(t->text + t->len, sizeof(t->text) - t->len, fmt, args);
	if (len > 0)
		t->len += len;
	cut(t);
}

static void append(struct typed *t, const char *text)
{
	size_t len = strlen(text), room = sizeof(t->text) - t->len;

	memcpy(t->text + t->len, text, len < room ? len + 1 : room);
	t->len += len;
	cut(t);
}

static void append_digits(struct typed *t, unsigned long long n, unsigned int base)
{
	char buf[DIGITS_MAX + 3], *end;

	if (base == 16) {
		buf[0] = '0';
		buf[1] = 'x';
		end = digits_hex(buf + 2, n);
	} else {
		end = digits_decimal(buf, n);
	}
	*end = '\0';
	append(t, buf);
}

static void append_signed(struct typed *t, long long n)
{
	append(t, n < 0 ? "-" : "");
	append_digits(t, n < 0 ? -(unsigned long long)n : (unsigned long long)n, 10);
}

static void append_char(struct typed *t, char c)
{
	if (t->len + 1 >= sizeof(t->text))
		return;
	t->text[t->len++] = c;
	t->text[t->len] = '\0';
}

static void dump_printf(void *ctx, const char *fmt, va_list args)
{
	append_va(ctx, fmt, args);
}

static struct btf_dump *get_dump(struct typed *t, const struct btf *btf)
{
	struct dump *dumps;
	struct btf_dump *dump;
	size_t i;

	for (i = 0; i < t->cnt; i++)
		if (t->dumps[i].btf == btf)
			return t->dumps[i].dump;
	dumps = reallocarray(t->dumps, t->cnt + 1, sizeof(*dumps));
	if (!dumps)
		return NULL;
	t->dumps = dumps;
	dump = btf_dump__new(btf, dump_printf, t, NULL);
	if (libbpf_get_error(dump))
		return NULL;
	t->dumps[t->cnt++] = (struct dump){ btf, dump };
	return dump;
}

static void append_byte(struct typed *t, unsigned char c)
{
	char text[sizeof("\\x00")];

	snprintf(text, sizeof(text), "\\x%02x", c);
	append(t, text);
}

static void append_string(struct typed *t, const char *data, size_t size)
{
	size_t i;

	append_char(t, '"');
	for (i = 0; i < size && data[i]; i++) {
		unsigned char c = data[i];

		if (c == '"' || c == '\\')
			append_char(t, '\\');
		if (c == '\n')
			append(t, "\\n");
		else if (c < ' ' || c > '~')
			append_byte(t, c);
		else
			append_char(t, c);
	}
	append(t, size == TRACE_BYTES_MAX ? "\"" CUT : "\"");
}

static void append_struct(struct typed *t, const struct btf *btf, __u32 id,
			  const struct call_value *v, bool plain)
{
	LIBBPF_OPTS(btf_dump_type_data_opts, opts, .compact = true, .skip_names = plain);
	struct btf_dump *dump = get_dump(t, btf);

	if (!dump)
		append(t, "?");
	else if (btf_dump__dump_type_data(dump, id, v->data, v->size, &opts) == -E2BIG)
		append(t, CUT);
}

static void append_number(struct typed *t, const struct btf *btf, __u32 id, enum expr_format format,
			  unsigned long long n)
{
	const struct btf_type *type = types__real(btf, id);
	const char *name = NULL;

	if (format == EXPR_BY_TYPE && btf_is_any_enum(type))
		name = types__enumerator(btf, type, n);
	else if (format == EXPR_BY_TYPE && btf_is_int(type) &&
		 btf_int_encoding(type) & BTF_INT_BOOL && n <= 1)
		name = n ? "true" : "false";
	if (name)
		append(t, name);
	else if (format == EXPR_HEX)
		append_digits(t, n, 16);
	else if (types__is_signed(type))
		append_signed(t, n);
	else
		append_digits(t, n, 10);
}

/* Name of the structure behind a pointer; "" if it's none, or has none. */
static const char *pointee_name(const struct btf *btf, const struct btf_type *t)
{
	t = types__real(btf, t->type);
	return btf_is_composite(t) || btf_is_fwd(t) ? types__name(btf, t) : "";
}

static void append_error(struct typed *t, long long err)
{
	append(t, "ERR_PTR(");
	append_signed(t, err);
	append(t, ")");
}

static void append_address(struct typed *t, unsigned long long addr)
{
	if (!addr)
		append(t, "NULL");
	else if (addr >= -(unsigned long long)ERRNO_MAX)
		append_error(t, addr);
	else
		append_digits(t, addr, 16);
}

static bool is_address(unsigned long long addr)
{
	return addr && addr < -(unsigned long long)ERRNO_MAX;
}

static void append_data(struct typed *t, const struct call *call, const struct shown *shown,
			bool plain)
{
	const struct trace_value *v = &call->plan->plan.values[shown->data];
	const struct call_value *value = &call->values[shown->data];
	const struct btf *btf = call->plan->btf;

	if (!value->ok)
		append(t, FAULT);
	else if (v->kind == TRACE_STRING)
		append_string(t, value->data, value->size);
	else if (v->kind == TRACE_MEMORY)
		append_struct(t, btf, shown->data_type, value, plain);
	else
		append_number(t, btf, shown->data_type, EXPR_BY_TYPE, value->number);
}

bool typed__is_behind(const struct call *call, const struct shown *shown)
{
	return shown->number >= 0 && shown->data >= 0 && call->values[shown->data].ok &&
	       call->plan->plan.values[shown->data].kind == TRACE_NUMBER;
}

static void append_pointer(struct typed *t, const struct call *call, const struct shown *shown,
			   bool brief)
{
	const struct btf *btf = call->plan->btf;
	unsigned long long addr = call->values[shown->number].number;
	const char *name = pointee_name(btf, types__real(btf, shown->type));
	bool read = shown->data >= 0, ok = read && call->values[shown->data].ok;

	if (!brief || !ok || !is_address(addr))
		append_address(t, addr);
	if (!is_address(addr))
		return;
	if (read && (ok || !shown->form)) {
		append(t, brief && ok ? "" : " ");
		append_data(t, call, shown, false);
	} else if (brief && *name && !(shown->name && !strcmp(name, shown->name))) {
		append(t, " (");
		append(t, name);
		append(t, ")");
	}
}

/* Bytes of the structure that the slots hold. */
static void append_slots(struct typed *t, const struct call *call, const struct shown *shown)
{
	unsigned long long slots[TRACE_MAX_ARGS];
	const struct call_value value = { .data = slots, .size = sizeof(slots) };
	unsigned int i;

	for (i = 0; i < shown->slots; i++)
		slots[i] = call->values[shown->number + i].number;
	append_struct(t, call->plan->btf, types__skip(call->plan->btf, shown->type), &value, true);
}

const char *typed__text(struct typed *t, const struct call *call, const struct shown *shown,
			bool brief)
{
	const struct btf *btf = call->plan->btf;
	const struct call_value *v;

	t->len = 0;
	t->text[0] = '\0';
	if (shown->number < 0 && shown->data < 0) {
		append(t, CUT);
	} else if (shown->number < 0) {
		append_data(t, call, shown, true);
	} else {
		v = &call->values[shown->number];
		if (!v->ok)
			append(t, FAULT);
		else if (shown->slots)
			append_slots(t, call, shown);
		else if (btf_is_ptr(types__real(btf, shown->type)) && shown->format != EXPR_HEX &&
			 shown->format != EXPR_DECIMAL)
			append_pointer(t, call, shown, brief);
		else
			append_number(t, btf, shown->type, shown->format, v->number);
	}
	return t->text;
}
