// SPDX-License-Identifier: GPL-2.0-only
/*
 * The source of the seeds: compiled twice, so that functions share names, but have other signatures
 * with SECOND. It is small, so that most mutations hit bytes that the targets read.
 */
struct node {
	struct node *next;
	union {
		long number;
		struct {
			short low, high : 5;
		} parts;
	} value;
	int (*visit)(struct node *node, const char *name);
};

enum color { RED, GREEN = 7 };
typedef volatile unsigned long word;

static int total;

/* The kernel's tables about its code, of one entry each. */
#define TABLE(name, fields) ".pushsection " name ", \"aw\"\n" fields "\n.popsection\n"
#define TABLES(function)                                                                      \
	asm(TABLE("__jump_table", ".long " function " - ., " function " - .\n.quad 0") TABLE( \
		"__ex_table",                                                                 \
		".long " function " - ., " function                                           \
		" - ., 0x611") TABLE("__bug_table", ".long " function " - ., 0\n.short 7, 1") \
		    TABLE(".altinstructions",                                                 \
			  ".long " function                                                   \
			  " - ., 1f - .\n.long 7\n.byte 3, 1") ".pushsection .altinstr_replacement, \"ax\"\n1: clc\n.popsection\n")

#ifdef SECOND
TABLES("entry");

static __attribute__((noinline)) long twin(const struct node *node, enum color color)
{
	total += color;
	return node->value.number;
}

long entry(struct node *node)
{
	return twin(node, node->value.parts.low) + total;
}
#else
TABLES("start");

static __attribute__((noinline)) int twin(struct node *node, int unused)
{
	return node->visit(node, "twin") + total;
}

static __attribute__((noinline)) int sum(word *words, int nr, float *scale)
{
	int i;

	for (i = 0; i < nr; i++)
		total += words[i] * *scale;
	return total;
}

int start(struct node nodes[2], word *words, float scale)
{
	return twin(nodes, 3) + sum(words, 4, &scale) + nodes[1].visit(&nodes[1], "");
}
#endif
