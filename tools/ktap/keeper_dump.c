// SPDX-License-Identifier: GPL-2.0
/* Files with the output that a keeper has kept: dump() of a script, SIGUSR1. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keeper_dump.h"
#include "keeper_frames.h"
#include "signals.h"

#define DUMP_PIECE	65536	/* bytes that are written at once */

void keeper_dump_request(struct keeper_dump *d, const char *reason, size_t len)
{
	if (len > sizeof(d->due) - 1)
		len = sizeof(d->due) - 1;
	/* a message has one line */
	for (size_t i = 0; i < len; i++)
		d->due[i] = (unsigned char)reason[i] < ' ' ? ' ' : reason[i];
	d->due[len] = '\0';
	d->is_due = true;
	d->due_has_news = d->news;
}

void keeper_dump_add(struct keeper_dump *d, const char *reason, size_t len, bool whole)
{
	text_put(&d->reason, reason, len);
	if (!whole)
		return;
	keeper_dump_request(d, d->reason.text, d->reason.len);
	d->reason.len = 0;
}

/* Add a message to what is kept. */
static void dump_report(struct keeper_dump *d, struct kept_output *kept, int err)
{
	char text[PATH_MAX + 512];
	int len;

	/* say once that a disk is full, or that nothing happens */
	if (err && err == d->failed)
		return;
	d->failed = err;
	if (err == EEXIST)
		len = snprintf(text, sizeof(text), "dump: not written: there are %s.1 to %s.%d; remove those that are not needed\n",
			       d->file, d->file, KEEPER_DUMPS);
	else if (err == ENODATA)
		len = snprintf(text, sizeof(text), "dump: not written, as no output came since %s.%u: %s\n",
			       d->file, d->written, d->last);
	else if (err)
		len = snprintf(text, sizeof(text), "dump: cannot write %s.%u: %s\n", d->file,
			       d->number, strerror(err));
	else
		len = snprintf(text, sizeof(text), "dump: wrote %s.%u: %s\n", d->file, d->number,
			       d->last);
	if (len >= (int)sizeof(text))
		len = sizeof(text) - 1;
	text[len - 1] = '\n';
	kept_add(kept, KTAP_CH_NOTE, text, len);
}

/* The name of the file; false if it is too long. */
static bool dump_path(const struct keeper_dump *d, char *path)
{
	return snprintf(path, PATH_MAX, "%s.%u", d->file, d->number) < PATH_MAX;
}

/* Make the next file, which must not exist. */
static int dump_open(struct keeper_dump *d)
{
	char path[PATH_MAX];
	int fd = -1;

	errno = EEXIST;
	for (d->number = 1; d->number <= KEEPER_DUMPS; d->number++) {
		if (!dump_path(d, path)) {
			errno = ENAMETOOLONG;
			break;
		}
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd >= 0 || errno != EEXIST)
			break;
	}
	return fd;
}

static int dump_write(int fd, struct text_buffer *out)
{
	size_t at = 0;

	if (out->no_memory)
		return -ENOMEM;
	while (at < out->len) {
		ssize_t n = write(fd, out->text + at, out->len - at);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			at += n;
	}
	out->len = 0;
	return 0;
}

/* Write the file. Returns 0 or -errno. */
static int dump_run(const struct keeper_dump *d, const struct kept_output *kept,
		    const struct recording_about *about, int fd)
{
	struct kept_reader reader = d->reader;
	struct recording end = { .begun = true };
	struct text_buffer out = {};
	char text[sizeof(d->last) + 16];
	int err;

	keeper_put_header(about, &out);
	do {
		err = dump_write(fd, &out);
		keeper_put_frames(kept, about, &reader, DUMP_PIECE, &out);
	} while (!err && (out.len || out.no_memory));
	recording_add(&end, KTAP_CH_NOTE, text,
		      snprintf(text, sizeof(text), "dump: %s\n", d->last));
	if (!d->ended)
		recording_end(&end, 0);
	err = err ?: dump_write(fd, &end.out);
	return err ?: close(fd) ? -errno : 0;
}

/*
 * The process that writes: it has a copy of all that was kept. It goes on if the keeper is killed,
 * and must not keep clients, the runner or the name of the session waiting.
 */
static void dump_write_file(const struct keeper_dump *d, const struct kept_output *kept,
			    const struct recording_about *about, int fd)
{
	signals_reset();
	signal(SIGUSR1, SIG_IGN);
	signals_unblock();
	if (dup2(fd, STDOUT_FILENO) < 0)
		_exit(errno);
	syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
	_exit(-dump_run(d, kept, about, STDOUT_FILENO));
}

static void dump_begin(struct keeper_dump *d, struct kept_output *kept,
		       const struct recording_about *about)
{
	char path[PATH_MAX];
	int fd;

	memcpy(d->last, d->due, sizeof(d->last));
	d->is_due = false;
	if (d->written && !d->due_has_news) {
		dump_report(d, kept, ENODATA);
		return;
	}
	fd = dump_open(d);
	if (fd < 0) {
		dump_report(d, kept, errno);
		return;
	}
	d->writer = fork();
	if (!d->writer)
		dump_write_file(d, kept, about, fd);
	close(fd);
	if (d->writer < 0) {
		d->writer = 0;
		dump_report(d, kept, errno);
		if (dump_path(d, path))
			unlink(path);
		return;
	}
	d->next = (struct kept_reader){ .at = kept->head, .line = kept->lines };
	d->news = false;
}

/* Has the writer ended? If it failed, the next file has what this one should have. */
static void dump_end(struct keeper_dump *d, struct kept_output *kept)
{
	char path[PATH_MAX];
	int status, err;
	pid_t pid = waitpid(d->writer, &status, WNOHANG);

	if (!pid || (pid < 0 && errno == EINTR))
		return;
	d->writer = 0;
	err = pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
	if (!err) {
		d->reader = d->next;
		d->written = d->number;
	} else if (dump_path(d, path)) {
		unlink(path);
		d->news = true;
		d->due_has_news = true;
	}
	dump_report(d, kept, err);
}

void keeper_dump_step(struct keeper_dump *d, struct kept_output *kept,
		      const struct recording_about *about)
{
	if (d->writer)
		dump_end(d, kept);
	if (!d->writer && d->is_due)
		dump_begin(d, kept, about);
}
