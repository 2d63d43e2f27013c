/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_DISTILL_H
#define BTFADDR_DISTILL_H

#include "btf/btf_image.h"

/**
 * distill() - replace a module's base by one that has only what it refers to
 * @img: BTF of a module; gets other type ids, in the same order
 * @name: of the module, for messages
 *
 * The base that results belongs into .BTF.base. From it the kernel finds the types
 * meant in a vmlinux other than the one that the module was built with.
 *
 * Return: 0, or -1 after an error message.
 */
int distill(struct btf_image *img, const char *name);

#endif
