// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions that the kernel has begun at boot. Their files return text, so no other form of
 * output can be made of it, and no exit code is known.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "boot_session.h"
#include "compiler/clean_text.h"
#include "session_file.h"

int boot_session_open(const char *name)
{
	const char *tracefs = session_tracefs();
	char path[4096];
	int fd;

	if (!tracefs)
		return -ENOENT;
	snprintf(path, sizeof(path), "%s/ktap/boot/%s", tracefs, name);
	fd = open(path, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* The option that asks for something else than text, or NULL */
static const char *boot_session_form(const struct options *opts)
{
	if (opts->format && strcmp(opts->format, "text"))
		return "-f";
	if (opts->flame)
		return "--flame";
	if (opts->record)
		return "--record";
	return opts->shows ? options_showing(opts) : NULL;
}

/* Copy all that is and will be there; false after a message. */
static bool boot_session_copy(int fd, FILE *out, const char *name)
{
	char buf[65536];
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf)))) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			fprintf(stderr, "ktap: error: cannot read the session '%s': %s\n", name,
				strerror(errno));
			return false;
		}
		if (fwrite(buf, 1, n, out) != (size_t)n || fflush(out)) {
			fprintf(stderr, "ktap: error: cannot write the output: %s\n",
				strerror(errno));
			return false;
		}
	}
	return true;
}

int boot_session_show(const struct options *opts, int fd, const char *name)
{
	const char *form = boot_session_form(opts);
	FILE *out = stdout;
	bool good;

	if (form) {
		fprintf(stderr,
			"ktap: error: the session '%s' began at boot, and has only text: attach to it without %s\n",
			name, form);
		close(fd);
		return 2;
	}
	if (opts->output && strcmp(opts->output, "-"))
		out = fopen(opts->output, "we");
	if (!out) {
		fprintf(stderr, "ktap: error: cannot open %s: %s\n", opts->output, strerror(errno));
		close(fd);
		return 2;
	}
	/* a session that has ended ignores it */
	if (opts->stop && write(fd, "stop\n", strlen("stop\n")) < 0)
		fprintf(stderr, "ktap: error: cannot stop the session '%s': %s\n", name,
			strerror(errno));
	good = boot_session_copy(fd, out, name);
	close(fd);
	if (out != stdout && fclose(out) && good) {
		fprintf(stderr, "ktap: error: cannot write %s: %s\n", opts->output,
			strerror(errno));
		good = false;
	}
	return good ? 0 : 1;
}

static void boot_session_list_line(const char *line, const char *name)
{
	long long lost, memory, s;
	char script[512], state[16];
	struct timespec now;

	if (sscanf(line, "%*s %*s %*s %511s %15s %*s lost=%lld memory=%lld", script, state, &lost,
		   &memory) < 4)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	s = now.tv_sec;
	printf("%-16s %-8s %7s %-7s %6lld:%02lld:%02lld", name, "(boot)", "-", state, s / 3600,
	       s / 60 % 60, s % 60);
	printf(" %9s %11lld %9s %8lldk ", "-", lost, "-", (memory + 1023) / 1024);
	put_clean(stdout, script, strlen(script));
	putchar('\n');
}

void boot_session_list(void)
{
	const char *tracefs = session_tracefs();
	char path[4096], *line = NULL, *found;
	size_t size = 0;
	FILE *f;

	if (!tracefs)
		return;
	snprintf(path, sizeof(path), "%s/ktap/sessions", tracefs);
	f = fopen(path, "re");
	while (f && getline(&line, &size, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		found = line[0] == ' ' ? NULL : strstr(line, " boot=");
		if (found && is_clean(found))
			boot_session_list_line(line, found + strlen(" boot="));
	}
	if (f)
		fclose(f);
	free(line);
}
