// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "commands/options.h"
#include "output/messages.h"

#define MAX_DURATION	 1e9  /* seconds: 30 years */
#define MIN_DURATION_MAX 1e18 /* ns: the same */
#define BUFFER_MAX	 (1U << 31)

/* Options can't be abbreviated: else a new one could change what scripts mean. */
static bool is_option(const struct opt *opt, const char *arg)
{
	size_t len = strcspn(arg, "=");

	if (arg[1] != '-')
		return opt->letter && arg[1] == opt->letter && !arg[2];
	if (opt->kind == OPT_COMMAND)
		return !arg[2];
	return strlen(opt->name) == len - 2 && !strncmp(opt->name, arg + 2, len - 2);
}

static const struct opt *find_option(const struct opt *opts, const char *arg)
{
	for (; opts->name; opts++)
		if (is_option(opts, arg))
			return opts;
	return NULL;
}

static int parse_seconds(const char *cmd, const struct opt *opt, const char *text, double *ret)
{
	char *end;

	*ret = strtod(text, &end);
	if (end == text || *end || !isfinite(*ret) || *ret <= 0 || *ret > MAX_DURATION)
		return usage_error(
			"%s: --%s needs a number of seconds above 0, at most %.0f, not '%s'", cmd,
			opt->name, MAX_DURATION, text);
	return 0;
}

static int parse_count(const char *cmd, const struct opt *opt, const char *text,
		       unsigned long long *ret)
{
	char *end;

	errno = 0;
	*ret = strtoull(text, &end, 10);
	/* strtoull() takes signs and blanks, too */
	if (text[0] < '0' || text[0] > '9' || *end || errno || !*ret)
		return usage_error("%s: --%s needs a number of calls above 0, below 2^64, not '%s'",
				   cmd, opt->name, text);
	return 0;
}

/* Rounds up to whole ns. */
static int parse_time(const char *cmd, const struct opt *opt, const char *text,
		      unsigned long long *ret)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	double value;
	char *end;
	size_t i;

	value = strtod(text, &end);
	for (i = 0; end > text && i < ARRAY_SIZE(units); i++)
		if (!strcmp(end, units[i].unit) && value > 0 &&
		    value * units[i].ns < MIN_DURATION_MAX) {
			*ret = ceil(value * units[i].ns);
			return 0;
		}
	return usage_error(
		"%s: --%s needs a time above 0, below %.0f s, with its unit (ns, us, ms, s), as 1.5ms, not '%s'",
		cmd, opt->name, MIN_DURATION_MAX / 1e9, text);
}

/* Rounds up to what a ring buffer may have. */
static int parse_size(const char *cmd, const struct opt *opt, const char *text, unsigned int *ret)
{
	static const char units[] = "KMG";
	unsigned long long value;
	const char *unit;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	unit = *end ? strchr(units, *end) : NULL;
	if (unit)
		value = value >> 32 ? 0 : value << 10 * (unit - units + 1);
	if (text[0] < '0' || text[0] > '9' || end[unit != NULL] || errno || !value ||
	    value > BUFFER_MAX)
		return usage_error("%s: --%s needs a size, up to 2G, as 64M, not '%s'", cmd,
				   opt->name, text);
	for (*ret = sysconf(_SC_PAGESIZE); *ret < value;)
		*ret *= 2;
	return 0;
}

static int store(const char *cmd, const struct opt *opt, const char *text, void *to)
{
	struct opt_texts *texts = to;

	switch (opt->kind) {
	case OPT_TEXT:
		*(const char **)to = text;
		return 0;
	case OPT_TEXTS:
		texts->texts[texts->cnt++] = text;
		return 0;
	case OPT_SECONDS:
		return parse_seconds(cmd, opt, text, to);
	case OPT_COUNT:
		return parse_count(cmd, opt, text, to);
	case OPT_TIME:
		return parse_time(cmd, opt, text, to);
	case OPT_SIZE:
		return parse_size(cmd, opt, text, to);
	default:
		*(bool *)to = true;
		return 0;
	}
}

static int take_option(const char *cmd, const struct opt *opt, char **argv, int *i, void *ret)
{
	const char *value = strchr(argv[*i], '=');

	if (!opt->arg && value)
		return usage_error("%s: --%s takes no argument", cmd, opt->name);
	value = value ? value + 1 : opt->arg ? argv[++*i] : NULL;
	if (opt->arg && !value)
		return usage_error("%s: --%s needs an argument", cmd, opt->name);
	return store(cmd, opt, value, (char *)ret + opt->offset);
}

int parse_options(const struct command *cmd, int *argc, char **argv, void *ret)
{
	int i, status = 0, others = 0;

	for (i = 0; !status && i < *argc; i++) {
		const struct opt *opt;

		if (argv[i][0] != '-') {
			argv[others++] = argv[i];
			continue;
		}
		opt = find_option(cmd->options, argv[i]);
		if (!opt)
			return usage_error("%s: unknown option '%s'", cmd->name, argv[i]);
		if (opt->kind == OPT_COMMAND) {
			if (!argv[i + 1])
				return usage_error("%s: no command after '--'", cmd->name);
			*(char ***)((char *)ret + opt->offset) = &argv[i + 1];
			break;
		}
		status = take_option(cmd->name, opt, argv, &i, ret);
	}
	*argc = others;
	return status;
}
