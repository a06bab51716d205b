// SPDX-License-Identifier: GPL-2.0
/*
 * ktap --info: what the kernel has, what this user may do, and what is missing.
 *
 * A line is "NAME: VALUE". After a value that keeps something from working, a line
 * with an arrow says what to do. Files that this user cannot read are no error.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <linux/ktap.h>

#include "compiler/util.h"
#include "info.h"
#include "session_file.h"

#define CAP_SYS_ADMIN	21
#define CAP_SYSLOG	34
#define CAP_PERFMON	38

/* Sources of events, what they trace, and the option that adds them. */
static const struct {
	const char *name;
	const char *traces;
	const char *option;
} info_sources[] = {
	{ "tracepoint", "tracepoints (sched:sched_switch)", "CONFIG_KTAP" },
	{ "timer", "timers (tick-1s, profile-99hz)", "CONFIG_KTAP" },
	{ "iter", "threads, open files and mappings (iter:task)", "CONFIG_KTAP" },
	{ "syscall", "system calls (syscalls:sys_enter_read)", "CONFIG_FTRACE_SYSCALLS" },
	{ "kprobe", "functions and instructions (kprobe:vfs_read)", "CONFIG_KPROBE_EVENTS" },
	{ "fprobe", "functions and their returns, fast (probe:vfs_*)", "CONFIG_FPROBE" },
	{ "ftrace", "functions by ftrace (function:vfs_*)", "CONFIG_DYNAMIC_FTRACE_WITH_ARGS" },
	{ "rawtp", "raw tracepoints (rawtp:sched_switch)", "CONFIG_FPROBE" },
	{ "perf", "counters (hardware:cycles:1000000)", "CONFIG_PERF_EVENTS" },
	{ "watch", "accesses to memory (watch:jiffies:8:w)", "CONFIG_HAVE_HW_BREAKPOINT" },
	{ "uprobe", "functions and markers of programs (uprobe:libc:malloc)",
	  "CONFIG_UPROBES" },
};

static void __attribute__((format(printf, 2, 3))) info_line(const char *name, const char *fmt, ...)
{
	va_list args;

	printf("%-20s ", name);
	va_start(args, fmt);
	vfprintf(stdout, fmt, args);
	va_end(args);
	putchar('\n');
}

static void __attribute__((format(printf, 1, 2))) info_advise(const char *fmt, ...)
{
	va_list args;

	printf("%20s -> ", "");
	va_start(args, fmt);
	vfprintf(stdout, fmt, args);
	va_end(args);
	putchar('\n');
}

/* Read a small file, without the newline at its end; NULL if that fails. */
static char *info_read(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n;

	if (fd < 0)
		return NULL;
	do {
		n = read(fd, buf + len, size - 1 - len);
		len += n > 0 ? n : 0;
	} while (n > 0 && len < size - 1);
	close(fd);
	if (n < 0)
		return NULL;
	buf[len] = '\0';
	if (len && buf[len - 1] == '\n')
		buf[len - 1] = '\0';
	return buf;
}

/* The rest of the line of @text that begins with @name and a colon, copied; NULL: none. */
static char *info_row(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (; text; text = strchr(text, '\n'), text += !!text) {
		if (strncmp(text, name, len) || text[len] != ':')
			continue;
		text += len + 1;
		text += strspn(text, " \t");
		return strndup(text, strcspn(text, "\n"));
	}
	return NULL;
}

static bool info_has_word(const char *words, const char *word)
{
	size_t len = strlen(word);

	for (; *words; words += strcspn(words, " "), words += strspn(words, " ")) {
		if (!strncmp(words, word, len) && (!words[len] || words[len] == ' '))
			return true;
	}
	return false;
}

/* The effective capabilities of this process. */
static uint64_t info_capabilities(void)
{
	char text[8192], *row;
	uint64_t caps = 0;

	row = info_read("/proc/self/status", text, sizeof(text)) ? info_row(text, "CapEff") : NULL;
	if (row)
		caps = strtoull(row, NULL, 16);
	free(row);
	return caps;
}

static void info_show_sources(const char *features)
{
	char *sources = info_row(features, "sources");

	for (size_t i = 0; i < ARRAY_SIZE(info_sources); i++) {
		bool has = sources && info_has_word(sources, info_sources[i].name);

		info_line(info_sources[i].name, "%s: %s", has ? "yes" : "no",
			  info_sources[i].traces);
		if (!has)
			info_advise("build the kernel with %s=y", info_sources[i].option);
	}
	free(sources);
}

/* A row of the features file that is 0 or 1. */
static void info_show_switch(const char *features, const char *row, const char *name,
			     const char *advice)
{
	char *value = info_row(features, row);
	bool has = value && strcmp(value, "0");

	info_line(name, "%s", has ? "yes" : "no");
	if (!has)
		info_advise("%s", advice);
	free(value);
}

static void info_show_limit(const char *tracefs, const char *file, const char *what)
{
	char path[4096], text[64];

	snprintf(path, sizeof(path), "%s/ktap/%s", tracefs, file);
	if (info_read(path, text, sizeof(text)))
		info_line(file, "%s %s", text, what);
}

static void info_show_native(const char *tracefs)
{
	char path[4096], text[64];

	snprintf(path, sizeof(path), "%s/ktap/jit", tracefs);
	if (info_read(path, text, sizeof(text)) && !strcmp(text, "0"))
		info_advise("switched off: echo 1 > %s", path);
}

/* The parts that ktap of this kernel has, from its features file. */
static void info_show_features(const char *tracefs, const char *features)
{
	char *abi = info_row(features, "abi");
	int major = 0, minor = 0;

	info_line("ktap", "version %s; this tool has %d.%d", abi ? abi : "?", KTAP_ABI_MAJOR,
		  KTAP_ABI_MINOR);
	if (abi && sscanf(abi, "%d.%d", &major, &minor) == 2 &&
	    (major != KTAP_ABI_MAJOR || minor < KTAP_ABI_MINOR))
		info_advise("use the ktap and ktapc that belong to this kernel");
	free(abi);
	info_show_sources(features);
	info_show_switch(features, "set_retval", "set_retval",
			 "build the kernel with CONFIG_KTAP_SET_RETVAL=y");
	info_show_switch(features, "jit", "native code", "build the kernel with CONFIG_KTAP_JIT=y");
	info_show_native(tracefs);
	info_show_limit(tracefs, "max_memory", "bytes for what a script keeps, at most");
	info_show_limit(tracefs, "max_insns", "units for a run of a handler, at most");
	info_show_limit(tracefs, "panic_dump", "bytes of the output of a session shown at a panic");
}

static void info_show_types(void)
{
	bool has = !access("/sys/kernel/btf/vmlinux", F_OK);

	info_line("types (BTF)", "%s", has ? "yes" : "no");
	if (!has)
		info_advise("build the kernel with CONFIG_DEBUG_INFO_BTF=y");
}

/* Show a sysctl; returns its value, or @none. */
static long info_show_sysctl(const char *name, const char *path, long none)
{
	char text[64];

	if (!info_read(path, text, sizeof(text))) {
		info_line(name, "not there");
		return none;
	}
	info_line(name, "%s", text);
	return strtoll(text, NULL, 10);
}

static void info_show_user(uint64_t caps)
{
	bool perfmon = caps & (1ULL << CAP_PERFMON | 1ULL << CAP_SYS_ADMIN);
	long paranoid, restricted;

	info_line("user", "uid %ld, %s CAP_PERFMON, %s CAP_SYS_ADMIN", (long)geteuid(),
		  perfmon ? "has" : "lacks", caps & 1ULL << CAP_SYS_ADMIN ? "has" : "lacks");
	paranoid = info_show_sysctl("perf_event_paranoid",
				    "/proc/sys/kernel/perf_event_paranoid", 2);
	if (!perfmon && paranoid > 2)
		info_advise("sessions need CAP_PERFMON (sudo, or setcap cap_perfmon+ep of ktap), or sysctl kernel.perf_event_paranoid=2, for own processes only");
	else if (!perfmon && paranoid > -1)
		info_advise("own processes only (ktap -p PID, ktap -- COMMAND); others need CAP_PERFMON (sudo, or setcap cap_perfmon+ep of ktap), or sysctl kernel.perf_event_paranoid=-1");
	else if (!perfmon)
		info_advise("functions, programs and memory need CAP_PERFMON: sudo, or setcap cap_perfmon+ep of ktap");
	restricted = info_show_sysctl("kptr_restrict", "/proc/sys/kernel/kptr_restrict", 0);
	if (restricted > 1 || (restricted == 1 && !(caps & 1ULL << CAP_SYSLOG)))
		info_advise("kaddr() sees no addresses: sysctl kernel.kptr_restrict=0");
}

static void info_show_lockdown(void)
{
	char text[256];
	char *begin, *end;

	if (!info_read("/sys/kernel/security/lockdown", text, sizeof(text)))
		return;
	begin = strchr(text, '[');
	end = begin ? strchr(begin, ']') : NULL;
	if (!end)
		return;
	*end = '\0';
	info_line("lockdown", "%s", begin + 1);
	if (!strcmp(begin + 1, "confidentiality"))
		info_advise("nothing can be traced: boot without lockdown=confidentiality");
	else if (!strcmp(begin + 1, "integrity"))
		info_advise("--unsafe is refused: boot without lockdown=integrity");
}

/* Can this user open a session?  Opening has no effect. */
static void info_show_session(const char *tracefs)
{
	char path[4096];
	int fd, err;

	snprintf(path, sizeof(path), "%s/ktap/session", tracefs);
	fd = open(path, O_RDWR | O_CLOEXEC);
	err = errno;
	if (fd >= 0)
		close(fd);
	info_line("sessions", "%s%s", fd >= 0 ? "this user may open them" : "not for this user: ",
		  fd >= 0 ? "" : strerror(err));
	if (fd < 0 && err == EACCES)
		info_advise("use sudo, or give tracefs to a group: mount -o remount,gid=GROUP,mode=750 %s; chmod 660 %s",
			    tracefs, path);
}

/* Show ktap in tracefs; false if it cannot be found. */
static bool info_show_ktap(const char *tracefs)
{
	char path[4096], features[16384];

	snprintf(path, sizeof(path), "%s/ktap/features", tracefs);
	if (info_read(path, features, sizeof(features))) {
		info_show_features(tracefs, features);
		return true;
	}
	switch (errno) {
	case EACCES:
	case EPERM:
		info_line("ktap", "not known: %s: %s", path, strerror(errno));
		info_advise("run sudo ktap --info");
		break;
	default:
		info_line("ktap", "no: %s: %s", path, strerror(errno));
		info_advise("build the kernel with CONFIG_KTAP=y");
		return false;
	}
	return true;
}

void info_show(void)
{
	const char *tracefs = session_tracefs();
	struct utsname uts;

	if (!uname(&uts))
		info_line("kernel", "%s %s", uts.release, uts.machine);
	info_line("tracefs", "%s", tracefs ? tracefs : "not mounted");
	if (!tracefs)
		info_advise("mount -t tracefs nodev /sys/kernel/tracing");
	else if (info_show_ktap(tracefs))
		info_show_session(tracefs);
	info_show_types();
	info_show_user(info_capabilities());
	info_show_lockdown();
}
