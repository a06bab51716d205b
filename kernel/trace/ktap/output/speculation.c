// SPDX-License-Identifier: GPL-2.0
/*
 * Speculations: output that is held back until the script has decided.
 */
#include <linux/align.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "data/lock.h"
#include "output/json.h"
#include "output/record.h"
#include "output/speculation.h"
#include "vm/builtin.h"
#include "vm/env.h"
#include "vm/output_ops.h"

/**
 * DOC: Speculations
 *
 * A session has KTAP_SPECULATIONS of them, each with its own memory.  The states are::
 *
 *   FREE -> OPEN        speculation()
 *   OPEN -> COMMITTING  commit(): its records are output one by one, without the lock
 *   OPEN -> FREE        discard()
 *   COMMITTING -> FREE  all records were output
 *
 * All fields are changed under the lock of the speculation (see lock.h).  It is also held
 * while a record is written to the speculation: any CPU and any context may write, and
 * commit() finds complete records only.  While the state is COMMITTING, the memory belongs
 * to the run that commits; output of other runs to this speculation is dropped and
 * counted.
 *
 * The number that a script gets has the index in its lower bits, and in its upper bits how
 * often that speculation was used: so a later speculation never has the same number.
 *
 * The records have the format of the ring buffer.  They get their room in it, and their
 * time, when they are committed: the reader does not handle speculations.
 */

enum speculation_state {
	FREE,
	OPEN,
	COMMITTING,
};

/**
 * struct speculation - a speculation
 * @lock: protects the other fields
 * @state: enum speculation_state
 * @id: its number; while it is FREE, its last number
 * @used: bytes of @data that hold records
 * @nrecords: number of records
 * @data: memory
 */
struct speculation {
	struct ktap_lock lock;
	enum speculation_state state;
	s64 id;
	u32 used;
	u32 nrecords;
	char *data;
};

/**
 * struct ktap_speculations - the speculations of a session
 * @size: bytes of each
 * @one: the speculations
 */
struct ktap_speculations {
	u32 size;
	struct speculation one[KTAP_SPECULATIONS];
};

/* &ktap_vm.speculation: the run speculates, but the output is dropped. */
#define NOWHERE		(-1)

static_assert(!(KTAP_SPECULATIONS & (KTAP_SPECULATIONS - 1)));

/* In process context, text that is held back is cut to records of this size. */
#define SPECULATION_PIECE		2048

int ktap_speculations_init(struct ktap_env *env)
{
	struct ktap_speculations *all;
	size_t size;
	char *data;
	int i;

	if (!(env->prog->uses & KTAP_USES_SPECULATION))
		return 0;
	size = clamp_t(size_t, env->heap.max / 1024, KTAP_SPECULATION_MIN, KTAP_SPECULATION_MAX);
	size = ALIGN(size, 8);
	if (!ktap_heap_charge(&env->heap, KTAP_SPECULATIONS * size))
		return -ENOMEM;
	/* Never uncharged: the heap is freed with the session, too. */
	all = kvzalloc(sizeof(*all) + KTAP_SPECULATIONS * size, KTAP_GFP);
	if (!all)
		return -ENOMEM;
	all->size = size;
	data = (char *)(all + 1);
	for (i = 0; i < KTAP_SPECULATIONS; i++) {
		ktap_lock_init(&all->one[i].lock);
		all->one[i].id = i + 1 - KTAP_SPECULATIONS;
		all->one[i].data = data + i * size;
	}
	env->speculations = all;
	return 0;
}

void ktap_speculations_destroy(struct ktap_env *env)
{
	kvfree(env->speculations);
	env->speculations = NULL;
}

unsigned int ktap_speculations_open(struct ktap_env *env)
{
	unsigned int i, n = 0;

	for (i = 0; env->speculations && i < KTAP_SPECULATIONS; i++)
		n += READ_ONCE(env->speculations->one[i].state) == OPEN;
	return n;
}

static struct speculation *speculation_place_of(struct ktap_vm *vm, s64 id)
{
	return &vm->env->speculations->one[(id - 1) & (KTAP_SPECULATIONS - 1)];
}

/* Find the open speculation with that number and lock it; NULL if there is none. */
static struct speculation *speculation_lock_open(struct ktap_vm *vm, s64 id, unsigned long *flags)
{
	struct speculation *one;

	if (id <= 0)
		return NULL;
	one = speculation_place_of(vm, id);
	if (!ktap_lock(&one->lock, flags)) {
		atomic_long_inc(&vm->env->counters.nmi_busy);
		return NULL;
	}
	if (one->id == id && one->state == OPEN)
		return one;
	ktap_unlock(&one->lock, *flags);
	return NULL;
}

static s64 speculation_begin(struct ktap_vm *vm, struct speculation *one)
{
	unsigned long flags;
	s64 id = 0;

	if (READ_ONCE(one->state) != FREE || !ktap_lock(&one->lock, &flags))
		return 0;
	if (one->state == FREE) {
		one->id += KTAP_SPECULATIONS;
		id = one->id;
		one->used = 0;
		one->nrecords = 0;
		WRITE_ONCE(one->state, OPEN);
	}
	ktap_unlock(&one->lock, flags);
	return id;
}

int ktap_fn_speculation(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	s64 id = 0;
	int i;

	for (i = 0; i < KTAP_SPECULATIONS && !id; i++)
		id = speculation_begin(vm, &vm->env->speculations->one[i]);
	if (id) {
		r[0] = KTAP_VALUE_INT(id);
		return 0;
	}
	atomic_long_inc(&vm->env->counters.no_speculation);
	r[0] = KTAP_VALUE_NIL;
	return 0;
}

int ktap_fn_speculate(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	vm->speculation = r[0].tag == KTAP_INT && r[0].i > 0 ? r[0].i : NOWHERE;
	r[0] = KTAP_VALUE_NIL;
	return 0;
}

/*
 * Change the state of the open speculation whose number is @v; return NULL if there is none.
 * This run no longer speculates into it.
 */
static struct speculation *speculation_finish(struct ktap_vm *vm, const struct ktap_value *v,
					      enum speculation_state state)
{
	s64 id = v->tag == KTAP_INT ? v->i : 0;
	struct speculation *one;
	unsigned long flags;

	if (id && vm->speculation == id)
		vm->speculation = 0;
	one = speculation_lock_open(vm, id, &flags);
	if (!one)
		return NULL;
	WRITE_ONCE(one->state, state);
	ktap_unlock(&one->lock, flags);
	return one;
}

/* In event context records are copied to the ring buffer. */
static void speculation_copy_record(struct ktap_vm *vm, const struct ktap_record *rec)
{
	void *copy = ktap_out_reserve(vm, rec->len);

	if (!copy)
		return;
	memcpy(copy, rec, rec->len);
	ktap_out_commit(vm, copy);
}

/* Memory for the text of a record, and for the same in JSON */
static size_t speculation_text_size(const struct ktap_env *env)
{
	return KTAP_RECORD_TEXT * (env->json ? 1 + KTAP_JSON_ESCAPE : 1);
}

static int speculation_say_record(struct ktap_vm *vm, const struct ktap_record *rec, char *text)
{
	enum ktap_channel channel = ktap_record_channel(rec);
	struct seq_buf s;

	if (vm->env->json && channel == KTAP_CH_OUTPUT) {
		/* See speculation_text_size(). */
		seq_buf_init(&s, text + KTAP_RECORD_TEXT, KTAP_JSON_ESCAPE * KTAP_RECORD_TEXT);
		ktap_record_json(&s, text, vm->env, rec, rec->len, ktime_get_mono_fast_ns());
	} else {
		seq_buf_init(&s, text, KTAP_RECORD_TEXT);
		ktap_record_format(&s, vm->env, rec, rec->len);
	}
	if (seq_buf_has_overflowed(&s) && vm->env->json) {
		atomic_long_inc(&vm->env->counters.cut_strings);
		return 0;
	}
	return ktap_out_text(vm, channel, s.buffer, seq_buf_used(&s));
}

/*
 * Output all records.  The memory belongs to this run (COMMITTING).  Records that the run
 * cannot output, since it has no budget or no memory, are lost, and counted.
 */
static int speculation_put_out(struct ktap_vm *vm, const struct speculation *one)
{
	const struct ktap_record *rec;
	u32 pos, left = one->nrecords;
	char *text = NULL;
	int err;

	err = ktap_vm_charge(vm, 1 + 2 * one->nrecords);
	if (!err && vm->level == KTAP_LEVEL_PROCESS) {
		text = kvmalloc(speculation_text_size(vm->env), KTAP_GFP);
		if (!text)
			err = ktap_vm_error(vm, -ENOMEM, "no memory for output");
	}
	for (pos = 0; pos < one->used && !err; pos += rec->len) {
		rec = (const struct ktap_record *)(one->data + pos);
		if (text)
			err = speculation_say_record(vm, rec, text);
		else
			speculation_copy_record(vm, rec);
		if (!err)
			left--;
	}
	atomic_long_add(left, &vm->env->counters.speculative);
	kvfree(text);
	return err;
}

int ktap_fn_commit(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	struct speculation *one = speculation_finish(vm, &r[0], COMMITTING);
	unsigned long flags;
	int err;

	r[0] = KTAP_VALUE_NIL;
	if (!one)
		return 0;
	err = speculation_put_out(vm, one);
	/* Cannot fail: speculation_finish() has just taken this lock here. */
	if (!ktap_lock(&one->lock, &flags))
		return err;
	WRITE_ONCE(one->state, FREE);
	ktap_unlock(&one->lock, flags);
	return err;
}

int ktap_fn_discard(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	speculation_finish(vm, &r[0], FREE);
	r[0] = KTAP_VALUE_NIL;
	return 0;
}

/* Output to a speculation */

void *ktap_speculation_reserve(struct ktap_vm *vm, size_t size)
{
	const u32 room = vm->env->speculations->size;
	struct speculation *one;
	unsigned long flags;
	void *rec;

	one = speculation_lock_open(vm, vm->speculation, &flags);
	if (!one)
		goto dropped;
	if (size > room - one->used) {
		ktap_unlock(&one->lock, flags);
		goto dropped;
	}
	rec = one->data + one->used;
	one->used += size;
	one->nrecords++;
	vm->irq_flags = flags;
	return rec;

dropped:
	atomic_long_inc(&vm->env->counters.speculative);
	return NULL;
}

void ktap_speculation_commit(struct ktap_vm *vm)
{
	struct speculation *one = speculation_place_of(vm, vm->speculation);

	ktap_assert_held(&one->lock);
	ktap_unlock(&one->lock, vm->irq_flags);
}

int ktap_speculation_text(struct ktap_vm *vm, enum ktap_channel channel, const char *text,
			  size_t len)
{
	enum ktap_record_type type = KTAP_REC_TEXT;
	struct ktap_value piece;
	size_t size, pos;
	void *rec;

	if (channel != KTAP_CH_OUTPUT)
		type = ktap_request_of(channel)->type;
	/* A part of a line in JSON is of no use. */
	if (vm->env->json && type == KTAP_REC_TEXT && len > SPECULATION_PIECE) {
		atomic_long_inc(&vm->env->counters.speculative);
		return 0;
	}
	for (pos = 0; pos < len; pos += piece.len) {
		piece = KTAP_VALUE_STR(text + pos, len - pos);
		if (type == KTAP_REC_TEXT)
			piece.len = min_t(u32, piece.len, SPECULATION_PIECE);
		size = ktap_record_size(vm, &piece, 1);
		rec = ktap_speculation_reserve(vm, size);
		if (!rec)
			continue;
		ktap_record_write(vm, rec, size, type, &piece, 1);
		ktap_speculation_commit(vm);
	}
	return 0;
}
