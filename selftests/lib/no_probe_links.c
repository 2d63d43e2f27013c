// SPDX-License-Identifier: GPL-2.0-only
/*
 * For LD_PRELOAD: the kernel looks like one without kernel/BASE/kprobe-multi, which refuses
 * BPF_F_KPROBE_MULTI_ANY. libbpf and libfentry make these links by syscall().
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <sys/syscall.h>

#define KPROBE_MULTI_ANY (1U << 1)

/* The beginning of union bpf_attr's link_create */
struct link_create {
	__u32 prog_fd, target_fd, attach_type, link_flags;
	__u32 flags;
};

static int is_refused(long nr, const long *args)
{
	const struct link_create *attr = (const struct link_create *)args[1];

	return nr == __NR_bpf && args[0] == BPF_LINK_CREATE &&
	       attr->attach_type == BPF_TRACE_KPROBE_MULTI && attr->flags & KPROBE_MULTI_ANY;
}

long syscall(long nr, ...)
{
	static long (*next)(long nr, ...);
	long args[6];
	va_list list;
	int i;

	va_start(list, nr);
	for (i = 0; i < 6; i++)
		args[i] = va_arg(list, long);
	va_end(list);
	if (is_refused(nr, args)) {
		errno = EINVAL;
		return -1;
	}
	if (!next)
		next = dlsym(RTLD_NEXT, "syscall");
	return next(nr, args[0], args[1], args[2], args[3], args[4], args[5]);
}
