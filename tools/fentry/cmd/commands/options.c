// SPDX-License-Identifier: GPL-2.0-only
/* Command line, messages, terminal. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "command.h"

#define MAX_DURATION	 1e9  /* seconds: 30 years */
#define MIN_DURATION_MAX 1e18 /* ns: the same */
#define ROWS_DEFAULT	 24   /* if a terminal doesn't say */

int output_fd = STDOUT_FILENO;

void complain(const char *fmt, ...)
{
	va_list args;

	fputs("fentry: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}

int usage_error(const char *fmt, ...)
{
	va_list args;

	fputs("fentry: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputs(" (try 'fentry help')\n", stderr);
	return EXIT_USAGE;
}

void count_text(size_t functions, size_t inlined, char buf[COUNT_TEXT_MAX])
{
	size_t len = 0;

	if (functions || !inlined)
		len = snprintf(buf, COUNT_TEXT_MAX, "%zu function%s", functions,
			       functions == 1 ? "" : "s");
	if (inlined)
		snprintf(buf + len, COUNT_TEXT_MAX - len, "%s%zu inlined call%s",
			 len ? " and " : "", inlined, inlined == 1 ? "" : "s");
}

const char *libbpf_text(int err)
{
	static char text[128];

	libbpf_strerror(err, text, sizeof(text));
	return text;
}

/* Options can't be abbreviated: else a new one could change what scripts mean. */
static bool is_option(const struct opt *opt, const char *arg)
{
	size_t len = strcspn(arg, "=");

	if (arg[1] != '-')
		return opt->letter && arg[1] == opt->letter && !arg[2];
	return strlen(opt->name) == len - 2 && !strncmp(opt->name, arg + 2, len - 2);
}

static const struct opt *find_option(const struct opt *opts, const char *arg)
{
	for (; opts->name; opts++)
		if (is_option(opts, arg))
			return opts;
	return NULL;
}

static int take_option(const char *cmd, const struct opt *opt, char **argv, int *i)
{
	const char *value = strchr(argv[*i], '=');

	if (!opt->value) {
		if (value)
			return usage_error("%s: --%s takes no argument", cmd, opt->name);
		*opt->flag = true;
		return 0;
	}
	value = value ? value + 1 : argv[++*i];
	if (!value)
		return usage_error("%s: --%s needs an argument", cmd, opt->name);
	opt->value[opt->cnt ? (*opt->cnt)++ : 0] = value;
	return 0;
}

int parse_options(const char *cmd, int *argc, char **argv, const struct opt *opts, char ***command)
{
	int i, status, others = 0;

	for (i = 0; i < *argc; i++) {
		const struct opt *opt;

		if (argv[i][0] != '-') {
			argv[others++] = argv[i];
			continue;
		}
		if (!strcmp(argv[i], "--") && command) {
			*command = &argv[i + 1];
			if (!**command)
				return usage_error("%s: no command after '--'", cmd);
			break;
		}
		opt = find_option(opts, argv[i]);
		if (!opt)
			return usage_error("%s: unknown option '%s'", cmd, argv[i]);
		status = take_option(cmd, opt, argv, &i);
		if (status)
			return status;
	}
	*argc = others;
	return 0;
}

int parse_seconds(const char *cmd, const char *text, double *ret)
{
	char *end;
	double value;

	*ret = 0;
	if (!text)
		return 0;
	value = strtod(text, &end);
	if (end == text || *end || !isfinite(value) || value <= 0 || value > MAX_DURATION)
		return usage_error("%s: --duration needs a number of seconds above 0, not '%s'",
				   cmd, text);
	*ret = value;
	return 0;
}

int parse_count(const char *cmd, const char *option, const char *what, const char *text,
		unsigned long long *ret)
{
	unsigned long long value;
	char *end;

	if (!text)
		return 0;
	errno = 0;
	value = strtoull(text, &end, 10);
	/* strtoull() takes signs and blanks, too */
	if (text[0] < '0' || text[0] > '9' || *end || errno || !value)
		return usage_error("%s: --%s needs a number of %s above 0, not '%s'", cmd, option,
				   what, text);
	*ret = value;
	return 0;
}

int parse_min_duration(const char *cmd, const char *text, unsigned long long *ret)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	double value;
	char *end;
	size_t i;

	*ret = 0;
	if (!text)
		return 0;
	value = strtod(text, &end);
	for (i = 0; end > text && i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(end, units[i].unit) && value > 0 &&
		    value * units[i].ns < MIN_DURATION_MAX) {
			*ret = ceil(value * units[i].ns);
			return 0;
		}
	return usage_error(
		"%s: --min-duration needs a time with its unit (ns, us, ms, s), as 1.5ms, not '%s'",
		cmd, text);
}

bool use_colour(FILE *f)
{
	const char *no_color = getenv("NO_COLOR");

	return isatty(f == stdout ? output_fd : fileno(f)) && !(no_color && *no_color);
}

int output_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	int width = columns ? atoi(columns) : 0;

	if (width > 0)
		return width;
	if (!isatty(output_fd) || ioctl(output_fd, TIOCGWINSZ, &size))
		return 0;
	return size.ws_col;
}

size_t output_rows(void)
{
	struct winsize size;

	if (ioctl(output_fd, TIOCGWINSZ, &size) || size.ws_row <= 3)
		return ROWS_DEFAULT - 1;
	return size.ws_row - 1;
}

void erase_lines(size_t cnt)
{
	if (cnt)
		printf("\033[%zuA\033[J", cnt);
}
