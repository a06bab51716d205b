/* SPDX-License-Identifier: GPL-2.0 */
/* A script of another language, and the ktap script that is compiled instead. */
#ifndef KTAP_TRANSLATION_H
#define KTAP_TRANSLATION_H

#include "compiler/diag.h"

/* From this byte of the text on, the text comes from that place of the script. */
struct translation_mark {
	size_t at;
	struct pos pos;
};

struct translation {
	char *text;
	size_t len;
	struct translation_mark *marks;	/* in the order of the text */
	unsigned int nmarks;
};

struct compiler;

/* Translate the first file, a script of bpftrace; NULL after an error. */
struct translation *bpftrace_translate(struct compiler *cc);

#endif
