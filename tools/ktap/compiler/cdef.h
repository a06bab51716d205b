/* SPDX-License-Identifier: GPL-2.0 */
/* C declarations in scripts: cdef [[ struct point { int x, y; }; ]] */
#ifndef KTAP_CDEF_H
#define KTAP_CDEF_H

#include <linux/ktap.h>

#include "compiler/ast.h"

enum cdef_kind {
	CDEF_VOID, CDEF_INT, CDEF_POINTER, CDEF_ARRAY, CDEF_STRUCT, CDEF_UNION, CDEF_FUNCTION,
	CDEF_TYPEDEF,	/* of a type, with an alignment of its own */
};

struct cdef_type {
	enum cdef_kind kind;
	const char *name;	/* "struct x", "int", that of a typedef; or NULL */
	struct pos pos;
	unsigned char size;	/* CDEF_INT: bytes, 0: those of a long */
	unsigned short flags;	/* enum ktap_type_flags */
	unsigned int align;	/* the least, or 0 */
	struct cdef_type *type;	/* target, elements, result */
	struct cdef_type *pointer;	/* a pointer to it, once there is one */
	uint32_t count;		/* CDEF_ARRAY */
	bool open;		/* its members are being parsed */
	bool complete;
	bool flexible;		/* an array without a size; a function with "..." */
	uint64_t least;		/* its size on the machine where it is smallest */
	struct cdef_member *members, *last;	/* of a function: its parameters */
	unsigned int nmembers;	/* with those of unnamed structures */
	unsigned int index;	/* in the chunk, plus 1 */
	struct cdef_type *next;	/* tag */
};

struct cdef_member {
	const char *name;	/* or NULL */
	struct pos pos;
	struct cdef_type *type;
	int bits;		/* -1: no bit-field */
	unsigned int align;
	bool packed;
	struct cdef_member *next;
};

/* An identifier that is no tag. */
struct cdef_name {
	enum { CDEF_IS_TYPE, CDEF_IS_CONSTANT, CDEF_IS_FUNCTION } what;
	const char *name;
	struct pos pos;
	struct cdef_type *type;	/* of a constant: its enum */
	int64_t value;
	struct cdef_name *next;
};

/* A type whose name is an argument of cast(), sizeof() or offsetof(). */
struct cdef_use {
	const char *name;
	struct cdef_type *type;
	struct cdef_use *next;
};

/* The types and members as in the chunk; strings are indexes. */
struct cdef_out {
	struct cdef_type *type;	/* whose pointer target is entered last */
	uint32_t name, to, count;
	unsigned char kind, size;
	unsigned short flags;
};

struct cdef_out_member {
	uint32_t name, type;
	unsigned char bits, align;
	unsigned short flags;
};

/* All declarations of a script. */
struct cdefs {
	struct cdef_type *tags;		/* latest first */
	struct cdef_name *names;	/* latest first */
	struct cdef_type *bases;	/* by index in the table of base types */
	struct cdef_type *nothing;	/* void */
	unsigned int ntypes, nmembers;
	struct cdef_use *uses;
	struct cdef_out *types;
	unsigned int nout, max_out;
	struct cdef_out_member *members;
	unsigned int nout_members, max_out_members;
};

/* cdef_lex.c: tokens */
enum cdef_tok {
	C_EOF, C_NAME, C_INT, C_BAD,
	/* a sign of one byte is its byte */
	C_SHL = 256, C_SHR, C_ELLIPSIS, C_AND, C_OR, C_EQ, C_NE, C_LE, C_GE,
};

struct cdef_token {
	int kind;
	struct pos pos;
	size_t start, end;
	const char *str;	/* C_NAME; C_BAD: what is wrong */
	int64_t value;		/* C_INT */
};

struct cdef_lexer {
	struct pool *pool;
	const char *text;
	size_t at, end;
	struct pos line;	/* of the first byte of the line */
	size_t line_start;
	bool exact;		/* positions are those of the bytes; otherwise all are @line */
};

void cdef_next(struct cdef_lexer *lx, struct cdef_token *t);

/* cdef_type.c: what is declared */
struct cdefs *cdef_all(struct compiler *cc);
struct cdef_type *cdef_type_new(struct compiler *cc, enum cdef_kind kind, struct pos pos);
struct cdef_type *cdef_pointer_to(struct compiler *cc, struct cdef_type *type);
struct cdef_type *cdef_find_tag(struct compiler *cc, const char *name);
struct cdef_name *cdef_find_name(struct compiler *cc, const char *name);
/* Add a name; the caller sets what it is. */
struct cdef_name *cdef_add_name(struct compiler *cc, const struct cdef_token *token);
/* A type by its name, which may be one that all scripts know: "u32". */
struct cdef_type *cdef_find_type(struct compiler *cc, const char *name);
/* The nearest name of a type, or NULL. */
const char *cdef_nearest_type(struct compiler *cc, const char *name);
/* An integer type by the words in it; NULL if they do not go together. */
enum cdef_word {
	CDEF_W_VOID = 1, CDEF_W_CHAR = 2, CDEF_W_SHORT = 4, CDEF_W_INT = 8, CDEF_W_LONG = 0x10,
	CDEF_W_LONG_LONG = 0x20, CDEF_W_SIGNED = 0x40, CDEF_W_UNSIGNED = 0x80, CDEF_W_BOOL = 0x100,
};

struct cdef_type *cdef_base(struct compiler *cc, unsigned int words);
/* Without typedefs. */
struct cdef_type *cdef_resolve(struct cdef_type *type);
bool cdef_same(const struct cdef_type *x, const struct cdef_type *y);
/* The same result and parameters, without regard to other names of the same types */
bool cdef_same_function(struct cdef_type *x, struct cdef_type *y);
struct cdef_member *cdef_find_member(const struct cdef_type *type, const char *name);

/* cdef_parse.c */
struct cdef_parser {
	struct compiler *cc;
	struct cdef_lexer lx;
	struct cdef_token tok;
	bool quiet;		/* a name of a type: report nothing, declare nothing */
	bool failed;
	unsigned int depth;
};

__attribute__((format(printf, 3, 4)))
void cdef_error(struct cdef_parser *p, struct pos pos, const char *fmt, ...);
/* After an error: say where the name was declared before. */
void cdef_note_first(struct cdef_parser *p, struct pos pos);
bool cdef_accept(struct cdef_parser *p, int kind);
void cdef_expect(struct cdef_parser *p, int kind);
void cdef_unexpected(struct cdef_parser *p, const char *what);
bool cdef_at_word(const struct cdef_parser *p, const char *word);
/* Is it a word of a declaration, which a member cannot have as its name? */
bool cdef_is_reserved(const char *name);
/* Around each recursion: false, with an error, if it is too deep. */
bool cdef_enter(struct cdef_parser *p);

struct cdef_attributes {
	bool packed;
	unsigned int align;
};

void cdef_attributes(struct cdef_parser *p, struct cdef_attributes *attributes);
/* Parse the type before the names of a declaration; NULL after an error. */
struct cdef_type *cdef_specifiers(struct cdef_parser *p, struct cdef_attributes *attributes,
				  bool *is_typedef);
/* Parse a name and what is around it; the name is NULL if there is none. */
struct cdef_type *cdef_declarator(struct cdef_parser *p, struct cdef_type *base,
				  struct cdef_token *name);
/* cdef_expr.c: a constant */
int64_t cdef_constant(struct cdef_parser *p);
/* cdef_struct.c: the current token is struct, union or enum. */
struct cdef_type *cdef_struct(struct cdef_parser *p);
struct cdef_type *cdef_enum(struct cdef_parser *p);

/* Enter declarations that are no statement of a script of ktap. */
void cdef_parse_text(struct compiler *cc, const char *text, struct pos pos);
/* If a statement is cdef "...", enter the declarations, and return true. */
bool cdef_statement(struct compiler *cc, struct node *n);
/* Is a function that the script has declared one with this prototype? */
bool cdef_is_prototype(struct compiler *cc, struct cdef_type *function,
		       const char *prototype);
/* The string is an argument that names a type: if it is declared, the chunk needs it. */
void cdef_use(struct compiler *cc, const struct node *string);
/* The type that the script declares under that name; NULL: it declares none. */
struct cdef_type *cdef_type_named(struct compiler *cc, const struct node *string);

/* cdef_write.c: fill the types and members for the chunk. */
void cdef_collect(struct compiler *cc);

#endif
