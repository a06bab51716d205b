// SPDX-License-Identifier: GPL-2.0
/*
 * Permissions: what the script of a session may do, by the rights of its opener.
 */
#include <linux/array_size.h>
#include <linux/bits.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/kallsyms.h>
#include <linux/perf_event.h>
#include <linux/security.h>

#include "../trace.h"
#include "policy.h"
#include "session.h"
#include "vm/builtin.h"

/**
 * DOC: Permissions
 *
 * The rights of the opener of the file count, as they were at that time, &file.f_cred; in
 * the initial user namespace, because a tracer sees the whole machine.  A task that
 * inherited or received the file needs no rights to read or write it, and does not add
 * its own: while a script is loaded, the writer has the opener's credentials.  Rights are
 * checked twice: by ktap_permissions_open() when the file is opened; and when the chunk is
 * loaded, because the kernel may have been locked down since.  Events that are attached
 * by then stay attached.
 *
 * Each operation needs the same rights as by other interfaces of the kernel (LOCKDOWN_*:
 * the kernel is not locked down for that reason):
 *
 * - events of all CPUs, with their fields, and the code that the CPUs execute: the rights
 *   that perf asks for tracepoints, for kernel profiling and for counters of a CPU.  This
 *   is CAP_PERFMON, or kernel.perf_event_paranoid is -1; in the latter case strings of
 *   system calls are those of perf's records (event/syscall.c);
 * - functions, instructions and raw tracepoints: CAP_PERFMON and
 *   LOCKDOWN_KPROBES, as for perf's kprobes;
 * - programs: CAP_PERFMON, as for perf's uprobes;
 * - threads, open files and mappings of all processes: CAP_PERFMON, as for iterators of BPF
 *   (event/iter.c);
 * - memory at any address of the kernel or of a program: CAP_PERFMON, as for
 *   bpf_probe_read_kernel() and bpf_probe_read_user(); for the kernel's memory also
 *   LOCKDOWN_BPF_READ_KERNEL (btf/ksym.c, btf/btf.c);
 * - the address of a symbol: CAP_PERFMON, and the rights to see addresses in
 *   /proc/kallsyms, as for bpf_kallsyms_lookup_name();
 * - the symbol of an address: CAP_PERFMON, as for bpf_snprintf("%ps"), or the rights to
 *   see addresses in /proc/kallsyms;
 * - registers of an event, reg(): LOCKDOWN_PERF, as for those that perf samples;
 * - memory of the kernel that is watched: CAP_SYS_ADMIN, as for a breakpoint of perf
 *   (event/watch.c);
 * - packets: CAP_NET_ADMIN, as for other hooks of netfilter (event/packet.c);
 * - actions on the system: CAP_SYS_ADMIN, LOCKDOWN_DBG_WRITE_KERNEL, and explicit consent
 *   of both the script and the user who runs it (session_input.c, lib/act.c).
 *
 * Without these rights, users may trace system calls of their own processes, if
 * kernel.perf_event_paranoid is 2 or less: owner.c has the rule.  No built-in function or value
 * of such a session tells about a process of somebody else, or about the kernel.  Those of the
 * current thread (pid, execname, uid, cgroup, ustack(), user_string(), ...) tell about the
 * opener's thread, or, in trace_begin, trace_end and ticks, about the session's thread, which
 * has no memory.  Stacks of the kernel, its memory, addresses of tasks, members of types and
 * other cgroups are refused.  The rest is what the files of /proc show to all users: clocks,
 * numbers of CPUs, functions like ffi.C.nr_running().
 *
 * A signed script may give users the rights of CAP_PERFMON except for programs, if the
 * administrator has chosen that (policy.c).
 */

/* Users who may profile the kernel by perf may do so by ktap. */
#ifdef CONFIG_PERF_EVENTS
static int permission_may_profile(void)
{
	return perf_allow_tracepoint() ?: perf_allow_kernel() ?: perf_allow_cpu();
}
#else
static int permission_may_profile(void)
{
	return perfmon_capable() ? 0 : -EPERM;
}
#endif

/* A missing capability is no denial here: do not audit it. */
static bool permission_cred_has(const struct cred *cred, int cap)
{
	return !security_capable(cred, &init_user_ns, cap, CAP_OPT_NOAUDIT);
}

static bool permission_has_perfmon(const struct cred *cred)
{
	return permission_cred_has(cred, CAP_SYS_ADMIN) || permission_cred_has(cred, CAP_PERFMON);
}

/*
 * May the current task trace its own processes, as by perf?  Not if perf_event_paranoid is 3 or
 * more, which some distributions use to forbid users all of perf.  A task with CAP_PERFMON may
 * not, if a security module forbids it to profile.  Numbers of processes and users are those of
 * the first namespaces: so a user of another one may not either.
 */
static bool permission_may_own(void)
{
#ifdef CONFIG_PERF_EVENTS
	return !permission_has_perfmon(current_cred()) && current_user_ns() == &init_user_ns &&
	       sysctl_perf_event_paranoid <= 2 && !security_perf_event_open(PERF_SECURITY_OPEN);
#else
	return false;
#endif
}

/**
 * ktap_permissions_open() - Check that the current task may open a session
 *
 * The mode of the file has been checked before.
 * Return: 0, or a negative errno.
 */
int ktap_permissions_open(void)
{
	int err = tracing_check_open_get_tr(NULL);

	if (err || ktap_policy_opens())
		return err;
	if (permission_may_own())
		return 0;
	return permission_may_profile();
}

/**
 * ktap_permissions_init() - Store the rights of the opener, the current task
 * @s: the session
 * @cred: credentials of the opener
 *
 * Return: 0; -EPERM: it has lost them since ktap_permissions_open().
 */
int ktap_permissions_init(struct ktap_session *s, const struct cred *cred)
{
	s->may_profile = !permission_may_profile();
	if (!s->may_profile && !ktap_policy_opens()) {
		if (!permission_may_own())
			return -EPERM;
		s->filter.owner = get_cred(cred);
	}
	s->admin = permission_cred_has(cred, CAP_SYS_ADMIN);
	s->perfmon = permission_has_perfmon(cred);
	s->programs = s->perfmon && s->may_profile;
	s->addresses = kallsyms_show_value(cred);
	s->net_admin = permission_cred_has(cred, CAP_NET_ADMIN);
	return 0;
}

#define PERFMON		BIT(0)
#define ADDRESSES	BIT(1)
#define PROFILE		BIT(2)
#define OWN		BIT(3)

static const char no_kernel[] = "CAP_PERFMON is needed to read the memory of the kernel";
static const char no_program[] =
	"CAP_PERFMON is needed to read the memory of programs (args.filename needs no reading)";
static const char no_stack[] =
	"CAP_PERFMON is needed for stacks of the kernel, or kernel.perf_event_paranoid -1";
static const char no_cgroup[] =
	"CAP_PERFMON is needed for other cgroups, or kernel.perf_event_paranoid -1";
static const char no_address[] = "CAP_PERFMON is needed for addresses of the kernel";
static const char no_symbol[] =
	"the opener of the session sees no addresses in /proc/kallsyms (kptr_restrict, CAP_SYSLOG)";
static const char no_name[] =
	"symbols of addresses need CAP_PERFMON, or addresses in /proc/kallsyms";

/* To call @fn, one of the rights @any is needed: in each row of @fn.  @why is the error. */
static const struct {
	u8 fn;
	u8 any;
	const char *why;
} needs[] = {
	{ KTAP_FN_STR,		 PERFMON,		no_kernel },
	{ KTAP_FN_KERNEL_STRING, PERFMON,		no_kernel },
	{ KTAP_FN_BUF,		 PERFMON,		no_kernel },
	{ KTAP_FN_READ,		 PERFMON,		no_kernel },
	{ KTAP_FN_PATH,		 PERFMON,		no_kernel },
	{ KTAP_FN_USER_STRING,	 PERFMON | OWN,		no_program },
	{ KTAP_FN_JOIN,		 PERFMON | OWN,		no_program },
	{ KTAP_FN_KSTACK,	 PERFMON | PROFILE,	no_stack },
	{ KTAP_FN_CALLED_FROM,	 PERFMON | PROFILE,	no_stack },
	{ KTAP_FN_CGROUP_ID,	 PERFMON | PROFILE,	no_cgroup },
	{ KTAP_FN_CGROUP_PATH,	 PERFMON | PROFILE,	no_cgroup },
	{ KTAP_FN_CURTASK,	 PERFMON,		no_address },
	{ KTAP_FN_KADDR,	 PERFMON,		no_address },
	{ KTAP_FN_KADDR,	 ADDRESSES,		no_symbol },
	{ KTAP_FN_KSYM,		 PERFMON | ADDRESSES,	no_name },
	{ KTAP_FN_STRINGOF,	 PERFMON | ADDRESSES,	no_name },
};

/* Return why an opener with these rights may not run @insn; NULL if they may. */
static const char *permission_forbidden(unsigned int rights, const struct ktap_code *insn)
{
	unsigned int i;

	if (insn->op == KTAP_OP_SYMBOL)
		return rights & PERFMON ? NULL : no_kernel;
	if (insn->op != KTAP_OP_CALLB)
		return NULL;
	for (i = 0; i < ARRAY_SIZE(needs); i++) {
		if (needs[i].fn == insn->d && !(rights & needs[i].any))
			return needs[i].why;
	}
	return NULL;
}

/* As perf has it for PERF_SAMPLE_REGS_INTR, and also at events of programs. */
static int permission_check_registers(struct ktap_session *s, const struct ktap_program *prog)
{
	u32 pc;

	for (pc = 0; pc < prog->ninsns; pc++) {
		if (!(ktap_insn_reads(&prog->code[pc]) & KTAP_READS_REGISTERS))
			continue;
		if (!security_locked_down(LOCKDOWN_PERF))
			return 0;
		ktap_diag_at(&s->diag, prog, pc, "the kernel is locked down: no registers");
		return -EPERM;
	}
	return 0;
}

/**
 * ktap_permissions_check() - Check that the session's opener may run this program
 * @s: the session
 * @prog: the program, verified
 *
 * Return: 0, or -EPERM with the reason in &ktap_session.diag.
 */
int ktap_permissions_check(struct ktap_session *s, const struct ktap_program *prog)
{
	unsigned int rights = (s->perfmon ? PERFMON : 0) | (s->addresses ? ADDRESSES : 0) |
			      (s->may_profile ? PROFILE : 0) | (s->filter.owner ? OWN : 0);
	const char *why;
	u32 pc;

	if (permission_check_registers(s, prog))
		return -EPERM;
	if (s->perfmon && s->addresses)
		return 0;
	for (pc = 0; pc < prog->ninsns; pc++) {
		why = permission_forbidden(rights, &prog->code[pc]);
		if (!why)
			continue;
		ktap_diag_at(&s->diag, prog, pc, "%s", why);
		return -EPERM;
	}
	if (s->perfmon || !(prog->uses & KTAP_USES_TYPES))
		return 0;
	ktap_diag(&s->diag, "%s, by the types it has", no_kernel);
	return -EPERM;
}
