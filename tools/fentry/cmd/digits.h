/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers as text. Traces consist of them, and printf() takes several times as long. */
#ifndef FENTRY_DIGITS_H
#define FENTRY_DIGITS_H

#define DIGITS_MAX 21			/* of 2^64 - 1 in decimal, with its end */

/**
 * digits() - A number as text.
 * @n: the number
 * @base: 10 or 16
 * @buf: room for the text
 *
 * Return: the text, which is at the end of @buf.
 */
static inline const char *digits(unsigned long long n, unsigned int base, char buf[DIGITS_MAX])
{
	char *at = buf + DIGITS_MAX - 1;

	*at = '\0';
	do
		*--at = "0123456789abcdef"[n % base];
	while (n /= base);
	return at;
}

#endif /* FENTRY_DIGITS_H */
