// SPDX-License-Identifier: GPL-2.0-only
/*
 * btfaddr - tell BTF where its functions are
 *
 * Reads a vmlinux or a module with DWARF and the .BTF that pahole made, and writes BTF in which
 * each function instance that ftrace can patch has a FUNC of its own, with its signature at its
 * address, and its offset from _text; in a module, its section and its offset in the section:
 *
 *	struct btf_type { name_off, info = FUNC | kind_flag, type = FUNC_PROTO }
 *	struct btf_func_addr { addr }
 *
 * Later the kernel's build moves the addresses to another section: see input.c.
 */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "annotate/annotate.h"
#include "btf/btf_index.h"
#include "btf/check.h"
#include "btf/input.h"
#include "elf/module_link.h"
#include "funcs/signatures.h"
#include "inline/inline.h"

#define EXIT_USAGE 2

/* The kernel's scripts/btfaddr-version.sh takes a first line of just this form. */
const char *argp_program_version = "btfaddr " INTERFACE "\nrelease " VERSION;

static const char doc[] =
	"Give each FUNC of a kernel's BTF the address of its function.\v"
	"INPUT is a vmlinux with DWARF, a symbol table and the .BTF section that pahole -J "
	"wrote. OUTPUT is a raw BTF file, in the extended form that the kernel is built "
	"with (CONFIG_DEBUG_INFO_BTF_FUNC_ADDR), or in the ordinary form with --legacy. If "
	"INPUT's BTF has addresses already, they are checked and the BTF is taken as it is; "
	"INPUT may be a raw BTF file then.\n\n"
	"INPUT may also be a module, whose BTF needs --btf_base. OUTPUT is the module's BTF "
	"then.\n\n"
	"Exit status: 0 done, 1 failed, 2 usage error.";

/* More threads gain nothing, as work that only one thread can do then takes most of the time. */
#define MAX_JOBS 16

enum {
	OPT_BTF = 1000,
	OPT_BTF_BASE,
	OPT_LEGACY,
	OPT_CHECK,
	OPT_STATS,
	OPT_DUMP,
	OPT_LEFT_OUT,
	OPT_FUNCTIONS
};

static const struct argp_option options[] = {
	{ "output", 'o', "OUTPUT", 0,
	  "write BTF to OUTPUT, as a whole or not at all; OUTPUT may be the FILE of --btf", 0 },
	{ "jobs", 'j', "N", 0, "read DWARF on N threads (default: one for each CPU)", 0 },
	{ "btf", OPT_BTF, "FILE", 0,
	  "take BTF from the raw FILE instead of INPUT's .BTF, which need not be there", 0 },
	{ "btf_base", OPT_BTF_BASE, "VMLINUX", 0,
	  "vmlinux, or raw BTF, that a module's BTF is based on", 0 },
	{ "legacy", OPT_LEGACY, NULL, 0, "write ordinary BTF: no addresses, same type ids", 0 },
	{ "functions", OPT_FUNCTIONS, "FILE", 0,
	  "write to FILE what BTF doesn't say of functions, such as where they are inlined, as "
	  "split BTF based on OUTPUT's BTF or, without OUTPUT, on INPUT's; if FILE is a folder, "
	  "there may be many modules, and each has a file there",
	  0 },
	{ "check", OPT_CHECK, NULL, 0,
	  "write nothing; check that each address in INPUT's BTF has a symbol of that name", 0 },
	{ "stats", OPT_STATS, "json", OPTION_ARG_OPTIONAL,
	  "print what became of the functions, as JSON if asked", 0 },
	{ "dump", OPT_DUMP, NULL, 0,
	  "print each FUNC: offset from _text, or of a module section+offset, type id, "
	  "compilation unit, prototype",
	  0 },
	{ "left-out", OPT_LEFT_OUT, NULL, 0,
	  "print each function that gets no address: offset, name, reason", 0 },
	{},
};

/*
 * @inputs: all of them; @input is the first
 * @base: what @btf_base has, if it has been read already
 * @many: @inlined is a folder
 * @once: the process ends with its result. Its memory isn't freed then, as that would take a
 * twentieth of a run.
 */
struct opts {
	const char *input, *output, *btf, *btf_base, *inlined;
	const char **inputs;
	u32 nr_inputs;
	const struct btf_image *base;
	bool legacy, check, stats, json, dump, left_out, once, many;
	u32 jobs;
};

static bool prints(const struct opts *opts)
{
	return opts->stats || opts->dump || opts->left_out;
}

/* How many threads would the scheduler let run at the same time? */
static u32 nr_cpus(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);
}

/* Returns 0 if @arg is not a number of threads. */
static u32 parse_jobs(const char *arg)
{
	char *end;
	long nr = strtol(arg, &end, 10);

	return *end || nr < 1 || nr > UINT32_MAX ? 0 : nr;
}

static bool is_folder(const char *path)
{
	struct stat st;

	return path && !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* Which options go together? */
static void check_opts(const struct opts *opts, struct argp_state *state)
{
	if (opts->nr_inputs > 1 && !opts->many)
		argp_error(state, "more than one INPUT: %s and %s", opts->inputs[0],
			   opts->inputs[1]);
	if (opts->many && (opts->output || opts->btf || opts->check || prints(opts)))
		argp_error(state,
			   "--functions=%s: with a folder, only --btf_base and -j are possible",
			   opts->inlined);
	if (opts->check && (opts->output || opts->inlined || prints(opts) || opts->legacy))
		argp_error(state, "--check cannot be combined with other output");
	if (!opts->check && !opts->output && !opts->inlined && !prints(opts))
		argp_error(
			state,
			"nothing to do: give -o OUTPUT, --functions FILE, --check, --stats, --dump or --left-out");
	if (opts->inlined && !opts->output && prints(opts))
		argp_error(
			state,
			"--functions needs its base in a file: with --stats, --dump or --left-out, give -o OUTPUT");
}

static error_t parse_opt(int key, char *arg, struct argp_state *state)
{
	struct opts *opts = state->input;

	switch (key) {
	case 'o':
		opts->output = arg;
		return 0;
	case 'j':
		opts->jobs = parse_jobs(arg);
		if (!opts->jobs)
			argp_error(state, "--jobs=%s: not a number of threads", arg);
		return 0;
	case OPT_BTF:
		opts->btf = arg;
		return 0;
	case OPT_BTF_BASE:
		opts->btf_base = arg;
		return 0;
	case OPT_LEGACY:
		opts->legacy = true;
		return 0;
	case OPT_CHECK:
		opts->check = true;
		return 0;
	case OPT_STATS:
		if (arg && strcmp(arg, "json"))
			argp_error(state, "--stats=%s: only json is known", arg);
		opts->stats = true;
		opts->json = arg;
		return 0;
	case OPT_DUMP:
		opts->dump = true;
		return 0;
	case OPT_LEFT_OUT:
		opts->left_out = true;
		return 0;
	case OPT_FUNCTIONS:
		opts->inlined = arg;
		return 0;
	case ARGP_KEY_ARG:
		PUSH(opts->inputs, opts->nr_inputs, arg);
		opts->input = opts->inputs[0];
		return 0;
	case ARGP_KEY_END:
		if (!opts->input)
			argp_error(state, "no INPUT");
		if (!opts->jobs)
			opts->jobs = nr_cpus();
		if (opts->jobs > MAX_JOBS)
			opts->jobs = MAX_JOBS;
		opts->many = is_folder(opts->inlined);
		check_opts(opts, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Write and print what was asked for. @file is NULL if the input is a BTF file. */
static int write_results(const struct opts *opts, const struct elf_file *file,
			 struct btf_image *img, struct stats *stats, const struct buf *inlined)
{
	struct buf out = {};
	int ret = 0;

	if (!stats->seen)
		stats->already = img->nr_addrs;
	btf_image_write(img, opts->legacy ? BTF_ORDINARY : BTF_EXTENDED, &out);
	stats->bytes_out = out.len;
	if (opts->output)
		ret = write_file(opts->output, out.data, out.len);
	buf_free(&out);
	if (!ret && opts->inlined)
		ret = write_file(opts->inlined, inlined->data, inlined->len);
	if (!ret && opts->dump)
		ret = report_dump(img, opts->input, file);
	if (!ret && opts->stats)
		report_stats(stats, opts->json);
	if (fflush(stdout) || ferror(stdout))
		ret = err("standard output: cannot write");
	return ret;
}

/* Without OUTPUT, the functions file is based on the BTF as it is, with or without addresses. */
static bool wants_addrs(const struct opts *opts, const struct btf_image *img)
{
	return !img->nr_addrs && (opts->output || !opts->inlined);
}

/*
 * Find the functions and their addresses, for BTF that has none yet, and inlined calls, if they are
 * wanted.
 */
static int find_funcs(const struct opts *opts, struct elf_file *file, struct btf_image *img,
		      const char *name, struct funcs *funcs, struct stats *stats,
		      struct buf *inlined)
{
	bool wanted = wants_addrs(opts, img);
	int ret;

	if (!wanted && !opts->inlined)
		return 0;
	if (file->module && module_relocate(file))
		return -1;
	ret = img->nr_addrs ? funcs_scan(funcs, file, opts->jobs) :
			      funcs_collect(funcs, file, opts->jobs);
	if (!ret && wanted)
		ret = annotate(img, name, funcs, file, stats);
	if (!ret && opts->left_out && wanted)
		report_left_out(funcs, file, img);
	if (!ret && opts->inlined)
		ret = inline_write(img, name, funcs, file, inlined);
	return ret;
}

static int run_btf_file(const struct opts *opts)
{
	struct btf_image img = {};
	struct stats stats = {};
	int ret = -1;

	if (opts->check || opts->btf || opts->inlined || opts->left_out)
		err("%s: not an ELF file: give the vmlinux that this BTF belongs to", opts->input);
	else if (!read_btf_file(opts->input, &img)) {
		if (!img.nr_addrs)
			err("%s: this BTF has no addresses: give the vmlinux as INPUT, and this file with --btf",
			    opts->input);
		else if (!btf_verify(&img, opts->input))
			ret = write_results(opts, NULL, &img, &stats, NULL);
	}
	btf_image_free(&img);
	return ret;
}

/* Read the BTF of an ELF file, and the addresses that a finished file has. */
static int read_input(const struct opts *opts, struct elf_file *file, struct btf_image *img,
		      bool *distilled_ret)
{
	/* to describe a finished module anew, pahole must have run on it again */
	bool finished = !opts->btf && !(file->module && opts->output);
	int ret;

	if (file->module)
		ret = read_module_btf(file, opts->btf, opts->btf_base, opts->base, opts->output,
				      img, distilled_ret);
	else if (opts->btf_base)
		ret = err("%s: not a module: --btf_base is for modules only", opts->input);
	else
		ret = opts->btf ? read_btf_file(opts->btf, img) : read_vmlinux_btf(file, img);
	return ret || (finished && func_section_read(img, file)) ? -1 : 0;
}

/* BTF that has addresses doesn't say why others are missing: find out again. */
static int report_again(const struct opts *opts, struct elf_file *file, const char *name,
			const struct btf_image *had)
{
	struct btf_image img = {};
	struct funcs funcs = {};
	struct stats stats = {};
	bool distilled;
	u32 id;
	int ret;

	ret = read_input(opts, file, &img, &distilled);
	for (id = img.first_id; !ret && id < img.nr_types; id++)
		*btf_image_addr(&img, id) = NO_ADDR;
	img.nr_addrs = 0;
	if (!ret && file->module && !opts->inlined)
		ret = module_relocate(file);
	if (!ret)
		ret = funcs_collect(&funcs, file, opts->jobs);
	if (!ret)
		ret = annotate(&img, name, &funcs, file, &stats);
	if (!ret)
		report_left_out(&funcs, file, had);
	funcs_free(&funcs);
	btf_image_free(&img);
	return ret;
}

static int run_elf_file(const struct opts *opts, struct elf_file *file)
{
	const char *btf = opts->btf ?: opts->input;
	struct btf_image img = {};
	struct stats stats = {};
	struct funcs funcs = {};
	struct buf inlined = {};
	bool distilled = false, had_addrs;
	char *name;
	int ret;

	name = file->module ? xasprintf("%s on %s", opts->input, opts->btf_base) : xstrdup(btf);
	ret = read_input(opts, file, &img, &distilled);
	had_addrs = img.nr_addrs;
	stats.bytes_in = BTF_HEADER_SIZE + img.types.len + img.strs.len;
	if (!ret && (opts->check || img.nr_addrs))
		ret = check_addrs(&img, btf, file);
	if (!ret && !opts->check)
		ret = find_funcs(opts, file, &img, name, &funcs, &stats, &inlined);
	if (!ret && opts->left_out && had_addrs)
		ret = report_again(opts, file, name, &img);
	if (!ret)
		ret = (distilled && btf_verify(img.base, btf)) || btf_verify(&img, btf) ? -1 : 0;
	if (!ret && !opts->check)
		ret = write_results(opts, file, &img, &stats, &inlined);
	if (opts->once)
		exit(ret ? 1 : 0);
	funcs_free(&funcs);
	buf_free(&inlined);
	btf_image_free(&img);
	free(name);
	return ret;
}

/* Refuse to replace INPUT by OUTPUT: the BTF is only a part of a kernel or module. */
static int check_output(const struct opts *opts, const struct elf_file *file)
{
	struct stat in, out;

	if (!opts->output || fstat(file->fd, &in) || stat(opts->output, &out) ||
	    in.st_dev != out.st_dev || in.st_ino != out.st_ino)
		return 0;
	return err("%s: is INPUT, which BTF alone would replace: name another file", opts->output);
}

static int run(const struct opts *opts)
{
	struct elf_file file;
	int ret;

	if (is_btf_file(opts->input))
		return run_btf_file(opts);
	ret = elf_file_open(&file, opts->input) || check_output(opts, &file) ? -1 : 0;
	if (!ret && file.module)
		ret = module_layout(&file);
	if (!ret)
		ret = elf_file_load(&file);
	if (!ret)
		ret = run_elf_file(opts, &file);
	elf_file_close(&file);
	return ret;
}

/* Where the functions file of a module goes, to be freed. Modules have no '-' in their names. */
static char *path_in_folder(const char *folder, const char *module)
{
	const char *slash = strrchr(module, '/'), *name = slash ? slash + 1 : module;
	const char *end = strstr(name, ".ko") ?: strchr(name, 0);
	char *path = xasprintf("%s/%.*s.functions", folder, (int)(end - name), name), *s;

	for (s = path + strlen(folder); *s; s++)
		*s = *s == '-' ? '_' : *s;
	return path;
}

/* Begin to describe a module, in a process of its own. Sets @pid. */
static int begin_module(const struct opts *opts, const char *path, const char *to, pid_t *pid)
{
	struct opts one = *opts;

	*pid = fork();
	if (*pid < 0)
		return err("%s: cannot fork: %s", path, strerror(errno));
	if (*pid)
		return 0;
	one.input = path;
	one.inlined = to;
	one.jobs = 1;
	exit(run(&one) ? 1 : 0);
}

/* Wait for any of the modules that were begun. Returns 0 if it has been described. */
static int end_module(const struct opts *opts, const pid_t *pids, u32 nr)
{
	int status;
	pid_t pid = wait(&status);

	while (nr && pids[nr - 1] != pid)
		nr--;
	if (nr && WIFSIGNALED(status))
		err("%s: killed by signal %d", opts->inputs[nr - 1], WTERMSIG(status));
	return status ? -1 : 0;
}

/* Describe many modules. Their base is read once. */
static int run_many(struct opts *opts)
{
	/* static: it is there at the end, and isn't lost for the sanitizers */
	static struct btf_image base;
	struct u64map names = {};
	u32 i, first, running = 0;
	pid_t *pids;
	int ret = 0;
	char *to;

	if (opts->btf_base && read_base_btf(opts->btf_base, &base))
		return -1;
	if (opts->btf_base) {
		base_index(&base);
		opts->base = &base;
	}
	ALLOC(pids, opts->nr_inputs);
	for (i = 0; i < opts->nr_inputs; i++) {
		to = path_in_folder(opts->inlined, opts->inputs[i]);
		first = u64map_get(&names, hash_str(to));
		if (running == opts->jobs) {
			ret |= end_module(opts, pids, i);
			running--;
		}
		if (first)
			ret = err("%s: has the name of %s: give one of them", opts->inputs[i],
				  opts->inputs[first - 1]);
		else if (begin_module(opts, opts->inputs[i], to, &pids[i]))
			ret = -1;
		else
			running++;
		u64map_set(&names, hash_str(to), i + 1);
		free(to);
	}
	for (; running; running--)
		ret |= end_module(opts, pids, opts->nr_inputs);
	free(pids);
	u64map_free(&names);
	return ret;
}

/*
 * A kernel needs some 100 MB. By default, each thread has a heap of its own, which grows by a page
 * at a time, and the first write to each page of 4 kB costs a fault. If the system has no huge
 * pages to give, this does no harm.
 */
static void prepare_heap(void)
{
	enum { HEAP = 128 << 20, HUGE_PAGE = 2 << 20 };
	uintptr_t end, start;

	mallopt(M_ARENA_MAX, 1);
	mallopt(M_TOP_PAD, HEAP);
	mallopt(M_TRIM_THRESHOLD, 2 * HEAP);
	mallopt(M_MMAP_THRESHOLD, HUGE_PAGE * 16);
	free(xmalloc(1));
	end = (uintptr_t)sbrk(0);
	start = (end - HEAP + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
	madvise((void *)start, (end - start) / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse_opt,
		.args_doc = "INPUT\nMODULE.ko...",
		.doc = doc,
	};
	/* static: what it points to is there at the end, and isn't lost for valgrind */
	static struct opts opts = { .once = true };

	argp_err_exit_status = EXIT_USAGE;
	prepare_heap();
	/* libbpf's messages would come in addition to ours, which are one line */
	libbpf_set_print(NULL);
	argp_parse(&argp, argc, argv, 0, NULL, &opts);
	return (opts.many ? run_many(&opts) : run(&opts)) ? 1 : 0;
}
