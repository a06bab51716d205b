// SPDX-License-Identifier: GPL-2.0
/*
 * ktap --metrics: the variables of a script, as a file for Prometheus.
 *
 * The file is in the text format of OpenMetrics, of which it uses what the older format of
 * Prometheus has, too: the node exporter reads that. It is written beside the old file,
 * which it then replaces, so that no reader sees a part of it.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "metrics.h"

static struct metrics *metrics_of(struct shown *shown)
{
	return (struct metrics *)((char *)shown - offsetof(struct metrics, shown));
}

/* Put the value of a label: backslashes, quotes and newlines are escaped. */
static void metrics_put_label(struct text_buffer *t, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\n') {
			text_puts(t, "\\n");
			continue;
		}
		if (text[i] == '\\' || text[i] == '"')
			text_puts(t, "\\");
		text_put(t, text + i, 1);
	}
}

/* The labels of a key: key1="cat",key2="3" */
static char *metrics_labels(const struct span *key)
{
	struct text_buffer labels = { 0 }, part = { 0 };
	const char *pos = key ? key->begin + 1 : NULL;
	struct span value;
	unsigned int n = 0;

	while (key && json_next(&pos, key->end, &value)) {
		part.len = 0;
		shown_put_value(&part, &value);
		text_printf(&labels, "%skey%u=\"", n ? "," : "", n + 1);
		metrics_put_label(&labels, part.text, part.len);
		text_puts(&labels, "\"");
		n++;
	}
	text_put(&labels, "", 1);
	if (labels.no_memory || part.no_memory)
		text_free(&labels);
	text_free(&part);
	return labels.text;
}

static void metrics_free_values(struct metrics *m)
{
	for (size_t i = 0; i < m->n; i++) {
		free(m->values[i].name);
		free(m->values[i].labels);
		free(m->values[i].value);
	}
	m->n = 0;
	m->omitted = 0;
	m->complete = false;
}

static void metrics_add_value(struct shown *shown, const struct span *key,
			      const struct span *value)
{
	struct metrics *m = metrics_of(shown);
	struct metric new = { .order = shown->order };

	if (m->complete)
		metrics_free_values(m);
	if (m->n == m->size) {
		size_t size = m->size ? 2 * m->size : 64;
		struct metric *values = realloc(m->values, size * sizeof(*values));

		if (!values) {
			m->out.no_memory = true;
			return;
		}
		m->values = values;
		m->size = size;
	}
	new.name = strdup(shown->name);
	new.labels = metrics_labels(key);
	new.value = strndup(value->begin, value->end - value->begin);
	if (!new.name || !new.labels || !new.value)
		m->out.no_memory = true;
	m->values[m->n++] = new;
}

static struct span metrics_json(const struct metric *v)
{
	return (struct span){ .begin = v->value, .end = v->value + strlen(v->value) };
}

/* How a value is written */
enum metric_shape {
	METRIC_NONE,
	METRIC_NUMBER,
	METRIC_SUMMARY,
	METRIC_HISTOGRAM,
};

static enum metric_shape metrics_shape(const struct metric *v)
{
	struct span json = metrics_json(v), part;

	if (*v->value == '-' || isdigit((unsigned char)*v->value) || *v->value == 't' ||
	    *v->value == 'f')
		return METRIC_NUMBER;
	/* An aggregation without values has only its count: it has no shape yet. */
	if (*v->value != '{' || !json_member(&json, "sum", &part))
		return METRIC_NONE;
	return json_member(&json, "buckets", &part) ? METRIC_HISTOGRAM : METRIC_SUMMARY;
}

static void metrics_put_head(struct text_buffer *t, const char *name, const char *suffix,
			     const char *type)
{
	text_printf(t, "# HELP ktap_%s%s Variable %s of a script of ktap.\n", name, suffix, name);
	text_printf(t, "# TYPE ktap_%s%s %s\n", name, suffix, type);
}

/* Put a sample up to its value. @more: another label, or "" */
static void metrics_put_sample(struct metrics *m, struct text_buffer *t, const struct metric *v,
			       const char *suffix, const char *more)
{
	text_printf(t, "ktap_%s%s{script=\"", v->name, suffix);
	metrics_put_label(t, m->script, strlen(m->script));
	text_printf(t, "\"%s%s%s%s} ", *v->labels ? "," : "", v->labels, *more ? "," : "", more);
}

static void metrics_put_member(struct metrics *m, struct text_buffer *t, const struct metric *v,
			       const char *suffix, const char *member)
{
	struct span json = metrics_json(v), value;

	if (!json_member(&json, member, &value))
		return;
	metrics_put_sample(m, t, v, suffix, "");
	text_put(t, value.begin, value.end - value.begin);
	text_puts(t, "\n");
}

/*
 * The bounds are those below the buckets that have values: each is right at all times, and
 * none is left out later.
 */
static void metrics_put_buckets(struct metrics *m, struct text_buffer *t, const struct metric *v)
{
	struct span json = metrics_json(v), buckets, bucket, part;
	uint64_t sum = 0;
	const char *pos;
	char le[40];

	if (!json_member(&json, "buckets", &buckets))
		return;
	pos = buckets.begin + 1;
	while (json_next(&pos, buckets.end, &bucket)) {
		if (json_member(&bucket, "from", &part)) {
			int64_t from = strtoll(part.begin, NULL, 10);

			snprintf(le, sizeof(le), "le=\"%" PRId64 ".0\"",
				 from == INT64_MIN ? from : from - 1);
			metrics_put_sample(m, t, v, "_bucket", le);
			text_printf(t, "%" PRIu64 "\n", sum);
		}
		if (json_member(&bucket, "count", &part))
			sum += strtoull(part.begin, NULL, 10);
	}
	metrics_put_sample(m, t, v, "_bucket", "le=\"+Inf\"");
	text_printf(t, "%" PRIu64 "\n", sum);
}

static void metrics_put_value(struct metrics *m, struct text_buffer *t, const struct metric *v,
			      enum metric_shape shape)
{
	if (shape == METRIC_NUMBER) {
		metrics_put_sample(m, t, v, "", "");
		text_printf(t, "%s\n", *v->value == 't' ? "1" : *v->value == 'f' ? "0" : v->value);
		return;
	}
	if (shape == METRIC_HISTOGRAM)
		metrics_put_buckets(m, t, v);
	metrics_put_member(m, t, v, "_sum", "sum");
	metrics_put_member(m, t, v, "_count", "count");
}

/* The values of a variable that have the shape of its first one; others are counted. */
static void metrics_put_variable(struct metrics *m, struct text_buffer *t,
				 const struct metric *values, size_t n)
{
	static const char * const types[] = {
		[METRIC_NUMBER]	= "gauge",
		[METRIC_SUMMARY] = "summary",
		[METRIC_HISTOGRAM] = "histogram",
	};
	static const char * const extremes[] = { "min", "max" };
	enum metric_shape shape = METRIC_NONE;
	char suffix[8];

	for (size_t i = 0; i < n && shape == METRIC_NONE; i++)
		shape = metrics_shape(&values[i]);
	for (size_t i = 0, put = 0; i < n; i++) {
		/* Keys that differ only in their types have the same labels: one is left. */
		if (shape == METRIC_NONE || metrics_shape(&values[i]) != shape ||
		    (i && !strcmp(values[i].labels, values[i - 1].labels))) {
			m->omitted++;
			continue;
		}
		if (!put++)
			metrics_put_head(t, values->name, "", types[shape]);
		metrics_put_value(m, t, &values[i], shape);
	}
	for (size_t e = 0; shape > METRIC_NUMBER && e < 2; e++) {
		snprintf(suffix, sizeof(suffix), "_%s", extremes[e]);
		metrics_put_head(t, values->name, suffix, "gauge");
		for (size_t i = 0; i < n; i++) {
			if (metrics_shape(&values[i]) == shape &&
			    !(i && !strcmp(values[i].labels, values[i - 1].labels)))
				metrics_put_member(m, t, &values[i], suffix, extremes[e]);
		}
	}
}

static void metrics_put_own(struct metrics *m, struct text_buffer *t, const char *name,
			    const char *help, unsigned long value)
{
	text_printf(t, "# HELP %s %s\n# TYPE %s gauge\n%s{script=\"", name, help, name, name);
	metrics_put_label(t, m->script, strlen(m->script));
	text_printf(t, "\"} %lu\n", value);
}

static int metrics_compare(const void *a, const void *b)
{
	const struct metric *x = a, *y = b;

	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return strcmp(x->labels, y->labels);
}

/*
 * Make a file for us alone to write: others could prepare a file or a link of that name. A
 * file that a process with our number has left is removed. Returns a descriptor or a negative
 * errno.
 */
static int metrics_create(const char *name)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd = open(name, flags, 0644);

	if (fd < 0 && errno == EEXIST && !unlink(name))
		fd = open(name, flags, 0644);
	return fd < 0 ? -errno : fd;
}

/* Write the text to a new file, and replace the old one. Returns 0 or a negative errno. */
static int metrics_replace(const char *file, const struct text_buffer *t)
{
	struct text_buffer name = { 0 };
	size_t done = 0;
	ssize_t n = 0;
	int fd, err;

	text_printf(&name, "%s.%ld.new", file, (long)getpid());
	text_put(&name, "", 1);
	if (name.no_memory) {
		text_free(&name);
		return -ENOMEM;
	}
	fd = metrics_create(name.text);
	err = fd < 0 ? fd : 0;
	while (!err && done < t->len) {
		n = write(fd, t->text + done, t->len - done);
		if (n < 0 && errno != EINTR)
			err = -errno;
		done += n > 0 ? n : 0;
	}
	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	if (!err && rename(name.text, file))
		err = -errno;
	if (err && fd >= 0)
		unlink(name.text);
	text_free(&name);
	return err;
}

static void metrics_write(struct metrics *m, bool runs)
{
	struct text_buffer t = { 0 };
	int err;

	m->omitted = 0;
	if (m->n)
		qsort(m->values, m->n, sizeof(*m->values), metrics_compare);
	for (size_t i = 0, n; i < m->n; i += n) {
		for (n = 1; i + n < m->n && m->values[i + n].order == m->values[i].order;)
			n++;
		metrics_put_variable(m, &t, &m->values[i], n);
	}
	metrics_put_own(m, &t, "ktap_running", "Whether the script runs.", runs);
	metrics_put_own(m, &t, "ktap_omitted_values",
			"Values of variables that are not in this file.", m->omitted);
	text_puts(&t, "# EOF\n");
	err = t.no_memory || m->out.no_memory ? -ENOMEM : metrics_replace(m->file, &t);
	text_free(&t);
	if (err && !m->failed)
		fprintf(stderr, "ktap: error: cannot write to %s: %s\n", m->file, strerror(-err));
	m->failed |= err;
}

static void metrics_all(struct shown *shown)
{
	struct metrics *m = metrics_of(shown);

	/* without a variable, there was no value to begin with */
	if (m->complete)
		metrics_free_values(m);
	m->complete = true;
	metrics_write(m, true);
}

/* Other text of the script is its output. */
static void metrics_text(struct shown *shown)
{
	text_put(&metrics_of(shown)->out, shown->text.text, shown->text.len);
	shown->text.len = 0;
}

static const struct shown_ops metrics_ops = {
	.value = metrics_add_value,
	.all = metrics_all,
	.text = metrics_text,
};

bool metrics_init(struct metrics *m, const char *file, const char *script)
{
	m->shown.ops = &metrics_ops;
	m->file = file;
	m->script = script;
	metrics_write(m, true);
	return !m->failed;
}

void metrics_add(void *metrics, const char *data, size_t len)
{
	struct metrics *m = metrics;

	if (!shown_add(&m->shown, data, len))
		m->out.no_memory = true;
}

bool metrics_end(struct metrics *m)
{
	metrics_write(m, false);
	return !m->failed;
}

void metrics_free(struct metrics *m)
{
	metrics_free_values(m);
	free(m->values);
	text_free(&m->out);
	shown_free(&m->shown);
}
