// SPDX-License-Identifier: GPL-2.0
/*
 * Refuse a script if a handler or filter reads a part that no event of its probe has:
 * a misspelled field, a parameter of an unknown type, the return value at an entry.
 * The error has the position where the script reads it.
 *
 * Only the functions of handlers and filters are checked, and only if they are not
 * called and not used as a value: a shared function may run for any event.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/utsname.h>

#include "data/suggest.h"
#include "event/registers.h"
#include "event/source.h"
#include "load/rewrite.h"
#include "session.h"
#include "vm/builtin.h"
#include "vm/opcode.h"

/* Longer events and names are cut in messages. */
#define EVENT_FORMAT	"%.64s"
#define NAME	"%.40s"

/**
 * struct field_check_fail - an error
 * @pc: the instruction that reads a missing part
 * @text: the message
 */
struct field_check_fail {
	u32 pc;
	char text[256];
};

/**
 * struct field_check - a function that is the handler or filter of probes
 * @s: the session
 * @func: the function
 * @probe: one of these probes
 * @alone: there is no other probe with this function
 * @nevents: number of events of these probes
 * @point: a point of these probes, or NULL
 * @fail: gets the error
 */
struct field_check {
	struct ktap_session *s;
	u32 func;
	const struct ktap_probe *probe;
	bool alone;
	unsigned int nevents;
	const struct ktap_point *point;
	struct field_check_fail *fail;
};

static bool field_check_is_of(const struct field_check *c, const struct ktap_probe *probe)
{
	return probe->handler == c->func || probe->filter == c->func;
}

static void field_check_count(struct field_check *c)
{
	const struct ktap_probe *probe;
	const struct ktap_point *point;

	c->alone = true;
	list_for_each_entry(probe, &c->s->probes, list) {
		if (probe != c->probe && field_check_is_of(c, probe))
			c->alone = false;
	}
	list_for_each_entry(point, &c->s->points, list) {
		if (!field_check_is_of(c, point->probe))
			continue;
		c->point = point;
		c->nevents += point->nevents;
	}
}

static bool field_check_has(const struct field_check *c, enum ktap_part part, u32 n)
{
	const struct ktap_point *point;

	list_for_each_entry(point, &c->s->points, list) {
		if (field_check_is_of(c, point->probe) && point->source->has &&
		    point->source->has(point, part, n))
			return true;
	}
	return false;
}

/* "sched:sched_switch has no", or "no event of 'sched:*' has" with @article */
static int field_check_subject(struct field_check *c, const char *article)
{
	char *text = c->fail->text;
	size_t size = sizeof(c->fail->text);

	if (!c->alone)
		return scnprintf(text, size, "none of these %u events has%s", c->nevents, article);
	if (c->nevents > 1)
		return scnprintf(text, size, "no event of '" EVENT_FORMAT "' has%s",
				 c->probe->event, article);
	return scnprintf(text, size, EVENT_FORMAT " has no", c->probe->event);
}

static void field_check_near(struct field_check *c, struct ktap_suggest *near, bool bare)
{
	const struct ktap_program *prog = c->s->env.prog;
	const struct ktap_point *point;
	u32 i;

	list_for_each_entry(point, &c->s->points, list) {
		if (field_check_is_of(c, point->probe) && point->source->near)
			point->source->near(point, near);
		cond_resched();
	}
	for (i = 0; i < prog->nglobals && bare; i++)
		ktap_suggest_look(near, prog->globals[i]);
}

/* Set the message for a missing field; return false. */
static bool field_check_no_field(struct field_check *c, u32 field, bool bare)
{
	const char *name = c->s->env.prog->fields[field]->blob, *advice = NULL;
	char *text = c->fail->text;
	size_t size = sizeof(c->fail->text);
	struct ktap_suggest near;
	int len;

	len = field_check_subject(c, " a");
	len += scnprintf(text + len, size - len, " field '" NAME "'", name);
	if (bare)
		len += scnprintf(text + len, size - len, ", and there is no variable '" NAME "'",
				 name);
	ktap_suggest_begin(&near, name);
	field_check_near(c, &near, bare);
	if (!strcmp(name, "retval") && field_check_has(c, KTAP_PART_RETVAL, 0))
		advice = "write retval alone";
	else if (!near.best && c->point && c->point->source->advice)
		advice = c->point->source->advice(c->point);
	if (near.best)
		scnprintf(text + len, size - len, "; did you mean '" NAME "'?", near.best);
	else if (advice)
		scnprintf(text + len, size - len, ": %s", advice);
	return false;
}

static bool field_check_field(struct field_check *c, u32 field, bool bare)
{
	return field_check_has(c, KTAP_PART_FIELD, field) || field_check_no_field(c, field, bare);
}

static bool field_check_arg(struct field_check *c, u32 arg)
{
	char *text = c->fail->text;
	size_t size = sizeof(c->fail->text);
	u32 n = 0;
	int len;

	if (field_check_has(c, KTAP_PART_ARG, arg))
		return true;
	len = field_check_subject(c, "");
	while (n < arg && field_check_has(c, KTAP_PART_ARG, n))
		n++;
	if (n)
		scnprintf(text + len, size - len, " arg%u: the last one is arg%u", arg, n - 1);
	else
		scnprintf(text + len, size - len, " arguments, so no arg%u", arg);
	return false;
}

static bool field_check_retval(struct field_check *c)
{
	char *text = c->fail->text;
	size_t size = sizeof(c->fail->text);
	int len;

	if (field_check_has(c, KTAP_PART_RETVAL, 0))
		return true;
	len = field_check_subject(c, "");
	scnprintf(text + len, size - len,
		  " 'retval': only returns of functions and of system calls have one");
	return false;
}

/* Is there such a register?  A name that is not a constant is looked up when it is used. */
static bool field_check_register_name(struct field_check *c, const struct ktap_code *call)
{
	const struct ktap_program *prog = c->s->env.prog;
	const struct ktap_code *name = call - 1;

	if (call == prog->code || name->op != KTAP_OP_STR || name->a != call->a ||
	    ktap_register_offset(prog->strings[name->d].blob) >= 0)
		return true;
	scnprintf(c->fail->text, sizeof(c->fail->text),
		  "this machine (%s) has no register '" NAME "'", init_uts_ns.name.machine,
		  (const char *)prog->strings[name->d].blob);
	return false;
}

static bool field_check_register(struct field_check *c, const struct ktap_code *call)
{
	char *text = c->fail->text;
	size_t size = sizeof(c->fail->text);
	int len;

	if (field_check_has(c, KTAP_PART_REGISTERS, 0))
		return field_check_register_name(c, call);
	len = field_check_subject(c, "");
	scnprintf(text + len, size - len,
		  " registers: the entry of one function has them, events of programs, samples and watches");
	return false;
}

static bool field_check_call(struct field_check *c, const struct ktap_code *call)
{
	u8 reads = ktap_insn_reads(call);

	if (reads & KTAP_READS_RETVAL)
		return field_check_retval(c);
	if (reads & KTAP_READS_REGISTERS)
		return field_check_register(c, call);
	return true;
}

/* Does the first register hold the event until the function ends? */
static bool field_check_keeps_event(const struct ktap_program *prog, const struct ktap_func *f)
{
	const struct ktap_code *insn = prog->code + f->first, *end = insn + f->ninsns;

	if (!f->nparams)
		return false;
	for (; insn < end; insn++) {
		u8 op = insn->op == KTAP_OP_PRINTF ? KTAP_OP_CALLB : insn->op;
		u8 a = ktap_opdefs[op].a;

		if (insn->a == 0 && insn->op != KTAP_OP_RET && a != KTAP_X_NONE &&
		    a != KTAP_X_READ)
			return false;
	}
	return true;
}

/* Does the handler have an instruction that reads what @other does? */
static bool field_check_handler_reads(const struct field_check *c, const struct ktap_code *other)
{
	const struct ktap_program *prog = c->s->env.prog;
	const struct ktap_func *handler = &prog->funcs[c->probe->handler];
	const struct ktap_code *insn = prog->code + handler->first, *end = insn + handler->ninsns;

	for (; insn < end; insn++) {
		if (insn->op == other->op && insn->d == other->d)
			return true;
	}
	return false;
}

/*
 * A name of a filter that is a field here, and also a variable or a built-in value:
 * the handler must not read the latter by the same name.
 */
static bool field_check_one_meaning(struct field_check *c, const struct ktap_code *field,
				    const struct ktap_code *other)
{
	const struct ktap_program *prog = c->s->env.prog;
	const char *name = prog->fields[field->d]->blob;
	char *text = c->fail->text;
	size_t size = sizeof(c->fail->text);
	int len;

	if (c->func != c->probe->filter || other->a != field->a ||
	    !field_check_handler_reads(c, other))
		return true;
	len = scnprintf(text, size,
			"'" NAME "' is a field of " EVENT_FORMAT " in this filter, but ", name,
			c->alone ? c->probe->event : "an event");
	if (other->op == KTAP_OP_GETG)
		scnprintf(text + len, size - len,
			  "a variable in the handler: write args." NAME ", or rename the variable",
			  name);
	else
		scnprintf(text + len, size - len,
			  "a built-in value in the handler: write args." NAME " or " NAME "()",
			  name, name);
	return false;
}

/*
 * A field may be missing if the script has an alternative, like a variable in a filter.
 * If an event has the field, advance *@pc to the end of the alternative.
 */
static bool field_check_with_alternative(struct field_check *c, u32 *pc)
{
	const struct ktap_program *prog = c->s->env.prog;
	const struct ktap_code *field = &prog->code[*pc], *test = field + 1;

	if (!field_check_has(c, KTAP_PART_FIELD, field->d))
		return true;
	if (*pc + 2 >= prog->ninsns || test->op != KTAP_OP_JNNIL || test->a != field->a ||
	    test->d <= 0)
		return true;
	*pc += 1 + test->d;
	return field_check_one_meaning(c, field, test + 1);
}

/* Does the part exist that instruction *@pc reads?  Advance *@pc past an alternative. */
static bool field_check_insn(struct field_check *c, u32 *pc, bool keeps_event)
{
	const struct ktap_program *prog = c->s->env.prog;
	const struct ktap_code *insn = &prog->code[*pc];
	u32 field;

	switch (insn->op) {
	case KTAP_OP_FIELD:
		if (insn->b != KTAP_NEED_NOTHING)
			return field_check_field(c, insn->d, insn->b == KTAP_NEED_NAME);
		return field_check_with_alternative(c, pc);
	case KTAP_OP_TGETS:
		field = prog->string_field[insn->d];
		return !keeps_event || insn->b || field == KTAP_NONE ||
		       field_check_field(c, field, false);
	case KTAP_OP_ARG:
		return field_check_arg(c, insn->d);
	case KTAP_OP_CALLB:
		return field_check_call(c, insn);
	default:
		return true;
	}
}

/* A function value that is only passed to probe() is not shared. */
static bool field_check_registers(const struct ktap_program *prog, u32 pc)
{
	const struct ktap_code *func = &prog->code[pc], *call = func + 1;

	return pc + 1 < prog->ninsns && call->op == KTAP_OP_CALLB &&
	       call->d == KTAP_FN_PROBE && call->a + 1 == func->a;
}

static bool field_check_is_shared(const struct ktap_program *prog, u32 func)
{
	const struct ktap_code *insn;
	u32 pc;

	for (pc = 0; pc < prog->ninsns; pc++) {
		insn = &prog->code[pc];
		if (ktap_opdefs[insn->op].d == KTAP_X_FUNC && insn->d == func &&
		    (insn->op != KTAP_OP_FUNC || !field_check_registers(prog, pc)))
			return true;
	}
	return false;
}

/* Return -ENOENT if @func reads a part that no event has; -EINTR if the session ends. */
static int field_check_func(struct ktap_session *s, const struct ktap_probe *probe, u32 func,
			    struct field_check_fail *fail)
{
	const struct ktap_program *prog = s->env.prog;
	struct field_check c = { .s = s, .func = func, .probe = probe, .fail = fail };
	const struct ktap_func *f;
	bool keeps_event;
	u32 pc;

	if (func == KTAP_NONE || field_check_is_shared(prog, func))
		return 0;
	field_check_count(&c);
	f = &prog->funcs[func];
	keeps_event = field_check_keeps_event(prog, f);
	for (pc = f->first; pc < f->first + f->ninsns; pc++) {
		/* field_check_has() may search many events. */
		cond_resched();
		if (ktap_unloads(s))
			return -EINTR;
		fail->pc = pc;
		if (!field_check_insn(&c, &pc, keeps_event))
			return -ENOENT;
	}
	return 0;
}

static int field_check_probe(struct ktap_session *s, struct ktap_probe *probe,
			     struct field_check_fail *fail)
{
	struct ktap_probe *other;

	list_for_each_entry(other, &s->probes, list) {
		if (other->handler == probe->handler && other->filter == probe->filter)
			other->checked = true;
	}
	probe->checked = true;
	return field_check_func(s, probe, probe->filter, fail) ?:
	       field_check_func(s, probe, probe->handler, fail);
}

/**
 * ktap_field_check_probe() - Check the parts of its events that a probe reads
 * @vm: for errors; &ktap_session.refused_at gets the instruction
 * @probe: the probe, not yet in the list of the session
 * @def: the index of its probe definition
 *
 * The probe definitions of one statement follow each other and share a handler: they
 * are checked together, with the last one.
 * Context: process, &ktap_session.lock held.
 * Return: 0, or a negative errno with the error set in @vm.
 */
int ktap_field_check_probe(struct ktap_vm *vm, struct ktap_probe *probe, u32 def)
{
	const struct ktap_program *prog = vm->env->prog;
	struct ktap_session *s = ktap_session_of(vm);
	struct field_check_fail fail;
	u32 i;
	int err;

	lockdep_assert_held(&s->lock);
	for (i = def + 1; i < prog->nprobe_defs; i++) {
		if (prog->probe_defs[i].handler == probe->handler)
			return 0;
	}
	err = field_check_probe(s, probe, &fail);
	if (err == -EINTR)
		return ktap_vm_error(vm, err, "the session ends");
	if (!err)
		return 0;
	s->refused_at = fail.pc;
	return ktap_vm_error(vm, err, "%s", fail.text);
}

/**
 * ktap_field_check_rest() - Check the probes that ktap_field_check_probe() left out
 * @s: the session, its lock held; the top level has ended
 *
 * Return: 0, or a negative errno with the reason in &ktap_session.diag.
 */
int ktap_field_check_rest(struct ktap_session *s)
{
	struct field_check_fail fail;
	struct ktap_probe *probe;
	int err;

	lockdep_assert_held(&s->lock);
	list_for_each_entry(probe, &s->probes, list) {
		if (probe->checked)
			continue;
		err = field_check_probe(s, probe, &fail);
		if (err == -EINTR)
			ktap_diag(&s->diag, "the task that loads the script was killed");
		else if (err)
			ktap_diag_at(&s->diag, s->env.prog, fail.pc, "%s", fail.text);
		if (err)
			return err;
	}
	return 0;
}

/* Is @probe the first one with this filter or handler? */
static bool field_check_is_first(const struct ktap_session *s, const struct ktap_probe *probe,
				 u32 func)
{
	const struct ktap_probe *other;

	list_for_each_entry(other, &s->probes, list) {
		if (other->filter == func || other->handler == func)
			return other == probe;
	}
	return true;
}

static void field_check_skip_func(struct ktap_session *s, const struct ktap_probe *probe, u32 func)
{
	const struct field_check c = { .s = s, .func = func, .probe = probe };
	struct ktap_program *prog = s->env.prog;
	struct ktap_func *f;
	u32 pc;

	if (func == KTAP_NONE || !field_check_is_first(s, probe, func) ||
	    field_check_is_shared(prog, func))
		return;
	f = &prog->funcs[func];
	for (pc = f->first; pc < f->first + f->ninsns; pc++) {
		cond_resched();
		if (prog->code[pc].op == KTAP_OP_FIELD && !ktap_unloads(s) &&
		    !field_check_has(&c, KTAP_PART_FIELD, prog->code[pc].d))
			ktap_rewrite_missing_field(prog, f, pc);
	}
}

/**
 * ktap_field_check_skip() - Do not look for fields at events of which none has them
 * @s: the session, its lock held; all its probes are registered, none is attached
 *
 * In a filter, a name that is a built-in value or a variable may be a field of the event.
 */
void ktap_field_check_skip(struct ktap_session *s)
{
	struct ktap_probe *probe;

	lockdep_assert_held(&s->lock);
	list_for_each_entry(probe, &s->probes, list) {
		field_check_skip_func(s, probe, probe->filter);
		field_check_skip_func(s, probe, probe->handler);
	}
}
