// SPDX-License-Identifier: GPL-2.0
/*
 * Recordings of sessions.
 *
 * A recording is a header and frames. The header is lines of text: the magic word with the
 * version, then "NAME VALUE", in any order; an empty line ends it. Readers ignore names that
 * they do not know. The frames are those of a session in framed mode: output, errors, notes,
 * and at the end the exit code. Names of user code, files of cat() and output of commands are
 * already in the output: a recording needs nothing else of the machine where it was made.
 */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "compiler/util.h"
#include "recording.h"

#define BOOT_ID		"/proc/sys/kernel/random/boot_id"
#define NANOSECONDS	1000000000LL

static int64_t recording_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * NANOSECONDS + now.tv_nsec;
}

/* Copy a text; control characters, which would end a line, become '?'. */
static void recording_copy(char *to, size_t size, const char *text)
{
	size_t len = strnlen(text, size - 1);

	for (size_t i = 0; i < len; i++)
		to[i] = (unsigned char)text[i] < ' ' || text[i] == 127 ? '?' : text[i];
	to[len] = '\0';
}

static void recording_read_boot(char *boot, size_t size)
{
	FILE *f = fopen(BOOT_ID, "re");
	char line[64] = "unknown";

	if (f && !fgets(line, sizeof(line), f))
		snprintf(line, sizeof(line), "unknown");
	if (f)
		fclose(f);
	line[strcspn(line, "\n")] = '\0';
	recording_copy(boot, size, line);
}

void recording_init(struct recording *r, const char *script, bool json, uint64_t interval)
{
	struct recording_about *a = &r->about;
	struct utsname machine;

	memset(r, 0, sizeof(*r));
	a->json = json;
	a->interval = interval;
	recording_copy(a->script, sizeof(a->script), script);
	if (!uname(&machine)) {
		recording_copy(a->host, sizeof(a->host), machine.nodename);
		recording_copy(a->release, sizeof(a->release), machine.release);
	}
	recording_read_boot(a->boot, sizeof(a->boot));
	a->wall = recording_clock(CLOCK_REALTIME);
	a->monotonic = recording_clock(CLOCK_MONOTONIC);
}

void recording_begin(struct recording *r)
{
	const struct recording_about *a = &r->about;

	if (r->begun)
		return;
	r->begun = true;
	text_printf(&r->out, RECORDING_MAGIC " %d\n", RECORDING_VERSION);
	text_printf(&r->out, "format %s\nscript %s\n", a->json ? "json" : "text", a->script);
	text_printf(&r->out, "host %s\nrelease %s\nboot %s\n", a->host, a->release, a->boot);
	text_printf(&r->out, "wall %" PRId64 "\nmonotonic %" PRId64 "\n", a->wall, a->monotonic);
	if (a->interval)
		text_printf(&r->out, "interval %" PRIu64 "\n", a->interval);
	text_puts(&r->out, "\n");
}

void recording_add(struct recording *r, enum ktap_channel channel, const char *data, size_t len)
{
	const struct ktap_frame frame = { .len = htole32(len), .channel = channel };

	recording_begin(r);
	text_put(&r->out, (const char *)&frame, sizeof(frame));
	text_put(&r->out, data, len);
}

void recording_add_output(void *recording, const char *data, size_t len)
{
	struct recording *r = recording;

	if (!len)
		return;
	recording_add(r, KTAP_CH_OUTPUT, data, len);
	for (size_t i = 0; i < len; i++)
		r->lines += data[i] == '\n';
}

void recording_end(struct recording *r, uint32_t exit_code)
{
	const uint32_t code = htole32(exit_code);

	recording_add(r, KTAP_CH_EXIT, (const char *)&code, sizeof(code));
}

void recording_free(struct recording *r)
{
	text_free(&r->out);
}

/* Read up to an empty line, and not beyond; returns false after an error or the end. */
static bool recording_read_header(int fd, char *text, size_t size)
{
	size_t len = 0;

	while (len < size - 1) {
		ssize_t n = read(fd, text + len, 1);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		len++;
		/* not a recording: do not look for an empty line in something else */
		if (len <= strlen(RECORDING_MAGIC) &&
		    strncmp(text, RECORDING_MAGIC, len)) {
			errno = 0;
			break;
		}
		if (len > 1 && text[len - 1] == '\n' && text[len - 2] == '\n') {
			text[len] = '\0';
			return true;
		}
	}
	text[len] = '\0';
	return false;
}

static void recording_set(struct recording_about *a, const char *name, const char *value)
{
	if (!strcmp(name, "script"))
		recording_copy(a->script, sizeof(a->script), value);
	else if (!strcmp(name, "host"))
		recording_copy(a->host, sizeof(a->host), value);
	else if (!strcmp(name, "release"))
		recording_copy(a->release, sizeof(a->release), value);
	else if (!strcmp(name, "boot"))
		recording_copy(a->boot, sizeof(a->boot), value);
	else if (!strcmp(name, "wall"))
		a->wall = strtoll(value, NULL, 10);
	else if (!strcmp(name, "monotonic"))
		a->monotonic = strtoll(value, NULL, 10);
	else if (!strcmp(name, "interval"))
		a->interval = strtoull(value, NULL, 10);
}

const char *recording_read(int fd, struct recording_about *about)
{
	static char text[RECORDING_HEADER], why[128];
	char *line, *value, *rest = text;
	bool known = false, whole;
	long long version;

	memset(about, 0, sizeof(*about));
	errno = 0;
	whole = recording_read_header(fd, text, sizeof(text));
	if (!whole && errno)
		return strerror(errno);
	if (!*text)
		return "it is empty";
	if (strncmp(text, RECORDING_MAGIC " ", strlen(RECORDING_MAGIC " ")))
		return strncmp(RECORDING_MAGIC, text, strlen(text)) ?
		       "it is no recording: ktap --record FILE makes one" :
		       "it is cut off in its header";
	version = strtoll(text + strlen(RECORDING_MAGIC " "), NULL, 10);
	if (version > RECORDING_VERSION) {
		snprintf(why, sizeof(why),
			 "it has version %lld, and this ktap reads version %d: use the ktap that recorded it",
			 version, RECORDING_VERSION);
		return why;
	}
	if (!whole)
		return "it is cut off in its header";
	while ((line = strsep(&rest, "\n"))) {
		value = strchr(line, ' ');
		if (!value)
			continue;
		*value++ = '\0';
		if (strcmp(line, "format")) {
			recording_set(about, line, value);
			continue;
		}
		about->json = !strcmp(value, "json");
		known = about->json || !strcmp(value, "text");
	}
	return known ? NULL : "its header has no format that is known";
}
