/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the kernel's current text from /proc/kcore. */
#ifndef SELFTESTS_TEXT_H
#define SELFTESTS_TEXT_H

#include <stddef.h>
#include <linux/types.h>

/*
 * From a function's entry, the bytes up to the end of what ftrace patches. They begin with an
 * endbr64 or, on arm64, a "bti c", if there is one.
 */
#ifdef __aarch64__
#define TEXT_SIZE  12
#define PROBE_SIZE 4 /* of the longest probe */
#else
#define TEXT_SIZE  9
#define PROBE_SIZE 5
#endif

/* What is at the place that ftrace patches. */
enum text_state {
	TEXT_NOP,   /* a nop: nothing is attached */
	TEXT_CALL,  /* a call, or newer kernels' jump: something is attached */
	TEXT_OTHER, /* neither: ftrace has no place here */
};

/**
 * text__read() - Read the memory of the running kernel.
 *
 * Return: 0, -EFAULT if the address isn't mapped, or another negative errno.
 */
int text__read(__u64 addr, void *buf, size_t size);

/**
 * text__state() - What is at the place that ftrace patches, of the function at @addr?
 *
 * Return: one of enum text_state, or a negative errno.
 */
int text__state(__u64 addr);

/**
 * text__probe_size() - How many bytes has the probe at the beginning of these PROBE_SIZE bytes?
 *
 * Return: those of its breakpoint or jump; 0 if there is none.
 */
size_t text__probe_size(const unsigned char *code);

/** text__state_name() - "nop", "call" or "other". */
const char *text__state_name(int state);

#endif /* SELFTESTS_TEXT_H */
