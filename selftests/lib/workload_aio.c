// SPDX-License-Identifier: GPL-2.0-only
/* Asynchronous I/O by the bare system calls, on a file in memory. */
#include <errno.h>
#include <linux/aio_abi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "workloads.h"

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

const struct workload aio_pread = { aio_open, step_pread, aio_close };
const struct workload aio_preadv = { aio_open, step_preadv, aio_close };
const struct workload aio_pwrite = { aio_open, step_pwrite, aio_close };
const struct workload aio_pwritev = { aio_open, step_pwritev, aio_close };
