/* SPDX-License-Identifier: GPL-2.0 */
/* Explanations of messages that need more than a line. */
#ifndef KTAP_EXPLAIN_H
#define KTAP_EXPLAIN_H

#include <stdbool.h>

/* Find the word whose explanation belongs to a message; NULL: there is none. */
const char *explain_word(const char *message);

/*
 * Print the explanation of a word or of a message. Returns false, after a message
 * with all words, if there is none.
 */
bool explain_show(const char *text);

#endif
