/* SPDX-License-Identifier: GPL-2.0 */
/* Recordings of sessions: ktap --record writes them, ktap --replay reads them. */
#ifndef KTAP_RECORDING_H
#define KTAP_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/ktap.h>

#include "text_buffer.h"

#define RECORDING_MAGIC		"ktap-recording"
#define RECORDING_VERSION	1
#define RECORDING_HEADER	4096	/* most bytes of a header */

/**
 * struct recording_about - the header of a recording
 * @json: the output consists of lines of JSON
 * @script: name of the script
 * @host: name of the machine
 * @release: release of its kernel
 * @boot: id of its boot
 * @wall: nanoseconds of CLOCK_REALTIME when the recording began
 * @monotonic: those of CLOCK_MONOTONIC, the clock of the lines, at the same time
 * @interval: seconds after which the variables were printed for --heatmap and --metrics, or 0
 */
struct recording_about {
	bool json;
	char script[256];
	char host[65];
	char release[65];
	char boot[40];
	int64_t wall;
	int64_t monotonic;
	uint64_t interval;
};

/**
 * struct recording - a recording that is being written
 * @about: its header
 * @out: what is not written yet
 * @begun: the header was made
 * @lines: lines of output
 */
struct recording {
	struct recording_about about;
	struct text_buffer out;
	bool begun;
	unsigned long long lines;
};

/* Describe this machine and this time; @script: name of the script. */
void recording_init(struct recording *r, const char *script, bool json, uint64_t interval);

/* Add the header to &recording.out, unless it was added. */
void recording_begin(struct recording *r);

/* Add a frame to &recording.out. */
void recording_add(struct recording *r, enum ktap_channel channel, const char *data, size_t len);

/* The same for output; @recording: struct recording, as &output.convert wants it. */
void recording_add_output(void *recording, const char *data, size_t len);

/* Add the end of the session: a recording without it was cut. */
void recording_end(struct recording *r, uint32_t exit_code);

/*
 * Read the header of a recording. @fd is then at its first frame. Returns NULL, or what is
 * wrong: text that is valid until the next call.
 */
const char *recording_read(int fd, struct recording_about *about);

void recording_free(struct recording *r);

#endif
