/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TEST_MODULES_NAMES_H
#define TEST_MODULES_NAMES_H

#include <linux/compiler.h>
#include <linux/types.h>

/* One for each function of each unit. */
enum names_function {
	NAMES_COOKIE_A,
	NAMES_COOKIE_B,
	NAMES_HIDDEN_A,
	NAMES_HIDDEN_B,
	NAMES_MIXED_A,
	NAMES_MIXED_B,
	NAMES_SHARED_A,
	NAMES_SHARED_B,
	NAMES_INCLUDED_A,
	NAMES_INCLUDED_D,
	NAMES_DEEPER_E,
	NAMES_TWICE_1,
	NAMES_TWICE_2,
	NAMES_BOTH,
	NAMES_CLONES,
	NAMES_PARTED,
	NAMES_VERSION,
	NAMES_ALONE,
	NAMES_CNT
};

extern unsigned int names_calls[NAMES_CNT];
extern int names_sink;

/* What each function does: count its call. */
#define names_count(id) names_count_of(id)
#define names_count_of(id)                 \
	do {                               \
		names_calls[NAMES_##id]++; \
		barrier();                 \
	} while (0)

/* As if a compiler had made this copy. All of them give the symbol the same name then. */
#define names_symbol(name) __asm__(name)

/* A module has a copy for each unit. */
static noinline __noipa __maybe_unused void shared(int n, enum names_function id)
{
	names_calls[id]++;
	WRITE_ONCE(names_sink, n);
}

int parted(int n, int times);
void names_call_a(int n);
void names_call_b(int n);
void names_call_o3(int n);
void names_call_build(int n);
void names_call_t1(int n);
void names_call_t2(int n);

#endif /* TEST_MODULES_NAMES_H */
