// SPDX-License-Identifier: GPL-2.0
/* Collect errors and warnings, then print them in the order of the script. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/clean_text.h"
#include "compiler/colour.h"
#include "compiler/diag.h"
#include "compiler/lexer.h"

#define MAX_MESSAGES	160	/* bytes of a script line that are shown */
#define MAX_BEFORE	80	/* of them before the column, if the line is longer */

struct diag_msg {
	struct pos pos;
	uint32_t end;
	unsigned int seq;
	bool error;
	const char *text;
	const char *note;
};

unsigned int diag_add_file(struct diag *d, const struct ktap_script *file)
{
	d->files = pool_grow(d->pool, d->files, d->nfiles, &d->max_files, sizeof(*d->files));
	d->files[d->nfiles] = *file;
	return d->nfiles++;
}

static void add_msg(struct diag *d, struct pos pos, bool error, const char *text)
{
	d->msgs = pool_grow(d->pool, d->msgs, d->nmsgs, &d->max, sizeof(*d->msgs));
	d->msgs[d->nmsgs] = (struct diag_msg) {
		.pos = pos, .seq = d->nmsgs, .error = error, .text = text,
	};
	d->nmsgs++;
	d->nerrors += error;
	d->dropped = false;
}

void diag_error(struct diag *d, struct pos pos, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_msg(d, pos, true, pool_vprintf(d->pool, fmt, ap));
	va_end(ap);
}

void diag_warn(struct diag *d, struct pos pos, const char *fmt, ...)
{
	va_list ap;

	d->dropped = d->nowarn && !d->werror;
	if (d->dropped)
		return;
	va_start(ap, fmt);
	add_msg(d, pos, d->werror, pool_vprintf(d->pool, fmt, ap));
	va_end(ap);
}

void diag_note(struct diag *d, const char *fmt, ...)
{
	va_list ap;

	if (!d->nmsgs || d->dropped)
		return;
	va_start(ap, fmt);
	d->msgs[d->nmsgs - 1].note = pool_vprintf(d->pool, fmt, ap);
	va_end(ap);
}

void diag_end(struct diag *d, uint32_t end)
{
	if (d->nmsgs && !d->dropped)
		d->msgs[d->nmsgs - 1].end = end;
}

/* Is this a continuation byte of UTF-8? */
static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Print a line of a script; the word after @before bytes is underlined if there is colour. */
static void diag_put_source(FILE *out, const char *text, size_t len, size_t before)
{
	size_t word = 0;

	if (before >= len) {
		put_clean(out, text, len);
		return;
	}
	while (before + word < len && is_name_char(text[before + word]))
		word++;
	if (!word)
		word = utf8_length((const unsigned char *)text + before, len - before);
	put_clean(out, text, before);
	fputs(colour_message(out, COLOUR_PLACE), out);
	put_clean(out, text + before, word);
	fputs(colour_message(out, COLOUR_END), out);
	put_clean(out, text + before + word, len - before - word);
}

void diag_show_line(FILE *out, const char *text, size_t len, struct pos pos)
{
	const char *p = text, *end = text + len, *eol;
	const char *cut = "";
	uint32_t line;
	size_t shown, left;

	if (!pos.line || !text)
		return;
	for (line = 1; line < pos.line; line++) {
		p = memchr(p, '\n', end - p);
		if (!p)
			return;
		p++;
	}
	eol = memchr(p, '\n', end - p);
	if (!eol)
		eol = end;
	if (eol > p && eol[-1] == '\r')
		eol--;
	left = pos.col;
	if (left > MAX_MESSAGES && left <= (size_t)(eol - p) + 1) {
		cut = "...";
		p += left - 1 - MAX_BEFORE;
		left = MAX_BEFORE + 1;
		for (; left > 1 && is_continuation(*p); p++)
			left--;
	}
	shown = eol - p;
	if (shown > MAX_MESSAGES)
		shown = MAX_MESSAGES;
	fprintf(out, " %s", cut);
	diag_put_source(out, p, shown, left ? left - 1 : shown);
	fputc('\n', out);
	if (!left || left > shown + 1)
		return;
	fprintf(out, " %*s", (int)strlen(cut), "");
	for (size_t i = 0; i + 1 < left; i++) {
		/* a continuation byte of UTF-8 takes no column of its own */
		if (!is_continuation(p[i]))
			fputc(p[i] == '\t' ? '\t' : ' ', out);
	}
	fprintf(out, "%s^%s\n", colour_message(out, COLOUR_CARET),
		colour_message(out, COLOUR_END));
}

static int diag_compare(const void *a, const void *b)
{
	const struct diag_msg *x = a, *y = b;

	if (x->pos.file != y->pos.file)
		return x->pos.file < y->pos.file ? -1 : 1;
	if (x->pos.line != y->pos.line)
		return x->pos.line < y->pos.line ? -1 : 1;
	if (x->pos.col != y->pos.col)
		return x->pos.col < y->pos.col ? -1 : 1;
	/* errors first, as only the first message of a place is shown */
	if (x->error != y->error)
		return x->error ? -1 : 1;
	return x->seq < y->seq ? -1 : 1;
}

static bool same_place(const struct pos *a, const struct pos *b)
{
	return a->file == b->file && a->line == b->line && a->col == b->col;
}

/* Event names and other parts of a script may contain control characters. */
static void diag_put_line(FILE *out, const char *text)
{
	put_clean(out, text, strlen(text));
	fputc('\n', out);
}

/* bpftrace writes it in capitals. */
static const char *diag_severity(const struct diag *d, const struct diag_msg *m)
{
	static const char * const words[2][2] = {
		{ "warning", "WARNING" }, { "error", "ERROR" },
	};

	return words[m->error][d->capitals];
}

/* bpftrace calls a script on the command line "stdin". */
static const char *diag_name(const struct diag *d, const struct ktap_script *file)
{
	return d->capitals && !strcmp(file->name, "-e") ? "stdin" : file->name;
}

static void show_msg(const struct diag *d, const struct diag_msg *m)
{
	const struct ktap_script *file = &d->files[m->pos.file];
	const char *name = diag_name(d, file);

	put_clean(d->out, name, strlen(name));
	if (m->pos.line)
		fprintf(d->out, ":%u:%u", m->pos.line, m->pos.col);
	if (m->end)
		fprintf(d->out, "-%u", m->end);
	fprintf(d->out, ": %s%s:%s ",
		colour_message(d->out, m->error ? COLOUR_ERROR : COLOUR_WARNING),
		diag_severity(d, m), colour_message(d->out, COLOUR_END));
	diag_put_line(d->out, m->text);
	diag_show_line(d->out, file->text, file->len, m->pos);
	if (m->note) {
		fprintf(d->out, "%snote:%s ", colour_message(d->out, COLOUR_NOTE),
			colour_message(d->out, COLOUR_END));
		diag_put_line(d->out, m->note);
	}
}

void diag_flush(struct diag *d)
{
	unsigned int i, errors = 0, warnings = 0;

	if (d->nmsgs)
		qsort(d->msgs, d->nmsgs, sizeof(*d->msgs), diag_compare);
	for (i = 0; i < d->nmsgs; i++) {
		const struct diag_msg *m = &d->msgs[i];

		/* one message for each place */
		if (i && same_place(&m->pos, &m[-1].pos))
			continue;
		if (m->error && ++errors > MAX_ERRORS) {
			fprintf(d->out, "%s: too many errors, the rest is not shown\n",
				d->files[0].name);
			break;
		}
		if (m->error || ++warnings <= MAX_WARNINGS)
			show_msg(d, m);
	}
	if (warnings > MAX_WARNINGS)
		fprintf(d->out, "%s: too many warnings, %u are not shown\n", d->files[0].name,
			warnings - MAX_WARNINGS);
	d->nmsgs = 0;
}
