// SPDX-License-Identifier: GPL-2.0
/*
 * Options of a script: their values, and getopt(), which returns these.
 *
 * The chunk has the names of the options, so that an unknown option is refused before
 * the script runs.  The type of the default value that is passed to getopt() is the type
 * of the option.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "data/suggest.h"
#include "lib/getopt.h"
#include "vm/builtin.h"
#include "vm/env.h"
#include "vm/integer.h"

/* The value of an option that was given without one */
static const char no_value[] = "";

static u32 getopt_find(const struct ktap_program *prog, const char *name, size_t len)
{
	u32 i;

	for (i = 0; i < prog->noptions; i++) {
		if (strlen(prog->options[i]) == len && !memcmp(prog->options[i], name, len))
			break;
	}
	return i;
}

/* Return the option most similar to @name among those that are not listed yet. */
static u32 getopt_nearest(const struct ktap_program *prog, const char *name, const bool *listed)
{
	u32 i, steps, least = U32_MAX, best = 0;

	for (i = 0; i < prog->noptions; i++) {
		if (listed[i])
			continue;
		steps = ktap_distance(prog->options[i], name);
		if (steps < least) {
			least = steps;
			best = i;
		}
	}
	return best;
}

static int getopt_unknown_option(const struct ktap_program *prog, const char *name, size_t len,
				 struct ktap_diag *diag)
{
	char given[KTAP_MAX_NEAR + 1], known[256] = "";
	bool listed[KTAP_MAX_OPTIONS] = {};
	size_t n = 0;
	u32 i, next;

	scnprintf(given, sizeof(given), "%.*s", (int)min(len, sizeof(given)), name);
	for (i = 0; i < prog->noptions; i++) {
		next = getopt_nearest(prog, given, listed);
		listed[next] = true;
		n += scnprintf(known + n, sizeof(known) - n, "%s--%s", i ? ", " : "",
			       prog->options[next]);
	}
	ktap_diag(diag, "the script has no option '--%s'; it has %s", given, known);
	return -EINVAL;
}

int ktap_option_take(struct ktap_env *env, const char *arg, struct ktap_diag *diag)
{
	const struct ktap_program *prog = env->prog;
	const char *name = arg + 2, *value;
	size_t len;
	u32 i;

	if (!prog->noptions || strncmp(arg, "--", 2) || !*name)
		return 0;
	value = strchrnul(name, '=');
	len = value - name;
	i = getopt_find(prog, name, len);
	if (i == prog->noptions)
		return getopt_unknown_option(prog, name, len, diag);

	if (!env->options)
		env->options = kvcalloc(prog->noptions, sizeof(*env->options),
					KTAP_GFP);
	value = *value ? kstrdup(value + 1, KTAP_GFP) : no_value;
	if (!env->options || !value) {
		if (value != no_value)
			kfree(value);
		ktap_diag(diag, "no memory for an option");
		return -ENOMEM;
	}
	if (env->options[i] != no_value)
		kfree(env->options[i]);
	env->options[i] = value;
	return 1;
}

int ktap_options_take(struct ktap_env *env, struct ktap_value *args, unsigned int nargs,
		      struct ktap_diag *diag)
{
	unsigned int i, kept = min(nargs, 1U);
	bool ended = !env->prog->noptions;
	int taken;

	for (i = kept; i < nargs && !ended; i++) {
		if (args[i].tag == KTAP_STR && !strcmp(args[i].blob, "--")) {
			ended = true;
			continue;
		}
		taken = args[i].tag == KTAP_STR ? ktap_option_take(env, args[i].blob, diag) : 0;
		if (taken < 0)
			return taken;
		if (taken)
			continue;
		swap(args[kept], args[i]);
		kept++;
	}
	for (; i < nargs; i++, kept++)
		swap(args[kept], args[i]);
	return kept;
}

void ktap_options_destroy(struct ktap_env *env)
{
	u32 i;

	for (i = 0; env->options && i < env->prog->noptions; i++) {
		if (env->options[i] != no_value)
			kfree(env->options[i]);
	}
	kvfree(env->options);
	env->options = NULL;
}

static int getopt_to_bool(const char *text, struct ktap_value *v)
{
	if (!strcmp(text, "true") || !strcmp(text, "1"))
		*v = KTAP_VALUE_BOOL(true);
	else if (!strcmp(text, "false") || !strcmp(text, "0"))
		*v = KTAP_VALUE_BOOL(false);
	else
		return -EINVAL;
	return 0;
}

static int getopt_to_int(const char *text, struct ktap_value *v)
{
	s64 i;

	if (!ktap_parse_integer(text, strlen(text), &i))
		return -EINVAL;
	*v = KTAP_VALUE_INT(i);
	return 0;
}

/* @v is the default; replace it by @text, converted to the same type. */
static int getopt_convert(struct ktap_vm *vm, const char *name, const char *text,
			  struct ktap_value *v)
{
	switch (v->tag) {
	case KTAP_BOOL:
		if (getopt_to_bool(text, v))
			return ktap_vm_error(vm, -EINVAL, "option --%s is true or false, not '%s'",
					     name, text);
		return 0;
	case KTAP_INT:
		if (getopt_to_int(text, v))
			return ktap_vm_error(vm, -EINVAL, "option --%s is an integer, not '%s'",
					     name, text);
		return 0;
	case KTAP_NIL:
		if (!getopt_to_int(text, v))
			return 0;
		break;
	}
	*v = KTAP_VALUE_STR(text, strlen(text));
	return 0;
}

int ktap_fn_getopt(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	const struct ktap_env *env = vm->env;
	u32 count = env->prog->noptions;
	const char *text;
	u32 i = r[0].u;

	if (r[0].u > U32_MAX || !ktap_index(&i, count))
		return ktap_vm_error(vm, -EINVAL, "the chunk has no option %lld", r[0].i);
	text = env->options ? env->options[i] : NULL;
	r[0] = r[1];
	if (!text)
		return 0;
	if (text != no_value)
		return getopt_convert(vm, env->prog->options[i], text, &r[0]);
	if (r[0].tag != KTAP_BOOL)
		return ktap_vm_error(vm, -EINVAL, "option --%s needs a value",
				     env->prog->options[i]);
	r[0] = KTAP_VALUE_BOOL(true);
	return 0;
}
