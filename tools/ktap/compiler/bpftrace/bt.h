/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scripts of bpftrace.
 *
 * A script becomes a small tree, and the tree the text of a ktap script, which
 * the compiler then reads instead of the file.  Marks say which place of the
 * script each piece of the text comes from: positions in messages, and in the
 * chunk, are those of the script.
 */
#ifndef KTAP_BT_H
#define KTAP_BT_H

#include "compiler/ast.h"
#include "compiler/translation.h"

#define BT_CONFIG_KEYS	31	/* of bpftrace */
#define BT_MAX_DEPTH	150	/* of blocks and expressions */

enum bt_token_kind {
	BT_END, BT_INT, BT_STR, BT_NAME, BT_MAP, BT_VAR, BT_PARAM, BT_OP, BT_BAD,
};

/**
 * struct bt_token - a word of the script
 * @op: the operator, one of a table; "" if it is none
 * @text: the name, without its '@' or '$'; a string as it is written
 * @comment: the comments before it
 */
struct bt_token {
	enum bt_token_kind kind;
	struct pos pos;
	const char *op;
	const char *text;
	size_t start, end;
	int64_t value;
	const char *comment;
};

/* @file: the index of its file in the messages */
struct bt_lexer {
	struct compiler *cc;
	unsigned int file;
	const char *text;
	size_t len, at;
	uint32_t line;
	size_t line_start;
};

enum bt_kind {
	/* expressions */
	BN_INT, BN_STR, BN_BOOL, BN_MAP, BN_VAR, BN_PARAM, BN_NAME, BN_CALL, BN_UNARY,
	BN_BINARY, BN_CHOICE, BN_FIELD, BN_INDEX, BN_TUPLE, BN_CAST, BN_DEREF, BN_TYPE,
	/* statements */
	BN_EXPR, BN_ASSIGN, BN_LET, BN_IF, BN_WHILE, BN_UNROLL, BN_FOR, BN_RANGE, BN_JUMP,
	BN_BLOCK,
};

/**
 * struct bt_node - an expression or a statement
 * @op: operator of BN_UNARY, BN_BINARY, BN_ASSIGN; the statement of BN_JUMP
 * @text: the name; a literal as it is written; the type of BN_CAST and BN_TYPE
 * @value: BN_EXPR: it ends its block without ';', and is the value of that; BN_FIELD: an
 *	item of a tuple, or -1
 * @stars: BN_CAST, BN_TYPE: a pointer to it, or to a pointer
 * @array: BN_CAST: an array of this number of elements; -1: of as many as the value has
 * @item: the name of an item of BN_TUPLE, or NULL
 * @type: BN_LET, or the BN_ASSIGN that makes a variable: the type of the variable
 * @end: the column after the last ')' of BN_CALL
 * @within: the call of the macro that this node was copied from, or NULL
 * @a: operand, target, condition, or the list of keys, arguments, items
 * @b: the second operand, value, body
 * @c: the third operand, the other branch; BN_CAST: what has the type, instead of @text
 * @next: the next of a list
 * @comment: comments before a statement
 */
struct bt_node {
	enum bt_kind kind;
	struct pos pos;
	const char *op;
	const char *text;
	int64_t value;
	unsigned char stars;
	int array;
	const char *item;
	const struct bt_type *type;
	uint32_t end;
	const struct bt_node *within;
	struct bt_node *a, *b, *c, *next;
	const char *comment;
};

/* An event, and all events of a block. */
struct bt_event {
	struct pos pos;
	const char *text;
	struct bt_event *next;
};

struct bt_probe {
	struct bt_event *events;
	struct bt_node *filter;
	struct bt_node *body;
	const char *comment;
	struct bt_probe *next;
};

/**
 * struct bt_fn - a function of the script
 * @ours: its name in ktap
 * @params: BN_LET, each with its type
 * @result: the type of its value, or NULL
 * @visited: its statements were searched for changes of a map
 */
struct bt_fn {
	const char *name;
	const char *ours;
	struct pos pos;
	struct bt_node *params;
	struct bt_node *result;
	struct bt_node *body;
	bool visited;
	const char *comment;
	struct bt_fn *next;
};

/*
 * @params: BN_VAR and BN_MAP, which the macro may change, and BN_NAME, an expression;
 * @library: its places are not those of a file
 */
struct bt_macro {
	const char *name;
	struct bt_node *params;
	struct bt_node *body;
	bool library;
	struct bt_macro *next;
};

enum bt_map_kind {
	BM_VALUE, BM_COUNT, BM_SUM, BM_AVG, BM_MIN, BM_MAX, BM_STATS, BM_HIST, BM_LHIST,
	BM_TSERIES,
};

/* Those from BT_TUPLE on have several parts; the parts that have none are its leaves. */
enum bt_type_kind {
	BT_ANY, BT_INTEGER, BT_STRING, BT_BOOLEAN, BT_STACK, BT_BYTES, BT_POINTER, BT_ENUM,
	BT_TUPLE, BT_STRUCT, BT_ARRAY,
};

/*
 * A type with more leaves has no value: it is shown as an address.  A key, a value and the format
 * that prints them are together arguments of one call.
 */
#define BT_MAX_LEAVES	15

/* All frames, as far as ktap has them. bpftrace has as many. */
#define BT_FRAMES	"127"

/**
 * struct bt_type - the type of a value, as far as the script says it
 * @size: bytes of an integer; with the NUL of a string; 0: not known
 * @is_unsigned: of an integer
 * @literal: a constant integer, whose sign is not known
 * @raw: BT_STACK: it is shown as addresses
 * @name: BT_STRUCT: "struct x"; BT_STACK: "ustack" if it is one of a program that is @raw, or
 *	has @frames
 * @frames: of a stack of a program, if the script has several formats
 * @of: target, elements
 * @count: elements, items
 * @items: BT_TUPLE, BT_STRUCT
 * @leaves: the number of its leaves, at least 1
 * @opaque: its parts are not known, or are too many: the value is an address
 * @c: BT_ENUM: the declaration
 * @number: BT_STRUCT: that of struct ktap_member_type
 */
struct bt_type {
	enum bt_type_kind kind;
	unsigned int size;
	bool is_unsigned;
	bool literal;
	bool raw;
	enum ktap_user_frame frames;
	const char *name;
	const struct bt_type *of;
	unsigned int count;
	struct bt_item *items;
	unsigned int leaves;
	bool opaque;
	const struct cdef_type *c;
	uint32_t number;
};

struct bt_item {
	const char *name;
	const struct bt_type *type;
	struct bt_item *next;
};

/**
 * struct bt_map - a map
 * @name: of bpftrace, without '@'
 * @ours: of the variable
 * @keys: number of leaves of its keys, 0 for a single value; -1: not known yet
 * @key: the type of its keys, BT_TUPLE if they have several parts
 * @type: of its values
 * @set: the script assigns to it
 * @printed: a function prints it
 * @limited: that function takes a number of entries and a divisor
 * @taken: the value of delete() is used
 * @shape: arguments of hist() and lhist() after the value
 */
struct bt_map {
	const char *name;
	const char *ours;
	struct pos pos;
	int keys;
	const struct bt_type *key;
	enum bt_map_kind kind;
	const struct bt_type *type;
	bool set;
	bool printed;
	bool limited;
	bool taken;
	struct bt_node *shape;
	struct bt_map *next;
};

/**
 * struct bt_var - a variable, in a list with the innermost first
 * @type: of its value
 * @loop: it has the entries of this map
 * @decl: the statement that makes it
 * @stored: it has variables for the leaves of its value
 */
struct bt_var {
	const char *name;
	const char *ours;
	const struct bt_type *type;
	const struct bt_map *loop;
	struct bt_node *decl;
	bool stored;
	struct bt_var *outer;
};

/* An enum whose values are printed as names */
struct bt_enum {
	const struct bt_type *type;
	unsigned int number;
	struct bt_enum *next;
};

/* config: missing_probes */
enum bt_missing { BT_MISSING_ERROR, BT_MISSING_WARN, BT_MISSING_IGNORE };

/* What is the block being translated for? */
enum bt_place { BT_IN_EVENT, BT_IN_PROCESS };

/**
 * struct bt_script - a script and its translation
 * @types: declarations in C
 * @last_probe: the end of the list, as with those of macros, functions, limits and types
 * @fn: the function that is being written, or NULL
 * @expansions: calls of macros, and values of blocks
 * @copied: nodes that macros have become
 * @c_types: types of C that were converted
 * @members: members of structures of the kernel whose types were asked for
 * @arguments: those of functions of programs whose types were asked for
 * @options: those that getopt() asks for
 * @enums: those whose enumerators are printed by name, in the order of their functions
 * @missing: config: what becomes of events that do not exist
 * @left_out: a block has no events but those that bpftrace runs only if it is asked to
 * @refused: the kernel has refused the script
 * @no_series: config: tseries() is an error
 * @silent: config: do not print maps at the end
 * @config: values that were set, by the row of the key
 * @json: the output is for ktap -f json
 * @ends: it has the empty lines that bpftrace prints at the end
 * @frames: config: how stacks are shown
 * @user_frames: how those of programs are, or the first of them
 * @several_frames: they have several formats
 * @lines: config: these have file and line, if there is debug information
 * @frames_known: the script has such a stack
 * @strlen: config: the most bytes of a string; 0: as many as ktap has
 * @cat_bytes: config: bytes that cat() shows of a file, or 0
 * @trailer: config: text after a string that was cut
 * @probe: the block
 * @edge: the block is that of BEGIN, END or an iterator, which bpftrace runs itself
 * @iter: the block is that of an iterator
 * @filter: the text is in a filter
 * @event_filter: what the event of the block needs as a filter, or NULL
 * @watched: the address that the event watches, if it may be one of unwatch(); or NULL
 * @unwatches: it calls unwatch()
 * @signals: it has self:signal
 * @reads_command: the first cpid, if there is no command; or NULL
 * @asks_command: it reads has_cpid
 * @params: the last parameter in the kind of an event
 * @probe_text: the value of ``probe`` in this block, as ktap writes it
 * @probe_type: that of ``probetype``
 * @user_mode: that of ``usermode``, as ktap writes it
 */
struct bt_script {
	struct compiler *cc;
	struct bt_probe *probes, **last_probe;
	struct bt_macro *macros, **last_macro;
	struct bt_fn *functions, **last_function;
	const struct bt_fn *fn;
	struct bt_node *limits;		/* of declared maps: the name, and the number of keys */
	struct bt_node **last_limit;
	unsigned int expansions;
	unsigned int copied;
	struct bt_map *maps;
	struct bt_node *types, **last_type;
	struct bt_node *symbols;	/* kaddr("name") */
	struct bt_node *cgroups;	/* cgroupid("path") */
	struct bt_node *calls;		/* __NR_read */
	struct bt_c_type *c_types;
	struct bt_member *members;
	struct bt_argument *arguments;
	struct bt_option *options;
	struct bt_enum *enums;
	struct bt_var *vars;
	enum bt_missing missing;
	bool left_out;
	bool refused;
	bool no_series;
	bool silent;
	const char *config[BT_CONFIG_KEYS];
	bool json;
	bool ends;
	enum ktap_user_frame frames, user_frames;
	bool several_frames;
	bool lines;
	bool frames_known;
	int64_t strlen;
	uint64_t cat_bytes;
	const char *trailer;
	int64_t max_keys;
	bool counts_params;
	unsigned int helpers;
	enum bt_place place;
	const struct bt_probe *probe;
	bool edge;
	bool iter;
	bool filter;
	const char *event_filter;
	const char *watched;
	bool unwatches;
	bool signals;
	const struct bt_node *reads_command;
	bool asks_command;
	unsigned int params;
	const char *probe_text, *probe_type, *user_mode;
	unsigned int depth;
	unsigned int indent;
	struct translation *out;
	unsigned int max_marks;
	size_t max_text;
};

/* bt_lex.c */
void bt_lex_init(struct bt_lexer *lx, struct compiler *cc, unsigned int file);
void bt_lex_next(struct bt_lexer *lx, struct bt_token *t);
struct pos bt_lex_pos(const struct bt_lexer *lx);
void bt_lex_advance(struct bt_lexer *lx);
/* Skip blanks and comments; returns the comments, or NULL. */
const char *bt_lex_blanks(struct bt_lexer *lx);

/*
 * The parser. @last: the end of the token before; @fn: the function that is being parsed, or NULL;
 * @header: the file has declarations in C only; @failed: no token is accepted any more.
 */
struct bt_parser {
	struct compiler *cc;
	struct bt_script *script;
	struct bt_lexer lx;
	struct bt_token tok;
	struct pos last;
	const struct bt_fn *fn;
	unsigned int depth;
	bool header;
	bool failed;
};

/* bt_parse.c */
void bt_parse(struct bt_script *s);
void bt_add_macro(struct bt_script *s, struct bt_macro *macro);
/* Everything in a file, from the current token on */
void bt_parse_items(struct bt_parser *p);
void bt_next(struct bt_parser *p);
bool bt_is(const struct bt_parser *p, const char *op);
bool bt_accept(struct bt_parser *p, const char *op);
void bt_expect(struct bt_parser *p, const char *op);
bool bt_is_word(const struct bt_parser *p, const char *word);
/* The current token as it is written, for messages. */
const char *bt_found(const struct bt_parser *p);
bool bt_enter(struct bt_parser *p);
/* An error, with a note unless it is NULL; the parser stops. */
void bt_fail(struct bt_parser *p, struct pos pos, const char *note, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
struct bt_node *bt_node(struct bt_parser *p, enum bt_kind kind, struct pos pos);

/* bt_parse_expr.c */
struct bt_node *bt_parse_expr(struct bt_parser *p);
struct bt_node *bt_parse_unary(struct bt_parser *p);
struct bt_node *bt_parse_type_argument(struct bt_parser *p);
/* Parse a type; returns it without '*', whose number is *@stars. */
const char *bt_parse_type(struct bt_parser *p, unsigned char *stars);
/* A word that begins the name of a type without a declaration */
bool bt_is_type_word(const char *name);
/* Expressions with commas between, up to @end. */
struct bt_node *bt_parse_list(struct bt_parser *p, const char *end);

struct bt_node *bt_parse_block(struct bt_parser *p);
/*
 * "if", a condition and a block. "if comptime": the condition is constant, and ktap's compiler
 * knows that by itself.
 */
struct bt_node *bt_parse_condition(struct bt_parser *p, enum bt_kind kind);

/* bt_import.c */
/* The files that the command line includes */
void bt_import_given(struct bt_parser *p);
void bt_import(struct bt_parser *p);
/* A line of the preprocessor; '#' is the current token. */
void bt_parse_directive(struct bt_parser *p);

/* bt_config.c */
void bt_parse_config(struct bt_parser *p);
void bt_config_environment(struct bt_script *s);
/* The most bytes of a string in bpftrace */
uint64_t bt_default_strlen(const struct bt_script *s);
/* config().KEY: its value; false if it is another member. */
bool bt_config_value(struct bt_script *s, const struct bt_node *n);

/* bt_missing.c: leave out events that do not exist, or report them */
void bt_find_missing(struct bt_script *s);

/* bt_macro.c: after this, blocks are statements only, and there are no macros. */
void bt_expand_macros(struct bt_script *s);
/* A copy of a list, with all that it has */
struct bt_node *bt_copy(struct bt_script *s, const struct bt_node *n);

/* bt_maps.c: find out what each map is */
void bt_find_maps(struct bt_script *s);
struct bt_map *bt_map_find(const struct bt_script *s, const char *name);
/* The map of @map or @map[key]; NULL if it is none. */
struct bt_map *bt_map_of(const struct bt_script *s, const struct bt_node *n);
/* The function that makes an aggregation; false if it does not. */
bool bt_map_function(const char *name, enum bt_map_kind *kind);
/* A name for a map or variable that means nothing else in ktap. */
const char *bt_our_name(struct bt_script *s, const char *name, const char *suffix);

/* bt_write.c: the text */
void bt_put(struct bt_script *s, struct pos pos, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Begin a line. */
void bt_line(struct bt_script *s);
void bt_error(struct bt_script *s, struct pos pos, const char *note, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* bt_type.c */
extern const struct bt_type bt_any, bt_integer, bt_unsigned, bt_string, bt_boolean, bt_stack,
	bt_raw_stack, bt_raw_user_stack, bt_bytes;

struct bt_type *bt_type_new(struct bt_script *s, enum bt_type_kind kind);
const struct bt_type *bt_pointer_to(struct bt_script *s, const struct bt_type *of);
const struct bt_type *bt_array_of(struct bt_script *s, const struct bt_type *of,
				  unsigned int count);
void bt_type_add(struct bt_script *s, struct bt_type *t, const char *name,
		 const struct bt_type *type);
/* Has the value several parts, each of which is known? */
bool bt_is_compound(const struct bt_type *t);
void bt_declare(struct bt_script *s);
const struct bt_type *bt_type_named(struct bt_script *s, const char *name, unsigned int stars);
/* The type of an integer that the kernel has under this name; NULL: there is none */
const char *bt_integer_typedef(const char *name);
/* Does the script declare this constant? */
bool bt_is_declared(struct bt_script *s, const char *name);
const struct bt_type *bt_type_merge(struct bt_script *s, const struct bt_type *x,
				    const struct bt_type *y);
const struct bt_type *bt_type_of_map(const struct bt_map *map);
/* The item that @n names or, as an integer, counts; *@leaf: its first leaf */
const struct bt_item *bt_type_item(const struct bt_type *t, const struct bt_node *n,
				   unsigned int *leaf);
const struct bt_type *bt_type_of(struct bt_script *s, const struct bt_node *n);
/* An integer, a string or a tuple of them, as bpftrace writes it; NULL: another type */
const char *bt_type_text(struct bt_script *s, const struct bt_type *t);
/* That of args.NAME in a block of this event alone */
const struct bt_type *bt_type_of_argument(struct bt_script *s, const struct bt_event *event,
					  const char *name);
bool bt_type_same(const struct bt_type *x, const struct bt_type *y);
/* As sizeof() of bpftrace; 0: it is not known. */
uint64_t bt_type_size(const struct bt_type *t);

/* bt_program.c: declare the types of programs in the blocks of their events */
void bt_program_types(struct bt_script *s);
/* The type of an argument in this block, or NULL */
const struct bt_type *bt_program_argument(const struct bt_script *s, const char *name);

/* bt_infer.c: find the types of maps and variables */
void bt_infer(struct bt_script *s);
/* Events whose arguments have other types get a block of their own. */
void bt_split_probes(struct bt_script *s);

/* bt_value.c: values of several parts */
/* Are the leaves in variables, a table or an expression, and not in memory? */
bool bt_is_stored(struct bt_script *s, const struct bt_node *n);
/* Write a leaf. */
void bt_leaf(struct bt_script *s, const struct bt_node *n, unsigned int i);
const struct bt_type *bt_leaf_type(const struct bt_type *t, unsigned int i);
/* The value, a record, with its items in the order of the type */
const struct bt_node *bt_in_order(struct bt_script *s, const struct bt_node *value,
				  const struct bt_type *t);
/* Write all leaves of all values of a list, with commas between. */
void bt_leaves(struct bt_script *s, const struct bt_node *list, bool keys);
/* An item or an element of a stored value; false if it is none. */
bool bt_stored_part(struct bt_script *s, const struct bt_node *n);
/* The type of a key that is written like this */
const struct bt_type *bt_key_type(struct bt_script *s, const struct bt_node *keys);
/* Key and value of the variable of a loop are written like this. */
const char *bt_entry_leaf(struct bt_script *s, const struct bt_map *map, const char *key,
			  const char *value, unsigned int i);

/* bt_expr.c */
/* The script is written: report that there is no command, if it reads its number. */
void bt_check_command(struct bt_script *s);
struct bt_var *bt_var_find(const struct bt_script *s, const char *name);
const struct bt_type *bt_type_of_builtin(struct bt_script *s, const char *name);
/* Is it a comparison, or another value that is true or false? */
bool bt_is_logic(const struct bt_node *n);
/* An operand; one that binds less than @level is in parentheses. */
void bt_expr(struct bt_script *s, const struct bt_node *n, unsigned int level);
/* Any value; a missing entry is 0 or "". */
void bt_value(struct bt_script *s, const struct bt_node *n);
/* For arithmetic: a comparison is 0 or 1. */
void bt_number(struct bt_script *s, const struct bt_node *n, unsigned int level);
/* A condition. */
void bt_truth(struct bt_script *s, const struct bt_node *n);
/* "map" or "map[key]" */
void bt_place_of(struct bt_script *s, const struct bt_node *n);
/* pid or tid in the namespace of processes of ktap (@own), or in the first one */
void bt_process(struct bt_script *s, const struct bt_node *n, bool own);
/* Is it a value such as pid, which may also be called without arguments? */
bool bt_is_builtin(const char *name);
/* Can it be written in a filter, where names are fields first? */
bool bt_fits_filter(const struct bt_script *s, const struct bt_node *n);

/* Levels of ktap's operators, the tightest last. */
enum {
	LEVEL_ANY, LEVEL_CHOICE, LEVEL_OR, LEVEL_AND, LEVEL_EQUAL, LEVEL_ORDER, LEVEL_BIT_OR,
	LEVEL_XOR, LEVEL_BIT_AND, LEVEL_CONCAT, LEVEL_SHIFT, LEVEL_SUM, LEVEL_PRODUCT,
	LEVEL_UNARY, LEVEL_POSTFIX,
};

/* bt_pointer.c: casts, and what pointers point to */
void bt_cast(struct bt_script *s, const struct bt_node *n, unsigned int level);
/* Is it a cast to a pointer? */
bool bt_is_pointer_cast(struct bt_script *s, const struct bt_node *n);
void bt_deref(struct bt_script *s, const struct bt_node *n);
void bt_index(struct bt_script *s, const struct bt_node *n);
/* Report an index of an array, a constant, that no element has; false if so. */
bool bt_check_index(struct bt_script *s, const struct bt_node *n, const struct bt_type *t,
		    int64_t index);
/* Pointer plus or minus integer; false if it is other arithmetic. */
bool bt_pointer_sum(struct bt_script *s, const struct bt_node *n);
/* Bytes by which ++ changes a pointer, in a form for a product; NULL: it is no pointer. */
const char *bt_pointer_step(struct bt_script *s, const struct bt_type *t);

/* bt_fn.c */
/* Parse a function and add it to the script. */
void bt_fn_parse(struct bt_parser *p);
struct bt_fn *bt_fn_find(const struct bt_script *s, const char *name);
const struct bt_type *bt_fn_type(struct bt_script *s, const struct bt_fn *fn);
/* The declared type of a parameter or of the value of a function */
const struct bt_type *bt_fn_value_type(struct bt_script *s, const struct bt_node *type);
/* Name the functions as ktap writes them; the constants of the script are known. */
void bt_fn_name(struct bt_script *s);
/* Report the name of a macro that a function has. */
void bt_fn_check_macro(struct bt_parser *p, const char *name);
void bt_fn_call(struct bt_script *s, const struct bt_node *n, const struct bt_fn *fn,
		bool statement);
/* return, with a value if the function has one */
void bt_fn_return(struct bt_script *s, const struct bt_node *n);
/* Is it a value of an event, which a function does not have? */
bool bt_fn_is_of_event(const char *name);
/* A probe of no event, for the text of the function */
const struct bt_probe *bt_fn_probe(struct bt_script *s, const struct bt_fn *fn);
/* "function NAME(parameters) {"; they are variables already */
void bt_fn_head(struct bt_script *s, const struct bt_fn *fn);

/* bt_call.c */
/* Write @text with the arguments of the call: %1 is the first one, %* are all. */
void bt_call_template(struct bt_script *s, const struct bt_node *n, const char *text);
/* Is it a function of bpftrace, supported or not? */
bool bt_is_function(const char *name);
void bt_call(struct bt_script *s, const struct bt_node *n, bool statement);
/* Does the call do nothing but give a value? */
bool bt_call_has_value(const struct bt_script *s, const struct bt_node *n);
const struct bt_type *bt_type_of_call(struct bt_script *s, const struct bt_node *n);
/* May it give nil, where bpftrace has an empty string? */
bool bt_call_may_fail(const char *name);
unsigned int bt_list_length(const struct bt_node *n);
/* The bytes of pton("..."); returns their number, 0 after an error. */
unsigned int bt_pton(struct bt_script *s, const struct bt_node *n, unsigned char *bytes);
/* Is the argument an integer that is known?  Then *@value is it. */
bool bt_constant_value(const struct bt_node *n, int64_t *value);

/* bt_stack.c: kstack and ustack */
/* The format of stacks that has this name; false if there is none. */
bool bt_stack_mode(const char *name, enum ktap_user_frame *frames);
/* kstack and ustack, with a format or NULL */
const struct bt_type *bt_stack_type(struct bt_script *s, const char *name,
				    const struct bt_node *mode);
/* Find the formats of ustack; macros are expanded. */
void bt_stack_find(struct bt_script *s);
/* The format of a stack as text, with its own format of frames if it has one */
const char *bt_stack_format(struct bt_script *s, const struct bt_type *t, const char *format);
void bt_stack_call(struct bt_script *s, const struct bt_node *n);
void bt_stack_usym(struct bt_script *s, const struct bt_node *n);

/* bt_lookup.c */
void bt_kaddr(struct bt_script *s, const struct bt_node *n);
/* The name of the system call in "__NR_read" or "SYS_read"; NULL: it is another constant. */
const char *bt_call_of_number(const struct bt_script *s, const char *name);
/* Look up numbers of system calls, and end the script if there is none. */
void bt_put_calls(struct bt_script *s);
void bt_percpu(struct bt_script *s, const struct bt_node *n);
void bt_cgroup_id(struct bt_script *s, const struct bt_node *n);
void bt_cgroup_path(struct bt_script *s, const struct bt_node *n);

/* bt_library.c */
/* Add the macro of this name to the script, if the library has one. */
void bt_library_add(struct bt_script *s, const char *name);
void bt_is_of_type(struct bt_script *s, const struct bt_node *n);

/* bt_string.c */
void bt_str(struct bt_script *s, const struct bt_node *n);
void bt_path(struct bt_script *s, const struct bt_node *n);
void bt_buf(struct bt_script *s, const struct bt_node *n);
void bt_join(struct bt_script *s, const struct bt_node *n);
void bt_strstr(struct bt_script *s, const struct bt_node *n);
void bt_comm(struct bt_script *s, const struct bt_node *n);
/* The format and its arguments with numbers instead of "*"; NULL after an error. */
const struct bt_node *bt_fixed_format(struct bt_script *s, const struct bt_node *format);
/* bt_gfp(), which %gr needs */
void bt_put_gfp(struct bt_script *s, struct pos pos);

/* bt_printf.c */
void bt_printf(struct bt_script *s, const struct bt_node *n, const char *function);
/* The name of a file, in a format */
const char *bt_escaped_name(struct bt_script *s, struct pos pos);
/* "stdin:1:15-38" of a call, in a format */
const char *bt_place_text(struct bt_script *s, const struct bt_node *n);
/* The line of the script with the call underlined, in a format */
const char *bt_underlined(struct bt_script *s, const struct bt_node *n);
/* errorf(), warnf() */
void bt_message(struct bt_script *s, const struct bt_node *n);

/* bt_text.c: values as text */
/* Functions that the text needs: higher bits of @helpers; bt_print.c has the lower ones */
enum {
	BT_HELP_CALLS = 1 << 9,
	BT_HELP_JOIN = 1 << 10,
	BT_HELP_STRSTR = 1 << 11,
	BT_HELP_GFP = 1 << 12,
	BT_HELP_KSYM = 1 << 13,
	BT_HELP_CGROUP = 1 << 15,
	BT_HELP_BYTES = 1 << 16,
	BT_HELP_STACK = 1 << 17,
	BT_HELP_HEX = 1 << 18,
	BT_HELP_ROOM = 1 << 19,
	BT_HELP_STR = 1 << 22,
	BT_HELP_SIGNALS = 1 << 24,
	BT_HELP_ZERO = 1 << 25,
	BT_HELP_DIVIDE = 1 << 26,
	BT_HELP_MODULO = 1 << 27,
	BT_HELP_USERS = 1 << 28,
	BT_HELP_USTACK = 1 << 29,
	BT_HELP_WITHIN = 1 << 30,
	BT_HELP_INTEGER = 1u << 31,
};

/**
 * struct bt_source - where the leaves of a value come from
 * @n: an expression; or NULL
 * @name: a variable with the value, or a table with the leaves, numbered from @first on
 * @type: of the value
 */
struct bt_source {
	const struct bt_node *n;
	const char *name;
	unsigned int first;
	const struct bt_type *type;
};

/* How printf writes a value of the type; in JSON, what print takes */
const char *bt_text_format(struct bt_script *s, const struct bt_type *t);
const char *bt_json_format(struct bt_script *s, const struct bt_type *t);
/* Write the arguments of the format, each with a comma before. */
void bt_text_args(struct bt_script *s, struct pos pos, const struct bt_source *src);
void bt_json_args(struct bt_script *s, struct pos pos, const struct bt_source *src);
/* One expression whose text it is, as an argument of %s */
void bt_text_value(struct bt_script *s, const struct bt_node *n);
/* Is print() of the value in ktap different from that of bpftrace? */
bool bt_has_format(const struct bt_type *t);
void bt_text_helpers(struct bt_script *s);
/* Is the literal without escapes this long? */
unsigned int bt_text_length(const struct bt_node *n);

/* bt_print.c */
void bt_print(struct bt_script *s, const struct bt_node *n);
void bt_print_end(struct bt_script *s);
void bt_print_helpers(struct bt_script *s);

/* "%d, %s" of a key, and its arguments, each with a comma before; @key: the variable */
const char *bt_key_format(struct bt_script *s, const struct bt_map *map);
void bt_put_key_args(struct bt_script *s, struct pos pos, const struct bt_map *map,
		     const char *key);

/* bt_series.c: tseries() */
/* @map = tseries(...) */
void bt_series_add(struct bt_script *s, const struct bt_node *n);
/* clear(@map), zero(@map) */
void bt_series_clear(struct bt_script *s, const struct bt_node *n, const struct bt_map *map);
void bt_series_declare(struct bt_script *s, const struct bt_map *map);
void bt_series_functions(struct bt_script *s);

/* bt_option.c */
/* getopt() */
void bt_option(struct bt_script *s, const struct bt_node *n);
/* Report options on the command line that the script does not have. */
void bt_check_options(struct bt_script *s);

/* bt_event.c */
/* The event in ktap's spelling; NULL after an error. *place: where its block runs. */
const char *bt_event(struct bt_script *s, const struct bt_event *event, enum bt_place *place);

/* The kind of an event, without its short form; *rest: after its ":"; NULL: it is unknown. */
const char *bt_event_kind(const struct bt_event *event, const char **rest);
/* Is it one of those that bpftrace runs only if it is asked to? It is reported. */
bool bt_event_is_left_out(struct bt_script *s, const struct bt_event *event);
/* Is it BEGIN or END? */
bool bt_event_is_edge(const struct bt_event *event);
/* Do all events belong to a process, as functions of programs do? Ticks may be among them. */
bool bt_events_of_process(const struct bt_script *s);

/* The name in quotes of the variable that the event watches; NULL: it is an address. */
const char *bt_watch_symbol(struct bt_script *s, const struct bt_event *event);
/* unwatch() */
void bt_unwatch(struct bt_script *s, const struct bt_node *n);

/* The iterator whose block this is, without "iter:"; NULL if it is none */
const char *bt_iter_of(const struct bt_script *s);

/* Is it "args", or "ctx" of an iterator? */
bool bt_is_args(const struct bt_script *s, const struct bt_node *n);

/* bt_lower.c */
void bt_lower(struct bt_script *s);

#endif
