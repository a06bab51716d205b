// SPDX-License-Identifier: GPL-2.0
/* The parser: advice for the syntax of other languages. */
#include <ctype.h>
#include <string.h>

#include "compiler/builtins.h"
#include "compiler/parser.h"
#include "compiler/suggest.h"
#include "compiler/util.h"

#define NO_TYPES	"there are no types: var x = 5, function f(x) { ... }"
#define BY_VAR		"'var' declares a variable: var x = 5"
#define BY_FUNCTION	"'function' declares a function: function f(x) { ... }"
#define BY_BEGIN	"write BEGIN { ... } or trace_begin { ... }"
#define BY_END		"write END { ... } or trace_end { ... }"
#define BY_ELSEIF	"write else if (...) { ... }"
#define BY_IF		"write if (...) { ... } else if (...) { ... }"
#define BY_FOR		"write for (k, v in t) { ... }"
#define BY_COUNTING	"write for (i = 1, 5) { ... }"
#define BY_TICK		"write tick-1s { ... }"
#define BY_INCLUDE	"write include \"file.kp\""
#define BY_PTR_ERR	"did you mean 'ptr_err'? It is nil for what is no error"
#define BY_HIST		"write h = hist() at the top level, and h <<< v"
#define BY_LHIST	"write h = lhist(min, max, step) at the top level, and h <<< v"
#define WITH_64_BITS	"integers have 64 bits and a sign: write the value alone"
#define NO_WAITING	"scripts cannot wait; write tick-1s { ... }"
#define BY_MATCH	"a string matches a pattern: s ~ \"a*\""

/*
 * Each of them may also be a name of a variable or function. They only explain
 * an error.
 */
static const struct {
	const char *word;
	unsigned int use;
	const char *advice;
} words[] = {
	{ "auto", FOREIGN_NAME, NO_TYPES },
	{ "bool", FOREIGN_NAME, NO_TYPES },
	{ "char", FOREIGN_NAME, NO_TYPES },
	{ "int", FOREIGN_NAME, NO_TYPES },
	{ "long", FOREIGN_NAME, NO_TYPES },
	{ "string", FOREIGN_NAME, NO_TYPES },
	{ "struct", FOREIGN_NAME, NO_TYPES },
	{ "u32", FOREIGN_NAME, NO_TYPES },
	{ "u64", FOREIGN_NAME, NO_TYPES },
	{ "unsigned", FOREIGN_NAME, NO_TYPES },
	{ "void", FOREIGN_NAME, NO_TYPES },
	{ "const", FOREIGN_NAME, BY_VAR },
	{ "global", FOREIGN_NAME, BY_VAR },
	{ "let", FOREIGN_NAME, BY_VAR },
	{ "my", FOREIGN_NAME, BY_VAR },
	{ "def", FOREIGN_NAME, BY_FUNCTION },
	{ "fn", FOREIGN_NAME, BY_FUNCTION },
	{ "func", FOREIGN_NAME, BY_FUNCTION },
	{ "sub", FOREIGN_NAME, BY_FUNCTION },
	{ "BEGIN", FOREIGN_CALL, BY_BEGIN },
	{ "begin", FOREIGN_BLOCK | FOREIGN_CALL, BY_BEGIN },
	{ "tracebegin", FOREIGN_BLOCK | FOREIGN_CALL, BY_BEGIN },
	{ "trace_start", FOREIGN_BLOCK | FOREIGN_CALL, BY_BEGIN },
	{ "END", FOREIGN_CALL, BY_END },
	{ "end", FOREIGN_BLOCK | FOREIGN_CALL, BY_END },
	{ "traceend", FOREIGN_BLOCK | FOREIGN_CALL, BY_END },
	{ "elif", FOREIGN_NAME | FOREIGN_CALL, BY_ELSEIF },
	{ "elsif", FOREIGN_NAME | FOREIGN_CALL, BY_ELSEIF },
	{ "switch", FOREIGN_NAME | FOREIGN_CALL, BY_IF },
	{ "foreach", FOREIGN_NAME | FOREIGN_CALL, BY_FOR },
	{ "unroll", FOREIGN_NAME | FOREIGN_CALL, BY_COUNTING },
	{ "tick", FOREIGN_NAME, BY_TICK },
	{ "every", FOREIGN_NAME | FOREIGN_CALL, BY_TICK },
	{ "interval", FOREIGN_NAME, BY_TICK },
	{ "profile", FOREIGN_NAME, "write profile-10ms { ... }" },
	{ "probe", FOREIGN_NAME, "write trace probe:vfs_read { ... }" },
	{ "import", FOREIGN_NAME | FOREIGN_CALL, BY_INCLUDE },
	{ "require", FOREIGN_NAME | FOREIGN_CALL, BY_INCLUDE },
	{ "use", FOREIGN_NAME, BY_INCLUDE },
	{ "quantize", FOREIGN_CALL, BY_HIST },
	{ "lquantize", FOREIGN_CALL, BY_LHIST },
	{ "time", FOREIGN_CALL, "write print(strftime(\"%H:%M:%S\"))" },
	{ "errname", FOREIGN_CALL, "did you mean 'errno_name'?" },
	{ "is_err", FOREIGN_CALL, BY_PTR_ERR },
	{ "IS_ERR", FOREIGN_CALL, BY_PTR_ERR },
	{ "PTR_ERR", FOREIGN_CALL, BY_PTR_ERR },
	{ "bswap", FOREIGN_CALL, "bswap16(x), bswap32(x) and bswap64(x) say of how many bits" },
	{ "inet_pton", FOREIGN_CALL, "did you mean 'pton'?" },
	{ "inet_ntop", FOREIGN_CALL, "did you mean 'ntop'?" },
	{ "strncmp", FOREIGN_CALL, BY_MATCH },
	{ "strcontains", FOREIGN_CALL, "write strstr(s, part)" },
	{ "strstarts", FOREIGN_CALL, BY_MATCH },
	{ "match", FOREIGN_CALL, BY_MATCH },
	{ "zero", FOREIGN_CALL, "write clear(t)" },
	{ "has_key", FOREIGN_CALL, "write k in t" },
	{ "errorf", FOREIGN_CALL, "write error(format(...))" },
	{ "warnf", FOREIGN_CALL, "write printf(...)" },
	{ "kptr", FOREIGN_CALL, "addresses need no kptr(): str() and read() tell by themselves" },
	{ "uptr", FOREIGN_CALL, "addresses need no uptr(): str() and read() tell by themselves" },
	{ "reg", FOREIGN_CALL, "arguments are arg0 to arg9, the result is retval" },
	{ "include", FOREIGN_NAME, BY_INCLUDE },
	{ "s64", FOREIGN_CALL, WITH_64_BITS },
	{ "u64", FOREIGN_CALL, WITH_64_BITS },
	{ "int64", FOREIGN_CALL, WITH_64_BITS },
	{ "uint64", FOREIGN_CALL, WITH_64_BITS },
	{ "sort", FOREIGN_CALL, "write for (k, v in sort_pairs(t)) { ... }" },
	{ "sleep", FOREIGN_CALL, NO_WAITING },
	{ "usleep", FOREIGN_CALL, NO_WAITING },
	{ "wait", FOREIGN_CALL, NO_WAITING },
	{ "probe", FOREIGN_VALUE, "did you mean 'probename'?" },
	{ "net", FOREIGN_VALUE, "write include \"lib/net.kp\"" },
	{ "os", FOREIGN_VALUE, "to wait, write tick-3s { exit() }" },
	{ "null", FOREIGN_VALUE, "did you mean 'nil'?" },
	{ "NULL", FOREIGN_VALUE, "did you mean 'nil'?" },
	{ "None", FOREIGN_VALUE, "did you mean 'nil'?" },
};

static const struct {
	const char *text;
	const char *advice;
} foreign_operators[] = {
	{ "->", "a field follows a '.': args.x" },
	{ ":=", "'=' assigns: x = 5" },
	{ "===", "'==' compares" },
	{ "!==", "'!=' compares" },
	{ "<>", "'!=' compares" },
	{ "~=", "'!=' compares" },
	{ "=~", "to match a pattern write s ~ \"a*\"" },
	{ "**", "no operator makes powers: write x * x, and 1 << n for 2 to the power of n" },
	{ "!~", "for no match write !(s ~ \"a*\")" },
};

const char *foreign_advice(const char *word, unsigned int use)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if ((words[i].use & use) && !strcmp(words[i].word, word))
			return words[i].advice;
	return NULL;
}

/* Does an operator of another language begin, or continue, at this byte? */
static const char *operator_at(const struct lexer *lx, size_t at)
{
	for (size_t i = 0; i < ARRAY_SIZE(foreign_operators); i++) {
		const char *op = foreign_operators[i].text;
		size_t len = strlen(op);

		for (size_t n = 0; n < len && n <= at; n++)
			if (lx->len - (at - n) >= len && !memcmp(lx->text + at - n, op, len))
				return foreign_operators[i].advice;
	}
	return NULL;
}

static size_t foreign_skip_blanks(const struct lexer *lx, size_t at)
{
	while (at < lx->len && (lx->text[at] == ' ' || lx->text[at] == '\t'))
		at++;
	return at;
}

/*
 * Return the offset after the parentheses that begin here, or the end of the
 * line.
 */
static size_t skip_parentheses(const struct lexer *lx, size_t at)
{
	unsigned int open = 0;

	for (; at < lx->len && lx->text[at] != '\n'; at++) {
		open += lx->text[at] == '(';
		open -= lx->text[at] == ')';
		if (!open)
			return at + 1;
	}
	return at;
}

static unsigned int use_of(const struct lexer *lx, const struct token *first,
			   const struct token *failed)
{
	size_t at = foreign_skip_blanks(lx, first->end);

	if (failed->start == at && (failed->kind == T_NAME || failed->kind == T_STAR ||
				    failed->kind == T_INT || failed->kind == T_LT))
		return FOREIGN_NAME;
	if (at < lx->len && lx->text[at] == '{')
		return FOREIGN_BLOCK;
	if (at < lx->len && lx->text[at] == '(') {
		at = foreign_skip_blanks(lx, skip_parentheses(lx, at));
		if (at < lx->len && lx->text[at] == '{')
			return FOREIGN_CALL;
	}
	return 0;
}

/* "print x": a name of a function, and a possible first argument. */
static bool lacks_parentheses(const struct lexer *lx, const struct token *first,
			      const struct token *failed)
{
	const struct builtin *bi = builtin_find(first->str);

	if (!bi || bi->kind != BI_FUNCTION || failed->start != foreign_skip_blanks(lx, first->end))
		return false;
	switch (failed->kind) {
	case T_NAME: case T_INT: case T_SCRIPTARG: case T_SYMBOL: case T_NIL: case T_TRUE:
	case T_FALSE: case T_MINUS: case T_NOT: case T_BANG:
		return true;
	default:
		return false;
	}
}

/* "-- words" of Lua and SQL, in contrast to "--x" */
static bool is_foreign_comment(const struct lexer *lx, const struct token *dashes)
{
	return dashes->newline && dashes->end < lx->len && strchr(" \t-", lx->text[dashes->end]);
}

/* "*p" and "&x" of C, in contrast to an operand that is missing */
static bool is_before_name(const struct lexer *lx, const struct token *failed)
{
	unsigned char next = failed->end < lx->len ? lx->text[failed->end] : 0;

	return isalpha(next) || next == '_' || next == '$';
}

/* Does the '=' follow a value, as in "a = b = 1" and "f(a = 1)"? */
static bool assigns_again(const struct lexer *lx, const struct token *first,
			  const struct token *failed)
{
	size_t at = failed->start;
	unsigned char last;

	if (first->kind != T_NAME && first->start != failed->start)
		return false;
	while (at && (lx->text[at - 1] == ' ' || lx->text[at - 1] == '\t'))
		at--;
	last = at ? lx->text[at - 1] : 0;
	if (last == ']' && at > 1 && lx->text[at - 2] == '[')
		return false;
	return isalnum(last) || (last && strchr("_])", last));
}

/* Advice for a token that is wrong at this place. */
static const char *foreign_token_advice(const struct parser *p, const struct token *first,
					const struct token *failed)
{
	switch (failed->kind) {
	case T_DEC:
		if (is_foreign_comment(&p->lx, failed))
			return "a comment begins with '#' or '//'";
		__attribute__((fallthrough));
	case T_INC:
		return "'++' and '--' are statements, after a variable: x++";
	case T_ASSIGN:
		if (!assigns_again(&p->lx, first, failed))
			return NULL;
		return "an assignment has no value: write each as a statement: b = 1; a = b";
	case T_STAR:
		if (!is_before_name(&p->lx, failed))
			return NULL;
		return "to read memory, write read(p, 8), or str(p) for a string";
	case T_AMP:
		if (!is_before_name(&p->lx, failed))
			return NULL;
		return "variables have no address; kaddr(\"x\") is that of a kernel variable";
	case T_THEN:
		return "a block needs braces: if (x) { ... }";
	case T_LBRACKET:
		return "a table is in braces: {1, 2}";
	case T_COLON:
		return p->tables ? "a key is written as in {name = 1} or {[key] = 1}" : NULL;
	default:
		return NULL;
	}
}

/* Suggest a keyword for a misspelled word before a block. */
static const char *foreign_nearest_block(const char *word)
{
	static const char * const blocks[] = {
		"trace", "trace_begin", "trace_end", "if", "else", "while", "for", "repeat",
		"function", "try",
	};
	unsigned int distance = edit_limit(word) + 1, d;
	const char *best = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
		d = edit_distance(word, blocks[i]);
		if (d < distance) {
			distance = d;
			best = blocks[i];
		}
	}
	return best;
}

/* f { x++ }: the braces form a table, the argument of f. */
static void foreign_note_block(struct parser *p, const char *word)
{
	const char *near = foreign_nearest_block(word);

	if (near)
		diag_note(p->diag, "did you mean '%s'?", near);
	else
		diag_note(p->diag, "no block begins with '%s'; this is a call of it with a table",
			  word);
}

void foreign_note(struct parser *p, const struct token *first)
{
	const struct token *failed = &p->failed;
	const char *advice = operator_at(&p->lx, failed->start);

	/* the unfinished string is the error */
	if (p->open)
		return;
	if (!advice && first->kind == T_NAME)
		advice = foreign_advice(first->str, use_of(&p->lx, first, failed));
	if (!advice && first->kind == T_NAME && p->in_items &&
	    use_of(&p->lx, first, failed) & (FOREIGN_BLOCK | FOREIGN_CALL)) {
		foreign_note_block(p, first->str);
		return;
	}
	if (!advice)
		advice = foreign_token_advice(p, first, failed);
	if (advice)
		diag_note(p->diag, "%s", advice);
	else if (first->kind == T_NAME && lacks_parentheses(&p->lx, first, failed))
		diag_note(p->diag, "arguments need parentheses: %s(...)", first->str);
}
