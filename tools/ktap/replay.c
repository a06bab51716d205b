// SPDX-License-Identifier: GPL-2.0
/*
 * ktap --replay: show recordings. Their lines go to the same output, through the same
 * views, as those of a session.
 *
 * Lines of several recordings are merged by their times, on the clock of the first one. Each
 * gets its host and script, and the numbers of tables become unique.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/clean_text.h"
#include "compiler/colour.h"
#include "json_text.h"
#include "output_file.h"
#include "replay.h"
#include "replay_source.h"
#include "views.h"

#define REPLAY_PAUSE_MS	100

enum {
	EXIT_CUT = 1,
	EXIT_WRONG = 2,
};

/**
 * struct replay - recordings that are being shown
 * @opts: the command line
 * @sources: the recordings
 * @n: their number
 * @waits: of each: its present line waits
 * @changed: the line with the changes for several recordings
 */
struct replay {
	struct options *opts;
	struct replay_source *sources;
	size_t n;
	bool *waits;
	struct output output;
	struct views views;
	struct text_buffer changed;
};

/* Write all output that waits; 0 or a negative errno. */
static int replay_write(struct output *o)
{
	int err = 0;

	while (output_pending(o) && !err)
		err = output_write(o);
	return err;
}

static int replay_put(struct replay *r, const char *data, size_t len, bool text)
{
	struct output *o = &r->output;
	int err = 0;

	while (len && !err) {
		size_t n = text ? output_add_text(o, data, len) : output_add(o, data, len);

		data += n;
		len -= n;
		if (len || output_room(o) < sizeof(o->buf) / 2)
			err = output_write(o);
	}
	return err;
}

/* The number of the table in a line, for a source: each has numbers of its own. */
static unsigned long long replay_table(const struct replay *r, const char *number, size_t source)
{
	return strtoull(number, NULL, 10) * r->n + source;
}

/* Copy the rest of a line; numbers after the name "table" are replaced. */
static void replay_renumber(struct replay *r, const char *p, const char *end, size_t source)
{
	static const char table[] = "\"table\":";
	const size_t len = sizeof(table) - 1;
	struct text_buffer *t = &r->changed;

	while (p < end) {
		const char *begin = p;

		if (*p != '"') {
			text_put(t, p++, 1);
			continue;
		}
		/* a string, which may have any text */
		for (p++; p < end && *p != '"'; p++)
			p += *p == '\\';
		p = p < end ? p + 1 : end;
		text_put(t, begin, p - begin);
		if (end - begin < (long)len || memcmp(begin, table, len))
			continue;
		text_printf(t, ":%llu", replay_table(r, begin + len, source));
		for (p = begin + len; p < end && *p >= '0' && *p <= '9'; p++)
			;
	}
}

static void replay_put_name(struct text_buffer *t, const char *name, const char *value)
{
	char text[JSON_ESCAPE * sizeof(((struct recording_about *)NULL)->script)];

	text_printf(t, "\"%s\":\"", name);
	text_put(t, text, json_escape(text, value, strlen(value)));
	text_puts(t, "\",");
}

/* Make the line one of several recordings. */
static void replay_change(struct replay *r, size_t i)
{
	const struct replay_source *s = &r->sources[i];
	const char *rest = strchr(s->line.begin, ',');

	r->changed.len = 0;
	if (!rest || strncmp(s->line.begin, "{\"time\":", 8)) {
		text_put(&r->changed, s->line.begin, s->line.end - s->line.begin);
	} else {
		text_printf(&r->changed, "{\"time\":%" PRId64 ",", s->time + s->shift);
		replay_put_name(&r->changed, "host", s->about.host);
		replay_put_name(&r->changed, "boot", s->about.boot);
		replay_put_name(&r->changed, "script", s->about.script);
		replay_renumber(r, rest + 1, s->line.end, i);
	}
	text_puts(&r->changed, "\n");
}

/* Only --heatmap and --metrics want what shown.c has added to the script. */
static bool replay_hides(struct replay *r, struct replay_source *s)
{
	static const char print[] = "\"type\":\"print\",\"values\":[\"ktap:live\"";
	const struct span *line = &s->line;
	struct span type, table;
	const char *found;

	if (!s->about.interval || r->opts->shows)
		return false;
	if (!json_member(line, "type", &type))
		return false;
	if (json_is(&type, "\"print\"")) {
		found = strchr(line->begin, ',');
		if (!found || strncmp(found + 1, print, sizeof(print) - 1))
			return false;
		found = strstr(line->begin, ",{\"table\":");
		snprintf(s->hidden, sizeof(s->hidden), "%llu",
			 found ? strtoull(found + 10, NULL, 10) : 0);
		return true;
	}
	return json_is(&type, "\"entry\"") && json_member(line, "table", &table) &&
	       json_is(&table, s->hidden);
}

static int replay_line(struct replay *r, size_t i)
{
	struct replay_source *s = &r->sources[i];
	int err;

	if (!s->about.json)
		return replay_put(r, s->line.begin, s->line.end - s->line.begin, true);
	if (replay_hides(r, s))
		return 0;
	if (r->n > 1) {
		replay_change(r, i);
		return replay_put(r, r->changed.text, r->changed.len, false);
	}
	err = replay_put(r, s->line.begin, s->line.end - s->line.begin, false);
	return err ? err : replay_put(r, "\n", 1, false);
}

/*
 * Before a wait for more of a stream, show its lines; after a pause also what waited for
 * entries of a table. Files are merged without pauses.
 */
static int replay_before_read(struct replay *r)
{
	struct pollfd fd = { .fd = r->sources[0].frames.fd, .events = POLLIN };
	int err;

	if (!r->opts->attach && !r->opts->stop)
		return 0;
	err = replay_write(&r->output);
	if (err || poll(&fd, 1, REPLAY_PAUSE_MS))
		return err;
	views_pause(&r->views, &r->output);
	return replay_write(&r->output);
}

/* Have a line of each source that has one. */
static int replay_fill(struct replay *r)
{
	int err = 0;

	for (size_t i = 0; i < r->n && !err; i++) {
		struct replay_source *s = &r->sources[i];

		while (!r->waits[i] && !err) {
			r->waits[i] = replay_source_next(s);
			if (r->waits[i])
				break;
			err = replay_before_read(r);
			if (!err && !replay_source_read(s))
				break;
		}
	}
	return err;
}

/* The source whose line is the earliest one; @n if there is none. */
static size_t replay_first(const struct replay *r)
{
	size_t first = r->n;

	for (size_t i = 0; i < r->n; i++) {
		if (r->waits[i] && (first == r->n || r->sources[i].time + r->sources[i].shift <
				    r->sources[first].time + r->sources[first].shift))
			first = i;
	}
	return first;
}

static int replay_all(struct replay *r)
{
	int err = replay_fill(r);
	size_t i;

	while (!err && (i = replay_first(r)) < r->n) {
		err = replay_line(r, i);
		r->waits[i] = false;
		if (!err)
			err = replay_fill(r);
	}
	if (err)
		return err;
	views_pause(&r->views, &r->output);
	return replay_write(&r->output);
}

/* Set the clocks of several recordings, and say what is added to their times. */
static void replay_set_clocks(struct replay *r)
{
	const struct recording_about *first = &r->sources[0].about;

	for (size_t i = 1; i < r->n; i++) {
		struct replay_source *s = &r->sources[i];

		if (strcmp(s->about.boot, first->boot))
			s->shift = (s->about.wall - s->about.monotonic) -
				   (first->wall - first->monotonic);
		if (r->opts->quiet)
			continue;
		fputs("ktap: ", stderr);
		put_clean(stderr, s->name, strlen(s->name));
		fputs(": host ", stderr);
		put_clean(stderr, s->about.host, strlen(s->about.host));
		if (s->shift)
			fprintf(stderr, ": %.6f s are added to its times, as far as the clocks of both machines agree\n",
				s->shift / 1e9);
		else
			fputs(": it has the clock of the first one\n", stderr);
	}
}

/* Can the recordings be shown like this? False after a message. */
static bool replay_check(struct replay *r)
{
	const char *why = NULL;

	for (size_t i = 0; i < r->n && !why; i++) {
		const struct replay_source *s = &r->sources[i];

		if (!s->about.json && r->opts->json)
			why = "it was recorded as text, only: record it without -f text";
		else if (!s->about.json && r->opts->timestamps)
			why = "it was recorded as text, which has no times: leave out -f text";
		else if (!s->about.json && r->n > 1)
			why = "it was recorded as text, which has no times: show it alone";
		else if ((r->opts->heatmap || r->opts->metrics) && r->n > 1)
			why = "--heatmap and --metrics show one recording";
		else if ((r->opts->heatmap || r->opts->metrics) && !s->about.interval)
			why = "--heatmap and --metrics need --record FILE --interval SECONDS";
		if (!why)
			continue;
		fputs("ktap: error: ", stderr);
		put_clean(stderr, s->name, strlen(s->name));
		fprintf(stderr, ": %s\n", why);
	}
	return !why;
}

static int replay_output_failed(const struct options *opts, int err)
{
	if (err == -EPIPE)
		return 0;	/* the output was closed */
	fprintf(stderr, "ktap: error: cannot write to %s: %s\n",
		opts->output ? opts->output : "standard output", strerror(-err));
	return EXIT_CUT;
}

/* The recordings end like the first one that has failed. */
static int replay_exit_code(const struct replay *r)
{
	for (size_t i = 0; i < r->n; i++) {
		if (r->sources[i].failed)
			return EXIT_CUT;
		if (r->sources[i].exit)
			return r->sources[i].exit;
	}
	return 0;
}

static int replay_show(struct replay *r)
{
	struct options *opts = r->opts;
	const char *script = r->sources[0].about.script;
	bool failed = false;
	int code, err;

	opts->shows = opts->heatmap || opts->metrics ? r->sources[0].about.interval : 0;
	opts->as_text = r->sources[0].about.json && !opts->json;
	err = output_open(&r->output, opts->output, false);
	if (err)
		return replay_output_failed(opts, err) ? EXIT_WRONG : 0;
	r->output.colour = !r->sources[0].about.json &&
			   colour_wanted(opts->color, r->output.fd);
	line_times_init(&r->views.times, r->sources[0].about.wall, r->sources[0].about.monotonic,
			true);
	if (!views_open(&r->views, opts, &r->output, script))
		return EXIT_WRONG;
	signal(SIGPIPE, SIG_IGN);
	replay_set_clocks(r);
	err = output_begin(&r->output);
	if (!err)
		err = replay_all(r);
	opts->received = !err;
	code = err ? replay_output_failed(opts, err) : replay_exit_code(r);
	err = views_show(&r->views, opts, &r->output, script, &failed);
	if (err && !code)
		code = replay_output_failed(opts, err);
	err = output_close(&r->output);
	if (err && !code)
		code = replay_output_failed(opts, err);
	return code ? code : failed ? EXIT_CUT : 0;
}

static int replay_open(const char *name)
{
	int fd = strcmp(name, "-") ? open(name, O_RDONLY | O_CLOEXEC) : dup(STDIN_FILENO);

	if (fd < 0) {
		fputs("ktap: error: cannot open ", stderr);
		put_clean(stderr, name, strlen(name));
		fprintf(stderr, ": %s\n", strerror(errno));
	}
	return fd;
}

/* @fds: the files, which are closed */
static int replay_run(struct options *opts, const int *fds, char *const *names, size_t n)
{
	static struct replay r;
	size_t opened = 0;
	int code = EXIT_WRONG;

	r.opts = opts;
	r.n = n;
	r.sources = calloc(n, sizeof(*r.sources));
	r.waits = calloc(n, sizeof(*r.waits));
	if (!r.sources || !r.waits)
		fprintf(stderr, "ktap: error: no memory\n");
	else
		while (opened < n && replay_source_open(&r.sources[opened], fds[opened],
							names[opened], opts->quiet))
			opened++;
	if (r.sources && r.waits && opened == n && replay_check(&r))
		code = replay_show(&r);
	for (size_t i = 0; i < opened; i++)
		replay_source_close(&r.sources[i]);
	for (size_t i = opened; i < n; i++)
		close(fds[i]);
	views_free(&r.views);
	text_free(&r.changed);
	free(r.sources);
	free(r.waits);
	return code;
}

int replay_files(struct options *opts)
{
	size_t n = 0;
	int fds[REPLAY_MAX_FILES], code = EXIT_WRONG;

	while (opts->recordings[n] && n < REPLAY_MAX_FILES) {
		fds[n] = replay_open(opts->recordings[n]);
		if (fds[n] < 0)
			break;
		n++;
	}
	if (!opts->recordings[n])
		return replay_run(opts, fds, opts->recordings, n);
	if (n == REPLAY_MAX_FILES)
		fprintf(stderr, "ktap: error: more than %d recordings\n", REPLAY_MAX_FILES);
	while (n)
		close(fds[--n]);
	return code;
}

int replay_stream(struct options *opts, int fd, const char *name)
{
	char *const names[] = { (char *)name };

	return replay_run(opts, &fd, names, 1);
}
