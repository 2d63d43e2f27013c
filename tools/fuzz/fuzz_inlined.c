// SPDX-License-Identifier: GPL-2.0-only
/* A file of inlined calls, as "btfaddr --functions" writes it, behind the BTF that it continues. */
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"
#include "libfentry.h"

#define CALLS_MAX 64

static void ask(const struct fentry_target *t)
{
	const struct fentry_inlined_call **calls;
	struct fentry_location at;
	struct fentry_error error;
	char *text, where[256];
	size_t i, len, cnt = 0;

	if (fentry_target__inlined_calls(t, &calls, &cnt, &error))
		calls = NULL;
	len = strlen(t->unit ?: "") + strlen(fentry_target__inlined_unknown(t, 0) ?: "");
	for (i = 0; i < cnt && i < CALLS_MAX; i++) {
		fentry_inlined_call__where(calls[i], where, sizeof(where));
		len += strlen(where) + strlen(calls[i]->symbol ?: "") + strlen(calls[i]->section);
		fentry_inlined_call__location(calls[i], i % 4, &at);
	}
	free(calls);
	FUZZ_CHECK(len != SIZE_MAX); /* the texts are read */
	if (!fentry_target__prototype(t, &text, &error))
		free(text);
}

void fuzz_one(const uint8_t *data, size_t size)
{
	LIBBPF_OPTS(fentry_index_opts, opts, .btf_dir = "btf", .ids_path = "/dev/null",
		    .functions_path = "btf");
	struct fentry_spec all = { .name = (char *)"*", .glob = true };
	size_t first = fuzz_btf_size(data, size), i, cnt = 0;
	const struct fentry_target **found;
	struct fentry_error error;
	struct fentry_index *idx;

	if (!first)
		return;
	mkdir("btf", 0700);
	fuzz_write("btf/vmlinux", data, first);
	fuzz_write("btf/vmlinux.functions", data + first, size - first);
	if (fentry_index__open(&opts, &idx, &error))
		return;
	if (fentry_index__has_inlined(idx))
		fuzz_taken();
	for (i = 0; i < fentry_index__cnt(idx) && i < CALLS_MAX; i++)
		ask(fentry_index__target(idx, i));
	if (!fentry_index__find_inlined(idx, &all, &found, &cnt)) {
		for (i = 0; i < cnt && i < CALLS_MAX; i++)
			ask(found[i]);
		free(found);
	}
	fentry_index__free(idx);
}
