/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Instructions that replace others in a verified program: see MADE() in
 * vm/opcode_list.h.
 */
#ifndef _KTAP_REWRITE_H
#define _KTAP_REWRITE_H

#include <linux/bits.h>
#include <linux/types.h>

struct ktap_func;
struct ktap_program;

#define KTAP_ROLE_HANDLER	BIT(0)	/* of events */
#define KTAP_ROLE_FILTER	BIT(1)	/* of events */
#define KTAP_ROLE_PROCESS	BIT(2)	/* in process context */
#define KTAP_ROLE_CALLED	BIT(3)	/* it has a caller, or is a value */
#define KTAP_ROLE_TOP_LEVEL	BIT(4)

/* Find out as what each function runs: set KTAP_ROLE_* in @roles, which is zeroed. */
void ktap_find_roles(const struct ktap_program *prog, u8 *roles);

/* Built-in values: call their functions without checks. */
void ktap_rewrite_values(struct ktap_program *prog);

/* Additions to globals that handlers only add to.  0 or -ENOMEM. */
int ktap_rewrite_sums(struct ktap_program *prog);

/* Jumps that end a loop get what a round costs.  To be called when the work is added up. */
void ktap_rewrite_loops(struct ktap_program *prog);

/* steady.c: set &ktap_program.steady.  To be called before TSET is replaced.  0 or -ENOMEM. */
int ktap_find_steady(struct ktap_program *prog);

/* Calls whose results a function returns: they replace its frame. */
void ktap_rewrite_tail_calls(struct ktap_program *prog);

/*
 * FIELD at @pc of @func reads a field that no event of its probes has: if the script has
 * an alternative, execute that at once.
 */
void ktap_rewrite_missing_field(struct ktap_program *prog, struct ktap_func *func, u32 pc);

/*
 * Make instructions that do the work of several in functions that only run for events, and
 * that read globals which only the top level has set.  To be called when the top level has
 * ended and nothing else reads the code to find out what it does.  0 or -ENOMEM.
 */
int ktap_rewrite_events(struct ktap_program *prog);

#endif /* _KTAP_REWRITE_H */
