// SPDX-License-Identifier: GPL-2.0
/*
 * Parse arguments of static markers.
 *
 * Compilers write them as operands of their assembler, "-4@-20(%rbp)" or
 * "8@[sp, 16]". The kernel gets one form for all machines: registers with the
 * names of its struct pt_regs, and decimal constants.
 */
#include <ctype.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/util.h"
#include "elf/usdt_arg.h"

/**
 * struct operand - a parsed argument
 * @kind: constant, register or memory
 * @value: the constant, or the offset of the address
 * @base: register, or ""
 * @index: register, or ""
 * @scale: factor of @index
 * @shift: first bit of the value in the register
 */
struct operand {
	enum { CONSTANT, REGISTER, MEMORY } kind;
	int64_t value;
	char base[8];
	char index[8];
	unsigned int scale;
	unsigned int shift;
};

/* Text that is parsed from the left. */
struct cursor {
	const char *p;
	const char *end;
};

static void usdt_skip_blanks(struct cursor *c)
{
	while (c->p < c->end && isspace((unsigned char)*c->p))
		c->p++;
}

static bool usdt_take(struct cursor *c, char what)
{
	usdt_skip_blanks(c);
	if (c->p == c->end || *c->p != what)
		return false;
	c->p++;
	return true;
}

static bool at_end(struct cursor *c)
{
	usdt_skip_blanks(c);
	return c->p == c->end;
}

static bool take_number(struct cursor *c, int64_t *value)
{
	char text[32], *end;
	size_t len = 0;

	usdt_skip_blanks(c);
	while (len < sizeof(text) - 1 && c->p + len < c->end &&
	       (isxdigit((unsigned char)c->p[len]) || strchr("+-xX", c->p[len]))) {
		if (len && strchr("+-", c->p[len]))
			break;
		text[len] = c->p[len];
		len++;
	}
	text[len] = '\0';
	if (!len || !isdigit((unsigned char)text[len > 1 && !isdigit((unsigned char)text[0])]))
		return false;
	*value = text[0] == '-' ? strtoll(text, &end, 0) : (int64_t)strtoull(text, &end, 0);
	c->p += end - text;
	return end != text;
}

/* Read letters and digits of a register or symbol. */
static size_t take_word(struct cursor *c, const char **word)
{
	usdt_skip_blanks(c);
	*word = c->p;
	while (c->p < c->end && (isalnum((unsigned char)*c->p) || strchr("_.$@", *c->p)))
		c->p++;
	return c->p - *word;
}

/* Name of a register, or of a part of it, and its name in the kernel. */
struct register_name {
	const char *name;
	const char *kernel;
	unsigned int shift;
};

static const struct register_name x86_registers[] = {
	{ "rip", "ip", 0 }, { "eip", "ip", 0 },
	{ "rax", "ax", 0 }, { "eax", "ax", 0 }, { "ax", "ax", 0 }, { "al", "ax", 0 },
	{ "ah", "ax", 8 },
	{ "rbx", "bx", 0 }, { "ebx", "bx", 0 }, { "bx", "bx", 0 }, { "bl", "bx", 0 },
	{ "bh", "bx", 8 },
	{ "rcx", "cx", 0 }, { "ecx", "cx", 0 }, { "cx", "cx", 0 }, { "cl", "cx", 0 },
	{ "ch", "cx", 8 },
	{ "rdx", "dx", 0 }, { "edx", "dx", 0 }, { "dx", "dx", 0 }, { "dl", "dx", 0 },
	{ "dh", "dx", 8 },
	{ "rsi", "si", 0 }, { "esi", "si", 0 }, { "si", "si", 0 }, { "sil", "si", 0 },
	{ "rdi", "di", 0 }, { "edi", "di", 0 }, { "di", "di", 0 }, { "dil", "di", 0 },
	{ "rbp", "bp", 0 }, { "ebp", "bp", 0 }, { "bp", "bp", 0 }, { "bpl", "bp", 0 },
	{ "rsp", "sp", 0 }, { "esp", "sp", 0 }, { "sp", "sp", 0 }, { "spl", "sp", 0 },
};

struct found {
	char name[8];
	unsigned int shift;
	bool zero;	/* always reads as 0 */
};

static bool find_numbered(const char *word, size_t len, const char *prefix, unsigned int max,
			  const char *suffixes, unsigned int *number)
{
	size_t n = strlen(prefix);
	unsigned int v = 0;

	if (len <= n || memcmp(word, prefix, n) || !isdigit((unsigned char)word[n]))
		return false;
	for (; n < len && isdigit((unsigned char)word[n]) && v <= max; n++)
		v = v * 10 + word[n] - '0';
	if (v > max || len > n + 1 || (len == n + 1 && !strchr(suffixes, word[n])))
		return false;
	*number = v;
	return true;
}

static bool find_x86(const char *word, size_t len, struct found *r)
{
	unsigned int n;

	for (size_t i = 0; i < ARRAY_SIZE(x86_registers); i++) {
		const struct register_name *x = &x86_registers[i];

		if (len != strlen(x->name) || memcmp(word, x->name, len))
			continue;
		strcpy(r->name, x->kernel);
		r->shift = x->shift;
		return true;
	}
	if (!find_numbered(word, len, "r", 15, "bwdl", &n) || n < 8)
		return false;
	snprintf(r->name, sizeof(r->name), "r%u", n % 16);
	return true;
}

static bool is_word(const char *word, size_t len, const char *name)
{
	return len == strlen(name) && !memcmp(word, name, len);
}

static bool find_arm64(const char *word, size_t len, struct found *r)
{
	unsigned int n;

	if (is_word(word, len, "xzr") || is_word(word, len, "wzr")) {
		r->zero = true;
	} else if (is_word(word, len, "sp") || is_word(word, len, "wsp")) {
		strcpy(r->name, "sp");
	} else if (find_numbered(word, len, "x", 30, "", &n) ||
		   find_numbered(word, len, "w", 30, "", &n)) {
		snprintf(r->name, sizeof(r->name), "x%u", n % 32);
	} else {
		return false;
	}
	return true;
}

/* From r11 on they have names; some compilers write numbers. */
static bool find_arm(const char *word, size_t len, struct found *r)
{
	static const char names[][3] = { "fp", "ip", "sp", "lr", "pc" };
	unsigned int n;

	if (!find_numbered(word, len, "r", 15, "", &n)) {
		for (n = 11; n < 16 && !is_word(word, len, names[n - 11]); n++)
			;
		if (n == 16)
			return false;
	}
	if (n < 11)
		snprintf(r->name, sizeof(r->name), "r%u", n);
	else
		strcpy(r->name, names[n - 11]);
	return true;
}

static bool find_riscv(const char *word, size_t len, struct found *r)
{
	static const char names[][5] = {
		"zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2",
		"a3", "a4", "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9",
		"s10", "s11", "t3", "t4", "t5", "t6",
	};
	unsigned int n;

	if (is_word(word, len, "fp")) {
		n = 8;
	} else if (!find_numbered(word, len, "x", ARRAY_SIZE(names) - 1, "", &n)) {
		for (n = 0; n < ARRAY_SIZE(names) && !is_word(word, len, names[n]); n++)
			;
		if (n == ARRAY_SIZE(names))
			return false;
	}
	r->zero = !n;
	strcpy(r->name, names[n]);
	return true;
}

static bool find_powerpc(const char *word, size_t len, struct found *r)
{
	unsigned int n;

	if (!find_numbered(word, len, "r", 31, "", &n) &&
	    !find_numbered(word, len, "", 31, "", &n))
		return false;
	snprintf(r->name, sizeof(r->name), "gpr%u", n % 32);
	return true;
}

static bool find_s390(const char *word, size_t len, struct found *r)
{
	unsigned int n;

	if (!find_numbered(word, len, "r", 15, "", &n))
		return false;
	snprintf(r->name, sizeof(r->name), "r%u", n % 16);
	return true;
}

typedef bool (*find_fn)(const char *word, size_t len, struct found *r);

static bool take_register(struct cursor *c, find_fn find, struct found *r)
{
	const char *word;
	size_t len;

	memset(r, 0, sizeof(*r));
	usdt_take(c, '%');
	len = take_word(c, &word);
	return len && find(word, len, r);
}

static bool is_register(struct cursor *c, find_fn find, struct operand *o)
{
	struct cursor at = *c;
	struct found r;

	if (!take_register(&at, find, &r) || !at_end(&at))
		return false;
	o->kind = r.zero ? CONSTANT : REGISTER;
	o->shift = r.shift;
	strcpy(o->base, r.name);
	return true;
}

static bool is_constant(struct cursor *c, struct operand *o)
{
	struct cursor at = *c;

	if (!take_number(&at, &o->value) || !at_end(&at))
		return false;
	o->kind = CONSTANT;
	return true;
}

/* "(REG", ",REG" …: a register of an address; no shifted ones. */
static bool take_base(struct cursor *c, find_fn find, char *name, bool *zero)
{
	struct found r;

	if (!take_register(c, find, &r) || r.shift)
		return false;
	strcpy(name, r.zero ? "" : r.name);
	*zero = r.zero;
	return true;
}

/* "symbol+8": the link-time address of a variable. */
static bool take_symbol(struct cursor *c, const struct usdt_place *place, int64_t *addr)
{
	const char *word;
	size_t len = take_word(c, &word);
	int64_t more = 0;
	uint64_t found;

	if (!len || !place->symbol || !place->symbol(place->ctx, word, len, &found))
		return false;
	if (c->p < c->end && strchr("+-", *c->p) && !take_number(c, &more))
		return false;
	*addr = found + more;
	return true;
}

/*
 * x86: $1, %eax, -8(%rbp), 8(%rax,%rbx,4), variable(%rip), variable. Fixed
 * addresses are relative to the marker, whose address the kernel knows.
 */
static bool usdt_parse_x86(struct cursor *c, const struct usdt_place *place, struct operand *o)
{
	bool symbol, zero;

	if (usdt_take(c, '$'))
		return is_constant(c, o);
	usdt_skip_blanks(c);
	if (c->p < c->end && *c->p == '%')
		return is_register(c, find_x86, o);

	o->kind = MEMORY;
	symbol = c->p < c->end && *c->p != '(' && !take_number(c, &o->value);
	if (symbol && !take_symbol(c, place, &o->value))
		return false;
	if (!usdt_take(c, '(')) {
		if (!place->fixed)
			return false;
		o->value -= place->addr;
		strcpy(o->base, "ip");
		return at_end(c);
	}
	if (!take_base(c, find_x86, o->base, &zero))
		return false;
	if (symbol && !strcmp(o->base, "ip"))
		o->value -= place->addr;
	else if (symbol && !place->fixed)
		return false;
	if (usdt_take(c, ',')) {
		int64_t scale = 1;

		if (!take_base(c, find_x86, o->index, &zero))
			return false;
		if (usdt_take(c, ',') && !take_number(c, &scale))
			return false;
		o->scale = scale;
	}
	return usdt_take(c, ')') && at_end(c);
}

/*
 * After the '[' of arm and arm64: sp, 16], x0, x1], x0, x1, lsl 3]; numbers may
 * have a '#'
 */
static bool usdt_parse_brackets(struct cursor *c, find_fn find, struct operand *o)
{
	int64_t shift;
	bool zero;

	o->kind = MEMORY;
	if (!take_base(c, find, o->base, &zero) || zero)
		return false;
	if (usdt_take(c, ',')) {
		usdt_take(c, '#');
		if (!take_number(c, &o->value)) {
			/* 32-bit indices with extension are not used here */
			if (c->p < c->end && *c->p == 'w')
				return false;
			if (!take_base(c, find, o->index, &zero))
				return false;
			o->scale = 1;
			if (usdt_take(c, ',')) {
				if (!usdt_take(c, 'l') || !usdt_take(c, 's') || !usdt_take(c, 'l'))
					return false;
				usdt_take(c, '#');
				if (!take_number(c, &shift) || shift < 0 || shift > 3)
					return false;
				o->scale = 1U << shift;
			}
		}
	}
	return usdt_take(c, ']') && at_end(c);
}

/* arm64: 1, x0, w0, and brackets */
static bool usdt_parse_arm64(struct cursor *c, const struct usdt_place *place, struct operand *o)
{
	(void)place;
	if (usdt_take(c, '['))
		return usdt_parse_brackets(c, find_arm64, o);
	return is_constant(c, o) || is_register(c, find_arm64, o);
}

/* arm: #1, r0, and brackets */
static bool usdt_parse_arm(struct cursor *c, const struct usdt_place *place, struct operand *o)
{
	(void)place;
	if (usdt_take(c, '['))
		return usdt_parse_brackets(c, find_arm, o);
	if (usdt_take(c, '#'))
		return is_constant(c, o);
	return is_constant(c, o) || is_register(c, find_arm, o);
}

/* riscv: 1, a0, 8(s0) */
static bool usdt_parse_riscv(struct cursor *c, const struct usdt_place *place, struct operand *o)
{
	bool zero;

	(void)place;
	if (is_constant(c, o) || is_register(c, find_riscv, o))
		return true;
	o->kind = MEMORY;
	take_number(c, &o->value);
	return usdt_take(c, '(') && take_base(c, find_riscv, o->base, &zero) && !zero &&
	       usdt_take(c, ')') && at_end(c);
}

/*
 * powerpc: i1, 9 (a register), 8(9), 9,10 (their sum; a first 0 means no
 * register)
 */
static bool usdt_parse_powerpc(struct cursor *c, const struct usdt_place *place, struct operand *o)
{
	struct cursor at = *c;
	bool zero;

	(void)place;
	if (usdt_take(c, 'i'))
		return is_constant(c, o);
	if (is_register(c, find_powerpc, o))
		return true;
	o->kind = MEMORY;
	if (take_base(&at, find_powerpc, o->base, &zero) && usdt_take(&at, ',')) {
		if (!take_base(&at, find_powerpc, o->index, &zero) || !at_end(&at))
			return false;
		o->scale = 1;
		if (!strcmp(o->base, "gpr0")) {
			strcpy(o->base, o->index);
			o->index[0] = '\0';
		}
		return true;
	}
	take_number(c, &o->value);
	return usdt_take(c, '(') && take_base(c, find_powerpc, o->base, &zero) &&
	       usdt_take(c, ')') &&
	       at_end(c) && strcmp(o->base, "gpr0");
}

/* s390: 1, %r2, 160(%r15), 0(%r1,%r2); register 0 in an address means none */
static bool usdt_parse_s390(struct cursor *c, const struct usdt_place *place, struct operand *o)
{
	bool zero;

	(void)place;
	usdt_skip_blanks(c);
	if (c->p < c->end && *c->p == '%')
		return is_register(c, find_s390, o);
	if (is_constant(c, o))
		return true;
	o->kind = MEMORY;
	take_number(c, &o->value);
	if (!usdt_take(c, '(') || !take_base(c, find_s390, o->base, &zero))
		return false;
	if (usdt_take(c, ',')) {
		if (!take_base(c, find_s390, o->index, &zero))
			return false;
		o->scale = 1;
	}
	if (!strcmp(o->index, "r0"))
		o->index[0] = '\0';
	if (!strcmp(o->base, "r0")) {
		strcpy(o->base, o->index);
		o->index[0] = '\0';
	}
	return *o->base && usdt_take(c, ')') && at_end(c);
}

typedef bool (*parse_fn)(struct cursor *c, const struct usdt_place *place, struct operand *o);

static const struct {
	unsigned int machine;
	parse_fn parse;
} parsers[] = {
	{ EM_X86_64, usdt_parse_x86 },
	{ EM_386, usdt_parse_x86 },
	{ EM_AARCH64, usdt_parse_arm64 },
	{ EM_ARM, usdt_parse_arm },
	{ EM_RISCV, usdt_parse_riscv },
	{ EM_PPC64, usdt_parse_powerpc },
	{ EM_PPC, usdt_parse_powerpc },
	{ EM_S390, usdt_parse_s390 },
};

/* "SIZE@"; without it, the size is that of a register. */
static bool take_size(struct cursor *c, int64_t *size)
{
	struct cursor at = *c;

	*size = sizeof(uint64_t);
	if (!take_number(&at, size) || !usdt_take(&at, '@')) {
		/* "4f@": a floating-point number */
		*size = sizeof(uint64_t);
		return !memchr(c->p, '@', c->end - c->p);
	}
	*c = at;
	return *size == 1 || *size == -1 || *size == 2 || *size == -2 || *size == 4 ||
	       *size == -4 || *size == 8 || *size == -8;
}

static bool usdt_parse(const struct usdt_place *place, struct cursor *c, struct operand *o)
{
	for (size_t i = 0; i < ARRAY_SIZE(parsers); i++) {
		if (parsers[i].machine == place->machine)
			return parsers[i].parse(c, place, o);
	}
	return false;
}

static bool good_scale(const struct operand *o)
{
	return !*o->index || o->scale == 1 || o->scale == 2 || o->scale == 4 || o->scale == 8;
}

static void write_operand(const struct operand *o, int64_t size, char result[MAX_USDT_ARG])
{
	size_t len = snprintf(result, MAX_USDT_ARG, "%lld@", (long long)size);

	result += len;
	switch (o->kind) {
	case CONSTANT:
		snprintf(result, MAX_USDT_ARG - len, "$%lld", (long long)o->value);
		return;
	case REGISTER:
		len += snprintf(result, MAX_USDT_ARG - len, "%%%s", o->base);
		if (o->shift)
			snprintf(result + strlen(result), MAX_USDT_ARG - len, ">>%u", o->shift);
		return;
	case MEMORY:
		if (*o->index)
			snprintf(result, MAX_USDT_ARG - len, "%lld(%%%s,%%%s,%u)",
				 (long long)o->value, o->base, o->index, o->scale);
		else
			snprintf(result, MAX_USDT_ARG - len, "%lld(%%%s)", (long long)o->value,
				 o->base);
	}
}

void usdt_arg(const struct usdt_place *place, const char *arg, size_t len,
	      char result[MAX_USDT_ARG])
{
	struct cursor c = { arg, arg + len };
	struct operand o = { 0 };
	int64_t size;

	if (take_size(&c, &size) && usdt_parse(place, &c, &o) && good_scale(&o)) {
		write_operand(&o, size, result);
		return;
	}
	snprintf(result, MAX_USDT_ARG, "!%.*s", (int)(len < 64 ? len : 64), arg);
	for (char *p = result; *p; p++) {
		if (isspace((unsigned char)*p) || !isprint((unsigned char)*p) || *p == '\\')
			*p = '_';
	}
}

size_t usdt_next_arg(const char **args)
{
	const char *begin, *p = *args;
	bool inside = false;

	while (isspace((unsigned char)*p))
		p++;
	for (begin = p; *p && (inside || !isspace((unsigned char)*p)); p++) {
		if (*p == '[' || *p == '(')
			inside = true;
		else if (*p == ']' || *p == ')')
			inside = false;
	}
	*args = p;
	return p - begin;
}
