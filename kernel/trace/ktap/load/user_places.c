// SPDX-License-Identifier: GPL-2.0
/*
 * Places in user programs that the program ktap has found.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <uapi/linux/ktap.h>

#include "data/heap.h"
#include "load/user_places.h"

static int place_fail(int err, const char **why, const char *text)
{
	*why = text;
	return err;
}

static bool place_is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* Replace "\ooo" by a character, in place.  Return NULL, or what is wrong. */
static const char *place_unescape(char *word)
{
	unsigned int c;
	char *to = word;

	while (*word) {
		if (*word != '\\') {
			*to++ = *word++;
			continue;
		}
		if (!place_is_octal(word[1]) || !place_is_octal(word[2]) ||
		    !place_is_octal(word[3]))
			return "'\\' has no three octal digits after it";
		c = (word[1] - '0') << 6 | (word[2] - '0') << 3 | (word[3] - '0');
		if (!c || c > 0xff)
			return "'\\ooo' is no character";
		*to++ = c;
		word += 4;
	}
	*to = '\0';
	return NULL;
}

/* Return the next word, unescaped; NULL, with the reason in @why, if there is none. */
static char *place_next_word(char **line, const char **why)
{
	char *word = strsep(line, " ");

	if (!word || !*word) {
		*why = "a word is missing";
		return NULL;
	}
	*why = place_unescape(word);
	return *why ? NULL : word;
}

static bool place_next_number(char **line, u64 *n, const char **why)
{
	unsigned long long value;
	char *word = place_next_word(line, why);

	if (!word)
		return false;
	if (kstrtoull(word, 0, &value)) {
		*why = "that is no offset in a file";
		return false;
	}
	*n = value;
	return true;
}

static bool place_has_room(const struct ktap_user_places *places, size_t bytes)
{
	return bytes <= KTAP_MAX_USER_PLACE_BYTES - places->bytes;
}

/* Add an event; @path or @message is NULL. */
static int place_add_event(struct ktap_user_places *places, const char *event, const char *path,
			   const char *message, const char **why)
{
	size_t event_size = strlen(event) + 1, text_size = strlen(path ?: message) + 1;
	struct ktap_user_event *found;
	size_t size;
	char *text;

	size = sizeof(*found) + event_size + text_size;
	if (places->nevents == KTAP_MAX_USER_EVENTS || !place_has_room(places, size))
		return place_fail(-E2BIG, why, "there are too many of them");
	found = kvzalloc(size, KTAP_GFP);
	if (!found)
		return place_fail(-ENOMEM, why, "no memory");

	found->event = memcpy(found + 1, event, event_size);
	text = memcpy(found->event + event_size, path ?: message, text_size);
	if (path)
		found->path = text;
	else
		found->message = text;
	found->last_place = &found->places;

	if (places->last)
		places->last->next = found;
	else
		places->first = found;
	places->last = found;
	places->nevents++;
	places->bytes += size;
	return 0;
}

int ktap_user_event_found(struct ktap_user_places *places, char *line, const char **why)
{
	char *event = place_next_word(&line, why);
	char *path = event ? place_next_word(&line, why) : NULL;

	if (!path)
		return -EINVAL;
	if (line)
		return place_fail(-EINVAL, why, "the line has text after the path");
	if (*path != '/')
		return place_fail(-EINVAL, why, "the path does not begin with '/'");
	return place_add_event(places, event, path, NULL, why);
}

int ktap_user_event_unresolved(struct ktap_user_places *places, char *line, const char **why)
{
	char *event = place_next_word(&line, why);

	if (!event)
		return -EINVAL;
	/* The message is the rest of the line: it may have blanks. */
	if (!line || !*line)
		return place_fail(-EINVAL, why, "there is no message");
	*why = place_unescape(line);
	if (*why)
		return -EINVAL;
	return place_add_event(places, event, NULL, line, why);
}

/* Maximum number of arguments that the rest of the line has */
static unsigned int place_count_words(const char *line)
{
	unsigned int n = line ? 1 : 0;

	for (; line && *line; line++)
		n += *line == ' ';
	return n;
}

/* Check all arguments, and keep those that a script can read. */
static int place_parse_args(struct ktap_user_place *place, char *line, const char **why)
{
	struct ktap_usdt_arg argument;
	unsigned int i;
	char *word;

	for (i = 0; line; i++) {
		word = place_next_word(&line, why);
		if (!word)
			return -EINVAL;
		*why = ktap_usdt_arg_parse(word, &argument);
		if (*why)
			return -EINVAL;
		if (i < place->nargs)
			place->args[i] = argument;
	}
	return 0;
}

static void place_add(struct ktap_user_places *places, struct ktap_user_place *place, size_t size)
{
	*places->last->last_place = place;
	places->last->last_place = &place->next;
	places->nplaces++;
	places->bytes += size;
}

int ktap_user_place_at(struct ktap_user_places *places, char *line, const char **why)
{
	struct ktap_user_place *place;
	u64 offset, semaphore;
	u32 nargs, len;
	size_t size;
	char *name;
	int err;

	if (!places->last || !places->last->path)
		return place_fail(-EINVAL, why, "there is no file before it");
	if (!place_next_number(&line, &offset, why) || !place_next_number(&line, &semaphore, why))
		return -EINVAL;
	/* Offsets in files are signed. */
	if (offset > S64_MAX || semaphore > S64_MAX)
		return place_fail(-EINVAL, why, "that is no offset in a file");
	name = place_next_word(&line, why);
	if (!name)
		return -EINVAL;

	len = strlen(name);
	nargs = min(place_count_words(line), KTAP_USER_ARGS);
	size = struct_size(place, args, nargs) + len + 1;
	if (places->nplaces == KTAP_MAX_USER_PLACES || !place_has_room(places, size))
		return place_fail(-E2BIG, why, "there are too many of them");
	place = kvzalloc(size, KTAP_GFP);
	if (!place)
		return place_fail(-ENOMEM, why, "no memory");
	place->offset = offset;
	place->semaphore = semaphore;
	place->nargs = nargs;
	place->name = memcpy(&place->args[nargs], name, len + 1);
	place->name_len = min(len, KTAP_MAX_STRLEN);

	err = place_parse_args(place, line, why);
	if (err)
		kvfree(place);
	else
		place_add(places, place, size);
	return err;
}

static bool place_is_size(int size)
{
	unsigned int bytes = size < 0 ? -(unsigned int)size : size;

	return bytes <= 8 && is_power_of_2(bytes);
}

int ktap_user_param_of(struct ktap_user_places *places, char *line, const char **why)
{
	char *name = place_next_word(&line, why);
	char *number = name ? place_next_word(&line, why) : NULL;
	char *bytes = number ? place_next_word(&line, why) : NULL;
	struct ktap_user_param *param;
	struct ktap_user_place *place;
	unsigned int n, count = 0;
	size_t size, len;
	int width;

	if (!bytes)
		return -EINVAL;
	if (!places->last || !places->last->places)
		return place_fail(-EINVAL, why, "there is no place before it");
	if (line)
		return place_fail(-EINVAL, why, "the line has text after the size");
	if (kstrtouint(number, 10, &n) || n >= KTAP_USER_ARGS)
		return place_fail(-EINVAL, why, "an argument has a number from 0 to 9");
	if (kstrtoint(bytes, 10, &width) || !place_is_size(width))
		return place_fail(-EINVAL, why, "a size is 1, 2, 4 or 8 bytes, or -1, -2, -4, -8");
	place = container_of(places->last->last_place, struct ktap_user_place, next);
	for (param = place->params; param; param = param->next) {
		if (!strcmp(param->name, name))
			return place_fail(-EINVAL, why, "another argument has this name");
		count++;
	}
	len = strlen(name) + 1;
	size = struct_size(param, name, len);
	if (count == KTAP_USER_ARGS || !place_has_room(places, size))
		return place_fail(-E2BIG, why, "there are too many of them");
	param = kvzalloc(size, KTAP_GFP);
	if (!param)
		return place_fail(-ENOMEM, why, "no memory");
	param->n = n;
	param->size = width;
	memcpy(param->name, name, len);
	param->next = place->params;
	place->params = param;
	places->bytes += size;
	return 0;
}

const struct ktap_user_event *ktap_user_event_find(const struct ktap_user_places *places,
						   const struct ktap_user_event *after,
						   const char *event)
{
	const struct ktap_user_event *found = after ? after->next : places->first;

	while (found && strcmp(found->event, event))
		found = found->next;
	return found;
}

void ktap_user_places_free(struct ktap_user_places *places)
{
	struct ktap_user_event *found, *next;
	struct ktap_user_place *place, *next_place;
	struct ktap_user_param *param, *next_param;

	for (found = places->first; found; found = next) {
		next = found->next;
		for (place = found->places; place; place = next_place) {
			next_place = place->next;
			for (param = place->params; param; param = next_param) {
				next_param = param->next;
				kvfree(param);
			}
			kvfree(place);
		}
		kvfree(found);
	}
	*places = (struct ktap_user_places){};
}
