// SPDX-License-Identifier: GPL-2.0
/*
 * Integers as text.  Arguments and options of a script have the same syntax as
 * integers in the script.
 */
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/overflow.h>

#include "vm/integer.h"

static char integer_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

static int integer_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = integer_lower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/* A `_` may follow the first digit. */
static bool integer_digits(const char *p, const char *end, int base, u64 *u)
{
	const char *first = p;

	*u = 0;
	for (; p < end; p++) {
		if (*p == '_' && p > first)
			continue;
		if (integer_digit(*p) >= base || check_mul_overflow(*u, base, u) ||
		    check_add_overflow(*u, integer_digit(*p), u))
			return false;
	}
	return p > first;
}

/**
 * ktap_parse_integer() - Parse an integer: decimal, 0x, 0b, or octal with a leading 0
 * @text: its digits, optionally after a sign
 * @len: bytes of @text
 * @value: gets the integer
 *
 * All 64 bits may be written in base 16: 0xffffffff81000000 is an address.
 * Context: any.
 * Return: false if @text is not an integer or does not fit.
 */
bool ktap_parse_integer(const char *text, size_t len, s64 *value)
{
	const char *p = text, *end = text + len;
	bool minus = false;
	int base = 10;
	u64 u, most;

	if (p < end && (*p == '-' || *p == '+'))
		minus = *p++ == '-';
	if (end - p > 1 && *p == '0') {
		base = integer_lower(p[1]) == 'x' ? 16 : integer_lower(p[1]) == 'b' ? 2 : 8;
		p += base == 8 ? 0 : 2;
	}
	if (!integer_digits(p, end, base, &u))
		return false;
	/* Only base 16 may set the sign bit. */
	most = base == 16 ? U64_MAX : (U64_MAX >> 1) + (minus && base == 10);
	*value = minus ? -u : u;
	return u <= most;
}
