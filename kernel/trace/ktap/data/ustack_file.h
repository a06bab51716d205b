/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames of user stacks, and the files that they lie in.
 */
#ifndef _KTAP_USTACK_FILE_H
#define _KTAP_USTACK_FILE_H

#include <linux/types.h>

#include "data/lock.h"
#include "vm/value.h"

struct ktap_env;
struct ktap_text;

/**
 * DOC: Frames of user stacks
 *
 * The blob of a KTAP_USTACK, and of a KTAP_USYM, is an array of words of 64
 * bits, on 32-bit machines too:
 *
 * - 0, then 63 bits: an address.
 * - 10, then 14 bits: a file, by its place in the session's table; then 48 bits:
 *   an offset in it.  The same code has the same word wherever a process has
 *   mapped it, so that stacks of many processes, and of many runs, are one key.
 * - 11, then 62 bits: no frame, but the process that the addresses belong to.  It
 *   stands last, and only where there is an address.
 *
 * The first frame is where the thread was.  The others are where it returns to:
 * the call is in front of that.
 *
 * The table has a file from the first event on that met it.  Its name is found
 * out later, in process context (umap.c).
 */

/* Files of a session. */
#define KTAP_MAX_UFILES		1024

#define KTAP_BUILD_ID_MAX	20

#define KTAP_FRAME_FILE		BIT_ULL(63)
#define KTAP_FRAME_NOTE		(BIT_ULL(63) | BIT_ULL(62))
#define KTAP_FRAME_KINDS	(BIT_ULL(63) | BIT_ULL(62))
#define KTAP_FRAME_OFFSET	GENMASK_ULL(47, 0)

#define KTAP_FRAME_FILE_BITS	14

static_assert(KTAP_MAX_UFILES >> KTAP_FRAME_FILE_BITS == 0);

static inline bool ktap_frame_is_address(u64 frame)
{
	return !(frame & KTAP_FRAME_FILE);
}

static inline bool ktap_frame_is_file(u64 frame)
{
	return (frame & KTAP_FRAME_KINDS) == KTAP_FRAME_FILE;
}

static inline u64 ktap_frame_in_file(u32 file, u64 offset)
{
	return KTAP_FRAME_FILE | (u64)file << 48 | offset;
}

static inline u64 ktap_frame_process(u32 pid)
{
	return KTAP_FRAME_NOTE | pid;
}

/**
 * struct ktap_ustack_file_key - what tells one file from another, whatever its name is
 * @ino: inode; 0: the code that the kernel itself maps into processes (vdso)
 * @dev: its device
 * @generation: of the inode number; of the vdso the bytes of a pointer
 * @inode: where several files of a file system have all of these in common: the address
 *	of the inode, which is another one if it comes into memory again; else 0
 */
struct ktap_ustack_file_key {
	u64 ino;
	u32 dev;
	u32 generation;
	unsigned long inode;
};

/**
 * enum ktap_ustack_file_state - how far a file's name is found out
 * @KTAP_UFILE_NEW: nobody holds the file
 * @KTAP_UFILE_TAKEN: somebody gets hold of it, or has done
 * @KTAP_UFILE_KNOWN: &ktap_ustack_file.path is final
 */
enum ktap_ustack_file_state {
	KTAP_UFILE_NEW,
	KTAP_UFILE_TAKEN,
	KTAP_UFILE_KNOWN,
};

/**
 * struct ktap_ustack_file - a file that programs run code of
 * @key: which it is
 * @state: enum ktap_ustack_file_state
 * @file: it, with a reference, between TAKEN and KNOWN
 * @sure: it is the right one
 * @path: its name, control bytes as \ooo; NULL if nobody could tell
 * @build_id: of its ELF notes
 * @build_id_len: bytes of it
 */
struct ktap_ustack_file {
	struct ktap_ustack_file_key key;
	int state;
	void *file;
	bool sure;
	char *path;
	u8 build_id[KTAP_BUILD_ID_MAX];
	u8 build_id_len;
};

/**
 * struct ktap_ustack_files - the files of a session
 * @lock: between those who add one
 * @n: number of @files; one is complete before it is counted, and stays
 * @slots: open hash: place in @files from 1, or 0
 * @files: the files
 *
 * To look a file up takes no lock.
 */
struct ktap_ustack_files {
	struct ktap_lock lock;
	u32 n;
	u16 slots[2 * KTAP_MAX_UFILES];
	struct ktap_ustack_file files[KTAP_MAX_UFILES];
};

/* For env.c: if the program looks at user code.  Context: process.  0 or -ENOMEM. */
int ktap_ustack_files_init(struct ktap_env *env);
void ktap_ustack_files_destroy(struct ktap_env *env);

/**
 * ktap_ustack_file_get() - Finds a file in the table, or puts it there
 * @files: the table
 * @key: the file
 *
 * Context: any.
 * Return: its place; -ENOSPC: the table is full; -EBUSY: this CPU is inside of a lock
 * of ktap.
 */
int ktap_ustack_file_get(struct ktap_ustack_files *files, const struct ktap_ustack_file_key *key);

/* Of a stack: each frame on a line of its own.  Of a symbol: on this line. */
void ktap_text_ustack(struct ktap_text *t, const struct ktap_value *v);
void ktap_text_usym(struct ktap_text *t, const struct ktap_value *v);

/*
 * umap.c: waits until the name of a file of the table is known, or is known to
 * remain unknown.  Context: process, sleeps.
 */
void ktap_ustack_file_wait(const struct ktap_env *env, u32 place);

#endif /* _KTAP_USTACK_FILE_H */
