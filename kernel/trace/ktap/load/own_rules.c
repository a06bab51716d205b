// SPDX-License-Identifier: GPL-2.0
/*
 * Rules of scripts that see only their user's own processes (own.c): no instruction gives
 * them an address or the memory of the kernel.
 */
#include <linux/errno.h>
#include <linux/kernel.h>

#include "load/own_rules.h"
#include "vm/builtin.h"
#include "vm/opcode.h"
#include "vm/program.h"

#define WITHOUT	"without it a script sees only processes of its user (ktap/policy)"

/*
 * The functions that such a script may call.  A function that is not in this list is refused:
 * so whoever adds one need not think of such scripts.
 */
static const u8 functions[] = {
	/* the current task and the machine */
	KTAP_FN_PID, KTAP_FN_TID, KTAP_FN_PPID, KTAP_FN_UID, KTAP_FN_GID, KTAP_FN_CPU,
	KTAP_FN_NUMA_NODE, KTAP_FN_EXECNAME, KTAP_FN_NSECS, KTAP_FN_ELAPSED, KTAP_FN_CGROUP,
	KTAP_FN_RAND, KTAP_FN_GETTIMEOFDAY_NS, KTAP_FN_GETTIMEOFDAY_US,
	KTAP_FN_GETTIMEOFDAY_MS, KTAP_FN_GETTIMEOFDAY_S, KTAP_FN_WALLTIME, KTAP_FN_NUM_CPUS,
	KTAP_FN_ARCH, KTAP_FN_KERNEL_V, KTAP_FN_IN_INTERRUPT, KTAP_FN_IN_IOWAIT,
	/* the event: a system call, or a place in a program */
	KTAP_FN_PROBENAME, KTAP_FN_PROBEFUNC, KTAP_FN_ARGSTR, KTAP_FN_RETVAL,
	KTAP_FN_EVENT_FIELD,
	/* the memory and the code of the program */
	KTAP_FN_USER_STRING, KTAP_FN_JOIN, KTAP_FN_USTACK, KTAP_FN_USYM,
	/* the session */
	KTAP_FN_SCRIPTARG, KTAP_FN_GETOPT, KTAP_FN_TRACE, KTAP_FN_PROBE, KTAP_FN_FIRST,
	KTAP_FN_PROBE_ON, KTAP_FN_PROBE_OFF, KTAP_FN_PROBE_DELETE, KTAP_FN_PROBE_IS_ON,
	KTAP_FN_STOP, KTAP_FN_EXIT, KTAP_FN_ERROR,
	/* output.  The program ktap reads the file of cat(), with its own permissions. */
	KTAP_FN_PRINT, KTAP_FN_PRINTF, KTAP_FN_PRINT_HIST, KTAP_FN_PRINTA, KTAP_FN_CAT,
	KTAP_FN_SPECULATION, KTAP_FN_SPECULATE, KTAP_FN_COMMIT, KTAP_FN_DISCARD,
	KTAP_FN_TEST_PLAN, KTAP_FN_TEST_OK, KTAP_FN_TEST_IS, KTAP_FN_TEST_ISNT,
	KTAP_FN_TEST_SKIP, KTAP_FN_TEST_DIAG,
	/* values that the script has */
	KTAP_FN_COUNT, KTAP_FN_LEN, KTAP_FN_CLEAR, KTAP_FN_TRUNC, KTAP_FN_NORMALIZE,
	KTAP_FN_SORT, KTAP_FN_TABLE_NEW, KTAP_FN_NEW_COUNT, KTAP_FN_NEW_STATS,
	KTAP_FN_NEW_HIST, KTAP_FN_NEW_LHIST, KTAP_FN_COUNT_OF, KTAP_FN_SUM, KTAP_FN_MIN,
	KTAP_FN_MAX, KTAP_FN_AVG, KTAP_FN_QUANTILE, KTAP_FN_STDDEV, KTAP_FN_SNAPSHOT,
	KTAP_FN_FORMAT, KTAP_FN_TOSTRING, KTAP_FN_SUBSTR, KTAP_FN_STRSTR, KTAP_FN_STRCMP,
	KTAP_FN_STRLEN, KTAP_FN_GLOB, KTAP_FN_TOUPPER, KTAP_FN_TOLOWER, KTAP_FN_TONUMBER,
	KTAP_FN_NTOP, KTAP_FN_MACADDR, KTAP_FN_STRFTIME,
};

/* May such a script call the built-in function @fn? */
bool ktap_own_may_call(u32 fn)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		if (functions[i] == fn)
			return true;
	}
	return false;
}

/* Return the name of what @insn does if such a script may not do it, or NULL. */
static const char *own_refused(const struct ktap_code *insn)
{
	switch (insn->op) {
	case KTAP_OP_SYMBOL:
		return "variables of the kernel";
	case KTAP_OP_KERNEL:
	case KTAP_OP_KANY:
		return "functions of the kernel";
	case KTAP_OP_CALLB:
	case KTAP_OP_VALUE:
		return ktap_own_may_call(insn->d) ? NULL : ktap_builtins[insn->d].name;
	default:
		return NULL;
	}
}

/**
 * ktap_own_check() - Check what a script does that sees only its user's own processes
 * @prog: the program, verified
 * @diag: gets the reason of a refusal
 *
 * Return: 0, or -EPERM.
 */
int ktap_own_check(const struct ktap_program *prog, struct ktap_diag *diag)
{
	const char *what;
	u32 pc;

	for (pc = 0; pc < prog->ninsns; pc++) {
		what = own_refused(&prog->code[pc]);
		if (!what)
			continue;
		ktap_diag_at(diag, prog, pc, "CAP_PERFMON is needed for %s: " WITHOUT, what);
		return -EPERM;
	}
	if (!(prog->uses & KTAP_USES_TYPES))
		return 0;
	ktap_diag(diag, "CAP_PERFMON is needed for types of the kernel: " WITHOUT);
	return -EPERM;
}
