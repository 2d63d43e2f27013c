// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module comes and goes $ROUNDS times, while programs are attached to its functions and
 * /proc/kallsyms_btf is read. Errors show in the kernel's log, which tools/vm/run watches. No
 * program or module may stay.
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

#include "expect.h"

#include "attacher.h"
#include "file.h"
#include "kmod.h"
#include "ksyms.h"

#define MODULE "kinds"

/* What the threads share. */
struct race {
	struct attacher *attacher;
	atomic_bool stop;
	/* these are the reader's until it has ended */
	unsigned int tables, with_module; /* reads of /proc/kallsyms_btf */
	unsigned int without_id;	  /* lines there with one id only, or none */
	int err;			  /* why it could not go on */
};

static void count_table(struct race *race, const struct ksyms *syms)
{
	bool has_module = false;
	size_t i;

	for (i = 0; i < syms->cnt; i++) {
		has_module |= ksym__is_of(&syms->syms[i], MODULE);
		race->without_id += !syms->syms[i].obj_id || !syms->syms[i].type_id;
	}
	race->tables++;
	race->with_module += has_module;
}

static void *read_all_the_time(void *arg)
{
	struct race *race = arg;
	struct ksyms syms;
	int err;

	while (!atomic_load(&race->stop)) {
		err = ksyms__read("/proc/kallsyms_btf", &syms);
		if (err) {
			race->err = err;
			break;
		}
		count_table(race, &syms);
		ksyms__free(&syms);
	}
	return NULL;
}

/* Wait until a program has been attached; false if none has been within a minute. */
static bool wait_until_attached(struct race *race, unsigned int before)
{
	time_t end = time(NULL) + 60;

	while (attacher__attached(race->attacher) == before && time(NULL) < end)
		sched_yield();
	return attacher__attached(race->attacher) != before;
}

/* Load and unload: @at_once, or when a program has been attached. */
static int come_and_go(struct race *race, bool at_once)
{
	unsigned int before = attacher__attached(race->attacher);
	int err = kmod__load(MODULE, "");

	if (err)
		return err;
	if (!at_once && !wait_until_attached(race, before))
		err = -ETIMEDOUT;
	return attacher__unload(race->attacher) ?: err;
}

FIXTURE(race) {
	struct race race;
	pthread_t reader;
};

FIXTURE_SETUP(race)
{
	ASSERT_EQ(0, attacher__start(&self->race.attacher));
}

FIXTURE_TEARDOWN(race)
{
	attacher__free(self->race.attacher);
}

TEST_F_TIMEOUT(race, comes_and_goes, 3600)
{
	unsigned int i, rounds = atoi(getenv("ROUNDS") ?: "20");
	struct race *race = &self->race;
	int err = 0;

	ASSERT_EQ(0, pthread_create(&self->reader, NULL, read_all_the_time, race));
	attacher__pause(race->attacher, false);
	for (i = 0; i < rounds && !err; i++)
		err = come_and_go(race, i & 1);
	atomic_store(&race->stop, true);
	ASSERT_EQ(0, pthread_join(self->reader, NULL));
	ASSERT_EQ(0, attacher__stop(race->attacher));

	EXPECT_EQ(0, err);
	EXPECT_EQ(0, race->err);
	EXPECT_LE(rounds / 2, attacher__attached(race->attacher));
	EXPECT_LT(0, race->tables);
	EXPECT_EQ(0, race->without_id);
	EXPECT_EQ(0, file__lines("/sys/kernel/tracing/enabled_functions", ""));
	TH_LOG("%u rounds: attached %u times, refused %u times; read %u tables, %u with the module",
	       rounds, attacher__attached(race->attacher), attacher__refused(race->attacher),
	       race->tables, race->with_module);
}

TEST_HARNESS_MAIN
