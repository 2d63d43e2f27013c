// SPDX-License-Identifier: GPL-2.0
/*
 * The functions of the running kernel, out of two sources:
 *
 * - /sys/kernel/btf/vmlinux: FUNCs, and DECL_TAGs "cu:<path>" on those whose
 *   name is ambiguous;
 * - /proc/kallsyms_btf: for each function
 *	ffffffff81000000 t bpf_iter_detach_map\t1:4711
 *   that is address, type, name, BTF object id and type id. Functions of
 *   modules have \t[module] before the ids.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>

#include "internal.h"

#define DEFAULT_BTF_PATH "/sys/kernel/btf/vmlinux"
#define DEFAULT_IDS_PATH "/proc/kallsyms_btf"
#define UNIT_TAG "cu:"

struct fentry_index {
	struct btf *btf;
	struct fentry_target *targets;	/* sorted by fentry_target__cmp() */
	size_t cnt;
	pthread_mutex_t lock;		/* protects what follows */
	struct btf_dump *dump;		/* prints prototypes; made when needed */
	FILE *out;			/* where dump writes to at the moment */
};

/* While an index is read: positions in targets by type id, 0 for none. */
struct builder {
	struct fentry_index *idx;
	__u32 *pos;			/* 1 + position */
	__u32 type_cnt;
	const char *ids_path;
	struct fentry_error *error;
};

int fentry_target__cmp(const void *a, const void *b)
{
	const struct fentry_target *x = a, *y = b;
	int diff = strcmp(x->name, y->name);

	if (diff)
		return diff;
	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->type_id < y->type_id ? -1 : x->type_id > y->type_id;
}

static int read_btf(struct fentry_index *idx, const char *path,
		    struct fentry_error *error)
{
	int err;

	idx->btf = btf__parse(path, NULL);
	err = libbpf_get_error(idx->btf);
	if (!err)
		return 0;
	idx->btf = NULL;
	if (err == -ENOENT)
		return fentry_error__set(error, -EOPNOTSUPP,
			"no %s: this kernel was built without CONFIG_DEBUG_INFO_BTF",
			path);
	return fentry_error__set(error, err, "can't read BTF from %s: %s",
				 path, strerror(-err));
}

/* One target for each FUNC, in the order of ids. */
static int add_funcs(struct builder *b)
{
	struct fentry_index *idx = b->idx;
	const struct btf_type *t;
	__u32 id, cnt = 0;

	b->type_cnt = btf__type_cnt(idx->btf);
	for (id = 1; id < b->type_cnt; id++)
		cnt += btf_is_func(btf__type_by_id(idx->btf, id));

	b->pos = calloc(b->type_cnt, sizeof(*b->pos));
	idx->targets = calloc(cnt ?: 1, sizeof(*idx->targets));
	if (!b->pos || !idx->targets)
		return fentry_error__set(b->error, -ENOMEM, "out of memory");

	for (id = 1; id < b->type_cnt; id++) {
		t = btf__type_by_id(idx->btf, id);
		if (!btf_is_func(t))
			continue;
		idx->targets[idx->cnt].name =
			btf__name_by_offset(idx->btf, t->name_off);
		idx->targets[idx->cnt].type_id = id;
		b->pos[id] = ++idx->cnt;
	}
	return 0;
}

static void add_units(struct builder *b)
{
	const struct btf *btf = b->idx->btf;
	const struct btf_type *t;
	const char *tag;
	__u32 id;

	for (id = 1; id < b->type_cnt; id++) {
		t = btf__type_by_id(btf, id);
		if (!btf_is_decl_tag(t) || btf_decl_tag(t)->component_idx != -1 ||
		    t->type >= b->type_cnt || !b->pos[t->type])
			continue;
		tag = btf__name_by_offset(btf, t->name_off);
		if (!strncmp(tag, UNIT_TAG, strlen(UNIT_TAG)))
			b->idx->targets[b->pos[t->type] - 1].unit =
				tag + strlen(UNIT_TAG);
	}
}

/* A line of /proc/kallsyms_btf; name and module point into the line. */
struct ids_line {
	unsigned long long addr;
	char *name;
	char *module;			/* without brackets; NULL for vmlinux */
	unsigned int obj_id, type_id;
};

static bool parse_ids_line(char *line, struct ids_line *ret)
{
	char *save, *addr, *type, *field, *end;

	addr = strtok_r(line, " \t\n", &save);
	type = strtok_r(NULL, " \t\n", &save);
	ret->name = strtok_r(NULL, " \t\n", &save);
	field = strtok_r(NULL, " \t\n", &save);
	if (!addr || !type || type[1] || !ret->name || !field)
		return false;

	ret->module = NULL;
	if (field[0] == '[') {
		ret->module = field + 1;
		ret->module[strcspn(ret->module, "]")] = '\0';
		field = strtok_r(NULL, " \t\n", &save);
	}
	ret->addr = strtoull(addr, &end, 16);
	return !*end && field && !strtok_r(NULL, " \t\n", &save) &&
	       sscanf(field, "%u:%u", &ret->obj_id, &ret->type_id) == 2;
}

static int add_line(struct builder *b, char *line, unsigned long nr)
{
	struct fentry_target *target;
	struct ids_line l;

	if (!parse_ids_line(line, &l))
		return fentry_error__set(b->error, -EINVAL,
			"%s:%lu: expected 'address type name [module] object:type'",
			b->ids_path, nr);
	if (l.module)
		return 0;
	if (l.type_id >= b->type_cnt || !b->pos[l.type_id])
		return fentry_error__set(b->error, -EINVAL,
			"%s:%lu: BTF id %u of %s is no function: the two files are not of the same kernel",
			b->ids_path, nr, l.type_id, l.name);

	target = &b->idx->targets[b->pos[l.type_id] - 1];
	if (strcmp(target->name, l.name))
		return fentry_error__set(b->error, -EINVAL,
			"%s:%lu: BTF id %u is %s, not %s: the two files are not of the same kernel",
			b->ids_path, nr, l.type_id, target->name, l.name);
	target->addr = l.addr;
	target->obj_id = l.obj_id;
	return 0;
}

static int add_addresses(struct builder *b)
{
	unsigned long nr = 0;
	size_t size = 0;
	char *line = NULL;
	int err = 0;
	FILE *f;

	f = fopen(b->ids_path, "re");
	if (!f && errno == ENOENT)
		return fentry_error__set(b->error, -EOPNOTSUPP,
			"this kernel has no %s: it was built without CONFIG_DEBUG_INFO_BTF_FUNC_ADDR; boot one with the series applied",
			b->ids_path);
	if (!f) {
		err = -errno;
		return fentry_error__set(b->error, err, "can't open %s: %s",
					 b->ids_path, strerror(-err));
	}
	errno = 0;
	while (!err && getline(&line, &size, f) >= 0)
		err = add_line(b, line, ++nr);
	if (!err && !feof(f)) {
		err = -errno ?: -EIO;
		fentry_error__set(b->error, err, "can't read %s: %s",
				  b->ids_path, strerror(-err));
	}
	free(line);
	fclose(f);
	return err;
}

int fentry_index__open(const struct fentry_index_opts *opts,
		       struct fentry_index **ret, struct fentry_error *error)
{
	struct builder b = { .error = error, .ids_path = DEFAULT_IDS_PATH };
	const char *btf_path = DEFAULT_BTF_PATH;
	struct fentry_index *idx;
	int err;

	if (opts && opts->btf_path)
		btf_path = opts->btf_path;
	if (opts && opts->ids_path)
		b.ids_path = opts->ids_path;

	idx = calloc(1, sizeof(*idx));
	if (!idx)
		return fentry_error__set(error, -ENOMEM, "out of memory");
	pthread_mutex_init(&idx->lock, NULL);
	b.idx = idx;

	err = read_btf(idx, btf_path, error);
	if (!err)
		err = add_funcs(&b);
	if (!err) {
		add_units(&b);
		err = add_addresses(&b);
	}
	free(b.pos);
	if (err) {
		fentry_index__free(idx);
		return err;
	}
	qsort(idx->targets, idx->cnt, sizeof(*idx->targets), fentry_target__cmp);
	*ret = idx;
	return 0;
}

void fentry_index__free(struct fentry_index *idx)
{
	if (!idx)
		return;
	btf_dump__free(idx->dump);
	btf__free(idx->btf);
	pthread_mutex_destroy(&idx->lock);
	free(idx->targets);
	free(idx);
}

const struct fentry_target *
fentry_index__targets(const struct fentry_index *idx, size_t *cnt)
{
	*cnt = idx->cnt;
	return idx->targets;
}

const struct btf *fentry_index__btf(const struct fentry_index *idx,
				    const struct fentry_target *target)
{
	(void)target;			/* one BTF for all, until modules come */
	return idx->btf;
}

static void dump_printf(void *ctx, const char *fmt, va_list args)
{
	struct fentry_index *idx = ctx;

	vfprintf(idx->out, fmt, args);
}

/* Runs of white space (an anonymous struct takes several lines) to one blank. */
static void squeeze(char *text)
{
	char *from, *to = text;

	for (from = text; *from; from++) {
		if (*from != ' ' && *from != '\t' && *from != '\n')
			*to++ = *from;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
	}
	*to = '\0';
}

/*
 * libbpf prints a function without parameters as f(): say f(void), as a
 * prototype must. @text is replaced if need be.
 */
static int say_void(char **text, const char *name)
{
	size_t len = strlen(name);
	char *at = *text, *new;

	while ((at = strstr(at, name)) && strncmp(at + len, "()", 2))
		at++;
	if (!at)
		return 0;
	at += len + 1;			/* between the parentheses */
	if (asprintf(&new, "%.*svoid%s", (int)(at - *text), *text, at) < 0)
		return -ENOMEM;
	free(*text);
	*text = new;
	return 0;
}

/* With idx->lock held. */
static int emit_prototype(struct fentry_index *idx,
			  const struct fentry_target *target, char **ret)
{
	const struct btf_type *func = btf__type_by_id(idx->btf, target->type_id);
	LIBBPF_OPTS(btf_dump_emit_type_decl_opts, opts,
		    .field_name = target->name);
	char *text = NULL;
	size_t size;
	int err;

	if (!idx->dump) {
		struct btf_dump *dump;

		dump = btf_dump__new(idx->btf, dump_printf, idx, NULL);
		err = libbpf_get_error(dump);
		if (err)
			return err;
		idx->dump = dump;
	}
	idx->out = open_memstream(&text, &size);
	if (!idx->out)
		return -errno;
	err = btf_dump__emit_type_decl(idx->dump, func->type, &opts);
	if (fclose(idx->out) && !err)
		err = -ENOMEM;
	idx->out = NULL;
	if (!err) {
		squeeze(text);
		err = say_void(&text, target->name);
	}
	if (err) {
		free(text);
		return err;
	}
	*ret = text;
	return 0;
}

int fentry_target__prototype(struct fentry_index *idx,
			     const struct fentry_target *target, char **ret,
			     struct fentry_error *error)
{
	int err;

	pthread_mutex_lock(&idx->lock);
	err = emit_prototype(idx, target, ret);
	pthread_mutex_unlock(&idx->lock);
	if (err)
		return fentry_error__set(error, err,
			"can't print the prototype of %s (#%u): %s",
			target->name, target->type_id, strerror(-err));
	return 0;
}
