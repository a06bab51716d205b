// SPDX-License-Identifier: GPL-2.0
/* A program with structures and variables, for tests that read them by its debug information. */
#include <string.h>

#define NOINLINE	__attribute__((noinline, noclone, used))

struct point { short x, y; };
struct pair { int left; long right; };

struct item {
	int id;
	unsigned int kind : 3, flags : 5, wide : 20;
	double ratio;
	union { long number; char bytes[8]; };
	struct point points[2];
	char name[8];
	int list[3];
	const char *label;
	struct item *next;
	struct item **all;
	struct pair pair;
	signed char small;
};

struct __attribute__((packed)) tight { char c; int i; long l; };

volatile unsigned int counter = 0x1234567;
volatile short little = -3;
volatile int calls;

NOINLINE int handle(struct item *item, struct tight *tight, int *number, const char *text,
		    struct pair *pair)
{
	__asm__ volatile("" : : "r"(item), "r"(tight), "r"(text), "r"(pair) : "memory");
	/* on powerpc, a function that uses a variable has two entries */
	calls++;
	return item->id + *number;
}

int main(int argc, char **argv)
{
	struct item second = { .id = 22, .label = "second", .small = -2 };
	struct item *all[2];
	struct item item = {
		.id = 11, .kind = 5, .flags = 17, .wide = 54321, .ratio = 0.5, .bytes = "A",
		.points = { { 1, -2 }, { 3, -4 } }, .name = "hello", .list = { 7, 8, 9 },
		.label = "first", .next = &second, .all = all, .pair = { 33, 44 },
	};
	struct tight tight = { 'x', 55, 66 };
	int number = 13;

	(void)argv;
	all[0] = &item;
	all[1] = &second;
	return handle(&item, &tight, &number, "some text", &item.pair) != 11 + number + argc - 1;
}
