/* SPDX-License-Identifier: GPL-2.0 */
/* The tree of a script: built by the parser, annotated by later passes. */
#ifndef KTAP_AST_H
#define KTAP_AST_H

#include "compiler/compile.h"
#include "compiler/diag.h"
#include "compiler/regs.h"

/* Operators, in the order of the arithmetic opcodes of ktap.h. */
enum op {
	OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD, OP_BAND, OP_BOR, OP_BXOR, OP_SHL, OP_SHR,
	OP_CONCAT, OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE, OP_IN, OP_MATCH,
	OP_NEG, OP_BNOT, OP_NOT,
};

static inline bool op_divides(enum op op)
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
	N_SYMBOL,	/* the kernel variable named str */
	N_SELF,		/* field str of the current thread */
	N_CALL,		/* a(list); call, ival and builtin once checked */
	N_VARG,		/* ... */
	N_FUNC,		/* func */
	N_EVFIELD,	/* field str of the event; ival: enum ktap_field_need */
	N_EVARG,	/* positional argument ival of the event */
	N_FILTERNAME,	/* field str of the event; if it has none, a (or NULL) */
	N_TABLE,	/* list of N_ITEM */
	N_ITEM,		/* list (key, NULL: the next index), b (value) */

	/* statements */
	S_LOCAL,	/* list (names) = list2; op: at file level; single: may be unused */
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
	S_TRACE,	/* list (events), a (handler), func (filter), b (condition) or NULL */
};

/* Implementation of an N_CALL. */
enum call_kind {
	CALL_VALUE,	/* through the function value in a */
	CALL_DIRECT,	/* func */
	CALL_BUILTIN,	/* ival: enum ktap_function_id */
	CALL_NEWT,	/* ival: entries */
	CALL_KERNEL,	/* builtin describes the function of the kernel */
};

struct func;
struct sym;

struct node {
	unsigned char kind;
	unsigned char op;
	unsigned char call;
	bool single;		/* in parentheses: exactly one value */
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
	bool used;		/* or need not be used */
	unsigned int nth;	/* index among the visible locals of its function */
	int reg;
	struct var *outer;	/* the previous visible local */
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
	unsigned short height;	/* of its highest expression */
	struct node *body;
	bool filter;		/* bare names are event fields first */
	bool in_event;		/* body of a probe whose handlers may not wait */
	bool handler;		/* unknown bare names are event fields */
	unsigned int once;	/* its body runs once: number of the probe, from 1; or 0 */
	bool bound;		/* part of the tree: without a syntax error around it */
	bool crowded;		/* has more locals than registers; reported */

	/* filled by the code generator */
	struct regs regs;
	struct insn *code;
	unsigned int ninsns;
	unsigned int max;
	struct try *tries;	/* inner blocks first */
	unsigned int ntries;
	unsigned int max_tries;
};

/*
 * A name other than a local: a global, a function of the script, or a builtin.
 */
struct sym {
	const char *name;
	struct pos pos;		/* first use */
	const struct builtin *builtin;
	struct func *func;	/* declared by `function name` */
	struct pos func_pos;
	bool assigned;		/* assigned as a variable */
	bool indexed;		/* written through an index: t[k] = v */
	bool aggregated;	/* name <<< v */
	bool called;		/* name(...), which is a name of written.c */
	bool written;		/* func is one of written.c */
	bool fed;		/* name <<< v, or name[k] <<< v */
	bool global;		/* has a slot */
	bool automatic;		/* a table or aggregation, created automatically */
	bool warned;
	unsigned int index;	/* of its slot */
	struct sym *next;
	struct sym *same_hash;
};

struct probe {
	const char *event;
	size_t len;
	const struct sym *condition;
	bool switched;		/* by trace_on() */
	struct pos pos;		/* of its event, if so */
	struct func *filter;
	struct func *handler;
};

/* A call of enum_name(). */
struct enum_call {
	struct node *call;
	const char *type;	/* "enum NAME", or a name that cdef has declared */
	struct enum_call *next;
};

/* State of one compilation. */
struct compiler {
	struct pool pool;
	struct diag diag;
	struct func *main;
	struct func *func;	/* the current function */
	struct func *last_func;
	unsigned int nfuncs;
	struct sym *syms;
	struct sym **last_sym;
	struct sym **sym_table;	/* by hash */
	unsigned int nsyms, max_syms;
	unsigned int nglobals;
	struct var *vars;	/* visible locals, innermost first */
	struct var *all_vars;	/* latest first */
	unsigned int ntokens;	/* of all files */
	bool continues;		/* the loop that is being bound has a `continue` */
	bool syntax_errors;	/* text that was not parsed may declare any name */
	unsigned int suggestions;	/* number of suggestions so far */

	struct probe *probes;
	unsigned int nprobes, max_probes;
	unsigned int nonce;	/* probes that run once */
	bool switches;		/* it calls trace_on() */
	bool acts;		/* it acts on the system */
	struct chunk_writer *chunk;
	struct cdefs *cdefs;	/* C declarations; NULL: none */
	struct asked_option *asked_options;	/* latest first */
	struct enum_call *enum_calls;	/* calls of enum_name(), latest first */
	struct pos pos;		/* position of the code that is being generated */
	const struct ktap_compile_opts *opts;
	struct translation *translation;	/* instead of the first file; or NULL */
	struct layout *layout;	/* the parser adds tokens to it, unless NULL */
};

struct func *func_new(struct compiler *cc, struct func *parent, const char *name, struct pos pos);
struct node *node_new(struct compiler *cc, enum node_kind kind, struct pos pos);
struct node *node_str(struct compiler *cc, struct pos pos, const char *s);
struct node *node_int(struct compiler *cc, struct pos pos, int64_t val);
unsigned int list_len(const struct node *list);
/* Return entry n of a list, from 0, or NULL. */
struct node *list_at(struct node *list, unsigned int n);
/* Does a list end with a node that is_open()? */
bool list_is_open(const struct node *list);

static inline bool is_const(const struct node *n)
{
	return n->kind <= N_STR;
}

/*
 * An open node gives all of its values at the end of a list, and one anywhere
 * else. For calls this is known after checking.
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

/* compile.c: begin and end a compilation; the end prints the messages */
void compiler_begin(struct compiler *cc, const struct ktap_script *script,
		    const struct ktap_compile_opts *opts);
void compiler_end(struct compiler *cc);
/* parse_block.c: parse the whole script into cc->main */
void parse_script(struct compiler *cc);
/* Parse a file that no line of the script includes; returns its statements. */
struct node *parse_added(struct compiler *cc, unsigned int file);
/* parse_foreign.c: uses of words of other languages */
enum foreign_use {
	FOREIGN_NAME	= 1 << 0,	/* before a name: int x */
	FOREIGN_BLOCK	= 1 << 1,	/* before a block: begin { } */
	FOREIGN_CALL	= 1 << 2,	/* before parentheses: switch (x) { } */
	FOREIGN_VALUE	= 1 << 3,	/* in an expression */
};

/*
 * Advice for a word in one of these uses (a set): the text to write instead; NULL
 * for unknown words.
 */
const char *foreign_advice(const char *word, unsigned int use);
/*
 * script_file.c: add an included file to cc->diag; returns its index, or -1
 * after an error
 */
int script_include(struct compiler *cc, const struct node *name);
/* As script_include(), but of --include: the path is not searched */
int script_include_given(struct compiler *cc, const char *path);
void script_files_free(struct compiler *cc);
/* bind.c: bind names to locals and symbols */
void bind_names(struct compiler *cc);
/* Bind statements of the top level that are added to a script that is bound. */
void bind_added(struct compiler *cc, struct node *list);
/* written.c: note a call of a built-in function that is written in ktap */
void written_note_call(struct compiler *cc, struct node *n);
/* Add the functions that the script calls and that are written in ktap. */
void written_add(struct compiler *cc);
/* scope.c */
struct sym *sym_get(struct compiler *cc, const struct node *name);
/* A symbol that means the built-in function, whatever the script has of that name. */
struct sym *sym_builtin(struct compiler *cc, const struct node *name);
void scope_classify(struct compiler *cc);
/* Is it a table or an aggregation that is created when the script begins? */
bool sym_is_automatic(const struct sym *s);
/*
 * Suggest the known name that is nearest to an unknown one. @called: used as a
 * function
 */
void scope_suggest(struct compiler *cc, const char *name, bool called);
/* The builtin that a name refers to, NULL if the script redefines it. */
const struct builtin *node_builtin(const struct node *n);
struct var *var_declare(struct compiler *cc, const struct node *name);
struct var *var_find(const struct compiler *cc, const char *name);
/* check.c: decide what calls mean, fold constants, report all other errors */
void check_script(struct compiler *cc);
/* check_expr.c */
void check_expr(struct compiler *cc, struct node *n);
void check_exprs(struct compiler *cc, struct node *list);
/* Is it ffi.C, the functions and constants that are declared by cdef? */
bool check_is_ffi_c(const struct node *n);
/*
 * Check the keys of an element that is written: nil is allowed only as one of
 * several keys.
 */
void check_written_keys(struct compiler *cc, const struct node *keys);
/* check_call.c */
void check_call(struct compiler *cc, struct node *n);
/* Example of a call of a function of a space, such as timer.s. */
const char *member_example(struct compiler *cc, const char *space);
/*
 * The function that a name or expression refers to, if known at compile time.
 */
struct func *static_func(const struct node *n);
/* check_kernel_call.c: check ffi.C.NAME(...) */
void check_kernel_call(struct compiler *cc, struct node *n);
/*
 * check_switch.c: probes that the script switches. Does it call trace_on()? This is known
 * after all names are.
 */
bool switch_is_used(const struct compiler *cc);
/* Make a call of trace_on() one that switches its probe on. */
void check_trace_on(struct compiler *cc, struct node *n);
/* Is it p.on(), p.off() or p.delete()? Then make it a call of a built-in function. */
bool check_switch(struct compiler *cc, struct node *n);
/* check.c: check the handler of a probe */
void check_handler(struct compiler *cc, struct node *n);
/* check_builtin.c: check a call of a function of that name */
void check_builtin_call(struct compiler *cc, struct node *n, const struct builtin *bi);
/* Check the arguments of a function that is written in ktap. */
void check_written_call(struct compiler *cc, struct node *n, const struct builtin *bi);
/* Check a call of a builtin that is not a function. */
void check_other_call(struct compiler *cc, struct node *n, const struct builtin *bi);
/* check.c: ticks, trace_begin and trace_end run in a process of their own */
bool check_is_in_process(const struct node *event);
/* Report too few or too many arguments; returns false then. */
bool check_arity(struct compiler *cc, const struct node *n, const char *name, unsigned int min,
		 unsigned int max);
/*
 * check_aggregation.c: report an assignment that was meant as an aggregation;
 * returns true then
 */
bool check_aggregation(struct compiler *cc, const struct node *n);
/* fold.c: evaluate an operator whose operands are constants */
void fold_expr(struct compiler *cc, struct node *n);
/* types.c: possible types of an expression, a set of enum builtin_type */
unsigned int static_type(const struct node *n);
/* Text of such a set for messages. */
const char *type_text(struct compiler *cc, unsigned int types);
/* check_format.c */
void check_format(struct compiler *cc, const struct node *call);
void check_time_format(struct compiler *cc, const struct node *call);
/* event_names.c */
void event_normalise(struct compiler *cc, struct node *event);
/* ftrace_pattern.c: patterns of functions */
bool pattern_subject(const struct node *n);
bool pattern_is(const struct node *n);
void pattern_filter(struct compiler *cc, struct node *trace);
/* codegen.c */
void generate(struct compiler *cc);

#endif
