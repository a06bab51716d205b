// SPDX-License-Identifier: GPL-2.0
/* Prints a chunk as a listing; its text is stable, tests compare it. */
#include <inttypes.h>
#include <string.h>

#include "builtins.h"
#include "chunk.h"
#include "compile.h"

#define MAX_SHOWN	60	/* bytes of a string that are shown */

/*
 * The operands of an instruction, one letter each: a b c registers; B a
 * boolean in b; r the registers a to b; n the count b from register a on,
 * m the count c from register b on, q the arguments of a call; d an integer;
 * i bc as an integer; k s f g e l u integer constant, string, function,
 * global, event field, jump target, built-in function.
 */
static const struct {
	const char *name;
	const char *operands;
} ops[256] = {
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
	[KTAP_OP_ITER] = { "ITER", "a" },
	[KTAP_OP_NEXT] = { "NEXT", "al" },
	[KTAP_OP_FORPREP] = { "FORPREP", "al" },
	[KTAP_OP_FORLOOP] = { "FORLOOP", "al" },
	[KTAP_OP_CALL] = { "CALL", "afq" },
	[KTAP_OP_CALLV] = { "CALLV", "aq" },
	[KTAP_OP_CALLB] = { "CALLB", "au" },
	[KTAP_OP_RET] = { "RET", "n" },
	[KTAP_OP_FIELD] = { "FIELD", "ae" },
	[KTAP_OP_ARG] = { "ARG", "ad" },
};

static void show_bytes(FILE *out, const char *s, uint32_t len)
{
	static const char from[] = "\n\t\r\033\"\\", to[] = "ntre\"\\";
	uint32_t i, shown = len > MAX_SHOWN ? MAX_SHOWN : len;

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

/* A name that is an entry of a section of string indices. */
static void show_entry(FILE *out, const struct chunk *chunk, int type, uint32_t index)
{
	const struct chunk_section *s = &chunk->sections[type];

	if (index < s->count)
		show_name(out, chunk, get_le32(s->data + index * 4));
	else
		fprintf(out, "<bad index %u>", index);
}

static void show_builtin(FILE *out, uint32_t id, unsigned int nargs)
{
	const char *name = builtin_name(id);

	if (name)
		fprintf(out, "%s/%u", name, nargs);
	else
		fprintf(out, "<builtin %u>/%u", id, nargs);
}

static void show_operand(FILE *out, const struct chunk *chunk, const unsigned char *p, char kind,
			 uint32_t at)
{
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
		if (p[2] > 1)
			fprintf(out, "r%u-r%u", p[1], p[1] + p[2] - 1);
		else if (p[2])
			fprintf(out, "r%u", p[1]);
		break;
	case 'm':
		fprintf(out, "r%u-r%u", p[2], p[2] + p[3] - 1);
		break;
	case 'q':
		fprintf(out, "%u -> %u", p[2], p[3]);
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
		break;
	case 'l':
		fprintf(out, "=> %" PRId64, (int64_t)at + 1 + (int32_t)d);
		break;
	case 'u':
		show_builtin(out, d, p[2]);
		break;
	}
}

static void show_insn(FILE *out, const struct chunk *chunk, const unsigned char *p, uint32_t at)
{
	const char *o = ops[p[0]].operands, *sep = "";

	if (!ops[p[0]].name) {
		fprintf(out, "%4u  <bad opcode %u>\n", at, p[0]);
		return;
	}
	if (p[0] == KTAP_OP_RET && !p[2]) {
		fprintf(out, "%4u  RET\n", at);
		return;
	}
	fprintf(out, "%4u  %-7s ", at, ops[p[0]].name);
	for (; *o; o++, sep = ", ") {
		fputs(sep, out);
		show_operand(out, chunk, p, *o, at);
	}
	fputc('\n', out);
}

/* "; file:line" when the line is another than that of the instruction before. */
static void show_line(FILE *out, const struct chunk *chunk, uint32_t index, uint32_t *last)
{
	const struct chunk_section *lines = &chunk->sections[KTAP_SEC_LINES];
	const struct chunk_section *files = &chunk->sections[KTAP_SEC_FILES];
	const unsigned char *p = lines->data + (size_t)index * sizeof(struct ktap_line);
	uint32_t line, file;

	if (index >= lines->count)
		return;
	line = get_le32(p);
	file = get_le16(p + 6);
	if (!line || line == *last)
		return;
	*last = line;
	fputs("  ; ", out);
	if (file < files->count)
		show_name(out, chunk, get_le32(files->data + file * sizeof(struct ktap_file)));
	else
		fputc('?', out);
	fprintf(out, ":%u\n", line);
}

static int show_body(FILE *out, const struct chunk *chunk, const unsigned char *p)
{
	const struct chunk_section *code = &chunk->sections[KTAP_SEC_CODE];
	uint32_t first = get_le32(p + 4), count = get_le32(p + 8), i, line = 0;

	fputs("function ", out);
	show_name(out, chunk, get_le32(p));
	fprintf(out, " (%u param%s, %u register%s)\n", p[12], p[12] == 1 ? "" : "s", p[13],
		p[13] == 1 ? "" : "s");
	if (first > code->count || count > code->count - first) {
		fputs("  <its instructions lie outside of the chunk>\n", out);
		return -1;
	}
	for (i = 0; i < count; i++) {
		show_line(out, chunk, first + i, &line);
		show_insn(out, chunk, code->data + (size_t)(first + i) * sizeof(struct ktap_insn),
			  i);
	}
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
	fputs(" handler=\"", out);
	show_function(out, chunk, get_le32(p + 8));
	fputs("\"\n", out);
}

int ktap_disassemble(FILE *out, const void *data, size_t len)
{
	const struct chunk_section *funcs, *probes;
	struct chunk chunk;
	const char *error = chunk_read(&chunk, data, len);
	int ret = 0;
	uint32_t i;

	if (error) {
		fprintf(stderr, "ktap: %s\n", error);
		return -1;
	}
	funcs = &chunk.sections[KTAP_SEC_FUNCS];
	probes = &chunk.sections[KTAP_SEC_PROBES];
	for (i = 0; i < funcs->count; i++) {
		if (i)
			fputc('\n', out);
		if (show_body(out, &chunk, funcs->data + i * sizeof(struct ktap_function)))
			ret = -1;
	}
	if (probes->count)
		fputc('\n', out);
	for (i = 0; i < probes->count; i++)
		show_probe(out, &chunk, i);
	if (ret)
		fputs("ktap: the chunk is damaged\n", stderr);
	return ret;
}
