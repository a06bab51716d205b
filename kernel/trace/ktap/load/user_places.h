/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the program ktap has found in the user's programs, for the kernel knows
 * nothing of their symbols: the places of an event.
 */
#ifndef _KTAP_ANSWERS_H
#define _KTAP_ANSWERS_H

#include <linux/types.h>

#include "recipe.h"

/* Of a session: places, events and files with places, bytes of it all. */
#define KTAP_MAX_PLACES		16384
#define KTAP_MAX_ANSWERS	4096
#define KTAP_MAX_ANSWER_BYTES	(8 << 20)

/* Arguments of a marker that a script can ask for: arg0 to arg9. */
#define KTAP_USER_ARGS		10

/**
 * struct ktap_place - an instruction in a file
 * @next: the next one of the answer
 * @offset: where in the file it is
 * @semaphore: where in the file a counter of those who watch is; 0: there is none
 * @name: of the function, or "PROVIDER:NAME" of the marker
 * @name_len: bytes of it
 * @nargs: entries of @args
 * @args: the arguments of a marker
 */
struct ktap_place {
	struct ktap_place *next;
	u64 offset;
	u64 semaphore;
	const char *name;
	u32 name_len;
	u32 nargs;
	struct ktap_recipe args[];
};

/**
 * struct ktap_answer - what is known of an event, in one file
 * @next: the next answer
 * @event: the event, as the script has it
 * @path: the file; NULL: the event was not found, and @message says why
 * @message: see @path
 * @places: its places in the file
 * @last_place: where the next one goes
 */
struct ktap_answer {
	struct ktap_answer *next;
	char *event;
	char *path;
	char *message;
	struct ktap_place *places;
	struct ktap_place **last_place;
};

/**
 * struct ktap_answers - the answers of a session
 * @first: all of them, in the order they came in
 * @last: the youngest
 * @nanswers: number of them
 * @nplaces: places of all of them
 * @bytes: of all of it
 */
struct ktap_answers {
	struct ktap_answer *first;
	struct ktap_answer *last;
	unsigned int nanswers;
	unsigned int nplaces;
	size_t bytes;
};

/*
 * The set-up lines, without their first word, in a buffer that they may change:
 *	uprobe EVENT PATH			the lines that follow are places in PATH
 *	at OFFSET SEMAPHORE NAME [RECIPE...]	a place
 *	unresolved EVENT MESSAGE		there is none
 * Words are separated by one blank, and have \ooo for what they cannot have, as in
 * /proc/mounts.
 * 0 or a negative errno; @why tells what is wrong then.
 */
int ktap_answer_uprobe(struct ktap_answers *answers, char *line, const char **why);
int ktap_answer_at(struct ktap_answers *answers, char *line, const char **why);
int ktap_answer_unresolved(struct ktap_answers *answers, char *line, const char **why);

/* The first answer about an event behind @after, or of all if that is NULL. */
const struct ktap_answer *ktap_answer_find(const struct ktap_answers *answers,
					   const struct ktap_answer *after, const char *event);

void ktap_answers_free(struct ktap_answers *answers);

#endif /* _KTAP_ANSWERS_H */
