// SPDX-License-Identifier: GPL-2.0
/*
 * Entries of tables, and globals.
 */
#include <linux/bitops.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "tests/table_fixture.h"
#include "vm/global.h"

static void keys_of_all_types_differ(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_table *t = test_table(test, vm, 0);
	unsigned long frames[] = { 1, 2 };
	struct ktap_value keys[] = {
		KTAP_VALUE_INT(1), KTAP_VALUE_BOOL(true), KTAP_VALUE_PTR(1), str("1"), str(""),
		{ .blob = frames, .tag = KTAP_KSTACK, .len = sizeof(frames) },
		{ .blob = frames, .tag = KTAP_USTACK, .len = sizeof(frames) },
		{ .blob = frames, .tag = KTAP_USTACK, .len = sizeof(frames[0]) },
		KTAP_VALUE_INT(S64_MIN), KTAP_VALUE_INT(0), KTAP_VALUE_BOOL(false),
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		set(vm, t, keys[i], KTAP_VALUE_INT(i));
	KUNIT_EXPECT_EQ(test, ktap_table_len(t), ARRAY_SIZE(keys));
	for (i = 0; i < ARRAY_SIZE(keys); i++)
		test_expect_int(test, i, get(vm, t, keys[i]));
	KUNIT_EXPECT_EQ(test, get(vm, t, str("2")).tag, KTAP_NIL);
	KUNIT_EXPECT_EQ(test, get(vm, t, KTAP_VALUE_NIL).tag, KTAP_NIL);
}

static void keys_are_compared_to_the_last_byte(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_table *t = test_table(test, vm, 0);
	char bytes[40];
	u32 len, i;

	memset(bytes, 'x', sizeof(bytes));
	for (len = 0; len <= sizeof(bytes); len++)
		set(vm, t, KTAP_VALUE_STR(bytes, len), KTAP_VALUE_INT(len));
	KUNIT_EXPECT_EQ(test, ktap_table_len(t), sizeof(bytes) + 1);
	for (len = 0; len <= sizeof(bytes); len++) {
		struct ktap_value key = KTAP_VALUE_STR(bytes, len), same = key;

		test_expect_int(test, len, get(vm, t, key));
		for (i = 0; i < len; i++) {
			bytes[i] = 'y';
			KUNIT_EXPECT_EQ_MSG(test, get(vm, t, key).tag, KTAP_NIL,
					    "byte %u of %u", i, len);
			bytes[i] = 'x';
		}
		/* At an odd address, too. */
		same.blob = memset(bytes + sizeof(bytes) - len, 'x', len);
		KUNIT_EXPECT_TRUE(test, ktap_equal(&key, &same));
	}
}

/* Adding has a way of its own to the entry of a compound key; reading has the general one. */
static void compound_keys_are_compared_to_the_last_word(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_table *t = test_table(test, vm, 0);
	unsigned int words, i;
	u64 w[7] = { };

	for (words = 1; words <= ARRAY_SIZE(w); words++) {
		struct ktap_value key = {
			.blob = w, .tag = KTAP_TUPLE, .len = words * sizeof(u64),
		};

		for (i = 0; i < words; i++) {
			w[i] = 1ULL << 63;
			add(vm, t, key, 10 * words + i);
			w[i] = 1;
			add(vm, t, key, 100 + i);
			add(vm, t, key, 1000);
			w[i] = 0;
		}
		for (i = 0; i < words; i++) {
			w[i] = 1ULL << 63;
			test_expect_int(test, 10 * words + i, get(vm, t, key));
			w[i] = 1;
			test_expect_int(test, 1100 + i, get(vm, t, key));
			w[i] = 0;
		}
		KUNIT_EXPECT_EQ(test, get(vm, t, key).tag, KTAP_NIL);
	}
}

static void equal_compound_keys_have_equal_bytes(struct kunit *test)
{
	static const char text[] = "a name of twenty byt";
	u64 zeroes[10], ones[10];
	struct ktap_value parts[4], read, key = { .blob = zeroes, .tag = KTAP_TUPLE };
	void *p, *q;
	size_t pos;
	u32 len, i;

	for (len = 0; len < sizeof(text); len++) {
		parts[0] = KTAP_VALUE_STR(text, len);
		parts[1] = KTAP_VALUE_NIL;
		parts[2] = KTAP_VALUE_INT(len);
		parts[3] = KTAP_VALUE_BOOL(true);
		p = memset(zeroes, 0, sizeof(zeroes));
		q = memset(ones, 0xff, sizeof(ones));
		for (i = 0; i < ARRAY_SIZE(parts); i++) {
			p = ktap_tuple_put(p, &parts[i]);
			q = ktap_tuple_put(q, &parts[i]);
		}
		key.len = p - (void *)zeroes;
		KUNIT_EXPECT_EQ(test, key.len, q - (void *)ones);
		KUNIT_EXPECT_EQ_MSG(test, 0, memcmp(zeroes, ones, key.len), "%u bytes", len);
		for (pos = 0, i = 0; i < ARRAY_SIZE(parts); i++) {
			KUNIT_EXPECT_TRUE(test, ktap_tuple_next(&key, &pos, &read));
			KUNIT_EXPECT_TRUE(test, ktap_equal(&parts[i], &read));
		}
		KUNIT_EXPECT_EQ(test, pos, key.len);
	}
}

static u32 longest_chain(const struct ktap_table *t)
{
	u32 n, len, longest = 0;

	for (n = 0; n < t->nbuckets; n++) {
		struct ktap_entry *e = t->pages[n >> t->page_bits][n % BIT(t->page_bits)];

		for (len = 0; e; e = e->chain)
			len++;
		longest = max(longest, len);
	}
	return longest;
}

/* A bucket of more than 20 entries among these has a probability below 10^-15. */
static void expect_short_chains(struct kunit *test, struct ktap_table *t, int shift)
{
	KUNIT_EXPECT_EQ(test, ktap_table_len(t), 1024);
	KUNIT_EXPECT_LE_MSG(test, longest_chain(t), 20, "%d", shift);
}

static void regular_keys_spread_over_the_buckets(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_table *t = test_table(test, vm, 0);
	u64 pair[2], i;
	int shift;

	for (shift = 0; shift < 64; shift += 7) {
		ktap_table_clear(vm, t);
		for (i = 0; i < 1024; i++)
			set(vm, t, KTAP_VALUE_INT(rol64(i, shift)), KTAP_VALUE_INT(i));
		expect_short_chains(test, t, shift);

		ktap_table_clear(vm, t);
		for (i = 0; i < 1024; i++) {
			pair[0] = i % 32;
			pair[1] = rol64(i / 32, shift);
			set(vm, t, KTAP_VALUE_STR(pair, sizeof(pair)), KTAP_VALUE_INT(i));
		}
		expect_short_chains(test, t, shift);
	}
}

static void a_table_owns_copies(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_table *t = test_table(test, vm, 0);
	char key[] = "key", value[] = "value";

	set(vm, t, str(key), str(value));
	memset(value, 'x', sizeof(value) - 1);
	test_expect_str(test, "value", get(vm, t, str("key")));
	memset(key, 'x', sizeof(key) - 1);
	test_expect_str(test, "value", get(vm, t, str("key")));
	set(vm, t, str("key"), str("a longer one"));
	test_expect_str(test, "a longer one", get(vm, t, str("key")));
	set(vm, t, str("key"), KTAP_VALUE_INT(5));
	test_expect_int(test, 5, get(vm, t, str("key")));
	KUNIT_EXPECT_EQ(test, ktap_table_len(t), 1);
}

static void nil_deletes_and_frees(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_table *t = test_table(test, vm, 0);
	size_t available = vm->env->heap.available;

	set(vm, t, str("key"), str("value"));
	KUNIT_EXPECT_LT(test, vm->env->heap.available, available);
	set(vm, t, str("key"), KTAP_VALUE_NIL);
	set(vm, t, str("never there"), KTAP_VALUE_NIL);
	KUNIT_EXPECT_EQ(test, vm->env->heap.available, available);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&t->blob_bytes), 0);
	KUNIT_EXPECT_EQ(test, ktap_table_len(t), 0);
	KUNIT_EXPECT_EQ(test, get(vm, t, str("key")).tag, KTAP_NIL);
}

/* A table keeps the last entries that were removed, and frees them with itself. */
static void removed_entries_are_used_again(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	size_t before = vm->env->heap.available, full, one;
	const u32 n = 5 * KTAP_SPARES;
	struct ktap_table *t;
	u32 i;

	t = ktap_table_make(vm, n);
	KUNIT_ASSERT_NOT_NULL(test, t);
	one = vm->env->heap.available;
	set(vm, t, KTAP_VALUE_INT(0), KTAP_VALUE_INT(0));
	one -= vm->env->heap.available;
	for (i = 1; i < n; i++)
		set(vm, t, KTAP_VALUE_INT(i), KTAP_VALUE_INT(i));
	full = vm->env->heap.available;

	for (i = 0; i < n; i++)
		set(vm, t, KTAP_VALUE_INT(i), KTAP_VALUE_NIL);
	KUNIT_EXPECT_EQ(test, t->nspares, KTAP_SPARES);
	KUNIT_EXPECT_EQ(test, ktap_table_len(t), 0);
	KUNIT_EXPECT_EQ(test, vm->env->heap.available, full + (n - KTAP_SPARES) * one);

	/* The old key and value do not come back. */
	for (i = 0; i <= n; i++)
		add(vm, t, KTAP_VALUE_INT(100 + i), 1);
	KUNIT_EXPECT_EQ(test, t->nspares, 0);
	KUNIT_EXPECT_EQ(test, ktap_table_len(t), n);
	KUNIT_EXPECT_EQ(test, vm->env->heap.available, full);
	KUNIT_EXPECT_EQ(test, get(vm, t, KTAP_VALUE_INT(100)).i, 1);
	KUNIT_EXPECT_EQ(test, get(vm, t, KTAP_VALUE_INT(0)).tag, KTAP_NIL);
	KUNIT_EXPECT_EQ(test, ktap_table_dropped(t), 1);

	/* With a blob, an entry is freed. */
	set(vm, t, KTAP_VALUE_INT(100), str("a value"));
	set(vm, t, KTAP_VALUE_INT(100), KTAP_VALUE_NIL);
	KUNIT_EXPECT_EQ(test, t->nspares, 0);
	set(vm, t, KTAP_VALUE_INT(101), KTAP_VALUE_NIL);
	KUNIT_EXPECT_EQ(test, t->nspares, 1);
	set(vm, t, str("a key"), KTAP_VALUE_INT(1));
	set(vm, t, str("a key"), KTAP_VALUE_NIL);
	KUNIT_EXPECT_EQ(test, t->nspares, 1);

	KUNIT_EXPECT_TRUE(test, ktap_table_free(vm->env, t, NULL));
	KUNIT_EXPECT_EQ(test, vm->env->heap.available, before);
}

static void a_small_table_keeps_one_removed_entry(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_table *t = ktap_table_make(vm, 100);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, t);
	for (i = 0; i < 4; i++)
		set(vm, t, KTAP_VALUE_INT(i), KTAP_VALUE_INT(i));
	for (i = 0; i < 4; i++)
		set(vm, t, KTAP_VALUE_INT(i), KTAP_VALUE_NIL);
	KUNIT_EXPECT_EQ(test, t->nspares, 1);
	KUNIT_EXPECT_TRUE(test, ktap_table_free(vm->env, t, NULL));
}

static void a_full_table_drops_and_counts(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_table *t = test_table(test, vm, 3);
	size_t available;
	int i;

	for (i = 0; i < 3; i++)
		set(vm, t, KTAP_VALUE_INT(i), str("x"));
	available = vm->env->heap.available;
	set(vm, t, KTAP_VALUE_INT(3), str("y"));
	add(vm, t, KTAP_VALUE_INT(4), 1);
	KUNIT_EXPECT_EQ(test, ktap_table_len(t), 3);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.full_table), 2);
	KUNIT_EXPECT_EQ(test, ktap_table_dropped(t), 2);
	KUNIT_EXPECT_EQ(test, vm->env->heap.available, available);
	KUNIT_EXPECT_EQ(test, vm->error, 0);
	/* Existing entries can still be changed, and deletes make room. */
	set(vm, t, KTAP_VALUE_INT(0), str("z"));
	test_expect_str(test, "z", get(vm, t, KTAP_VALUE_INT(0)));
	set(vm, t, KTAP_VALUE_INT(0), KTAP_VALUE_NIL);
	set(vm, t, KTAP_VALUE_INT(3), KTAP_VALUE_INT(3));
	test_expect_int(test, 3, get(vm, t, KTAP_VALUE_INT(3)));
}

static void inserts_without_memory_are_counted(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_table *t = test_table(test, vm, KTAP_TABLE_LIMIT);
	u32 i, len;

	for (i = 0; i < 10000; i++)
		add(vm, t, KTAP_VALUE_INT(i), i);
	len = ktap_table_len(t);
	KUNIT_EXPECT_GT(test, len, 3000);
	KUNIT_EXPECT_LT(test, len, 10000);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.no_memory), 10000 - len);
	for (i = 0; i < len; i++)
		test_expect_int(test, i, get(vm, t, KTAP_VALUE_INT(i)));
	/* In process context the heap is refilled at once. */
	vm->level = PROCESS;
	for (i = len; i < 10000; i++)
		add(vm, t, KTAP_VALUE_INT(i), i);
	KUNIT_EXPECT_EQ(test, ktap_table_len(t), 10000);
}

/* The heap has memory for entries, but in blocks too small for buckets. */
static void chains_stay_short_without_memory_for_buckets(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_table *t = test_table(test, vm, 0);
	struct llist_head pieces;
	struct llist_node *p, *next;
	u32 i, len;

	init_llist_head(&pieces);
	while ((p = ktap_heap_alloc(&vm->env->heap, sizeof(struct ktap_entry))))
		llist_add(p, &pieces);
	for (p = llist_del_all(&pieces); p; p = next) {
		next = p->next;
		ktap_heap_free(&vm->env->heap, p, sizeof(struct ktap_entry));
	}
	for (i = 0; i < 2000; i++)
		add(vm, t, KTAP_VALUE_INT(i), i);
	len = ktap_table_len(t);
	KUNIT_EXPECT_GT(test, len, 256);
	KUNIT_EXPECT_LE(test, len, 33 * t->nbuckets);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.no_memory), 2000 - len);
	for (i = 0; i < len; i++)
		test_expect_int(test, i, get(vm, t, KTAP_VALUE_INT(i)));
}

static void add_to_a_missing_entry_starts_at_0(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_table *t = test_table(test, vm, 0);
	struct ktap_value key = str("k"), n = str("n");

	add(vm, t, key, 5);
	add(vm, t, key, -2);
	test_expect_int(test, 3, get(vm, t, key));
	add(vm, t, key, S64_MAX);
	test_expect_int(test, S64_MIN + 2, get(vm, t, key));
	KUNIT_EXPECT_EQ(test, ktap_table_add(vm, t, &key, &n), -EINVAL);
	KUNIT_EXPECT_STREQ(test, vm->message, "arithmetic on a string");
	vm->error = 0;
	set(vm, t, key, KTAP_VALUE_BOOL(true));
	n = KTAP_VALUE_INT(1);
	KUNIT_EXPECT_EQ(test, ktap_table_add(vm, t, &key, &n), -EINVAL);
	KUNIT_EXPECT_STREQ(test, vm->message, "arithmetic on a boolean");
}

static void a_table_grows_and_shrinks(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, PROCESS);
	struct ktap_table *t = test_table(test, vm, 20000);
	size_t available;
	int i;

	for (i = 0; i < 20000; i++)
		set(vm, t, KTAP_VALUE_INT(i * 64), KTAP_VALUE_INT(i));
	KUNIT_EXPECT_EQ(test, ktap_table_len(t), 20000);
	available = vm->env->heap.available;
	for (i = 0; i < 20000; i += 2)
		set(vm, t, KTAP_VALUE_INT(i * 64), KTAP_VALUE_NIL);
	for (i = 0; i < 20000; i++) {
		if (i % 2)
			test_expect_int(test, i, get(vm, t, KTAP_VALUE_INT(i * 64)));
		else
			KUNIT_EXPECT_EQ(test, get(vm, t, KTAP_VALUE_INT(i * 64)).tag, KTAP_NIL);
	}
	/* The memory is reused: the heap does not grow. */
	for (i = 0; i < 20000; i += 2)
		set(vm, t, KTAP_VALUE_INT(-i - 1), KTAP_VALUE_INT(i));
	KUNIT_EXPECT_EQ(test, vm->env->heap.available, available);
}

static void globals_own_their_values(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	size_t available = vm->env->heap.available;
	struct ktap_value *r = vm->stack;
	char text[] = "text";

	KUNIT_EXPECT_EQ(test, 0, ktap_global_get(vm, 1, &r[0]));
	KUNIT_EXPECT_EQ(test, r[0].tag, KTAP_NIL);
	r[0] = str(text);
	KUNIT_EXPECT_EQ(test, 0, ktap_global_set(vm, 1, &r[0]));
	memset(text, 'x', 4);
	KUNIT_EXPECT_EQ(test, 0, ktap_global_get(vm, 1, &r[0]));
	test_expect_str(test, "text", r[0]);
	r[1] = KTAP_VALUE_INT(1);
	KUNIT_EXPECT_EQ(test, -EINVAL, ktap_global_add(vm, 1, &r[1]));
	KUNIT_EXPECT_STREQ(test, vm->message, "arithmetic on a string");
	vm->error = 0;
	r[0] = KTAP_VALUE_NIL;
	ktap_global_set(vm, 1, &r[0]);
	KUNIT_EXPECT_EQ(test, vm->env->heap.available, available);
	KUNIT_EXPECT_EQ(test, 0, ktap_global_add(vm, 1, &r[1]));
	KUNIT_EXPECT_EQ(test, 0, ktap_global_add(vm, 1, &r[1]));
	KUNIT_EXPECT_EQ(test, 0, ktap_global_get(vm, 1, &r[0]));
	test_expect_int(test, 2, r[0]);
}

static struct kunit_case table_cases[] = {
	KUNIT_CASE(keys_of_all_types_differ),
	KUNIT_CASE(keys_are_compared_to_the_last_byte),
	KUNIT_CASE(compound_keys_are_compared_to_the_last_word),
	KUNIT_CASE(equal_compound_keys_have_equal_bytes),
	KUNIT_CASE(regular_keys_spread_over_the_buckets),
	KUNIT_CASE(a_table_owns_copies),
	KUNIT_CASE(nil_deletes_and_frees),
	KUNIT_CASE(removed_entries_are_used_again),
	KUNIT_CASE(a_small_table_keeps_one_removed_entry),
	KUNIT_CASE(a_full_table_drops_and_counts),
	KUNIT_CASE(inserts_without_memory_are_counted),
	KUNIT_CASE(chains_stay_short_without_memory_for_buckets),
	KUNIT_CASE(add_to_a_missing_entry_starts_at_0),
	KUNIT_CASE(a_table_grows_and_shrinks),
	KUNIT_CASE(globals_own_their_values),
	{}
};

static struct kunit_suite table_suite = {
	.name = "ktap_table",
	.test_cases = table_cases,
};

kunit_test_suite(table_suite);
