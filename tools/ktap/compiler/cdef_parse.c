// SPDX-License-Identifier: GPL-2.0
/* C declarations: from the statement to types and names. */
#include <stdarg.h>
#include <string.h>

#include "compiler/cdef.h"
#include "compiler/util.h"

#define CDEF_MAX_DEPTH	60	/* of types and expressions */

#define CDEF_USE	"write cdef [[ struct point { int x, y; }; ]]"

void cdef_error(struct cdef_parser *p, struct pos pos, const char *fmt, ...)
{
	va_list ap;

	if (!p->failed && !p->quiet) {
		va_start(ap, fmt);
		diag_error(&p->cc->diag, pos, "%s", pool_vprintf(&p->cc->pool, fmt, ap));
		va_end(ap);
	}
	p->failed = true;
	p->tok.kind = C_EOF;
	p->lx.at = p->lx.end;
}

void cdef_note_first(struct cdef_parser *p, struct pos pos)
{
	if (!p->quiet && pos.line)
		diag_note(&p->cc->diag, "the first one is in line %u", pos.line);
}

bool cdef_accept(struct cdef_parser *p, int kind)
{
	if (p->failed || p->tok.kind != kind)
		return false;
	cdef_next(&p->lx, &p->tok);
	return true;
}

void cdef_unexpected(struct cdef_parser *p, const char *what)
{
	if (p->tok.kind == C_BAD)
		cdef_error(p, p->tok.pos, "%s", p->tok.str);
	else if (p->tok.kind == C_EOF)
		cdef_error(p, p->tok.pos, "expected %s, found the end of the declarations", what);
	else
		cdef_error(p, p->tok.pos, "expected %s, found '%.*s'", what,
			   (int)(p->tok.end - p->tok.start), p->lx.text + p->tok.start);
}

void cdef_expect(struct cdef_parser *p, int kind)
{
	if (!cdef_accept(p, kind))
		cdef_unexpected(p, pool_printf(&p->cc->pool, "'%c'", kind));
}

bool cdef_at_word(const struct cdef_parser *p, const char *word)
{
	return p->tok.kind == C_NAME && !strcmp(p->tok.str, word);
}

bool cdef_enter(struct cdef_parser *p)
{
	if (p->depth++ < CDEF_MAX_DEPTH)
		return true;
	cdef_error(p, p->tok.pos, "nested too deeply: at most %d levels", CDEF_MAX_DEPTH);
	return false;
}

static bool cdef_is_word(const struct cdef_parser *p, const char * const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (cdef_at_word(p, words[i]))
			return true;
	return false;
}

/* Words that do not change the layout, those of the kernel's sparse among them */
static bool cdef_skips(const struct cdef_parser *p)
{
	static const char * const words[] = {
		"const", "volatile", "restrict", "__const", "__volatile__", "__restrict",
		"__restrict__", "__extension__", "extern", "static", "inline", "__inline",
		"__inline__", "register", "__user", "__kernel", "__iomem", "__rcu", "__percpu",
		"__force", "__bitwise", "__private", "__must_check", "asmlinkage", "__init",
		"__exit", "__cold", "__maybe_unused",
	};

	return cdef_is_word(p, words, ARRAY_SIZE(words));
}

static void cdef_skip_qualifiers(struct cdef_parser *p)
{
	while (cdef_skips(p))
		cdef_next(&p->lx, &p->tok);
}

/* The number in aligned(8) */
static void cdef_align(struct cdef_parser *p, struct cdef_attributes *attributes)
{
	struct pos pos = p->tok.pos;
	int64_t align;

	if (p->tok.kind != '(') {
		cdef_error(p, pos, "aligned needs a number of bytes: aligned(8)");
		return;
	}
	cdef_expect(p, '(');
	align = cdef_constant(p);
	cdef_expect(p, ')');
	if (align < 1 || align > 128 || align & (align - 1))
		cdef_error(p, pos, "an alignment is a power of 2, at most 128");
	else if (align > attributes->align)
		attributes->align = align;
}

/* Skip (...), after a word without meaning for the layout. */
static void cdef_skip_parentheses(struct cdef_parser *p)
{
	unsigned int open = 0;

	while (!p->failed && (open || p->tok.kind == '(')) {
		open += p->tok.kind == '(';
		open -= p->tok.kind == ')';
		if (p->tok.kind == C_EOF || p->tok.kind == C_BAD) {
			cdef_unexpected(p, "')'");
			return;
		}
		cdef_next(&p->lx, &p->tok);
		if (!open)
			return;
	}
}

static void cdef_attribute(struct cdef_parser *p, struct cdef_attributes *attributes)
{
	static const char * const unknown[] = {
		"mode", "__mode__", "vector_size", "__vector_size__", "ms_struct", "scalar_storage_order",
		"__scalar_storage_order__",
	};
	bool packed = cdef_at_word(p, "packed") || cdef_at_word(p, "__packed__");
	bool aligned = cdef_at_word(p, "aligned") || cdef_at_word(p, "__aligned__");

	if (cdef_is_word(p, unknown, ARRAY_SIZE(unknown)))
		cdef_error(p, p->tok.pos, "the attribute '%s' is not supported", p->tok.str);
	else if (p->tok.kind != C_NAME)
		cdef_unexpected(p, "an attribute");
	if (p->failed)
		return;
	cdef_next(&p->lx, &p->tok);
	attributes->packed |= packed;
	if (aligned)
		cdef_align(p, attributes);
	else
		cdef_skip_parentheses(p);
}

void cdef_attributes(struct cdef_parser *p, struct cdef_attributes *attributes)
{
	for (;;) {
		if (cdef_at_word(p, "__packed")) {
			cdef_next(&p->lx, &p->tok);
			attributes->packed = true;
		} else if (cdef_at_word(p, "__aligned")) {
			cdef_next(&p->lx, &p->tok);
			cdef_align(p, attributes);
		} else if (cdef_at_word(p, "__attribute__") || cdef_at_word(p, "__attribute")) {
			cdef_next(&p->lx, &p->tok);
			cdef_expect(p, '(');
			cdef_expect(p, '(');
			while (p->tok.kind != ')' && !p->failed) {
				cdef_attribute(p, attributes);
				if (!cdef_accept(p, ','))
					break;
			}
			cdef_expect(p, ')');
			cdef_expect(p, ')');
		} else {
			return;
		}
	}
}

static unsigned int cdef_word(const struct cdef_parser *p)
{
	static const struct {
		const char *text;
		unsigned int word;
	} words[] = {
		{ "void", CDEF_W_VOID }, { "char", CDEF_W_CHAR }, { "short", CDEF_W_SHORT },
		{ "int", CDEF_W_INT }, { "long", CDEF_W_LONG }, { "signed", CDEF_W_SIGNED },
		{ "__signed__", CDEF_W_SIGNED }, { "unsigned", CDEF_W_UNSIGNED },
		{ "bool", CDEF_W_BOOL }, { "_Bool", CDEF_W_BOOL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (cdef_at_word(p, words[i].text))
			return words[i].word;
	return 0;
}

bool cdef_is_reserved(const char *name)
{
	static const char * const words[] = {
		"__packed", "__aligned", "__attribute__", "__attribute", "typedef", "struct",
		"union", "enum", "sizeof", "offsetof",
	};
	const struct cdef_parser p = { .tok = { .kind = C_NAME, .str = name } };

	return cdef_is_word(&p, words, ARRAY_SIZE(words)) || cdef_skips(&p) || cdef_word(&p);
}

/* Add a word to those of an integer type. */
static void cdef_add_word(struct cdef_parser *p, unsigned int *words, unsigned int word)
{
	bool longer = word == CDEF_W_LONG && *words & CDEF_W_LONG;

	if (longer)
		word = CDEF_W_LONG | CDEF_W_LONG_LONG;
	else if (*words & word || (word == CDEF_W_LONG && *words & CDEF_W_LONG_LONG))
		cdef_error(p, p->tok.pos, "'%s' occurs twice in this type", p->tok.str);
	if (p->failed)
		return;
	*words ^= word;
	cdef_next(&p->lx, &p->tok);
}

static void cdef_no_type(struct cdef_parser *p)
{
	static const char * const floats[] = { "float", "double", "_Float128", "__int128" };
	const char *near;

	if (p->tok.kind != C_NAME) {
		cdef_unexpected(p, "a type");
		return;
	}
	if (cdef_is_word(p, floats, ARRAY_SIZE(floats))) {
		cdef_error(p, p->tok.pos, "'%s' is not supported: types are integers of at most 64 bits, pointers, arrays and structures",
			   p->tok.str);
		return;
	}
	near = p->quiet ? NULL : cdef_nearest_type(p->cc, p->tok.str);
	cdef_error(p, p->tok.pos, "unknown type '%s'", p->tok.str);
	if (near)
		diag_note(&p->cc->diag, "did you mean '%s'?", near);
}

struct cdef_type *cdef_specifiers(struct cdef_parser *p, struct cdef_attributes *attributes,
				  bool *is_typedef)
{
	struct cdef_type *type = NULL, *named;
	struct pos pos = p->tok.pos;
	unsigned int words = 0, word;

	while (p->tok.kind == C_NAME && !p->failed) {
		word = cdef_word(p);
		cdef_attributes(p, attributes);
		if (cdef_skips(p)) {
			cdef_next(&p->lx, &p->tok);
		} else if (is_typedef && cdef_at_word(p, "typedef")) {
			*is_typedef = true;
			cdef_next(&p->lx, &p->tok);
		} else if (word && !type) {
			cdef_add_word(p, &words, word);
		} else if (type || words) {
			break;
		} else if (cdef_at_word(p, "struct") || cdef_at_word(p, "union")) {
			type = cdef_struct(p);
		} else if (cdef_at_word(p, "enum")) {
			type = cdef_enum(p);
		} else if (p->tok.kind == C_NAME) {
			named = cdef_find_type(p->cc, p->tok.str);
			if (!named)
				break;
			type = named;
			cdef_next(&p->lx, &p->tok);
		}
	}
	if (!type && words) {
		type = cdef_base(p->cc, words);
		if (!type)
			cdef_error(p, pos, "these words are no type of C");
	}
	if (!type && !p->failed)
		cdef_no_type(p);
	return p->failed ? NULL : type;
}

static void cdef_add_parameter(struct cdef_parser *p, struct cdef_type *function,
			       struct cdef_type *type)
{
	struct cdef_member *m;

	if (!type || type->kind == CDEF_VOID)
		return;
	m = pool_alloc(&p->cc->pool, sizeof(*m));
	m->type = type;
	if (function->last)
		function->last->next = m;
	else
		function->members = m;
	function->last = m;
}

/* (int x, char *) or (void) */
static void cdef_parameters(struct cdef_parser *p, struct cdef_type *function)
{
	struct cdef_attributes attributes = { 0 };
	struct cdef_type *type;
	struct cdef_token name;

	while (p->tok.kind != ')' && !p->failed) {
		if (cdef_accept(p, C_ELLIPSIS)) {
			function->flexible = true;
			break;
		}
		type = cdef_specifiers(p, &attributes, NULL);
		if (type)
			type = cdef_declarator(p, type, &name);
		cdef_add_parameter(p, function, type);
		cdef_attributes(p, &attributes);
		if (!cdef_accept(p, ','))
			break;
	}
	cdef_expect(p, ')');
}

static struct cdef_type *cdef_array_of(struct cdef_parser *p, struct cdef_type *element,
				       struct pos pos, bool sized, int64_t count)
{
	const struct cdef_type *plain = cdef_resolve(element);
	struct cdef_type *type;

	if (plain->kind == CDEF_VOID || plain->kind == CDEF_FUNCTION || !plain->complete)
		cdef_error(p, pos, "the elements of this array have no size");
	else if (plain->flexible)
		cdef_error(p, pos, "only the first size of an array can be left out");
	else if (sized && count < 0)
		cdef_error(p, pos, "an array has no size below 0");
	else if (sized && plain->least && (uint64_t)count > KTAP_MAX_TYPE_SIZE / plain->least)
		cdef_error(p, pos, "an array is larger than %u bytes", KTAP_MAX_TYPE_SIZE);
	else if (count > UINT32_MAX)
		cdef_error(p, pos, "an array has too many elements");
	if (p->failed)
		return NULL;
	type = cdef_type_new(p->cc, CDEF_ARRAY, pos);
	type->type = element;
	type->count = count;
	type->flexible = !sized;
	type->least = plain->least * count;
	type->complete = true;
	return type;
}

/* [2][3] and (parameters) after a name */
static struct cdef_type *cdef_suffix(struct cdef_parser *p, struct cdef_type *base)
{
	struct pos pos = p->tok.pos;
	struct cdef_type *function;
	int64_t count = 0;
	bool sized;

	if (!base || !cdef_enter(p))
		return NULL;
	if (cdef_accept(p, '[')) {
		sized = p->tok.kind != ']';
		if (sized)
			count = cdef_constant(p);
		cdef_expect(p, ']');
		base = cdef_suffix(p, base);
		if (base && !p->failed)
			base = cdef_array_of(p, base, pos, sized, count);
	} else if (cdef_accept(p, '(')) {
		function = cdef_type_new(p->cc, CDEF_FUNCTION, pos);
		function->type = base;
		cdef_parameters(p, function);
		base = function;
	}
	p->depth--;
	return p->failed ? NULL : base;
}

/* Is the '(' part of a declarator, as in (*name)(...), and not of parameters? */
static bool cdef_at_inner(const struct cdef_parser *p)
{
	struct cdef_parser ahead = *p;

	if (p->tok.kind != '(')
		return false;
	cdef_next(&ahead.lx, &ahead.tok);
	if (ahead.tok.kind == '*' || ahead.tok.kind == '(' || cdef_at_word(&ahead, "__attribute__"))
		return true;
	return ahead.tok.kind == C_NAME && !cdef_word(&ahead) && !cdef_skips(&ahead) &&
	       !cdef_at_word(&ahead, "struct") && !cdef_at_word(&ahead, "union") &&
	       !cdef_at_word(&ahead, "enum") && !cdef_find_type(p->cc, ahead.tok.str);
}

struct cdef_type *cdef_declarator(struct cdef_parser *p, struct cdef_type *base,
				  struct cdef_token *name)
{
	struct cdef_attributes attributes = { 0 };
	struct cdef_lexer inner_lx, outer_lx;
	struct cdef_token inner, outer;

	*name = (struct cdef_token) { .pos = p->tok.pos };
	if (!cdef_enter(p))
		return NULL;
	for (;;) {
		cdef_skip_qualifiers(p);
		cdef_attributes(p, &attributes);
		if (!cdef_accept(p, '*'))
			break;
		base = cdef_pointer_to(p->cc, base);
	}
	if (cdef_at_inner(p)) {
		/* Its base is what follows the parentheses. */
		cdef_next(&p->lx, &p->tok);
		inner_lx = p->lx;
		inner = p->tok;
		p->tok.kind = '(';
		p->lx.at = inner.start;
		cdef_skip_parentheses(p);
		base = cdef_suffix(p, base);
		outer_lx = p->lx;
		outer = p->tok;
		if (!p->failed) {
			p->lx = inner_lx;
			p->tok = inner;
			base = cdef_declarator(p, base, name);
			cdef_expect(p, ')');
		}
		if (!p->failed) {
			p->lx = outer_lx;
			p->tok = outer;
		}
	} else {
		if (p->tok.kind == C_NAME) {
			*name = p->tok;
			cdef_next(&p->lx, &p->tok);
		}
		base = cdef_suffix(p, base);
	}
	p->depth--;
	return p->failed ? NULL : base;
}

static void cdef_declare(struct cdef_parser *p, const struct cdef_token *name,
			 struct cdef_type *type, bool is_typedef)
{
	struct cdef_name *n = cdef_find_name(p->cc, name->str);
	int what = is_typedef ? CDEF_IS_TYPE : CDEF_IS_FUNCTION;

	if (!is_typedef && type->kind != CDEF_FUNCTION) {
		cdef_error(p, name->pos,
			   "'%s' is a variable: declarations are of types and functions; a variable of the kernel is `%s`",
			   name->str, name->str);
		return;
	}
	if (n && ((int)n->what != what || (is_typedef && !cdef_same(n->type, type)))) {
		cdef_error(p, name->pos, "'%s' is declared twice", name->str);
		cdef_note_first(p, n->pos);
		return;
	}
	if (n)
		return;
	n = cdef_add_name(p->cc, name);
	n->what = what;
	n->type = type;
	if (is_typedef && !type->name && (type->kind == CDEF_STRUCT || type->kind == CDEF_UNION))
		type->name = name->str;
}

/* One type, and its names up to the ';' */
static void cdef_declaration(struct cdef_parser *p)
{
	struct cdef_attributes first = { 0 };
	bool is_typedef = false;
	struct cdef_type *base = cdef_specifiers(p, &first, &is_typedef), *type, *aligned;
	struct cdef_token name;

	if (!p->failed && p->tok.kind == ';' && !is_typedef) {
		cdef_next(&p->lx, &p->tok);
		return;
	}
	do {
		struct cdef_attributes attributes = first;

		if (p->failed)
			return;
		type = cdef_declarator(p, base, &name);
		if (!p->failed && !name.str)
			cdef_unexpected(p, "a name");
		if (!p->failed)
			cdef_attributes(p, &attributes);
		if (p->failed)
			return;
		if (is_typedef && attributes.align) {
			aligned = cdef_type_new(p->cc, CDEF_TYPEDEF, name.pos);
			aligned->type = type;
			aligned->align = attributes.align;
			aligned->complete = true;
			type = aligned;
		}
		cdef_declare(p, &name, type, is_typedef);
	} while (cdef_accept(p, ','));
	if (p->tok.kind == '{' && !p->failed)
		cdef_error(p, p->tok.pos,
			   "a function of the kernel is declared by ';', and has no body here");
	cdef_expect(p, ';');
}

/* Find the byte of a file at that position; NULL if there is none. */
static const char *cdef_find_pos(const struct compiler *cc, struct pos pos)
{
	const struct ktap_script *file = &cc->diag.files[pos.file];
	const char *at = file->text, *end = file->text + file->len;
	uint32_t line;

	for (line = 1; at && line < pos.line; line++) {
		at = memchr(at, '\n', end - at);
		at = at ? at + 1 : NULL;
	}
	return at && pos.col && pos.col <= (size_t)(end - at) ? at + pos.col - 1 : NULL;
}

/* Read the declarations from the script itself if the string has no escape sequences. */
static void cdef_locate(struct compiler *cc, const struct node *string, struct cdef_lexer *lx)
{
	const struct ktap_script *file = &cc->diag.files[string->pos.file];
	const char *first = cdef_find_pos(cc, string->pos), *end = file->text + file->len;
	const char *at = first;

	*lx = (struct cdef_lexer) {
		.pool = &cc->pool, .text = string->str, .end = string->len, .line = string->pos,
	};
	if (!at)
		return;
	at += *at == '[' ? 2 : 1;
	/* the lexer has skipped a newline after [[ */
	at += at < end && *at == '\r';
	if (at < end && *at == '\n') {
		lx->line.line++;
		lx->line.col = 1;
		at++;
	} else {
		lx->line.col += at - first;
	}
	if ((size_t)(end - at) < string->len || memcmp(at, string->str, string->len)) {
		lx->line = string->pos;
		return;
	}
	lx->exact = true;
}

static void cdef_declarations(struct cdef_parser *p)
{
	cdef_next(&p->lx, &p->tok);
	while (p->tok.kind != C_EOF && !p->failed) {
		if (!cdef_accept(p, ';'))
			cdef_declaration(p);
	}
	p->cc->syntax_errors |= p->failed;
}

static void cdef_parse(struct compiler *cc, const struct node *string)
{
	struct cdef_parser p = { .cc = cc };

	cdef_locate(cc, string, &p.lx);
	cdef_declarations(&p);
}

void cdef_parse_text(struct compiler *cc, const char *text, struct pos pos)
{
	struct cdef_parser p = {
		.cc = cc,
		.lx = { .pool = &cc->pool, .text = text, .end = strlen(text), .line = pos },
	};

	cdef_declarations(&p);
}

/* cdef and ffi.cdef */
static bool cdef_is_callee(struct compiler *cc, const struct node *n)
{
	if (n->kind == N_FIELD && !strcmp(n->str, "cdef") && n->a->kind == N_NAME)
		return !strcmp(n->a->str, "ffi") && !var_find(cc, "ffi");
	return n->kind == N_NAME && !strcmp(n->str, "cdef") && !var_find(cc, "cdef");
}

bool cdef_statement(struct compiler *cc, struct node *n)
{
	const struct node *call = n->a, *string = call->list;

	if (call->kind != N_CALL || !cdef_is_callee(cc, call->a))
		return false;
	if (!string || string->next || string->kind != N_STR) {
		diag_error(&cc->diag, call->pos, "cdef takes one constant string: " CDEF_USE);
		cc->syntax_errors = true;
	} else if (cc->func != cc->main) {
		diag_error(&cc->diag, call->pos,
			   "C types are declared at the top level: move cdef out of this function");
	} else {
		cdef_parse(cc, string);
	}
	n->kind = S_BLOCK;
	n->list = NULL;
	n->a = NULL;
	return true;
}

/* Parse one type, with a name or without, and no more; errors are not reported. */
static struct cdef_type *cdef_one_type(struct cdef_parser *p, struct compiler *cc,
				       const char *text, size_t len, struct cdef_token *name)
{
	struct cdef_attributes attributes = { 0 };
	struct cdef_type *type;

	*p = (struct cdef_parser){
		.cc = cc,
		.quiet = true,
		.lx = { .pool = &cc->pool, .text = text, .end = len },
	};
	cdef_next(&p->lx, &p->tok);
	type = cdef_specifiers(p, &attributes, NULL);
	return type ? cdef_declarator(p, type, name) : NULL;
}

bool cdef_is_prototype(struct compiler *cc, struct cdef_type *function,
		       const char *prototype)
{
	struct cdef_parser p;
	struct cdef_token name;
	struct cdef_type *type = cdef_one_type(&p, cc, prototype, strlen(prototype), &name);

	/* The script may have given another meaning to a type that is used there. */
	return type && cdef_same_function(function, type);
}

struct cdef_type *cdef_type_named(struct compiler *cc, const struct node *string)
{
	struct cdef_parser p;
	struct cdef_token name = { 0 };
	struct cdef_type *type = cdef_one_type(&p, cc, string->str, string->len, &name);

	return p.failed || p.tok.kind != C_EOF || name.str ? NULL : type;
}

void cdef_use(struct compiler *cc, const struct node *string)
{
	struct cdef_type *type;
	struct cdef_use *use;

	/* The kernel says that a pointer is not the target. */
	if (memchr(string->str, '*', string->len) || memchr(string->str, 0, string->len))
		return;
	for (use = cc->cdefs ? cc->cdefs->uses : NULL; use; use = use->next)
		if (!strcmp(use->name, string->str))
			return;
	type = cdef_type_named(cc, string);
	if (!type || type->kind == CDEF_VOID || type->kind == CDEF_FUNCTION)
		return;
	if (string->len > KTAP_MAX_TYPE_NAME) {
		diag_error(&cc->diag, string->pos, "the name of a type has at most %u bytes",
			   KTAP_MAX_TYPE_NAME);
		return;
	}
	use = pool_alloc(&cc->pool, sizeof(*use));
	use->name = string->str;
	use->type = type;
	use->next = cdef_all(cc)->uses;
	cdef_all(cc)->uses = use;
}
