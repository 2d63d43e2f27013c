/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Ways of attaching a program to many functions, or to many inlined calls. Each has a file,
 * way_NAME.c, and a row in the table of multi.c: nothing else knows which there are.
 */
#ifndef FENTRY_WAY_H
#define FENTRY_WAY_H

#include "libfentry.h"

/* Where a program is to be attached, and what became of that. */
struct fentry_point {
	const struct fentry_target *target;
	/* An inlined call, or the entry of a function, for a probe; NULL: for a trampoline. */
	const struct fentry_inlined_call *call;
	const struct fentry_way *way; /* that has attached the program; NULL */
	char *why;		      /* it is left out, or NULL */
};

struct fentry_multi {
	const struct bpf_program *prog;
	struct fentry_multi_opts opts;
	struct fentry_error *error; /* of the user, while points are attached; may be NULL */
	struct fentry_point *points;
	size_t cnt;
	const struct fentry_target **owned; /* targets that the user hasn't given */
	struct fentry_multi_link {
		const struct fentry_way *way;
		int prog_fd; /* its own; -1: the program is prog */
		int fd;
		unsigned int event; /* for the way's forget() */
	} * links;		    /* room for one for each point */
	size_t link_cnt, left_out;
	size_t tries;	     /* that opts.go_on was called for */
	const char *no_addr; /* why an address isn't known; NULL: all are, so far */
};

struct fentry_way {
	const char *name; /* see fentry_multi__by() */
	/* Can it attach the program there? */
	bool (*takes)(const struct fentry_multi *m, const struct fentry_point *p);
	/*
	 * Attach the program to points, by their positions, whose order may be changed. The
	 * position is the cookie. A point that can't be attached to is left out; one that the
	 * next way may take stays as it is. Returns 0, or an error that isn't a point's fault.
	 */
	int (*attach)(struct fentry_multi *m, size_t *nrs, size_t cnt);
	/* How many calls the link hasn't told its program of. NULL: it tells it of all. */
	unsigned long long (*missed)(int fd);
	/* Release what a link had beside its file descriptor, which is closed. NULL: nothing. */
	void (*forget)(unsigned int event);
};

extern const struct fentry_way fentry_way_tracing_multi, fentry_way_trampoline,
	fentry_way_kprobe_multi, fentry_way_kprobe_session, fentry_way_perf_event,
	fentry_way_trace_event;

/* Why a function that ftrace doesn't know is left out. */
#define FENTRY_NO_SITE \
	"it has no ftrace site: it is notrace, or init text, which is freed after boot"

/* Leave out the point at position @i, for a reason such as fentry_multi__why() returns. */
int fentry_multi__leave_out(struct fentry_multi *m, size_t i, const char *message);

/* The same, with a @why that doesn't name the point. */
int fentry_multi__refuse(struct fentry_multi *m, size_t i, const char *why);

/* Note a link, which has the point at position @i. @prog_fd: see above */
void fentry_multi__add_link(struct fentry_multi *m, const struct fentry_way *way, size_t i,
			    int prog_fd, int fd);

/* May the next link be made? */
bool fentry_multi__goes_on(struct fentry_multi *m);

/* Load a program that does nothing, to try what the kernel has. Returns its file descriptor. */
int fentry_load_idle(enum bpf_prog_type type, int attach_type);

/*
 * What the kernel's error for a probe means: leaves the point out. Returns 0 if others can still be
 * attached.
 */
int fentry_multi__refuse_probe(struct fentry_multi *m, size_t i, int err);

/* How many calls a probe's link has missed. */
unsigned long long fentry_probe_link__missed(int fd);

/* Does the kernel know that? */
bool fentry_probe_link__tells(int fd);

/* In way_tracing_multi.c: */

/* Move positions of functions that share the first one's BTF to the front. Returns how many. */
size_t fentry_points__group(const struct fentry_point *points, size_t *nrs, size_t cnt);

/* In way_kprobe_multi.c: */

/* Where the probes of a kprobe_multi link are: numbers of include/uapi/linux/bpf.h */
#define FENTRY_PROBES_ENTRY  0
#define FENTRY_PROBES_RETURN (1U << 0)
#define FENTRY_PROBES_ANY    (1U << 1)

/*
 * Attach a program of an attach type for many probes to addresses, all or none. Returns a link's
 * file descriptor, or a negative errno; then @failed is the position of the address that the kernel
 * refused, or at least @cnt if it didn't say.
 */
int fentry_probe_link__create(int prog_fd, int type, __u32 flags, const __u64 *addrs,
			      const __u64 *cookies, __u32 cnt, __u32 *failed);

/* In way_perf_event.c: */

/* Returns the type of the kernel's perf events for kprobes; 0 if there is none. */
int fentry_probe_event__type(void);

/*
 * Attach a program without expected attach type to one address, by a perf event of this type; or to
 * the return of the function there, if @exit. Returns a link's file descriptor, or a negative
 * errno. The link keeps the event.
 */
int fentry_probe_event__create(int type, bool exit, int prog_fd, __u64 addr, __u64 cookie);

/* In multi.c: */

/* Leave out points that the kernel is known to refuse. Returns 0, or why nothing is attached. */
int fentry_multi__check(struct fentry_multi *m);

/*
 * As fentry_multi__attach_inlined(); or, without @calls, as fentry_multi__attach(). @whys: reasons
 * not to try a point, or NULL
 */
int fentry_multi__attach_points(const struct bpf_program *prog,
				const struct fentry_target *const *targets,
				const struct fentry_inlined_call *const *calls,
				const char *const *whys, size_t cnt,
				const struct fentry_multi_opts *opts, struct fentry_multi **ret,
				struct fentry_error *error);

#endif /* FENTRY_WAY_H */
