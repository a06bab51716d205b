// SPDX-License-Identifier: GPL-2.0
/*
 * Print the built-ins with their types, from the table of the compiler, for the language
 * server: "builtin", the name, "function" or "value", how it is written, and what must be
 * known about it, with tabs between them. Overloads have a line each.
 */
#include <stdio.h>
#include <string.h>

#include <linux/ktap.h>

#include "compiler/builtins.h"
#include "compiler/util.h"

static const char * const type_names[] = {
	"nil", "boolean", "integer", "string", "table", "aggregation", "function", "stack",
	"pointer", "event",
};

/* Print the names of a set of types; nil comes last. */
static void print_types(unsigned int types)
{
	const char *separator = "";

	if ((types & TYPE_ANY) == TYPE_ANY) {
		printf("any");
		return;
	}
	for (size_t i = 1; i <= ARRAY_SIZE(type_names); i++) {
		size_t bit = i % ARRAY_SIZE(type_names);

		if (!(types & 1 << bit))
			continue;
		printf("%s%s", separator, type_names[bit]);
		separator = " or ";
	}
}

/* Print the arguments; those that may be missing are in brackets. */
static void print_arguments(const struct builtin *bi)
{
	bool any_number = bi->max == KTAP_MAX_ARGS;
	unsigned int last = any_number ? bi->min : bi->max;

	putchar('(');
	for (unsigned int i = 0; i < last; i++) {
		printf("%s%s", i < bi->min ? "" : "[", i ? ", " : "");
		print_types(builtin_takes(bi, i));
	}
	for (unsigned int i = bi->min; i < last; i++)
		putchar(']');
	printf("%s)", !any_number ? "" : last ? ", ..." : "...");
}

static bool is_called(const struct builtin *bi)
{
	return bi->kind == BI_FUNCTION || bi->kind == BI_ITERATOR || bi->kind == BI_WRITTEN;
}

static void print_signature(const struct builtin *bi)
{
	printf("%s", bi->name);
	if (bi->kind == BI_ARGS || bi->kind == BI_SELF)
		printf(".NAME");
	else if (bi->kind == BI_SCRIPTARGS)
		printf("[integer]");
	else if (bi->kind == BI_SPACE)
		printf(".NAME(...)");
	if (is_called(bi))
		print_arguments(bi);
	if (bi->type) {
		printf(": ");
		print_types(bi->type);
	}
}

int main(void)
{
	for (size_t i = 0; i < nbuiltins; i++) {
		const struct builtin *bi = &builtins[i];

		if (bi->kind == BI_MISSING)
			continue;
		printf("builtin\t%s\t%s\t", bi->name, is_called(bi) ? "function" : "value");
		print_signature(bi);
		printf("\t%s%s%s\n", bi->acts ? "Can change the running system: needs --unsafe. " : "",
		       bi->waits ? "May wait: not in handlers of events. " : "",
		       bi->kind == BI_ITERATOR ? "Only after `in` of a for loop. " : "");
	}
	return 0;
}
