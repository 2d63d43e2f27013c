// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "attach/task_filter.h"
#include "output/messages.h"
#include "output/stream.h"

#define CGROUPS "/sys/fs/cgroup"
/* The inode of the first PID namespace, the same on every kernel. */
#define FIRST_PID_NS 0xeffffffc

static bool parse_u32(const char *text, unsigned int *ret)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 10);
	/* strtoul() takes signs and blanks, too */
	if (!isdigit((unsigned char)text[0]) || *end || errno || value > UINT_MAX)
		return false;
	*ret = value;
	return true;
}

/* The last number in a line of /proc/ENTRY/status; 0 if there is none. */
static unsigned int status_number(const char *entry, const char *key)
{
	char path[32], line[512];
	unsigned int ret = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%.16s/status", entry);
	f = fopen(path, "re");
	while (f && !ret && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, strlen(key)))
			ret = strtoul(strrchr(line, '\t') ?: "", NULL, 10);
	if (f)
		fclose(f);
	return ret;
}

/* Has /proc the numbers of this process' PID namespace? It may be mounted for one around it. */
static bool is_own_proc(void)
{
	char self[16] = "";

	return readlink("/proc/self", self, sizeof(self) - 1) > 0 && atoi(self) == getpid();
}

/* The process of this thread; 0 if there is none. */
static unsigned int process_of(unsigned int tid)
{
	unsigned int pid = 0;
	char entry[16];

	snprintf(entry, sizeof(entry), "%u", tid);
	if (is_own_proc())
		pid = status_number(entry, "Tgid:");
	/* /proc may hide the processes of others */
	return pid || (kill(tid, 0) && errno == ESRCH) ? pid : tid;
}

/* The process of an entry of /proc, as this process' PID namespace numbers it; 0 if it doesn't. */
static unsigned int number_of(const char *entry)
{
	struct stat own, other;
	char path[32];

	if (is_own_proc())
		return strtoul(entry, NULL, 10);
	snprintf(path, sizeof(path), "/proc/%.16s/ns/pid", entry);
	if (stat("/proc/self/ns/pid", &own) || stat(path, &other) || own.st_ino != other.st_ino)
		return 0;
	return status_number(entry, "NSpid:");
}

/* Have the numbers of this process' PID namespace, not the kernel's own. */
static void set_namespace(struct task_filter *f)
{
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) || st.st_ino == FIRST_PID_NS)
		return;
	f->ns_ino = st.st_ino;
	f->ns_dev = (unsigned long long)major(st.st_dev) << 20 | minor(st.st_dev);
}

static int parse_pid(const char *cmd, const char *text, struct tasks *t)
{
	struct task_filter *f = &t->filter;
	unsigned int process;

	if (!parse_u32(text, &f->pid) || !f->pid || f->pid > INT_MAX)
		return usage_error("%s: --pid needs the number of a process, not '%s'", cmd, text);
	process = process_of(f->pid);
	if (!process)
		return failure("%s: --pid: there is no process %u", cmd, f->pid);
	if (process != f->pid)
		return failure("%s: --pid: %u is a thread of process %u", cmd, f->pid, process);
	t->process_fd = pidfd_open(f->pid, 0);
	if (t->process_fd < 0)
		return failure("%s: --pid: can't watch process %u: %s", cmd, f->pid,
			       strerror(errno));
	return 0;
}

static int parse_uid(const char *cmd, const char *text, struct task_filter *f)
{
	const struct passwd *user = getpwnam(text);

	f->by_uid = true;
	if (user)
		f->uid = user->pw_uid;
	else if (!parse_u32(text, &f->uid))
		return usage_error("%s: --uid: there is no user '%s'", cmd, text);
	return 0;
}

/* @text is a path, or what /proc/PID/cgroup says. */
static int open_cgroup(const char *cmd, const char *text, int *ret)
{
	char path[PATH_MAX];
	struct statfs fs;
	int first;

	*ret = open(text, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	first = errno;
	if (*ret < 0 && first == ENOENT && *text) {
		snprintf(path, sizeof(path), CGROUPS "/%s", text);
		*ret = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	if (*ret < 0 && first == ENOENT)
		return failure("%s: --cgroup: can't open '%s', neither as a path nor below " CGROUPS
			       ": %s",
			       cmd, text, strerror(errno));
	if (*ret < 0)
		return failure("%s: --cgroup: can't open '%s': %s", cmd, text, strerror(first));
	if (fstatfs(*ret, &fs) || fs.f_type != CGROUP2_SUPER_MAGIC)
		return failure("%s: --cgroup: '%s' is no folder of a cgroup (of version 2)", cmd,
			       text);
	return 0;
}

static void ignore(struct task_filter *f, unsigned int pid)
{
	int i;

	for (i = 0; i < TASKS_IGNORED && pid; i++) {
		if (f->ignored[i] == pid || f->pid == pid)
			return;
		if (f->ignored[i])
			continue;
		f->ignored[i] = pid;
		return;
	}
}

/* Is a file descriptor of a process, "PID/fd/N", open for reading? */
static bool is_reader(int proc, const char *pid, const char *fd)
{
	char path[64], text[256] = "";
	const char *flags;
	ssize_t len = -1;
	int info;

	snprintf(path, sizeof(path), "%.16s/fdinfo/%.16s", pid, fd);
	info = openat(proc, path, O_RDONLY | O_CLOEXEC);
	if (info >= 0) {
		len = read(info, text, sizeof(text) - 1);
		close(info);
	}
	flags = len > 0 ? strstr(text, "flags:") : NULL;
	return flags && (strtoul(flags + strlen("flags:"), NULL, 8) & O_ACCMODE) == O_RDONLY;
}

static bool reads_from(int proc, const char *pid, const struct stat *pipe)
{
	char path[32];
	struct dirent *entry;
	struct stat st;
	bool found = false;
	DIR *dir;
	int fd;

	snprintf(path, sizeof(path), "%.16s/fd", pid);
	fd = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd >= 0 ? fdopendir(fd) : NULL;
	if (!dir) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	while (!found && (entry = readdir(dir)))
		found = !fstatat(dirfd(dir), entry->d_name, &st, 0) && st.st_ino == pipe->st_ino &&
			st.st_dev == pipe->st_dev && is_reader(proc, pid, entry->d_name);
	closedir(dir);
	return found;
}

/* Ignore the processes that read from a pipe to which this one writes. */
static void ignore_readers(struct task_filter *f, int fd)
{
	struct dirent *entry;
	struct stat st;
	DIR *proc;

	if (fstat(fd, &st) || !S_ISFIFO(st.st_mode))
		return;
	proc = opendir("/proc");
	while (proc && (entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]) &&
		    reads_from(dirfd(proc), entry->d_name, &st))
			ignore(f, number_of(entry->d_name));
	if (proc)
		closedir(proc);
}

int tasks__init(struct tasks *t, const char *cmd, const struct tasks_args *args, char **command)
{
	struct task_filter *f = &t->filter;
	int status = 0;

	*t = (struct tasks){ .cgroup_fd = -1, .process_fd = -1 };
	if (args->follow && !command)
		return usage_error("%s: --follow is for a command: -- COMMAND", cmd);
	if (args->pid)
		status = parse_pid(cmd, args->pid, t);
	if (status)
		return status;
	if (args->comm && strlen(args->comm) >= TASKS_COMM_LEN)
		return usage_error("%s: --comm: the kernel keeps the first %d characters of a name",
				   cmd, TASKS_COMM_LEN - 1);
	if (args->comm) {
		f->by_comm = true;
		strcpy(f->comm, args->comm);
	}
	if (args->uid)
		status = parse_uid(cmd, args->uid, f);
	if (!status && args->cgroup) {
		f->by_cgroup = true;
		status = open_cgroup(cmd, args->cgroup, &t->cgroup_fd);
	}
	set_namespace(f);
	if (args->follow)
		f->follow = getpid();
	ignore(f, getpid());
	ignore_readers(f, output__fd());
	ignore_readers(f, STDERR_FILENO);
	return status;
}

int tasks__begin(const struct tasks *t, const struct bpf_map *cgroups, struct bpf_program *on_fork,
		 struct bpf_link **ret)
{
	const __u32 key = 0;

	if (t->filter.by_cgroup &&
	    bpf_map_update_elem(bpf_map__fd(cgroups), &key, &t->cgroup_fd, BPF_ANY))
		return failure("can't use a BPF map: %s", strerror(errno));
	if (!t->filter.follow)
		return 0;
	*ret = bpf_program__attach(on_fork);
	if (*ret)
		return 0;
	return failure("can't follow the command: %s", libbpf_text(-errno));
}

void tasks__fini(struct tasks *t)
{
	if (t->cgroup_fd >= 0)
		close(t->cgroup_fd);
	if (t->process_fd >= 0)
		close(t->process_fd);
}
