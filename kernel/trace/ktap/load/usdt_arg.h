/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where an argument of a marker in a program is found.
 */
#ifndef _KTAP_USDT_ARG_H
#define _KTAP_USDT_ARG_H

#include <linux/types.h>

struct pt_regs;

/**
 * enum ktap_usdt_arg_kind - where the argument is
 * @KTAP_USDT_ARG_NONE: it cannot be read here: it is nil
 * @KTAP_USDT_ARG_CONST: a constant
 * @KTAP_USDT_ARG_REG: a register
 * @KTAP_USDT_ARG_MEM: memory of the process
 */
enum ktap_usdt_arg_kind {
	KTAP_USDT_ARG_NONE,
	KTAP_USDT_ARG_CONST,
	KTAP_USDT_ARG_REG,
	KTAP_USDT_ARG_MEM,
};

/* Instead of a register's offset in struct pt_regs. */
#define KTAP_USDT_ARG_NO_REG	(-1)
#define KTAP_USDT_ARG_IP	(-2)

/**
 * struct ktap_usdt_arg - how to get an argument
 * @kind: enum ktap_usdt_arg_kind
 * @size: its bytes: 1, 2, 4 or 8
 * @shift: bits of the value below it
 * @scale: what @index is multiplied with
 * @is_signed: below 0 where its highest bit is set
 * @base: a register, by its offset in struct pt_regs
 * @index: another one, or KTAP_USDT_ARG_NO_REG
 * @value: the constant; of memory, its distance from the registers
 */
struct ktap_usdt_arg {
	u8 kind;
	u8 size;
	u8 shift;
	u8 scale;
	bool is_signed;
	s16 base;
	s16 index;
	s64 value;
};

/* Reads memory of the current process; 0 or a negative errno. */
typedef int (*ktap_usdt_arg_read_fn)(void *to, u64 from, size_t size);

/**
 * ktap_usdt_arg_parse() - Parse the description of an argument
 * @text: "[-]SIZE@VALUE[>>SHIFT]", or "!" and anything: not to be read
 * @r: gets the description
 *
 * VALUE is "$NUMBER", "%REGISTER" or "[NUMBER](%REGISTER[,%REGISTER[,SCALE]])".
 * Registers have the names of regs_query_register_offset(), and "ip".
 * Return: NULL, or what is wrong with it.
 */
const char *ktap_usdt_arg_parse(const char *text, struct ktap_usdt_arg *r);

/**
 * ktap_usdt_arg_get() - Get an argument
 * @r: its description
 * @regs: the registers of the process
 * @pointer: bytes of its addresses
 * @read: reads its memory
 * @value: gets the argument
 *
 * Return: 0, -ENODATA if it is not to be read, or what @read returned.
 */
int ktap_usdt_arg_get(const struct ktap_usdt_arg *r, struct pt_regs *regs, unsigned int pointer,
		      ktap_usdt_arg_read_fn read, s64 *value);

#endif /* _KTAP_USDT_ARG_H */
