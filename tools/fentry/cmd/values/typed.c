// SPDX-License-Identifier: GPL-2.0-only
/*
 * Values of calls as text, as their types in BTF say: numbers and enumerators as such,
 * pointers as addresses. What was read where they point to is shown behind the address;
 * libbpf prints structures, and leaves out zeroes.
 *
 * In brief, a string is shown without its address. A structure behind a pointer is shown as its
 * short form, or as its name unless the parameter has the same name:
 *
 *	filename=0x7ffc1e5f "/proc/version", how=0xffffc9000 (struct open_how){...}
 *	filename="/proc/version", how=0xffffc9000 (open_how)
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "array.h"
#include "values/typed.h"

#define TEXT_MAX  4095 /* more of a value is cut off */
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
	struct text text; /* of the value in hand */
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
	text__fini(&t->text);
	free(t);
}

static void put_hex(struct text *to, unsigned long long n)
{
	char *at = text__room(to, DIGITS_MAX + 2);

	if (!at)
		return;
	*at++ = '0';
	*at++ = 'x';
	text__end(to, digits_hex(at, n));
}

static void put_signed(struct text *to, long long n)
{
	if (n < 0)
		text__char(to, '-');
	text__decimal(to, n < 0 ? -(unsigned long long)n : (unsigned long long)n);
}

static void dump_printf(void *ctx, const char *fmt, va_list args)
{
	struct typed *t = ctx;

	text__vprintf(&t->text, fmt, args);
}

static struct btf_dump *get_dump(struct typed *t, const struct btf *btf)
{
	struct btf_dump *dump;
	size_t i;

	for (i = 0; i < t->cnt; i++)
		if (t->dumps[i].btf == btf)
			return t->dumps[i].dump;
	if (!ARRAY_GROW(t->dumps, t->cnt))
		return NULL;
	dump = btf_dump__new(btf, dump_printf, t, NULL);
	if (libbpf_get_error(dump))
		return NULL;
	t->dumps[t->cnt++] = (struct dump){ btf, dump };
	return dump;
}

static void put_string(struct text *to, const char *data, size_t size)
{
	text__char(to, '"');
	text__escaped(to, data, size, '"');
	text__string(to, size == TRACE_BYTES_MAX ? "\"" CUT : "\"");
}

static void put_struct(struct typed *t, const struct btf *btf, __u32 id, const struct call_value *v,
		       bool plain)
{
	LIBBPF_OPTS(btf_dump_type_data_opts, opts, .compact = true, .skip_names = plain);
	struct btf_dump *dump = get_dump(t, btf);

	if (!dump)
		text__string(&t->text, "?");
	else if (btf_dump__dump_type_data(dump, id, v->data, v->size, &opts) == -E2BIG)
		text__string(&t->text, CUT);
}

void typed__bytes(struct text *to, const void *bytes, size_t size)
{
	const unsigned char *b = bytes;
	size_t i;

	for (i = 0; i < size; i++)
		text__printf(to, "%s%02x", i ? " " : "", b[i]);
}

void typed__network(struct text *to, enum expr_format format, const void *bytes, size_t size)
{
	const unsigned char *b = bytes;
	char text[INET6_ADDRSTRLEN];

	if (format == EXPR_PORT)
		text__decimal(to, b[0] << 8 | b[1]);
	else if (format == EXPR_MAC)
		text__printf(to, "%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3], b[4],
			     b[5]);
	else if (inet_ntop(size == 4 ? AF_INET : AF_INET6, b, text, sizeof(text)))
		text__string(to, text);
}

static void put_number(struct text *to, const struct btf *btf, const struct btf_type *type,
		       enum expr_format format, unsigned long long n)
{
	const char *name = NULL;

	if (format == EXPR_BY_TYPE && btf_is_any_enum(type))
		name = types__enumerator(btf, type, n);
	else if (format == EXPR_BY_TYPE && btf_is_int(type) &&
		 btf_int_encoding(type) & BTF_INT_BOOL && n <= 1)
		name = n ? "true" : "false";
	if (name)
		text__string(to, name);
	else if (format >= EXPR_IP)
		typed__network(to, format, &n, sizeof(__u32));
	else if (format == EXPR_HEX)
		put_hex(to, n);
	else if (types__is_signed(type))
		put_signed(to, n);
	else
		text__decimal(to, n);
}

/* Name of the structure behind a pointer; "" if it's none, or has none. */
static const char *pointee_name(const struct btf *btf, const struct btf_type *t)
{
	t = types__real(btf, t->type);
	return btf_is_composite(t) || btf_is_fwd(t) ? types__name(btf, t) : "";
}

/* A number that may be a negative errno, as "-ENOENT". */
static void put_errno(struct text *to, long long n)
{
	const char *name = n < 0 && n >= -ERRNO_MAX ? strerrorname_np(-n) : NULL;

	if (!name) {
		put_signed(to, n);
		return;
	}
	text__char(to, '-');
	text__string(to, name);
}

/* Is it what the function returns, as a number with a sign? */
static bool is_status(const struct call *call, const struct shown *shown)
{
	const struct trace_value *v = &call->plan->plan.values[shown->number];
	const struct btf_type *t = shown->real;

	return v->slot == TRACE_RETURN && !v->step_cnt && !v->size && v->mask == ~0ULL &&
	       shown->format == EXPR_BY_TYPE && btf_is_int(t) && types__is_signed(t);
}

static void put_address(struct text *to, unsigned long long addr)
{
	if (!addr) {
		text__string(to, "NULL");
	} else if (addr >= -(unsigned long long)ERRNO_MAX) {
		text__string(to, "ERR_PTR(");
		put_errno(to, addr);
		text__char(to, ')');
	} else {
		put_hex(to, addr);
	}
}

static bool is_address(unsigned long long addr)
{
	return addr && addr < -(unsigned long long)ERRNO_MAX;
}

static void put_data(struct typed *t, const struct call *call, const struct shown *shown,
		     bool plain)
{
	const struct trace_value *v = &call->plan->plan.values[shown->data];
	const struct call_value *value = &call->values[shown->data];
	const struct btf *btf = call->plan->scope.btf;

	if (!value->ok)
		text__string(&t->text, FAULT);
	else if (v->kind == TRACE_STRING)
		put_string(&t->text, value->data, value->size);
	else if (shown->format == EXPR_BYTES)
		typed__bytes(&t->text, value->data, value->size);
	else if (shown->format >= EXPR_IP)
		typed__network(&t->text, shown->format, value->data, value->size);
	else if (v->kind == TRACE_MEMORY)
		put_struct(t, btf, shown->data_type, value, plain);
	else
		put_number(&t->text, btf, shown->data_real, EXPR_BY_TYPE, value->number);
}

bool typed__is_behind(const struct call *call, const struct shown *shown)
{
	return shown->number >= 0 && shown->data >= 0 && call->values[shown->data].ok &&
	       call->plan->plan.values[shown->data].kind == TRACE_NUMBER;
}

static void put_pointer(struct typed *t, const struct call *call, const struct shown *shown,
			bool brief)
{
	const struct btf *btf = call->plan->scope.btf;
	unsigned long long addr = call->values[shown->number].number;
	const char *name = "";
	bool read = shown->data >= 0, ok = read && call->values[shown->data].ok;

	if (!brief || !ok || !is_address(addr))
		put_address(&t->text, addr);
	if (!is_address(addr))
		return;
	if (shown->form_beside >= 0 && call->values[shown->form_beside].ok) {
		text__char(&t->text, ' ');
		put_string(&t->text, call->values[shown->form_beside].data,
			   call->values[shown->form_beside].size);
	}
	if (read && (ok || !shown->form)) {
		text__string(&t->text, brief && ok ? "" : " ");
		put_data(t, call, shown, false);
		return;
	}
	if (brief)
		name = pointee_name(btf, shown->real);
	if (*name && !(shown->name && !strcmp(name, shown->name))) {
		text__string(&t->text, " (");
		text__string(&t->text, name);
		text__string(&t->text, ")");
	}
}

/* Print the structure that the slots hold. */
static void put_slots(struct typed *t, const struct call *call, const struct shown *shown)
{
	unsigned long long slots[TRACE_MAX_ARGS];
	const struct call_value value = { .data = slots, .size = sizeof(slots) };
	unsigned int i;

	for (i = 0; i < shown->slots; i++)
		slots[i] = call->values[shown->number + i].number;
	put_struct(t, call->plan->scope.btf, types__skip(call->plan->scope.btf, shown->type),
		   &value, true);
}

const char *typed__text(struct typed *t, const struct call *call, const struct shown *shown,
			bool brief)
{
	const struct btf *btf = call->plan->scope.btf;
	const struct call_value *v;

	text__clear(&t->text);
	if (shown->number < 0 && shown->data < 0) {
		text__string(&t->text, CUT);
	} else if (shown->number < 0) {
		put_data(t, call, shown, true);
	} else {
		v = &call->values[shown->number];
		if (!v->ok)
			text__string(&t->text, FAULT);
		else if (shown->slots)
			put_slots(t, call, shown);
		else if (btf_is_ptr(shown->real) &&
			 (shown->format == EXPR_BY_TYPE || shown->format == EXPR_STRING))
			put_pointer(t, call, shown, brief);
		else if (is_status(call, shown))
			put_errno(&t->text, v->number);
		else
			put_number(&t->text, btf, shown->real, shown->format, v->number);
	}
	if (t->text.len > TEXT_MAX) {
		t->text.len = TEXT_MAX - strlen(CUT);
		text__string(&t->text, CUT);
	}
	text__char(&t->text, '\0');
	return t->text.failed ? CUT : t->text.data;
}
