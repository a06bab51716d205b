/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Formats of printf: split into directives, checked.
 */
#ifndef _KTAP_FORMAT_H
#define _KTAP_FORMAT_H

#include <linux/types.h>

#include "vm/program.h"
#include "vm/value.h"

struct ktap_text;

/**
 * struct ktap_directive - a piece of a format: a directive, or literal text
 * @text: first byte of the piece
 * @len: bytes of the piece
 * @width: minimum bytes
 * @precision: minimum digits or maximum bytes, -1: none was given
 * @conv: the letter; 0: literal text, from @text
 * @minus: left-aligned
 * @plus: print a sign even if the number is positive
 * @space: print a space instead of a positive sign
 * @zero: pad with zeroes
 * @alt: begin with 0x or 0
 * @plain: no flag, width or precision was given
 */
struct ktap_directive {
	const char *text;
	u32 len;
	s16 width;
	s16 precision;
	char conv;
	bool minus:1;
	bool plus:1;
	bool space:1;
	bool zero:1;
	bool alt:1;
	bool plain:1;
};

/**
 * struct ktap_format - a string constant that is a correct format, split into pieces
 * @text: first byte of the string constant
 * @len: bytes of the string constant
 * @cost: units of a check of the format
 * @nargs: number of arguments that it takes
 * @numbers: arguments that are numbers, a bit mask; bit 0 is the first one
 * @room: size of a record up to which nothing in it is cut, whatever its values are
 * @npieces: entries of @pieces
 * @pieces: its pieces
 */
struct ktap_format {
	const char *text;
	u32 len;
	u32 cost;
	u32 nargs;
	u32 numbers;
	u32 room;
	u32 npieces;
	struct ktap_directive pieces[];
};

/* Units of a directive, or of a piece of literal text */
#define KTAP_DIRECTIVE_COST	2

/* Maximum number of formats of a program that are split when it is loaded */
#define KTAP_MAX_FORMATS	1024

/* Tags of values that a directive for numbers takes */
#define KTAP_NUMBER_TAGS \
	(ktap_bit(NIL) | ktap_bit(BOOL) | ktap_bit(INT) | ktap_bit(PTR) | ktap_bit(AGG))

/* Get the next piece of a format and move *@pos after it; false at the end. */
bool ktap_next_directive(const char **pos, const char *end, struct ktap_directive *d);
/* Does a directive with this letter take a number? */
bool ktap_takes_number(char conv);

/* Is the value the very constant? */
static inline bool ktap_is_format(const struct ktap_value *v, const struct ktap_format *f)
{
	return v->tag == KTAP_STR && v->blob == f->text && v->len == f->len;
}

/**
 * ktap_format_at() - Find the split form of a format
 * @prog: the program
 * @pc: the instruction that calls the built-in
 * @v: the format
 * @n: gets the number of the split form
 *
 * Context: any.
 * Return: the split form, which lives as long as the program.  NULL if @v is not the
 * constant that was found for this call when the program was loaded, or if that has an error.
 */
static inline const struct ktap_format *
ktap_format_at(const struct ktap_program *prog, u32 pc, const struct ktap_value *v, u32 *n)
{
	const struct ktap_format *f;

	if (!prog->format_at || !prog->format_at[pc])
		return NULL;
	*n = prog->format_at[pc] - 1;
	f = prog->formats[*n];
	/* Another value may reach the call on another path. */
	return ktap_is_format(v, f) ? f : NULL;
}

/*
 * Are the values after @args[0], the format, right for it?  If not, ktap_check_format()
 * reports the reason.
 */
static inline bool ktap_format_accepts(const struct ktap_format *f, const struct ktap_value *args,
				       unsigned int nargs)
{
	u32 numbers = f->numbers;

	if (nargs <= f->nargs)
		return false;
	for (args++; numbers; args++, numbers >>= 1) {
		if ((numbers & 1) && !(BIT(args->tag) & KTAP_NUMBER_TAGS))
			return false;
	}
	return true;
}

/* Text of a printf: @args are those after the format.  See ktap_text_printf_args(). */
void ktap_text_format(struct ktap_text *t, const struct ktap_format *f,
		      const struct ktap_value *args, unsigned int nargs);

#endif /* _KTAP_FORMAT_H */
