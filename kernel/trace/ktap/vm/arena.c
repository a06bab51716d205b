// SPDX-License-Identifier: GPL-2.0
/*
 * The arena: memory for the temporary strings of a script.
 */
#include <linux/align.h>
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/nospec.h>
#include <linux/string.h>

#include "vm/arena.h"
#include "vm/env.h"
#include "vm/vm.h"

/**
 * DOC: The arena
 *
 * A script that joins strings in a loop produces garbage in a context that
 * cannot allocate memory.  So an activation has a small memory of its own, in
 * two halves.  Blocks are allocated in sequence from the current half.  When it
 * is full, the blocks that registers refer to move to the other half, which
 * becomes the current one; the other blocks are dropped.
 *
 * The only roots are the registers from 0 to &ktap_vm.top:
 *
 * - A block that no register refers to does not survive the next
 *   ktap_arena_alloc().  Code that needs two blocks puts the first one into a
 *   register.
 * - Pointers must be reloaded from the registers after an allocation.
 * - A register refers to the first byte of a block.
 * - Tables and globals copy blobs into memory of their own.
 *
 * Not every register below the top holds a value: a frame is not cleared when
 * it is entered, because the verifier ensures that a register is written before
 * it is read.  Such a register may contain data of an earlier call or event
 * that looks like a blob of the arena.  This is harmless: before the move, all
 * blocks of the old half are marked in a bitmap, and a reference that does not
 * point to the first byte of a block, or is longer than the block, becomes nil.
 * In the worst case a dead block moves too.  Each block moves only once, so
 * there is always room for all of them.
 *
 * The bitmap has one bit for 8 bytes, and follows the blocks in the last 64th
 * of each half.
 *
 * A move is charged to the run, because a half full of live blocks moves at
 * each allocation: one unit for 16 registers or blocks before the move, and the
 * copied bytes after it.
 */

/* An empty block takes bytes too, so that its address is unique. */
static u32 arena_footprint(size_t size)
{
	return sizeof(struct ktap_arena_block) + ALIGN(size + !size, 8);
}

static struct ktap_arena_block *arena_block_at(struct ktap_arena *arena, u32 half, u32 offset)
{
	return (void *)(arena->half[half] + offset);
}

static struct ktap_arena_block *arena_take(struct ktap_arena *arena, u32 size)
{
	struct ktap_arena_block *block = arena_block_at(arena, arena->cur, arena->used);

	block->size = size;
	block->moved = 0;
	arena->used += arena_footprint(size);
	return block;
}

static void arena_mark_blocks(struct ktap_arena *arena, unsigned long *starts)
{
	u32 offset = 0;

	memset(starts, 0, arena->size - arena->room);
	while (offset < arena->used) {
		__set_bit(offset / 8, starts);
		offset += arena_footprint(arena_block_at(arena, arena->cur, offset)->size);
	}
}

/* Move the block of @v unless it has already moved, and update @v. */
static void arena_move_value(struct ktap_arena *arena, u32 old, u32 old_used,
			     const unsigned long *starts, struct ktap_value *v)
{
	uintptr_t offset = (uintptr_t)ktap_blob_of(v) - (uintptr_t)arena->half[old];
	struct ktap_arena_block *block, *new;

	if (!ktap_is_blob(v) || offset >= old_used)
		return;
	offset = array_index_nospec(offset, (uintptr_t)old_used) - sizeof(*block);
	if (offset >= old_used || offset % 8 || !test_bit(offset / 8, starts))
		goto stale;
	block = arena_block_at(arena, old, array_index_nospec(offset, (uintptr_t)old_used));
	if (v->len > block->size)
		goto stale;

	if (!block->moved) {
		new = arena_take(arena, block->size);
		memcpy(new->data, block->data, block->size);
		block->moved = (char *)new->data - arena->half[arena->cur];
	}
	v->blob = arena->half[arena->cur] + block->moved;
	return;
stale:
	*v = KTAP_VALUE_NIL;
}

static int arena_compact(struct ktap_vm *vm)
{
	struct ktap_arena *arena = &vm->arena;
	u32 old = arena->cur, old_used = arena->used, i;
	unsigned long *starts = (void *)(arena->half[!old] + arena->room);
	int err;

	err = ktap_vm_charge(vm, vm->top / 16 + old_used / (16 * arena_footprint(0)));
	if (err)
		return err;
	arena_mark_blocks(arena, starts);
	arena->cur = !old;
	arena->used = 0;
	for (i = 0; i < vm->top; i++)
		arena_move_value(arena, old, old_used, starts, &vm->stack[i]);
	return ktap_vm_charge(vm, arena->used / 64);
}

void *ktap_arena_alloc(struct ktap_vm *vm, size_t size)
{
	struct ktap_arena *arena = &vm->arena;

	if (size > KTAP_MAX_STRLEN) {
		ktap_vm_error(vm, -ENOMEM, "a string is at most %u bytes", KTAP_MAX_STRLEN);
		return NULL;
	}
	if (arena_footprint(size) > arena->room - arena->used && arena_compact(vm))
		return NULL;
	if (arena_footprint(size) > arena->room - arena->used) {
		ktap_vm_error(vm, -ENOMEM, "no memory for more strings: one run has %u bytes",
			      arena->room);
		return NULL;
	}
	return arena_take(arena, size)->data;
}

void ktap_arena_trim(struct ktap_vm *vm, void *p, size_t size)
{
	struct ktap_arena_block *block = p - sizeof(*block);

	vm->arena.used -= arena_footprint(block->size) - arena_footprint(size);
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
	/* Events have no text in NMI context, where it cannot be formatted. */
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
	text = ktap_blob_of(v);
	if (v->len && text[v->len - 1] == '\n')
		v->len--;
	return 0;
}
