// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kallsyms.h"
#include "util.h"

#define BUFFER_SIZE (64 * 1024) /* no line is longer */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The next field of a line, or NULL. strspn() and strcspn() take longer for so short ones. */
static char *next_field(char **at)
{
	char *field = *at, *end;

	while (is_blank(*field))
		field++;
	for (end = field; *end && !is_blank(*end); end++)
		;
	*at = end;
	if (*end)
		*(*at)++ = '\0';
	return *field ? field : NULL;
}

char *fentry_hex__read(char *at, __u64 *ret)
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
	char *at = fentry_hex__read(text, &ret->addr), *field = NULL;

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

struct reader {
	const char *path;
	struct fentry_symbol symbol;
	int (*take)(void *ctx, const struct fentry_symbol *symbol);
	void *ctx;
	struct fentry_error *error;
};

static int take_line(void *ctx, char *line, char *end)
{
	struct reader *r = ctx;

	r->symbol.nr++;
	if (is_data(line, end))
		return 0;
	if (parse_line(line, end, &r->symbol))
		return r->take(r->ctx, &r->symbol);
	return fentry_error__set(r->error, -EINVAL, "%s:%lu: expected 'address type name'", r->path,
				 r->symbol.nr);
}

int fentry_kallsyms__read(const char *path,
			  int (*take)(void *ctx, const struct fentry_symbol *symbol), void *ctx,
			  struct fentry_error *error)
{
	struct reader r = { .path = path, .take = take, .ctx = ctx, .error = error };
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;

	if (fd < 0) {
		err = -errno;
		return fentry_error__set(error, err, "can't open %s: %s", path, strerror(-err));
	}
	err = fentry_lines__read(fd, path, take_line, &r, error);
	close(fd);
	return err;
}

int fentry_lines__read(int fd, const char *path, int (*take)(void *ctx, char *line, char *end),
		       void *ctx, struct fentry_error *error)
{
	char *buffer = malloc(BUFFER_SIZE + 1), *rest = buffer, *at, *end;
	int err = buffer ? 0 : fentry_error__no_memory(error);
	ssize_t len;

	while (!err) {
		len = read(fd, rest, buffer + BUFFER_SIZE - rest);
		if (len < 0)
			err = fentry_error__set(error, -errno, "can't read %s: %s", path,
						strerror(errno));
		else if (!len && rest > buffer) /* the last line may have no end */
			rest[len++] = '\n';
		if (len <= 0)
			break;
		rest += len;
		for (at = buffer; !err && (end = memchr(at, '\n', rest - at)); at = end + 1) {
			*end = '\0';
			err = take(ctx, at, end);
		}
		memmove(buffer, at, rest - at);
		rest -= at - buffer;
	}
	free(buffer);
	return err;
}
