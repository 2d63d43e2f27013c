// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs see the right arguments. The test makes the kernel call the functions below with known
 * values. A program reads them by the names of the parameters, so the test fits every compiler, as
 * long as BTF describes the function. The test "regs" has functions of each kind that compilers
 * make.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "expect.h"

#include "env.h"
#include "ksyms.h"
#include "libfentry.h"
#include "reads.h"
#include "vmsyms.h"

#define TIMES 20 /* switches between two processes */

/* Is this the name, perhaps with a suffix? */
static bool is_named(const char *symbol, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(symbol, name, len) && (!symbol[len] || symbol[len] == '.') &&
	       !strstr(symbol, ".cold");
}

/* Does the function have code of its own, or was it inlined everywhere? */
static bool in_kernel(const struct ksyms *syms, const char *name)
{
	size_t i;

	for (i = 0; i < syms->cnt; i++)
		if (is_named(syms->syms[i].name, name) && ksym__is_text(&syms->syms[i]))
			return true;
	return false;
}

/*
 * Find the function of vmlinux with this name, with a suffix or without; NULL if none or several
 * match. @unit is the end of its unit's path in DWARF, or NULL. BTF has no unit if a suffix of
 * ThinLTO made the name unique.
 */
static const struct fentry_target *find_target(const struct fentry_index *idx,
					       const struct ksyms *syms,
					       const struct vmunits *units, const char *name,
					       const char *unit)
{
	const struct fentry_target *t, *found = NULL;
	__u64 text = ksyms__addr(syms, "_text");
	size_t i;

	for (i = 0; (t = fentry_index__target(idx, i)); i++) {
		const char *path;

		if (t->module || !is_named(t->name, name))
			continue;
		path = vmunits__at(units, t->addr - text);
		if (unit && !(path && path__ends(path, unit)))
			continue;
		if (found)
			return NULL;
		found = t;
	}
	return found;
}

/*
 * Triggers make the kernel call the function once, and set @want. Return 0, or -1 with errno set.
 */
static int trigger_mmap(struct reads *r, struct reads_want *want)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	size_t page = getpagesize();
	struct stat st;
	void *hint, *got;

	/* A free address. */
	hint = mmap(NULL, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (fd < 0 || fstat(fd, &st) || hint == MAP_FAILED)
		return -1;
	munmap(hint, 3 * page);
	reads__begin(r);
	got = mmap(hint, 3 * page, PROT_READ, MAP_PRIVATE | MAP_NORESERVE, fd, 5 * page);
	reads__end(r);
	close(fd);
	*want = (struct reads_want){
		{ st.st_ino, (long)hint, 3 * page, PROT_READ, MAP_PRIVATE | MAP_NORESERVE, 5 },
		.ret = (long)got,
	};
	return got == MAP_FAILED || munmap(got, 3 * page) ? -1 : 0;
}

/* Read less than the first record. */
static int read_record(struct reads *r, const char *path, long pos, struct reads_want *want)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	ssize_t len;
	char buf[8];

	if (fd < 0 || fstat(fd, &st))
		return -1;
	*want = (struct reads_want){ { st.st_ino, pos }, .any_ret = true };
	reads__begin(r);
	len = read(fd, buf, sizeof(buf));
	reads__end(r);
	close(fd);
	return len == sizeof(buf) ? 0 : -1;
}

static int trigger_cpuinfo(struct reads *r, struct reads_want *want)
{
	return read_record(r, "/proc/cpuinfo", 0, want);
}

static int trigger_consoles(struct reads *r, struct reads_want *want)
{
	return read_record(r, "/proc/consoles", 0, want);
}

/* The position moves on by one. */
static int trigger_kallsyms(struct reads *r, struct reads_want *want)
{
	return read_record(r, "/proc/kallsyms", r->at_exit, want);
}

static int trigger_unix(struct reads *r, struct reads_want *want)
{
	static struct sockaddr_un addr = {
		.sun_family = AF_UNIX,
		.sun_path = "/no such folder/x",
	};
	socklen_t len = offsetof(struct sockaddr_un, sun_path) + 30;
	int err, fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	reads__begin(r);
	err = connect(fd, (struct sockaddr *)&addr, len);
	reads__end(r);
	close(fd);
	*want = (struct reads_want){
		{ AF_UNIX, len, SOCK_DGRAM },
		.text = addr.sun_path,
		.ret = -ENOENT,
	};
	return err == -1 && errno == ENOENT ? 0 : -1;
}

static int trigger_sk_lookup(struct reads *r, struct reads_want *want)
{
	char packet[64] = {};
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet, .data_size_in = sizeof(packet));
	int err;

	r->skel->bss->lookup_saddr = 0x0a0b0c0d;
	r->skel->bss->lookup_dport = 0x1f2e;
	r->skel->bss->lookup_flags = 0x1122334455667788;
	reads__begin(r);
	err = bpf_prog_test_run_opts(bpf_program__fd(r->skel->progs.lookup), &opts);
	reads__end(r);
	*want = (struct reads_want){
		{ 0x0a0b0c0d, 0x1f2e, sizeof(((struct bpf_sock_tuple *)0)->ipv4),
		  if_nametoindex("lo"), IPPROTO_TCP, BPF_F_CURRENT_NETNS, 0x1122334455667788 },
		.may = 1 << 7,
		.any_ret = true,
	};
	return err;
}

static int trigger_oom_adj(struct reads *r, struct reads_want *want)
{
	static const char value[] = "321";
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return -1;
	reads__begin(r);
	len = write(fd, value, strlen(value));
	reads__end(r);
	close(fd);
	*want = (struct reads_want){ { 321, false } };
	return len != (ssize_t)strlen(value) ? -1 : 0;
}

/* Start the second of two processes that share a CPU and wait for each other. */
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

static int trigger_switch(struct reads *r, struct reads_want *want)
{
	int i, err = 0, to[2], from[2];
	pid_t partner;
	cpu_set_t cpus;
	char c = 'x';

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) || pipe2(to, O_CLOEXEC) ||
	    pipe2(from, O_CLOEXEC))
		return -1;
	partner = start_partner(from[1], to[0]);
	if (partner < 0)
		return -1;
	close(to[0]);
	close(from[1]);
	reads__begin(r);
	for (i = 0; !err && i < TIMES; i++)
		err = write(to[1], &c, 1) != 1 || read(from[0], &c, 1) != 1;
	reads__end(r);
	kill(partner, SIGKILL);
	waitpid(partner, NULL, 0);
	close(to[1]);
	close(from[0]);
	*want = (struct reads_want){
		{ partner, partner },
		.text = "args_partner",
		.any_ret = true,
	};
	return err ? -1 : 0;
}

#ifdef __aarch64__
#define CPUINFO "kernel/cpuinfo.c"
#else
#define CPUINFO "cpu/proc.c"
#endif

/* A function, and how the test makes the kernel call it. */
static const struct known {
	const char *name, *unit; /* a suffix may follow the name */
	const char *prog;	 /* of reads_progs.h */
	int (*trigger)(struct reads *r, struct reads_want *want);
	bool may_be_inlined; /* by clang, or by gcc in 7.3 */
	bool often;	     /* others call it, too: one of the calls has to be right */
} functions[] = {
	/* clang-format off */
	{ .name = "do_mmap", .prog = "do_mmap", .trigger = trigger_mmap },
	{ .name = "finish_task_switch", .prog = "finish_task_switch", .trigger = trigger_switch,
	  .often = true },
	{ .name = "c_start", .unit = CPUINFO, .prog = "seq", .trigger = trigger_cpuinfo },
	{ .name = "c_start", .unit = "consoles.c", .prog = "seq", .trigger = trigger_consoles },
	{ .name = "s_next", .unit = "kallsyms.c", .prog = "seq", .trigger = trigger_kallsyms },
	/* gcc removes the first parameter. */
	{ .name = "unix_find_other", .prog = "unix_find_other", .trigger = trigger_unix },
	/* gcc removes two of nine parameters, so that only one is left on the stack. */
	{ .name = "__bpf_sk_lookup", .prog = "sk_lookup", .trigger = trigger_sk_lookup,
	  .may_be_inlined = true },
	/* gcc passes a member of a structure instead of the pointer to the structure. */
	{ .name = "__set_oom_adj", .prog = "oom_adj", .trigger = trigger_oom_adj },
	/* clang-format on */
};

FIXTURE(args) {
	struct fentry_index *idx;
	struct ksyms syms;
	struct vmlinux *vmlinux;
	struct vmunits *units;
};

FIXTURE_SETUP(args)
{
	struct fentry_error error = {};
	const char *why = "";

	ASSERT_OK(fentry_register(&error), "%s", error.msg);
	ASSERT_OK(fentry_index__open(NULL, &self->idx, &error), "%s", error.msg);
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms", &self->syms));
	ASSERT_OK(vmlinux__open(&self->vmlinux, &why), "%s", why);
	ASSERT_EQ(0, vmunits__open(self->vmlinux, &self->units));
}

FIXTURE_TEARDOWN(args)
{
	fentry_index__free(self->idx);
	ksyms__free(&self->syms);
	vmunits__close(self->units);
	vmlinux__close(self->vmlinux);
}

static void trace(struct __test_metadata *_metadata, FIXTURE_DATA(args) *self,
		  const struct known *f, bool at_exit)
{
	const struct fentry_target *target;
	struct reads_want want = {};
	const char *name = f->name;
	struct reads r = {};
	unsigned int right;
	int err;

	if (!in_kernel(&self->syms, name)) {
		TH_LOG("%s was inlined", name);
		EXPECT_TRUE(f->may_be_inlined) TH_LOG("%s", name);
		return;
	}
	target = find_target(self->idx, &self->syms, self->units, name, f->unit);
	EXPECT_NE(NULL, target) TH_LOG("no single %s in BTF", name);
	if (!target)
		return;
	err = reads__attach(&r, self->idx, target, f->prog, at_exit);
	if (!PASSES_STACK && !strcmp(name, "do_mmap")) {
		EXPECT_EQ(-ENOTSUPP, err);
	} else {
		EXPECT_OK(err, "%s", r.why);
	}
	if (err) {
		reads__close(&r);
		return;
	}
	EXPECT_EQ(0, f->trigger(&r, &want)) TH_LOG("%s: %s", name, strerror(errno));
	right = reads__right(&r, &want);
	if (f->often) {
		EXPECT_LT(0, right) TH_LOG("%s: %s", name, r.why);
	} else {
		EXPECT_EQ(1, right) TH_LOG("%s: %s", name, r.why);
		EXPECT_EQ(1, reads__calls(&r)) TH_LOG("%s", name);
	}
	TH_LOG("%s (#%u): %u of %u calls", target->name, target->type_id, right, reads__calls(&r));
	reads__close(&r);
}

TEST_F_TIMEOUT(args, at_entry, 300)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(functions); i++)
		trace(_metadata, self, &functions[i], false);
}

TEST_F_TIMEOUT(args, at_exit, 300)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(functions); i++)
		trace(_metadata, self, &functions[i], true);
}

TEST_HARNESS_MAIN
