// SPDX-License-Identifier: GPL-2.0
/* The names the language itself defines: values, functions, and what is yet to come. */
#include <string.h>

#include <linux/ktap.h>

#include "builtins.h"
#include "util.h"

#define VALUE(n, i, t)		{ .name = n, .kind = BI_VALUE, .id = i, .type = t }
#define STACK(n, i)		{ .name = n, .kind = BI_VALUE, .id = i, .max = 1 }
#define FUNCTION(n, i, lo, hi, t, a) \
	{ .name = n, .kind = BI_FUNCTION, .id = i, .min = lo, .max = hi, .type = t, .arg0 = a }
#define ARG(n, i)		{ .name = n, .kind = BI_ARG, .id = i }
#define MISSING(n)		{ .name = n, .kind = BI_MISSING }

/* The first of several names of one id is the one that listings show. */
const struct builtin builtins[] = {
	VALUE("pid", KTAP_FN_PID, TYPE_INT),
	VALUE("tid", KTAP_FN_TID, TYPE_INT),
	VALUE("ppid", KTAP_FN_PPID, TYPE_INT),
	VALUE("uid", KTAP_FN_UID, TYPE_INT),
	VALUE("gid", KTAP_FN_GID, TYPE_INT),
	VALUE("cpu", KTAP_FN_CPU, TYPE_INT),
	VALUE("numa_node", KTAP_FN_NUMA_NODE, TYPE_INT),
	VALUE("execname", KTAP_FN_EXECNAME, TYPE_STRING),
	VALUE("comm", KTAP_FN_EXECNAME, TYPE_STRING),
	VALUE("nsecs", KTAP_FN_NSECS, TYPE_INT),
	VALUE("elapsed", KTAP_FN_ELAPSED, TYPE_INT),
	VALUE("cgroup", KTAP_FN_CGROUP, TYPE_INT),
	VALUE("rand", KTAP_FN_RAND, TYPE_INT),
	VALUE("probename", KTAP_FN_PROBENAME, TYPE_STRING),
	VALUE("name", KTAP_FN_PROBENAME, TYPE_STRING),
	VALUE("probefunc", KTAP_FN_PROBEFUNC, TYPE_STRING),
	VALUE("func", KTAP_FN_PROBEFUNC, TYPE_STRING),
	VALUE("argstr", KTAP_FN_ARGSTR, TYPE_STRING),
	VALUE("retval", KTAP_FN_RETVAL, TYPE_ANY),
	VALUE("curtask", KTAP_FN_CURTASK, TYPE_ANY),
	STACK("kstack", KTAP_FN_KSTACK),
	STACK("stack", KTAP_FN_KSTACK),
	STACK("ustack", KTAP_FN_USTACK),

	ARG("arg0", 0), ARG("arg1", 1), ARG("arg2", 2), ARG("arg3", 3), ARG("arg4", 4),
	ARG("arg5", 5), ARG("arg6", 6), ARG("arg7", 7), ARG("arg8", 8), ARG("arg9", 9),
	{ .name = "args", .kind = BI_ARGS },
	{ .name = "arg", .kind = BI_SCRIPTARGS, .id = KTAP_FN_SCRIPTARG },

	FUNCTION("print", KTAP_FN_PRINT, 0, KTAP_MAX_ARGS, TYPE_NIL, TYPE_ANY),
	FUNCTION("printf", KTAP_FN_PRINTF, 1, KTAP_MAX_ARGS, TYPE_NIL, TYPE_STRING),
	FUNCTION("print_hist", KTAP_FN_PRINT_HIST, 1, 2, TYPE_NIL, TYPE_TABLE),
	FUNCTION("histogram", KTAP_FN_PRINT_HIST, 1, 2, TYPE_NIL, TYPE_TABLE),
	FUNCTION("count", KTAP_FN_COUNT, 2, 3, TYPE_NIL, TYPE_TABLE),
	FUNCTION("len", KTAP_FN_LEN, 1, 1, TYPE_INT, TYPE_ANY),
	FUNCTION("clear", KTAP_FN_CLEAR, 1, 1, TYPE_NIL, TYPE_TABLE),
	FUNCTION("tostring", KTAP_FN_TOSTRING, 1, 1, TYPE_STRING, TYPE_ANY),
	FUNCTION("exit", KTAP_FN_EXIT, 0, 1, TYPE_NIL, TYPE_INT),
	/* for (k, v in pairs(t)) is its only use */
	{ .name = "pairs", .kind = BI_FUNCTION, .min = 1, .max = 1 },

	{ .name = "kdebug", .kind = BI_SPACE },
	{ .name = "timer", .kind = BI_SPACE },
	{ .name = "table", .kind = BI_SPACE },

	MISSING("ansi"), MISSING("arch"), MISSING("avg"), MISSING("buf"), MISSING("cast"),
	MISSING("cat"), MISSING("catch"), MISSING("commit"), MISSING("discard"),
	MISSING("error"), MISSING("format"), MISSING("gettimeofday_ms"),
	MISSING("gettimeofday_ns"), MISSING("gettimeofday_s"), MISSING("gettimeofday_us"),
	MISSING("hist"), MISSING("in_interrupt"), MISSING("in_iowait"), MISSING("ipof"),
	MISSING("join"), MISSING("kaddr"), MISSING("kernel_string"), MISSING("kernel_v"),
	MISSING("ksym"), MISSING("lhist"), MISSING("macaddr"), MISSING("max"), MISSING("min"),
	MISSING("normalize"), MISSING("ntop"), MISSING("num_cpus"), MISSING("offsetof"),
	MISSING("print_backtrace"), MISSING("printa"), MISSING("println"), MISSING("read"),
	MISSING("self"), MISSING("set_retval"), MISSING("signal"), MISSING("sizeof"),
	MISSING("sort_pairs"), MISSING("speculate"), MISSING("speculation"), MISSING("stats"),
	MISSING("stop"), MISSING("str"), MISSING("strcmp"), MISSING("strftime"),
	MISSING("stringof"), MISSING("strlen"), MISSING("strstr"), MISSING("substr"),
	MISSING("sum"), MISSING("system"), MISSING("tolower"), MISSING("tonumber"),
	MISSING("toupper"), MISSING("trunc"), MISSING("try"), MISSING("uaddr"),
	MISSING("user_string"), MISSING("usym"), MISSING("walltime"),
};

const size_t nbuiltins = ARRAY_SIZE(builtins);

/* Those that only the compiler itself emits, for listings. */
static const struct {
	const char *name;
	unsigned int id;
} internal[] = {
	{ "arg", KTAP_FN_SCRIPTARG },
	{ "trace", KTAP_FN_TRACE },
	{ "kdebug.probe", KTAP_FN_PROBE },
	{ "event.field", KTAP_FN_EVENT_FIELD },
};

const struct builtin *builtin_find(const char *name)
{
	size_t i;

	for (i = 0; i < nbuiltins; i++)
		if (!strcmp(builtins[i].name, name))
			return &builtins[i];
	return NULL;
}

const char *builtin_name(unsigned int id)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(internal); i++)
		if (internal[i].id == id)
			return internal[i].name;
	for (i = 0; i < nbuiltins; i++)
		if (builtins[i].kind <= BI_FUNCTION && builtins[i].id && builtins[i].id == id)
			return builtins[i].name;
	return NULL;
}

const char *type_name(enum builtin_type type)
{
	static const char * const names[] = {
		[TYPE_ANY] = "a value",
		[TYPE_INT] = "an integer",
		[TYPE_STRING] = "a string",
		[TYPE_TABLE] = "a table",
		[TYPE_BOOL] = "a boolean",
		[TYPE_FUNCTION] = "a function",
		[TYPE_NIL] = "nil",
	};

	return names[type];
}
