/* SPDX-License-Identifier: GPL-2.0 */
/* Drawings of flame.c and heatmap.c: one file each, without scripts. */
#ifndef KTAP_SVG_H
#define KTAP_SVG_H

#include <stddef.h>
#include <stdio.h>

/* Begin a drawing with a background; it ends with "</svg>". */
void svg_begin(FILE *out, unsigned int width, unsigned int height);

/* Put text of @max bytes at most, without a part of a character. */
void svg_put_text(FILE *out, const char *text, size_t max);

#endif
