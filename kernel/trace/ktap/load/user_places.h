/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the program ktap has found in the user's programs, for the kernel knows
 * nothing of their symbols: the places of an event.
 */
#ifndef _KTAP_USER_PLACES_H
#define _KTAP_USER_PLACES_H

#include <linux/types.h>

#include "load/usdt_arg.h"

/* Of a session: places, events and files with places, bytes of it all. */
#define KTAP_MAX_USER_PLACES		16384
#define KTAP_MAX_USER_EVENTS	4096
#define KTAP_MAX_USER_PLACE_BYTES	(8 << 20)

/* Arguments of a marker that a script can ask for: arg0 to arg9. */
#define KTAP_USER_ARGS		10

/**
 * struct ktap_user_place - an instruction in a file
 * @next: the next one of the found
 * @offset: where in the file it is
 * @semaphore: where in the file a counter of those who watch is; 0: there is none
 * @name: of the function, or "PROVIDER:NAME" of the marker
 * @name_len: bytes of it
 * @nargs: entries of @args
 * @args: the arguments of a marker
 */
struct ktap_user_place {
	struct ktap_user_place *next;
	u64 offset;
	u64 semaphore;
	const char *name;
	u32 name_len;
	u32 nargs;
	struct ktap_usdt_arg args[];
};

/**
 * struct ktap_user_event - what is known of an event, in one file
 * @next: the next found
 * @event: the event, as the script has it
 * @path: the file; NULL: the event was not found, and @message says why
 * @message: see @path
 * @places: its places in the file
 * @last_place: where the next one goes
 */
struct ktap_user_event {
	struct ktap_user_event *next;
	char *event;
	char *path;
	char *message;
	struct ktap_user_place *places;
	struct ktap_user_place **last_place;
};

/**
 * struct ktap_user_places - the places of a session
 * @first: all of them, in the order they came in
 * @last: the youngest
 * @nevents: number of them
 * @nplaces: places of all of them
 * @bytes: of all of it
 */
struct ktap_user_places {
	struct ktap_user_event *first;
	struct ktap_user_event *last;
	unsigned int nevents;
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
int ktap_user_event_found(struct ktap_user_places *places, char *line, const char **why);
int ktap_user_place_at(struct ktap_user_places *places, char *line, const char **why);
int ktap_user_event_unresolved(struct ktap_user_places *places, char *line, const char **why);

/* The first found about an event behind @after, or of all if that is NULL. */
const struct ktap_user_event *ktap_user_event_find(const struct ktap_user_places *places,
						   const struct ktap_user_event *after,
						   const char *event);

void ktap_user_places_free(struct ktap_user_places *places);

#endif /* _KTAP_USER_PLACES_H */
