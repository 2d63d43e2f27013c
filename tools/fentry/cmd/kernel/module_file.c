// SPDX-License-Identifier: GPL-2.0-only
#include <elf.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/module_file.h"

extern char **environ;

static void list_path(const char *list, char *ret, size_t size)
{
	struct utsname uts = {};

	uname(&uts);
	snprintf(ret, size, "/lib/modules/%s/%s", uts.release, list);
}

static bool is_of(const char *file, const char *module)
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;

	for (; *name && *name != '.' && *module; name++, module++)
		if (*name != *module && (*name != '-' || *module != '_'))
			return false;
	return !*module && *name == '.';
}

bool module_list__find(const char *list, const char *module, char *ret, size_t size)
{
	char path[256], *line = NULL;
	size_t line_size = 0;
	bool found = false;
	FILE *f;

	list_path(list, path, sizeof(path));
	f = fopen(path, "re");
	while (f && !found && getline(&line, &line_size, f) >= 0) {
		line[strcspn(line, ":\n")] = '\0';
		found = is_of(line, module);
	}
	if (found && ret)
		snprintf(ret, size, "%s", line);
	free(line);
	if (f)
		fclose(f);
	return found;
}

/* Run a program that unpacks a file. Return a file descriptor of the result, or -1. */
static int unpack(const char *program, char *path)
{
	char *argv[] = { (char *)program, "-dc", path, NULL };
	int fd = memfd_create("module", MFD_CLOEXEC), status = -1;
	posix_spawn_file_actions_t actions;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fd, STDOUT_FILENO);
	if (!posix_spawnp(&pid, program, &actions, NULL, argv, environ))
		waitpid(pid, &status, 0);
	posix_spawn_file_actions_destroy(&actions);
	if (!status || fd < 0)
		return fd;
	close(fd);
	return -1;
}

static bool has_section(const char *data, size_t size, const char *wanted)
{
	const Elf64_Ehdr *e = (const void *)data;
	const Elf64_Shdr *s, *names;
	size_t i, len = strlen(wanted) + 1;

	if (size < sizeof(*e) || memcmp(e->e_ident, ELFMAG, SELFMAG) || e->e_shoff > size ||
	    (size - e->e_shoff) / sizeof(*s) < e->e_shnum || e->e_shstrndx >= e->e_shnum)
		return false;
	s = (const void *)(data + e->e_shoff);
	names = &s[e->e_shstrndx];
	for (i = 0; i < e->e_shnum; i++)
		if (names->sh_offset < size && s[i].sh_name < size - names->sh_offset &&
		    len <= size - names->sh_offset - s[i].sh_name &&
		    !memcmp(data + names->sh_offset + s[i].sh_name, wanted, len))
			return true;
	return false;
}

/* BTF on top of a distilled base (.BTF.base) has other ids until the module is loaded. */
static bool is_usable(int fd)
{
	struct stat st;
	bool usable = false;
	char *data;

	if (fd < 0 || fstat(fd, &st) || !st.st_size)
		return false;
	data = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return false;
	usable = has_section(data, st.st_size, ".BTF") &&
		 !has_section(data, st.st_size, ".BTF.base");
	munmap(data, st.st_size);
	return usable;
}

bool module_file__open(const char *module, char *ret, size_t size)
{
	static const char *const packed[][2] = { { ".xz", "xz" },
						 { ".zst", "zstd" },
						 { ".gz", "gzip" } };
	char listed[4096], path[4200];
	const char *suffix;
	int fd = -1;
	size_t i;

	if (!module_list__find("modules.dep", module, listed, sizeof(listed)))
		return false;
	list_path(listed, path, sizeof(path));
	suffix = strrchr(listed, '.');
	for (i = 0; i < 3; i++)
		if (!strcmp(suffix, packed[i][0]))
			fd = unpack(packed[i][1], path);
	if (!strcmp(suffix, ".ko"))
		fd = open(path, O_RDONLY | O_CLOEXEC);
	if (!is_usable(fd)) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	snprintf(ret, size, "/proc/self/fd/%d", fd);
	return true;
}
