/* SPDX-License-Identifier: GPL-2.0 */
/* Parameters of the kernel's functions, and its types, from its type information (BTF). */
#ifndef KTAP_BTF_FILE_H
#define KTAP_BTF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct ktap_member_type;
struct ktap_type_part;

/**
 * struct btf_file - the types of the kernel or of one module
 * @module: its name, "vmlinux" is the kernel itself
 * @base: for a module the types of the kernel, whose numbers and names come first
 * @data: the bytes of the file
 * @types: offset in @data of each type
 * @first: number of the first type
 * @count: number of types
 * @strings: offset in @data of the names
 * @strings_len: bytes of the names
 * @first_string: number of the first byte of the names
 * @functions: numbers of the functions, sorted by name
 * @nfunctions: number of @functions
 * @next: another file that was read
 */
struct btf_file {
	char *module;
	const struct btf_file *base;
	char *data;
	uint32_t *types;
	uint32_t first;
	uint32_t count;
	uint32_t strings;
	uint32_t strings_len;
	uint32_t first_string;
	uint32_t *functions;
	uint32_t nfunctions;
	struct btf_file *next;
};

/* Get the types of a module; they are read once. Returns NULL if there are none. */
const struct btf_file *btf_open(struct btf_file **files, const char *module);

/* Find the type of a function; 0: it is unknown. */
uint32_t btf_function(const struct btf_file *f, const char *name);

/*
 * Print the parameters of a function in C, each on a line after @before, without
 * the first @skip ones.
 */
void btf_put_parameters(const struct btf_file *f, uint32_t function, unsigned int skip,
			const char *before, FILE *out);

/* Print the result of a function as a variable @name; nothing if it is void. */
void btf_put_result(const struct btf_file *f, uint32_t function, const char *name,
		    const char *before, FILE *out);

/*
 * Print the structures, unions and enumerations whose names match a pattern such as
 * "struct file*", as bpftrace does; with @details in C. False if there is none.
 */
bool btf_list_types(const struct btf_file *f, const char *pattern, bool details, FILE *out);

/*
 * Find the type of a member of the structure with the number @id, or of "struct NAME" or
 * "union NAME" if it is 0; see struct ktap_member_type.
 */
bool btf_member_type(const struct btf_file *f, const char *name, uint32_t id, const char *member,
		     struct ktap_member_type *type);

/* Get the name and type of a parameter of a function, from 0; false: it has fewer. */
bool btf_parameter_type(const struct btf_file *f, uint32_t function, unsigned int number,
			const char **name, struct ktap_member_type *type);

/* Find the part @i of a type, see ktap_part_fn. */
bool btf_part(const struct btf_file *f, const char *name, uint32_t id, unsigned int i,
	      struct ktap_type_part *part);

void btf_free(struct btf_file *files);

#endif
