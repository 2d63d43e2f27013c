// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Reading a file of inlined calls. Nobody has checked the file, so every reference in it is checked
 * before it is followed.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "array.h"
#include "inlined/functions_file.h"
#include "type.h"
#include "util.h"

#define ORIGINS_MAGIC 0x32534e46 /* "FNS2" */
#define BUILD_ID_MAX  20
struct origins_header {
	__u32 magic, len, site_cnt, file_cnt, called_cnt, ranges_len, base_types, base_strs;
	__u8 build_id_len, zero[3];
	__u8 build_id[BUILD_ID_MAX];
};

/* Headers of Linux 7.2 and later have more fields in struct btf_header, which files may lack. */
#define HEADER_LEN (offsetof(struct btf_header, str_len) + sizeof(__u32))

struct reader {
	struct fentry_inline *in;
	const struct fentry_object *obj;
	const char *path;
	const struct btf_header *hdr;
	const __u32 *types;    /* that libbpf doesn't know */
	size_t known_len, len; /* bytes of the types before them, and of these */
	size_t origin_cnt;
	struct fentry_error *error;
};

static int damaged(const struct reader *r, const char *why)
{
	return fentry_error__set(r->error, -EINVAL, "%s is damaged: %s", r->path, why);
}

static int map_file(struct reader *r)
{
	int fd = open(r->path, O_RDONLY | O_CLOEXEC), err = 0;
	struct stat st = {};
	void *data;

	if (fd < 0 || fstat(fd, &st))
		err = -errno;
	if (!err && st.st_size) {
		data = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (data == MAP_FAILED) {
			err = -errno;
		} else {
			r->in->data = data;
			r->in->size = st.st_size;
		}
	}
	if (fd >= 0)
		close(fd);
	return err ? fentry_error__set(r->error, err, "can't read %s: %s", r->path,
				       strerror(-err)) :
		     0;
}

static int check_header(struct reader *r)
{
	const struct btf_header *h = r->in->data;
	size_t size = r->in->size;

	if (size < HEADER_LEN || h->magic != BTF_MAGIC || h->hdr_len < HEADER_LEN ||
	    h->hdr_len % 4 || h->type_off % 4)
		return damaged(r, "it doesn't begin with a header of BTF");
	if (h->hdr_len > size || h->type_off > size - h->hdr_len ||
	    h->type_len > size - h->hdr_len - h->type_off || h->str_off > size - h->hdr_len ||
	    h->str_len > size - h->hdr_len - h->str_off)
		return damaged(r, "it has sections beyond its end");
	r->hdr = h;
	return 0;
}

/* Words behind struct btf_type; the kinds are in the order of uapi/linux/btf.h. */
static size_t words_behind(__u32 info)
{
	static const struct {
		unsigned char once, each;
	} words[] = {
		[BTF_KIND_INT] = { 1, 0 },	[BTF_KIND_ARRAY] = { 3, 0 },
		[BTF_KIND_STRUCT] = { 0, 3 },	[BTF_KIND_UNION] = { 0, 3 },
		[BTF_KIND_ENUM] = { 0, 2 },	[BTF_KIND_FUNC_PROTO] = { 0, 2 },
		[BTF_KIND_VAR] = { 1, 0 },	[BTF_KIND_DATASEC] = { 0, 3 },
		[BTF_KIND_DECL_TAG] = { 1, 0 }, [BTF_KIND_ENUM64] = { 0, 3 },
		[FENTRY_LOC_PARAM] = { 1, 1 },	[FENTRY_LOC_PROTO] = { 0, 1 },
		[FENTRY_LOCSEC] = { 0, 3 },
	};
	__u32 kind = FENTRY_KIND(info);

	return words[kind].once + words[kind].each * (size_t)FENTRY_VLEN(info);
}

/* Find the first type of a kind that libbpf doesn't know. These types are behind all others. */
static int split_types(struct reader *r)
{
	const char *begin = (const char *)r->in->data + r->hdr->hdr_len + r->hdr->type_off;
	const char *end = begin + r->hdr->type_len, *pos = begin;
	const struct btf_type *t;
	size_t size;

	for (; pos < end; pos += size) {
		t = (const struct btf_type *)pos;
		if ((size_t)(end - pos) < sizeof(*t) || !FENTRY_KIND(t->info) ||
		    FENTRY_KIND(t->info) > FENTRY_LOCSEC)
			return damaged(r, "it has a type of a kind that isn't known");
		size = sizeof(*t) + 4 * words_behind(t->info);
		if (size > (size_t)(end - pos))
			return damaged(r, "a type goes on beyond the last one");
		if (FENTRY_KIND(t->info) >= FENTRY_LOC_PARAM && !r->types)
			r->types = (const __u32 *)pos;
		if (FENTRY_KIND(t->info) < FENTRY_LOC_PARAM && r->types)
			return damaged(r, "its types aren't in order");
	}
	if (!r->types)
		r->types = (const __u32 *)end;
	r->known_len = (const char *)r->types - begin;
	r->len = end - (const char *)r->types;
	return 0;
}

/* Return the part of a BTF that has its types, or its strings. */
static struct iovec part_of(const void *btf, size_t off, size_t len)
{
	const struct btf_header *h = btf;

	return (struct iovec){ (char *)btf + h->hdr_len + off, len };
}

/*
 * Write BTF of the kinds that libbpf knows, with a module's own BTF in front: libbpf before 1.6
 * miscounts the strings of BTF that is split on split BTF.
 */
static int write_known(const struct reader *r, int fd)
{
	const struct btf_header *h = r->hdr, *own = NULL;
	struct btf_header known = { .magic = BTF_MAGIC,
				    .version = BTF_VERSION,
				    .hdr_len = HEADER_LEN };
	struct iovec parts[5] = { { &known, HEADER_LEN } };
	__u32 size;

	if (r->obj->module) {
		own = btf__raw_data(r->obj->btf, &size);
		if (!own)
			return -ENOMEM;
		parts[1] = part_of(own, own->type_off, own->type_len);
		parts[3] = part_of(own, own->str_off, own->str_len);
	}
	parts[2] = part_of(h, h->type_off, r->known_len);
	parts[4] = part_of(h, h->str_off, h->str_len);
	known.type_len = known.str_off = parts[1].iov_len + parts[2].iov_len;
	known.str_len = parts[3].iov_len + parts[4].iov_len;
	if (writev(fd, parts, 5) < 0)
		return -errno;
	return lseek(fd, 0, SEEK_CUR) == (off_t)(HEADER_LEN + known.type_len + known.str_len) ?
		       0 :
		       -ENOSPC;
}

/* libbpf 1.1 exports no function that takes split BTF from memory. */
static int parse_known(struct reader *r)
{
	const struct btf *base = btf__base_btf(r->obj->btf) ?: r->obj->btf;
	int fd = memfd_create("inline", MFD_CLOEXEC);
	char path[32];
	int err = fd < 0 ? -errno : write_known(r, fd);

	if (!err) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		r->in->btf = btf__parse_raw_split(path, (struct btf *)base);
		err = libbpf_get_error(r->in->btf);
	}
	if (fd >= 0)
		close(fd);
	if (err) {
		r->in->btf = NULL;
		return fentry_error__set(r->error, err, "can't read BTF from %s: %s", r->path,
					 strerror(-err));
	}
	return fentry_btf__check(r->in->btf, btf__type_cnt(r->obj->btf), r->path, r->error);
}

static int add_section(struct reader *r, const struct btf_type *t)
{
	const char *name = btf__name_by_offset(r->in->btf, t->name_off) ?: "";
	bool entries = !strncmp(name, "entry", strlen("entry"));
	struct fentry_inline *in = r->in;
	struct fentry_inline_section **sections = entries ? &in->entries : &in->sections;
	size_t *cnt = entries ? &in->entry_cnt : &in->section_cnt;

	if (!entries && strncmp(name, "inline", strlen("inline")))
		return damaged(r, "a section's name begins with neither 'inline' nor 'entry'");
	if (!ARRAY_GROW(*sections, *cnt))
		return fentry_error__no_memory(r->error);
	(*sections)[(*cnt)++] = (struct fentry_inline_section){
		.name = name + strlen(entries ? "entry" : "inline"),
		.sites = (const struct fentry_inline_site *)(t + 1),
		.cnt = FENTRY_VLEN(t->info),
		.first = in->site_cnt,
	};
	if (!entries)
		in->site_cnt += FENTRY_VLEN(t->info);
	return 0;
}

/* Note the position of a type that libbpf doesn't know. */
static int add_loc(struct reader *r, const struct btf_type *t)
{
	struct fentry_inline *in = r->in;

	if (!ARRAY_GROW(in->locs, in->loc_cnt))
		return fentry_error__no_memory(r->error);
	in->locs[in->loc_cnt++] = (const __u32 *)t;
	return FENTRY_KIND(t->info) == FENTRY_LOCSEC ? add_section(r, t) : 0;
}

static int add_locs(struct reader *r)
{
	const char *pos = (const char *)r->types, *end = pos + r->len;
	const struct btf_type *t;
	int err = 0;

	r->in->first_loc = btf__type_cnt(r->in->btf);
	for (; !err && pos < end; pos += sizeof(*t) + 4 * words_behind(t->info)) {
		t = (const struct btf_type *)pos;
		err = add_loc(r, t);
	}
	return err;
}

/* Has a file of ELF notes, or a module's file, the build id that @h says? */
static bool has_build_id(const char *path, const struct origins_header *h)
{
	struct {
		Elf64_Nhdr hdr;
		char name[sizeof("GNU")];
		__u8 id[BUILD_ID_MAX];
	} note = { { sizeof("GNU"), h->build_id_len, NT_GNU_BUILD_ID }, "GNU", {} };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t size = -1;
	struct stat st;
	char *data;
	bool has;

	memcpy(note.id, h->build_id, h->build_id_len);
	data = fd >= 0 && !fstat(fd, &st) ? malloc(st.st_size + 1) : NULL;
	if (data)
		size = read(fd, data, st.st_size);
	has = size > 0 && memmem(data, size, &note, offsetof(typeof(note), id[h->build_id_len]));
	free(data);
	if (fd >= 0)
		close(fd);
	return has;
}

static bool is_running(const struct fentry_object *obj, const struct origins_header *h)
{
	char path[4096];

	if (!obj->module)
		return has_build_id("/sys/kernel/notes", h);
	snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", obj->module);
	return has_build_id(path, h);
}

static size_t strings_of(const struct btf *btf)
{
	const struct btf_header *h;
	__u32 size;

	if (!btf)
		return 0;
	h = btf__raw_data(btf, &size);
	return (h ? h->str_len : 0) + strings_of(btf__base_btf(btf));
}

/* The file's type ids and name offsets continue those of the BTF that it was written for. */
static int check_base(const struct reader *r, const struct origins_header *h)
{
	const char *of = r->obj->module ?: "the kernel";

	if (h->build_id_len && r->obj->coming && !has_build_id(r->obj->coming->path, h))
		return fentry_error__set(r->error, -ESTALE,
					 "%s is of another build of %s than the module's file",
					 r->path, of);
	if (h->build_id_len && !r->obj->coming && !is_running(r->obj, h))
		return fentry_error__set(
			r->error, -ESTALE,
			"%s is of another build of %s than the one that is running", r->path, of);
	if (h->base_types != btf__type_cnt(r->obj->btf) || h->base_strs != strings_of(r->obj->btf))
		return fentry_error__set(r->error, -ESTALE, "%s continues other BTF than %s has",
					 r->path, of);
	return 0;
}

/* Find the numbers that say where each call is from, if the file has them. */
static int read_origins(struct reader *r)
{
	size_t pos = ((size_t)r->hdr->hdr_len + r->hdr->str_off + r->hdr->str_len + 3) & ~(size_t)3;
	const struct origins_header *h = (const void *)((const char *)r->in->data + pos);
	static const __u8 zero[sizeof(h->zero)];
	struct fentry_inline *in = r->in;

	if (pos >= in->size) /* another tool wrote the file, without origins */
		return 0;
	if (in->size - pos < sizeof(*h) || h->magic != ORIGINS_MAGIC ||
	    memcmp(h->zero, zero, sizeof(zero)))
		return damaged(r, "what is behind its strings isn't known");
	if (h->len != in->size - pos || h->build_id_len > BUILD_ID_MAX ||
	    h->len < sizeof(*h) + 4ULL * h->file_cnt + sizeof(*in->called) * (__u64)h->called_cnt +
			     h->ranges_len)
		return damaged(r, "what is behind its strings is cut off");
	in->files = (const __u32 *)(h + 1);
	in->file_cnt = h->file_cnt;
	in->called = (const struct fentry_inline_called *)(in->files + h->file_cnt);
	in->called_cnt = h->called_cnt;
	in->numbers = (const __u8 *)(in->called + h->called_cnt);
	in->ranges_end = (const __u8 *)h + h->len;
	in->end = in->ranges_end - h->ranges_len;
	r->origin_cnt = h->site_cnt;
	return check_base(r, h);
}

/* They are searched by their ids, of the object's BTF, of vmlinux's, or of the file. */
static int check_called(const struct reader *r)
{
	const struct fentry_inline_called *called = r->in->called;
	const struct btf_type *t;
	__u32 i, last = 0;

	for (i = 0; i < r->in->called_cnt; last = called[i++].func) {
		t = btf__type_by_id(r->in->btf, called[i].func);
		if (called[i].func <= last || !t || !btf_is_func(t) || !called[i].cnt)
			return damaged(r, "its direct calls aren't in order, or of no function");
	}
	return 0;
}

/* Each is of another FUNC, which the file adds, in whatever section. */
static int check_entries(const struct reader *r)
{
	const struct fentry_inline_section *s = r->in->entries;
	bool *seen = calloc(btf__type_cnt(r->in->btf), sizeof(*seen));
	const struct btf_type *t;
	__u32 last, func;
	int err = seen ? 0 : fentry_error__no_memory(r->error);
	size_t i;

	for (; !err && s < r->in->entries + r->in->entry_cnt; s++) {
		last = btf__type_cnt(r->obj->btf) - 1;
		for (i = 0; !err && i < s->cnt; last = func, i++) {
			func = s->sites[i].func;
			t = btf__type_by_id(r->in->btf, func);
			if (func <= last || !t || !btf_is_func(t) || seen[func])
				err = damaged(r, "its entries aren't in order, or of no function");
			else
				seen[func] = true;
		}
	}
	free(seen);
	return err;
}

static int read_all(struct reader *r)
{
	int err;

	err = map_file(r)	      ?:
		      check_header(r) ?:
		      read_origins(r) ?:
		      split_types(r)  ?:
		      parse_known(r)  ?:
		      check_called(r) ?:
		      add_locs(r)     ?:
					check_entries(r);
	if (!err && r->in->files && r->in->site_cnt != r->origin_cnt)
		err = damaged(r, "it doesn't say where each call is from");
	return err;
}

int fentry_inline__open(const char *path, const struct fentry_object *obj,
			struct fentry_inline **ret, struct fentry_error *error)
{
	struct reader r = { .obj = obj, .path = path, .error = error };
	int err;

	r.in = calloc(1, sizeof(*r.in));
	if (!r.in)
		return fentry_error__no_memory(error);
	r.in->path = strdup(path);
	err = r.in->path ? read_all(&r) : fentry_error__no_memory(error);
	if (err)
		fentry_inline__free(r.in);
	else
		*ret = r.in;
	return err;
}

void fentry_inline__free(struct fentry_inline *in)
{
	if (!in)
		return;
	btf__free(in->btf);
	free(in->sections);
	free(in->entries);
	free(in->locs);
	free(in->origins);
	free(in->ranges);
	free(in->path);
	if (in->data)
		munmap(in->data, in->size);
	free(in);
}

/*
 * Reading where inlined calls are from. The file has one to three numbers for each call, most of
 * them differences from the call before; btfaddr(1) describes them. Counting calls needs none of
 * these numbers, so all are read when the first is needed.
 */

/* Bits of a call's first number. */
#define ORIGIN_NESTED  0x1
#define ORIGIN_INEXACT 0x6
#define ORIGIN_SAME    0x8
#define ORIGIN_BITS    4

/* Returns the position of the next number; NULL if this number has no end. */
static const __u8 *read_long(const __u8 *pos, const __u8 *end, __u64 *ret)
{
	unsigned int shift;

	*ret = 0;
	for (shift = 0; pos < end && shift < 64; shift += 7) {
		*ret |= (__u64)(*pos & 0x7f) << shift;
		if (*pos++ < 0x80)
			return pos;
	}
	return NULL;
}

/* LEB128; most have one byte or two. */
static inline const __u8 *read_number(const __u8 *pos, const __u8 *end, __u64 *ret)
{
	if (pos < end && pos[0] < 0x80) {
		*ret = pos[0];
		return pos + 1;
	}
	if (end - pos > 1 && pos[1] < 0x80) {
		*ret = (pos[0] & 0x7f) | pos[1] << 7;
		return pos + 2;
	}
	return read_long(pos, end, ret);
}

/* Return the number that has this difference from the last one. */
static inline __u64 next(__u64 last, __u64 difference)
{
	return last + ((difference >> 1) ^ -(difference & 1));
}

struct place {
	__u64 line, file;
};

/* Read the other numbers of a call. Returns as above. */
static inline const __u8 *read_place(const __u8 *pos, const __u8 *end, struct place *at)
{
	__u64 number;

	pos = read_number(pos, end, &number);
	if (!pos)
		return NULL;
	at->line = next(at->line, number >> 1);
	if (number & 1) {
		pos = read_number(pos, end, &number);
		at->file = next(at->file, number);
	}
	return pos;
}

/* Read all numbers. Returns whether they are valid. */
static bool read_numbers(const struct fentry_inline *in, struct fentry_inline_origin *ret)
{
	const __u64 ends[] = { btf__type_cnt(in->btf), in->site_cnt };
	const __u8 *pos = in->numbers;
	__u64 last[2] = {}, number;
	struct place at = {};
	bool nested;
	size_t i;

	for (i = 0; i < in->site_cnt; i++) {
		pos = read_number(pos, in->end, &number);
		if (pos && !(number & ORIGIN_SAME))
			pos = read_place(pos, in->end, &at);
		nested = number & ORIGIN_NESTED;
		last[nested] = next(last[nested], number >> ORIGIN_BITS);
		if (!pos || last[nested] >= ends[nested] || at.line > UINT32_MAX ||
		    (at.line && at.file >= in->file_cnt))
			return false;
		ret[i] = (struct fentry_inline_origin){
			last[nested], at.line, at.file, nested, !!(number & ORIGIN_INEXACT),
		};
	}
	return pos == in->end;
}

/*
 * What is read doesn't change. If several threads read it at the same time, all use that of one.
 * Returns what is kept.
 */
static void *keep(void *cached, void *new)
{
	void **at = cached, *had = NULL;

	if (__atomic_compare_exchange_n(at, &had, new, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return new;
	free(new);
	return had;
}

int fentry_inline__origins(const struct fentry_inline *in, const struct fentry_inline_origin **ret,
			   struct fentry_error *error)
{
	struct fentry_inline_origin *origins;

	*ret = __atomic_load_n(&in->origins, __ATOMIC_ACQUIRE);
	if (*ret || !in->files)
		return 0;
	origins = malloc((in->site_cnt + 1) * sizeof(*origins));
	if (!origins)
		return fentry_error__no_memory(error);
	if (!read_numbers(in, origins)) {
		free(origins);
		return fentry_error__set(error, -EINVAL,
					 "%s is damaged: it doesn't say where each call is from",
					 in->path);
	}
	*ret = keep((void *)&in->origins, origins);
	return 0;
}

/*
 * Read the ranges of a section whose address is @addr, or skip them if that is 0. Returns the
 * position behind them; NULL if they aren't valid.
 */
static const __u8 *read_ranges(const struct fentry_inline *in,
			       const struct fentry_inline_section *s, __u64 addr, const __u8 *pos,
			       struct fentry_inline_ranges *ret)
{
	__u64 cnt, begin, len, last;
	size_t i;

	for (i = 0; pos && i < s->cnt; i++) {
		last = s->sites[i].offset;
		pos = read_number(pos, in->ranges_end, &cnt);
		for (; pos && cnt; cnt--, last += len) {
			pos = read_number(pos, in->ranges_end, &begin);
			pos = pos ? read_number(pos, in->ranges_end, &len) : NULL;
			last = next(last, begin);
			if (!pos || last > UINT32_MAX || len > UINT32_MAX)
				return NULL;
			if (addr)
				ret->list[ret->cnt++] = (struct fentry_inline_range){
					addr + last,
					addr + last + len,
					0,
					s->first + i,
				};
		}
	}
	return pos;
}

static void sort_ranges(struct fentry_inline_ranges *ranges)
{
	__u64 reach = 0;
	size_t i;

	qsort(ranges->list, ranges->cnt, sizeof(*ranges->list), cmp_u64);
	for (i = 0; i < ranges->cnt; i++) {
		if (ranges->list[i].end > reach)
			reach = ranges->list[i].end;
		ranges->list[i].reach = reach;
	}
}

int fentry_inline__ranges(const struct fentry_index *idx, const struct fentry_object *obj,
			  const struct fentry_inline_ranges **ret, struct fentry_error *error)
{
	const struct fentry_inline *in = obj->inlined;
	const struct fentry_inline_section *s = in->sections;
	struct fentry_inline_ranges *ranges;
	const __u8 *pos = in->end;

	*ret = __atomic_load_n(&in->ranges, __ATOMIC_ACQUIRE);
	if (*ret || !in->files)
		return 0;
	/* each has two bytes or more */
	ranges =
		calloc(1, sizeof(*ranges) + (in->ranges_end - in->end) / 2 * sizeof(*ranges->list));
	if (!ranges)
		return fentry_error__no_memory(error);
	for (; pos && s < in->sections + in->section_cnt; s++)
		pos = read_ranges(in, s, fentry_index__section(idx, obj->module, s->name), pos,
				  ranges);
	if (pos != in->ranges_end) {
		free(ranges);
		return fentry_error__set(
			error, -EINVAL,
			"%s is damaged: it doesn't say where the code of each call is", in->path);
	}
	sort_ranges(ranges);
	*ret = keep((void *)&in->ranges, ranges);
	return 0;
}
