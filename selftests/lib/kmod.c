// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/module.h>

#include "env.h"
#include "file.h"
#include "kmod.h"

#define WAIT_SECS 30

static void module_path(const char *name, const char *suffix, char *path)
{
	snprintf(path, PATH_MAX, "%s/%s.ko%s", env__need("MODULES"), name, suffix);
}

static int open_module(const char *name, const char *suffix)
{
	char path[PATH_MAX];
	int fd;

	module_path(name, suffix, path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int kmod__load(const char *name, const char *params)
{
	int fd = open_module(name, ""), flags = 0, err = 0;

	if (fd == -ENOENT) {
		fd = open_module(name, ".zst");
		flags = MODULE_INIT_COMPRESSED_FILE;
	}
	if (fd < 0)
		return fd;
	/* A test that failed may have left it behind. */
	kmod__try_unload(name);
	if (syscall(SYS_finit_module, fd, params, flags))
		err = -errno;
	close(fd);
	return err;
}

int kmod__read(const char *name, void **image, size_t *size)
{
	char path[PATH_MAX];

	module_path(name, "", path);
	return file__read(path, image, size);
}

int kmod__load_image(const void *image, size_t size)
{
	return syscall(SYS_init_module, image, size, "") ? -errno : 0;
}

int kmod__try_unload(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK) ? -errno : 0;
}

int kmod__unload(const char *name)
{
	time_t end = time(NULL) + WAIT_SECS;
	int err;

	while ((err = kmod__try_unload(name)) == -EAGAIN && time(NULL) < end)
		sched_yield();
	return err;
}

int kmod__write_param(const char *name, const char *param, const char *value)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/sys/module/%s/parameters/%s", name, param);
	return file__write(path, 0, value);
}

int kmod__wait_for(const char *name, const char *state)
{
	time_t end = time(NULL) + WAIT_SECS;
	char path[PATH_MAX], now[16];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/module/%s/initstate", name);
	while (time(NULL) < end) {
		f = fopen(path, "re");
		if (!f)
			return -errno;
		if (fscanf(f, "%15s", now) != 1)
			*now = '\0';
		fclose(f);
		if (!strcmp(now, state))
			return 0;
		sched_yield();
	}
	return -ETIMEDOUT;
}

#define MAX_TEXT 256

int kinds_mod__load(struct fentry_index **idx, struct fentry_error *error)
{
	int err = fentry_register(error);

	if (err)
		return err;
	err = kmod__load(KINDS_MODULE, "");
	if (err) {
		snprintf(error->msg, sizeof(error->msg), "cannot load " KINDS_MODULE ": %s",
			 strerror(-err));
		return err;
	}
	err = fentry_index__open(NULL, idx, error);
	if (err)
		kmod__unload(KINDS_MODULE);
	return err;
}

int kinds_mod__unload(struct fentry_index *idx)
{
	fentry_index__free(idx);
	return kmod__unload(KINDS_MODULE);
}

/* Find the module's function for @len bytes of @text and @suffix; NULL if none or several match. */
static const struct fentry_target *resolve(const struct fentry_index *idx, const char *text,
					   size_t len, const char *suffix)
{
	const struct fentry_target **found = NULL, *target = NULL;
	struct fentry_spec spec = {};
	char whole[MAX_TEXT];
	size_t cnt;

	snprintf(whole, sizeof(whole), KINDS_MODULE ":%.*s%s", (int)len, text, suffix);
	if (!fentry_spec__parse(whole, &spec, NULL) &&
	    !fentry_index__find(idx, &spec, &found, &cnt, NULL) && cnt == 1)
		target = found[0];
	fentry_spec__clear(&spec);
	free(found);
	return target;
}

const struct fentry_target *kinds_mod__find(const struct fentry_index *idx, const char *text)
{
	size_t name = strcspn(text, "@ ");
	const struct fentry_target *target;

	target = resolve(idx, text, strcspn(text, " "), "");
	if (!target)
		target = resolve(idx, text, name, "");
	return target ?: resolve(idx, text, name, ".*");
}

int kinds_mod__call(const char *text)
{
	return kmod__write_param(KINDS_MODULE, "call", text);
}

long kinds_mod__result(void)
{
	return file__number("/sys/module/" KINDS_MODULE "/parameters/call");
}
