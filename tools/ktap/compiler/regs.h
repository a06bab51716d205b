/* SPDX-License-Identifier: GPL-2.0 */
/* The registers of one function: locals at the bottom, temporaries above. */
#ifndef KTAP_REGS_H
#define KTAP_REGS_H

#include <stdbool.h>

struct regs {
	unsigned int locals;	/* used by locals in scope */
	unsigned int top;	/* first free register */
	unsigned int max;	/* maximum that was in use at once */
	bool overflow;		/* more were needed than the vm has */
};

/* Take n adjacent registers and return the first. */
int regs_take(struct regs *r, unsigned int n);
/* Release all registers from `top` on. */
void regs_release(struct regs *r, unsigned int top);
/* Turn the topmost n temporaries into locals. */
void regs_bind(struct regs *r, unsigned int n);

static inline bool regs_is_local(const struct regs *r, int reg)
{
	return (unsigned int)reg < r->locals;
}

#endif
