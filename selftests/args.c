// SPDX-License-Identifier: GPL-2.0
/*
 * Arguments are right: the functions below are called with values that user
 * space knows, and a program that is attached by BTF id sees these values where
 * BTF says that they are. Parameters are named, not numbered, so that what the
 * compiler made of a function doesn't matter, as long as BTF describes that.
 */
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

#include "kselftest_harness.h"

#include "args.h"
#include "args.skel.h"
#include "btf_expr.h"
#include "ksyms.h"
#include "libfentry.h"
#include "vmsyms.h"
#include "vmunits.h"

#define TIMES 20			/* switches between two processes */

/* What an expression should turn out to be: a text, or else a number. */
struct want {
	const char *text;
	__u64 number;
};

/*
 * Calls the function once and fills @want, in the order of the expressions.
 * Returns 0, or -1 with errno.
 */
typedef int (*trigger_fn)(struct args_bpf *skel, bool exit, struct want *want);

/* Of linux/in6.h, which can't be included together with netinet/in.h. */
struct in6_flowlabel_req {
	struct in6_addr flr_dst;
	__be32 flr_label;
	__u8 flr_action, flr_share;
	__u16 flr_flags, flr_expires, flr_linger;
	__u32 pad;
};

#define IPV6_FLOWLABEL_MGR 32
#define IPV6_FL_A_GET 0
#define IPV6_FL_F_CREATE 1
#define IPV6_FL_S_EXCL 1

#define begin(skel) ((skel)->bss->only_tgid = getpid())
#define end(skel) ((skel)->bss->only_tgid = 0)

static int trigger_mmap(struct args_bpf *skel, bool exit, struct want *want)
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
	begin(skel);
	got = mmap(hint, 3 * page, PROT_READ, MAP_PRIVATE | MAP_NORESERVE, fd,
		   5 * page);
	end(skel);
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

static int create_map(struct args_bpf *skel)
{
	int fd;

	begin(skel);
	fd = syscall(SYS_bpf, BPF_MAP_CREATE, &map_attr, sizeof(map_attr));
	end(skel);
	return fd;
}

static int trigger_bpf(struct args_bpf *skel, bool exit, struct want *want)
{
	int fd = create_map(skel);

	want[0].number = BPF_MAP_CREATE;
	want[1].number = (unsigned long)&map_attr;
	want[2].number = 0;
	want[3].number = sizeof(map_attr);
	want[4].number = fd;
	return fd < 0 ? -1 : close(fd);
}

static int trigger_map_create(struct args_bpf *skel, bool exit,
			      struct want *want)
{
	int fd = create_map(skel);

	want[0].number = map_attr.map_type;
	want[1].number = map_attr.key_size;
	want[2].number = map_attr.value_size;
	want[3].number = map_attr.max_entries;
	want[4].text = map_attr.map_name;
	want[5].number = map_attr.value_size;
	want[6].number = 0;
	return fd < 0 ? -1 : close(fd);
}

/* So little that one record is begun and one more asked for. */
static int read_record(struct args_bpf *skel, const char *path, __u64 *inode)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	ssize_t len;
	char buf[8];

	if (fd < 0 || fstat(fd, &st))
		return -1;
	*inode = st.st_ino;
	begin(skel);
	len = read(fd, buf, sizeof(buf));
	end(skel);
	close(fd);
	return len == sizeof(buf) ? 0 : -1;
}

static int trigger_cpuinfo(struct args_bpf *skel, bool exit, struct want *want)
{
	want[1].number = 0;
	return read_record(skel, "/proc/cpuinfo", &want[0].number);
}

static int trigger_consoles(struct args_bpf *skel, bool exit,
			    struct want *want)
{
	want[1].number = 0;
	return read_record(skel, "/proc/consoles", &want[0].number);
}

static int trigger_kallsyms(struct args_bpf *skel, bool exit,
			    struct want *want)
{
	want[1].number = exit;	/* it moves on by one */
	return read_record(skel, "/proc/kallsyms", &want[0].number);
}

static int trigger_unix(struct args_bpf *skel, bool exit, struct want *want)
{
	static struct sockaddr_un addr = {
		.sun_family = AF_UNIX,
		.sun_path = "/no such folder/x",
	};
	socklen_t len = offsetof(struct sockaddr_un, sun_path) + 30;
	int err, fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	begin(skel);
	err = connect(fd, (struct sockaddr *)&addr, len);
	end(skel);
	close(fd);
	want[0].number = AF_UNIX;
	want[1].text = addr.sun_path;
	want[2].number = len;
	want[3].number = SOCK_DGRAM;
	want[4].number = -ENOENT;
	return err == -1 && errno == ENOENT ? 0 : -1;
}

static int trigger_flowlabel(struct args_bpf *skel, bool exit,
			     struct want *want)
{
	static struct in6_flowlabel_req req = {
		.flr_dst = IN6ADDR_LOOPBACK_INIT,
		.flr_action = IPV6_FL_A_GET,
		.flr_share = IPV6_FL_S_EXCL,
		.flr_flags = IPV6_FL_F_CREATE,
		.flr_linger = 6,
	};
	int err, fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	begin(skel);
	err = setsockopt(fd, SOL_IPV6, IPV6_FLOWLABEL_MGR, &req, sizeof(req));
	end(skel);
	close(fd);
	want[0].number = IPV6_FL_S_EXCL;
	want[1].number = 6;
	want[2].number = (unsigned long)&req;
	want[3].number = 0;
	want[4].number = sizeof(req);
	return err;
}

static int trigger_semctl(struct args_bpf *skel, bool exit, struct want *want)
{
	int err;

	begin(skel);
	err = syscall(SYS_semctl, 0x12345678, 0x2a, GETVAL, 0x1122334455667788);
	end(skel);
	want[0].number = 0x12345678;
	want[1].number = 0x2a;
	want[2].number = GETVAL;
	want[3].number = 0x1122334455667788;
	want[4].number = -EINVAL;
	return err == -1 && errno == EINVAL ? 0 : -1;
}

static int trigger_pipe(struct args_bpf *skel, bool exit, struct want *want)
{
	int err, fds[2];

	begin(skel);
	err = pipe2(fds, O_CLOEXEC | O_NONBLOCK);
	end(skel);
	want[0].number = O_CLOEXEC | O_NONBLOCK;
	want[1].number = 0;
	return err || close(fds[0]) || close(fds[1]) ? -1 : 0;
}

static int trigger_sk_lookup(struct args_bpf *skel, bool exit,
			     struct want *want)
{
	char packet[64] = {};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet,
		    .data_size_in = sizeof(packet));
	int err;

	skel->bss->lookup_saddr = 0x0a0b0c0d;
	skel->bss->lookup_dport = 0x1f2e;
	skel->bss->lookup_flags = 0x1122334455667788;
	begin(skel);
	err = bpf_prog_test_run_opts(bpf_program__fd(skel->progs.lookup), &opts);
	end(skel);
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

/* The other of two processes that share a CPU and wait for each other. */
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

static int switch_tasks(struct args_bpf *skel, pid_t *partner)
{
	int i, err = 0, to[2], from[2];
	cpu_set_t cpus;
	char c = 'x';

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) ||
	    pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
		return -1;
	*partner = start_partner(from[1], to[0]);
	if (*partner < 0)
		return -1;
	close(to[0]);
	close(from[1]);
	skel->bss->wanted_pid = *partner;
	begin(skel);
	for (i = 0; !err && i < TIMES; i++)
		err = write(to[1], &c, 1) != 1 || read(from[0], &c, 1) != 1;
	end(skel);
	kill(*partner, SIGKILL);
	waitpid(*partner, NULL, 0);
	close(to[1]);
	close(from[0]);
	return err ? -1 : 0;
}

static int trigger_switch(struct args_bpf *skel, bool exit, struct want *want)
{
	pid_t partner = 0;
	int err = switch_tasks(skel, &partner);

	want[0].number = partner;
	want[1].number = partner;
	want[2].text = "args_partner";
	return err;
}

FIXTURE(args) {
	struct args_bpf *skel;
	struct fentry_index *idx;
	struct btf_expr exprs[ARGS_MAX_WATCHES];
	unsigned int expr_cnt;
	struct bpf_link *link;
	struct ksyms syms;
	struct vmlinux *vmlinux;
	struct vmunits *units;	/* if the variant has a unit */
};

FIXTURE_VARIANT(args) {
	const char *name, *unit;	/* of the function; a suffix may follow */
	/* "return" is the last one, or one that may be removed: "?param". */
	const char *exprs[ARGS_MAX_WATCHES];
	trigger_fn trigger;
	bool often;		/* called otherwise too: one call has to be right */
};

FIXTURE_VARIANT_ADD(args, do_mmap) {
	.name = "do_mmap",
	.exprs = { "file->f_inode->i_ino", "addr", "len", "prot", "flags",
		   "pgoff", "return" },
	.trigger = trigger_mmap,
};

FIXTURE_VARIANT_ADD(args, sys_bpf) {
	.name = "__sys_bpf",
	.exprs = { "cmd", "uattr.user", "uattr.is_kernel", "size", "return" },
	.trigger = trigger_bpf,
};

FIXTURE_VARIANT_ADD(args, map_create) {
	.name = "security_bpf_map_create",
	.exprs = { "attr->map_type", "attr->key_size", "attr->value_size",
		   "attr->max_entries", "attr->map_name", "map->value_size",
		   "return" },
	.trigger = trigger_map_create,
};

FIXTURE_VARIANT_ADD(args, finish_task_switch) {
	.name = "finish_task_switch",
	.exprs = { "prev->pid", "prev->tgid", "prev->comm" },
	.trigger = trigger_switch,
	.often = true,
};

FIXTURE_VARIANT_ADD(args, c_start_cpuinfo) {
	.name = "c_start",
	.unit = "cpu/proc.c",
	.exprs = { "m->file->f_inode->i_ino", "*pos" },
	.trigger = trigger_cpuinfo,
};

FIXTURE_VARIANT_ADD(args, c_start_consoles) {
	.name = "c_start",
	.unit = "consoles.c",
	.exprs = { "m->file->f_inode->i_ino", "*pos" },
	.trigger = trigger_consoles,
};

FIXTURE_VARIANT_ADD(args, s_next_kallsyms) {
	.name = "s_next",
	.unit = "kallsyms.c",
	.exprs = { "m->file->f_inode->i_ino", "*pos" },
	.trigger = trigger_kallsyms,
};

/* gcc removes the first parameter, */
FIXTURE_VARIANT_ADD(args, unix_find_other) {
	.name = "unix_find_other",
	.exprs = { "sunaddr->sun_family", "sunaddr->sun_path", "addr_len",
		   "type", "return" },
	.trigger = trigger_unix,
};

/* likewise, and an aggregate is passed in two registers, */
FIXTURE_VARIANT_ADD(args, fl_create) {
	.name = "fl_create",
	.exprs = { "freq->flr_share", "freq->flr_linger", "optval.user",
		   "optval.is_kernel", "optlen" },
	.trigger = trigger_flowlabel,
};

/* the last one, */
FIXTURE_VARIANT_ADD(args, semctl) {
	.name = "ksys_semctl",
	.exprs = { "semid", "semnum", "cmd", "arg", "return" },
	.trigger = trigger_semctl,
};

/* none, but part of the function, */
FIXTURE_VARIANT_ADD(args, pipe_flags) {
	.name = "__do_pipe_flags",
	.exprs = { "flags", "return" },
	.trigger = trigger_pipe,
};

/* and two of nine, so that only one is left on the stack. */
FIXTURE_VARIANT_ADD(args, sk_lookup) {
	.name = "__bpf_sk_lookup",
	.exprs = { "tuple->ipv4.saddr", "tuple->ipv4.dport", "len", "ifindex",
		   "proto", "netns_id", "flags", "?sdif" },
	.trigger = trigger_sk_lookup,
};

static void args_teardown_objects(FIXTURE_DATA(args) *self)
{
	bpf_link__destroy(self->link);
	args_bpf__destroy(self->skel);
	fentry_index__free(self->idx);
	ksyms__free(&self->syms);
	vmunits__close(self->units);
	vmlinux__close(self->vmlinux);
}

FIXTURE_SETUP(args)
{
	struct fentry_error error = {};

	ASSERT_EQ(0, fentry_register(&error)) TH_LOG("%s", error.msg);
	ASSERT_EQ(0, fentry_index__open(NULL, &self->idx, &error))
		TH_LOG("%s", error.msg);
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms", &self->syms));
	if (variant->unit) {
		const char *why = "";

		ASSERT_EQ(0, vmlinux__open(&self->vmlinux, &why))
			TH_LOG("%s", why);
		ASSERT_EQ(0, vmunits__open(self->vmlinux, &self->units));
	}
	self->skel = args_bpf__open();
	ASSERT_NE(NULL, self->skel);
	bpf_program__set_autoload(self->skel->progs.lookup, true);
}

FIXTURE_TEARDOWN(args)
{
	args_teardown_objects(self);
}

/* Is this the name, perhaps with a suffix? */
static bool is_named(const char *symbol, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(symbol, name, len) &&
	       (!symbol[len] || symbol[len] == '.') && !strstr(symbol, ".cold");
}

static bool is_in_kernel(const struct ksyms *syms, const char *name)
{
	size_t i;

	for (i = 0; i < syms->cnt; i++)
		if (is_named(syms->syms[i].name, name) &&
		    ksym__is_text(&syms->syms[i]))
			return true;
	return false;
}

/*
 * The one function of the name, with a suffix or without, and of the unit. That
 * is DWARF's: BTF has none where ThinLTO's suffixes made the name unique.
 */
static const struct fentry_target *
find_target(const struct fentry_index *idx, const struct ksyms *syms,
	    const struct vmunits *units, const char *name, const char *unit)
{
	const struct fentry_target *targets, *found = NULL;
	const struct ksym *text;
	const char *path;
	size_t i, cnt;

	text = ksyms__find(syms, "_text", &cnt);
	targets = fentry_index__targets(idx, &cnt);
	for (i = 0; i < cnt; i++) {
		if (targets[i].module || !is_named(targets[i].name, name))
			continue;
		path = unit ? vmunits__at(units, targets[i].addr - text->addr) :
			      NULL;
		if (unit && (!path || strlen(path) < strlen(unit) ||
			     strcmp(path + strlen(path) - strlen(unit), unit)))
			continue;
		if (found)
			return NULL;
		found = &targets[i];
	}
	return found;
}

/*
 * Make the skeleton's variables those of the programs. That is a part of loading
 * a skeleton, but here the object alone was loaded.
 */
static int share_variables(const struct args_bpf *skel)
{
	size_t size = 0, page = getpagesize();

	if (!bpf_map__initial_value(skel->maps.bss, &size))
		return -EINVAL;
	size = (size + page - 1) / page * page;
	return mmap(skel->bss, size, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_FIXED, bpf_map__fd(skel->maps.bss), 0) ==
	       MAP_FAILED ? -errno : 0;
}

#define attach(prog_name, target) do { \
	struct fentry_error _error = {}; \
	struct fentry_binding _binding = { \
		self->skel->progs.prog_name, (target) }; \
	bpf_program__set_autoload(self->skel->progs.prog_name, true); \
	ASSERT_EQ(0, fentry_object__load(self->skel->obj, self->idx, &_binding, \
					 1, &_error)) \
		TH_LOG("%s", _error.msg); \
	ASSERT_EQ(0, share_variables(self->skel)); \
	self->link = bpf_program__attach_trace(self->skel->progs.prog_name); \
	ASSERT_NE(NULL, self->link); \
} while (0)

/* Is one value as wanted? Says so if not, unless @quiet. */
static bool is_right(struct __test_metadata *_metadata, const char *text,
		     const struct btf_expr *e, const struct args_value *v,
		     const struct want *want, bool quiet)
{
	__u64 number;

	if (want->text) {
		if (e->bits / 8 > strlen(want->text) &&
		    !strncmp((char *)v->bytes, want->text, ARGS_MAX_SIZE))
			return true;
		if (!quiet)
			TH_LOG("%s is \"%.*s\", not \"%s\"", text, ARGS_MAX_SIZE,
			       (char *)v->bytes, want->text);
		return false;
	}
	number = btf_expr__number(e, v);
	if (number == btf_expr__truncate(e, want->number))
		return true;
	if (!quiet)
		TH_LOG("%s is 0x%llx, not 0x%llx", text,
		       (unsigned long long)number,
		       (unsigned long long)btf_expr__truncate(e, want->number));
	return false;
}

static unsigned int count_right(struct __test_metadata *_metadata,
				const FIXTURE_DATA(args) *self,
				const FIXTURE_VARIANT(args) *variant,
				const struct want *want)
{
	unsigned int i, nr, right = 0, cnt = self->skel->bss->call_cnt;

	for (nr = 0; nr < cnt && nr < ARGS_MAX_CALLS; nr++) {
		const struct args_call *call = &self->skel->bss->calls[nr];
		bool all = true;

		for (i = 0; i < self->expr_cnt; i++)
			all &= is_right(_metadata, variant->exprs[i],
					&self->exprs[i], &call->values[i],
					&want[i], variant->often);
		right += all;
	}
	return right;
}

/* Resolve the expressions, but for "return" at entry. */
static void watch(struct __test_metadata *_metadata, FIXTURE_DATA(args) *self,
		  const FIXTURE_VARIANT(args) *variant,
		  const struct fentry_target *target, bool exit)
{
	const struct btf *btf = fentry_index__btf(self->idx, target);
	unsigned int i;
	int err;

	for (i = 0; i < ARGS_MAX_WATCHES && variant->exprs[i]; i++) {
		bool optional = *variant->exprs[i] == '?';

		if (!exit && !strcmp(variant->exprs[i], "return"))
			break;
		err = btf_expr__parse(btf, target->type_id,
				      variant->exprs[i] + optional,
				      &self->exprs[i]);
		if (err == -ENOENT && optional)
			break;
		ASSERT_EQ(0, err)
			TH_LOG("BTF of %s has no %s", target->name,
			       variant->exprs[i]);
		self->skel->bss->watches[i] = self->exprs[i].watch;
	}
	self->expr_cnt = i;
	self->skel->bss->watch_cnt = i;
}

static void run(struct __test_metadata *_metadata, FIXTURE_DATA(args) *self,
		const FIXTURE_VARIANT(args) *variant, bool exit)
{
	struct want want[ARGS_MAX_WATCHES] = {};
	const struct fentry_target *target;
	unsigned int right;

	if (!is_in_kernel(&self->syms, variant->name))
		SKIP(return, "%s was inlined everywhere", variant->name);
	target = find_target(self->idx, &self->syms, self->units, variant->name,
			     variant->unit);
	ASSERT_NE(NULL, target) TH_LOG("no single %s in BTF", variant->name);
	if (exit)
		attach(at_exit, target);
	else
		attach(at_entry, target);
	watch(_metadata, self, variant, target, exit);

	ASSERT_EQ(0, variant->trigger(self->skel, exit, want));
	right = count_right(_metadata, self, variant, want);
	if (variant->often) {
		EXPECT_LT(0, right);
	} else {
		EXPECT_EQ(1, right);
		EXPECT_EQ(1, self->skel->bss->call_cnt);
	}
	TH_LOG("%s (#%u): %u of %u calls, %u values each", target->name,
	       target->type_id, right, self->skel->bss->call_cnt,
	       self->expr_cnt);
}

TEST_F_TIMEOUT(args, at_entry, 60)
{
	run(_metadata, self, variant, false);
}

TEST_F_TIMEOUT(args, at_exit, 60)
{
	run(_metadata, self, variant, true);
}

/* The verifier knows the argument as a task, without any helper. */
TEST(typed_access)
{
	FIXTURE_DATA(args) local = {}, *self = &local;
	const struct fentry_target *target;
	struct fentry_error error = {};
	pid_t partner = 0;

	ASSERT_EQ(0, fentry_register(&error)) TH_LOG("%s", error.msg);
	ASSERT_EQ(0, fentry_index__open(NULL, &self->idx, &error))
		TH_LOG("%s", error.msg);
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms", &self->syms));
	target = find_target(self->idx, &self->syms, NULL, "finish_task_switch",
			     NULL);
	ASSERT_NE(NULL, target);
	self->skel = args_bpf__open();
	ASSERT_NE(NULL, self->skel);
	attach(typed, target);
	ASSERT_EQ(0, switch_tasks(self->skel, &partner));
	EXPECT_LT(0, self->skel->bss->wanted_pid_hits);
	args_teardown_objects(self);
}

TEST_HARNESS_MAIN
