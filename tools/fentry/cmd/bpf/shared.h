/* SPDX-License-Identifier: GPL-2.0-only */
/* What the BPF programs and the command share. */
#ifndef FENTRY_SHARED_H
#define FENTRY_SHARED_H

/* In place of a call of bpf_session_is_return(), whose prototype isn't the same in all kernels. */
#define SESSION_IS_RETURN 0x7fffff01

/* Which tasks' calls are wanted. */
#define TASKS_COMM_LEN 16
#define TASKS_IGNORED  8

struct task_filter {
	/* The PID namespace of all numbers, as fentry_pid_tgid() takes it. */
	unsigned long long ns_dev, ns_ino;
	unsigned int pid;    /* 0: any */
	unsigned int uid;    /* if by_uid */
	unsigned int follow; /* only the children of this process, and theirs; 0: any */
	_Bool by_uid, by_comm, by_cgroup;
	char comm[TASKS_COMM_LEN]; /* padded with NUL */
	/* Processes that would trace themselves without end; 0: no more. */
	unsigned int ignored[TASKS_IGNORED];
};

/* Calls that have begun and not returned are noted in buckets. */
#define PAIR_BUCKETS_SHIFT 12
#define PAIR_BUCKETS	   (1 << PAIR_BUCKETS_SHIFT)
#define PAIR_BUCKET_CALLS  8
#define PAIR_ARGS	   13 /* and which of them aren't known, as bits */

/* A call that has begun. */
struct pair_call {
	unsigned long long frame;    /* identifies it; 0: the place is free */
	unsigned long long function; /* its address; of a probe, its target */
	unsigned long long start;    /* ns */
	/* Of a probe, which finds no arguments at the return: those at the entry. */
	unsigned long long args[PAIR_ARGS];
};

struct pair_bucket {
	struct pair_call calls[PAIR_BUCKET_CALLS];
};

/* Of each CPU. */
struct pair_cpu {
	unsigned int busy;	       /* programs that run on it, nested and preempted ones, too */
	unsigned long long missed;     /* calls that ended while one was running */
	unsigned long long unpaired;   /* calls whose start wasn't noted */
	unsigned long long no_room;    /* starts that weren't noted for want of room */
	unsigned long long unreturned; /* calls in whose frame a later call began */
};

/*
 * Slots begin at 1, 2, 4 ... 512 ns, 1, 2, 4 ... 512 us, and so on; those of seconds go on. Slot 0
 * is also for 0, the last one for all that is longer.
 */
#define LATENCY_SLOTS	   64
#define LATENCY_UNIT_SLOTS 10
#define LATENCY_UNITS	   4

/* How long calls of one function took; in ns. */
struct histogram {
	unsigned long long count, total;
	unsigned long long min, max;		 /* valid if count isn't 0 */
	unsigned long long slots[LATENCY_SLOTS]; /* calls in each */
};

/* What is traced. */
#define TRACE_COMM_LEN	16
#define TRACE_STACK_MAX 48 /* frames */

/* Slots of 8 bytes: a trampoline passes on 12 arguments at most. */
#define TRACE_ARGS     32 /* a power of 2 */
#define TRACE_MAX_ARGS 12
#define TRACE_RETURN   15 /* the slot of the return value */
/* Slots behind the arguments. */
#define TRACE_CGROUP 12 /* id of the task's cgroup */
#define TRACE_CPU    13
#define TRACE_TASK   14 /* address of the task */
#define TRACE_PID    16
#define TRACE_TID    17

#define TRACE_VALUES	  28 /* of a target; each has a bit in 32 */
#define TRACE_STEPS	  8  /* pointers that are followed to a value */
#define TRACE_TESTS	  16
#define TRACE_STRINGS	  4
#define TRACE_STRING_SIZE 64  /* of those that are compared, NUL included */
#define TRACE_BYTES_MAX	  256 /* of a value */
#define TRACE_PARTS	  4   /* of the key that calls are counted by */

enum trace_kind {
	TRACE_NUMBER,
	TRACE_STRING, /* up to its NUL */
	TRACE_MEMORY,
	TRACE_EQUALS, /* 1 if a string is a given one, else 0 */
};

/*
 * How to get a value: from a slot, through pointers. Each step adds an offset and reads
 * a pointer there; at last, offset is added, and what is there is read.
 */
struct trace_value {
	unsigned char kind; /* enum trace_kind */
	unsigned char slot; /* of the argument, or TRACE_RETURN */
	unsigned char step_cnt;
	unsigned char is_signed;
	/* A number is shifted to the left, then to the right, so that its bits remain. */
	unsigned char left, right;
	unsigned char string; /* TRACE_EQUALS: which of the plan's */
	/* 0, or the number + 1 of a value before it: no more bytes than that are read. */
	unsigned char len;
	unsigned short size; /* of what is read; 0: the number is the address */
	unsigned short pad2;
	int steps[TRACE_STEPS];
	int offset;
	unsigned long long mask; /* of a number, at the end */
};

enum trace_op {
	TRACE_EQ,
	TRACE_NE,
	TRACE_LT,
	TRACE_LE,
};

#define TRACE_CONSTANT 255 /* in place of a value's number */
#define TRACE_MATCH    254 /* in place of a test's: the call is wanted */
#define TRACE_NO_MATCH 255

/*
 * A comparison of two values, as mathematics has it: no unsigned number is less than a
 * negative one. It is false if a value can't be read. The next test has a higher number.
 */
struct trace_test {
	unsigned char op;   /* enum trace_op */
	unsigned char a, b; /* values, or TRACE_CONSTANT */
	unsigned char a_signed, b_signed;
	unsigned char on_true, on_false; /* the next test, or TRACE_MATCH ... */
	unsigned char pad;
	unsigned long long constant;
};

/* What to do at a call of one target. */
struct trace_plan {
	unsigned char value_cnt;
	unsigned char filter_cnt; /* the first so many are for the tests, and not sent */
	unsigned char test_cnt;	  /* 0: each call is wanted */
	unsigned char string_cnt;
	unsigned char keys[TRACE_PARTS]; /* what calls are counted by: values, or enum trace_by */
	struct trace_value values[TRACE_VALUES];
	struct trace_test tests[TRACE_TESTS];
	char strings[TRACE_STRINGS][TRACE_STRING_SIZE]; /* padded with NUL */
};

/* Where 8 bytes of an argument are at a probe. */
enum trace_place {
	TRACE_UNKNOWN,
	TRACE_VALUE,	/* offset */
	TRACE_REGISTER, /* its value, plus offset */
	TRACE_POINTED,	/* in memory at the register's value, plus offset */
};

struct trace_location {
	unsigned char place; /* enum trace_place */
	unsigned char reg;   /* as DWARF numbers them */
	unsigned char size;  /* of what is in memory */
	unsigned char pad[5];
	long long offset;
};

struct trace_site {
	struct trace_location args[TRACE_MAX_ARGS];
};

/*
 * The highest numbers of all plans. With them, the verifier doesn't look at what no plan has, which
 * would take most of its time.
 */
struct trace_limits {
	unsigned int values, filters, tests, steps, parts;
	_Bool task; /* a plan has the slots of the task */
};

/* What calls are counted by, beside values. */
enum trace_by {
	TRACE_BY_VALUE, /* of the plan; its number is in place of this */
	TRACE_BY_COMM = TRACE_VALUES,
	TRACE_BY_PID,
	TRACE_BY_TID,
	TRACE_BY_UID,
	TRACE_BY_CPU,
	TRACE_BY_STACK,
};

/* The map's keys end behind the last part. A stack is a number: its key in another map. */
struct trace_key {
	unsigned int target;
	unsigned int failed; /* a bit for each part that can't be read */
	union trace_part {
		unsigned long long number;
		char text[TRACE_STRING_SIZE]; /* padded with NUL */
	} parts[TRACE_PARTS];
};

/* What calls are measured by: one part, which the task or the CPU is. */
struct latency_key {
	unsigned int target;
	unsigned int failed; /* the part isn't known */
	union trace_part part;
};

#define LATENCY_KEYS 1024

#define TRACE_KEYS  16384
#define TREE_LOSSES 1024 /* tasks whose last loss is known */

/* Why calls aren't reported. */
enum trace_lost {
	TRACE_LOST_EVENT, /* the buffer is full */
	TRACE_LOST_KEY,	  /* there are TRACE_KEYS others */
	TRACE_LOST_LEVEL, /* too many programs are running on the CPU */
	TRACE_LOST_CNT,
};

/*
 * One call of a traced function. In the ring buffer the stack follows it, innermost frame first,
 * then the values that could be read, in their order. A number takes 8 bytes. Other values begin
 * with their length, which takes 8 bytes, and are filled up to a multiple of 8.
 */
struct trace_event {
	unsigned long long time;     /* ns, CLOCK_MONOTONIC */
	unsigned long long duration; /* ns; 0: not measured */
	/* Of a tree, else 0: the task, when the call began, and the number of its last loss. */
	unsigned long long task, start, lost;
	unsigned int target;	    /* index, as in counts */
	unsigned int tid, pid, cpu; /* tid and pid are TRACE_OUTSIDE in other PID namespaces */
	int stack_size;		    /* bytes; negative errno */
	unsigned int failed;	    /* a bit for each value */
	_Bool returns;		    /* of a tree: this is the end of the call */
	_Bool wanted;		    /* the filter is true */
	char comm[TRACE_COMM_LEN];
};

#define TRACE_OUTSIDE -1U

#define TRACE_STACK_SIZE (TRACE_STACK_MAX * 8)
#define TRACE_DATA_MAX	 5120

#endif /* FENTRY_SHARED_H */
