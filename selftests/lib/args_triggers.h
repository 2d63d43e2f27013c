/* SPDX-License-Identifier: GPL-2.0-only */
/* Ways to make the kernel call functions with values that are known here. */
#ifndef SELFTESTS_ARGS_TRIGGERS_H
#define SELFTESTS_ARGS_TRIGGERS_H

#include <sys/types.h>

#include "recorder.h"

/*
 * Makes the kernel call the function once, and fills @want in the order of the expressions. @exit
 * is whether the values are those when the function returns. Returns 0, or -1 with errno.
 */
typedef int (*trigger_fn)(struct recorder *r, bool exit, struct want *want);

int trigger_mmap(struct recorder *r, bool exit, struct want *want);
int trigger_bpf(struct recorder *r, bool exit, struct want *want);
int trigger_map_create(struct recorder *r, bool exit, struct want *want);
int trigger_map_update(struct recorder *r, bool exit, struct want *want);
int trigger_map_update_kernel(struct recorder *r, bool exit, struct want *want);
int trigger_cpuinfo(struct recorder *r, bool exit, struct want *want);
int trigger_consoles(struct recorder *r, bool exit, struct want *want);
int trigger_kallsyms(struct recorder *r, bool exit, struct want *want);
int trigger_unix(struct recorder *r, bool exit, struct want *want);
int trigger_flowlabel(struct recorder *r, bool exit, struct want *want);
int trigger_semctl(struct recorder *r, bool exit, struct want *want);
int trigger_pipe(struct recorder *r, bool exit, struct want *want);
int trigger_sk_lookup(struct recorder *r, bool exit, struct want *want);
int trigger_oom_adj(struct recorder *r, bool exit, struct want *want);
int trigger_switch(struct recorder *r, bool exit, struct want *want);

/* Switches between this process and another, which has ended afterwards. */
int switch_tasks(struct recorder *r, pid_t *partner);

#endif /* SELFTESTS_ARGS_TRIGGERS_H */
