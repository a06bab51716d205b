// SPDX-License-Identifier: GPL-2.0
/* Drawings of flame.c and heatmap.c. */
#include <string.h>

#include "compiler/clean_text.h"
#include "svg.h"

void svg_begin(FILE *out, unsigned int width, unsigned int height)
{
	fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" font-family=\"monospace\" font-size=\"11\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fffdf5\"/>\n",
		width, height);
}

void svg_put_text(FILE *out, const char *text, size_t max)
{
	size_t left = strlen(text), n;

	for (; left; left -= n, text += n) {
		const unsigned char *p = (const unsigned char *)text;

		n = utf8_length(p, left);
		if (n > max)
			return;
		max -= n;
		if (*p == '<')
			fputs("&lt;", out);
		else if (*p == '>')
			fputs("&gt;", out);
		else if (*p == '&')
			fputs("&amp;", out);
		else if (*p == '\n' || *p == '\t')
			fputc(' ', out);
		else if ((n == 1 && (*p < ' ' || *p >= 127)) || !memcmp(p, "\xef\xbf\xbe", n) ||
			 !memcmp(p, "\xef\xbf\xbf", n))
			fputc('?', out);	/* XML has no such characters */
		else
			fwrite(text, 1, n, out);
	}
}
