/* SPDX-License-Identifier: GPL-2.0-only */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM protos

#if !defined(TEST_MODULES_PROTOS_EVENT_H) || defined(TRACE_HEADER_MULTI_READ)
#define TEST_MODULES_PROTOS_EVENT_H

#include <linux/tracepoint.h>

/* clang-format off */
TRACE_EVENT(protos_event,
	TP_PROTO(int n, long m),
	TP_ARGS(n, m),
	TP_STRUCT__entry(
		__field(int, n)
		__field(long, m)
	),
	TP_fast_assign(
		__entry->n = n;
		__entry->m = m;
	),
	TP_printk("n=%d m=%ld", __entry->n, __entry->m)
);
/* clang-format on */

#endif /* TEST_MODULES_PROTOS_EVENT_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE protos_event
#include <trace/define_trace.h>
