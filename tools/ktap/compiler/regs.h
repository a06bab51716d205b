/* SPDX-License-Identifier: GPL-2.0 */
/* The registers of one function: locals at the bottom, temporaries above. */
#ifndef KTAP_REGS_H
#define KTAP_REGS_H

#include <stdbool.h>

struct regs {
	unsigned int locals;	/* held by locals that are in scope */
	unsigned int top;	/* first free one */
	unsigned int max;	/* most that were in use at once */
	bool overflow;		/* more than the machine has were needed */
};

/* Takes n neighbouring registers and returns the first. */
int regs_take(struct regs *r, unsigned int n);
/* Gives back all from `top` on. */
void regs_release(struct regs *r, unsigned int top);
/* The topmost n temporaries become locals. */
void regs_bind(struct regs *r, unsigned int n);

static inline bool regs_is_local(const struct regs *r, int reg)
{
	return (unsigned int)reg < r->locals;
}

#endif
