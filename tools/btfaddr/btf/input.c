// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading BTF: from raw files and from sections, with the base that a module's BTF needs.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "btf/func_section.h"
#include "btf/input.h"

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

int read_btf_file(const char *path, struct btf_image *img)
{
	struct buf buf = {};
	int ret = read_file(path, &buf) || btf_image_parse(img, path, buf.data, buf.len, false);

	img->separate = true;
	buf_free(&buf);
	return ret ? -1 : 0;
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

int read_vmlinux_btf(struct elf_file *file, struct btf_image *img)
{
	const void *data;
	size_t len;

	data = elf_file_section(file, ".BTF", &len);
	if (!data)
		return err("%s: no .BTF section: run pahole -J on it first", file->path);
	return btf_image_parse(img, file->path, data, len, false);
}

static int read_base(const char *path, struct btf_image *img)
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
 * The module's .BTF.base, NULL if it has none. If @fresh, .BTF is what pahole wrote. It may have
 * run again on a finished module, which has a base that no longer belongs to .BTF. Such a module
 * has .BTF_func, if there is any function that could be in it.
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
	const char *path = file->path;
	struct buf buf = {};
	const void *data;
	size_t len;
	int ret;

	if (btf) {
		ret = read_file(btf, &buf) || btf_image_parse(own, btf, buf.data, buf.len, true);
		own->separate = true;
		buf_free(&buf);
		return ret ? -1 : 0;
	}
	data = elf_file_section(file, ".BTF", &len);
	if (!data)
		return err("%s: no .BTF section: run pahole -J --btf_base VMLINUX on it first",
			   path);
	if (btf_image_parse(own, path, data, len, true))
		return -1;
	if (own->nr_addrs)
		return err(
			"%s: its .BTF has addresses, as btfaddr before 1.1 wrote them: build the module again",
			path);
	return 0;
}

/* Read the base, which @distilled is, if the module has one. */
static int read_any_base(struct elf_file *file, const void *distilled, size_t len, const char *base,
			 struct btf_image *ret)
{
	if (distilled && !func_section_exists(file) && elf_file_has_functions(file))
		return err(
			"%s: has .BTF.base, but no addresses: run pahole without distilled_base, and distill the base after btfaddr",
			file->path);
	if (distilled)
		return btf_image_parse(ret, file->path, distilled, len, false);
	if (base)
		return read_base(base, ret);
	return err("%s: a module's BTF needs that of vmlinux: give it with --btf_base", file->path);
}

int read_module_btf(struct elf_file *file, const char *btf, const char *base, bool fresh,
		    struct btf_image *img, bool *distilled_ret)
{
	struct btf_image *below;
	const void *distilled;
	size_t len = 0;

	if (read_split_btf(file, btf, img))
		return -1;
	/* the base in a module belongs to the BTF in it, and not to that of a file */
	distilled = btf ? NULL : own_base(file, fresh, &len);
	*distilled_ret = distilled;
	below = xcalloc(1, sizeof(*below));
	if (read_any_base(file, distilled, len, base, below)) {
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
