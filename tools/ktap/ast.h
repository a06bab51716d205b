/* SPDX-License-Identifier: GPL-2.0 */
/* The tree of a script, as the parser builds it and the later passes annotate it. */
#ifndef KTAP_AST_H
#define KTAP_AST_H

#include "diag.h"
#include "regs.h"

/* Operators; the order is that of the arithmetic opcodes of ktap.h. */
enum op {
	OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD, OP_BAND, OP_BOR, OP_BXOR, OP_SHL, OP_SHR,
	OP_CONCAT, OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE, OP_IN,
	OP_NEG, OP_BNOT, OP_NOT,
};

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
	N_CALL,		/* a(list); call and ival once checked */
	N_FUNC,		/* func */
	N_EVFIELD,	/* field str of the event */
	N_EVARG,	/* positional argument ival of the event */
	N_FILTERNAME,	/* field str of the event; where it has none, a (or NULL) */
	N_TABLE,	/* list of N_ITEM */
	N_ITEM,		/* a (key, NULL: the next index), b (value) */

	/* statements */
	S_LOCAL,	/* list (names) = list2; op: true at file level */
	S_ASSIGN,	/* list = list2 */
	S_OPASSIGN,	/* a op= b */
	S_CALL,		/* a */
	S_IF,		/* list of S_ARM */
	S_ARM,		/* a (condition, NULL: else), list (body) */
	S_WHILE,	/* a, list */
	S_REPEAT,	/* list, until a */
	S_FORNUM,	/* list2 (name) = a, b, c (step or NULL); list (body) */
	S_FORC,		/* a; b; list2, list (body) */
	S_FORIN,	/* list2 (names), a (table), list (body) */
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
};

/* A local variable. */
struct var {
	const char *name;
	struct func *owner;
	struct func *constant;	/* a local function that is never assigned */
	bool assigned;		/* behind its declaration */
	int reg;
	struct var *outer;	/* declared before it */
};

struct func {
	const char *name;
	struct pos pos;
	struct func *parent;
	struct func *next;	/* in the order of their index */
	unsigned int index;
	struct node *params;	/* N_NAME */
	unsigned int nparams;
	struct node *body;
	bool filter;		/* bare names are event fields first */
	bool bound;		/* part of the tree: no syntax error around it */

	/* filled by the code generator */
	struct regs regs;
	struct insn *code;
	unsigned int ninsns;
	unsigned int max;
};

/* A name that is no local: a global, a function of the script, or a builtin. */
struct sym {
	const char *name;
	const struct builtin *builtin;
	struct func *func;	/* declared by `function name` */
	struct pos func_pos;
	bool assigned;		/* as a variable */
	bool indexed;		/* written through an index: t[k] = v */
	bool global;		/* has a slot */
	bool automatic;		/* a table nobody creates */
	bool warned;
	unsigned int index;	/* of its slot */
	struct sym *next;
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
	unsigned int nglobals;
	struct var *vars;	/* visible ones, innermost first */
	bool syntax_errors;	/* what was not parsed may have declared anything */

	struct probe *probes;
	unsigned int nprobes, max_probes;
	struct chunk_writer *chunk;
};

struct func *func_new(struct compiler *cc, struct func *parent, const char *name, struct pos pos);
struct node *node_new(struct compiler *cc, enum node_kind kind, struct pos pos);
struct node *node_str(struct compiler *cc, struct pos pos, const char *s);
struct node *node_int(struct compiler *cc, struct pos pos, int64_t val);
unsigned int list_len(const struct node *list);
/* The nth of a list, from 0, or NULL. */
struct node *list_at(struct node *list, unsigned int n);

static inline bool is_const(const struct node *n)
{
	return n->kind <= N_STR;
}

/* The truth of a constant. */
static inline bool const_truth(const struct node *n)
{
	return n->kind == N_STR || ((n->kind == N_INT || n->kind == N_BOOL) && n->ival);
}

/* parse_stmt.c: the whole file, into cc->main */
void parse_file(struct compiler *cc);
/* bind.c: which name means what */
void bind_names(struct compiler *cc);
/* scope.c */
struct sym *sym_get(struct compiler *cc, const char *name);
void scope_classify(struct compiler *cc);
/* Notes the known name that is nearest to an unknown one. */
void scope_suggest(struct compiler *cc, const char *name);
/* The builtin a name stands for, NULL if the script gave it another meaning. */
const struct builtin *node_builtin(const struct node *n);
struct var *var_declare(struct compiler *cc, const char *name);
struct var *var_find(const struct compiler *cc, const char *name);
/* check.c: meaning of calls, folding, everything else that can be wrong */
void check_script(struct compiler *cc);
void check_expr(struct compiler *cc, struct node *n);
void check_exprs(struct compiler *cc, struct node *list);
/* check_call.c */
void check_call(struct compiler *cc, struct node *n);
/* fold.c: evaluates an operator whose operands are constants */
void fold_expr(struct compiler *cc, struct node *n);
/* What an expression is known to give: enum builtin_type. */
int static_type(const struct node *n);
/* format.c */
void check_format(struct compiler *cc, const struct node *call);
/* events.c */
void event_normalise(struct compiler *cc, struct node *event);

/* pattern.c: functions by pattern */
bool pattern_subject(const struct node *n);
bool pattern_is(const struct node *n);
void pattern_filter(struct compiler *cc, struct node *trace);
/* codegen.c */
void generate(struct compiler *cc);

#endif
