/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_DECLARATION_H
#define BTFADDR_DECLARATION_H

#include "dwarf/dwarf_die.h"

/**
 * die_declaration() - a function as its source declares it, in C
 * @func: its DIE, concrete or not
 * @variadic: it ends in `...`, which @func's origin need not say
 *
 * Without storage class, attributes and semicolon. Types have the source's names, base
 * types one spelling for all compilers; an array that is a parameter is a pointer.
 *
 * Return: to be freed; NULL if DWARF is damaged.
 */
char *die_declaration(Dwarf_Die *func, bool variadic);

#endif
