// SPDX-License-Identifier: GPL-2.0
/*
 * Integers as text.  Arguments and options of a script have the same syntax as
 * integers in the script.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/overflow.h>
#include <linux/string.h>

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

static u64 integer_size(s64 i)
{
	return i < 0 ? -(u64)i : i;
}

static __always_inline unsigned int integer_len(u64 u)
{
	static const u64 powers[] = {
		1ULL, 10ULL, 100ULL, 1000ULL, 10000ULL, 100000ULL, 1000000ULL, 10000000ULL,
		100000000ULL, 1000000000ULL, 10000000000ULL, 100000000000ULL,
		1000000000000ULL, 10000000000000ULL, 100000000000000ULL,
		1000000000000000ULL, 10000000000000000ULL, 100000000000000000ULL,
		1000000000000000000ULL, 10000000000000000000ULL,
	};
	u64 size = u | 1;
	/* 1233 / 4096 is a little more than log10(2): this is the number, or one less. */
	unsigned int digits = fls64(size) * 1233 >> 12;

	return digits + (size >= powers[digits]);
}

unsigned int ktap_decimal_len(s64 i)
{
	return integer_len(integer_size(i)) + (i < 0);
}

#define TEN_PAIRS(x)							\
	{ x, '0' }, { x, '1' }, { x, '2' }, { x, '3' }, { x, '4' },	\
	{ x, '5' }, { x, '6' }, { x, '7' }, { x, '8' }, { x, '9' }

static const char integer_pairs[100][2] = {
	TEN_PAIRS('0'), TEN_PAIRS('1'), TEN_PAIRS('2'), TEN_PAIRS('3'), TEN_PAIRS('4'),
	TEN_PAIRS('5'), TEN_PAIRS('6'), TEN_PAIRS('7'), TEN_PAIRS('8'), TEN_PAIRS('9'),
};

/* Two digits from each division */
static __always_inline char *integer_pair(unsigned int pair, char *end)
{
	memcpy(end - 2, integer_pairs[pair], 2);
	return end - 2;
}

static __always_inline char *integer_put_digits(u64 u, char *end)
{
	u32 pair, rest;

	while (u > U32_MAX) {
		u = div_u64_rem(u, 100, &pair);
		end = integer_pair(pair, end);
	}
	for (rest = u; rest >= 100; rest /= 100)
		end = integer_pair(rest % 100, end);
	if (rest >= 10)
		return integer_pair(rest, end);
	*--end = '0' + rest;
	return end;
}

char *ktap_decimal_digits(u64 u, char *end)
{
	return integer_put_digits(u, end);
}

char *ktap_decimal_append(s64 i, char *p)
{
	u64 u = integer_size(i);

	if (i < 0)
		*p++ = '-';
	p += integer_len(u);
	integer_put_digits(u, p);
	return p;
}

char *ktap_decimal_put(s64 i, char *end)
{
	end = ktap_decimal_digits(integer_size(i), end);
	if (i < 0)
		*--end = '-';
	return end;
}
