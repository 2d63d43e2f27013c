// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions of the kernel do the same while they are traced as when they aren't. If BTF lacks an
 * argument that the code reads, the kernel doesn't preserve it; that is how clang's bools were
 * found to be missing. The test "dropped" does it on purpose.
 */
#include <linux/aio_abi.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "expect.h"

#include "hits.h"
#include "ksyms.h"
#include "reads.h"
#include "targets.h"

#define TIMES	 20
#define LOG_SIZE 65536

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

#define FILE_SIZE 4096
#define SIZE	  300 /* of one read or write */

struct aio {
	aio_context_t id;
	int fd;
	unsigned int steps;
	char content[FILE_SIZE]; /* what the file should have */
};

static void aio_close(void *ctx)
{
	struct aio *a = ctx;

	syscall(SYS_io_destroy, a->id);
	close(a->fd);
	free(a);
}

static void *aio_open(void)
{
	struct aio *a = calloc(1, sizeof(*a));
	unsigned int i;

	if (!a)
		return NULL;
	for (i = 0; i < FILE_SIZE; i++)
		a->content[i] = i * 7 + i / 256;
	a->fd = memfd_create("aio", MFD_CLOEXEC);
	if (a->fd < 0 || syscall(SYS_io_setup, 1, &a->id) ||
	    write(a->fd, a->content, FILE_SIZE) != FILE_SIZE) {
		int err = errno;

		aio_close(a);
		errno = err;
		return NULL;
	}
	return a;
}

/* Submit one request for @buf and wait for its end. If it is vectored, @buf has two parts. */
static int submit(struct aio *a, unsigned int opcode, char *buf, off_t off)
{
	bool vectored = opcode == IOCB_CMD_PREADV || opcode == IOCB_CMD_PWRITEV;
	struct iovec vecs[] = { { buf, 100 }, { buf + 100, SIZE - 100 } };
	struct iocb cb = {
		.aio_fildes = a->fd,
		.aio_lio_opcode = opcode,
		.aio_buf = vectored ? (unsigned long)vecs : (unsigned long)buf,
		.aio_nbytes = vectored ? sizeof(vecs) / sizeof(vecs[0]) : SIZE,
		.aio_offset = off,
	}, *cbs = &cb;
	struct io_event event = {};
	long ret;

	if (syscall(SYS_io_submit, a->id, 1, &cbs) != 1)
		return -errno;
	ret = syscall(SYS_io_getevents, a->id, 1, 1, &event, NULL);
	if (ret != 1)
		return ret < 0 ? -errno : -EILSEQ;
	if (event.res < 0)
		return event.res;
	return event.res == SIZE ? 0 : -EILSEQ;
}

static off_t next_offset(struct aio *a)
{
	return a->steps++ * 37 % (FILE_SIZE - SIZE);
}

static int aio_read(struct aio *a, unsigned int opcode)
{
	off_t off = next_offset(a);
	char buf[SIZE] = {};
	int err = submit(a, opcode, buf, off);

	if (err)
		return err;
	return memcmp(buf, a->content + off, SIZE) ? -EILSEQ : 0;
}

static int aio_write(struct aio *a, unsigned int opcode)
{
	off_t off = next_offset(a);
	char seen[FILE_SIZE], buf[SIZE];
	int err;

	memset(buf, a->steps, SIZE);
	err = submit(a, opcode, buf, off);
	if (err)
		return err;
	memcpy(a->content + off, buf, SIZE);
	if (pread(a->fd, seen, FILE_SIZE, 0) != FILE_SIZE)
		return -EIO;
	return memcmp(seen, a->content, FILE_SIZE) ? -EILSEQ : 0;
}

static int step_pread(void *ctx)
{
	return aio_read(ctx, IOCB_CMD_PREAD);
}

static int step_preadv(void *ctx)
{
	return aio_read(ctx, IOCB_CMD_PREADV);
}

static int step_pwrite(void *ctx)
{
	return aio_write(ctx, IOCB_CMD_PWRITE);
}

static int step_pwritev(void *ctx)
{
	return aio_write(ctx, IOCB_CMD_PWRITEV);
}

static const struct workload aio_pread = { aio_open, step_pread, aio_close };
static const struct workload aio_preadv = { aio_open, step_preadv, aio_close };
static const struct workload aio_pwrite = { aio_open, step_pwrite, aio_close };
static const struct workload aio_pwritev = { aio_open, step_pwritev, aio_close };

FIXTURE(undisturbed) {
	struct fentry_index *idx;
	struct ksyms syms;
	struct reads reads;
	const struct fentry_target *target;
	const char *prog; /* one without arguments, if they aren't the target's */
	void *ctx;
};

FIXTURE_VARIANT(undisturbed) {
	const struct workload *work;
	const char *functions[2]; /* the function, and its caller if it was inlined */
	const char *prog;	  /* reads the argument that decides */
	bool want;
};

/* clang-format off */
FIXTURE_VARIANT_ADD(undisturbed, aio_pread) {
	.work = &aio_pread,
	.functions = { "aio_read", "io_submit_one" },
	.prog = "vectored", .want = false,
};

FIXTURE_VARIANT_ADD(undisturbed, aio_preadv) {
	.work = &aio_preadv,
	.functions = { "aio_read", "io_submit_one" },
	.prog = "vectored", .want = true,
};

FIXTURE_VARIANT_ADD(undisturbed, aio_pwrite) {
	.work = &aio_pwrite,
	.functions = { "aio_write", "io_submit_one" },
	.prog = "vectored", .want = false,
};

FIXTURE_VARIANT_ADD(undisturbed, aio_pwritev) {
	.work = &aio_pwritev,
	.functions = { "aio_write", "io_submit_one" },
	.prog = "vectored", .want = true,
};
/* clang-format on */

FIXTURE_SETUP(undisturbed)
{
	const char *name = variant->functions[0];
	struct fentry_error error = {};

	ASSERT_OK(fentry_register(&error), "%s", error.msg);
	ASSERT_OK(fentry_index__open(NULL, &self->idx, &error), "%s", error.msg);
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms", &self->syms));
	if (targets__in_kernel(&self->syms, name)) {
		self->prog = variant->prog;
	} else {
		TH_LOG("%s was inlined; its caller %s is traced instead", name,
		       variant->functions[1]);
		name = variant->functions[1];
		self->prog = "calls_only";
	}
	self->target = targets__find(self->idx, &self->syms, NULL, name, NULL);
	ASSERT_NE(NULL, self->target) TH_LOG("no single %s in BTF", name);
	self->ctx = variant->work->open();
	ASSERT_NE(NULL, self->ctx) TH_LOG("%s", strerror(errno));
}

FIXTURE_TEARDOWN(undisturbed)
{
	variant->work->close(self->ctx);
	reads__close(&self->reads);
	ksyms__free(&self->syms);
	fentry_index__free(self->idx);
}

static void expect_right(struct __test_metadata *_metadata, const struct workload *work, void *ctx,
			 const char *when)
{
	int i, err, last = 0, right = 0;

	for (i = 0; i < TIMES; i++) {
		err = work->step(ctx);
		right += !err;
		last = err ?: last;
	}
	EXPECT_EQ(TIMES, right)
	TH_LOG("%s: %s", when, last == -EILSEQ ? "done wrong" : strerror(-last));
}

/* Attach a program that counts. Expect it to see each call, and all calls to be as before. */
TEST_F_TIMEOUT(undisturbed, counted, 60)
{
	static char log[LOG_SIZE];
	struct hits *hits;

	expect_right(_metadata, variant->work, self->ctx, "untraced");
	ASSERT_OK(hits__load(self->target->type_id, log, LOG_SIZE, &hits), "%s: %s",
		  self->target->name, log);
	hits__only_self(hits);
	ASSERT_EQ(0, hits__attach(hits));
	expect_right(_metadata, variant->work, self->ctx, "traced");
	EXPECT_EQ(TIMES, hits__count(hits));
	TH_LOG("%s (#%u): %llu calls", self->target->name, self->target->type_id,
	       (unsigned long long)hits__count(hits));
	hits__detach(hits);
	expect_right(_metadata, variant->work, self->ctx, "no longer traced");
	EXPECT_EQ(TIMES, hits__count(hits));
	hits__free(hits);
}

static void record(struct __test_metadata *_metadata, FIXTURE_DATA(undisturbed) *self,
		   const FIXTURE_VARIANT(undisturbed) * variant, bool at_exit)
{
	const struct reads_want want = { { variant->want }, .any_ret = true };
	struct reads *r = &self->reads;

	ASSERT_OK(reads__attach(r, self->idx, self->target, self->prog, at_exit), "%s", r->why);
	reads__begin(r);
	expect_right(_metadata, variant->work, self->ctx, "recorded");
	reads__end(r);
	EXPECT_EQ(TIMES, reads__calls(r));
	EXPECT_EQ(TIMES, reads__right(r, &want)) TH_LOG("%s", r->why);
	TH_LOG("%s (#%u) by %s", self->target->name, self->target->type_id, self->prog);
}

/* Attach a program that reads the argument. Expect it to see what was asked for. */
TEST_F_TIMEOUT(undisturbed, at_entry, 60)
{
	record(_metadata, self, variant, false);
}

TEST_F_TIMEOUT(undisturbed, at_exit, 60)
{
	record(_metadata, self, variant, true);
}

TEST_HARNESS_MAIN
