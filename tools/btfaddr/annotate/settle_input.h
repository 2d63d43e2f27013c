/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BTFADDR_SETTLE_INPUT_H
#define BTFADDR_SETTLE_INPUT_H

#include "annotate/annotator.h"

/* Remove the FUNCs that are left over, after the others have their addresses. */
void settle_input(struct annotator *a);

#endif
