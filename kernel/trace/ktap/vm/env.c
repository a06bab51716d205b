// SPDX-License-Identifier: GPL-2.0
/*
 * The environment that the activations of a session share, and the memory of an
 * activation.
 */
#include <linux/errno.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "data/agg.h"
#include "data/ustack_file.h"
#include "vm/arena.h"
#include "vm/env.h"
#include "vm/global.h"
#include "vm/native.h"
#include "vm/task_fields.h"
#include "vm/vm.h"

int ktap_env_init(struct ktap_env *env, struct ktap_program *prog, size_t max_memory,
		  void (*low)(struct ktap_heap *heap))
{
	int err = 0, i;

	memset(env, 0, sizeof(*env));
	env->prog = prog;
	env->steady = prog->steady;
	env->jit_always = IS_ENABLED(CONFIG_KTAP_JIT_ALWAYS);
	env->max_insns = KTAP_DEFAULT_BUDGET;
	get_random_bytes(env->secret, sizeof(env->secret));
	env->wall_offset = ktime_mono_to_real(0);
	init_llist_head(&env->dead);
	INIT_HLIST_HEAD(&env->sharded);
	for (i = 0; i < KTAP_STRIPE_SETS * KTAP_STRIPES; i++)
		ktap_lock_init(&env->stripes[i / KTAP_STRIPES][i % KTAP_STRIPES].lock);
	ktap_heap_init(&env->heap, max_memory, low);
	err = ktap_self_init(env);
	if (!err)
		err = ktap_speculations_init(env);
	if (!err)
		err = ktap_ustack_files_init(env);
	if (!err && prog->uses & KTAP_USES_TYPES)
		err = ktap_members_init(env);
	if (!err && prog->uses & KTAP_USES_HEAP)
		err = ktap_heap_refill(&env->heap) ?: ktap_globals_init(env);
	if (err)
		ktap_env_destroy(env);
	return err;
}

void ktap_env_destroy(struct ktap_env *env)
{
	ktap_jit_free(env);
	/* Everything else is in the heap. */
	ktap_aggs_destroy(env);
	ktap_self_destroy(env);
	ktap_speculations_destroy(env);
	ktap_members_destroy(env);
	ktap_options_destroy(env);
	ktap_ustack_files_destroy(env);
	ktap_globals_destroy(env);
	ktap_heap_destroy(&env->heap);
}

/* Memory of an activation by level. */
static const struct {
	u32 stack;
	u32 calls;
	u32 arena;
} sizes[KTAP_NR_LEVELS] = {
	[KTAP_LEVEL_TASK ... KTAP_LEVEL_NMI] = {
		KTAP_EVENT_STACK, KTAP_EVENT_CALLS, KTAP_EVENT_ARENA
	},
	[KTAP_LEVEL_PROCESS] = {
		KTAP_PROCESS_STACK, KTAP_PROCESS_CALLS, KTAP_PROCESS_ARENA
	},
};

int ktap_vm_init(struct ktap_vm *vm, struct ktap_env *env, enum ktap_level level)
{
	memset(vm, 0, sizeof(*vm));
	vm->env = env;
	vm->level = level;
	vm->stack_size = sizes[level].stack;
	vm->max_calls = sizes[level].calls;
	ktap_arena_init(&vm->arena, sizes[level].arena);

	vm->stack = kvcalloc(vm->stack_size, sizeof(*vm->stack), KTAP_GFP);
	vm->calls = kvcalloc(vm->max_calls, sizeof(*vm->calls), KTAP_GFP);
	vm->arena.half[0] = kvmalloc(vm->arena.size, KTAP_GFP);
	vm->arena.half[1] = kvmalloc(vm->arena.size, KTAP_GFP);
	if (!vm->stack || !vm->calls || !vm->arena.half[0] || !vm->arena.half[1]) {
		ktap_vm_destroy(vm);
		return -ENOMEM;
	}
	return 0;
}

void ktap_vm_destroy(struct ktap_vm *vm)
{
	kvfree(vm->stack);
	kvfree(vm->calls);
	kvfree(vm->arena.half[0]);
	kvfree(vm->arena.half[1]);
	vm->stack = NULL;
	vm->calls = NULL;
	vm->arena.half[0] = NULL;
	vm->arena.half[1] = NULL;
}
