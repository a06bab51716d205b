// SPDX-License-Identifier: GPL-2.0
/*
 * A flame graph: an SVG with a row of boxes for each depth of the stacks. The
 * width of a box is the share of the stacks that have its frames. It is one file
 * without scripts; the text of a box that is too narrow is in its tooltip.
 * The same stacks always make the same file.
 */
#include <string.h>

#include "folded_stacks.h"
#include "svg.h"

#define WIDTH		1200.0
#define ROW		17
#define MARGIN		10
#define TITLE		30	/* height of the title */
#define LETTER		6.6	/* average width of a letter */
#define NARROWEST	0.1	/* boxes below it are left out */

/* A box, from the first stack that has it on */
struct box {
	const char *name;
	uint64_t begin;
};

/* The drawing: its file, its number of rows, and the number of all stacks */
struct flame {
	FILE *out;
	unsigned int rows;
	uint64_t total;
};

/* Deepest frame that is drawn; stacks of ktap have at most 127 frames, and two may be joined. */
#define MAX_DEPTH	512

/* A warm colour for each name */
static void flame_put_colour(FILE *out, const char *name)
{
	unsigned int hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	fprintf(out, "rgb(%u,%u,%u)", 205 + hash % 50, 80 + hash / 50 % 130, hash / 6500 % 55);
}

static void flame_put_box(const struct flame *f, const struct box *box, unsigned int depth,
			  uint64_t end)
{
	double x = MARGIN + WIDTH * box->begin / f->total;
	double width = WIDTH * (end - box->begin) / f->total;
	unsigned int y = TITLE + (f->rows - 1 - depth) * ROW;

	if (width < NARROWEST)
		return;
	fputs("<g><title>", f->out);
	svg_put_text(f->out, box->name, -1);
	fprintf(f->out, " (%llu, %.2f%%)</title><rect x=\"%.1f\" y=\"%u\" width=\"%.1f\" height=\"%d\" fill=\"",
		(unsigned long long)(end - box->begin), 100.0 * (end - box->begin) / f->total, x, y,
		width, ROW - 1);
	flame_put_colour(f->out, box->name);
	fputs("\"/>", f->out);
	if (width > 3 * LETTER) {
		fprintf(f->out, "<text x=\"%.1f\" y=\"%u\">", x + 3, y + ROW - 5);
		svg_put_text(f->out, box->name, (width - 6) / LETTER);
		fputs("</text>", f->out);
	}
	fputs("</g>\n", f->out);
}

/* End the boxes from @depth on at @end. */
static unsigned int flame_end_boxes(const struct flame *f, const struct box *boxes,
				    unsigned int open, unsigned int depth, uint64_t end)
{
	while (open > depth) {
		open--;
		flame_put_box(f, &boxes[open], open, end);
	}
	return open;
}

static unsigned int flame_depth(const struct fold *s)
{
	const char *end = s->frames + s->len;
	unsigned int n = 0;

	for (const char *p = s->frames; p < end && n < MAX_DEPTH - 1; p += strlen(p) + 1)
		n++;
	return n;
}

static void flame_put_stacks(const struct flame *f, const struct folds *folds)
{
	struct box boxes[MAX_DEPTH] = { { .name = "all" } };
	unsigned int open = 1, depth;
	uint64_t at = 0;

	for (size_t i = 0; i < folds->n; i++) {
		const struct fold *s = &folds->stacks[i];
		const char *p = s->frames, *end = s->frames + s->len;

		depth = 1;
		for (; p < end && depth < open && !strcmp(boxes[depth].name, p); p += strlen(p) + 1)
			depth++;
		open = flame_end_boxes(f, boxes, open, depth, at);
		for (; p < end && open < MAX_DEPTH; p += strlen(p) + 1)
			boxes[open++] = (struct box){ .name = p, .begin = at };
		at += s->count;
	}
	flame_end_boxes(f, boxes, open, 0, at);
}

void flame_write(const struct folds *folds, FILE *out, const char *title)
{
	struct flame f = { .out = out, .rows = 1 };

	for (size_t i = 0; i < folds->n; i++) {
		unsigned int depth = flame_depth(&folds->stacks[i]);

		f.total += folds->stacks[i].count;
		if (depth + 1 > f.rows)
			f.rows = depth + 1;
	}
	svg_begin(out, WIDTH + 2 * MARGIN, TITLE + f.rows * ROW + MARGIN);
	fprintf(out, "<text x=\"%d\" y=\"20\" font-size=\"14\">", MARGIN);
	svg_put_text(out, title, 120);
	fprintf(out, ": %llu</text>\n", (unsigned long long)f.total);
	if (f.total)
		flame_put_stacks(&f, folds);
	fputs("</svg>\n", out);
}
