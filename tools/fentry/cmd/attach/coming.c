// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "array.h"
#include "attach/coming.h"
#include "kallsyms.h"
#include "kernel/access.h"
#include "kernel/module_file.h"
#include "kernel/modules.h"

#define MODULE_BTF "/sys/kernel/btf"

static struct fentry_coming modules[16];
static bool is_made[16]; /* by make_btf() */
static size_t module_cnt;

/* The position of a module; module_cnt if it isn't there. */
static size_t find(const char *name)
{
	size_t i = 0;

	while (i < module_cnt && strcmp(modules[i].module, name))
		i++;
	return i;
}

bool coming__has(const char *module)
{
	return find(module) < module_cnt;
}

static bool write_btf(const struct btf *btf, char *path, size_t size)
{
	int fd = memfd_create("module", MFD_CLOEXEC);
	const void *data;
	__u32 len;

	data = btf__raw_data(btf, &len);
	snprintf(path, size, "/proc/self/fd/%d", fd);
	return fd >= 0 && data && write(fd, data, len) == (ssize_t)len;
}

static bool is_named_before(const struct selection *sel, const struct fentry_spec *spec)
{
	const struct fentry_spec *s;

	for (s = sel->specs; s < spec; s++)
		if (s->module && s->name && !strcmp(s->module, spec->module) &&
		    !strcmp(s->name, spec->name))
			return true;
	return false;
}

/*
 * Make BTF of the functions of a module that are named, as "void f(...)": an event needs the name
 * alone. Return false if something else than a name is asked for.
 */
static bool make_btf(const struct selection *sel, const char *module, char *path, size_t size)
{
	struct btf *base = btf__load_vmlinux_btf(), *btf = base ? btf__new_empty_split(base) : NULL;
	int proto = btf ? btf__add_func_proto(btf, 0) : -1;
	bool ok = proto > 0 && !btf__add_func_param(btf, "", 0);
	const struct fentry_spec *spec;

	for (spec = sel->specs; ok && spec < sel->specs + sel->spec_cnt; spec++)
		if (spec->module && !strcmp(spec->module, module))
			ok = spec->name && !spec->glob && !spec->unit && !spec->id &&
			     (is_named_before(sel, spec) ||
			      btf__add_func(btf, spec->name, BTF_FUNC_STATIC, proto) > 0);
	ok = ok && write_btf(btf, path, size);
	btf__free(btf);
	btf__free(base);
	return ok;
}

static bool add(const struct selection *sel, const char *name)
{
	struct fentry_coming *new = &modules[module_cnt];
	char path[64];
	int events;

	if (coming__has(name))
		return true;
	events = open_tracefs("kprobe_events", O_WRONLY, NULL);
	if (events < 0)
		return false;
	close(events);
	if (module_cnt == ARRAY_SIZE(modules))
		return false;
	is_made[module_cnt] = !module_file__open(name, path, sizeof(path));
	if (is_made[module_cnt] && !make_btf(sel, name, path, sizeof(path)))
		return false;
	*new = (struct fentry_coming){ strdup(name), strdup(path) };
	if (new->module &&new->path)
		module_cnt++;
	return new->module &&new->path;
}

static void wait_for(const char *module, struct waiter *w)
{
	const struct timespec pause = { .tv_nsec = 10000000 };

	if (!module__is_to_come(module))
		return;
	complain("waiting until module %s is loaded", module);
	while (module__is_to_come(module) && !waiter__interrupted(w))
		nanosleep(&pause, NULL);
	if (!w->interrupted)
		complain(
			"module %s was loaded: calls before now, as in its init function, were not seen",
			module);
}

/* An event has the name of a symbol: it can't tell several of one name apart. */
static bool is_told_apart(const struct fentry_index *idx, const struct fentry_spec *spec)
{
	const struct fentry_target **found = NULL;
	size_t i, cnt = 0;
	int err = fentry_index__find(idx, spec, &found, &cnt, NULL);

	for (i = 0; !err && i < cnt; i++)
		if (found[i]->same_name > 1)
			err = -ENOTUNIQ;
	free(found);
	return !err || err == -ENOENT;
}

/* Wait for those modules after all whose functions can't be told apart. */
static void settle(const struct selection *sel, struct waiter *w)
{
	const struct fentry_spec *spec;
	struct fentry_index *idx;
	size_t i;

	expect_modules(modules, is_made, module_cnt);
	if (!module_cnt || open_index(&idx))
		return;
	for_each(spec, sel->specs, sel->spec_cnt) {
		i = spec->module ? find(spec->module) : module_cnt;
		if (i == module_cnt || is_told_apart(idx, spec))
			continue;
		modules[i] = modules[--module_cnt];
		is_made[i] = is_made[module_cnt];
		wait_for(spec->module, w);
	}
	fentry_index__free(idx);
	expect_modules(modules, is_made, module_cnt);
	for (i = 0; i < module_cnt; i++)
		complain(
			"module %s isn't loaded yet: events trace its functions from the first call on%s",
			modules[i].module,
			is_made[i] ?
				", without arguments: no installed file of it has BTF that can be read before" :
				"");
}

void coming__prepare(const struct selection *sel, struct waiter *w, bool early)
{
	const struct fentry_spec *spec;

	for_each(spec, sel->specs, sel->spec_cnt) {
		if (!spec->module || !strcmp(spec->module, "vmlinux") ||
		    !module__is_to_come(spec->module))
			continue;
		if (!early || !add(sel, spec->module))
			wait_for(spec->module, w);
	}
	settle(sel, w);
}

/* Has a module that was loaded its file's BTF? A target may have that of a functions file. */
static bool is_same(const struct fentry_coming *module)
{
	struct btf *base = btf__load_vmlinux_btf(), *btf = btf__parse_split(module->path, base);
	const void *own = NULL;
	char path[256], *data;
	__u32 size = 0;
	bool same;
	FILE *f;

	if (!libbpf_get_error(btf))
		own = btf__raw_data(btf, &size);
	snprintf(path, sizeof(path), MODULE_BTF "/%s", module->module);
	f = fopen(path, "re");
	data = malloc(size + 1);
	same = f && data && own && fread(data, 1, size + 1, f) == size && !memcmp(data, own, size);
	free(data);
	if (f)
		fclose(f);
	btf__free(btf);
	btf__free(base);
	return same;
}

static int is_symbol_of(void *ctx, const struct fentry_symbol *symbol)
{
	const struct fentry_target *t = ctx;

	return symbol->module && !strcmp(symbol->module, t->module) &&
	       !strcmp(symbol->name, t->name);
}

/* Has a module that was loaded the symbol of a function? If that can't be read, nobody knows. */
static bool has_symbol(const struct fentry_target *target)
{
	return fentry_kallsyms__read("/proc/kallsyms", is_symbol_of, (void *)target, NULL);
}

void coming__complain(const struct selection *sel)
{
	const char *last = "";
	size_t i;

	for (i = 0; i < sel->cnt; i++) {
		const struct fentry_target *t = sel->targets[i];

		if (!fentry_target__is_coming(t))
			continue;
		if (is_made[find(t->module)] && !module__is_to_come(t->module) && !has_symbol(t))
			complain("module %s has no function %s", t->module, t->name);
		/* the functions of a module follow one another */
		if (!strcmp(t->module, last))
			continue;
		last = t->module;
		if (module__is_to_come(last))
			complain("module %s isn't loaded", last);
		else if (!is_made[find(last)] && !is_same(&modules[find(last)]))
			complain(
				"module %s was loaded from another file than modprobe's: arguments may be wrong, and functions may be missing",
				last);
	}
}
