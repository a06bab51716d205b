/* SPDX-License-Identifier: GPL-2.0 */
/* A session with the kernel, through ktap/session of tracefs. */
#ifndef KTAP_SESSION_FILE_H
#define KTAP_SESSION_FILE_H

#include <pthread.h>
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
 * @framed: the input consists of frames, no longer of plain text
 * @buf: input that was read but not consumed
 * @begin: first byte of @buf that was not consumed
 * @end: end of the data in @buf
 * @head: the header of the frame that is being read
 * @head_len: bytes of @head that were read
 * @left: remaining bytes of the frame
 * @chunk: the chunk that is being loaded, or NULL
 * @chunk_len: its length
 * @loader: the thread that writes the chunk
 * @loaded: pipe on which it reports the end; -1 if there is none
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
	const void *chunk;
	size_t chunk_len;
	pthread_t loader;
	int loaded[2];
};

/**
 * struct piece - a part of a frame
 * @channel: enum ktap_channel
 * @data: its bytes, in the session's buffer
 * @len: their number
 * @last: it is the end of the frame
 */
struct piece {
	enum ktap_channel channel;
	const char *data;
	size_t len;
	bool last;
};

/* The directory of tracefs, or NULL if it is not mounted. */
const char *session_tracefs(void);

/*
 * Print that there is no tracefs; @tracefs is where it was expected, or NULL.
 */
void session_no_tracefs(const char *tracefs);

/*
 * Print advice about a file of tracefs that cannot be opened (EACCES or EPERM).
 */
void session_advise(const char *tracefs, int err);

/*
 * Open a session in framed mode. Returns false after a message on stderr with
 * the reason and advice.
 */
bool session_open(struct session *s);

/*
 * Write set-up lines; the last newline is added. Returns 0 or a negative errno.
 */
int session_setup(struct session *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Start to write the chunk in a thread; meanwhile the session can be read and
 * stopped. Returns 0 or a negative errno. session_loaded_fd() becomes readable
 * at the end.
 */
int session_load(struct session *s, const void *chunk, size_t len);

/* File descriptor for poll(); -1 if nothing is being loaded. */
int session_loaded_fd(const struct session *s);

/*
 * Finish loading: returns 0 if everything is attached. Otherwise a negative
 * errno, and a message may follow in the input.
 */
int session_loaded(struct session *s);

/* Get the number of attached events, and of all; false if unknown. */
bool session_attached(const struct session *s, unsigned int *done, unsigned int *all);

/* Tell the session to end; its last output must still be read. */
void session_stop(struct session *s);

/*
 * Read available data into the empty buffer, without blocking once the session
 * is loaded. Returns the number of bytes, 0 at the end, or a negative errno.
 */
ssize_t session_read(struct session *s);

/*
 * Get the next piece of the input; false if another session_read() is needed.
 */
bool session_peek(struct session *s, struct piece *piece);

/* Consume the first @len bytes of the piece of session_peek(). */
void session_take(struct session *s, size_t len);

/*
 * Copy the lines of ktap/sessions about this session to @out (if not NULL).
 * Returns whether it runs, or -1 if unknown.
 */
int session_status(const struct session *s, FILE *out);

/*
 * Check that @chunk is complete and that the kernel supports its version; false
 * after a message on stderr.
 */
bool session_accepts(const struct session *s, const char *name, const void *chunk, size_t len);

void session_close(struct session *s);

#endif
