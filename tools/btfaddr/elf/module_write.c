// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writing a module anew, with a few sections changed.
 *
 * Symbols, relocations and groups refer to sections by number. So that none of them needs a
 * change, sections keep their numbers: new sections come last, and if one that is not the last
 * is removed, its header stays and becomes inactive (SHT_NULL).
 */
#include <errno.h>
#include <sys/stat.h>

#include "elf/module_write.h"

/**
 * struct section - a section of the output
 * @shdr: its header; place_sections() puts the new offset there
 * @data: its contents, which belong to the input or to the caller of module_write()
 * @aligned: its place in the file must be a multiple of shdr.sh_addralign
 */
struct section {
	GElf_Shdr shdr;
	const void *data;
	bool aligned;
};

/**
 * struct writer - state of module_write()
 * @in: the input as it is in the file
 * @in_size: bytes of that
 * @ehdr: its header; e_shstrndx is the number even where the file has it elsewhere
 * @sections: by number
 * @shstrtab: section names, old and new
 */
struct writer {
	struct elf_file *file;
	Elf *in;
	size_t in_size;
	GElf_Ehdr ehdr;
	struct section *sections;
	size_t nr;
	struct buf shstrtab;
};

static const char SIGNATURE_END[] = "~Module signature appended~\n";

static int read_header(struct writer *w)
{
	size_t names, len = sizeof(SIGNATURE_END) - 1;
	const char *raw = elf_rawfile(w->in, &w->in_size);

	if (raw && w->in_size >= len && !memcmp(raw + w->in_size - len, SIGNATURE_END, len))
		return err("%s: the module is signed: annotate it before it is signed", w->file->path);
	if (!gelf_getehdr(w->in, &w->ehdr))
		return err("%s: damaged ELF header: %s", w->file->path, elf_errmsg(-1));
	if (w->ehdr.e_phnum)
		return err("%s: has program headers, which no module has", w->file->path);
	/* SHN_XINDEX: in the first section header, see "Special Section Indexes" in the gABI */
	if (elf_getshdrstrndx(w->in, &names) || !names)
		return err("%s: damaged ELF header: the names of the sections are missing", w->file->path);
	w->ehdr.e_shstrndx = names;
	return 0;
}

/* Has the section bytes in the file? */
static bool has_bytes(const GElf_Shdr *shdr)
{
	return shdr->sh_type != SHT_NOBITS && shdr->sh_type != SHT_NULL && shdr->sh_size;
}

/* Messages name a section as readelf does. */
static int bad_section(const struct writer *w, size_t i, const char *what)
{
	return err("%s: section %zu, '%s': %s", w->file->path, i,
		   elf_file_section_name(w->file, &w->sections[i].shdr), what);
}

static int check_section(const struct writer *w, size_t i)
{
	const GElf_Shdr *shdr = &w->sections[i].shdr;

	/* "Only 0 and positive integral powers of two are allowed": "Section Header" in the gABI */
	if (shdr->sh_addralign & (shdr->sh_addralign - 1))
		return bad_section(w, i, "its alignment is not a power of two");
	if (has_bytes(shdr) && shdr->sh_addralign > w->in_size)
		return bad_section(w, i, "its alignment is larger than the file");
	if (has_bytes(shdr) && shdr->sh_offset < sizeof(Elf64_Ehdr))
		return bad_section(w, i, "it overlaps the ELF header");
	return 0;
}

static int read_section(struct writer *w, Elf_Scn *scn)
{
	struct section *section = &w->sections[elf_ndxscn(scn)];
	GElf_Shdr *shdr = &section->shdr;
	Elf_Data *data;

	if (!gelf_getshdr(scn, shdr))
		return err("%s: damaged section header: %s", w->file->path, elf_errmsg(-1));
	/* all else in an inactive header has no meaning: "Section Types" in the gABI */
	if (shdr->sh_type == SHT_NULL)
		memset(shdr, 0, sizeof(*shdr));
	if (check_section(w, elf_ndxscn(scn)))
		return -1;
	/* if the section had no such place in the input, no padding is added for it */
	section->aligned = shdr->sh_addralign > 1 && shdr->sh_offset &&
			   shdr->sh_offset % shdr->sh_addralign == 0;
	if (!has_bytes(shdr))
		return 0;
	data = elf_rawdata(scn, NULL);
	if (!data)
		return err("%s: cannot read section %zu: %s", w->file->path, elf_ndxscn(scn),
			   elf_errmsg(-1));
	section->data = data->d_buf;
	return 0;
}

static int read_sections(struct writer *w, size_t nr_new)
{
	const struct section *names;
	Elf_Scn *scn = NULL;

	/* this does not fail, as the file has been read once */
	elf_getshdrnum(w->in, &w->nr);
	w->sections = xcalloc(w->nr + nr_new, sizeof(*w->sections));
	while ((scn = elf_nextscn(w->in, scn))) {
		if (read_section(w, scn))
			return -1;
	}
	if (w->ehdr.e_shstrndx >= w->nr || !w->sections[w->ehdr.e_shstrndx].data)
		return err("%s: damaged ELF header: the names of the sections are missing", w->file->path);
	names = &w->sections[w->ehdr.e_shstrndx];
	buf_add(&w->shstrtab, names->data, names->shdr.sh_size);
	return 0;
}

/* The string table may end in the middle of a name, so no more than the table is compared. */
static size_t find_section(struct writer *w, const char *name)
{
	const GElf_Shdr *shdr;
	size_t i;

	for (i = 1; i < w->nr; i++) {
		shdr = &w->sections[i].shdr;
		if (shdr->sh_type != SHT_NULL && shdr->sh_name < w->shstrtab.len &&
		    !strncmp((const char *)w->shstrtab.data + shdr->sh_name, name,
			     w->shstrtab.len - shdr->sh_name))
			return i;
	}
	return 0;
}

static size_t add_section(struct writer *w, const char *name)
{
	GElf_Shdr *shdr = &w->sections[w->nr].shdr;

	w->sections[w->nr].aligned = true;
	shdr->sh_name = w->shstrtab.len;
	shdr->sh_type = SHT_PROGBITS;
	shdr->sh_addralign = 1;
	/* the section comes last in the file, too */
	shdr->sh_offset = UINT64_MAX;
	buf_add(&w->shstrtab, name, strlen(name) + 1);
	return w->nr++;
}

static void make_rela(struct writer *w, GElf_Shdr *shdr, const char *target)
{
	shdr->sh_type = SHT_RELA;
	shdr->sh_flags = SHF_INFO_LINK;
	shdr->sh_link = elf_ndxscn(w->file->symtab_scn);
	shdr->sh_info = find_section(w, target);
	shdr->sh_addralign = sizeof(u64);
	shdr->sh_entsize = sizeof(Elf64_Rela);
}

static void change_section(struct writer *w, const struct new_section *new)
{
	size_t i = find_section(w, new->name);

	if (!new->data.len) {
		if (i)
			memset(&w->sections[i], 0, sizeof(w->sections[i]));
		return;
	}
	if (!i)
		i = add_section(w, new->name);
	w->sections[i].data = new->data.data;
	w->sections[i].shdr.sh_size = new->data.len;
	if (new->rela_of)
		make_rela(w, &w->sections[i].shdr, new->rela_of);
}

static int cmp_offset(const void *a, const void *b)
{
	const struct section *x = *(struct section *const *)a;
	const struct section *y = *(struct section *const *)b;

	if (x->shdr.sh_offset != y->shdr.sh_offset)
		return x->shdr.sh_offset < y->shdr.sh_offset ? -1 : 1;
	return (x > y) - (x < y);
}

static u64 align(u64 off, u64 to)
{
	return to > 1 ? (off + to - 1) / to * to : off;
}

/* In the order that they have in the file; the caller frees it. */
static struct section **order_sections(struct writer *w)
{
	struct section **order = xcalloc(w->nr, sizeof(*order));
	size_t i;

	for (i = 0; i < w->nr; i++)
		order[i] = &w->sections[i];
	qsort(order, w->nr, sizeof(*order), cmp_offset);
	return order;
}

/* Where sections share bytes, the output would have them several times. */
static int check_overlap(struct writer *w)
{
	struct section **order = order_sections(w);
	const GElf_Shdr *shdr;
	int ret = 0;
	u64 end = 0;
	size_t i;

	for (i = 0; i < w->nr && !ret; i++) {
		shdr = &order[i]->shdr;
		if (!has_bytes(shdr))
			continue;
		if (shdr->sh_offset < end)
			ret = bad_section(w, order[i] - w->sections, "it overlaps another section");
		end = shdr->sh_offset + shdr->sh_size;
	}
	free(order);
	return ret;
}

/* Sections stay in the order that they have in the file. */
static void place_sections(struct writer *w)
{
	struct section **order = order_sections(w);
	u64 off = sizeof(Elf64_Ehdr);
	GElf_Shdr *shdr;
	size_t i;

	for (i = 0; i < w->nr; i++) {
		shdr = &order[i]->shdr;
		if (order[i]->aligned)
			off = align(off, shdr->sh_addralign);
		shdr->sh_offset = off;
		/* inactive headers get an offset, too, or libelf would write zeros from 0 on */
		if (has_bytes(shdr))
			off += shdr->sh_size;
	}
	w->ehdr.e_shoff = align(off, sizeof(u64));
	w->ehdr.e_shnum = w->nr;
	free(order);
}

static int put_section(Elf *out, const struct section *section)
{
	GElf_Shdr shdr = section->shdr;
	Elf_Scn *scn = elf_newscn(out);
	Elf_Data *data;

	if (!scn || !gelf_update_shdr(scn, &shdr))
		return -1;
	if (!section->data)
		return 0;
	data = elf_newdata(scn);
	if (!data)
		return -1;
	data->d_buf = (void *)section->data;
	data->d_size = shdr.sh_size;
	data->d_type = ELF_T_BYTE;
	data->d_align = 1;
	return 0;
}

static int put_elf(struct writer *w, int fd)
{
	Elf *out = elf_begin(fd, ELF_C_WRITE, NULL);
	int ret = -1;
	size_t i;

	if (!out || !gelf_newehdr(out, ELFCLASS64) || !gelf_update_ehdr(out, &w->ehdr))
		goto out;
	/* offsets are those of place_sections() */
	elf_flagelf(out, ELF_C_SET, ELF_F_LAYOUT);
	for (i = 1; i < w->nr; i++) {
		if (put_section(out, &w->sections[i]))
			goto out;
	}
	ret = elf_update(out, ELF_C_WRITE) < 0 ? -1 : 0;
out:
	elf_end(out);
	return ret;
}

static int write_output(struct writer *w, const char *path)
{
	struct outfile out;
	struct stat st;

	if (fstat(w->file->fd, &st))
		return err("%s: %s", w->file->path, strerror(errno));
	if (outfile_begin(&out, path))
		return -1;
	if (put_elf(w, out.fd)) {
		err("%s: cannot write: %s", path, elf_errmsg(-1));
		outfile_abort(&out);
		return -1;
	}
	return outfile_commit(&out, st.st_mode & 07777);
}

static void change_sections(struct writer *w, const struct new_section *news, size_t nr)
{
	struct section *names = &w->sections[w->ehdr.e_shstrndx];
	size_t i;

	for (i = 0; i < nr; i++)
		change_section(w, &news[i]);
	names->data = w->shstrtab.data;
	names->shdr.sh_size = w->shstrtab.len;
	while (w->nr > 1 && w->sections[w->nr - 1].shdr.sh_type == SHT_NULL)
		w->nr--;
	place_sections(w);
}

int module_write(struct elf_file *file, const char *path, const struct new_section *news,
		 size_t nr)
{
	struct writer w = { .file = file };
	int ret;

	w.in = elf_begin(file->fd, ELF_C_READ_MMAP, NULL);
	if (!w.in)
		return err("%s: %s", file->path, elf_errmsg(-1));
	ret = read_header(&w) || read_sections(&w, nr) || check_overlap(&w) ? -1 : 0;
	if (!ret) {
		change_sections(&w, news, nr);
		ret = write_output(&w, path);
	}
	free(w.sections);
	buf_free(&w.shstrtab);
	elf_end(w.in);
	return ret;
}
