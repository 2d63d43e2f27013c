// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "args_triggers.h"

#define TIMES 20 /* switches between two processes */

/* Of linux/in6.h, which can't be included together with netinet/in.h. */
struct in6_flowlabel_req {
	struct in6_addr flr_dst;
	__be32 flr_label;
	__u8 flr_action, flr_share;
	__u16 flr_flags, flr_expires, flr_linger;
	__u32 pad;
};

#define IPV6_FLOWLABEL_MGR 32
#define IPV6_FL_A_GET	   0
#define IPV6_FL_F_CREATE   1
#define IPV6_FL_S_EXCL	   1

int trigger_mmap(struct recorder *r, bool exit, struct want *want)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	size_t page = getpagesize();
	struct stat st;
	void *hint, *got;

	/* An address that is free. */
	hint = mmap(NULL, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (fd < 0 || fstat(fd, &st) || hint == MAP_FAILED)
		return -1;
	munmap(hint, 3 * page);
	recorder__begin(r);
	got = mmap(hint, 3 * page, PROT_READ, MAP_PRIVATE | MAP_NORESERVE, fd, 5 * page);
	recorder__end(r);
	close(fd);
	want[0].number = st.st_ino;
	want[1].number = (unsigned long)hint;
	want[2].number = 3 * page;
	want[3].number = PROT_READ;
	want[4].number = MAP_PRIVATE | MAP_NORESERVE;
	want[5].number = 5;
	want[6].number = (unsigned long)got;
	return got == MAP_FAILED || munmap(got, 3 * page) ? -1 : 0;
}

static union bpf_attr map_attr = {
	.map_type = BPF_MAP_TYPE_HASH,
	.key_size = 12,
	.value_size = 345,
	.max_entries = 6789,
	.map_name = "args_map",
};

static int create_map(struct recorder *r)
{
	int fd;

	recorder__begin(r);
	fd = syscall(SYS_bpf, BPF_MAP_CREATE, &map_attr, sizeof(map_attr));
	recorder__end(r);
	return fd;
}

int trigger_bpf(struct recorder *r, bool exit, struct want *want)
{
	int fd = create_map(r);

	want[0].number = BPF_MAP_CREATE;
	want[1].number = (unsigned long)&map_attr;
	want[2].number = 0;
	want[3].number = sizeof(map_attr);
	want[4].number = fd;
	return fd < 0 ? -1 : close(fd);
}

int trigger_map_create(struct recorder *r, bool exit, struct want *want)
{
	int fd = create_map(r);

	want[0].number = map_attr.map_type;
	want[1].number = map_attr.key_size;
	want[2].number = map_attr.value_size;
	want[3].number = map_attr.max_entries;
	want[4].text = map_attr.map_name;
	want[5].number = map_attr.value_size;
	want[6].number = 0;
	return fd < 0 ? -1 : close(fd);
}

#define UPDATE_KEY   0x11223344
#define UPDATE_VALUE 0x1122334455667788

/* Is this what the last update has left? Closes the map. */
static int check_update(int fd, __u64 value, bool is_kernel, struct want *want)
{
	int key = UPDATE_KEY, err;
	__u64 seen = 0;

	err = bpf_map_lookup_elem(fd, &key, &seen);
	close(fd);
	want[0].number = is_kernel;
	want[1].number = 0;
	want[2].number = fd;
	return err || seen != value ? -1 : 0;
}

int trigger_map_update(struct recorder *r, bool exit, struct want *want)
{
	int err, key = UPDATE_KEY;
	__u64 value = UPDATE_VALUE;
	union bpf_attr attr = {
		.key = (unsigned long)&key,
		.value = (unsigned long)&value,
	};

	attr.map_fd = bpf_map_create(BPF_MAP_TYPE_HASH, NULL, sizeof(key), sizeof(value), 1, NULL);
	recorder__begin(r);
	err = syscall(SYS_bpf, BPF_MAP_UPDATE_ELEM, &attr, sizeof(attr));
	recorder__end(r);
	return check_update(attr.map_fd, UPDATE_VALUE, false, want) ?: err;
}

/* The same update, by a program, as light skeletons do it. */
int trigger_map_update_kernel(struct recorder *r, bool exit, struct want *want)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	struct args_bpf__bss *vars = r->skel->bss;
	int err;

	vars->update_key = UPDATE_KEY;
	vars->update_value = ~UPDATE_VALUE;
	vars->update_fd =
		bpf_map_create(BPF_MAP_TYPE_HASH, NULL, sizeof(int), sizeof(__u64), 1, NULL);
	recorder__begin(r);
	err = bpf_prog_test_run_opts(bpf_program__fd(r->skel->progs.update), &opts);
	recorder__end(r);
	return check_update(vars->update_fd, ~UPDATE_VALUE, true, want) ?: err ?: (int)opts.retval;
}

/* Read so little that the first record is not even complete. */
static int read_record(struct recorder *r, const char *path, __u64 *inode)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	ssize_t len;
	char buf[8];

	if (fd < 0 || fstat(fd, &st))
		return -1;
	*inode = st.st_ino;
	recorder__begin(r);
	len = read(fd, buf, sizeof(buf));
	recorder__end(r);
	close(fd);
	return len == sizeof(buf) ? 0 : -1;
}

int trigger_cpuinfo(struct recorder *r, bool exit, struct want *want)
{
	want[1].number = 0;
	return read_record(r, "/proc/cpuinfo", &want[0].number);
}

int trigger_consoles(struct recorder *r, bool exit, struct want *want)
{
	want[1].number = 0;
	return read_record(r, "/proc/consoles", &want[0].number);
}

int trigger_kallsyms(struct recorder *r, bool exit, struct want *want)
{
	want[1].number = exit; /* it moves on by one */
	return read_record(r, "/proc/kallsyms", &want[0].number);
}

int trigger_unix(struct recorder *r, bool exit, struct want *want)
{
	static struct sockaddr_un addr = {
		.sun_family = AF_UNIX,
		.sun_path = "/no such folder/x",
	};
	socklen_t len = offsetof(struct sockaddr_un, sun_path) + 30;
	int err, fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	recorder__begin(r);
	err = connect(fd, (struct sockaddr *)&addr, len);
	recorder__end(r);
	close(fd);
	want[0].number = AF_UNIX;
	want[1].text = addr.sun_path;
	want[2].number = len;
	want[3].number = SOCK_DGRAM;
	want[4].number = -ENOENT;
	return err == -1 && errno == ENOENT ? 0 : -1;
}

int trigger_flowlabel(struct recorder *r, bool exit, struct want *want)
{
	static struct in6_flowlabel_req req = {
		.flr_dst = IN6ADDR_LOOPBACK_INIT,
		.flr_action = IPV6_FL_A_GET,
		.flr_share = IPV6_FL_S_EXCL,
		.flr_flags = IPV6_FL_F_CREATE,
		.flr_linger = 6,
	};
	int err, fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	recorder__begin(r);
	err = setsockopt(fd, SOL_IPV6, IPV6_FLOWLABEL_MGR, &req, sizeof(req));
	recorder__end(r);
	close(fd);
	want[0].number = IPV6_FL_S_EXCL;
	want[1].number = 6;
	want[2].number = (unsigned long)&req;
	want[3].number = 0;
	want[4].number = sizeof(req);
	return err;
}

int trigger_semctl(struct recorder *r, bool exit, struct want *want)
{
	int err;

	recorder__begin(r);
	err = syscall(SYS_semctl, 0x12345678, 0x2a, GETVAL, 0x1122334455667788);
	recorder__end(r);
	want[0].number = 0x12345678;
	want[1].number = 0x2a;
	want[2].number = GETVAL;
	want[3].number = 0x1122334455667788;
	want[4].number = -EINVAL;
	return err == -1 && errno == EINVAL ? 0 : -1;
}

int trigger_pipe(struct recorder *r, bool exit, struct want *want)
{
	int err, fds[2];

	recorder__begin(r);
	err = pipe2(fds, O_CLOEXEC | O_NONBLOCK);
	recorder__end(r);
	want[0].number = O_CLOEXEC | O_NONBLOCK;
	want[1].number = 0;
	return err || close(fds[0]) || close(fds[1]) ? -1 : 0;
}

int trigger_sk_lookup(struct recorder *r, bool exit, struct want *want)
{
	char packet[64] = {};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet, .data_size_in = sizeof(packet));
	int err;

	r->skel->bss->lookup_saddr = 0x0a0b0c0d;
	r->skel->bss->lookup_dport = 0x1f2e;
	r->skel->bss->lookup_flags = 0x1122334455667788;
	recorder__begin(r);
	err = bpf_prog_test_run_opts(bpf_program__fd(r->skel->progs.lookup), &opts);
	recorder__end(r);
	want[0].number = 0x0a0b0c0d;
	want[1].number = 0x1f2e;
	want[2].number = sizeof(((struct bpf_sock_tuple *)0)->ipv4);
	want[3].number = if_nametoindex("lo");
	want[4].number = IPPROTO_TCP;
	want[5].number = BPF_F_CURRENT_NETNS;
	want[6].number = 0x1122334455667788;
	want[7].number = 0;
	return err;
}

int trigger_oom_adj(struct recorder *r, bool exit, struct want *want)
{
	static const char value[] = "321";
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return -1;
	recorder__begin(r);
	len = write(fd, value, strlen(value));
	recorder__end(r);
	close(fd);
	want[0].number = 321;
	want[1].number = false;
	want[2].number = 0;
	return len != (ssize_t)strlen(value) ? -1 : 0;
}

/* The other one of two processes that share a CPU and wait for each other. */
static int start_partner(int to_us, int from_us)
{
	pid_t pid = fork();
	char c;

	if (pid)
		return pid;
	prctl(PR_SET_NAME, "args_partner");
	while (read(from_us, &c, 1) == 1 && write(to_us, &c, 1) == 1)
		;
	_exit(0);
}

int switch_tasks(struct recorder *r, pid_t *partner)
{
	int i, err = 0, to[2], from[2];
	cpu_set_t cpus;
	char c = 'x';

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) || pipe2(to, O_CLOEXEC) ||
	    pipe2(from, O_CLOEXEC))
		return -1;
	*partner = start_partner(from[1], to[0]);
	if (*partner < 0)
		return -1;
	close(to[0]);
	close(from[1]);
	r->skel->bss->wanted_pid = *partner;
	recorder__begin(r);
	for (i = 0; !err && i < TIMES; i++)
		err = write(to[1], &c, 1) != 1 || read(from[0], &c, 1) != 1;
	recorder__end(r);
	kill(*partner, SIGKILL);
	waitpid(*partner, NULL, 0);
	close(to[1]);
	close(from[0]);
	return err ? -1 : 0;
}

int trigger_switch(struct recorder *r, bool exit, struct want *want)
{
	pid_t partner = 0;
	int err = switch_tasks(r, &partner);

	want[0].number = partner;
	want[1].number = partner;
	want[2].text = "args_partner";
	return err;
}
