// SPDX-License-Identifier: GPL-2.0
/*
 * Built-in functions for tests.
 */
#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "output/record.h"
#include "output/tap.h"
#include "vm/builtin.h"
#include "vm/env.h"
#include "vm/output_ops.h"

/* Exit codes of a test, as in kselftest */
#define TAP_EXIT_FAILED		1
#define TAP_EXIT_SKIPPED	4

/* Values that a record shows as they are; others are converted to their text. */
#define TAP_PLAIN	(ktap_bit(NIL) | ktap_bit(BOOL) | ktap_bit(INT) | ktap_bit(PTR) | \
			 ktap_bit(STR))

/* Results that a script can plan, at most */
#define TAP_MAX_PLAN		1000000000

/* Units for a line, besides those of its strings and arguments */
#define TAP_UNITS	4

static int tap_charge(struct ktap_vm *vm, const struct ktap_value *args, unsigned int n)
{
	u32 units = TAP_UNITS + n;
	unsigned int i;

	for (i = 0; i < n; i++)
		units += ktap_is_blob(&args[i]) ? args[i].len / 16 : 0;
	return ktap_vm_charge(vm, units);
}

static void tap_write(struct ktap_vm *vm, struct ktap_record *rec, size_t size,
		      const struct ktap_value *args, unsigned int n)
{
	ktap_record_write(vm, rec, size, KTAP_REC_TAP, args, n);
	rec->format = vm->pc;
}

static int tap_put_in_process(struct ktap_vm *vm, size_t size, const struct ktap_value *args,
			      unsigned int n)
{
	struct ktap_record *rec = kmalloc(size, KTAP_GFP);
	int err;

	if (!rec)
		return ktap_vm_error(vm, -ENOMEM, "no memory for output");
	tap_write(vm, rec, size, args, n);
	err = ktap_out_text(vm, KTAP_CH_RECORD, (const char *)rec, size);
	kfree(rec);
	return err;
}

/*
 * Put a record, also while the handler speculates: a result is a result.  If the record is
 * lost, that is counted, and a result still has its share in the exit code.
 */
static int tap_put(struct ktap_vm *vm, const struct ktap_value *args, unsigned int n)
{
	size_t size;
	void *rec;
	int err;

	err = tap_charge(vm, args, n);
	if (err)
		return err;
	size = ktap_record_size(vm, args, n);
	if (vm->level == KTAP_LEVEL_PROCESS)
		return tap_put_in_process(vm, size, args, n);
	rec = ktap_out_reserve(vm, size);
	if (!rec)
		return 0;
	tap_write(vm, rec, size, args, n);
	ktap_out_commit(vm, rec);
	return 0;
}

/* Make values plain. */
static int tap_make_plain(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < n && !err; i++) {
		if (!(BIT(r[i].tag) & TAP_PLAIN))
			err = ktap_fn_tostring(vm, &r[i], 1);
	}
	return err;
}

/*
 * Output a result: @name is NULL or a register with a string, registers @r[0] to @r[@n - 1]
 * have values that it shows.  Count it only if no error comes before.
 */
static int tap_report(struct ktap_vm *vm, enum ktap_tap_kind kind, struct ktap_value *name,
		      struct ktap_value *r, unsigned int n)
{
	struct ktap_value args[4] = { KTAP_VALUE_INT(kind), KTAP_VALUE_NIL };
	struct ktap_tap *tap = &vm->env->tap;
	int err;

	err = (name ? ktap_make_text(vm, name) : 0) ?: tap_make_plain(vm, r, n);
	if (err)
		return err;
	/* Strings may have moved until here. */
	if (name)
		args[1] = *name;
	memcpy(args + 2, r, n * sizeof(*r));
	atomic_long_inc(&tap->results);
	if (kind == KTAP_TAP_SKIP)
		atomic_long_inc(&tap->skipped);
	else if (kind != KTAP_TAP_OK)
		atomic_long_inc(&tap->failed);
	return tap_put(vm, args, 2 + n);
}

int ktap_fn_test_plan(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	struct ktap_value args[3] = { KTAP_VALUE_INT(KTAP_TAP_PLAN), r[0], KTAP_VALUE_NIL };
	struct ktap_tap *tap = &vm->env->tap;
	int err;

	if (r[0].i < 0 || r[0].i > TAP_MAX_PLAN)
		return ktap_vm_error(vm, -EINVAL,
				     "test.plan takes a number of tests from 0 to %d, not %lld",
				     TAP_MAX_PLAN, r[0].i);
	if (n > 1 && r[0].i)
		return ktap_vm_error(vm, -EINVAL,
				     "test.plan takes a reason only for 0 tests, to skip all");
	/* If the script catches the error, the first plan is valid. */
	if (atomic_long_cmpxchg(&tap->plan, 0, r[0].i + 1))
		return ktap_vm_error(vm, -EINVAL, "test.plan was called before");
	tap->plan_pc = vm->pc;
	if (n > 1)
		args[2] = r[1];
	err = ktap_make_text(vm, &args[2]) ?: tap_put(vm, args, 1 + n);
	r[0] = KTAP_VALUE_NIL;
	return err;
}

int ktap_fn_test_ok(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	bool ok = ktap_is_true(&r[0]);
	int err;

	err = tap_report(vm, ok ? KTAP_TAP_OK : KTAP_TAP_FAILED, n > 1 ? &r[1] : NULL, r, 0);
	r[0] = KTAP_VALUE_BOOL(ok);
	return err;
}

static int tap_compare(struct ktap_vm *vm, struct ktap_value *r, unsigned int n, bool equal)
{
	struct ktap_value *name = n > 2 ? &r[2] : NULL;
	bool ok;
	int err;

	/* The text of an event is equal to a string. */
	err = ktap_make_text(vm, &r[0]) ?: ktap_make_text(vm, &r[1]) ?: tap_charge(vm, r, 2);
	if (err)
		return err;
	ok = ktap_equal(&r[0], &r[1]) == equal;
	if (ok)
		err = tap_report(vm, KTAP_TAP_OK, name, r, 0);
	else if (equal)
		err = tap_report(vm, KTAP_TAP_IS, name, r, 2);
	else
		err = tap_report(vm, KTAP_TAP_SAME, name, r, 1);
	r[0] = KTAP_VALUE_BOOL(ok);
	return err;
}

int ktap_fn_test_is(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return tap_compare(vm, r, n, true);
}

int ktap_fn_test_isnt(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return tap_compare(vm, r, n, false);
}

int ktap_fn_test_skip(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	int err = tap_report(vm, KTAP_TAP_SKIP, &r[0], r + 1, n - 1);

	r[0] = KTAP_VALUE_NIL;
	return err;
}

int ktap_fn_test_diag(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	struct ktap_value args[] = { KTAP_VALUE_INT(KTAP_TAP_DIAG), r[0] };
	int err = ktap_make_text(vm, &args[1]) ?: tap_put(vm, args, ARRAY_SIZE(args));

	r[0] = KTAP_VALUE_NIL;
	return err;
}

/* Find the first instruction that makes a result. */
static bool tap_find(const struct ktap_program *prog, u32 *pc)
{
	for (*pc = 0; *pc < prog->ninsns; ++*pc) {
		const struct ktap_code *insn = &prog->code[*pc];

		if (insn->op == KTAP_OP_CALLB && insn->d >= KTAP_FN_TEST_OK &&
		    insn->d <= KTAP_FN_TEST_SKIP)
			return true;
	}
	return false;
}

/* Is the number of results wrong? */
static bool tap_is_incomplete(const struct ktap_env *env, long plan, long results,
			      struct ktap_diag *diag)
{
	u32 pc;

	if (plan >= 0 && plan != results)
		ktap_diag_at(diag, env->prog, env->tap.plan_pc,
			     "tests planned: %ld, tests run: %ld", plan, results);
	else if (plan < 0 && !results && tap_find(env->prog, &pc))
		ktap_diag_at(diag, env->prog, pc,
			     "no test ran: the script ended before it, or no event came");
	return diag->len;
}

int ktap_tap_end(struct ktap_vm *vm, int code, struct ktap_diag *diag)
{
	struct ktap_env *env = vm->env;
	struct ktap_tap *tap = &env->tap;
	long plan = atomic_long_read(&tap->plan) - 1, results = atomic_long_read(&tap->results);
	struct ktap_value args[] = { KTAP_VALUE_INT(KTAP_TAP_PLAN), KTAP_VALUE_INT(results) };

	if (plan < 0 && results) {
		vm->error = 0;
		tap_put(vm, args, ARRAY_SIZE(args));
	}
	/* After an error the number of results says nothing. */
	if (code)
		return code;
	if (tap_is_incomplete(env, plan, results, diag) || atomic_long_read(&tap->failed))
		return TAP_EXIT_FAILED;
	if ((results || !plan) && results == atomic_long_read(&tap->skipped))
		return TAP_EXIT_SKIPPED;
	return 0;
}
