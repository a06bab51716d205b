// SPDX-License-Identifier: GPL-2.0
/* The output that a keeper has kept, as a recording for a client or a file. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "json_text.h"
#include "keeper_frames.h"

void keeper_put_header(const struct recording_about *about, struct text_buffer *out)
{
	struct recording r = { .about = *about };

	recording_begin(&r);
	text_put(out, r.out.text, r.out.len);
	recording_free(&r);
}

/* Copy the next frame, with a NUL after it, for free(); NULL: there is none, or no memory. */
static char *frames_next(const struct kept_output *kept, struct kept_reader *r, size_t *size)
{
	char *frame;

	*size = kept_next_size(kept, r);
	frame = *size ? malloc(*size + 1) : NULL;
	if (frame) {
		kept_copy(kept, r, frame);
		frame[*size] = '\0';
	}
	return frame;
}

/* The time of the next line; that of now if there is none. Recordings are merged by time. */
static int64_t frames_time(const struct kept_output *kept, struct kept_reader r)
{
	struct timespec now;
	int64_t time = -1;
	size_t size;
	char *frame;

	while (time < 0 && (frame = frames_next(kept, &r, &size))) {
		if (((struct ktap_frame *)frame)->channel == KTAP_CH_OUTPUT)
			sscanf(frame + sizeof(struct ktap_frame), "{\"time\":%" SCNd64, &time);
		free(frame);
	}
	if (time >= 0)
		return time;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* Say how many lines were overwritten before they were read. */
static void frames_report_loss(const struct kept_output *kept, const struct recording_about *about,
			       const struct kept_reader *reader, uint64_t n,
			       struct text_buffer *out)
{
	struct recording r = { .begun = true };
	char text[160], json[JSON_HEAD + 320];
	int len;

	len = snprintf(text, sizeof(text), "overwrote %" PRIu64 " older line%s of output: --keep SIZE keeps more than %zu bytes\n",
		       n, n == 1 ? "" : "s", kept->size);
	recording_add(&r, KTAP_CH_NOTE, text, len);
	if (about->json) {
		len = snprintf(json, sizeof(json),
			       "{\"time\":%" PRId64 ",\"type\":\"loss\",\"count\":%" PRIu64 ",\"text\":\"%.*s\"}\n",
			       frames_time(kept, *reader), n, len - 1, text);
		recording_add_output(&r, json, len);
	}
	text_put(out, r.out.text, r.out.len);
	recording_free(&r);
}

void keeper_put_frames(const struct kept_output *kept, const struct recording_about *about,
		       struct kept_reader *r, size_t most, struct text_buffer *out)
{
	uint64_t skipped = kept_skip(kept, r);
	size_t size;
	char *frame;

	if (skipped)
		frames_report_loss(kept, about, r, skipped, out);
	while (out->len < most && (frame = frames_next(kept, r, &size))) {
		text_put(out, frame, size);
		free(frame);
	}
	out->no_memory |= out->len < most && kept_next_size(kept, r);
}
