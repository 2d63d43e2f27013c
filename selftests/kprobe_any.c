// SPDX-License-Identifier: GPL-2.0-only
/*
 * Links of kprobes at any address, which kernel/7.3/other/kprobe-multi adds: kprobe_multi with
 * BPF_F_KPROBE_MULTI_ANY. Each site is hit as often as its code runs, and has its own cookie. The
 * kernel's text tells whether a probe is there.
 */
#include <linux/perf_event.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "expect.h"

#include "file.h"
#include "kmod.h"
#include "kprobe_any.skel.h"
#include "ksyms.h"
#include "syscalls.h"
#include "text.h"

#define MAX_SITES    8
#define FUNC_SIZE    48	  /* bytes of a function that the test reads */
#define SETTLE_TRIES 3000 /* of 10 ms */
#define UNTOUCHED    1234

/* From the kernel's <linux/bpf.h>. The distribution's headers lack these. */
#define KPROBE_MULTI_RETURN  (1U << 0)
#define KPROBE_MULTI_ANY     (1U << 1)
#define TRACE_KPROBE_SESSION 56
struct link_create {
	__u32 prog_fd, target_fd, attach_type, link_flags;
	__u32 flags, cnt;
	__u64 syms, addrs, cookies;
	__u32 failed;
};
struct link_info {
	__u32 type, id, prog_id, pad;
	__u64 addrs;
	__u32 count, flags;
	__u64 missed, cookies;
	__u64 room[8]; /* for other kinds of links */
};

/* Load the program for links of this type. */
static struct kprobe_any_bpf *load(enum bpf_attach_type type)
{
	struct kprobe_any_bpf *skel = kprobe_any_bpf__open();

	if (!skel)
		return NULL;
	bpf_program__set_expected_attach_type(skel->progs.count, type);
	skel->bss->only_tgid = getpid();
	if (!kprobe_any_bpf__load(skel))
		return skel;
	kprobe_any_bpf__destroy(skel);
	return NULL;
}

static int create(struct link_create *attr, size_t size)
{
	int fd = syscall(__NR_bpf, BPF_LINK_CREATE, attr, size);

	return fd < 0 ? -errno : fd;
}

/* What the kernel says of a place where no instruction begins; a function without probes. */
#ifdef __aarch64__
#define NO_INSN	 -EINVAL
#define UNPROBED "el0_svc"
#else
#define NO_INSN	 -EILSEQ
#define UNPROBED "exc_int3"
#endif

/* A function, and the first instruction behind those at its entry: ENDBR or BTI, ftrace's nops. */
struct func {
	__u64 addr, body;
	unsigned char text[FUNC_SIZE]; /* before anything is attached */
};

FIXTURE(kprobe_any) {
	struct func umask, getpgid, modified; /* the last one is of the module "kinds" */
	struct link_create attr;
	__u64 addrs[MAX_SITES], cookies[MAX_SITES];
	struct ksyms syms;
	struct kprobe_any_bpf *skel;
	int link_fd;
};

/* Find a function of the kernel, or of a module. */
static int get_func(const struct ksyms *syms, const char *name, const char *module, struct func *f)
{
	size_t i, cnt;
	const struct ksym *sym = ksyms__find(syms, name, &cnt);

	for (i = 0; i < cnt && sym; i++, sym++) {
		if (module ? !ksym__is_of(sym, module) : !!sym->module)
			continue;
		if (text__state(sym->addr) != TEXT_NOP)
			return -EBUSY;
		f->addr = sym->addr;
		if (text__read(f->addr, f->text, FUNC_SIZE))
			return -EFAULT;
#ifdef __aarch64__
		/* "bti c" is 5f 24 03 d5 */
		f->body = f->addr + (f->text[0] == 0x5f ? 12 : 8);
#else
		/* the nop is 0f 1f 44 00 00 */
		f->body = f->addr + (f->text[0] == 0x0f && f->text[2] == 0x44 ? 5 : 9);
#endif
		return 0;
	}
	return -ENOENT;
}

FIXTURE_SETUP(kprobe_any)
{
	int i;

	self->link_fd = -1;
	ASSERT_EQ(0, kmod__load(KINDS_MODULE, ""));
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms", &self->syms));
	ASSERT_EQ(0, get_func(&self->syms, SYSCALL("umask"), NULL, &self->umask));
	ASSERT_EQ(0, get_func(&self->syms, SYSCALL("getpgid"), NULL, &self->getpgid));
	ASSERT_EQ(0, get_func(&self->syms, "modified", KINDS_MODULE, &self->modified));
	self->skel = load(BPF_TRACE_KPROBE_MULTI);
	ASSERT_NE(NULL, self->skel) TH_LOG("%s", strerror(errno));
	for (i = 0; i < MAX_SITES; i++)
		self->cookies[i] = i;
	self->attr = (struct link_create){
		.prog_fd = bpf_program__fd(self->skel->progs.count),
		.attach_type = BPF_TRACE_KPROBE_MULTI,
		.flags = KPROBE_MULTI_ANY,
		.addrs = (unsigned long)self->addrs,
		.cookies = (unsigned long)self->cookies,
		.failed = UNTOUCHED,
	};
}

FIXTURE_TEARDOWN(kprobe_any)
{
	close(self->link_fd);
	kprobe_any_bpf__destroy(self->skel);
	ksyms__free(&self->syms);
	EXPECT_EQ(0, kmod__unload(KINDS_MODULE));
}

/* Attach to these addresses, with the cookies 0, 1 and so on. */
#define ATTACH(...)                                                      \
	do {                                                             \
		const __u64 addrs_[] = { __VA_ARGS__ };                  \
		memcpy(self->addrs, addrs_, sizeof(addrs_));             \
		self->attr.cnt = sizeof(addrs_) / sizeof(addrs_[0]);     \
		self->link_fd = create(&self->attr, sizeof(self->attr)); \
	} while (0)

#define ATTACHED(...)                                                               \
	do {                                                                        \
		ATTACH(__VA_ARGS__);                                                \
		ASSERT_LE(0, self->link_fd) TH_LOG("%s", strerror(-self->link_fd)); \
	} while (0)

static void detach(FIXTURE_DATA(kprobe_any) *self)
{
	close(self->link_fd);
	self->link_fd = -1;
}

static void call_umask(int times)
{
	while (times--)
		umask(022);
}

/*
 * Is the function's text as it was, except for a probe at @addr? 0 means no probe. A probe is a
 * breakpoint, which the kernel later replaces by a jump of five bytes.
 */
static bool is_text(const struct func *f, __u64 addr)
{
	unsigned char now[FUNC_SIZE], as_it_was[FUNC_SIZE];
	size_t at = addr - f->addr, size;

	if (text__read(f->addr, now, FUNC_SIZE))
		return false;
	memcpy(as_it_was, f->text, FUNC_SIZE);
	if (addr) {
		size = text__probe_size(now + at);
		if (!size)
			return false;
		memcpy(as_it_was + at, now + at, size);
	}
	return !memcmp(now, as_it_was, FUNC_SIZE);
}

/* The kernel removes a jump some time after its probe. */
static bool becomes_text(const struct func *f)
{
	int i;

	for (i = 0; i < SETTLE_TRIES && !is_text(f, 0); i++)
		usleep(10000);
	return is_text(f, 0);
}

/*
 * Attach to functions of the kernel and of a module, at and behind their entry, twice to one
 * address. Call them. Expect hits with each cookie and address, and none when the link is gone.
 */
TEST_F(kprobe_any, hits)
{
	const struct {
		__u64 addr, hits;
	} sites[] = {
		{ self->umask.body, 5 }, { self->modified.body, 3 }, { self->getpgid.body, 2 },
		{ self->umask.addr, 5 }, { self->umask.body, 5 },
	};
	size_t i;

	ATTACHED(sites[0].addr, sites[1].addr, sites[2].addr, sites[3].addr, sites[4].addr);
	EXPECT_EQ(UNTOUCHED, self->attr.failed);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, kinds_mod__call("modified@kinds_main.c 7"));
	for (i = 0; i < 2; i++)
		getpgid(0);
	call_umask(5);
	for (i = 0; i < sizeof(sites) / sizeof(sites[0]); i++) {
		EXPECT_EQ(sites[i].hits, self->skel->bss->hits[i]) TH_LOG("site %zu", i);
		EXPECT_EQ(sites[i].addr, self->skel->bss->func_ip[i]) TH_LOG("site %zu", i);
	}
	detach(self);
	call_umask(3);
	EXPECT_EQ(5, self->skel->bss->hits[0]);
}

/* Attach without cookies. Expect 0 as the cookie of each. */
TEST_F(kprobe_any, no_cookies)
{
	self->attr.cookies = 0;
	ATTACHED(self->umask.body, self->getpgid.body);
	call_umask(2);
	getpgid(0);
	EXPECT_EQ(3, self->skel->bss->hits[0]);
	EXPECT_EQ(self->getpgid.body, self->skel->bss->func_ip[0]);
}

/* Attach to two functions. Expect probes in the text at these addresses and nowhere else. */
TEST_F_TIMEOUT(kprobe_any, text, 120)
{
	ATTACHED(self->umask.body, self->modified.body);
	EXPECT_TRUE(is_text(&self->umask, self->umask.body));
	EXPECT_TRUE(is_text(&self->modified, self->modified.body));
	EXPECT_TRUE(is_text(&self->getpgid, 0));
	detach(self);
	EXPECT_TRUE(becomes_text(&self->umask));
	EXPECT_TRUE(becomes_text(&self->modified));
}

/*
 * Attach to addresses, one of which is within an instruction, NULL, or in a function that kprobes
 * refuse. Expect this one's error and index, and no probe.
 */
TEST_F_TIMEOUT(kprobe_any, all_or_none, 120)
{
	__u64 unprobed = ksyms__addr(&self->syms, UNPROBED);

	ATTACH(self->umask.body, self->getpgid.body, self->umask.addr + 1, self->modified.body);
	EXPECT_EQ(NO_INSN, self->link_fd);
	EXPECT_EQ(2, self->attr.failed);

	ATTACH(0, self->getpgid.body);
	EXPECT_EQ(-EINVAL, self->link_fd);
	EXPECT_EQ(0, self->attr.failed);

	ASSERT_NE(0, unprobed);
	ATTACH(self->umask.body, self->modified.body, self->getpgid.body, unprobed);
	EXPECT_EQ(-EINVAL, self->link_fd);
	EXPECT_EQ(3, self->attr.failed);

	EXPECT_TRUE(becomes_text(&self->umask));
	EXPECT_TRUE(becomes_text(&self->getpgid));
	EXPECT_TRUE(becomes_text(&self->modified));
	call_umask(3);
	EXPECT_EQ(0, self->skel->bss->hits[0]);
}

/* Pass attributes that end before the index. Expect the kernel not to write the index. */
TEST_F(kprobe_any, short_attributes)
{
	self->addrs[0] = self->umask.addr + 1;
	self->attr.cnt = 1;
	EXPECT_EQ(NO_INSN, create(&self->attr, offsetof(struct link_create, failed)));
	EXPECT_EQ(UNTOUCHED, self->attr.failed);
	EXPECT_EQ(NO_INSN, create(&self->attr, sizeof(self->attr)));
	EXPECT_EQ(0, self->attr.failed);
}

/* Pass flags, symbols and a session, none of which are allowed. Expect -EINVAL, and no index. */
TEST_F(kprobe_any, refusals)
{
	const char *name = SYSCALL("umask");
	const char *const names[] = { name };
	struct kprobe_any_bpf *session;

	self->addrs[0] = self->umask.addr;
	self->attr.cnt = 1;
	self->attr.flags = KPROBE_MULTI_ANY | KPROBE_MULTI_RETURN;
	EXPECT_EQ(-EINVAL, create(&self->attr, sizeof(self->attr)));
	self->attr.flags = KPROBE_MULTI_ANY | 4;
	EXPECT_EQ(-EINVAL, create(&self->attr, sizeof(self->attr)));

	self->attr.flags = KPROBE_MULTI_ANY;
	self->attr.syms = (unsigned long)names;
	EXPECT_EQ(-EINVAL, create(&self->attr, sizeof(self->attr)));
	self->attr.addrs = 0;
	EXPECT_EQ(-EINVAL, create(&self->attr, sizeof(self->attr)));
	self->attr.syms = 0;
	self->attr.addrs = (unsigned long)self->addrs;

	session = load(TRACE_KPROBE_SESSION);
	ASSERT_NE(NULL, session) TH_LOG("%s", strerror(errno));
	self->attr.prog_fd = bpf_program__fd(session->progs.count);
	self->attr.attach_type = TRACE_KPROBE_SESSION;
	EXPECT_EQ(-EINVAL, create(&self->attr, sizeof(self->attr)));
	kprobe_any_bpf__destroy(session);
	EXPECT_EQ(UNTOUCHED, self->attr.failed);
}

/* Attach to a module. Expect that it can't be unloaded meanwhile. */
TEST_F(kprobe_any, module_stays)
{
	ATTACHED(self->umask.body, self->modified.body);
	EXPECT_EQ(-EAGAIN, kmod__try_unload(KINDS_MODULE));
}

static int open_kprobe(__u64 addr)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = file__number("/sys/bus/event_source/devices/kprobe/type"),
		.kprobe_addr = addr,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Add perf's kprobe at the same address, then remove either. Expect each to count alone, too. */
TEST_F_TIMEOUT(kprobe_any, beside_a_kprobe, 120)
{
	__u64 count = 0;
	int perf;

	ATTACHED(self->umask.body);
	perf = open_kprobe(self->umask.body);
	ASSERT_LE(0, perf) TH_LOG("%s", strerror(errno));
	call_umask(4);
	ASSERT_EQ(sizeof(count), read(perf, &count, sizeof(count)));
	EXPECT_EQ(4, count);
	EXPECT_EQ(4, self->skel->bss->hits[0]);
	close(perf);
	call_umask(1);
	EXPECT_EQ(5, self->skel->bss->hits[0]);

	perf = open_kprobe(self->umask.body);
	ASSERT_LE(0, perf) TH_LOG("%s", strerror(errno));
	detach(self);
	call_umask(2);
	ASSERT_EQ(sizeof(count), read(perf, &count, sizeof(count)));
	EXPECT_EQ(2, count);
	EXPECT_EQ(5, self->skel->bss->hits[0]);
	close(perf);
	EXPECT_TRUE(becomes_text(&self->umask));
}

static int get_info(int link_fd, struct link_info *info, __u64 *addrs, __u64 *cookies)
{
	__u32 len = sizeof(*info);

	*info = (struct link_info){
		.addrs = (unsigned long)addrs,
		.cookies = (unsigned long)cookies,
		.count = addrs ? MAX_SITES : 0,
	};
	return bpf_obj_get_info_by_fd(link_fd, info, &len) ? -errno : 0;
}

/* Query the link's info. Expect its flags, and addresses and cookies in the caller's order. */
TEST_F(kprobe_any, info)
{
	__u64 addrs[MAX_SITES] = {}, cookies[MAX_SITES] = {};
	struct link_info info;
	char path[64];
	int i;

	ATTACHED(self->umask.body, self->umask.addr, self->modified.body);
	ASSERT_EQ(0, get_info(self->link_fd, &info, addrs, cookies));
	EXPECT_EQ(KPROBE_MULTI_ANY, info.flags);
	EXPECT_EQ(3, info.count);
	EXPECT_EQ(0, info.missed);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(self->addrs[i], addrs[i]);
		EXPECT_EQ(self->cookies[i], cookies[i]);
	}
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", self->link_fd);
	EXPECT_EQ(1, file__lines(path, "link_type:\tkprobe_multi"));
	EXPECT_EQ(1, file__lines(path, "any:\t1"));
}

/* Attach to a helper that the program calls, too. Expect these hits to be counted as missed. */
TEST_F(kprobe_any, missed)
{
	__u64 helper = ksyms__addr(&self->syms, "bpf_get_current_pid_tgid");
	struct link_info info;

	ASSERT_NE(0, helper);
	ATTACHED(self->umask.body, helper);
	call_umask(6);
	EXPECT_EQ(6, self->skel->bss->hits[0]);
	EXPECT_EQ(0, self->skel->bss->hits[1]);
	ASSERT_EQ(0, get_info(self->link_fd, &info, NULL, NULL));
	EXPECT_EQ(6, info.missed);
}

TEST_HARNESS_MAIN
