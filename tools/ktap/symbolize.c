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
#include "symbolize.h"

#define MARK_BEGIN	'\x1e'
#define MARK_NEXT	'\x1d'
#define MARK_END	'\x1f'

/*
 * The kernel marks 1024 files at most; but a script may print what a program has
 * made up, and that shall not take all memory.
 */
#define MAX_FILES	2048

/**
 * struct known_file - a file of a mark
 * @path: as the mark has it
 * @build_id: the same
 * @elf: the file, or what knows its symbols; NULL if there is none
 */
struct known_file {
	const char *path;
	const char *build_id;
	struct elf_file *elf;
};

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

/* "\ooo" becomes a character, in place. */
static void unescape(char *p)
{
	char *to = p;

	for (; *p; to++) {
		if (p[0] == '\\' && p[1] >= '0' && p[1] <= '3' && p[2] >= '0' && p[2] <= '7' &&
		    p[3] >= '0' && p[3] <= '7') {
			*to = (p[1] - '0') << 6 | (p[2] - '0') << 3 | (p[3] - '0');
			p += 4;
		} else {
			*to = *p++;
		}
	}
	*to = '\0';
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

static bool has_build_id(const struct elf_file *f, const char *hex)
{
	if (strlen(hex) != 2 * f->build_id_len)
		return false;
	for (size_t i = 0; i < f->build_id_len; i++) {
		char byte[3];

		snprintf(byte, sizeof(byte), "%02x", f->build_id[i]);
		if (memcmp(byte, hex + 2 * i, 2))
			return false;
	}
	return true;
}

static struct elf_file *open_debug(const struct symbolizer *s, const char *hex)
{
	unsigned char id[MAX_BUILD_ID];
	struct elf_file *f;
	size_t len = strlen(hex) / 2;

	if (len > sizeof(id))
		return NULL;
	for (size_t i = 0; i < len; i++) {
		char byte[3] = { hex[2 * i], hex[2 * i + 1], '\0' };

		id[i] = strtoul(byte, NULL, 16);
	}
	f = elf_debug_file(id, len, s->target.root);
	/* a debug file of which only the sections were kept tells no offsets */
	if (f && !f->nsegments) {
		elf_file_close(f);
		f = NULL;
	}
	return f;
}

/* The file of that name, if it is still the one that ran; or its debug file. */
static struct elf_file *open_marked(struct symbolizer *s, const char *name, const char *build_id)
{
	static const char gone[] = " (deleted)";
	char *plain = arena_strndup(&s->arena, name, strlen(name));
	const char *why, *path;
	struct elf_file *f = NULL;
	size_t len;

	unescape(plain);
	len = strlen(plain);
	if (*plain == '/') {
		bool deleted = len > strlen(gone) && !strcmp(plain + len - strlen(gone), gone);
		bool sure = *build_id || (!deleted && !*s->target.error);

		if (deleted)
			plain[len - strlen(gone)] = '\0';
		path = target_path(&s->target, &s->arena, plain);
		f = path && sure ? elf_file_open(path, &why) : NULL;
	}
	if (f && *build_id && !has_build_id(f, build_id)) {
		elf_file_close(f);
		f = NULL;
	}
	if (!f && *build_id)
		f = open_debug(s, build_id);
	if (f) {
		elf_read_symbols(f, s->target.root);
		elf_file_done(f);
	}
	return f;
}

static const struct elf_file *find_file(struct symbolizer *s, const struct mark *m)
{
	struct known_file *known;

	for (unsigned int i = 0; i < s->nfiles; i++) {
		known = &s->files[i];
		if (!strcmp(known->path, m->where) && !strcmp(known->build_id, m->build_id))
			return known->elf;
	}
	if (s->nfiles == MAX_FILES)
		return NULL;
	s->files = arena_grow(&s->arena, s->files, s->nfiles, &s->max_files, sizeof(*s->files));
	known = &s->files[s->nfiles++];
	known->path = arena_strndup(&s->arena, m->where, strlen(m->where));
	known->build_id = arena_strndup(&s->arena, m->build_id, strlen(m->build_id));
	known->elf = open_marked(s, m->where, m->build_id);
	return known->elf;
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
	f = find_file(s, m);
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

	while (done < len && symbolize_flush(s, o)) {
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
	for (unsigned int i = 0; i < s->nfiles; i++)
		elf_file_close(s->files[i].elf);
	jit_maps_free(&s->jit);
	arena_free(&s->arena);
}
