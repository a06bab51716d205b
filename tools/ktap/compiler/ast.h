/* SPDX-License-Identifier: GPL-2.0 */
/* The tree of a script, as the parser builds it and the later passes annotate it. */
#ifndef KTAP_AST_H
#define KTAP_AST_H

#include "compile.h"
#include "diag.h"
#include "regs.h"

/* Operators; the order is that of the arithmetic opcodes of ktap.h. */
enum op {
	OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD, OP_BAND, OP_BOR, OP_BXOR, OP_SHL, OP_SHR,
	OP_CONCAT, OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE, OP_IN,
	OP_NEG, OP_BNOT, OP_NOT,
};

static inline bool divides(enum op op)
{
	return op == OP_DIV || op == OP_MOD;
}

enum node_kind {
	/* expressions */
	N_NIL,
	N_BOOL,		/* ival */
	N_INT,		/* ival */
	N_STR,		/* str, len */
	N_NAME,		/* str; var or sym once bound */
	N_SCRIPTARG,	/* ival */
	N_UNARY,	/* op a */
	N_BINARY,	/* a op b */
	N_AND,		/* a, b */
	N_OR,		/* a, b */
	N_COND,		/* a ? b : c */
	N_INDEX,	/* a[list] */
	N_FIELD,	/* a.str */
	N_SYMBOL,	/* the kernel's variable str */
	N_SELF,		/* field str of the current thread */
	N_CALL,		/* a(list); call, ival and builtin once checked */
	N_VARG,		/* ... */
	N_FUNC,		/* func */
	N_EVFIELD,	/* field str of the event */
	N_EVARG,	/* positional argument ival of the event */
	N_FILTERNAME,	/* field str of the event; where it has none, a (or NULL) */
	N_TABLE,	/* list of N_ITEM */
	N_ITEM,		/* list (key, NULL: the next index), b (value) */

	/* statements */
	S_LOCAL,	/* list (names) = list2; op: true at file level */
	S_ASSIGN,	/* list = list2 */
	S_OPASSIGN,	/* a op= b */
	S_AGGREGATE,	/* a <<< b */
	S_CALL,		/* a */
	S_IF,		/* list of S_ARM */
	S_ARM,		/* a (condition, NULL: else), list (body) */
	S_WHILE,	/* a, list */
	S_REPEAT,	/* list, until a */
	S_FORNUM,	/* list2 (name) = a, b, c (step or NULL); list (body) */
	S_FORC,		/* a; b; list2, list (body) */
	S_FORIN,	/* list2 (names), a (table), list (body) */
	S_TRY,		/* list, on an error list2; a (N_NAME of the message) or NULL */
	S_BREAK,
	S_CONTINUE,
	S_RETURN,	/* list */
	S_FUNC,		/* a (N_NAME), func; op: true for a local */
	S_DELETE,	/* a */
	S_BLOCK,	/* list */
	S_TRACE,	/* list (events), a (handler), func (filter) or NULL */
};

/* How an N_CALL is carried out. */
enum call_kind {
	CALL_VALUE,	/* through the function value in a */
	CALL_DIRECT,	/* func */
	CALL_BUILTIN,	/* ival: enum ktap_function_id */
	CALL_NEWT,	/* ival: entries */
};

struct func;
struct sym;

struct node {
	unsigned char kind;
	unsigned char op;
	unsigned char call;
	bool single;		/* in parentheses: one value, whatever it is */
	unsigned short height;	/* of the tree below */
	struct pos pos;
	struct node *next;	/* in a list */
	struct node *a, *b, *c;
	struct node *list, *list2;
	const char *str;
	size_t len;
	int64_t ival;
	struct var *var;
	struct sym *sym;
	struct func *func;
	const struct builtin *builtin;
};

/* A local variable. */
struct var {
	const char *name;
	struct pos pos;
	struct func *owner;
	struct func *constant;	/* a local function that is never assigned */
	bool used;		/* or need not be */
	unsigned int nth;	/* of those of its function that are visible */
	int reg;
	struct var *outer;	/* declared before it, and still visible */
	struct var *next;	/* of all */
};

struct func {
	const char *name;
	struct pos pos;
	struct func *parent;
	struct func *next;	/* in the order of their index */
	unsigned int index;
	struct node *params;	/* N_NAME */
	unsigned int nparams;
	bool variadic;
	unsigned short height;	/* of the highest expression in it */
	struct node *body;
	bool filter;		/* bare names are event fields first */
	bool bound;		/* part of the tree: no syntax error around it */
	bool crowded;		/* more locals than registers, and reported */

	/* filled by the code generator */
	struct regs regs;
	struct insn *code;
	unsigned int ninsns;
	unsigned int max;
	struct try *tries;	/* inner ones first */
	unsigned int ntries;
	unsigned int max_tries;
};

/* A name that is no local: a global, a function of the script, or a builtin. */
struct sym {
	const char *name;
	struct pos pos;		/* where it stands first */
	const struct builtin *builtin;
	struct func *func;	/* declared by `function name` */
	struct pos func_pos;
	bool assigned;		/* as a variable */
	bool indexed;		/* written through an index: t[k] = v */
	bool aggregated;	/* name <<< v */
	bool global;		/* has a slot */
	bool automatic;		/* a table or aggregation nobody creates */
	bool warned;
	unsigned int index;	/* of its slot */
	struct sym *next;
	struct sym *same_hash;
};

struct probe {
	const char *event;
	size_t len;
	struct func *filter;
	struct func *handler;
};

/* One run of the compiler. */
struct compiler {
	struct arena arena;
	struct diag diag;
	struct func *main;
	struct func *func;	/* the one being worked on */
	struct func *last_func;
	unsigned int nfuncs;
	struct sym *syms;
	struct sym **last_sym;
	struct sym **sym_table;	/* by hash */
	unsigned int nsyms, max_syms;
	unsigned int nglobals;
	struct var *vars;	/* visible ones, innermost first */
	struct var *all_vars;	/* the latest first */
	unsigned int ntokens;	/* of all files */
	bool continues;		/* in the loop being bound */
	bool syntax_errors;	/* what was not parsed may have declared anything */
	unsigned int suggestions;	/* made so far */

	struct probe *probes;
	unsigned int nprobes, max_probes;
	bool acts;		/* on the system */
	struct chunk_writer *chunk;
	struct asked_option *asked_options;	/* the latest first */
	struct pos pos;		/* of what code is being made for */
	const struct ktap_compile_opts *opts;
	struct layout *layout;	/* the parser notes tokens here, unless NULL */
};

struct func *func_new(struct compiler *cc, struct func *parent, const char *name, struct pos pos);
struct node *node_new(struct compiler *cc, enum node_kind kind, struct pos pos);
struct node *node_str(struct compiler *cc, struct pos pos, const char *s);
struct node *node_int(struct compiler *cc, struct pos pos, int64_t val);
unsigned int list_len(const struct node *list);
/* The nth of a list, from 0, or NULL. */
struct node *list_at(struct node *list, unsigned int n);
/* Does a list end with a node that is_open()? */
bool list_is_open(const struct node *list);

static inline bool is_const(const struct node *n)
{
	return n->kind <= N_STR;
}

/*
 * At the end of a list such a node gives all its values, anywhere else one.
 * Calls are known once they are checked.
 */
static inline bool is_open(const struct node *n)
{
	if (n->single)
		return false;
	return n->kind == N_VARG ||
	       (n->kind == N_CALL && (n->call == CALL_VALUE || n->call == CALL_DIRECT));
}

/* The truth of a constant. */
static inline bool const_truth(const struct node *n)
{
	return n->kind == N_STR || ((n->kind == N_INT || n->kind == N_BOOL) && n->ival);
}

/* compile.c: around all that follows; the end shows what was wrong */
void compiler_begin(struct compiler *cc, const struct ktap_source *script,
		    const struct ktap_compile_opts *opts);
void compiler_end(struct compiler *cc);
/* parse_block.c: the whole script, into cc->main */
void parse_script(struct compiler *cc);
/* parse_foreign.c: words of other languages, and where they stand there */
enum foreign_use {
	FOREIGN_NAME	= 1 << 0,	/* before a name: int x */
	FOREIGN_BLOCK	= 1 << 1,	/* before a block: begin { } */
	FOREIGN_CALL	= 1 << 2,	/* before parentheses: switch (x) { } */
	FOREIGN_VALUE	= 1 << 3,	/* in an expression */
};

/* What ktap writes for a word used so, a set of the above; NULL if the word is not known. */
const char *foreign_advice(const char *word, unsigned int use);
/* source.c: what `include` names becomes a file of cc->diag; its index, or -1 with an error */
int source_include(struct compiler *cc, const struct node *name);
void source_free(struct compiler *cc);
/* bind.c: which name means what */
void bind_names(struct compiler *cc);
/* scope.c */
struct sym *sym_get(struct compiler *cc, const struct node *name);
void scope_classify(struct compiler *cc);
/* Notes the known name that is nearest to an unknown one. @called: as a function */
void scope_suggest(struct compiler *cc, const char *name, bool called);
/* The builtin a name stands for, NULL if the script gave it another meaning. */
const struct builtin *node_builtin(const struct node *n);
struct var *var_declare(struct compiler *cc, const struct node *name);
struct var *var_find(const struct compiler *cc, const char *name);
/* check.c: meaning of calls, folding, everything else that can be wrong */
void check_script(struct compiler *cc);
/* check_expr.c */
void check_expr(struct compiler *cc, struct node *n);
void check_exprs(struct compiler *cc, struct node *list);
/* Keys of an element that is written: nil can be one as a part of several only. */
void check_written_keys(struct compiler *cc, const struct node *keys);
/* check_call.c */
void check_call(struct compiler *cc, struct node *n);
/* How a function of a space, as in timer.s, is called. */
const char *member_example(struct compiler *cc, const char *space);
/* The function that a name or expression stands for, if that is known now. */
struct func *static_func(const struct node *n);
/* check_builtin.c: a call of a function of that name */
void check_builtin_call(struct compiler *cc, struct node *n, const struct builtin *bi);
/* The same for names of something else */
void check_other_call(struct compiler *cc, struct node *n, const struct builtin *bi);
/* Says so, and returns false, if there are too few or too many arguments. */
bool check_arity(struct compiler *cc, const struct node *n, const char *name, unsigned int min,
		 unsigned int max);
/* fold.c: evaluates an operator whose operands are constants */
void fold_expr(struct compiler *cc, struct node *n);
/* types.c: what an expression is known to give, a set of enum builtin_type */
unsigned int static_type(const struct node *n);
/* Such a set, as messages write it. */
const char *type_text(struct compiler *cc, unsigned int types);
/* format.c */
void check_format(struct compiler *cc, const struct node *call);
void check_time_format(struct compiler *cc, const struct node *call);
/* events.c */
void event_normalise(struct compiler *cc, struct node *event);

/* pattern.c: functions by pattern */
bool pattern_subject(const struct node *n);
bool pattern_is(const struct node *n);
void pattern_filter(struct compiler *cc, struct node *trace);
/* codegen.c */
void generate(struct compiler *cc);

#endif
