/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For BPF programs that libfentry loads.
 *
 * The compiler inlines what BPF_PROG() makes of a program, so that its BTF
 * doesn't say the parameters. FENTRY_PROG() is BPF_PROG() with BTF that does,
 * at no cost in the program. libfentry then chooses, of several functions of
 * one name, the one that has these parameters:
 *
 *	SEC("fentry/type_show")
 *	int FENTRY_PROG(on_type_show, struct device *dev,
 *			struct device_attribute *attr, char *buf)
 *	{
 *		...
 *
 * A program on a function's exit may have one more, the return value.
 */
#ifndef FENTRY_BPF_H
#define FENTRY_BPF_H

#include <bpf/bpf_tracing.h>

#define FENTRY_PROG(name, args...)					\
name(unsigned long long *ctx);						\
static __attribute__((used)) typeof(name(0))				\
____##name(unsigned long long *ctx, ##args);				\
typeof(name(0)) BPF_PROG(name, ##args)

#endif /* FENTRY_BPF_H */
