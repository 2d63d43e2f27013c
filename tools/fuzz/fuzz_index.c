// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions of a kernel, from BTF that no kernel has verified: vmlinux's, that of a module,
 * and /proc/kallsyms_btf (or /proc/kallsyms, if it begins with a K) behind them.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "way.h"

static void ask(const struct fentry_target *t, struct fentry_error *error)
{
	const struct fentry_target *found;
	char spec[256], label[FENTRY_LABEL_MAX], *text;

	fentry_target__spec(t, spec, sizeof(spec));
	fentry_target__label(t, label);
	fentry_target__unfit(t, false);
	fentry_target__unfit(t, true);
	fentry_index__lookup(t->idx, spec, &found, error);
	if (!fentry_target__prototype(t, &text, error))
		free(text);
}

static void plan(const struct fentry_index *idx, size_t cnt)
{
	struct fentry_point *points = calloc(cnt + 1, sizeof(*points));
	struct fentry_multi m = { .points = points, .cnt = cnt, .opts.exit = true };
	size_t i;

	for (i = 0; i < cnt; i++)
		points[i].target = fentry_index__target(idx, i);
	fentry_multi__check(&m);
	for (i = 0; i < cnt; i++)
		free(points[i].why);
	free(points);
}

/* Returns the size of the first BTF and the second one together. */
static size_t write_files(const uint8_t *data, size_t size)
{
	size_t first = fuzz_btf_size(data, size), second;

	second = first ? fuzz_btf_size(data + first, size - first) : 0;
	mkdir("btf", 0700);
	fuzz_write("btf/vmlinux", data, second ? first : size);
	unlink("btf/module");
	if (second)
		fuzz_write("btf/module", data + first, second);
	return first + second;
}

void fuzz_one(const uint8_t *data, size_t size)
{
	LIBBPF_OPTS(fentry_index_opts, opts, .btf_dir = "btf", .ids_path = "ids",
		    .kallsyms_path = "kallsyms");
	size_t rest = write_files(data, size), i, cnt;
	struct fentry_error error = {};
	struct fentry_index *idx;

	unlink("ids");
	if (rest == size || data[rest] != 'K')
		fuzz_write("ids", data + rest, size - rest);
	fuzz_write("kallsyms", data + rest, size - rest);
	if (fentry_index__open(&opts, &idx, &error))
		return;
	fuzz_taken();
	cnt = fentry_index__cnt(idx);
	for (i = 0; i < cnt && i < 64; i++)
		ask(fentry_index__target(idx, i), &error);
	plan(idx, cnt);
	fentry_index__free(idx);
}
