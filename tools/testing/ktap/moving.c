// SPDX-License-Identifier: GPL-2.0
/*
 * Make each allocation do what only one without memory does otherwise: free the objects that
 * no register refers to, and move the strings.  Freed memory is overwritten.  Code that keeps
 * a pointer to an object or a string in no register finds out.
 *
 * The linker calls these functions instead of those of the kernel part (--wrap).  Calls
 * inside one file remain as they are.
 */
#include <linux/log2.h>
#include <linux/string.h>

#include "data/heap.h"
#include "data/object.h"
#include "data/value_slot.h"
#include "vm/vm.h"

#define POISON	0xdb

void *__real_ktap_slot_alloc(struct ktap_vm *vm, size_t size);
void *__wrap_ktap_slot_alloc(struct ktap_vm *vm, size_t size);
void *__real_ktap_arena_alloc(struct ktap_vm *vm, size_t size);
void *__wrap_ktap_arena_alloc(struct ktap_vm *vm, size_t size);
int __real_ktap_make_string(struct ktap_vm *vm, const char *s, size_t len, struct ktap_value *v);
int __wrap_ktap_make_string(struct ktap_vm *vm, const char *s, size_t len, struct ktap_value *v);
void *__real_ktap_heap_alloc_nested(struct ktap_heap *heap, size_t size);
void *__wrap_ktap_heap_alloc_nested(struct ktap_heap *heap, size_t size);
void __real_ktap_heap_free(struct ktap_heap *heap, void *p, size_t size);
void __wrap_ktap_heap_free(struct ktap_heap *heap, void *p, size_t size);
void __real_ktap_heap_free_nested(struct ktap_heap *heap, void *p, size_t size);
void __wrap_ktap_heap_free_nested(struct ktap_heap *heap, void *p, size_t size);

/* Scripts must not notice what this costs. */
struct saved {
	u64 budget;
	u64 rest;
};

static struct saved save(struct ktap_vm *vm)
{
	struct saved saved = { .budget = vm->budget, .rest = vm->rest };

	vm->budget = KTAP_MAX_BUDGET;
	return saved;
}

static void restore(struct ktap_vm *vm, struct saved saved)
{
	vm->budget = saved.budget;
	vm->rest = saved.rest;
}

void *__wrap_ktap_slot_alloc(struct ktap_vm *vm, size_t size)
{
	struct saved saved = save(vm);

	ktap_objects_sweep(vm);
	restore(vm, saved);
	return __real_ktap_slot_alloc(vm, size);
}

/* Move all strings: let the arena look full. */
static void move_strings(struct ktap_vm *vm)
{
	struct ktap_arena *arena = &vm->arena;
	u32 room = arena->room, used = arena->used, half = arena->cur;
	char message[sizeof(vm->message)];
	struct saved saved;

	if (!used || vm->error)
		return;
	saved = save(vm);
	/* An error that was caught becomes a string. */
	memcpy(message, vm->message, sizeof(message));
	arena->room = used;
	__real_ktap_arena_alloc(vm, 0);
	/* There is none for more strings, if all of them are needed. */
	vm->error = 0;
	vm->fault.func = NULL;
	memcpy(vm->message, message, sizeof(message));
	arena->room = room;
	restore(vm, saved);
	memset(arena->half[half], POISON, used);
}

void *__wrap_ktap_arena_alloc(struct ktap_vm *vm, size_t size)
{
	move_strings(vm);
	return __real_ktap_arena_alloc(vm, size);
}

int __wrap_ktap_make_string(struct ktap_vm *vm, const char *s, size_t len, struct ktap_value *v)
{
	/* @s is never in the arena. */
	move_strings(vm);
	return __real_ktap_make_string(vm, s, len, v);
}

/*
 * Under a lock only memory that is at hand is taken: let there be none for an entry.  The size
 * of other memory of tables is a power of two.
 */
void *__wrap_ktap_heap_alloc_nested(struct ktap_heap *heap, size_t size)
{
	return is_power_of_2(size) ? __real_ktap_heap_alloc_nested(heap, size) : NULL;
}

void __wrap_ktap_heap_free(struct ktap_heap *heap, void *p, size_t size)
{
	if (p)
		memset(p, POISON, size);
	__real_ktap_heap_free(heap, p, size);
}

void __wrap_ktap_heap_free_nested(struct ktap_heap *heap, void *p, size_t size)
{
	if (p)
		memset(p, POISON, size);
	__real_ktap_heap_free_nested(heap, p, size);
}
