/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Places in user programs.  The program ktap finds them, because the kernel does not know
 * the symbols of programs.
 */
#ifndef _KTAP_USER_PLACES_H
#define _KTAP_USER_PLACES_H

#include <linux/types.h>

#include "load/usdt_arg.h"

/* Limits of a session: places, struct ktap_user_event, bytes of all of them */
#define KTAP_MAX_USER_PLACES		16384
#define KTAP_MAX_USER_EVENTS	4096
#define KTAP_MAX_USER_PLACE_BYTES	(8 << 20)

/* Arguments of a marker that a script can read: arg0 to arg9 */
#define KTAP_USER_ARGS		10

/**
 * struct ktap_user_param - an argument of a function that has a name in its source
 * @next: the next one of the function
 * @n: its number, from 0
 * @size: in bytes: 1, 2, 4 or 8; negative: it is signed
 * @name: the name
 */
struct ktap_user_param {
	struct ktap_user_param *next;
	u8 n;
	s8 size;
	char name[];
};

/**
 * struct ktap_user_place - an instruction in a file
 * @next: the next place of the event in this file
 * @offset: its offset in the file
 * @semaphore: offset of a counter of tracers in the file; 0: there is none
 * @name: of the function, or "PROVIDER:NAME" of the marker
 * @name_len: bytes of @name
 * @params: named arguments of the function that begins here
 * @nargs: entries of @args
 * @args: the arguments of a marker
 */
struct ktap_user_place {
	struct ktap_user_place *next;
	u64 offset;
	u64 semaphore;
	const char *name;
	u32 name_len;
	struct ktap_user_param *params;
	u32 nargs;
	struct ktap_usdt_arg args[];
};

/**
 * struct ktap_user_event - an event in one file, or an event that was not found
 * @next: the next one
 * @event: the event, as in the script
 * @path: the file; NULL: the event was not found, and @message says why
 * @message: see @path
 * @places: its places in the file
 * @last_place: where to append the next place
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
 * @first: the first event, in the order of the lines
 * @last: the last one
 * @nevents: number of events
 * @nplaces: number of places of all events
 * @bytes: bytes of all events and places
 */
struct ktap_user_places {
	struct ktap_user_event *first;
	struct ktap_user_event *last;
	unsigned int nevents;
	unsigned int nplaces;
	size_t bytes;
};

/*
 * Parse the setup lines, without their first word, in a buffer that may be changed:
 *	uprobe EVENT PATH			the lines that follow are places in PATH
 *	at OFFSET SEMAPHORE NAME [ARGUMENT...]	a place
 *	param NAME NUMBER [-]SIZE		an argument of the function at that place
 *	unresolved EVENT MESSAGE		the event was not found
 * Words are separated by one blank.  Characters that they cannot contain are written as
 * \ooo, as in /proc/mounts.
 * Return 0, or a negative errno with the reason in @why.
 */
int ktap_user_event_found(struct ktap_user_places *places, char *line, const char **why);
int ktap_user_place_at(struct ktap_user_places *places, char *line, const char **why);
int ktap_user_param_of(struct ktap_user_places *places, char *line, const char **why);
int ktap_user_event_unresolved(struct ktap_user_places *places, char *line, const char **why);

/* Return the first @event after @after, or the first of all if @after is NULL. */
const struct ktap_user_event *ktap_user_event_find(const struct ktap_user_places *places,
						   const struct ktap_user_event *after,
						   const char *event);

void ktap_user_places_free(struct ktap_user_places *places);

#endif /* _KTAP_USER_PLACES_H */
