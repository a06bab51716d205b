// SPDX-License-Identifier: GPL-2.0
/*
 * self: fields of the current thread.
 */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "arith.h"
#include "lock.h"
#include "ops.h"
#include "self.h"
#include "slot.h"

/**
 * DOC: Fields of threads
 *
 * A thread that has set a field has a record in the session's heap, with a slot
 * for each name that the program knows: names are constants, and get their
 * number when the session is made.  Records are found by the address of the
 * thread, in a hash whose buckets have a lock each (see lock.h).
 *
 * Nobody but the thread itself, and what interrupts it, ever looks at its
 * record: the locks are there for the threads that share a bucket.
 *
 * When a thread exits, its record is freed (thread.c); the next one may get its
 * address.  What happens in an exiting thread may still read and change the
 * fields it has, until that moment, but gets no new record: there is nothing
 * that would free it.
 *
 * A record whose fields are all nil stays with its thread, as most set a field
 * again and again.  Where a bucket is full it makes room for another one.
 */

/**
 * struct self_record - the fields of a thread
 * @next: next one of the bucket
 * @thread: &ktap_thread.id
 * @used: how many of @fields are not nil
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
 * @nfields: fields of a record
 * @field: number of the field, by string constant
 */
struct ktap_self {
	struct self_bucket buckets[KTAP_SELF_BUCKETS];
	u32 nfields;
	u32 field[];
};

static bool is_about_self(u8 op)
{
	return op == KTAP_OP_GETSELF || op == KTAP_OP_SETSELF || op == KTAP_OP_ADDSELF;
}

static void number_fields(struct ktap_self *self, const struct ktap_program *prog)
{
	const struct ktap_code *insn;
	u32 i;

	memset(self->field, 0xff, prog->nstrings * sizeof(*self->field));
	for (i = 0; i < prog->ninsns; i++) {
		insn = &prog->code[i];
		if (is_about_self(insn->op) && self->field[insn->d] == KTAP_NONE)
			self->field[insn->d] = self->nfields++;
	}
}

static size_t record_size(const struct ktap_self *self)
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
	number_fields(self, prog);
	env->self = self;
	return self->nfields > KTAP_SELF_FIELDS ? -E2BIG : 0;
}

void ktap_self_destroy(struct ktap_env *env)
{
	/* Records lie in the heap. */
	kvfree(env->self);
	env->self = NULL;
}

static struct self_bucket *bucket_of(struct ktap_self *self, const void *thread)
{
	return &self->buckets[hash_ptr(thread, ilog2(KTAP_SELF_BUCKETS))];
}

/* The link to the record of a thread, or to NULL.  The lock is held. */
static struct self_record **find(struct self_bucket *bucket, const void *thread)
{
	struct self_record **link = &bucket->first;

	while (*link && (*link)->thread != thread)
		link = &(*link)->next;
	return link;
}

/* Takes it off and frees it, with what its fields hold. */
static void remove_record(struct ktap_env *env, struct self_bucket *bucket,
			  struct self_record **link)
{
	struct self_record *rec = *link;
	u32 i;

	*link = rec->next;
	bucket->n--;
	for (i = 0; i < env->self->nfields && rec->used; i++) {
		rec->used -= rec->fields[i].tag != KTAP_NIL;
		ktap_slot_replace(env, &rec->fields[i], &KTAP_VALUE_NIL);
	}
	ktap_heap_free_nested(&env->heap, rec, record_size(env->self));
}

/* Sees to it that there is room for a record more; false: there is none. */
static bool make_room(struct ktap_env *env, struct self_bucket *bucket)
{
	struct self_record **link;

	if (bucket->n < KTAP_SELF_CHAIN)
		return true;
	for (link = &bucket->first; *link; link = &(*link)->next) {
		if (!(*link)->used) {
			remove_record(env, bucket, link);
			return true;
		}
	}
	return false;
}

void ktap_self_end(struct ktap_env *env, const void *id)
{
	struct self_bucket *bucket = bucket_of(env->self, id);
	struct self_record **link;
	unsigned long flags;

	if (!ktap_lock(&bucket->lock, &flags)) {
		ktap_count_busy(env);
		return;
	}
	link = find(bucket, id);
	if (*link)
		remove_record(env, bucket, link);
	ktap_unlock(&bucket->lock, flags);
}

int ktap_self_read(struct ktap_vm *vm, struct ktap_thread thread, u32 string,
		   struct ktap_value *v)
{
	struct ktap_self *self = vm->env->self;
	struct self_bucket *bucket = bucket_of(self, thread.id);
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
		rec = *find(bucket, thread.id);
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

/* What became of an update. */
enum outcome {
	DONE,
	NO_RECORD,	/* the thread has none, and no new one was given */
	FULL,
	NO_SUM,
};

static enum outcome write_field(struct self_record *rec, u32 field, struct ktap_env *env,
				struct ktap_value *v, bool add)
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

/* Takes *@new, if it needs it. */
static enum outcome update_locked(struct ktap_env *env, struct self_bucket *bucket,
				  const void *thread, u32 field, struct ktap_value *v, bool add,
				  struct self_record **new)
{
	struct self_record *rec = *find(bucket, thread);

	if (!rec && v->tag == KTAP_NIL)
		return DONE;
	if (!rec) {
		if (!make_room(env, bucket))
			return FULL;
		if (!*new)
			return NO_RECORD;
		rec = *new;
		*new = NULL;
		rec->next = bucket->first;
		bucket->first = rec;
		bucket->n++;
	}
	return write_field(rec, field, env, v, add);
}

static struct self_record *new_record(struct ktap_vm *vm, const void *thread)
{
	struct self_record *rec = ktap_slot_alloc(vm, record_size(vm->env->self));

	if (!rec)
		return NULL;
	memset(rec, 0, record_size(vm->env->self));
	rec->thread = thread;
	return rec;
}

int ktap_self_write(struct ktap_vm *vm, struct ktap_thread thread, u32 string,
		    struct ktap_value *owned, bool add)
{
	struct ktap_self *self = vm->env->self;
	struct self_bucket *bucket = bucket_of(self, thread.id);
	u32 field = self->field[string];
	enum outcome outcome = FULL;
	struct self_record *new = NULL;
	unsigned long flags;
	int err = 0;

	for (;;) {
		if (!ktap_lock(&bucket->lock, &flags)) {
			ktap_count_busy(vm->env);
			break;
		}
		outcome = update_locked(vm->env, bucket, thread.id, field, owned, add, &new);
		ktap_unlock(&bucket->lock, flags);
		if (outcome == FULL)
			atomic_long_inc(&vm->env->counters.full_threads);
		if (outcome != NO_RECORD || thread.ends)
			break;
		/* All of it is cleared. */
		err = ktap_vm_charge(vm, self->nfields / 64);
		if (!err)
			new = new_record(vm, thread.id);
		if (!new)
			break;
	}
	if (new)
		ktap_heap_free(&vm->env->heap, new, record_size(self));
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
