// SPDX-License-Identifier: GPL-2.0
/*
 * Built-in functions for output.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/slab.h>

#include "data/agg.h"
#include "data/table.h"
#include "output/format.h"
#include "output/json.h"
#include "output/put.h"
#include "output/record.h"
#include "output/text.h"
#include "vm/builtin.h"
#include "vm/env.h"
#include "vm/global.h"
#include "vm/opcode.h"
#include "vm/ops.h"
#include "vm/output_ops.h"

/* Begin text in process context, which is output piece by piece. */
static int print_begin_text(struct ktap_text *t, struct seq_buf *s, struct ktap_vm *vm)
{
	char *mem = kvmalloc(KTAP_TEXT_BUFFER, KTAP_GFP);

	if (!mem)
		return ktap_vm_error(vm, -ENOMEM, "no memory for output");
	seq_buf_init(s, mem, KTAP_TEXT_BUFFER);
	*t = (struct ktap_text){ .s = s, .vm = vm };
	return 0;
}

static int print_end_text(struct ktap_text *t)
{
	ktap_text_flush(t);
	kvfree(t->s->buffer);
	return t->err;
}

/* Replace events by their text, which is available in their handler only. */
int ktap_make_texts(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	unsigned int i;
	int err;

	for (i = 0; i < n; i++) {
		if (r[i].tag == KTAP_EVENT)
			r[i].tag = KTAP_ARGSTR;
		err = ktap_make_text(vm, &r[i]);
		if (err)
			return err;
	}
	return 0;
}

static int print_put_text(struct ktap_vm *vm, enum ktap_record_type type, struct ktap_value *r,
			  unsigned int n)
{
	struct ktap_text t;
	struct seq_buf s;
	int err;

	err = ktap_make_texts(vm, r, n);
	if (!err && vm->env->json && type == KTAP_REC_PRINT)
		return ktap_json_print(vm, r, n);
	if (!err)
		err = print_begin_text(&t, &s, vm);
	if (err)
		return err;
	if (type == KTAP_REC_PRINT)
		ktap_text_print(&t, r, n);
	else
		ktap_text_printf_args(&t, r, n);
	return print_end_text(&t);
}

/* Put a record of values that are copied as they are; false if that is not possible. */
static bool print_put_plain(struct ktap_vm *vm, enum ktap_record_type type,
			    const struct ktap_format *f, u32 format, const struct ktap_value *args,
			    unsigned int nargs)
{
	size_t size = ktap_record_plain_size(args, nargs, f ? f->len : 0);
	void *rec;

	if (!size)
		return false;
	rec = ktap_put_reserve(vm, size);
	if (rec) {
		ktap_record_write_plain(rec, size, type, format, args, nargs);
		ktap_put_commit(vm, rec);
	}
	return true;
}

static int print_put_record(struct ktap_vm *vm, enum ktap_record_type type, struct ktap_value *r,
			    unsigned int n)
{
	unsigned int i;
	size_t size;
	void *rec;
	int err;

	if (print_put_plain(vm, type, NULL, 0, r, n))
		return 0;
	for (i = 0; i < n; i++) {
		/* The reader of a record does not look up functions. */
		err = r[i].tag == KTAP_FUNC ? ktap_fn_tostring(vm, &r[i], 1) : 0;
		if (err)
			return err;
		if (ktap_is_object(&r[i]))
			return ktap_vm_error(vm, -EINVAL,
					     "print of %s works in trace_begin, trace_end, tick and at the top level; here print its values",
					     ktap_type_name(&r[i]));
	}
	size = ktap_record_size(vm, r, n);
	rec = ktap_put_reserve(vm, size);
	if (!rec)
		return 0;
	ktap_record_write(vm, rec, size, type, r, n);
	ktap_put_commit(vm, rec);
	return 0;
}

static int print_put_out(struct ktap_vm *vm, enum ktap_record_type type, struct ktap_value *r,
			 unsigned int n)
{
	int err;

	err = ktap_vm_charge(vm, 1 + n);
	if (err)
		return err;
	if (vm->level == KTAP_LEVEL_PROCESS)
		err = print_put_text(vm, type, r, n);
	else
		err = print_put_record(vm, type, r, n);
	r[0] = KTAP_VALUE_NIL;
	return err;
}

int ktap_fn_print(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return print_put_out(vm, KTAP_REC_PRINT, r, n);
}

/* The format was split and checked when the program was loaded. */
static int print_put_format(struct ktap_vm *vm, const struct ktap_format *f, u32 format,
			    struct ktap_value *r, unsigned int n)
{
	int err;

	err = ktap_vm_charge(vm, f->cost + 1 + n);
	if (!err && !print_put_plain(vm, KTAP_REC_FORMAT, f, format, r + 1, n - 1))
		err = print_put_record(vm, KTAP_REC_PRINTF, r, n);
	r[0] = KTAP_VALUE_NIL;
	return err;
}

/* The size of a record with the arguments of a split format; 0: its values are not plain. */
static __always_inline size_t print_split_size(const struct ktap_format *f,
					       const struct ktap_value *args, unsigned int nargs)
{
	size_t size = sizeof(struct ktap_record);
	const struct ktap_value *v;
	u32 numbers = f->numbers;

	for (v = args; v < args + nargs; v++, numbers >>= 1) {
		if (v->tag <= KTAP_PTR)
			size += sizeof(struct ktap_record_arg) + sizeof(u64);
		else if (ktap_is_blob(v) && !(numbers & 1))
			size += sizeof(struct ktap_record_arg) + ALIGN((size_t)v->len, 8);
		else
			return 0;
	}
	return size <= f->room ? size : 0;
}

bool ktap_print_split(struct ktap_vm *vm, const struct ktap_format *f, u32 format,
		      struct ktap_value *r, unsigned int nargs)
{
	/* That of the call, and of print_put_format() */
	u64 units = f->cost + 2 + nargs;
	size_t size;
	void *rec;

	if (unlikely(!ktap_is_format(&r[0], f) || vm->level == KTAP_LEVEL_PROCESS ||
		     vm->speculation || vm->budget <= units))
		return false;
	size = print_split_size(f, r + 1, nargs - 1);
	if (unlikely(!size))
		return false;
	vm->budget -= units;
	rec = ktap_out_reserve(vm, size);
	if (likely(rec)) {
		ktap_record_write_plain(rec, size, KTAP_REC_FORMAT, format, r + 1,
					nargs - 1);
		ktap_out_commit(vm, rec);
	}
	r[0] = KTAP_VALUE_NIL;
	return true;
}

int ktap_fn_printf(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	const struct ktap_format *f;
	u32 format;
	int err;

	f = ktap_format_at(vm->env->prog, vm->pc, &r[0], &format);
	if (f && vm->level != KTAP_LEVEL_PROCESS && ktap_format_accepts(f, r, n))
		return print_put_format(vm, f, format, r, n);
	err = ktap_make_text(vm, &r[0]);
	if (!err)
		err = ktap_check_format(vm, "printf", r, n);
	return err ?: print_put_out(vm, KTAP_REC_PRINTF, r, n);
}

#define HIST_ROWS	20

/* Does the value have entries with numbers?  If not, print it as print() does. */
static bool print_has_bars(const struct ktap_value *v)
{
	if (v->tag != KTAP_AGG)
		return true;
	return ktap_agg_keyed(ktap_agg_of(v)) && !ktap_agg_shape(ktap_agg_of(v))->nbuckets;
}

static bool print_is_text(const struct ktap_value *v, const char *text)
{
	return v->len == strlen(text) && !memcmp(ktap_blob_of(v), text, v->len);
}

static int print_read_scale(struct ktap_vm *vm, struct ktap_value *scale, bool *log)
{
	int err;

	err = ktap_make_text(vm, scale);
	if (err)
		return err;
	*log = print_is_text(scale, "log");
	if (*log || print_is_text(scale, "linear"))
		return 0;
	return ktap_vm_error(vm, -EINVAL,
			     "print_hist: the scale is \"linear\" or \"log\", not \"%.*s\"",
			     (int)min_t(u32, scale->len, 32), (const char *)ktap_blob_of(scale));
}

static int print_hist_text(struct ktap_vm *vm, struct ktap_value *r, struct ktap_chart *chart,
			   bool bars)
{
	struct ktap_text t;
	struct seq_buf s;
	int err = print_begin_text(&t, &s, vm);

	if (err)
		return err;
	t.chart = chart;
	if (bars)
		ktap_text_hist(&t, ktap_value_table(&r[0]), ktap_divisor_of(&r[0], 0));
	else
		ktap_text_value(&t, &r[0]);
	ktap_text_put(&t, "\n", 1);
	return print_end_text(&t);
}

int ktap_fn_print_hist(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	bool bars = print_has_bars(&r[0]);
	struct ktap_chart chart = { .rows = bars ? HIST_ROWS : U32_MAX };
	int err = 0;

	if (n > 1)
		chart.rows = clamp_t(s64, r[1].i, 0, U32_MAX);
	if (n > 2)
		err = print_read_scale(vm, &r[2], &chart.log);
	/* In JSON all entries and buckets are shown: the reader draws. */
	if (!err && vm->env->json)
		err = ktap_json_print_hist(vm, r);
	else if (!err)
		err = print_hist_text(vm, r, &chart, bars);
	r[0] = KTAP_VALUE_NIL;
	return err;
}

/* Maximum number of parts of a key: the format and the value are arguments, too. */
#define MAX_PARTS	(KTAP_MAX_ARGS - 2)

/* Make arguments of the parts of a key.  Return their number, or a negative errno. */
static int print_key_parts(struct ktap_vm *vm, const struct ktap_value *key,
			   struct ktap_value *args)
{
	struct ktap_value part;
	size_t pos = 0;
	int n = 0;

	if (key->tag != KTAP_TUPLE) {
		args[0] = *key;
		return 1;
	}
	while (ktap_tuple_next(key, &pos, &part)) {
		if (n == MAX_PARTS)
			return ktap_vm_error(vm, -E2BIG, "printa: a key of more than %d parts",
					     MAX_PARTS);
		args[n++] = part;
	}
	return n;
}

/* Print a line of printa(): @args already has the format and @n - 1 parts of a key. */
static int print_text_item(struct ktap_text *t, struct ktap_value *args, int n,
			   const struct ktap_value *value)
{
	int err;

	args[n] = *value;
	if (value->tag == KTAP_INT && t->divisor > 1)
		args[n].i = div64_s64(value->i, t->divisor);
	err = ktap_check_format(t->vm, "printa", args, n + 1);
	if (!err)
		ktap_text_printf_args(t, args, n + 1);
	/* In JSON each item has a line of its own. */
	if (t->vm->env->json)
		ktap_text_flush(t);
	ktap_text_look_around(t);
	return err ?: t->err;
}

static int print_text_items(struct ktap_text *t, const struct ktap_value *r)
{
	struct ktap_value args[KTAP_MAX_ARGS] = { r[0] };
	struct ktap_table *table = ktap_value_table(&r[1]);
	struct ktap_sorted sorted;
	struct ktap_total total;
	int err, n;
	u32 i;

	/* An aggregation without keys is a single item, unless it is empty. */
	if (r[1].tag == KTAP_AGG && !(table && ktap_table_len(table))) {
		ktap_agg_read(t->vm->env, ktap_agg_of(&r[1]), &total);
		return total.count ? print_text_item(t, args, 1, &r[1]) : 0;
	}
	err = ktap_charge_sort(t->vm, table) ?:
	      ktap_table_sort(t->vm, table, KTAP_BY_VALUE, &sorted);
	if (err)
		return ktap_sort_failed(t->vm, err);
	for (i = 0; i < sorted.n && !err; i++) {
		t->number = sorted.entries[i].numeric ? &sorted.entries[i].number : NULL;
		n = print_key_parts(t->vm, &sorted.entries[i].key, args + 1);
		err = n < 0 ? n : print_text_item(t, args, 1 + n, &sorted.entries[i].value);
	}
	t->number = NULL;
	ktap_sorted_free(&sorted);
	return err;
}

int ktap_fn_printa(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	struct ktap_text t;
	struct seq_buf s;
	int err;

	err = ktap_make_text(vm, &r[0]);
	if (!err)
		err = print_begin_text(&t, &s, vm);
	if (err)
		return err;
	t.divisor = ktap_divisor_of(&r[1], 0);
	err = print_text_items(&t, r);
	r[0] = KTAP_VALUE_NIL;
	return print_end_text(&t) ?: err;
}

int ktap_put_request(struct ktap_vm *vm, enum ktap_channel channel, struct ktap_value *r)
{
	if (vm->level == KTAP_LEVEL_PROCESS)
		return ktap_put_text(vm, channel, ktap_blob_of(r), r->len);
	return print_put_record(vm, ktap_request_of(channel)->type, r, 1);
}

int ktap_fn_cat(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	int err;

	err = ktap_vm_charge(vm, 1) ?: ktap_make_text(vm, &r[0]);
	if (err)
		return err;
	if (!r[0].len)
		return ktap_vm_error(vm, -EINVAL, "cat: the path is empty");
	err = ktap_put_request(vm, KTAP_CH_CAT, r);
	r[0] = KTAP_VALUE_NIL;
	return err;
}

int ktap_fn_dump(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	int err;

	err = ktap_vm_charge(vm, 1);
	if (!err && n)
		err = ktap_make_text(vm, &r[0]);
	if (err)
		return err;
	if (!n || !r[0].len)
		r[0] = KTAP_VALUE_STR("dump()", strlen("dump()"));
	err = ktap_put_request(vm, KTAP_CH_DUMP, r);
	r[0] = KTAP_VALUE_NIL;
	return err;
}

/* Properties of a global, found in the code */
#define GLOBAL_NAMED	BIT(0)		/* a file names it */
#define GLOBAL_FOREIGN	BIT(1)		/* the first file that names it is an included one */
#define GLOBAL_COUNTS	BIT(2)		/* numbers are added to it */

static void print_global_look_at(const struct ktap_program *prog, u32 pc, u8 *known)
{
	const struct ktap_code *insn = &prog->code[pc];

	if (ktap_opdefs[insn->op].d != KTAP_X_GLOBAL)
		return;
	if (insn->op == KTAP_OP_ADDG || insn->op == KTAP_OP_SUM)
		known[insn->d] |= GLOBAL_COUNTS;
	/* Instructions that make the tables of globals have no line. */
	if (!prog->lines || !prog->lines[pc].line || (known[insn->d] & GLOBAL_NAMED))
		return;
	known[insn->d] |= GLOBAL_NAMED;
	if (prog->lines[pc].file)
		known[insn->d] |= GLOBAL_FOREIGN;
}

/* Return the properties by global, to be freed by kvfree(); NULL if there is no memory. */
static u8 *print_globals_look_at(const struct ktap_program *prog)
{
	u8 *known = kvzalloc(prog->nglobals ?: 1, KTAP_GFP);
	u32 pc;

	for (pc = 0; known && pc < prog->ninsns; pc++)
		print_global_look_at(prog, pc, known);
	return known;
}

static void print_global(struct ktap_text *t, const char *name, struct ktap_value *v, u8 known)
{
	/* A counter that was never added to is 0. */
	if (v->tag == KTAP_NIL && (known & GLOBAL_COUNTS))
		*v = KTAP_VALUE_INT(0);
	if (v->tag == KTAP_NIL || v->tag == KTAP_FUNC || (known & GLOBAL_FOREIGN))
		return;
	if (t->vm->env->json)
		t->err = ktap_json_print_variable(t->vm, name, v);
	else
		ktap_text_variable(t, name, v);
}

/* Globals of included files are not printed: only those files know their meaning. */
int ktap_print_globals(struct ktap_vm *vm)
{
	const struct ktap_program *prog = vm->env->prog;
	u8 *known;
	struct ktap_value *r = vm->stack;
	struct ktap_text t;
	struct seq_buf s;
	int err;
	u32 i;

	/* The stack has one value, @r: the arena keeps its memory. */
	vm->error = 0;
	vm->fault.func = NULL;
	vm->top = 1;
	vm->speculation = 0;
	err = print_begin_text(&t, &s, vm);
	if (err)
		return err;
	known = print_globals_look_at(prog);
	for (i = 0; i < prog->nglobals && !t.err; i++) {
		*r = KTAP_VALUE_NIL;
		err = ktap_global_get(vm, i, r);
		if (err)
			break;
		print_global(&t, prog->globals[i], r, known ? known[i] : 0);
	}
	kvfree(known);
	return print_end_text(&t) ?: err;
}
