// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Programs of SEC("fentry.inlined/name"): one program at all calls of a function, by a kprobe at
 * the function and at each place where it is inlined. FENTRY_INLINED_PROG() finds its arguments in
 * a map, by the attach cookie.
 */
#include <asm/ptrace.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "fentry_args.h"
#include "multi.h"

#define MAP_SUFFIX   "_args"
#define SLOT_SIZE    8
#define REG_SLOTS    6 /* psABI 3.2.3; others are on the stack */
#define STACK_OFFSET 8 /* at the entry, behind the return address */
#define REG_RSP	     7

struct calls {
	const struct bpf_program *prog;
	const struct fentry_index *idx;
	const struct fentry_arguments *args; /* NULL: the program declares none */
	int map_fd;
	const struct fentry_inlined_call ***blocks; /* to be freed */
	struct fentry_inlined_call *own;	    /* of functions themselves */
	const struct fentry_inlined_call **calls;
	const char **whys;
	size_t block_cnt, own_cnt, cnt;
	struct fentry_error *error;
};

bool fentry_prog__is_inlined(const struct bpf_program *prog)
{
	static const char section[] = "fentry.inlined/";

	return !strncmp(bpf_program__section_name(prog), section, strlen(section));
}

/* Offsets in struct pt_regs of registers, by their DWARF numbers. */
static const unsigned char reg_offsets[] = {
#ifdef __x86_64__
	offsetof(struct pt_regs, rax), offsetof(struct pt_regs, rdx), offsetof(struct pt_regs, rcx),
	offsetof(struct pt_regs, rbx), offsetof(struct pt_regs, rsi), offsetof(struct pt_regs, rdi),
	offsetof(struct pt_regs, rbp), offsetof(struct pt_regs, rsp), offsetof(struct pt_regs, r8),
	offsetof(struct pt_regs, r9),  offsetof(struct pt_regs, r10), offsetof(struct pt_regs, r11),
	offsetof(struct pt_regs, r12), offsetof(struct pt_regs, r13), offsetof(struct pt_regs, r14),
	offsetof(struct pt_regs, r15),
#endif
};

static int out_of_memory(const struct calls *c)
{
	return fentry_error__set(c->error, -ENOMEM, "out of memory");
}

static const struct btf_type *proto_of(const struct fentry_target *func)
{
	return btf__type_by_id(func->btf, btf__type_by_id(func->btf, func->type_id)->type);
}

/* A function's parameter of this name; -1 if it has none. */
static int find_param(const struct fentry_target *func, const char *name)
{
	const struct btf_type *proto = proto_of(func);
	int i;

	for (i = 0; i < btf_vlen(proto); i++)
		if (!strcmp(btf__name_by_offset(func->btf, btf_params(proto)[i].name_off), name))
			return i;
	return -1;
}

/* At the entry, arguments are where the calling convention has them. */
static void at_entry(const struct fentry_target *func, int nr, struct fentry_location *ret)
{
	static const unsigned char regs[REG_SLOTS] = { 5, 4, 1, 2, 8, 9 };
	const struct btf_param *params = btf_params(proto_of(func));
	__s64 size = 0, slot = 0;
	int i;

	*ret = (struct fentry_location){};
	for (i = 0; i <= nr; i++) {
		size = btf__resolve_size(func->btf, params[i].type);
		/* what is larger may be in either, with all that follow */
		if (size <= 0 || size > SLOT_SIZE)
			return;
		slot = i;
	}
	if (slot < REG_SLOTS)
		*ret = (struct fentry_location){ .place = FENTRY_REGISTER,
						 .size = size,
						 .reg = regs[slot] };
	else
		*ret = (struct fentry_location){ .place = FENTRY_MEMORY,
						 .size = size,
						 .reg = REG_RSP,
						 .offset = STACK_OFFSET +
							   (slot - REG_SLOTS) * SLOT_SIZE };
}

static bool set_arg(const struct fentry_location *loc, struct fentry_arg *ret)
{
	if (loc->place == FENTRY_UNKNOWN || loc->place == FENTRY_REGISTERS || loc->size > SLOT_SIZE)
		return false;
	if (loc->place != FENTRY_VALUE && loc->reg >= sizeof(reg_offsets))
		return false;
	*ret = (struct fentry_arg){
		.offset = loc->offset,
		.place = loc->place,
		.size = loc->size,
		.reg = loc->place == FENTRY_VALUE ? 0 : reg_offsets[loc->reg],
	};
	return true;
}

/* Where one of the program's parameters is. Sets @why if that isn't known at this call. */
static int find_arg(const struct calls *c, const struct fentry_inlined_call *call, int nr,
		    struct fentry_arg *ret, const char **why)
{
	const char *name = fentry_arguments__name(c->args, nr);
	const struct fentry_target *func = call->func;
	struct fentry_location loc;
	char label[FENTRY_LABEL_MAX];
	int param = find_param(func, name);

	if (param < 0) {
		*why = "it has not all arguments that the program declares";
		return 0;
	}
	fentry_target__label(func, label);
	if (!fentry_type__same(c->args->btf, c->args->declared[nr].type, func->btf,
			       btf_params(proto_of(func))[param].type))
		return fentry_error__set(c->error, -EINVAL,
					 "program '%s': '%s' is something else in %s",
					 bpf_program__name(c->prog), name, label);
	if (call->section)
		fentry_inlined_call__location(call, param, &loc);
	else
		at_entry(func, param, &loc);
	if (!set_arg(&loc, ret))
		*why = "an argument that the program declares isn't known there";
	return 0;
}

static int place_args(struct calls *c, size_t i)
{
	struct fentry_args args = {};
	__u64 key = i;
	int nr, err = 0;

	for (nr = 0; !err && !c->whys[i] && nr < c->args->cnt_declared; nr++)
		err = find_arg(c, c->calls[i], nr, &args.arg[nr], &c->whys[i]);
	if (err || c->whys[i])
		return err;
	if (bpf_map_update_elem(c->map_fd, &key, &args, BPF_ANY))
		return fentry_error__set(c->error, -errno, "program '%s': can't fill its map: %s",
					 bpf_program__name(c->prog), strerror(errno));
	return 0;
}

/* The calls of one function, and the function. */
static int add_function(struct calls *c, const struct fentry_target *func)
{
	const struct fentry_inlined_call **calls, **all;
	size_t cnt;
	int err;

	err = fentry_target__inlined_calls(func, &calls, &cnt, c->error);
	if (err)
		return err;
	c->blocks[c->block_cnt++] = calls;
	all = reallocarray(c->calls, c->cnt + cnt + 1, sizeof(*all));
	if (!all)
		return out_of_memory(c);
	c->calls = all;
	memcpy(all + c->cnt, calls, cnt * sizeof(*calls));
	c->cnt += cnt;
	if (!fentry_target__is_listed(func))
		return 0;
	c->own[c->own_cnt] = (struct fentry_inlined_call){
		.func = func,
		.module = func->module,
		.addr = func->addr,
	};
	all[c->cnt++] = &c->own[c->own_cnt++];
	return 0;
}

static int check_known(const struct calls *c, const struct fentry_target *func, bool all_or_none)
{
	const char *where = fentry_target__inlined_unknown(func, 0);
	char label[FENTRY_LABEL_MAX];

	if (!where || !all_or_none)
		return 0;
	fentry_target__label(func, label);
	return fentry_error__set(
		c->error, -ENODATA,
		"program '%s': it isn't known which calls of %s are inlined in %s, as there is no file of it",
		bpf_program__name(c->prog), label, where);
}

static int add_functions(struct calls *c, const struct fentry_spec *spec, bool all_or_none)
{
	const struct fentry_target **found = NULL, **inlined = NULL, *func;
	size_t i, cnt = 0, inlined_cnt = 0;
	int err;

	err = fentry_index__find(c->idx, spec, &found, &cnt, c->error);
	if (!err || err == -ENOENT)
		err = fentry_index__find_inlined(c->idx, spec, &inlined, &inlined_cnt) ?
			      out_of_memory(c) :
			      0;
	if (!err && !(cnt + inlined_cnt))
		err = fentry_error__set(c->error, -ENOENT, "program '%s': no function matches '%s'",
					bpf_program__name(c->prog), spec->name);
	c->blocks = calloc(cnt + inlined_cnt + 1, sizeof(*c->blocks));
	c->own = calloc(cnt + 1, sizeof(*c->own));
	if (!err && (!c->blocks || !c->own))
		err = out_of_memory(c);
	for (i = 0; !err && i < cnt + inlined_cnt; i++) {
		func = i < cnt ? found[i] : inlined[i - cnt];
		err = check_known(c, func, all_or_none) ?: add_function(c, func);
	}
	free(found);
	free(inlined);
	return err;
}

static int find_calls(struct calls *c, const char *text, bool all_or_none)
{
	struct fentry_spec spec = {};
	int err;

	if (!fentry_index__has_inlined(c->idx))
		return fentry_error__set(
			c->error, -ENODATA,
			"program '%s': it isn't known which calls are inlined, as there is no file of that",
			bpf_program__name(c->prog));
	err = fentry_spec__parse(text, &spec, c->error) ?: add_functions(c, &spec, all_or_none);
	fentry_spec__clear(&spec);
	return err;
}

static int place_all(struct calls *c, const struct bpf_object *obj)
{
	char name[256];
	size_t i;
	int err = 0;

	c->whys = calloc(c->cnt + 1, sizeof(*c->whys));
	if (!c->whys)
		return out_of_memory(c);
	snprintf(name, sizeof(name), "%s" MAP_SUFFIX, bpf_program__name(c->prog));
	c->map_fd = bpf_object__find_map_fd_by_name(obj, name);
	if (!c->args || !c->args->declared || c->map_fd < 0)
		return 0;
	for (i = 0; !err && i < c->cnt; i++)
		err = place_args(c, i);
	return err;
}

int fentry_prog__attach_calls(const struct bpf_object *obj, const struct bpf_program *prog,
			      const char *spec, const struct fentry_index *idx,
			      const struct fentry_multi_opts *opts, struct fentry_multi **ret,
			      struct fentry_error *error)
{
	struct fentry_multi_opts own = { .sz = sizeof(own) };
	struct calls c = {
		.prog = prog, .idx = idx, .error = error, .args = fentry_arguments__of(prog)
	};
	int err;

	if (!fentry_prog__is_inlined(prog))
		return fentry_error__set(error, -EINVAL,
					 "program '%s' is in section '%s', not fentry.inlined",
					 bpf_program__name(prog), bpf_program__section_name(prog));
	err = fentry_opts__copy(&own, sizeof(own), opts, error) ?:
		      find_calls(&c, spec ?: strchr(bpf_program__section_name(prog), '/') + 1,
				 own.all_or_none);
	if (!err && own.max_calls && c.cnt > own.max_calls)
		err = fentry_error__set(
			error, -E2BIG,
			"program '%s': there are %zu calls, and no more than %zu are wanted",
			bpf_program__name(prog), c.cnt, own.max_calls);
	err = err			 ?:
		      place_all(&c, obj) ?:
		      fentry_multi__attach_calls(prog, c.calls, c.whys, c.cnt, opts, ret, error);
	while (c.block_cnt)
		free(c.blocks[--c.block_cnt]);
	free(c.blocks);
	free(c.own);
	free(c.calls);
	free(c.whys);
	return err;
}
