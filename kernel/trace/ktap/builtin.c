// SPDX-License-Identifier: GPL-2.0
/*
 * The table of built-in functions, and those that need nothing but values.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "builtin.h"
#include "output.h"
#include "table.h"

/* Text made in process context, given away piece by piece. */
static int begin_text(struct ktap_text *t, struct seq_buf *s, struct ktap_vm *vm)
{
	char *mem = kvmalloc(KTAP_TEXT_BUFFER, GFP_KERNEL_ACCOUNT);

	if (!mem)
		return ktap_vm_error(vm, -ENOMEM, "no memory for output");
	seq_buf_init(s, mem, KTAP_TEXT_BUFFER);
	*t = (struct ktap_text){ .s = s, .vm = vm };
	return 0;
}

static int end_text(struct ktap_text *t)
{
	ktap_text_flush(t);
	kvfree(t->s->buffer);
	return t->err;
}

/* Events have no text but in their handler: in process context it is made now. */
static int make_texts(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
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

static int put_text(struct ktap_vm *vm, enum ktap_record_type type, struct ktap_value *r,
		    unsigned int n)
{
	struct ktap_text t;
	struct seq_buf s;
	int err;

	err = make_texts(vm, r, n);
	if (!err)
		err = begin_text(&t, &s, vm);
	if (err)
		return err;
	if (type == KTAP_REC_PRINT)
		ktap_text_print(&t, r, n);
	else
		ktap_text_printf_args(&t, r, n);
	return end_text(&t);
}

static int put_record(struct ktap_vm *vm, enum ktap_record_type type, const struct ktap_value *r,
		      unsigned int n)
{
	unsigned int i;
	size_t size;
	void *rec;

	for (i = 0; i < n; i++) {
		if (r[i].tag == KTAP_TABLE)
			return ktap_vm_error(vm, -EINVAL,
					     "print of a table works in trace_begin, trace_end, tick and at the top level; here print its values");
	}
	size = ktap_record_size(vm, r, n);
	rec = ktap_out_reserve(vm, size);
	if (!rec)
		return 0;
	ktap_record_write(vm, rec, size, type, r, n);
	ktap_out_commit(vm, rec);
	return 0;
}

static int put_out(struct ktap_vm *vm, enum ktap_record_type type, struct ktap_value *r,
		   unsigned int n)
{
	int err;

	err = ktap_vm_charge(vm, 1 + n);
	if (err)
		return err;
	if (vm->level == KTAP_LEVEL_PROCESS)
		err = put_text(vm, type, r, n);
	else
		err = put_record(vm, type, r, n);
	r[0] = KTAP_VALUE_NIL;
	return err;
}

static int fn_print(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return put_out(vm, KTAP_REC_PRINT, r, n);
}

static int fn_printf(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	int err;

	err = ktap_make_text(vm, &r[0]);
	if (!err)
		err = ktap_check_format(vm, r, n);
	return err ?: put_out(vm, KTAP_REC_PRINTF, r, n);
}

#define HIST_ROWS	20

static int fn_print_hist(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	struct ktap_table *table = r[0].table;
	u32 rows = HIST_ROWS;
	struct ktap_text t;
	struct seq_buf s;
	int err, err2;

	if (n > 1)
		rows = clamp_t(s64, r[1].i, 0, U32_MAX);
	err = begin_text(&t, &s, vm);
	if (err)
		return err;
	err = ktap_text_hist(&t, table, rows);
	err2 = end_text(&t);
	r[0] = KTAP_VALUE_NIL;
	if (err == -ENOMEM)
		return ktap_vm_error(vm, err, "no memory to sort the table");
	return err2;
}

int ktap_print_globals(struct ktap_vm *vm)
{
	const struct ktap_program *prog = vm->env->prog;
	struct ktap_value *r = vm->stack;
	struct ktap_text t;
	struct seq_buf s;
	int err;
	u32 i;

	/* The arena keeps what stack value 0 refers to. */
	vm->error = 0;
	vm->top = 1;
	err = begin_text(&t, &s, vm);
	if (err)
		return err;
	for (i = 0; i < prog->nglobals && !t.err; i++) {
		*r = KTAP_VALUE_NIL;
		err = ktap_global_get(vm, i, r);
		if (err)
			break;
		if (r->tag != KTAP_NIL && r->tag != KTAP_FUNC)
			ktap_text_variable(&t, prog->globals[i], r);
	}
	return end_text(&t) ?: err;
}

static int fn_count(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	struct ktap_value one = KTAP_VALUE_INT(1);
	int err;

	if (r[1].tag == KTAP_NIL)
		return ktap_vm_error(vm, -EINVAL, "nil cannot be a table key");
	err = ktap_make_text(vm, &r[1]);
	if (!err)
		err = ktap_table_add(vm, r[0].table, &r[1], n > 2 ? &r[2] : &one);
	r[0] = KTAP_VALUE_NIL;
	return err;
}

static int fn_len(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	int err;

	err = ktap_make_text(vm, &r[0]);
	if (err)
		return err;
	r[0] = KTAP_VALUE_INT(r[0].tag == KTAP_TABLE ? ktap_table_len(r[0].table) : r[0].len);
	return 0;
}

static int fn_clear(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	int err;

	err = ktap_vm_charge(vm, ktap_table_len(r[0].table) / 8);
	if (err)
		return err;
	ktap_table_clear(vm, r[0].table);
	r[0] = KTAP_VALUE_NIL;
	return 0;
}

/* Text of what is no string yet. */
static int format_value(struct ktap_vm *vm, struct ktap_value *r, size_t room)
{
	struct ktap_text t;
	struct seq_buf s;
	char *mem;

	/* It must not move between: what it is made of stands in a register too. */
	mem = ktap_arena_alloc(vm, room);
	if (!mem)
		return vm->error;
	seq_buf_init(&s, mem, room);
	t = (struct ktap_text){ .s = &s };
	ktap_text_value(&t, r);
	if (seq_buf_has_overflowed(&s))
		atomic_long_inc(&vm->env->counters.cut_strings);
	ktap_arena_trim(vm, mem, seq_buf_used(&s));
	*r = KTAP_VALUE_STR(mem, seq_buf_used(&s));
	return 0;
}

static bool has_stack(const struct ktap_value *tuple)
{
	struct ktap_value part;
	size_t pos = 0;

	while (ktap_tuple_next(tuple, &pos, &part)) {
		if (part.tag == KTAP_KSTACK || part.tag == KTAP_USTACK)
			return true;
	}
	return false;
}

static int fn_tostring(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	const char *name;

	switch (r[0].tag) {
	case KTAP_STR:
		return 0;
	case KTAP_ARGSTR:
		return ktap_make_text(vm, &r[0]);
	case KTAP_EVENT:
		return ktap_event_text(vm, &r[0]);
	case KTAP_TABLE:
		r[0] = KTAP_VALUE_STR("table", 5);
		return 0;
	case KTAP_FUNC:
		name = vm->env->prog->funcs[r[0].u].name;
		r[0] = KTAP_VALUE_STR(name, strlen(name));
		return 0;
	case KTAP_TUPLE:
	case KTAP_KSTACK:
	case KTAP_USTACK:
		/* Symbols are looked up where that is allowed to take time. */
		if (vm->level == KTAP_LEVEL_PROCESS)
			return format_value(vm, r, KTAP_MAX_STRLEN);
		if (r[0].tag == KTAP_TUPLE && !has_stack(&r[0]))
			return format_value(vm, r, 1024);
		return ktap_vm_error(vm, -EINVAL,
				     "tostring of a stack works in trace_begin, trace_end, tick and at the top level");
	default:
		return format_value(vm, r, 32);
	}
}

static int fn_argstr(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = vm->event ? (struct ktap_value){ .tag = KTAP_ARGSTR } : KTAP_VALUE_NIL;
	return 0;
}

static int fn_probename(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_NIL;
	if (vm->event && vm->event->ops->name)
		vm->event->ops->name(vm->event, &r[0]);
	return 0;
}

static int fn_probefunc(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_NIL;
	if (vm->event && vm->event->ops->func)
		vm->event->ops->func(vm->event, &r[0]);
	return 0;
}

static int fn_retval(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_NIL;
	if (vm->event && vm->event->ops->retval)
		vm->event->ops->retval(vm->event, &r[0]);
	return 0;
}

static int fn_event_field(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	s64 field = r[1].i;

	r[0] = KTAP_VALUE_NIL;
	if (vm->event && vm->event->ops->nth)
		vm->event->ops->nth(vm, field, &r[0]);
	return vm->error;
}

#define ANY		GENMASK(KTAP_NR_TAGS - 1, 0)
#define NIL		ktap_bit(NIL)
#define INT		ktap_bit(INT)
#define STRING		(ktap_bit(STR) | ktap_bit(ARGSTR))
#define TABLE		ktap_bit(TABLE)
#define KEY		(ktap_bit(NIL) | ktap_bit(BOOL) | INT | ktap_bit(PTR) | STRING | \
			 ktap_bit(TUPLE) | ktap_bit(KSTACK) | ktap_bit(USTACK))

#define VALUE(id, _name, _fn, _result)			\
	[KTAP_FN_##id] = {				\
		.name = _name,				\
		.fn = _fn,				\
		.levels = KTAP_ANYWHERE,		\
		.result = _result,			\
	}

const struct ktap_builtin ktap_builtins[KTAP_NR_FUNCTIONS] = {
	VALUE(PID,		"pid",		ktap_fn_pid,		INT),
	VALUE(TID,		"tid",		ktap_fn_tid,		INT),
	VALUE(PPID,		"ppid",		ktap_fn_ppid,		INT),
	VALUE(UID,		"uid",		ktap_fn_uid,		INT),
	VALUE(GID,		"gid",		ktap_fn_gid,		INT),
	VALUE(CPU,		"cpu",		ktap_fn_cpu,		INT),
	VALUE(NUMA_NODE,	"numa_node",	ktap_fn_numa_node,	INT),
	VALUE(EXECNAME,		"execname",	ktap_fn_execname,	STRING),
	VALUE(NSECS,		"nsecs",	ktap_fn_nsecs,		INT),
	VALUE(ELAPSED,		"elapsed",	ktap_fn_elapsed,	INT),
	VALUE(CGROUP,		"cgroup",	ktap_fn_cgroup,		INT | NIL),
	VALUE(RAND,		"rand",		ktap_fn_rand,		INT),
	VALUE(PROBENAME,	"probename",	fn_probename,		STRING | NIL),
	VALUE(PROBEFUNC,	"probefunc",	fn_probefunc,		STRING | NIL),
	VALUE(ARGSTR,		"argstr",	fn_argstr,		STRING | NIL),
	VALUE(RETVAL,		"retval",	fn_retval,		ANY),
	VALUE(CURTASK,		"curtask",	ktap_fn_curtask,	ktap_bit(PTR)),
	[KTAP_FN_KSTACK] = {
		.name = "kstack",
		.fn = ktap_fn_kstack,
		.max = 1,
		.levels = KTAP_ANYWHERE,
		.args = { INT },
		.result = ktap_bit(KSTACK) | NIL,
	},
	[KTAP_FN_USTACK] = {
		.name = "ustack",
		.fn = ktap_fn_ustack,
		.max = 1,
		.levels = KTAP_ANYWHERE,
		.args = { INT },
		.result = ktap_bit(USTACK) | NIL,
	},
	[KTAP_FN_SCRIPTARG] = {
		.name = "arg",
		.fn = ktap_fn_scriptarg,
		.min = 1,
		.max = 1,
		.levels = KTAP_ANYWHERE,
		.args = { INT },
		.result = INT | STRING | NIL,
	},
	[KTAP_FN_TRACE] = {
		.name = "trace",
		.fn = ktap_fn_trace,
		.min = 1,
		.max = 1,
		.levels = KTAP_IN_PROCESS,
		.args = { INT },
		.result = ANY,
	},
	[KTAP_FN_PROBE] = {
		.name = "kdebug.probe",
		.fn = ktap_fn_probe,
		.min = 2,
		.max = 2,
		.levels = KTAP_IN_PROCESS,
		.args = { STRING, ktap_bit(FUNC) },
		.result = ANY,
	},
	[KTAP_FN_PRINT] = {
		.name = "print",
		.fn = fn_print,
		.max = KTAP_MAX_ARGS,
		.levels = KTAP_ANYWHERE,
		.result = NIL,
	},
	[KTAP_FN_PRINTF] = {
		.name = "printf",
		.fn = fn_printf,
		.min = 1,
		.max = KTAP_MAX_ARGS,
		.levels = KTAP_ANYWHERE,
		.args = { STRING },
		.result = NIL,
	},
	[KTAP_FN_PRINT_HIST] = {
		.name = "print_hist",
		.fn = fn_print_hist,
		.min = 1,
		.max = 2,
		.levels = KTAP_IN_PROCESS,
		.args = { TABLE, INT },
		.result = NIL,
	},
	[KTAP_FN_COUNT] = {
		.name = "count",
		.fn = fn_count,
		.min = 2,
		.max = 3,
		.levels = KTAP_ANYWHERE,
		.args = { TABLE, KEY, INT | NIL },
		.result = NIL,
	},
	[KTAP_FN_LEN] = {
		.name = "len",
		.fn = fn_len,
		.min = 1,
		.max = 1,
		.levels = KTAP_ANYWHERE,
		.args = { TABLE | STRING },
		.result = INT,
	},
	[KTAP_FN_CLEAR] = {
		.name = "clear",
		.fn = fn_clear,
		.min = 1,
		.max = 1,
		.levels = KTAP_ANYWHERE,
		.args = { TABLE },
		.result = NIL,
	},
	[KTAP_FN_TOSTRING] = {
		.name = "tostring",
		.fn = fn_tostring,
		.min = 1,
		.max = 1,
		.levels = KTAP_ANYWHERE,
		.result = STRING,
	},
	[KTAP_FN_EVENT_FIELD] = {
		.name = "field",
		.fn = fn_event_field,
		.min = 2,
		.max = 2,
		.levels = KTAP_ANYWHERE,
		.args = { ktap_bit(EVENT), INT },
		.result = ANY,
	},
	[KTAP_FN_EXIT] = {
		.name = "exit",
		.fn = ktap_fn_exit,
		.max = 1,
		.levels = KTAP_ANYWHERE,
		.args = { INT },
		.result = NIL,
	},
};
