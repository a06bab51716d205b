/* SPDX-License-Identifier: GPL-2.0 */
/* Interface of the compiler for the programs ktapc and ktap. */
#ifndef KTAP_COMPILE_H
#define KTAP_COMPILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct ktap_script {
	const char *name;	/* as messages show it */
	const char *text;	/* may lack a final NUL */
	size_t len;
	bool built_in;		/* written.c made it: the chunk has no copy of its text */
	uint64_t id[2];		/* identifies the file under all of its names; 0: not a file */
};

/*
 * Read the text and id of a file, not its name; free the text with free().
 * Returns 0 or a negative errno.
 */
typedef int (*ktap_read_fn)(void *ctx, const char *path, struct ktap_script *file);

/**
 * enum ktap_bpftrace_output - what a script of bpftrace prints
 * @KTAP_BPFTRACE_PLAIN: its text
 * @KTAP_BPFTRACE_TEXT: also the empty lines that bpftrace prints before the maps at the end
 * @KTAP_BPFTRACE_JSON: what becomes the JSON of bpftrace
 */
enum ktap_bpftrace_output { KTAP_BPFTRACE_PLAIN, KTAP_BPFTRACE_TEXT, KTAP_BPFTRACE_JSON };

/**
 * enum ktap_user_frame - how a frame of a program is shown
 * @KTAP_FRAME_KTAP: NAME+0xOFFSET (FILE)
 * @KTAP_FRAME_BPFTRACE: NAME+OFFSET
 * @KTAP_FRAME_PERF: ADDRESS NAME+OFFSET (PATH)
 * @KTAP_FRAME_RAW: ADDRESS, which is the one in the file
 * @KTAP_FRAME_BUILD_ID: the identifier of the file, and the offset in it
 * @KTAP_FRAME_NAME: NAME
 */
enum ktap_user_frame {
	KTAP_FRAME_KTAP, KTAP_FRAME_BPFTRACE, KTAP_FRAME_PERF, KTAP_FRAME_RAW,
	KTAP_FRAME_BUILD_ID, KTAP_FRAME_NAME,
};

/**
 * struct ktap_bpftrace_probes - what a script of bpftrace traces, and how it is shown
 * @events: number of events that the kernel attaches, each pattern as one
 * @others: BEGIN and END
 * @frames: of ustack
 * @several_frames: marks in the output say which ones each stack has
 * @lines: these have lines of source files
 * @cat_bytes: bytes that cat() shows of a file; 0: all
 * @params: the number of arguments that the kinds of events take
 * @of_process: all events belong to a process, as functions of programs do, or are ticks
 * @signals: SIGUSR1 to the program ktap is an event
 */
struct ktap_bpftrace_probes {
	unsigned int events, others;
	enum ktap_user_frame frames;
	bool several_frames;
	bool lines;
	bool of_process;
	uint64_t cat_bytes;
	unsigned int params;
	bool signals;
};

/**
 * enum ktap_event_state - is there an event of bpftrace?
 * @KTAP_EVENT_EXISTS: yes, or it is not known
 * @KTAP_EVENT_MISSING: no
 * @KTAP_EVENT_NO_MODULE: its module is not loaded
 */
enum ktap_event_state { KTAP_EVENT_EXISTS, KTAP_EVENT_MISSING, KTAP_EVENT_NO_MODULE };

/* Look for KIND:REST, for example "tracepoint" and "sched:sched_switch". */
typedef enum ktap_event_state (*ktap_event_fn)(void *ctx, const char *kind, const char *rest);

/**
 * struct ktap_member_type - the type of a member of a structure of the kernel
 * @name: "uint16", "bool", "struct sock"; "": it has none
 * @number: of a structure: for the next question about it; 0: it is none
 * @stars: how often it is a pointer
 * @count: elements, 0: it is no array
 */
struct ktap_member_type {
	char name[128];
	uint32_t number;
	unsigned int stars;
	unsigned int count;
};

/*
 * Find a member of the structure with that number, or with that name if it is 0; or a field of
 * the tracepoint "SYSTEM/EVENT", or a parameter of the function "NAME()". False: it is not known.
 */
typedef bool (*ktap_member_fn)(void *ctx, const char *name, uint32_t number, const char *member,
			       struct ktap_member_type *type);

/*
 * Get the name and type of a parameter of "FUNCTION" or "MODULE:FUNCTION" of the kernel, from 0,
 * or the name of a field of the tracepoint "SYSTEM/EVENT", "" if it is an array. False: it has
 * fewer, or is not known.
 */
typedef bool (*ktap_parameter_fn)(void *ctx, const char *function, unsigned int number,
				  const char **name, struct ktap_member_type *type);

/**
 * struct ktap_type_part - a part of a structure, a union or an enumeration of the kernel
 * @name: of the member or of the enumerator; "": it has none
 * @value: the number of an enumerator
 * @number: of the type, for the next question about it
 */
struct ktap_type_part {
	char name[128];
	int64_t value;
	uint32_t number;
};

/*
 * Find the part @i of the type with that number, or with that name, as "enum NAME", if it is 0.
 * False: the type has no more, or is not known.
 */
typedef bool (*ktap_part_fn)(void *ctx, const char *name, uint32_t number, unsigned int i,
			     struct ktap_type_part *part);

/**
 * enum ktap_user_tag - what a name such as "struct x" is in the script
 * @KTAP_USER_TAG_FREE: nothing yet: it can be that of a program
 * @KTAP_USER_TAG_DECLARED: the script declares it
 * @KTAP_USER_TAG_TAKEN: it is a type of the kernel somewhere in the script
 */
enum ktap_user_tag { KTAP_USER_TAG_FREE, KTAP_USER_TAG_DECLARED, KTAP_USER_TAG_TAKEN };

/**
 * struct ktap_user_query - a question about the types of a program
 * @event: "uprobe:PATH:FUNCTION"
 * @param: a parameter of that function; or NULL
 * @tag: otherwise a type by its name, "struct x", or "x" if that is a typedef of a structure
 * @symbol: otherwise a variable or function of the program
 * @number: otherwise an argument that a script can read, from 1 in the order of the source
 * @follows: does the script read a member of this name?  Only then the target of a member that
 *	is a pointer is needed
 * @tag_state: what is this name in the script?
 */
struct ktap_user_query {
	const char *event;
	const char *param;
	const char *tag;
	const char *symbol;
	unsigned int number;
	bool (*follows)(void *ctx, const char *member);
	enum ktap_user_tag (*tag_state)(void *ctx, const char *tag);
	void *ctx;
};

/**
 * struct ktap_user_type - the answer
 * @name: the type as it is declared, "struct x", "int" or "void"
 * @stars: how often it is a pointer
 * @declarations: what has to be declared in C before it is used, and was not declared before
 * @error: why it cannot be declared, a sentence about the program; or NULL
 * @param: the parameter
 * @offset: of a symbol: from the instruction of the event to its address; it is a pointer
 */
struct ktap_user_type {
	const char *name;
	unsigned int stars;
	const char *declarations;
	const char *error;
	const char *param;
	int64_t offset;
};

/* False: it is not known. The answer lives as long as the context. */
typedef bool (*ktap_user_type_fn)(void *ctx, const struct ktap_user_query *query,
				  struct ktap_user_type *type);

struct ktap_compile_opts {
	bool werror;		/* warnings are errors */
	bool nowarn;		/* no warnings */
	bool bpftrace;		/* the script is one of bpftrace */
	const char *tool;	/* the name of the program that runs it, or NULL */
	enum ktap_bpftrace_output bpftrace_output;
	struct ktap_bpftrace_probes *bpftrace_probes;	/* is set, unless NULL */
	const char *bpftrace_filter;	/* a regular expression: only these events; or NULL */
	int64_t bpftrace_tracer;	/* the process that shows the output, or 0 */
	bool bpftrace_inner;	/* ktap is not in the first namespace of processes */
	int64_t bpftrace_command;	/* the process of the command that is traced, or 0 */
	bool bpftrace_limit;	/* events that belong to a process are those of that one */
	const char *const *bpftrace_includes;	/* files before it, NULL-terminated; or NULL */
	char *const *bpftrace_args;	/* its arguments, NULL-terminated; NULL: not known */
	bool bpftrace_unsafe;	/* it was run with --unsafe */
	ktap_event_fn event_state;	/* looks for events of bpftrace; or NULL */
	void *event_ctx;
	ktap_member_fn member_type;	/* knows the types of the kernel; or NULL */
	ktap_part_fn type_part;		/* so do these; or NULL */
	ktap_parameter_fn parameter_type;
	void *member_ctx;
	ktap_user_type_fn user_type;	/* knows the types of programs; or NULL */
	void *user_ctx;
	FILE *diag;		/* for messages */
	const char * const *folders;	/* from -I, NULL-terminated; or NULL */
	ktap_read_fn read;	/* reads included files; NULL: ktap_read_file() */
	void *read_ctx;
};

/* A ktap_read_fn that reads files; "-" is standard input. */
int ktap_read_file(void *ctx, const char *path, struct ktap_script *file);

/* Describe an error of ktap_read_file(). Valid until the next call. */
const char *ktap_read_error(int err);

/*
 * Compile a script. Returns the chunk, to be freed with free(), and its length;
 * or NULL after printing at least one error.
 */
void *ktap_compile(const struct ktap_script *src,
		   const struct ktap_compile_opts *opts, size_t *len);

/*
 * Format a script in the canonical layout. Returns the NUL-terminated text, to
 * be freed with free(), and its length; or NULL after printing at least one
 * error.
 */
char *ktap_format(const struct ktap_script *src,
		  const struct ktap_compile_opts *opts, size_t *len);

/*
 * Write a script of bpftrace in ktap's language, in the canonical layout. Returns as
 * ktap_format() does.
 */
char *ktap_from_bpftrace(const struct ktap_script *src, const struct ktap_compile_opts *opts,
			 size_t *len);

/* An event of a script of bpftrace, KIND:REST as it is written, but the kind in its long form */
typedef void (*ktap_listed_fn)(void *ctx, const char *kind, const char *rest);

/* Call @fn for each event of a script of bpftrace; false after errors. */
bool ktap_bpftrace_events(const struct ktap_script *src, const struct ktap_compile_opts *opts,
			  ktap_listed_fn fn, void *ctx);

/*
 * The kernel has refused a script of bpftrace: report events that do not exist. Returns false if
 * there is none.
 */
bool ktap_bpftrace_explain(const struct ktap_script *src, const struct ktap_compile_opts *opts);

/* Is it the name of a script of bpftrace (.bt)? NULL is none. */
bool ktap_is_bpftrace(const char *name);

/*
 * Print the tree of a script and the bindings of its names. Returns 0, or -1
 * after printing only errors.
 */
int ktap_dump_ast(FILE *out, const struct ktap_script *src,
		  const struct ktap_compile_opts *opts);

/*
 * Print a chunk in readable form. Accepts any bytes; returns 0, or -1 after a
 * message on stderr if they are not a chunk.
 */
int ktap_disassemble(FILE *out, const void *chunk, size_t len);

/* Do the bytes begin like a chunk? */
bool ktap_is_chunk(const void *data, size_t len);

/*
 * Print the script line of a position from the source text in the chunk, and a
 * caret below it; nothing if the chunk does not have that line.
 */
void ktap_show_position(FILE *out, const void *chunk, size_t len,
			const char *file, unsigned int line, unsigned int col);

#endif
