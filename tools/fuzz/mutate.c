// SPDX-License-Identifier: GPL-2.0-only
/*
 * The mutator of all targets. It changes the fields of ELF files and BTF, as bytes that are changed
 * at random hardly pass the first check. libFuzzer does the rest.
 */
#include <elf.h>
#include <string.h>

#include "fuzz.h"
#include "inline/format.h"

#define MAX_TYPES 4096

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

static uint64_t rng_state;

/* A number below @n, which isn't 0: splitmix64. */
static uint64_t below(uint64_t n)
{
	uint64_t z = rng_state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return (z ^ (z >> 31)) % n;
}

/* Choose a new value for a field with the value @old, in data of @size bytes. */
static uint64_t value(uint64_t old, uint64_t size)
{
	static const uint64_t odd[] = {
		0,	    1,		2,	    3,
		7,	    8,		24,	    SHN_LORESERVE,
		SHN_XINDEX, 0x10000,	INT32_MAX,  1ull << 31,
		UINT32_MAX, 1ull << 32, 1ull << 62, INT64_MAX,
		UINT64_MAX,
	};

	switch (below(6)) {
	case 0:
		return odd[below(ARRAY_SIZE(odd))];
	case 1:
		return old ^ 1ull << below(64);
	case 2:
		return old + below(17) - 8;
	case 3:
		return size + below(17) - 8;
	default:
		return below(size + 1);
	}
}

static void change(uint8_t *p, size_t width, uint64_t size)
{
	uint64_t v = 0;

	memcpy(&v, p, width);
	v = value(v, size);
	memcpy(p, &v, width);
}

/* Bytes that follow struct btf_type. */
static size_t extra(const struct btf_type *t)
{
	size_t vlen = btf_vlen(t);

	switch (btf_kind(t)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return 4;
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_DATASEC:
	case BTF_KIND_ENUM64:
		return vlen * 12;
	case BTF_KIND_ENUM:
	case BTF_KIND_FUNC_PROTO:
		return vlen * 8;
	case BTF_KIND_FUNC:
		return btf_kflag(t) ? 8 : 0;
	case KIND_LOC_PARAM:
		return 4 + (t->info & MAX_VLEN) * 4;
	case KIND_LOC_PROTO:
		return (t->info & MAX_VLEN) * 4;
	case KIND_LOCSEC:
		return (t->info & MAX_VLEN) * sizeof(struct loc_site);
	default:
		return 0;
	}
}

/* List where types begin, and where the last one ends. Returns their number. */
static size_t find_types(const uint8_t *types, size_t size, size_t *offs)
{
	size_t nr = 0, off = 0;
	struct btf_type t;

	while (nr < MAX_TYPES && off + sizeof(t) <= size) {
		memcpy(&t, types + off, sizeof(t));
		if (off + sizeof(t) + extra(&t) > size)
			break;
		offs[nr++] = off;
		off += sizeof(t) + extra(&t);
	}
	offs[nr] = off;
	return nr;
}

/* Change one word of a type: to an id, to another kind, or to anything. */
static void change_type(uint8_t *t, size_t size, size_t nr)
{
	size_t word = below(size / 4);
	uint32_t v;

	memcpy(&v, t + word * 4, 4);
	if (word == 1 && below(2))
		v = (v & 0xe0ffffff) | below(NR_KINDS + 1) << 24;
	else if (word == 1)
		v ^= 1u << (below(4) ? below(4) : 31);
	else if (below(3))
		v = below(nr + 2);
	else
		v = value(v, nr);
	memcpy(t + word * 4, &v, 4);
}

static void swap(uint8_t *p, size_t width)
{
	size_t i;

	for (i = 0; i < width / 2; i++) {
		uint8_t byte = p[i];

		p[i] = p[width - 1 - i];
		p[width - 1 - i] = byte;
	}
}

/* Convert the BTF to the other byte order. */
static void swap_btf(uint8_t *data, uint8_t *types, const size_t *offs, size_t nr)
{
	struct btf_type t;
	size_t i, off;

	for (i = 0; i < nr; i++) {
		memcpy(&t, types + offs[i], sizeof(t));
		for (off = offs[i]; off < offs[i] + sizeof(t); off += 4)
			swap(types + off, 4);
		for (; off < offs[i + 1]; off += btf_is_func(&t) ? 8 : 4)
			swap(types + off, btf_is_func(&t) ? 8 : 4);
	}
	swap(data, 2);
	for (off = 4; off < sizeof(struct btf_header); off += 4)
		swap(data + off, 4);
}

/* Give a FUNC an address, which takes 8 more bytes. */
static size_t add_address(uint8_t *data, size_t size, size_t at)
{
	const uint64_t addr = below(1ull << 33);
	struct btf_header *hdr = (void *)data;
	struct btf_type *t = (void *)data + at;

	t->info |= 1u << 31;
	hdr->type_len += 8;
	hdr->str_off += 8;
	at += sizeof(*t);
	memmove(data + at + 8, data + at, size - at);
	memcpy(data + at, &addr, sizeof(addr));
	return size + 8;
}

/* @size, @max: of the BTF and all that is behind it; @size may grow to @max */
static size_t mutate_btf(uint8_t *data, size_t size, size_t max)
{
	static size_t offs[MAX_TYPES + 1];
	struct btf_header hdr;
	size_t start, i, nr;
	uint8_t *types;

	memcpy(&hdr, data, sizeof(hdr));
	start = (size_t)hdr.hdr_len + hdr.type_off;
	types = data + start;
	nr = start + hdr.type_len <= size ? find_types(types, hdr.type_len, offs) : 0;
	if (!nr || !below(16)) {
		change(data + 4 * below(sizeof(hdr) / 4), 4, size);
		return size;
	}
	if (!below(64)) {
		swap_btf(data, types, offs, nr);
		return size;
	}
	i = below(nr);
	if (btf_is_func((struct btf_type *)(types + offs[i])) && offs[i + 1] - offs[i] == 12 &&
	    size + 8 <= max && below(2))
		return add_address(data, size, start + offs[i]);
	change_type(types + offs[i], offs[i + 1] - offs[i], nr);
	return size;
}

/* Where the origins of inlined calls begin, behind BTF that ends at @end; 0 if there are none. */
static size_t find_origins(const uint8_t *data, size_t size, size_t end)
{
	struct inline_origins hdr;
	size_t at = (end + 3) & ~(size_t)3;

	if (at > size || size - at < sizeof(hdr))
		return 0;
	memcpy(&hdr, data + at, sizeof(hdr));
	return hdr.magic == ORIGINS_MAGIC ? at : 0;
}

/* A word of the header, or one of its bytes. */
static void change_origins_header(struct inline_origins *hdr, size_t size)
{
	if (below(3))
		change((uint8_t *)hdr + 4 * below(8), 4, size);
	else
		change(&hdr->build_id_len + below(4), 1, MAX_BUILD_ID);
}

/*
 * Change where calls come from: the flags or the value of a number, its length, or the name of a
 * file.
 */
static void change_origins(uint8_t *files, size_t files_size, uint8_t *numbers, size_t size)
{
	static const uint8_t bits[] = {
		ORIGIN_NESTED, ORIGIN_SPLIT, ORIGIN_EMPTY, ORIGIN_SAME, 0x80,
	};

	if (files_size && (!size || !below(8)))
		change(files + 4 * below(files_size / 4), 4, size);
	else if (!size)
		return;
	else if (below(2))
		numbers[below(size)] ^= bits[below(ARRAY_SIZE(bits))];
	else
		numbers[below(size)] = below(256);
}

/* @size: of the header and all behind it. Returns the new size: a byte more, or the same. */
static size_t mutate_origins(uint8_t *data, size_t size, size_t max)
{
	struct inline_origins *hdr = (void *)data;
	size_t rest = size - sizeof(*hdr), at;
	size_t files = hdr->nr_files * (size_t)4 + hdr->nr_called * sizeof(struct called);

	if (!below(8) || files > rest) {
		change_origins_header(hdr, size);
		return size;
	}
	if (size < max && !below(8)) {
		at = sizeof(*hdr) + files + below(rest - files + 1);
		memmove(data + at + 1, data + at, size - at);
		data[at] = below(256);
		hdr->len++;
		return size + 1;
	}
	data += sizeof(*hdr);
	change_origins(data, files, data + files, rest - files);
	return size;
}

/* libFuzzer's own mutation of some bytes, in place. */
static void mutate_bytes(uint8_t *data, size_t size)
{
	size_t len = 1 + below(size < 64 ? size : 64), off = below(size - len + 1);

	LLVMFuzzerMutate(data + off, len, len);
}

/* Offset and width of each field. */
static const size_t ehdr_fields[][2] = {
	{ 16, 2 }, { 18, 2 }, { 40, 8 }, { 52, 2 }, { 54, 2 },
	{ 56, 2 }, { 58, 2 }, { 60, 2 }, { 62, 2 },
};

static const size_t shdr_fields[][2] = {
	{ 0, 4 },  { 4, 4 },  { 8, 8 },	 { 16, 8 }, { 24, 8 },
	{ 32, 8 }, { 40, 4 }, { 44, 4 }, { 48, 8 }, { 56, 8 },
};

static const size_t sym_fields[][2] = {
	{ 0, 4 }, { 4, 1 }, { 5, 1 }, { 6, 2 }, { 8, 8 }, { 16, 8 },
};

static const size_t rela_fields[][2] = { { 0, 8 }, { 8, 4 }, { 12, 4 }, { 16, 8 } };

#define CHANGE_FIELD(p, fields, size)                                                    \
	do {                                                                             \
		size_t field_ = below(ARRAY_SIZE(fields));                               \
		change((uint8_t *)(p) + (fields)[field_][0], (fields)[field_][1], size); \
	} while (0)

/* Put numbers of sections into section 0, as files with more than 65,279 sections do. */
static void extend_numbers(Elf64_Ehdr *ehdr, Elf64_Shdr *sections)
{
	if (below(2) && ehdr->e_shnum) {
		sections->sh_size = below(4) ? ehdr->e_shnum : value(ehdr->e_shnum, ehdr->e_shnum);
		ehdr->e_shnum = 0;
	} else {
		sections->sh_link = below(4) ? ehdr->e_shstrndx : value(0, ehdr->e_shnum);
		ehdr->e_shstrndx = SHN_XINDEX;
	}
}

/* Is it .BTF_func? The file has @size bytes, and its table of sections is inside of them. */
static bool has_records(const uint8_t *data, size_t size, const Elf64_Shdr *sh)
{
	static const char name[] = ".BTF_func";
	const Elf64_Ehdr *ehdr = (const void *)data;
	const Elf64_Shdr *strs = (const void *)data + ehdr->e_shoff;
	uint64_t at;

	if (ehdr->e_shstrndx >= ehdr->e_shnum)
		return false;
	at = strs[ehdr->e_shstrndx].sh_offset + sh->sh_name;
	return at <= size && size - at >= sizeof(name) && !memcmp(data + at, name, sizeof(name));
}

/* Change a record { addr, idx }, exchange it with another, or make it the same. */
static void mutate_records(uint8_t *p, size_t nr)
{
	uint8_t *one = p + below(nr) * 8, *other = p + below(nr) * 8, old[8];
	uint32_t idx;

	memcpy(old, one, sizeof(old));
	switch (below(4)) {
	case 0:
		memcpy(one, other, 8);
		memcpy(other, old, 8);
		break;
	case 1:
		memcpy(one, other, 8);
		break;
	case 2:
		idx = below(64);
		memcpy(one + 4, &idx, 4);
		break;
	default:
		change(one + 4 * below(2), 4, 8 * nr);
	}
}

/* Change the contents of a section, according to its kind. */
static void mutate_section(uint8_t *data, const Elf64_Shdr *sh, size_t size)
{
	uint8_t *p = data + sh->sh_offset;

	if (fuzz_btf_size(p, sh->sh_size))
		mutate_btf(p, sh->sh_size, sh->sh_size);
	else if (sh->sh_size >= 8 && has_records(data, size, sh))
		mutate_records(p, sh->sh_size / 8);
	else if (sh->sh_type == SHT_RELA && sh->sh_size >= sizeof(Elf64_Rela))
		CHANGE_FIELD((Elf64_Rela *)p + below(sh->sh_size / sizeof(Elf64_Rela)), rela_fields,
			     below(2) ? size : 64);
	else if (sh->sh_type == SHT_SYMTAB && sh->sh_size >= sizeof(Elf64_Sym))
		CHANGE_FIELD((Elf64_Sym *)p + below(sh->sh_size / sizeof(Elf64_Sym)), sym_fields,
			     size);
	else if (sh->sh_size >= 8 && below(2))
		change(p + below(sh->sh_size / 4 - 1) * 4, 4 << below(2), size);
	else
		mutate_bytes(p, sh->sh_size);
}

static void mutate_elf(uint8_t *data, size_t size)
{
	Elf64_Ehdr *ehdr = (void *)data;
	Elf64_Shdr *sections = (void *)data + ehdr->e_shoff, *sh;
	uint64_t room = size - sizeof(*ehdr);

	if (!ehdr->e_shnum || ehdr->e_shoff % 8 || ehdr->e_shoff > room ||
	    ehdr->e_shoff + ehdr->e_shnum * sizeof(*sh) > size || !below(32)) {
		CHANGE_FIELD(ehdr, ehdr_fields, size);
		return;
	}
	sh = sections + below(ehdr->e_shnum);
	if (!below(32))
		extend_numbers(ehdr, sections);
	else if (!below(6) || sh->sh_type == SHT_NOBITS || !sh->sh_size || sh->sh_offset > size ||
		 sh->sh_size > size - sh->sh_offset)
		CHANGE_FIELD(sh, shdr_fields, below(2) ? size : ehdr->e_shnum);
	else
		mutate_section(data, sh, size);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	size_t first = fuzz_btf_size(data, size), second, origins;

	rng_state = seed;
	if (size >= sizeof(Elf64_Ehdr) && !memcmp(data, ELFMAG, SELFMAG) && below(64)) {
		mutate_elf(data, size);
		return size;
	}
	if (!first || !below(32))
		return LLVMFuzzerMutate(data, size, max);
	second = fuzz_btf_size(data + first, size - first);
	origins = second ? find_origins(data + first, size - first, second) : 0;
	if (origins && !below(3))
		return first + origins +
		       mutate_origins(data + first + origins, size - first - origins,
				      max - first - origins);
	if (second && below(origins ? 4 : 2))
		return first + mutate_btf(data + first, size - first, max - first);
	return mutate_btf(data, size, max);
}
