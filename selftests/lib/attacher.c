// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "attacher.h"
#include "hits.h"
#include "kbtf.h"
#include "kmod.h"

#define MODULE	 "kinds"
#define NR_NAMES 2

static const char *const names[NR_NAMES] = { "equal", "in_two" };

struct attacher {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool stop, paused;	       /* under the lock */
	atomic_uint attached, refused; /* times */
	__u32 ids[NR_NAMES];	       /* of FUNCs: each load of the module gives the same */
};

/* The id of the module's function of this name, with a suffix or without; or -ENOENT. */
static int find_func(const struct btf *btf, const struct btf *base, const char *name)
{
	__u32 id;

	for (id = btf__type_cnt(base) - 1; (id = btf_func__next(btf, id, NULL));) {
		const struct btf_type *t = btf__type_by_id(btf, id);
		const char *found = btf__name_by_offset(btf, t->name_off);

		if (!strncmp(found, name, strlen(name)) && strchr(".", found[strlen(name)]))
			return id;
	}
	return -ENOENT;
}

static int find_ids(struct attacher *a)
{
	struct kbtf_module mod;
	int i, id, err = kbtf__open_module(&mod, MODULE);

	for (i = 0; i < NR_NAMES && !err; i++) {
		id = find_func(mod.btf, mod.base, names[i]);
		err = id < 0 ? id : 0;
		a->ids[i] = id;
	}
	kbtf__close_module(&mod);
	return err;
}

static void attach_once(struct attacher *a, int btf_fd, __u32 id)
{
	struct hits *hits = NULL;
	int err;

	err = hits__load_for(btf_fd, id, NULL, 0, &hits);
	if (!err)
		err = hits__attach(hits);
	if (err)
		atomic_fetch_add(&a->refused, 1);
	else
		atomic_fetch_add(&a->attached, 1);
	hits__free(hits);
}

/* Wait while the thread is paused; false if it must stop. */
static bool may_go_on(struct attacher *a)
{
	bool stop;

	pthread_mutex_lock(&a->lock);
	while (a->paused && !a->stop)
		pthread_cond_wait(&a->changed, &a->lock);
	stop = a->stop;
	pthread_mutex_unlock(&a->lock);
	return !stop;
}

static void *attach_all_the_time(void *arg)
{
	struct attacher *a = arg;
	unsigned int i = 0;
	int fd;

	while (may_go_on(a)) {
		fd = kbtf__open(MODULE);
		if (fd < 0) {
			sched_yield();
			continue;
		}
		attach_once(a, fd, a->ids[i++ % NR_NAMES]);
		close(fd);
	}
	return NULL;
}

int attacher__start(struct attacher **ret)
{
	struct attacher *a = calloc(1, sizeof(*a));
	int err = a ? kmod__load(MODULE, "") : -ENOMEM;

	if (!err) {
		err = find_ids(a);
		err = kmod__unload(MODULE) ?: err;
	}
	if (!err) {
		pthread_mutex_init(&a->lock, NULL);
		pthread_cond_init(&a->changed, NULL);
		a->paused = true;
		err = -pthread_create(&a->thread, NULL, attach_all_the_time, a);
	}
	if (err)
		free(a);
	else
		*ret = a;
	return err;
}

void attacher__pause(struct attacher *a, bool pause)
{
	pthread_mutex_lock(&a->lock);
	a->paused = pause;
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
}

int attacher__unload(struct attacher *a)
{
	bool was = a->paused; /* no other thread writes it */
	int err = kmod__try_unload(MODULE);

	if (err == -EAGAIN) {
		attacher__pause(a, true);
		err = kmod__unload(MODULE);
		attacher__pause(a, was);
	}
	return err;
}

unsigned int attacher__attached(const struct attacher *a)
{
	return atomic_load(&a->attached);
}

unsigned int attacher__refused(const struct attacher *a)
{
	return atomic_load(&a->refused);
}

int attacher__stop(struct attacher *a)
{
	pthread_mutex_lock(&a->lock);
	a->stop = true;
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
	return -pthread_join(a->thread, NULL);
}

void attacher__free(struct attacher *a)
{
	free(a);
}
