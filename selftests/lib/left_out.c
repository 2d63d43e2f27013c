// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "env.h"
#include "left_out.h"

/* A line is "0x1234\tname\treason". */
static int add_line(struct left_out *l, const char *line)
{
	struct left_out_func func = {}, *funcs;

	if (sscanf(line, "%llx\t%m[^\t]\t%m[^\n]", &func.offset, &func.name, &func.reason) != 3) {
		free(func.name);
		return -EINVAL;
	}
	funcs = reallocarray(l->funcs, l->cnt + 1, sizeof(*funcs));
	if (!funcs) {
		free(func.name);
		free(func.reason);
		return -ENOMEM;
	}
	l->funcs = funcs;
	l->funcs[l->cnt++] = func;
	return 0;
}

int left_out__read(struct left_out *ret)
{
	const char *path = env__need("LEFT_OUT");
	char *line = NULL;
	size_t size = 0;
	int err = 0;
	FILE *f;

	memset(ret, 0, sizeof(*ret));
	f = fopen(path, "re");
	if (!f)
		return -errno;
	while (!err && getline(&line, &size, f) >= 0)
		err = add_line(ret, line);
	if (!err && ferror(f))
		err = -EIO;
	fclose(f);
	free(line);
	if (err)
		left_out__free(ret);
	return err;
}

void left_out__free(struct left_out *l)
{
	size_t i;

	for (i = 0; i < l->cnt; i++) {
		free(l->funcs[i].name);
		free(l->funcs[i].reason);
	}
	free(l->funcs);
	memset(l, 0, sizeof(*l));
}

const char *left_out__reason(const struct left_out *l, const char *name, __u64 offset)
{
	size_t i;

	for (i = 0; i < l->cnt; i++)
		if (l->funcs[i].offset == offset && !strcmp(l->funcs[i].name, name))
			return l->funcs[i].reason;
	return NULL;
}
