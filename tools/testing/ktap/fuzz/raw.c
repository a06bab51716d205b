// SPDX-License-Identifier: GPL-2.0
/*
 * Write any bytes to a session, in one or more pieces: set-up lines, a chunk, and lines
 * after it.
 */
#include <stdarg.h>

#include "exec.h"
#include "host/cgroup.h"
#include "session.h"

unsigned long ktap_max_memory = FUZZ_MAX_MEMORY;

/* A hash of the last bytes. It selects the level of events and the sizes of pieces. */
static u32 sum_of(const u8 *data, size_t size)
{
	u32 sum = 0x811c9dc5 + size;
	size_t i;

	for (i = size > 32 ? size - 32 : 0; i < size; i++)
		sum = (sum ^ data[i]) * 0x01000193;
	return sum ^ sum >> 15;
}

static u32 sum;

int ktap_session_refuse(struct ktap_session *s, int err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(s->refusal, sizeof(s->refusal), fmt, args);
	va_end(args);
	if (!s->refusal[0])
		fuzz_fail("a line is refused without a word");
	if (!s->loaded)
		s->filter.state = KTAP_FAILED;
	return err;
}

void ktap_session_unlock(struct ktap_session *s)
{
	mutex_unlock(&s->lock);
}

void ktap_session_stop(struct ktap_session *s, int exit_code)
{
	s->stopped = true;
}

/* The same task writes and loads, so nothing is written meanwhile. */
bool ktap_session_unload(struct ktap_session *s)
{
	return false;
}

static void run(struct ktap_session *s, const void *chunk, size_t len)
{
	static char name[] = "fuzz", number[] = "17";
	char *args[KTAP_MAX_SCRIPTARGS] = { name };
	struct fuzz_settings set = {
		.level = sum % KTAP_NR_EVENT_LEVELS,
		.unsafe = s->unsafe,
		.memory = s->memory ? min(s->memory, 4UL << 20) : 0,
		.args = args,
		.nargs = max(s->nargs, 1U),
	};
	unsigned int i;

	for (i = 0; i < s->nargs; i++)
		args[i] = s->args[i].tag == KTAP_STR ? (char *)s->args[i].blob : number;
	fuzz_chunk(chunk, len, &set);
}

/* There are no processes here. */
int ktap_set_process(struct ktap_session *s, pid_t nr)
{
	return 0;
}

/* There is one cgroup, the root. */
struct cgroup *ktap_cgroup_get(const char *path)
{
	return strcmp(path, "/") ? ERR_PTR(-ENOENT) : kmalloc(1, GFP_KERNEL);
}

void cgroup_put(struct cgroup *cgrp)
{
	kfree(cgrp);
}

int ktap_session_load(struct ktap_session *s)
{
	run(s, s->chunk, s->chunk_size);
	return 0;
}

/* Run an incomplete chunk as if it ended here. */
static void run_beginning(struct ktap_session *s)
{
	struct ktap_header *h = s->chunk;

	h->length = cpu_to_le32(s->chunk_len);
	run(s, h, s->chunk_len);
}

static void end(struct ktap_session *s)
{
	while (s->nargs) {
		if (s->args[--s->nargs].tag == KTAP_STR)
			kfree(s->args[s->nargs].blob);
	}
	kvfree(s->args);
	kfree(s->line);
	ktap_cgroup_put(s->filter.cgroup);
	kfree(s->filter.cpus);
	kvfree(s->chunk);
	ktap_user_places_free(&s->user_places);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	long allocated = shim_allocated;
	struct ktap_session s = {};
	size_t piece;
	int err = 0;
	u8 *copy;

	sum = sum_of(data, size);
	s.admin = sum & 0x100;
	for (; size && !err; data += piece, size -= piece) {
		piece = sum & 0x200 ? min_t(size_t, size, 1 + (sum >> 16 & 0xff)) : size;
		/* An exact size: AddressSanitizer finds reads after the end. */
		copy = memcpy(kvmalloc(piece, GFP_KERNEL), data, piece);
		err = ktap_session_feed(&s, (char *)copy, piece);
		kvfree(copy);
		if (err && !s.refusal[0])
			fuzz_fail("error %d without a word", err);
	}
	if (s.chunk && !s.loaded)
		run_beginning(&s);
	end(&s);
	if (shim_allocated != allocated)
		fuzz_fail("%ld allocations are left", shim_allocated - allocated);
	return 0;
}
