/* SPDX-License-Identifier: GPL-2.0 */
/* Files with the output that a keeper has kept: dump() of a script, SIGUSR1. */
#ifndef KTAP_KEEPER_DUMP_H
#define KTAP_KEEPER_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "kept_output.h"
#include "recording.h"
#include "text_buffer.h"

/* Files that are not removed stop further ones, so that a script does not fill the disk. */
#define KEEPER_DUMPS	16

/**
 * struct keeper_dump - what was dumped, and what is due
 * @file: the files are @file.1, @file.2, ..., each a recording; NULL: there are none
 * @reader: what they have
 * @next: what they have when @writer has written
 * @reason: a reason that is not complete yet
 * @due: the last reason of a dump that is due
 * @is_due: it is
 * @due_has_news: when it was requested, something had been kept since the last file
 * @news: something was kept since the last file
 * @ended: the session has ended: the end of the recording is kept as well
 * @writer: the process that writes a file; 0 if none does
 * @number: of the last file that was tried
 * @written: of the last one that was written; 0: none
 * @last: reason of the last one that was tried
 * @failed: error number of the last message; 0 if the file was written
 */
struct keeper_dump {
	const char *file;
	struct kept_reader reader;
	struct kept_reader next;
	struct text_buffer reason;
	char due[256];
	bool is_due;
	bool due_has_news;
	bool news;
	bool ended;
	pid_t writer;
	unsigned int number;
	unsigned int written;
	char last[256];
	int failed;
};

/* A dump is due. */
void keeper_dump_request(struct keeper_dump *d, const char *reason, size_t len);

/* The same in parts: it is due when the reason is @whole. */
void keeper_dump_add(struct keeper_dump *d, const char *reason, size_t len, bool whole);

/*
 * Begin a dump that is due, in a process of its own, and look after the last one: SIGCHLD says
 * that it has ended. It has what was kept since the one before. Messages go to @kept.
 */
void keeper_dump_step(struct keeper_dump *d, struct kept_output *kept,
		      const struct recording_about *about);

#endif
