/* SPDX-License-Identifier: GPL-2.0 */
/* The output that a keeper has kept, as a recording for a client or a file. */
#ifndef KTAP_KEEPER_FRAMES_H
#define KTAP_KEEPER_FRAMES_H

#include <stddef.h>

#include "kept_output.h"
#include "recording.h"
#include "text_buffer.h"

/* Add the header of a recording to @out. */
void keeper_put_header(const struct recording_about *about, struct text_buffer *out);

/*
 * Add the next frames, until @out has @most bytes or more; before them a message about the
 * lines that were overwritten since @r has read the last time.
 */
void keeper_put_frames(const struct kept_output *kept, const struct recording_about *about,
		       struct kept_reader *r, size_t most, struct text_buffer *out);

#endif
