/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Instructions that replace others in a verified program: see MADE() in
 * vm/opcode_list.h.
 */
#ifndef _KTAP_REWRITE_H
#define _KTAP_REWRITE_H

struct ktap_program;

/* Built-in values: call their functions without checks. */
void ktap_rewrite_values(struct ktap_program *prog);

/* Additions to globals that handlers only add to.  0 or -ENOMEM. */
int ktap_rewrite_sums(struct ktap_program *prog);

/* Calls whose results a function returns: they replace its frame. */
void ktap_rewrite_tail_calls(struct ktap_program *prog);

#endif /* _KTAP_REWRITE_H */
