// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the addresses are in a finished vmlinux or module, after resolve_btfids took them out of
 * .BTF:
 *
 *	.BTF_func	struct btf_func_rec { addr, idx }, sorted
 *	.rela.BTF_func	of a module: 8 * record, R_X86_64_PC32, function
 */
#include <inttypes.h>

#include "btf/func_section.h"

#define SECTION ".BTF_func"

/**
 * struct records - the records of a file
 * @recs: the records, of which there are @nr
 * @relas: relocations of a module, NULL for vmlinux
 */
struct records {
	struct btf_image *img;
	struct elf_file *file;
	const u8 *recs;
	size_t nr;
	Elf_Data *relas;
};

bool func_section_exists(struct elf_file *file)
{
	GElf_Shdr shdr;

	return elf_file_find(file, SECTION, &shdr);
}

/* What the relocation of record @i is against, as elf_file_place() has it; false if it is bad. */
static bool module_place(const struct records *r, size_t i, u64 *place_ret)
{
	GElf_Rela rela;
	u32 section;
	GElf_Sym sym;

	if (!gelf_getrela(r->relas, i, &rela) || rela.r_offset != i * sizeof(struct btf_func_rec) ||
	    GELF_R_TYPE(rela.r_info) != R_X86_64_PC32 || rela.r_addend ||
	    !elf_file_read_sym(r->file, GELF_R_SYM(rela.r_info), &sym, &section) || !section ||
	    sym.st_value > UINT32_MAX)
		return false;
	*place_ret = (u64)section << 32 | sym.st_value;
	return true;
}

/* Set the address of the FUNC that record @i is of. Returns NULL, or what is wrong. */
static const char *read_record(const struct records *r, size_t i)
{
	struct btf_func_rec rec;
	u64 *addr;
	u32 id;

	memcpy(&rec, r->recs + i * sizeof(rec), sizeof(rec));
	if (rec.idx >= r->img->nr_types - r->img->first_id)
		return "it is not of a type of this BTF";
	id = r->img->first_id + rec.idx;
	addr = btf_image_addr(r->img, id);
	if (!btf_is_func(type_by_id(r->img, id)))
		return "it is not of a function";
	if (*addr != NO_ADDR)
		return "its function has a record already";
	r->img->nr_addrs++;
	if (!r->relas) {
		*addr = rec.addr;
		return NULL;
	}
	if (rec.addr)
		return "its address is not 0, though it is to be relocated";
	return module_place(r, i, addr) ?
		       NULL :
		       "it has no R_X86_64_PC32 with addend 0 against a symbol of the module";
}

static int read_all(const struct records *r)
{
	u64 addr, last = 0;
	const char *what;
	u32 idx;
	size_t i;

	for (i = 0; i < r->nr; i++) {
		what = read_record(r, i);
		if (!what) {
			memcpy(&idx, r->recs + i * 8 + 4, sizeof(idx));
			addr = r->img->addrs[idx];
			what = i && addr < last ? "it is out of order" : NULL;
			last = addr;
		}
		if (what)
			return err("%s: record %zu of " SECTION ": %s", r->file->path, i, what);
	}
	return 0;
}

static int find_relas(struct records *r)
{
	GElf_Shdr shdr;
	Elf_Scn *scn;

	if (!r->file->module)
		return 0;
	scn = elf_file_find(r->file, ".rela" SECTION, &shdr);
	if (scn && shdr.sh_type == SHT_RELA && shdr.sh_entsize == sizeof(Elf64_Rela) &&
	    shdr.sh_size / sizeof(Elf64_Rela) == r->nr &&
	    elf_getscn(r->file->elf, shdr.sh_link) == r->file->symtab_scn)
		r->relas = elf_getdata(scn, NULL);
	if (!r->relas)
		return err("%s: no relocations for %zu records of " SECTION, r->file->path, r->nr);
	return 0;
}

int func_section_read(struct btf_image *img, struct elf_file *file)
{
	struct records r = { .img = img, .file = file };
	size_t len;

	r.recs = elf_file_section(file, SECTION, &len);
	if (!r.recs)
		return 0;
	if (img->nr_addrs)
		return err("%s: there are addresses both in .BTF and in " SECTION, file->path);
	if (len % sizeof(struct btf_func_rec))
		return err("%s: " SECTION " ends in the middle of a record", file->path);
	r.nr = len / sizeof(struct btf_func_rec);
	return find_relas(&r) || read_all(&r) ? -1 : 0;
}
