// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The sections of programs that the library has handlers for. */
#include <string.h>

#include "internal.h"

const struct fentry_handler fentry_handlers[] = {
	{ "fentry+", BPF_TRACE_FENTRY },
	{ "fexit+", BPF_TRACE_FEXIT },
	{ "fmod_ret+", BPF_MODIFY_RETURN },
	{ "fentry.s+", BPF_TRACE_FENTRY | FENTRY_SLEEPABLE },
	{ "fexit.s+", BPF_TRACE_FEXIT | FENTRY_SLEEPABLE },
	{ "fmod_ret.s+", BPF_MODIFY_RETURN | FENTRY_SLEEPABLE },
	{ "fentry.inlined+", FENTRY_INLINED },
};

const size_t fentry_handler_cnt = sizeof(fentry_handlers) / sizeof(fentry_handlers[0]);

bool fentry_prog__is_handled(const struct bpf_program *prog)
{
	const char *section = bpf_program__section_name(prog);
	size_t i, len = strcspn(section, "/");

	for (i = 0; i < fentry_handler_cnt; i++)
		if (strlen(fentry_handlers[i].section) == len + 1 &&
		    !strncmp(fentry_handlers[i].section, section, len))
			return true;
	return false;
}
