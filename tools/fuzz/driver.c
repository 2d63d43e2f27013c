// SPDX-License-Identifier: GPL-2.0-only
/* What is between libFuzzer and a target: limits for each input, how many are taken, files. */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "fuzz.h"

#define CPU_SECONDS 10
#define FILE_BYTES  (16 << 20)

static unsigned long given, taken;
static bool is_taken;

static void too_much(int sig)
{
	static const char cpu[] = "an input takes more than 10 seconds of CPU\n";
	static const char size[] = "an input makes a file of more than 16 MB\n";
	const char *text = sig == SIGPROF ? cpu : size;

	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		_exit(1);
	abort();
}

static void print_taken(void)
{
	fprintf(stderr, "%lu of %lu inputs were taken\n", taken, given);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const struct rlimit file = { FILE_BYTES, FILE_BYTES };

	signal(SIGPROF, too_much);
	signal(SIGXFSZ, too_much);
	setrlimit(RLIMIT_FSIZE, &file);
	atexit(print_taken);
	if (!getenv("VERBOSE"))
		libbpf_set_print(NULL);
	/* libFuzzer itself writes to stderr */
	return freopen("/dev/null", "w", stdout) ? 0 : 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct itimerval limit = { .it_value.tv_sec = CPU_SECONDS };

	/* CPU time, as a busy machine isn't the input's fault */
	setitimer(ITIMER_PROF, &limit, NULL);
	is_taken = false;
	fuzz_one(data, size);
	given++;
	taken += is_taken;
	return 0;
}

void fuzz_taken(void)
{
	is_taken = true;
}

void fuzz_write(const char *name, const void *data, size_t size)
{
	FILE *file = fopen(name, "we");

	if (!file || fwrite(data, 1, size, file) != size || fclose(file)) {
		fprintf(stderr, "%s: %s\n", name, strerror(errno));
		_exit(1); /* it's no fault of the input */
	}
}

bool fuzz_write_raw_btf(const char *name, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf_Data *data = NULL;
	Elf_Scn *scn = NULL;
	const char *section;
	GElf_Shdr sh;
	size_t names;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf_getshdrstrndx(elf, &names))
		goto out;
	while (!data && (scn = elf_nextscn(elf, scn))) {
		section = gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name) : NULL;
		if (section && !strcmp(section, ".BTF.raw"))
			data = elf_rawdata(scn, NULL);
	}
	if (data)
		fuzz_write(name, data->d_buf ?: "", data->d_buf ? data->d_size : 0);
out:
	elf_end(elf);
	close(fd);
	return data;
}

size_t fuzz_size(const char *name)
{
	struct stat st;

	return stat(name, &st) ? 0 : st.st_size;
}

size_t fuzz_btf_size(const uint8_t *data, size_t size)
{
	struct btf_header hdr;
	uint64_t end;

	if (size < sizeof(hdr))
		return 0;
	memcpy(&hdr, data, sizeof(hdr));
	end = (uint64_t)hdr.hdr_len + hdr.str_off + hdr.str_len;
	return hdr.magic == BTF_MAGIC && end <= size ? end : 0;
}
