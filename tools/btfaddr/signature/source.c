// SPDX-License-Identifier: GPL-2.0-only
/*
 * What DWARF says of a function: its parameters in the source, and where each is at entry.
 */
#include <stdio.h>

#include "code/prologue.h"
#include "signature/source.h"

void compiler_read(Dwarf_Die *unit, struct compiler *cc)
{
	Dwarf_Attribute attr;
	const char *s = NULL, *clang;
	int major = 0;

	memset(cc, 0, sizeof(*cc));
	if (dwarf_attr(unit, DW_AT_producer, &attr))
		s = dwarf_formstring(&attr);
	if (!s)
		return;
	/* "GNU C11 12.2.0 ...", and what GCC's link-time optimizer calls itself */
	cc->gcc = !strncmp(s, "GNU C", 5) || !strncmp(s, "GNU GIMPLE", 10);
	clang = strstr(s, "clang version ");
	if (clang && sscanf(clang, "clang version %d", &major) == 1)
		cc->clang_marks = major >= 15;
}

/*
 * Is one of the suffixes of a name one that compilers give to changed copies? @dot: where they
 * begin, NULL if there is none.
 */
static bool has_suffix(const char *dot, const char *suffix)
{
	const char *s = dot ? strstr(dot, suffix) : NULL;
	size_t len = strlen(suffix);

	return s && (!s[len] || s[len] == '.');
}

static bool marked_changed(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Word val;

	return dwarf_attr_integrate(die, DW_AT_calling_convention, &attr) &&
	       !dwarf_formudata(&attr, &val) && val == DW_CC_nocall;
}

/* May the compiler have changed the signature, and its return value? */
static void read_marks(Dwarf_Die *die, const struct compiler *cc, const char *symbol,
		       struct source *src)
{
	/* not the first character, which isn't that of a suffix */
	const char *dot = *symbol ? strchr(symbol + 1, '.') : NULL;

	src->gcc = cc->gcc;
	if (cc->gcc) {
		src->marked = has_suffix(dot, ".isra") || has_suffix(dot, ".constprop") ||
			      has_suffix(dot, ".part") || has_suffix(dot, ".simdclone");
		src->may_change = src->marked;
		src->may_split = has_suffix(dot, ".isra");
		src->may_drop_return = has_suffix(dot, ".isra") || has_suffix(dot, ".part");
		return;
	}
	src->marked = marked_changed(die);
	src->may_change = src->marked || (!cc->clang_marks && !die_flag(die, DW_AT_external));
	src->may_split = true;
	src->may_drop_return = src->may_change;
	src->may_hide = !src->marked;
}

/* The child of the concrete DIE that stands for a parameter, a child of @source. */
static bool concrete_param(Dwarf_Die *die, Dwarf_Die *source, Dwarf_Die *param, Dwarf_Die *ret)
{
	u64 key = die_key(param);
	Dwarf_Attribute attr;
	Dwarf_Die origin;

	*ret = *param;
	if (source->addr == die->addr)
		return true;
	for_each_child(die, DW_TAG_formal_parameter, ret) {
		if (dwarf_attr(ret, DW_AT_abstract_origin, &attr) &&
		    dwarf_formref_die(&attr, &origin) && die_key(&origin) == key)
			return true;
	}
	return false;
}

static enum reason read_param(Dwarf_Die *die, Dwarf_Die *source, Dwarf_Die *param, u64 entry,
			      u64 entry_end, struct src_param *ret)
{
	Dwarf_Die concrete;

	memset(ret, 0, sizeof(*ret));
	ret->name = die_name(param);
	if (die_type(param, &ret->type) || abi_type_read(&ret->type, &ret->abi))
		return REASON_TYPE_BAD;
	if (ret->abi.class == ABI_OTHER)
		return REASON_FLOAT;
	if (concrete_param(die, source, param, &concrete))
		loc_at_entry(die, &concrete, entry, entry_end, &ret->loc);
	return ret->loc.kind == LOC_BAD ? REASON_LOCATION : REASON_NONE;
}

/*
 * Is a child of a function behind its parameters? Only in what GCC writes: LLVM puts parameters
 * that it has lost behind everything else.
 */
bool source_is_body(Dwarf_Die *child)
{
	switch (dwarf_tag(child)) {
	case DW_TAG_variable:
	case DW_TAG_lexical_block:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_call_site:
	case DW_TAG_GNU_call_site:
	case DW_TAG_label:
		return true;
	default:
		return false;
	}
}

static enum reason read_params(Dwarf_Die *die, bool gcc, u64 entry, u64 entry_end,
			       struct source *src)
{
	Dwarf_Die source, child;
	enum reason reason;
	int more;

	/* clang may say so where the code is, and not where the parameters are */
	src->variadic = !gcc && die_first(die, DW_TAG_unspecified_parameters, &child);
	if (die_origin(die, &source) || die_type(die, &src->ret))
		return REASON_LOCATION;
	for (more = dwarf_child(&source, &child); !more; more = dwarf_siblingof(&child, &child)) {
		if (gcc && source_is_body(&child))
			break;
		if (dwarf_tag(&child) == DW_TAG_unspecified_parameters)
			src->variadic = true;
		if (dwarf_tag(&child) != DW_TAG_formal_parameter)
			continue;
		/* one is left for `...` */
		if (src->nr == MAX_PARAMS - 1)
			return REASON_TOO_MANY;
		reason =
			read_param(die, &source, &child, entry, entry_end, &src->params[src->nr++]);
		if (reason)
			return reason;
	}
	return more < 0 ? REASON_LOCATION : REASON_NONE;
}

enum reason source_read(Dwarf_Die *die, const struct compiler *cc, const char *symbol, u64 entry,
			bool others_call, const u8 *code, size_t len, struct source *ret)
{
	enum reason reason;

	memset(ret, 0, offsetof(struct source, params));
	reason = read_params(die, cc->gcc, entry, entry + prologue_len(code, len < 64 ? len : 64),
			     ret);
	if (reason)
		return reason;
	if (ret->ret.addr && abi_type_read(&ret->ret, &ret->ret_abi))
		return REASON_TYPE_BAD;
	if (ret->ret.addr && ret->ret_abi.class == ABI_MEMORY)
		ret->first_reg = 1;
	read_marks(die, cc, symbol, ret);
	ret->fixed = (others_call || ret->variadic) && !ret->marked;
	return REASON_NONE;
}

int source_nr_regs(const struct source *src)
{
	u32 i, nr, reg = src->first_reg;

	for (i = 0; i < src->nr; i++) {
		nr = (src->params[i].abi.size + 7) / 8;
		if (src->params[i].abi.class != ABI_INT || reg + nr > NR_ARG_REGS)
			return -1;
		reg += nr;
	}
	return reg;
}
