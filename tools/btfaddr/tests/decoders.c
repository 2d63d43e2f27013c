// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: decoders
 *
 * Two threads, each with a decoder of its own, read an instruction that names no register.
 * To be run by valgrind's helgrind, which says whether they share anything without a lock.
 * Status 1 if a decoder doesn't know that the instruction reads al.
 */
#include <pthread.h>

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

int main(void)
{
	pthread_t threads[2];
	int i, failed = 0;
	void *unknown;

	for (i = 0; i < 2; i++) {
		if (pthread_create(&threads[i], NULL, decode, threads))
			return 1;
	}
	for (i = 0; i < 2; i++)
		failed |= pthread_join(threads[i], &unknown) || unknown;
	return failed;
}
