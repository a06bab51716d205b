// SPDX-License-Identifier: GPL-2.0
/*
 * The built-in function of the operator ~: does a string match a pattern?
 *
 * Patterns have the same meaning as for glob_match().  That function takes neither strings
 * with NUL bytes nor patterns that do not end with one, and cannot charge for its work: in
 * the worst case it compares each byte of the string with the whole pattern.  For the
 * longest ones these are 16 million steps, in a handler that may run in NMI.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "vm/builtin.h"

#define GLOB_BATCH	128	/* steps that are charged together */
#define GLOB_STEPS	8	/* steps of a unit */

/**
 * struct ktap_glob - state of a match
 * @vm: charged for the work
 * @p: the rest of the pattern, which the rest of the string must match
 * @end: end of the pattern
 * @steps: not yet charged
 * @err: error of ktap_vm_charge()
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
 * [abc], [a-z], [!a]: is @c in the class?  @g->p is after the '['.  The first character may
 * be a ']'.  Return -1 if no other ']' follows: then the '[' stands for itself.
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

/* Does @c match the next byte or class of the pattern?  Moves @g->p after that. */
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
 * After a mismatch the last '*' takes one byte more, and the rest of the pattern is tried
 * again there.  Retrying with an earlier '*' would not find more matches.
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
	const u8 *text;
	bool matches;
	int err;

	if (r[0].tag == KTAP_NIL) {
		r[0] = KTAP_VALUE_BOOL(false);
		return 0;
	}
	err = ktap_make_text(vm, &r[0]) ?: ktap_make_text(vm, &r[1]);
	if (err)
		return err;
	g.p = ktap_blob_of(&r[1]);
	g.end = g.p + r[1].len;
	text = ktap_blob_of(&r[0]);
	matches = glob_matches(&g, text, text + r[0].len);
	r[0] = KTAP_VALUE_BOOL(matches);
	return g.err ?: ktap_vm_charge(vm, g.steps / GLOB_STEPS);
}
