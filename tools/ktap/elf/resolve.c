// SPDX-License-Identifier: GPL-2.0
/*
 * Resolve events of user space: find the files, then the functions or markers
 * in them. The kernel gets only offsets in files.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <elf.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/clean_text.h"
#include "compiler/suggest.h"
#include "compiler/util.h"
#include "elf/demangle.h"
#include "elf/elf_file.h"
#include "elf/resolve_priv.h"
#include "elf/usdt_arg.h"

#define MAX_NAMES_SHOWN	256	/* bytes of a name in a set-up line */

void resolver_init(struct resolver *r, const struct target *target)
{
	*r = (struct resolver){ .target = *target };
}

void resolver_free(struct resolver *r)
{
	for (unsigned int i = 0; i < r->nfiles; i++)
		elf_file_close(r->files[i]);
	source_lines_close(r->lines);
	pool_free(&r->pool);
}

struct elf_file *resolve_open(struct resolver *r, const struct target_file *file,
			      struct answer *a)
{
	const char *why;
	struct elf_file *f;

	for (unsigned int i = 0; i < r->nfiles; i++) {
		if (!strcmp(r->files[i]->path, file->path))
			return r->files[i];
	}
	f = elf_file_open(file->path, &why);
	if (f && !elf_is_native(f)) {
		why = pool_printf(&r->pool, "is for %s, which is not this machine",
				  elf_machine_name(f->machine));
		elf_file_close(f);
		f = NULL;
	}
	if (!f) {
		if (!a->message)
			a->message = pool_printf(&r->pool, "%s %s", file->shown, why);
		return NULL;
	}
	elf_read_symbols(f, r->target.root);
	elf_read_markers(f);
	elf_file_done(f);
	r->files = pool_grow(&r->pool, r->files, r->nfiles, &r->max_files, sizeof(f));
	r->files[r->nfiles++] = f;
	return f;
}

/**
 * struct unprobed_code - code of a machine that the kernel would damage by a probe
 * @those: such functions; on some machines code in a second, shorter form of the instructions,
 *	where the kernel assumes the normal form
 * @is: the same of one function
 * @advice: ends the message
 */
struct unprobed_code {
	unsigned int machine;
	const char *those;
	const char *is;
	const char *advice;
};

static const struct unprobed_code *find_unprobed_code(unsigned int machine)
{
	static const struct unprobed_code codes[] = {
		{ EM_ARM, "in Thumb code", "is Thumb code", "build it with -marm" },
		{ EM_MIPS, "in MIPS16 or microMIPS code", "is MIPS16 or microMIPS code",
		  "build it with -mno-mips16 -mno-micromips" },
		{ EM_S390, "that begin with a system call for processes",
		  "begins with a system call for processes",
		  "trace the call: syscalls:sys_enter_NAME" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		if (codes[i].machine == machine)
			return &codes[i];
	}
	return NULL;
}

/* Is there such code, according to the symbols? */
static bool leave_out(struct answer *a, const struct elf_file *f, uint64_t addr)
{
	const struct unprobed_code *code = find_unprobed_code(f->machine);
	const struct elf_symbol *symbol = code ? elf_function_at(f, addr) : NULL;

	if (!symbol || !symbol->unprobed)
		return false;
	a->nleft_out++;
	a->left_out = code;
	return true;
}

static void add_note(struct resolver *r, struct answer *a, const char *note)
{
	a->note = a->note ? pool_printf(&r->pool, "%s; %s", a->note, note) : note;
}

static void tell_left_out(struct resolver *r, struct answer *a, const char *what)
{
	const struct unprobed_code *code = a->left_out;

	if (!a->nleft_out)
		return;
	if (a->nplaces)
		add_note(r, a, pool_printf(&r->pool, "left out of '%s': %u %s, which the kernel cannot probe",
					   what, a->nleft_out, code->those));
	else
		a->message = pool_printf(&r->pool, "%s'%s' %s, which the kernel cannot probe; %s",
					 is_pattern(what) ? "all that matches " : "", what,
					 code->is, code->advice);
}

/* Would a probe of the return crash the program? Then leave it out. */
static bool leave_out_return(struct resolver *r, struct answer *a, const char *name,
			     const char *why, bool pattern)
{
	if (!why || !a->event.ret || (r->unsafe && !pattern))
		return false;
	a->nno_return++;
	a->no_return = name;
	a->no_return_reason = why;
	return true;
}

static void tell_no_return(struct resolver *r, struct answer *a, const char *what)
{
	if (!a->nno_return)
		return;
	if (a->nplaces)
		add_note(r, a, pool_printf(&r->pool, "left out of '%s': %u whose return cannot be probed without a crash, like '%s'",
					   what, a->nno_return, a->no_return));
	else
		a->message = pool_printf(&r->pool, "the return of '%s' cannot be probed: %s; with --unsafe it is probed if it is named, and the program may crash",
					 a->no_return, a->no_return_reason);
}

/* Number of matches, including those that were left out. */
static unsigned int answer_found(const struct answer *a)
{
	return a->nplaces + a->nleft_out + a->nno_return;
}

static bool add_place(struct resolver *r, struct answer *a, struct place place)
{
	if (a->nplaces == MAX_PLACES) {
		a->message = pool_printf(&r->pool, "more than %u places match; use a narrower pattern",
					 MAX_PLACES);
		return false;
	}
	a->places = pool_grow(&r->pool, a->places, a->nplaces, &a->max_places, sizeof(place));
	a->places[a->nplaces++] = place;
	return true;
}

/* Demangle the name for a message; cut long ones. */
static const char *shown_name(struct resolver *r, const char *name)
{
	char *plain = demangle(name, true), *shown;

	if (plain)
		name = plain;
	shown = pool_strndup(&r->pool, name, strnlen(name, MAX_NAMES_SHOWN - 1));
	free(plain);
	make_clean(shown);
	return shown;
}

/* Compare names, ignoring blanks: "f(int, char const*)". */
static bool same_but_blanks(const char *a, const char *b)
{
	for (;; a++, b++) {
		while (*a == ' ')
			a++;
		while (*b == ' ')
			b++;
		if (*a != *b)
			return false;
		if (!*a)
			return true;
	}
}

static bool matches_plain(const char *wanted, const char *mangled, bool pattern)
{
	bool found = false;

	for (int parameters = 0; parameters < 2 && !found; parameters++) {
		char *plain = demangle(mangled, parameters);

		if (!plain)
			return false;
		found = pattern ? !fnmatch(wanted, plain, 0) : same_but_blanks(wanted, plain);
		free(plain);
	}
	return found;
}

static bool symbol_matches(const char *wanted, const char *name, bool pattern, bool plain)
{
	if (pattern ? !fnmatch(wanted, name, 0) : !strcmp(wanted, name))
		return true;
	return plain && matches_plain(wanted, name, pattern);
}

/* Is it a part of a function that the compiler moved away? */
static bool is_part(const char *name)
{
	const char *cold = strstr(name, ".cold");

	return cold && (!cold[5] || cold[5] == '.');
}

/*
 * Does a pattern select this symbol? Only functions that can be called match.
 */
static bool for_patterns(const struct elf_symbol *s, const char *wanted)
{
	return s->type == STT_FUNC && is_clean(s->name) &&
	       (!is_part(s->name) || strstr(wanted, ".cold"));
}

/**
 * struct symbol_search - a search for functions in one file
 * @wanted: name or pattern
 * @more: offset that is added to their address
 * @plain: also compare demangled names
 */
struct symbol_search {
	struct resolver *r;
	struct answer *a;
	const struct elf_file *f;
	unsigned int file;
	const char *wanted;
	bool pattern;
	bool plain;
	uint64_t more;
};

static bool take_function(const struct symbol_search *s, const struct elf_symbol *symbol)
{
	struct place p = { .file = s->file, .args = "" };

	if (s->more && symbol->size && s->more >= symbol->size) {
		s->a->message = pool_printf(&s->r->pool, "'%s' has %llu bytes only", s->wanted,
					    (unsigned long long)symbol->size);
		return true;
	}
	if (!elf_addr_to_offset(s->f, symbol->addr + s->more, true, &p.offset) ||
	    leave_out(s->a, s->f, symbol->addr + s->more))
		return true;
	p.name = shown_name(s->r, symbol->name);
	if (leave_out_return(s->r, s->a, p.name, symbol->no_return, s->pattern))
		return true;
	if (symbol->type == STT_GNU_IFUNC)
		s->a->note = pool_printf(&s->r->pool, "'%s' is an indirect function (IFUNC): the function that chooses the implementation is traced",
					 symbol->name);
	return add_place(s->r, s->a, p);
}

/* Add each address once, under its best name that matches. */
static void search_functions(const struct symbol_search *s)
{
	const struct elf_symbol *last = NULL;

	for (unsigned int i = 0; i < s->f->nfunctions; i++) {
		const struct elf_symbol *symbol = &s->f->functions[i];

		if (last && last->addr == symbol->addr)
			continue;
		if (s->pattern && !for_patterns(symbol, s->wanted))
			continue;
		if (!symbol_matches(s->wanted, symbol->name, s->pattern, s->plain))
			continue;
		last = symbol;
		if (!take_function(s, symbol))
			return;
	}
}

static const char *nearest_symbol(struct resolver *r, const struct elf_file *f,
				  const char *wanted)
{
	unsigned int limit = edit_limit(wanted) + 1, d;
	const char *best = NULL;

	for (unsigned int i = 0; i < f->nfunctions; i++) {
		const char *name = f->functions[i].name;
		char *plain = demangle(name, false);

		name = plain ? plain : name;
		d = edit_distance(wanted, name);
		if (d && d < limit && is_clean(name)) {
			limit = d;
			best = pool_strndup(&r->pool, name, strlen(name));
		}
		free(plain);
	}
	return best;
}

static const char *no_function(struct resolver *r, const struct target_file *file,
			       const struct elf_file *f, const char *wanted)
{
	const char *near;

	if (!f->nfunctions)
		return pool_printf(&r->pool, "%s has no symbols, it is stripped; install its debug symbols, or write an offset: 0xOFFSET",
				   file->shown);
	if (is_pattern(wanted))
		return pool_printf(&r->pool, "%s has no function that matches '%s'",
				   file->shown, wanted);
	near = nearest_symbol(r, f, wanted);
	return pool_printf(&r->pool, "%s has no function '%s'%s%s%s", file->shown, wanted,
			   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

bool resolve_take_addr(struct resolver *r, struct answer *a, const struct elf_file *f,
		       unsigned int number, uint64_t addr)
{
	const struct elf_symbol *symbol = elf_function_at(f, addr);
	struct place p = { .file = number, .args = "" };

	if (!elf_addr_to_offset(f, addr, true, &p.offset) || leave_out(a, f, addr))
		return true;
	p.name = symbol ? shown_name(r, symbol->name) :
		 pool_printf(&r->pool, "0x%llx", (unsigned long long)p.offset);
	if (leave_out_return(r, a, p.name, elf_no_return_at(f, addr), false))
		return true;
	return add_place(r, a, p);
}

/* Add an offset that is written in the script. */
static void take_offset(struct resolver *r, struct answer *a, const struct target_file *file,
			const struct elf_file *f, unsigned int number, uint64_t offset)
{
	uint64_t addr;

	if (elf_offset_to_addr(f, offset, &addr))
		resolve_take_addr(r, a, f, number, addr);
	else
		a->message = pool_printf(&r->pool, "%s has no code at 0x%llx", file->shown,
					 (unsigned long long)offset);
}

static bool is_number(const char *text, uint64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	*value = strtoull(text, &end, 0);
	return !*end;
}

/* Cut "+0x10" off a name; returns its value, or 0. */
static uint64_t cut_offset(char *name)
{
	char *plus = strrchr(name, '+');
	uint64_t offset;

	if (!plus || plus == name || !is_number(plus + 1, &offset))
		return 0;
	*plus = '\0';
	return offset;
}

static void resolve_functions(struct resolver *r, struct answer *a, const char *what)
{
	char *wanted = pool_strndup(&r->pool, what, strlen(what));
	struct symbol_search s = { .r = r, .a = a, .wanted = wanted };
	const char *message = NULL;
	uint64_t offset = 0;
	bool number = is_number(wanted, &offset);

	if (!number)
		s.more = cut_offset(wanted);
	if (s.more && (a->event.ret || is_pattern(wanted))) {
		a->message = a->event.ret ? "a return has no offset" :
					    "an offset needs the name of one function";
		return;
	}
	for (unsigned int i = 0; i < a->files.count; i++) {
		unsigned int before = answer_found(a);

		s.file = i;
		s.f = resolve_open(r, &a->files.files[i], a);
		if (!s.f)
			continue;
		if (number) {
			take_offset(r, a, &a->files.files[i], s.f, i, offset);
			continue;
		}
		/* * what looks like a pattern may be a name: operator[], operator* */
		s.pattern = false;
		s.plain = false;
		search_functions(&s);
		s.plain = true;
		if (answer_found(a) == before && !a->message)
			search_functions(&s);
		s.pattern = is_pattern(wanted);
		if (s.pattern && answer_found(a) == before && !a->message)
			search_functions(&s);
		if (answer_found(a) == before && !message)
			message = no_function(r, &a->files.files[i], s.f, wanted);
	}
	if (!a->nplaces && !a->message)
		a->message = message;
}

static bool find_variable(void *ctx, const char *name, size_t len, uint64_t *addr)
{
	const struct elf_symbol *object = elf_object(ctx, name, len);

	if (object)
		*addr = object->addr;
	return object;
}

static const char *marker_args(struct resolver *r, struct elf_file *f,
			       const struct elf_marker *m)
{
	struct usdt_place place = {
		.machine = f->machine, .addr = m->addr, .fixed = f->fixed,
		.symbol = find_variable, .ctx = f,
	};
	char arg[MAX_USDT_ARG];
	const char *all = "", *p = m->args;
	size_t len;

	for (int i = 0; i < MAX_USDT_ARGS && (len = usdt_next_arg(&p)); i++) {
		usdt_arg(&place, p - len, len, arg);
		all = pool_printf(&r->pool, "%s %s", all, arg);
	}
	return all;
}

static bool is_clean_marker(const struct elf_marker *m)
{
	return is_clean(m->provider) && is_clean(m->name);
}

/*
 * Does the marker match? Patterns skip names that cannot be written in a
 * script.
 */
static bool marker_matches(const struct elf_marker *m, const char *provider, const char *name)
{
	if ((!provider || is_pattern(provider) || is_pattern(name)) && !is_clean_marker(m))
		return false;
	return (!provider || !fnmatch(provider, m->provider, 0)) && !fnmatch(name, m->name, 0);
}

static const char *no_marker(struct resolver *r, const struct target_file *file,
			     const struct elf_file *f, const char *wanted, const char *name)
{
	const char *near = NULL, *provider = "";
	unsigned int limit = edit_limit(name) + 1, d;

	if (!f->nmarkers)
		return pool_printf(&r->pool, "%s has no markers", file->shown);
	for (unsigned int i = 0; i < f->nmarkers; i++) {
		d = edit_distance(name, f->markers[i].name);
		if (d >= limit || !is_clean_marker(&f->markers[i]))
			continue;
		limit = d;
		near = f->markers[i].name;
		provider = f->markers[i].provider;
	}
	if (!near)
		return pool_printf(&r->pool, "%s has no marker '%s'", file->shown, wanted);
	return pool_printf(&r->pool, "%s has no marker '%s'; did you mean '%s:%s'?",
			   file->shown, wanted, provider, near);
}

static void resolve_markers(struct resolver *r, struct answer *a, const char *what)
{
	const char *colon = strchr(what, ':'), *name = colon ? colon + 1 : what;
	const char *provider = colon ? pool_strndup(&r->pool, what, colon - what) : NULL;
	const char *message = NULL;

	for (unsigned int i = 0; i < a->files.count; i++) {
		unsigned int before = answer_found(a);
		struct elf_file *f = resolve_open(r, &a->files.files[i], a);

		for (unsigned int j = 0; f && j < f->nmarkers; j++) {
			const struct elf_marker *m = &f->markers[j];
			struct place p = { .file = i };
			char *shown;

			if (!marker_matches(m, provider, name) ||
			    !elf_addr_to_offset(f, m->addr, true, &p.offset) ||
			    leave_out(a, f, m->addr))
				continue;
			if (m->semaphore &&
			    !elf_addr_to_offset(f, m->semaphore, false, &p.semaphore))
				continue;
			shown = pool_printf(&r->pool, "%s:%s", m->provider, m->name);
			make_clean(shown);
			p.name = shown;
			p.args = marker_args(r, f, m);
			if (!add_place(r, a, p))
				return;
		}
		if (f && answer_found(a) == before && !message)
			message = no_marker(r, &a->files.files[i], f, what, name);
	}
	if (!a->nplaces && !a->message)
		a->message = message;
}

/*
 * Split "PATH:NAME" at the first colon, unless the colon belongs to the name of
 * an existing file.
 */
static char *split_path(struct resolver *r, char *rest)
{
	char *first = strchr(rest, ':');

	for (char *colon = first; colon; colon = strchr(colon + 1, ':')) {
		bool file;

		*colon = '\0';
		file = strchr(rest, '/') && target_has(&r->target, rest);
		if (file)
			return colon + 1;
		*colon = ':';
	}
	if (first)
		*first++ = '\0';
	return first;
}

/*
 * Is a probe at this offset of the file safe, as far as known? The kernel knows
 * neither short code, nor data between code, nor functions whose return cannot
 * be probed.
 */
static bool may_be_probed(const struct resolver *r, const struct answer *a, const char *path,
			  uint64_t offset)
{
	const char *why;
	struct elf_file *f = elf_file_open(path, &why);
	uint64_t addr;
	bool may;

	/* the kernel will report the error */
	if (!f)
		return true;
	may = !find_unprobed_code(f->machine) && elf_offset_to_addr(f, offset, &addr);
	if (may && a->event.ret && !r->unsafe) {
		elf_read_symbols(f, r->target.root);
		may = !elf_no_return_at(f, addr);
	}
	elf_file_close(f);
	return may;
}

/*
 * Can the kernel resolve it? It can if the script has an offset in a file that
 * the kernel finds.
 */
static bool kernel_can(const struct resolver *r, const struct answer *a, const char *what)
{
	const char *path = a->event.rest;
	uint64_t offset;

	if (a->event.kind != USER_FUNCTION || !is_number(what, &offset))
		return false;
	if (!ELF_CAN_READ)
		return true;
	return *path == '/' && !*r->target.root && !is_pattern(path) &&
	       may_be_probed(r, a, path, offset);
}

/*
 * "probe:libcrc32c:crc32c", "probe:vmlinux:vfs_read": functions of the kernel.
 */
static bool is_module(struct resolver *r, const char *name)
{
	return !strcmp(name, "vmlinux") ||
	       !access(pool_printf(&r->pool, "/sys/module/%s", name), F_OK);
}

void resolve_event(struct resolver *r, const char *text, struct answer *a)
{
	struct source_place line = { 0 };
	const char *what = NULL;

	memset(a, 0, sizeof(*a));
	a->event = user_event_parse(&r->pool, text);
	a->kernels = a->event.kind == USER_NONE;
	if (a->kernels)
		return;
	if (a->event.kind == USER_FUNCTION)
		what = resolve_split_line(r, a->event.rest, &line);
	if (!what)
		what = split_path(r, a->event.rest);
	if (!what || !*what || !*a->event.rest) {
		a->message = a->event.kind == USER_MARKER ?
			"write it as usdt:PATH:PROVIDER:NAME, or usdt:PATH:NAME" :
			"write it as uprobe:PATH:FUNCTION, :0xOFFSET, or uprobe:PATH@FILE:LINE";
		return;
	}
	a->kernels = a->event.maybe && is_module(r, a->event.rest);
	if (a->kernels)
		return;
	if (*r->target.error) {
		a->message = r->target.error;
		return;
	}
	a->kernels = kernel_can(r, a, what);
	if (a->kernels)
		return;
	a->message = target_find(&r->target, &r->pool, a->event.rest, &a->files);
	a->kernels = a->message && a->event.maybe;
	if (a->message)
		return;
	if (!ELF_CAN_READ) {
		a->message = "built without libelf, ktap knows offsets only: uprobe:PATH:0xOFFSET";
		return;
	}
	if (line.file)
		resolve_lines(r, a, &line);
	else if (a->event.kind == USER_MARKER)
		resolve_markers(r, a, what);
	else
		resolve_functions(r, a, what);
	if (a->event.kind == USER_FUNCTION)
		resolve_params(r, a);
	/* errors in some of many files do not matter */
	if (a->nplaces && a->nplaces < MAX_PLACES)
		a->message = NULL;
	tell_left_out(r, a, what);
	tell_no_return(r, a, what);
}
