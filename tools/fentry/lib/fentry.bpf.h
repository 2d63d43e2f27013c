/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * For BPF programs that libfentry loads: arguments by name.
 *
 * A compiler may leave out parameters of a function, split them and reorder them. A program that
 * counts positions, as BPF_PROG() does, then reads another one. A program of this header is written
 * as the source has the function, and reads each argument wherever the function has it on this
 * kernel:
 *
 *	SEC("fentry/type_show")
 *	int FENTRY_PROG(on_type_show, struct device *dev,
 *			struct device_attribute *attr, char *buf)
 *	{
 *		...
 *
 * libfentry finds the parameters that the program uses by their names, and compares their types. A
 * parameter that isn't used may be missing. If a parameter that is used is missing, or has another
 * type, loading fails. If the compiler passes a parameter in parts, a program may name a part as
 * its own parameter: "attr__mode". Write parameters that are arrays or functions as pointers.
 *
 * FENTRY_PROG() takes only arguments, also at a function's exit. The last parameter of FEXIT_PROG()
 * is the return value.
 *
 * FENTRY_PROG2() and FEXIT_PROG2() have a comma between type and name, as BPF_PROG2() has, and take
 * structures of up to 16 bytes.
 *
 * In such a program, fentry_arg_exists(on_type_show, dev) says whether the argument (or return
 * value) is there, with this type. The verifier doesn't see the branch that isn't taken. Outside of
 * the branches, an argument that is asked for and missing is 0.
 *
 * FENTRY_PROBE_PROG() is for SEC("fentry.probe/name"), see below.
 *
 * Without libfentry, the kernel refuses such a program.
 */
#ifndef FENTRY_BPF_H
#define FENTRY_BPF_H

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

/*
 * No kernel has this structure, so libbpf makes an invalid instruction of each access to it.
 * libfentry knows the access by its offset, which no other structure of the program reaches: see
 * arguments.c. The last argument is the return value. The name is a flavour of list_head, which
 * every kernel has: for a name that vmlinux lacks, libbpf reads the BTF of all modules, and fails
 * if it may not.
 */
struct list_head___fentry {
	char before[32512];
	unsigned long long arg[26]; /* two for each */
} __attribute__((preserve_access_index));

/*
 * m(k, x) for each parameter x, but l(k, x) for the last one. A macro isn't expanded within itself,
 * so ___fentry_next() leaves its next turn to be expanded again.
 */
#define ___fentry_9(...)	  ___fentry_3(___fentry_3(___fentry_3(__VA_ARGS__)))
#define ___fentry_3(...)	  ___fentry_1(___fentry_1(___fentry_1(__VA_ARGS__)))
#define ___fentry_1(...)	  __VA_ARGS__
#define ___fentry_parens	  ()
#define ___fentry_first(f, ...)	  f
#define ___fentry_each(m, l, ...) __VA_OPT__(___fentry_9(___fentry_next(m, l, 0, __VA_ARGS__)))
#define ___fentry_next(m, l, k, x, ...)            \
	___fentry_first(__VA_OPT__(m, ) l, )(k, x) \
		__VA_OPT__(___fentry_again ___fentry_parens(m, l, k + 1, __VA_ARGS__))
#define ___fentry_again() ___fentry_next

/* The same for pairs of a type and a name: m(k, t, x). */
#define ___fentry_pairs(m, l, ...) __VA_OPT__(___fentry_9(___fentry_next2(m, l, 0, __VA_ARGS__)))
#define ___fentry_next2(m, l, k, t, x, ...)           \
	___fentry_first(__VA_OPT__(m, ) l, )(k, t, x) \
		__VA_OPT__(___fentry_again2 ___fentry_parens(m, l, k + 1, __VA_ARGS__))
#define ___fentry_again2() ___fentry_next2

/* The assembly keeps the compiler from joining loads. An unused load is dropped. */
#define ___fentry_half(k, half)                                                  \
	({                                                                       \
		unsigned long long ____half =                                    \
			((struct list_head___fentry *)ctx)->arg[2 * (k) + half]; \
		asm("" : "+r"(____half));                                        \
		____half;                                                        \
	})

#define ___fentry_member(k, x)   \
	x;                       \
	_Static_assert((k) < 12, \
		       "at most 12 parameters, return value included: leave out unused ones");
/* Converts as BPF_PROG() does, but a bool or another byte is only one byte of the register. */
#define ___fentry_value(k, x)                                                         \
	, (void *)(sizeof(struct { x; }) == 1 ? (unsigned char)___fentry_half(k, 0) : \
						___fentry_half(k, 0))
#define ___fentry_return(k, x) ___fentry_value(12, x)

#define ___fentry_member2(k, t, x) ___fentry_member(k, t x)
#define ___fentry_param2(k, t, x)  , t x
#define ___fentry_uint(t)                                  \
	typeof(__builtin_choose_expr(                      \
		sizeof(t) == 1, (unsigned char)0,          \
		__builtin_choose_expr(                     \
			sizeof(t) == 2, (unsigned short)0, \
			__builtin_choose_expr(sizeof(t) == 4, (unsigned int)0, 0ULL))))
#define ___fentry_value2(k, t, x)                                                                 \
	, ({                                                                                      \
		_Static_assert(sizeof(t) <= 16, "up to 16 bytes are in registers");               \
		union {                                                                           \
			___fentry_uint(t) half[2];                                                \
			t value;                                                                  \
		} ____u = { { ___fentry_half(k, 0), sizeof(t) > 8 ? ___fentry_half(k, 1) : 0 } }; \
		____u.value;                                                                      \
	})
#define ___fentry_return2(k, t, x) ___fentry_value2(12, t, x)

/*
 * @when: entry or exit. The size of this member marks the offsets of fentry_arg_exists().
 * @first: the program's first statements.
 * The compiler inlines the function with the parameters, so BTF lacks them. The unused function
 * ____fentry_NAME() keeps a structure with them in BTF.
 */
#define ___fentry_prog(name, when, first, members, values, params...)                             \
	name(unsigned long long *ctx);                                                            \
	struct list_head___fentry_##name {                                                        \
		char when[0xf000000];                                                             \
		struct {                                                                          \
			members                                                                   \
		} parameters;                                                                     \
	} __attribute__((preserve_access_index));                                                 \
	static __attribute__((used)) void ____fentry_##name(                                      \
		struct list_head___fentry_##name *parameters)                                     \
	{                                                                                         \
		(void)parameters;                                                                 \
	}                                                                                         \
	static __always_inline typeof(name(0)) ____##name(params);                                \
	typeof(name(0)) name(unsigned long long *ctx)                                             \
	{                                                                                         \
		first;                                                                            \
		_Pragma("GCC diagnostic push")                                                    \
			_Pragma("GCC diagnostic ignored \"-Wint-conversion\"") return ____##name( \
				ctx values);                                                      \
		_Pragma("GCC diagnostic pop")                                                     \
	}                                                                                         \
	static __always_inline typeof(name(0)) ____##name(params)

#define ___fentry_named(name, when, last, args...)                                               \
	___fentry_prog(name, when, , ___fentry_each(___fentry_member, ___fentry_member, ##args), \
		       ___fentry_each(___fentry_value, last, ##args), unsigned long long *ctx,   \
		       ##args)
#define FENTRY_PROG(name, args...) ___fentry_named(name, entry, ___fentry_value, ##args)
#define FEXIT_PROG(name, args...)  ___fentry_named(name, exit, ___fentry_return, ##args)

#define ___fentry_named2(name, when, last, args...)                                                \
	___fentry_prog(name, when, ,                                                               \
		       ___fentry_pairs(___fentry_member2, ___fentry_member2, ##args),              \
		       ___fentry_pairs(___fentry_value2, last, ##args),                            \
		       unsigned long long *ctx ___fentry_pairs(___fentry_param2, ___fentry_param2, \
							       ##args))
#define FENTRY_PROG2(name, args...) ___fentry_named2(name, entry, ___fentry_value2, ##args)
#define FEXIT_PROG2(name, args...)  ___fentry_named2(name, exit, ___fentry_return2, ##args)

/* Where an argument of one call is; libfentry fills it in. */
struct fentry_arg {
	unsigned long long offset;
	unsigned char place; /* enum fentry_place of libfentry.h */
	unsigned char size;
	unsigned char reg; /* offset in struct pt_regs */
	unsigned char pad[5];
};

struct fentry_args {
	struct fentry_arg arg[12];
};

static __always_inline unsigned long long ___fentry_read(void *ctx, const struct fentry_arg *arg)
{
	unsigned long long n = 0;
	void *pointed;

	if (arg->place == 1)
		return arg->offset;
	bpf_probe_read_kernel(&n, sizeof(n), (char *)ctx + arg->reg);
	n += arg->offset;
	if (arg->place != 4)
		return n;
	pointed = (void *)n;
	n = 0;
	bpf_probe_read_kernel(&n, arg->size <= 8 ? arg->size : 8, pointed);
	return n;
}

#define ___fentry_call_value(k, x)                                                   \
	, ({                                                                         \
		_Static_assert(sizeof(struct { x; }) <= 8, "up to 8 bytes");         \
		unsigned long long ____n = ___fentry_read(ctx, &____args->arg[k]);   \
		(void *)(sizeof(struct { x; }) == 1 ? (unsigned char)____n : ____n); \
	})

/*
 * A program at all calls of a function, inlined ones included. Each call has the arguments in other
 * places. Its attach cookie is the key of these places in the map. All parameters that the program
 * declares must be known at each call: leave out those that aren't needed.
 *
 *	SEC("fentry.probe/vfs_open")
 *	int FENTRY_PROBE_PROG(on_open, struct file *file)
 */
#define FENTRY_PROBE_PROG(name, args...)                                                           \
	name(unsigned long long *ctx);                                                             \
	struct {                                                                                   \
		__uint(type, BPF_MAP_TYPE_HASH);                                                   \
		__uint(map_flags, BPF_F_NO_PREALLOC);                                              \
		__uint(max_entries, 1 << 20);                                                      \
		__type(key, unsigned long long);                                                   \
		__type(value, struct fentry_args);                                                 \
	} name##_args SEC(".maps");                                                                \
	typeof(name(0)) ___fentry_prog(                                                            \
		name, entry, unsigned long long ____call = bpf_get_attach_cookie(ctx);             \
		const struct fentry_args *____args = bpf_map_lookup_elem(&name##_args, &____call); \
		if (!____args) return 0,                                                           \
		___fentry_each(___fentry_member, ___fentry_member, ##args),                        \
		___fentry_each(___fentry_call_value, ___fentry_call_value, ##args),                \
		unsigned long long *ctx, ##args)

/* Flavours, as a program may have its own structures of these names. */
struct upid___fentry {
	int nr;
	struct pid_namespace___fentry *ns;
} __attribute__((preserve_access_index));

struct pid___fentry {
	unsigned int level;
	struct upid___fentry numbers[1];
} __attribute__((preserve_access_index));

struct ns_common___fentry {
	unsigned int inum;
} __attribute__((preserve_access_index));

struct pid_namespace___fentry {
	struct ns_common___fentry ns;
} __attribute__((preserve_access_index));

struct task_struct___fentry {
	struct pid___fentry *thread_pid;
	struct task_struct___fentry *group_leader;
} __attribute__((preserve_access_index));

#define ___fentry_load(to, from) bpf_probe_read_kernel(to, sizeof(*(to)), from)

/*
 * The running task as a PID namespace numbers it, by the levels of namespaces that it is in. Linux
 * 6.1's verifier sees the end of a loop only where the counter is compared with a constant.
 */
static __always_inline unsigned long long ___fentry_pid_tgid(unsigned long long ino)
{
	const struct task_struct___fentry *leader, *task = (void *)bpf_get_current_task();
	const struct pid_namespace___fentry *ns;
	const struct pid___fentry *process, *thread;
	unsigned int level = 0, inum;
	int i, pid, tid;

	if (___fentry_load(&leader, &task->group_leader) ||
	    ___fentry_load(&process, &leader->thread_pid) ||
	    ___fentry_load(&thread, &task->thread_pid) || ___fentry_load(&level, &thread->level))
		return -1;
	for (i = 0; i <= 32; i++) { /* MAX_PID_NS_LEVEL */
		asm volatile("" : "+r"(i));
		if (i > level || ___fentry_load(&ns, &thread->numbers[i].ns) ||
		    ___fentry_load(&inum, &ns->ns.inum))
			return -1;
		if (inum != ino)
			continue;
		if (___fentry_load(&pid, &process->numbers[i].nr) ||
		    ___fentry_load(&tid, &thread->numbers[i].nr))
			return -1;
		return (unsigned long long)pid << 32 | (unsigned int)tid;
	}
	return -1;
}

/*
 * The running task as a PID namespace numbers it: as bpf_get_current_pid_tgid(), the process in the
 * upper half and the thread in the lower one, or all ones if the task isn't in the namespace. A
 * process finds its own namespace by stat("/proc/self/ns/pid"): @ino is st_ino, and @dev is
 * major(st_dev) << 20 | minor(st_dev). In the kernel's first namespace, where st_ino is 0xeffffffc,
 * give 0 for both, as constants: then it is bpf_get_current_pid_tgid() and costs nothing more.
 */
static __always_inline unsigned long long fentry_pid_tgid(unsigned long long dev,
							  unsigned long long ino)
{
	struct bpf_pidns_info own;

	if (!ino)
		return bpf_get_current_pid_tgid();
	/* this knows the tasks whose innermost namespace it is */
	if (!bpf_get_ns_current_pid_tgid(dev, ino, &own, sizeof(own)))
		return (unsigned long long)own.tgid << 32 | own.pid;
	return ___fentry_pid_tgid(ino);
}

/* 0 is BPF_FIELD_BYTE_OFFSET; libfentry makes it 1 or 0. */
#define fentry_arg_exists(name, arg)                                                            \
	(__builtin_preserve_field_info(((struct list_head___fentry_##name *)0)->parameters.arg, \
				       0) != 0)

#endif /* FENTRY_BPF_H */
