// SPDX-License-Identifier: GPL-2.0-only
/*
 * Structs that are returned in memory: the first register says where, if they still are.
 *
 * EXPECT gcc_x86: struct whole beside.isra.0(const struct whole *w, at__isra0, at__isra1, at__isra2);
 * EXPECT gcc_kernel: struct whole beside.isra.0(const struct whole *w, at__isra0, at__isra1, at__isra2);
 * EXPECT gcc_x86: void unwanted_whole.isra.0(const struct whole *w, at__isra0, at__isra1, at__isra2);
 * EXPECT gcc_arm64: struct whole unwanted_whole.isra.0(const struct whole *w, at__isra0, at__isra1, at__isra2);
 * EXPECT gcc_x86: void nowhere.isra.0(__isra0, __isra1, __isra2, __isra3, __isra4, __isra5);
 */
#define noinline __attribute__((noinline))

struct whole {
	long a[7];
};

struct place {
	long number;
	unsigned char part;
	unsigned short entry;
};

volatile long memory_sink;

/* The pointer itself is used, so that it is passed. */
#define memory_take(w) asm volatile("" :: "r"(w) : "memory")

/*
 * Members of the last parameter are passed, behind one that DWARF has in its register. On arm64 it
 * calls memset(), which may read all registers for all that a module knows.
 */
static noinline struct whole beside(const struct whole *w, const struct place *at)
{
	struct whole r = { { w->a[1], at->number } };

	memory_sink += at->part + at->entry;
	memory_take(w);
	return r;
}

/* The same, but nobody wants the struct. */
static noinline struct whole unwanted_whole(const struct whole *w, const struct place *at)
{
	struct whole r = { { w->a[1], at->number } };

	memory_sink += at->part + at->entry + at->number;
	memory_take(w);
	return r;
}

/* Nothing is as in the source, so the place for the struct is one register of six. */
static noinline struct whole nowhere(const struct whole *w, const struct place *at)
{
	struct whole r = { { w->a[1], at->number + at->entry } };

	memory_sink += w->a[0] + at->part;
	return r;
}

long use_memory(struct whole *w, struct place *at)
{
	struct place next = { at->number + 1, at->part, at->entry };
	struct whole a = beside(w, at), b = beside(w + 1, &next);
	struct whole c = nowhere(w, at), d = nowhere(w + 1, &next);

	unwanted_whole(w, at);
	unwanted_whole(w + 1, &next);
	return a.a[0] + b.a[1] + c.a[0] + d.a[1];
}
