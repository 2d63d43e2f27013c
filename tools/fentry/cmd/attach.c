// SPDX-License-Identifier: GPL-2.0-only
/* A program on the functions of a selection. */
#include <errno.h>

#include "attach.h"
#include "open_files.h"
#include "progress.h"

/*
 * Removing a link takes the kernel 0.1 s: the user has to wait for more of them.
 */
#define DETACH_SILENTLY_MAX 10

/* Where attaching has to go one by one. */
struct pace {
	struct progress progress;
	struct waiter *w;
	size_t cnt;
};

int load_for_any(const struct selection *sel,
		 int (*load)(void *ctx, size_t i, struct fentry_error *error),
		 void *ctx)
{
	struct fentry_error first, error;
	int err = load(ctx, 0, &first);
	size_t i;

	for (i = 1; err && err != -EPERM && i < sel->cnt; i++)
		err = load(ctx, i, &error);
	if (!err)
		return 0;
	complain_load(&first);
	if (err != -EPERM && sel->cnt > 1)
		complain("no other of the %zu functions takes the program either",
			 sel->cnt);
	return EXIT_FAILED;
}

static bool go_on(void *ctx, size_t done)
{
	struct pace *p = ctx;

	progress__show(&p->progress, done, p->cnt);
	return !waiter__interrupted(p->w);
}

void complain_left_out(const struct selection *sel,
		       const struct fentry_multi *multi)
{
	const char *why;
	size_t i;

	for (i = 0; i < sel->cnt; i++) {
		why = fentry_multi__why(multi, i);
		if (why)
			complain("%s", why);
	}
}

int attach_to(const struct selection *sel, const struct bpf_program *prog,
	      const char *what, struct waiter *w, struct fentry_multi **ret)
{
	struct pace pace = {
		.progress = PROGRESS(what), .w = w, .cnt = sel->cnt,
	};
	LIBBPF_OPTS(fentry_multi_opts, opts, .go_on = go_on, .ctx = &pace);
	struct fentry_error error;
	int err;

	*ret = NULL;
	if (!fentry_has_multi() && open_files__reserve(sel->cnt))
		return EXIT_FAILED;
	err = fentry_multi__attach(prog, sel->targets, sel->cnt, &opts, ret,
				   &error);
	progress__end(&pace.progress);
	if (err) {
		complain("%s", error.msg);
		return EXIT_FAILED;
	}
	if (!w->interrupted)
		complain_left_out(sel, *ret);
	else if (!fentry_multi__attached(*ret))
		complain("interrupted before anything was attached");
	return fentry_multi__attached(*ret) ? 0 : EXIT_FAILED;
}

void detach(struct fentry_multi *multi)
{
	size_t i, cnt = multi ? fentry_multi__links(multi) : 0;
	struct progress progress = PROGRESS("detached");

	/*
	 * If there are many, say so at once: the user should not wonder what
	 * takes so long.
	 */
	progress.last.tv_sec = cnt > DETACH_SILENTLY_MAX;
	for (i = 0; i < cnt; i++) {
		progress__show(&progress, i, cnt);
		fentry_multi__detach_one(multi);
	}
	progress__end(&progress);
	fentry_multi__free(multi);
}
