// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's tables that say where execution may go on. A place is stored as its distance from
 * the field that stores it. Each table is a section, except that of static branches in vmlinux,
 * which is between symbols in .rodata.
 *
 *	__jump_table		struct jump_entry, include/linux/jump_label.h
 *	__ex_table		struct exception_table_entry, arch/<name>/include/asm/extable.h
 *	__bug_table		struct bug_entry, include/asm-generic/bug.h
 *	.altinstructions	struct alt_instr, arch/<name>/include/asm/alternative.h
 */
#include "code/edges.h"

#define BUGFLAG_WARNING 1

/**
 * struct table - one of these tables
 * @addr: its address
 * @data: its bytes, @size of them
 */
struct table {
	u64 addr, size;
	const u8 *data;
};

static u32 read_u16(const struct table *t, u64 off)
{
	uint16_t val;

	memcpy(&val, t->data + off, sizeof(val));
	return val;
}

/* The place whose distance is in the field at @off. */
static u64 read_place(const struct table *t, u64 off)
{
	int32_t dist;

	memcpy(&dist, t->data + off, sizeof(dist));
	return t->addr + off + dist;
}

static bool is_code(const struct elf_file *file, u64 addr)
{
	size_t len;

	return elf_file_code(file, addr, &len);
}

/* Does the place at @off of each entry of @size bytes lie in code? */
static bool all_in_code(const struct elf_file *file, const struct table *t, u64 size, u64 off)
{
	u64 i;

	for (i = 0; i < t->size; i += size) {
		if (!is_code(file, read_place(t, i + off)))
			return false;
	}
	return true;
}

/*
 * Size of an entry: one of @sizes, or 0 if none fits. An entry begins with a place in code. Small
 * sizes come first, as twice the right size would fit, too.
 */
static u32 entry_size(const struct elf_file *file, const struct table *t, const u32 *sizes)
{
	while (*sizes && (t->size % *sizes || !all_in_code(file, t, *sizes, 0)))
		sizes++;
	return *sizes;
}

static struct code_edge *add_edge(struct code_edges *edges, u64 from, u64 to)
{
	PUSH(edges->edges, edges->nr, .from = from, .to = to,
	     .next = u64map_get(&edges->first, from));
	u64map_set(&edges->first, from, edges->nr);
	return &edges->edges[edges->nr - 1];
}

/* A static branch is a nop or a jump, and becomes the other one when its key changes. */
static void read_jumps(struct code_edges *edges, const struct table *t)
{
	enum { SIZE = 16 };
	u64 i;

	for (i = 0; i + SIZE <= t->size; i += SIZE) {
		add_edge(edges, read_place(t, i), read_place(t, i + 4));
		add_edge(edges, read_place(t, i), 0);
	}
}

static void read_faults(struct code_edges *edges, const struct elf_file *file,
			const struct table *t)
{
	enum { SIZE = 12 };
	struct code_edge *edge;
	u64 i;

	for (i = 0; i + SIZE <= t->size; i += SIZE) {
		edge = add_edge(edges, read_place(t, i), read_place(t, i + 4));
		edge->fault = true;
		file->arch->fault(t->data + i, &edge->reads, &edge->writes);
	}
}

/*
 * The flags are the last field of struct bug_entry. With CONFIG_DEBUG_BUGVERBOSE the entry ends
 * with them; without it, padding follows, which is 0 in all entries.
 */
static u32 bug_flags_offset(const struct table *t, u32 size)
{
	u64 i;

	for (i = 0; i < t->size; i += size) {
		if (read_u16(t, i + size - 2))
			return size - 2;
	}
	return size - 4;
}

static bool is_trap(const struct elf_file *file, u64 addr)
{
	size_t len;
	const u8 *code = elf_file_code(file, addr, &len);

	return code && file->arch->is_trap(code, len);
}

/*
 * The kernel goes on behind a trap if it was a warning. x86's warnings with arguments don't trap:
 * they are calls, and their entry is for the place in front of the call.
 */
static void read_bugs(struct code_edges *edges, const struct elf_file *file, const struct table *t)
{
	static const u32 sizes[] = { 8, 12, 16, 0 };
	u32 size = entry_size(file, t, sizes), flags;
	u64 i;

	if (!size)
		return;
	flags = bug_flags_offset(t, size);
	for (i = 0; i < t->size; i += size) {
		if (read_u16(t, i + flags) & BUGFLAG_WARNING && is_trap(file, read_place(t, i)))
			add_edge(edges, read_place(t, i), 0);
	}
}

/* The kernel may copy a replacement over other instructions. */
static void add_alternative(struct code_edges *edges, u64 place, u32 len, u64 replacement,
			    u32 replacement_len)
{
	if (!replacement_len) {
		add_edge(edges, place, place + len);
		return;
	}
	add_edge(edges, place, replacement);
	PUSH(edges->replacements, edges->nr_replacements, .start = replacement,
	     .end = replacement + replacement_len, .back = place + len);
}

static void read_alternatives(struct code_edges *edges, const struct elf_file *file,
			      const struct table *t)
{
	u32 size = entry_size(file, t, file->arch->alt_sizes);
	u64 i;

	for (i = 0; size && i < t->size; i += size) {
		if (file->arch->alt_by_function(t->data + i, size))
			continue;
		add_alternative(edges, read_place(t, i), t->data[i + size - 2],
				read_place(t, i + 4), t->data[i + size - 1]);
	}
	array_sort(edges->replacements, edges->nr_replacements, sizeof(*edges->replacements),
		   cmp_u64);
}

static bool find_section(struct elf_file *file, const char *name, struct table *ret)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_file_find(file, name, &shdr);
	size_t size;

	ret->data = scn ? elf_file_section(file, name, &size) : NULL;
	if (!ret->data)
		return false;
	ret->addr = shdr.sh_addr;
	ret->size = size;
	return true;
}

static bool find_range(struct elf_file *file, const struct elf_range *range, struct table *ret)
{
	ret->addr = range->start;
	ret->size = range->end - range->start;
	ret->data = elf_file_range(file, range);
	return ret->data;
}

void code_edges_read(struct code_edges *edges, struct elf_file *file)
{
	struct table t;

	memset(edges, 0, sizeof(*edges));
	if (find_section(file, "__jump_table", &t) || find_range(file, &file->jump_table, &t))
		read_jumps(edges, &t);
	if (find_section(file, "__ex_table", &t))
		read_faults(edges, file, &t);
	if (find_section(file, "__bug_table", &t))
		read_bugs(edges, file, &t);
	if (find_section(file, ".altinstructions", &t))
		read_alternatives(edges, file, &t);
	if (!file->module && find_section(file, ".rodata", &t)) {
		edges->rodata = t.data;
		edges->rodata_addr = t.addr;
		edges->rodata_size = t.size;
	}
}

void code_edges_free(struct code_edges *edges)
{
	u64map_free(&edges->first);
	free(edges->edges);
	free(edges->replacements);
}

const struct code_edge *code_edges_from(const struct code_edges *edges, u64 addr)
{
	u32 i = edges->nr ? u64map_get(&edges->first, addr) : 0;

	return i ? &edges->edges[i - 1] : NULL;
}

const struct code_edge *code_edges_next(const struct code_edges *edges,
					const struct code_edge *edge)
{
	return edge->next ? &edges->edges[edge->next - 1] : NULL;
}

u64 code_edges_behind(const struct code_edges *edges, u64 addr, u64 end)
{
	size_t nr = edges->nr_replacements;
	const struct replacement *r;

	/* most addresses are before or behind all replacements */
	if (!nr || addr < edges->replacements[0].start || addr >= edges->replacements[nr - 1].end)
		return end;
	r = &edges->replacements[nr_up_to(addr, edges->replacements, nr, sizeof(*r)) - 1];
	return addr < r->end && end >= r->end ? r->back : end;
}

const u8 *code_edges_table(const struct code_edges *edges, const struct elf_file *file, u64 addr,
			   const struct insn *insn, const struct insn_bound *bound, u32 *nr_ret,
			   bool *bounded_ret)
{
	u64 start = elf_file_function_start(file, addr), off = insn->table - edges->rodata_addr, to;
	bool bounded = bound->checked && (insn->index & bound->reg);
	const u8 *table = edges->rodata + off;
	u32 i, max = 0;

	if (insn->table && off <= edges->rodata_size)
		max = (edges->rodata_size - off) / sizeof(to);
	if (bounded && bound->max < max)
		max = bound->max + 1;
	for (i = 0; i < max; i++) {
		memcpy(&to, table + i * sizeof(to), sizeof(to));
		if (elf_file_function_start(file, to) != start)
			break;
	}
	*nr_ret = i;
	*bounded_ret = bounded && i == bound->max + 1;
	return table;
}

/* The arguments of a conversion, whose % is at @p - 1; sets @p to its end. */
static int conversion(const char **p)
{
	const char *s = *p;
	int nr = 0;

	for (; *s && strchr("-+ #0123456789.*hlLqjzt", *s); s++)
		nr += *s == '*';
	*p = s + 1;
	if (*s == '%')
		return nr;
	return *s && strchr("cspdiuxXo", *s) ? nr + 1 : -1;
}

int code_edges_format(const struct code_edges *edges, u64 addr)
{
	u64 off = addr - edges->rodata_addr;
	const char *s = (const char *)edges->rodata + off;
	int nr = 0, more;

	if (off >= edges->rodata_size || !memchr(s, 0, edges->rodata_size - off))
		return -1;
	while ((s = strchr(s, '%'))) {
		s++;
		more = conversion(&s);
		if (more < 0)
			return -1;
		nr += more;
	}
	return nr;
}
