/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The guest sends frames to lab/run: a kind, a length and that many bytes. All use one
 * virtio port, which keeps their order. The status frame is the last one; its four bytes
 * are the command's exit status. Numbers are little endian.
 */
#ifndef LAB_FRAME_H
#define LAB_FRAME_H

#include <stdint.h>

#define FRAME_PORT	"lab.channel"
#define FRAME_MAX	32768

enum frame_kind {
	FRAME_OUT = 1,
	FRAME_ERR = 2,
	FRAME_STATUS = 3,
};

struct frame_head {
	uint32_t kind;		/* enum frame_kind */
	uint32_t len;		/* 0..FRAME_MAX */
};

#endif
