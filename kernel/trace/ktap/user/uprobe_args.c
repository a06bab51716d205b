// SPDX-License-Identifier: GPL-2.0
/*
 * The data of a place in a user program that scripts read: arguments, names, return value.
 *
 * Handlers cannot fault in memory of the process, but their callers can.  So arguments on
 * the stack, and the memory that an argument of a marker is read from, are read before the
 * handlers run.  Memory that arguments point to is faulted in, if handlers may read it.  The
 * other arguments are in registers, and are read when a handler asks for them.
 */
#include <linux/bits.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "event/registers.h"
#include "host/read_memory.h"
#include "session.h"
#include "user/uprobe_args.h"
#include "vm/builtin.h"

/*
 * The first arguments of a function are in registers.  The others are on its stack,
 * ARGS_ON_STACK words above the stack pointer.  These are the conventions of programs: the
 * kernel has conventions of its own.
 */
#if defined(CONFIG_X86_64)
#define ARGS_IN_REGS		6
#define ARGS_ON_STACK		1
#define COMPAT_ARGS_IN_REGS	0
#elif defined(CONFIG_X86_32)
#define ARGS_IN_REGS		0
#define ARGS_ON_STACK		1
#elif defined(CONFIG_ARM64)
#define ARGS_IN_REGS		8
#define ARGS_ON_STACK		0
#define COMPAT_ARGS_IN_REGS	4
#elif defined(CONFIG_RISCV) || defined(CONFIG_LOONGARCH)
#define ARGS_IN_REGS		8
#define ARGS_ON_STACK		0
#elif defined(CONFIG_S390)
#define ARGS_IN_REGS		5
#define ARGS_ON_STACK		20
#elif defined(CONFIG_PPC)
/*
 * After the header of the frame and, in programs of 64 bits, room for the first eight.  Those of
 * the first convention, which is for big-endian machines, have two more words in the header.
 */
#define ARGS_IN_REGS		8
#define ARGS_ON_STACK		(!IS_ENABLED(CONFIG_PPC64) ? 2 : is_elf2_task() ? 12 : 14)
#define COMPAT_ARGS_ON_STACK	2
#elif defined(CONFIG_ARM)
#define ARGS_IN_REGS		4
#define ARGS_ON_STACK		0
#else
#define ARGS_IN_REGS		(KTAP_HAS_ARGUMENTS ? 4 : 0)
#endif

#ifndef COMPAT_ARGS_IN_REGS
#define COMPAT_ARGS_IN_REGS	ARGS_IN_REGS
#endif
#ifndef COMPAT_ARGS_ON_STACK
#define COMPAT_ARGS_ON_STACK	ARGS_ON_STACK
#endif

static unsigned int uprobe_args_args_in_regs(unsigned int word)
{
	return word == sizeof(long) ? ARGS_IN_REGS : COMPAT_ARGS_IN_REGS;
}

/* Sleeps for a bounded time, which each argument that is in memory has for itself. */
static int uprobe_args_read_memory(void *to, u64 from, size_t size)
{
	if ((unsigned long)from != from)
		return -EFAULT;
	return ktap_copy_user(to, (const void __user *)(unsigned long)from, size, jiffies);
}

#ifdef ARGS_ON_STACK
static bool uprobe_args_stack_argument(struct pt_regs *regs, unsigned int n, unsigned int word,
				       u64 *value)
{
	unsigned int above = word == sizeof(long) ? ARGS_ON_STACK : COMPAT_ARGS_ON_STACK;
	u64 from = user_stack_pointer(regs) + (above + n) * word;
	u32 half;
	int err;

	if (word == sizeof(*value))
		return !uprobe_args_read_memory(value, from, word);
	err = uprobe_args_read_memory(&half, from, word);
	*value = half;
	return !err;
}
#else
static bool uprobe_args_stack_argument(struct pt_regs *regs, unsigned int n, unsigned int word,
				       u64 *value)
{
	return false;
}
#endif

/* Is the location of this argument of functions known? */
static bool uprobe_args_is_known(unsigned int n)
{
#ifdef ARGS_ON_STACK
	return n < KTAP_USER_ARGS;
#else
	return n < min(ARGS_IN_REGS, COMPAT_ARGS_IN_REGS);
#endif
}

/**
 * ktap_user_argument() - Read an argument of a function at its entry
 * @regs: the process's registers
 * @n: number of the argument, from 0
 * @value: set to it
 *
 * Context: the process of @regs; sleeps for a bounded time.
 * Return: false if the argument cannot be read.
 */
bool ktap_user_argument(struct pt_regs *regs, unsigned int n, u64 *value)
{
	unsigned int word = ktap_user_word_size();

	if (n >= uprobe_args_args_in_regs(word))
		return uprobe_args_stack_argument(regs, n - uprobe_args_args_in_regs(word), word,
						  value);
	*value = ktap_argument(regs, n);
	if (word == sizeof(u32))
		*value = (u32)*value;
	return true;
}

/* Return the return value of the function, a word of the process. */
static u64 uprobe_args_returned(const struct ktap_uhit *h)
{
	unsigned long value = ktap_returned(h->regs);

	return ktap_user_word_size() == sizeof(u32) ? (u32)value : value;
}

static bool uprobe_args_marker_argument(const struct ktap_uhit *h, unsigned int n, u64 *value)
{
	const struct ktap_user_place *place = h->at->place;

	return n < place->nargs &&
	       !ktap_usdt_arg_get(&place->args[n], h->regs, ktap_user_pointer_size(),
				  uprobe_args_read_memory, (s64 *)value);
}

/* Does the argument exist, so that it should have been read? */
static bool uprobe_args_should_be_there(const struct ktap_uhit *h, unsigned int n)
{
	const struct ktap_user_place *place = h->at->place;

	if (!h->at->u->marker)
		return uprobe_args_is_known(n);
	return n < place->nargs && place->args[n].kind != KTAP_USDT_ARG_NONE;
}

static void uprobe_args_read(struct ktap_uhit *h, u16 wanted)
{
	const struct ktap_upoint *u = h->at->u;
	unsigned int n;
	bool got;

	for (n = 0; n < KTAP_USER_ARGS; n++) {
		if (!(wanted & BIT(n)))
			continue;
		if (u->marker)
			got = uprobe_args_marker_argument(h, n, &h->args[n]);
		else
			got = ktap_user_argument(h->regs, n, &h->args[n]);
		if (got)
			h->have |= BIT(n);
		else if (uprobe_args_should_be_there(h, n))
			atomic_long_inc(&u->point.probe->session->env.counters.bad_reads);
	}
}

static void uprobe_args_bring_in(const struct ktap_upoint *u, u64 value, unsigned long began)
{
	const char __user *from = (const char __user *)(unsigned long)value;

	/* Most values are not addresses. */
	if (value < PAGE_SIZE || !ktap_is_user_address(value))
		return;
	if (u->strings)
		ktap_bring_in_string(from, KTAP_MAX_STRLEN, began);
	if (u->bytes)
		ktap_bring_in_bytes(from, KTAP_MAX_STRLEN, began);
	if (u->joins)
		ktap_bring_in_strings(from, began);
}

/**
 * ktap_uprobe_bring_in() - Fault in the memory that handlers may read
 * @h: the event, with its arguments; &ktap_upoint.follows is set
 *
 * Context: the process of @h; sleeps for a bounded time.
 * Return: false if the event is not delivered.
 */
bool ktap_uprobe_bring_in(const struct ktap_uhit *h)
{
	const struct ktap_upoint *u = h->at->u;
	unsigned long began = jiffies;
	unsigned int n;

	if (!ktap_delivers(u->point.probe->session))
		return false;
	for (n = 0; n < KTAP_USER_ARGS; n++) {
		if (h->have & BIT(n))
			uprobe_args_bring_in(u, h->args[n], began);
	}
	if (u->ret)
		uprobe_args_bring_in(u, uprobe_args_returned(h), began);
	return true;
}

static noinline bool uprobe_args_prepare(struct ktap_uhit *h)
{
	const struct ktap_upoint *u = h->at->u;

	if (!ktap_delivers(u->point.probe->session))
		return false;
	uprobe_args_read(h, u->wanted & ~h->late);
	return !u->follows || ktap_uprobe_bring_in(h);
}

/**
 * ktap_user_arguments() - Read the arguments that handlers may ask for
 * @h: gets them; it has none
 *
 * An argument that cannot be read is nil, and is counted.  Memory that handlers may read is
 * faulted in.
 * Context: the process of @h; sleeps for a bounded time.
 * Return: false if the event is not delivered.
 */
bool ktap_user_arguments(struct ktap_uhit *h)
{
	const struct ktap_upoint *u = h->at->u;

	if (likely(ktap_user_word_size() == sizeof(long)))
		h->late = u->in_regs;
	return h->late == u->wanted || uprobe_args_prepare(h);
}

enum user_field {
	FIELD_NONE,
	FIELD_NAME,
	FIELD_IP,
	FIELD_PARAM,	/* an argument, by its name in the source */
};

static const char * const field_names[] = {
	[FIELD_NAME]	= "name",
	[FIELD_IP]	= "ip",
};

static const struct ktap_uhit *uprobe_args_uhit_of(const struct ktap_event *ev)
{
	return container_of(ev, struct ktap_uhit, hit.ev);
}

static void uprobe_args_user_name(const struct ktap_event *ev, struct ktap_value *v)
{
	const struct ktap_user_place *place = uprobe_args_uhit_of(ev)->at->place;

	*v = KTAP_VALUE_STR(place->name, place->name_len);
}

static void uprobe_args_get_field(const struct ktap_uhit *h, enum user_field field,
				  struct ktap_value *v)
{
	*v = KTAP_VALUE_NIL;
	if (field == FIELD_NAME)
		uprobe_args_user_name(&h->hit.ev, v);
	else if (field == FIELD_IP)
		*v = KTAP_VALUE_INT(h->ip);
}

static void uprobe_args_user_nth(struct ktap_vm *vm, s64 n, struct ktap_value *v)
{
	uprobe_args_get_field(uprobe_args_uhit_of(vm->event), n == 1 ? FIELD_IP : FIELD_NONE, v);
}

static void uprobe_args_user_arg(struct ktap_vm *vm, u32 n, struct ktap_value *v)
{
	const struct ktap_uhit *h = uprobe_args_uhit_of(vm->event);

	*v = KTAP_VALUE_NIL;
	if (!ktap_index(&n, KTAP_USER_ARGS))
		return;
	if (h->late & BIT(n))
		*v = KTAP_VALUE_INT(ktap_argument(h->regs, n));
	else if (h->have & BIT(n))
		*v = KTAP_VALUE_INT(h->args[n]);
}

static const struct ktap_user_param *uprobe_args_param(const struct ktap_user_place *place,
						       const char *name)
{
	const struct ktap_user_param *param = place->params;

	while (param && strcmp(param->name, name))
		param = param->next;
	return param;
}

/* The upper bytes of a register are not those of a smaller argument. */
static s64 uprobe_args_narrow(s64 value, s8 size)
{
	unsigned int bits = 64 - 8 * abs(size);
	u64 upper = (u64)value << bits;

	return size < 0 ? (s64)upper >> bits : upper >> bits;
}

static void uprobe_args_user_field(struct ktap_vm *vm, u32 index, struct ktap_value *v)
{
	const struct ktap_uhit *h = uprobe_args_uhit_of(vm->event);
	const struct ktap_user_param *param;

	if (h->at->u->fields[index] != FIELD_PARAM)
		return uprobe_args_get_field(h, h->at->u->fields[index], v);
	*v = KTAP_VALUE_NIL;
	param = uprobe_args_param(h->at->place, vm->env->prog->fields[index]->blob);
	if (!param)
		return;
	uprobe_args_user_arg(vm, param->n, v);
	if (v->tag == KTAP_INT)
		v->i = uprobe_args_narrow(v->i, param->size);
}

static void uprobe_args_user_retval(const struct ktap_event *ev, struct ktap_value *v)
{
	const struct ktap_uhit *h = uprobe_args_uhit_of(ev);

	*v = KTAP_VALUE_NIL;
	if (h->at->u->ret)
		*v = KTAP_VALUE_INT(uprobe_args_returned(h));
}

static struct pt_regs *uprobe_args_user_regs(const struct ktap_event *ev)
{
	return uprobe_args_uhit_of(ev)->regs;
}

const struct ktap_event_ops ktap_user_ops = {
	.name = uprobe_args_user_name,
	.field = uprobe_args_user_field,
	.nth = uprobe_args_user_nth,
	.arg = uprobe_args_user_arg,
	.retval = uprobe_args_user_retval,
	.func = uprobe_args_user_name,
	.regs = uprobe_args_user_regs,
};

/* Visitor for ktap_probe_reaches(): record what @insn reads; always continue. */
static bool uprobe_args_note_wanted(const struct ktap_code *insn, void *data)
{
	struct ktap_upoint *u = data;
	u8 reads = ktap_insn_reads(insn);
	u32 n = insn->d, field;

	if (insn->op == KTAP_OP_ARG && n < KTAP_USER_ARGS &&
	    (u->marker || uprobe_args_is_known(n)))
		u->wanted |= BIT(n);
	/*
	 * A bare name in a filter that is also a variable or a built-in value is never an
	 * argument: its meaning would depend on whether there is debug information.
	 */
	if (insn->op == KTAP_OP_FIELD && insn->b != KTAP_NEED_NOTHING)
		u->fields[n] = FIELD_PARAM;
	if (insn->op == KTAP_OP_TGETS) {
		field = u->point.probe->session->env.prog->string_field[n];
		if (field != KTAP_NONE)
			u->fields[field] = FIELD_PARAM;
	}
	u->strings |= reads & KTAP_READS_USER_STRING;
	u->bytes |= reads & KTAP_READS_USER_BYTES;
	u->joins |= reads & KTAP_READS_USER_STRINGS;
	return false;
}

/* Want the arguments of this name; return false if no function has one. */
static bool uprobe_args_want_param(struct ktap_upoint *u, const char *name)
{
	const struct ktap_user_param *param;
	bool found = false;
	unsigned int i;

	for (i = 0; i < u->nplaces; i++) {
		param = uprobe_args_param(u->places[i].place, name);
		if (!param)
			continue;
		found = true;
		if (uprobe_args_is_known(param->n))
			u->wanted |= BIT(param->n);
	}
	return found;
}

/* What are the fields?  Those that may be arguments are marked as such. */
static void uprobe_args_init_fields(struct ktap_upoint *u, const struct ktap_program *prog)
{
	enum user_field field;
	const char *name;
	u32 i;

	for (i = 0; i < prog->nfields; i++) {
		name = prog->fields[i]->blob;
		if (u->fields[i] == FIELD_PARAM && (u->marker || !uprobe_args_want_param(u, name)))
			u->fields[i] = FIELD_NONE;
		for (field = FIELD_NAME; field < ARRAY_SIZE(field_names); field++) {
			if (!strcmp(name, field_names[field]))
				u->fields[i] = field;
		}
		cond_resched();
	}
}

/**
 * ktap_user_init() - Find out what the handlers of a probe may ask for
 * @u: gets the result; @u->ret and @u->marker are set
 * @prog: the program
 *
 * Return: 0 or -ENOMEM.
 */
int ktap_user_init(struct ktap_upoint *u, const struct ktap_program *prog)
{
	const struct ktap_probe *probe = u->point.probe;
	u32 i;

	u->fields = kzalloc(max(prog->nfields, 1), KTAP_GFP);
	if (!u->fields || ktap_probe_reaches(probe, uprobe_args_note_wanted, u))
		return -ENOMEM;
	uprobe_args_init_fields(u, prog);
	u->follows = u->strings || u->bytes || u->joins;
	if (!u->marker && !u->follows)
		u->in_regs = u->wanted & (BIT(uprobe_args_args_in_regs(sizeof(long))) - 1);
	for (i = 0; u->ret && i < KTAP_USER_ARGS; i++) {
		if (u->wanted & BIT(i))
			u->kept[u->nkept++] = i;
	}
	return 0;
}

static bool uprobe_args_user_marker_has(const struct ktap_upoint *u, u32 n)
{
	unsigned int i;

	for (i = 0; i < u->nplaces; i++) {
		if (n < u->places[i].place->nargs)
			return true;
	}
	return false;
}

/* See &ktap_source.has. */
bool ktap_user_has(const struct ktap_point *point, enum ktap_part part, u32 n)
{
	const struct ktap_upoint *u = container_of(point, struct ktap_upoint, point);

	switch (part) {
	case KTAP_PART_FIELD:
		return u->fields[n] != FIELD_NONE;
	case KTAP_PART_ARG:
		return u->marker ? uprobe_args_user_marker_has(u, n) : uprobe_args_is_known(n);
	case KTAP_PART_RETVAL:
		return u->ret;
	case KTAP_PART_REGISTERS:
		return true;
	}
	return false;
}
