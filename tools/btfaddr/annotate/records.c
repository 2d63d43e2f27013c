// SPDX-License-Identifier: GPL-2.0-only
/*
 * The addresses of a module's functions, which are not known before the module is loaded:
 * relocations in .rela.BTF say which functions they are of.
 *
 *	.BTF		FUNC 'f', 0		8 bytes at offset o
 *	.rela.BTF	o, R_X86_64_64, f	loader: address of f to o
 */
#include <inttypes.h>

#include "annotate/records.h"

#define MAX_SHOWN 5

/**
 * struct record - a FUNC with an address
 * @off: where the address is in .BTF
 * @id: type id
 * @relas: how many relocations the address has
 * @addr: the function's address, if there was such a relocation
 */
struct record {
	u64 off;
	u32 id;
	u32 relas;
	u64 addr;
	const char *name;
};

/* There are img->nr_addrs of them, in the order of their offsets. */
static struct record *list_records(const struct btf_image *img, u64 types_off)
{
	struct record *records = xcalloc(img->nr_addrs, sizeof(*records));
	size_t pos = img->base_types, len;
	struct btf_type t;
	u32 id, nr = 0;

	for (id = img->first_id; id < img->nr_types; id++, pos += len) {
		memcpy(&t, img->types.data + pos, sizeof(t));
		len = sizeof(t) + btf_type_extra(&t);
		types_off += len;
		if (img->addrs[id] == NO_ADDR)
			continue;
		records[nr++] = (struct record){
			.off = types_off,
			.id = id,
			.name = btf_image_str(img, t.name_off),
		};
		types_off += sizeof(u64);
	}
	return records;
}

static int cmp_record(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	return (x->off > y->off) - (x->off < y->off);
}

/* What is wrong with an entry, NULL if nothing. */
static const char *check_rela(struct btf_image *img, struct elf_file *file,
			      struct record *records, const GElf_Rela *rela)
{
	struct record key = { .off = rela->r_offset };
	const struct elf_sym *sym;
	struct record *record;

	record = bsearch(&key, records, img->nr_addrs, sizeof(key), cmp_record);
	if (!record)
		return "there is no address in .BTF at this offset";
	record->relas++;
	if (GELF_R_TYPE(rela->r_info) != R_X86_64_64 || rela->r_addend)
		return "not R_X86_64_64 with addend 0";
	sym = elf_file_target(file, GELF_R_SYM(rela->r_info));
	if (!sym)
		return "not against a function of resident text";
	if (strcmp(sym->name, record->name))
		return "against a function of another name";
	if (img->addrs[record->id])
		return "the address in .BTF is not 0";
	record->addr = sym->addr;
	return NULL;
}

static u32 check_relas(struct btf_image *img, struct elf_file *file, struct record *records,
		       Elf_Data *data)
{
	size_t i, nr = data->d_size / sizeof(Elf64_Rela);
	const char *what;
	GElf_Rela rela;
	u32 bad = 0;

	for (i = 0; i < nr && gelf_getrela(data, i, &rela); i++) {
		what = check_rela(img, file, records, &rela);
		if (what && bad++ < MAX_SHOWN)
			err("%s: .rela.BTF entry %zu, offset %#" PRIx64 ": %s", file->path, i,
			    rela.r_offset, what);
	}
	for (i = 0; i < img->nr_addrs; i++) {
		if (records[i].relas != 1 && bad++ < MAX_SHOWN)
			err("%s: type %u, function '%s': %u relocations in .rela.BTF instead of 1",
			    file->path, records[i].id, records[i].name, records[i].relas);
	}
	return bad;
}

/* Contents of .rela.BTF, NULL after an error message. */
static Elf_Data *read_relas(struct elf_file *file)
{
	GElf_Shdr shdr, target;
	Elf_Scn *scn = elf_file_find(file, ".rela.BTF", &shdr);
	Elf_Data *data;

	if (!scn) {
		err("%s: .BTF has addresses, but there is no .rela.BTF: annotate it again", file->path);
		return NULL;
	}
	data = elf_getdata(scn, NULL);
	if (shdr.sh_type == SHT_RELA && shdr.sh_entsize == sizeof(Elf64_Rela) && data &&
	    shdr.sh_size % sizeof(Elf64_Rela) == 0 &&
	    elf_getscn(file->elf, shdr.sh_link) == file->symtab_scn &&
	    elf_getscn(file->elf, shdr.sh_info) == elf_file_find(file, ".BTF", &target))
		return data;
	err("%s: .rela.BTF does not hold relocations of .BTF against symbols: annotate it again",
	    file->path);
	return NULL;
}

/* Some modules have nothing but data and init functions. */
static bool has_functions(const struct elf_file *file)
{
	size_t i;

	for (i = 0; i < file->nr_syms; i++) {
		if (file->syms[i].resident)
			return true;
	}
	return false;
}

int records_check(struct btf_image *img, struct elf_file *file)
{
	struct record *records;
	Elf_Data *data;
	u32 bad, i;

	if (!img->nr_addrs && !has_functions(file))
		return 0;
	if (!img->nr_addrs)
		return err("%s: no function in .BTF has an address: run btfaddr on it first",
			   file->path);
	data = read_relas(file);
	if (!data)
		return -1;
	records = list_records(img, img->types_off);
	bad = check_relas(img, file, records, data);
	for (i = 0; i < img->nr_addrs; i++)
		img->addrs[records[i].id] = records[i].addr;
	free(records);
	if (!bad)
		return 0;
	return err("%s: %u mistakes in the relocations of %u addresses: annotate it again",
		   file->path, bad, img->nr_addrs);
}

void records_relocate(const struct btf_image *img, const struct elf_file *file,
		      struct buf *out)
{
	struct record *records = list_records(img, BTF_HEADER_SIZE);
	const struct elf_sym *sym;
	Elf64_Rela rela = {};
	u32 i;

	for (i = 0; i < img->nr_addrs; i++) {
		sym = elf_file_find_sym(file, records[i].name, img->addrs[records[i].id]);
		rela.r_offset = records[i].off;
		rela.r_info = ELF64_R_INFO((u64)sym->index, R_X86_64_64);
		buf_add(out, &rela, sizeof(rela));
	}
	free(records);
}
