// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"

int file__read(const char *path, void **ret, size_t *size)
{
	struct stat st;
	void *data;
	int err = 0;
	FILE *f;

	f = fopen(path, "re");
	if (!f)
		return -errno;
	if (fstat(fileno(f), &st)) {
		err = -errno;
		fclose(f);
		return err;
	}
	data = malloc(st.st_size + 1);
	if (!data || fread(data, 1, st.st_size + 1, f) != (size_t)st.st_size)
		err = data ? -EIO : -ENOMEM;
	fclose(f);
	if (err) {
		free(data);
		return err;
	}
	*ret = data;
	*size = st.st_size;
	return 0;
}

int file__write(const char *path, int flags, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | flags), err = 0;
	size_t len = strlen(text);

	if (fd < 0)
		return -errno;
	if (write(fd, text, len) != (ssize_t)len)
		err = -errno;
	close(fd);
	return err;
}

const char *file__text(const char *path)
{
	static char text[65536];
	FILE *f = fopen(path, "re");

	text[f ? fread(text, 1, sizeof(text) - 1, f) : 0] = '\0';
	if (f)
		fclose(f);
	return text;
}

long file__number(const char *path)
{
	FILE *f = fopen(path, "re");
	long number = -1;

	if (!f)
		return -1;
	if (fscanf(f, "%ld", &number) != 1)
		number = -1;
	fclose(f);
	return number;
}

size_t file__lines(const char *path, const char *text)
{
	char *line = NULL;
	size_t size = 0, n = 0;
	FILE *f = fopen(path, "re");

	while (f && getline(&line, &size, f) >= 0)
		n += strstr(line, text) != NULL;
	free(line);
	if (f)
		fclose(f);
	return f ? n : SIZE_MAX;
}

Elf_Data *elf_sect__data(Elf *elf, const char *name)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &shdr) &&
		    !strcmp(elf_strptr(elf, names, shdr.sh_name) ?: "", name))
			return elf_rawdata(scn, NULL);
	return NULL;
}
