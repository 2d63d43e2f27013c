// SPDX-License-Identifier: GPL-2.0
/* fentry trace: attach, report until told to stop, detach. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "session.h"

#define MAX_DURATION 1e9		/* seconds: 30 years */

struct trace_opts {
	const char *spec;
	bool count;
	double duration;		/* seconds; 0: no limit */
	char **command;			/* NULL-terminated; NULL: none */
};

/* What ends a trace. */
struct waiter {
	int signal_fd;
	int timer_fd;			/* -1: no limit */
	pid_t child;			/* 0: none, or it has ended */
	int child_status;		/* as waitpid() returns it */
};

static int parse_duration(const char *text, double *ret)
{
	char *end;
	double value;

	value = text ? strtod(text, &end) : 0;
	if (!text || end == text || *end || !isfinite(value) || value <= 0 ||
	    value > MAX_DURATION)
		return usage_error("trace: --duration needs a number of seconds above 0, not '%s'",
				   text ?: "");
	*ret = value;
	return 0;
}

static int parse_opts(int argc, char **argv, struct trace_opts *ret)
{
	int i, status;

	for (i = 0; i < argc; i++) {
		const char *arg = argv[i];

		if (!strcmp(arg, "--")) {
			ret->command = &argv[i + 1];
			if (!*ret->command)
				return usage_error("trace: no command after '--'");
			break;
		} else if (!strcmp(arg, "--count")) {
			ret->count = true;
		} else if (!strcmp(arg, "--duration")) {
			status = parse_duration(argv[++i], &ret->duration);
			if (status)
				return status;
		} else if (arg[0] == '-') {
			return usage_error("trace: unknown option '%s'", arg);
		} else if (ret->spec) {
			return usage_error("trace: one target, please, not '%s' too",
					   arg);
		} else {
			ret->spec = arg;
		}
	}
	return ret->spec ? 0 : usage_error("trace: which function?");
}

static int arm_timer(double seconds)
{
	struct itimerspec spec = {
		.it_value.tv_sec = seconds,
		.it_value.tv_nsec = fmod(seconds, 1) * 1e9,
	};
	int fd;

	if (!spec.it_value.tv_sec && !spec.it_value.tv_nsec)
		spec.it_value.tv_nsec = 1;	/* 0 would mean never */
	fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	if (fd >= 0 && timerfd_settime(fd, 0, &spec, NULL)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Block the signals that end a trace; they are read from waiter->signal_fd. */
static int waiter__init(struct waiter *w, double duration)
{
	sigset_t mask;

	*w = (struct waiter){ .timer_fd = -1 };
	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGCHLD);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	w->signal_fd = signalfd(-1, &mask, SFD_CLOEXEC);
	if (duration)
		w->timer_fd = arm_timer(duration);
	if (w->signal_fd < 0 || (duration && w->timer_fd < 0)) {
		complain("can't wait for signals: %s", strerror(errno));
		return EXIT_FAILED;
	}
	return 0;
}

static void waiter__fini(struct waiter *w)
{
	if (w->child)
		kill(w->child, SIGTERM);
	close(w->signal_fd);
	if (w->timer_fd >= 0)
		close(w->timer_fd);
}

static int waiter__run_command(struct waiter *w, char **command)
{
	sigset_t none;

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

/* Does this signal end the trace? */
static bool waiter__take_signal(struct waiter *w)
{
	struct signalfd_siginfo info;

	if (read(w->signal_fd, &info, sizeof(info)) != sizeof(info))
		return false;
	if (info.ssi_signo != SIGCHLD)
		return true;
	if (!w->child || waitpid(w->child, &w->child_status, WNOHANG) != w->child)
		return false;
	w->child = 0;
	return true;
}

static void wait_for_end(struct waiter *w, struct session *s)
{
	struct pollfd fds[] = {
		{ .fd = w->signal_fd, .events = POLLIN },
		{ .fd = w->timer_fd, .events = POLLIN },
		{ .fd = session__poll_fd(s), .events = POLLIN },
	};

	for (;;) {
		if (poll(fds, 3, -1) < 0 && errno != EINTR) {
			complain("poll: %s", strerror(errno));
			return;
		}
		if (fds[2].revents)
			session__print_events(s);
		if (fds[1].revents)
			return;
		if (fds[0].revents && waiter__take_signal(w))
			return;
	}
}

/* The command's own failure is one of ours. */
static int command_status(char **command, int status)
{
	if (WIFSIGNALED(status)) {
		complain("'%s' was killed by signal %d", command[0],
			 WTERMSIG(status));
		return EXIT_FAILED;
	}
	if (WEXITSTATUS(status)) {
		complain("'%s' exited with status %d", command[0],
			 WEXITSTATUS(status));
		return EXIT_FAILED;
	}
	return 0;
}

static int run_session(const struct trace_opts *opts, struct session *s)
{
	size_t attached = session__attached(s);
	struct waiter w;
	int status;

	status = waiter__init(&w, opts->duration);
	if (status)
		return status;
	complain("tracing %zu function%s%s", attached, attached == 1 ? "" : "s",
		 opts->command || opts->duration ? "" : ", end with ^C");
	if (opts->command)
		status = waiter__run_command(&w, opts->command);
	if (!status) {
		wait_for_end(&w, s);
		session__stop(s);
		session__print_events(s);
		if (opts->count)
			status = session__print_counts(s);
		session__report_losses(s);
		if (opts->command && !status)
			status = command_status(opts->command, w.child_status);
	}
	waiter__fini(&w);
	return status;
}

int cmd_trace(int argc, char **argv)
{
	const struct fentry_target **targets;
	struct trace_opts opts = {};
	struct fentry_error error;
	struct fentry_index *idx;
	struct session *s = NULL;
	size_t cnt;
	int status;

	status = parse_opts(argc, argv, &opts);
	if (status)
		return status;
	if (fentry_register(&error)) {
		complain("%s", error.msg);
		return EXIT_FAILED;
	}
	status = find_targets(opts.spec, false, &idx, &targets, &cnt);
	if (status)
		return status;
	status = session__start(idx, targets, cnt, opts.count, &s);
	if (!status)
		status = run_session(&opts, s);
	session__free(s);
	free(targets);
	fentry_index__free(idx);
	return status;
}
