// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include <bpf/btf.h>

#include "../fentry/lib/printable.h"
#include "annotate/report.h"

/* The text printed for each reason, and its key in --stats=json. */
static const struct {
	const char *text, *key;
} reasons[NR_REASONS] = {
	[REASON_NO_DWARF] = { "no DWARF function at this address", "no_dwarf" },
	[REASON_STATIC_CALL] = { "static call trampoline", "static_call" },
	[REASON_OTHER_NAME] = { "another name of a function", "other_name" },
	[REASON_UNTRACEABLE] = { "ftrace cannot patch it", "untraceable" },
	[REASON_LANGUAGE] = { "not written in C", "language" },
	[REASON_UNSTATED] = { "DWARF has neither parameters nor types", "unstated" },
	[REASON_NAME] = { "name that BTF cannot have", "name" },
	[REASON_SEVERAL] = { "several different DWARF functions at this address", "several_dwarf" },
	[REASON_LOCATION] = { "damaged parameter list, or locations that libdw cannot read",
			      "location" },
	[REASON_REGISTERS] = { "parameters not where the calling convention has them",
			       "registers" },
	[REASON_CODE] = { "code uses registers otherwise than DWARF says", "code" },
	[REASON_SPLIT] = { "may pass parts of a structure", "split_pointer" },
	[REASON_UNDECIDED] = { "parameters without location", "undecided" },
	[REASON_RETURN] = { "half of the return value is dropped, and nothing tells which",
			    "return" },
	[REASON_CONVENTION] = { "another calling convention than C's, or none", "convention" },
	[REASON_FLOAT] = { "floating-point or unknown parameter type", "float" },
	[REASON_TOO_MANY] = { "too many parameters", "too_many" },
	[REASON_TYPE_MISSING] = { "type not in BTF", "type_missing" },
	[REASON_TYPE_AMBIGUOUS] = { "several BTF types look like the type", "type_ambiguous" },
	[REASON_TYPE_BAD] = { "damaged type", "type_bad" },
	[REASON_TYPE_UNSUPPORTED] = { "type that BTF does not have", "type_unsupported" },
	[REASON_OFFSET] = { "not within 4 GiB after _text", "offset" },
};

static const char *const suffix_name[NR_SUFFIXES] = {
	[SUFFIX_NONE] = "plain", [SUFFIX_ISRA] = "isra", [SUFFIX_CONSTPROP] = "constprop",
	[SUFFIX_PART] = "part",	 [SUFFIX_LLVM] = "llvm", [SUFFIX_OTHER] = "other",
};

static void print_stats(const struct stats *s)
{
	u32 i;

	printf("functions in resident text      %8u\n", s->seen);
	printf("  with an address               %8u\n", s->annotated);
	for (i = 0; i < NR_SUFFIXES; i++)
		printf("    %-28s%8u\n", suffix_name[i], s->by_suffix[i]);
	printf("  of ambiguous names            %8u\n", s->ambiguous_seen);
	printf("    with an address             %8u\n", s->ambiguous);
	printf("  signature changed by compiler %8u\n", s->changed);
	printf("    bytes of source: tags       %8zu\n", s->source_bytes);
	printf("  return value that nobody uses %8u\n", s->dropped);
	printf("FUNCs of the input with address %8u\n", s->kept + s->corrected);
	printf("  corrected                     %8u\n", s->corrected);
	printf("FUNCs added                     %8u\n", s->added);
	printf("types added to describe them    %8u\n", s->types_added);
	printf("FUNCs of the input without\n");
	printf("  removed: not established      %8u\n", s->removed);
	printf("  in init text only             %8u\n", s->init);
	printf("  without a symbol              %8u\n", s->no_symbol);
	printf("functions left out              %8u\n", s->seen - s->annotated);
	for (i = 1; i < NR_REASONS; i++) {
		if (s->left[i])
			printf("  %6u  %s\n", s->left[i], reasons[i].text);
	}
	printf("bytes of BTF: %zu before, %zu after (%+.1f %%)\n", s->bytes_in, s->bytes_out,
	       s->bytes_in ? ((double)s->bytes_out / s->bytes_in - 1) * 100 : 0);
}

static void print_json(const struct stats *s)
{
	u32 i;

	printf("{\"seen\":%u,\"annotated\":%u,\"by_kind\":{", s->seen, s->annotated);
	for (i = 0; i < NR_SUFFIXES; i++)
		printf("%s\"%s\":%u", i ? "," : "", suffix_name[i], s->by_suffix[i]);
	printf("},\"ambiguous_seen\":%u,\"ambiguous\":%u,\"changed\":%u,\"source_bytes\":%zu,"
	       "\"dropped\":%u,\"kept\":%u,\"corrected\":%u,\"added\":%u,\"types_added\":%u,",
	       s->ambiguous_seen, s->ambiguous, s->changed, s->source_bytes, s->dropped, s->kept,
	       s->corrected, s->added, s->types_added);
	printf("\"without_address\":{\"removed\":%u,\"init\":%u,\"no_symbol\":%u},"
	       "\"left_out\":{",
	       s->removed, s->init, s->no_symbol);
	for (i = 1; i < NR_REASONS; i++)
		printf("%s\"%s\":%u", i > 1 ? "," : "", reasons[i].key, s->left[i]);
	printf("},\"bytes_before\":%zu,\"bytes_after\":%zu}\n", s->bytes_in, s->bytes_out);
}

void report_stats(const struct stats *stats, bool json)
{
	if (stats->already && json)
		printf("{\"already_annotated\":%u}\n", stats->already);
	else if (stats->already)
		printf("annotated already: %u functions have an address\n", stats->already);
	else if (json)
		print_json(stats);
	else
		print_stats(stats);
}

/* @file: NULL if there is only raw BTF of a vmlinux */
static void print_place(const struct elf_file *file, u64 place)
{
	char *text;

	if (!file) {
		printf("0x%" PRIx64, place);
		return;
	}
	text = elf_file_place_text(file, place);
	printf("%s", text);
	free(text);
}

void report_left_out(const struct funcs *funcs, const struct elf_file *file,
		     const struct btf_image *img)
{
	const struct func *func;
	struct u64map has = {};
	u64 place;
	u32 id;

	for (id = img->first_id; id < img->nr_types; id++) {
		if (*btf_image_addr(img, id) != NO_ADDR)
			u64map_set(&has, *btf_image_addr(img, id), 1);
	}
	for_each(func, funcs->funcs, funcs->nr) {
		place = elf_file_place(file, func->sym->addr);
		/* there are thousands of static calls, and nothing to say about each */
		if (func->reason == REASON_STATIC_CALL ||
		    (u64map_get(&has, place) && func->reason != REASON_OTHER_NAME))
			continue;
		print_place(file, place);
		printf("\t%s\t%s\n", func->sym->name,
		       func->reason ? reasons[func->reason].text :
				      "left out when this BTF was written");
	}
	u64map_free(&has);
}

/* Put what libbpf prints on one line. libbpf prints a type without a name on several lines. */
static void append(void *ctx, const char *fmt, va_list args)
{
	struct buf *out = ctx;
	char *text, *s;

	if (vasprintf(&text, fmt, args) < 0)
		return;
	for (s = text; *s; s++) {
		if (!isspace(*s))
			buf_add(out, s, 1);
		else if (!out->len || out->data[out->len - 1] != ' ')
			buf_add(out, " ", 1);
	}
	free(text);
}

/* @out: what @dump appends to */
static int print_proto(const struct btf *btf, struct buf *out, struct btf_dump *dump,
		       const struct btf_type *func)
{
	LIBBPF_OPTS(btf_dump_emit_type_decl_opts, opts,
		    .field_name = btf__name_by_offset(btf, func->name_off));
	int ret;

	out->len = 0;
	if (!fentry_btf__printable(btf, func->type)) {
		printf("%s: types are damaged, or too deep in each other\n", opts.field_name);
		return 0;
	}
	ret = btf_dump__emit_type_decl(dump, func->type, &opts);
	printf("%.*s;\n", (int)out->len, (char *)out->data);
	return ret;
}

const char **unit_tags(const struct btf_image *img)
{
	const char **tags = xcalloc(img->nr_types, sizeof(*tags));
	const struct btf_type *t;
	u32 id;

	for_each_type(id, t, img) {
		if (btf_is_decl_tag(t) && starts_with(type_name(img, t), UNIT_TAG))
			tags[t->type] = type_name(img, t) + strlen(UNIT_TAG);
	}
	return tags;
}

static int dump_funcs(const struct btf_image *img, const struct elf_file *file,
		      const struct btf *btf, struct buf *out, struct btf_dump *dump)
{
	const char **tags = unit_tags(img);
	const struct btf_type *t;
	int ret = 0;
	u32 id;

	for (id = img->first_id; id < img->nr_types && !ret; id++) {
		t = btf__type_by_id(btf, id);
		if (!btf_is_func(t) || !btf_is_func_proto(btf__type_by_id(btf, t->type)))
			continue;
		if (*btf_image_addr(img, id) == NO_ADDR)
			printf("-");
		else
			print_place(file, *btf_image_addr(img, id));
		printf("\t%u\t%s\t", id, tags[id] ? tags[id] : "-");
		ret = print_proto(btf, out, dump, t);
	}
	free(tags);
	return ret;
}

int report_dump(const struct btf_image *img, const char *name, const struct elf_file *file)
{
	struct btf_dump *dump = NULL;
	struct btf *btf = btf_image_open(img);
	struct buf out = {};
	int ret = -1;

	if (btf)
		dump = btf_dump__new(btf, append, &out, NULL);
	if (dump)
		ret = dump_funcs(img, file, btf, &out, dump);
	if (ret)
		err("%s: cannot print its functions: %s", name, strerror(errno));
	btf_dump__free(dump);
	buf_free(&out);
	btf__free(btf);
	return ret ? -1 : 0;
}
