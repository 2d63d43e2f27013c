// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arguments are right: the functions below are called with values that user space knows. A
 * program that is attached by BTF id sees these values in the places that BTF states. The test
 * names parameters and doesn't number them, so it doesn't matter what the compiler made of a
 * function, as long as BTF describes it.
 */
#include <string.h>

#include "expect.h"

#include "args_triggers.h"
#include "kconfig.h"
#include "ksyms.h"
#include "targets.h"
#include "vmsyms.h"
#include "vmunits.h"

FIXTURE(args) {
	struct recorder rec;
	struct fentry_index *idx;
	struct ksyms syms;
	struct vmlinux *vmlinux;
	struct vmunits *units; /* if the variant has a unit */
};

FIXTURE_VARIANT(args) {
	const char *name, *unit;	     /* of the function; a suffix may follow */
	const char *exprs[ARGS_MAX_WATCHES]; /* see recorder__watch() */
	trigger_fn trigger;
	const char *caller; /* the function to trace if this one was inlined */
	const char *caller_exprs[ARGS_MAX_WATCHES]; /* of the caller */
	bool often; /* others call it, too: one of the calls has to be right */
	const char *kasan_exprs[ARGS_MAX_WATCHES]; /* with KASAN, if they differ */
};

/* clang-format off */
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

/*
 * The aggregate uattr takes two registers. clang passes only the second one, a bit-field that
 * says whether the caller is the kernel.
 */
FIXTURE_VARIANT_ADD(args, map_update) {
	.name = "map_update_elem",
	.exprs = { "uattr__is_kernel|uattr.is_kernel|#2", "return", "attr->map_fd" },
	.trigger = trigger_map_update,
	.caller = "__sys_bpf",
	.caller_exprs = { "uattr.is_kernel", "return" },
};

FIXTURE_VARIANT_ADD(args, map_update_kernel) {
	.name = "map_update_elem",
	.exprs = { "uattr__is_kernel|uattr.is_kernel|#2", "return", "attr->map_fd" },
	.trigger = trigger_map_update_kernel,
	.caller = "__sys_bpf",
	.caller_exprs = { "uattr.is_kernel", "return" },
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

/* gcc removes the first parameter. */
FIXTURE_VARIANT_ADD(args, unix_find_other) {
	.name = "unix_find_other",
	.exprs = { "sunaddr->sun_family", "sunaddr->sun_path", "addr_len",
		   "type", "return" },
	.trigger = trigger_unix,
};

/*
 * gcc removes the first parameter, and passes an aggregate in two registers. With KASAN, DWARF
 * doesn't say which parts of it these have, and BTF has the registers as they are.
 */
FIXTURE_VARIANT_ADD(args, fl_create) {
	.name = "fl_create",
	.exprs = { "freq->flr_share", "freq->flr_linger", "optval.user",
		   "optval.is_kernel", "optlen" },
	.kasan_exprs = { "freq->flr_share", "freq->flr_linger", "optval__isra0",
			 "?optval.is_kernel", "optlen" },
	.trigger = trigger_flowlabel,
};

/* gcc removes the last parameter. */
FIXTURE_VARIANT_ADD(args, semctl) {
	.name = "ksys_semctl",
	.exprs = { "semid", "semnum", "cmd", "arg", "return" },
	.trigger = trigger_semctl,
};

/* gcc removes no parameter, but a part of the function. */
FIXTURE_VARIANT_ADD(args, pipe_flags) {
	.name = "__do_pipe_flags",
	.exprs = { "flags", "return" },
	.trigger = trigger_pipe,
};

/* gcc removes two of nine parameters, so that only one is left on the stack. */
FIXTURE_VARIANT_ADD(args, sk_lookup) {
	.name = "__bpf_sk_lookup",
	.exprs = { "tuple->ipv4.saddr", "tuple->ipv4.dport", "len", "ifindex",
		   "proto", "netns_id", "flags", "?sdif" },
	.trigger = trigger_sk_lookup,
};

/* gcc passes a member of a structure instead of the pointer to the structure. */
FIXTURE_VARIANT_ADD(args, set_oom_adj) {
	.name = "__set_oom_adj",
	.exprs = { "oom_adj", "legacy", "return" },
	.trigger = trigger_oom_adj,
};
/* clang-format on */

static void close_all(FIXTURE_DATA(args) *self)
{
	recorder__close(&self->rec);
	fentry_index__free(self->idx);
	ksyms__free(&self->syms);
	vmunits__close(self->units);
	vmlinux__close(self->vmlinux);
}

FIXTURE_SETUP(args)
{
	struct fentry_error error = {};

	ASSERT_OK(fentry_register(&error), "%s", error.msg);
	ASSERT_OK(fentry_index__open(NULL, &self->idx, &error), "%s", error.msg);
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms", &self->syms));
	if (variant->unit) {
		const char *why = "";

		ASSERT_OK(vmlinux__open(&self->vmlinux, &why), "%s", why);
		ASSERT_EQ(0, vmunits__open(self->vmlinux, &self->units));
	}
	ASSERT_EQ(0, recorder__open(&self->rec));
}

FIXTURE_TEARDOWN(args)
{
	close_all(self);
}

static void run(struct __test_metadata *_metadata, FIXTURE_DATA(args) *self,
		const FIXTURE_VARIANT(args) * variant, enum recorder_prog prog)
{
	struct want want[ARGS_MAX_WATCHES] = {};
	const struct fentry_target *target;
	const char *const *exprs = variant->exprs;
	const char *name = variant->name;
	struct recorder *r = &self->rec;
	bool often = variant->often;
	unsigned int right;

	if (!targets__in_kernel(&self->syms, name)) {
		if (!variant->caller)
			SKIP(return, "%s was inlined everywhere", name);
		TH_LOG("%s was inlined; its caller %s is traced instead", name, variant->caller);
		name = variant->caller;
		exprs = variant->caller_exprs;
		often = true;
	}
	target = targets__find(self->idx, &self->syms, self->units, name, variant->unit);
	if (*variant->kasan_exprs && kconfig__has("CONFIG_KASAN"))
		exprs = variant->kasan_exprs;
	ASSERT_NE(NULL, target) TH_LOG("no single %s in BTF", name);
	ASSERT_OK(recorder__attach(r, self->idx, target, prog), "%s", r->why);
	ASSERT_OK(recorder__watch(r, target->btf, target->type_id, exprs, prog), "%s: %s",
		  target->name, r->why);

	ASSERT_EQ(0, variant->trigger(r, prog == RECORD_EXIT, want));
	right = recorder__right(r, want);
	if (often) {
		EXPECT_LT(0, right) TH_LOG("%s", r->why);
	} else {
		EXPECT_EQ(1, right) TH_LOG("%s", r->why);
		EXPECT_EQ(1, recorder__calls(r));
	}
	TH_LOG("%s (#%u): %u of %u calls, %u values each", target->name, target->type_id, right,
	       recorder__calls(r), recorder__values(r));
}

TEST_F_TIMEOUT(args, at_entry, 60)
{
	run(_metadata, self, variant, RECORD_ENTRY);
}

TEST_F_TIMEOUT(args, at_exit, 60)
{
	run(_metadata, self, variant, RECORD_EXIT);
}

/* The verifier knows the argument as a task, without any helper. */
TEST(typed_access)
{
	FIXTURE_DATA(args) local = {}, *self = &local;
	const struct fentry_target *target;
	struct fentry_error error = {};
	pid_t partner = 0;

	ASSERT_OK(fentry_register(&error), "%s", error.msg);
	ASSERT_OK(fentry_index__open(NULL, &self->idx, &error), "%s", error.msg);
	ASSERT_EQ(0, ksyms__read("/proc/kallsyms", &self->syms));
	target = targets__find(self->idx, &self->syms, NULL, "finish_task_switch", NULL);
	ASSERT_NE(NULL, target);
	ASSERT_EQ(0, recorder__open(&self->rec));
	ASSERT_OK(recorder__attach(&self->rec, self->idx, target, RECORD_TYPED), "%s",
		  self->rec.why);
	ASSERT_EQ(0, switch_tasks(&self->rec, &partner));
	EXPECT_LT(0, self->rec.skel->bss->wanted_pid_hits);
	close_all(self);
}

TEST_HARNESS_MAIN
