/* SPDX-License-Identifier: GPL-2.0 */
/* What ktap reads out of ELF files: segments, symbols, markers, build ids. */
#ifndef KTAP_ELF_FILE_H
#define KTAP_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

#define MAX_BUILD_ID	64

/**
 * struct elf_segment - bytes of the file that are mapped when it runs
 * @addr: address in the file's own view
 * @offset: of its first byte in the file
 * @size: bytes in the file
 * @exec: they are code
 */
struct elf_segment {
	uint64_t addr;
	uint64_t offset;
	uint64_t size;
	bool exec;
};

/**
 * struct elf_symbol - a named place
 * @name: without a version
 * @addr: where a probe of it is set
 * @size: bytes, 0 if the file does not say
 * @type: STT_*, of functions or of data
 * @rank: of several symbols at one address, the lowest is the best name
 * @short_code: of instructions in a shorter form, Thumb or microMIPS
 */
struct elf_symbol {
	const char *name;
	uint64_t addr;
	uint64_t size;
	uint8_t type;
	uint8_t rank;
	bool short_code;
};

/**
 * struct elf_marker - one place of a static marker
 * @semaphore: address of what counts those who listen, 0 if it has none
 * @args: its arguments as the assembler wrote them
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
 * @path: where it was opened
 * @machine: EM_*
 * @fixed: its addresses are those it has when it runs
 * @functions: functions, sorted by address and rank; see elf_read_symbols()
 * @objects: data, sorted by name
 * @markers: see elf_read_markers()
 * @marker_base: where the section is that markers are relative to, 0 if there is none
 * @handle: what the library knows of the open file, NULL when done
 *
 * All strings live as long as the file.
 */
struct elf_file {
	struct arena arena;
	char *path;
	unsigned int machine;
	bool big_endian;
	bool fixed;
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

/* Was this built with a library to read them? */
extern const bool elf_can_read;

/*
 * Open @path; NULL if that fails, and then @why says why, as the end of a
 * sentence that begins with the name of the file.
 */
struct elf_file *elf_file_open(const char *path, const char **why);

/*
 * Read the symbols of the file, of what it has packed away in .gnu_debugdata,
 * and of its debug file; @root is where the latter is looked for first.
 */
void elf_read_symbols(struct elf_file *f, const char *root);
void elf_read_markers(struct elf_file *f);

/* Nothing more is read from the file; what was read stays. */
void elf_file_done(struct elf_file *f);
void elf_file_close(struct elf_file *f);

/* Whether programs for this machine look like that. */
bool elf_is_native(const struct elf_file *f);
const char *elf_machine_name(unsigned int machine);

/* Returns false if the address is in no segment of the file. */
bool elf_addr_to_offset(const struct elf_file *f, uint64_t addr, bool exec, uint64_t *offset);
bool elf_offset_to_addr(const struct elf_file *f, uint64_t offset, uint64_t *addr);

/* The function that @addr is in, by its best name; NULL if there is none. */
const struct elf_symbol *elf_function_at(const struct elf_file *f, uint64_t addr);

/* Data of that name; NULL if there is none. */
const struct elf_symbol *elf_object(const struct elf_file *f, const char *name, size_t len);

/*
 * elf_debug.c: the debug file with this build id, below @root or in our own
 * file system, or NULL.
 */
struct elf_file *elf_debug_file(const unsigned char *build_id, size_t len, const char *root);

/* elf_symbols.c: adds the symbols of an open file or image to those of @f. */
void elf_add_symbols(struct elf_file *f, void *handle);

#endif
