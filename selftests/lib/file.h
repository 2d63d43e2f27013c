/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads and writes whole files. */
#ifndef SELFTESTS_FILE_H
#define SELFTESTS_FILE_H

#include <libelf.h>
#include <stddef.h>

/**
 * file__read() - Read as much of a file as stat() says; free() releases *@ret.
 *
 * Return: 0 or a negative errno.
 */
int file__read(const char *path, void **ret, size_t *size);

/** file__write() - Write a text by one write(). @flags: beside O_WRONLY. Return: as above. */
int file__write(const char *path, int flags, const char *text);

/** file__text() - The first 64 KB of a file as text, kept until the next call; "" on errors. */
const char *file__text(const char *path);

/** file__number() - The number that a file begins with; -1 if it can't be read. */
long file__number(const char *path);

/** file__lines() - How many lines contain @text; SIZE_MAX if there is no such file. */
size_t file__lines(const char *path, const char *text);

/** elf_sect__data() - The bytes of a section, which belong to @elf, or NULL. */
Elf_Data *elf_sect__data(Elf *elf, const char *name);

#endif /* SELFTESTS_FILE_H */
