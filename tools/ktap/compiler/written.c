// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of the language that are written in ktap. A script that calls one, and declares
 * none of that name, gets it; it is part of the chunk then, so that a kernel need not know it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/ktap.h>

#include "compiler/ast.h"
#include "compiler/builtins.h"
#include "compiler/cdef.h"
#include "compiler/parser.h"
#include "compiler/util.h"

/* Strings that follow each other: the names of numbers that do, and a text for each */
#define ERROR(name, text)	#name "\0" text "\0"
#define NAME(name)		#name "\0"
#define NONE			"\0\0"

#define WRITTEN_LAST_ERROR	134
#define WRITTEN_INNER_ERROR	512

/* Errors from 1 on, as <asm-generic/errno.h> has them */
static const char written_errors[] =
	ERROR(EPERM, "Operation not permitted")
	ERROR(ENOENT, "No such file or directory")
	ERROR(ESRCH, "No such process")
	ERROR(EINTR, "Interrupted system call")
	ERROR(EIO, "Input/output error")
	ERROR(ENXIO, "No such device or address")
	ERROR(E2BIG, "Argument list too long")
	ERROR(ENOEXEC, "Exec format error")
	ERROR(EBADF, "Bad file descriptor")
	ERROR(ECHILD, "No child processes")
	ERROR(EAGAIN, "Resource temporarily unavailable")
	ERROR(ENOMEM, "Cannot allocate memory")
	ERROR(EACCES, "Permission denied")
	ERROR(EFAULT, "Bad address")
	ERROR(ENOTBLK, "Block device required")
	ERROR(EBUSY, "Device or resource busy")
	ERROR(EEXIST, "File exists")
	ERROR(EXDEV, "Cross-device link")
	ERROR(ENODEV, "No such device")
	ERROR(ENOTDIR, "Not a directory")
	ERROR(EISDIR, "Is a directory")
	ERROR(EINVAL, "Invalid argument")
	ERROR(ENFILE, "Too many open files in the system")
	ERROR(EMFILE, "Too many open files")
	ERROR(ENOTTY, "Inappropriate ioctl for device")
	ERROR(ETXTBSY, "Text file busy")
	ERROR(EFBIG, "File too large")
	ERROR(ENOSPC, "No space left on device")
	ERROR(ESPIPE, "Illegal seek")
	ERROR(EROFS, "Read-only file system")
	ERROR(EMLINK, "Too many links")
	ERROR(EPIPE, "Broken pipe")
	ERROR(EDOM, "Argument out of the domain")
	ERROR(ERANGE, "Result out of range")
	ERROR(EDEADLK, "Resource deadlock avoided")
	ERROR(ENAMETOOLONG, "File name too long")
	ERROR(ENOLCK, "No record locks available")
	ERROR(ENOSYS, "Function not implemented")
	ERROR(ENOTEMPTY, "Directory not empty")
	ERROR(ELOOP, "Too many levels of symbolic links")
	NONE
	ERROR(ENOMSG, "No message of desired type")
	ERROR(EIDRM, "Identifier removed")
	ERROR(ECHRNG, "Channel number out of range")
	ERROR(EL2NSYNC, "Level 2 not synchronized")
	ERROR(EL3HLT, "Level 3 halted")
	ERROR(EL3RST, "Level 3 reset")
	ERROR(ELNRNG, "Link number out of range")
	ERROR(EUNATCH, "Protocol driver not attached")
	ERROR(ENOCSI, "No CSI structure available")
	ERROR(EL2HLT, "Level 2 halted")
	ERROR(EBADE, "Invalid exchange")
	ERROR(EBADR, "Invalid request descriptor")
	ERROR(EXFULL, "Exchange full")
	ERROR(ENOANO, "No anode")
	ERROR(EBADRQC, "Invalid request code")
	ERROR(EBADSLT, "Invalid slot")
	NONE
	ERROR(EBFONT, "Bad font file format")
	ERROR(ENOSTR, "Device not a stream")
	ERROR(ENODATA, "No data available")
	ERROR(ETIME, "Timer expired")
	ERROR(ENOSR, "Out of streams resources")
	ERROR(ENONET, "Machine is not on the network")
	ERROR(ENOPKG, "Package not installed")
	ERROR(EREMOTE, "Object is remote")
	ERROR(ENOLINK, "Link was severed")
	ERROR(EADV, "Advertise error")
	ERROR(ESRMNT, "Srmount error")
	ERROR(ECOMM, "Communication error on send")
	ERROR(EPROTO, "Protocol error")
	ERROR(EMULTIHOP, "Multihop attempted")
	ERROR(EDOTDOT, "RFS specific error")
	ERROR(EBADMSG, "Bad message")
	ERROR(EOVERFLOW, "Value too large for defined data type")
	ERROR(ENOTUNIQ, "Name not unique on network")
	ERROR(EBADFD, "File descriptor in bad state")
	ERROR(EREMCHG, "Remote address changed")
	ERROR(ELIBACC, "Cannot access a needed shared library")
	ERROR(ELIBBAD, "Accessing a corrupted shared library")
	ERROR(ELIBSCN, ".lib section in a.out corrupted")
	ERROR(ELIBMAX, "Attempting to link in too many shared libraries")
	ERROR(ELIBEXEC, "Cannot exec a shared library directly")
	ERROR(EILSEQ, "Illegal byte sequence")
	ERROR(ERESTART, "Interrupted system call should be restarted")
	ERROR(ESTRPIPE, "Streams pipe error")
	ERROR(EUSERS, "Too many users")
	ERROR(ENOTSOCK, "Socket operation on non-socket")
	ERROR(EDESTADDRREQ, "Destination address required")
	ERROR(EMSGSIZE, "Message too long")
	ERROR(EPROTOTYPE, "Protocol wrong type for socket")
	ERROR(ENOPROTOOPT, "Protocol option not available")
	ERROR(EPROTONOSUPPORT, "Protocol not supported")
	ERROR(ESOCKTNOSUPPORT, "Socket type not supported")
	ERROR(EOPNOTSUPP, "Operation not supported")
	ERROR(EPFNOSUPPORT, "Protocol family not supported")
	ERROR(EAFNOSUPPORT, "Address family not supported by protocol")
	ERROR(EADDRINUSE, "Address already in use")
	ERROR(EADDRNOTAVAIL, "Cannot assign requested address")
	ERROR(ENETDOWN, "Network is down")
	ERROR(ENETUNREACH, "Network is unreachable")
	ERROR(ENETRESET, "Network dropped connection because of reset")
	ERROR(ECONNABORTED, "Software caused connection abort")
	ERROR(ECONNRESET, "Connection reset by peer")
	ERROR(ENOBUFS, "No buffer space available")
	ERROR(EISCONN, "Transport endpoint is already connected")
	ERROR(ENOTCONN, "Transport endpoint is not connected")
	ERROR(ESHUTDOWN, "Cannot send after shutdown")
	ERROR(ETOOMANYREFS, "Too many references: cannot splice")
	ERROR(ETIMEDOUT, "Connection timed out")
	ERROR(ECONNREFUSED, "Connection refused")
	ERROR(EHOSTDOWN, "Host is down")
	ERROR(EHOSTUNREACH, "No route to host")
	ERROR(EALREADY, "Operation already in progress")
	ERROR(EINPROGRESS, "Operation now in progress")
	ERROR(ESTALE, "Stale file handle")
	ERROR(EUCLEAN, "Structure needs cleaning")
	ERROR(ENOTNAM, "Not a XENIX named type file")
	ERROR(ENAVAIL, "No XENIX semaphores available")
	ERROR(EISNAM, "Is a named type file")
	ERROR(EREMOTEIO, "Remote I/O error")
	ERROR(EDQUOT, "Quota exceeded")
	ERROR(ENOMEDIUM, "No medium found")
	ERROR(EMEDIUMTYPE, "Wrong medium type")
	ERROR(ECANCELED, "Operation canceled")
	ERROR(ENOKEY, "Required key not available")
	ERROR(EKEYEXPIRED, "Key has expired")
	ERROR(EKEYREVOKED, "Key has been revoked")
	ERROR(EKEYREJECTED, "Key was rejected")
	ERROR(EOWNERDEAD, "Owner died")
	ERROR(ENOTRECOVERABLE, "State not recoverable")
	ERROR(ERFKILL, "Operation not possible due to RF-kill")
	ERROR(EHWPOISON, "Memory page has hardware error")
	ERROR(EFTYPE, "Wrong file type for the intended operation")
	/* those that stay in the kernel, from 512 on */
	ERROR(ERESTARTSYS, "Interrupted, to be restarted")
	ERROR(ERESTARTNOINTR, "Interrupted, to be restarted always")
	ERROR(ERESTARTNOHAND, "Interrupted, to be restarted without a handler")
	ERROR(ENOIOCTLCMD, "No such ioctl")
	ERROR(ERESTART_RESTARTBLOCK, "Interrupted, to be restarted with the rest of its time")
	ERROR(EPROBE_DEFER, "Driver asks to be probed later")
	ERROR(EOPENSTALE, "Stale entry found at open")
	ERROR(ENOPARAM, "Parameter not supported")
	NONE
	ERROR(EBADHANDLE, "Bad file handle of NFS")
	ERROR(ENOTSYNC, "Update out of step")
	ERROR(EBADCOOKIE, "Stale cookie")
	ERROR(ENOTSUPP, "Operation not supported")
	ERROR(ETOOSMALL, "Buffer too small")
	ERROR(ESERVERFAULT, "Error of the server")
	ERROR(EBADTYPE, "Type not supported by the server")
	ERROR(EJUKEBOX, "Request goes on, and takes long")
	ERROR(EIOCBQUEUED, "Request is queued")
	ERROR(ERECALLCONFLICT, "Conflict with a recalled state")
	ERROR(ENOGRACE, "No grace period for locks");

/* Signals from 1 on, as <asm-generic/signal.h> has them */
static const char written_signals[] =
	NAME(SIGHUP) NAME(SIGINT) NAME(SIGQUIT) NAME(SIGILL) NAME(SIGTRAP) NAME(SIGABRT)
	NAME(SIGBUS) NAME(SIGFPE) NAME(SIGKILL) NAME(SIGUSR1) NAME(SIGSEGV) NAME(SIGUSR2)
	NAME(SIGPIPE) NAME(SIGALRM) NAME(SIGTERM) NAME(SIGSTKFLT) NAME(SIGCHLD) NAME(SIGCONT)
	NAME(SIGSTOP) NAME(SIGTSTP) NAME(SIGTTIN) NAME(SIGTTOU) NAME(SIGURG) NAME(SIGXCPU)
	NAME(SIGXFSZ) NAME(SIGVTALRM) NAME(SIGPROF) NAME(SIGWINCH) NAME(SIGIO) NAME(SIGPWR)
	NAME(SIGSYS);

/*
 * Write statements that return the nth string of a list, if there is one that is not empty. The
 * strings are one string; another one has three bytes for each: the offset and the length.
 * Every @stride-th one is used, from @first on.
 */
static void written_put_list(FILE *out, const char *list, size_t size, unsigned int stride,
			     unsigned int first)
{
	unsigned int n = 0, offset = 0;

	fputs("var all = \"", out);
	for (const char *name = list; name < list + size - 1; name += strlen(name) + 1, n++)
		if (n % stride == first)
			fputs(name, out);
	/* no number is 0 */
	fputs("\"\nvar places = \"\\0\\0\\0", out);
	n = 0;
	for (const char *name = list; name < list + size - 1; name += strlen(name) + 1, n++) {
		const unsigned int len = strlen(name);

		if (n % stride != first)
			continue;
		fprintf(out, "\\x%02x\\x%02x\\x%02x", offset >> 8, offset & 0xff, len);
		offset += len;
	}
	fprintf(out, "\"\nvar i = 3 * n\nif (n > 0 && n <= %u && places[i + 2]) {\n", n / stride);
	fputs("return substr(all, places[i] << 8 | places[i + 1], places[i + 2])\n}\n", out);
}

/*
 * n is the number of an error: of a negative integer, or of an error pointer. In a result of 32
 * bits, the upper half may be 0.
 */
static void written_put_error(FILE *out)
{
	fputs("var n = ipof(result) || 0\n"
	      "if (n >= 0xfffff001 && n <= 0xffffffff) { n -= 1 << 32 }\n", out);
}

/* The list has no gap between the two kinds of errors. */
static void written_put_errors(FILE *out, unsigned int first)
{
	fprintf(out, "var error = n\nif (n >= %u) { n -= %u } else if (n > %u) { n = 0 }\n",
		WRITTEN_INNER_ERROR, WRITTEN_INNER_ERROR - WRITTEN_LAST_ERROR - 1,
		WRITTEN_LAST_ERROR);
	written_put_list(out, written_errors, sizeof(written_errors), 2, first);
}

static void written_ptr_err(FILE *out)
{
	fputs("function ptr_err(result) {\n", out);
	written_put_error(out);
	fputs("return n < 0 && n >= -4095 ? n : nil }\n", out);
}

static void written_errno_name(FILE *out)
{
	fputs("function errno_name(result) {\n", out);
	written_put_error(out);
	fputs("if (n >= 0 || n < -4095) { return \"0\" }\nn = -n\n", out);
	written_put_errors(out, 0);
	fputs("return \"E\" .. error }\n", out);
}

static void written_strerror(FILE *out)
{
	fputs("function strerror(result) {\n", out);
	written_put_error(out);
	fputs("if (n == 0) { return \"Success\" }\nif (n < 0) { n = -n }\n", out);
	written_put_errors(out, 1);
	fputs("return \"Unknown error \" .. error }\n", out);
}

static void written_signal_name(FILE *out)
{
	fputs("function signal_name(n) {\n", out);
	written_put_list(out, written_signals, sizeof(written_signals), 1, 0);
	fputs("return \"\" .. n }\n", out);
}

/* Get enumerator @i of a type that cdef has declared; false: it has fewer. */
static bool written_own_enumerator(struct compiler *cc, struct cdef_type *type, unsigned int i,
				   struct ktap_type_part *part)
{
	for (const struct cdef_name *n = cdef_all(cc)->names; n; n = n->next) {
		if (n->what != CDEF_IS_CONSTANT || cdef_resolve(n->type) != cdef_resolve(type) ||
		    i--)
			continue;
		snprintf(part->name, sizeof(part->name), "%s", n->name);
		part->value = n->value;
		return true;
	}
	return false;
}

/*
 * Get enumerator @i of "enum NAME", or of a name that cdef has declared. @part is zeroed, or
 * what the enumerator before it has left there, which saves a search.
 */
static bool written_enumerator(struct compiler *cc, const char *type, unsigned int i,
			       struct ktap_type_part *part)
{
	const struct node name = { .kind = N_STR, .str = type, .len = strlen(type) };
	const struct ktap_compile_opts *opts = cc->opts;
	struct cdef_type *own = cdef_type_named(cc, &name);

	if (own)
		return written_own_enumerator(cc, own, i, part);
	return opts->type_part && !strncmp(type, "enum ", 5) &&
	       opts->type_part(opts->member_ctx, type, part->number, i, part);
}

static const char *written_enum_function(struct compiler *cc, const char *type)
{
	return pool_printf(&cc->pool, "enum_name_of_%s",
			   strncmp(type, "enum ", 5) ? type : type + 5);
}

/* Write the function that gives the names of an enumeration; false: there is none. */
static bool written_put_enum(struct compiler *cc, FILE *out, const char *type)
{
	struct ktap_type_part part = { 0 };

	if (!written_enumerator(cc, type, 0, &part))
		return false;
	fprintf(out, "function %s(n) {\n", written_enum_function(cc, type));
	for (unsigned int i = 0; written_enumerator(cc, type, i, &part); i++)
		fprintf(out, "if (n == %lld) { return \"%s\" }\n", (long long)part.value,
			part.name);
	fputs("return \"\" .. n }\n", out);
	return true;
}

static void written_no_enum(struct compiler *cc, const struct node *name)
{
	if (cc->opts->type_part) {
		diag_error(&cc->diag, name->pos, "no enumeration '%s' is known", name->str);
		diag_note(&cc->diag,
			  "cdef declares one; others are those of this kernel (CONFIG_DEBUG_INFO_BTF)");
		return;
	}
	diag_error(&cc->diag, name->pos,
		   "'%s' is not declared, and ktapc does not know the types of a kernel",
		   name->str);
	diag_note(&cc->diag, "declare the enumeration by cdef, or give the script itself to ktap");
}

static bool written_has_enum(const struct enum_call *calls, const struct enum_call *end,
			     const char *type)
{
	for (; calls != end; calls = calls->next)
		if (calls->type && !strcmp(calls->type, type))
			return true;
	return false;
}

/* enum_name("enum x", n) calls the function of enum x, which is written. */
static void written_make_call(struct compiler *cc, struct node *n, const char *type)
{
	struct node *name = node_new(cc, N_NAME, n->pos);

	name->str = written_enum_function(cc, type);
	name->sym = sym_get(cc, name);
	n->a = name;
	n->list = n->list->next;
}

/* Write the functions of the enumerations; returns their number. */
static unsigned int written_put_enums(struct compiler *cc, FILE *out)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ ";
	unsigned int count = 0;

	for (struct enum_call *c = cc->enum_calls; c; c = c->next) {
		struct node *n = c->call, *name = n->list;
		struct ktap_type_part part = { 0 };
		const char *type;

		if (!check_arity(cc, n, "enum_name", 2, 2))
			continue;
		if (name->kind != N_STR || !name->len || strspn(name->str, letters) != name->len) {
			diag_error(&cc->diag, name->pos,
				   "enum_name() takes the name of an enumeration in quotes, and a value");
			continue;
		}
		type = name->str;
		if (!written_enumerator(cc, type, 0, &part))
			type = pool_printf(&cc->pool, "enum %s", type);
		if (!written_has_enum(cc->enum_calls, c, type)) {
			if (!written_put_enum(cc, out, type)) {
				written_no_enum(cc, name);
				continue;
			}
			count++;
		}
		c->type = type;
		written_make_call(cc, n, type);
	}
	return count;
}

static const struct {
	const char *name;
	void (*put)(FILE *out);
} written[] = {
	{ "errno_name", written_errno_name },
	{ "ptr_err", written_ptr_err },
	{ "signal_name", written_signal_name },
	{ "strerror", written_strerror },
};

void written_note_call(struct compiler *cc, struct node *n)
{
	struct enum_call *call;

	if (n->a->sym->builtin->kind != BI_WRITTEN)
		return;
	n->a->sym->called = true;
	if (strcmp(n->a->str, "enum_name"))
		return;
	call = pool_alloc(&cc->pool, sizeof(*call));
	call->call = n;
	call->next = cc->enum_calls;
	cc->enum_calls = call;
}

/* Write the functions that the script lacks; returns a call of one, or NULL. */
static const struct sym *written_put(struct compiler *cc, FILE *out)
{
	const struct sym *one = NULL;

	for (struct sym *s = cc->syms; s; s = s->next) {
		if (!s->called || s->func || s->assigned || sym_is_automatic(s))
			continue;
		if (!strcmp(s->name, "enum_name")) {
			if (written_put_enums(cc, out))
				one = s;
			continue;
		}
		for (size_t i = 0; i < ARRAY_SIZE(written); i++)
			if (!strcmp(written[i].name, s->name))
				written[i].put(out);
		s->written = true;
		one = s;
	}
	return one;
}

void written_add(struct compiler *cc)
{
	struct ktap_script file = { .name = "functions of ktap", .built_in = true };
	const struct sym *one = NULL;
	char *text = NULL;
	FILE *out = open_memstream(&text, &file.len);
	struct node *list, *last;
	bool failed = !out;

	if (out) {
		one = written_put(cc, out);
		failed = fclose(out) || !text;
	}
	if (failed || !one || cc->diag.nfiles == KTAP_MAX_FILES) {
		if (failed)
			diag_error(&cc->diag, (struct pos) { 0 }, "there is not enough memory");
		else if (one)
			diag_error(&cc->diag, one->pos,
				   "a script that calls %s() has at most %u files: ktap adds one",
				   one->name, KTAP_MAX_FILES - 1);
		free(text);
		return;
	}
	file.text = text;
	list = parse_added(cc, diag_add_file(&cc->diag, &file));
	/* the parser has said that the script is too large */
	if (!list)
		return;
	bind_added(cc, list);
	for (last = list; last->next; last = last->next)
		;
	last->next = cc->main->body;
	cc->main->body = list;
}
