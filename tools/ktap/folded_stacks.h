/* SPDX-License-Identifier: GPL-2.0 */
/* Stacks of the output as folded lines, and as a flame graph. */
#ifndef KTAP_FOLDED_STACKS_H
#define KTAP_FOLDED_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "json_read.h"

/**
 * struct fold - a stack
 * @frames: its frames, the outermost first, each followed by a NUL
 * @len: bytes of @frames
 * @count: how often it was seen
 */
struct fold {
	char *frames;
	size_t len;
	uint64_t count;
};

/**
 * struct folds - stacks that are the keys of tables, collected from lines of JSON
 * @lines: the output as lines
 * @stacks: the stacks
 * @n: number of @stacks
 * @size: size of @stacks
 * @no_memory: something is missing
 */
struct folds {
	struct json_lines lines;
	struct fold *stacks;
	size_t n;
	size_t size;
	bool no_memory;
};

/* Add a part of the output. */
void folds_add(struct folds *f, const char *data, size_t len);

/* Sort the stacks, and merge equal ones. */
void folds_sort(struct folds *f);

/*
 * Write folded lines, or a flame graph with the title @flame, to @fd, which is closed.
 * Returns 0 or a negative errno.
 */
int folds_write_to(const struct folds *f, int fd, const char *flame);

/* flame.c: write an SVG, with a title. */
void flame_write(const struct folds *f, FILE *out, const char *title);

void folds_free(struct folds *f);

#endif
