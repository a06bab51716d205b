// SPDX-License-Identifier: GPL-2.0
/* The registers of one function: locals at the bottom, temporaries above. */
#include <linux/ktap.h>

#include "compiler/regs.h"

int regs_take(struct regs *r, unsigned int n)
{
	int first;

	/* after an overflow, which is reported, the code is discarded */
	if (r->top + n > KTAP_MAX_REGS) {
		r->overflow = true;
		r->top = n > KTAP_MAX_REGS ? 0 : KTAP_MAX_REGS - n;
	}
	first = r->top;
	r->top += n;
	if (r->top > r->max)
		r->max = r->top;
	return first;
}

void regs_release(struct regs *r, unsigned int top)
{
	r->top = top;
}

void regs_bind(struct regs *r, unsigned int n)
{
	r->locals += n;
}
