// SPDX-License-Identifier: GPL-2.0
/*
 * Task fields: self.x in a script.
 */
#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "data/lock.h"
#include "data/value_slot.h"
#include "vm/arith.h"
#include "vm/opcode.h"
#include "vm/ops.h"
#include "vm/task_fields.h"
#include "vm/vm.h"

/**
 * DOC: Task fields
 *
 * A thread that has set a field has an array of slots in the session's heap, one
 * for each field name of the program.  Names are constants, and are numbered
 * when the session starts.  A hash leads from the address of the thread to a
 * &struct self_thread, which refers to the array.
 *
 * Only the thread itself, and handlers that interrupt it, access its array and its
 * &struct self_thread.  So there is no lock: a writer disables interrupts and raises
 * the counter of locks (ktap_lock_cpu()), which keeps NMIs away.  A reader of a value
 * that is no blob does neither: it finds &self_thread.seq changed if an interrupt
 * has written.  Nor does a writer of a field that only gets integers and nil
 * (load/rewrite.c), which looks for that, too, before its last store.  No other CPU
 * takes part in this: compiler barriers are enough.
 *
 * Threads share the chain of a bucket.  A &struct self_thread never leaves its chain:
 * if it belongs to no thread, @thread is NULL, and the next thread without one
 * claims it by cmpxchg().  So a search needs no lock either, and what it finds for the
 * current thread is the current thread's.
 *
 * When a thread exits, its array is freed (follow.c); a new thread may get its
 * address.  Until then, events in the exiting thread can still read and change
 * its fields, but cannot create an array, because it would never be freed.
 *
 * A thread whose fields are all nil keeps its array, as most threads set a field again
 * and again.  But only the first KTAP_SELF_KEPT of a chain are kept like that; the other
 * ones are given up, so that idle threads do not fill a chain.
 */

/**
 * struct self_thread - the fields of a thread
 * @next: next one of the bucket
 * @thread: &ktap_thread.id; NULL: free to be claimed; or the address of this structure:
 *	@fields are changing owners
 * @fields: slots, all nil if @thread is NULL.  May be NULL then
 * @seq: changes when a field is written; odd while interrupts are disabled for that, or
 *	always if @thread does not keep this until it exits.  While it is odd, a reader
 *	has to disable interrupts
 */
struct self_thread {
	struct self_thread *next;
	const void *thread;
	struct ktap_value *fields;
	u32 seq;
};

static_assert(KTAP_SELF_FIELDS * sizeof(struct ktap_value) <= KTAP_HEAP_MAX_ALLOC);

/**
 * struct ktap_self - the fields of all threads
 * @buckets: the hash: the first one of each chain
 * @nfields: number of fields of a thread
 * @field: number of the field, by string constant
 */
struct ktap_self {
	struct self_thread buckets[KTAP_SELF_BUCKETS];
	u32 nfields;
	u32 field[];
};

static bool task_field_is_accessed_by(u8 op)
{
	return op == KTAP_OP_GETSELF || op == KTAP_OP_SETSELF || op == KTAP_OP_SETSELFN ||
	       op == KTAP_OP_ADDSELF;
}

static void task_field_number_fields(struct ktap_self *self, const struct ktap_program *prog)
{
	const struct ktap_code *insn;
	u32 i;

	memset(self->field, 0xff, prog->nstrings * sizeof(*self->field));
	for (i = 0; i < prog->ninsns; i++) {
		insn = &prog->code[i];
		if (task_field_is_accessed_by(insn->op) && self->field[insn->d] == KTAP_NONE)
			self->field[insn->d] = self->nfields++;
	}
}

int ktap_self_init(struct ktap_env *env)
{
	const struct ktap_program *prog = env->prog;
	struct ktap_self *self;

	if (!(prog->uses & KTAP_USES_SELF))
		return 0;
	self = kvzalloc(struct_size(self, field, prog->nstrings), KTAP_GFP);
	if (!self)
		return -ENOMEM;
	task_field_number_fields(self, prog);
	env->self = self;
	return self->nfields > KTAP_SELF_FIELDS ? -E2BIG : 0;
}

void ktap_self_destroy(struct ktap_env *env)
{
	/* The rest is in the heap. */
	kvfree(env->self);
	env->self = NULL;
}

static __always_inline struct self_thread *task_field_bucket_of(struct ktap_self *self,
								const void *thread)
{
	return &self->buckets[hash_ptr(thread, ilog2(KTAP_SELF_BUCKETS))];
}

/* Return NULL if the thread has no fields. */
static __always_inline struct self_thread *task_field_find(struct ktap_self *self,
							   const void *thread)
{
	struct self_thread *t = task_field_bucket_of(self, thread);

	do {
		if (likely(READ_ONCE(t->thread) == thread))
			break;
		t = READ_ONCE(t->next);
	} while (t);
	return t;
}

static size_t task_field_size(const struct ktap_self *self)
{
	return self->nfields * sizeof(struct ktap_value);
}

/* Begin a write, under ktap_lock_cpu().  Return @seq for task_field_end_write(). */
static __always_inline u32 task_field_begin_write(struct self_thread *t)
{
	u32 seq = t->seq;

	WRITE_ONCE(t->seq, seq | 1);
	barrier();	/* A: a reader that this interrupts finds @seq changed; pairs with B */
	return seq;
}

static __always_inline void task_field_end_write(struct self_thread *t, u32 seq)
{
	barrier();
	WRITE_ONCE(t->seq, seq & 1 ? seq : seq + 2);
}

/* Can a slot take the value as it is, and drop it again without further work? */
static __always_inline bool task_field_is_plain(const struct ktap_value *v)
{
	return v->tag < KTAP_TABLE;
}

/* Let the next thread claim @t. */
static void task_field_release(struct self_thread *t)
{
	ktap_assert_locked();
	/* C: the next owner finds all fields nil; pairs with the cmpxchg() of a claim */
	smp_store_release(&t->thread, NULL);
}

void ktap_self_end(struct ktap_env *env, const void *id)
{
	struct self_thread *t;
	unsigned long flags;
	u32 i;

	if (!ktap_lock_cpu(&flags)) {
		ktap_count_busy(env);
		return;
	}
	t = task_field_find(env->self, id);
	if (t) {
		WRITE_ONCE(t->thread, t);
		for (i = 0; i < env->self->nfields; i++) {
			if (t->fields[i].tag != KTAP_NIL)
				ktap_slot_replace(env, &t->fields[i], &KTAP_VALUE_NIL);
		}
		ktap_heap_free_nested(&env->heap, t->fields, task_field_size(env->self));
		t->fields = NULL;
		task_field_release(t);
	}
	ktap_unlock_cpu(flags);
}

/* Return false if the value is a blob, or changes, or if it may only be read with a lock. */
static __always_inline bool task_field_read_quickly(struct ktap_self *self, const void *thread,
						    u32 field, struct ktap_value *v)
{
	struct self_thread *t = task_field_find(self, thread);
	const struct ktap_value *slot;
	struct ktap_value copy;
	u32 seq;

	if (!t) {
		*v = KTAP_VALUE_NIL;
		return true;
	}
	seq = READ_ONCE(t->seq);
	if (unlikely(seq & 1))
		return false;
	barrier();	/* A handler that interrupts this changes fields after their seq. */
	slot = &t->fields[field];
	if (unlikely(ktap_is_blob(slot)))
		return false;
	copy = *slot;
	barrier();	/* B: pairs with A */
	if (unlikely(READ_ONCE(t->seq) != seq))
		return false;
	*v = copy;
	return true;
}

static noinline int task_field_read_slowly(struct ktap_vm *vm, const void *thread, u32 string,
					   struct ktap_value *v)
{
	struct ktap_self *self = vm->env->self;
	struct self_thread *t;
	struct ktap_value copy;
	unsigned long flags;
	void *mem = NULL;
	u32 room = 0;
	bool done;

	for (;;) {
		copy = KTAP_VALUE_NIL;
		if (!ktap_lock_cpu(&flags)) {
			ktap_count_busy(vm->env);
			break;
		}
		t = task_field_find(self, thread);
		done = !t || ktap_slot_copy(&copy, &t->fields[self->field[string]], mem, room);
		ktap_unlock_cpu(flags);
		if (done)
			break;
		mem = ktap_slot_make_room(vm, &room, copy.len);
		if (!mem)
			return vm->error;
	}
	*v = copy;
	return 0;
}

/*
 * Write a value that owns nothing over another one, or add an integer.  Return false if
 * there is more to do.
 */
static __always_inline bool task_field_write_quickly(struct ktap_self *self, const void *thread,
						     u32 string, const struct ktap_value *v,
						     bool add)
{
	struct self_thread *t;
	struct ktap_value *slot;
	unsigned long flags;
	bool done = false;
	u32 seq;

	if (!ktap_lock_cpu(&flags))
		return false;
	t = task_field_find(self, thread);
	if (unlikely(!t)) {
		done = !add && v->tag == KTAP_NIL;
	} else if (likely(!(t->seq & 1))) {
		slot = &t->fields[self->field[string]];
		done = add ? ktap_is_number(slot) :
			     task_field_is_plain(slot) && task_field_is_plain(v);
		if (likely(done)) {
			seq = task_field_begin_write(t);
			*slot = add ? KTAP_VALUE_INT((u64)ktap_number(slot) + v->u) : *v;
			task_field_end_write(t, seq);
		}
	}
	ktap_unlock_cpu(flags);
	return done;
}

enum task_field_outcome {
	DONE,
	NO_FIELDS,	/* the thread has none; the caller must allocate some, */
	NO_THREAD,	/* or a struct self_thread */
	FULL,
	NO_SUM,		/* the field holds no number */
};

/* Memory for a thread; NULL once used */
struct task_field_new {
	struct ktap_value *fields;
	struct self_thread *thread;
};

/* Make @t, whose &self_thread.thread is @t, the one of @thread. */
static enum task_field_outcome task_field_own(struct self_thread *t, const void *thread,
					      struct task_field_new *new)
{
	if (!t->fields) {
		t->fields = new->fields;
		new->fields = NULL;
	}
	barrier();	/* A handler that interrupts this finds no thread, or its fields. */
	WRITE_ONCE(t->thread, thread);
	return DONE;
}

static enum task_field_outcome task_field_claim(struct ktap_self *self, const void *thread,
						struct task_field_new *new)
{
	struct self_thread *first = task_field_bucket_of(self, thread), *t, *next;
	u32 n = 0;

	ktap_assert_locked();
	for (t = first; t; t = READ_ONCE(t->next), n++) {
		if (READ_ONCE(t->thread))
			continue;
		if (!new->fields)
			return NO_FIELDS;
		if (!cmpxchg(&t->thread, NULL, t))
			return task_field_own(t, thread, new);
	}
	if (n >= KTAP_SELF_CHAIN)
		return FULL;
	if (!new->fields)
		return NO_FIELDS;
	if (!new->thread)
		return NO_THREAD;
	t = new->thread;
	new->thread = NULL;
	*t = (struct self_thread){ .thread = t, .seq = n >= KTAP_SELF_KEPT };
	do {
		next = READ_ONCE(first->next);
		t->next = next;
	} while (cmpxchg(&first->next, next, t) != next);
	return task_field_own(t, thread, new);
}

static bool task_field_none_is_set(const struct ktap_self *self, const struct self_thread *t)
{
	u32 i;

	for (i = 0; i < self->nfields; i++) {
		if (t->fields[i].tag != KTAP_NIL)
			return false;
	}
	return true;
}

/* Take @t, without a field that is set, from its thread.  The next one gets its array. */
static void task_field_give_up(const struct ktap_self *self, struct self_thread *t)
{
	WRITE_ONCE(t->thread, t);
	/* A nil may stand for a lost object. */
	memset(t->fields, 0, task_field_size(self));
	task_field_release(t);
}

static enum task_field_outcome
task_field_update_locked(struct ktap_env *env, const void *thread, u32 field,
			 struct ktap_value *v, bool add, struct task_field_new *new)
{
	struct self_thread *t = task_field_find(env->self, thread);
	enum task_field_outcome outcome = DONE;
	struct ktap_value *slot;
	u32 seq;

	if (!t && v->tag == KTAP_NIL)
		return DONE;
	if (!t) {
		outcome = task_field_claim(env->self, thread, new);
		if (outcome != DONE)
			return outcome;
		t = task_field_find(env->self, thread);
	}
	slot = &t->fields[field];
	seq = task_field_begin_write(t);
	if (!add)
		ktap_slot_replace(env, slot, v);
	else if (!ktap_slot_add(slot, v->i))
		outcome = NO_SUM;
	task_field_end_write(t, seq);
	if (outcome == NO_SUM)
		v->tag = slot->tag;
	else if (seq & 1 && v->tag == KTAP_NIL && task_field_none_is_set(env->self, t))
		task_field_give_up(env->self, t);
	return outcome;
}

/* Allocate what @outcome says.  Return an error, or 0, even without memory (counted). */
static int task_field_alloc(struct ktap_vm *vm, enum task_field_outcome outcome,
			    struct task_field_new *new)
{
	struct ktap_self *self = vm->env->self;
	int err;

	if (outcome == NO_THREAD) {
		new->thread = ktap_slot_alloc(vm, sizeof(*new->thread));
		return 0;
	}
	/* Charge for clearing the fields. */
	err = ktap_vm_charge(vm, self->nfields / 64);
	if (err)
		return err;
	new->fields = ktap_slot_alloc(vm, task_field_size(self));
	if (new->fields)
		memset(new->fields, 0, task_field_size(self));
	return 0;
}

static noinline int task_field_write_slowly(struct ktap_vm *vm, struct ktap_thread thread,
					    u32 string, struct ktap_value *owned, bool add)
{
	struct ktap_heap *heap = &vm->env->heap;
	struct ktap_self *self = vm->env->self;
	enum task_field_outcome outcome = FULL;
	struct task_field_new new = { };
	unsigned long flags;
	int err = 0;

	/* Charge for the search for a field that is set, and for clearing all. */
	if (owned->tag == KTAP_NIL)
		err = ktap_vm_charge(vm, self->nfields / 64);
	if (err)
		return err;
	for (;;) {
		if (!ktap_lock_cpu(&flags)) {
			ktap_count_busy(vm->env);
			break;
		}
		outcome = task_field_update_locked(vm->env, thread.id, self->field[string], owned,
						   add, &new);
		ktap_unlock_cpu(flags);
		if (outcome == FULL)
			atomic_long_inc(&vm->env->counters.full_threads);
		if ((outcome != NO_FIELDS && outcome != NO_THREAD) || thread.ends)
			break;
		err = task_field_alloc(vm, outcome, &new);
		if (err || !(outcome == NO_FIELDS ? (void *)new.fields : new.thread))
			break;
	}
	if (new.fields)
		ktap_heap_free(heap, new.fields, task_field_size(self));
	if (new.thread)
		ktap_heap_free(heap, new.thread, sizeof(*new.thread));
	if (outcome == NO_SUM)
		return ktap_bad_operand(vm, owned);
	if (outcome != DONE)
		ktap_slot_discard(vm, owned);
	return err;
}

int ktap_self_read(struct ktap_vm *vm, struct ktap_thread thread, u32 string,
		   struct ktap_value *v)
{
	struct ktap_self *self = vm->env->self;

	if (task_field_read_quickly(self, thread.id, self->field[string], v))
		return 0;
	return task_field_read_slowly(vm, thread.id, string, v);
}

int ktap_self_write(struct ktap_vm *vm, struct ktap_thread thread, u32 string,
		    struct ktap_value *owned, bool add)
{
	if (task_field_write_quickly(vm->env->self, thread.id, string, owned, add))
		return 0;
	return task_field_write_slowly(vm, thread, string, owned, add);
}

int ktap_self_get(struct ktap_vm *vm, u32 string, struct ktap_value *v)
{
	struct ktap_self *self = vm->env->self;

	if (likely(task_field_read_quickly(self, current, self->field[string], v)))
		return 0;
	return task_field_read_slowly(vm, current, string, v);
}

static noinline int task_field_set_slowly(struct ktap_vm *vm, u32 string, struct ktap_value *v)
{
	struct ktap_value owned;
	int ret;

	ret = ktap_slot_prepare(vm, v, &owned);
	if (ret <= 0)
		return ret;
	return task_field_write_slowly(vm, ktap_current_thread(), string, &owned, false);
}

/*
 * Set a field that only gets integers and nil, which own nothing.  Only handlers that interrupt
 * this do the same meanwhile.  Return false, before the field has another value, if one has.
 */
static __always_inline bool task_field_set_number(struct ktap_self *self, u32 field,
						  struct ktap_value v)
{
	struct self_thread *t = task_field_find(self, current);
	struct ktap_value *slot;
	u32 seq;

	if (unlikely(!t))
		return v.tag == KTAP_NIL;
	seq = READ_ONCE(t->seq);
	if (unlikely(seq & 1))
		return false;
	barrier();	/* as in task_field_read_quickly() */
	slot = &t->fields[field];
	if (v.tag == KTAP_INT)
		WRITE_ONCE(slot->i, v.i);
	barrier();	/* A handler that interrupts this finds nil, or an integer that was set. */
	if (unlikely(READ_ONCE(t->seq) != seq))
		return false;
	ktap_copy_tag(slot, &v);
	WRITE_ONCE(t->seq, seq + 2);
	return true;
}

int ktap_self_set_number(struct ktap_vm *vm, u32 string, struct ktap_value *v)
{
	struct ktap_self *self = vm->env->self;

	if (likely(task_field_set_number(self, self->field[string], *v)))
		return 0;
	return ktap_self_set(vm, string, v);
}

u32 ktap_self_field(const struct ktap_env *env, u32 string)
{
	return env->self->field[string];
}

int ktap_self_get_quickly(struct ktap_self *self, u32 field, struct ktap_value *v)
{
	return task_field_read_quickly(self, current, field, v);
}

int ktap_self_set_int(struct ktap_self *self, u32 field, s64 n)
{
	return task_field_set_number(self, field, KTAP_VALUE_INT(n));
}

int ktap_self_set(struct ktap_vm *vm, u32 string, struct ktap_value *v)
{
	if (likely(task_field_write_quickly(vm->env->self, current, string, v, false)))
		return 0;
	return task_field_set_slowly(vm, string, v);
}

static noinline int task_field_add_slowly(struct ktap_vm *vm, u32 string,
					  const struct ktap_value *n)
{
	struct ktap_value owned;
	int err;

	err = ktap_want_addend(vm, n);
	if (err)
		return err;
	owned = KTAP_VALUE_INT(ktap_number(n));
	return task_field_write_slowly(vm, ktap_current_thread(), string, &owned, true);
}

int ktap_self_add(struct ktap_vm *vm, u32 string, const struct ktap_value *n)
{
	if (likely(n->tag == KTAP_INT &&
		   task_field_write_quickly(vm->env->self, current, string, n, true)))
		return 0;
	return task_field_add_slowly(vm, string, n);
}
