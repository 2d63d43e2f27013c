// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading the units of .debug_info on several threads.
 */
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dwarf/units.h"

/**
 * struct pass - one units_each()
 * @next: first unit that no thread has yet
 */
struct pass {
	struct units *units;
	void (*fn)(void *ctx, u32 unit);
	void *ctx;
	atomic_uint next;
};

/* Take the next unit that no thread has yet, until there is none. */
static void take_units(struct pass *pass, u32 thread)
{
	struct units *units = pass->units;
	struct unit *unit;
	u32 i;

	while ((i = atomic_fetch_add(&pass->next, 1)) < units->nr) {
		unit = &units->units[i];
		unit->thread = thread;
		/* if there is no such unit, the DIE stays without .addr and has no attributes */
		if (dwarf_offdie(units->handles[thread], unit->off, &unit->die))
			pass->fn(pass->ctx, i);
	}
}

static void work(void *ctx, u32 thread)
{
	struct pass *pass = ctx;
	struct units *units = pass->units;
	u32 i;

	if (!units->assigned) {
		take_units(pass, thread);
		return;
	}
	for (i = 0; i < units->nr; i++) {
		if (units->units[i].thread == thread)
			pass->fn(pass->ctx, i);
	}
}

void units_each(struct units *units, void (*fn)(void *ctx, u32 unit), void *ctx)
{
	struct pass pass = { .units = units, .fn = fn, .ctx = ctx };

	threads_run(units->nr_threads, work, &pass);
	units->assigned = true;
}

u32 unit_path_of(const struct units *units, u32 unit, Dwarf_Die *die)
{
	Dwarf_Die cu;
	size_t nr;

	if (die->cu == units->units[unit].die.cu || !dwarf_diecu(die, &cu, NULL, NULL))
		return units->units[unit].path;
	nr = nr_up_to(dwarf_dieoffset(&cu), units->units, units->nr, sizeof(*units->units));
	return units->units[nr ? nr - 1 : 0].path;
}

const char *units_file(const struct units *units, u32 unit, Dwarf_Die *die, u64 file)
{
	Dwarf_Files *files;
	Dwarf_Die cu;
	size_t nr;

	if (!dwarf_diecu(die, &cu, NULL, NULL) || dwarf_getsrcfiles(&cu, &files, &nr) || file >= nr)
		return NULL;
	return dwarf_filesrc(files, file, NULL, NULL);
}

static int list_units(struct units *units, Dwarf *dw)
{
	Dwarf_CU *cu = NULL;
	u8 unit_type;
	Dwarf_Die die;
	int ret;

	while (!(ret = dwarf_get_units(dw, cu, &cu, NULL, &unit_type, &die, NULL))) {
		/* in DWARF 4, type units are in a section of their own, .debug_types */
		if (unit_type == DW_UT_type || unit_type == DW_UT_split_type)
			continue;
		if (unit_type == DW_UT_skeleton) {
			units->nr_split++;
			continue;
		}
		PUSH(units->units, units->nr, .off = dwarf_dieoffset(&die));
	}
	return ret < 0 ? -1 : 0;
}

/*
 * Map all of .debug_info at once: to read it would cost a fault for each 64 kB. Linux before 5.14
 * has no such advice, and takes the faults.
 */
static void map_info(struct elf_file *file)
{
	size_t size, page = sysconf(_SC_PAGESIZE);
	const void *info = elf_file_section(file, ".debug_info", &size);
	uintptr_t start = (uintptr_t)info / page * page;

	if (info)
		madvise((void *)start, (uintptr_t)info + size - start, MADV_POPULATE_READ);
}

static void read_strs(struct units *units, struct elf_file *file)
{
	const char *end;
	size_t size = 0;

	units->strs = elf_file_section(file, ".debug_str", &size) ?:
			      elf_file_section(file, ".zdebug_str", &size);
	end = units->strs ? memrchr(units->strs, 0, size) : NULL;
	units->strs_size = end ? end + 1 - units->strs : 0;
}

/*
 * Leave of each line table its header only, in memory. Nothing but names of files is wanted from
 * there, and libdw (0.188) decodes the whole table for these. DWARF 5, 6.2.4, describes the
 * header.
 */
static void cut_line_tables(struct elf_file *file)
{
	u64 size = 0, at, start, len, header;
	u32 short_len, width;
	u8 *tables;
	u16 version;

	tables = (u8 *)elf_file_section(file, ".debug_line", &size) ?:
			 (u8 *)elf_file_section(file, ".zdebug_line", &size);
	for (at = 0; tables && size - at > 32; at = start + len) {
		header = 0;
		memcpy(&short_len, tables + at, 4);
		width = short_len == UINT32_MAX ? 8 : 4;
		start = at + (width == 8 ? 12 : 4);
		len = short_len;
		memcpy(&len, tables + start - width, width);
		memcpy(&version, tables + start, 2);
		at = start + 2 + (version >= 5 ? 2 : 0);
		memcpy(&header, tables + at, width);
		at += width;
		if (len > size - start || at - start > len || header > len - (at - start))
			return;
		header += at - start;
		memcpy(tables + start - width, &header, width);
	}
}

/* The sections that are read without libdw, which has decompressed them if necessary. */
static void read_sections(struct units *units, struct elf_file *file)
{
	if (!elf_file_section(file, ".debug_info", &units->info_size))
		elf_file_section(file, ".zdebug_info", &units->info_size);
	units->abbrevs = elf_file_section(file, ".debug_abbrev", &units->abbrevs_size) ?:
				 elf_file_section(file, ".zdebug_abbrev", &units->abbrevs_size);
	read_strs(units, file);
	cut_line_tables(file);
}

/* DWARF may go on in other files, which aren't read. */
static int check_elsewhere(const struct units *units, struct elf_file *file)
{
	GElf_Shdr shdr;

	if (elf_file_find(file, ".gnu_debugaltlink", &shdr))
		return err(
			"%s: DWARF that dwz -m has moved to another file: give the file from before dwz",
			file->path);
	if (!units->nr_split)
		return 0;
	err("%s: %u of its units have their DWARF in .dwo files, and are left out: build without CONFIG_DEBUG_INFO_SPLIT",
	    file->path, units->nr_split);
	return units->nr_split > units->nr ? -1 : 0;
}

/*
 * libdw leaves a section alone that it can't decompress, and reads the others. libelf before 0.189,
 * such as that of Debian 12, can't read zstd.
 */
static int decompress(struct elf_file *file)
{
	enum { COMPRESS_ZSTD = 2 }; /* ELFCOMPRESS_ZSTD, not in every elf.h */
	Elf_Scn *scn = NULL;
	const char *name;
	GElf_Shdr shdr;
	GElf_Chdr chdr;
	bool zstd;

	while ((scn = elf_nextscn(file->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || !(shdr.sh_flags & SHF_COMPRESSED))
			continue;
		name = elf_file_section_name(file, &shdr);
		if (!starts_with(name, ".debug_"))
			continue;
		zstd = gelf_getchdr(scn, &chdr) && chdr.ch_type == COMPRESS_ZSTD;
		if (elf_compress(scn, 0, 0) >= 0)
			continue;
		if (zstd)
			return err(
				"%s: DWARF compressed by zstd, which this libelf cannot read: use objcopy --decompress-debug-sections, or build with CONFIG_DEBUG_INFO_COMPRESSED_ZLIB",
				file->path);
		return err("%s: damaged DWARF: cannot decompress %s: %s", file->path, name,
			   elf_errmsg(-1));
	}
	return 0;
}

/* Each thread gets a handle, and has units to read. */
static int add_handles(struct units *units, Elf *elf, u32 nr_threads)
{
	while (units->nr_threads < nr_threads && units->nr_threads < units->nr) {
		units->handles[units->nr_threads] = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
		if (!units->handles[units->nr_threads])
			return -1;
		units->nr_threads++;
	}
	return 0;
}

int units_open(struct units *units, struct elf_file *file, u32 nr_threads)
{
	Dwarf *dw;

	memset(units, 0, sizeof(*units));
	if (decompress(file))
		return -1;
	dw = dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);
	if (!dw)
		return elf_file_no_dwarf(file, dwarf_errmsg(-1));
	ALLOC(units->handles, nr_threads);
	units->handles[units->nr_threads++] = dw;
	map_info(file);
	if (list_units(units, dw) || add_handles(units, file->elf, nr_threads))
		return err("%s: damaged DWARF: %s", file->path, dwarf_errmsg(-1));
	read_sections(units, file);
	return check_elsewhere(units, file);
}

void units_close(struct units *units)
{
	u32 i;

	for (i = 0; i < units->nr_threads; i++)
		dwarf_end(units->handles[i]);
	free(units->handles);
	free(units->units);
	memset(units, 0, sizeof(*units));
}

/* Resolve "." and ".." in place, by text alone, as the folders need not exist here. */
static void normalize(char *path)
{
	bool absolute = *path == '/';
	char *out = path + absolute, *in = out, *start = out, *end, *slash;
	size_t len;

	for (; *in; in = *end ? end + 1 : end) {
		end = strchrnul(in, '/');
		len = end - in;
		if (!len || (len == 1 && *in == '.'))
			continue;
		if (len == 2 && !memcmp(in, "..", 2) && out > start) {
			*out = 0;
			slash = strrchr(start, '/');
			if (strcmp(slash ? slash + 1 : start, "..")) {
				out = slash ? slash : start;
				continue;
			}
		} else if (len == 2 && !memcmp(in, "..", 2) && absolute) {
			continue;
		}
		if (out > start)
			*out++ = '/';
		memmove(out, in, len);
		out += len;
	}
	*out = 0;
}

/* Make a path absolute, if DWARF has the folder. */
static char *full_path(const char *name, const char *dir)
{
	char *path = *name == '/' || !*dir ? xstrdup(name) : xasprintf("%s/%s", dir, name);

	normalize(path);
	return path;
}

u32 cu_paths_add(struct cu_paths *cus, const char *name, const char *comp_dir)
{
	char *dir = xstrdup(comp_dir ?: "");

	normalize(dir);
	GROW(cus->dirs, cus->nr);
	GROW(cus->paths, cus->nr);
	cus->paths[cus->nr] = full_path(name, dir);
	cus->dirs[cus->nr] = dir;
	return cus->nr++;
}

/* Length of "<root>/" if @path lies below @root, 0 if not. */
static size_t below(const char *path, const char *root)
{
	size_t len = strlen(root);

	if (!len || strncmp(path, root, len))
		return 0;
	if (root[len - 1] == '/')
		return len;
	return path[len] == '/' ? len + 1 : 0;
}

/* Each vmlinux is linked from the first file, and since v6.12 each module from the second. */
static const char *const anchors[] = { "/init/main.c", "/scripts/module-common.c" };

static char *root_of_kernel(const struct cu_paths *cus)
{
	size_t len, tail;
	u32 i, k;

	for (i = 0; i < cus->nr; i++) {
		for (k = 0; k < ARRAY_SIZE(anchors); k++) {
			len = strlen(cus->paths[i]);
			tail = strlen(anchors[k]);
			if (len > tail && !strcmp(cus->paths[i] + len - tail, anchors[k]))
				return strndup(cus->paths[i], len - tail);
		}
	}
	return NULL;
}

/* Cut @root down to the folder that it shares with @path; without a @root, take that of @path. */
static char *common_dir(char *root, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash ? strndup(path, slash - path) : xstrdup("");
	size_t i, last = 0;

	if (!root)
		return dir;
	for (i = 0; root[i] && root[i] == dir[i]; i++) {
		if (root[i] == '/')
			last = i;
	}
	if ((!root[i] || root[i] == '/') && (!dir[i] || dir[i] == '/'))
		last = i;
	root[last] = 0;
	free(dir);
	return root;
}

/* The common folder of files that are neither in the kernel's tree nor where the compiler ran. */
static char *root_of_others(const struct cu_paths *cus, const char *kernel)
{
	char *root = NULL;
	u32 i;

	for (i = 0; i < cus->nr; i++) {
		if (!below(cus->paths[i], cus->dirs[i]) && !below(cus->paths[i], kernel))
			root = common_dir(root, cus->paths[i]);
	}
	return root ? root : xstrdup("");
}

/* Cut off the folder that a path of unit @unit is relative to. */
static void relate(const struct cu_paths *cus, u32 unit, char *path)
{
	/* a generated file is in the object tree, which may be inside the source tree */
	size_t off = below(path, cus->dirs[unit]);

	if (!off)
		off = below(path, cus->kernel);
	if (!off)
		off = below(path, cus->others);
	memmove(path, path + off, strlen(path + off) + 1);
}

void cu_paths_relate(struct cu_paths *cus)
{
	u32 i;

	cus->kernel = root_of_kernel(cus) ?: xstrdup("");
	cus->others = root_of_others(cus, cus->kernel);
	for (i = 0; i < cus->nr; i++)
		relate(cus, i, cus->paths[i]);
}

char *cu_paths_file(const struct cu_paths *cus, u32 unit, const char *name)
{
	char *path = full_path(name, cus->dirs[unit]);

	relate(cus, unit, path);
	return path;
}

void cu_paths_free(struct cu_paths *cus)
{
	u32 i;

	for (i = 0; i < cus->nr; i++) {
		free(cus->paths[i]);
		free(cus->dirs[i]);
	}
	free(cus->paths);
	free(cus->dirs);
	free(cus->kernel);
	free(cus->others);
	memset(cus, 0, sizeof(*cus));
}
