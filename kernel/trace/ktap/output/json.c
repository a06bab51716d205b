// SPDX-License-Identifier: GPL-2.0
/*
 * Values as JSON.
 *
 * A string of a script has any bytes; one of JSON has characters of UTF-8.  Each byte that is
 * not part of a character becomes U+FFFD.  Marks of user code (ustack_text.c) stay as they are:
 * the program that reads the output replaces them, and escapes the names.
 */
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "data/agg.h"
#include "data/object.h"
#include "data/table.h"
#include "output/json.h"
#include "output/text.h"
#include "vm/env.h"
#include "vm/integer.h"
#include "vm/vm.h"

/* Longer marks of user code are not passed on as such: MAX_MARK of tools/ktap/symbolize.h. */
#define JSON_MAX_MARK	8192

void ktap_json_put(struct ktap_json *j, const char *text)
{
	seq_buf_putmem(j->s, text, strlen(text));
}

static void json_put_integer(struct ktap_json *j, s64 i)
{
	char buf[KTAP_INTEGER_TEXT];

	seq_buf_putmem(j->s, buf, ktap_decimal_append(i, buf) - buf);
}

static void json_put_int128(struct ktap_json *j, struct ktap_int128 x, s64 divisor)
{
	char buf[KTAP_WIDE_TEXT];

	if (divisor > 1)
		x = ktap_int128_div(x, divisor);
	ktap_json_put(j, ktap_int128_text(x, buf));
}

void ktap_json_unsigned(struct ktap_json *j, u64 n)
{
	json_put_int128(j, (struct ktap_int128){ .lo = n }, 0);
}

/* Bytes of the character that begins with @first; 0: none does. */
static unsigned int json_utf8_size(u8 first)
{
	if (first < 0x80)
		return 1;
	if (first >= 0xc2 && first <= 0xdf)
		return 2;
	if ((first & 0xf0) == 0xe0)
		return 3;
	if (first >= 0xf0 && first <= 0xf4)
		return 4;
	return 0;
}

/* Can @second follow @first?  Not in longer forms, surrogates, and beyond U+10FFFF. */
static bool json_utf8_follows(u8 first, u8 second)
{
	switch (first) {
	case 0xe0:
		return second >= 0xa0 && second <= 0xbf;
	case 0xed:
		return second >= 0x80 && second <= 0x9f;
	case 0xf0:
		return second >= 0x90 && second <= 0xbf;
	case 0xf4:
		return second >= 0x80 && second <= 0x8f;
	default:
		return (second & 0xc0) == 0x80;
	}
}

/* Return the bytes of the character at @p, of @len bytes that are there; 0: there is none. */
static unsigned int json_utf8_at(const u8 *p, size_t len)
{
	unsigned int i, size = json_utf8_size(p[0]);

	if (!size || size > len)
		return 0;
	for (i = 1; i < size; i++) {
		if (!json_utf8_follows(i == 1 ? p[0] : 0, p[i]))
			return 0;
	}
	return size;
}

/* Return the bytes of a mark of user code that begins at the end of @p, and is not all of it. */
static size_t json_mark_rest(const struct ktap_env *env, const char *p, size_t len)
{
	size_t i;

	for (i = 1; env->mark_key && i < len && i <= JSON_MAX_MARK; i++) {
		if (p[len - i] == KTAP_MARK_END[0])
			return 0;
		if (p[len - i] == KTAP_MARK_BEGIN[0])
			return i;
	}
	return 0;
}

size_t ktap_json_rest(const struct ktap_env *env, const char *p, size_t len)
{
	size_t i = json_mark_rest(env, p, len);

	if (i)
		return i;
	for (i = 1; i <= 3 && i <= len; i++) {
		u8 c = p[len - i];

		if ((c & 0xc0) != 0x80)
			return json_utf8_size(c) > i ? i : 0;
	}
	return 0;
}

/* Return the bytes of the mark of user code at @p; 0: there is none. */
static size_t json_mark_at(const struct ktap_json *j, const char *p, size_t len)
{
	const char *key = j->env ? j->env->mark_key : NULL, *end;
	size_t n = key ? strlen(key) : 0;

	/* Only the reader and the kernel know the key. */
	if (!n || *p != KTAP_MARK_BEGIN[0] || len < n + 2 || memcmp(p + 1, key, n) ||
	    p[n + 1] != KTAP_MARK_NEXT[0])
		return 0;
	end = memchr(p, KTAP_MARK_END[0], min_t(size_t, len, JSON_MAX_MARK));
	return end ? end - p + 1 : 0;
}

static void json_put_unicode(struct ktap_json *j, u8 c)
{
	static const char hex[] = "0123456789abcdef";
	char text[] = "\\u00xx";

	text[4] = hex[c >> 4];
	text[5] = hex[c & 0xf];
	ktap_json_put(j, text);
}

static void json_put_escape(struct ktap_json *j, u8 c)
{
	switch (c) {
	case '"':
		return ktap_json_put(j, "\\\"");
	case '\\':
		return ktap_json_put(j, "\\\\");
	case '\n':
		return ktap_json_put(j, "\\n");
	case '\t':
		return ktap_json_put(j, "\\t");
	}
	if (c >= 0x80)
		return ktap_json_put(j, "\\ufffd");
	json_put_unicode(j, c);
}

/* Are the two bytes a control character from U+0080 to U+009F?  Terminals obey these, too. */
static bool json_is_control(const char *p)
{
	return (u8)p[0] == 0xc2 && (u8)p[1] < 0xa0;
}

static bool json_is_plain(u8 c)
{
	return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

void ktap_json_string(struct ktap_json *j, const char *p, size_t len)
{
	size_t n;

	ktap_json_put(j, "\"");
	for (; len && !seq_buf_has_overflowed(j->s); p += n, len -= n) {
		n = 0;
		while (n < len && json_is_plain(p[n]))
			n++;
		if (!n && (u8)*p >= 0x80)
			n = json_utf8_at((const u8 *)p, len);
		n = n ?: json_mark_at(j, p, len);
		if (n == 2 && json_is_control(p)) {
			json_put_unicode(j, p[1]);
		} else if (n) {
			seq_buf_putmem(j->s, p, n);
		} else {
			json_put_escape(j, *p);
			n = 1;
		}
	}
	ktap_json_put(j, "\"");
}

void ktap_json_name(struct ktap_json *j, const char *name)
{
	ktap_json_put(j, ",\"");
	ktap_json_put(j, name);
	ktap_json_put(j, "\":");
}

void ktap_json_number(struct ktap_json *j, const char *name, u64 n)
{
	ktap_json_name(j, name);
	ktap_json_unsigned(j, n);
}

void ktap_json_begin(struct ktap_json *j, u64 ts, const char *type)
{
	ktap_json_put(j, "{\"time\":");
	ktap_json_unsigned(j, ts);
	ktap_json_name(j, "type");
	ktap_json_string(j, type, strlen(type));
}

void ktap_json_end(struct ktap_json *j)
{
	ktap_json_put(j, "}\n");
}

void ktap_json_text(struct ktap_json *j, const char *text, size_t len, bool cut)
{
	ktap_json_name(j, "text");
	ktap_json_string(j, text, len);
	if (!cut)
		return;
	ktap_json_name(j, "cut");
	ktap_json_put(j, "true");
}

void ktap_json_omitted(struct ktap_json *j)
{
	ktap_json_put(j, "{\"omitted\":true}");
}

/* Begin a text that will be escaped. */
static struct ktap_text json_begin_plain(struct ktap_json *j)
{
	seq_buf_clear(j->plain);
	return (struct ktap_text){ .s = j->plain, .vm = j->vm, .env = j->env, .keep = true };
}

static void json_end_plain(struct ktap_json *j)
{
	ktap_json_string(j, j->plain->buffer, seq_buf_used(j->plain));
}

/* A value that print() shows as text without quotes */
static void json_put_named(struct ktap_json *j, const struct ktap_value *v)
{
	struct ktap_text t = json_begin_plain(j);

	ktap_text_value(&t, v);
	json_end_plain(j);
}

static void json_put_tuple(struct ktap_json *j, const struct ktap_value *v)
{
	ktap_json_put(j, "[");
	ktap_json_key(j, v, true);
	ktap_json_put(j, "]");
}

static void json_put_array(struct ktap_json *j, const struct ktap_value *v)
{
	const s64 *ints = ktap_blob_of(v);
	u32 i, n = v->len / sizeof(*ints);

	ktap_json_put(j, "[");
	for (i = 0; i < n; i++) {
		if (i)
			ktap_json_put(j, ",");
		json_put_integer(j, ints[i]);
	}
	ktap_json_put(j, "]");
}

static void json_put_kstack(struct ktap_json *j, const struct ktap_value *v)
{
	const unsigned long *frames = ktap_blob_of(v);
	u32 i, n = v->len / sizeof(*frames);
	char symbol[KSYM_SYMBOL_LEN];

	ktap_json_put(j, "[");
	for (i = 0; i < n; i++) {
		if (i)
			ktap_json_put(j, ",");
		sprint_symbol(symbol, frames[i]);
		ktap_json_string(j, symbol, strlen(symbol));
	}
	ktap_json_put(j, "]");
}

static void json_put_ustack(struct ktap_json *j, const struct ktap_value *v)
{
	struct ktap_text t;
	u32 i;

	ktap_json_put(j, "[");
	for (i = 0; ; i++) {
		t = json_begin_plain(j);
		if (!ktap_text_uframe(&t, v, i))
			break;
		if (i)
			ktap_json_put(j, ",");
		json_end_plain(j);
	}
	ktap_json_put(j, "]");
}

static void json_put_bucket(struct ktap_json *j, const struct ktap_agg_shape *shape, u32 bucket,
			    u64 count)
{
	bool below = shape->kind == KTAP_AGG_LHIST && !bucket;
	bool above = shape->kind == KTAP_AGG_LHIST && bucket == shape->nbuckets - 1;

	ktap_json_put(j, below ? "{\"below\":" : "{\"from\":");
	json_put_integer(j, below ? shape->min : above ? shape->max : ktap_agg_row(shape, bucket));
	ktap_json_number(j, "count", count);
	ktap_json_put(j, "}");
}

/* The buckets that are not empty */
static void json_put_buckets(struct ktap_json *j, const struct ktap_agg *agg)
{
	const struct ktap_agg_shape *shape = ktap_agg_shape(agg);
	u64 *buckets = kvcalloc(shape->nbuckets, sizeof(*buckets), KTAP_GFP);
	bool first = true;
	u32 i;

	ktap_json_name(j, "buckets");
	if (!buckets) {
		ktap_json_omitted(j);
		return;
	}
	j->err = j->err ?: ktap_agg_read_buckets(j->vm, agg, buckets);
	ktap_json_put(j, "[");
	for (i = 0; i < shape->nbuckets; i++) {
		if (!buckets[i])
			continue;
		if (!first)
			ktap_json_put(j, ",");
		first = false;
		json_put_bucket(j, shape, i, buckets[i]);
	}
	ktap_json_put(j, "]");
	kvfree(buckets);
}

static void json_put_total(struct ktap_json *j, const char *name, struct ktap_int128 x,
			   s64 divisor)
{
	ktap_json_name(j, name);
	json_put_int128(j, x, divisor);
}

static void json_put_agg(struct ktap_json *j, const struct ktap_agg *agg, s64 divisor)
{
	const struct ktap_agg_shape *shape = ktap_agg_shape(agg);
	struct ktap_total total;

	ktap_agg_read(j->vm->env, agg, &total);
	if (shape->kind == KTAP_AGG_COUNT)
		return ktap_json_unsigned(j, total.count);
	ktap_json_put(j, "{\"count\":");
	ktap_json_unsigned(j, total.count);
	if (total.count) {
		json_put_total(j, "sum", total.sum, divisor);
		json_put_total(j, "min", ktap_int128(total.min), divisor);
		json_put_total(j, "max", ktap_int128(total.max), divisor);
		json_put_total(j, "avg", ktap_int128_div(total.sum, total.count), divisor);
	}
	if (shape->nbuckets)
		json_put_buckets(j, agg);
	ktap_json_put(j, "}");
}

static void json_put_object(struct ktap_json *j, const struct ktap_value *v, s64 divisor)
{
	if (!j->vm)
		ktap_json_omitted(j);
	else if (v->tag == KTAP_AGG)
		json_put_agg(j, ktap_agg_of(v), divisor);
	else
		ktap_json_put(j, "{}");
}

static void json_put_address(struct ktap_json *j, u64 address)
{
	char text[24];

	snprintf(text, sizeof(text), "\"0x%llx\"", (unsigned long long)address);
	ktap_json_put(j, text);
}

void ktap_json_value(struct ktap_json *j, const struct ktap_value *v, s64 divisor)
{
	switch (v->tag) {
	case KTAP_NIL:
		return ktap_json_put(j, "null");
	case KTAP_BOOL:
		return ktap_json_put(j, v->i ? "true" : "false");
	case KTAP_INT:
		return json_put_int128(j, ktap_int128(v->i), divisor);
	case KTAP_PTR:
		return json_put_address(j, v->u);
	case KTAP_STR:
		return ktap_json_string(j, ktap_blob_of(v), v->len);
	case KTAP_TUPLE:
		return json_put_tuple(j, v);
	case KTAP_ARRAY:
		return json_put_array(j, v);
	case KTAP_KSTACK:
		return json_put_kstack(j, v);
	case KTAP_USTACK:
		return json_put_ustack(j, v);
	case KTAP_TABLE:
	case KTAP_AGG:
		return json_put_object(j, v, divisor);
	default:
		return json_put_named(j, v);
	}
}

void ktap_json_key(struct ktap_json *j, const struct ktap_value *key, bool first)
{
	struct ktap_value part = *key;
	size_t pos = 0;

	if (key->tag == KTAP_TUPLE && !ktap_tuple_next(key, &pos, &part))
		return;
	do {
		if (!first)
			ktap_json_put(j, ",");
		first = false;
		ktap_json_value(j, &part, 0);
	} while (key->tag == KTAP_TUPLE && ktap_tuple_next(key, &pos, &part));
}

void ktap_json_values(struct ktap_json *j, const struct ktap_value *v, unsigned int n)
{
	unsigned int i;

	ktap_json_name(j, "values");
	ktap_json_put(j, "[");
	for (i = 0; i < n; i++) {
		if (i)
			ktap_json_put(j, ",");
		ktap_json_value(j, &v[i], ktap_divisor_of(&v[i], 0));
	}
	ktap_json_put(j, "]");
}
