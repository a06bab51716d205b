/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames of user stacks, and the files that contain their code.
 */
#ifndef _KTAP_USTACK_FILE_H
#define _KTAP_USTACK_FILE_H

#include <linux/types.h>

#include "data/lock.h"
#include "vm/value.h"

struct ktap_env;

/**
 * DOC: Frames of user stacks
 *
 * The blob of a KTAP_USTACK, and of a KTAP_USYM, is an array of 64-bit words, on
 * 32-bit machines too:
 *
 * - 0, then 63 bits: an address.
 * - 10, then 14 bits: a file, as an index in the session's table; then 48 bits: an
 *   offset in it.  The same code has the same word wherever a process has mapped it,
 *   so that the same stack in several processes, and in several runs, is one key.
 * - 11, then 62 bits: not a frame, but the process that the addresses belong to.  It
 *   is the last word, and exists only if there is an address.
 *
 * The first frame is where the thread was.  The others are return addresses: each is
 * after its call.
 *
 * The first event that finds a file adds it to the table.  The name of the file is
 * found later, in process context (ustack_name.c).
 */

/* Can mappings be read without their lock?  Otherwise all frames are addresses. */
#define KTAP_FINDS_USER_FILES	(IS_ENABLED(CONFIG_PER_VMA_LOCK) || !IS_ENABLED(CONFIG_SMP))

/* Maximum number of files of a session */
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
 * struct ktap_ustack_file_key - identifies a file, whatever its name is
 * @ino: inode; file systems of servers may have 0, too
 * @dev: its device; 0: the code that the kernel itself maps into processes (vdso)
 * @generation: of the inode number; vdso: bytes of a pointer
 * @inode: the address of the inode, if several files of the file system may have all of
 *	the above in common; otherwise 0.  The address changes if the inode leaves memory
 *	and comes back
 */
struct ktap_ustack_file_key {
	u64 ino;
	u32 dev;
	u32 generation;
	unsigned long inode;
};

static inline bool ktap_ustack_is_vdso(const struct ktap_ustack_file_key *key)
{
	return !key->dev;
}

/**
 * enum ktap_ustack_file_state - progress of finding a file's name
 * @KTAP_UFILE_NEW: there is no reference to the file
 * @KTAP_UFILE_TAKEN: a handler is taking a reference, or has taken it
 * @KTAP_UFILE_KNOWN: &ktap_ustack_file.path is final
 */
enum ktap_ustack_file_state {
	KTAP_UFILE_NEW,
	KTAP_UFILE_TAKEN,
	KTAP_UFILE_KNOWN,
};

/**
 * struct ktap_ustack_file - a file with code that programs run
 * @key: identifies it
 * @state: enum ktap_ustack_file_state
 * @file: a reference to it, between TAKEN and KNOWN
 * @sure: @file is certainly the file that has this @key
 * @path: its name, control bytes as \ooo; NULL if it could not be found
 * @build_id: of its ELF notes
 * @build_id_len: bytes of @build_id
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
 * @lock: serializes additions
 * @n: number of @files; a file is complete before it is counted, and is never removed
 * @slots: open hash: index in @files plus 1, or 0
 * @files: the files
 *
 * A lookup takes no lock.
 */
struct ktap_ustack_files {
	struct ktap_lock lock;
	u32 n;
	u16 slots[2 * KTAP_MAX_UFILES];
	struct ktap_ustack_file files[KTAP_MAX_UFILES];
};

/* For env.c: allocate the table if the program needs it.  Context: process.  0 or -ENOMEM. */
int ktap_ustack_files_init(struct ktap_env *env);
void ktap_ustack_files_destroy(struct ktap_env *env);

/**
 * ktap_ustack_file_get() - Find a file in the table, or add it
 * @files: the table
 * @key: the file
 *
 * Context: any.
 * Return: its index; -ENOSPC: the table is full; -EBUSY: this CPU already holds a lock of
 * ktap.
 */
int ktap_ustack_file_get(struct ktap_ustack_files *files, const struct ktap_ustack_file_key *key);

/*
 * ustack_name.c: wait until the name of a file of the table is known, or is known to be
 * unavailable.  Context: process, sleeps.
 */
void ktap_ustack_file_wait(const struct ktap_env *env, u32 number);

#endif /* _KTAP_USTACK_FILE_H */
