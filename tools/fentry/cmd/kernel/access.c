// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>

#include "kernel/access.h"
#include "output/messages.h"

#define PRINTED	    ": bpf_trace_printk: "
#define NAME_LEN    16 /* of a task, padded on the left */
#define OTHER_FILES 64 /* maps, BTF of modules, what was inherited */

bool is_locked_down(void)
{
	FILE *f = fopen("/sys/kernel/security/lockdown", "re");
	char text[128] = "";

	if (!f)
		return false;
	if (!fgets(text, sizeof(text), f))
		text[0] = '\0';
	fclose(f);
	return strstr(text, "[confidentiality]");
}

bool ftrace_is_off(void)
{
	char state = '1';
	int fd = open("/proc/sys/kernel/ftrace_enabled", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, &state, 1) != 1)
		state = '1';
	if (fd >= 0)
		close(fd);
	return state == '0';
}

int check_ftrace(void)
{
	if (!ftrace_is_off())
		return 0;
	return failure(
		"kernel.ftrace_enabled is 0, so the kernel calls no program at functions: 'sysctl kernel.ftrace_enabled=1' changes that");
}

void complain_ftrace(void)
{
	if (ftrace_is_off())
		complain("kernel.ftrace_enabled became 0 meanwhile: calls may be missing");
}

static bool has_capability(unsigned int nr)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};

	return !syscall(SYS_capget, &header, data) && data[nr / 32].effective & 1U << nr % 32;
}

/* The library can't know why the kernel doesn't allow it. */
static void complain_forbidden(void)
{
	bool all = has_capability(CAP_SYS_ADMIN); /* stands for both */
	bool bpf = all || has_capability(CAP_BPF), perfmon = all || has_capability(CAP_PERFMON);

	if (bpf && perfmon)
		complain(
			"not allowed to load BPF programs, though this process has the capabilities: it is in a user namespace, or a security module forbids it");
	else
		complain("not allowed to load BPF programs: this process lacks %s%s%s",
			 bpf ? "" : "CAP_BPF", bpf || perfmon ? "" : " and ",
			 perfmon ? "" : "CAP_PERFMON");
}

void complain_load(const struct fentry_error *error)
{
	/* the verifier's words for a helper that isn't there */
	bool lacks_helper =
		strstr(error->msg, "cannot use helper") || strstr(error->msg, "unknown func");
	bool locked_down = lacks_helper && is_locked_down();

	if (strstr(error->msg, "not allowed to load BPF programs")) {
		complain_forbidden();
		return;
	}
	complain(
		"%s%s",
		locked_down ?
			"kernel lockdown (confidentiality) forbids programs to read kernel memory: " :
			"",
		error->msg);
}

int open_tracefs(const char *name, int flags, const char *purpose)
{
	static const char *const dirs[] = {
		"/sys/kernel/tracing",
		"/sys/kernel/debug/tracing",
	};
	char path[256];
	int fd = -1, i;

	for (i = 0; fd < 0 && i < 2 && (!i || errno == ENOENT); i++) {
		snprintf(path, sizeof(path), "%s/%s", dirs[i], name);
		fd = open(path, flags | O_CLOEXEC);
	}
	if (fd >= 0 || !purpose)
		return fd;
	if (errno != ENOENT)
		complain("can't %s: can't open %s: %s", purpose, path, strerror(errno));
	else if (is_locked_down())
		complain("can't %s: kernel lockdown (confidentiality) leaves nothing in tracefs",
			 purpose);
	else
		complain("can't %s: no %s/%s: mount tracefs (mount -t tracefs none %s)", purpose,
			 dirs[0], name, dirs[0]);
	return -1;
}

static struct rlimit inherited; /* soft limit 0: not raised */

void open_files__raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	inherited = limit;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int open_files__reserve(size_t files, size_t functions, size_t inlined)
{
	rlim_t need = files + OTHER_FILES;
	char what[COUNT_TEXT_MAX];
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= need)
		return 0;
	limit.rlim_cur = need;
	if (limit.rlim_max < need)
		limit.rlim_max = need;
	/* raising the hard limit takes CAP_SYS_RESOURCE */
	if (!setrlimit(RLIMIT_NOFILE, &limit))
		return 0;
	getrlimit(RLIMIT_NOFILE, &limit);
	count_text(functions, inlined, what);
	return failure(
		"%s need %llu open files, but this process may have %llu: raise the hard limit (ulimit -Hn), or trace fewer",
		what, (unsigned long long)need, (unsigned long long)limit.rlim_max);
}

void open_files__restore(void)
{
	if (inherited.rlim_cur)
		setrlimit(RLIMIT_NOFILE, &inherited);
}

/*
 * All programs' bpf_printk() and other tracing write into one buffer of the kernel. A line of it:
 *
 *	           <...>-1234    [001] d..31  5678.901234: bpf_trace_printk: text
 *
 * A task's name may have any characters, newlines too: it takes NAME_LEN bytes of the line.
 */
static const char *find_id(const char *line)
{
	const char *id = line + NAME_LEN, *cpu;

	if (strnlen(line, NAME_LEN + 1) <= NAME_LEN || *id != '-')
		return NULL;
	cpu = id + 1 + strspn(id + 1, "0123456789 ()");
	return *cpu == '[' ? id : NULL;
}

char *printed__end(char *line)
{
	return strchr(find_id(line) ? line + NAME_LEN : line, '\n');
}

int printed__own(void)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_current_pid_tgid },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int prog = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "own_tid", "GPL", insns, 2, NULL);
	int own = gettid();

	if (prog >= 0 && !bpf_prog_test_run_opts(prog, &opts))
		own = opts.retval;
	if (prog >= 0)
		close(prog);
	return own;
}

bool printed__is_wanted(const char *line, int own, bool before)
{
	const char *id = find_id(line);

	if (!id) /* a further line of a text */
		return before;
	return strstr(id, PRINTED) && atoi(id + 1) != own;
}
