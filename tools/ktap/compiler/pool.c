// SPDX-License-Identifier: GPL-2.0
/* Memory of one compilation: taken piece by piece, given back all at once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"

#define BLOCK_SIZE	16384
#define ALIGNMENT	16

struct arena_block {
	struct arena_block *next;
	size_t used;
	size_t size;
	char data[] __attribute__((aligned(ALIGNMENT)));
};

void *arena_alloc(struct arena *arena, size_t size)
{
	struct arena_block *b = arena->blocks;
	void *p;

	size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	if (!b || b->size - b->used < size) {
		size_t want = size > BLOCK_SIZE ? size : BLOCK_SIZE;

		b = calloc(1, sizeof(*b) + want);
		if (!b) {
			fputs("ktap: out of memory\n", stderr);
			exit(2);
		}
		b->size = want;
		b->next = arena->blocks;
		arena->blocks = b;
		arena->size += sizeof(*b) + want;
	}
	p = b->data + b->used;
	b->used += size;
	return p;
}

char *arena_strndup(struct arena *arena, const char *s, size_t len)
{
	char *p = arena_alloc(arena, len + 1);

	memcpy(p, s, len);
	return p;
}

char *arena_vprintf(struct arena *arena, const char *fmt, va_list ap)
{
	va_list again;
	char *p;
	int len;

	va_copy(again, ap);
	len = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (len < 0)
		len = 0;
	p = arena_alloc(arena, len + 1);
	vsnprintf(p, len + 1, fmt, ap);
	return p;
}

char *arena_printf(struct arena *arena, const char *fmt, ...)
{
	va_list ap;
	char *p;

	va_start(ap, fmt);
	p = arena_vprintf(arena, fmt, ap);
	va_end(ap);
	return p;
}

void *arena_grow(struct arena *arena, void *array, unsigned int count,
		 unsigned int *max, size_t size)
{
	void *bigger;

	if (count < *max)
		return array;
	*max = *max ? *max * 2 : 16;
	bigger = arena_alloc(arena, *max * size);
	if (count)
		memcpy(bigger, array, count * size);
	return bigger;
}

void arena_free(struct arena *arena)
{
	while (arena->blocks) {
		struct arena_block *next = arena->blocks->next;

		free(arena->blocks);
		arena->blocks = next;
	}
	arena->size = 0;
}
