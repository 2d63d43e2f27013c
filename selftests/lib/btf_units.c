// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "btf_units.h"

const char **btf_units__read(const struct btf *btf)
{
	__u32 id, cnt = btf__type_cnt(btf);
	const char **units = calloc(cnt, sizeof(*units));

	for (id = 1; units && id < cnt; id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);
		const char *tag;

		if (!btf_is_decl_tag(t) || btf_decl_tag(t)->component_idx != -1)
			continue;
		tag = btf__name_by_offset(btf, t->name_off);
		if (!strncmp(tag, "cu:", 3) && t->type < cnt)
			units[t->type] = tag + 3;
	}
	return units;
}
