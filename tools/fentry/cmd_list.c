// SPDX-License-Identifier: GPL-2.0
/* fentry list: a table of functions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

/* The columns whose width depends on what is in them. */
struct widths {
	int id, name, unit;
};

static void widen(int *width, int needed)
{
	if (*width < needed)
		*width = needed;
}

static const char *unit_text(const struct fentry_target *target)
{
	return target->unit ?: "-";
}

static struct widths measure(const struct fentry_target **targets, size_t cnt)
{
	struct widths w = { strlen("BTF-ID"), strlen("FUNCTION"),
			    strlen("UNIT") };
	size_t i;

	for (i = 0; i < cnt; i++) {
		widen(&w.id, snprintf(NULL, 0, "%u", targets[i]->type_id));
		widen(&w.name, strlen(targets[i]->name));
		widen(&w.unit, strlen(unit_text(targets[i])));
	}
	return w;
}

static int print_table(struct fentry_index *idx,
		       const struct fentry_target **targets, size_t cnt)
{
	struct widths w = measure(targets, cnt);
	struct fentry_error error;
	bool hidden = true;
	char *prototype;
	size_t i;

	printf("%-16s  %*s  %-*s  %-*s  %s\n", "ADDRESS", w.id, "BTF-ID",
	       w.name, "FUNCTION", w.unit, "UNIT", "PROTOTYPE");
	for (i = 0; i < cnt; i++) {
		const struct fentry_target *t = targets[i];

		if (fentry_target__prototype(idx, t, &prototype, &error)) {
			complain("%s", error.msg);
			return EXIT_FAILED;
		}
		if (t->addr)
			printf("%016llx", (unsigned long long)t->addr);
		else
			printf("%-16s", "-");
		printf("  %*u  %-*s  %-*s  %s\n", w.id, t->type_id, w.name,
		       t->name, w.unit, unit_text(t), prototype);
		free(prototype);
		if (t->addr || !t->obj_id)
			hidden = false;
	}
	if (hidden)
		complain("addresses are hidden from this user (kernel.kptr_restrict, CAP_SYSLOG)");
	return 0;
}

int cmd_list(int argc, char **argv)
{
	const struct fentry_target **targets;
	struct fentry_index *idx;
	size_t cnt;
	int status;

	if (argc && argv[0][0] == '-')
		return usage_error("list: unknown option '%s'", argv[0]);
	if (argc > 1)
		return usage_error("list: one pattern, please, not '%s' too",
				   argv[1]);
	status = find_targets(argc ? argv[0] : "*", true, &idx, &targets, &cnt);
	if (status)
		return status;
	status = print_table(idx, targets, cnt);
	free(targets);
	fentry_index__free(idx);
	return status;
}
