// SPDX-License-Identifier: GPL-2.0
/*
 * Print the words of the language, from the tables of the lexer and of the
 * built-ins: a kind, a tab and a word a line, each word once. Completion and the
 * files for editors are made of them.
 */
#include <stdio.h>
#include <string.h>

#include "compiler/builtins.h"
#include "compiler/lexer.h"
#include "compiler/util.h"

/* Names that are keywords only where a statement of that form begins. */
static const char * const contextual[] = { "BEGIN", "END", "catch", "include", "once", "try" };

/* The kind of a built-in; NULL if it cannot be used. */
static const char *kind_of(const struct builtin *bi)
{
	switch (bi->kind) {
	case BI_FUNCTION:
	case BI_WRITTEN:
	case BI_ITERATOR:
		return "function";
	case BI_SPACE:
		return "space";
	case BI_MISSING:
		return NULL;
	default:
		return "value";
	}
}

int main(void)
{
	int kind;

	for (kind = T_AND; kind < T_AGGREGATE; kind++)
		printf("keyword\t%s\n", tok_name(kind));
	for (kind = T_AGGREGATE; kind <= T_RBRACKET; kind++)
		printf("%s\t%s\n", strpbrk(tok_name(kind), ",;(){}[]") ? "bracket" : "operator",
		       tok_name(kind));
	for (size_t i = 0; i < ARRAY_SIZE(contextual); i++)
		printf("contextual\t%s\n", contextual[i]);
	for (size_t i = 0; i < nbuiltins; i++) {
		const struct builtin *bi = &builtins[i];

		/* overloads are adjacent; members of a space are no names */
		if (kind_of(bi) && !strchr(bi->name, '.') &&
		    (!i || strcmp(bi->name, bi[-1].name)))
			printf("%s\t%s\n", kind_of(bi), bi->name);
	}
	return 0;
}
