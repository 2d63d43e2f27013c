// SPDX-License-Identifier: GPL-2.0-only
/*
 * What refers to functions. Pointers are in data a word, in code an operand of four bytes that is
 * the last of its instruction, either the address itself or its distance from there:
 *
 *	movq	$f,(%rax)	48 c7 00 <address>
 *	lea	f(%rip),%rdi	48 8d 3d <distance>
 *	call	f		e8 <distance>
 */
#include "elf/references.h"

static void add(const struct u64map *functions, u64 addr, struct u64map *ret)
{
	if (u64map_get(functions, addr))
		u64map_set(ret, addr, 1);
}

/*
 * Data that the source has: lists of all functions, made for ftrace, are among what is
 * thrown away after boot, or have sections of their own before that.
 */
static bool is_data(const GElf_Shdr *shdr, const char *name)
{
	return (shdr->sh_flags & SHF_ALLOC) && !(shdr->sh_flags & SHF_EXECINSTR) &&
	       shdr->sh_type == SHT_PROGBITS && strncmp(name, ".init", 5) &&
	       strcmp(name, "__mcount_loc") && strcmp(name, "__patchable_function_entries");
}

static void find_in_data(struct elf_file *file, const struct u64map *functions, struct u64map *ret)
{
	Elf_Scn *scn = NULL;
	Elf_Data *data;
	GElf_Shdr shdr;
	u64 word;
	size_t i;

	while ((scn = elf_nextscn(file->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) ||
		    !is_data(&shdr, elf_file_section_name(file, &shdr)))
			continue;
		data = elf_rawdata(scn, NULL);
		for (i = 0; data && data->d_buf && i + 8 <= data->d_size; i += 8) {
			memcpy(&word, (u8 *)data->d_buf + i, sizeof(word));
			add(functions, word, ret);
		}
	}
}

/* Is the operand at @p, which has @before bytes before it, a distance as lea has it? */
static bool is_lea(const u8 *p, u64 before)
{
	return before >= 3 && (p[-3] & 0xf8) == 0x48 && p[-2] == 0x8d && (p[-1] & 0xc7) == 0x05;
}

/* Is it one of mov, cmp or push? The place that mov writes takes up to six bytes. */
static bool is_immediate(const u8 *p, u64 before)
{
	u64 i;

	if (before >= 1 && (p[-1] == 0x68 || (p[-1] & 0xf8) == 0xb8))
		return true;
	if (before >= 2 && p[-2] == 0x48 && p[-1] == 0x3d)
		return true;
	for (i = 3; i <= 8 && i <= before; i++) {
		if ((p[-i] & 0xf8) == 0x48 && (p[1 - i] == 0xc7 || p[1 - i] == 0x81))
			return true;
	}
	return false;
}

static bool is_call(const u8 *p, u64 before)
{
	if (before >= 1 && (p[-1] == 0xe8 || p[-1] == 0xe9))
		return true;
	return before >= 2 && p[-2] == 0x0f && (p[-1] & 0xf0) == 0x80;
}

static void find_in_code(const struct code_section *code, const struct u64map *functions,
			 const struct u64map *patched, struct references *ret)
{
	int32_t operand;
	u64 i, next;

	for (i = 0; code->data && i + sizeof(operand) <= code->size; i++) {
		const u8 *p = code->data + i;

		next = code->addr + i + sizeof(operand);
		memcpy(&operand, p, sizeof(operand));
		if (is_call(p, i) && !u64map_get(patched, code->addr + i - 1))
			add(functions, next + operand, &ret->called);
		if (is_lea(p, i))
			add(functions, next + operand, &ret->taken);
		else if (is_immediate(p, i))
			add(functions, (int64_t)operand, &ret->taken);
	}
}

void references_find(struct elf_file *file, const struct u64map *functions,
		     const struct u64map *patched, struct references *ret)
{
	size_t i;

	memset(ret, 0, sizeof(*ret));
	if (!file->module)
		find_in_data(file, functions, &ret->taken);
	for (i = 0; i < file->nr_code; i++)
		find_in_code(&file->code[i], functions, patched, ret);
}

void references_free(struct references *refs)
{
	u64map_free(&refs->taken);
	u64map_free(&refs->called);
}
