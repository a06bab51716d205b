// SPDX-License-Identifier: GPL-2.0
/*
 * The built-in function behind the operator ~: does a string match a pattern?
 *
 * Patterns mean what they mean to glob_match().  That one takes neither strings
 * with NUL bytes nor patterns that end without one, and cannot pay for its work:
 * at worst it compares each byte of the string with all of the pattern, which are
 * 16 million steps for the longest ones, in a handler that may run in NMI.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "vm/builtin.h"

#define GLOB_BATCH	128	/* steps that are paid for together */
#define GLOB_STEPS	8	/* that cost a unit */

/**
 * struct ktap_glob - a match under way
 * @vm: pays
 * @p: what of the pattern is to be matched next
 * @end: of the pattern
 * @steps: not paid yet
 * @err: the run has ended
 */
struct ktap_glob {
	struct ktap_vm *vm;
	const u8 *p;
	const u8 *end;
	u32 steps;
	int err;
};

static void glob_pay(struct ktap_glob *g, u32 steps)
{
	g->steps += steps;
	if (g->steps < GLOB_BATCH || g->err)
		return;
	g->err = ktap_vm_charge(g->vm, g->steps / GLOB_STEPS);
	g->steps = 0;
}

/*
 * [abc], [a-z], [!a]: is @c among them?  @g->p is behind the '['.  The first may be
 * a ']'.  Returns -1 if there is no ']' that ends it: then the '[' stands for itself.
 */
static int glob_class(struct ktap_glob *g, u8 c)
{
	const u8 *p = g->p, *first;
	bool inverted = p < g->end && *p == '!', found = false;

	p += inverted;
	for (first = p; p < g->end && (*p != ']' || p == first); p++) {
		u8 from = *p, to = from;

		if (g->end - p > 2 && p[1] == '-' && p[2] != ']') {
			to = p[2];
			p += 2;
		}
		found |= from <= c && c <= to;
	}
	glob_pay(g, p - g->p);
	if (p >= g->end)
		return -1;
	g->p = p + 1;
	return found != inverted;
}

/* Does @c match the next byte or class of the pattern?  Moves behind it. */
static bool glob_byte(struct ktap_glob *g, u8 c)
{
	u8 want = *g->p++;
	int found;

	switch (want) {
	case '?':
		return true;
	case '[':
		found = glob_class(g, c);
		if (found >= 0)
			return found;
		break;
	case '\\':
		if (g->p < g->end)
			want = *g->p++;
		break;
	}
	return want == c;
}

/*
 * After a mismatch the last '*' takes one byte more, and what follows it is tried
 * again there.  To change what an earlier one takes would be of no use.
 */
static bool glob_matches(struct ktap_glob *g, const u8 *s, const u8 *end)
{
	const u8 *star = NULL, *again = NULL;

	for (;;) {
		if (g->p < g->end && *g->p == '*') {
			star = ++g->p;
			again = s;
			if (star == g->end)
				return true;
			continue;
		}
		if (s == end || g->err)
			return g->p == g->end && !g->err;
		glob_pay(g, 1);
		if (g->p < g->end && glob_byte(g, *s)) {
			s++;
			continue;
		}
		if (!star)
			return false;
		g->p = star;
		s = ++again;
	}
}

int ktap_fn_glob(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	struct ktap_glob g = { .vm = vm };
	bool matches;
	int err;

	if (r[0].tag == KTAP_NIL) {
		r[0] = KTAP_VALUE_BOOL(false);
		return 0;
	}
	err = ktap_make_text(vm, &r[0]) ?: ktap_make_text(vm, &r[1]);
	if (err)
		return err;
	g.p = r[1].blob;
	g.end = g.p + r[1].len;
	matches = glob_matches(&g, r[0].blob, (const u8 *)r[0].blob + r[0].len);
	r[0] = KTAP_VALUE_BOOL(matches);
	return g.err ?: ktap_vm_charge(vm, g.steps / GLOB_STEPS);
}
