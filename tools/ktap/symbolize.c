// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel knows in which file user code lies and where, not what it is
 * called.  When asked for it by the line "symbols KEY", it marks such places:
 *
 *	1e KEY 1d PATH 1d BUILDID 1d OFFSET 1f	in a file
 *	1e KEY 1d PID 1d 1d ADDRESS 1f		in memory that is no file's
 *
 * all in hexadecimal but KEY and PID, and an 'r' behind the last number for an
 * address that is returned to: the call stands before it.  A script may print such
 * bytes itself, as what somebody has named his thread: he does not know the key,
 * which is another one each time.  What is no mark passes as it is.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "chunk.h"
#include "clean.h"
#include "demangle.h"
#include "elf_file.h"
#include "jit_map.h"
#include "marked_file.h"
#include "symbolize.h"

#define MARK_BEGIN	'\x1e'
#define MARK_NEXT	'\x1d'
#define MARK_END	'\x1f'

/* The parts of a mark, in its text. */
struct mark {
	char *where;
	char *build_id;
	uint64_t number;
	bool returns;
};

bool symbolize_wanted(const void *chunk, size_t len)
{
	const struct chunk_section *code;
	struct chunk c;

	if (chunk_read(&c, chunk, len))
		return false;
	code = &c.sections[KTAP_SEC_CODE];
	for (uint32_t i = 0; i < code->count; i++) {
		const unsigned char *insn = code->data + i * sizeof(struct ktap_insn);
		uint32_t function = get_le32(insn + 4);

		if (insn[0] == KTAP_OP_CALLB &&
		    (function == KTAP_FN_USTACK || function == KTAP_FN_USYM))
			return true;
	}
	return false;
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

/* @text is what stands between the ends of a mark; it is cut to pieces. */
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

static void put_symbol(char *out, size_t size, const char *name, uint64_t offset,
		       const char *where)
{
	char *plain = demangle(name, true);

	snprintf(out, size, "%s+0x%llx (%s)", plain ? plain : name,
		 (unsigned long long)offset, where);
	free(plain);
}

/* The text of a mark whose place has no name is the one without marks. */
static void put_mark(struct symbolizer *s, const struct mark *m, char *out, size_t size)
{
	/* where a call is, not what follows it: that may be another function */
	uint64_t number = m->number - (m->returns && m->number), addr, begin;
	const struct elf_symbol *symbol;
	const struct elf_file *f;
	const char *name;
	char *end, file[32];

	strtoul(m->where, &end, 10);
	if (isdigit((unsigned char)*m->where) && !*end) {
		unsigned long pid = strtoul(m->where, NULL, 10);

		name = jit_map_find(&s->jit, pid, number, &begin);
		snprintf(file, sizeof(file), "perf-%lu.map", pid);
		if (name)
			put_symbol(out, size, name, m->number - begin, file);
		else
			snprintf(out, size, "0x%llx", (unsigned long long)m->number);
		return;
	}
	f = marked_file_find(&s->files, &s->target, m->where, m->build_id, &s->opened);
	symbol = f && elf_offset_to_addr(f, number, &addr) ? elf_function_at(f, addr) : NULL;
	if (symbol) {
		const char *slash = strrchr(m->where, '/');

		put_symbol(out, size, symbol->name, addr - symbol->addr + m->number - number,
			   slash ? slash + 1 : m->where);
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

/* What is held is complete. */
static void replace(struct symbolizer *s)
{
	char text[MAX_MARK];
	struct mark m;

	memcpy(text, s->held + 1, s->held_len - 2);
	text[s->held_len - 2] = '\0';
	if (strlen(text) == s->held_len - 2 && parse_mark(s, text, &m)) {
		put_mark(s, &m, s->ready, sizeof(s->ready));
		make_clean(s->ready);
		s->ready_len = strlen(s->ready);
		s->ready_at = 0;
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
	}
}

/* One byte of what may be a mark; returns whether it was taken. */
static bool hold(struct symbolizer *s, char c)
{
	bool ends = c == MARK_BEGIN || c == '\n' || s->held_len == sizeof(s->held);

	if (s->held_len && ends) {
		symbolize_end(s);
		return false;
	}
	s->held[s->held_len++] = c;
	if (c == MARK_END)
		replace(s);
	return true;
}

size_t symbolize_add(struct symbolizer *s, struct output *o, const char *data, size_t len)
{
	const char *begin;
	size_t done = 0, plain;

	s->opened = false;
	while (done < len && !s->opened && symbolize_flush(s, o)) {
		if (s->held_len) {
			done += hold(s, data[done]);
			continue;
		}
		begin = memchr(data + done, MARK_BEGIN, len - done);
		plain = begin ? (size_t)(begin - data) - done : len - done;
		if (!plain) {
			done += hold(s, data[done]);
			continue;
		}
		plain = output_add(o, data + done, plain);
		if (!plain)
			break;
		done += plain;
	}
	symbolize_flush(s, o);
	return done;
}

void symbolize_free(struct symbolizer *s)
{
	marked_files_free(&s->files);
	jit_maps_free(&s->jit);
}
