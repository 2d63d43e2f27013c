// SPDX-License-Identifier: GPL-2.0-only
/* Two programs on each function: see pairs.bpf.h. */
#include <stdlib.h>

#include "attach/attach.h"
#include "attach/both.h"

/*
 * The ends come first, as there are functions to whose end no program can be attached; then
 * come the starts of the others.
 */
int both__attach(const struct selection *sel, const struct bpf_program *entry,
		 const struct bpf_program *exit, struct waiter *w, struct both *ret)
{
	size_t i, n = 0;
	int status;

	*ret = (struct both){
		.exits.idx = sel->idx,
		.exits.targets = calloc(sel->cnt, sizeof(*ret->exits.targets)),
		.attached = calloc(sel->cnt, sizeof(*ret->attached)),
	};
	if (!ret->exits.targets || !ret->attached) {
		complain("out of memory");
		return EXIT_FAILED;
	}
	status = attach_to(sel, exit, "attached to the end of", w, &ret->exit);
	if (status)
		return status;
	for (i = 0; i < sel->cnt; i++)
		if (!fentry_multi__why(ret->exit, i))
			ret->exits.targets[ret->exits.cnt++] = sel->targets[i];
	status = attach_to(&ret->exits, entry, "attached to the start of", w, &ret->entry);
	for (i = 0; !status && i < sel->cnt; i++)
		if (!fentry_multi__why(ret->exit, i))
			ret->attached[i] = !fentry_multi__why(ret->entry, n++);
	return status;
}

void both__detach(struct both *both)
{
	detach(both->entry);
	detach(both->exit);
	free(both->exits.targets);
	free(both->attached);
}

void both__losses(const struct both *both, int cpus_fd, struct pair_cpu *ret)
{
	int i, cpu_cnt = libbpf_num_possible_cpus();
	struct pair_cpu *cpus = calloc(cpu_cnt, sizeof(*cpus));
	__u32 key = 0;

	/* the programs at the start count what they missed at the end */
	*ret = (struct pair_cpu){ .missed = fentry_multi__missed(both->exit) };
	if (!cpus || bpf_map_lookup_elem(cpus_fd, &key, cpus)) {
		complain("can't read how many calls were missed");
		cpu_cnt = 0;
	}
	for (i = 0; i < cpu_cnt; i++) {
		ret->missed += cpus[i].missed;
		ret->unpaired += cpus[i].unpaired;
		ret->no_room += cpus[i].no_room;
	}
	free(cpus);
}
