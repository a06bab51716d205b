// SPDX-License-Identifier: GPL-2.0
/* Memory of one compilation, freed all at once. */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/pool.h"

#define BLOCK_SIZE	16384
#define ALIGNMENT	16

struct pool_block {
	struct pool_block *next;
	size_t used;
	size_t size;
	char data[] __attribute__((aligned(ALIGNMENT)));
};

__attribute__((noreturn))
static void pool_has_no_memory(void)
{
	fputs("ktap: out of memory\n", stderr);
	exit(2);
}

void *pool_alloc(struct pool *pool, size_t size)
{
	struct pool_block *b = pool->blocks;
	void *p;

	if (size > SIZE_MAX / 2)
		pool_has_no_memory();
	size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	if (!b || b->size - b->used < size) {
		size_t want = size > BLOCK_SIZE ? size : BLOCK_SIZE;

		b = calloc(1, sizeof(*b) + want);
		if (!b)
			pool_has_no_memory();
		b->size = want;
		b->next = pool->blocks;
		pool->blocks = b;
		pool->size += sizeof(*b) + want;
	}
	p = b->data + b->used;
	b->used += size;
	return p;
}

char *pool_strndup(struct pool *pool, const char *s, size_t len)
{
	char *p = pool_alloc(pool, len + 1);

	memcpy(p, s, len);
	return p;
}

char *pool_vprintf(struct pool *pool, const char *fmt, va_list ap)
{
	va_list again;
	char *p;
	int len;

	va_copy(again, ap);
	len = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (len < 0)
		len = 0;
	p = pool_alloc(pool, len + 1);
	vsnprintf(p, len + 1, fmt, ap);
	return p;
}

char *pool_printf(struct pool *pool, const char *fmt, ...)
{
	va_list ap;
	char *p;

	va_start(ap, fmt);
	p = pool_vprintf(pool, fmt, ap);
	va_end(ap);
	return p;
}

void *pool_grow(struct pool *pool, void *array, unsigned int count,
		unsigned int *max, size_t size)
{
	void *bigger;

	if (count < *max)
		return array;
	/* a file that is not trusted may have too many elements for the number, or for memory */
	if (*max > UINT_MAX / 2 || (size_t)*max * 2 > SIZE_MAX / size)
		pool_has_no_memory();
	*max = *max ? *max * 2 : 16;
	bigger = pool_alloc(pool, *max * size);
	if (count)
		memcpy(bigger, array, count * size);
	return bigger;
}

void pool_free(struct pool *pool)
{
	while (pool->blocks) {
		struct pool_block *next = pool->blocks->next;

		free(pool->blocks);
		pool->blocks = next;
	}
	pool->size = 0;
}
