// SPDX-License-Identifier: GPL-2.0-only
/*
 * A process of two threads, in a hierarchy of cgroups (v1) that has no controller. Writing a
 * thread's id to "tasks" moves that thread; writing it to "cgroup.procs" moves the whole process.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "file.h"
#include "workloads.h"

#define HIERARCHY "name=undisturbed"
#define MAX_GROUP 64

struct cgroup1 {
	char mnt[32];
	bool mounted;
	pthread_t thread;
	int to_thread;	 /* the thread ends when this is closed */
	int from_thread; /* the thread writes its id to this */
	pid_t tid;
	unsigned int steps;
};

static void *wait_for_end(void *arg)
{
	int *ends = arg;
	pid_t tid = syscall(SYS_gettid);
	char c;

	if (write(ends[1], &tid, sizeof(tid)) == sizeof(tid))
		while (read(ends[0], &c, 1) == 1)
			;
	close(ends[0]);
	close(ends[1]);
	free(ends);
	return NULL;
}

/* Start the other thread. */
static int start(struct cgroup1 *c)
{
	int to[2], from[2], *ends = malloc(2 * sizeof(*ends));

	if (!ends || pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
		return -1;
	ends[0] = to[0];
	ends[1] = from[1];
	c->to_thread = to[1];
	c->from_thread = from[0];
	errno = pthread_create(&c->thread, NULL, wait_for_end, ends);
	if (errno)
		return -1;
	return read(c->from_thread, &c->tid, sizeof(c->tid)) == sizeof(c->tid) ? 0 : -1;
}

static void stop(struct cgroup1 *c)
{
	if (!c->tid)
		return;
	close(c->to_thread);
	pthread_join(c->thread, NULL);
	close(c->from_thread);
}

static int write_id(const struct cgroup1 *c, const char *group, const char *file, pid_t id)
{
	char path[PATH_MAX], text[16];

	snprintf(path, sizeof(path), "%s%s/%s", c->mnt, group, file);
	snprintf(text, sizeof(text), "%d", id);
	return file__write(path, 0, text);
}

/* The group of a thread of ours, as "/a". */
static int read_group(pid_t tid, char *group)
{
	char path[64], line[256];
	int err = -ENOENT;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/cgroup", tid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		const char *found = strstr(line, ":" HIERARCHY ":");

		if (found && sscanf(found, ":" HIERARCHY ":%63s", group) == 1)
			err = 0;
	}
	if (f)
		fclose(f);
	return err;
}

/* A thread that was joined may still be on its way out of its group. */
static void remove_group(const char *path)
{
	int tries = 1000;

	while (rmdir(path) && errno == EBUSY && tries--)
		usleep(10000);
}

static void cgroup1_close(void *ctx)
{
	static const char *const groups[] = { "/a", "/b" };
	struct cgroup1 *c = ctx;
	char path[PATH_MAX];
	size_t i;

	stop(c);
	if (c->mounted) {
		write_id(c, "", "tasks", getpid());
		for (i = 0; i < 2; i++) {
			snprintf(path, sizeof(path), "%s%s", c->mnt, groups[i]);
			remove_group(path);
		}
		umount(c->mnt);
	}
	rmdir(c->mnt);
	free(c);
}

static int make_group(const struct cgroup1 *c, const char *group)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s", c->mnt, group);
	return mkdir(path, 0700);
}

static void *cgroup1_open(void)
{
	struct cgroup1 *c = calloc(1, sizeof(*c));
	int err;

	if (!c)
		return NULL;
	strcpy(c->mnt, "/tmp/undisturbed.XXXXXX");
	if (!mkdtemp(c->mnt) || mount("none", c->mnt, "cgroup", 0, "none," HIERARCHY))
		goto err_close;
	c->mounted = true;
	if (!make_group(c, "/a") && !make_group(c, "/b") && !start(c))
		return c;

err_close:
	err = errno;
	cgroup1_close(c);
	errno = err;
	return NULL;
}

/* To the one group and the other by turns. */
static int move(struct cgroup1 *c, const char *file, bool all)
{
	const char *to = c->steps++ % 2 ? "/b" : "/a";
	char group[MAX_GROUP], leader[MAX_GROUP], before[MAX_GROUP];
	int err;

	err = read_group(getpid(), before) ?: write_id(c, to, file, c->tid);
	if (!err)
		err = read_group(c->tid, group) ?: read_group(getpid(), leader);
	if (err)
		return err;
	return strcmp(group, to) || strcmp(leader, all ? to : before) ? -EILSEQ : 0;
}

static int step_thread(void *ctx)
{
	return move(ctx, "tasks", false);
}

static int step_process(void *ctx)
{
	return move(ctx, "cgroup.procs", true);
}

const struct workload cgroup1_thread = { cgroup1_open, step_thread, cgroup1_close };
const struct workload cgroup1_process = { cgroup1_open, step_process, cgroup1_close };
