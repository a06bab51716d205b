// SPDX-License-Identifier: GPL-2.0
/*
 * Names that the language defines: values, functions, and names reserved for
 * later.
 */
#include <string.h>

#include <linux/ktap.h>

#include "compiler/builtins.h"
#include "compiler/util.h"

#define NIL	TYPE_NIL
#define INT	TYPE_INT
#define STRING	TYPE_STRING
#define AGG	TYPE_AGG
#define KEYED	(TYPE_TABLE | TYPE_AGG)
#define ADDRESS	(INT | TYPE_POINTER | NIL)
#define ANY	TYPE_ANY
#define MANY	KTAP_MAX_ARGS

#define VALUE(n, i, t)		{ .name = n, .kind = BI_VALUE, .id = KTAP_FN_##i, .type = t }
#define STACK(n, i) \
	{ .name = n, .kind = BI_VALUE, .id = KTAP_FN_##i, .max = 2, .type = TYPE_STACK, \
	  .args = { INT, INT } }
/*
 * name, function, minimum and maximum number of arguments, types of result and
 * arguments
 */
#define FUNCTION(n, i, lo, hi, t, ...) \
	{ .name = n, .kind = BI_FUNCTION, .id = KTAP_FN_##i, .min = lo, .max = hi, .type = t, \
	  .args = { __VA_ARGS__ } }
#define ACTION(n, i, lo, hi, t, ...) \
	{ .name = n, .kind = BI_FUNCTION, .id = KTAP_FN_##i, .min = lo, .max = hi, .type = t, \
	  .acts = true, .args = { __VA_ARGS__ } }
#define WAITER(n, i, lo, hi, t, ...) \
	{ .name = n, .kind = BI_FUNCTION, .id = KTAP_FN_##i, .min = lo, .max = hi, .type = t, \
	  .waits = true, .args = { __VA_ARGS__ } }
#define WIDTH(n, b) \
	{ .name = n, .kind = BI_FUNCTION, .bits = b, .min = 1, .max = 1, .type = TYPE_INT, \
	  .args = { INT } }
#define KERNEL(n, f) \
	{ .name = n, .kind = BI_FUNCTION, .kernel = f, .min = 1, .max = 1, .type = TYPE_INT, \
	  .args = { INT } }
#define WRITTEN(n, t, ...) \
	{ .name = n, .kind = BI_WRITTEN, .min = 1, .max = 1, .type = t, .args = { __VA_ARGS__ } }
#define ITERATOR(n, i, lo, hi, ...) \
	{ .name = n, .kind = BI_ITERATOR, .id = i, .min = lo, .max = hi, .type = TYPE_TABLE, \
	  .waits = i, .args = { __VA_ARGS__ } }
#define ARG(n, i)		{ .name = n, .kind = BI_ARG, .id = i }
#define SPACE(n)		{ .name = n, .kind = BI_SPACE }
#define MISSING(n)		{ .name = n, .kind = BI_MISSING }

/*
 * Listings show the first of several names of one id. Overloads (same name,
 * different number of arguments) are adjacent and sorted by that number.
 */
const struct builtin builtins[] = {
	VALUE("pid", PID, INT),
	VALUE("tid", TID, INT),
	VALUE("ns_pid", NS_PID, INT),
	VALUE("ns_tid", NS_TID, INT),
	VALUE("ppid", PPID, INT),
	VALUE("uid", UID, INT),
	VALUE("gid", GID, INT),
	VALUE("cpu", CPU, INT),
	VALUE("numa_node", NUMA_NODE, INT),
	VALUE("execname", EXECNAME, STRING),
	VALUE("comm", EXECNAME, STRING),
	VALUE("nsecs", NSECS, INT),
	VALUE("elapsed", ELAPSED, INT),
	VALUE("cgroup", CGROUP, INT),
	WAITER("cgroup_id", CGROUP_ID, 1, 1, INT, STRING),
	FUNCTION("reg", REG, 1, 1, INT | NIL, STRING),
	FUNCTION("cgroup_path", CGROUP_PATH, 1, 1, STRING | NIL, INT | NIL),
	VALUE("rand", RAND, INT),
	VALUE("probename", PROBENAME, STRING),
	VALUE("name", PROBENAME, STRING),
	VALUE("probefunc", PROBEFUNC, STRING | NIL),
	VALUE("func", PROBEFUNC, STRING | NIL),
	VALUE("argname", PROBENAME, STRING),
	VALUE("argstr", ARGSTR, STRING | NIL),
	VALUE("argevent", ARGSTR, STRING | NIL),
	VALUE("retval", RETVAL, ANY),
	VALUE("curtask", CURTASK, ANY),
	VALUE("utc_offset", UTC_OFFSET, INT),
	VALUE("gettimeofday_ns", GETTIMEOFDAY_NS, INT),
	VALUE("gettimeofday_us", GETTIMEOFDAY_US, INT),
	VALUE("gettimeofday_ms", GETTIMEOFDAY_MS, INT),
	VALUE("gettimeofday_s", GETTIMEOFDAY_S, INT),
	VALUE("walltime", WALLTIME, STRING),
	VALUE("num_cpus", NUM_CPUS, INT),
	VALUE("arch", ARCH, STRING),
	VALUE("kernel_v", KERNEL_V, STRING),
	FUNCTION("syscall_name", SYSCALL_NAME, 1, 1, STRING | NIL, INT),
	VALUE("in_interrupt", IN_INTERRUPT, TYPE_BOOL),
	VALUE("in_iowait", IN_IOWAIT, TYPE_BOOL),
	STACK("kstack", KSTACK),
	STACK("stack", KSTACK),
	STACK("backtrace", KSTACK),
	STACK("ustack", USTACK),

	ARG("arg0", 0), ARG("arg1", 1), ARG("arg2", 2), ARG("arg3", 3), ARG("arg4", 4),
	ARG("arg5", 5), ARG("arg6", 6), ARG("arg7", 7), ARG("arg8", 8), ARG("arg9", 9),
	{ .name = "args", .kind = BI_ARGS },
	{ .name = "arg", .kind = BI_SCRIPTARGS, .id = KTAP_FN_SCRIPTARG, .type = ANY },
	{ .name = "self", .kind = BI_SELF },

	FUNCTION("print", PRINT, 0, MANY, NIL),
	FUNCTION("println", PRINT, 0, MANY, NIL),
	FUNCTION("printf", PRINTF, 1, MANY, NIL, STRING),
	WAITER("print_hist", PRINT_HIST, 1, 3, NIL, KEYED, INT, STRING),
	WAITER("histogram", PRINT_HIST, 1, 3, NIL, KEYED, INT, STRING),
	FUNCTION("format", FORMAT, 1, MANY, STRING, STRING),
	FUNCTION("sprintf", FORMAT, 1, MANY, STRING, STRING),
	WAITER("printa", PRINTA, 2, 2, NIL, STRING, KEYED),
	FUNCTION("join", JOIN, 1, 1, STRING | NIL, INT | TYPE_POINTER),
	FUNCTION("cat", CAT, 1, 1, NIL, STRING),
	FUNCTION("dump", DUMP, 0, 1, NIL, STRING),

	FUNCTION("len", LEN, 1, 1, INT, KEYED | STRING | TYPE_STACK),
	FUNCTION("clear", CLEAR, 1, 1, NIL, KEYED),
	WAITER("trunc", TRUNC, 2, 2, NIL, KEYED, INT),
	FUNCTION("normalize", NORMALIZE, 2, 2, NIL, KEYED, INT),
	ITERATOR("pairs", 0, 1, 1, KEYED),
	ITERATOR("sort_pairs", KTAP_FN_SORT, 1, 2, KEYED, TYPE_FUNCTION | NIL),

	FUNCTION("count", NEW_COUNT, 0, 0, AGG),
	FUNCTION("count", COUNT_OF, 1, 1, INT, AGG),
	FUNCTION("count", COUNT, 2, 3, INT | NIL, KEYED, ANY, INT),
	FUNCTION("table_count", COUNT, 2, 3, INT | NIL, KEYED, ANY, INT),
	FUNCTION("inplace_inc", COUNT, 2, 3, INT | NIL, KEYED, ANY, INT),
	FUNCTION("ptable", TABLE_NEW, 0, 0, TYPE_TABLE),
	FUNCTION("stats", NEW_STATS, 0, 0, AGG),
	FUNCTION("hist", NEW_HIST, 0, 1, AGG, INT),
	FUNCTION("lhist", NEW_LHIST, 3, 3, AGG, INT, INT, INT),
	FUNCTION("sum", SUM, 1, 1, INT, AGG),
	FUNCTION("min", MIN, 1, 1, INT | NIL, AGG),
	FUNCTION("min", MIN, 2, MANY, INT, INT, INT, INT),
	FUNCTION("max", MAX, 1, 1, INT | NIL, AGG),
	FUNCTION("max", MAX, 2, MANY, INT, INT, INT, INT),
	FUNCTION("avg", AVG, 1, 1, INT | NIL, AGG),
	FUNCTION("quantile", QUANTILE, 2, 3, INT | NIL, AGG, INT, INT),
	FUNCTION("stddev", STDDEV, 1, 1, INT | NIL, AGG),
	WAITER("snapshot", SNAPSHOT, 1, 1, KEYED, KEYED),

	FUNCTION("tostring", TOSTRING, 1, 1, STRING),
	FUNCTION("tonumber", TONUMBER, 1, 1, INT | NIL),
	WIDTH("s8", -8), WIDTH("s16", -16), WIDTH("s32", -32),
	WIDTH("u8", 8), WIDTH("u16", 16), WIDTH("u32", 32),
	KERNEL("bswap16", "swab16"), KERNEL("bswap32", "swab32"), KERNEL("bswap64", "swab64"),
	KERNEL("ntohs", "ntohs"), KERNEL("ntohl", "ntohl"),
	KERNEL("htons", "ntohs"), KERNEL("htonl", "ntohl"),
	WRITTEN("errno_name", STRING, ADDRESS), WRITTEN("strerror", STRING, ADDRESS),
	WRITTEN("ptr_err", INT | NIL, ADDRESS), WRITTEN("signal_name", STRING, INT),
	{ .name = "enum_name", .kind = BI_WRITTEN, .min = 2, .max = 2, .type = STRING,
	  .args = { STRING, INT } },
	FUNCTION("substr", SUBSTR, 2, 3, STRING, STRING, INT, INT),
	FUNCTION("strstr", STRSTR, 2, 2, STRING | NIL, STRING, STRING),
	FUNCTION("glob", GLOB, 2, 2, TYPE_BOOL, STRING | NIL, STRING),
	FUNCTION("strcmp", STRCMP, 2, 2, INT, STRING, STRING),
	FUNCTION("strlen", STRLEN, 1, 1, INT, STRING),
	FUNCTION("toupper", TOUPPER, 1, 1, STRING, STRING),
	FUNCTION("tolower", TOLOWER, 1, 1, STRING, STRING),
	FUNCTION("ntop", NTOP, 1, 1, STRING, INT | STRING),
	FUNCTION("ntop", NTOP, 2, 2, STRING, INT, INT | STRING),
	{ .name = "pton", .kind = BI_FUNCTION, .constant = true, .min = 1, .max = 1,
	  .type = STRING, .args = { STRING } },
	FUNCTION("macaddr", MACADDR, 1, 1, STRING, STRING),
	FUNCTION("strftime", STRFTIME, 1, 2, STRING, STRING, INT),

	FUNCTION("str", STR, 1, 2, STRING | NIL, ADDRESS | STRING, INT),
	FUNCTION("user_string", USER_STRING, 1, 2, STRING | NIL, ADDRESS | STRING, INT),
	FUNCTION("kernel_string", KERNEL_STRING, 1, 2, STRING | NIL, ADDRESS | STRING, INT),
	FUNCTION("buf", BUF, 2, 2, STRING | NIL, ADDRESS, INT),
	FUNCTION("path", PATH, 1, 1, STRING | NIL, ADDRESS),
	FUNCTION("read", READ, 2, 2, INT | NIL, ADDRESS, INT),

	FUNCTION("ksym", KSYM, 1, 1, STRING | NIL, ADDRESS),
	WAITER("kaddr", KADDR, 1, 1, INT | NIL, STRING),
	FUNCTION("usym", USYM, 1, 1, TYPE_STACK | NIL, ADDRESS),
	FUNCTION("stringof", STRINGOF, 1, 1, STRING | NIL),
	FUNCTION("ipof", IPOF, 1, 1, INT | NIL, ADDRESS | TYPE_STACK),
	FUNCTION("called_from", CALLED_FROM, 1, 1, TYPE_BOOL, INT | TYPE_POINTER),

	{ .name = "cdef", .kind = BI_FUNCTION, .declares = true, .min = 1, .max = 1, .type = NIL,
	  .args = { STRING } },
	FUNCTION("cast", CAST, 2, 2, TYPE_POINTER | NIL, STRING, ADDRESS),
	FUNCTION("sizeof", SIZEOF, 1, 1, INT, STRING),
	FUNCTION("offsetof", OFFSETOF, 2, 2, INT, STRING, STRING),

	FUNCTION("getopt", GETOPT, 2, 3, NIL | TYPE_BOOL | INT | STRING,
		 STRING, NIL | TYPE_BOOL | INT | STRING, STRING),
	{ .name = "trace_on", .kind = BI_FUNCTION, .switches = true, .min = 2, .max = 2,
	  .type = INT },
	{ .name = "stop", .kind = BI_FUNCTION, .id = KTAP_FN_STOP, .type = NIL,
	  .statement = true },
	FUNCTION("exit", EXIT, 0, 1, NIL, INT),
	FUNCTION("error", ERROR, 1, 1, NIL, STRING | INT | TYPE_BOOL | NIL),
	{ .name = "assert", .kind = BI_FUNCTION, .asserts = true, .min = 1, .max = 2,
	  .type = ANY, .args = { ANY, STRING | INT | TYPE_BOOL | NIL } },
	FUNCTION("speculation", SPECULATION, 0, 0, INT | NIL),
	FUNCTION("speculate", SPECULATE, 1, 1, NIL, INT | NIL),
	FUNCTION("commit", COMMIT, 1, 1, NIL, INT | NIL),
	FUNCTION("discard", DISCARD, 1, 1, NIL, INT | NIL),
	ACTION("set_retval", SET_RETVAL, 1, 1, NIL, INT),
	ACTION("signal", SIGNAL, 1, 1, TYPE_BOOL, INT | STRING),
	ACTION("verdict", VERDICT, 1, 1, NIL, STRING),
	ACTION("system", SYSTEM, 1, MANY, NIL, STRING),
	FUNCTION("print_backtrace", PRINT, 0, 0, NIL),

	FUNCTION("test.plan", TEST_PLAN, 1, 2, NIL, INT, STRING),
	FUNCTION("test.ok", TEST_OK, 1, 2, TYPE_BOOL, ANY, STRING),
	FUNCTION("test.is", TEST_IS, 2, 3, TYPE_BOOL, ANY, ANY, STRING),
	FUNCTION("test.isnt", TEST_ISNT, 2, 3, TYPE_BOOL, ANY, ANY, STRING),
	FUNCTION("test.skip", TEST_SKIP, 1, 2, NIL, STRING, STRING),
	FUNCTION("test.diag", TEST_DIAG, 1, 1, NIL, STRING),

	SPACE("ansi"), SPACE("ffi"), SPACE("kdebug"), SPACE("table"), SPACE("test"), SPACE("timer"),

	MISSING("uaddr"),
};

const size_t nbuiltins = ARRAY_SIZE(builtins);

/*
 * Names for listings, of functions that the compiler emits under another name.
 */
static const struct {
	const char *name;
	unsigned int id;
} internal[] = {
	{ "arg", KTAP_FN_SCRIPTARG },
	{ "trace", KTAP_FN_TRACE },
	{ "first", KTAP_FN_FIRST },
	{ "probe.on", KTAP_FN_PROBE_ON },
	{ "probe.off", KTAP_FN_PROBE_OFF },
	{ "probe.delete", KTAP_FN_PROBE_DELETE },
	{ "probe.is_on", KTAP_FN_PROBE_IS_ON },
	{ "kdebug.probe", KTAP_FN_PROBE },
	{ "event.field", KTAP_FN_EVENT_FIELD },
	{ "table.new", KTAP_FN_TABLE_NEW },
};

const struct builtin *builtin_find(const char *name)
{
	size_t i;

	for (i = 0; i < nbuiltins; i++)
		if (!strcmp(builtins[i].name, name))
			return &builtins[i];
	return NULL;
}

static bool same_name(const struct builtin *bi, const struct builtin *other)
{
	return other < builtins + nbuiltins && !strcmp(other->name, bi->name);
}

unsigned int builtin_max(const struct builtin *bi)
{
	while (same_name(bi, bi + 1))
		bi++;
	return bi->max;
}

unsigned int builtin_takes(const struct builtin *bi, unsigned int n)
{
	unsigned int types = bi->args[n < BUILTIN_ARGS ? n : BUILTIN_ARGS - 1];

	return types ? types : TYPE_ANY;
}

const char *builtin_name(unsigned int id)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(internal); i++)
		if (internal[i].id == id)
			return internal[i].name;
	for (i = 0; i < nbuiltins; i++)
		if (builtins[i].kind <= BI_ITERATOR && builtins[i].id && builtins[i].id == id)
			return builtins[i].name;
	return NULL;
}
