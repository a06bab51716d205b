// SPDX-License-Identifier: GPL-2.0
/*
 * Types by name: structures, functions, variables, enumerators; and suggestions for
 * names that do not exist.
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

#include "btf/btf_priv.h"
#include "data/suggest.h"

#define BTF_NAME_DEPTH		4	/* of structures in a parameter */
#define BTF_NAME_REGISTERS	6	/* of x86-64, for parameters */

/* Prefixes of the names of types, and the kinds of types that have them */
static const struct {
	const char *prefix;
	u8 kinds[2];
} spellings[] = {
	{ "struct ",	{ BTF_KIND_STRUCT } },
	{ "union ",	{ BTF_KIND_UNION } },
	{ "enum ",	{ BTF_KIND_ENUM, BTF_KIND_ENUM64 } },
	{ "",		{ BTF_KIND_TYPEDEF, BTF_KIND_INT } },
};

/* BTF has other names for these types: those of the compiler. */
static const char * const synonyms[][2] = {
	{ "short", "short int" },
	{ "unsigned short", "short unsigned int" },
	{ "unsigned", "unsigned int" },
	{ "long", "long int" },
	{ "unsigned long", "long unsigned int" },
	{ "long long", "long long int" },
	{ "unsigned long long", "long long unsigned int" },
};

/* Return the name without its prefix, and the index of the prefix in @i. */
static const char *btf_name_split_name(const char *name, unsigned int *i)
{
	size_t len;

	for (*i = 0;; ++*i) {
		len = strlen(spellings[*i].prefix);
		if (!strncmp(name, spellings[*i].prefix, len))
			return name + len;
	}
}

/* Find a type of the kernel, or else of a module: return its BTF, referenced, or NULL. */
static struct btf *btf_name_find_kinds(const char *name, const u8 *kinds, unsigned int n, s32 *id)
{
	struct btf *kernel = bpf_get_btf_vmlinux(), *btf;
	unsigned int i;

	for (i = 0; i < n; i++) {
		*id = kinds[i] ? btf_find_by_name_kind(kernel, name, kinds[i]) : -ENOENT;
		if (*id > 0) {
			btf_get(kernel);
			return kernel;
		}
	}
	for (i = 0; i < n; i++) {
		*id = kinds[i] ? bpf_find_btf_id(name, kinds[i], &btf) : -ENOENT;
		if (*id > 0)
			return btf;
	}
	return NULL;
}

int ktap_btf_find(const char *name, struct ktap_btf_set *set, u32 *type)
{
	struct btf *btf;
	unsigned int i;
	s32 id;

	if (strchr(name, '*'))
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(synonyms); i++) {
		if (!strcmp(name, synonyms[i][0]))
			name = synonyms[i][1];
	}
	name = btf_name_split_name(name, &i);
	if (!*name)
		return -ENOENT;
	btf = btf_name_find_kinds(name, spellings[i].kinds, ARRAY_SIZE(spellings[i].kinds), &id);
	if (!btf)
		return -ENOENT;
	*type = ktap_btf_type(btf, id, set);
	btf_put(btf);
	/* A typedef of void resolves to 0, which is no type. */
	ktap_btf_resolve(type);
	return *type ? 0 : -ENOENT;
}

static const char *btf_name_prefix_of(const struct btf_type *t)
{
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(spellings); i++) {
		for (k = 0; k < ARRAY_SIZE(spellings[i].kinds); k++) {
			if (btf_kind(t) == spellings[i].kinds[k])
				return spellings[i].prefix;
		}
	}
	return NULL;
}

const char *ktap_btf_near_type(const char *name, char *text)
{
	struct btf *kernel = bpf_get_btf_vmlinux();
	u32 id, n = btf_nr_types(kernel);
	const struct btf_type *t;
	const char *prefix = "";
	struct ktap_suggest near;
	unsigned int i;

	ktap_suggest_begin(&near, btf_name_split_name(name, &i));
	for (id = 1; id < n; id++) {
		t = btf_type_by_id(kernel, id);
		if (t && t->name_off && btf_name_prefix_of(t) &&
		    ktap_suggest_look(&near, btf_name_by_offset(kernel, t->name_off)))
			prefix = btf_name_prefix_of(t);
		cond_resched();
	}
	if (!near.best)
		return NULL;
	scnprintf(text, KTAP_TYPE_TEXT, "%s%s", prefix, near.best);
	return text;
}

const char *ktap_btf_text(u32 type, char *text)
{
	const struct btf_type *t = ktap_btf_resolve(&type);
	const char *name, *prefix;

	if (!t)
		return "void";
	switch (btf_kind(t)) {
	case BTF_KIND_ARRAY:
		return "an array";
	case BTF_KIND_PTR:
		return "a pointer";
	case BTF_KIND_FWD:
		prefix = btf_type_kflag(t) ? "union " : "struct ";
		break;
	default:
		prefix = btf_name_prefix_of(t) ?: "";
	}
	name = ktap_btf_string(type, t->name_off);
	scnprintf(text, KTAP_TYPE_TEXT, "%s%s", prefix, *name ? name : "without a name");
	return text;
}

static bool btf_name_find_enumerator(const struct btf *btf, const struct btf_type *t,
				     const char *name, s64 *value)
{
	const struct btf_enum64 *wide = (const void *)(t + 1);
	const struct btf_enum *narrow = (const void *)(t + 1);
	u32 i, n = BTF_INFO_VLEN(t->info);

	for (i = 0; i < n; i++) {
		if (btf_kind(t) == BTF_KIND_ENUM &&
		    !strcmp(btf_name_by_offset(btf, narrow[i].name_off), name)) {
			*value = btf_type_kflag(t) ? narrow[i].val : (s64)(u32)narrow[i].val;
			return true;
		}
		if (btf_kind(t) == BTF_KIND_ENUM64 &&
		    !strcmp(btf_name_by_offset(btf, wide[i].name_off), name)) {
			*value = (u64)wide[i].val_hi32 << 32 | wide[i].val_lo32;
			return true;
		}
	}
	return false;
}

int ktap_btf_enumerator(const char *name, s64 *value)
{
	const struct btf_type *t;
	struct btf *kernel;
	u32 id, n;

	if (ktap_btf_begin())
		return -ENOENT;
	kernel = bpf_get_btf_vmlinux();
	n = btf_nr_types(kernel);
	for (id = 1; id < n; id++) {
		t = btf_type_by_id(kernel, id);
		if (t && (btf_kind(t) == BTF_KIND_ENUM || btf_kind(t) == BTF_KIND_ENUM64) &&
		    btf_name_find_enumerator(kernel, t, name, value))
			return 0;
		if (fatal_signal_pending(current))
			break;
		cond_resched();
	}
	return -ENOENT;
}

/* Return the type of a function or variable of the kernel or module, 0 if not known. */
static u32 btf_name_find_named(const char *module, const char *name, u8 kind,
			       struct ktap_btf_set *set)
{
	const struct btf_type *t;
	struct btf *btf;
	u32 type = 0;
	s32 id;

	id = bpf_find_btf_id(name, kind, &btf);
	if (id < 0)
		return 0;
	t = btf_type_by_id(btf, id);
	/* bpf_find_btf_id() finds only one of this name, maybe that of another module. */
	if (t && (!module || !strcmp(module, btf_is_module(btf) ? btf_get_name(btf) : "")))
		type = ktap_btf_type(btf, t->type, set);
	btf_put(btf);
	return type;
}

u32 ktap_btf_function(const char *module, const char *name, struct ktap_btf_set *set)
{
	return btf_name_find_named(module, name, BTF_KIND_FUNC, set);
}

bool ktap_btf_variable(const char *module, const char *name, struct ktap_btf_set *set,
		       struct ktap_load *load)
{
	u32 type = ktap_btf_begin() ? 0 : btf_name_find_named(module, name, BTF_KIND_VAR, set);

	if (type)
		ktap_btf_load(type, load);
	return type;
}

static const struct btf_type *btf_name_proto_at(u32 proto)
{
	const struct btf_type *t = ktap_btf_at(proto);

	return t && btf_kind(t) == BTF_KIND_FUNC_PROTO ? t : NULL;
}

/*
 * Does the address of the result take the place of the first parameter?  On arm64 it has
 * a register of its own.
 */
static bool btf_name_result_in_memory(const struct ktap_load *result)
{
	if (result->kind != KTAP_LOAD_ADDRESS || IS_ENABLED(CONFIG_ARM64))
		return false;
	return !IS_ENABLED(CONFIG_64BIT) || IS_ENABLED(CONFIG_S390) ||
	       result->size > 2 * sizeof(long);
}

/**
 * struct proto_walk - a walk over the parameters that are in one register each
 * @proto: the prototype
 * @param: the next parameter
 * @left: number of parameters from there on; 0: no further one is known
 * @n: number of the register of the parameter that was visited last
 * @next: number of the next register, or of the place on the stack after all registers
 * @stacked: a structure is on the stack
 * @load: how to read the parameter that was visited last
 */
struct proto_walk {
	u32 proto;
	const struct btf_param *param;
	u32 left;
	u32 n, next;
	bool stacked;
	struct ktap_load load;
};

/*
 * How are values of the type aligned, in bytes?  0: it is not known, or a member is not aligned, or
 * it may be in other registers.
 */
static u32 btf_name_alignment(u32 type, unsigned int depth)
{
	const struct btf_type *t = ktap_btf_resolve(&type);
	const struct btf_member *m;
	u32 most = 1, i;

	switch (t && depth < BTF_NAME_DEPTH ? btf_kind(t) : BTF_KIND_UNKN) {
	case BTF_KIND_PTR:
		return sizeof(long);
	case BTF_KIND_INT:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return t->size <= sizeof(u64) ? t->size : 0;
	case BTF_KIND_ARRAY:
		return btf_name_alignment(ktap_btf_other(type, btf_array_of(t)->type), depth + 1);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		break;
	default:
		return 0;
	}
	m = (const struct btf_member *)(t + 1);
	for (i = 0; i < BTF_INFO_VLEN(t->info); i++) {
		u32 align = btf_name_alignment(ktap_btf_other(type, m[i].type), depth + 1);
		u32 bits = btf_type_kflag(t) ? BTF_MEMBER_BITFIELD_SIZE(m[i].offset) : 0;

		if (!align || (!bits && btf_bit_offset(t, &m[i]) % (8 * align)))
			return 0;
		most = max(most, align);
	}
	return most;
}

/*
 * Skip a parameter, a structure: one of two registers, if both are left, is in these, and others
 * are on the stack.  False: how it is passed is not known.
 */
static bool btf_name_proto_skip(struct proto_walk *w)
{
	u32 registers = DIV_ROUND_UP(w->load.size, sizeof(long));

	if (!IS_ENABLED(CONFIG_X86_64) || w->load.kind != KTAP_LOAD_ADDRESS ||
	    !btf_name_alignment(ktap_btf_other(w->proto, w->param->type), 0))
		return false;
	if (registers <= 2 && w->next + registers <= BTF_NAME_REGISTERS)
		w->next += registers;
	else
		w->stacked = true;
	w->param++;
	w->left--;
	return true;
}

/* Is the parameter in one register, or in one place of the stack? */
static bool btf_name_is_single(const struct ktap_load *load)
{
	return load->kind != KTAP_LOAD_NONE && load->kind != KTAP_LOAD_ADDRESS &&
	       load->kind != KTAP_LOAD_CHARS && load->size <= sizeof(long);
}

static void btf_name_proto_begin(struct proto_walk *w, u32 proto)
{
	const struct btf_type *t = btf_name_proto_at(proto);

	*w = (struct proto_walk){ .proto = proto };
	if (!t)
		return;
	ktap_btf_load(ktap_btf_other(proto, t->type), &w->load);
	if (btf_name_result_in_memory(&w->load))
		return;
	w->param = (const struct btf_param *)(t + 1);
	w->left = BTF_INFO_VLEN(t->info);
}

/* Return the name of the next parameter, NULL if there is none or it is not known. */
static const char *btf_name_proto_next(struct proto_walk *w)
{
	const struct btf_param *param;

	do {
		param = w->param;
		if (!w->left)
			return NULL;
		ktap_btf_load(ktap_btf_other(w->proto, param->type), &w->load);
	} while (!btf_name_is_single(&w->load) && btf_name_proto_skip(w));
	if (!btf_name_is_single(&w->load) || (w->stacked && w->next >= BTF_NAME_REGISTERS))
		return NULL;
	w->param++;
	w->left--;
	w->n = w->next++;
	return ktap_btf_string(w->proto, param->name_off);
}

int ktap_btf_param(u32 proto, const char *name, struct ktap_load *load)
{
	struct proto_walk w;
	const char *next;

	btf_name_proto_begin(&w, proto);
	while ((next = btf_name_proto_next(&w))) {
		if (strcmp(next, name))
			continue;
		*load = w.load;
		return w.n;
	}
	return -ENOENT;
}

void ktap_btf_param_at(u32 proto, u32 n, struct ktap_load *load)
{
	struct proto_walk w;

	btf_name_proto_begin(&w, proto);
	while (btf_name_proto_next(&w)) {
		if (w.n != n)
			continue;
		*load = w.load;
		return;
	}
}

void ktap_btf_near_param(u32 proto, u32 first, struct ktap_suggest *near)
{
	struct proto_walk w;
	const char *next;

	btf_name_proto_begin(&w, proto);
	while ((next = btf_name_proto_next(&w))) {
		if (first)
			first--;
		else
			ktap_suggest_look(near, next);
	}
}

bool ktap_btf_result(u32 proto, struct ktap_load *load)
{
	const struct btf_type *t = btf_name_proto_at(proto);

	if (!t)
		return false;
	ktap_btf_load(ktap_btf_other(proto, t->type), load);
	/* It is in several registers, or in memory. */
	if (load->kind == KTAP_LOAD_ADDRESS || load->kind == KTAP_LOAD_CHARS ||
	    load->size > sizeof(long))
		load->kind = KTAP_LOAD_NONE;
	return true;
}

static bool btf_name_is_bool(u32 type)
{
	const struct btf_type *t = ktap_btf_resolve(&type);

	return t && btf_kind(t) == BTF_KIND_INT &&
	       BTF_INT_ENCODING(*(const u32 *)(t + 1)) & BTF_INT_BOOL;
}

/* Set @load; false unless the value is an integer or a pointer, in one register. */
static bool btf_name_load_scalar(u32 type, struct ktap_load *load)
{
	ktap_btf_load(type, load);
	load->bits = btf_name_is_bool(type);
	return load->kind >= KTAP_LOAD_SIGNED && load->kind <= KTAP_LOAD_POINTER &&
	       load->size <= sizeof(long);
}

const char *ktap_btf_prototype(u32 proto, struct ktap_prototype *p)
{
	const struct btf_type *t = btf_name_proto_at(proto);
	const struct btf_param *param;
	u32 i, result;

	*p = (struct ktap_prototype){};
	if (!t)
		return "its prototype is not known";
	param = (const struct btf_param *)(t + 1);
	result = ktap_btf_other(proto, t->type);
	ktap_btf_resolve(&result);
	/* 0 is void. */
	if (result && !btf_name_load_scalar(result, &p->result))
		return "its result is no integer, boolean or pointer";
	p->n = BTF_INFO_VLEN(t->info);
	if (p->n && !param[p->n - 1].type)
		return "it takes a variable number of arguments";
	/* s390 has five registers for arguments. */
	if (p->n > KTAP_PROTOTYPE_PARAMS - IS_ENABLED(CONFIG_S390))
		return "not all of its arguments are in registers";
	for (i = 0; i < p->n; i++) {
		if (!btf_name_load_scalar(ktap_btf_other(proto, param[i].type), &p->params[i]))
			return "a parameter is no integer, boolean or pointer";
	}
	return NULL;
}

/* Text of a type as in C, without qualifiers, and with a space unless it ends with "*" */
static size_t btf_name_put_type(u32 type, char *text, size_t size)
{
	char target[KTAP_TYPE_TEXT], stars[8] = "";
	const struct btf_type *t;
	const char *name;
	u32 n = 0;

	for (t = ktap_btf_at(type); t && type; t = ktap_btf_at(type)) {
		u8 kind = btf_kind(t);

		if (kind == BTF_KIND_PTR && n < sizeof(stars) - 1)
			stars[n++] = '*';
		else if (kind != BTF_KIND_CONST && kind != BTF_KIND_VOLATILE &&
			 kind != BTF_KIND_RESTRICT && kind != BTF_KIND_TYPE_TAG)
			break;
		type = ktap_btf_other(type, t->type);
	}
	if (!t || !type)
		name = "void";
	else if (btf_kind(t) == BTF_KIND_TYPEDEF)
		name = ktap_btf_string(type, t->name_off);
	else if (btf_kind(t) == BTF_KIND_FUNC_PROTO)
		name = "function";
	else
		name = ktap_btf_text(type, target);
	return scnprintf(text, size, "%s %s", name, stars);
}

void ktap_btf_prototype_text(u32 proto, const char *name, char *text, size_t size)
{
	const struct btf_type *t = btf_name_proto_at(proto);
	const struct btf_param *param;
	size_t len;
	u32 i, n;

	if (!t) {
		scnprintf(text, size, "%s()", name);
		return;
	}
	param = (const struct btf_param *)(t + 1);
	n = BTF_INFO_VLEN(t->info);
	len = btf_name_put_type(ktap_btf_other(proto, t->type), text, size);
	len += scnprintf(text + len, size - len, "%s(%s", name, n ? "" : "void");
	for (i = 0; i < n; i++) {
		if (i)
			len += scnprintf(text + len, size - len, ", ");
		if (!param[i].type) {
			len += scnprintf(text + len, size - len, "...");
			break;
		}
		len += btf_name_put_type(ktap_btf_other(proto, param[i].type), text + len,
					 size - len);
		len += scnprintf(text + len, size - len, "%s",
				 ktap_btf_string(proto, param[i].name_off));
	}
	scnprintf(text + len, size - len, ")");
}

const char *ktap_btf_near_function(const char *name)
{
	struct btf *kernel = bpf_get_btf_vmlinux();
	u32 id, n = btf_nr_types(kernel);
	const struct btf_type *t;
	struct ktap_suggest near;

	ktap_suggest_begin(&near, name);
	for (id = 1; id < n; id++) {
		t = btf_type_by_id(kernel, id);
		if (t && btf_kind(t) == BTF_KIND_FUNC)
			ktap_suggest_look(&near, btf_name_by_offset(kernel, t->name_off));
		if (fatal_signal_pending(current))
			break;
		cond_resched();
	}
	return near.best;
}
