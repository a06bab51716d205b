// SPDX-License-Identifier: GPL-2.0
/*
 * System calls of 32-bit programs on 64-bit machines.
 *
 * The kernel has trace events only for the system calls of 64-bit programs, by
 * their numbers.  Most 32-bit system calls use the same function, or one of a similar
 * name.  They are mapped to the event with that name, without the prefix and suffix
 * of the 32-bit function.
 */
#include <linux/glob.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/nospec.h>
#include <linux/string.h>
#include <linux/syscalls.h>

#include "../../trace.h"
#include "event/syscall_compat.h"

/* If an entry has two functions, the second is for 32-bit programs. */
#undef __SYSCALL
#define __SYSCALL(nr, functions...) \
	[nr] = #functions,
#define __SYSCALL_NORETURN	__SYSCALL
#define __SYSCALL_WITH_COMPAT	__SYSCALL

/* The functions, by number. */
static const char * const symbols[KTAP_NR_COMPAT] = {
#ifdef CONFIG_X86
#include <asm/syscalls_32.h>
#else
#include <asm/syscall_table_32.h>
#endif
};

/*
 * System calls whose event has another name, or whose arguments differ from those of
 * the event: 64-bit arguments, for instance, take two registers.
 */
static const struct {
	const char *name;
	const char *event;
	bool args_differ;
} specials[] = {
	{ "clone",		"clone",		true },
	{ "fadvise64",		"fadvise64",		true },
	{ "fadvise64_64",	"fadvise64",		true },
	{ "fallocate",		"fallocate",		true },
	{ "fanotify_mark",	"fanotify_mark",	true },
	{ "fcntl64",		"fcntl",		false },
	{ "fstat64",		"newfstat",		false },
	{ "fstatat64",		"newfstatat",		false },
	{ "fstatfs64",		"fstatfs",		true },
	{ "ftruncate64",	"ftruncate",		true },
	{ "llseek",		"lseek",		true },
	{ "lstat64",		"newlstat",		false },
	{ "mmap",		"mmap",			true },
	{ "mmap2",		"mmap",			true },
	{ "mmap_pgoff",		"mmap",			true },
	{ "pread64",		"pread64",		true },
	{ "pwrite64",		"pwrite64",		true },
	{ "readahead",		"readahead",		true },
	{ "sendfile",		"sendfile64",		false },
	{ "stat64",		"newstat",		false },
	{ "statfs64",		"statfs",		true },
	{ "sync_file_range",	"sync_file_range",	true },
	{ "sync_file_range2",	"sync_file_range",	true },
	{ "truncate64",		"truncate",		true },
};

static const char * const prefixes[] = { "compat_", "sys_", "ia32_", "aarch32_" };
static const char * const suffixes[] = { "", "_time32", "_time64", "32", "16" };

static struct ktap_compat_call calls[KTAP_NR_COMPAT] __ro_after_init;

static __init int compat_find_event(const char *name, size_t len)
{
	const char *event;
	int nr;

	for (nr = 0; nr < NR_syscalls; nr++) {
		event = get_syscall_name(nr);
		if (event && strstarts(event, "sys_") && strlen(event + 4) == len &&
		    !strncmp(event + 4, name, len))
			return nr;
	}
	return -1;
}

/* Find the event of @name without one of the suffixes. */
static __init int compat_find_plain(const char *name)
{
	size_t len = strlen(name), cut;
	unsigned int i;
	int nr;

	for (i = 0; i < ARRAY_SIZE(suffixes); i++) {
		cut = strlen(suffixes[i]);
		if (cut >= len || strcmp(name + len - cut, suffixes[i]))
			continue;
		nr = compat_find_event(name, len - cut);
		if (nr >= 0)
			return nr;
	}
	return -1;
}

static __init struct ktap_compat_call compat_find_call(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(specials); i++) {
		if (!strcmp(name, specials[i].name))
			return (struct ktap_compat_call){
				.nr = compat_find_event(specials[i].event,
							strlen(specials[i].event)),
				.args_differ = specials[i].args_differ,
			};
	}
	return (struct ktap_compat_call){ .nr = compat_find_plain(name) };
}

/* Return the name of a 32-bit system call, or NULL if there is none. */
const char *ktap_compat_name(unsigned int nr)
{
	const char *name = nr < KTAP_NR_COMPAT ? symbols[nr] : NULL;
	unsigned int i;

	if (!name)
		return NULL;
	if (strchr(name, ' '))
		name = strchr(name, ' ') + 1;
	if (!strcmp(name, "sys_ni_syscall"))
		return NULL;
	for (i = 0; i < ARRAY_SIZE(prefixes); i++) {
		if (strstarts(name, prefixes[i]))
			name += strlen(prefixes[i]);
	}
	return name;
}

/* Return the event of a 32-bit system call.  Context: any. */
struct ktap_compat_call ktap_compat_call(unsigned int nr)
{
	if (nr >= KTAP_NR_COMPAT)
		return (struct ktap_compat_call){ .nr = -1 };
	return calls[array_index_nospec(nr, KTAP_NR_COMPAT)];
}

/* Must run before tracefs.c creates the files. */
static int __init ktap_compat_init(void)
{
	const char *name;
	unsigned int i;

	for (i = 0; i < KTAP_NR_COMPAT; i++) {
		name = ktap_compat_name(i);
		calls[i].nr = -1;
		if (name)
			calls[i] = compat_find_call(name);
	}
	return 0;
}
subsys_initcall(ktap_compat_init);
