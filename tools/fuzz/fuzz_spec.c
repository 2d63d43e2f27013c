// SPDX-License-Identifier: GPL-2.0-only
/* What a user writes to say which function is meant: parsed, and looked up in a small index. */
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"
#include "index.h"

/* Functions that share names, units and suffixes. */
static struct fentry_index *make_index(void)
{
	static const char *const names[] = { "twin", "twin", "foo.isra.0", "alone", "twin.llvm.1" };
	static const char *const units[] = { "cu:a/b.c", "cu:c/b.c", NULL, NULL, "cu:c/b.c" };
	LIBBPF_OPTS(fentry_index_opts, opts, .btf_dir = "btf", .ids_path = "ids");
	struct btf *btf = btf__new_empty();
	struct fentry_index *idx = NULL;
	const void *data;
	__u32 size;
	int i, id;

	btf__add_func_proto(btf, 0);
	for (i = 0; i < 5; i++) {
		id = btf__add_func(btf, names[i], BTF_FUNC_STATIC, 1);
		if (units[i])
			btf__add_decl_tag(btf, units[i], id, -1);
	}
	data = btf__raw_data(btf, &size);
	mkdir("btf", 0700);
	fuzz_write("btf/vmlinux", data, size);
	fuzz_write("ids", "", 0);
	btf__free(btf);
	FUZZ_CHECK(!fentry_index__open(&opts, &idx, NULL));
	return idx;
}

/* The text of a specification must be parsed to an equal one. */
static void check_text(const struct fentry_spec *spec)
{
	struct fentry_spec again;
	char text[4096], second[4096];

	fentry_spec__text(spec, text, sizeof(text));
	if (strlen(text) + 1 == sizeof(text))
		return; /* cut */
	FUZZ_CHECK(!fentry_spec__parse(text, &again, NULL));
	fentry_spec__text(&again, second, sizeof(second));
	FUZZ_CHECK(!strcmp(text, second));
	fentry_spec__clear(&again);
}

void fuzz_one(const uint8_t *data, size_t size)
{
	static struct fentry_index *idx;
	const struct fentry_target *target;
	struct fentry_error *error = calloc(1, sizeof(*error));
	char *text = strndup((const char *)data, size);
	struct fentry_spec spec;
	size_t i;

	if (!idx)
		idx = make_index();
	if (!fentry_spec__parse(text, &spec, error)) {
		fuzz_taken();
		check_text(&spec);
		for (i = 0; (target = fentry_index__target(idx, i)); i++)
			fentry_spec__match(&spec, target);
		fentry_spec__clear(&spec);
	}
	fentry_index__lookup(idx, text, &target, error);
	FUZZ_CHECK(memchr(error->msg, 0, sizeof(error->msg)));
	free(text);
	free(error);
}
