/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What prints the functions of a BTF as C declarations: see fentry_target__prototype(). */
#ifndef FENTRY_PRINTER_H
#define FENTRY_PRINTER_H

struct fentry_printer;

/** fentry_printer__free() - Release it. @p: may be NULL */
void fentry_printer__free(struct fentry_printer *p);

#endif /* FENTRY_PRINTER_H */
