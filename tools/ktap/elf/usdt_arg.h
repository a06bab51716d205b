/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Translate arguments of static markers from assembler syntax to that of the
 * kernel.
 */
#ifndef KTAP_USDT_ARG_H
#define KTAP_USDT_ARG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_USDT_ARGS	12	/* number of arguments of a marker */
#define MAX_USDT_ARG	128	/* bytes of one argument in the kernel's syntax */

/**
 * struct usdt_place - context of an argument
 * @machine: EM_* of the assembler
 * @addr: address of the marker
 * @fixed: link-time addresses are those at run time
 * @symbol: get the address of a variable of the program; false if unknown
 * @ctx: first argument of @symbol
 */
struct usdt_place {
	unsigned int machine;
	uint64_t addr;
	bool fixed;
	bool (*symbol)(void *ctx, const char *name, size_t len, uint64_t *addr);
	void *ctx;
};

/*
 * Move *@args past the next argument, which may contain blanks in brackets;
 * returns its length, 0 at the end.
 */
size_t usdt_next_arg(const char **args);

/*
 * Write one argument for a set-up line; if it cannot be read as an integer,
 * write "!" and its text.
 */
void usdt_arg(const struct usdt_place *place, const char *arg, size_t len,
	      char result[MAX_USDT_ARG]);

#endif
