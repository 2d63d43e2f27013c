// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading a file in /proc runs a function whose name others have as well: for /proc/kallsyms it is
 * s_next() of kernel/kallsyms.c. Beside each fentry program, a kprobe at the address counts the
 * same calls. The programs on the other functions count none.
 */
#include <linux/perf_event.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "expect.h"

#include "file.h"
#include "hits.h"
#include "ksyms.h"
#include "text.h"
#include "vmsyms.h"
#include "vmunits.h"

#define MAX_INSTANCES 64

struct probed {
	__u64 addr;
	struct hits *hits;
	int kprobe_fd; /* -1 if it can't be traced */
};

FIXTURE(kprobe_twin) {
	struct probed probed[MAX_INSTANCES];
	size_t cnt;
	size_t running; /* index of the one that is called */
	struct ksyms syms, btf_syms;
	struct vmlinux *vmlinux;
	struct vmunits *units;
};

FIXTURE_VARIANT(kprobe_twin) {
	const char *name; /* function */
	const char *unit; /* of the one that runs: how its path ends */
	const char *path; /* when this is read */
	int min_traced;	  /* expected functions of the name */
};

/* The other functions of this name are those of kernel/trace, which are notrace: BTF lacks them. */
/* clang-format off */
FIXTURE_VARIANT_ADD(kprobe_twin, kallsyms) {
	.name = "s_next",
	.unit = "kernel/kallsyms.c",
	.path = "/proc/kallsyms",
	.min_traced = 1,
};

FIXTURE_VARIANT_ADD(kprobe_twin, cpuinfo) {
	.name = "c_start",
	.unit = "cpu/proc.c",
	.path = "/proc/cpuinfo",
	.min_traced = 2,
};

FIXTURE_VARIANT_ADD(kprobe_twin, consoles) {
	.name = "c_start",
	.unit = "fs/proc/consoles.c",
	.path = "/proc/consoles",
	.min_traced = 2,
};
/* clang-format on */

/* A kprobe at an address, which counts the calls by this process. */
static int open_kprobe(__u64 addr)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = file__number("/sys/bus/event_source/devices/kprobe/type"),
		.kprobe_addr = addr,
		.disabled = 1,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static __u64 kprobe_count(int fd)
{
	__u64 count = -1ULL;

	return read(fd, &count, sizeof(count)) == sizeof(count) ? count : -1ULL;
}

static bool read_all(const char *path)
{
	char buf[65536];
	ssize_t len;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	while ((len = read(fd, buf, sizeof(buf))) > 0)
		;
	close(fd);
	return !len;
}

/* ThinLTO renames a static function that another unit calls: that makes it unique. */
static bool is_renamed(const struct ksyms *syms, const char *name)
{
	size_t i, len = strlen(name);

	for (i = 0; i < syms->cnt; i++) {
		if (!strncmp(syms->syms[i].name, name, len) &&
		    !strncmp(syms->syms[i].name + len, ".llvm.", 6))
			return true;
	}
	return false;
}

FIXTURE_SETUP(kprobe_twin)
{
	const struct ksym *sym;
	const char *why = "";
	__u64 text;
	size_t i;
	int found = 0, traced = 0;

	ASSERT_OK(vmlinux__open(&self->vmlinux, &why), "%s", why);
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms", &self->syms));
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms_btf", &self->btf_syms));
	if (is_renamed(&self->syms, variant->name))
		SKIP(return, "%s: the compiler gave one instance a name of its own", variant->name);
	text = ksyms__text(&self->syms);
	ASSERT_NE(0, text);
	ASSERT_EQ(0, vmunits__open(self->vmlinux, &self->units));

	sym = ksyms__find(&self->btf_syms, variant->name, &self->cnt);
	ASSERT_LE(variant->min_traced, self->cnt);
	ASSERT_GE(MAX_INSTANCES, self->cnt);
	for (i = 0; i < self->cnt; i++)
		self->probed[i].kprobe_fd = -1;
	for (i = 0; i < self->cnt; i++, sym++) {
		struct probed *p = &self->probed[i];

		p->addr = sym->addr;
		if (vmunits__is(self->units, p->addr - text, variant->unit)) {
			self->running = i;
			found++;
		}
		ASSERT_EQ(0, hits__load(sym->type_id, NULL, 0, &p->hits));
		hits__only_self(p->hits);
		if (text__state(p->addr) == TEXT_OTHER) {
			ASSERT_EQ(-EBUSY, hits__attach(p->hits));
			continue;
		}
		ASSERT_EQ(0, hits__attach(p->hits));
		p->kprobe_fd = open_kprobe(p->addr);
		ASSERT_LE(0, p->kprobe_fd);
		traced++;
	}
	ASSERT_EQ(1, found);
	ASSERT_LE(variant->min_traced, traced);
	ASSERT_LE(0, self->probed[self->running].kprobe_fd);
}

FIXTURE_TEARDOWN(kprobe_twin)
{
	size_t i;

	for (i = 0; i < self->cnt; i++) {
		hits__free(self->probed[i].hits);
		if (self->probed[i].kprobe_fd >= 0)
			close(self->probed[i].kprobe_fd);
	}
	ksyms__free(&self->syms);
	ksyms__free(&self->btf_syms);
	vmunits__close(self->units);
	vmlinux__close(self->vmlinux);
}

static void enable_kprobes(const struct probed *p, size_t cnt, bool enable)
{
	for (; cnt; p++, cnt--)
		if (p->kprobe_fd >= 0)
			ioctl(p->kprobe_fd, enable ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE,
			      0);
}

/* Attach to all functions of the name. Read the file. Expect calls of the file's own one only. */
TEST_F_TIMEOUT(kprobe_twin, same_hits, 240)
{
	__u64 fentry, kprobe;
	size_t i;

	enable_kprobes(self->probed, self->cnt, true);
	ASSERT_TRUE(read_all(variant->path));
	enable_kprobes(self->probed, self->cnt, false);

	for (i = 0; i < self->cnt; i++) {
		const struct probed *p = &self->probed[i];

		fentry = hits__count(p->hits);
		kprobe = p->kprobe_fd >= 0 ? kprobe_count(p->kprobe_fd) : 0;
		TH_LOG("%s at %016llx: fentry %llu, kprobe %llu%s", variant->name,
		       (unsigned long long)p->addr, (unsigned long long)fentry,
		       (unsigned long long)kprobe, p->kprobe_fd < 0 ? " (notrace)" : "");
		EXPECT_EQ(kprobe, fentry);
		if (i != self->running) {
			EXPECT_EQ(0, fentry);
			continue;
		}
		EXPECT_LT(0, fentry);
		EXPECT_EQ(p->addr, hits__func_ip(p->hits));
	}
}

TEST_HARNESS_MAIN
