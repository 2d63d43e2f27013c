// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the output of values of calls as text, in brief and in full, and as JSON. BTF and calls are
 * made here.
 */
#include "fake_kernel.h"
#include "test.h"

#include "output/json.h"
#include "values/typed.h"

#define ADDR	 0xffff888000001000ULL
#define AT	 "0xffff888000001000"
#define TEXT_MAX 512

/* An argument of a call: its name and value, and the copy of the data it points to. */
static const struct typed_case {
	const char *param;
	unsigned long long value;
	const char *copy;
	int copied;		  /* bytes, or negative errno */
	const char *brief, *full; /* full: NULL if it is the same */
} cases[] = {
	{ "n", -100ULL, NULL, 0, "-100", NULL },
	{ "u", 600000000000, NULL, 0, "600000000000", NULL },
	{ "m", 1, NULL, 0, "MODE_REL", NULL },
	{ "m", 7, NULL, 0, "7", NULL },
	{ "s", ADDR, "/x\n\"y", 6, "\"/x\\n\\\"y\"", AT " \"/x\\n\\\"y\"" },
	{ "name", ADDR, "a", 2, "\"a\"", AT " \"a\"" },
	{ "s", ADDR, NULL, -EFAULT, AT " <fault>", NULL },
	{ "s", 0, NULL, -EFAULT, "NULL", NULL },
	{ "s", -2ULL, NULL, -EFAULT, "ERR_PTR(-ENOENT)", NULL },
	{ "v", ADDR, NULL, 0, AT, NULL },
	{ "i", ADDR, "\7\0\0\0\0\0\0\0", 4, "7", AT " 7" },
	{ "i", ADDR, NULL, -EFAULT, AT " <fault>", NULL },
	{ "func", ADDR, NULL, 0, AT, NULL },
	{ "p", ADDR, "\1\0\0\0\2\0\0\0", 8, AT " (st)",
	  AT " (struct st){.a = (int)1,.b = (int)2,}" },
	{ "st", ADDR, "\1\0\0\0\0\0\0\0", 8, AT, AT " (struct st){.a = (int)1,}" },
	{ "alias", ADDR, NULL, -EFAULT, AT " (st)", AT " <fault>" },
	{ "p", 0, NULL, -EFAULT, "NULL", NULL },
	{ "fwd", ADDR, NULL, 0, AT " (hidden)", AT },
	{ "anon", ADDR, NULL, -EFAULT, AT, AT " <fault>" },
	{ "pair", 0x200000001, NULL, 0, "{1,2,}", NULL },
};

/* Prints the one argument of a call as text. */
static void print(const struct typed_case *c, struct btf *btf, __u32 id, bool brief, char *text)
{
	struct call_plan plan = { .scope = { btf, id, false }, .brief = brief };
	struct call call = { .plan = &plan };
	struct typed *t = typed__new();
	const struct shown *shown;
	struct call_value *data;

	*text = '\0';
	if (!call_plan__args(&plan) && plan.cnt == 1 && !strcmp(plan.shown[0].name, c->param)) {
		shown = &plan.shown[0];
		call.values[shown->number] = (struct call_value){ .ok = true, .number = c->value };
		data = shown->data >= 0 ? &call.values[shown->data] : NULL;
		if (data && c->copied > 0) {
			*data = (struct call_value){ true, 0, c->copy, c->copied };
			if (c->copied < 8)
				memcpy(&data->number, c->copy, c->copied);
		}
		snprintf(text, TEXT_MAX, "%s", typed__text(t, &call, shown, brief));
	}
	call_plan__fini(&plan);
	typed__free(t);
}

static void test_arguments(void)
{
	for_each_in(c, cases) {
		const char *full = c->full ?: c->brief;
		char text[TEXT_MAX];
		struct btf *btf;
		__u32 id;

		btf = fake_function("parameters", c->param, &id);
		print(c, btf, id, true, text);
		report_text(text, c->brief, c->brief);
		print(c, btf, id, false, text);
		report_text(text, full, full);
		btf__free(btf);
	}
}

/*
 * Expressions on the call of fake_kernel.h. A text that begins with '=' comes behind the
 * expression. {} stands for any address.
 */
static const struct print_case {
	const char *expression;
	const char *text, *json;
} prints[] = {
	{ "len", "=5000", "5000" },
	{ "len:x", "=0x1388", "\"0x1388\"" },
	{ "node->flags:x", "=0x8001", "\"0x8001\"" },
	{ "node->flags & 0x8000", "=32768", "32768" },
	{ "node", "={}", NULL },
	{ "any", "=NULL", "\"0x0\"" },
	{ "mode", "=MODE_REL", "\"MODE_REL\"" },
	{ "mode:d", "=1", "1" },
	{ "text", "=\"abc\"", "\"abc\",\"address\":\"{}\"" },
	{ "text:x", "={}", "\"{}\"" },
	{ "number", "*number=-42", "-42,\"address\":\"{}\"" },
	{ "*number", "=-42", "-42" },
	{ "c", "=120", "120" },
	{ "pair", "={-1,2,{},}", "{\"first\":-1,\"second\":2,\"node\":\"{}\"}" },
	{ "pair.second", "=2", "2" },
	{ "thing->low", "=5", "5" },
	{ "thing->high", "=-3", "-3" },
	{ "thing->yes", "=true", "true" },
	{ "thing->x", "=-7", "-7" },
	{ "thing->numbers", "=[10,20,65535,]", "[10,20,65535]" },
	{ "thing->names[1]", "={3,{},}", "{\"len\":3,\"text\":\"{}\"}" },
	{ "thing->names[1].text", "=\"abc\"", "\"abc\",\"address\":\"{}\"" },
	{ "node->short_name", "=\"leaf1234\"", "\"leaf1234\"" },
	{ "node->parent->short_name", "=\"root\"", "\"root\"" },
	{ "any:s", "=NULL", "null,\"address\":\"0x0\"" },
	{ "node->name.text", "=NULL", "null,\"address\":\"0x0\"" },
	{ "node->parent->parent->flags", "=<fault>", "null" },
	{ "node->parent->parent->short_name", "=<fault>", "null" },
	{ "node->parent->parent->parent", "=<fault>", "null" },
	{ "len, ret", "len=5000, ret=-ENOENT", "5000 -2" },
	/* addresses and ports, in network order */
	{ "node->flags:ip", "=1.128.0.0", "\"1.128.0.0\"" },
	{ "number:ip", "=214.255.255.255", "\"214.255.255.255\"" },
	{ "thing->names[0]:ip", "=100::", "\"100::\"" },
	{ "thing->numbers[0]:port", "=2560", "2560" },
	{ "thing->numbers:mac", "=0a:00:14:00:ff:ff", "\"0a:00:14:00:ff:ff\"" },
	{ "text:mac", "=61:62:63:00:00:00", "\"61:62:63:00:00:00\"" },
	{ "node->parent->parent->flags:ip", "=<fault>", "null" },
	/* casts */
	{ "(unsigned char)len", "=136", "136" },
	{ "(int)len", "=5000", "5000" },
	{ "(unsigned short)ret", "=65534", "65534" },
	{ "(enum mode)*number", "=-42", "-42" },
	{ "*(int *)text", "=6513249", "6513249" },
	{ "( const char * )thing->names[1].text", "=\"abc\"", "\"abc\",\"address\":\"{}\"" },
	{ "((struct node *)thing->nodes[0])->flags", "=32769", "32769" },
	{ "(long)thing->nodes[1]", "=0", "0" },
	{ "(char *)(len)", "=0x1388 <fault>", "null,\"address\":\"0x1388\"" },
	{ "(len)", "=5000", "5000" },
	{ "node->parent->parent->flags , len", "node->parent->parent->flags=<fault>, len=5000",
	  "null 5000" },
	/* names that the user gives, and lengths */
	{ "n=len, m = number", "n=5000, *m=-42", "5000 -42,\"address\":\"{}\"" },
	{ "text:s[2]", "=\"ab\"", "\"ab\",\"address\":\"{}\"" },
	{ "text:s[thing->names[1].len]", "=\"abc\"", "\"abc\",\"address\":\"{}\"" },
	{ "text:s[thing->names[0].len]", "=\"a\"", "\"a\",\"address\":\"{}\"" },
	{ "text:x[3]", "=61 62 63", "\"61 62 63\"" },
	{ "text:x[thing->names[0].len]", "=61", "\"61\"" },
	{ "text:x[node->parent->parent->flags]", "=<fault>", "null" },
	{ "thing->numbers:x[256]", "=0a 00 14 00 ff ff", "\"0a 00 14 00 ff ff\"" },
	/* mistakes, without JSON */
	{ "len:y",
	  "the formats are :x, :d, :s, :ip, :port, :mac, :s[LENGTH] and :x[LENGTH], not ':y'",
	  NULL },
	{ "len:x[2]", "':x[]' needs a pointer or an array", NULL },
	{ "text:x[257]", "a length is an integer of the call, or from 1 to 256", NULL },
	{ "text:x[text]", "a length is an integer of the call, or from 1 to 256", NULL },
	{ "text:x[2", "']' is missing", NULL },
	{ "len:s", "':s' needs a pointer or an array", NULL },
	{ "odd.address", "this is a part of a register: print its members", NULL },
	{ "odd.address:ip", "this is a part of a register: print its members", NULL },
	{ "thing->yes:ip", "':ip' needs 4 or 16 bytes, and this is _Bool", NULL },
	{ "len:port", "':port' needs 2 bytes, and this is unsigned long", NULL },
	{ "thing->low:mac", "':mac' needs 6 bytes, and this is unsigned int", NULL },
};

/* Numbers in hexadecimal with fewer digits are no addresses, even below valgrind. */
#define ADDRESS_DIGITS_MIN 6

/* Replaces addresses by {}. */
static void hide_addresses(char *text)
{
	char *from = text, *to = text;
	size_t digits;

	while (*from) {
		digits = strncmp(from, "0x", 2) ? 0 : strspn(from + 2, "0123456789abcdef");
		if (digits >= ADDRESS_DIGITS_MIN) {
			from += 2 + digits;
			*to++ = '{';
			*to++ = '}';
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
}

static void print_text(const struct call *call, struct text *to)
{
	struct typed *t = typed__new();
	size_t i;

	for (i = 0; i < call->plan->cnt; i++) {
		const struct shown *shown = &call->plan->shown[i];

		text__printf(to, "%s%s%s=%s", i ? ", " : "",
			     typed__is_behind(call, shown) ? "*" : "", shown->name,
			     typed__text(t, call, shown, true));
	}
	typed__free(t);
}

/* Twice: how a type becomes JSON is worked out once. */
static void print_json(const struct call *call, struct text *to)
{
	struct json_forms forms = {};
	size_t i;
	int round;

	for (round = 0; round < 2; round++) {
		text__clear(to);
		for (i = 0; i < call->plan->cnt; i++) {
			text__string(to, i ? " " : "");
			typed__json(&forms, to, call, &call->plan->shown[i], "", "address");
		}
	}
	json_forms__free(&forms);
}

/* Removes the member's empty name. */
static void trim_json(char *text)
{
	char *at;

	while ((at = strstr(text, "\"\":")))
		memmove(at, at + 3, strlen(at + 3) + 1);
}

static void test_print(const struct expr_scope *scope, const struct print_case *c, bool json)
{
	static struct scratch s;
	struct call_plan plan = { .scope = *scope, .brief = !json };
	struct expr_error error = {};
	struct text to = {};
	struct call call;
	const char *want;
	char text[TEXT_MAX];

	fake_call(&s);
	if (!call_plan__print(&plan, c->expression, &error)) {
		report(!c->json && !strcmp(error.msg, c->text), c->expression, error.msg);
		call_plan__fini(&plan);
		return;
	}
	put_values(&s, &plan.plan);
	if (call__init(&call, &plan, &s.event, sizeof(s.event) + s.len)) {
		if (json)
			print_json(&call, &to);
		else
			print_text(&call, &to);
	}
	snprintf(text, sizeof(text), "%.*s", (int)to.len, to.data ?: "");
	text__fini(&to);
	trim_json(text);
	hide_addresses(text);
	want = textf("%s%s", json || *c->text != '=' ? "" : c->expression,
		     json ? c->json : c->text);
	report_text(text, want, want);
	call_plan__fini(&plan);
}

/* Tests JSON of a structure behind a pointer, and of numbers that don't fit into doubles. */
static void test_json(const struct expr_scope *scope)
{
	static const struct print_case thing = {
		"thing", NULL,
		"{\"low\":5,\"high\":-3,\"wide\":528948,\"x\":-7,\"y\":-7,\"yes\":true,"
		"\"mode\":\"MODE_REL\",\"numbers\":[10,20,65535],"
		"\"names\":[{\"len\":1,\"text\":\"0x0\"},{\"len\":3,\"text\":\"{}\"}],"
		"\"nodes\":[\"{}\",\"0x0\"]},\"address\":\"{}\""
	};
	static const struct {
		unsigned long long n;
		bool is_signed;
		const char *text;
	} numbers[] = {
		{ 1ULL << 53, false, "9007199254740992" },
		{ (1ULL << 53) + 1, false, "\"9007199254740993\"" },
		{ -1ULL, false, "\"18446744073709551615\"" },
		{ -1ULL, true, "-1" },
		{ -(1ULL << 53), true, "-9007199254740992" },
		{ -(1ULL << 53) - 1, true, "\"-9007199254740993\"" },
	};

	test_print(scope, &thing, true);
	for_each_in(c, numbers) {
		char text[JSON_NUMBER_MAX + 1] = "";

		json_write_number(text, c->n, c->is_signed);
		report_text(text, c->text, c->text);
	}
}

/* Tests numbers of each length against printf(), and what a JSON string escapes. */
static void test_digits(void)
{
	char text[DIGITS_MAX + 1];
	struct text to = {};
	unsigned long long power = 1;
	int i, wrong = 0;

	for (i = 0; i < 64; i++) {
		const unsigned long long numbers[] = {
			1ULL << i, (1ULL << i) - 1, (1ULL << i) / 10 * 10, power, power - 1, -power,
		};

		for_each_in(n, numbers) {
			*digits_decimal(text, *n) = '\0';
			wrong += strcmp(text, textf("%llu", *n)) != 0;
			*digits_hex(text, *n) = '\0';
			wrong += strcmp(text, textf("%llx", *n)) != 0;
		}
		power *= i < 20 ? 10 : 7;
	}
	report(!wrong, "numbers of each length", text);
	json_put_bytes(&to, "a\"\\\n\x7f\xe9\0b", 8);
	text__char(&to, '\0');
	report_text(to.data, "\"a\\\"\\\\\\u000a\\u007f\\u00e9\"", "what JSON escapes");
	text__fini(&to);
}

/* Tests that an event that ends early isn't read beyond its end. */
static void test_short_events(const struct expr_scope *scope)
{
	static struct scratch s;
	struct call_plan plan = { .scope = *scope, .brief = true };
	struct expr_error error;
	struct call call;
	size_t size, ok = 0;

	fake_call(&s);
	if (!call_plan__print(&plan, "text, thing->numbers, len", &error))
		abort();
	put_values(&s, &plan.plan);
	for (size = 0; size < sizeof(s.event) + s.len; size++)
		ok += call__init(&call, &plan, &s.event, size);
	expect(!ok, "events that are too short");
	call_plan__fini(&plan);
}

int main(void)
{
	struct expr_scope scope = { .exit = true };
	struct btf *btf = fake_function("f", NULL, &scope.func);

	scope.btf = btf;
	test_arguments();
	for_each_in(c, prints) {
		test_print(&scope, c, false);
		if (c->json)
			test_print(&scope, c, true);
	}
	test_json(&scope);
	test_digits();
	test_short_events(&scope);
	btf__free(btf);
	return failures != 0;
}
