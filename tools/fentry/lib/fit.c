// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Which functions a trampoline is for. It saves and restores the registers that BTF's prototype
 * has, and no others: one that is false about a function breaks the function. So it is attached
 * only by a prototype that somebody has proved, and that it can pass on. A probe changes nothing,
 * whatever BTF says.
 */
#include <errno.h>

#include "inlined/functions_file.h"
#include "type.h"

/* MAX_BPF_FUNC_ARGS. The limit holds for slots of 8 bytes, too. */
#define ARGS_MAX	12
#define ARG_SIZE_MAX	16 /* of a structure by value */
#define RETURN_SIZE_MAX 8  /* for a program at the exit */

bool fentry_target__by_probe(const struct fentry_target *target)
{
	return target->by_probe;
}

/* Is it known that the FUNC is this function's, and has its prototype? */
static bool is_proved(const struct fentry_target *target)
{
	const struct fentry_index *idx = target->idx;

	if (!idx || idx->unverified)
		return true;
	return idx->exact ? target->obj_id : fentry_index__is_verified(idx, target->module);
}

/* As __get_type_size(): -1 for a type that no argument can have. */
static long size_of(const struct btf *btf, const struct btf_type *t)
{
	if (btf_is_ptr(t))
		return btf__pointer_size(btf);
	if (btf_is_int(t) || btf_is_any_enum(t) || btf_is_composite(t))
		return t->size;
	return btf_is_void(t) ? 0 : -1;
}

static const char *refuse_return(const struct btf *btf, __u32 id, bool exit)
{
	const struct btf_type *t = fentry_type__skip_names(btf, id);
	long size = size_of(btf, t);

	if (size < 0)
		return "returns a type without size";
	if (btf_is_composite(t))
		return "returns a structure or union by value";
	if (exit && size > RETURN_SIZE_MAX)
		return "returns more than 8 bytes, too much for a program at its exit";
	return NULL;
}

const char *fentry_target__unfit(const struct fentry_target *target, bool exit)
{
	const struct btf *btf = target->btf;
	const struct btf_type *proto = fentry_type__proto(btf, target->type_id);
	const struct btf_param *params = btf_params(proto);
	int i, cnt = btf_vlen(proto), slots = 0;

	if (cnt > ARGS_MAX)
		return "has more than 12 arguments";
	for (i = 0; i < cnt; i++) {
		long size;

		if (!params[i].type)
			return i == cnt - 1 ? "has variable arguments" :
					      "has an argument without type";
		size = size_of(btf, fentry_type__skip_names(btf, params[i].type));
		if (size <= 0)
			return "has an argument without size";
		if (size > ARG_SIZE_MAX)
			return "has a structure of more than 16 bytes by value";
		slots += (size + 7) / 8;
	}
	if (slots > ARGS_MAX)
		return "has more than 12 arguments, as a structure counts twice";
	return refuse_return(btf, proto->type, exit);
}

const char *fentry_target__why_probe(const struct fentry_target *target, bool exit)
{
	if (fentry_target__is_coming(target))
		return "its module isn't loaded yet";
	if (target->untrue)
		return "BTF has a false prototype";
	if (fentry_target__by_probe(target))
		return "BTF has no FUNC that is this function's alone";
	return is_proved(target) ? fentry_target__unfit(target, exit) : FENTRY_UNVERIFIED;
}

int fentry_target__check_fit(const struct fentry_target *target, bool exit,
			     struct fentry_error *error)
{
	int err = fentry_target__check(target, error);
	const char *why = err ? NULL : fentry_target__why_probe(target, exit);

	if (!why)
		return err;
	if (why == fentry_target__unfit(target, exit))
		return fentry_target__refuse(target, -EINVAL, error, "it %s", why);
	return fentry_target__refuse(
		target, -EOPNOTSUPP, error,
		"%s%s%s%s: a trampoline could break the kernel, but a probe can't: use SEC(\"%s/%s\")%s",
		why, target->untrue ? " (" : "", target->untrue ?: "", target->untrue ? ")" : "",
		exit ? "kretprobe" : "fentry.probe", target->name,
		exit ? "" : " with FENTRY_PROBE_PROG()");
}
