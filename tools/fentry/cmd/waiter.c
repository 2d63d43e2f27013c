// SPDX-License-Identifier: GPL-2.0-only
/* What ends a trace: ^C, time, a command that ends. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "waiter.h"

#define TICK_MS 1000

int waiter__init(struct waiter *w)
{
	sigset_t mask;

	*w = (struct waiter){ .timer_fd = -1 };
	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGCHLD);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	w->signal_fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (w->signal_fd >= 0)
		return 0;
	complain("can't wait for signals: %s", strerror(errno));
	return EXIT_FAILED;
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
		spec.it_value.tv_nsec = 1;	/* 0 would mean never */
	w->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	if (w->timer_fd >= 0 && !timerfd_settime(w->timer_fd, 0, &spec, NULL))
		return 0;
	complain("can't set a timer: %s", strerror(errno));
	return EXIT_FAILED;
}

static int run_command(struct waiter *w, char **command)
{
	sigset_t none;

	w->command = command;
	w->child = fork();
	if (w->child < 0) {
		w->child = 0;
		complain("can't fork: %s", strerror(errno));
		return EXIT_FAILED;
	}
	if (!w->child) {
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		execvp(command[0], command);
		complain("can't run '%s': %s", command[0], strerror(errno));
		_exit(127);
	}
	return 0;
}

int waiter__start(struct waiter *w, double seconds, char **command)
{
	int status = seconds ? arm_timer(w, seconds) : 0;

	clock_gettime(CLOCK_MONOTONIC, &w->start);
	return !status && command ? run_command(w, command) : status;
}

/* Take what signals there are. Return whether one of them ends the trace. */
static bool take_signals(struct waiter *w)
{
	struct signalfd_siginfo info;
	bool ended = false;

	while (read(w->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo != SIGCHLD) {
			w->interrupted = true;
		} else if (w->child && waitpid(w->child, &w->child_status,
					       WNOHANG) == w->child) {
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

void waiter__wait(struct waiter *w, const struct waiter_events *events)
{
	struct pollfd fds[] = {
		{ .fd = w->signal_fd, .events = POLLIN },
		{ .fd = w->timer_fd, .events = POLLIN },
		{ .fd = events->fd, .events = POLLIN },
	};
	int cnt;

	for (;;) {
		cnt = poll(fds, 3, events->on_tick ? TICK_MS : -1);
		if (cnt < 0 && errno != EINTR) {
			complain("poll: %s", strerror(errno));
			return;
		}
		if (cnt <= 0) {
			if (events->on_tick)
				events->on_tick(events->ctx);
			continue;
		}
		if (fds[2].revents && events->on_input)
			events->on_input(events->ctx);
		if (fds[1].revents || (fds[2].revents && !events->on_input))
			return;
		if (fds[0].revents && take_signals(w))
			return;
	}
}

int waiter__status(const struct waiter *w)
{
	int status = w->child_status;

	if (!w->command)
		return 0;
	if (WIFSIGNALED(status))
		complain("'%s' was killed by signal %d", w->command[0],
			 WTERMSIG(status));
	else if (WEXITSTATUS(status))
		complain("'%s' exited with status %d", w->command[0],
			 WEXITSTATUS(status));
	return status ? EXIT_FAILED : 0;
}

void waiter__summary(const struct waiter *w, unsigned long long calls,
		     size_t functions)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	complain("%llu call%s of %zu function%s in %.1f s", calls,
		 calls == 1 ? "" : "s", functions, functions == 1 ? "" : "s",
		 now.tv_sec - w->start.tv_sec +
		 (now.tv_nsec - w->start.tv_nsec) / 1e9);
}
