// SPDX-License-Identifier: GPL-2.0
/*
 * Names of addresses in user code.  The kernel knows the file of an address and
 * the offset in it, but no name.  After the line "symbols KEY", it marks such
 * addresses in the output:
 *
 *	1e KEY 1d PATH 1d BUILDID 1d OFFSET 1f	in a file
 *	1e KEY 1d PID 1d 1d ADDRESS 1f		in anonymous memory
 *
 * Numbers except KEY and PID are hexadecimal.  An 'r' after the last number
 * marks a return address: the call is before it.  A script may print such bytes
 * of untrusted origin, such as a thread name.  These lack the key, which is new
 * for each session.  Text that is no mark is not changed.
 *
 * A script of bpftrace may have stacks of several formats. It then prints "1e DIGIT 1f", which
 * needs no key: if others print it, too, frames are only shown in another format.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "compiler/chunk_read.h"
#include "compiler/clean_text.h"
#include "elf/demangle.h"
#include "elf/elf_file.h"
#include "elf/jit_map.h"
#include "elf/marked_file.h"
#include "symbolize.h"

#define MARK_BEGIN	'\x1e'
#define MARK_NEXT	'\x1d'
#define MARK_END	'\x1f'

/* The parts of a mark, as parts of its text. */
struct mark {
	char *where;
	char *build_id;
	uint64_t number;
	bool returns;
};

bool symbolize_wanted(const void *chunk, size_t len)
{
	return chunk_calls(chunk, len, KTAP_FN_USTACK) || chunk_calls(chunk, len, KTAP_FN_USYM);
}

static bool is_hex(const char *text)
{
	return text[strspn(text, "0123456789abcdef")] == '\0';
}

const char *symbolize_key(struct symbolizer *s)
{
	uint64_t random;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return NULL;
	snprintf(s->key, sizeof(s->key), "%016" PRIx64, random);
	return s->key;
}

/* Parse the text between the ends of a mark; @text is changed. */
static bool parse_mark(const struct symbolizer *s, char *text, struct mark *m)
{
	char *second, *third, *end;
	size_t len = strlen(s->key);

	if (!len || strncmp(text, s->key, len) || text[len] != MARK_NEXT)
		return false;
	text += len + 1;
	second = strchr(text, MARK_NEXT);
	third = second ? strchr(second + 1, MARK_NEXT) : NULL;
	if (!third || strchr(third + 1, MARK_NEXT) || second == text)
		return false;
	*second++ = '\0';
	*third++ = '\0';
	if (!is_hex(second) || !isxdigit((unsigned char)*third))
		return false;
	m->where = text;
	m->build_id = second;
	m->number = strtoull(third, &end, 16);
	m->returns = *end == 'r';
	return !end[m->returns];
}

/* @address: of the frame, in the file @where or in a process */
static void put_symbol(const struct symbolizer *s, char *out, size_t size, const char *name,
		       uint64_t offset, uint64_t address, const char *where)
{
	char *plain = demangle(name, true);
	const char *slash = strrchr(where, '/'), *shown = plain ? plain : name;

	if (s->frames == KTAP_FRAME_RAW)
		snprintf(out, size, "%llx", (unsigned long long)address);
	else if (s->frames == KTAP_FRAME_PERF)
		snprintf(out, size, "%llx %s+%llu (%s)", (unsigned long long)address, shown,
			 (unsigned long long)offset, where);
	else if (s->frames == KTAP_FRAME_NAME)
		snprintf(out, size, "%s", shown);
	else if (s->frames == KTAP_FRAME_BPFTRACE)
		snprintf(out, size, "%s+%llu", shown, (unsigned long long)offset);
	else
		snprintf(out, size, "%s+0x%llx (%s)", shown, (unsigned long long)offset,
			 slash ? slash + 1 : where);
	free(plain);
}

/* Add the lines of the source file where the instruction at @address comes from. */
static void put_lines(const struct symbolizer *s, struct source_lines *lines, uint64_t address,
		      char *out, size_t size)
{
	struct source_line at[MAX_INLINED];
	unsigned int n = source_lines_at(lines, address, at);
	size_t len = 0;

	if (!n || (s->frames != KTAP_FRAME_KTAP && s->frames != KTAP_FRAME_BPFTRACE))
		return;
	if (s->frames == KTAP_FRAME_BPFTRACE) {
		/* the line of the function that is named */
		snprintf(out, size, "@%s:%u", at[n - 1].file, at[n - 1].line);
		return;
	}
	for (unsigned int i = 0; i < n && len < size; i++) {
		char *plain = at[i].function ? demangle(at[i].function, false) : NULL;
		const char *function = plain ? plain : at[i].function;

		len += snprintf(out + len, size - len, "%s%s:%u%s%s", i ? ", inlined at " : " at ",
				at[i].file, at[i].line, function ? " in " : "",
				function ? function : "");
		free(plain);
	}
}

/*
 * Write a mark as a name, or, without a name, as the kernel writes it without
 * marks.
 */
static void put_mark(struct symbolizer *s, const struct mark *m, char *out, size_t size)
{
	/* * look up the call, not the next instruction, which may be in another function */
	uint64_t number = m->number - (m->returns && m->number), addr, begin;
	const struct elf_symbol *symbol;
	struct source_lines *lines = NULL;
	const struct elf_file *f;
	unsigned long pid;
	const char *name;
	char *end, file[32];
	size_t len;

	pid = strtoull(m->where, &end, 10);
	if (isdigit((unsigned char)*m->where) && !*end) {
		name = jit_map_find(&s->jit, pid, number, &begin);
		snprintf(file, sizeof(file), "perf-%lu.map", pid);
		if (name)
			put_symbol(s, out, size, name, m->number - begin, m->number, file);
		else
			snprintf(out, size, "0x%llx", (unsigned long long)m->number);
		return;
	}
	if (s->frames == KTAP_FRAME_BUILD_ID && *m->build_id) {
		snprintf(out, size, "%s 0x%llx", m->build_id, (unsigned long long)m->number);
		return;
	}
	f = marked_file_find(&s->files, &s->target, m->where, m->build_id,
			     s->lines ? &lines : NULL, &s->opened);
	symbol = f && elf_offset_to_addr(f, number, &addr) ? elf_function_at(f, addr) : NULL;
	if (symbol) {
		put_symbol(s, out, size, symbol->name, addr + m->number - number - symbol->addr,
			   addr + m->number - number, m->where);
		len = strlen(out);
		put_lines(s, lines, addr, out + len, size - len);
		return;
	}
	snprintf(out, size, "%s+0x%llx", m->where, (unsigned long long)m->number);
}

static void make_ready(struct symbolizer *s, const char *data, size_t len)
{
	memcpy(s->ready, data, len);
	s->ready_len = len;
	s->ready_at = 0;
}

/* The text, the held mark, is the format of the frames after it; false: it is another mark. */
static bool symbolizer_set_frames(struct symbolizer *s)
{
	const int frames = s->held[1] - '0';

	if (!s->several_frames || s->held_len != 3 || frames < KTAP_FRAME_BPFTRACE ||
	    frames > KTAP_FRAME_BUILD_ID)
		return false;
	s->frames = frames;
	s->in_line = s->was_in_line;
	s->held_len = 0;
	s->ready_len = 0;
	s->ready_at = 0;
	return true;
}

/* The held text is a complete mark: replace it. */
static void symbolizer_replace(struct symbolizer *s)
{
	char text[MAX_MARK], symbol[MAX_SYMBOL];
	struct mark m;

	if (symbolizer_set_frames(s))
		return;
	memcpy(text, s->held + 1, s->held_len - 2);
	text[s->held_len - 2] = '\0';
	if (strlen(text) == s->held_len - 2 && parse_mark(s, text, &m)) {
		put_mark(s, &m, symbol, sizeof(symbol));
		make_clean(symbol);
		if (s->json) {
			s->ready_len = json_escape(s->ready, symbol, strlen(symbol));
			s->ready_at = 0;
		} else {
			make_ready(s, symbol, strlen(symbol));
		}
	} else {
		make_ready(s, s->held, s->held_len);
	}
	s->held_len = 0;
}

bool symbolize_flush(struct symbolizer *s, struct output *o)
{
	s->ready_at += output_add(o, s->ready + s->ready_at, s->ready_len - s->ready_at);
	return s->ready_at == s->ready_len;
}

void symbolize_end(struct symbolizer *s)
{
	if (s->held_len && s->ready_at == s->ready_len) {
		make_ready(s, s->held, s->held_len);
		s->held_len = 0;
	} else if (s->blanks && s->blanks <= sizeof(s->ready) && s->ready_at == s->ready_len) {
		memset(s->ready, ' ', s->blanks);
		s->ready_len = s->blanks;
		s->ready_at = 0;
		s->blanks = 0;
	}
}

/* Add a byte that may be part of a mark; returns whether it was taken. */
static bool symbolizer_hold(struct symbolizer *s, char c)
{
	bool ends = c == MARK_BEGIN || c == '\n' || s->held_len == sizeof(s->held);

	if (s->held_len && ends) {
		symbolize_end(s);
		return false;
	}
	s->held[s->held_len++] = c;
	if (c == MARK_END)
		symbolizer_replace(s);
	return true;
}

/*
 * The kernel indents stacks. bpftrace does not indent those of addresses: blanks at the beginning
 * of a line wait for what comes after them. Returns the number of those at the end of the text.
 */
static size_t symbolize_blanks(const struct symbolizer *s, const char *text, size_t len)
{
	size_t n = 0;

	if (s->frames != KTAP_FRAME_RAW && s->frames != KTAP_FRAME_BUILD_ID)
		return 0;
	while (n < len && text[len - 1 - n] == ' ')
		n++;
	return (n < len ? text[len - 1 - n] != '\n' : s->in_line) ? 0 : n;
}

size_t symbolize_add(struct symbolizer *s, struct output *o, const char *data, size_t len)
{
	const char *begin;
	size_t done = 0, plain, blanks;

	s->opened = false;
	while (done < len && !s->opened && symbolize_flush(s, o)) {
		if (s->held_len) {
			done += symbolizer_hold(s, data[done]);
			continue;
		}
		begin = memchr(data + done, MARK_BEGIN, len - done);
		plain = begin ? (size_t)(begin - data) - done : len - done;
		blanks = symbolize_blanks(s, data + done, plain);
		if (blanks && blanks == plain) {
			s->blanks += blanks;
			done += blanks;
			continue;
		}
		plain -= blanks;
		if (!plain) {
			s->blanks = 0;
			s->was_in_line = s->in_line;
			s->in_line = true;
			done += symbolizer_hold(s, data[done]);
			continue;
		}
		if (s->blanks) {
			if (!output_add(o, " ", 1))
				break;
			s->blanks--;
			continue;
		}
		plain = output_add_text(o, data + done, plain);
		if (!plain)
			break;
		done += plain;
		s->in_line = data[done - 1] != '\n';
	}
	symbolize_flush(s, o);
	return done;
}

void symbolize_free(struct symbolizer *s)
{
	marked_files_free(&s->files);
	jit_maps_free(&s->jit);
}
