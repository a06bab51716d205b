// SPDX-License-Identifier: GPL-2.0
/*
 * Built-in functions that act on the system, and the check that they are allowed.
 */
#include <linux/bits.h>
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/security.h>
#include <linux/signal.h>
#include <linux/string.h>

#include "host/signal.h"
#include "output/record.h"
#include "output/text.h"
#include "vm/env.h"
#include "vm/kernel_call.h"

/* Maximum bytes of a command: a record has room for all of it. */
#define MAX_COMMAND	2048

int ktap_fn_set_retval(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	const struct ktap_event *ev = vm->event;
	struct ktap_value value = r[n - 1];
	int err;

	if (value.tag != KTAP_INT || (n > 1 && r[0].tag != KTAP_EVENT))
		return ktap_vm_error(vm, -EINVAL, "set_retval takes an integer, not %s",
				     ktap_type_name(n > 1 && value.tag == KTAP_INT ? &r[0] :
						    &value));
	if (!ev || !ev->ops->set_retval)
		return ktap_vm_error(vm, -EOPNOTSUPP,
				     "set_retval works at the entry of a function: probe:FUNCTION");
	err = ev->ops->set_retval(vm, value.i);
	r[0] = KTAP_VALUE_NIL;
	return err;
}

/* Names as in kill(1): the numbers differ between machines. */
static const struct {
	const char *name;
	int number;
} signals[] = {
#define SIGNAL(name)	{ #name, SIG##name }
	SIGNAL(HUP), SIGNAL(INT), SIGNAL(QUIT), SIGNAL(ILL), SIGNAL(TRAP), SIGNAL(ABRT),
	SIGNAL(BUS), SIGNAL(FPE), SIGNAL(KILL), SIGNAL(USR1), SIGNAL(SEGV), SIGNAL(USR2),
	SIGNAL(PIPE), SIGNAL(ALRM), SIGNAL(TERM), SIGNAL(CHLD), SIGNAL(CONT), SIGNAL(STOP),
	SIGNAL(TSTP), SIGNAL(TTIN), SIGNAL(TTOU), SIGNAL(URG), SIGNAL(XCPU), SIGNAL(XFSZ),
	SIGNAL(VTALRM), SIGNAL(PROF), SIGNAL(WINCH), SIGNAL(IO), SIGNAL(PWR), SIGNAL(SYS),
#undef SIGNAL
};

/* Return the number of "TERM" or "SIGTERM", 0 if there is no such signal. */
static int act_signal_number(const struct ktap_value *v)
{
	const char *name = ktap_blob_of(v);
	u32 len = v->len;
	unsigned int i;

	if (len > 3 && !memcmp(name, "SIG", 3)) {
		name += 3;
		len -= 3;
	}
	for (i = 0; i < ARRAY_SIZE(signals); i++) {
		if (strlen(signals[i].name) == len && !memcmp(signals[i].name, name, len))
			return signals[i].number;
	}
	return 0;
}

/* Units of deferring a signal to a context that can send it */
#define SIGNAL_COST	8

int ktap_fn_signal(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	int err, number;

	err = ktap_make_text(vm, &r[0]);
	if (err)
		return err;
	if (r[0].tag == KTAP_STR) {
		number = act_signal_number(&r[0]);
		if (!number)
			return ktap_vm_error(vm, -EINVAL, "signal: there is no signal '%.*s'",
					     (int)min_t(u32, r[0].len, 32),
					     (const char *)ktap_blob_of(&r[0]));
	} else {
		if (r[0].i < 1 || r[0].i > _NSIG)
			return ktap_vm_error(vm, -EINVAL, "signal: %lld is none: from 1 to %d",
					     r[0].i, _NSIG);
		number = r[0].i;
	}
	err = ktap_vm_charge(vm, SIGNAL_COST);
	if (err)
		return err;
	err = ktap_signal_current(number);
	if (err)
		atomic_long_inc(&vm->env->counters.lost_signals);
	r[0] = KTAP_VALUE_BOOL(!err);
	return 0;
}

static bool act_is_text(const struct ktap_value *v, const char *text)
{
	return v->len == strlen(text) && !memcmp(ktap_blob_of(v), text, v->len);
}

/* "queue:N".  Return the number, or a negative one if the text is no such thing. */
static int act_read_queue(const struct ktap_value *v)
{
	static const char prefix[] = "queue:";
	const char *p = ktap_blob_of(v), *end = p + v->len;
	unsigned int queue = 0;

	if (v->len < sizeof(prefix) || memcmp(p, prefix, sizeof(prefix) - 1))
		return -EINVAL;
	for (p += sizeof(prefix) - 1; p < end; p++) {
		if (!isdigit(*p))
			return -EINVAL;
		queue = queue * 10 + *p - '0';
		if (queue > KTAP_MAX_QUEUE)
			return -EINVAL;
	}
	return queue;
}

static bool act_read_verdict(const struct ktap_value *v, int *verdict)
{
	if (act_is_text(v, "drop"))
		*verdict = KTAP_PACKET_DROP;
	else if (act_is_text(v, "accept"))
		*verdict = KTAP_PACKET_ACCEPT;
	else
		*verdict = act_read_queue(v);
	return *verdict != -EINVAL;
}

int ktap_fn_verdict(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	const struct ktap_event *ev = vm->event;
	const char *text;
	int err, verdict;

	err = ktap_make_text(vm, &r[0]);
	if (err)
		return err;
	text = ktap_blob_of(&r[0]);
	if (!act_read_verdict(&r[0], &verdict))
		return ktap_vm_error(vm, -EINVAL,
				     "verdict: '%.*s' is not a verdict: use drop, accept or queue:N (0 to 65535)",
				     (int)min_t(u32, r[0].len, 32), text);
	if (!ev || !ev->ops->verdict)
		return ktap_vm_error(vm, -EOPNOTSUPP,
				     "verdict works at packets: packet:in, packet:out, packet:forward");
	r[0] = KTAP_VALUE_NIL;
	return ev->ops->verdict(vm, verdict);
}

/* Refuse an event whose text is empty because it cannot be formatted here, as in NMI. */
static int act_make_command_texts(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	unsigned int i;
	bool event;
	int err;

	for (i = 0; i < n; i++) {
		event = r[i].tag == KTAP_EVENT || r[i].tag == KTAP_ARGSTR;
		err = ktap_make_texts(vm, &r[i], 1);
		if (err)
			return err;
		if (event && !r[i].len)
			return ktap_vm_error(vm, -EOPNOTSUPP,
					     "system: the event has no text here, as in NMI");
	}
	return 0;
}

/* Refuse a command instead of cutting it: a cut command is another command. */
static int act_check_command(struct ktap_vm *vm, const struct ktap_value *command)
{
	if (command->len > MAX_COMMAND)
		return ktap_vm_error(vm, -E2BIG, "system: a command of more than %d bytes",
				     MAX_COMMAND);
	if (memchr(ktap_blob_of(command), '\0', command->len))
		return ktap_vm_error(vm, -EINVAL, "system: a command with a NUL byte");
	if (!command->len)
		return ktap_vm_error(vm, -EINVAL, "system: the command is empty");
	return 0;
}

int ktap_fn_system(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	int err;

	err = act_make_command_texts(vm, r, n);
	if (!err)
		err = ktap_check_format(vm, "system", r, n);
	if (!err)
		err = ktap_fn_format(vm, r, n);
	if (!err)
		err = act_check_command(vm, &r[0]);
	if (!err)
		err = ktap_put_request(vm, KTAP_CH_SYSTEM, r);
	r[0] = KTAP_VALUE_NIL;
	return err;
}

/* Any function of the kernel may act; the list has those that do not. */
static int act_refuse_function(const struct ktap_program *prog, u32 pc, struct ktap_diag *diag)
{
	const char *name = prog->strings[prog->code[pc].d].blob;
	const char *near = ktap_near_kernel_call(name);

	if (near)
		ktap_diag_at(diag, prog, pc,
			     "ffi.C: '%s' is not in the list of functions that need no ktap --unsafe; did you mean '%s'?",
			     name, near);
	else
		ktap_diag_at(diag, prog, pc,
			     "ffi.C: '%s' is not in the list of functions that need no ktap --unsafe (a line 'unsafe' before the chunk)",
			     name);
	return -EPERM;
}

/* All functions that act on the system, by bit of &ktap_program.acts, with their names there */
static const struct {
	const char *name;
	const struct ktap_builtin *fn;
} acting[] = {
	{ "signal",		&ktap_builtins[KTAP_FN_SIGNAL] },
	{ "set_retval",		&ktap_builtins[KTAP_FN_SET_RETVAL] },
	{ "verdict",		&ktap_builtins[KTAP_FN_VERDICT] },
	{ "system",		&ktap_builtins[KTAP_FN_SYSTEM] },
	{ "printk",		&ktap_kernel_calls[KTAP_KERNEL_printk] },
	{ "trace_printk",	&ktap_kernel_calls[KTAP_KERNEL_trace_printk] },
	{ "dump_stack",		&ktap_kernel_calls[KTAP_KERNEL_dump_stack] },
	{ "call",		&ktap_kernel_any },
};

static u32 act_bit(const struct ktap_builtin *fn)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(acting); i++) {
		if (acting[i].fn == fn)
			return BIT(i);
	}
	return 0;
}

/**
 * ktap_acts_text() - Name the functions by which a script can act on the system
 * @acts: &ktap_program.acts
 * @text: gets the names, with commas between them; "" if there are none
 */
void ktap_acts_text(u32 acts, char text[KTAP_ACTS_TEXT])
{
	unsigned int i, n = 0;

	text[0] = '\0';
	for (i = 0; i < ARRAY_SIZE(acting); i++) {
		if (acts & BIT(i))
			n += scnprintf(text + n, KTAP_ACTS_TEXT - n, "%s%s", n ? "," : "",
				       acting[i].name);
	}
}

/* The function that the instruction calls if that acts on the system; or NULL. */
static const struct ktap_builtin *act_acts(const struct ktap_code *insn)
{
	const struct ktap_builtin *fn = ktap_called_function(insn);

	return fn && fn->levels & KTAP_UNSAFE ? fn : NULL;
}

/**
 * ktap_check_unsafe() - Check whether the program may act on the system as it wants
 * @prog: the program, verified; &ktap_program.acts is set if it may
 * @allowed: the session is unsafe
 * @diag: set to the reason if it may not
 *
 * Return: 0; -EINVAL: the chunk does not say that it acts; -EPERM: the session
 * does not allow it, or the kernel is locked down; -EOPNOTSUPP: this kernel cannot.
 */
int ktap_check_unsafe(struct ktap_program *prog, bool allowed, struct ktap_diag *diag)
{
	const struct ktap_builtin *fn;
	u32 pc, acts = 0;

	for (pc = 0; pc < prog->ninsns; pc++) {
		fn = act_acts(&prog->code[pc]);
		if (!fn)
			continue;
		if (!(prog->flags & KTAP_CHUNK_UNSAFE)) {
			ktap_diag_at(diag, prog, pc,
				     "%s can change the running system, but the chunk is not marked as unsafe: compile it again",
				     fn->name);
			return -EINVAL;
		}
		if (!allowed && fn == &ktap_kernel_any)
			return act_refuse_function(prog, pc, diag);
		if (!allowed) {
			ktap_diag_at(diag, prog, pc,
				     "%s can change the running system: to allow it, write ktap --unsafe (a line 'unsafe' before the chunk)",
				     fn->name);
			return -EPERM;
		}
		/* The kernel may have been locked down after the line 'unsafe'. */
		if (security_locked_down(LOCKDOWN_DBG_WRITE_KERNEL)) {
			ktap_diag_at(diag, prog, pc,
				     "%s can change the running system, which a kernel that is locked down never allows",
				     fn->name);
			return -EPERM;
		}
		if (fn == &ktap_builtins[KTAP_FN_SET_RETVAL] && !KTAP_CAN_SET_RETVAL) {
			ktap_diag_at(diag, prog, pc,
				     "set_retval: this kernel was built without CONFIG_KTAP_SET_RETVAL");
			return -EOPNOTSUPP;
		}
		if (fn == &ktap_builtins[KTAP_FN_VERDICT] && !KTAP_CAN_DROP_PACKETS) {
			ktap_diag_at(diag, prog, pc,
				     "verdict: this kernel was built without CONFIG_KTAP_PACKET_VERDICT");
			return -EOPNOTSUPP;
		}
		acts |= act_bit(fn);
	}
	prog->acts = acts;
	return 0;
}
