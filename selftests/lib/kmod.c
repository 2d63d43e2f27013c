// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/module.h>

#include "env.h"
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
	int fd = open_module(name, ""), err = 0;
	struct stat st;
	void *data;

	if (fd < 0)
		return fd;
	data = fstat(fd, &st) ? NULL : malloc(st.st_size);
	if (!data)
		err = -ENOMEM;
	else if (read(fd, data, st.st_size) != st.st_size)
		err = -EIO;
	close(fd);
	if (err) {
		free(data);
		return err;
	}
	*image = data;
	*size = st.st_size;
	return 0;
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
	size_t len = strlen(value);
	char path[PATH_MAX];
	int fd, err = 0;

	snprintf(path, sizeof(path), "/sys/module/%s/parameters/%s", name, param);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, value, len) != (ssize_t)len)
		err = -errno;
	close(fd);
	return err;
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
