/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of modules that aren't loaded. */
#ifndef FENTRY_MODULE_FILE_H
#define FENTRY_MODULE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Find a module in one of depmod's lists.
 * @list: the list, as "modules.dep"
 * @ret: receives the path in the list's line; NULL: nobody wants it
 *
 * The kernel has '_' in a module's name where the file's may have '-'.
 */
bool module_list__find(const char *list, const char *module, char *ret, size_t size);

/*
 * Find the file that modprobe would load, and unpack it if it is compressed.
 * @ret: receives a path that this process can open until it ends
 *
 * Return: false if there is none, or it has no BTF on top of that of vmlinux alone.
 */
bool module_file__open(const char *module, char *ret, size_t size);

#endif /* FENTRY_MODULE_FILE_H */
