// SPDX-License-Identifier: GPL-2.0
/*
 * Built-in functions that switch probes.
 */
#include <linux/bitops.h>
#include <linux/errno.h>

#include "vm/builtin.h"
#include "vm/switch.h"

/*
 * Set @def to the probe that a script knows by the number r[0], which is one more: 0 would be
 * false.
 */
static int switch_find(struct ktap_vm *vm, const struct ktap_value *r, const char *name, u32 *def)
{
	const struct ktap_program *prog = vm->env->prog;

	*def = r->u - 1;
	if (r->u - 1 < prog->nprobe_defs && ktap_index(def, prog->nprobe_defs) &&
	    prog->probe_defs[*def].switched)
		return 0;
	return ktap_vm_error(vm, -EINVAL, "%s: %lld is no probe of trace_on()", name, r->i);
}

/* The session's thread looks at the bits after this. */
static void switch_report(struct ktap_env *env)
{
	if (env->condition_changed)
		env->condition_changed(env);
}

int ktap_fn_probe_on(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	struct ktap_env *env = vm->env;
	const char *event;
	u32 def;

	if (switch_find(vm, r, "on", &def))
		return vm->error;
	if (test_bit(def, env->deleted)) {
		event = env->prog->probe_defs[def].event->blob;
		return ktap_vm_error(vm, -ENOENT, "on: the probe of '%s' was deleted", event);
	}
	/* A handler that turns it on at each event only reads. */
	if (!test_bit(def, env->switched_on) && !test_and_set_bit(def, env->switched_on))
		switch_report(env);
	return 0;
}

int ktap_fn_probe_off(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	struct ktap_env *env = vm->env;
	u32 def;

	if (switch_find(vm, r, "off", &def))
		return vm->error;
	if (test_bit(def, env->switched_on) && test_and_clear_bit(def, env->switched_on))
		switch_report(env);
	return 0;
}

int ktap_fn_probe_delete(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	struct ktap_env *env = vm->env;
	u32 def;

	if (switch_find(vm, r, "delete", &def))
		return vm->error;
	if (!test_bit(def, env->deleted) && !test_and_set_bit(def, env->deleted))
		switch_report(env);
	return 0;
}

int ktap_fn_probe_is_on(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	u32 def;

	if (switch_find(vm, r, "is_on", &def))
		return vm->error;
	r[0] = KTAP_VALUE_BOOL(ktap_switch_is_on(vm->env, def));
	return 0;
}
