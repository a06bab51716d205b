// SPDX-License-Identifier: GPL-2.0
/* Random changes of a program. */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "change.h"
#include "random.h"
#include "vm/builtin.h"
#include "vm/opcode.h"

#define rnd(n)	random_below(rng, n)

static const s64 special_numbers[] = {
	0, 1, -1, 2, 7, 8, 31, 32, 33, 63, 64, 100, 250, 255, 256, 511, 512, 513, 1024, 4095,
	4096, 4097, 8192, 65535, 65536, 1 << 20, (1 << 20) + 1, 0x7fffffff, -0x80000000LL,
	0xffffffffLL, S64_MAX, S64_MIN, 0x2000, 0xffff888000001000LL, 0xffffffff81000000LL,
};

static s64 special_number(u64 *rng)
{
	return special_numbers[rnd(ARRAY_SIZE(special_numbers))];
}

static bool is_jump(u8 op)
{
	return ktap_opdefs[op].d == KTAP_X_JUMP;
}

/* The function of an instruction, NULL if it has none. */
static struct ktap_function *function_at(struct program *p, u32 pc)
{
	u32 i;

	for (i = 0; i < p->nfuncs; i++) {
		if (pc >= p->funcs[i].first && pc - p->funcs[i].first < p->funcs[i].ninsns)
			return &p->funcs[i];
	}
	return NULL;
}

static u8 any_register(const struct ktap_function *f, u64 *rng)
{
	u32 nregs = f && f->nregs ? f->nregs : 5;

	return rnd(64) ? rnd(nregs) : nregs - 1 + rnd(3);
}

static u32 any_index(u32 n, u64 *rng)
{
	return rnd(64) ? rnd(n ?: 1) : n - 1 + rnd(3);
}

static s32 any_jump(const struct ktap_function *f, u32 pc, u64 *rng)
{
	if (!f || !f->ninsns || !rnd(4))
		return (s32)rnd(16) - 8;
	return (s32)(f->first + rnd(f->ninsns)) - (s32)pc - 1;
}

static u8 any_field(unsigned int kind, u8 value, const struct ktap_function *f, u64 *rng)
{
	switch (kind) {
	case KTAP_X_NONE:
		return rnd(256) ? 0 : 1;
	case KTAP_X_READ:
	case KTAP_X_WRITE:
	case KTAP_X_REG:
	case KTAP_X_ITER:
	case KTAP_X_FOR:
		return any_register(f, rng);
	case KTAP_X_OWN:
		return rnd(16) ? any_register(f, rng) : KTAP_MULTI;
	default:
		return rnd(2) ? value : rnd(256);
	}
}

static u32 any_builtin(u64 *rng)
{
	u32 id;

	do
		id = rnd(KTAP_NR_FUNCTIONS);
	while (!ktap_builtins[id].fn && rnd(256));
	return id;
}

static s32 any_operand(const struct program *p, u8 op, const struct ktap_function *f, u32 pc,
		       u64 *rng)
{
	switch (ktap_opdefs[op].d) {
	case KTAP_X_NONE:
		return rnd(256) ? 0 : 1;
	case KTAP_X_JUMP:
		return any_jump(f, pc, rng);
	case KTAP_X_STR:
		return any_index(p->nstrings, rng);
	case KTAP_X_FUNC:
		return any_index(p->nfuncs, rng);
	case KTAP_X_GLOBAL:
		return any_index(p->nglobals, rng);
	case KTAP_X_INT:
		return any_index(p->nints, rng);
	case KTAP_X_FIELD:
		return any_index(p->nfields, rng);
	case KTAP_X_ARG:
	case KTAP_X_SIZE:
		return rnd(40);
	case KTAP_X_OWN:
		return op == KTAP_OP_CALLB ? any_builtin(rng) : rnd(40);
	default:
		return rnd(2) ? rnd(16) : special_number(rng);
	}
}

/* Choose a valid number of arguments for a built-in function, in valid registers. */
static void fit_call(struct ktap_insn *insn, const struct ktap_function *f, u64 *rng)
{
	const struct ktap_builtin *fn;
	u32 room;

	if (insn->op != KTAP_OP_CALLB || insn->d >= KTAP_NR_FUNCTIONS || !f || !rnd(32))
		return;
	fn = &ktap_builtins[insn->d];
	insn->b = fn->min + rnd(min(fn->max - fn->min, 3) + 1);
	room = max_t(u32, insn->b, 1);
	if (f->nregs >= room)
		insn->a = rnd(f->nregs - room + 1);
}

static struct ktap_insn any_insn(const struct program *p, const struct ktap_function *f, u32 pc,
				 u64 *rng)
{
	struct ktap_insn insn;
	const struct ktap_opdef *op;

	do
		insn.op = rnd(128);
	while (!ktap_opdefs[insn.op].name);
	op = &ktap_opdefs[insn.op];
	insn.a = any_field(op->a, 0, f, rng);
	insn.b = any_field(op->b, 0, f, rng);
	insn.c = any_field(op->c, 0, f, rng);
	insn.d = any_operand(p, insn.op, f, pc, rng);
	fit_call(&insn, f, rng);
	return insn;
}

/* Code */

/* Correct a jump at @pc for a move by @by of the instructions from @at on. */
static void mend_jump(struct ktap_insn *insn, u32 pc, u32 at, s32 by)
{
	s64 to = (s64)pc + 1 + (s32)insn->d;

	if (!is_jump(insn->op))
		return;
	if (pc < at && to > at)
		insn->d += by;
	else if (pc >= at && to <= at)
		insn->d -= by;
}

static void mend_index(__le32 *index, u32 at, s32 by, bool behind)
{
	if (behind ? *index >= at : *index > at)
		*index += by;
}

/* Correct all references for a move by @by, 1 or -1, of the instructions from @at on. */
static void mend_places(struct program *p, u32 at, s32 by)
{
	u32 i;

	for (i = 0; i < p->ncode; i++)
		mend_jump(&p->code[i], i, at, by);
	for (i = 0; i < p->nfuncs; i++) {
		struct ktap_function *f = &p->funcs[i];

		if (f->first > at)
			f->first += by;
		else if (at - f->first < f->ninsns)
			f->ninsns += by;
	}
	for (i = 0; i < p->ntries; i++) {
		mend_index(&p->tries[i].first, at, by, false);
		mend_index(&p->tries[i].end, at, by, false);
		mend_index(&p->tries[i].handler, at, by, false);
	}
}

static void insert_insn(struct program *p, u32 at, u64 *rng)
{
	struct ktap_function *f = function_at(p, at);

	if (p->ncode == MAX_CODE)
		return;
	mend_places(p, at, 1);
	memmove(&p->code[at + 1], &p->code[at], (p->ncode - at) * sizeof(p->code[0]));
	p->ncode++;
	p->code[at] = rnd(2) ? any_insn(p, f, at, rng) : p->code[rnd(p->ncode)];
}

static void delete_insn(struct program *p, u32 at)
{
	const struct ktap_function *f = function_at(p, at);

	if (!f || f->ninsns < 2)
		return;
	mend_places(p, at, -1);
	p->ncode--;
	memmove(&p->code[at], &p->code[at + 1], (p->ncode - at) * sizeof(p->code[0]));
}

/* Choose another opcode with the same kinds of operands. */
static u8 similar_opcode(u8 op, u64 *rng)
{
	const struct ktap_opdef *other, *old = &ktap_opdefs[op];
	unsigned int tries;
	u8 i;

	for (tries = 0; tries < 64; tries++) {
		i = rnd(128);
		other = &ktap_opdefs[i];
		if (other->name && other->a == old->a && other->b == old->b &&
		    other->c == old->c && other->d == old->d)
			return i;
	}
	return op;
}

static void change_fields(struct program *p, u32 pc, u64 *rng)
{
	const struct ktap_function *f = function_at(p, pc);
	struct ktap_insn *insn = &p->code[pc];
	const struct ktap_opdef *op = &ktap_opdefs[insn->op];

	switch (rnd(6)) {
	case 0:
		insn->a = any_field(op->a, insn->a, f, rng);
		break;
	case 1:
		insn->b = any_field(op->b, insn->b, f, rng);
		break;
	case 2:
		insn->c = any_field(op->c, insn->c, f, rng);
		break;
	case 3:
		swap(insn->a, insn->b);
		break;
	case 4:
		swap(insn->b, insn->c);
		break;
	default:
		insn->d = any_operand(p, insn->op, f, pc, rng);
		fit_call(insn, f, rng);
	}
}

/* Make two instructions: the first gives an open number of values, the second takes them. */
static void make_open(struct program *p, u32 pc, u64 *rng)
{
	static const u8 givers[] = { KTAP_OP_CALL, KTAP_OP_CALLV, KTAP_OP_VARG };
	static const u8 takers[] = { KTAP_OP_CALL, KTAP_OP_CALLV, KTAP_OP_CALLB, KTAP_OP_RET,
				     KTAP_OP_TSETM };
	struct ktap_function *f = function_at(p, pc);
	struct ktap_insn *giver = &p->code[pc], *taker = giver + 1;

	if (!f || pc + 1 >= p->ncode)
		return;
	giver->op = givers[rnd(ARRAY_SIZE(givers))];
	giver->a = any_register(f, rng);
	giver->b = giver->op == KTAP_OP_VARG ? 0 : rnd(3);
	giver->c = KTAP_MULTI;
	giver->d = any_operand(p, giver->op, f, pc, rng);
	if (giver->op == KTAP_OP_VARG)
		f->flags = KTAP_FUNC_VARIADIC;
	taker->op = takers[rnd(ARRAY_SIZE(takers))];
	taker->a = rnd(giver->a + 1);
	taker->b = taker->op == KTAP_OP_TSETM ? rnd(giver->a + 1) : KTAP_MULTI;
	taker->c = ktap_opdefs[taker->op].c == KTAP_X_NONE ? 0 : rnd(4);
	taker->d = any_operand(p, taker->op, f, pc + 1, rng);
}

static void change_code(struct program *p, u64 *rng)
{
	u32 pc = rnd(p->ncode);

	switch (rnd(12)) {
	case 0:
	case 1:
	case 2:
		insert_insn(p, pc, rng);
		break;
	case 3:
		delete_insn(p, pc);
		break;
	case 4:
		p->code[pc] = any_insn(p, function_at(p, pc), pc, rng);
		break;
	case 5:
		swap(p->code[pc], p->code[rnd(p->ncode)]);
		break;
	case 6:
		make_open(p, pc, rng);
		break;
	case 7:
	case 8:
		p->code[pc].op = similar_opcode(p->code[pc].op, rng);
		break;
	default:
		change_fields(p, pc, rng);
	}
}

/* Functions, probes, names and other parts except the code */

static void change_function(struct program *p, u64 *rng)
{
	struct ktap_function *f = &p->funcs[rnd(p->nfuncs)];

	switch (rnd(5)) {
	case 0:
		f->nregs = rnd(4) ? f->nregs + rnd(3) : rnd(KTAP_MAX_REGS) + 1;
		break;
	case 1:
		f->nparams = rnd(16) ? rnd(4) : rnd(KTAP_MAX_ARGS + 2);
		break;
	case 2:
		f->flags ^= KTAP_FUNC_VARIADIC;
		break;
	case 3:
		swap(*f, p->funcs[rnd(p->nfuncs)]);
		break;
	default:
		p->main = any_index(p->nfuncs, rng);
	}
}

static void change_try(struct program *p, u64 *rng)
{
	const struct ktap_function *f = &p->funcs[rnd(p->nfuncs)];
	struct ktap_try *t;

	if (!p->ntries || (p->ntries < MAX_TRIES && !rnd(2)))
		p->ntries++;
	t = &p->tries[rnd(p->ntries)];
	*t = (struct ktap_try){ .first = f->first + rnd(f->ninsns ?: 1) };
	t->end = t->first + rnd(f->ninsns ?: 1);
	t->handler = f->first + rnd(f->ninsns ?: 1);
	t->reg = any_register(f, rng);
}

static u32 any_string(struct program *p, u64 *rng)
{
	const char *s = fuzz_strings[rnd(fuzz_nstrings)];

	return program_string(p, s, strlen(s));
}

static void change_string(struct program *p, u64 *rng)
{
	struct ktap_string *s = &p->strings[rnd(p->nstrings ?: 1)];
	u32 length;

	if (!p->nstrings || !rnd(4)) {
		length = any_string(p, rng);
		if (p->nstrings)
			*s = p->strings[length];
		return;
	}
	if (s->len && rnd(2)) {
		p->bytes[s->offset + rnd(s->len)] = rnd(2) ? rnd(256) : "%-0.*d\\/: "[rnd(10)];
		return;
	}
	length = rnd(8) ? s->len + rnd(5) - 2 : KTAP_MAX_STRLEN - rnd(3);
	s->len = min(length, MAX_BYTES - s->offset);
	if (s->len > KTAP_MAX_STRLEN)
		s->len = 0;
	p->nbytes = max(p->nbytes, s->offset + s->len);
}

static void change_int(struct program *p, u64 *rng)
{
	if (!p->nints || (p->nints < MAX_INTS && !rnd(8)))
		p->ints[p->nints++] = rnd(0);
	p->ints[rnd(p->nints)] = rnd(4) ? special_number(rng) : (s64)rnd(0);
}

static void change_probe(struct program *p, u64 *rng)
{
	struct ktap_probe_desc *probe;

	if (!p->nprobes || (p->nprobes < MAX_PROBES && !rnd(4))) {
		p->probes[p->nprobes] = (struct ktap_probe_desc){ .filter = KTAP_NONE };
		p->nprobes++;
	}
	probe = &p->probes[rnd(p->nprobes)];
	switch (rnd(4)) {
	case 0:
		probe->event = any_string(p, rng);
		break;
	case 1:
		probe->filter = rnd(2) ? KTAP_NONE : any_index(p->nfuncs, rng);
		break;
	case 2:
		probe->condition = rnd(2) ? 0 : rnd(2) ? KTAP_PROBE_SWITCHED :
				   any_index(p->nglobals, rng) + 1;
		break;
	default:
		probe->handler = any_index(p->nfuncs, rng);
	}
}

/* Change a byte of a type or member, or add one. */
static void change_types(struct program *p, u64 *rng)
{
	if (p->ntypes < MAX_TYPES && !rnd(4)) {
		p->types[p->ntypes++] = (struct ktap_type){
			.name = rnd(2) ? KTAP_NONE : any_string(p, rng),
			.kind = 1 + rnd(6),
			.size = 1 << rnd(4),
			.type = rnd(2) ? p->nmembers : any_index(p->ntypes, rng),
			.count = rnd(3),
		};
	} else if (p->nmembers < MAX_MEMBERS && !rnd(3)) {
		p->members[p->nmembers++] = (struct ktap_member){
			.name = rnd(2) ? KTAP_NONE : any_string(p, rng),
			.type = any_index(p->ntypes, rng),
			.bits = rnd(2) ? 0 : rnd(66),
			.flags = rnd(3),
		};
	} else if (p->ntypes && rnd(2)) {
		((u8 *)&p->types[rnd(p->ntypes)])[rnd(sizeof(p->types[0]))] = rnd(8);
	} else if (p->nmembers) {
		((u8 *)&p->members[rnd(p->nmembers)])[rnd(sizeof(p->members[0]))] = rnd(8);
	}
}

static void change_names(struct program *p, u64 *rng)
{
	if (!rnd(4)) {
		change_types(p, rng);
		return;
	}
	switch (rnd(3)) {
	case 0:
		if (p->nglobals < MAX_GLOBALS)
			p->globals[p->nglobals++] = any_string(p, rng);
		break;
	case 1:
		if (p->nfields < MAX_FIELDS)
			p->fields[p->nfields++] = any_string(p, rng);
		break;
	default:
		if (p->noptions < MAX_OPTIONS)
			p->options[p->noptions++] = (struct ktap_option){
				.name = any_string(p, rng),
				.help = KTAP_NONE,
				.value = rnd(2) ? KTAP_NONE : any_string(p, rng),
			};
	}
}

void program_change(struct program *p, u64 *rng)
{
	if (!p->ncode || !p->nfuncs)
		return;
	switch (rnd(16)) {
	case 0:
		change_function(p, rng);
		break;
	case 1:
		change_try(p, rng);
		break;
	case 2:
	case 3:
		change_string(p, rng);
		break;
	case 4:
		change_int(p, rng);
		break;
	case 5:
		change_probe(p, rng);
		break;
	case 6:
		change_names(p, rng);
		break;
	case 7:
		if (rnd(4))
			p->lines = !p->lines;
		else
			p->flags ^= KTAP_CHUNK_UNSAFE;
		break;
	default:
		change_code(p, rng);
	}
}

/* Splicing */

static u32 take_string(struct program *p, const struct program *other, u32 string)
{
	if (string >= other->nstrings)
		return string;
	return program_string(p, other->bytes + other->strings[string].offset,
			      other->strings[string].len);
}

/* Copy the operand of an instruction of @other to @p, and refer to the copy. */
static void take_operand(struct program *p, const struct program *other, struct ktap_insn *insn,
			 u64 *rng)
{
	switch (ktap_opdefs[insn->op].d) {
	case KTAP_X_STR:
		insn->d = take_string(p, other, insn->d);
		break;
	case KTAP_X_INT:
		if (insn->d < other->nints && p->nints < MAX_INTS) {
			p->ints[p->nints] = other->ints[insn->d];
			insn->d = p->nints++;
		}
		break;
	case KTAP_X_FUNC:
		insn->d = rnd(p->nfuncs);
		break;
	case KTAP_X_GLOBAL:
		if (!p->nglobals)
			p->globals[p->nglobals++] = 0;
		insn->d = rnd(p->nglobals);
		break;
	case KTAP_X_FIELD:
		if (insn->d < other->nfields && p->nfields < MAX_FIELDS) {
			p->fields[p->nfields] = take_string(p, other, other->fields[insn->d]);
			insn->d = p->nfields++;
		}
		break;
	}
}

void program_splice(struct program *p, const struct program *other, u64 *rng)
{
	const struct ktap_function *from;
	struct ktap_function *f;
	u32 i, n;

	if (!other->nfuncs || !p->nfuncs || p->nfuncs == MAX_FUNCS)
		return;
	from = &other->funcs[rnd(other->nfuncs)];
	n = from->ninsns;
	if (from->first > other->ncode || n > other->ncode - from->first ||
	    n > MAX_CODE - p->ncode)
		return;
	f = &p->funcs[p->nfuncs++];
	*f = *from;
	f->first = p->ncode;
	f->name = take_string(p, other, from->name);
	for (i = 0; i < n; i++) {
		p->code[p->ncode] = other->code[from->first + i];
		take_operand(p, other, &p->code[p->ncode++], rng);
	}
	p->flags |= other->flags;
	if (p->nprobes && f->nparams <= 1) {
		p->probes[rnd(p->nprobes)].handler = p->nfuncs - 1;
		return;
	}
	for (i = 0; i < p->ncode; i++) {
		if (p->code[i].op == KTAP_OP_CALL && !rnd(2)) {
			p->code[i].d = p->nfuncs - 1;
			return;
		}
	}
	if (!f->nparams && !rnd(2))
		p->main = p->nfuncs - 1;
}

void chunk_damage(u8 *chunk, size_t len, u64 *rng)
{
	const struct ktap_header *h = (void *)chunk;
	size_t head = sizeof(*h) + h->nsections * sizeof(struct ktap_section);
	size_t pos;
	u32 value;

	if (len < sizeof(*h))
		return;
	pos = rnd(rnd(2) ? min(head, len) : len) / 4 * 4 % (len - 3);
	memcpy(&value, chunk + pos, sizeof(value));
	switch (rnd(3)) {
	case 0:
		value = special_number(rng);
		break;
	case 1:
		value += rnd(33) - 16;
		break;
	default:
		value ^= 1U << rnd(32);
	}
	memcpy(chunk + pos, &value, sizeof(value));
}
