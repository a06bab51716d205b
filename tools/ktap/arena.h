/* SPDX-License-Identifier: GPL-2.0 */
/* Memory of one compilation: taken piece by piece, given back all at once. */
#ifndef KTAP_ARENA_H
#define KTAP_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena {
	struct arena_block *blocks;
	size_t size;	/* bytes that they take */
};

/* Zeroed memory that lives until arena_free(); ends the program if there is none. */
void *arena_alloc(struct arena *arena, size_t size);
char *arena_strndup(struct arena *arena, const char *s, size_t len);
char *arena_vprintf(struct arena *arena, const char *fmt, va_list ap);
__attribute__((format(printf, 2, 3)))
char *arena_printf(struct arena *arena, const char *fmt, ...);
void arena_free(struct arena *arena);

/* Makes room for one more element in an array that grows by doubling. */
void *arena_grow(struct arena *arena, void *array, unsigned int count,
		 unsigned int *max, size_t size);

#endif
