/* SPDX-License-Identifier: GPL-2.0 */
/* Memory of one compilation, freed all at once. */
#ifndef KTAP_POOL_H
#define KTAP_POOL_H

#include <stdarg.h>
#include <stddef.h>

struct pool {
	struct pool_block *blocks;
	size_t size;	/* bytes of all blocks */
};

/*
 * Allocate zeroed memory that lives until pool_free(); exits if there is none.
 */
void *pool_alloc(struct pool *pool, size_t size);
char *pool_strndup(struct pool *pool, const char *s, size_t len);
char *pool_vprintf(struct pool *pool, const char *fmt, va_list ap);
__attribute__((format(printf, 2, 3)))
char *pool_printf(struct pool *pool, const char *fmt, ...);
void pool_free(struct pool *pool);

/* Make room for one more element in an array that grows by doubling. */
void *pool_grow(struct pool *pool, void *array, unsigned int count,
		unsigned int *max, size_t size);

#endif
