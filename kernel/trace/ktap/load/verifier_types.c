// SPDX-License-Identifier: GPL-2.0
/*
 * Types in the verifier: the types that pointers in registers have, if they are
 * known before the program runs, and the members that instructions read.
 *
 * The interpreter does not rely on these types, because a handler of one event
 * may be called by that of another: each instruction checks the type of its
 * pointer, and looks the member up by name if it differs.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/stdarg.h>
#include <linux/string.h>

#include "btf/btf_read.h"
#include "btf/ksym.h"
#include "btf/type.h"
#include "data/heap.h"
#include "load/verifier_types.h"
#include "vm/builtin.h"
#include "vm/env.h"
#include "vm/opcode.h"

/* No type or function name is longer. */
#define TYPES_MAX_NAME	128

#define FACTUAL		(ktap_bit(PTR) | ktap_bit(STR))
#define WRITTEN		GENMASK(KTAP_NR_TAGS - 1, 0)

static __printf(3, 4) int types_fail(struct ktap_typing *t, u32 pc, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	ktap_vdiag_at(t->diag, t->prog, pc, fmt, args);
	va_end(args);
	return -EINVAL;
}

/* Refuse the program if there are no types, and say why. */
static int check_types(struct ktap_typing *t, u32 pc, const char *what)
{
	switch (t->err) {
	case 0:
		return 0;
	case -EPERM:
		return types_fail(t, pc,
				  "%s: the kernel is locked down, so its memory cannot be read",
				  what);
	default:
		return types_fail(t, pc, "%s: this kernel has no types (CONFIG_DEBUG_INFO_BTF)",
				  what);
	}
}

/* The same if the program declares no types. */
static int types_check_any(struct ktap_typing *t, u32 pc, const char *what)
{
	return t->prog->declared && t->err != -EPERM ? 0 : check_types(t, pc, what);
}

/* Functions as events */

static const struct {
	const char *event;
	const char *function;		/* prefix of its name */
} calls[] = {
	{ "probe:", "" },
	{ "kprobe:", "" },
	{ "kretprobe:", "" },
	{ "rawtp:", "__probestub_" },	/* event/rawtp.c */
};

/*
 * Get the function, "vfs_read" or "ext4:ext4_da_write_end", of an event that is
 * the call or return of one function.  Returns false for other events.
 */
static bool types_function_of(const char *event, char *name, size_t size)
{
	unsigned int i;
	size_t len;

	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		len = strlen(calls[i].event);
		if (!strncmp(event, calls[i].event, len))
			break;
	}
	if (i == ARRAY_SIZE(calls))
		return false;
	event += len;
	/* An instruction, fetch arguments, a pattern, a path */
	if (strpbrk(event, "+ *?[/"))
		return false;
	len = strcspn(event, "%");
	return scnprintf(name, size, "%s%.*s", calls[i].function, (int)len, event) < size - 1;
}

#define SEVERAL		U32_MAX
#define NO_PROTO	(U32_MAX - 1)		/* one function, with unknown parameters */
#define ITERATOR	(U32_MAX - 2)		/* no function, but an iterator of any kind */

const struct ktap_iter_field_type ktap_iter_fields[KTAP_ITER_FIELDS] = {
	[KTAP_ITER_TASK] = { "task", "struct task_struct" },
	[KTAP_ITER_FD] = { "fd", NULL },
	[KTAP_ITER_FILE] = { "file", "struct file" },
	[KTAP_ITER_VMA] = { "vma", "struct vm_area_struct" },
};

static bool types_is_iterator(const char *event)
{
	return !strncmp(event, "iter:", strlen("iter:"));
}

/* Does the function run at calls of one function whose parameters are known? */
static bool types_has_proto(const struct ktap_typing *t, u32 func)
{
	u32 proto = t->protos[func];

	return proto && proto != NO_PROTO && proto != ITERATOR;
}

/* A field has no type if the kernel has none of that name. */
static void types_find_iter_types(struct ktap_program *prog)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ktap_iter_fields); i++) {
		if (ktap_iter_fields[i].type && !prog->iter_types[i] &&
		    ktap_btf_find(ktap_iter_fields[i].type, &prog->types, &prog->iter_types[i]))
			prog->iter_types[i] = 0;
	}
}

/* "[MODULE:]FUNCTION" */
static u32 types_find_proto(struct ktap_typing *t, char *name)
{
	char *colon = strchr(name, ':');
	u32 proto = 0;

	if (colon)
		*colon = '\0';
	if (!t->err)
		proto = ktap_btf_function(colon ? name : NULL, colon ? colon + 1 : name,
					  &t->prog->types);
	return proto ?: NO_PROTO;
}

int ktap_iter_find_types(struct ktap_env *env)
{
	if (ktap_btf_begin())
		return 0;
	types_find_iter_types(env->prog);
	return ktap_members_init(env);
}

static void types_note_proto(struct ktap_typing *t, u32 func, u32 proto)
{
	if (func == KTAP_NONE)
		return;
	if (!proto || (t->protos[func] && t->protos[func] != proto))
		proto = SEVERAL;
	t->protos[func] = proto;
}

static int types_find_protos(struct ktap_typing *t)
{
	const struct ktap_probe_def *def;
	char name[TYPES_MAX_NAME];
	u32 i, proto;

	for (i = 0; i < t->prog->nprobe_defs; i++) {
		/* A search for a name takes long, and there may be many. */
		cond_resched();
		if (fatal_signal_pending(current))
			return -EINTR;
		def = &t->prog->probe_defs[i];
		proto = 0;
		if (types_function_of(def->event->blob, name, sizeof(name))) {
			proto = types_find_proto(t, name);
		} else if (types_is_iterator(def->event->blob)) {
			proto = ITERATOR;
			if (!t->err)
				types_find_iter_types(t->prog);
		}
		types_note_proto(t, def->handler, proto);
		types_note_proto(t, def->filter, proto);
	}
	for (i = 0; i < t->prog->nfuncs; i++) {
		if (t->protos[i] == SEVERAL)
			t->protos[i] = 0;
	}
	return 0;
}

/* Is there an event whose fields may be pointers with a type? */
static bool types_has_typed_event(const struct ktap_program *prog)
{
	char name[TYPES_MAX_NAME];
	u32 i;

	for (i = 0; i < prog->nprobe_defs; i++) {
		if (types_function_of(prog->probe_defs[i].event->blob, name, sizeof(name)) ||
		    types_is_iterator(prog->probe_defs[i].event->blob))
			return true;
	}
	return false;
}

/* Does the program use types?  Sets @t->reads if it may read through pointers. */
static bool uses_types(struct ktap_typing *t)
{
	const struct ktap_program *prog = t->prog;
	bool fields = false, symbols = false;
	u8 reads = 0;
	u32 i;

	for (i = 0; i < prog->ninsns; i++) {
		fields |= prog->code[i].op == KTAP_OP_FIELD;
		symbols |= prog->code[i].op == KTAP_OP_SYMBOL;
		reads |= ktap_insn_reads(&prog->code[i]);
	}
	t->reads = reads & KTAP_READS_TYPES;
	if ((!fields && !(reads & KTAP_READS_RETVAL)) || !types_has_typed_event(prog))
		return t->reads || symbols;
	t->reads |= fields;
	return true;
}

int ktap_typing_begin(struct ktap_typing *t, struct ktap_program *prog, struct ktap_diag *diag)
{
	*t = (struct ktap_typing){ .prog = prog, .diag = diag };
	if (!uses_types(t))
		return 0;
	t->notes = kvcalloc(prog->ninsns, sizeof(*t->notes), KTAP_GFP);
	t->slots = kvcalloc(prog->ninsns, sizeof(*t->slots), KTAP_GFP);
	t->accesses = kvcalloc(prog->ninsns, sizeof(*t->accesses), KTAP_GFP);
	t->protos = kvcalloc(prog->nfuncs, sizeof(*t->protos), KTAP_GFP);
	if (!t->notes || !t->slots || !t->accesses || !t->protos)
		return -ENOMEM;
	if (ktap_names_begin(&t->names))
		return -ENOMEM;
	/* Types that the program declares need no BTF, but the right to read. */
	t->err = security_locked_down(LOCKDOWN_BPF_READ_KERNEL) ? -EPERM : ktap_btf_begin();
	return types_find_protos(t);
}

void ktap_typing_end(struct ktap_typing *t)
{
	kvfree(t->notes);
	kvfree(t->slots);
	kvfree(t->accesses);
	kvfree(t->protos);
	ktap_names_end(&t->names);
}

u32 ktap_typing_unite(u16 x_tags, u32 x, u16 y_tags, u32 y)
{
	/* "No such parameter" survives a merge only if both paths agree. */
	if (x != y && ((x == KTAP_FACT_NO_PARAM && (y_tags & WRITTEN)) ||
		       (y == KTAP_FACT_NO_PARAM && (x_tags & WRITTEN))))
		return 0;
	x_tags &= FACTUAL;
	y_tags &= FACTUAL;
	/* With the tags of another fact the set proves that the value may be no integer. */
	if (!x_tags && !y_tags)
		return x == KTAP_FACT_HINT ? x : y;
	if (!x_tags)
		return y;
	if (!y_tags)
		return x;
	return x_tags == y_tags && x == y ? x : 0;
}

/* Members and elements */

static void types_set_note(struct ktap_typing *t, u32 pc, u32 op, u32 d)
{
	t->notes[pc] = (struct ktap_note){ .op = op, .d = d };
}

/*
 * Note what @load reads, if it is as expected here.  In a handler that is called for another
 * event it may be anything else.  So these tags prove nothing, except that an instruction may
 * meet a value that is no integer.  For integers say so (KTAP_FACT_HINT): otherwise SETSELFN
 * would store a string as if it was one.
 */
static void types_set_read(struct ktap_typed *out, const struct ktap_load *load)
{
	switch (load->kind) {
	case KTAP_LOAD_POINTER:
	case KTAP_LOAD_ADDRESS:
		out->tags = ktap_bit(PTR) | ktap_bit(NIL);
		out->fact = load->type ?: KTAP_FACT_TYPELESS;
		break;
	case KTAP_LOAD_CHARS:
		out->tags = ktap_bit(STR) | ktap_bit(NIL);
		break;
	default:
		out->tags = ktap_bit(INT) | ktap_bit(NIL);
		out->fact = KTAP_FACT_HINT;
		break;
	}
}

/* Refuse an unknown member, with a suggestion. */
static int types_no_member(struct ktap_typing *t, u32 pc, u32 type, const char *name)
{
	const char *near = ktap_type_near_member(t->prog->declared, type, name);
	char text[KTAP_TYPE_TEXT];

	if (near)
		return types_fail(t, pc, "%s has no member '%s'; did you mean '%s'?",
				  ktap_type_text(t->prog->declared, type, text), name, near);
	return types_fail(t, pc, "%s has no member '%s'",
			  ktap_type_text(t->prog->declared, type, text), name);
}

static int types_find_member(struct ktap_typing *t, u32 pc, u32 type, const char *name,
			     struct ktap_load *load)
{
	char text[KTAP_TYPE_TEXT];
	u32 cost;
	int err;

	err = ktap_type_member(t->prog->declared, type, name, load, &cost);
	t->work += cost;
	if (err == -ENOENT)
		return types_no_member(t, pc, type, name);
	if (ktap_type_incomplete(t->prog->declared, type))
		return types_fail(t, pc, "%s is declared without members, so it has no '%s'",
				  ktap_type_text(t->prog->declared, type, text), name);
	if (err)
		return types_fail(t, pc, "%s has no members, so no '%s'",
				  ktap_type_text(t->prog->declared, type, text), name);
	if (load->kind == KTAP_LOAD_NONE)
		return types_fail(t, pc, "member '%s' has a type without values in scripts", name);
	return 0;
}

static int types_step_member(struct ktap_typing *t, u32 pc, u32 type, struct ktap_typed *out)
{
	const struct ktap_code *insn = &t->prog->code[pc];
	struct ktap_load load;
	int err;

	err = types_find_member(t, pc, type, t->prog->strings[insn->d].blob, &load);
	if (err)
		return err;
	if (!t->slots[pc])
		t->slots[pc] = ++t->naccesses;
	t->accesses[t->slots[pc] - 1] = (struct ktap_access){
		.of = type,
		.string = insn->d,
		.load = load,
	};
	types_set_note(t, pc, KTAP_OP_MEMBER, t->slots[pc] - 1);
	types_set_read(out, &load);
	return 0;
}

static int types_step_element(struct ktap_typing *t, u32 pc, u32 type, struct ktap_typed *out)
{
	const struct ktap_code *insn = &t->prog->code[pc];
	char text[KTAP_TYPE_TEXT];
	struct ktap_load load;
	u32 step;
	s64 n;

	n = ktap_type_element(t->prog->declared, type, &load, &step);
	if (n < 0)
		return types_fail(t, pc, "%s has no elements",
				  ktap_type_text(t->prog->declared, type, text));
	if (load.kind == KTAP_LOAD_NONE)
		return types_fail(t, pc, "an element has a type without values in scripts");
	if (insn->op == KTAP_OP_TGETI && n && (insn->d < 0 || insn->d >= n))
		return types_fail(t, pc, "element %d of an array of %lld", insn->d, n);
	types_set_note(t, pc, insn->op == KTAP_OP_TGETI ? KTAP_OP_ELEMI : KTAP_OP_ELEM, insn->d);
	types_set_read(out, &load);
	return 0;
}

static int types_step_access(struct ktap_typing *t, u32 pc, u16 tags, u32 type,
			     struct ktap_typed *out)
{
	types_set_note(t, pc, 0, 0);
	if (type == KTAP_FACT_NO_PARAM)
		return check_types(t, pc, "member of a parameter") ?:
		       types_fail(t, pc,
				  "nil has no members: this function has no such parameter");
	/* Other types are checked at run time. */
	if ((tags & ~ktap_bit(NIL)) != ktap_bit(PTR) || !type)
		return 0;
	if (type == KTAP_FACT_TYPELESS)
		return types_check_any(t, pc, "member of a pointer") ?:
		       types_fail(t, pc,
				  "this pointer has no type: cast(\"struct NAME\", p) gives it one");
	if (t->prog->code[pc].op == KTAP_OP_TGETS)
		return types_step_member(t, pc, type, out);
	return types_step_element(t, pc, type, out);
}

/* Names */

/* Returns NULL, with an error reported, if there are too many names. */
static struct ktap_name *types_find_name(struct ktap_typing *t, u32 pc, enum ktap_name_kind kind,
					 u32 string, bool *new)
{
	struct ktap_name *name = ktap_name_find(&t->names, kind, &t->prog->strings[string], new);

	if (!name)
		types_fail(t, pc, "more than %u names of types and of the kernel's variables",
			   KTAP_MAX_NAMES);
	return name;
}

/* Functions whose arguments are names of types */

static int types_want_constant(struct ktap_typing *t, u32 pc, const char *fn, u16 tags, u32 fact,
			       u32 *string, const char **name)
{
	if (tags != ktap_bit(STR) || !fact)
		return types_fail(t, pc, "%s: the name of a type is a constant string", fn);
	*string = fact - 1;
	*name = t->prog->strings[*string].blob;
	return 0;
}

static int find_type(struct ktap_typing *t, u32 pc, const char *fn, u32 string, u32 *type)
{
	const char *name = t->prog->strings[string].blob, *near;
	char text[KTAP_TYPE_TEXT];
	struct ktap_name *found;
	bool new;

	found = types_find_name(t, pc, KTAP_NAME_TYPE, string, &new);
	if (!found)
		return -EINVAL;
	if (new)
		found->type = ktap_type_declared(t->prog->declared, name);
	if (new && !found->type)
		found->err = t->err ?: ktap_btf_find(name, &t->prog->types, &found->type);
	*type = found->type;
	if (!found->err)
		return 0;
	if (found->err == -EINVAL)
		return types_fail(t, pc, "%s: '%s' names a pointer: name its target", fn,
				  name);
	if (t->err)
		return types_fail(t, pc,
				  "%s: the script does not declare '%s', and this kernel has no types (CONFIG_DEBUG_INFO_BTF)",
				  fn, name);
	near = ktap_btf_near_type(name, text);
	if (near)
		return types_fail(t, pc, "%s: this kernel has no type '%s'; did you mean '%s'?", fn,
				  name, near);
	return types_fail(t, pc, "%s: this kernel has no type '%s'", fn, name);
}

/* Add up the offsets of the nested members in @path, such as "a.b". */
static int types_find_path(struct ktap_typing *t, u32 pc, u32 type, const char *path, u32 *offset)
{
	struct ktap_load load = { .kind = KTAP_LOAD_ADDRESS, .type = type };
	char name[TYPES_MAX_NAME];
	size_t len;
	int err;

	for (*offset = 0;; path += len + 1) {
		len = strcspn(path, ".");
		scnprintf(name, sizeof(name), "%.*s", (int)len, path);
		if (load.kind != KTAP_LOAD_ADDRESS)
			return types_fail(t, pc,
					  "offsetof: '%s' lies elsewhere: the part before it is no structure",
					  name);
		err = types_find_member(t, pc, load.type, name, &load);
		if (err)
			return err;
		*offset += load.offset;
		if (!path[len])
			break;
	}
	return load.bits ? types_fail(t, pc, "offsetof: '%s' is a bit-field", name) : 0;
}

/* A call event has no return value; this is checked at run time. */
static void types_step_retval(const struct ktap_typing *t, u32 func, struct ktap_typed *out)
{
	struct ktap_load load;

	if (types_has_proto(t, func) && ktap_btf_result(t->protos[func], &load))
		types_set_read(out, &load);
}

static int types_step_builtin(struct ktap_typing *t, u32 func, u32 pc, const u16 *tags,
			      const u32 *facts, struct ktap_typed *out)
{
	const struct ktap_code *insn = &t->prog->code[pc];
	const char *fn = ktap_builtins[insn->d].name, *name = NULL, *path = NULL;
	u32 type, n, string = 0;
	u64 size;
	int err;

	tags += insn->a;
	facts += insn->a;
	switch (insn->d) {
	case KTAP_FN_CURTASK:
		out->fact = t->err ? KTAP_FACT_TYPELESS : ktap_btf_task() ?: KTAP_FACT_TYPELESS;
		return 0;
	case KTAP_FN_RETVAL:
		types_step_retval(t, func, out);
		return 0;
	case KTAP_FN_PATH:
		return check_types(t, pc, fn);
	case KTAP_FN_CAST:
	case KTAP_FN_SIZEOF:
	case KTAP_FN_OFFSETOF:
		break;
	default:
		return 0;
	}

	if (insn->b == KTAP_MULTI)
		return types_fail(t, pc, "%s: the name of a type is a constant string", fn);
	err = types_want_constant(t, pc, fn, tags[0], facts[0], &string, &name) ?:
	      types_check_any(t, pc, fn);
	if (err)
		return err;
	n = strlen(name);
	if (insn->d == KTAP_FN_SIZEOF && n && name[n - 1] == '*') {
		types_set_note(t, pc, KTAP_OP_INT, sizeof(long));
		return 0;
	}
	err = find_type(t, pc, fn, string, &type);
	if (!err && insn->d == KTAP_FN_OFFSETOF)
		err = types_want_constant(t, pc, fn, tags[1], facts[1], &string, &path) ?:
		      types_find_path(t, pc, type, path, &n);
	if (err)
		return err;
	if (insn->d == KTAP_FN_SIZEOF) {
		if (ktap_type_incomplete(t->prog->declared, type))
			return types_fail(t, pc, "sizeof: '%s' is declared without members", name);
		size = ktap_type_size(t->prog->declared, type);
		/* as large as an operand can be */
		if (size > S32_MAX)
			return types_fail(t, pc, "sizeof: '%s' has 2 GiB or more", name);
		n = size;
	}
	if (insn->d == KTAP_FN_CAST) {
		out->fact = type;
		types_set_note(t, pc, KTAP_OP_CAST, type);
	} else {
		types_set_note(t, pc, KTAP_OP_INT, n);
	}
	return 0;
}

static void types_step_iter_field(const struct ktap_typing *t, const char *name,
				  struct ktap_typed *out)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ktap_iter_fields); i++) {
		if (ktap_iter_fields[i].type && !strcmp(ktap_iter_fields[i].name, name))
			*out = (struct ktap_typed){
				.tags = ktap_bit(PTR) | ktap_bit(NIL),
				.fact = t->prog->iter_types[i] ?: KTAP_FACT_TYPELESS,
			};
	}
}

static void types_step_field(struct ktap_typing *t, u32 func, u32 pc, struct ktap_typed *out)
{
	const struct ktap_program *prog = t->prog;
	const char *name = prog->fields[prog->code[pc].d]->blob;
	struct ktap_load load;

	if (!t->protos[func])
		return;
	if (t->protos[func] == ITERATOR)
		types_step_iter_field(t, name, out);
	else if (types_has_proto(t, func) && ktap_btf_param(t->protos[func], name, &load) >= 0)
		types_set_read(out, &load);
	else if (strcmp(name, "name") && strcmp(name, "ip") && strcmp(name, "parent_ip"))
		out->fact = KTAP_FACT_NO_PARAM;
}

/* btf/ksym.c reports a variable that does not exist. */
static int types_step_symbol(struct ktap_typing *t, u32 pc, struct ktap_typed *out)
{
	u32 string = t->prog->code[pc].d;
	struct ktap_name *found;
	bool new;

	if (t->err)
		return 0;
	found = types_find_name(t, pc, KTAP_NAME_SYMBOL, string, &new);
	if (!found)
		return -EINVAL;
	if (new && !ktap_symbol_type(t->prog, string, &found->load))
		found->err = -ENOENT;
	if (!found->err)
		types_set_read(out, &found->load);
	return 0;
}

int ktap_typing_step(struct ktap_typing *t, u32 func, u32 pc, const u16 *tags, const u32 *facts,
		     struct ktap_typed *out)
{
	const struct ktap_code *insn = &t->prog->code[pc];

	if (!t->notes)
		return 0;
	switch (insn->op) {
	case KTAP_OP_STR:
		out->fact = insn->d + 1;
		return 0;
	case KTAP_OP_TGET:
	case KTAP_OP_TGETI:
	case KTAP_OP_TGETS:
		return types_step_access(t, pc, tags[insn->b], facts[insn->b], out);
	case KTAP_OP_CALLB:
		return types_step_builtin(t, func, pc, tags, facts, out);
	case KTAP_OP_FIELD:
		types_step_field(t, func, pc, out);
		return 0;
	case KTAP_OP_SYMBOL:
		return types_step_symbol(t, pc, out);
	default:
		return 0;
	}
}

void ktap_typing_apply(struct ktap_typing *t)
{
	struct ktap_program *prog = t->prog;
	u32 pc;

	if (!t->notes || (t->err && !prog->declared))
		return;
	for (pc = 0; pc < prog->ninsns; pc++) {
		if (!t->notes[pc].op)
			continue;
		t->reads = true;
		prog->code[pc].op = t->notes[pc].op;
		prog->code[pc].d = t->notes[pc].d;
	}
	if (t->reads)
		prog->uses |= KTAP_USES_TYPES;
	prog->accesses = t->accesses;
	t->accesses = NULL;
}
