/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KTAP_STUBS_H
#define _KTAP_STUBS_H

#include "../../../kernel/trace/ktap/builtin.h"
#include "../../../kernel/trace/ktap/output.h"

struct stub_probe {
	char event[256];
	u32 handler;
};

/* The only session there is. */
struct stub_session {
	char **args;
	int nargs;
	struct stub_probe probes[4096];
	unsigned int nprobes;
	bool exited;
	int exit_code;
	bool printed;
	char *out;		/* NULL: stdout */
	size_t out_size;
	size_t out_len;
};

extern struct stub_session stub;

#endif /* _KTAP_STUBS_H */
