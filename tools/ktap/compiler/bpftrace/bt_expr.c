// SPDX-License-Identifier: GPL-2.0
/*
 * Expressions of bpftrace in ktap's language.
 *
 * A missing entry, a pointer that is NULL, and a string that cannot be read are nil
 * in ktap, and 0 or "" in bpftrace. `&&`, `||` and comparisons give no integers.
 * Names in a filter are fields first. Operators bind differently.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#include "compiler/bpftrace/bt.h"
#include "compiler/util.h"

static const struct {
	const char *op;
	unsigned int level;
} bt_operator_levels[] = {
	{ "||", LEVEL_OR }, { "&&", LEVEL_AND }, { "==", LEVEL_EQUAL }, { "!=", LEVEL_EQUAL },
	{ "<", LEVEL_ORDER }, { "<=", LEVEL_ORDER }, { ">", LEVEL_ORDER }, { ">=", LEVEL_ORDER },
	{ "|", LEVEL_BIT_OR }, { "^", LEVEL_XOR }, { "&", LEVEL_BIT_AND },
	{ "<<", LEVEL_SHIFT }, { ">>", LEVEL_SHIFT }, { "+", LEVEL_SUM }, { "-", LEVEL_SUM },
	{ "*", LEVEL_PRODUCT }, { "/", LEVEL_PRODUCT }, { "%", LEVEL_PRODUCT },
};

/* Values that are built in. @call: a name in a filter is a field unless it is called. */
static const struct bt_builtin {
	const char *name;
	const char *ours;	/* NULL: not supported */
	enum bt_type_kind type;
	bool call;
	const char *advice;
} bt_builtins[] = {
	{ "pid", "pid", BT_INTEGER, true, NULL },
	{ "tid", "tid", BT_INTEGER, true, NULL },
	{ "ppid", "ppid", BT_INTEGER, true, NULL },
	{ "uid", "uid", BT_INTEGER, true, NULL },
	{ "gid", "gid", BT_INTEGER, true, NULL },
	{ "cpu", "cpu", BT_INTEGER, true, NULL },
	{ "ncpus", "num_cpus", BT_INTEGER, true, NULL },
	{ "numaid", "numa_node", BT_INTEGER, true, NULL },
	{ "comm", "comm", BT_STRING, true, NULL },
	{ "nsecs", "nsecs", BT_INTEGER, true, NULL },
	{ "elapsed", "elapsed", BT_INTEGER, true, NULL },
	{ "cgroup", "cgroup", BT_INTEGER, true, NULL },
	{ "rand", "rand", BT_INTEGER, true, NULL },
	{ "func", "func", BT_STRING, true, NULL },
	{ "probe", "", BT_STRING, false, NULL },
	{ "retval", "retval", BT_ANY, true, NULL },
	{ "curtask", "curtask", BT_POINTER, true, NULL },
	{ "pcomm", "curtask.real_parent.comm", BT_STRING, false, NULL },
	{ "leader_comm", "curtask.group_leader.comm", BT_STRING, false, NULL },
	{ "leader_tid", "curtask.group_leader.pid", BT_INTEGER, false, NULL },
	{ "has_cpid", "has_cpid", BT_BOOLEAN, false, NULL },
	{ "kstack", "kstack(" BT_FRAMES ")", BT_STACK, false, NULL },
	{ "ustack", "ustack", BT_STACK, false, NULL },
	{ "jiffies", "`jiffies`", BT_INTEGER, false, NULL },
	{ "arg0", "arg0", BT_ANY, false, NULL }, { "arg1", "arg1", BT_ANY, false, NULL },
	{ "arg2", "arg2", BT_ANY, false, NULL }, { "arg3", "arg3", BT_ANY, false, NULL },
	{ "arg4", "arg4", BT_ANY, false, NULL }, { "arg5", "arg5", BT_ANY, false, NULL },
	{ "arg6", "arg6", BT_ANY, false, NULL }, { "arg7", "arg7", BT_ANY, false, NULL },
	{ "arg8", "arg8", BT_ANY, false, NULL }, { "arg9", "arg9", BT_ANY, false, NULL },
	{ "args", NULL, BT_ANY, false,
	  "a field of the event: args.NAME, or an event without a pattern" },
	{ "ctx", NULL, BT_ANY, false, "a field: args.NAME, or ctx.NAME of an iterator" },
	{ "username", "username", BT_STRING, false, NULL },
	{ "cpid", "cpid", BT_INTEGER, false, NULL },
	{ "usermode", "usermode", BT_INTEGER, false, NULL },
	{ "probetype", "probetype", BT_STRING, false, NULL },
};

static const struct bt_builtin *bt_builtin(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(bt_builtins); i++)
		if (!strcmp(bt_builtins[i].name, name))
			return &bt_builtins[i];
	return NULL;
}

bool bt_is_builtin(const char *name)
{
	return bt_builtin(name);
}

static unsigned int bt_level(const char *op)
{
	for (size_t i = 0; i < ARRAY_SIZE(bt_operator_levels); i++)
		if (!strcmp(bt_operator_levels[i].op, op))
			return bt_operator_levels[i].level;
	return LEVEL_UNARY;
}

struct bt_var *bt_var_find(const struct bt_script *s, const char *name)
{
	struct bt_var *var = s->vars;

	while (var && strcmp(var->name, name))
		var = var->outer;
	return var;
}

bool bt_is_logic(const struct bt_node *n)
{
	unsigned int level = n->kind == BN_BINARY ? bt_level(n->op) : LEVEL_ANY;

	return (level >= LEVEL_OR && level <= LEVEL_ORDER) ||
	       (n->kind == BN_UNARY && *n->op == '!') || n->kind == BN_BOOL;
}

const struct bt_type *bt_type_of_builtin(struct bt_script *s, const char *name)
{
	const struct bt_builtin *bi = bt_builtin(name);

	switch (bi ? bi->type : BT_ANY) {
	case BT_INTEGER:
		return &bt_integer;
	case BT_STRING:
		return &bt_string;
	case BT_BOOLEAN:
		return &bt_boolean;
	case BT_STACK:
		return bt_stack_type(s, name, NULL);
	case BT_POINTER:
		return bt_pointer_to(s, bt_type_named(s, "struct task_struct", 0));
	default:
		return &bt_any;
	}
}

/* Can this be nil, where bpftrace has 0 or ""? */
static bool bt_may_be_nil(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_map *map;

	switch (n->kind) {
	case BN_MAP:
		map = bt_map_of(s, n);
		return map && map->kind <= BM_SUM && map->type->kind != BT_STACK;
	case BN_CALL:
		return bt_call_may_fail(n->text) && n->a && n->a->kind != BN_PARAM;
	case BN_CAST:
		return bt_is_pointer_cast(s, n) || bt_may_be_nil(s, n->a);
	default:
		return false;
	}
}

/* Pointers are members of others, or cast; those that are NULL are nil. */
static bool bt_may_be_null(struct bt_script *s, const struct bt_node *n)
{
	if (n->kind == BN_CAST)
		return bt_is_pointer_cast(s, n);
	return n->kind == BN_FIELD || n->kind == BN_INDEX ||
	       (n->kind == BN_NAME && (!strcmp(n->text, "retval") || !strcmp(n->text, "curtask")));
}

void bt_place_of(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_map *map = bt_map_of(s, n);
	int keys = n->a ? (int)bt_key_type(s, n->a)->leaves : 0;

	if (map && map->keys != keys)
		bt_error(s, n->pos, map->keys || map->type->kind != BT_ARRAY ? NULL :
			 pool_printf(&s->cc->pool, "its value is an array: $x = @%s; $x[0]",
				     n->text), "@%s has %d part%s in its key here, and %d in line %u",
			 n->text, keys, keys == 1 ? "" : "s", map->keys, map->pos.line);
	bt_put(s, n->pos, "%s", map ? map->ours : "nil");
	if (!n->a)
		return;
	bt_put(s, n->pos, "[");
	bt_leaves(s, n->a, true);
	bt_put(s, n->pos, "]");
}

static void bt_map_read(struct bt_script *s, const struct bt_node *n)
{
	static const char * const functions[] = {
		[BM_AVG] = "avg", [BM_MIN] = "min", [BM_MAX] = "max",
	};
	const struct bt_map *map = bt_map_of(s, n);

	if (!map)
		return;
	if (map->keys > 0 && !n->a) {
		bt_error(s, n->pos, NULL, "@%s has keys: @%s[KEY]", n->text, n->text);
	} else if (map->kind >= BM_STATS) {
		bt_error(s, n->pos, "print(@NAME)", "neither stats nor distributions are values");
	} else if (map->kind >= BM_AVG && n->a) {
		bt_put(s, n->pos, "(");
		bt_place_of(s, n);
		bt_put(s, n->pos, " && %s(", functions[map->kind]);
		bt_place_of(s, n);
		bt_put(s, n->pos, ") || 0)");
	} else if (map->kind >= BM_AVG) {
		bt_put(s, n->pos, "%s(%s)", functions[map->kind], map->ours);
	} else {
		bt_place_of(s, n);
	}
}

static void bt_var_read(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_var *var = bt_var_find(s, n->text);
	const char *suffix = strstr(n->text, "__m");

	/* without the number that a macro or a block has given it */
	if (!var)
		bt_error(s, n->pos, "a variable exists in the block that assigns to it first; before the block write: let $NAME",
			 "$%.*s has no value here",
			 (int)(suffix ? (size_t)(suffix - n->text) : strlen(n->text)), n->text);
	else if (var->stored || var->loop)
		bt_error(s, n->pos, NULL, "$%s is a tuple: write $%s.0 or $%s.1", n->text,
			 n->text, n->text);
	else
		bt_put(s, n->pos, "%s", var->ours);
}

/* Macros of C, whose numbers are the same on all machines but alpha, mips, parisc and sparc */
static const struct {
	const char *name;
	int value;
} bt_macros_of_c[] = {
	{ "NULL", 0 },
	{ "AF_UNSPEC", 0 }, { "AF_UNIX", 1 }, { "AF_LOCAL", 1 }, { "AF_INET", 2 },
	{ "AF_INET6", 10 }, { "AF_NETLINK", 16 }, { "AF_PACKET", 17 }, { "AF_VSOCK", 40 },
	{ "IPPROTO_IP", 0 }, { "IPPROTO_ICMP", 1 }, { "IPPROTO_TCP", 6 }, { "IPPROTO_UDP", 17 },
	{ "IPPROTO_IPV6", 41 }, { "IPPROTO_ICMPV6", 58 }, { "IPPROTO_RAW", 255 },
	{ "SIGHUP", 1 }, { "SIGINT", 2 }, { "SIGQUIT", 3 }, { "SIGILL", 4 }, { "SIGTRAP", 5 },
	{ "SIGABRT", 6 }, { "SIGBUS", 7 }, { "SIGFPE", 8 }, { "SIGKILL", 9 }, { "SIGUSR1", 10 },
	{ "SIGSEGV", 11 }, { "SIGUSR2", 12 }, { "SIGPIPE", 13 }, { "SIGALRM", 14 },
	{ "SIGTERM", 15 }, { "SIGCHLD", 17 }, { "SIGCONT", 18 }, { "SIGSTOP", 19 },
	{ "SIGTSTP", 20 }, { "SIGTTIN", 21 }, { "SIGTTOU", 22 }, { "SIGURG", 23 },
	{ "SIGXCPU", 24 }, { "SIGXFSZ", 25 }, { "SIGVTALRM", 26 }, { "SIGPROF", 27 },
	{ "SIGWINCH", 28 }, { "SIGIO", 29 }, { "SIGPWR", 30 }, { "SIGSYS", 31 },
	{ "O_RDONLY", 0 }, { "O_WRONLY", 1 }, { "O_RDWR", 2 }, { "O_ACCMODE", 3 },
	{ "S_IFMT", 0170000 }, { "S_IFSOCK", 0140000 }, { "S_IFLNK", 0120000 },
	{ "S_IFREG", 0100000 }, { "S_IFBLK", 0060000 }, { "S_IFDIR", 0040000 },
	{ "S_IFCHR", 0020000 }, { "S_IFIFO", 0010000 },
	{ "PROT_READ", 1 }, { "PROT_WRITE", 2 }, { "PROT_EXEC", 4 },
	{ "MAP_SHARED", 1 }, { "MAP_PRIVATE", 2 },
};

/* Macros of the C library; not each C library has a function for their names. */
#define BT_ERRORS(X) \
	X(EPERM) X(ENOENT) X(ESRCH) X(EINTR) X(EIO) X(ENXIO) X(E2BIG) X(ENOEXEC) X(EBADF) \
	X(ECHILD) X(EAGAIN) X(ENOMEM) X(EACCES) X(EFAULT) X(ENOTBLK) X(EBUSY) X(EEXIST) \
	X(EXDEV) X(ENODEV) X(ENOTDIR) X(EISDIR) X(EINVAL) X(ENFILE) X(EMFILE) X(ENOTTY) \
	X(ETXTBSY) X(EFBIG) X(ENOSPC) X(ESPIPE) X(EROFS) X(EMLINK) X(EPIPE) X(EDOM) \
	X(ERANGE) X(EDEADLK) X(ENAMETOOLONG) X(ENOLCK) X(ENOSYS) X(ENOTEMPTY) X(ELOOP) \
	X(EWOULDBLOCK) X(ENOMSG) X(EIDRM) X(ECHRNG) X(EL2NSYNC) X(EL3HLT) X(EL3RST) \
	X(ELNRNG) X(EUNATCH) X(ENOCSI) X(EL2HLT) X(EBADE) X(EBADR) X(EXFULL) X(ENOANO) \
	X(EBADRQC) X(EBADSLT) X(EDEADLOCK) X(EBFONT) X(ENOSTR) X(ENODATA) X(ETIME) \
	X(ENOSR) X(ENONET) X(ENOPKG) X(EREMOTE) X(ENOLINK) X(EADV) X(ESRMNT) X(ECOMM) \
	X(EPROTO) X(EMULTIHOP) X(EDOTDOT) X(EBADMSG) X(EOVERFLOW) X(ENOTUNIQ) X(EBADFD) \
	X(EREMCHG) X(ELIBACC) X(ELIBBAD) X(ELIBSCN) X(ELIBMAX) X(ELIBEXEC) X(EILSEQ) \
	X(ERESTART) X(ESTRPIPE) X(EUSERS) X(ENOTSOCK) X(EDESTADDRREQ) X(EMSGSIZE) \
	X(EPROTOTYPE) X(ENOPROTOOPT) X(EPROTONOSUPPORT) X(ESOCKTNOSUPPORT) X(EOPNOTSUPP) \
	X(EPFNOSUPPORT) X(EAFNOSUPPORT) X(EADDRINUSE) X(EADDRNOTAVAIL) X(ENETDOWN) \
	X(ENETUNREACH) X(ENETRESET) X(ECONNABORTED) X(ECONNRESET) X(ENOBUFS) X(EISCONN) \
	X(ENOTCONN) X(ESHUTDOWN) X(ETOOMANYREFS) X(ETIMEDOUT) X(ECONNREFUSED) \
	X(EHOSTDOWN) X(EHOSTUNREACH) X(EALREADY) X(EINPROGRESS) X(ESTALE) X(EUCLEAN) \
	X(ENOTNAM) X(ENAVAIL) X(EISNAM) X(EREMOTEIO) X(EDQUOT) X(ENOMEDIUM) \
	X(EMEDIUMTYPE) X(ECANCELED) X(ENOKEY) X(EKEYEXPIRED) X(EKEYREVOKED) \
	X(EKEYREJECTED) X(EOWNERDEAD) X(ENOTRECOVERABLE) X(ERFKILL) X(EHWPOISON) \
	X(ENOTSUP)

/* Names with NULs between, and their numbers: without the pointers of a table of structures */
#define BT_ERROR_NAME(name)	#name "\0"
#define BT_ERROR_NUMBER(name)	name,
static const char bt_error_names[] = BT_ERRORS(BT_ERROR_NAME);
static const unsigned short bt_error_numbers[] = { BT_ERRORS(BT_ERROR_NUMBER) };

/* The number of a macro of C such as EPERM or AF_INET; -1: it is not known */
static int bt_macro_of_c(const char *name)
{
	const char *error = bt_error_names;

	for (size_t i = 0; *name == 'E' && *error; error += strlen(error) + 1, i++)
		if (!strcmp(error, name))
			return bt_error_numbers[i];
	for (size_t i = 0; i < ARRAY_SIZE(bt_macros_of_c); i++)
		if (!strcmp(bt_macros_of_c[i].name, name))
			return bt_macros_of_c[i].value;
	return -1;
}

static void bt_user_name(struct bt_script *s, const struct bt_node *n)
{
	bt_put(s, n->pos, "bt_username()");
	s->helpers |= BT_HELP_USERS;
}

static void bt_command(struct bt_script *s, const struct bt_node *n)
{
	int64_t pid = s->cc->opts->bpftrace_command;

	if (!pid && !s->reads_command)
		s->reads_command = n;
	bt_put(s, n->pos, "%lld", (long long)pid);
}

static void bt_has_command(struct bt_script *s, const struct bt_node *n)
{
	s->asks_command = true;
	bt_put(s, n->pos, s->cc->opts->bpftrace_command ? "true" : "false");
}

void bt_check_command(struct bt_script *s)
{
	if (!s->reads_command)
		return;
	if (s->asks_command)
		diag_warn(&s->cc->diag, s->reads_command->pos,
			  "there is no command: 'cpid' is 0, and 'has_cpid' is false");
	else
		bt_error(s, s->reads_command->pos,
			 "ktap --bt -c 'COMMAND' FILE.bt, or ktap FILE.bt -- COMMAND; 'has_cpid' says if there is one",
			 "'cpid' needs a command");
}

/* In BEGIN and END it is the program ktap, which knows its number in its own namespace. */
void bt_process(struct bt_script *s, const struct bt_node *n, bool own)
{
	const struct ktap_compile_opts *opts = s->cc->opts;

	if (s->edge && opts->bpftrace_tracer && (own || !opts->bpftrace_inner))
		bt_put(s, n->pos, "%lld", (long long)opts->bpftrace_tracer);
	else
		bt_put(s, n->pos, "%s%s%s", own ? "ns_" : "", n->text, s->filter ? "()" : "");
}

static void bt_name_read(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_builtin *bi = bt_builtin(n->text);

	if (s->fn && bt_fn_is_of_event(n->text))
		bt_error(s, n->pos, "a parameter of the function",
			 "'%s' is a value of the event: %s() does not have it", n->text,
			 s->fn->name);
	else if (!bi && !strncmp(n->text, "arg", 3) && n->text[3] >= '0' && n->text[3] <= '9')
		bt_error(s, n->pos, NULL, "'%s': there are arg0 to arg9", n->text);
	else if (!bi && !strncmp(n->text, "sarg", 4))
		bt_error(s, n->pos, "argN", "'%s': there are no arguments on the stack", n->text);
	else if (!bi && !bt_is_declared(s, n->text) && bt_macro_of_c(n->text) >= 0)
		bt_put(s, n->pos, "%d", bt_macro_of_c(n->text));
	else if (!bi && bt_call_of_number(s, n->text))
		bt_put(s, n->pos, "bt_number_of_%s", n->text);
	else if (!bi)
		bt_put(s, n->pos, bt_is_declared(s, n->text) ? "%s" : "`%s`", n->text);
	else if (!bi->ours)
		bt_error(s, n->pos, pool_printf(&s->cc->pool, "instead: %s", bi->advice),
			 "'%s' is not supported", n->text);
	else if (!*bi->ours)
		bt_put(s, n->pos, "%s", s->probe_text);
	else if (s->edge && s->cc->opts->tool && !strcmp(bi->ours, "comm"))
		bt_put(s, n->pos, "\"%s\"", s->cc->opts->tool);
	else if (!strcmp(bi->ours, "pid") || !strcmp(bi->ours, "tid"))
		bt_process(s, n, s->cc->opts->bpftrace_inner);
	else if (!strcmp(bi->ours, "ustack"))
		bt_put(s, n->pos, "ustack(" BT_FRAMES ")");
	else if (!strcmp(bi->ours, "username"))
		bt_user_name(s, n);
	else if (!strcmp(bi->ours, "cpid"))
		bt_command(s, n);
	else if (!strcmp(bi->ours, "has_cpid"))
		bt_has_command(s, n);
	else if (!strcmp(bi->ours, "usermode"))
		bt_put(s, n->pos, "%s", s->user_mode);
	else if (!strcmp(bi->ours, "probetype"))
		bt_put(s, n->pos, "\"%s\"", s->probe_type);
	else if (bi->type == BT_POINTER && bt_is_compound(bt_type_of_builtin(s, n->text)->of))
		bt_put(s, n->pos, "cast(\"struct task_struct\", curtask)");
	else
		bt_put(s, n->pos, "%s%s", bi->ours, s->filter && bi->call ? "()" : "");
}

static void bt_field_read(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_type *t;

	if (bt_stored_part(s, n) || bt_config_value(s, n))
		return;
	if (n->value >= 0) {
		bt_error(s, n->pos, NULL, "this is no tuple with an item %d", (int)n->value);
		return;
	}
	if (bt_is_args(s, n->a) && !s->fn) {
		t = bt_type_of(s, n);
		/* in ktap an argument of a system call or of a program is an integer */
		bool target = t->kind == BT_POINTER && t->of->kind == BT_STRUCT && t->of->name &&
			      (strstr(s->probe->events->text, ":syscalls:") ||
			       bt_program_argument(s, n->text));

		if (target)
			bt_put(s, n->pos, "cast(\"%s\", ", t->of->name);
		bt_put(s, n->pos, target ? "args.%s)" : "args.%s", n->text);
		return;
	}
	bt_expr(s, n->a, LEVEL_POSTFIX);
	bt_put(s, n->pos, ".%s", n->text);
}

static void bt_unary(struct bt_script *s, const struct bt_node *n)
{
	bt_put(s, n->pos, "%s", n->op);
	if (*n->op == '!')
		bt_expr(s, n->a, LEVEL_UNARY);
	else
		bt_number(s, n->a, LEVEL_UNARY + (n->a->kind == BN_UNARY));
}

static bool bt_is_zero(const struct bt_node *n)
{
	return n->kind == BN_INT && !n->value;
}

/* Write an operand of a comparison: nil is not equal to 0, nor less than 1. */
static void bt_compared(struct bt_script *s, const struct bt_node *n, const struct bt_node *other,
			unsigned int level)
{
	enum bt_type_kind type = bt_type_of(s, other)->kind, own = bt_type_of(s, n)->kind;
	bool mixed = (own == BT_BOOLEAN) != (type == BT_BOOLEAN);

	if (bt_may_be_nil(s, n) && type != BT_STRING && own != BT_STRING) {
		bt_put(s, n->pos, "(");
		bt_expr(s, n, LEVEL_OR);
		bt_put(s, n->pos, " || 0)");
	} else if (mixed) {
		bt_number(s, n, level);
	} else {
		bt_expr(s, n, level);
	}
}

/* Tuples, arrays and structures are equal if all their parts are. */
static bool bt_compare_parts(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_type *t = bt_type_of(s, n->a);

	if (!bt_is_compound(t) || bt_type_of(s, n->b)->leaves != t->leaves)
		return false;
	bt_put(s, n->pos, *n->op == '!' ? "!(" : "(");
	for (unsigned int i = 0; i < t->leaves; i++) {
		bt_put(s, n->pos, i ? " && " : "");
		bt_leaf(s, n->a, i);
		bt_put(s, n->pos, " == ");
		bt_leaf(s, n->b, i);
	}
	bt_put(s, n->pos, ")");
	return true;
}

static void bt_comparison(struct bt_script *s, const struct bt_node *n, unsigned int level)
{
	/* bits are compared in parentheses: that is how it is read */
	unsigned int inner = LEVEL_CONCAT;

	if (level == LEVEL_EQUAL && bt_compare_parts(s, n))
		return;
	if (level == LEVEL_EQUAL && bt_is_zero(n->b) && bt_may_be_null(s, n->a)) {
		/* a pointer that is NULL is nil */
		bt_put(s, n->pos, "%s", *n->op == '=' ? "!" : "!!");
		bt_expr(s, n->a, LEVEL_UNARY);
		return;
	}
	bt_compared(s, n->a, n->b, inner);
	bt_put(s, n->pos, " %s ", n->op);
	bt_compared(s, n->b, n->a, inner);
}

/* Division by what may be 0, which has the value 1 in bpftrace; in a filter, that is an error. */
static bool bt_is_division(const struct bt_node *n)
{
	int64_t value = 0;

	return n->kind == BN_BINARY && (!strcmp(n->op, "/") || !strcmp(n->op, "%")) &&
	       (!bt_constant_value(n->b, &value) || !value);
}

static void bt_division(struct bt_script *s, const struct bt_node *n)
{
	bool modulo = *n->op == '%';

	bt_put(s, n->pos, modulo ? "bt_modulo(" : "bt_divide(");
	bt_number(s, n->a, LEVEL_ANY);
	bt_put(s, n->pos, ", ");
	bt_number(s, n->b, LEVEL_ANY);
	bt_put(s, n->pos, ", \"%s:%u:%u\")", bt_escaped_name(s, n->pos), n->pos.line, n->pos.col);
	s->helpers |= BT_HELP_ZERO | (modulo ? BT_HELP_MODULO : BT_HELP_DIVIDE);
}

static void bt_binary(struct bt_script *s, const struct bt_node *n, unsigned int level)
{
	if (level <= LEVEL_AND) {
		bt_expr(s, n->a, level);
		bt_put(s, n->pos, " %s ", n->op);
		bt_expr(s, n->b, level + 1);
	} else if (level <= LEVEL_ORDER) {
		bt_comparison(s, n, level);
	} else if (bt_is_division(n) && !s->filter) {
		bt_division(s, n);
	} else if (!bt_pointer_sum(s, n)) {
		bt_number(s, n->a, level);
		bt_put(s, n->pos, " %s ", n->op);
		bt_number(s, n->b, level + 1);
	}
}

static unsigned int bt_node_level(const struct bt_node *n)
{
	switch (n->kind) {
	case BN_CHOICE:
		return LEVEL_CHOICE;
	case BN_BINARY:
		return bt_level(n->op);
	case BN_UNARY:
		return LEVEL_UNARY;
	case BN_INT:
		return LEVEL_POSTFIX;
	default:
		return LEVEL_POSTFIX;
	}
}

static void bt_param(struct bt_script *s, const struct bt_node *n)
{
	if (n->value < 0)
		bt_put(s, n->pos, "bt_arguments()");
	else
		bt_put(s, n->pos, "($%d || 0)", (int)n->value);
}

/* A NUL ends a string, except in buf(). */
static void bt_text_literal(struct bt_script *s, const struct bt_node *n)
{
	const char *p = n->text;

	for (; *p; p++) {
		if (*p != '\\')
			continue;
		if (p[1] == '0' && (p[2] < '0' || p[2] > '7'))
			break;
		if (p[1] == 'x' && p[2] == '0' && p[3] == '0')
			break;
		p += !!p[1];
	}
	bt_put(s, n->pos, "%.*s%s", (int)(p - n->text), n->text, *p ? "\"" : "");
}

/* Write what needs no parentheses. */
static void bt_inner(struct bt_script *s, const struct bt_node *n)
{
	unsigned int level = bt_node_level(n);

	switch (n->kind) {
	case BN_INT:
	case BN_BOOL:
		bt_put(s, n->pos, "%s", n->text);
		break;
	case BN_STR:
		bt_text_literal(s, n);
		break;
	case BN_PARAM:
		bt_param(s, n);
		break;
	case BN_MAP:
		bt_map_read(s, n);
		break;
	case BN_VAR:
		bt_var_read(s, n);
		break;
	case BN_NAME:
		bt_name_read(s, n);
		break;
	case BN_CALL:
		bt_call(s, n, false);
		break;
	case BN_FIELD:
		bt_field_read(s, n);
		break;
	case BN_INDEX:
		bt_index(s, n);
		break;
	case BN_CAST:
		bt_cast(s, n, LEVEL_POSTFIX);
		break;
	case BN_DEREF:
		bt_deref(s, n);
		break;
	case BN_UNARY:
		bt_unary(s, n);
		break;
	case BN_CHOICE:
		bt_expr(s, n->a, LEVEL_CHOICE + 1);
		bt_put(s, n->pos, " ? ");
		bt_value(s, n->b);
		bt_put(s, n->pos, " : ");
		bt_value(s, n->c);
		break;
	case BN_TUPLE:
		bt_error(s, n->pos, "assign it to a variable, or use it as a key",
			 "a tuple is no operand");
		break;
	case BN_TYPE:
		/* the argument of a macro */
		bt_error(s, n->pos, "sizeof(TYPE) has one", "a type is no value");
		break;
	default:
		bt_binary(s, n, level);
	}
}

void bt_expr(struct bt_script *s, const struct bt_node *n, unsigned int level)
{
	/* a division in a filter would end it */
	bool paren = bt_node_level(n) < level || (s->filter && n->kind == BN_BINARY &&
						  *n->op == '/');

	if (paren)
		bt_put(s, n->pos, "(");
	bt_inner(s, n);
	if (paren)
		bt_put(s, n->pos, ")");
}

void bt_number(struct bt_script *s, const struct bt_node *n, unsigned int level)
{
	if (bt_type_of(s, n)->kind != BT_BOOLEAN) {
		bt_expr(s, n, level);
	} else if (n->kind == BN_BOOL) {
		bt_put(s, n->pos, "%d", *n->text == 't');
	} else {
		bt_put(s, n->pos, "(");
		bt_expr(s, n, LEVEL_CHOICE + 1);
		bt_put(s, n->pos, " ? 1 : 0)");
	}
}

void bt_truth(struct bt_script *s, const struct bt_node *n)
{
	bt_expr(s, n, LEVEL_ANY);
}

void bt_value(struct bt_script *s, const struct bt_node *n)
{
	unsigned int level = bt_node_level(n);
	bool nil = bt_may_be_nil(s, n) && !bt_is_pointer_cast(s, n);
	enum bt_type_kind type = bt_type_of(s, n)->kind;

	if (level == LEVEL_OR || level == LEVEL_AND) {
		/* the value of && is an operand in ktap */
		bt_expr(s, n, LEVEL_CHOICE + 1);
		bt_put(s, n->pos, " ? true : false");
	} else if (nil && (type == BT_INTEGER || type == BT_STRING)) {
		bt_expr(s, n, LEVEL_OR);
		bt_put(s, n->pos, type == BT_STRING ? " || \"\"" : " || 0");
	} else {
		bt_expr(s, n, LEVEL_ANY);
	}
}

bool bt_fits_filter(const struct bt_script *s, const struct bt_node *n)
{
	for (; n; n = n->next) {
		if (n->kind == BN_MAP || n->kind == BN_VAR || n->kind == BN_PARAM ||
		    bt_is_division(n) || (n->kind == BN_NAME && !strcmp(n->text, "username")) ||
		    (n->kind == BN_CALL && bt_fn_find(s, n->text)) ||
		    (n->kind == BN_NAME && bt_call_of_number(s, n->text)))
			return false;
		if (!bt_fits_filter(s, n->a) || !bt_fits_filter(s, n->b) ||
		    !bt_fits_filter(s, n->c))
			return false;
	}
	return true;
}
