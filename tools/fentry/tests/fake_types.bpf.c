// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes BTF of which tests make functions: see fake_function(). No function of a BPF program can
 * have all these parameters.
 */
#include "fake_types.h"

typedef unsigned long size_t;

struct none {
};

/* In registers. Members of it are in parts of them, or in two. */
struct odd {
	struct none none;
	int unused;
	union {
		char address[4];
		struct node *packed;
	} __attribute__((packed));
};

/* Only what variables point to is described for sure; pointers in structures come later. */
struct node *node;
struct thing *thing;
unsigned char byte;

/* The parameters of fake_kernel.h's f(), and what it returns. */
struct f {
	struct node *node;
	size_t len;
	const struct thing *thing;
	enum mode mode;
	const char *text;
	struct pair pair;
	int *number;
	void *any;
	char c;
	struct odd odd;
	int ret;
} * f;

typedef const char *name_t;
typedef struct st {
	int a, b;
} st_t;

/* Each is the parameter of a function. */
struct parameters {
	int n;
	unsigned long u;
	enum mode m;
	const char *s;
	name_t name;
	void *v;
	int *i;
	void (*func)(void);
	const struct st *st, *p;
	st_t *alias;
	struct hidden *fwd;
	struct {
		int a, b;
	} * anon;
	struct st pair;
} * parameters;
