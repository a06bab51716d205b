/* SPDX-License-Identifier: GPL-2.0 */
/* One session with the kernel, through ktap/session of tracefs. */
#ifndef KTAP_SESSION_H
#define KTAP_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <linux/ktap.h>

/**
 * struct session - an open ktap/session
 * @dir: the directory ktap/ of tracefs
 * @fd: the open file, -1 if there is none
 * @framed: what is read are frames, no longer plain text
 * @buf: what was read and not yet taken
 * @begin: first byte of @buf that was not taken
 * @end: behind the last byte of @buf
 * @head: the header of the frame that is being read
 * @head_len: bytes of @head that have come
 * @left: bytes of the frame that were not yet taken
 */
struct session {
	char *dir;
	int fd;
	bool framed;
	char buf[65536];
	size_t begin;
	size_t end;
	struct ktap_frame head;
	size_t head_len;
	uint32_t left;
};

/**
 * struct piece - a part of a frame
 * @channel: enum ktap_channel
 * @data: its bytes, inside the session's buffer
 * @len: their number
 * @last: with them the frame is complete
 */
struct piece {
	enum ktap_channel channel;
	const char *data;
	size_t len;
	bool last;
};

/* The directory of tracefs, or NULL if it is not mounted. */
const char *session_tracefs(void);

/* The message that there is no tracefs; @tracefs is where it should be, or NULL. */
void session_no_tracefs(const char *tracefs);

/*
 * Open a session and ask for frames.  Returns false after a message on stderr
 * that says why not and what to do.
 */
bool session_open(struct session *s);

/* Write lines of set-up, without the last newline; 0 or a negative errno. */
int session_setup(struct session *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Write the chunk: when this returns 0, everything is attached.  Otherwise a
 * negative errno, and the next piece may say what was wrong.
 */
int session_load(struct session *s, const void *chunk, size_t len);

/* Ask the session to end; its last output is still to be read. */
void session_stop(struct session *s);

/*
 * Read what there is into an empty buffer, without waiting once the session is
 * loaded: bytes read, 0 at the end, or a negative errno.
 */
ssize_t session_read(struct session *s);

/* The next piece of what was read; false if another session_read() is needed. */
bool session_peek(struct session *s, struct piece *piece);

/* Take the first @len bytes of the piece that session_peek() gave. */
void session_take(struct session *s, size_t len);

/*
 * Copy the lines of ktap/sessions that are about this session to @out (if not
 * NULL).  Returns whether it runs, or -1 if the file does not tell.
 */
int session_status(const struct session *s, FILE *out);

/*
 * Check that @chunk is whole and that this kernel knows its version; false
 * after a message on stderr.
 */
bool session_accepts(const struct session *s, const char *name, const void *chunk, size_t len);

void session_close(struct session *s);

#endif
