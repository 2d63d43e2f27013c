// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Arguments by name: where a program reads its parameters.
 *
 * FENTRY_PROG() of fentry.bpf.h makes parameter k a CO-RE access to list_head___fentry::arg[2 * k].
 * No kernel has such a structure, so libbpf makes an invalid instruction of the access, which every
 * kernel refuses: a program whose arguments nobody has placed can't be loaded. Here each of these
 * instructions becomes what it was, with the offset that the argument has in the function at hand.
 *
 * The instructions can be found without following pointers: they were loads at an offset that no
 * other structure of the object reaches, and libbpf has made them invalid. Their original form is
 * noted when the object is opened: see fentry_arguments__note().
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "array.h"
#include "type.h"
#include "util.h"

/* As in fentry.bpf.h. */
#define ARG_OFFSET	  32512
#define ARG_SLOTS	  26 /* two for each of 12, and the return value */
#define ARG_SIZE	  16
#define RETURN_NR	  12
#define PARAMETERS_OFFSET 0xf000000
#define TYPE_PREFIX	  "list_head___fentry"

/* An instruction of a program that is about one of its parameters. */
struct fentry_site {
	__u32 insn;	     /* its position */
	struct bpf_insn was; /* as it was compiled */
};

/* What libbpf calls in place of an access that it can't relocate. */
#define POISON 0xbad2310

static bool is_arg_offset(__s32 off)
{
	return off >= ARG_OFFSET && off < ARG_OFFSET + ARG_SLOTS * 8;
}

static bool may_be_site(const struct bpf_insn *insn)
{
	return is_arg_offset(insn->off) || insn->imm >= PARAMETERS_OFFSET;
}

static bool is_poisoned(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_CALL) && insn->imm == POISON;
}

int fentry_arguments__init(struct fentry_arguments *a, const char *prog_name,
			   const struct bpf_insn *insns, size_t cnt)
{
	size_t i;

	memset(a, 0, sizeof(*a));
	a->prog_name = prog_name;
	for (i = 0; i < cnt; i++) {
		if (!may_be_site(&insns[i]))
			continue;
		if (!ARRAY_GROW(a->sites, a->cnt))
			return -ENOMEM;
		a->sites[a->cnt++] = (struct fentry_site){ i, insns[i] };
	}
	return 0;
}

void fentry_arguments__fini(struct fentry_arguments *a)
{
	btf__free(a->btf);
	free(a->sites);
}

/* Does an instruction load an argument? Else it asks whether there is one. */
static bool is_read(const struct fentry_site *site)
{
	return is_arg_offset(site->was.off);
}

/* The structure of FENTRY_PROG() that has the program's parameters as members. */
static const struct btf_type *find_declared(const struct fentry_arguments *a, bool *exit)
{
	const struct btf_type *t;
	char name[256];
	__s32 id;

	if (!a->btf ||
	    snprintf(name, sizeof(name), TYPE_PREFIX "_%s", a->prog_name) >= (int)sizeof(name))
		return NULL;
	id = btf__find_by_name_kind(a->btf, name, BTF_KIND_STRUCT);
	if (id < 0)
		return NULL;
	t = btf__type_by_id(a->btf, id);
	if (btf_vlen(t) != 2)
		return NULL;
	*exit = !strcmp(btf__name_by_offset(a->btf, btf_members(t)->name_off), "exit");
	t = btf__type_by_id(a->btf, btf_members(t)[1].type);
	return btf_is_struct(t) ? t : NULL;
}

/* Return the parameter that an instruction is about; -1 if there is none. */
static int site_param(const struct fentry_arguments *a, const struct fentry_site *site)
{
	__u32 distance = site->was.imm - PARAMETERS_OFFSET;
	int nr;

	if (is_read(site)) {
		nr = (site->was.off - ARG_OFFSET) / ARG_SIZE;
		if (nr == RETURN_NR)
			return a->exit ? a->cnt_declared : -1;
		return nr < a->cnt_declared ? nr : -1;
	}
	for (nr = 0; nr < a->cnt_declared + a->exit; nr++)
		if (a->declared[nr].offset / 8 == distance)
			return nr;
	return -1;
}

/*
 * A structure of this size could have a field at the offset of an argument. If the kernel lacks the
 * field, an access to it looks like one to the argument.
 */
static int check_types(const struct fentry_arguments *a, struct fentry_error *error)
{
	__u32 id, cnt = btf__type_cnt(a->btf);

	for (id = 1; id < cnt; id++) {
		const struct btf_type *t = btf__type_by_id(a->btf, id);
		const char *name = btf__name_by_offset(a->btf, t->name_off);

		if (btf_is_composite(t) && t->size > ARG_OFFSET &&
		    strncmp(name, TYPE_PREFIX, strlen(TYPE_PREFIX)))
			return fentry_error__set(
				error, -EINVAL,
				"program '%s' reads arguments by name, but its object has '%s %s' of %u bytes, whose fields can't be told from arguments: use no structure over %d bytes in this object",
				a->prog_name, btf_is_union(t) ? "union" : "struct", name, t->size,
				ARG_OFFSET);
	}
	return 0;
}

static int check_read(const struct fentry_arguments *a, const struct fentry_site *site,
		      struct fentry_error *error)
{
	int nr = site_param(a, site);

	if (nr < 0)
		return fentry_error__set(
			error, -EINVAL,
			"program '%s' reads an argument that it doesn't declare: instruction %u",
			a->prog_name, site->insn);
	if (site->was.code != (BPF_LDX | BPF_MEM | BPF_DW))
		return fentry_error__set(
			error, -EOPNOTSUPP,
			"program '%s': the compiler reads parameter '%s' by an instruction (%u, code %#x) other than a plain load: copy the parameter to a volatile variable, and read that",
			a->prog_name, fentry_arguments__name(a, nr), site->insn, site->was.code);
	return 0;
}

/* Does it ask for an argument? The kernel refuses others that libbpf couldn't relocate. */
static bool is_question(const struct fentry_arguments *a, const struct fentry_site *site)
{
	__u8 code = site->was.code;

	return (code == (BPF_ALU64 | BPF_MOV | BPF_K) || code == (BPF_ALU | BPF_MOV | BPF_K)) &&
	       site_param(a, site) >= 0;
}

/*
 * Of the noted instructions, keep those that libbpf has made invalid and that are about an
 * argument.
 */
static void keep_sites(struct fentry_arguments *a, const struct bpf_insn *insns)
{
	size_t i, cnt = 0;

	for (i = 0; i < a->cnt; i++) {
		const struct fentry_site *site = &a->sites[i];

		if (is_poisoned(&insns[site->insn]) && (is_read(site) || is_question(a, site)))
			a->sites[cnt++] = *site;
	}
	a->cnt = cnt;
}

void fentry_arguments__declare(struct fentry_arguments *a, struct btf *btf)
{
	const struct btf_type *t;

	btf__free(a->btf);
	a->btf = btf;
	t = find_declared(a, &a->exit);
	a->declared = t ? btf_members(t) : NULL;
	a->cnt_declared = t ? btf_vlen(t) - a->exit : 0;
}

int fentry_arguments__prepare(struct fentry_arguments *a, const struct bpf_insn *insns,
			      struct fentry_error *error)
{
	size_t i;
	int err;

	a->used = 0;
	a->asked = 0;
	if (a->btf)
		keep_sites(a, insns);
	else /* the kernel wouldn't take the program either way */
		a->cnt = 0;
	if (!a->cnt)
		return 0;
	if (!a->declared)
		return fentry_error__set(
			error, -EINVAL,
			"program '%s' reads arguments by name, but its BTF doesn't declare them: it isn't FENTRY_PROG()'s",
			a->prog_name);
	err = check_types(a, error);
	for (i = 0; !err && i < a->cnt; i++) {
		const struct fentry_site *site = &a->sites[i];

		if (!is_read(site)) {
			a->asked |= 1 << site_param(a, site);
			continue;
		}
		err = check_read(a, site, error);
		if (!err)
			a->used |= 1 << site_param(a, site);
	}
	return err;
}

/* Slots of 8 bytes that a type takes in a program's context; 0 if unknown. */
static int slots(const struct btf *btf, __u32 type_id)
{
	__s64 size = btf__resolve_size(btf, type_id);

	return size > 0 ? (size + 7) / 8 : 0;
}

/*
 * Find a parameter in the context of a function. Returns its first slot, -ENODATA if it isn't
 * there, or -EINVAL if it has another type.
 */
static int find_slot(const struct fentry_arguments *a, int nr, const struct btf *btf,
		     const struct btf_type *proto)
{
	const struct btf_param *params = btf_params(proto);
	bool is_return = nr == a->cnt_declared;
	const char *name = fentry_arguments__name(a, nr);
	int i, slot = 0, cnt = btf_vlen(proto);
	__u32 type_id;

	for (i = 0; i < cnt; i++) {
		if (!is_return && !strcmp(btf__name_by_offset(btf, params[i].name_off), name))
			break;
		if (!slots(btf, params[i].type))
			return -EINVAL;
		slot += slots(btf, params[i].type);
	}
	if (i == cnt && (!is_return || !proto->type))
		return -ENODATA;
	type_id = is_return ? proto->type : params[i].type;
	if (!fentry_type__same(a->btf, a->declared[nr].type, btf, type_id))
		return -EINVAL;
	return slot;
}

/* Is a function's parameter one that the program declares, or a part of one? */
static bool is_declared(const struct fentry_arguments *a, const struct btf *btf,
			const struct btf_param *param)
{
	const char *name = btf__name_by_offset(btf, param->name_off), *declared;
	size_t len;
	int i;

	for (i = 0; i < a->cnt_declared; i++) {
		declared = fentry_arguments__name(a, i);
		len = strlen(declared);
		if (strncmp(name, declared, len))
			continue;
		if (!name[len])
			return fentry_type__same(a->btf, a->declared[i].type, btf, param->type);
		if (!strncmp(name + len, FENTRY_PARTS, strlen(FENTRY_PARTS)))
			return true;
	}
	return false;
}

int fentry_arguments__fit(const struct fentry_arguments *a, const struct btf *btf, __u32 type_id)
{
	const struct btf_type *proto = fentry_type__proto(btf, type_id);
	int i;

	for (i = 0; i < a->cnt_declared + a->exit; i++)
		if ((a->used & ~a->asked & 1 << i) && find_slot(a, i, btf, proto) < 0)
			return 0;
	for (i = 0; i < btf_vlen(proto); i++)
		if (!is_declared(a, btf, &btf_params(proto)[i]))
			return 1;
	return 2;
}

/* The parts of a parameter that was split; "" if there are none. */
static void list_parts(const struct fentry_target *target, const char *name, char *buf, size_t size)
{
	const struct btf_type *t = fentry_type__proto(target->btf, target->type_id);
	const struct btf_param *params = btf_params(t);
	size_t used = 0, len = strlen(name);
	int i;

	buf[0] = '\0';
	for (i = 0; i < btf_vlen(t) && used < size; i++) {
		const char *part = btf__name_by_offset(target->btf, params[i].name_off);

		if (!strncmp(part, name, len) &&
		    !strncmp(part + len, FENTRY_PARTS, strlen(FENTRY_PARTS)))
			used += snprintf(buf + used, size - used, "%s'%s'", used ? ", " : "", part);
	}
}

static int argument_missing(const struct fentry_arguments *a, int nr, int err,
			    const struct fentry_target *target, struct fentry_error *error)
{
	const char *name = fentry_arguments__name(a, nr), *what;
	char label[FENTRY_LABEL_MAX], parts[256] = "", *prototype = NULL;

	fentry_target__prototype(target, &prototype, NULL);
	fentry_target__label(target, label);
	if (nr == a->cnt_declared)
		what = err == -ENODATA ? "there is no return value" :
					 "the return value is of another type";
	else if (err == -ENODATA)
		what = "there is no such argument";
	else
		what = "the argument is of another type";
	if (nr < a->cnt_declared && err == -ENODATA)
		list_parts(target, name, parts, sizeof(parts));
	fentry_error__set(error, err,
			  "program '%s' uses '%s' of %s, but %s%s%s: %s%s%s'%s' in this kernel",
			  a->prog_name, name, label, what,
			  parts[0] ? ", only parts of it (use their names): " : "", parts,
			  target->source ? "'" : "it is ", target->source ?: "",
			  target->source ? "' in the source is " : "", prototype ?: target->name);
	free(prototype);
	return err;
}

static int used_at_entry(const struct fentry_arguments *a, const struct fentry_target *target,
			 struct fentry_error *error)
{
	char label[FENTRY_LABEL_MAX];

	fentry_target__label(target, label);
	return fentry_error__set(
		error, -EINVAL,
		"program '%s' uses the return value ('%s') of %s, but doesn't run at its exit",
		a->prog_name, fentry_arguments__name(a, a->cnt_declared), label);
}

static void place_site(const struct fentry_site *site, int slot, struct bpf_insn *insn)
{
	*insn = site->was;
	if (!is_read(site))
		insn->imm = slot >= 0;
	else if (slot >= 0) /* the second slot is behind the first */
		insn->off = (slot + (site->was.off - ARG_OFFSET) % ARG_SIZE / 8) * 8;
	else /* the program asks, and gets no value */
		*insn = (struct bpf_insn){
			.code = BPF_ALU64 | BPF_MOV | BPF_K,
			.dst_reg = site->was.dst_reg,
		};
}

int fentry_arguments__place(const struct fentry_arguments *a, const struct fentry_target *target,
			    bool at_exit, struct bpf_insn *insns, struct fentry_error *error)
{
	const struct btf_type *proto;
	size_t i;

	if (!a->cnt)
		return 0;
	proto = fentry_type__proto(target->btf, target->type_id);
	for (i = 0; i < a->cnt; i++) {
		const struct fentry_site *site = &a->sites[i];
		int nr = site_param(a, site), slot;

		slot = find_slot(a, nr, target->btf, proto);
		if (nr == a->cnt_declared && !at_exit)
			return used_at_entry(a, target, error);
		if (slot < 0 && !(a->asked & 1 << nr))
			return argument_missing(a, nr, slot, target, error);
		place_site(site, slot, &insns[site->insn]);
	}
	return 0;
}

/* The sections of programs that the library has handlers for. */

const struct fentry_handler fentry_handlers[] = {
	{ "fentry+", BPF_TRACE_FENTRY },
	{ "fexit+", BPF_TRACE_FEXIT },
	{ "fmod_ret+", BPF_MODIFY_RETURN },
	{ "fentry.s+", BPF_TRACE_FENTRY | FENTRY_SLEEPABLE },
	{ "fexit.s+", BPF_TRACE_FEXIT | FENTRY_SLEEPABLE },
	{ "fmod_ret.s+", BPF_MODIFY_RETURN | FENTRY_SLEEPABLE },
	{ "fentry.probe+", FENTRY_PROBE },
};

const size_t fentry_handler_cnt = ARRAY_SIZE(fentry_handlers);

long fentry_prog__cookie(const struct bpf_program *prog)
{
	const char *section = bpf_program__section_name(prog);
	size_t i, len = strcspn(section, "/");

	for (i = 0; i < fentry_handler_cnt; i++)
		if (strlen(fentry_handlers[i].section) == len + 1 &&
		    !strncmp(fentry_handlers[i].section, section, len))
			return fentry_handlers[i].cookie;
	return 0;
}

/*
 * Programs that read arguments by name: what their instructions were before libbpf relocated them.
 * The note is made when an object is opened. Nobody tells when the object is closed, so a note
 * stays until another program of the library's sections gets the same place in memory. A program of
 * another section may get that place, too: it has no note.
 */

static struct fentry_arguments *notes;
static pthread_mutex_t notes_lock = PTHREAD_MUTEX_INITIALIZER;

static struct fentry_arguments **find_note(const struct bpf_program *prog)
{
	struct fentry_arguments **a = &notes;

	while (*a && (*a)->prog != prog)
		a = &(*a)->next;
	return a;
}

struct fentry_arguments *fentry_arguments__of(const struct bpf_program *prog)
{
	struct fentry_arguments *a;

	if (!fentry_prog__cookie(prog))
		return NULL;
	pthread_mutex_lock(&notes_lock);
	a = *find_note(prog);
	pthread_mutex_unlock(&notes_lock);
	return a;
}

int fentry_arguments__note(const struct bpf_program *prog)
{
	struct fentry_arguments *new = malloc(sizeof(*new)), **place, *old;
	int err;

	if (!new)
		return -ENOMEM;
	err = fentry_arguments__init(new, bpf_program__name(prog), bpf_program__insns(prog),
				     bpf_program__insn_cnt(prog));
	if (err) {
		fentry_arguments__fini(new);
		free(new);
		return err;
	}
	new->prog = prog;
	pthread_mutex_lock(&notes_lock);
	place = find_note(prog);
	old = *place; /* of a program that is gone */
	new->next = old ? old->next : NULL;
	*place = new;
	pthread_mutex_unlock(&notes_lock);
	if (old)
		fentry_arguments__fini(old);
	free(old);
	return 0;
}

/* A copy of the BTF behind a file descriptor. */
static struct btf *copy_btf(int fd)
{
	struct bpf_btf_info info = {};
	__u32 len = sizeof(info);
	struct btf *btf = NULL;
	void *data;
	__u32 size;

	if (fd <= 0 || bpf_obj_get_info_by_fd(fd, &info, &len))
		return NULL;
	size = info.btf_size;
	data = malloc(size);
	memset(&info, 0, sizeof(info));
	info.btf = (__u64)(unsigned long)data;
	info.btf_size = size;
	len = sizeof(info);
	if (data && !bpf_obj_get_info_by_fd(fd, &info, &len))
		btf = btf__new(data, size);
	free(data);
	return libbpf_get_error(btf) ? NULL : btf;
}

int fentry_prog__prepare(const struct bpf_program *prog, const struct bpf_prog_load_opts *opts,
			 struct fentry_error *error)
{
	struct fentry_arguments *a = fentry_arguments__of(prog);

	if (!a)
		return 0;
	fentry_arguments__declare(a, copy_btf(opts->prog_btf_fd));
	return fentry_arguments__prepare(a, bpf_program__insns(prog), error);
}

/* @type: BPF_TRACE_FENTRY or another */
static int place(const struct fentry_arguments *a, const struct bpf_program *prog, int type,
		 const struct fentry_target *target, struct bpf_insn **ret,
		 struct fentry_error *error)
{
	size_t size = bpf_program__insn_cnt(prog) * sizeof(**ret);
	struct bpf_insn *insns = malloc(size);
	int err;

	if (!insns)
		return fentry_error__no_memory(error);
	memcpy(insns, bpf_program__insns(prog), size);
	err = fentry_arguments__place(a, target, type != BPF_TRACE_FENTRY, insns, error);
	if (err) {
		free(insns);
		return err;
	}
	*ret = insns;
	return 0;
}

int fentry_prog__place(struct bpf_program *prog, const struct bpf_prog_load_opts *opts,
		       const struct fentry_target *target, struct fentry_error *error)
{
	struct fentry_arguments *a = fentry_arguments__of(prog);
	struct bpf_insn *insns;
	int err;

	if (!a)
		return 0;
	if (!a->cnt) {
		fentry_arguments__declare(a, NULL); /* no longer needed */
		return 0;
	}
	err = place(a, prog, opts->expected_attach_type, target, &insns, error);
	if (err)
		return err;
	err = bpf_program__set_insns(prog, insns, bpf_program__insn_cnt(prog));
	free(insns);
	if (err)
		return fentry_error__set(error, err,
					 "can't change the instructions of program '%s': %s",
					 bpf_program__name(prog), strerror(-err));
	return 0;
}

int fentry_prog__insns_for(const struct bpf_program *prog, const struct fentry_target *target,
			   struct bpf_insn **ret, struct fentry_error *error)
{
	const struct fentry_arguments *a = fentry_arguments__of(prog);

	*ret = NULL;
	if (!a || !a->cnt)
		return 0;
	return place(a, prog, bpf_program__expected_attach_type(prog), target, ret, error);
}

bool fentry_prog__reads_by_name(const struct bpf_program *prog)
{
	const struct fentry_arguments *a = fentry_arguments__of(prog);

	return a && a->cnt;
}
