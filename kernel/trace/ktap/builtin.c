// SPDX-License-Identifier: GPL-2.0
/*
 * The table of built-in functions.
 */
#include <linux/bits.h>

#include "builtin.h"

#define ANY		GENMASK(KTAP_NR_TAGS - 1, 0)
#define NIL		ktap_bit(NIL)
#define BOOL		ktap_bit(BOOL)
#define INT		ktap_bit(INT)
#define PTR		ktap_bit(PTR)
#define STRING		(ktap_bit(STR) | ktap_bit(ARGSTR))
#define STACK		(ktap_bit(KSTACK) | ktap_bit(USTACK))
#define TABLE		ktap_bit(TABLE)
#define AGG		ktap_bit(AGG)
#define OBJECT		(TABLE | AGG)
#define ADDRESS		(INT | PTR | NIL)
#define USYM		ktap_bit(USYM)
#define KEY		(NIL | BOOL | INT | PTR | STRING | STACK | USYM | ktap_bit(TUPLE))

/* Name in the ABI, in the script, in C; least and most arguments; where; result; arguments. */
#define FN(id, _name, _fn, _min, _max, _levels, _result, ...)	\
	[KTAP_FN_##id] = {					\
		.name = _name,					\
		.fn = ktap_fn_##_fn,				\
		.min = _min,					\
		.max = _max,					\
		.levels = KTAP_##_levels,			\
		.result = _result,				\
		.args = { __VA_ARGS__ },			\
	}

#define VALUE(id, _name, _result)				\
	FN(id, #_name, _name, 0, 0, ANYWHERE, _result)

const struct ktap_builtin ktap_builtins[KTAP_NR_FUNCTIONS] = {
	VALUE(PID,		pid,		INT),
	VALUE(TID,		tid,		INT),
	VALUE(PPID,		ppid,		INT),
	VALUE(UID,		uid,		INT),
	VALUE(GID,		gid,		INT),
	VALUE(CPU,		cpu,		INT),
	VALUE(NUMA_NODE,	numa_node,	INT),
	VALUE(EXECNAME,		execname,	STRING),
	VALUE(NSECS,		nsecs,		INT),
	VALUE(ELAPSED,		elapsed,	INT),
	VALUE(CGROUP,		cgroup,		INT | NIL),
	VALUE(RAND,		rand,		INT),
	VALUE(PROBENAME,	probename,	STRING | NIL),
	VALUE(PROBEFUNC,	probefunc,	STRING | NIL),
	VALUE(ARGSTR,		argstr,		STRING | NIL),
	VALUE(RETVAL,		retval,		KEY),
	VALUE(CURTASK,		curtask,	PTR),
	FN(KSTACK, "kstack", kstack, 0, 1, ANYWHERE, ktap_bit(KSTACK) | NIL, INT),
	FN(USTACK, "ustack", ustack, 0, 1, ANYWHERE, ktap_bit(USTACK) | NIL, INT),
	VALUE(GETTIMEOFDAY_NS,	gettimeofday_ns, INT),
	VALUE(GETTIMEOFDAY_US,	gettimeofday_us, INT),
	VALUE(GETTIMEOFDAY_MS,	gettimeofday_ms, INT),
	VALUE(GETTIMEOFDAY_S,	gettimeofday_s,	INT),
	VALUE(WALLTIME,		walltime,	STRING),
	VALUE(NUM_CPUS,		num_cpus,	INT),
	VALUE(ARCH,		arch,		STRING),
	VALUE(KERNEL_V,		kernel_v,	STRING),
	VALUE(IN_INTERRUPT,	in_interrupt,	BOOL),
	VALUE(IN_IOWAIT,	in_iowait,	BOOL),
	FN(SCRIPTARG, "arg", scriptarg, 1, 1, ANYWHERE, INT | STRING | NIL, INT),

	FN(TRACE, "trace", trace, 1, 1, IN_PROCESS, NIL, INT),
	FN(PROBE, "kdebug.probe", probe, 2, 2, IN_PROCESS, NIL, STRING, ktap_bit(FUNC)),
	FN(GETOPT, "getopt", getopt, 2, 2, ANYWHERE, NIL | BOOL | INT | STRING,
	   INT, NIL | BOOL | INT | STRING),

	FN(PRINT, "print", print, 0, KTAP_MAX_ARGS, ANYWHERE, NIL),
	FN(PRINTF, "printf", printf, 1, KTAP_MAX_ARGS, ANYWHERE, NIL, STRING),
	FN(PRINT_HIST, "print_hist", print_hist, 1, 3, IN_PROCESS, NIL, OBJECT, INT, STRING),
	FN(PRINTA, "printa", printa, 2, 2, IN_PROCESS, NIL, STRING, OBJECT),
	FN(JOIN, "join", join, 1, 1, ANYWHERE, STRING | NIL, INT | PTR | NIL),
	FN(CAT, "cat", cat, 1, 1, ANYWHERE, NIL, STRING),

	FN(COUNT, "count", count, 2, 3, ANYWHERE, NIL, TABLE, KEY, INT | NIL),
	FN(LEN, "len", len, 1, 1, ANYWHERE, INT, OBJECT | STRING | ktap_bit(ARRAY)),
	FN(CLEAR, "clear", clear, 1, 1, ANYWHERE, NIL, OBJECT),
	FN(TRUNC, "trunc", trunc, 2, 2, IN_PROCESS, NIL, OBJECT, INT),
	FN(NORMALIZE, "normalize", normalize, 2, 2, ANYWHERE, NIL, OBJECT, INT),
	FN(SORT, "sort_pairs", sort, 1, 2, IN_PROCESS, TABLE | NIL, OBJECT, ktap_bit(FUNC)),
	FN(TABLE_NEW, "table.new", table_new, 1, 2, ANYWHERE, TABLE | NIL, INT, INT),

	FN(NEW_COUNT, "count", new_count, 0, 0, ANYWHERE, AGG | NIL),
	FN(NEW_STATS, "stats", new_stats, 0, 0, ANYWHERE, AGG | NIL),
	FN(NEW_HIST, "hist", new_hist, 0, 1, ANYWHERE, AGG | NIL, INT),
	FN(NEW_LHIST, "lhist", new_lhist, 3, 3, ANYWHERE, AGG | NIL, INT, INT, INT),
	FN(COUNT_OF, "count", count_of, 1, 1, ANYWHERE, INT, AGG | NIL),
	FN(SUM, "sum", sum, 1, 1, ANYWHERE, INT, AGG | NIL),
	FN(MIN, "min", min, 1, KTAP_MAX_ARGS, ANYWHERE, INT | NIL, AGG | INT | NIL),
	FN(MAX, "max", max, 1, KTAP_MAX_ARGS, ANYWHERE, INT | NIL, AGG | INT | NIL),
	FN(AVG, "avg", avg, 1, 1, ANYWHERE, INT | NIL, AGG | NIL),
	FN(QUANTILE, "quantile", quantile, 2, 3, ANYWHERE, INT | NIL, AGG | NIL, INT, INT),
	FN(STDDEV, "stddev", stddev, 1, 1, ANYWHERE, INT | NIL, AGG | NIL),
	FN(SNAPSHOT, "snapshot", snapshot, 1, 1, IN_PROCESS, OBJECT, OBJECT),

	FN(FORMAT, "format", format, 1, KTAP_MAX_ARGS, ANYWHERE, STRING, STRING),
	FN(TOSTRING, "tostring", tostring, 1, 1, ANYWHERE, STRING),
	FN(SUBSTR, "substr", substr, 2, 3, ANYWHERE, STRING, STRING, INT, INT),
	FN(STRSTR, "strstr", strstr, 2, 2, ANYWHERE, STRING | NIL, STRING, STRING),
	FN(STRCMP, "strcmp", strcmp, 2, 2, ANYWHERE, INT, STRING, STRING),
	FN(STRLEN, "strlen", strlen, 1, 1, ANYWHERE, INT, STRING),
	FN(TOUPPER, "toupper", toupper, 1, 1, ANYWHERE, STRING, STRING),
	FN(TOLOWER, "tolower", tolower, 1, 1, ANYWHERE, STRING, STRING),
	FN(TONUMBER, "tonumber", tonumber, 1, 1, ANYWHERE, INT | NIL),
	FN(NTOP, "ntop", ntop, 1, 2, ANYWHERE, STRING, INT | STRING, INT | STRING),
	FN(MACADDR, "macaddr", macaddr, 1, 1, ANYWHERE, STRING, STRING),
	FN(STRFTIME, "strftime", strftime, 1, 2, ANYWHERE, STRING, STRING, INT),

	FN(STR, "str", str, 1, 2, ANYWHERE, STRING | NIL, ADDRESS | STRING, INT),
	FN(USER_STRING, "user_string", user_string, 1, 2, ANYWHERE, STRING | NIL,
	   ADDRESS | STRING, INT),
	FN(KERNEL_STRING, "kernel_string", kernel_string, 1, 2, ANYWHERE, STRING | NIL,
	   ADDRESS | STRING, INT),
	FN(BUF, "buf", buf, 2, 2, ANYWHERE, STRING | NIL, ADDRESS, INT),
	FN(READ, "read", read, 2, 2, ANYWHERE, INT | NIL, ADDRESS, INT),

	FN(KSYM, "ksym", ksym, 1, 1, ANYWHERE, STRING | NIL, ADDRESS),
	FN(KADDR, "kaddr", kaddr, 1, 1, IN_PROCESS, INT | NIL, STRING),
	FN(USYM, "usym", usym, 1, 1, ANYWHERE, USYM | NIL, ADDRESS),
	FN(STRINGOF, "stringof", stringof, 1, 1, ANYWHERE, STRING | NIL),
	FN(IPOF, "ipof", ipof, 1, 1, ANYWHERE, INT | NIL, ADDRESS | STACK),

	FN(CAST, "cast", cast, 2, 2, ANYWHERE, PTR | NIL, STRING, ADDRESS),
	FN(SIZEOF, "sizeof", sizeof, 1, 1, ANYWHERE, INT, STRING),
	FN(OFFSETOF, "offsetof", offsetof, 2, 2, ANYWHERE, INT, STRING, STRING),

	FN(EVENT_FIELD, "field", event_field, 2, 2, ANYWHERE, KEY, ktap_bit(EVENT), INT),

	FN(SPECULATION, "speculation", speculation, 0, 0, ANYWHERE, INT | NIL),
	FN(SPECULATE, "speculate", speculate, 1, 1, ANYWHERE, NIL, INT | NIL),
	FN(COMMIT, "commit", commit, 1, 1, ANYWHERE, NIL, INT | NIL),
	FN(DISCARD, "discard", discard, 1, 1, ANYWHERE, NIL, INT | NIL),

	FN(SET_RETVAL, "set_retval", set_retval, 1, 2, UNSAFE_IN_EVENT, NIL,
	   INT | ktap_bit(EVENT), INT),
	FN(SIGNAL, "signal", signal, 1, 1, UNSAFE_IN_EVENT, BOOL, INT | STRING),
	FN(SYSTEM, "system", system, 1, KTAP_MAX_ARGS, UNSAFE_ANYWHERE, NIL, STRING),

	FN(STOP, "stop", stop, 0, 0, ANYWHERE, NIL),
	FN(EXIT, "exit", exit, 0, 1, ANYWHERE, NIL, INT),
	FN(ERROR, "error", error, 1, 1, ANYWHERE, NIL, NIL | BOOL | INT | STRING),
};
