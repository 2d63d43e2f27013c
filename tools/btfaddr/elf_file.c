// SPDX-License-Identifier: GPL-2.0
/*
 * What btfaddr wants from an ELF file: function symbols, .BTF, code.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "elf_file.h"

/* A symbol's or section's name, "" if the file lies about where it is. */
static const char *elf_str(struct elf_file *file, size_t strtab, size_t off)
{
	const char *s = elf_strptr(file->elf, strtab, off);

	return s ? s : "";
}

static const char *section_name(struct elf_file *file, GElf_Shdr *shdr)
{
	size_t strndx;

	if (elf_getshdrstrndx(file->elf, &strndx))
		return "";
	return elf_str(file, strndx, shdr->sh_name);
}

static bool starts_with(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

/*
 * Text that is gone, or was copied elsewhere, once the kernel is up. .init.text
 * also moves between the link that pahole sees and the final one.
 */
static bool section_is_resident(struct elf_file *file, GElf_Shdr *shdr)
{
	const char *name = section_name(file, shdr);

	return !starts_with(name, ".init") && !starts_with(name, ".exit") &&
	       !starts_with(name, ".altinstr");
}

static bool section_is_code(const GElf_Shdr *shdr)
{
	return (shdr->sh_flags & SHF_ALLOC) && (shdr->sh_flags & SHF_EXECINSTR);
}

/*
 * Not entry points of functions: the padding and type hash before a function,
 * and the part of one that the compiler moved away (foo.cold, foo.cold.3).
 */
static bool is_piece(const char *name)
{
	const char *cold = strstr(name, ".cold");

	if (starts_with(name, "__pfx_") || starts_with(name, "__cfi_"))
		return true;
	return cold && cold != name && (!cold[5] || cold[5] == '.');
}

static int cmp_sym(const void *a, const void *b)
{
	const struct elf_sym *x = a, *y = b;
	int ret = strcmp(x->name, y->name);

	return ret ? ret : (x->addr > y->addr) - (x->addr < y->addr);
}

static void sort_syms(struct elf_file *file)
{
	struct elf_sym *syms = file->syms;
	size_t i, nr = 0;

	if (!file->nr_syms)
		return;
	qsort(syms, file->nr_syms, sizeof(*syms), cmp_sym);
	for (i = 0; i < file->nr_syms; i++) {
		if (nr && !cmp_sym(&syms[nr - 1], &syms[i]))
			continue;
		syms[nr++] = syms[i];
	}
	file->nr_syms = nr;
	for (i = 1; i < nr; i++) {
		if (!strcmp(syms[i - 1].name, syms[i].name))
			syms[i - 1].ambiguous = syms[i].ambiguous = true;
	}
}

/* Which sections hold code (bit 0), and of those resident code (bit 1). */
static u8 *classify_sections(struct elf_file *file, size_t nr)
{
	u8 *flags = xcalloc(nr, 1);
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(file->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || !section_is_code(&shdr))
			continue;
		flags[elf_ndxscn(scn)] = section_is_resident(file, &shdr) ? 3 : 1;
	}
	return flags;
}

static void add_sym(struct elf_file *file, size_t *cap, const char *name, u64 addr,
		    bool resident)
{
	if (is_piece(name)) {
		file->nr_pieces++;
		return;
	}
	GROW(file->syms, file->nr_syms, *cap);
	file->syms[file->nr_syms++] = (struct elf_sym){
		.name = name,
		.addr = addr,
		.resident = resident,
	};
}

static void read_symtab(struct elf_file *file, Elf_Data *data, const GElf_Shdr *shdr,
			const u8 *flags, size_t nr_sections)
{
	size_t i, cap = 0, nr = shdr->sh_entsize ? data->d_size / shdr->sh_entsize : 0;
	const char *name;
	GElf_Sym sym;

	for (i = 0; i < nr; i++) {
		if (!gelf_getsym(data, i, &sym))
			break;
		name = elf_str(file, shdr->sh_link, sym.st_name);
		if (!strcmp(name, "_text")) {
			file->text = sym.st_value;
			file->has_text = true;
		}
		if (GELF_ST_TYPE(sym.st_info) != STT_FUNC || !*name)
			continue;
		if (sym.st_shndx >= nr_sections || !(flags[sym.st_shndx] & 1))
			continue;
		add_sym(file, &cap, name, sym.st_value, flags[sym.st_shndx] & 2);
	}
	sort_syms(file);
}

/* Once and for all: libelf may not be asked on several threads. */
static void load_code(struct elf_file *file)
{
	size_t cap = 0;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	Elf_Data *data;

	while ((scn = elf_nextscn(file->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || !section_is_code(&shdr) ||
		    shdr.sh_type == SHT_NOBITS)
			continue;
		data = elf_rawdata(scn, NULL);
		if (!data || !data->d_buf)
			continue;
		GROW(file->codes, file->nr_codes, cap);
		file->codes[file->nr_codes++] = (struct elf_code){
			.addr = shdr.sh_addr,
			.size = data->d_size,
			.data = data->d_buf,
		};
	}
}

static int load_symbols(struct elf_file *file)
{
	size_t nr_sections;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	Elf_Data *data;
	u8 *flags;

	if (elf_getshdrnum(file->elf, &nr_sections))
		return err("%s: cannot read the section headers: %s", file->path, elf_errmsg(-1));
	while ((scn = elf_nextscn(file->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_SYMTAB)
			continue;
		data = elf_getdata(scn, NULL);
		if (!data)
			return err("%s: cannot read the symbol table: %s", file->path,
				   elf_errmsg(-1));
		flags = classify_sections(file, nr_sections);
		read_symtab(file, data, &shdr, flags, nr_sections);
		free(flags);
		return 0;
	}
	return err("%s: no symbol table: give the file before strip", file->path);
}

/* libelf notices the end of a cut-off file only where it is read. */
static int check_truncated(struct elf_file *file)
{
	Elf_Scn *scn = NULL;
	size_t size, nr;
	GElf_Shdr shdr;

	if (!elf_rawfile(file->elf, &size) || elf_getshdrnum(file->elf, &nr) || !nr)
		return err("%s: no section headers: truncated, or not a linked kernel",
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
		return err("%s: not an ELF file: give a vmlinux", file->path);
	if (!gelf_getehdr(file->elf, &ehdr))
		return err("%s: damaged ELF header: %s", file->path, elf_errmsg(-1));
	if (ehdr.e_ident[EI_CLASS] != ELFCLASS64 || ehdr.e_ident[EI_DATA] != ELFDATA2LSB ||
	    ehdr.e_machine != EM_X86_64)
		return err("%s: not a little-endian x86-64 file (machine %d): not supported",
			   file->path, ehdr.e_machine);
	if (ehdr.e_type == ET_REL)
		return err("%s: a relocatable file: modules are not supported, give a vmlinux",
			   file->path);
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
	file->elf = elf_begin(file->fd, ELF_C_READ_MMAP, NULL);
	if (!file->elf)
		return err("%s: not an ELF file: %s", path, elf_errmsg(-1));
	if (check_header(file))
		return -1;
	load_code(file);
	return load_symbols(file);
}

void elf_file_close(struct elf_file *file)
{
	free(file->syms);
	free(file->codes);
	elf_end(file->elf);
	if (file->fd >= 0)
		close(file->fd);
	memset(file, 0, sizeof(*file));
	file->fd = -1;
}

const void *elf_file_section(struct elf_file *file, const char *name, size_t *size_ret)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	Elf_Data *data;

	while ((scn = elf_nextscn(file->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type == SHT_NOBITS)
			continue;
		if (strcmp(section_name(file, &shdr), name))
			continue;
		data = elf_rawdata(scn, NULL);
		if (!data || !data->d_buf)
			return NULL;
		*size_ret = data->d_size;
		return data->d_buf;
	}
	return NULL;
}

const u8 *elf_file_code(const struct elf_file *file, u64 addr, size_t *len_ret)
{
	const struct elf_code *code;
	size_t i;

	for (i = 0; i < file->nr_codes; i++) {
		code = &file->codes[i];
		if (addr < code->addr || addr - code->addr >= code->size)
			continue;
		*len_ret = code->size - (addr - code->addr);
		return code->data + (addr - code->addr);
	}
	return NULL;
}

const struct elf_sym *elf_file_find_sym(const struct elf_file *file, const char *name,
					u64 addr)
{
	struct elf_sym key = { .name = name, .addr = addr };

	return bsearch(&key, file->syms, file->nr_syms, sizeof(key), cmp_sym);
}

const struct elf_sym *elf_file_first_sym(const struct elf_file *file, const char *name)
{
	size_t low = 0, high = file->nr_syms, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (strcmp(file->syms[mid].name, name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == file->nr_syms || strcmp(file->syms[low].name, name))
		return NULL;
	return &file->syms[low];
}
