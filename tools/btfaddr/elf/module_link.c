// SPDX-License-Identifier: GPL-2.0-only
/*
 * Linking a module in memory. libdwfl would relocate the module's DWARF, but not the PC-relative
 * operands of its code, which livein.c follows.
 */
#include "elf/module_link.h"

#define FIRST_ADDR 0x100000
#define GAP	   4096
/* Calls, jumps and 32-bit relocations reach no further than this. */
#define MAX_ADDR INT32_MAX

int module_layout(struct elf_file *file)
{
	u64 addr = FIRST_ADDR;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(file->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr))
			return err("%s: damaged section header: %s", file->path, elf_errmsg(-1));
		if (shdr.sh_flags & SHF_ALLOC) {
			if (shdr.sh_size > MAX_ADDR - addr)
				return err("%s: its sections are larger than 2 GiB together",
					   file->path);
			shdr.sh_addr = addr;
			/* with a gap, so that the end of one section isn't the start of the next */
			addr += (shdr.sh_size / GAP + 1) * GAP;
		} else {
			shdr.sh_addr = 0;
		}
		if (!gelf_update_shdr(scn, &shdr))
			return err("%s: %s", file->path, elf_errmsg(-1));
	}
	file->externs = addr;
	return 0;
}

/* Addresses by symbol number. */
static u64 *symbol_addrs(struct elf_file *file, size_t nr)
{
	u64 *addrs = xcalloc(nr, sizeof(*addrs));
	GElf_Shdr shdr;
	GElf_Sym sym;
	u32 section;
	size_t i;

	/* symbol 0 stays 0: relocations against it are of code that the linker discarded */
	for (i = 1; i < nr && elf_file_read_sym(file, i, &sym, &section); i++) {
		if (sym.st_shndx == SHN_ABS)
			addrs[i] = sym.st_value;
		else if (section && gelf_getshdr(elf_getscn(file->elf, section), &shdr))
			addrs[i] = shdr.sh_addr + sym.st_value;
		else
			addrs[i] = file->externs + i * EXTERN_SIZE;
	}
	return addrs;
}

/**
 * struct relocation - relocations of one section
 * @symbols: addresses by symbol number
 * @relas: the relocations
 * @target: the section's bytes
 * @target_addr: the section's address
 */
struct relocation {
	const u64 *symbols;
	size_t nr_symbols;
	Elf_Data *relas;
	Elf_Data *target;
	u64 target_addr;
};

static int apply_all(struct elf_file *file, const struct relocation *r, const char *name)
{
	size_t i, sym, nr = r->relas->d_size / sizeof(Elf64_Rela);
	GElf_Rela rela;

	for (i = 0; i < nr; i++) {
		if (!gelf_getrela(r->relas, i, &rela))
			return err("%s: relocation %zu of %s: %s", file->path, i, name,
				   elf_errmsg(-1));
		sym = GELF_R_SYM(rela.r_info);
		if (sym >= r->nr_symbols || rela.r_offset > r->target->d_size ||
		    file->arch->relocate(GELF_R_TYPE(rela.r_info), r->symbols[sym] + rela.r_addend,
					 r->target_addr + rela.r_offset,
					 (u8 *)r->target->d_buf + rela.r_offset,
					 r->target->d_size - rela.r_offset))
			return err(
				"%s: relocation %zu of %s is damaged, or of type %u, which is not known",
				file->path, i, name, (u32)GELF_R_TYPE(rela.r_info));
	}
	return 0;
}

/* Is the section to be relocated? Code is, for its calls, and so are tables about it and DWARF. */
static bool wanted(const struct arch *arch, const GElf_Shdr *shdr, const char *name)
{
	static const char *const tables[] = { "__jump_table", "__ex_table", "__bug_table",
					      ".altinstructions" };
	size_t i;

	if (shdr->sh_type != SHT_PROGBITS)
		return false;
	if (!strcmp(name, arch->sites))
		return true;
	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		if (!strcmp(name, tables[i]))
			return true;
	}
	return section_is_code(shdr) || starts_with(name, ".debug_");
}

/* libelf reads section headers in place, so no relocation may change them. */
static bool overlaps_headers(const struct elf_file *file, const GElf_Shdr *shdr)
{
	u64 end = shdr->sh_offset + shdr->sh_size;
	GElf_Ehdr ehdr;
	size_t nr;

	if (!gelf_getehdr(file->elf, &ehdr) || elf_getshdrnum(file->elf, &nr))
		return true;
	return shdr->sh_offset < ehdr.e_ehsize ||
	       (end > ehdr.e_shoff && shdr->sh_offset < ehdr.e_shoff + nr * ehdr.e_shentsize);
}

static int relocate_section(struct elf_file *file, Elf_Scn *scn, u32 target_nr,
			    struct relocation *r)
{
	Elf_Scn *target = elf_getscn(file->elf, target_nr);
	const char *name;
	GElf_Shdr shdr;

	if (!gelf_getshdr(target, &shdr))
		return 0;
	name = elf_file_section_name(file, &shdr);
	if (!wanted(file->arch, &shdr, name))
		return 0;
	if (overlaps_headers(file, &shdr))
		return err("%s: %s is damaged: it overlaps headers of the file", file->path, name);
	/* offsets of relocations are in the uncompressed bytes */
	if ((shdr.sh_flags & SHF_COMPRESSED) && elf_compress(target, 0, 0) < 0)
		return elf_file_no_dwarf(file, elf_errmsg(-1));
	r->relas = elf_getdata(scn, NULL);
	r->target = elf_rawdata(target, NULL);
	r->target_addr = shdr.sh_addr;
	if (!r->relas || !r->target || !r->target->d_buf)
		return err("%s: cannot read %s: %s", file->path, name, elf_errmsg(-1));
	return apply_all(file, r, name);
}

int module_relocate(struct elf_file *file)
{
	struct relocation r = { .nr_symbols = file->symtab->d_size / sizeof(Elf64_Sym) };
	u64 *symbols = symbol_addrs(file, r.nr_symbols);
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	int ret = 0;

	r.symbols = symbols;
	while (!ret && (scn = elf_nextscn(file->elf, scn))) {
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_RELA)
			ret = relocate_section(file, scn, shdr.sh_info, &r);
	}
	free(symbols);
	return ret;
}
