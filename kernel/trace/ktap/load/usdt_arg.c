// SPDX-License-Identifier: GPL-2.0
/*
 * Where an argument of a marker in a program is found.  The text is that of the
 * program ktap, which knows the forms of each architecture's compilers: here it
 * is one form for all, that of registers and memory.
 */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/overflow.h>
#include <linux/ptrace.h>
#include <linux/string.h>

#include "load/usdt_arg.h"
#include "vm/value.h"

/* Longest name of a register, its NUL included. */
#define REGISTER_SIZE	16

static bool usdt_arg_take(const char **p, char c)
{
	if (**p != c)
		return false;
	++*p;
	return true;
}

static int usdt_arg_digit_of(char c, unsigned int base)
{
	int digit = -1;

	if (isdigit(c))
		digit = c - '0';
	else if (base == 16 && isxdigit(c))
		digit = tolower(c) - 'a' + 10;
	return digit;
}

/* "[-]DIGITS" or "[-]0xDIGITS"; of an address that is above all others, too. */
static bool usdt_arg_take_number(const char **p, s64 *value)
{
	bool negative = usdt_arg_take(p, '-');
	unsigned int base = 10;
	const char *first;
	u64 n = 0;

	if ((*p)[0] == '0' && (*p)[1] == 'x') {
		*p += 2;
		base = 16;
	}
	for (first = *p; usdt_arg_digit_of(**p, base) >= 0; ++*p) {
		if (check_mul_overflow(n, (u64)base, &n) ||
		    check_add_overflow(n, (u64)usdt_arg_digit_of(**p, base), &n))
			return false;
	}
	if (negative && n > (u64)S64_MAX + 1)
		return false;
	*value = negative ? -n : n;
	return *p != first;
}

static bool usdt_arg_find_register(const char *name, s16 *reg)
{
	int offset = -1;

#ifdef CONFIG_HAVE_REGS_AND_STACK_ACCESS_API
	offset = regs_query_register_offset(name);
#endif
	if (offset < 0 && strcmp(name, "ip"))
		return false;
	*reg = offset < 0 ? KTAP_USDT_ARG_IP : offset;
	return true;
}

static bool usdt_arg_take_register(const char **p, s16 *reg)
{
	char name[REGISTER_SIZE];
	unsigned int len = 0;

	if (!usdt_arg_take(p, '%'))
		return false;
	while (isalnum(**p) || **p == '_') {
		if (len == sizeof(name) - 1)
			return false;
		name[len++] = *(*p)++;
	}
	name[len] = '\0';
	return usdt_arg_find_register(name, reg);
}

static const char *usdt_arg_take_memory(const char **p, struct ktap_usdt_arg *r)
{
	s64 scale = 1;

	r->kind = KTAP_USDT_ARG_MEM;
	if (**p != '(' && !usdt_arg_take_number(p, &r->value))
		return "an address begins with a number or a '('";
	if (!usdt_arg_take(p, '('))
		return "an address has a register in '()'";
	if (!usdt_arg_take_register(p, &r->base))
		return "there is no such register";
	if (usdt_arg_take(p, ',') && !usdt_arg_take_register(p, &r->index))
		return "there is no such register";
	if (r->index != KTAP_USDT_ARG_NO_REG && usdt_arg_take(p, ',') &&
	    !usdt_arg_take_number(p, &scale))
		return "the scale of an address is a number";
	if (scale != 1 && scale != 2 && scale != 4 && scale != 8)
		return "the scale of an address is 1, 2, 4 or 8";
	r->scale = scale;
	return usdt_arg_take(p, ')') ? NULL : "an address ends with ')'";
}

static const char *usdt_arg_take_value(const char **p, struct ktap_usdt_arg *r)
{
	if (usdt_arg_take(p, '$')) {
		r->kind = KTAP_USDT_ARG_CONST;
		return usdt_arg_take_number(p, &r->value) ? NULL : "'$' has no number after it";
	}
	if (**p == '%') {
		r->kind = KTAP_USDT_ARG_REG;
		return usdt_arg_take_register(p, &r->base) ? NULL : "there is no such register";
	}
	return usdt_arg_take_memory(p, r);
}

const char *ktap_usdt_arg_parse(const char *text, struct ktap_usdt_arg *r)
{
	const char *why;
	s64 n;

	*r = (struct ktap_usdt_arg){ .index = KTAP_USDT_ARG_NO_REG };
	if (*text == '!')
		return NULL;
	r->is_signed = usdt_arg_take(&text, '-');
	if (!usdt_arg_take_number(&text, &n) || (n != 1 && n != 2 && n != 4 && n != 8))
		return "an argument has 1, 2, 4 or 8 bytes";
	r->size = n;
	if (!usdt_arg_take(&text, '@'))
		return "there is '@' between the bytes of an argument and its place";
	why = usdt_arg_take_value(&text, r);
	if (why)
		return why;
	if (usdt_arg_take(&text, '>')) {
		if (!usdt_arg_take(&text, '>') || !usdt_arg_take_number(&text, &n) || n < 0 ||
		    n > 63)
			return "'>>' has no number of bits after it, at most 63";
		r->shift = n;
	}
	return *text ? "there is text after the place of the argument" : NULL;
}

static u64 usdt_arg_get_register(struct pt_regs *regs, s16 reg)
{
	if (reg == KTAP_USDT_ARG_IP)
		return instruction_pointer(regs);
#ifdef CONFIG_HAVE_REGS_AND_STACK_ACCESS_API
	return regs_get_register(regs, reg);
#else
	return 0;
#endif
}

static int usdt_arg_get_memory(const struct ktap_usdt_arg *r, struct pt_regs *regs,
			       unsigned int pointer, ktap_usdt_arg_read_fn read, u64 *value)
{
	u64 address = usdt_arg_get_register(regs, r->base) + (u64)r->value;
	u64 x = 0;
	int err;

	if (r->index != KTAP_USDT_ARG_NO_REG)
		address += usdt_arg_get_register(regs, r->index) * r->scale;
	if (pointer == sizeof(u32))
		address = (u32)address;
	err = read(&x, address, r->size);
	if (err)
		return err;
	*value = ktap_unsigned(x, r->size);
	return 0;
}

int ktap_usdt_arg_get(const struct ktap_usdt_arg *r, struct pt_regs *regs, unsigned int pointer,
		      ktap_usdt_arg_read_fn read, s64 *value)
{
	unsigned int above;
	u64 v = r->value;
	int err = 0;

	switch ((enum ktap_usdt_arg_kind)r->kind) {
	case KTAP_USDT_ARG_NONE:
		return -ENODATA;
	case KTAP_USDT_ARG_CONST:
		break;
	case KTAP_USDT_ARG_REG:
		v = usdt_arg_get_register(regs, r->base);
		break;
	case KTAP_USDT_ARG_MEM:
		err = usdt_arg_get_memory(r, regs, pointer, read, &v);
		break;
	}
	if (err)
		return err;
	above = 64 - 8 * r->size;
	v = v >> r->shift << above;
	*value = r->is_signed ? (s64)v >> above : (s64)(v >> above);
	return 0;
}
