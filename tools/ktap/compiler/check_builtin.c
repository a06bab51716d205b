// SPDX-License-Identifier: GPL-2.0
/* Check the arguments of calls of built-in functions. */
#include <arpa/inet.h>
#include <ctype.h>
#include <netinet/in.h>
#include <string.h>

#include <linux/ktap.h>

#include "compiler/ast.h"
#include "compiler/builtins.h"
#include "compiler/cdef.h"
#include "compiler/chunk_write.h"
#include "compiler/kernel_calls.h"
#include "compiler/suggest.h"
#include "compiler/util.h"

#define MAX_STEPS	1000	/* of lhist() */
#define MAX_BITS	4	/* of hist() */
#define MAX_SIGNAL	64

static void check_hist(struct compiler *cc, const struct node *n)
{
	const struct node *bits = n->list;

	if (bits && bits->kind == N_INT && (bits->ival < 0 || bits->ival > MAX_BITS))
		diag_error(&cc->diag, bits->pos,
			   "hist(k) has 2^k rows for each power of two, with a k from 0 to %d",
			   MAX_BITS);
}

static void check_lhist(struct compiler *cc, const struct node *n)
{
	const struct node *min = n->list, *max = min->next, *step = max->next;
	uint64_t range;

	if (step->kind == N_INT && step->ival <= 0)
		diag_error(&cc->diag, step->pos, "the step of lhist() must be above 0");
	if (min->kind != N_INT || max->kind != N_INT)
		return;
	if (max->ival <= min->ival) {
		diag_error(&cc->diag, max->pos, "lhist(min, max, step) needs a max above its min");
		return;
	}
	range = (uint64_t)max->ival - (uint64_t)min->ival;
	if (step->kind == N_INT && step->ival > 0 && (range - 1) / step->ival >= MAX_STEPS)
		diag_error(&cc->diag, n->pos, "lhist() has at most %u steps", MAX_STEPS);
}

static void check_quantile(struct compiler *cc, const struct node *n)
{
	const struct node *p = n->list->next, *scale = p->next;
	int64_t most = 100;

	if (scale && scale->kind != N_INT)
		most = INT64_MAX;
	else if (scale)
		most = scale->ival;
	if (most < 1)
		diag_error(&cc->diag, scale->pos, "the scale of quantile() is 1 or more");
	else if (p->kind == N_INT && (p->ival < 0 || p->ival > most))
		diag_error(&cc->diag, p->pos, scale ?
			   "quantile(x, p, scale) takes a p from 0 to the scale" :
			   "quantile(x, p) takes a p from 0 to 100; quantile(x, 999, 1000) is finer");
}

static bool is_string(const struct node *n, const char *s)
{
	return n->len == strlen(s) && !memcmp(n->str, s, n->len);
}

static void check_print_hist(struct compiler *cc, const struct node *n)
{
	const struct node *rows = n->list->next, *scale = rows ? rows->next : NULL;

	if (scale && scale->kind == N_STR && !is_string(scale, "linear") &&
	    !is_string(scale, "log"))
		diag_error(&cc->diag, scale->pos,
			   "the scale of print_hist() is \"linear\" or \"log\"");
}

static void check_normalize(struct compiler *cc, const struct node *n)
{
	const struct node *divisor = n->list->next;

	if (divisor->kind == N_INT && divisor->ival < 1)
		diag_error(&cc->diag, divisor->pos, "normalize() divides by 1 or more");
}

static void check_substr(struct compiler *cc, const struct node *n)
{
	const struct node *len = n->list->next->next;

	if (len && len->kind == N_INT && len->ival < 0)
		diag_error(&cc->diag, len->pos, "the length of substr() is negative");
}

static void check_ntop(struct compiler *cc, const struct node *n)
{
	const struct node *family = n->list;

	if (family->next && family->kind == N_INT && family->ival != 2 && family->ival != 10)
		diag_error(&cc->diag, family->pos,
			   "ntop() knows the families 2 (IPv4) and 10 (IPv6)");
}

static void check_size(struct compiler *cc, const struct node *n, const struct node *size)
{
	if (size && size->kind == N_INT && size->ival < 0)
		diag_error(&cc->diag, size->pos, "%s() reads 0 bytes or more", n->builtin->name);
}

static void check_read(struct compiler *cc, const struct node *n)
{
	const struct node *size = n->list->next;
	uint64_t bytes = size->ival < 0 ? -(uint64_t)size->ival : (uint64_t)size->ival;

	if (size->kind == N_INT && bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
		diag_error(&cc->diag, size->pos,
			   "read() reads an integer of 1, 2, 4 or 8 bytes; buf() reads others");
}

static void check_exit(struct compiler *cc, const struct node *n)
{
	const struct node *code = n->list;

	if (code && code->kind == N_INT && (code->ival < -128 || code->ival > 255))
		diag_error(&cc->diag, code->pos, "an exit code is -128 to 255, not %lld",
			   (long long)code->ival);
}

/* The kernel resolves type names before the script runs. */
static void check_type_names(struct compiler *cc, const struct node *n, unsigned int names)
{
	const struct node *arg;

	if (n->list && n->list->kind == N_STR)
		cdef_use(cc, n->list);
	for (arg = n->list; arg && names; arg = arg->next, names--) {
		if (arg->kind == N_STR)
			continue;
		diag_error(&cc->diag, arg->pos, "%s() takes names that are constant strings",
			   n->builtin->name);
		return;
	}
}

/* The kernel has the numbers, which depend on the machine. */
static const char * const signals[] = {
	"HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2",
	"PIPE", "ALRM", "TERM", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU",
	"XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
};

static void check_signal(struct compiler *cc, const struct node *n)
{
	const struct node *which = n->list;
	const char *name = which->str, *best = NULL;
	unsigned int distance = 3, d;
	size_t i;

	if (which->kind == N_INT && (which->ival < 1 || which->ival > MAX_SIGNAL))
		diag_error(&cc->diag, which->pos, "a signal is a number from 1 to %u, or a name",
			   MAX_SIGNAL);
	if (which->kind != N_STR)
		return;
	if (!strncmp(name, "SIG", 3))
		name += 3;
	for (i = 0; i < ARRAY_SIZE(signals); i++) {
		d = edit_distance(signals[i], name);
		if (!d)
			return;
		if (d < distance) {
			distance = d;
			best = signals[i];
		}
	}
	diag_error(&cc->diag, which->pos, "there is no signal '%s'", which->str);
	if (best)
		diag_note(&cc->diag, "did you mean '%s'?", best);
}

static void check_text(struct compiler *cc, const struct node *n)
{
	switch (n->ival) {
	case KTAP_FN_PRINTF:
	case KTAP_FN_SYSTEM:
	case KTAP_FN_FORMAT:
	case KTAP_FN_PRINTA:
		check_format(cc, n);
		break;
	case KTAP_FN_STRFTIME:
		check_time_format(cc, n);
		break;
	case KTAP_FN_CAST:
	case KTAP_FN_SIZEOF:
		check_type_names(cc, n, 1);
		break;
	case KTAP_FN_OFFSETOF:
		check_type_names(cc, n, 2);
		break;
	default:
		break;
	}
}

static void check_numbers(struct compiler *cc, const struct node *n)
{
	switch (n->ival) {
	case KTAP_FN_NEW_HIST:
		check_hist(cc, n);
		break;
	case KTAP_FN_QUANTILE:
		check_quantile(cc, n);
		break;
	case KTAP_FN_PRINT_HIST:
		check_print_hist(cc, n);
		break;
	case KTAP_FN_NEW_LHIST:
		check_lhist(cc, n);
		break;
	case KTAP_FN_NORMALIZE:
		check_normalize(cc, n);
		break;
	case KTAP_FN_SUBSTR:
		check_substr(cc, n);
		break;
	case KTAP_FN_NTOP:
		check_ntop(cc, n);
		break;
	case KTAP_FN_STR:
	case KTAP_FN_USER_STRING:
	case KTAP_FN_KERNEL_STRING:
	case KTAP_FN_BUF:
		check_size(cc, n, n->list->next);
		break;
	case KTAP_FN_READ:
		check_read(cc, n);
		break;
	case KTAP_FN_SIGNAL:
		check_signal(cc, n);
		break;
	case KTAP_FN_EXIT:
		check_exit(cc, n);
		break;
	default:
		break;
	}
}

static const char *which_argument(struct compiler *cc, const struct builtin *bi, unsigned int n)
{
	static const char * const ordinals[] = { "first", "second", "third" };

	if (bi->max == 1)
		return "";
	if (n < 3)
		return pool_printf(&cc->pool, " as its %s argument", ordinals[n]);
	return pool_printf(&cc->pool, " as argument %u", n + 1);
}

static bool check_types(struct compiler *cc, const struct node *call, const struct builtin *bi)
{
	const struct node *arg;
	bool good = true;
	unsigned int i;

	for (arg = call->list, i = 0; arg; arg = arg->next, i++) {
		unsigned int takes = builtin_takes(bi, i), type = static_type(arg);

		if (takes & type)
			continue;
		good = false;
		diag_error(&cc->diag, arg->pos, "%s() takes %s%s, not %s", bi->name,
			   type_text(cc, takes), which_argument(cc, bi, i), type_text(cc, type));
	}
	return good;
}

/*
 * Choose the overload for the number of arguments; a list of unknown length
 * such as "..." counts as one.
 */
static const struct builtin *choose_builtin(struct compiler *cc, const struct node *n,
					    const struct builtin *bi)
{
	unsigned int nargs = list_len(n->list), max = builtin_max(bi);

	if (!check_arity(cc, n, bi->name, bi->min, max))
		return NULL;
	while (bi->max < nargs && bi->max < max)
		bi++;
	return bi;
}

void check_other_call(struct compiler *cc, struct node *n, const struct builtin *bi)
{
	switch (bi->kind) {
	case BI_MISSING:
		diag_error(&cc->diag, n->pos, "%s() needs a program: " BUILTIN_USE_UADDR, bi->name);
		break;
	case BI_ARG:
		check_arity(cc, n, bi->name, 0, 0);
		n->kind = N_EVARG;
		n->ival = bi->id;
		break;
	case BI_ITERATOR:
		diag_error(&cc->diag, n->pos, "%s() can only be used in 'for (k, v in %s(t))'",
			   bi->name, bi->name);
		break;
	case BI_WRITTEN:
		/* written.c has said what is wrong with it */
		break;
	default:
		diag_error(&cc->diag, n->pos, "'%s' is no function", bi->name);
	}
}

static bool is_option_name(const struct node *n)
{
	size_t i;

	for (i = 0; i < n->len; i++)
		if (!isalnum((unsigned char)n->str[i]) && n->str[i] != '_' &&
		    (n->str[i] != '-' || !i))
			return false;
	return n->len;
}

/* Text of the default for the help; NULL if unknown or empty. */
static const char *default_text(struct compiler *cc, const struct node *n)
{
	switch (n->kind) {
	case N_INT:
		return pool_printf(&cc->pool, "%lld", (long long)n->ival);
	case N_BOOL:
		return n->ival ? "true" : "false";
	case N_STR:
		return n->len ? n->str : NULL;
	default:
		return NULL;
	}
}

/* An option, as the script first requests it. */
struct asked_option {
	const struct node *name, *value, *help;
	struct asked_option *next;
};

static bool same_const(const struct node *a, const struct node *b)
{
	return a->kind == b->kind && a->ival == b->ival && a->len == b->len &&
	       (!a->len || !memcmp(a->str, b->str, a->len));
}

/*
 * All calls for an option must agree: -h can show only one default and one
 * help.
 */
static void check_asked_before(struct compiler *cc, const struct node *name,
			       const struct node *value, const struct node *help)
{
	struct asked_option *o = cc->asked_options;
	const struct node *other = NULL;

	while (o && o->name->ival != name->ival)
		o = o->next;
	if (!o) {
		o = pool_alloc(&cc->pool, sizeof(*o));
		*o = (struct asked_option) { name, value, help, cc->asked_options };
		cc->asked_options = o;
		return;
	}
	if (is_const(value) && is_const(o->value) && !same_const(value, o->value))
		other = value;
	else if (help && o->help && !same_const(help, o->help))
		other = help;
	if (other)
		diag_warn(&cc->diag, other->pos, "option '%s' has another %s in %s:%u", name->str,
			  other == value ? "default" : "help",
			  cc->diag.files[o->name->pos.file].name, o->name->pos.line);
}

/*
 * getopt(name, default, help): the chunk keeps the names, and the call gets a
 * number. After "..." or a call, which may give all arguments, no more need
 * follow.
 */
static void check_getopt(struct compiler *cc, struct node *n)
{
	struct node *name = n->list, *value = name->next, *help = value ? value->next : NULL;

	if (name->kind != N_STR || (help && help->kind != N_STR)) {
		diag_error(&cc->diag, name->kind != N_STR ? name->pos : help->pos,
			   "the name of an option, and its help, must be constant strings");
		return;
	}
	if (!is_option_name(name)) {
		diag_error(&cc->diag, name->pos,
			   "'%s' is not a valid name of an option: use letters, digits, '-' and '_'",
			   name->str);
		return;
	}
	if (!strcmp(name->str, "help")) {
		diag_error(&cc->diag, name->pos, "every script has an option --help of its own");
		return;
	}
	name->ival = chunk_option(cc, name, default_text(cc, value), help);
	name->kind = N_INT;
	if (name->ival >= 0)
		check_asked_before(cc, name, value, help);
	value->single = true;
	value->next = NULL;
}

static void set_builtin(struct node *n, const struct builtin *bi)
{
	n->call = CALL_BUILTIN;
	n->ival = bi->id;
	n->builtin = bi;
}

static struct node *make_binary(struct compiler *cc, struct node *a, enum op op, struct node *b)
{
	struct node *n = node_new(cc, N_BINARY, a->pos);

	n->op = op;
	n->a = a;
	n->b = b;
	fold_expr(cc, n);
	return n;
}

static struct node *make_binary_int(struct compiler *cc, struct node *a, enum op op, int64_t b)
{
	return make_binary(cc, a, op, node_int(cc, a->pos, b));
}

/* s32(x) is x << 32 >> 32, u32(x) is x & 0xffffffff. */
static void width_to_shifts(struct compiler *cc, struct node *n, int bits)
{
	struct node *x = n->list, *next = n->next;
	struct pos pos = n->pos;

	x->single = true;
	if (bits < 0)
		x = make_binary_int(cc, make_binary_int(cc, x, OP_SHL, 64 + bits), OP_SHR,
				    64 + bits);
	else
		x = make_binary_int(cc, x, OP_BAND, (1LL << bits) - 1);
	*n = *x;
	n->pos = pos;
	n->next = next;
}

/* assert(c, m) is c || error("assertion failed: " .. m) */
static void check_assert(struct compiler *cc, struct node *n)
{
	struct node *fails = node_new(cc, N_CALL, n->pos), *cond = n->list, *message = cond->next;

	set_builtin(fails, builtin_find("error"));
	fails->list = node_str(cc, n->pos, message ? "assertion failed: " : "assertion failed");
	if (message) {
		message->single = true;
		fails->list = make_binary(cc, fails->list, OP_CONCAT, message);
	}
	cond->single = true;
	cond->next = NULL;
	n->kind = N_OR;
	n->a = cond;
	n->b = fails;
}

void check_written_call(struct compiler *cc, struct node *n, const struct builtin *bi)
{
	/* for the messages */
	n->builtin = bi;
	check_types(cc, n, bi);
}

/* ntohs(x) is ffi.C.ntohs(x) */
static void call_kernel(struct compiler *cc, struct node *n, const char *name)
{
	n->a = node_new(cc, N_FIELD, n->pos);
	n->a->str = name;
	n->call = CALL_KERNEL;
	n->builtin = &kernel_call_find(name)->fn;
	n->list->single = true;
}

/* pton("127.0.0.1") is "\x7f\0\0\1" */
static void check_pton(struct compiler *cc, struct node *n)
{
	const struct node *text = n->list;
	char *bytes = pool_alloc(&cc->pool, sizeof(struct in6_addr));

	if (text->kind != N_STR) {
		diag_error(&cc->diag, text->pos,
			   "pton() takes a constant: an address in quotes, as in pton(\"127.0.0.1\")");
		return;
	}
	if (strlen(text->str) == text->len && inet_pton(AF_INET, text->str, bytes) == 1)
		n->len = sizeof(struct in_addr);
	else if (strlen(text->str) == text->len && inet_pton(AF_INET6, text->str, bytes) == 1)
		n->len = sizeof(struct in6_addr);
	if (!n->len) {
		diag_error(&cc->diag, text->pos, "this is no address of IPv4 or IPv6");
		diag_note(&cc->diag, "they are written as in \"127.0.0.1\" and \"fe80::1\"");
		return;
	}
	n->kind = N_STR;
	n->str = bytes;
}

void check_builtin_call(struct compiler *cc, struct node *n, const struct builtin *bi)
{
	if (!strcmp(bi->name, "backtrace") && n->list) {
		diag_error(&cc->diag, n->pos,
			   "backtrace() takes no arguments: write kstack(depth), which begins at the event");
		return;
	}
	if (bi->declares) {
		diag_error(&cc->diag, n->pos, "cdef is a statement, and has no value");
		return;
	}
	n->call = CALL_BUILTIN;
	bi = choose_builtin(cc, n, bi);
	if (!bi)
		return;
	set_builtin(n, bi);
	if (bi->switches) {
		check_trace_on(cc, n);
		return;
	}
	cc->acts |= bi->acts;
	if (bi->waits && cc->func->in_event)
		diag_error(&cc->diag, n->pos,
			   "%s() works in trace_begin, trace_end, tick and at the top level, not in a handler of an event",
			   bi->name);
	if (check_types(cc, n, bi)) {
		if (bi->bits) {
			width_to_shifts(cc, n, bi->bits);
			return;
		}
		if (bi->kernel) {
			call_kernel(cc, n, bi->kernel);
			return;
		}
		if (bi->constant) {
			check_pton(cc, n);
			return;
		}
		if (bi->asserts) {
			check_assert(cc, n);
			return;
		}
		check_text(cc, n);
		if (!list_is_open(n->list))
			check_numbers(cc, n);
		if (bi->id == KTAP_FN_GETOPT)
			check_getopt(cc, n);
	}
	/* ptable() is {} */
	if (bi->id == KTAP_FN_TABLE_NEW && !bi->max)
		n->call = CALL_NEWT;
	/* print_backtrace() is print(kstack) */
	if (bi->id == KTAP_FN_PRINT && !bi->max) {
		n->list = node_new(cc, N_CALL, n->pos);
		set_builtin(n->list, builtin_find("kstack"));
	}
}
