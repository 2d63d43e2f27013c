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

char *kmod__path(const char *name)
{
	char path[PATH_MAX];

	module_path(name, "", path);
	return strdup(path);
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
