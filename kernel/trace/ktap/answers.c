// SPDX-License-Identifier: GPL-2.0
/*
 * What the program ktap has found in the user's programs.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <uapi/linux/ktap.h>

#include "answers.h"

static int fail(int err, const char **why, const char *text)
{
	*why = text;
	return err;
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* "\ooo" becomes a character, in place.  NULL, or what is wrong. */
static const char *unescape(char *word)
{
	unsigned int c;
	char *to = word;

	while (*word) {
		if (*word != '\\') {
			*to++ = *word++;
			continue;
		}
		if (!is_octal(word[1]) || !is_octal(word[2]) || !is_octal(word[3]))
			return "behind '\\' there are three octal digits";
		c = (word[1] - '0') << 6 | (word[2] - '0') << 3 | (word[3] - '0');
		if (!c || c > 0xff)
			return "'\\ooo' is no character";
		*to++ = c;
		word += 4;
	}
	*to = '\0';
	return NULL;
}

/* The next word, unescaped; NULL, and why, if there is none. */
static char *next_word(char **line, const char **why)
{
	char *word = strsep(line, " ");

	if (!word || !*word) {
		*why = "a word is missing";
		return NULL;
	}
	*why = unescape(word);
	return *why ? NULL : word;
}

static bool next_number(char **line, u64 *n, const char **why)
{
	unsigned long long value;
	char *word = next_word(line, why);

	if (!word)
		return false;
	if (kstrtoull(word, 0, &value)) {
		*why = "that is no offset in a file";
		return false;
	}
	*n = value;
	return true;
}

static bool has_room(const struct ktap_answers *answers, size_t bytes)
{
	return bytes <= KTAP_MAX_ANSWER_BYTES - answers->bytes;
}

/* Adds an answer; @path or @message is NULL. */
static int add_answer(struct ktap_answers *answers, const char *event, const char *path,
		      const char *message, const char **why)
{
	size_t event_size = strlen(event) + 1, text_size = strlen(path ?: message) + 1;
	struct ktap_answer *answer;
	size_t size;
	char *text;

	size = sizeof(*answer) + event_size + text_size;
	if (answers->nanswers == KTAP_MAX_ANSWERS || !has_room(answers, size))
		return fail(-E2BIG, why, "there are too many of them");
	answer = kvzalloc(size, GFP_KERNEL_ACCOUNT);
	if (!answer)
		return fail(-ENOMEM, why, "no memory");

	answer->event = memcpy(answer + 1, event, event_size);
	text = memcpy(answer->event + event_size, path ?: message, text_size);
	if (path)
		answer->path = text;
	else
		answer->message = text;
	answer->last_place = &answer->places;

	if (answers->last)
		answers->last->next = answer;
	else
		answers->first = answer;
	answers->last = answer;
	answers->nanswers++;
	answers->bytes += size;
	return 0;
}

int ktap_answer_uprobe(struct ktap_answers *answers, char *line, const char **why)
{
	char *event = next_word(&line, why);
	char *path = event ? next_word(&line, why) : NULL;

	if (!path)
		return -EINVAL;
	if (line)
		return fail(-EINVAL, why, "something is behind the path");
	if (*path != '/')
		return fail(-EINVAL, why, "the path does not begin with '/'");
	return add_answer(answers, event, path, NULL, why);
}

int ktap_answer_unresolved(struct ktap_answers *answers, char *line, const char **why)
{
	char *event = next_word(&line, why);

	if (!event)
		return -EINVAL;
	/* The message is no word: it may have blanks. */
	if (!line || !*line)
		return fail(-EINVAL, why, "there is no message");
	*why = unescape(line);
	if (*why)
		return -EINVAL;
	return add_answer(answers, event, NULL, line, why);
}

/* Recipes that may follow. */
static unsigned int count_words(const char *line)
{
	unsigned int n = line ? 1 : 0;

	for (; line && *line; line++)
		n += *line == ' ';
	return n;
}

/* All are looked at, and those that a script can ask for are kept. */
static int parse_args(struct ktap_place *place, char *line, const char **why)
{
	struct ktap_recipe recipe;
	unsigned int i;
	char *word;

	for (i = 0; line; i++) {
		word = next_word(&line, why);
		if (!word)
			return -EINVAL;
		*why = ktap_recipe_parse(word, &recipe);
		if (*why)
			return -EINVAL;
		if (i < place->nargs)
			place->args[i] = recipe;
	}
	return 0;
}

static void add_place(struct ktap_answers *answers, struct ktap_place *place, size_t size)
{
	*answers->last->last_place = place;
	answers->last->last_place = &place->next;
	answers->nplaces++;
	answers->bytes += size;
}

int ktap_answer_at(struct ktap_answers *answers, char *line, const char **why)
{
	struct ktap_place *place;
	u64 offset, semaphore;
	u32 nargs, len;
	size_t size;
	char *name;
	int err;

	if (!answers->last || !answers->last->path)
		return fail(-EINVAL, why, "there is no file before it");
	if (!next_number(&line, &offset, why) || !next_number(&line, &semaphore, why))
		return -EINVAL;
	/* It is an offset in a file, and these are signed. */
	if (offset > S64_MAX || semaphore > S64_MAX)
		return fail(-EINVAL, why, "that is no offset in a file");
	name = next_word(&line, why);
	if (!name)
		return -EINVAL;

	len = strlen(name);
	nargs = min(count_words(line), KTAP_USER_ARGS);
	size = struct_size(place, args, nargs) + len + 1;
	if (answers->nplaces == KTAP_MAX_PLACES || !has_room(answers, size))
		return fail(-E2BIG, why, "there are too many of them");
	place = kvzalloc(size, GFP_KERNEL_ACCOUNT);
	if (!place)
		return fail(-ENOMEM, why, "no memory");
	place->offset = offset;
	place->semaphore = semaphore;
	place->nargs = nargs;
	place->name = memcpy(&place->args[nargs], name, len + 1);
	place->name_len = min(len, KTAP_MAX_STRLEN);

	err = parse_args(place, line, why);
	if (err)
		kvfree(place);
	else
		add_place(answers, place, size);
	return err;
}

const struct ktap_answer *ktap_answer_find(const struct ktap_answers *answers,
					   const struct ktap_answer *after, const char *event)
{
	const struct ktap_answer *answer = after ? after->next : answers->first;

	while (answer && strcmp(answer->event, event))
		answer = answer->next;
	return answer;
}

void ktap_answers_free(struct ktap_answers *answers)
{
	struct ktap_answer *answer, *next;
	struct ktap_place *place, *next_place;

	for (answer = answers->first; answer; answer = next) {
		next = answer->next;
		for (place = answer->places; place; place = next_place) {
			next_place = place->next;
			kvfree(place);
		}
		kvfree(answer);
	}
	*answers = (struct ktap_answers){};
}
