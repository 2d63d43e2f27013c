// SPDX-License-Identifier: GPL-2.0-only
/*
 * Inlined functions that begin with special code: the kernel patches it, or allows no probes in it.
 * None has arguments, so that no other instruction comes first. Each counts its calls, which
 * "special" shows: "<function> <calls>".
 */
#include <linux/bug.h>
#include <linux/jump_label.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <asm/alternative.h>

#include "timing.h"

enum special {
	ALTERED,
	BRANCHES,
	CALLS_STATICALLY,
	CALLS_POINTER,
	DIES,
	ISNT_INSTRUMENTED,
	HAS_NO_PROBE,
	SPECIALS,
};

static unsigned int calls[SPECIALS];

static __always_inline void counts(enum special special)
{
	calls[special]++;
	barrier(); /* keeps the increment here */
}

static __always_inline void altered(void)
{
#ifdef CONFIG_X86
	alternative("nop\n\tnop\n\tnop", "nopl (%%rax)", X86_FEATURE_ALWAYS);
#else
	asm volatile(ALTERNATIVE("nop", "isb", ARM64_ALWAYS_SYSTEM));
#endif
	counts(ALTERED);
}

static noinline __noipa void has_altered(void)
{
	altered(); /* inlined in has_altered */
}

static noinline __noipa void is_called(void)
{
	barrier();
}

static DEFINE_STATIC_KEY_FALSE(never);

static __always_inline void branches(void)
{
	if (static_branch_unlikely(&never))
		is_called();
	counts(BRANCHES);
}

static noinline __noipa void has_branches(void)
{
	branches(); /* inlined in has_branches */
}

DEFINE_STATIC_CALL(timing_called, is_called);

static __always_inline void calls_statically(void)
{
	static_call(timing_called)();
	counts(CALLS_STATICALLY);
}

static noinline __noipa void has_calls_statically(void)
{
	calls_statically(); /* inlined in has_calls_statically */
}

static void (*volatile called_ptr)(void) = is_called;

/* With kCFI, the code begins with a check of the function's type. */
static __always_inline void calls_pointer(void (*const ptr)(void))
{
	ptr();
	counts(CALLS_POINTER);
}

static noinline __noipa void has_calls_pointer(void)
{
	void (*ptr)(void) = called_ptr;

	if (ptr)
		calls_pointer(ptr); /* inlined in has_calls_pointer */
}

static __always_inline void dies(void)
{
	BUG();
}

static volatile bool never_true;

static noinline __noipa void has_dies(void)
{
	if (never_true)
		dies(); /* inlined in has_dies */
	counts(DIES);
}

static __always_inline void isnt_instrumented(void)
{
	counts(ISNT_INSTRUMENTED);
}

static noinline noinstr void has_isnt_instrumented(void)
{
	isnt_instrumented(); /* inlined in has_isnt_instrumented */
}

static __always_inline void has_no_probe(void)
{
	counts(HAS_NO_PROBE);
}

static noinline __noipa void has_has_no_probe(void)
{
	has_no_probe(); /* inlined in has_has_no_probe */
}
NOKPROBE_SYMBOL(has_has_no_probe);

static const struct {
	const char *name;
	void (*call)(void);
} specials[SPECIALS] = {
	[ALTERED] = { "altered", has_altered },
	[BRANCHES] = { "branches", has_branches },
	[CALLS_STATICALLY] = { "calls_statically", has_calls_statically },
	[CALLS_POINTER] = { "calls_pointer", has_calls_pointer },
	[DIES] = { "dies", has_dies },
	[ISNT_INSTRUMENTED] = { "isnt_instrumented", has_isnt_instrumented },
	[HAS_NO_PROBE] = { "has_no_probe", has_has_no_probe },
};

int timing_call_special(const char *name, unsigned int times)
{
	int i;

	for (i = 0; i < SPECIALS && strcmp(specials[i].name, name); i++)
		;
	if (i == SPECIALS)
		return -ENOENT;
	while (times--)
		specials[i].call();
	return 0;
}

static int special_get(char *buffer, const struct kernel_param *kp)
{
	int i, len = 0;

	for (i = 0; i < SPECIALS; i++)
		len += sysfs_emit_at(buffer, len, "%s %u\n", specials[i].name, calls[i]);
	return len;
}

static const struct kernel_param_ops special_ops = {
	.get = special_get,
};

module_param_cb(special, &special_ops, NULL, 0400);
MODULE_PARM_DESC(special, "Calls of functions that begin with code which is special to the kernel");
