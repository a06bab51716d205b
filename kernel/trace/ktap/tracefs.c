// SPDX-License-Identifier: GPL-2.0
/*
 * The files below ktap/ in tracefs.
 */
#include <linux/capability.h>
#include <linux/cleanup.h>
#include <linux/cred.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kstrtox.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/tracefs.h>
#include <linux/uaccess.h>

#include "../trace.h"
#include "data/ustack_file.h"
#include "jit/jit.h"
#include "output/speculation.h"
#include "policy.h"
#include "probe.h"
#include "session.h"
#include "session_dump.h"
#include "session_output.h"
#include "tracefs.h"
#include "vm/kernel_call.h"
#include "vm/kernel_function.h"
#include "vm/opcode.h"

/* Bytes that are copied from the user at a time */
#define TRACEFS_PIECE	SZ_64K

struct dentry *ktap_tracefs_dir;

static int tracefs_session_open(struct inode *inode, struct file *file)
{
	struct ktap_session *s;
	int err = ktap_permissions_open();

	if (err)
		return err;
	s = ktap_session_open(file->f_cred);
	if (IS_ERR(s))
		return PTR_ERR(s);
	file->private_data = s;
	return stream_open(inode, file);
}

static int tracefs_session_release(struct inode *inode, struct file *file)
{
	ktap_session_close(file->private_data);
	return 0;
}

/*
 * The files that a script names are looked up, and its top level runs, with the rights of
 * the opener of the session and charged to its memory cgroup, whichever task writes.
 */
static int tracefs_feed_as_opener(struct file *file, const char *buf, size_t n)
{
	struct ktap_session *s = file->private_data;
	const struct cred *old = override_creds(file->f_cred);
	struct mem_cgroup *old_memcg = set_active_memcg(s->memcg);
	int err = ktap_session_feed(s, buf, n);

	set_active_memcg(old_memcg);
	revert_creds(old);
	return err;
}

ssize_t ktap_tracefs_write(struct file *file, const char __user *ubuf, size_t count, loff_t *ppos)
{
	char *buf __free(kvfree) = NULL;
	struct ktap_session *s = file->private_data;
	bool loaded = READ_ONCE(s->loaded);
	size_t n, done;
	int err;

	if (!count)
		return 0;
	buf = kvmalloc(min_t(size_t, count, TRACEFS_PIECE), KTAP_GFP);
	if (!buf)
		return -ENOMEM;

	for (done = 0; done < count; done += n) {
		n = min_t(size_t, count - done, TRACEFS_PIECE);
		/* Earlier bytes were written, and must not be written again. */
		if (copy_from_user(buf, ubuf + done, n))
			return done ? (ssize_t)done : -EFAULT;
		err = tracefs_feed_as_opener(file, buf, n);
		if (err)
			return err;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	/* The result stays the same after a signal: the bytes were written. */
	if (!loaded)
		ktap_session_wait_begun(s);
	return count;
}

ssize_t ktap_tracefs_read(struct file *file, char __user *ubuf, size_t count, loff_t *ppos)
{
	struct ktap_session *s = file->private_data;
	bool nonblock = file->f_flags & O_NONBLOCK;
	int err = ktap_session_before_read(s, nonblock);

	if (err)
		return err;
	ktap_set_reader(s);
	return ktap_output_read(&s->output, ubuf, count, nonblock);
}

__poll_t ktap_tracefs_poll(struct file *file, poll_table *table)
{
	struct ktap_session *s = file->private_data;
	__poll_t events = ktap_output_poll(&s->output, file, table);

	/* Until then read() returns -EAGAIN.  The loader wakes us after loading. */
	if (!ktap_session_can_read(s))
		events = 0;
	return EPOLLOUT | EPOLLWRNORM | events;
}

static const struct file_operations session_fops = {
	.open = tracefs_session_open,
	.read = ktap_tracefs_read,
	.write = ktap_tracefs_write,
	.poll = ktap_tracefs_poll,
	.release = tracefs_session_release,
};

static int tracefs_sessions_show(struct seq_file *m, void *unused)
{
	ktap_sessions_show(m);
	return 0;
}

static int tracefs_sessions_open(struct inode *inode, struct file *file)
{
	return tracing_check_open_get_tr(NULL) ?: single_open(file, tracefs_sessions_show, NULL);
}

static const struct file_operations sessions_fops = {
	.open = tracefs_sessions_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};

static const struct {
	const char *name;
	unsigned long value;
} limits[] = {
	{ "max_chunk",		KTAP_MAX_CHUNK },
	{ "max_strlen",		KTAP_MAX_STRLEN },
	{ "max_probes",		KTAP_MAX_PROBES },
	{ "max_events",		KTAP_MAX_POINTS },
	{ "event_stack",	KTAP_EVENT_STACK },
	{ "event_calls",	KTAP_EVENT_CALLS },
	{ "event_arena",	KTAP_EVENT_ARENA },
	{ "speculations",	KTAP_SPECULATIONS },
	{ "process_stack",	KTAP_PROCESS_STACK },
	{ "process_calls",	KTAP_PROCESS_CALLS },
	{ "process_arena",	KTAP_PROCESS_ARENA },
};

static int tracefs_features_show(struct seq_file *m, void *unused)
{
	unsigned int i;

	seq_printf(m, "abi: %d.%d\nsources:", KTAP_ABI_MAJOR, KTAP_ABI_MINOR);
	ktap_sources_show(m);
	seq_puts(m, "\nopcodes:");
	for (i = 0; i < ARRAY_SIZE(ktap_opdefs); i++) {
		if (ktap_opdefs[i].name)
			seq_printf(m, " %s", ktap_opdefs[i].name);
	}
	seq_puts(m, "\nfunctions:");
	for (i = 0; i < KTAP_NR_FUNCTIONS; i++) {
		if (ktap_builtins[i].name)
			seq_printf(m, " %s", ktap_builtins[i].name);
	}
	seq_puts(m, "\ncalls:");
	for (i = 0; i < KTAP_NR_KERNEL_CALLS; i++)
		seq_printf(m, " %s", ktap_kernel_calls[i].name);
	seq_putc(m, '\n');
	for (i = 0; i < ARRAY_SIZE(limits); i++)
		seq_printf(m, "%s: %lu\n", limits[i].name, limits[i].value);
	seq_printf(m, "set_retval: %d\n", KTAP_CAN_SET_RETVAL);
	seq_printf(m, "verdict: %d\n", KTAP_CAN_DROP_PACKETS);
	seq_printf(m, "call: %d\n", KTAP_CAN_CALL);
	seq_printf(m, "jit: %d\n", IS_ENABLED(CONFIG_KTAP_JIT));
	seq_printf(m, "signed: %d\n", IS_ENABLED(CONFIG_KTAP_SIGNED));
	seq_printf(m, "user_files: %d\n", KTAP_FINDS_USER_FILES);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(tracefs_features);

/**
 * struct tracefs_limit - a limit that can be changed
 * @value: the limit
 * @min: its minimum
 * @max: its maximum
 */
struct tracefs_limit {
	unsigned long *value;
	unsigned long min;
	unsigned long max;
};

static const struct tracefs_limit max_memory = { &ktap_max_memory, KTAP_MIN_MEMORY, ULONG_MAX };
static const struct tracefs_limit max_insns = { &ktap_max_insns, 1, KTAP_MAX_BUDGET };
static const struct tracefs_limit panic_dump = { &ktap_panic_dump, 0, KTAP_MAX_PANIC_DUMP };

#ifdef CONFIG_KTAP_JIT
static const struct tracefs_limit jit = {
	&ktap_jit_enabled, IS_ENABLED(CONFIG_KTAP_JIT_ALWAYS), 1
};

/* As BPF_OBJ_GET_INFO_BY_FD, which shows no code with addresses either without these. */
static int tracefs_native_open(struct inode *inode, struct file *file)
{
	int err = tracing_check_open_get_tr(NULL);

	if (err)
		return err;
	if (!bpf_capable() || !bpf_dump_raw_ok(file->f_cred))
		return -EPERM;
	return seq_open(file, &ktap_native_ops);
}

static const struct file_operations native_fops = {
	.open = tracefs_native_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = seq_release,
};
#endif

static ssize_t tracefs_limit_read(struct file *file, char __user *ubuf, size_t count, loff_t *ppos)
{
	const struct tracefs_limit *limit = file->private_data;
	char buf[32];
	int len;

	len = scnprintf(buf, sizeof(buf), "%lu\n", READ_ONCE(*limit->value));
	return simple_read_from_buffer(ubuf, count, ppos, buf, len);
}

static ssize_t tracefs_limit_write(struct file *file, const char __user *ubuf, size_t count,
				   loff_t *ppos)
{
	const struct tracefs_limit *limit = file->private_data;
	unsigned long value;
	int err = kstrtoul_from_user(ubuf, count, 0, &value);

	if (err)
		return err;
	if (value < limit->min || value > limit->max)
		return -EINVAL;
	WRITE_ONCE(*limit->value, value);
	return count;
}

static int tracefs_limit_open(struct inode *inode, struct file *file)
{
	return tracing_check_open_get_tr(NULL) ?: simple_open(inode, file);
}

static const struct file_operations limit_fops = {
	.open = tracefs_limit_open,
	.read = tracefs_limit_read,
	.write = tracefs_limit_write,
	.llseek = default_llseek,
};

static const struct {
	const char *name;
	umode_t mode;
	const void *data;
	const struct file_operations *fops;
} files[] = {
	{ "session",	0600,			NULL,		&session_fops },
	{ "sessions",	TRACE_MODE_READ,	NULL,		&sessions_fops },
	{ "features",	TRACE_MODE_READ,	NULL,		&tracefs_features_fops },
	{ "max_memory",	TRACE_MODE_WRITE,	&max_memory,	&limit_fops },
	{ "max_insns",	TRACE_MODE_WRITE,	&max_insns,	&limit_fops },
	{ "panic_dump",	TRACE_MODE_WRITE,	&panic_dump,	&limit_fops },
#ifdef CONFIG_KTAP_JIT
	{ "jit",	TRACE_MODE_WRITE,	&jit,		&limit_fops },
	{ "native",	0400,			NULL,		&native_fops },
#endif
#ifdef CONFIG_KTAP_SIGNED
	{ "policy",	TRACE_MODE_WRITE,	NULL,		&ktap_policy_fops },
#endif
};

static int __init ktap_init(void)
{
	struct dentry *dir;
	unsigned int i;
	int err;

	err = tracing_init_dentry();
	if (err)
		return err;
	dir = tracefs_create_dir("ktap", NULL);
	if (!dir)
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		if (trace_create_file(files[i].name, files[i].mode, dir, (void *)files[i].data,
				      files[i].fops))
			continue;
		tracefs_remove(dir);
		return -ENOMEM;
	}
	ktap_tracefs_dir = dir;
	return 0;
}
fs_initcall(ktap_init);
