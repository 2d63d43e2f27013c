// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kallsyms.h"
#include "util.h"

#define BUFFER_SIZE (64 * 1024) /* no line is longer */
#define BLANKS	    " \t"

/* The next field of a line, or NULL. */
static char *next_field(char **at)
{
	char *field = *at + strspn(*at, BLANKS);

	*at = field + strcspn(field, BLANKS);
	if (**at)
		*(*at)++ = '\0';
	return *field ? field : NULL;
}

/* strtoull() takes as long as all the rest. Returns where the digits end. */
static char *read_hex(char *at, __u64 *ret)
{
	unsigned int digit;
	__u64 value = 0;

	for (;; at++, value = value << 4 | digit) {
		digit = *at - '0';
		if (digit <= 9)
			continue;
		digit = *at - 'a' + 10;
		if (digit - 10 > 5)
			break;
	}
	*ret = value;
	return at;
}

static bool is_text(char type)
{
	return (type | 0x20) == 't' || (type | 0x20) == 'w';
}

/* Data that isn't wanted may be half of the lines. */
static bool is_data(const char *text, const char *end)
{
	const char *space =
		end - text > 16 && text[16] == ' ' ? text + 16 : memchr(text, ' ', end - text);

	return space && end - space > 3 && space[2] == ' ' && !is_text(space[1]);
}

/* "address type name", and behind a tab maybe "[module]" and ids, or only one of these. */
static bool parse_line(char *text, char *end, struct fentry_symbol *ret)
{
	char *at = read_hex(text, &ret->addr), *field = NULL;

	if (at == text || end - at < 4 || at[0] != ' ' || at[2] != ' ')
		return false;
	ret->name = at + 3;
	ret->module = NULL;
	at = memchr(ret->name, '\t', end - ret->name);
	if (at) {
		*at++ = '\0';
		field = next_field(&at);
	}
	if (field && field[0] == '[') {
		ret->module = field + 1;
		ret->module[strcspn(ret->module, "]")] = '\0';
		field = next_field(&at);
	}
	ret->ids = field;
	return *ret->name && (!field || !next_field(&at));
}

/* Take whole lines, up to @end. Returns where the rest begins. */
static char *take_lines(char *at, char *end, struct fentry_symbol *symbol, const char *path,
			int (*take)(void *ctx, const struct fentry_symbol *symbol), void *ctx,
			struct fentry_error *error, int *err)
{
	char *newline;

	while (!*err && (newline = memchr(at, '\n', end - at))) {
		*newline = '\0';
		symbol->nr++;
		if (!is_data(at, newline))
			*err = parse_line(at, newline, symbol) ?
				       take(ctx, symbol) :
				       fentry_error__set(error, -EINVAL,
							 "%s:%lu: expected 'address type name'",
							 path, symbol->nr);
		at = newline + 1;
	}
	return at;
}

int fentry_kallsyms__read(const char *path,
			  int (*take)(void *ctx, const struct fentry_symbol *symbol), void *ctx,
			  struct fentry_error *error)
{
	char *buffer = malloc(BUFFER_SIZE + 1), *rest = buffer, *at;
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = fd < 0 ? -errno : 0;
	struct fentry_symbol symbol = {};
	ssize_t len = 1;

	if (!buffer)
		err = fentry_error__no_memory(error);
	else if (err)
		fentry_error__set(error, err, "can't open %s: %s", path, strerror(-err));
	while (!err && len > 0) {
		len = read(fd, rest, buffer + BUFFER_SIZE - rest);
		if (len < 0)
			err = fentry_error__set(error, -errno, "can't read %s: %s", path,
						strerror(errno));
		else if (!len && rest > buffer) /* the last line may have no end */
			rest[len++] = '\n';
		if (len <= 0)
			break;
		at = take_lines(buffer, rest + len, &symbol, path, take, ctx, error, &err);
		rest += len;
		memmove(buffer, at, rest - at);
		rest -= at - buffer;
	}
	if (fd >= 0)
		close(fd);
	free(buffer);
	return err;
}
