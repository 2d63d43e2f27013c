// SPDX-License-Identifier: GPL-2.0-only
#include "code/prologue.h"

static bool match(const u8 *code, size_t len, const char *bytes, size_t nr)
{
	return len >= nr && !memcmp(code, bytes, nr);
}

/* Length of the instruction if it leaves argument registers alone, else 0. */
static size_t neutral_insn(const u8 *code, size_t len)
{
	if (match(code, len, "\xf3\x0f\x1e\xfa", 4)) /* endbr64 */
		return 4;
	if (match(code, len, "\x0f\x1f\x44\x00\x00", 5)) /* nop */
		return 5;
	if (len >= 1 && (code[0] & 0xf8) == 0x50) /* push */
		return 1;
	if (len >= 2 && code[0] == 0x41 && (code[1] & 0xf8) == 0x50)
		return 2;
	if (match(code, len, "\x48\x89\xe5", 3)) /* mov %rsp,%rbp */
		return 3;
	if (len >= 4 && match(code, len, "\x48\x83\xec", 3)) /* sub $n,%rsp */
		return 4;
	if (len >= 7 && match(code, len, "\x48\x81\xec", 3))
		return 7;
	if (len >= 4 && match(code, len, "\x48\x83\xe4", 3)) /* and $n,%rsp */
		return 4;
	return 0;
}

size_t prologue_len(const u8 *code, size_t len)
{
	size_t off = 0, n;
	bool fentry = false;

	while (off < len) {
		n = neutral_insn(code + off, len - off);
		/* a call as the very first is ftrace's, which keeps all registers */
		if (!n && !fentry && code[off] == 0xe8 && (!off || (off == 4 && code[0] == 0xf3))) {
			fentry = true;
			n = 5;
		}
		if (!n)
			break;
		off += n;
	}
	return off < len ? off : len;
}
