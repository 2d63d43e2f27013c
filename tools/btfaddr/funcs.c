// SPDX-License-Identifier: GPL-2.0
/*
 * Functions: the symbol table says which exist and where, DWARF what they are.
 */
#include <ctype.h>

#include "funcs.h"
#include "livein.h"
#include "location.h"

#define KSYM_NAME_LEN 512

/* As the kernel's btf_name_valid_identifier(); kallsyms limits the length. */
static bool name_valid(const char *name)
{
	const char *s;

	if (isdigit((u8)*name))
		return false;
	for (s = name; *s; s++) {
		if (!isalnum((u8)*s) && *s != '_' && *s != '.')
			return false;
	}
	return s - name < KSYM_NAME_LEN;
}

static void add_symbols(struct funcs *funcs, struct elf_file *file)
{
	const struct elf_sym *sym;
	struct func *func;
	size_t i;

	funcs->funcs = xcalloc(file->nr_syms, sizeof(*funcs->funcs));
	funcs->next_at = xcalloc(file->nr_syms, sizeof(*funcs->next_at));
	for (i = 0; i < file->nr_syms; i++) {
		sym = &file->syms[i];
		if (!sym->resident)
			continue;
		func = &funcs->funcs[funcs->nr];
		func->sym = sym;
		func->reason = REASON_NO_DWARF;
		if (!name_valid(sym->name))
			func->reason = REASON_NAME;
		else if (sym->addr < file->text || sym->addr - file->text > UINT32_MAX)
			func->reason = REASON_OFFSET;
		funcs->next_at[funcs->nr] = u64map_get(&funcs->by_addr, sym->addr);
		u64map_set(&funcs->by_addr, sym->addr, ++funcs->nr);
	}
}

static bool lang_is_c(Dwarf_Die *unit)
{
	switch (die_udata(unit, DW_AT_language, 0)) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case 0x2c:	/* DW_LANG_C17 */
	case 0x3e:	/* DW_LANG_C23 */
		return true;
	default:
		return false;
	}
}

/* Is @symbol the name of the source, or that with a suffix? */
static bool name_fits(const char *symbol, const char *name)
{
	size_t len = strlen(name);

	return len && !strncmp(symbol, name, len) && (!symbol[len] || symbol[len] == '.');
}

/* Do two DIEs describe the same function, as a unit and its copy may? */
static bool same_origin(Dwarf_Die *a, Dwarf_Die *b)
{
	Dwarf_Attribute x, y;
	Dwarf_Die p, q;

	return dwarf_attr(a, DW_AT_abstract_origin, &x) && dwarf_formref_die(&x, &p) &&
	       dwarf_attr(b, DW_AT_abstract_origin, &y) && dwarf_formref_die(&y, &q) &&
	       dwarf_dieoffset(&p) == dwarf_dieoffset(&q);
}

/* Say that the code of @func is what @die describes. */
static void claim(struct func *func, Dwarf_Die *die, u32 unit, const struct compiler *cc,
		  bool is_c)
{
	bool fits = name_fits(func->sym->name, die_name(die));

	if (func->die.addr) {
		bool had = name_fits(func->sym->name, die_name(&func->die));

		/* an alias is described under its target's name only */
		if (had && fits && !same_origin(die, &func->die))
			func->reason = REASON_SEVERAL;
		if (had || !fits)
			return;
	}
	if (func->reason == REASON_NAME || func->reason == REASON_OFFSET)
		return;
	func->die = *die;
	func->unit = unit;
	func->cc = *cc;
	func->reason = is_c ? REASON_NONE : REASON_LANGUAGE;
}

/*
 * Address of the first instruction. A function with a cold part has ranges, of
 * which the one with a function symbol at its start is it.
 */
static u32 find_entry(struct funcs *funcs, Dwarf_Die *die)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t off = 0;
	Dwarf_Addr addr;
	u32 i;

	/* discarded code keeps its entry, at 0 or 1 */
	if (!dwarf_entrypc(die, &addr) && addr > 1) {
		i = u64map_get(&funcs->by_addr, addr);
		if (i)
			return i;
	}
	if (!dwarf_hasattr(die, DW_AT_ranges))
		return 0;
	while ((off = dwarf_ranges(die, off, &base, &start, &end)) > 0) {
		i = start > 1 ? u64map_get(&funcs->by_addr, start) : 0;
		if (i)
			return i;
	}
	return 0;
}

/**
 * struct scan - what a unit says of functions, in its order
 * @is_cu: it is a compilation unit
 * @found: code at the address of function @func, and others there, is @die's
 */
struct scan {
	bool is_cu;
	struct {
		u32 func;
		Dwarf_Die die;
	} *found;
	size_t nr, cap;
};

struct scan_pass {
	struct funcs *funcs;
	struct scan *scans;
};

static void scan_unit(void *ctx, u32 unit)
{
	struct scan_pass *pass = ctx;
	struct scan *scan = &pass->scans[unit];
	Dwarf_Die *cu = &pass->funcs->units.units[unit].die, die;
	u32 i;

	scan->is_cu = dwarf_tag(cu) == DW_TAG_compile_unit;
	if (!scan->is_cu)
		return;
	for_each_child(cu, DW_TAG_subprogram, &die) {
		if (!dwarf_hasattr(&die, DW_AT_low_pc) && !dwarf_hasattr(&die, DW_AT_ranges))
			continue;
		i = find_entry(pass->funcs, &die);
		if (!i)
			continue;
		GROW(scan->found, scan->nr, scan->cap);
		scan->found[scan->nr].func = i;
		scan->found[scan->nr++].die = die;
	}
}

/**
 * struct unit_range - code of a unit in C by GCC
 * @unit: its number
 * @die: of the unit
 */
struct unit_range {
	u64 start, end;
	u32 unit;
	Dwarf_Die die;
};

struct unit_ranges {
	struct unit_range *ranges;
	size_t nr, cap;
};

static void add_ranges(struct unit_ranges *ranges, Dwarf_Die *cu, u32 unit)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t off = 0;

	while ((off = dwarf_ranges(cu, off, &base, &start, &end)) > 0) {
		if (start <= 1 || start >= end)
			continue;
		GROW(ranges->ranges, ranges->nr, ranges->cap);
		ranges->ranges[ranges->nr++] = (struct unit_range){
			.start = start,
			.end = end,
			.unit = unit,
			.die = *cu,
		};
	}
}

static int cmp_range(const void *a, const void *b)
{
	const struct unit_range *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static const struct unit_range *find_range(const struct unit_ranges *ranges, u64 addr)
{
	size_t low = 0, high = ranges->nr, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (ranges->ranges[mid].end <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == ranges->nr || ranges->ranges[low].start > addr)
		return NULL;
	return &ranges->ranges[low];
}

/**
 * struct codeless - a function whose code no DIE describes
 * @unit: the unit that its code is from
 * @func: its index
 * @nr: definitions without code that @unit has of its name; @die is the last
 */
struct codeless {
	const struct unit_range *unit;
	u32 func;
	u32 nr;
	Dwarf_Die die;
};

static int cmp_codeless(const void *a, const void *b)
{
	const struct codeless *x = a, *y = b;

	if (x->unit->unit != y->unit->unit)
		return x->unit->unit < y->unit->unit ? -1 : 1;
	return (x->func > y->func) - (x->func < y->func);
}

static size_t list_codeless(struct funcs *funcs, const struct unit_ranges *ranges,
			    struct codeless **list_ret)
{
	const struct unit_range *range;
	struct codeless *list = NULL;
	size_t nr = 0, cap = 0;
	struct func *func;
	u32 i;

	for (i = 0; i < funcs->nr; i++) {
		func = &funcs->funcs[i];
		/* of the many static call trampolines none is defined in C */
		if (func->reason != REASON_NO_DWARF || strchr(func->sym->name, '.') ||
		    !strncmp(func->sym->name, "__SCT__", 7))
			continue;
		range = find_range(ranges, func->sym->addr);
		if (!range)
			continue;
		GROW(list, nr, cap);
		list[nr++] = (struct codeless){ .unit = range, .func = i };
	}
	*list_ret = list;
	return nr;
}

/* Look for the definitions of functions that are all from one unit. */
static void find_definitions(struct funcs *funcs, struct codeless *list, size_t nr)
{
	Dwarf_Die cu = list[0].unit->die, die;
	const char *name;
	size_t i;

	for_each_child(&cu, DW_TAG_subprogram, &die) {
		if (dwarf_hasattr(&die, DW_AT_low_pc) || dwarf_hasattr(&die, DW_AT_ranges) ||
		    dwarf_hasattr(&die, DW_AT_declaration))
			continue;
		name = die_name(&die);
		for (i = 0; i < nr; i++) {
			if (strcmp(funcs->funcs[list[i].func].sym->name, name))
				continue;
			list[i].die = die;
			list[i].nr++;
		}
	}
}

/*
 * Functions whose code has no DIE: if GCC finds two functions to be identical, it
 * makes one of them a jump to the other, and forgets to describe it. Which unit
 * the code is from is known, and that has the definition. Only clones have another
 * signature than the source, and their names say so.
 */
static void claim_codeless(struct funcs *funcs, struct unit_ranges *ranges)
{
	struct compiler gcc = { .gcc = true };
	struct codeless *list;
	size_t nr, first, end;

	if (!ranges->nr)
		return;
	qsort(ranges->ranges, ranges->nr, sizeof(*ranges->ranges), cmp_range);
	nr = list_codeless(funcs, ranges, &list);
	if (nr)
		qsort(list, nr, sizeof(*list), cmp_codeless);
	for (first = 0; first < nr; first = end) {
		for (end = first; end < nr && list[end].unit->unit == list[first].unit->unit;)
			end++;
		find_definitions(funcs, list + first, end - first);
	}
	for (first = 0; first < nr; first++) {
		if (list[first].nr == 1)
			claim(&funcs->funcs[list[first].func], &list[first].die,
			      list[first].unit->unit, &gcc, true);
	}
	free(list);
}

static void add_unit(struct funcs *funcs, u32 unit, const struct scan *scan,
		     struct unit_ranges *ranges)
{
	Dwarf_Die *cu = &funcs->units.units[unit].die;
	struct compiler cc;
	Dwarf_Attribute attr;
	const char *dir = NULL;
	bool is_c;
	size_t nr;
	u32 i;

	if (dwarf_attr(cu, DW_AT_comp_dir, &attr))
		dir = dwarf_formstring(&attr);
	funcs->units.units[unit].path = cu_paths_add(&funcs->cus, die_name(cu), dir);
	compiler_read(cu, &cc);
	is_c = lang_is_c(cu);
	for (nr = 0; nr < scan->nr; nr++) {
		for (i = scan->found[nr].func; i; i = funcs->next_at[i - 1])
			claim(&funcs->funcs[i - 1], &scan->found[nr].die, unit, &cc, is_c);
	}
	if (is_c && cc.gcc)
		add_ranges(ranges, cu, unit);
}

/* Units are read on all threads; what they say counts in the order of the file. */
static int add_units(struct funcs *funcs, struct elf_file *file)
{
	struct scan_pass pass = { .funcs = funcs };
	struct unit_ranges ranges = {};
	bool any = false;
	u32 i;

	pass.scans = xcalloc(funcs->units.nr, sizeof(*pass.scans));
	units_each(&funcs->units, scan_unit, &pass);
	for (i = 0; i < funcs->units.nr; i++) {
		if (pass.scans[i].is_cu)
			add_unit(funcs, i, &pass.scans[i], &ranges);
		any |= pass.scans[i].is_cu;
		free(pass.scans[i].found);
	}
	free(pass.scans);
	claim_codeless(funcs, &ranges);
	free(ranges.ranges);
	if (!any)
		return err("%s: no DWARF: build with CONFIG_DEBUG_INFO", file->path);
	cu_paths_relate(&funcs->cus);
	return 0;
}

static int add_dwarf(struct funcs *funcs, struct elf_file *file, u32 nr_threads)
{
	funcs->dw = dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);
	if (!funcs->dw)
		return err("%s: no DWARF (%s): build with CONFIG_DEBUG_INFO", file->path,
			   dwarf_errmsg(-1));
	if (units_open(&funcs->units, funcs->dw, nr_threads))
		return err("%s: damaged DWARF: %s", file->path, dwarf_errmsg(-1));
	return add_units(funcs, file);
}

/* For units_each(): the functions of each unit, in order. */
static void group_by_unit(struct funcs *funcs)
{
	struct func *func;
	u32 i;

	funcs->first_in = xcalloc(funcs->units.nr, sizeof(*funcs->first_in));
	for (i = funcs->nr; i--;) {
		func = &funcs->funcs[i];
		if (!func->die.addr)
			continue;
		func->next_in = funcs->first_in[func->unit];
		funcs->first_in[func->unit] = i + 1;
	}
}

static void read_signature(struct func *func, struct elf_file *file)
{
	struct signature sig;
	const u8 *code;
	size_t len = 0;

	code = elf_file_code(file, func->sym->addr, &len);
	func->reason = signature_read(&func->die, &func->cc, func->sym->name, func->sym->addr,
				      code, len, &sig);
	if (func->reason)
		return;
	/* most have few parameters; signature_close() may add some to an open one */
	len = sizeof(sig);
	if (!sig.open)
		len = offsetof(struct signature, params) + sig.nr * sizeof(*sig.params);
	func->sig = xmalloc(len);
	memcpy(func->sig, &sig, len);
}

struct signature_pass {
	struct funcs *funcs;
	struct elf_file *file;
};

static void read_signatures(void *ctx, u32 unit)
{
	struct signature_pass *pass = ctx;
	struct func *func;
	u32 i;

	for (i = pass->funcs->first_in[unit]; i; i = func->next_in) {
		func = &pass->funcs->funcs[i - 1];
		if (func->reason == REASON_NONE)
			read_signature(func, pass->file);
	}
}

/* For livein_regs(): which registers the function at @addr takes. */
static enum target_kind target_at(void *ctx, u64 addr, struct livein *ret)
{
	const struct funcs *funcs = ctx;
	u32 i = u64map_get(&funcs->by_addr, addr);
	const struct signature *sig;
	const char *name;

	name = i ? funcs->funcs[i - 1].sym->name : elf_file_extern(funcs->file, addr);
	if (!name)
		return TARGET_INSIDE;
	if (!strcmp(name, "__fentry__"))
		return TARGET_KEEPS;
	if (!strcmp(name, "__x86_return_thunk"))
		return TARGET_RETURN;
	sig = i ? funcs->funcs[i - 1].sig : NULL;
	if (sig)
		ret->reads = (1u << sig->nr_regs) - 1;
	ret->doubts = ALL_ARG_REGS & ~ret->reads;
	if (sig && !sig->open && !sig->variadic)
		ret->doubts = 0;
	return TARGET_CALL;
}

/*
 * How many argument registers a function takes that has an open signature. -1: its
 * code leaves it open, too; or all registers are taken, and there may be more on the
 * stack.
 */
static int count_regs(struct func *func, struct elf_file *file, const struct livein_ops *ops)
{
	u32 known = (1u << func->sig->nr_regs) - 1, nr = func->sig->nr_regs;
	struct livein found;

	found = livein_regs(file, func->sym->addr, ALL_ARG_REGS & ~known, ops);
	while (found.reads >> nr)
		nr++;
	return found.doubts >> nr || nr == NR_ARG_REGS ? -1 : (int)nr;
}

/* See what the code says where DWARF leaves open how many registers are arguments. */
static void settle_open(struct funcs *funcs, struct elf_file *file)
{
	struct livein_ops ops = { .target = target_at, .ctx = funcs };
	struct func *func;
	int nr;
	u32 i;

	for (i = 0; i < funcs->nr; i++) {
		func = &funcs->funcs[i];
		if (!func->sig || !func->sig->open)
			continue;
		nr = count_regs(func, file, &ops);
		if (nr < 0 || (nr > (int)func->sig->nr_regs && !func->cc.gcc) ||
		    signature_close(func->sig, nr))
			func->reason = REASON_SPLIT;
	}
}

int funcs_collect(struct funcs *funcs, struct elf_file *file, u32 nr_threads)
{
	struct signature_pass pass = { .funcs = funcs, .file = file };

	memset(funcs, 0, sizeof(*funcs));
	funcs->file = file;
	if (!file->has_text)
		return err("%s: no symbol _text, which addresses count from: give a vmlinux",
			   file->path);
	add_symbols(funcs, file);
	if (add_dwarf(funcs, file, nr_threads))
		return -1;
	group_by_unit(funcs);
	units_each(&funcs->units, read_signatures, &pass);
	settle_open(funcs, file);
	return 0;
}

void funcs_free(struct funcs *funcs)
{
	u32 i;

	for (i = 0; i < funcs->nr; i++) {
		if (funcs->funcs[i].sig)
			signature_free(funcs->funcs[i].sig);
		free(funcs->funcs[i].sig);
	}
	free(funcs->funcs);
	free(funcs->next_at);
	free(funcs->first_in);
	u64map_free(&funcs->by_addr);
	cu_paths_free(&funcs->cus);
	units_close(&funcs->units);
	dwarf_end(funcs->dw);
	memset(funcs, 0, sizeof(*funcs));
}
