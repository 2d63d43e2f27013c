/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the targets share. Each target is one file, and defines fuzz_one(). They run in a folder of
 * their own, so names of files are fixed.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <bpf/btf.h>

/* What a target does with one input. */
void fuzz_one(const uint8_t *data, size_t size);

/*
 * Count this input as taken: the code under test didn't refuse it at once. A target prints the
 * count at its end, as a target that takes no input tests nothing.
 */
void fuzz_taken(void);

/* End as a crash does, so that the input is kept, if a condition fails that no sanitizer checks. */
#define FUZZ_CHECK(cond)                                                                   \
	do {                                                                               \
		if (!(cond)) {                                                             \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #cond); \
			abort();                                                           \
		}                                                                          \
	} while (0)

void fuzz_write(const char *name, const void *data, size_t size);

/*
 * Write the contents of section .BTF.raw of an ELF file to a file of this name: raw BTF as tools of
 * the build hand it on beside the ELF file. Returns false if there is no such section.
 */
bool fuzz_write_raw_btf(const char *name, const char *elf);

/* Size of a file, 0 if it isn't there. */
size_t fuzz_size(const char *name);

/* Size of the BTF that begins here, by its header. 0 if there is none, or if it is cut off. */
size_t fuzz_btf_size(const uint8_t *data, size_t size);

#endif
