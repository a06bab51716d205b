// SPDX-License-Identifier: GPL-2.0
/*
 * Stacks as folded lines. The kernel prints entries of tables as lines of JSON
 * (Documentation/trace/ktap-json.rst); those with a stack in their key are added
 * up. Other parts of a key become frames before the stack.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "folded_stacks.h"

/* The byte of an escape, whose backslash is at *@p; '?' if it is no text of a line. */
static char fold_unescape(const char **p, const char *end)
{
	char c = *++*p;

	if (c == 'u' && *p + 4 < end) {
		*p += 4;
		return '?';
	}
	return c == 'n' || c == 't' ? ' ' : c;
}

/*
 * Add a frame. "FUNCTION+0x1/0x2 [MODULE]" and "FUNCTION+0x1 (FILE)" become
 * FUNCTION: a profile is about functions.
 */
static size_t fold_put_frame(char *to, const struct span *value)
{
	const char *p = value->begin, *end = value->end;
	char *begin = to;
	bool string = *p == '"';

	if (string) {
		p++;
		end--;
	}
	for (; p < end; p++) {
		if (string && p > value->begin + 1 && end - p > 3 && !strncmp(p, "+0x", 3))
			break;
		*to++ = string && *p == '\\' ? fold_unescape(&p, end) : *p;
		if (to[-1] == ';')
			to[-1] = ':';
	}
	if (to == begin)
		*to++ = '?';
	*to++ = '\0';
	return to - begin;
}

/* Add the frames of a stack, the last one first. */
static void fold_put_stack(char *to, size_t *len, const struct span *stack)
{
	const char *pos = stack->begin + 1;
	struct span frame;
	size_t n, total = 0;
	char *begin = to + *len;

	/* each one before those that are there */
	while (json_next(&pos, stack->end, &frame)) {
		char *text = begin + total;

		n = fold_put_frame(text, &frame);
		total += n;
	}
	/* turn all bytes around, and then those of each frame */
	for (size_t i = 0; total && i < (total - 1) / 2; i++) {
		char c = begin[i];

		begin[i] = begin[total - 2 - i];
		begin[total - 2 - i] = c;
	}
	for (char *p = begin; p < begin + total; p += n) {
		n = strlen(p) + 1;
		for (size_t i = 0; i < (n - 1) / 2; i++) {
			char c = p[i];

			p[i] = p[n - 2 - i];
			p[n - 2 - i] = c;
		}
	}
	*len += total;
}

/* Make the frames of a key; NULL without memory, or if it has no stack. */
static char *fold_key(const struct span *key, size_t *len)
{
	/* a frame may be a byte longer than its text, and has a NUL */
	char *frames = malloc(2 * (key->end - key->begin) + 2);
	const char *pos = key->begin + 1;
	struct span part;
	bool stack = false;

	*len = 0;
	while (frames && json_next(&pos, key->end, &part)) {
		if (*part.begin != '[')
			*len += fold_put_frame(frames + *len, &part);
	}
	pos = key->begin + 1;
	while (frames && json_next(&pos, key->end, &part)) {
		if (*part.begin != '[')
			continue;
		stack = true;
		fold_put_stack(frames, len, &part);
	}
	if (stack && *len)
		return frames;
	free(frames);
	return NULL;
}

/* A number above 0, or the count of an aggregation; 0: neither */
static uint64_t fold_count(const struct span *value)
{
	struct span count = *value;

	if (*value->begin == '{' && !json_member(value, "count", &count))
		return 0;
	return *count.begin >= '0' && *count.begin <= '9' ? strtoull(count.begin, NULL, 10) : 0;
}

static void folds_add_stack(struct folds *f, char *frames, size_t len, uint64_t count)
{
	size_t size = f->size ? 2 * f->size : 64;
	struct fold *stacks = f->stacks;

	if (f->n == f->size) {
		stacks = realloc(f->stacks, size * sizeof(*stacks));
		if (!stacks) {
			free(frames);
			f->no_memory = true;
			return;
		}
		f->stacks = stacks;
		f->size = size;
	}
	f->stacks[f->n++] = (struct fold){ .frames = frames, .len = len, .count = count };
}

static void folds_add_line(struct folds *f, const struct span *line)
{
	struct span type, key, value;
	uint64_t count;
	char *frames;
	size_t len;

	if (!json_member(line, "type", &type) || !json_is(&type, "\"entry\"") ||
	    !json_member(line, "key", &key) || !json_member(line, "value", &value))
		return;
	count = fold_count(&value);
	frames = count ? fold_key(&key, &len) : NULL;
	if (frames)
		folds_add_stack(f, frames, len, count);
}

void folds_add(struct folds *f, const char *data, size_t len)
{
	struct span line;

	while (json_add(&f->lines, &data, &len, &line))
		folds_add_line(f, &line);
}

/* By frames: a NUL sorts before all other bytes. */
static int fold_compare(const void *a, const void *b)
{
	const struct fold *x = a, *y = b;
	size_t len = x->len < y->len ? x->len : y->len;
	int c = memcmp(x->frames, y->frames, len);

	return c ? c : (x->len > y->len) - (x->len < y->len);
}

void folds_sort(struct folds *f)
{
	size_t n = 0;

	if (f->n)
		qsort(f->stacks, f->n, sizeof(*f->stacks), fold_compare);
	for (size_t i = 0; i < f->n; i++) {
		if (n && !fold_compare(&f->stacks[n - 1], &f->stacks[i])) {
			f->stacks[n - 1].count += f->stacks[i].count;
			free(f->stacks[i].frames);
		} else {
			f->stacks[n++] = f->stacks[i];
		}
	}
	f->n = n;
}

/* Write "FRAME;FRAME;... COUNT" for each stack. */
static void folds_write(const struct folds *f, FILE *out)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct fold *s = &f->stacks[i];

		for (const char *p = s->frames; p < s->frames + s->len; p += strlen(p) + 1)
			fprintf(out, "%s%s", p > s->frames ? ";" : "", p);
		fprintf(out, " %llu\n", (unsigned long long)s->count);
	}
}

int folds_write_to(const struct folds *f, int fd, const char *flame)
{
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	int err;

	if (!out)
		return -errno;
	if (flame)
		flame_write(f, out, flame);
	else
		folds_write(f, out);
	err = ferror(out) ? -EIO : 0;
	return fclose(out) ? -errno : err;
}

void folds_free(struct folds *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->stacks[i].frames);
	free(f->stacks);
	json_free(&f->lines);
}
