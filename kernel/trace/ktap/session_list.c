// SPDX-License-Identifier: GPL-2.0
/*
 * The list of all sessions, and the file ktap/sessions that shows it.
 */
#include <linux/bitops.h>
#include <linux/cleanup.h>
#include <linux/cred.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/seq_file.h>
#include <linux/string_helpers.h>
#include <linux/timekeeping.h>
#include <linux/uidgid.h>

#include "probe.h"
#include "session.h"
#include "session_output.h"
#include "session_priv.h"
#include "vm/builtin.h"

/* Protects the list of sessions, and the lists of their probes. */
DEFINE_MUTEX(ktap_sessions_lock);
LIST_HEAD(ktap_sessions);		/* protected by ktap_sessions_lock */
static u64 last_id;			/* protected by ktap_sessions_lock */

/* Sessions of own processes for each user, as no other limit of the user counts their threads */
#define MAX_OWN_SESSIONS	16

/* The sessions of own processes that this user has */
static unsigned int sessions_of_owner(const struct cred *owner)
{
	const struct ktap_session *s;
	unsigned int n = 0;

	list_for_each_entry(s, &ktap_sessions, list)
		n += s->filter.owner && uid_eq(s->filter.owner->uid, owner->uid);
	return n;
}

/* Return 0; -EUSERS: the user has MAX_OWN_SESSIONS. */
int ktap_sessions_add(struct ktap_session *s)
{
	guard(mutex)(&ktap_sessions_lock);
	if (s->filter.owner && sessions_of_owner(s->filter.owner) >= MAX_OWN_SESSIONS)
		return -EUSERS;
	s->id = ++last_id;
	list_add_tail(&s->list, &ktap_sessions);
	return 0;
}

void ktap_sessions_remove(struct ktap_session *s)
{
	guard(mutex)(&ktap_sessions_lock);
	list_del(&s->list);
}

static const char * const state_names[] = {
	[KTAP_OPEN]	 = "open",
	[KTAP_LOADING]	 = "loading",
	[KTAP_BEGINNING] = "loading",
	[KTAP_RUNNING]	 = "running",
	[KTAP_STOPPING]	 = "stopping",
	[KTAP_ENDED]	 = "ended",
	[KTAP_FAILED]	 = "failed",
};

static const char * const code_names[] = {
	[KTAP_JIT_NONE]	   = "bytecode",
	[KTAP_JIT_NATIVE]  = "native",
	[KTAP_JIT_SHORT]   = "bytecode(short)",
	[KTAP_JIT_OFF]	   = "bytecode(off)",
	[KTAP_JIT_FORBIDDEN] = "bytecode(forbidden)",
	[KTAP_JIT_LONG]	   = "bytecode(long)",
	[KTAP_JIT_MEMORY]  = "bytecode(memory)",
	[KTAP_JIT_REFUSED] = "bytecode(refused)",
};

static u64 sessions_cpu_time(const struct ktap_session *s, int cpu)
{
	const struct ktap_probe *probe;
	u64 time = 0;

	list_for_each_entry_rcu(probe, &s->probes, list, lockdep_is_held(&ktap_sessions_lock))
		time += ktap_probe_time(per_cpu_ptr(probe->stats, cpu));
	return time;
}

/* The share of handlers in the time of the busiest CPU, in hundredths of a percent. */
static unsigned int sessions_overhead(const struct ktap_session *s)
{
	u64 begin = READ_ONCE(s->begin), end = READ_ONCE(s->end), most = 0;
	int cpu;

	if (!end)
		end = ktime_get_mono_fast_ns();
	if (!begin || end <= begin)
		return 0;
	for_each_possible_cpu(cpu)
		most = max(most, sessions_cpu_time(s, cpu));
	return min(div64_u64(most * 100, div_u64(end - begin, 100) + 1), 10000ULL);
}

/* Users choose these texts, and a terminal may obey them: escape all but printable ASCII. */
static void sessions_show_text(struct seq_file *m, const char *text, const char *special)
{
	seq_escape_str(m, text, ESCAPE_OCTAL | ESCAPE_NAP | ESCAPE_APPEND, special);
}

static void sessions_show_session(struct seq_file *m, struct ktap_session *s)
{
	struct ktap_probe_totals stats;
	const struct ktap_probe *probe;
	unsigned int share = sessions_overhead(s);
	u64 events = 0;
	char acts[KTAP_ACTS_TEXT];

	list_for_each_entry_rcu(probe, &s->probes, list, lockdep_is_held(&ktap_sessions_lock)) {
		ktap_probe_stats(probe, &stats);
		events += stats.hits;
	}

	/* The pid as the reader of the file sees it; 0 if it is not in the reader's namespace. */
	seq_printf(m, "%llu %d ", s->id, pid_vnr(s->opener));
	sessions_show_text(m, s->comm, " \\");
	seq_putc(m, ' ');
	/* The arguments change until LOADING ends; pairs with each change of the state. */
	if (smp_load_acquire(&s->filter.state) > KTAP_LOADING && s->nargs)
		sessions_show_text(m, s->args[0].blob, " \\");
	else
		seq_putc(m, '-');
	seq_printf(m, " %s events=%llu lost=%ld memory=%zu overhead=%u.%02u%% attached=%u/%u",
		   state_names[READ_ONCE(s->filter.state)], events,
		   atomic_long_read(&s->env.counters.lost_records) +
		   (long)ktap_output_overwritten(&s->output),
		   READ_ONCE(s->env.heap.bytes) + READ_ONCE(s->probe_bytes) +
		   READ_ONCE(s->env.native_bytes) +
		   ktap_output_memory(&s->output),
		   share / 100, share % 100, READ_ONCE(s->nattached), READ_ONCE(s->nevents));
	ktap_acts_text(READ_ONCE(s->acts), acts);
	if (*acts)
		seq_printf(m, " acts=%s", acts);
	if (READ_ONCE(s->ncalls))
		seq_printf(m, " calls=%u", READ_ONCE(s->ncalls));
	if (READ_ONCE(s->is_signed))
		seq_printf(m, " signed=%d", 1);
	if (s->filter.owner)
		seq_printf(m, " own=%d", 1);
	if (s->boot_name)
		seq_printf(m, " boot=%s", s->boot_name);
	seq_putc(m, '\n');

	list_for_each_entry_rcu(probe, &s->probes, list, lockdep_is_held(&ktap_sessions_lock)) {
		ktap_probe_stats(probe, &stats);
		seq_puts(m, "  ");
		sessions_show_text(m, probe->event, "\\");
		seq_printf(m, " hits=%llu filtered=%llu missed=%llu skipped=%llu ", stats.hits,
			   stats.filtered, stats.missed, stats.skipped);
		seq_printf(m, "errors=%llu time=%llu ", stats.errors, stats.time);
		if (probe->condition != KTAP_NONE || probe->switched != KTAP_NONE)
			seq_printf(m, "on=%d times=%lu ", READ_ONCE(probe->on),
				   READ_ONCE(probe->times));
		if (probe->switched != KTAP_NONE)
			seq_printf(m, "deleted=%d ", test_bit(probe->switched, s->env.deleted));
		seq_printf(m, "code=%s\n", code_names[READ_ONCE(probe->jit_outcome)]);
		/* All will be shown again, with more memory. */
		if (seq_has_overflowed(m))
			return;
		cond_resched();
	}
}

void ktap_sessions_show(struct seq_file *m)
{
	struct ktap_session *s;

	guard(mutex)(&ktap_sessions_lock);
	list_for_each_entry(s, &ktap_sessions, list)
		sessions_show_session(m, s);
}
