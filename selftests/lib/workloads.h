/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What user space asks of the kernel, in single steps whose outcome it knows. Each step goes
 * through a function with a bool argument that decides what is done.
 */
#ifndef SELFTESTS_WORKLOADS_H
#define SELFTESTS_WORKLOADS_H

#include <stdbool.h>

/**
 * struct workload - one request
 * @open: prepares it; returns the context for the others, or NULL with errno
 * @step: makes the request once, in this process; returns 0 if everything was as it should be,
 *	otherwise a negative errno: -EILSEQ if the kernel did something else without an error
 * @close: undoes @open
 */
struct workload {
	void *(*open)(void);
	int (*step)(void *ctx);
	void (*close)(void *ctx);
};

/* IOCB_CMD_PREAD, PREADV, PWRITE and PWRITEV on a file. */
extern const struct workload aio_pread, aio_preadv, aio_pwrite, aio_pwritev;

/* Moves one thread, or all of the process, to another cgroup (v1). */
extern const struct workload cgroup1_thread, cgroup1_process;

#endif /* SELFTESTS_WORKLOADS_H */
