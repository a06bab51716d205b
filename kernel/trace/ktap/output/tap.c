// SPDX-License-Identifier: GPL-2.0
/*
 * Text of the results of tests in scripts.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "output/tap.h"
#include "output/text.h"
#include "vm/env.h"
#include "vm/program.h"
#include "vm/value.h"

/*
 * Results come from all CPUs, and the parser of the text expects ascending numbers.  So the
 * reader numbers the results, in the order of the text, and a result that was lost has none.
 */

static bool tap_is_result(const struct ktap_value *args, unsigned int nargs)
{
	return nargs > 1 && args[0].tag == KTAP_INT && args[0].i >= KTAP_TAP_OK &&
	       args[0].i <= KTAP_TAP_SAME;
}

/* A byte that would end the line, or begin a directive */
static bool tap_is_special(char c)
{
	return (u8)c < ' ' || c == 0x7f || c == '#';
}

static void tap_put_clean(struct ktap_text *t, const struct ktap_value *v)
{
	const char *text = ktap_blob_of(v);
	u32 i, begin = 0;

	for (i = 0; i < v->len; i++) {
		if (!tap_is_special(text[i]))
			continue;
		ktap_text_put(t, text + begin, i - begin);
		ktap_text_printf(t, "\\x%02x", text[i]);
		begin = i + 1;
	}
	ktap_text_put(t, text + begin, i - begin);
}

/* Put a string after @before; nothing if there is none. */
static void tap_put_optional(struct ktap_text *t, const char *before, const struct ktap_value *v)
{
	if (v->tag != KTAP_STR || !v->len)
		return;
	ktap_text_put(t, before, strlen(before));
	tap_put_clean(t, v);
}

/* Put each line of a text as a comment. */
static void tap_put_comment(struct ktap_text *t, const struct ktap_value *v)
{
	const char *line = ktap_blob_of(v), *end = line + v->len, *next;

	do {
		next = memchr(line, '\n', end - line) ?: end;
		ktap_text_put(t, "# ", next > line ? 2 : 1);
		ktap_text_put(t, line, next - line);
		ktap_text_put(t, "\n", 1);
		line = next + 1;
	} while (line < end);
}

static void tap_put_value(struct ktap_text *t, const char *title, const struct ktap_value *v)
{
	ktap_text_printf(t, "# %10s: ", title);
	if (v->tag == KTAP_STR) {
		ktap_text_put(t, "\"", 1);
		tap_put_clean(t, v);
		ktap_text_put(t, "\"", 1);
	} else {
		ktap_text_value(t, v);
	}
	ktap_text_put(t, "\n", 1);
}

static void tap_put_place(struct ktap_text *t, u32 pc)
{
	char position[KTAP_POSITION_SIZE];

	if (pc < t->env->prog->ninsns &&
	    ktap_program_position(t->env->prog, pc, false, position, sizeof(position)))
		ktap_text_printf(t, "# at %s\n", position);
}

/* Why a test failed */
static void tap_put_reason(struct ktap_text *t, u32 pc, const struct ktap_value *args,
			   unsigned int nargs)
{
	tap_put_place(t, pc);
	if (args[0].i == KTAP_TAP_IS && nargs > 3) {
		tap_put_value(t, "got", &args[2]);
		tap_put_value(t, "expected", &args[3]);
	} else if (args[0].i == KTAP_TAP_SAME && nargs > 2) {
		tap_put_value(t, "unexpected", &args[2]);
	}
}

static void tap_put_result(struct ktap_text *t, u32 pc, const struct ktap_value *args,
			   unsigned int nargs)
{
	bool failed = args[0].i > KTAP_TAP_SKIP;

	ktap_text_printf(t, "%sok %lu", failed ? "not " : "", t->env->tap.shown + 1);
	tap_put_optional(t, " - ", &args[1]);
	if (args[0].i == KTAP_TAP_SKIP) {
		ktap_text_printf(t, " # SKIP");
		if (nargs > 2)
			tap_put_optional(t, " ", &args[2]);
	}
	ktap_text_put(t, "\n", 1);
	if (failed)
		tap_put_reason(t, pc, args, nargs);
}

static void tap_put_plan(struct ktap_text *t, const struct ktap_value *args, unsigned int nargs)
{
	ktap_text_printf(t, "1..%lld", args[1].i);
	if (nargs > 2)
		tap_put_optional(t, " # SKIP ", &args[2]);
	ktap_text_put(t, "\n", 1);
}

void ktap_tap_format(struct ktap_text *t, u32 pc, const struct ktap_value *args,
		     unsigned int nargs)
{
	if (!t->env || nargs < 2 || args[0].tag != KTAP_INT)
		return;
	if (!t->env->tap.begun)
		ktap_text_printf(t, "TAP version 13\n");
	if (tap_is_result(args, nargs))
		tap_put_result(t, pc, args, nargs);
	else if (args[0].i == KTAP_TAP_PLAN)
		tap_put_plan(t, args, nargs);
	else if (args[1].tag == KTAP_STR)
		tap_put_comment(t, &args[1]);
}

void ktap_tap_taken(struct ktap_env *env, const struct ktap_value *args, unsigned int nargs)
{
	env->tap.begun = true;
	if (tap_is_result(args, nargs))
		env->tap.shown++;
}
