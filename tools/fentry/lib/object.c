// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The kernel's BTF objects, as file descriptors. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "util.h"

/* Find a module's BTF object by its name, where /proc/kallsyms_btf gave no id. */
static int find_btf_object(const char *module)
{
	__u32 id = 0;

	while (!bpf_btf_get_next_id(id, &id)) {
		char name[64] = "";
		struct bpf_btf_info info = {
			.name = (__u64)(unsigned long)name,
			.name_len = sizeof(name),
		};
		__u32 len = sizeof(info);
		int fd = bpf_btf_get_fd_by_id(id);

		if (fd == -ENOENT) /* gone since */
			continue;
		if (fd < 0)
			return fd;
		if (!bpf_obj_get_info_by_fd(fd, &info, &len) && info.kernel_btf &&
		    !strcmp(name, module))
			return fd;
		close(fd);
	}
	return -errno;
}

int fentry_target__btf_fd(const struct fentry_target *target, int *ret, struct fentry_error *error)
{
	int fd = 0;

	if (target->module)
		fd = target->obj_id ? bpf_btf_get_fd_by_id(target->obj_id) :
				      find_btf_object(target->module);
	if (fd == -EPERM)
		return fentry_error__set(
			error, fd,
			"not allowed to open the BTF of module %s: this takes CAP_SYS_ADMIN",
			target->module);
	if (fd == -ENOENT)
		return fentry_error__set(
			error, -ESTALE, "can't open the BTF of module %s: it isn't loaded any more",
			target->module);
	if (fd < 0)
		return fentry_error__set(error, fd, "can't open the BTF of module %s: %s",
					 target->module, strerror(-fd));
	*ret = fd;
	return 0;
}
