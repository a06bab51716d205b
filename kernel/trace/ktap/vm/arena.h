/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The arena: its blocks, for arena.c and for an instruction that makes a block itself.
 */
#ifndef _KTAP_ARENA_H
#define _KTAP_ARENA_H

#include <linux/align.h>

#include "vm/vm.h"

/* Precedes each block.  @moved is 0, or its offset in the new half. */
struct ktap_arena_block {
	u32 size;
	u32 moved;
	u8 data[] __aligned(8);
};

/* @size: bytes of each half.  Where blocks begin is noted in the rest (arena.c). */
static inline void ktap_arena_init(struct ktap_arena *arena, u32 size)
{
	arena->size = size;
	arena->room = ALIGN_DOWN(size - size / 64 - sizeof(long), 8);
}

static __always_inline bool ktap_arena_has_room(const struct ktap_arena *arena, u32 size)
{
	return arena->used + sizeof(struct ktap_arena_block) + size <= arena->room;
}

/* The data of the next block, if there is room for it.  ktap_arena_push() makes it a block. */
static __always_inline void *ktap_arena_next(const struct ktap_arena *arena)
{
	return arena->half[arena->cur] + arena->used + sizeof(struct ktap_arena_block);
}

/* Make the first @size bytes at ktap_arena_next() a block; a multiple of 8, and not 0. */
static __always_inline void ktap_arena_push(struct ktap_arena *arena, void *data, u32 size)
{
	struct ktap_arena_block *block = data - sizeof(*block);

	block->size = size;
	block->moved = 0;
	arena->used += sizeof(*block) + size;
}

/* Make the text from ktap_arena_next() to before @end a block, and @v that string. */
static __always_inline void ktap_arena_push_text(struct ktap_arena *arena, char *text,
						 const char *end, struct ktap_value *v)
{
	/* An empty block takes bytes too, so that its address is unique. */
	ktap_arena_push(arena, text, ALIGN(max_t(u32, end - text, 1), 8));
	*v = KTAP_VALUE_STR(text, end - text);
}

#endif /* _KTAP_ARENA_H */
