// SPDX-License-Identifier: GPL-2.0
/*
 * Loading and attaching by BTF id with stock libbpf.
 *
 * libbpf's own SEC("fentry/name") looks the name up in BTF and takes the first
 * FUNC of this name. Custom section handlers may set the id themselves, in the
 * moment before BPF_PROG_LOAD. libbpf passes them nothing that says which load
 * this is, so the request goes through a thread-local pointer that is set for
 * the time of bpf_object__load().
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

#define LOG_SIZE 4096

struct load_request {
	struct fentry_index *idx;
	const struct fentry_binding *bindings;
	size_t cnt;
	struct fentry_error *error;
	const struct fentry_target *target;	/* of the program being loaded */
	int btf_fd;				/* of a module's target, else 0 */
	int err;				/* why no target was found */
	char log[LOG_SIZE];			/* the kernel's words on it */
};

static __thread struct load_request *current_request;
static pthread_once_t register_once = PTHREAD_ONCE_INIT;
static int register_err;

/* The file descriptor of the target's BTF object; 0 stands for vmlinux. */
static int target_btf_fd(const struct fentry_target *target)
{
	return target->module ? bpf_btf_get_fd_by_id(target->obj_id) : 0;
}

/* The one function that a section name, as "fentry/name@path", means. */
static int resolve_section(const struct bpf_program *prog,
			   struct fentry_index *idx, __u32 *type_id,
			   struct fentry_error *error)
{
	const char *section = bpf_program__section_name(prog);
	const struct fentry_target **found = NULL;
	const char *text = strchr(section, '/');
	struct fentry_spec spec = {};
	size_t cnt;
	int err;

	if (!text)
		return fentry_error__set(error, -EINVAL,
			"program '%s' has no target: SEC(\"%s\") names none and none was set",
			bpf_program__name(prog), section);
	err = fentry_spec__parse(text + 1, &spec, error);
	if (!err)
		err = fentry_index__resolve(idx, &spec, &found, &cnt, error);
	if (!err && cnt > 1)
		err = fentry_error__set(error, -ENOTUNIQ,
			"SEC(\"%s\") matches %zu functions, but a program has one target",
			section, cnt);
	if (!err)
		*type_id = found[0]->type_id;
	free(found);
	fentry_spec__clear(&spec);
	return err;
}

static const struct fentry_target *find_binding(const struct load_request *req,
						const struct bpf_program *prog)
{
	size_t i;

	for (i = 0; req && i < req->cnt; i++)
		if (req->bindings[i].prog == prog)
			return req->bindings[i].target;
	return NULL;
}

/* libbpf calls this right before BPF_PROG_LOAD. */
static int prepare_load(struct bpf_program *prog,
			struct bpf_prog_load_opts *opts, long cookie)
{
	struct load_request *req = current_request;
	const struct fentry_target *target = find_binding(req, prog);
	struct fentry_error *error = req ? req->error : NULL;
	struct fentry_index *idx = req ? req->idx : NULL;
	__u32 type_id = 0;
	int err = 0;

	opts->expected_attach_type = cookie;
	if (target) {
		if (req->btf_fd > 0)
			close(req->btf_fd);
		req->btf_fd = target_btf_fd(target);
		if (req->btf_fd < 0)
			return req->btf_fd;
		opts->attach_btf_obj_fd = req->btf_fd;
		opts->attach_btf_id = target->type_id;
		req->target = target;
		return 0;
	}

	if (!idx)
		err = fentry_index__open(NULL, &idx, error);
	if (!err)
		err = resolve_section(prog, idx, &type_id, error);
	if (!err)
		opts->attach_btf_id = type_id;
	if (!req || !req->idx)
		fentry_index__free(idx);
	if (req) {
		req->target = NULL;
		req->err = err;
	}
	return err;
}

static int attach(const struct bpf_program *prog, long cookie,
		  struct bpf_link **link)
{
	(void)cookie;
	*link = bpf_program__attach_trace(prog);
	return libbpf_get_error(*link);
}

static void register_handlers(void)
{
	static const struct {
		const char *section;
		enum bpf_attach_type type;
	} handlers[] = {
		{ "fentry+", BPF_TRACE_FENTRY },
		{ "fexit+", BPF_TRACE_FEXIT },
	};
	size_t i;

	for (i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++) {
		LIBBPF_OPTS(libbpf_prog_handler_opts, opts,
			    .cookie = handlers[i].type,
			    .prog_prepare_load_fn = prepare_load,
			    .prog_attach_fn = attach);
		int id = libbpf_register_prog_handler(handlers[i].section,
						      BPF_PROG_TYPE_TRACING,
						      handlers[i].type, &opts);

		if (id < 0) {
			register_err = id;
			return;
		}
	}
}

int fentry_register(struct fentry_error *error)
{
	pthread_once(&register_once, register_handlers);
	if (register_err)
		return fentry_error__set(error, register_err,
			"can't register section handlers with libbpf: %s",
			strerror(-register_err));
	return 0;
}

/*
 * Describe a refused load. The kernel's reason is the first line of the log;
 * what follows is statistics.
 */
static int load_failed(struct fentry_error *error, int err,
		       const struct fentry_target *target, char *log)
{
	log[strcspn(log, "\n")] = '\0';
	if (err == -EPERM && !*log)
		return fentry_error__set(error, err,
			"not allowed to load BPF programs: run as root, or with CAP_BPF and CAP_PERFMON");
	if (!target)
		return fentry_error__set(error, err,
			"can't load the BPF object: %s%s%s", strerror(-err),
			*log ? ": " : "", log);
	return fentry_error__set(error, err,
		"can't load a program for %s (#%u): %s%s%s", target->name,
		target->type_id, strerror(-err), *log ? ": " : "", log);
}

int fentry_object__load(struct bpf_object *obj, struct fentry_index *idx,
			const struct fentry_binding *bindings, size_t cnt,
			struct fentry_error *error)
{
	struct load_request *req;
	struct bpf_program *prog;
	int err;

	req = calloc(1, sizeof(*req));
	if (!req)
		return fentry_error__set(error, -ENOMEM, "out of memory");
	req->idx = idx;
	req->bindings = bindings;
	req->cnt = cnt;
	req->error = error;
	bpf_object__for_each_program(prog, obj)
		bpf_program__set_log_buf(prog, req->log, sizeof(req->log));

	current_request = req;
	err = bpf_object__load(obj);
	current_request = NULL;

	if (req->btf_fd > 0)
		close(req->btf_fd);
	if (req->err)
		err = req->err;		/* described already */
	else if (err)
		load_failed(error, err, req->target, req->log);
	free(req);
	return err;
}

int fentry_prog__clone(const struct bpf_program *prog,
		       const struct fentry_target *target, int *ret,
		       struct fentry_error *error)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		    .expected_attach_type =
			bpf_program__expected_attach_type(prog),
		    .attach_btf_id = target->type_id);
	char log[LOG_SIZE] = "";
	int btf_fd, fd;

	btf_fd = target_btf_fd(target);
	if (btf_fd < 0)
		return fentry_error__set(error, btf_fd,
			"can't open the BTF of %s: %s", target->module,
			strerror(-btf_fd));
	opts.attach_btf_obj_fd = btf_fd;
	opts.log_buf = log;
	opts.log_size = sizeof(log);
	fd = bpf_prog_load(bpf_program__type(prog), bpf_program__name(prog),
			   "GPL", bpf_program__insns(prog),
			   bpf_program__insn_cnt(prog), &opts);
	if (btf_fd)
		close(btf_fd);
	if (fd < 0)
		return load_failed(error, fd, target, log);
	*ret = fd;
	return 0;
}

int fentry_prog__attach(int prog_fd, enum bpf_attach_type type, __u64 cookie,
			const struct fentry_target *target, int *ret,
			struct fentry_error *error)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .tracing.cookie = cookie);
	int fd;

	fd = bpf_link_create(prog_fd, 0, type, &opts);
	if (fd < 0)
		return fentry_error__set(error, fd, "can't attach to %s (#%u): %s%s",
			target->name, target->type_id, strerror(-fd),
			fd == -EBUSY ? " (notrace functions have no place for it)" : "");
	*ret = fd;
	return 0;
}
