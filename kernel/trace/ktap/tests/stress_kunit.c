// SPDX-License-Identifier: GPL-2.0
/*
 * Tables, aggregations, globals and memory, used by all CPUs at once.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../agg.h"
#include "../object.h"
#include "../ops.h"
#include "../table.h"
#include "build.h"

/**
 * DOC: What is tried here
 *
 * Each CPU has two workers: a thread, and an interrupt that the thread of another
 * CPU sends.  A worker makes a number of rounds, in each of which it does a few
 * operations of its choice on what all of them share, and keeps a record of what
 * it has done.  What it reads back it can judge at once: an entry that nobody else
 * writes must hold what it has put there; one that others write, something that
 * one of them has put there, in one piece.  In the end the sums are what all the
 * records say, and when everything is deleted, all memory is free again.
 *
 * Meanwhile the thread of the test goes through tables, reads aggregations, clears,
 * and frees what is dead.
 */

/* Of a worker; more find more. */
static unsigned long rounds = 600;
module_param(rounds, ulong, 0400);

/* Entries inserted and deleted again, one by one. */
static unsigned long churn = 100000;
module_param(churn, ulong, 0400);

#define SHARED_KEYS	7	/* that all add to */
#define OWN_KEYS	11	/* of each worker */
#define OBJECT_KEYS	3
#define KINDS		5	/* of numbers, kept by key */
#define MAX_CPUS	16
#define MAX_INSERTED	100	/* by each worker, for good */
#define PERMANENT	50	/* entries that stay */
#define STEPS		20	/* of a worker's iteration */
#define MANY_DEAD	64	/* objects */

enum { GLOBAL_SUM, GLOBAL_TEXT, GLOBAL_KIND };
enum { R_RESULT, R_KEY, R_VALUE, R_LAST, R_OBJECT, NR_REGS };

/* A value tells who has written it, and whether it is whole. */
struct text {
	u32 writer;
	u32 key;
	u32 version;
	u8 filling[180];
};

struct stress;

/**
 * struct worker - one that uses what is shared
 * @s: what is shared
 * @vm: its activation
 * @task: its thread, or NULL
 * @irq: its interrupt
 * @next: the one that its thread interrupts
 * @cpu: where it works
 * @id: from 0
 * @random: its choices
 * @rounds: those it has made
 * @added: to each of the shared entries, and that many times to all else
 * @sum: of its numbers, to each aggregation and to the global
 * @own: what it has added to each of its own entries
 * @version: of the text that its entries hold; 0: there is none
 * @inserted: entries that it has inserted for good
 * @wrong: what it has seen, or NULL
 * @done: its thread has made its rounds
 */
struct worker {
	struct stress *s;
	struct ktap_vm *vm;
	struct task_struct *task;
	struct irq_work irq;
	struct worker *next;
	int cpu;
	u32 id;
	u32 random;
	u64 rounds;
	u64 added[SHARED_KEYS];
	u64 sum;
	u64 own[OWN_KEYS];
	u32 version[OWN_KEYS];
	u32 inserted;
	const char *wrong;
	bool done;
};

typedef void (*operation)(struct worker *w);

/**
 * struct stress - what all workers share
 * @test: the test
 * @vm: its own activation
 * @operations: what workers do
 * @noperations: number of them
 * @available: free memory in the beginning
 * @torn: readings of aggregations that did not hang together, and were counted
 * @sums: all add to the same entries
 * @own: all have entries of their own
 * @texts: the same, with text that changes
 * @grown: gets more and more entries
 * @order: some entries stay, others come and go
 * @cleared: is emptied again and again
 * @objects: holds tables that come and go
 * @stats: aggregations by key
 * @count: has a shard for each CPU
 * @hist: too
 * @emptied: too, and keys; is emptied again and again
 * @single: has one shard
 * @keyed: has keys
 * @nworkers: number of them; each second one is an interrupt
 * @workers: they
 */
struct stress {
	struct kunit *test;
	struct ktap_vm *vm;
	const operation *operations;
	u32 noperations;
	size_t available;
	long torn;
	struct ktap_table *sums;
	struct ktap_table *own;
	struct ktap_table *texts;
	struct ktap_table *grown;
	struct ktap_table *order;
	struct ktap_table *cleared;
	struct ktap_table *objects;
	struct ktap_table *stats;
	struct ktap_agg *count;
	struct ktap_agg *hist;
	struct ktap_agg *emptied;
	struct ktap_agg *single;
	struct ktap_agg *keyed;
	u32 nworkers;
	struct worker *workers;
};

static u32 pick(struct worker *w, u32 n)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 17;
	w->random ^= w->random << 5;
	return w->random % n;
}

static void expect(struct worker *w, bool right, const char *wrong)
{
	if (!right && !w->wrong)
		w->wrong = wrong;
}

/* Text */

static u32 text_len(u32 writer, u32 key, u32 version)
{
	return offsetof(struct text, filling) +
	       (writer * 31 + key * 17 + version * 7) % sizeof_field(struct text, filling);
}

static struct ktap_value make_text(struct text *text, u32 writer, u32 key, u32 version)
{
	u32 len = text_len(writer, key, version), i;

	text->writer = writer;
	text->key = key;
	text->version = version;
	for (i = 0; i < len - offsetof(struct text, filling); i++)
		text->filling[i] = writer + key + version + i;
	return KTAP_VALUE_STR(text, len);
}

/* Is it one that some worker has made for this key? */
static bool is_text(const struct ktap_value *v, u32 key)
{
	struct text is, made;

	if (v->tag != KTAP_STR || v->len < offsetof(struct text, filling) || v->len > sizeof(is))
		return false;
	memcpy(&is, v->blob, v->len);
	if (is.key != key || v->len != text_len(is.writer, key, is.version))
		return false;
	make_text(&made, is.writer, key, is.version);
	return !memcmp(&is, &made, v->len);
}

static bool is_version(const struct ktap_value *v, u32 writer, u32 key, u32 version)
{
	struct text made;
	struct ktap_value want = make_text(&made, writer, key, version);

	return ktap_equal(v, &want);
}

/* Keys */

/* Every other one is a string: blobs have memory of their own. */
static struct ktap_value key_of(char *buf, size_t size, u32 writer, u32 n)
{
	if (n % 2)
		return KTAP_VALUE_INT((u64)writer << 32 | n);
	return KTAP_VALUE_STR(buf, scnprintf(buf, size, "key %u of %u", n, writer));
}

#define KEY_ROOM	32
#define COMMON		U32_MAX	/* is no worker */

/* The operations of workers */

static void add_to_a_shared_entry(struct worker *w)
{
	u32 n = pick(w, SHARED_KEYS);
	struct ktap_value v = KTAP_VALUE_INT(pick(w, 100)), key;
	char buf[KEY_ROOM];

	key = key_of(buf, sizeof(buf), COMMON, n);
	ktap_table_add(w->vm, w->s->sums, &key, &v);
	w->added[n] += v.i;
}

static void add_to_an_own_entry(struct worker *w)
{
	struct ktap_value *result = &w->vm->stack[R_RESULT];
	u32 n = pick(w, OWN_KEYS);
	struct ktap_value v = KTAP_VALUE_INT(1 + pick(w, 100)), key;
	char buf[KEY_ROOM];

	key = key_of(buf, sizeof(buf), w->id, n);
	ktap_table_add(w->vm, w->s->own, &key, &v);
	w->own[n] += v.i;
	ktap_table_get(w->vm, w->s->own, &key, result);
	expect(w, result->tag == KTAP_INT && result->u == w->own[n],
	       "an entry of its own has another sum");
}

static void change_an_own_text(struct worker *w)
{
	struct ktap_value *result = &w->vm->stack[R_RESULT];
	u32 n = pick(w, OWN_KEYS);
	struct ktap_value key, v;
	char buf[KEY_ROOM];
	struct text text;

	key = key_of(buf, sizeof(buf), w->id, n);
	ktap_table_get(w->vm, w->s->texts, &key, result);
	if (w->version[n])
		expect(w, is_version(result, w->id, n, w->version[n]),
		       "an entry of its own has another text");
	else
		expect(w, result->tag == KTAP_NIL, "a deleted entry is there");
	expect(w, ktap_table_has(w->vm, w->s->texts, &key) == !!w->version[n],
	       "an entry of its own is there, or not");
	w->version[n] = pick(w, 3) ? pick(w, 1000) + 1 : 0;
	v = w->version[n] ? make_text(&text, w->id, n, w->version[n]) : KTAP_VALUE_NIL;
	ktap_table_set(w->vm, w->s->texts, &key, &v);
}

static void read_a_text_of_another(struct worker *w)
{
	struct ktap_value *result = &w->vm->stack[R_RESULT];
	u32 n = pick(w, OWN_KEYS);
	struct ktap_value key;
	char buf[KEY_ROOM];

	key = key_of(buf, sizeof(buf), pick(w, w->s->nworkers), n);
	ktap_table_get(w->vm, w->s->texts, &key, result);
	expect(w, result->tag == KTAP_NIL || is_text(result, n), "another's entry is torn");
}

static void add_a_number(struct worker *w)
{
	u32 n = pick(w, 1000);
	struct ktap_value v = KTAP_VALUE_INT(n), key = KTAP_VALUE_INT(n % KINDS), base;

	ktap_agg_add(w->vm, w->s->count, n);
	ktap_agg_add(w->vm, w->s->hist, n);
	ktap_agg_add(w->vm, w->s->single, n);
	ktap_global_add(w->vm, GLOBAL_SUM, &v);
	base = (struct ktap_value){ .table = w->s->stats, .tag = KTAP_TABLE };
	ktap_op_taggregate(w->vm, &base, &key, &v);
	base = (struct ktap_value){ .agg = w->s->keyed, .tag = KTAP_AGG };
	ktap_op_taggregate(w->vm, &base, &key, &v);
	w->sum += n;
}

static void change_the_global_text(struct worker *w)
{
	struct ktap_value *result = &w->vm->stack[R_RESULT];
	struct text text;
	struct ktap_value v;

	ktap_global_get(w->vm, GLOBAL_TEXT, result);
	expect(w, is_text(result, 0), "the global's text is torn");
	v = make_text(&text, w->id, 0, pick(w, 1000));
	ktap_global_set(w->vm, GLOBAL_TEXT, &v);
}

/* Both halves of a value are of the same one, whatever is written meanwhile. */
static void change_the_kind_of_a_global(struct worker *w)
{
	struct ktap_value *result = &w->vm->stack[R_RESULT];
	struct ktap_value v;

	ktap_global_get(w->vm, GLOBAL_KIND, result);
	expect(w, result->tag == KTAP_NIL ||
	       (result->tag == KTAP_INT && result->u < w->s->nworkers) ||
	       (result->tag == KTAP_PTR && ~result->u < w->s->nworkers),
	       "the global's value is torn");
	v = pick(w, 2) ? KTAP_VALUE_INT(w->id) : KTAP_VALUE_PTR(~(u64)w->id);
	ktap_global_set(w->vm, GLOBAL_KIND, &v);
}

/* The table grows under all of them. */
static void insert_for_good(struct worker *w)
{
	struct ktap_value *result = &w->vm->stack[R_RESULT];
	struct ktap_value key, v;
	char buf[KEY_ROOM];
	u32 n;

	if (w->inserted < MAX_INSERTED) {
		key = key_of(buf, sizeof(buf), w->id, w->inserted);
		v = KTAP_VALUE_INT(w->inserted++);
		ktap_table_set(w->vm, w->s->grown, &key, &v);
	}
	n = pick(w, w->inserted);
	key = key_of(buf, sizeof(buf), w->id, n);
	ktap_table_get(w->vm, w->s->grown, &key, result);
	expect(w, result->tag == KTAP_INT && result->i == n, "an entry is not where it belongs");
}

/* Entries come and go between those that stay. */
static void disturb_the_order(struct worker *w)
{
	struct ktap_value key = KTAP_VALUE_INT((u64)(w->id + 1) << 32 | pick(w, OWN_KEYS));
	struct ktap_value v = pick(w, 2) ? KTAP_VALUE_INT(w->id) : KTAP_VALUE_NIL;
	struct text text;

	ktap_table_set(w->vm, w->s->order, &key, &v);
	key = KTAP_VALUE_INT(pick(w, PERMANENT));
	v = make_text(&text, w->id, key.i, pick(w, 1000));
	ktap_table_set(w->vm, w->s->order, &key, &v);
}

/* The next entry, in registers. */
static bool next_of_the_order(struct stress *s, struct ktap_vm *vm, struct ktap_iter *it)
{
	struct ktap_value *r = vm->stack;

	return ktap_table_next(vm, s->order, it, &r[R_LAST], &r[R_KEY], &r[R_VALUE]) == 1;
}

static void look_around(struct worker *w)
{
	struct ktap_value *r = w->vm->stack;
	struct ktap_iter it = { };
	s64 last = -1;
	int i;

	for (i = 0; i < STEPS; i++) {
		if (!next_of_the_order(w->s, w->vm, &it))
			break;
		r[R_LAST] = r[R_KEY];
		if (r[R_KEY].u >= PERMANENT)
			continue;
		expect(w, is_text(&r[R_VALUE], r[R_KEY].u), "an entry that stays is torn");
		expect(w, r[R_KEY].i > last, "entries are not in order");
		last = r[R_KEY].i;
	}
}

static void fill_what_is_cleared(struct worker *w)
{
	struct ktap_value key, v;
	char buf[KEY_ROOM];
	struct text text;
	u32 n;

	for (n = 0; n < OWN_KEYS; n++) {
		key = key_of(buf, sizeof(buf), w->id, n);
		v = make_text(&text, w->id, n, n);
		ktap_table_set(w->vm, w->s->cleared, &key, &v);
	}
	if (!pick(w, 4))
		ktap_table_clear(w->vm, w->s->cleared);
}

/* Those that are dead wait for the thread of the test. */
static bool has_room_for_objects(const struct worker *w)
{
	return atomic_read(&w->vm->env->ndead) < MANY_DEAD;
}

static void add_to_what_is_emptied(struct worker *w)
{
	struct ktap_value base = { .agg = w->s->emptied, .tag = KTAP_AGG };
	u32 n = pick(w, 1000);
	struct ktap_value v = KTAP_VALUE_INT(n), key = KTAP_VALUE_INT(n % KINDS);

	ktap_agg_add(w->vm, w->s->emptied, n);
	if (has_room_for_objects(w))
		ktap_op_taggregate(w->vm, &base, &key, &v);
	if (!pick(w, 4))
		ktap_agg_clear(w->vm, w->s->emptied);
}

/* A new table takes the place of what was there. */
static void put_an_object(struct worker *w, const struct ktap_value *key)
{
	struct ktap_value *made = &w->vm->stack[R_RESULT], one = KTAP_VALUE_INT(1), v;
	struct text text;

	ktap_table_new(w->vm, 10, made);
	expect(w, made->tag == KTAP_TABLE, "there is no table");
	if (made->tag != KTAP_TABLE)
		return;
	v = make_text(&text, w->id, 0, pick(w, 1000));
	ktap_table_set(w->vm, made->table, &one, &v);
	v = *made;
	ktap_table_set(w->vm, w->s->objects, key, &v);
}

/*
 * A table that nothing holds any more lives as long as somebody looks at it, and on
 * if he puts it somewhere.
 */
static void replace_an_object(struct worker *w)
{
	struct ktap_value *object = &w->vm->stack[R_OBJECT], *result = &w->vm->stack[R_RESULT];
	struct ktap_value key = KTAP_VALUE_INT(pick(w, OBJECT_KEYS)), one = KTAP_VALUE_INT(1), v;

	ktap_table_get(w->vm, w->s->objects, &key, object);
	if (has_room_for_objects(w))
		put_an_object(w, &key);
	if (object->tag != KTAP_TABLE)
		return;
	ktap_table_get(w->vm, object->table, &one, result);
	expect(w, is_text(result, 0), "a table that was replaced lost its entry");
	key = KTAP_VALUE_INT(2);
	ktap_table_add(w->vm, object->table, &key, &one);
	if (!pick(w, 3)) {
		key = KTAP_VALUE_INT(pick(w, OBJECT_KEYS));
		v = *object;
		ktap_table_set(w->vm, w->s->objects, &key, &v);
	}
}

/* Workers */

static void one_round(struct worker *w)
{
	struct ktap_vm *vm = w->vm;

	preempt_disable();
	memset(vm->stack, 0, NR_REGS * sizeof(*vm->stack));
	vm->arena.used = 0;
	vm->budget = U64_MAX;
	w->s->operations[pick(w, w->s->noperations)](w);
	w->rounds++;
	expect(w, !vm->error, "an operation ended in an error");
	ktap_objects_end_run(vm);
	preempt_enable();
}

static void interrupt(struct irq_work *irq)
{
	one_round(container_of(irq, struct worker, irq));
}

static int work(void *data)
{
	struct worker *w = data;
	unsigned long i;

	for (i = 0; i < rounds; i++) {
		one_round(w);
		irq_work_queue_on(&w->next->irq, w->next->cpu);
		cond_resched();
	}
	WRITE_ONCE(w->done, true);
	while (!kthread_should_stop())
		cond_resched();
	return 0;
}

static void start(struct stress *s)
{
	struct worker *w;
	u32 i;

	/* No assertion may end the test now. */
	for (i = 0; i < s->nworkers; i += 2) {
		w = &s->workers[i];
		w->task = kthread_run_on_cpu(work, w, w->cpu, "ktap-stress/%u");
		if (IS_ERR(w->task)) {
			w->task = NULL;
			w->done = true;
			KUNIT_FAIL(s->test, "there is no thread");
		}
	}
}

static bool all_done(const struct stress *s)
{
	u32 i;

	for (i = 0; i < s->nworkers; i += 2) {
		if (!READ_ONCE(s->workers[i].done))
			return false;
	}
	return true;
}

static void stop(struct stress *s)
{
	struct worker *w;
	u32 i;

	/* Whoever might send another one has finished. */
	for (i = 1; i < s->nworkers; i += 2)
		irq_work_sync(&s->workers[i].irq);
	for (i = 0; i < s->nworkers; i += 2) {
		w = &s->workers[i];
		if (w->task)
			kthread_stop(w->task);
	}
	for (i = 0; i < s->nworkers; i++) {
		w = &s->workers[i];
		KUNIT_EXPECT_NULL_MSG(s->test, w->wrong, "worker %u: %s", i, w->wrong);
		KUNIT_EXPECT_GT(s->test, w->rounds, 0);
	}
}

/* Setting up */

static struct ktap_table *new_table(struct stress *s)
{
	struct ktap_value *v = &s->vm->stack[s->vm->top++];

	KUNIT_ASSERT_EQ(s->test, 0, ktap_table_new(s->vm, 0, v));
	KUNIT_ASSERT_EQ(s->test, v->tag, KTAP_TABLE);
	return v->table;
}

static struct ktap_agg *new_agg(struct stress *s, const struct ktap_agg_shape *shape)
{
	struct ktap_value *v = &s->vm->stack[s->vm->top++];

	KUNIT_ASSERT_EQ(s->test, 0, ktap_agg_new(s->vm, shape, v));
	KUNIT_ASSERT_EQ(s->test, v->tag, KTAP_AGG);
	return v->agg;
}

/* No handler can fetch more: all of it is there from the start. */
static void fill_heap(struct kunit *test, struct ktap_heap *heap)
{
	while (heap->bytes < heap->max) {
		heap->asked = true;
		KUNIT_ASSERT_EQ(test, 0, ktap_heap_refill(heap));
	}
}

static struct ktap_vm *vm_at_work(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;

	test_func(c, "main", 0, NR_REGS);
	test_insn(c, KTAP_OP_NEWT, 0, 0, 0, 0);
	TEST_RET(c);
	test_global(c, "sum");
	test_global(c, "text");
	test_global(c, "kind");
	vm = test_vm(test, test_load(c), KTAP_LEVEL_PROCESS);
	vm->top = NR_REGS;
	vm->budget = U64_MAX;
	memset(vm->stack, 0, vm->stack_size * sizeof(*vm->stack));
	fill_heap(test, &vm->env->heap);
	return vm;
}

static void init_worker(struct stress *s, u32 id, int cpu)
{
	bool irq = id % 2;
	struct worker *w = &s->workers[id];

	w->s = s;
	w->vm = test_vm_of(s->test, s->vm->env, irq ? KTAP_LEVEL_HARDIRQ : KTAP_LEVEL_TASK);
	w->vm->top = NR_REGS;
	w->irq = IRQ_WORK_INIT_HARD(interrupt);
	w->next = &s->workers[(id + 3) % s->nworkers];
	w->cpu = cpu;
	w->id = id;
	w->random = 0x9e3779b9 * (id + 1);
}

static void init_workers(struct stress *s)
{
	u32 id = 0;
	int cpu;

	s->nworkers = 2 * min_t(u32, num_online_cpus(), MAX_CPUS);
	s->workers = kunit_kzalloc(s->test, s->nworkers * sizeof(*s->workers), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(s->test, s->workers);
	for_each_online_cpu(cpu) {
		if (id == s->nworkers)
			break;
		init_worker(s, id++, cpu);
		init_worker(s, id++, cpu);
	}
	KUNIT_ASSERT_EQ(s->test, id, s->nworkers);
}

static void init_permanent(struct stress *s)
{
	struct ktap_value key, v;
	struct text text;
	u32 i;

	for (i = 0; i < PERMANENT; i++) {
		key = KTAP_VALUE_INT(i);
		v = make_text(&text, COMMON, i, 0);
		KUNIT_ASSERT_EQ(s->test, 0, ktap_table_set(s->vm, s->order, &key, &v));
	}
	v = make_text(&text, COMMON, 0, 0);
	KUNIT_ASSERT_EQ(s->test, 0, ktap_global_set(s->vm, GLOBAL_TEXT, &v));
}

static struct stress *new_stress(struct kunit *test, const operation *operations, u32 n)
{
	struct stress *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->test = test;
	s->operations = operations;
	s->noperations = n;
	s->vm = vm_at_work(test);
	s->available = s->vm->env->heap.available;
	s->sums = new_table(s);
	s->own = new_table(s);
	s->texts = new_table(s);
	s->grown = new_table(s);
	s->order = new_table(s);
	s->cleared = new_table(s);
	s->objects = new_table(s);
	s->stats = new_table(s);
	s->count = new_agg(s, &ktap_agg_count);
	s->hist = new_agg(s, &ktap_agg_hist);
	s->emptied = new_agg(s, &ktap_agg_hist);
	s->keyed = new_agg(s, &ktap_agg_stats);
	s->single = ktap_agg_make(s->vm, &ktap_agg_hist);
	KUNIT_ASSERT_NOT_NULL(test, s->single);
	init_permanent(s);
	init_workers(s);
	return s;
}

/* What the thread of the test does meanwhile */

/* All that stays is seen once, in order. */
static void go_through_the_order(struct stress *s)
{
	struct ktap_value *r = s->vm->stack;
	struct ktap_iter it = { };
	u32 seen = 0;

	r[R_LAST] = KTAP_VALUE_NIL;
	while (next_of_the_order(s, s->vm, &it)) {
		r[R_LAST] = r[R_KEY];
		if (r[R_KEY].u >= PERMANENT)
			continue;
		KUNIT_EXPECT_EQ(s->test, r[R_KEY].u, seen);
		KUNIT_EXPECT_TRUE(s->test, is_text(&r[R_VALUE], r[R_KEY].u));
		seen++;
	}
	KUNIT_EXPECT_EQ(s->test, seen, PERMANENT);
}

static void sort_the_order(struct stress *s)
{
	struct ktap_sorted sorted;
	u32 i, seen = 0;

	KUNIT_EXPECT_EQ(s->test, 0, ktap_table_sort(s->vm->env, s->order, KTAP_BY_KEY, &sorted));
	for (i = 0; i < sorted.n && sorted.entries[i].key.u < PERMANENT; i++) {
		KUNIT_EXPECT_EQ(s->test, sorted.entries[i].key.u, seen);
		KUNIT_EXPECT_TRUE(s->test, is_text(&sorted.entries[i].value, seen));
		seen++;
	}
	KUNIT_EXPECT_EQ(s->test, seen, PERMANENT);
	ktap_sorted_free(&sorted);
}

static long busy(const struct stress *s)
{
	return atomic_long_read(&s->vm->env->counters.nmi_busy);
}

/* False (and counted): it did not hang together. */
static bool read_total(struct stress *s, const struct ktap_agg *agg, struct ktap_total *total)
{
	long before = busy(s);

	ktap_agg_read(s->vm->env, agg, total);
	s->torn += busy(s) - before;
	return busy(s) == before;
}

static void read_aggregations(struct stress *s)
{
	const struct ktap_agg *aggs[] = { s->count, s->hist, s->emptied, s->single };
	struct ktap_total total;
	u32 i;

	/* Numbers are from 0 to 999. */
	for (i = 0; i < ARRAY_SIZE(aggs); i++) {
		if (!read_total(s, aggs[i], &total))
			continue;
		KUNIT_EXPECT_LE(s->test, total.sum.lo, total.count * 999);
		KUNIT_EXPECT_LE(s->test, total.min, total.max);
		KUNIT_EXPECT_LE(s->test, total.max, 999);
	}
}

static void look_on(struct stress *s)
{
	do {
		s->vm->budget = U64_MAX;
		go_through_the_order(s);
		sort_the_order(s);
		read_aggregations(s);
		ktap_table_clear(s->vm, s->cleared);
		ktap_objects_reap(s->vm->env);
		cond_resched();
	} while (!all_done(s));
}

/* The end */

static u64 sum_of(struct stress *s, struct ktap_table *t, u32 writer, u32 n)
{
	struct ktap_value *r = s->vm->stack, key;
	char buf[KEY_ROOM];

	key = key_of(buf, sizeof(buf), writer, n);
	KUNIT_EXPECT_EQ(s->test, 0, ktap_table_get(s->vm, t, &key, &r[R_RESULT]));
	return r[R_RESULT].tag == KTAP_INT ? r[R_RESULT].u : 0;
}

static void expect_entries(struct stress *s)
{
	struct worker *w;
	u64 added;
	u32 i, n;

	for (n = 0; n < SHARED_KEYS; n++) {
		added = 0;
		for (i = 0; i < s->nworkers; i++)
			added += s->workers[i].added[n];
		KUNIT_EXPECT_EQ(s->test, sum_of(s, s->sums, COMMON, n), added);
	}
	for (i = 0; i < s->nworkers; i++) {
		w = &s->workers[i];
		for (n = 0; n < OWN_KEYS; n++)
			KUNIT_EXPECT_EQ(s->test, sum_of(s, s->own, w->id, n), w->own[n]);
	}
}

static void expect_grown(struct stress *s)
{
	u32 i, n, there = 0;
	struct worker *w;

	for (i = 0; i < s->nworkers; i++) {
		w = &s->workers[i];
		for (n = 0; n < w->inserted; n++)
			KUNIT_EXPECT_EQ(s->test, sum_of(s, s->grown, w->id, n), n);
		there += w->inserted;
	}
	KUNIT_EXPECT_EQ(s->test, ktap_table_len(s->grown), there);
}

static void expect_texts(struct stress *s)
{
	struct ktap_value *result = &s->vm->stack[R_RESULT], key;
	u32 i, n, there = 0;
	struct worker *w;
	char buf[KEY_ROOM];

	for (i = 0; i < s->nworkers; i++) {
		w = &s->workers[i];
		for (n = 0; n < OWN_KEYS; n++) {
			key = key_of(buf, sizeof(buf), w->id, n);
			ktap_table_get(s->vm, s->texts, &key, result);
			there += !!w->version[n];
			KUNIT_EXPECT_TRUE(s->test, w->version[n] ?
					  is_version(result, w->id, n, w->version[n]) :
					  result->tag == KTAP_NIL);
		}
	}
	KUNIT_EXPECT_EQ(s->test, ktap_table_len(s->texts), there);
}

static void expect_total(struct stress *s, const struct ktap_agg *agg, u64 sum)
{
	u32 i, n = ktap_agg_shape(agg)->nbuckets;
	struct ktap_total total;
	u64 *buckets, count = 0;

	ktap_agg_read(s->vm->env, agg, &total);
	KUNIT_EXPECT_EQ(s->test, total.sum.lo, sum);
	if (!n)
		return;
	buckets = kunit_kzalloc(s->test, n * sizeof(*buckets), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(s->test, buckets);
	ktap_agg_read_buckets(s->vm->env, agg, buckets);
	for (i = 0; i < n; i++)
		count += buckets[i];
	KUNIT_EXPECT_EQ(s->test, count, total.count);
}

/* Of what @t keeps by key. */
static u64 sum_by_key(struct stress *s, struct ktap_table *t)
{
	struct ktap_value *result = &s->vm->stack[R_RESULT], key;
	struct ktap_total total;
	u64 sum = 0;
	u32 i;

	for (i = 0; t && i < KINDS; i++) {
		key = KTAP_VALUE_INT(i);
		ktap_table_get(s->vm, t, &key, result);
		if (result->tag != KTAP_AGG)
			continue;
		ktap_agg_read(s->vm->env, result->agg, &total);
		sum += total.sum.lo;
	}
	return sum;
}

static void expect_numbers(struct stress *s)
{
	struct ktap_value *result = &s->vm->stack[R_RESULT];
	u64 sum = 0;
	u32 i;

	for (i = 0; i < s->nworkers; i++)
		sum += s->workers[i].sum;
	expect_total(s, s->count, sum);
	expect_total(s, s->hist, sum);
	expect_total(s, s->single, sum);
	KUNIT_EXPECT_EQ(s->test, sum_by_key(s, s->stats), sum);
	KUNIT_EXPECT_EQ(s->test, sum_by_key(s, ktap_agg_keyed(s->keyed)), sum);
	KUNIT_EXPECT_EQ(s->test, 0, ktap_global_get(s->vm, GLOBAL_SUM, result));
	KUNIT_EXPECT_EQ(s->test, result->tag == KTAP_INT ? result->u : 0, sum);
}

/* All of it was done, and nothing of it is left. */
static void expect_nothing_lost(struct stress *s)
{
	struct ktap_env *env = s->vm->env;
	struct ktap_value nil = KTAP_VALUE_NIL;

	KUNIT_EXPECT_EQ(s->test, atomic_long_read(&env->counters.full_table), 0);
	KUNIT_EXPECT_EQ(s->test, atomic_long_read(&env->counters.no_memory), 0);
	KUNIT_EXPECT_EQ(s->test, busy(s), s->torn);

	ktap_global_set(s->vm, GLOBAL_TEXT, &nil);
	KUNIT_EXPECT_TRUE(s->test, ktap_agg_free(env, s->single));
	ktap_objects_end_run(s->vm);
	/* What held others is gone: now these are. */
	ktap_objects_reap(env);
	KUNIT_EXPECT_EQ(s->test, env->heap.available, s->available);
}

static void run(struct kunit *test, const operation *operations, u32 n)
{
	struct stress *s = new_stress(test, operations, n);

	start(s);
	look_on(s);
	stop(s);
	expect_entries(s);
	expect_grown(s);
	expect_texts(s);
	expect_numbers(s);
	expect_nothing_lost(s);
}

static const operation all_operations[] = {
	add_to_a_shared_entry,
	add_to_an_own_entry,
	change_an_own_text,
	read_a_text_of_another,
	add_a_number,
	change_the_global_text,
	change_the_kind_of_a_global,
	insert_for_good,
	disturb_the_order,
	look_around,
	fill_what_is_cleared,
	add_to_what_is_emptied,
	replace_an_object,
};

static void all_at_once(struct kunit *test)
{
	run(test, all_operations, ARRAY_SIZE(all_operations));
}

/* Each alone: nothing else slows it down, and a failure has a name. */
#define ALONE(op)						\
	static void only_##op(struct kunit *test)		\
	{							\
		static const operation operations[] = { op };	\
								\
		run(test, operations, 1);			\
	}

ALONE(add_to_a_shared_entry)
ALONE(add_to_an_own_entry)
ALONE(change_an_own_text)
ALONE(add_a_number)
ALONE(change_the_global_text)
ALONE(change_the_kind_of_a_global)
ALONE(insert_for_good)
ALONE(disturb_the_order)
ALONE(fill_what_is_cleared)
ALONE(add_to_what_is_emptied)
ALONE(replace_an_object)

/* Memory that entries leave is taken by others: it does not get more. */

#define LIVE	1000		/* entries */
#define PERIOD	(3 * LIVE)	/* then the same keys and values, in length, are there */

static struct ktap_value churn_key(char *buf, size_t size, u32 n)
{
	if (n % 2)
		return KTAP_VALUE_INT(n);
	return KTAP_VALUE_STR(buf, scnprintf(buf, size, "%010u%.*s", n, n % LIVE % 40,
					     "........................................"));
}

static void insert_and_delete(struct ktap_vm *vm, struct ktap_table *t, u32 n)
{
	struct ktap_value key, v;
	char buf[64];

	key = churn_key(buf, sizeof(buf), n);
	v = n % 3 ? KTAP_VALUE_INT(n) : key;
	ktap_table_set(vm, t, &key, &v);
	if (n < LIVE)
		return;
	key = churn_key(buf, sizeof(buf), n - LIVE);
	v = KTAP_VALUE_NIL;
	ktap_table_set(vm, t, &key, &v);
}

static void churn_takes_no_memory(struct kunit *test)
{
	struct ktap_vm *vm = vm_at_work(test);
	struct ktap_heap *heap = &vm->env->heap;
	struct ktap_value *v = &vm->stack[vm->top++];
	size_t available, bytes;
	u32 n = 0;

	KUNIT_ASSERT_EQ(test, 0, ktap_table_new(vm, LIVE + 1, v));
	KUNIT_ASSERT_EQ(test, v->tag, KTAP_TABLE);
	for (; n < 2 * PERIOD; n++)
		insert_and_delete(vm, v->table, n);
	available = heap->available;
	bytes = heap->bytes;
	for (; n < churn || n % PERIOD; n++) {
		insert_and_delete(vm, v->table, n);
		if (!(n % 4096))
			cond_resched();
	}
	KUNIT_EXPECT_EQ(test, ktap_table_len(v->table), LIVE);
	KUNIT_EXPECT_EQ(test, heap->available, available);
	KUNIT_EXPECT_EQ(test, heap->bytes, bytes);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.no_memory), 0);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.full_table), 0);
	ktap_objects_end_run(vm);
}

static struct kunit_case stress_cases[] = {
	KUNIT_CASE(only_add_to_a_shared_entry),
	KUNIT_CASE(only_add_to_an_own_entry),
	KUNIT_CASE(only_change_an_own_text),
	KUNIT_CASE(only_add_a_number),
	KUNIT_CASE(only_change_the_global_text),
	KUNIT_CASE(only_change_the_kind_of_a_global),
	KUNIT_CASE(only_insert_for_good),
	KUNIT_CASE_SLOW(only_disturb_the_order),
	KUNIT_CASE_SLOW(only_fill_what_is_cleared),
	KUNIT_CASE(only_add_to_what_is_emptied),
	KUNIT_CASE(only_replace_an_object),
	KUNIT_CASE_SLOW(all_at_once),
	KUNIT_CASE_SLOW(churn_takes_no_memory),
	{}
};

static struct kunit_suite stress_suite = {
	.name = "ktap_stress",
	.test_cases = stress_cases,
};

kunit_test_suite(stress_suite);
