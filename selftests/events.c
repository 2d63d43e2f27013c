// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fprobe events with parameters of BTF, on every name of vmlinux's functions. An event is on all
 * functions of its name that ftrace can patch. With addresses in BTF it is accepted if all of these
 * have the parameter, at the same place, fetched as the same type; without, if the one FUNC of the
 * name has it. So an event that is right without addresses is accepted with them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "expect.h"

#include "env.h"
#include "file.h"
#include "kbtf.h"
#include "kmod.h"
#include "ksyms.h"

#define TRACEFS	   "/sys/kernel/tracing/"
#define MAX_PARAMS 64
#define MAX_FUNCS  64
#define MANY	   20000 /* names that the kernel has at least */

FIXTURE(events) {
	struct ksyms syms, btf_syms;
	struct sites sites;
	struct btf *btf;
	int fd;
	bool with_addrs;
};

FIXTURE_SETUP(events)
{
	if (!kconfig__has("CONFIG_FPROBE_EVENTS"))
		SKIP(return, "this kernel has no fprobe events");
	self->with_addrs = kconfig__has("CONFIG_DEBUG_INFO_BTF_FUNC_ADDR");
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms", &self->syms));
	if (self->with_addrs)
		ASSERT_EQ(0, ksyms__read("/proc/kallsyms_btf", &self->btf_syms));
	ASSERT_EQ(0, sites__read(&self->syms, &self->sites));
	self->btf = btf__load_vmlinux_btf();
	ASSERT_NE(NULL, self->btf);
	self->fd = open(TRACEFS "dynamic_events", O_WRONLY | O_APPEND);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(events)
{
	close(self->fd);
	btf__free(self->btf);
	sites__free(&self->sites);
	ksyms__free(&self->btf_syms);
	ksyms__free(&self->syms);
}

static int command(int fd, const char *text)
{
	return write(fd, text, strlen(text)) < 0 ? -errno : 0;
}

/* Make an event and remove it. Returns 0 or a negative errno. */
static int try_event(int fd, const char *name, const char *args)
{
	char text[8192];
	int err;

	snprintf(text, sizeof(text), "f:selftest/event %s %s", name, args);
	err = command(fd, text);
	return err ?: command(fd, "-:selftest/event");
}

/* As what an event fetches a value of this type: "x" for pointers and what has no type there. */
static const char *fetched_as(const struct btf *btf, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);
	static char text[2][8];
	static int nr;
	char *s = text[nr ^= 1];

	while (btf_is_mod(t) || btf_is_typedef(t))
		t = btf__type_by_id(btf, t->type);
	strcpy(s, "x");
	if (btf_is_int(t) && btf_int_encoding(t) & BTF_INT_SIGNED)
		snprintf(s, sizeof(text[0]), "s%u", btf_int_bits(t));
	else if (btf_is_int(t))
		snprintf(s, sizeof(text[0]), "u%u", btf_int_bits(t));
	else if (btf_is_enum(t) || btf_is_enum64(t))
		strcpy(s, btf_is_enum(t) ? "s32" : "s64");
	return s;
}

/* Does the one function have what the other one has there? */
static bool has_same_param(const struct btf *btf, __u32 a, __u32 b, const char *name)
{
	int i = btf_func__param(btf, a, name);

	return i >= 0 && i == btf_func__param(btf, b, name) &&
	       !strcmp(fetched_as(btf, btf_params(btf_func__proto(btf, a))[i].type),
		       fetched_as(btf, btf_params(btf_func__proto(btf, b))[i].type));
}

static bool is_in_btf_at(const struct ksyms *btf_syms, __u32 id)
{
	size_t i;

	for (i = 0; i < btf_syms->cnt; i++) {
		if (!btf_syms->syms[i].module && btf_syms->syms[i].type_id == id)
			return true;
	}
	return false;
}

/* The FUNC that the kernel takes for this function, 0 if there is none. */
static __u32 func_at(const FIXTURE_DATA(events) *self, const struct ksym *sym)
{
	const struct ksym *found =
		self->with_addrs ? ksyms__at(&self->btf_syms, sym->name, sym->addr) : NULL;
	int id;

	if (found)
		return found->type_id;
	id = btf__find_by_name_kind(self->btf, sym->name, BTF_KIND_FUNC);
	if (id < 0 || (self->with_addrs && is_in_btf_at(&self->btf_syms, id)))
		return 0;
	return id;
}

/* The functions of one name that can be patched, and the FUNC of each. */
struct group {
	const char *name;
	__u32 funcs[MAX_FUNCS];
	int cnt;
};

/* Set the group that the symbol number @i begins. Returns the number behind its last symbol. */
static size_t next_group(const FIXTURE_DATA(events) *self, size_t i, struct group *group)
{
	const struct ksym *sym = &self->syms.syms[i];

	group->name = sym->name;
	group->cnt = 0;
	for (; i < self->syms.cnt && !strcmp(self->syms.syms[i].name, group->name); i++) {
		sym = &self->syms.syms[i];
		if (!sym->module && ksym__is_text(sym) && sites__has(&self->sites, sym->addr) &&
		    group->cnt < MAX_FUNCS)
			group->funcs[group->cnt++] = func_at(self, sym);
	}
	return i;
}

/* Are all parameters of the FUNC found? The last argument is refused, so no event is made. */
static int try_params(int fd, const struct btf *btf, const char *name, __u32 func)
{
	const struct btf_type *proto = btf_func__proto(btf, func);
	char text[8192] = "";
	size_t len = 0;
	int i;

	for (i = 0; i < btf_vlen(proto) && i < MAX_PARAMS; i++) {
		const char *param = btf__name_by_offset(btf, btf_params(proto)[i].name_off);

		if (*param)
			len += snprintf(text + len, sizeof(text) - len, "a%d=%s ", i, param);
	}
	strcpy(text + len, "last=$nosuch");
	i = try_event(fd, name, text);
	return i == -EINVAL ? 0 : i ?: -EEXIST;
}

static bool is_right(const struct btf *btf, const struct group *group, const char *param)
{
	int i;

	for (i = 0; i < group->cnt; i++) {
		if (!group->funcs[i] ||
		    !has_same_param(btf, group->funcs[0], group->funcs[i], param))
			return false;
	}
	return true;
}

/* Events with a parameter of one of the functions. Returns how many of them are accepted. */
static int check_group(struct __test_metadata *_metadata, const FIXTURE_DATA(events) *self,
		       const struct group *group)
{
	int i, j, accepted = 0;

	for (i = 0; i < group->cnt; i++) {
		const struct btf_type *proto;

		if (!group->funcs[i])
			continue;
		proto = btf_func__proto(self->btf, group->funcs[i]);
		for (j = 0; j < btf_vlen(proto); j++) {
			const char *param =
				btf__name_by_offset(self->btf, btf_params(proto)[j].name_off);
			char arg[512];
			bool right;

			if (!*param)
				continue;
			right = is_right(self->btf, group, param);
			snprintf(arg, sizeof(arg), "a=%s", param);
			EXPECT_EQ(right, !try_event(self->fd, group->name, arg))
			TH_LOG("%s %s", group->name, arg);
			accepted += right;
		}
	}
	return accepted;
}

TEST_F_TIMEOUT(events, every_name, 1200)
{
	int one = 0, several = 0, accepted = 0;
	struct group group;
	size_t i = 0;

	while (i < self->syms.cnt) {
		i = next_group(self, i, &group);
		if (group.cnt > 1 && self->with_addrs) {
			several++;
			accepted += check_group(_metadata, self, &group);
		} else if (group.cnt && group.funcs[0]) {
			one++;
			EXPECT_EQ(0, try_params(self->fd, self->btf, group.name, group.funcs[0]))
			TH_LOG("%s", group.name);
		}
	}
	EXPECT_LT(MANY, one);
	if (self->with_addrs)
		EXPECT_LT(0, accepted);
	TH_LOG("%d names; %d names of several functions, %d events with a parameter of these", one,
	       several, accepted);
}

/*
 * Functions that vmlinux and a module have. The first two have one prototype; the others are
 * int (int a, __u64 b) and long (long a). What differs is refused, and error_log says so.
 */
TEST_F(events, of_a_module_too)
{
	const char *const enable = TRACEFS "events/selftest/one/enable";

	if (!self->with_addrs)
		SKIP(return, "the first function's prototype is taken for both");
	ASSERT_EQ(0, kmod__load("protos_lone", ""));
	ASSERT_EQ(0, command(self->fd, "f:selftest/one bpf_fentry_test1 a"));
	EXPECT_EQ(0, file__write(TRACEFS "trace", O_TRUNC, ""));
	EXPECT_EQ(0, file__write(enable, 0, "1"));
	EXPECT_EQ(0, kmod__write_param("protos_lone", "call", "-21"));
	EXPECT_EQ(0, file__write(enable, 0, "0"));
	EXPECT_LOG(file__text(TRACEFS "trace"), "a=-21");
	EXPECT_EQ(0, command(self->fd, "-:selftest/one"));

	EXPECT_EQ(-EINVAL, try_event(self->fd, "bpf_fentry_test2", "a"));
	EXPECT_EQ(-ENOENT, try_event(self->fd, "bpf_fentry_test2", "b"));
	EXPECT_EQ(-EINVAL, try_event(self->fd, "bpf_fentry_test2", "$arg*"));
	EXPECT_LOG(file__text(TRACEFS "error_log"),
		   "Functions of this name differ here, or BTF lacks one");
	EXPECT_EQ(0, try_event(self->fd, "bpf_fentry_test2", "a:x64"));
	EXPECT_EQ(0, try_event(self->fd, "bpf_fentry_test2", "first=$arg1:x64"));
	EXPECT_EQ(-EINVAL, try_event(self->fd, "bpf_fentry_test2%return", "$retval"));
	EXPECT_EQ(0, try_event(self->fd, "bpf_fentry_test2%return", "$retval:x64 a:x64"));
	EXPECT_EQ(0, kmod__unload("protos_lone"));
}

TEST_HARNESS_MAIN
