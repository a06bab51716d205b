/* SPDX-License-Identifier: GPL-2.0 */
/* Contents of ELF files: segments, symbols, markers, build ids. */
#ifndef KTAP_ELF_FILE_H
#define KTAP_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler/pool.h"

#define MAX_BUILD_ID	64

/**
 * struct elf_segment - bytes of the file that are mapped at run time
 * @addr: link-time address
 * @offset: offset in the file
 * @size: bytes in the file
 * @exec: the segment is executable
 */
struct elf_segment {
	uint64_t addr;
	uint64_t offset;
	uint64_t size;
	bool exec;
};

/**
 * struct elf_symbol - a named address
 * @name: its name without version
 * @addr: address of a probe of it
 * @size: in bytes, 0 if unknown
 * @type: STT_* of a function or of data
 * @rank: the lowest rank is the best name of an address
 * @unprobed: the kernel would damage it by a probe: its instructions are Thumb or microMIPS, or
 *	it begins with a system call that must not be executed elsewhere
 * @skipped: bytes before @addr, at which debug information has the function: on powerpc, calls
 *	from the same program skip its first instructions
 * @no_return: why its return cannot be probed, or NULL
 */
struct elf_symbol {
	const char *name;
	uint64_t addr;
	uint64_t size;
	uint8_t type;
	uint8_t rank;
	uint8_t skipped;
	bool unprobed;
	const char *no_return;
};

/**
 * struct elf_marker - one address of a static marker
 * @semaphore: address of its counter of listeners, 0 if it has none
 * @args: its arguments in the syntax of the assembler
 */
struct elf_marker {
	const char *provider;
	const char *name;
	const char *args;
	uint64_t addr;
	uint64_t semaphore;
};

/**
 * struct elf_file - an ELF file
 * @path: path by which it was opened
 * @machine: EM_*
 * @fixed: link-time addresses are those at run time
 * @entry: its entry point, 0 if it has none
 * @functions: functions, sorted by address and rank; see elf_read_symbols()
 * @objects: data, sorted by name
 * @markers: see elf_read_markers()
 * @marker_base: address of the section that markers are relative to, or 0
 * @handle: handle of libelf, NULL after elf_file_done()
 *
 * All strings live as long as the file.
 */
struct elf_file {
	struct pool pool;
	char *path;
	unsigned int machine;
	bool big_endian;
	bool fixed;
	uint64_t entry;
	unsigned char build_id[MAX_BUILD_ID];
	size_t build_id_len;
	struct elf_segment *segments;
	unsigned int nsegments;
	struct elf_symbol *functions;
	unsigned int nfunctions;
	unsigned int max_functions;
	struct elf_symbol *objects;
	unsigned int nobjects;
	unsigned int max_objects;
	struct elf_marker *markers;
	unsigned int nmarkers;
	unsigned int max_markers;
	bool has_markers;
	uint64_t marker_base;
	void *handle;
	int fd;
};

/* Are files read? Without libelf none is, and what comes after reading one is not built. */
#ifdef HAVE_LIBELF
#define ELF_CAN_READ true
#else
#define ELF_CAN_READ false
#endif

/*
 * Open @path. Returns NULL on failure, with a reason in @why that continues a
 * sentence after the name of the file.
 */
struct elf_file *elf_file_open(const char *path, const char **why);

/*
 * Read the symbols of the file, of its .gnu_debugdata, and of its debug file,
 * which is searched below @root first.
 */
void elf_read_symbols(struct elf_file *f, const char *root);
void elf_read_markers(struct elf_file *f);

/* Close the file; what was read remains valid. */
void elf_file_done(struct elf_file *f);
void elf_file_close(struct elf_file *f);

/* Is the file for this machine? */
bool elf_is_native(const struct elf_file *f);
const char *elf_machine_name(unsigned int machine);

/* Returns false if the address is in no segment of the file. */
bool elf_addr_to_offset(const struct elf_file *f, uint64_t addr, bool exec, uint64_t *offset);
bool elf_offset_to_addr(const struct elf_file *f, uint64_t offset, uint64_t *addr);

/*
 * Find the function that contains @addr, by its best name; NULL if there is
 * none.
 */
const struct elf_symbol *elf_function_at(const struct elf_file *f, uint64_t addr);

/* Read a number of @size bytes. */
uint64_t elf_number(const unsigned char *p, size_t size, bool big_endian);

/*
 * From the address of a function in debug information to that of its probe, and back. Other
 * addresses remain.
 */
uint64_t elf_probe_of_entry(const struct elf_file *f, uint64_t addr);
uint64_t elf_entry_of_probe(const struct elf_file *f, uint64_t addr);

/*
 * The reason why the return of the function at @addr cannot be probed, or NULL.
 */
const char *elf_no_return_at(const struct elf_file *f, uint64_t addr);

/* Find data by name; NULL if there is none. */
const struct elf_symbol *elf_object(const struct elf_file *f, const char *name, size_t len);

/*
 * elf_debug.c: find the debug file with this build id, below @root or in our
 * own file system, or NULL.
 */
struct elf_file *elf_debug_file(const unsigned char *build_id, size_t len, const char *root);

/*
 * elf_debug.c: search also these folders, with colons between, before all others. The text is not
 * copied. False if there are too many.
 */
bool elf_add_debug_folders(const char *dirs);

/* elf_symbols.c: add the symbols of an open file or image to those of @f. */
void elf_add_symbols(struct elf_file *f, void *handle);

#endif
