// SPDX-License-Identifier: GPL-2.0-only
/*
 * What DWARF says of a function: its parameters in the source, and where each is at entry.
 */
#include <stdio.h>

#include "signature/source.h"
#include "util.h"

static bool match(const u8 *code, size_t len, const char *bytes, size_t nr)
{
	return len >= nr && !memcmp(code, bytes, nr);
}

/* Length of the instruction if it leaves argument registers alone, else 0. */
static size_t neutral_insn(const u8 *code, size_t len)
{
	if (match(code, len, "\xf3\x0f\x1e\xfa", 4)) /* endbr64 */
		return 4;
	if (match(code, len, "\x0f\x1f\x44\x00\x00", 5)) /* nop */
		return 5;
	if (len >= 1 && (code[0] & 0xf8) == 0x50) /* push */
		return 1;
	if (len >= 2 && code[0] == 0x41 && (code[1] & 0xf8) == 0x50)
		return 2;
	if (match(code, len, "\x48\x89\xe5", 3)) /* mov %rsp,%rbp */
		return 3;
	if (len >= 4 && match(code, len, "\x48\x83\xec", 3)) /* sub $n,%rsp */
		return 4;
	if (len >= 7 && match(code, len, "\x48\x81\xec", 3))
		return 7;
	if (len >= 4 && match(code, len, "\x48\x83\xe4", 3)) /* and $n,%rsp */
		return 4;
	return 0;
}

/*
 * Length of the code that no argument register notices
 * @code: first bytes of a function
 *
 * endbr64, the call or nop of ftrace, push, mov %rsp,%rbp, sub $n,%rsp. Compilers may let
 * a location list begin behind these. Known by their bytes, as every function is asked for
 * them, and decoding is for those of which more must be known.
 */
static size_t prologue_len(const u8 *code, size_t len)
{
	size_t off = 0, n;
	bool fentry = false;

	while (off < len) {
		n = neutral_insn(code + off, len - off);
		/* a call as the very first is ftrace's, which keeps all registers */
		if (!n && !fentry && code[off] == 0xe8 && (!off || (off == 4 && code[0] == 0xf3))) {
			fentry = true;
			n = 5;
		}
		if (!n)
			break;
		off += n;
	}
	return off < len ? off : len;
}

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
