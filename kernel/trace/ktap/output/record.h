/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records: output of print and printf in event context.
 */
#ifndef _KTAP_RECORD_H
#define _KTAP_RECORD_H

#include <linux/align.h>
#include <linux/seq_buf.h>
#include <linux/string.h>
#include <uapi/linux/ktap.h>

#include "vm/bytes.h"
#include "vm/value.h"

struct ktap_env;
struct ktap_vm;

enum ktap_record_type {
	KTAP_REC_PRINT,		/* arguments, separated by tabs, and a newline */
	KTAP_REC_PRINTF,	/* the first argument is the format */
	KTAP_REC_FORMAT,	/* printf with a split format of the program */
	KTAP_REC_TEXT,		/* one string, as it is */
	KTAP_REC_ERROR,		/* one string: a run-time error, for the error channel */
	KTAP_REC_CAT,		/* one string: a path, for the channel of files */
	KTAP_REC_SYSTEM,	/* one string: a command, for the channel of commands */
	KTAP_REC_DUMP,		/* one string: a reason, for the channel of dumps */
	KTAP_REC_TAP,		/* a line of a test; the first argument is its kind (tap.h) */
};

/* Maximum size of a record.  The ring buffer allows a little less than a page. */
#define KTAP_RECORD_MAX		3072

/* Room for the text of any record, unless it asks for wide columns. */
#define KTAP_RECORD_TEXT	(64 << 10)

/**
 * struct ktap_record - header of a record
 * @type: enum ktap_record_type
 * @nargs: number of struct ktap_record_arg that follow
 * @len: bytes, this header included
 * @format: KTAP_REC_FORMAT: index in &ktap_program.formats; KTAP_REC_TAP: the instruction;
 *	otherwise 0
 *
 * A record has no references except to files (ustack_file.h): stacks are addresses,
 * and an event is the data that &ktap_event_ops.save wrote.
 */
struct ktap_record {
	u8 type;
	u8 nargs;
	u16 len;
	u32 format;
};

/*
 * An argument: @len bytes, padded to 8.  A blob has its own length, others 8 or 0: it is
 * ignored for nil.
 */
struct ktap_record_arg {
	u32 tag;
	u32 len;
	u8 data[];
};

/* Return the size of a record with these arguments.  Context: any. */
size_t ktap_record_size(struct ktap_vm *vm, const struct ktap_value *args, unsigned int nargs);
/*
 * Write a record; @size is the result of ktap_record_size().  Strings that do not fit
 * are cut, end in "..." and are counted.
 */
void ktap_record_write(struct ktap_vm *vm, struct ktap_record *rec, size_t size,
		       enum ktap_record_type type, const struct ktap_value *args,
		       unsigned int nargs);

/* Return the space for blobs that the fixed parts of a record leave. */
static inline size_t ktap_record_room(unsigned int nargs)
{
	return KTAP_RECORD_MAX - sizeof(struct ktap_record) -
	       nargs * (sizeof(struct ktap_record_arg) + sizeof(u64));
}

/**
 * ktap_record_plain_size() - Return the size of a record whose values are copied as they are
 * @args: arguments
 * @nargs: number of @args
 * @format: bytes of a format that is a constant and not in the record; 0: there is none
 *
 * Context: any.
 * Return: the size for ktap_record_write_plain(); 0 if ktap_record_size() is needed, as
 * the record would not have room for all strings and for the format, or a value is an
 * object, a function or an event.
 */
static inline size_t ktap_record_plain_size(const struct ktap_value *args, unsigned int nargs,
					    u32 format)
{
	size_t room = ktap_record_room(nargs + !!format), blobs = ALIGN((size_t)format, 8);
	const struct ktap_value *v;
	unsigned int others = 0;

	for (v = args; v < args + nargs; v++) {
		if (v->tag <= KTAP_PTR)
			others++;
		else if (ktap_is_blob(v))
			blobs += ALIGN((size_t)v->len, 8);
		else
			return 0;
	}
	/* As ktap_record_write(), which has room for a u64 beside each blob */
	if (blobs > room)
		return 0;
	return sizeof(struct ktap_record) + nargs * sizeof(struct ktap_record_arg) +
	       others * sizeof(u64) + blobs - ALIGN((size_t)format, 8);
}

/* Blobs up to this length are copied without a call. */
#define KTAP_SHORT_BLOB		64

/* Write a value that is copied as it is; return the end. */
static inline void *ktap_record_write_value(struct ktap_record_arg *arg,
					    const struct ktap_value *v)
{
	size_t len;

	arg->tag = v->tag;
	if (v->tag <= KTAP_PTR) {
		arg->len = sizeof(u64);
		put_unaligned(v->u, (u64 *)arg->data);
		return arg->data + sizeof(u64);
	}
	arg->len = v->len;
	len = ALIGN((size_t)v->len, 8);
	/* The padding is zero. */
	if (len)
		put_unaligned(0, (u64 *)(arg->data + len - sizeof(u64)));
	if (likely(v->len <= KTAP_SHORT_BLOB))
		ktap_copy_bytes(arg->data, ktap_blob_of(v), v->len);
	else
		memcpy(arg->data, ktap_blob_of(v), v->len);
	return arg->data + len;
}

/* Write such a record; @format is for &ktap_record.format. */
static inline void ktap_record_write_plain(struct ktap_record *rec, size_t size,
					   enum ktap_record_type type, u32 format,
					   const struct ktap_value *args, unsigned int nargs)
{
	const struct ktap_value *v;
	void *p = rec + 1;

	*rec = (struct ktap_record){
		.type = type,
		.nargs = nargs,
		.len = size,
		.format = format,
	};
	for (v = args; v < args + nargs; v++)
		p = ktap_record_write_value(p, v);
}

/**
 * struct ktap_request - a kind of text that the reader acts on instead of showing it
 * @channel: its channel
 * @type: type of its records
 * @name: the function of the script
 * @deed: what the reader does
 */
struct ktap_request {
	enum ktap_channel channel;
	enum ktap_record_type type;
	const char *name;
	const char *deed;
};

/* Return the request that uses that channel, or NULL. */
const struct ktap_request *ktap_request_of(enum ktap_channel channel);

/* Return the channel of the record's text. */
enum ktap_channel ktap_record_channel(const struct ktap_record *rec);
/* Make the text of a record.  Context: process, sleeps.  It is cut if @s overflows. */
void ktap_record_format(struct seq_buf *s, const struct ktap_env *env,
			const struct ktap_record *rec, size_t size);

/* The reader has the text of that record.  It calls this in the order of the text. */
void ktap_record_taken(struct ktap_env *env, const struct ktap_record *rec);

/**
 * ktap_record_json() - Make the line of a record of KTAP_CH_OUTPUT, in JSON
 * @s: gets the line; if it overflows, that is useless
 * @plain: memory of KTAP_RECORD_TEXT bytes
 * @env: of the session; NULL: names are not known
 * @rec: the record
 * @size: bytes of it
 * @ts: its time
 *
 * Context: process, sleeps.
 */
void ktap_record_json(struct seq_buf *s, char *plain, const struct ktap_env *env,
		      const struct ktap_record *rec, size_t size, u64 ts);

/* lib/print.c: put the string in @r, as a record or text of the channel of a request. */
int ktap_put_request(struct ktap_vm *vm, enum ktap_channel channel, struct ktap_value *r);

#endif /* _KTAP_RECORD_H */
