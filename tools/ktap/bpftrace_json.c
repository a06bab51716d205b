// SPDX-License-Identifier: GPL-2.0
/*
 * The output of a script of bpftrace as the JSON that bpftrace prints.
 *
 * The translation of such a script (compiler/bpftrace/bt_print.c) prints lists of values. The
 * first one is "bt", or "bt+" if more follows that belongs to the same object. The second one
 * is a text, in which each '%' stands for the next value, and each '$' for the text of that
 * value, within a string. All other lines of ktap have a counterpart of their own.
 */
#include <stdlib.h>
#include <string.h>

#include "bpftrace_json.h"
#include "compiler/util.h"

/* Integers up to this one are a number in all readers. */
#define JSON_EXACT	(1LL << 53)

/* Put a string without its quotes, with bpftrace's spelling of a carriage return. */
static void bpftrace_json_string(struct text_buffer *to, const struct span *value)
{
	const char *p = value->begin + 1, *end = value->end - 1;

	while (p < end) {
		if (end - p >= 6 && !memcmp(p, "\\u000d", 6)) {
			text_puts(to, "\\r");
			p += 6;
			continue;
		}
		text_put(to, p, 1 + (*p == '\\' && p + 1 < end));
		p += 1 + (*p == '\\' && p + 1 < end);
	}
}

static bool bpftrace_json_is_exact(const struct span *value)
{
	long long number = strtoll(value->begin, NULL, 10);

	return number <= JSON_EXACT && number >= -JSON_EXACT;
}

/* Put a value; @within: in a string */
static void bpftrace_json_value(struct text_buffer *to, const struct span *value, bool within)
{
	bool string = *value->begin == '"', number = !string && *value->begin != '[' &&
		      *value->begin != '{' && strchr("-0123456789", *value->begin);
	const char *quote = within || (!string && (!number || bpftrace_json_is_exact(value))) ?
			    "" : "\"";

	text_puts(to, quote);
	if (string)
		bpftrace_json_string(to, value);
	else
		text_put(to, value->begin, value->end - value->begin);
	text_puts(to, quote);
}

/* Put the text, with the values of the list from *@pos on in it. */
static void bpftrace_json_fill(struct text_buffer *to, const struct span *text, const char *pos,
			       const char *end)
{
	const char *p = text->begin + 1, *last = text->end - 1;
	struct span value;
	char c[4];
	size_t n;

	while (p < last) {
		n = json_character(&p, last, c);
		if (*c != '%' && *c != '$')
			text_put(to, c, n);
		else if (json_next(&pos, end, &value))
			bpftrace_json_value(to, &value, *c == '$');
	}
}

static void bpftrace_json_print(struct bpftrace_json *b, const struct span *values)
{
	const char *pos = values->begin + 1;
	struct span tag, text;
	bool more;

	if (!json_next(&pos, values->end, &tag) || !json_next(&pos, values->end, &text))
		return;
	more = json_is(&tag, "\"bt+\"");
	if (!more && !json_is(&tag, "\"bt\""))
		return;
	bpftrace_json_fill(&b->part, &text, pos, values->end);
	if (more)
		return;
	text_put(&b->out, b->part.text, b->part.len);
	text_puts(&b->out, "\n");
	b->part.len = 0;
}

static void bpftrace_json_line(struct bpftrace_json *b, const struct span *line)
{
	static const struct {
		const char *type, *theirs;
	} texts[] = {
		{ "\"text\"", "printf" }, { "\"cat\"", "cat" }, { "\"system\"", "syscall" },
	};
	struct span type, value;

	if (!json_member(line, "type", &type))
		return;
	if (json_is(&type, "\"print\"") && json_member(line, "values", &value)) {
		bpftrace_json_print(b, &value);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		if (!json_is(&type, texts[i].type) || !json_member(line, "text", &value))
			continue;
		text_puts(&b->out, "{\"type\": \"");
		text_puts(&b->out, texts[i].theirs);
		text_puts(&b->out, "\", \"data\": ");
		bpftrace_json_value(&b->out, &value, false);
		text_puts(&b->out, "}\n");
	}
	/* errors, losses and notes are on standard error */
}

void bpftrace_json_add(void *json, const char *data, size_t len)
{
	struct bpftrace_json *b = json;
	struct span line;

	while (json_add(&b->lines, &data, &len, &line)) {
		if (!b->out.no_memory)
			bpftrace_json_line(b, &line);
	}
	b->out.no_memory |= b->lines.no_memory || b->part.no_memory;
}

void bpftrace_json_attached(struct bpftrace_json *b, unsigned int probes)
{
	text_printf(&b->out, "{\"type\": \"attached_probes\", \"count\": %u, ", probes);
	text_printf(&b->out, "\"data\": {\"probes\": %u}}\n", probes);
}

void bpftrace_json_free(struct bpftrace_json *b)
{
	json_free(&b->lines);
	text_free(&b->part);
	text_free(&b->out);
}
