// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module comes and goes $ROUNDS times, while programs are attached to its functions and
 * /proc/kallsyms_btf is read. What goes wrong shows in the kernel's log, which tools/vm/run
 * watches. Nothing may be left behind.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "kselftest_harness.h"

#include "file.h"
#include "hits.h"
#include "kbtf.h"
#include "kmod.h"
#include "ksyms.h"

#define MODULE "kinds"
#define NR_NAMES 2

static const char *const names[NR_NAMES] = { "equal", "in_two" };

/* What the threads share. */
struct race {
	atomic_bool stop;
	atomic_uint attached, refused;	/* times */
	atomic_uint tables, with_module;	/* reads of /proc/kallsyms_btf */
	atomic_int err;			/* why a thread could not go on */
	__u32 ids[NR_NAMES];		/* of FUNCs: the same each time it is loaded */
};

/* The id of the module's function of this name, with a suffix or without; or -ENOENT. */
static int find_func(const struct btf *btf, const struct btf *base, const char *name)
{
	__u32 id;

	for (id = btf__type_cnt(base); id < btf__type_cnt(btf); id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);
		const char *found = btf__name_by_offset(btf, t->name_off);

		if (btf_is_func(t) && !strncmp(found, name, strlen(name)) &&
		    strchr(".", found[strlen(name)]))
			return id;
	}
	return -ENOENT;
}

static int find_ids(struct race *race)
{
	struct btf *base, *btf = NULL;
	int i, id, err = 0;

	base = btf__parse("/sys/kernel/btf/vmlinux", NULL);
	if (base)
		btf = btf__parse_split("/sys/kernel/btf/" MODULE, base);
	for (i = 0; i < NR_NAMES && !err; i++) {
		id = btf ? find_func(btf, base, names[i]) : -ENOENT;
		err = id < 0 ? id : 0;
		race->ids[i] = id;
	}
	btf__free(btf);
	btf__free(base);
	return err;
}

static void attach_once(struct race *race, int btf_fd, __u32 id)
{
	struct hits *hits = NULL;
	int err;

	err = hits__load_for(btf_fd, id, NULL, 0, &hits);
	if (!err)
		err = hits__attach(hits);
	if (err)
		atomic_fetch_add(&race->refused, 1);
	else
		atomic_fetch_add(&race->attached, 1);
	hits__free(hits);
}

static void *attach_all_the_time(void *arg)
{
	struct race *race = arg;
	unsigned int i = 0;
	int fd;

	while (!atomic_load(&race->stop)) {
		fd = kbtf__open(MODULE);
		if (fd < 0)
			continue;
		attach_once(race, fd, race->ids[i++ % NR_NAMES]);
		close(fd);
	}
	return NULL;
}

static bool has_module(const struct ksyms *syms)
{
	size_t i;

	for (i = 0; i < syms->cnt; i++)
		if (ksym__is_of(&syms->syms[i], MODULE))
			return true;
	return false;
}

static void *read_all_the_time(void *arg)
{
	struct race *race = arg;
	struct ksyms syms;
	int err;

	while (!atomic_load(&race->stop)) {
		err = ksyms__read("/proc/kallsyms_btf", &syms);
		if (err) {
			atomic_store(&race->err, err);
			break;
		}
		atomic_fetch_add(&race->tables, 1);
		atomic_fetch_add(&race->with_module, has_module(&syms));
		ksyms__free(&syms);
	}
	return NULL;
}

/* Wait until a program has been attached; false if none has been within a minute. */
static bool wait_until_attached(struct race *race, unsigned int before)
{
	time_t end = time(NULL) + 60;

	while (atomic_load(&race->attached) == before && time(NULL) < end)
		sched_yield();
	return atomic_load(&race->attached) != before;
}

/* Load and unload: @at_once, or when a program has been attached. */
static int come_and_go(struct race *race, bool at_once)
{
	unsigned int before = atomic_load(&race->attached);
	int err = kmod__load(MODULE, "");

	if (err)
		return err;
	if (!at_once && !wait_until_attached(race, before))
		err = -ETIMEDOUT;
	return kmod__unload(MODULE) ?: err;
}

FIXTURE(race) {
	struct race race;
	pthread_t threads[2];
};

FIXTURE_SETUP(race)
{
	libbpf_set_print(NULL);		/* most attempts are refused, as they should be */
	ASSERT_EQ(0, kmod__load(MODULE, ""));
	EXPECT_EQ(0, find_ids(&self->race));
	ASSERT_EQ(0, kmod__unload(MODULE));
}

FIXTURE_TEARDOWN(race)
{
}

TEST_F_TIMEOUT(race, comes_and_goes, 3600)
{
	unsigned int i, rounds = atoi(getenv("ROUNDS") ?: "20");
	struct race *race = &self->race;
	int err = 0;

	ASSERT_EQ(0, pthread_create(&self->threads[0], NULL, attach_all_the_time, race));
	ASSERT_EQ(0, pthread_create(&self->threads[1], NULL, read_all_the_time, race));
	for (i = 0; i < rounds && !err; i++)
		err = come_and_go(race, i & 1);
	atomic_store(&race->stop, true);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_join(self->threads[i], NULL));

	EXPECT_EQ(0, err);
	EXPECT_EQ(0, race->err);
	EXPECT_LE(rounds / 2, race->attached);
	EXPECT_LT(0, race->tables);
	EXPECT_EQ(0, file__lines("/sys/kernel/tracing/enabled_functions", ""));
	TH_LOG("%u rounds: attached %u times, refused %u times; read %u tables, %u with the module",
	       rounds, race->attached, race->refused, race->tables, race->with_module);
}

TEST_HARNESS_MAIN
