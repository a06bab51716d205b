// SPDX-License-Identifier: GPL-2.0
/*
 * Messages that may refuse a chunk: those of the rules in
 * Documentation/trace/ktap-bytecode.rst (messages.h is made from them), and messages
 * about the kernel or the user, which no rule has.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "exec.h"

static const char * const documented[] = {
#include "messages.h"
};

static const char * const lacks[] = {
	"no memory",
	"no memory for the program",
	"no memory for an option",
};

static const char * const others[] = {
	/* btf/ksym.c */
	"there is no kernel symbol '%s': %s",
	"there are %u kernel symbols '%s'",
	"'%s' is a function of the kernel: kaddr(\"%s\") is its address",
	"'%s' existed only while the kernel booted",
	"'%s' has a type without values in scripts",
	"'%s' is of a module: write `MODULE:%s`",
	/* lib/act.c */
	"%s can change the running system, but the chunk is not marked as unsafe: compile it again",
	"%s can change the running system: to allow it, write ktap --unsafe (a line 'unsafe' before the chunk)",
	"set_retval: this kernel was built without CONFIG_KTAP_SET_RETVAL",
	"verdict: this kernel was built without CONFIG_KTAP_PACKET_VERDICT",
	/* lib/getopt.c */
	"the script has no option '--%s'; it has %s",
};

/* Return the text after the directive at @fmt. */
static const char *skip_directive(const char *fmt)
{
	return fmt + strcspn(fmt, "dusxc") + 1;
}

/* Compare a message with its format. A directive matches any text. @cut: the end is missing. */
static bool matches(const char *fmt, const char *text, bool cut)
{
	for (; *fmt != '%'; fmt++, text++) {
		if (!*text && cut)
			return true;
		if (*fmt != *text)
			return false;
		if (!*fmt)
			return true;
	}
	fmt = skip_directive(fmt);
	for (;; text++) {
		if (matches(fmt, text, cut))
			return true;
		if (!*text)
			return false;
	}
}

static bool is_one_of(const char * const *formats, unsigned int n, const char *text, bool cut)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		if ((*formats[i] == '%' || *formats[i] == *text) &&
		    matches(formats[i], text, cut))
			return true;
	}
	return false;
}

/* The message is "POSITION: error: TEXT" and a newline; a position may contain any text. */
bool fuzz_is_documented(const char *message, bool lacks_memory)
{
	static const char error[] = "error: ";
	size_t len = strlen(message);
	bool cut = len > sizeof(((struct ktap_diag *)NULL)->text) - 4;
	char text[sizeof(((struct ktap_diag *)NULL)->text)];
	const char *p = text;

	if (!len || len >= sizeof(text) || message[len - 1] != '\n')
		return false;
	memcpy(text, message, len - 1);
	text[len - 1] = '\0';
	while ((p = strstr(p, error))) {
		p += strlen(error);
		if (*p && (is_one_of(documented, ARRAY_SIZE(documented), p, cut) ||
			   is_one_of(others, ARRAY_SIZE(others), p, cut) ||
			   (lacks_memory && is_one_of(lacks, ARRAY_SIZE(lacks), p, cut))))
			return true;
	}
	return false;
}
