/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Replacement for kernel/trace/ktap/session.h, with the members that session_input.c
 * uses.  The compiler includes it first (-include), and its include guard has the same
 * name, so that session_input.c does not include the original.
 */
#ifndef _KTAP_SESSION_H
#define _KTAP_SESSION_H

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <asm/byteorder.h>

#include "limits.h"
#include "load/user_places.h"
#include "vm/env.h"
#include "vm/vm.h"

#define FUZZ_MAX_MEMORY		(64UL << 20)

enum ktap_state {
	KTAP_OPEN,
	KTAP_LOADING,
	KTAP_FAILED,
};

struct cgroup;
struct cpumask;
struct cred;

struct ktap_session {
	struct {
		int state;
		bool self;
		struct cgroup *cgroup;
		char comm[KTAP_EXECNAME_SIZE];
		struct cpumask *cpus;
		const struct cred *owner;	/* NULL: a user with all rights */
	} filter;
	struct mutex lock;	/* as in the kernel */
	bool admin;
	char *line;
	unsigned int line_len;
	struct ktap_header header;
	void *chunk;
	size_t chunk_len;
	size_t chunk_size;
	bool loaded;
	struct ktap_value *args;
	unsigned int nargs;
	size_t arg_bytes;
	size_t memory;
	int utc_offset;
	unsigned int max_overhead;
	bool follow;
	bool unsafe;
	bool dry;
	bool streams;
	char mark_key[KTAP_MAX_MARK_KEY + 1];
	struct ktap_user_places user_places;
	struct {
		bool frames;
		bool times;
		bool json;
		bool keeps_newest;
	} output;

	char refusal[1024];
	bool stopped;
};

extern unsigned long ktap_max_memory;

int ktap_session_feed(struct ktap_session *s, const char *data, size_t len);

/* raw.c */
__printf(3, 4) int ktap_session_refuse(struct ktap_session *s, int err, const char *fmt, ...);
void ktap_session_stop(struct ktap_session *s, int exit_code);
bool ktap_session_unload(struct ktap_session *s);
int ktap_session_load(struct ktap_session *s);
int ktap_set_process(struct ktap_session *s, pid_t nr);
void ktap_session_unlock(struct ktap_session *s);

#endif /* _KTAP_SESSION_H */
