/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Expressions in C over the parameters of a function and what it returns: compiled to steps that a
 * BPF program takes at each call. Functions with an error return false if they fail, and fill it.
 */
#ifndef FENTRY_EXPR_H
#define FENTRY_EXPR_H

#include "bpf/shared.h"
#include "expr/types.h"

/* The function whose parameters an expression may name. */
struct expr_scope {
	const struct btf *btf;
	__u32 func; /* id of the FUNC */
	bool exit;  /* "ret" is known */
};

/* Why an expression is invalid. */
struct expr_error {
	int column; /* of the mistake, from 1 on */
	char msg[400];
};

/*
 * A place that has a value: slots of an argument, or memory. Values of pointers become
 * places of memory by dereferencing.
 */
struct place {
	const struct btf *btf;
	struct trace_value value; /* how to get there */
	__u32 type;
	bool in_memory;
	unsigned int bit;  /* the value begins at this bit */
	unsigned int bits; /* of a bit field; 0: it is none */
};

/* How a value is printed: by a suffix, as in "flags:x". */
enum expr_format {
	EXPR_BY_TYPE,
	EXPR_HEX,     /* :x */
	EXPR_DECIMAL, /* :d */
	EXPR_STRING,  /* :s */
	EXPR_BYTES,   /* :x[LENGTH] */
	/* in network order: */
	EXPR_IP,   /* :ip, IPv4 or IPv6 */
	EXPR_PORT, /* :port */
	EXPR_MAC,  /* :mac */
};

/* A value to be printed, or to count by. */
struct expr {
	struct place place;
	enum expr_format format;
	/* Of :s[LENGTH] and :x[LENGTH]: a place, or the constant; 0: there is none. */
	bool has_len;
	struct place len;
	unsigned int max;
};

/* The place of an argument or of the return value. */
void place__slot(const struct btf *btf, __u32 type, unsigned int slot, struct place *ret);

/*
 * Go to a member of a structure.
 * @p: the place of the structure
 * @name: the member's name, maybe of an anonymous structure in it
 * @len: how much of @name it is
 * @error: filled, but for the column, as by all place__X()
 */
bool place__member(struct place *p, const char *name, size_t len, struct expr_error *error);

/* Go to what a pointer points to. */
bool place__deref(struct place *p, struct expr_error *error);

/* Go to an element of an array or behind a pointer. */
bool place__index(struct place *p, unsigned long long i, struct expr_error *error);

/* How to read a place as a number; for an array, its address. */
bool place__number(const struct place *p, struct trace_value *ret, struct expr_error *error);

/*
 * How to read a place as a string.
 * @p: pointer to characters, or an array of them
 * @any: also if the elements aren't characters
 *
 * Return: false if it is no string.
 */
bool place__string(const struct place *p, bool any, struct trace_value *ret);

/*
 * How to read an address or a port of the network, as a number or as memory.
 * @p: a number, structure or array of the right size, or a pointer to one; of a pointer to bytes,
 *	so many are read
 */
bool place__network(const struct place *p, enum expr_format format, struct trace_value *ret,
		    struct expr_error *error);

/* How to read what a pointer points to, or an array, as bytes. */
bool place__buffer(const struct place *p, struct trace_value *ret);

/* How to read a place's bytes; false if it isn't in memory. */
bool place__memory(const struct place *p, struct trace_value *ret);

/* Compile one expression to be printed. */
bool expr__parse(const struct expr_scope *scope, const char *text, struct expr *ret,
		 struct expr_error *error);

/*
 * Go on from a place, as "->dentry->d_name.name" says.
 * @text: the way; is trusted to be well-formed
 * @p: the place, changed if that succeeds only
 *
 * Return: false if there is no such way.
 */
bool expr__walk(const struct expr_scope *scope, const char *text, struct place *p);

/*
 * Compile a condition.
 * @plan: gets the values and tests that it needs; has none before
 */
bool expr__filter(const struct expr_scope *scope, const char *text, struct trace_plan *plan,
		  struct expr_error *error);

/* For the parts of the compiler: */

bool __attribute__((format(printf, 2, 3)))
expr_error__set(struct expr_error *error, const char *fmt, ...);

/* Names that might have been meant, for a message: the nearest, and as many as fit. */
struct expr_names {
	const char *wanted;
	size_t len;
	const char *nearest;
	size_t distance;
	char list[160];
	bool full;
};

/* Add a name. */
void expr_names__add(struct expr_names *names, const char *name);

/* Append the names to the message in @error. */
void expr_names__hint(const struct expr_names *names, const char *what, struct expr_error *error);

#endif /* FENTRY_EXPR_H */
