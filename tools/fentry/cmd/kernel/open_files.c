// SPDX-License-Identifier: GPL-2.0-only
/* How many files may be open: each function that is traced alone takes two, an inlined call one. */
#include <sys/resource.h>

#include "command.h"
#include "kernel/open_files.h"

#define FILES_OF_FUNCTION 2  /* program and link */
#define OTHER_FILES	  64 /* maps, BTF of modules, what was inherited */

static struct rlimit inherited; /* soft limit 0: not raised */

void open_files__raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	inherited = limit;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int open_files__reserve(size_t functions, size_t inlined)
{
	size_t alone = fentry_has_multi() ? 0 : functions;
	size_t probes = inlined && !fentry_has_probe_links() ? inlined : 0;
	rlim_t need = alone * FILES_OF_FUNCTION + probes + OTHER_FILES;
	char what[COUNT_TEXT_MAX];
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= need)
		return 0;
	limit.rlim_cur = need;
	if (limit.rlim_max < need)
		limit.rlim_max = need;
	/* the hard limit is only for those with CAP_SYS_RESOURCE */
	if (!setrlimit(RLIMIT_NOFILE, &limit))
		return 0;
	getrlimit(RLIMIT_NOFILE, &limit);
	count_text(functions, inlined, what);
	complain(
		"%s need %llu open files, but this process may have %llu: raise the hard limit (ulimit -Hn), or trace fewer",
		what, (unsigned long long)need, (unsigned long long)limit.rlim_max);
	return EXIT_FAILED;
}

void open_files__restore(void)
{
	if (inherited.rlim_cur)
		setrlimit(RLIMIT_NOFILE, &inherited);
}
