/* SPDX-License-Identifier: GPL-2.0-only */
/* What ends a trace: ^C, time, a command or process that ends. */
#ifndef FENTRY_WAITER_H
#define FENTRY_WAITER_H

#include <stdbool.h>
#include <sys/types.h>

struct waiter {
	int signal_fd;
	int timer_fd;	      /* isn't armed if there is no limit */
	int process_fd;	      /* a pidfd: the end of its process ends the wait; -1: none */
	char **command;	      /* NULL: none */
	pid_t child;	      /* 0: none, or it has ended */
	int child_status;     /* as waitpid() returns it */
	bool interrupted;     /* by a signal */
	long long start, end; /* of what was measured; ms */
};

/* What is done while waiting. */
struct waiter_events {
	/* calls count from now on, or no longer; NULL: nothing */
	void (*measure)(void *ctx, bool on);
	int fd; /* watched for input; -1: none */
	/* takes a portion of the input; NULL: input ends the wait */
	void (*on_input)(void *ctx);
	int pause_ms;		    /* after a portion; 0: none */
	void (*on_tick)(void *ctx); /* each second; NULL: nothing */
	void *ctx;
};

/* CLOCK_MONOTONIC in ms. */
long long clock_ms(void);

/*
 * Take over SIGCHLD and the signals that end a trace, or complain.
 *
 * The caller may set process_fd. See waiter__fini().
 */
int waiter__init(struct waiter *w);

/* Release it, end the command if it runs. */
void waiter__fini(struct waiter *w);

/* Has a signal asked to end? */
bool waiter__interrupted(struct waiter *w);

/* Complain if one has, before anything is attached. Return: an exit status. */
int waiter__check(struct waiter *w);

/*
 * Empty the file that results go to, or complain.
 * @path: of output__redirect(); NULL: they go to stdout
 *
 * Fails if a signal has asked to end.
 */
int waiter__empty_output(struct waiter *w, const char *path);

/*
 * Measure until the end, or complain. Output is collected, and written, until
 * output__end().
 * @seconds: end after this time; 0: no limit
 * @command: NULL-terminated, run by execvp(), the trace ends with it; NULL: none
 * @events: what is done meanwhile
 *
 * If output can't be written any more, the wait ends, too. After a signal the command isn't run.
 * Ends with waiter__release().
 */
int waiter__run(struct waiter *w, double seconds, char **command,
		const struct waiter_events *events);

/*
 * Let the signals that end a trace end the process at once, unseen by @w.
 *
 * After such a signal, links are detached in the background. A signal within 0.2 s is taken for a
 * repetition of the one that ended the wait. A second call does nothing.
 */
void waiter__release(struct waiter *w);

/*
 * Say on stderr how many calls were measured, and for how long.
 * @of: what the calls are of, as count_text() writes it
 */
void waiter__summary(const struct waiter *w, unsigned long long calls, const char *of);

/* Complain about a command that failed. */
int waiter__status(const struct waiter *w);

#endif /* FENTRY_WAITER_H */
