// SPDX-License-Identifier: GPL-2.0
/*
 * Print a chunk as a listing. Tests compare it, so its text is stable.
 *
 * Each script line is shown before its instructions, and each jump target has a
 * label.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/builtins.h"
#include "compiler/chunk_read.h"
#include "compiler/util.h"
#include "compiler/compile.h"

#define MAX_STRING_SHOWN	60	/* bytes of a string that are shown */
#define MAX_LISTED_LINE	90	/* bytes of a script line that are shown */

/*
 * The operands of an instruction, one letter each: a b c registers; B a
 * boolean in b; r the registers a to b; n the count b from register a on,
 * p the count c from there, m the count c from register b on, o all from b on,
 * q the arguments and results of a call; d an integer; i bc as an integer;
 * k s f g e l u integer constant, string, function, global, event field, jump
 * target, built-in function.
 */
static const struct opcode {
	char name[8];
	char operands[5];
} opcodes[] = {
	[KTAP_OP_NIL] = { "NIL", "r" },
	[KTAP_OP_BOOL] = { "BOOL", "aB" },
	[KTAP_OP_INT] = { "INT", "ad" },
	[KTAP_OP_INTK] = { "INTK", "ak" },
	[KTAP_OP_STR] = { "STR", "as" },
	[KTAP_OP_FUNC] = { "FUNC", "af" },
	[KTAP_OP_MOV] = { "MOV", "ab" },
	[KTAP_OP_GETG] = { "GETG", "ag" },
	[KTAP_OP_SETG] = { "SETG", "ga" },
	[KTAP_OP_ADDG] = { "ADDG", "ga" },
	[KTAP_OP_ADD] = { "ADD", "abc" },
	[KTAP_OP_SUB] = { "SUB", "abc" },
	[KTAP_OP_MUL] = { "MUL", "abc" },
	[KTAP_OP_DIV] = { "DIV", "abc" },
	[KTAP_OP_MOD] = { "MOD", "abc" },
	[KTAP_OP_AND] = { "AND", "abc" },
	[KTAP_OP_OR] = { "OR", "abc" },
	[KTAP_OP_XOR] = { "XOR", "abc" },
	[KTAP_OP_SHL] = { "SHL", "abc" },
	[KTAP_OP_SHR] = { "SHR", "abc" },
	[KTAP_OP_ADDI] = { "ADDI", "abd" },
	[KTAP_OP_SUBI] = { "SUBI", "abd" },
	[KTAP_OP_MULI] = { "MULI", "abd" },
	[KTAP_OP_DIVI] = { "DIVI", "abd" },
	[KTAP_OP_MODI] = { "MODI", "abd" },
	[KTAP_OP_ANDI] = { "ANDI", "abd" },
	[KTAP_OP_ORI] = { "ORI", "abd" },
	[KTAP_OP_XORI] = { "XORI", "abd" },
	[KTAP_OP_SHLI] = { "SHLI", "abd" },
	[KTAP_OP_SHRI] = { "SHRI", "abd" },
	[KTAP_OP_NEG] = { "NEG", "ab" },
	[KTAP_OP_BNOT] = { "BNOT", "ab" },
	[KTAP_OP_NOT] = { "NOT", "ab" },
	[KTAP_OP_CONCAT] = { "CONCAT", "am" },
	[KTAP_OP_TUPLE] = { "TUPLE", "am" },
	[KTAP_OP_EQ] = { "EQ", "abc" },
	[KTAP_OP_LT] = { "LT", "abc" },
	[KTAP_OP_LE] = { "LE", "abc" },
	[KTAP_OP_JMP] = { "JMP", "l" },
	[KTAP_OP_JT] = { "JT", "al" },
	[KTAP_OP_JF] = { "JF", "al" },
	[KTAP_OP_JNIL] = { "JNIL", "al" },
	[KTAP_OP_JNNIL] = { "JNNIL", "al" },
	[KTAP_OP_JEQ] = { "JEQ", "abl" },
	[KTAP_OP_JNE] = { "JNE", "abl" },
	[KTAP_OP_JLT] = { "JLT", "abl" },
	[KTAP_OP_JLE] = { "JLE", "abl" },
	[KTAP_OP_JNLT] = { "JNLT", "abl" },
	[KTAP_OP_JNLE] = { "JNLE", "abl" },
	[KTAP_OP_JEQI] = { "JEQI", "ail" },
	[KTAP_OP_JNEI] = { "JNEI", "ail" },
	[KTAP_OP_JLTI] = { "JLTI", "ail" },
	[KTAP_OP_JLEI] = { "JLEI", "ail" },
	[KTAP_OP_JGTI] = { "JGTI", "ail" },
	[KTAP_OP_JGEI] = { "JGEI", "ail" },
	[KTAP_OP_JNLTI] = { "JNLTI", "ail" },
	[KTAP_OP_JNLEI] = { "JNLEI", "ail" },
	[KTAP_OP_JNGTI] = { "JNGTI", "ail" },
	[KTAP_OP_JNGEI] = { "JNGEI", "ail" },
	[KTAP_OP_NEWT] = { "NEWT", "ad" },
	[KTAP_OP_TGET] = { "TGET", "abc" },
	[KTAP_OP_TGETS] = { "TGETS", "abs" },
	[KTAP_OP_TGETI] = { "TGETI", "abd" },
	[KTAP_OP_TSET] = { "TSET", "abc" },
	[KTAP_OP_TSETS] = { "TSETS", "asc" },
	[KTAP_OP_TSETI] = { "TSETI", "adc" },
	[KTAP_OP_TADD] = { "TADD", "abc" },
	[KTAP_OP_TADDS] = { "TADDS", "asc" },
	[KTAP_OP_TADDI] = { "TADDI", "adc" },
	[KTAP_OP_THAS] = { "THAS", "abc" },
	[KTAP_OP_TAGG] = { "TAGG", "abc" },
	[KTAP_OP_ITER] = { "ITER", "a" },
	[KTAP_OP_NEXT] = { "NEXT", "al" },
	[KTAP_OP_FORPREP] = { "FORPREP", "al" },
	[KTAP_OP_FORLOOP] = { "FORLOOP", "al" },
	[KTAP_OP_CALL] = { "CALL", "afq" },
	[KTAP_OP_CALLV] = { "CALLV", "aq" },
	[KTAP_OP_CALLB] = { "CALLB", "au" },
	[KTAP_OP_RET] = { "RET", "n" },
	[KTAP_OP_VARG] = { "VARG", "p" },
	[KTAP_OP_TSETM] = { "TSETM", "ado" },
	[KTAP_OP_AGG] = { "AGG", "ac" },
	[KTAP_OP_FIELD] = { "FIELD", "ae" },
	[KTAP_OP_ARG] = { "ARG", "ad" },
	[KTAP_OP_CALLK] = { "CALLK", "av" },
	[KTAP_OP_SYMBOL] = { "SYMBOL", "as" },
	[KTAP_OP_GETSELF] = { "GETSELF", "as" },
	[KTAP_OP_SETSELF] = { "SETSELF", "sa" },
	[KTAP_OP_ADDSELF] = { "ADDSELF", "sa" },
};

/* NULL: there is no such opcode. */
static const struct opcode *find_opcode(unsigned int op)
{
	return op < ARRAY_SIZE(opcodes) && opcodes[op].name[0] ? &opcodes[op] : NULL;
}

/* The function that is being printed. */
struct listing {
	FILE *out;
	const struct chunk *chunk;
	uint32_t first, count;	/* its instructions */
	uint32_t *labels;	/* by instruction: the number of its label, or 0 */
	uint32_t file, line;	/* shown last (file, line) */
	const unsigned char *text;	/* that line, or NULL */
};

static void show_bytes(FILE *out, const char *s, uint32_t len)
{
	static const char from[] = "\n\t\r\033\"\\", to[] = "ntre\"\\";
	uint32_t i, shown = len > MAX_STRING_SHOWN ? MAX_STRING_SHOWN : len;

	fputc('"', out);
	for (i = 0; i < shown; i++) {
		unsigned char c = s[i];
		const char *p = c ? strchr(from, c) : NULL;

		if (p)
			fprintf(out, "\\%c", to[p - from]);
		else if (c < ' ' || c >= 127)
			fprintf(out, "\\x%02x", c);
		else
			fputc(c, out);
	}
	fputs(len > shown ? "\"..." : "\"", out);
}

static void show_name(FILE *out, const struct chunk *chunk, uint32_t string)
{
	uint32_t len, i;
	const char *s = chunk_get_string(chunk, string, &len);

	for (i = 0; i < len && i < 200; i++)
		fputc(s[i] >= ' ' && s[i] < 127 ? s[i] : '?', out);
}

static void show_function(FILE *out, const struct chunk *chunk, uint32_t index)
{
	const struct chunk_section *funcs = &chunk->sections[KTAP_SEC_FUNCS];

	if (index < funcs->count)
		show_name(out, chunk, get_le32(funcs->data + index * sizeof(struct ktap_function)));
	else
		fprintf(out, "<bad function %u>", index);
}

/* Print a name from a section of string indices. */
static void show_entry(FILE *out, const struct chunk *chunk, int type, uint32_t index)
{
	const struct chunk_section *s = &chunk->sections[type];

	if (index < s->count)
		show_name(out, chunk, get_le32(s->data + index * 4));
	else
		fprintf(out, "<bad index %u>", index);
}

/* Print a number of values, which KTAP_MULTI leaves open. */
static void show_count(FILE *out, unsigned int count)
{
	if (count == KTAP_MULTI)
		fputs("...", out);
	else
		fprintf(out, "%u", count);
}

static void show_registers(FILE *out, unsigned int first, unsigned int count)
{
	if (count)
		fprintf(out, "r%u", first);
	if (count == KTAP_MULTI)
		fputs("...", out);
	else if (count > 1)
		fprintf(out, "-r%u", first + count - 1);
}

static void show_builtin(FILE *out, uint32_t id, unsigned int nargs)
{
	const char *name = builtin_name(id);

	if (name)
		fprintf(out, "%s/", name);
	else
		fprintf(out, "<builtin %u>/", id);
	show_count(out, nargs);
}

static void show_label(const struct listing *l, int64_t target)
{
	if (target >= 0 && target < l->count)
		fprintf(l->out, "=> L%u", l->labels[target]);
	else
		fprintf(l->out, "=> <bad target %" PRId64 ">", target);
}

static void show_operand(const struct listing *l, const unsigned char *p, char kind, uint32_t at)
{
	const struct chunk *chunk = l->chunk;
	FILE *out = l->out;
	const struct chunk_section *ints = &chunk->sections[KTAP_SEC_INTS];
	uint32_t d = get_le32(p + 4), len;
	const char *s;

	switch (kind) {
	case 'a':
	case 'b':
	case 'c':
		fprintf(out, "r%u", p[1 + kind - 'a']);
		break;
	case 'B':
		fputs(p[2] ? "true" : "false", out);
		break;
	case 'r':
		fprintf(out, p[1] == p[2] ? "r%u" : "r%u-r%u", p[1], p[2]);
		break;
	case 'n':
		show_registers(out, p[1], p[2]);
		break;
	case 'p':
		show_registers(out, p[1], p[3]);
		break;
	case 'm':
		show_registers(out, p[2], p[3]);
		break;
	case 'o':
		show_registers(out, p[2], KTAP_MULTI);
		break;
	case 'q':
		show_count(out, p[2]);
		fputs(" -> ", out);
		show_count(out, p[3]);
		break;
	case 'd':
		fprintf(out, "%" PRId32, (int32_t)d);
		break;
	case 'i':
		fprintf(out, "%d", (int16_t)get_le16(p + 2));
		break;
	case 'k':
		if (d < ints->count)
			fprintf(out, "%" PRId64, (int64_t)get_le64(ints->data + d * 8));
		else
			fprintf(out, "<bad integer %u>", d);
		break;
	case 's':
		s = chunk_get_string(chunk, d, &len);
		show_bytes(out, s, len);
		break;
	case 'f':
		show_function(out, chunk, d);
		break;
	case 'g':
		show_entry(out, chunk, KTAP_SEC_GLOBALS, d);
		break;
	case 'e':
		show_entry(out, chunk, KTAP_SEC_FIELDS, d);
		if (p[2])
			fputs(p[2] == KTAP_NEED_NOTHING ? " or nil" : " by its name", out);
		break;
	case 'l':
		show_label(l, (int64_t)at + 1 + (int32_t)d);
		break;
	case 'u':
		show_builtin(out, d, p[2]);
		break;
	case 'v':
		show_name(out, chunk, d);
		fputc('/', out);
		show_count(out, p[2]);
		break;
	}
}

static void show_insn(const struct listing *l, const unsigned char *p, uint32_t at)
{
	const struct opcode *opcode = find_opcode(p[0]);
	const char *o, *sep = "";
	char label[16] = "";

	if (l->labels[at])
		snprintf(label, sizeof(label), "L%u", l->labels[at]);
	fprintf(l->out, "%-4s%5u  ", label, at);
	if (!opcode) {
		fprintf(l->out, "<bad opcode %u>\n", p[0]);
		return;
	}
	if (p[0] == KTAP_OP_RET && !p[2]) {
		fputs("RET\n", l->out);
		return;
	}
	fprintf(l->out, "%-7s ", opcode->name);
	for (o = opcode->operands; *o; o++, sep = ", ") {
		fputs(sep, l->out);
		show_operand(l, p, *o, at);
	}
	fputc('\n', l->out);
}

/*
 * Find a line of a file in the chunk; usually it follows the one shown before.
 */
static const unsigned char *find_line(const struct listing *l, uint32_t file, uint32_t line,
				      const unsigned char **end)
{
	const struct chunk_section *files = &l->chunk->sections[KTAP_SEC_FILES];
	const unsigned char *p = files->data + file * sizeof(struct ktap_file);
	uint32_t text = get_le32(p + 4), len = get_le32(p + 8), at = 1;

	if (text > files->size || len > files->size - text)
		return NULL;
	p = files->data + text;
	*end = p + len;
	if (l->text && file == l->file && line >= l->line) {
		at = l->line;
		p = l->text;
	}
	for (; at < line && p; at++) {
		p = memchr(p, '\n', *end - p);
		p = p ? p + 1 : NULL;
	}
	return p != *end ? p : NULL;
}

static void show_text(const struct listing *l, const unsigned char *end)
{
	const unsigned char *p = l->text, *eol = memchr(p, '\n', end - p);
	unsigned int n;

	if (!eol)
		eol = end;
	while (p < eol && (*p == ' ' || *p == '\t'))
		p++;
	fputs(p < eol ? ": " : "", l->out);
	for (n = 0; p < eol && n < MAX_LISTED_LINE; p++, n++)
		fputc(*p == '\t' ? ' ' : *p >= ' ' && *p < 127 ? *p : '?', l->out);
	fputs(p < eol ? "..." : "", l->out);
}

/*
 * Print the script line of an instruction, if it is not the one shown before.
 */
static void show_line(struct listing *l, uint32_t index)
{
	const struct chunk_section *lines = &l->chunk->sections[KTAP_SEC_LINES];
	const struct chunk_section *files = &l->chunk->sections[KTAP_SEC_FILES];
	const unsigned char *p, *end;
	uint32_t line, file;

	if (index >= lines->count)
		return;
	p = lines->data + (size_t)index * sizeof(struct ktap_line);
	line = get_le32(p);
	file = get_le16(p + 6);
	if (!line || (line == l->line && file == l->file))
		return;
	l->text = file < files->count ? find_line(l, file, line, &end) : NULL;
	l->line = line;
	l->file = file;
	fputs("; ", l->out);
	if (file < files->count)
		show_name(l->out, l->chunk,
			  get_le32(files->data + file * sizeof(struct ktap_file)));
	else
		fputc('?', l->out);
	fprintf(l->out, ":%u", line);
	if (l->text)
		show_text(l, end);
	fputc('\n', l->out);
}

/* Does the instruction have an operand of that kind? */
static bool has_operand(int op, char kind)
{
	const struct opcode *opcode = find_opcode(op);

	return opcode && strchr(opcode->operands, kind);
}

static void mark_label(struct listing *l, int64_t target)
{
	if (target >= 0 && target < l->count)
		l->labels[target] = 1;
}

static const unsigned char *insn_at(const struct listing *l, uint32_t i)
{
	return l->chunk->sections[KTAP_SEC_CODE].data +
	       (size_t)(l->first + i) * sizeof(struct ktap_insn);
}

/* Find the next entry of KTAP_SEC_TRIES of this function, from @i on. */
static const unsigned char *next_try(const struct listing *l, uint32_t *i)
{
	const struct chunk_section *tries = &l->chunk->sections[KTAP_SEC_TRIES];

	for (; *i < tries->count; ++*i) {
		const unsigned char *p = tries->data + (size_t)*i * sizeof(struct ktap_try);
		uint32_t first = get_le32(p);

		if (first >= l->first && first - l->first < l->count) {
			++*i;
			return p;
		}
	}
	return NULL;
}

static void number_labels(struct listing *l)
{
	const unsigned char *p;
	uint32_t i, n = 0;

	for (i = 0; i < l->count; i++) {
		p = insn_at(l, i);
		if (has_operand(p[0], 'l'))
			mark_label(l, (int64_t)i + 1 + (int32_t)get_le32(p + 4));
	}
	for (i = 0; (p = next_try(l, &i)); )
		mark_label(l, (int64_t)get_le32(p + 8) - l->first);
	for (i = 0; i < l->count; i++)
		if (l->labels[i])
			l->labels[i] = ++n;
}

/* "try 3-5: r2 => L4" */
static void show_tries(const struct listing *l)
{
	const unsigned char *p;
	uint32_t i;

	for (i = 0; (p = next_try(l, &i)); ) {
		fprintf(l->out, "try %u-%" PRId64 ": r%u ", get_le32(p) - l->first,
			(int64_t)get_le32(p + 4) - l->first - 1, p[12]);
		show_label(l, (int64_t)get_le32(p + 8) - l->first);
		fputc('\n', l->out);
	}
}

/* *left: number of instructions that belong to no function yet */
static int show_body(FILE *out, const struct chunk *chunk, const unsigned char *p, uint32_t *left)
{
	const struct chunk_section *code = &chunk->sections[KTAP_SEC_CODE];
	struct listing l = {
		.out = out, .chunk = chunk, .first = get_le32(p + 4), .count = get_le32(p + 8),
	};
	uint32_t i;

	fputs("function ", out);
	show_name(out, chunk, get_le32(p));
	fprintf(out, " (%u param%s%s, %u register%s)\n", p[12], p[12] == 1 ? "" : "s",
		get_le16(p + 14) & KTAP_FUNC_VARIADIC ? " and more" : "", p[13],
		p[13] == 1 ? "" : "s");
	if (l.first > code->count || l.count > code->count - l.first || l.count > *left) {
		fputs("  <its instructions are not in the chunk, or in another function>\n", out);
		return -1;
	}
	*left -= l.count;
	l.labels = calloc(l.count ? l.count : 1, sizeof(*l.labels));
	if (!l.labels)
		return -1;
	number_labels(&l);
	for (i = 0; i < l.count; i++) {
		show_line(&l, l.first + i);
		show_insn(&l, insn_at(&l, i), i);
	}
	show_tries(&l);
	free(l.labels);
	return 0;
}

static void show_probe(FILE *out, const struct chunk *chunk, uint32_t index)
{
	const unsigned char *p = chunk->sections[KTAP_SEC_PROBES].data +
				 index * sizeof(struct ktap_probe_desc);

	fprintf(out, "probe %u: ", index);
	show_name(out, chunk, get_le32(p));
	if (get_le32(p + 4) != KTAP_NONE) {
		fputs(" filter=\"", out);
		show_function(out, chunk, get_le32(p + 4));
		fputc('"', out);
	}
	if (get_le32(p + 12) == KTAP_PROBE_SWITCHED) {
		fputs(" switched", out);
	} else if (get_le32(p + 12)) {
		fputs(" condition=", out);
		show_entry(out, chunk, KTAP_SEC_GLOBALS, get_le32(p + 12) - 1);
	}
	fputs(" handler=\"", out);
	show_function(out, chunk, get_le32(p + 8));
	fputs("\"\n", out);
}

/* "option pid=0: only that process" */
static void show_option(FILE *out, const struct chunk *chunk, uint32_t index)
{
	const unsigned char *p = chunk->sections[KTAP_SEC_OPTIONS].data +
				 index * sizeof(struct ktap_option);

	fprintf(out, "option %u: ", index);
	show_name(out, chunk, get_le32(p));
	if (get_le32(p + 8) != KTAP_NONE) {
		fputs(" default=", out);
		show_name(out, chunk, get_le32(p + 8));
	}
	if (get_le32(p + 4) != KTAP_NONE) {
		fputs(" help=", out);
		show_name(out, chunk, get_le32(p + 4));
	}
	fputc('\n', out);
}

/* "member next: type 2", "member a: type 0, 3 bits" */
static void show_member(FILE *out, const struct chunk *chunk, uint32_t index)
{
	const struct chunk_section *members = &chunk->sections[KTAP_SEC_MEMBERS];
	const unsigned char *p = members->data + index * sizeof(struct ktap_member);

	fputs("        member ", out);
	if (get_le32(p) != KTAP_NONE)
		show_name(out, chunk, get_le32(p));
	fprintf(out, ": type %u", get_le32(p + 4));
	if (get_le16(p + 10) & KTAP_MEMBER_BITS)
		fprintf(out, ", %u bits", p[8]);
	fputc('\n', out);
}

/* "type 3: struct "struct item", 5 members" */
static void show_type(FILE *out, const struct chunk *chunk, uint32_t index)
{
	static const char * const kinds[] = {
		"?", "integer", "pointer", "array", "structure", "union", "typedef",
	};
	const unsigned char *p = chunk->sections[KTAP_SEC_TYPES].data +
				 index * sizeof(struct ktap_type);
	uint32_t to = get_le32(p + 8), count = get_le32(p + 12), i;

	fprintf(out, "type %u: %s", index, kinds[p[4] < ARRAY_SIZE(kinds) ? p[4] : 0]);
	if (get_le32(p) != KTAP_NONE) {
		fputc(' ', out);
		show_name(out, chunk, get_le32(p));
	}
	if (p[4] == KTAP_TYPE_POINTER && to == KTAP_NONE)
		fputs(" to void", out);
	else if (p[4] == KTAP_TYPE_POINTER || p[4] == KTAP_TYPE_TYPEDEF)
		fprintf(out, " to type %u", to);
	else if (p[4] == KTAP_TYPE_ARRAY)
		fprintf(out, " of %u of type %u", count, to);
	fputc('\n', out);
	if (p[4] != KTAP_TYPE_STRUCT && p[4] != KTAP_TYPE_UNION)
		return;
	for (i = 0; i < count && to + (uint64_t)i < chunk->sections[KTAP_SEC_MEMBERS].count; i++)
		show_member(out, chunk, to + i);
}

int ktap_disassemble(FILE *out, const void *data, size_t len)
{
	const struct chunk_section *funcs, *options, *probes, *types;
	struct chunk chunk;
	const char *error = chunk_read(&chunk, data, len);
	uint32_t i, left;
	int ret = 0;

	if (error) {
		fprintf(stderr, "ktap: %s\n", error);
		return -1;
	}
	funcs = &chunk.sections[KTAP_SEC_FUNCS];
	probes = &chunk.sections[KTAP_SEC_PROBES];
	left = chunk.sections[KTAP_SEC_CODE].count;
	if (chunk.flags & KTAP_CHUNK_UNSAFE)
		fputs("unsafe: it may act on the system\n\n", out);
	for (i = 0; i < funcs->count; i++) {
		if (i)
			fputc('\n', out);
		if (show_body(out, &chunk, funcs->data + i * sizeof(struct ktap_function), &left))
			ret = -1;
	}
	if (probes->count)
		fputc('\n', out);
	for (i = 0; i < probes->count; i++)
		show_probe(out, &chunk, i);
	options = &chunk.sections[KTAP_SEC_OPTIONS];
	if (options->count)
		fputc('\n', out);
	for (i = 0; i < options->count; i++)
		show_option(out, &chunk, i);
	types = &chunk.sections[KTAP_SEC_TYPES];
	if (types->count)
		fputc('\n', out);
	for (i = 0; i < types->count; i++)
		show_type(out, &chunk, i);
	if (ret)
		fputs("ktap: the chunk is damaged\n", stderr);
	return ret;
}
