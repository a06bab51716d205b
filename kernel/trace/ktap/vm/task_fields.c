// SPDX-License-Identifier: GPL-2.0
/*
 * Task fields: self.x in a script.
 */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "data/lock.h"
#include "data/value_slot.h"
#include "vm/arith.h"
#include "vm/ops.h"
#include "vm/task_fields.h"
#include "vm/vm.h"

/**
 * DOC: Task fields
 *
 * A thread that has set a field has a record in the session's heap, with a slot
 * for each field name of the program.  Names are constants, and are numbered
 * when the session starts.  Records are found by the address of the thread, in
 * a hash with one lock for each bucket (data/lock.h).
 *
 * Only the thread itself, and handlers that interrupt it, access its record:
 * the locks are needed only for threads that share a bucket.
 *
 * When a thread exits, its record is freed (follow.c); a new thread may get its
 * address.  Until then, events in the exiting thread can still read and change
 * its fields, but cannot create a record, because it would never be freed.
 *
 * A record whose fields are all nil is kept, as most threads set a field again
 * and again.  If its bucket is full, it is freed to make room for another one.
 */

/**
 * struct self_record - the fields of a thread
 * @next: next record of the bucket
 * @thread: &ktap_thread.id
 * @used: number of @fields that are not nil
 * @fields: slots
 */
struct self_record {
	struct self_record *next;
	const void *thread;
	u32 used;
	struct ktap_value fields[];
};

static_assert(offsetof(struct self_record, fields) +
	      KTAP_SELF_FIELDS * sizeof(struct ktap_value) <= KTAP_HEAP_MAX_ALLOC);

struct self_bucket {
	struct ktap_lock lock;
	u32 n;
	struct self_record *first;
};

/**
 * struct ktap_self - the fields of all threads
 * @buckets: the hash
 * @nfields: number of fields in a record
 * @field: number of the field, by string constant
 */
struct ktap_self {
	struct self_bucket buckets[KTAP_SELF_BUCKETS];
	u32 nfields;
	u32 field[];
};

static bool task_field_is_accessed_by(u8 op)
{
	return op == KTAP_OP_GETSELF || op == KTAP_OP_SETSELF || op == KTAP_OP_ADDSELF;
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

static size_t task_field_record_size(const struct ktap_self *self)
{
	return struct_size_t(struct self_record, fields, self->nfields);
}

int ktap_self_init(struct ktap_env *env)
{
	const struct ktap_program *prog = env->prog;
	struct ktap_self *self;
	u32 i;

	if (!(prog->uses & KTAP_USES_SELF))
		return 0;
	self = kvzalloc(struct_size(self, field, prog->nstrings), KTAP_GFP);
	if (!self)
		return -ENOMEM;
	for (i = 0; i < KTAP_SELF_BUCKETS; i++)
		ktap_lock_init(&self->buckets[i].lock);
	task_field_number_fields(self, prog);
	env->self = self;
	return self->nfields > KTAP_SELF_FIELDS ? -E2BIG : 0;
}

void ktap_self_destroy(struct ktap_env *env)
{
	/* Records are in the heap. */
	kvfree(env->self);
	env->self = NULL;
}

static struct self_bucket *task_field_bucket_of(struct ktap_self *self, const void *thread)
{
	return &self->buckets[hash_ptr(thread, ilog2(KTAP_SELF_BUCKETS))];
}

/* Return the link to the record of @thread, or to NULL. */
static struct self_record **task_field_find(struct self_bucket *bucket, const void *thread)
{
	struct self_record **link = &bucket->first;

	ktap_assert_held(&bucket->lock);
	while (*link && (*link)->thread != thread)
		link = &(*link)->next;
	return link;
}

/* Unlink and free a record and the values of its fields. */
static void task_field_remove_record(struct ktap_env *env, struct self_bucket *bucket,
				     struct self_record **link)
{
	struct self_record *rec = *link;
	u32 i;

	ktap_assert_held(&bucket->lock);
	*link = rec->next;
	bucket->n--;
	for (i = 0; i < env->self->nfields && rec->used; i++) {
		rec->used -= rec->fields[i].tag != KTAP_NIL;
		ktap_slot_replace(env, &rec->fields[i], &KTAP_VALUE_NIL);
	}
	ktap_heap_free_nested(&env->heap, rec, task_field_record_size(env->self));
}

/* Make room for one more record.  Returns false if the bucket is full. */
static bool task_field_make_room(struct ktap_env *env, struct self_bucket *bucket)
{
	struct self_record **link;

	if (bucket->n < KTAP_SELF_CHAIN)
		return true;
	for (link = &bucket->first; *link; link = &(*link)->next) {
		if (!(*link)->used) {
			task_field_remove_record(env, bucket, link);
			return true;
		}
	}
	return false;
}

void ktap_self_end(struct ktap_env *env, const void *id)
{
	struct self_bucket *bucket = task_field_bucket_of(env->self, id);
	struct self_record **link;
	unsigned long flags;

	if (!ktap_lock(&bucket->lock, &flags)) {
		ktap_count_busy(env);
		return;
	}
	link = task_field_find(bucket, id);
	if (*link)
		task_field_remove_record(env, bucket, link);
	ktap_unlock(&bucket->lock, flags);
}

int ktap_self_read(struct ktap_vm *vm, struct ktap_thread thread, u32 string,
		   struct ktap_value *v)
{
	struct ktap_self *self = vm->env->self;
	struct self_bucket *bucket = task_field_bucket_of(self, thread.id);
	struct self_record *rec;
	struct ktap_value copy;
	unsigned long flags;
	void *mem = NULL;
	u32 room = 0;
	bool done;

	for (;;) {
		copy = KTAP_VALUE_NIL;
		if (!ktap_lock(&bucket->lock, &flags)) {
			ktap_count_busy(vm->env);
			break;
		}
		rec = *task_field_find(bucket, thread.id);
		done = !rec || ktap_slot_copy(&copy, &rec->fields[self->field[string]], mem, room);
		ktap_unlock(&bucket->lock, flags);
		if (done)
			break;
		mem = ktap_slot_make_room(vm, &room, copy.len);
		if (!mem)
			return vm->error;
	}
	*v = copy;
	return 0;
}

enum task_field_outcome {
	DONE,
	NO_RECORD,	/* the thread has no record; the caller must allocate one */
	FULL,
	NO_SUM,		/* the field holds no number */
};

static enum task_field_outcome task_field_write_field(struct self_record *rec, u32 field,
						      struct ktap_env *env, struct ktap_value *v,
						      bool add)
{
	struct ktap_value *slot = &rec->fields[field];
	bool done = true;

	rec->used -= slot->tag != KTAP_NIL;
	if (add)
		done = ktap_slot_add(slot, v->i);
	else
		ktap_slot_replace(env, slot, v);
	rec->used += slot->tag != KTAP_NIL;
	if (done)
		return DONE;
	v->tag = slot->tag;
	return NO_SUM;
}

/* Use *@new, and set it to NULL, if the thread needs a record. */
static enum task_field_outcome
task_field_update_locked(struct ktap_env *env, struct self_bucket *bucket, const void *thread,
			 u32 field, struct ktap_value *v, bool add, struct self_record **new)
{
	struct self_record *rec = *task_field_find(bucket, thread);

	if (!rec && v->tag == KTAP_NIL)
		return DONE;
	if (!rec) {
		if (!task_field_make_room(env, bucket))
			return FULL;
		if (!*new)
			return NO_RECORD;
		rec = *new;
		*new = NULL;
		rec->next = bucket->first;
		bucket->first = rec;
		bucket->n++;
	}
	return task_field_write_field(rec, field, env, v, add);
}

static struct self_record *task_field_new_record(struct ktap_vm *vm, const void *thread)
{
	struct self_record *rec = ktap_slot_alloc(vm, task_field_record_size(vm->env->self));

	if (!rec)
		return NULL;
	memset(rec, 0, task_field_record_size(vm->env->self));
	rec->thread = thread;
	return rec;
}

int ktap_self_write(struct ktap_vm *vm, struct ktap_thread thread, u32 string,
		    struct ktap_value *owned, bool add)
{
	struct ktap_self *self = vm->env->self;
	struct self_bucket *bucket = task_field_bucket_of(self, thread.id);
	u32 field = self->field[string];
	enum task_field_outcome outcome = FULL;
	struct self_record *new = NULL;
	unsigned long flags;
	int err = 0;

	for (;;) {
		if (!ktap_lock(&bucket->lock, &flags)) {
			ktap_count_busy(vm->env);
			break;
		}
		outcome = task_field_update_locked(vm->env, bucket, thread.id, field, owned, add,
						   &new);
		ktap_unlock(&bucket->lock, flags);
		if (outcome == FULL)
			atomic_long_inc(&vm->env->counters.full_threads);
		if (outcome != NO_RECORD || thread.ends)
			break;
		/* Charge for clearing the record. */
		err = ktap_vm_charge(vm, self->nfields / 64);
		if (!err)
			new = task_field_new_record(vm, thread.id);
		if (!new)
			break;
	}
	if (new)
		ktap_heap_free(&vm->env->heap, new, task_field_record_size(self));
	if (outcome == NO_SUM)
		return ktap_bad_operand(vm, owned);
	if (outcome != DONE)
		ktap_slot_discard(vm, owned);
	return err;
}

int ktap_self_get(struct ktap_vm *vm, u32 string, struct ktap_value *v)
{
	return ktap_self_read(vm, ktap_current_thread(), string, v);
}

int ktap_self_set(struct ktap_vm *vm, u32 string, struct ktap_value *v)
{
	struct ktap_value owned;
	int ret;

	ret = ktap_slot_prepare(vm, v, &owned);
	if (ret <= 0)
		return ret;
	return ktap_self_write(vm, ktap_current_thread(), string, &owned, false);
}

int ktap_self_add(struct ktap_vm *vm, u32 string, const struct ktap_value *n)
{
	struct ktap_value owned;
	int err;

	err = ktap_want_addend(vm, n);
	if (err)
		return err;
	owned = KTAP_VALUE_INT(n->tag == KTAP_INT ? n->i : 0);
	return ktap_self_write(vm, ktap_current_thread(), string, &owned, true);
}
