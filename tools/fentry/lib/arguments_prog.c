// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Programs that read arguments by name: what their instructions were before libbpf
 * relocated them, from the moment that an object is opened. Nobody tells when it
 * is closed, so a note stays until another program of the library's sections has its
 * place in memory. One of another section may have that place, too: it has no note.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static struct fentry_arguments *notes;
static pthread_mutex_t notes_lock = PTHREAD_MUTEX_INITIALIZER;

static struct fentry_arguments **find_note(const struct bpf_program *prog)
{
	struct fentry_arguments **a = &notes;

	while (*a && (*a)->prog != prog)
		a = &(*a)->next;
	return a;
}

struct fentry_arguments *fentry_arguments__of(const struct bpf_program *prog)
{
	struct fentry_arguments *a;

	if (!fentry_prog__is_handled(prog))
		return NULL;
	pthread_mutex_lock(&notes_lock);
	a = *find_note(prog);
	pthread_mutex_unlock(&notes_lock);
	return a;
}

/* In place of the one of a program that is gone, if there is one. */
static void add_note(struct fentry_arguments *new)
{
	struct fentry_arguments **place, *old;

	pthread_mutex_lock(&notes_lock);
	place = find_note(new->prog);
	old = *place;
	new->next = old ? old->next : NULL;
	*place = new;
	pthread_mutex_unlock(&notes_lock);
	if (old)
		fentry_arguments__fini(old);
	free(old);
}

int fentry_arguments__note(const struct bpf_program *prog)
{
	struct fentry_arguments *new = malloc(sizeof(*new));
	int err;

	if (!new)
		return -ENOMEM;
	err = fentry_arguments__init(new, bpf_program__name(prog), bpf_program__insns(prog),
				     bpf_program__insn_cnt(prog));
	if (err) {
		fentry_arguments__fini(new);
		free(new);
		return err;
	}
	new->prog = prog;
	add_note(new);
	return 0;
}

/* A copy of the BTF behind a file descriptor. */
static struct btf *copy_btf(int fd)
{
	struct bpf_btf_info info = {};
	__u32 len = sizeof(info);
	struct btf *btf = NULL;
	void *data;
	__u32 size;

	if (fd <= 0 || bpf_obj_get_info_by_fd(fd, &info, &len))
		return NULL;
	size = info.btf_size;
	data = malloc(size);
	memset(&info, 0, sizeof(info));
	info.btf = (__u64)(unsigned long)data;
	info.btf_size = size;
	len = sizeof(info);
	if (data && !bpf_obj_get_info_by_fd(fd, &info, &len))
		btf = btf__new(data, size);
	free(data);
	return libbpf_get_error(btf) ? NULL : btf;
}

int fentry_prog__prepare(const struct bpf_program *prog, const struct bpf_prog_load_opts *opts,
			 struct fentry_error *error)
{
	struct fentry_arguments *a = fentry_arguments__of(prog);

	if (!a)
		return 0;
	fentry_arguments__declare(a, copy_btf(opts->prog_btf_fd));
	return fentry_arguments__prepare(a, bpf_program__insns(prog), error);
}

/* @type: BPF_TRACE_FENTRY or another */
static int place(const struct fentry_arguments *a, const struct bpf_program *prog, int type,
		 const struct fentry_target *target, struct bpf_insn **ret,
		 struct fentry_error *error)
{
	size_t size = bpf_program__insn_cnt(prog) * sizeof(**ret);
	struct bpf_insn *insns = malloc(size);
	int err;

	if (!insns)
		return fentry_error__set(error, -ENOMEM, "out of memory");
	memcpy(insns, bpf_program__insns(prog), size);
	err = fentry_arguments__place(a, target, type != BPF_TRACE_FENTRY, insns, error);
	if (err) {
		free(insns);
		return err;
	}
	*ret = insns;
	return 0;
}

int fentry_prog__place(struct bpf_program *prog, const struct bpf_prog_load_opts *opts,
		       const struct fentry_target *target, struct fentry_error *error)
{
	struct fentry_arguments *a = fentry_arguments__of(prog);
	struct bpf_insn *insns;
	int err;

	if (!a)
		return 0;
	if (!a->cnt) {
		fentry_arguments__declare(a, NULL); /* no longer needed */
		return 0;
	}
	err = place(a, prog, opts->expected_attach_type, target, &insns, error);
	if (err)
		return err;
	err = bpf_program__set_insns(prog, insns, bpf_program__insn_cnt(prog));
	free(insns);
	if (err)
		return fentry_error__set(error, err,
					 "can't change the instructions of program '%s': %s",
					 bpf_program__name(prog), strerror(-err));
	return 0;
}

int fentry_prog__insns_for(const struct bpf_program *prog, const struct fentry_target *target,
			   struct bpf_insn **ret, struct fentry_error *error)
{
	const struct fentry_arguments *a = fentry_arguments__of(prog);

	*ret = NULL;
	if (!a || !a->cnt)
		return 0;
	return place(a, prog, bpf_program__expected_attach_type(prog), target, ret, error);
}

bool fentry_prog__reads_by_name(const struct bpf_program *prog)
{
	const struct fentry_arguments *a = fentry_arguments__of(prog);

	return a && a->cnt;
}
