// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: decoders [print]
 *
 * With "print", say what instructions do. Their bytes are read from stdin, in hex, one in a line.
 * Without it, two threads, each with a decoder of its own, read an instruction that names no
 * register. To be run by valgrind's helgrind, which says whether they share anything without a
 * lock.
 * Status 1 if a decoder doesn't know that the instruction reads al.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "arch/arch.h"
#include "code/insn.h"

/* Return: NULL if it is known what the instruction reads. */
static void *decode(void *arg)
{
	static const u8 test_al[] = { 0xa8, 0x20 }; /* test $0x20,%al */
	struct insn_decoder dec;
	struct insn insn;
	bool known;

	known = !insn_decoder_open(&dec, &arch_x86, true) &&
		insn_decode(&dec, test_al, sizeof(test_al), 0, &insn) &&
		insn.reads == arch_x86.result;
	insn_decoder_close(&dec);
	return known ? NULL : arg;
}

/* The fields that regcheck/decoders compares. */
static int print_all(void)
{
	struct insn_decoder dec;
	struct insn insn;
	u8 code[32];
	char *line = NULL;
	size_t cap = 0;
	u32 i;

	if (insn_decoder_open(&dec, &arch_x86, true))
		return 1;
	while (getline(&line, &cap, stdin) > 0) {
		memset(code, 0x90, sizeof(code));
		for (i = 0; i < sizeof(code) && sscanf(line + 2 * i, "%2hhx", &code[i]) == 1; i++)
			;
		insn_decode(&dec, code, sizeof(code), 0x1000, &insn);
		printf("%u %u %u %u %u %u %u %u\n", insn.len, insn.reads, insn.reads_low,
		       insn.may_read, insn.writes, insn.writes_low, insn.pushed, insn.flow);
	}
	free(line);
	insn_decoder_close(&dec);
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	int i, failed = 0;
	void *unknown;

	if (argc > 1)
		return print_all();
	for (i = 0; i < 2; i++) {
		if (pthread_create(&threads[i], NULL, decode, threads))
			return 1;
	}
	for (i = 0; i < 2; i++)
		failed |= pthread_join(threads[i], &unknown) || unknown;
	return failed;
}
