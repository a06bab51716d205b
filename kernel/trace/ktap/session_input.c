// SPDX-License-Identifier: GPL-2.0
/*
 * Input of the file ktap/session: lines that set the session up, the chunk, and "stop", in
 * writes of any size.  Only the "stop" that another task writes while the script is being
 * loaded must be a single write.
 */
#include <linux/cpumask.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/kstrtox.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "host/cgroup.h"
#include "session.h"
#include "vm/integer.h"
#include "vm/overhead.h"

static int input_set_arg(struct ktap_session *s, const char *value)
{
	struct ktap_value *arg;
	char *copy;
	s64 i;

	if (s->nargs == KTAP_MAX_SCRIPTARGS)
		return ktap_session_refuse(s, -E2BIG, "more than %d arguments",
					   KTAP_MAX_SCRIPTARGS);
	if (!s->args)
		s->args = kvcalloc(KTAP_MAX_SCRIPTARGS, sizeof(*s->args), KTAP_GFP);
	copy = kstrdup(value, KTAP_GFP);
	if (!s->args || !copy) {
		kfree(copy);
		return ktap_session_refuse(s, -ENOMEM, "no memory");
	}

	s->arg_bytes += strlen(copy) + 1;
	/* The script's name is always a string. */
	arg = &s->args[s->nargs++];
	if (s->nargs > 1 && ktap_parse_integer(value, strlen(value), &i)) {
		*arg = KTAP_VALUE_INT(i);
		kfree(copy);
	} else {
		*arg = KTAP_VALUE_STR(copy, strlen(copy));
	}
	return 0;
}

static int input_set_pid(struct ktap_session *s, const char *value)
{
	pid_t pid;

	if (kstrtoint(value, 10, &pid) || pid <= 0)
		return ktap_session_refuse(s, -EINVAL, "'%s' is no process id", value);
	return ktap_set_process(s, pid);
}

static int input_set_cgroup(struct ktap_session *s, const char *value)
{
	struct cgroup *cgrp;

	if (s->filter.owner)
		return ktap_session_refuse(s, -EPERM, "CAP_PERFMON is needed to name a cgroup");
	cgrp = ktap_cgroup_get(value);
	if (cgrp == ERR_PTR(-EOPNOTSUPP))
		return ktap_session_refuse(s, -EOPNOTSUPP,
					   "cgroup: this kernel was built without CONFIG_CGROUPS");
	if (IS_ERR(cgrp))
		return ktap_session_refuse(s, PTR_ERR(cgrp), "there is no cgroup (v2) '%.500s'",
					   value);
	ktap_cgroup_put(s->filter.cgroup);
	s->filter.cgroup = cgrp;
	return 0;
}

static int input_set_comm(struct ktap_session *s, const char *value)
{
	if (!*value || strlen(value) >= sizeof(s->filter.comm))
		return ktap_session_refuse(s, -EINVAL,
					   "'%.64s' is no name of a thread: it has 1 to %zu bytes",
					   value, sizeof(s->filter.comm) - 1);
	strscpy(s->filter.comm, value);
	return 0;
}

static int input_set_memory(struct ktap_session *s, const char *value)
{
	unsigned long max = READ_ONCE(ktap_max_memory);
	unsigned long long bytes;

	if (kstrtoull(value, 0, &bytes) || bytes < KTAP_MIN_MEMORY)
		return ktap_session_refuse(s, -EINVAL,
					   "memory is a number of bytes, at least %d (ktap -m 256k)",
					   KTAP_MIN_MEMORY);
	if (bytes > max)
		return ktap_session_refuse(s, -ERANGE,
					   "memory is at most %lu bytes here (see ktap/max_memory)",
					   max);
	s->memory = bytes;
	return 0;
}

static int input_set_overhead(struct ktap_session *s, const char *value)
{
	unsigned int percent;

	if (kstrtouint(value, 10, &percent) || percent < KTAP_MIN_OVERHEAD_LIMIT ||
	    percent > KTAP_MAX_OVERHEAD_LIMIT)
		return ktap_session_refuse(s, -EINVAL,
					   "overhead '%s': a percentage is a whole number from %d to %d; %d is no limit",
					   value, KTAP_MIN_OVERHEAD_LIMIT, KTAP_MAX_OVERHEAD_LIMIT,
					   KTAP_MAX_OVERHEAD_LIMIT);
	s->max_overhead = percent;
	return 0;
}

#define INPUT_DAY	(24 * 60 * 60)	/* seconds */

/* From the tool, which knows the time zone: no place on earth is a day away from UTC. */
static int input_set_utc_offset(struct ktap_session *s, const char *value)
{
	int secs;

	if (kstrtoint(value, 10, &secs) || secs <= -INPUT_DAY || secs >= INPUT_DAY)
		return ktap_session_refuse(s, -EINVAL,
					   "'%.64s' is no offset from UTC: a number of seconds, less than a day",
					   value);
	s->utc_offset = secs;
	return 0;
}

static int input_set_cpus(struct ktap_session *s, const char *value)
{
	if (!s->filter.cpus)
		s->filter.cpus = kzalloc(cpumask_size(), KTAP_GFP);
	if (!s->filter.cpus)
		return ktap_session_refuse(s, -ENOMEM, "no memory");
	switch (cpulist_parse(value, s->filter.cpus)) {
	case 0:
		break;
	case -ERANGE:
	case -EOVERFLOW:
		return ktap_session_refuse(s, -ERANGE,
					   "not all of the CPUs '%s' exist: there are %*pbl", value,
					   cpumask_pr_args(cpu_possible_mask));
	default:
		cpumask_clear(s->filter.cpus);
	}
	if (cpumask_empty(s->filter.cpus))
		return ktap_session_refuse(s, -EINVAL, "'%s' is no list of CPUs like 0,2-3",
					   value);
	if (!cpumask_subset(s->filter.cpus, cpu_possible_mask))
		return ktap_session_refuse(s, -ERANGE,
					   "not all of the CPUs '%s' exist: there are %*pbl", value,
					   cpumask_pr_args(cpu_possible_mask));
	return 0;
}

static int input_set_unsafe(struct ktap_session *s, const char *value)
{
	if (!s->admin)
		return ktap_session_refuse(s, -EPERM,
					   "unsafe: the opener of the session has no CAP_SYS_ADMIN");
	if (security_locked_down(LOCKDOWN_DBG_WRITE_KERNEL))
		return ktap_session_refuse(s, -EPERM, "unsafe: the kernel is locked down");
	s->unsafe = true;
	return 0;
}

static int input_set_format(struct ktap_session *s, const char *value)
{
	s->output.json = !strcmp(value, "json");
	if (s->output.json || !strcmp(value, "text"))
		return 0;
	return ktap_session_refuse(s, -EINVAL,
				   "there is no format '%.64s': there are json and text", value);
}

static int input_set_keep(struct ktap_session *s, const char *value)
{
	s->output.keeps_newest = !strcmp(value, "newest");
	if (s->output.keeps_newest || !strcmp(value, "oldest"))
		return 0;
	return ktap_session_refuse(s, -EINVAL,
				   "cannot keep '%.64s' records: there are oldest and newest",
				   value);
}

static int input_set_symbols(struct ktap_session *s, const char *value)
{
	size_t len = strlen(value), i = 0;

	while (isalnum(value[i]))
		i++;
	if (i != len || len < KTAP_MIN_MARK_KEY || len > KTAP_MAX_MARK_KEY)
		return ktap_session_refuse(s, -EINVAL,
					   "'%.64s' is no key of %d to %d letters and digits",
					   value, KTAP_MIN_MARK_KEY, KTAP_MAX_MARK_KEY);
	strscpy(s->mark_key, value);
	return 0;
}

typedef int input_place_fn(struct ktap_user_places *places, char *line, const char **why);

/* For lines that the program ktap adds.  @set changes its copy of the line. */
static int input_set_user_place(struct ktap_session *s, const char *name, const char *value,
				input_place_fn *set)
{
	char *line = kstrdup(value, KTAP_GFP);
	const char *why = "no memory";
	int err = -ENOMEM;

	if (line)
		err = set(&s->user_places, line, &why);
	kfree(line);
	if (!err)
		return 0;
	return ktap_session_refuse(s, err, "the line '%s %.500s': %s", name, value, why);
}

/* Lines before the chunk. */
static const struct {
	const char *name;
	bool value;
	int (*set)(struct ktap_session *s, const char *value);
	size_t flag;		/* without @set: the bool of the session that becomes true */
	input_place_fn *place;	/* for input_set_user_place() */
} settings[] = {
	{ "arg",	true,	input_set_arg },
	{ "pid",	true,	input_set_pid },
	{ "follow",	false,	.flag = offsetof(struct ktap_session, follow) },
	{ "cgroup",	true,	input_set_cgroup },
	{ "comm",	true,	input_set_comm },
	{ "cpus",	true,	input_set_cpus },
	{ "self",	false,	.flag = offsetof(struct ktap_session, filter.self) },
	{ "memory",	true,	input_set_memory },
	{ "overhead",	true,	input_set_overhead },
	{ "utc_offset",	true,	input_set_utc_offset },
	{ "unsafe",	false,	input_set_unsafe },
	{ "dry",	false,	.flag = offsetof(struct ktap_session, dry) },
	{ "frames",	false,	.flag = offsetof(struct ktap_session, output.frames) },
	{ "times",	false,	.flag = offsetof(struct ktap_session, output.times) },
	{ "stream",	false,	.flag = offsetof(struct ktap_session, streams) },
	{ "format",	true,	input_set_format },
	{ "keep",	true,	input_set_keep },
	{ "symbols",	true,	input_set_symbols },
	{ "uprobe",	true,	.place = ktap_user_event_found },
	{ "at",		true,	.place = ktap_user_place_at },
	{ "param",	true,	.place = ktap_user_param_of },
	{ "unresolved",	true,	.place = ktap_user_event_unresolved },
};

static int input_setup_line(struct ktap_session *s, const char *line)
{
	size_t len = strcspn(line, " ");
	const char *value = line[len] ? line + len + 1 : NULL;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(settings); i++) {
		if (strncmp(line, settings[i].name, len) || settings[i].name[len])
			continue;
		if (settings[i].value != !!value)
			break;
		if (settings[i].place)
			return input_set_user_place(s, settings[i].name, value, settings[i].place);
		if (settings[i].set)
			return settings[i].set(s, value);
		*(bool *)((void *)s + settings[i].flag) = true;
		return 0;
	}
	return ktap_session_refuse(s, -EINVAL, "'%s' is no line to set up a session with", line);
}

static const char stop_line[] = "stop\n";

/* Lines after the chunk.  A wrong one does not end the session. */
static int input_command_line(struct ktap_session *s, const char *line)
{
	if (strcmp(line, "stop"))
		return ktap_session_refuse(s, -EINVAL, "'%s' is no command: there is 'stop'", line);
	ktap_session_stop(s, 0);
	return 0;
}

static int input_feed_line(struct ktap_session *s, const char *data, size_t len, size_t *used)
{
	const char *newline = memchr(data, '\n', len);
	size_t n = newline ? newline - data + 1 : len;
	int err;

	if (s->loaded && !s->line_len && *data == KTAP_MAGIC[0])
		return ktap_session_refuse(s, -EINVAL, "a session has one chunk");
	if (!s->line)
		s->line = kmalloc(KTAP_MAX_LINE, KTAP_GFP);
	if (!s->line)
		return ktap_session_refuse(s, -ENOMEM, "no memory");
	if (s->line_len + n > KTAP_MAX_LINE) {
		s->line_len = 0;
		return ktap_session_refuse(s, -EINVAL, "a line of more than %d bytes",
					   KTAP_MAX_LINE);
	}
	memcpy(s->line + s->line_len, data, n);
	s->line_len += n;
	*used = n;
	if (!newline)
		return 0;

	s->line[s->line_len - 1] = '\0';
	if (strlen(s->line) != s->line_len - 1)
		err = ktap_session_refuse(s, -EINVAL, "a line with a NUL byte");
	else if (s->loaded)
		err = input_command_line(s, s->line);
	else
		err = input_setup_line(s, s->line);
	s->line_len = 0;
	return err;
}

static int input_feed_header(struct ktap_session *s, const char *data, size_t len, size_t *used)
{
	u32 size;

	*used = min(len, sizeof(s->header) - s->chunk_len);
	memcpy((char *)&s->header + s->chunk_len, data, *used);
	s->chunk_len += *used;
	if (s->chunk_len < sizeof(s->header))
		return 0;

	if (memcmp(s->header.magic, KTAP_MAGIC, KTAP_MAGIC_LEN))
		return ktap_session_refuse(s, -EINVAL, "neither a line nor a chunk");
	size = le32_to_cpu(s->header.length);
	if (size < sizeof(s->header))
		return ktap_session_refuse(s, -EINVAL, "a chunk of %u bytes", size);
	if (size > KTAP_MAX_CHUNK)
		return ktap_session_refuse(s, -E2BIG,
					   "a chunk of %u bytes: at most %u are allowed", size,
					   KTAP_MAX_CHUNK);
	s->chunk = kvmalloc(size, KTAP_GFP);
	if (!s->chunk)
		return ktap_session_refuse(s, -ENOMEM, "no memory for a chunk of %u bytes",
					   size);
	s->chunk_size = size;
	memcpy(s->chunk, &s->header, sizeof(s->header));
	return 0;
}

static int input_feed_chunk(struct ktap_session *s, const char *data, size_t len, size_t *used)
{
	if (!s->chunk)
		return input_feed_header(s, data, len, used);
	*used = min(len, s->chunk_size - s->chunk_len);
	memcpy(s->chunk + s->chunk_len, data, *used);
	s->chunk_len += *used;
	return 0;
}

static bool input_in_chunk(const struct ktap_session *s, char next)
{
	return !s->loaded && !s->line_len && (s->chunk_len || next == KTAP_MAGIC[0]);
}

static int input_feed(struct ktap_session *s, const char *data, size_t len)
{
	size_t used;
	int err;

	lockdep_assert_held(&s->lock);
	while (len) {
		if (READ_ONCE(s->filter.state) == KTAP_FAILED)
			return -EPIPE;
		used = 0;
		if (input_in_chunk(s, *data))
			err = input_feed_chunk(s, data, len, &used);
		else
			err = input_feed_line(s, data, len, &used);
		data += used;
		len -= used;
		if (!err && !s->loaded && s->chunk_size && s->chunk_len == s->chunk_size) {
			s->loaded = true;
			err = ktap_session_load(s);
		}
		if (err)
			return err;
	}
	return 0;
}

/**
 * ktap_session_feed() - Handle bytes that were written to the session
 * @s: the session
 * @data: bytes
 * @len: number of them
 *
 * Context: process, may sleep and run the script.
 * Return: 0, or a negative errno; a read of the session returns the reason.
 */
int ktap_session_feed(struct ktap_session *s, const char *data, size_t len)
{
	int err;

	/* The loader has the lock while the top level runs and events are attached. */
	if (len == sizeof(stop_line) - 1 && !memcmp(data, stop_line, len) &&
	    ktap_session_unload(s))
		return 0;
	/* It may be held for long.  -EINTR, because bytes must not be written a second time. */
	if (mutex_lock_killable(&s->lock))
		return -EINTR;
	err = input_feed(s, data, len);
	ktap_session_unlock(s);
	return err;
}
