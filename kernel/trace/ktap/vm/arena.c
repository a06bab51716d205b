// SPDX-License-Identifier: GPL-2.0
/*
 * The arena: memory of the strings a script makes on its way.
 */
#include <linux/align.h>
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "vm.h"

/**
 * DOC: The arena
 *
 * A script that joins strings in a loop makes garbage without end, in a place
 * where nothing can be allocated.  So an activation has a small memory of its
 * own, in two halves.  Blocks are taken from the current half one behind the
 * other.  When it is full, the blocks that a register refers to move to the
 * other half, which becomes the current one; the rest is forgotten.
 *
 * The roots are the registers from 0 to &ktap_vm.top, and nothing else:
 *
 * - A block that no register refers to does not survive the next
 *   ktap_arena_alloc().  Whoever needs two puts the first into a register.
 * - Pointers are looked up in the registers again after an allocation.
 * - A register refers to the first byte of a block.
 * - Tables and globals copy what they are given into memory of their own.
 *
 * Not every register below the top holds a value: a frame is not cleared when
 * it is entered, since the verifier knows that nobody reads a register before
 * it is written.  What stands there is of an earlier call or an earlier event,
 * and may look like a blob of the arena.  It can do no harm: all the blocks of
 * the old half are marked in a bit map before the move, and what refers to
 * anything but the first byte of one, or to more than it has, becomes nil.  At
 * worst a dead block moves too.  Since each block moves once, there is always
 * room for all of them.
 *
 * The bit map has one bit for 8 bytes, and lies behind the blocks, in the last
 * 64th of each half.
 *
 * The run pays for a move: if nearly all of a half lives, each allocation makes one.
 * Before it pays for what is gone through, registers and blocks, of which 16 cost a
 * unit, and after it for the bytes that were copied.
 */

/* Stands before each block.  @moved is 0, or its place in the new half. */
struct ktap_arena_block {
	u32 size;
	u32 moved;
	u8 data[] __aligned(8);
};

/* Bytes of a half that hold blocks. */
static u32 room(const struct ktap_arena *arena)
{
	return ALIGN_DOWN(arena->size - arena->size / 64 - sizeof(long), 8);
}

/* An empty block has bytes too, so that its first one is its own. */
static u32 footprint(size_t size)
{
	return sizeof(struct ktap_arena_block) + ALIGN(size + !size, 8);
}

static struct ktap_arena_block *block_at(struct ktap_arena *arena, u32 half, u32 place)
{
	return (void *)(arena->half[half] + place);
}

static struct ktap_arena_block *take(struct ktap_arena *arena, u32 size)
{
	struct ktap_arena_block *block = block_at(arena, arena->cur, arena->used);

	block->size = size;
	block->moved = 0;
	arena->used += footprint(size);
	return block;
}

static void mark_blocks(struct ktap_arena *arena, unsigned long *starts)
{
	u32 place = 0;

	memset(starts, 0, arena->size - room(arena));
	while (place < arena->used) {
		__set_bit(place / 8, starts);
		place += footprint(block_at(arena, arena->cur, place)->size);
	}
}

/* Moves what @v refers to, unless it has moved already. */
static void move_value(struct ktap_arena *arena, u32 old, u32 old_used,
		       const unsigned long *starts, struct ktap_value *v)
{
	uintptr_t place = (uintptr_t)v->blob - (uintptr_t)arena->half[old];
	struct ktap_arena_block *block, *new;

	if (!ktap_is_blob(v) || place >= old_used)
		return;
	place -= sizeof(*block);
	if (place >= old_used || place % 8 || !test_bit(place / 8, starts))
		goto stale;
	block = block_at(arena, old, place);
	if (v->len > block->size)
		goto stale;

	if (!block->moved) {
		new = take(arena, block->size);
		memcpy(new->data, block->data, block->size);
		block->moved = (char *)new->data - arena->half[arena->cur];
	}
	v->blob = arena->half[arena->cur] + block->moved;
	return;
stale:
	*v = KTAP_VALUE_NIL;
}

static int compact(struct ktap_vm *vm)
{
	struct ktap_arena *arena = &vm->arena;
	u32 old = arena->cur, old_used = arena->used, i;
	unsigned long *starts = (void *)(arena->half[!old] + room(arena));
	int err;

	err = ktap_vm_charge(vm, vm->top / 16 + old_used / (16 * footprint(0)));
	if (err)
		return err;
	mark_blocks(arena, starts);
	arena->cur = !old;
	arena->used = 0;
	for (i = 0; i < vm->top; i++)
		move_value(arena, old, old_used, starts, &vm->stack[i]);
	return ktap_vm_charge(vm, arena->used / 64);
}

void *ktap_arena_alloc(struct ktap_vm *vm, size_t size)
{
	struct ktap_arena *arena = &vm->arena;

	if (size > KTAP_MAX_STRLEN) {
		ktap_vm_error(vm, -ENOMEM, "a string is at most %u bytes", KTAP_MAX_STRLEN);
		return NULL;
	}
	if (footprint(size) > room(arena) - arena->used && compact(vm))
		return NULL;
	if (footprint(size) > room(arena) - arena->used) {
		ktap_vm_error(vm, -ENOMEM, "no memory for more strings: one run has %u bytes",
			      room(arena));
		return NULL;
	}
	return take(arena, size)->data;
}

void ktap_arena_trim(struct ktap_vm *vm, void *p, size_t size)
{
	struct ktap_arena_block *block = p - sizeof(*block);

	vm->arena.used -= footprint(block->size) - footprint(size);
	block->size = size;
}

int ktap_make_string(struct ktap_vm *vm, const char *s, size_t len, struct ktap_value *v)
{
	char *p;

	if (len > KTAP_MAX_STRLEN) {
		len = KTAP_MAX_STRLEN;
		atomic_long_inc(&vm->env->counters.cut_strings);
	}
	p = ktap_arena_alloc(vm, len);
	if (!p)
		return vm->error;
	memcpy(p, s, len);
	*v = KTAP_VALUE_STR(p, len);
	return 0;
}

int ktap_event_text(struct ktap_vm *vm, struct ktap_value *v)
{
	int err;

	*v = KTAP_VALUE_NIL;
	err = ktap_vm_charge(vm, KTAP_TEXT_COST);
	if (!err && vm->event && vm->event->ops->text)
		err = vm->event->ops->text(vm, v);
	/* There is none in NMI: nothing can be formatted there. */
	if (!err && v->tag != KTAP_STR)
		*v = KTAP_VALUE_STR("", 0);
	return err;
}

int ktap_make_text(struct ktap_vm *vm, struct ktap_value *v)
{
	const char *text;
	int err;

	if (v->tag != KTAP_ARGSTR)
		return 0;
	err = ktap_event_text(vm, v);
	if (err)
		return err;
	text = v->blob;
	if (v->len && text[v->len - 1] == '\n')
		v->len--;
	return 0;
}
