// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/waiter.h"
#include "kernel/access.h"
#include "output/messages.h"
#include "output/stream.h"

#define TICK_MS 1000
/* timeout(1) and the like send a signal twice: to the process, and to its group */
#define SAME_SIGNAL_MS 200

/* For leave(), which is a signal handler. */
static long long released; /* ms; 0: not yet */
static volatile pid_t child_to_end;

/*
 * The signals that end a trace. nohup(1) has SIGHUP ignored. SIGPIPE, of a reader that went away,
 * mustn't end fentry alone: its command would go on.
 */
static void ending_signals(sigset_t *ret)
{
	struct sigaction hangup;

	sigemptyset(ret);
	sigaddset(ret, SIGINT);
	sigaddset(ret, SIGTERM);
	sigaddset(ret, SIGPIPE);
	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN)
		sigaddset(ret, SIGHUP);
}

long long clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

int waiter__init(struct waiter *w)
{
	sigset_t mask;

	*w = (struct waiter){
		/* created now: later, the process may have as many files as it is allowed */
		.timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC),
		.process_fd = -1,
	};
	ending_signals(&mask);
	sigaddset(&mask, SIGCHLD);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	w->signal_fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (w->signal_fd >= 0 && w->timer_fd >= 0)
		return 0;
	return failure("can't wait for signals and time: %s", strerror(errno));
}

void waiter__fini(struct waiter *w)
{
	if (w->child)
		kill(w->child, SIGTERM);
	if (w->signal_fd >= 0)
		close(w->signal_fd);
	if (w->timer_fd >= 0)
		close(w->timer_fd);
}

static int arm_timer(struct waiter *w, double seconds)
{
	struct itimerspec spec = {
		.it_value.tv_sec = seconds,
		.it_value.tv_nsec = fmod(seconds, 1) * 1e9,
	};

	if (!spec.it_value.tv_sec && !spec.it_value.tv_nsec)
		spec.it_value.tv_nsec = 1; /* 0 would mean never */
	if (!timerfd_settime(w->timer_fd, 0, &spec, NULL))
		return 0;
	return failure("can't set a timer: %s", strerror(errno));
}

static int run_command(struct waiter *w, char **command)
{
	sigset_t none;

	w->command = command;
	w->child = fork();
	if (w->child < 0) {
		w->child = 0;
		return failure("can't fork: %s", strerror(errno));
	}
	if (!w->child) {
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		open_files__restore();
		execvp(command[0], command);
		complain("can't run '%s': %s", command[0], strerror(errno));
		_exit(127);
	}
	return 0;
}

/* Take the signals that are pending. Return whether one of them ends the trace. */
static bool take_signals(struct waiter *w)
{
	struct signalfd_siginfo info;
	bool ended = false;

	while (read(w->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo != SIGCHLD) {
			w->interrupted = true;
		} else if (w->child && waitpid(w->child, &w->child_status, WNOHANG) == w->child) {
			w->child = 0;
			ended = true;
		}
	}
	return ended || w->interrupted;
}

bool waiter__interrupted(struct waiter *w)
{
	take_signals(w);
	return w->interrupted;
}

int waiter__check(struct waiter *w)
{
	if (!waiter__interrupted(w))
		return 0;
	return failure("interrupted before anything was attached");
}

/* The descriptors that wait_for_end() watches. */
enum { ON_SIGNAL, ON_TIME, ON_PROCESS, ON_OUTPUT, ON_INPUT, FD_CNT };

static void set_fds(const struct waiter *w, const struct waiter_events *events, bool paused,
		    struct pollfd fds[FD_CNT])
{
	/* input waits if there is no room for what is printed of it */
	bool take = !paused && !(events->on_input && output__is_full());

	fds[ON_SIGNAL] = (struct pollfd){ w->signal_fd, POLLIN, 0 };
	fds[ON_TIME] = (struct pollfd){ w->timer_fd, POLLIN, 0 };
	fds[ON_PROCESS] = (struct pollfd){ w->process_fd, POLLIN, 0 };
	fds[ON_OUTPUT] = (struct pollfd){ output__poll_fd(), POLLOUT, 0 };
	fds[ON_INPUT] = (struct pollfd){ take ? events->fd : -1, POLLIN, 0 };
}

/* Milliseconds until @when, or -1 if there is no such time. */
static int ms_until(long long when)
{
	long long left = when - clock_ms();

	if (!when)
		return -1;
	return left > 0 ? left : 0;
}

/*
 * Each turn looks at everything that may end the wait, and takes a portion of the input: no amount
 * of input keeps a signal from being seen.
 */
static void wait_for_end(struct waiter *w, const struct waiter_events *events)
{
	long long tick = events->on_tick ? clock_ms() + TICK_MS : 0, pause = 0;
	struct pollfd fds[FD_CNT];

	while (output__write()) {
		if (pause && !ms_until(pause))
			pause = 0;
		set_fds(w, events, pause, fds);
		if (poll(fds, FD_CNT, ms_until(pause ?: tick)) < 0 && errno != EINTR) {
			complain("poll: %s", strerror(errno));
			return;
		}
		if (fds[ON_SIGNAL].revents && take_signals(w))
			return;
		if (fds[ON_TIME].revents || fds[ON_PROCESS].revents ||
		    (fds[ON_INPUT].revents && !events->on_input))
			return;
		if (fds[ON_INPUT].revents) {
			events->on_input(events->ctx);
			pause = events->pause_ms ? clock_ms() + events->pause_ms : 0;
		}
		if (tick && !ms_until(tick)) {
			events->on_tick(events->ctx);
			tick = clock_ms() + TICK_MS;
		}
	}
}

int waiter__empty_output(struct waiter *w, const char *path)
{
	if (path && waiter__interrupted(w))
		return failure("interrupted before all was attached: %s stays as it is", path);
	return path ? output__empty(path) : 0;
}

int waiter__run(struct waiter *w, double seconds, char **command,
		const struct waiter_events *events)
{
	int status = output__begin();

	if (!status && seconds)
		status = arm_timer(w, seconds);
	w->start = clock_ms();
	if (events->measure)
		events->measure(events->ctx, true);
	/* a signal may have come while programs were attached */
	if (waiter__interrupted(w))
		complain("interrupted while programs were attached");
	else if (!status && command)
		status = run_command(w, command);
	if (!status && !waiter__interrupted(w))
		wait_for_end(w, events);
	if (events->measure)
		events->measure(events->ctx, false);
	w->end = clock_ms();
	waiter__release(w);
	return status;
}

/*
 * The last process that has the links can't end until the kernel has removed them. So a child, for
 * which nobody waits, is the last one.
 */
static void leave(int sig)
{
	int fd;

	if (clock_ms() - released < SAME_SIGNAL_MS)
		return;
	if (child_to_end)
		kill(child_to_end, SIGTERM);
	if (!_Fork())
		for (fd = 0; fd <= STDERR_FILENO; fd++)
			close(fd);
	_exit(128 + sig);
}

void waiter__release(struct waiter *w)
{
	struct sigaction action = { .sa_handler = leave, .sa_flags = SA_RESTART };
	sigset_t mask;
	int sig;

	if (released)
		return;
	ending_signals(&mask);
	child_to_end = w->child;
	released = clock_ms();
	for (sig = 1; sig < _NSIG; sig++)
		if (sigismember(&mask, sig) == 1)
			sigaction(sig, &action, NULL);
	sigprocmask(SIG_UNBLOCK, &mask, NULL);
}

int waiter__status(const struct waiter *w)
{
	int status = w->child_status;

	if (!w->command)
		return 0;
	if (WIFSIGNALED(status))
		complain("'%s' was killed by signal %d", w->command[0], WTERMSIG(status));
	else if (WEXITSTATUS(status))
		complain("'%s' exited with status %d", w->command[0], WEXITSTATUS(status));
	return status ? EXIT_FAILED : 0;
}

void waiter__summary(const struct waiter *w, unsigned long long calls, const char *of)
{
	complain("%llu call%s of %s in %.1f s", calls, calls == 1 ? "" : "s", of,
		 (w->end - w->start) / 1e3);
	complain_ftrace();
}
