/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The printer of fentry_target__prototype() for the functions of one BTF. */
#ifndef FENTRY_PRINTER_H
#define FENTRY_PRINTER_H

struct fentry_printer;

/* Release a printer; NULL is fine. */
void fentry_printer__free(struct fentry_printer *p);

#endif /* FENTRY_PRINTER_H */
