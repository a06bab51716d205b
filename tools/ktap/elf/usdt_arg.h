/* SPDX-License-Identifier: GPL-2.0 */
/* Arguments of static markers: from the assembler's words to those of the kernel. */
#ifndef KTAP_USDT_ARG_H
#define KTAP_USDT_ARG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_USDT_ARGS	12	/* of a marker */
#define MAX_USDT_ARG	128	/* bytes of one in the kernel's words */

/**
 * struct usdt_place - what an argument is relative to
 * @machine: EM_*, whose assembler wrote it
 * @addr: of the marker
 * @fixed: addresses are those of the running program
 * @symbol: finds the address of a variable of the program; false if there is none
 * @ctx: for @symbol
 */
struct usdt_place {
	unsigned int machine;
	uint64_t addr;
	bool fixed;
	bool (*symbol)(void *ctx, const char *name, size_t len, uint64_t *addr);
	void *ctx;
};

/*
 * Move *@args behind the next argument, which may have blanks inside of
 * brackets: its length, 0 at the end.
 */
size_t usdt_next_arg(const char **args);

/*
 * One argument as a set-up line has it; what cannot be read as an integer
 * becomes "!" and its text.
 */
void usdt_arg(const struct usdt_place *place, const char *arg, size_t len,
	      char result[MAX_USDT_ARG]);

#endif
