// SPDX-License-Identifier: GPL-2.0
/* Prints all words of the language as a dictionary of libFuzzer. */
#include <stdio.h>

#include "compiler/builtins.h"
#include "compiler/lexer.h"

int main(void)
{
	size_t i;
	int kind;

	for (kind = T_AND; kind <= T_RBRACKET; kind++)
		printf("\"%s\"\n", tok_name(kind));
	for (i = 0; i < nbuiltins; i++)
		printf("\"%s\"\n", builtins[i].name);
	return 0;
}
