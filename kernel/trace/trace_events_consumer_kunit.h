/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM consumer_kunit

#if !defined(_TRACE_EVENTS_CONSUMER_KUNIT_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_EVENTS_CONSUMER_KUNIT_H

#include <linux/tracepoint.h>

TRACE_EVENT(consumer_kunit,

	TP_PROTO(u32 id, unsigned int len),

	TP_ARGS(id, len),

	TP_STRUCT__entry(
		__field(u32, id)
		__dynamic_array(u8, bytes, len)
	),

	TP_fast_assign(
		__entry->id = id;
		memset(__get_dynamic_array(bytes), id, len);
	),

	TP_printk("id=%u len=%u", __entry->id, __get_dynamic_array_len(bytes))
);

#endif /* _TRACE_EVENTS_CONSUMER_KUNIT_H */

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE trace_events_consumer_kunit

/* This part must be outside protection */
#include <trace/define_trace.h>
