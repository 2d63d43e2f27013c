// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs tests of the kernel tree's tools/testing/selftests/bpf/prog_tests that need libbpf only, or
 * the kernel of the series and a module beside it. Their own runner, test_progs, can't be built
 * without hundreds of BPF programs and a kernel that has every feature they test.
 *
 * usage: run_prog_tests NAME
 *
 * Runs test_NAME() or serial_test_NAME() and prints each of its subtests and what failed there. The
 * status is 0 if all passed, 1 if something failed or doesn't exist, and 2 for wrong usage.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <bpf/libbpf.h>

int env_verbosity;
static int nr_failed;

/* The functions that test_progs.h declares and the tests call. */
bool test__start_subtest(const char *name);
void test__fail(void);
void test__skip(void);
int load_module(const char *path, bool verbose);
int unload_module(const char *name, bool verbose);
int write_sysctl(const char *sysctl, const char *value);

bool test__start_subtest(const char *name)
{
	/* It needs a running kernel with bpf_testmod. */
	if (!strcmp(name, "split_module"))
		return false;
	printf("subtest %s\n", name);
	return true;
}

void test__fail(void)
{
	nr_failed++;
}

/* Tests have no reason to skip: those that need a kernel run on one with all features. */
void test__skip(void)
{
	nr_failed++;
}

int load_module(const char *path, bool verbose)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int err = syscall(SYS_finit_module, fd, "", 0);

	close(fd);
	return err;
}

/* A program that was attached to the module goes some time after its last descriptor. */
int unload_module(const char *name, bool verbose)
{
	int i, err = -1;

	for (i = 0; i < 1000 && err; i++) {
		err = syscall(SYS_delete_module, name, O_NONBLOCK);
		if (err && errno != EAGAIN)
			break;
		usleep(err ? 10000 : 0);
	}
	return err;
}

int write_sysctl(const char *sysctl, const char *value)
{
	int fd = open(sysctl, O_WRONLY | O_CLOEXEC);
	int err = write(fd, value, strlen(value)) < 0 ? -errno : 0;

	close(fd);
	return err;
}

/* Print libbpf's messages: some tests expect a refusal, whose reason helps if they fail. */
static int print_libbpf(enum libbpf_print_level level, const char *format, va_list args)
{
	if (level == LIBBPF_DEBUG)
		return 0;
	printf("libbpf: ");
	return vprintf(format, args);
}

/* test_progs runs tests with the prefix serial_test_ alone. */
static void (*find_test(const char *test))(void)
{
	static const char *const prefixes[] = { "test_", "serial_test_" };
	char name[64];
	void *found = NULL;
	size_t i;

	for (i = 0; !found && i < 2; i++) {
		snprintf(name, sizeof(name), "%s%s", prefixes[i], test);
		found = dlsym(RTLD_DEFAULT, name);
	}
	return (void (*)(void))found;
}

int main(int argc, char **argv)
{
	void (*test)(void);

	if (argc != 2) {
		fprintf(stderr, "usage: %s NAME\n", argv[0]);
		return 2;
	}
	test = find_test(argv[1]);
	if (!test) {
		fprintf(stderr, "%s: no test %s in this program\n", argv[0], argv[1]);
		return 1;
	}
	libbpf_set_print(print_libbpf);
	test();
	printf("%d failed\n", nr_failed);
	return nr_failed ? 1 : 0;
}
