// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading BTF: from raw files and from sections, with the base that a module's BTF needs.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#include "btf/input.h"

/*
 * Where the addresses are in a finished vmlinux or module, after resolve_btfids took them out of
 * .BTF:
 *
 *	.BTF_func	struct func_rec, sorted
 *	.rela.BTF_func	of a module: 8 * record, struct arch.record_reloc, function
 */

#define SECTION ".BTF_func"

/* The kernel's struct btf_func_rec, which its headers for user space lack. */
struct func_rec {
	u32 addr;
	u32 idx;
};

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

/* Has this file been finished, with addresses in .BTF_func? */
static bool func_section_exists(struct elf_file *file)
{
	GElf_Shdr shdr;

	return elf_file_find(file, SECTION, &shdr);
}

/* Get the target of record @i's relocation in elf_file_place()'s form; false if it is bad. */
static bool module_place(const struct records *r, size_t i, u64 *place_ret)
{
	GElf_Rela rela;
	u32 section;
	GElf_Sym sym;

	if (!gelf_getrela(r->relas, i, &rela) || rela.r_offset != i * sizeof(struct func_rec) ||
	    GELF_R_TYPE(rela.r_info) != r->file->arch->record_reloc || rela.r_addend ||
	    !elf_file_read_sym(r->file, GELF_R_SYM(rela.r_info), &sym, &section) || !section ||
	    sym.st_value > UINT32_MAX)
		return false;
	*place_ret = (u64)section << 32 | sym.st_value;
	return true;
}

/* Set the address of the FUNC that record @i refers to. Returns NULL, or what is wrong. */
static const char *read_record(const struct records *r, size_t i)
{
	struct func_rec rec;
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
		       "it has no 32-bit PC-relative relocation with addend 0 against a symbol of the module";
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
	if (len % sizeof(struct func_rec))
		return err("%s: " SECTION " ends in the middle of a record", file->path);
	r.nr = len / sizeof(struct func_rec);
	return find_relas(&r) || read_all(&r) ? -1 : 0;
}

#define MAX_SHOWN 5

/* What is wrong with the address of a FUNC; NULL if nothing. */
static const char *check_addr(const struct elf_file *file, const char *name, u64 place)
{
	const struct elf_sym *sym = NULL;
	u64 addr;

	if (elf_file_addr(file, place, &addr))
		sym = elf_file_find_sym(file, name, addr);
	if (!sym)
		return "no function symbol of this name is there";
	return sym->resident ? NULL : "this is not in resident text";
}

static void show(const struct elf_file *file, const char *name, u32 id, const char *func, u64 place,
		 const char *what)
{
	char *text = elf_file_place_text(file, place);

	err("%s: type %u, function '%s' at %s%s: %s", name, id, func, file->module ? "" : "_text+",
	    text, what);
	free(text);
}

int check_addrs(const struct btf_image *img, const char *name, const struct elf_file *file)
{
	const char *func, *what;
	u32 id, bad = 0;
	u64 place;

	/* some modules have nothing but data and init functions */
	if (!img->nr_addrs && !elf_file_has_functions(file))
		return 0;
	if (!img->nr_addrs)
		return err("%s: no function in .BTF has an address: run btfaddr on it first", name);
	if (!file->has_text)
		return err("%s: no symbol _text, which addresses count from: give a vmlinux",
			   file->path);
	for (id = img->first_id; id < img->nr_types; id++) {
		place = *btf_image_addr(img, id);
		if (place == NO_ADDR)
			continue;
		func = type_name(img, type_by_id(img, id));
		what = check_addr(file, func, place);
		if (what && bad++ < MAX_SHOWN)
			show(file, name, id, func, place, what);
	}
	if (!bad)
		return 0;
	return err("%s: %u of %u addresses don't fit the symbols of %s: annotate it again", name,
		   bad, img->nr_addrs, file->path);
}

static int read_file(const char *path, struct buf *buf)
{
	char chunk[65536];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return err("%s: cannot open: %s", path, strerror(errno));
	while ((n = read(fd, chunk, sizeof(chunk))) > 0)
		buf_add(buf, chunk, n);
	if (n < 0)
		err("%s: cannot read: %s", path, strerror(errno));
	close(fd);
	return n < 0 ? -1 : 0;
}

static int read_raw(const char *path, bool split, struct btf_image *img)
{
	struct buf buf = {};
	int ret = read_file(path, &buf) || btf_image_parse(img, path, buf.data, buf.len, split);

	img->separate = true;
	buf_free(&buf);
	return ret ? -1 : 0;
}

int read_btf_file(const char *path, struct btf_image *img)
{
	return read_raw(path, false, img);
}

bool is_btf_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint16_t magic = 0;
	bool ret;

	ret = fd >= 0 && read(fd, &magic, sizeof(magic)) == sizeof(magic) && magic == BTF_MAGIC;
	if (fd >= 0)
		close(fd);
	return ret;
}

/* @options: of pahole, which makes the section */
static int read_section(struct elf_file *file, const char *options, bool split,
			struct btf_image *img)
{
	size_t len;
	const void *data = elf_file_section(file, ".BTF", &len);

	if (!data)
		return err(
			"%s: no .BTF section: run pahole %s on it first (with LLVM_OBJCOPY=objcopy if there is no llvm-objcopy)",
			file->path, options);
	return btf_image_parse(img, file->path, data, len, split);
}

int read_vmlinux_btf(struct elf_file *file, struct btf_image *img)
{
	return read_section(file, "-J", false, img);
}

int read_base_btf(const char *path, struct btf_image *img)
{
	struct elf_file file;
	int ret;

	if (is_btf_file(path))
		return read_btf_file(path, img);
	ret = elf_file_open(&file, path);
	if (!ret && file.module)
		ret = err("%s: this is a relocatable file: give the vmlinux as base", path);
	if (!ret)
		ret = read_vmlinux_btf(&file, img);
	elf_file_close(&file);
	return ret;
}

/*
 * Each name must begin where a string of the base or of the module begins. If one does not, the
 * module was made with another base.
 */
static int check_names(const struct btf_image *img, const char *path, const char *base)
{
	u32 id, off;

	for (id = img->first_id; id < img->nr_types; id++) {
		off = type_by_id(img, id)->name_off;
		if (off < btf_image_strs_end(img) && (!off || !*btf_image_str(img, off - 1)))
			continue;
		return err(
			"%s: the name of type %u is neither in its own strings nor in its base's: is %s what pahole had as --btf_base?",
			path, id, base);
	}
	return 0;
}

/*
 * The .BTF.base that belongs to the module's .BTF, NULL if there is none. If @fresh, pahole has
 * just written .BTF: if the module was finished before, its .BTF.base belongs to the old .BTF. A
 * finished module has .BTF_func, unless it has no function for that.
 */
static const void *own_base(struct elf_file *file, bool fresh, size_t *len_ret)
{
	if (fresh && (func_section_exists(file) || !elf_file_has_functions(file)))
		return NULL;
	return elf_file_section(file, ".BTF.base", len_ret);
}

/* The BTF of the module itself, without its base. */
static int read_split_btf(struct elf_file *file, const char *btf, struct btf_image *own)
{
	if (btf)
		return read_raw(btf, true, own);
	if (read_section(file, "-J --btf_base VMLINUX", true, own))
		return -1;
	if (own->nr_addrs)
		return err(
			"%s: its .BTF has addresses, as btfaddr before 1.1 wrote them: build the module again",
			file->path);
	return 0;
}

/* Read the base: @distilled if the module has a base of its own, else the file @base. */
static int read_any_base(struct elf_file *file, const void *distilled, size_t len, const char *base,
			 const struct btf_image *base_btf, struct btf_image *ret)
{
	if (distilled && !func_section_exists(file) && elf_file_has_functions(file))
		return err(
			"%s: has .BTF.base, but no addresses: run pahole without distilled_base, and distill the base after btfaddr",
			file->path);
	if (distilled)
		return btf_image_parse(ret, file->path, distilled, len, false);
	if (base_btf) {
		*ret = *base_btf;
		return 0;
	}
	if (base)
		return read_base_btf(base, ret);
	return err("%s: a module's BTF needs that of vmlinux: give it with --btf_base", file->path);
}

int read_module_btf(struct elf_file *file, const char *btf, const char *base,
		    const struct btf_image *base_btf, bool fresh, struct btf_image *img,
		    bool *distilled_ret)
{
	struct btf_image *below;
	const void *distilled;
	size_t len = 0;

	if (read_split_btf(file, btf, img))
		return -1;
	/* a module's .BTF.base belongs to the module's .BTF, and not to a file's BTF */
	distilled = btf ? NULL : own_base(file, fresh, &len);
	*distilled_ret = distilled;
	ALLOC(below, 1);
	if (read_any_base(file, distilled, len, base, base_btf, below)) {
		btf_image_free(below);
		free(below);
		return -1;
	}
	btf_image_set_base(img, below);
	if (img->strs.len && (!img->strs.data[0] || img->strs.data[img->strs.len - 1]))
		return err("%s: .BTF is not split BTF: run pahole with --btf_base",
			   btf ?: file->path);
	return check_names(img, btf ?: file->path, distilled ? "its .BTF.base" : base);
}
