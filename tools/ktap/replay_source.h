/* SPDX-License-Identifier: GPL-2.0 */
/* A recording that is being read, line by line. */
#ifndef KTAP_REPLAY_SOURCE_H
#define KTAP_REPLAY_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json_read.h"
#include "recording.h"
#include "report.h"
#include "session_file.h"

/**
 * struct replay_source - a recording
 * @name: its name in messages
 * @about: its header
 * @frames: reads its frames
 * @lines: joins lines that are in several frames
 * @report: shows its messages
 * @line: the present line in JSON, or piece of text
 * @time: of this line, in nanoseconds of its own clock
 * @shift: nanoseconds from its clock to that of the first recording
 * @hidden: number of the table of a variable that only --heatmap and --metrics show
 * @exit: the exit code, as far as it was received
 * @ended: the end of the session was received
 * @failed: nothing more can be read, and why is reported
 */
struct replay_source {
	const char *name;
	struct recording_about about;
	struct session frames;
	struct json_lines lines;
	struct report report;
	struct span line;
	int64_t time;
	int64_t shift;
	char hidden[24];
	uint32_t exit;
	bool ended;
	bool failed;
};

/* Begin to read; @fd is closed at the end. Returns false after a message. */
bool replay_source_open(struct replay_source *s, int fd, const char *name, bool quiet);

/*
 * Get the next line; false if the present input has no more. Messages before it are shown.
 */
bool replay_source_next(struct replay_source *s);

/* Read more input; false at the end, after a message if it is not that of the session. */
bool replay_source_read(struct replay_source *s);

void replay_source_close(struct replay_source *s);

#endif
