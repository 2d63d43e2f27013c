// SPDX-License-Identifier: GPL-2.0-only
/*
 * What btfaddr wants from an ELF file: function symbols, .BTF, code.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#include "elf/elf_file.h"

const char *elf_file_section_name(struct elf_file *file, const GElf_Shdr *shdr)
{
	size_t strndx;

	if (elf_getshdrstrndx(file->elf, &strndx))
		return "";
	return elf_strptr(file->elf, strndx, shdr->sh_name) ?: "";
}

/*
 * Does the section stay at its address once the kernel is up? Init text is freed, and text of
 * alternatives is copied elsewhere. .init.text also moves between the link that pahole sees and
 * the final one.
 */
static bool section_is_resident(const char *name)
{
	return !starts_with(name, ".init") && !starts_with(name, ".exit") &&
	       !starts_with(name, ".altinstr");
}

/*
 * Symbols that are no entry points of functions: the padding and the type hash before a function,
 * and the part of a function that the compiler moved away (foo.cold, foo.cold.3).
 */
static bool is_piece(const char *name)
{
	const char *dot = strchr(name, '.'), *cold = dot ? strstr(dot, ".cold") : NULL;

	if (*name == '_' && (starts_with(name, "__pfx_") || starts_with(name, "__cfi_")))
		return true;
	return cold && cold != name && (!cold[5] || cold[5] == '.');
}

static u64 name_prefix(const char *name)
{
	u64 prefix = 0;

	memcpy(&prefix, name, strnlen(name, sizeof(prefix)));
	return be64toh(prefix);
}

static int cmp_sym(const void *a, const void *b)
{
	const struct elf_sym *x = a, *y = b;
	int ret = compare(x->prefix, y->prefix);

	ret = ret ?: strcmp(x->name, y->name);
	return ret ?: compare(x->addr, y->addr);
}

/* As cmp_sym(), with duplicates in the order of the symbol table: the first of them stays. */
static int cmp_sym_index(const void *a, const void *b)
{
	const struct elf_sym *x = a, *y = b;

	return cmp_sym(a, b) ?: compare(x->index, y->index);
}

/* __find_kallsyms_symbol_value() in kernel/module/kallsyms.c takes the first one in the table. */
static int cmp_module_sym(const void *a, const void *b)
{
	const struct elf_sym *x = a, *y = b;

	return strcmp(x->name, y->name) ?: compare(x->index, y->index);
}

static void sort_syms(struct elf_file *file)
{
	struct elf_sym *syms = file->syms;
	size_t i, nr;

	array_sort(syms, file->nr_syms, sizeof(*syms), cmp_sym_index);
	nr = file->nr_syms = array_settle(syms, file->nr_syms, sizeof(*syms), cmp_sym);
	for (i = 1; i < nr; i++) {
		if (!strcmp(syms[i - 1].name, syms[i].name))
			syms[i - 1].ambiguous = syms[i].ambiguous = true;
	}
	if (file->module)
		array_sort(syms, nr, sizeof(*syms), cmp_module_sym);
}

/* The bytes are read here, as several threads must not call libelf at the same time. */
static void load_code(struct elf_file *file)
{
	Elf_Scn *scn = NULL;
	Elf_Data *data;
	GElf_Shdr shdr;
	const char *name;

	while ((scn = elf_nextscn(file->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || !section_is_code(&shdr))
			continue;
		name = elf_file_section_name(file, &shdr);
		data = elf_rawdata(scn, NULL);
		PUSH(file->code, file->nr_code, .name = name, .addr = shdr.sh_addr,
		     .size = shdr.sh_size,
		     .data = data && data->d_size == shdr.sh_size ? data->d_buf : NULL,
		     .index = elf_ndxscn(scn), .resident = section_is_resident(name));
	}
	array_sort(file->code, file->nr_code, sizeof(*file->code), cmp_u64);
}

/* By section number: for executable sections, the index in file->code + 1. */
static u32 *number_code(struct elf_file *file, size_t nr)
{
	u32 *numbers = xcalloc(nr, sizeof(*numbers));
	size_t i;

	for (i = 0; i < file->nr_code; i++)
		numbers[file->code[i].index] = i + 1;
	return numbers;
}

static void add_sym(struct elf_file *file, const char *name, const GElf_Sym *sym, u32 index,
		    const struct code_section *code)
{
	u64 addr = sym->st_value + (file->module ? code->addr : 0);

	/* such a symbol would be in another section, or nowhere */
	if (file->module && sym->st_value > code->size)
		return;
	file->starts[file->nr_starts++] = addr;
	if (is_piece(name)) {
		file->nr_pieces++;
		/* a prefix has the address of no call */
		if (*name != '_' || strchr(name, '.'))
			u64map_set(&file->colds, addr, index);
		return;
	}
	PUSH(file->syms, file->nr_syms, .name = name, .prefix = name_prefix(name), .addr = addr,
	     .index = index, .resident = code->resident,
	     .global = GELF_ST_BIND(sym->st_info) != STB_LOCAL);
}

/* Note the special symbols of vmlinux. Linux 7 has the operations of locks in pv_ops_lock. */
static void add_special(struct elf_file *file, const char *name, const GElf_Sym *sym)
{
	static const char *const pv_ops[NR_PV_OPS] = { "pv_ops", "pv_ops_lock" };
	u32 i;

	/* most names don't begin like one of these */
	if (*name != 'p' && *name != '_')
		return;
	for (i = 0; i < NR_PV_OPS; i++) {
		if (!strcmp(name, pv_ops[i]))
			file->pv_ops[i] =
				(struct elf_range){ sym->st_value, sym->st_value + sym->st_size };
	}
	if (!strcmp(name, "_text")) {
		file->text = sym->st_value;
		file->has_text = true;
	} else if (!strcmp(name, "__start___jump_table")) {
		file->jump_table.start = sym->st_value;
	} else if (!strcmp(name, "__stop___jump_table")) {
		file->jump_table.end = sym->st_value;
	} else if (!strcmp(name, "__start_mcount_loc")) {
		file->mcount.start = sym->st_value;
	} else if (!strcmp(name, "__stop_mcount_loc")) {
		file->mcount.end = sym->st_value;
	}
}

/*
 * Note the function of a BTF_ID(func, name), include/linux/btf_ids.h, which makes a symbol such as
 * __BTF_ID__func__vfs_close__1 for resolve_btfids.
 */
static void add_btf_id(struct elf_file *file, const char *name)
{
	static const char prefix[] = "__BTF_ID__func__";
	const char *end;

	if (!starts_with(name, prefix))
		return;
	name += strlen(prefix);
	for (end = name + strlen(name); end > name && strncmp(end, "__", 2); end--)
		;
	u64map_set(&file->btf_ids, hash_bytes(name, end - name), 1);
}

/* Sort symbols by name on one thread and addresses on the other: vmlinux has many. */
static void sort(void *ctx, u32 thread)
{
	struct elf_file *file = ctx;

	if (thread)
		array_sort(file->starts, file->nr_starts, sizeof(*file->starts), cmp_u64);
	else
		sort_syms(file);
}

static void read_symtab(struct elf_file *file, size_t nr_sections)
{
	size_t i, nr = file->symtab->d_size / sizeof(Elf64_Sym);
	u32 *numbers = number_code(file, nr_sections);
	const char *name;
	GElf_Sym sym;
	u32 section;

	ALLOC(file->starts, nr);
	for (i = 0; i < nr; i++) {
		if (!elf_file_read_sym(file, i, &sym, &section))
			break;
		name = elf_file_sym_name(file, &sym);
		if (GELF_ST_TYPE(sym.st_info) != STT_FUNC && !file->module)
			add_special(file, name, &sym);
		if (GELF_ST_TYPE(sym.st_info) == STT_NOTYPE ||
		    GELF_ST_TYPE(sym.st_info) == STT_OBJECT)
			add_btf_id(file, name);
		if (GELF_ST_TYPE(sym.st_info) != STT_FUNC || !*name)
			continue;
		if (section >= nr_sections || !numbers[section])
			continue;
		add_sym(file, name, &sym, i, &file->code[numbers[section] - 1]);
	}
	free(numbers);
	threads_run(2, sort, file);
}

/*
 * Section numbers from SHN_LORESERVE on don't fit into a symbol. They are in a table of their own:
 * "Special Section Indexes" and SHT_SYMTAB_SHNDX in the gABI.
 */
static Elf_Data *find_shndx(const struct elf_file *file)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(file->elf, scn))) {
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_SYMTAB_SHNDX &&
		    shdr.sh_link == elf_ndxscn(file->symtab_scn))
			return elf_getdata(scn, NULL);
	}
	return NULL;
}

/*
 * Keep the string table up to its last 0, so that each name has an end. Relocations change
 * no string table, so the last 0 stays.
 */
static void load_names(struct elf_file *file, Elf_Scn *scn)
{
	GElf_Shdr shdr;
	Elf_Data *data;
	const char *end;

	if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_STRTAB ||
	    (shdr.sh_flags & SHF_COMPRESSED))
		return;
	data = elf_rawdata(scn, NULL);
	if (!data || !data->d_buf)
		return;
	file->names = data->d_buf;
	end = memrchr(file->names, 0, data->d_size);
	file->names_len = end ? end + 1 - file->names : 0;
}

/* The bytes at an address, at least @size, in a section other than .bss; NULL if there are none. */
static u8 *bytes_at(struct elf_file *file, u64 addr, size_t size)
{
	struct elf_range range = { .start = addr, .end = addr + size };

	return (u8 *)elf_file_range(file, &range);
}

/*
 * A kernel that moves itself may have addresses in its relocations only, and zeros where they
 * belong. Apply them, in memory.
 */
static void apply_relative(struct elf_file *file)
{
	u64 first = 0, end = 0;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	Elf_Data *data;
	u8 *bytes = NULL;
	GElf_Rela rela;
	size_t i;

	while ((scn = elf_nextscn(file->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_RELA ||
		    !(shdr.sh_flags & SHF_ALLOC))
			continue;
		data = elf_getdata(scn, NULL);
		for (i = 0; data && gelf_getrela(data, i, &rela); i++) {
			if (GELF_R_TYPE(rela.r_info) != file->arch->relative_reloc)
				continue;
			/* most are for the page of the one before */
			if (!bytes || rela.r_offset < first || rela.r_offset + 8 > end) {
				first = rela.r_offset;
				end = first + 4096;
				bytes = bytes_at(file, first, 4096);
				if (!bytes)
					end = first + 8;
				bytes = bytes ?: bytes_at(file, first, 8);
			}
			if (bytes)
				memcpy(bytes + (rela.r_offset - first), &rela.r_addend, 8);
		}
	}
}

int elf_file_load(struct elf_file *file)
{
	size_t nr_sections;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	if (elf_file_find(file, ".text", &shdr) && shdr.sh_type == SHT_NOBITS && shdr.sh_size)
		return err("%s: no code in .text: join it with the stripped file by eu-unstrip",
			   file->path);
	if (elf_getshdrnum(file->elf, &nr_sections))
		return err("%s: cannot read the section headers: %s", file->path, elf_errmsg(-1));
	while ((scn = elf_nextscn(file->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_SYMTAB)
			continue;
		file->symtab_scn = scn;
		file->symtab = elf_getdata(scn, NULL);
		if (!file->symtab)
			return err("%s: cannot read the symbol table: %s", file->path,
				   elf_errmsg(-1));
		load_names(file, elf_getscn(file->elf, shdr.sh_link));
		if (!file->module && file->arch->relative_reloc)
			apply_relative(file);
		file->shndx = find_shndx(file);
		load_code(file);
		read_symtab(file, nr_sections);
		return 0;
	}
	return err("%s: no symbol table: give the file before strip", file->path);
}

/* libelf notices that a file is truncated only when it reads what is missing. */
static int check_truncated(struct elf_file *file)
{
	Elf_Scn *scn = NULL;
	size_t size, nr;
	GElf_Shdr shdr;

	if (!elf_rawfile(file->elf, &size) || elf_getshdrnum(file->elf, &nr) || !nr)
		return err(
			"%s: no section headers: the file is truncated, or neither a kernel nor a module",
			file->path);
	while ((scn = elf_nextscn(file->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr))
			return err("%s: damaged section header: %s", file->path, elf_errmsg(-1));
		if (shdr.sh_type == SHT_NOBITS || shdr.sh_type == SHT_NULL)
			continue;
		if (shdr.sh_offset > size || shdr.sh_size > size - shdr.sh_offset)
			return err("%s: truncated: section %zu ends after the end of the file",
				   file->path, elf_ndxscn(scn));
	}
	return 0;
}

static int check_header(struct elf_file *file)
{
	GElf_Ehdr ehdr;

	if (elf_kind(file->elf) != ELF_K_ELF)
		return err("%s: not an ELF file: give a vmlinux or a module", file->path);
	if (!gelf_getehdr(file->elf, &ehdr))
		return err("%s: damaged ELF header: %s", file->path, elf_errmsg(-1));
	file->arch = arch_find(ehdr.e_machine);
	if (!file->arch)
		return err("%s: not an x86-64 or arm64 file (machine %d): not supported",
			   file->path, ehdr.e_machine);
	if (ehdr.e_ident[EI_CLASS] != ELFCLASS64)
		return err("%s: %s with 32-bit addresses: not supported", file->path,
			   file->arch->name);
	if (ehdr.e_ident[EI_DATA] != ELFDATA2LSB)
		return err("%s: %s big endian: not supported", file->path, file->arch->name);
	file->module = file->has_text = ehdr.e_type == ET_REL;
	return check_truncated(file);
}

int elf_file_open(struct elf_file *file, const char *path)
{
	memset(file, 0, sizeof(*file));
	file->path = path;
	elf_version(EV_CURRENT);
	file->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (file->fd < 0)
		return err("%s: cannot open: %s", path, strerror(errno));
	/* private, because a module's addresses are changed in memory */
	file->elf = elf_begin(file->fd, ELF_C_READ_MMAP_PRIVATE, NULL);
	if (!file->elf)
		return err("%s: not an ELF file: %s", path, elf_errmsg(-1));
	return check_header(file);
}

void elf_file_close(struct elf_file *file)
{
	free(file->syms);
	free(file->starts);
	while (file->nr_code)
		free(file->code[--file->nr_code].returns);
	free(file->code);
	u64map_free(&file->btf_ids);
	u64map_free(&file->colds);
	elf_end(file->elf);
	if (file->fd >= 0)
		close(file->fd);
	memset(file, 0, sizeof(*file));
	file->fd = -1;
}

Elf_Scn *elf_file_find(struct elf_file *file, const char *name, GElf_Shdr *shdr)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(file->elf, scn))) {
		if (gelf_getshdr(scn, shdr) && !strcmp(elf_file_section_name(file, shdr), name))
			return scn;
	}
	return NULL;
}

const void *elf_file_section(struct elf_file *file, const char *name, size_t *size_ret)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_file_find(file, name, &shdr);
	Elf_Data *data;

	if (!scn || shdr.sh_type == SHT_NOBITS)
		return NULL;
	data = elf_rawdata(scn, NULL);
	if (!data || !data->d_buf)
		return NULL;
	*size_ret = data->d_size;
	return data->d_buf;
}

const u8 *elf_file_range(struct elf_file *file, const struct elf_range *range)
{
	Elf_Scn *scn = NULL;
	Elf_Data *data;
	GElf_Shdr shdr;

	while (range->start < range->end && (scn = elf_nextscn(file->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type == SHT_NOBITS ||
		    range->start < shdr.sh_addr || range->end - shdr.sh_addr > shdr.sh_size)
			continue;
		data = elf_rawdata(scn, NULL);
		if (data && data->d_buf && data->d_size == shdr.sh_size)
			return (u8 *)data->d_buf + (range->start - shdr.sh_addr);
	}
	return NULL;
}

const struct code_section *elf_file_code_section(const struct elf_file *file, u64 addr)
{
	size_t nr = nr_up_to(addr, file->code, file->nr_code, sizeof(*file->code));

	if (!nr || addr - file->code[nr - 1].addr > file->code[nr - 1].size)
		return NULL;
	return &file->code[nr - 1];
}

const u8 *elf_file_code(const struct elf_file *file, u64 addr, size_t *len_ret)
{
	const struct code_section *code = elf_file_code_section(file, addr);

	if (!code || !code->data || addr - code->addr >= code->size)
		return NULL;
	*len_ret = code->size - (addr - code->addr);
	return code->data + (addr - code->addr);
}

int elf_file_no_dwarf(struct elf_file *file, const char *why)
{
	return err("%s: no DWARF (%s): build with CONFIG_DEBUG_INFO", file->path, why);
}

u64 elf_file_function_start(const struct elf_file *file, u64 addr)
{
	size_t nr = nr_up_to(addr, file->starts, file->nr_starts, sizeof(*file->starts));

	return nr ? file->starts[nr - 1] : 0;
}

const char *elf_file_extern(const struct elf_file *file, u64 addr)
{
	GElf_Sym sym;

	if (!file->module || addr < file->externs ||
	    !gelf_getsym(file->symtab, (addr - file->externs) / EXTERN_SIZE, &sym))
		return NULL;
	return elf_file_sym_name(file, &sym);
}

const struct elf_sym *elf_file_find_sym(const struct elf_file *file, const char *name, u64 addr)
{
	const struct elf_sym *sym = elf_file_first_sym(file, name);

	while (sym && sym->addr != addr)
		sym = elf_file_next_sym(file, sym);
	return sym;
}

bool elf_file_read_sym(const struct elf_file *file, size_t index, GElf_Sym *sym, u32 *section_ret)
{
	const Elf32_Word *sections = file->shndx ? file->shndx->d_buf : NULL;
	const Elf64_Sym *syms = file->symtab->d_buf;

	/* not by gelf_getsymshndx(), which takes a lock for each symbol */
	if (!syms || index >= file->symtab->d_size / sizeof(*syms))
		return false;
	*sym = syms[index];
	*section_ret = SHN_UNDEF;
	if (sym->st_shndx < SHN_LORESERVE)
		*section_ret = sym->st_shndx;
	else if (sym->st_shndx == SHN_XINDEX && sections &&
		 index < file->shndx->d_size / sizeof(*sections))
		*section_ret = sections[index];
	return true;
}

u64 elf_file_place(const struct elf_file *file, u64 addr)
{
	const struct code_section *code;

	if (!file->module)
		return addr - file->text;
	code = elf_file_code_section(file, addr);
	return (u64)code->index << 32 | (addr - code->addr);
}

static int cmp_number(const void *key, const void *section)
{
	return compare(*(const u32 *)key, ((const struct code_section *)section)->index);
}

/* A module's executable section by its number, or NULL. */
static const struct code_section *code_section_by_number(const struct elf_file *file, u32 index)
{
	/* addresses are made up in the order of sections, so this is the order of numbers, too */
	return file->nr_code ?
		       bsearch(&index, file->code, file->nr_code, sizeof(*file->code), cmp_number) :
		       NULL;
}

bool elf_file_addr(const struct elf_file *file, u64 place, u64 *addr_ret)
{
	const struct code_section *code;

	if (!file->module) {
		*addr_ret = file->text + place;
		return file->has_text && place <= UINT32_MAX;
	}
	code = code_section_by_number(file, place >> 32);
	if (!code || (u32)place >= code->size)
		return false;
	*addr_ret = code->addr + (u32)place;
	return true;
}

char *elf_file_place_text(const struct elf_file *file, u64 place)
{
	const struct code_section *code;

	if (!file->module)
		return xasprintf("0x%" PRIx64, place);
	code = code_section_by_number(file, place >> 32);
	if (!code)
		return xasprintf("section %u+0x%x", (u32)(place >> 32), (u32)place);
	return xasprintf("%s+0x%x", code->name, (u32)place);
}

static int cmp_name(const void *sym, const void *name)
{
	return strcmp(((const struct elf_sym *)sym)->name, name);
}

/* Index of the first symbol whose name is @name or comes after it. */
static size_t find_name(const struct elf_file *file, const char *name)
{
	return lower_bound(name, file->syms, file->nr_syms, sizeof(*file->syms), cmp_name);
}

const struct elf_sym *elf_file_first_sym(const struct elf_file *file, const char *name)
{
	size_t i = find_name(file, name);

	return i < file->nr_syms && !strcmp(file->syms[i].name, name) ? &file->syms[i] : NULL;
}

const struct elf_sym *elf_file_next_sym(const struct elf_file *file, const struct elf_sym *sym)
{
	const struct elf_sym *next = sym + 1;

	return next < file->syms + file->nr_syms && !strcmp(next->name, sym->name) ? next : NULL;
}

bool elf_file_has_functions(const struct elf_file *file)
{
	const struct elf_sym *sym;

	for_each(sym, file->syms, file->nr_syms) {
		if (sym->resident)
			return true;
	}
	return false;
}

bool elf_file_has_renamed(const struct elf_file *file, const char *name)
{
	size_t i, len = strlen(name);

	for (i = find_name(file, name); i < file->nr_syms; i++) {
		const struct elf_sym *sym = &file->syms[i];

		if (strncmp(sym->name, name, len) || sym->name[len] > '.')
			return false;
		if (sym->name[len] == '.' && sym->resident)
			return true;
	}
	return false;
}
