/* SPDX-License-Identifier: GPL-2.0-only */
/* Types of a function that doesn't exist, for tests, which have BTF of them. */
#ifndef FENTRY_FAKE_TYPES_H
#define FENTRY_FAKE_TYPES_H

enum mode { MODE_NEGATIVE = -2, MODE_ABS = 0, MODE_REL = 1 };

struct name {
	unsigned int len;
	const unsigned char *text;
};

struct node {
	unsigned int flags;
	struct name name;
	struct node *parent;
	char short_name[8];
};

struct thing {
	unsigned int low : 3;
	int high : 5;
	unsigned int wide : 20;
	union {
		long x;
		int y;
	};
	struct {
		_Bool yes;
		enum mode mode;
		unsigned short numbers[3];
		struct name names[2];
	};
	struct node *nodes[2];
};

struct pair {
	int first, second;
	struct node *node;
};

#endif /* FENTRY_FAKE_TYPES_H */
