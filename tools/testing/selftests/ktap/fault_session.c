// SPDX-License-Identifier: GPL-2.0
/*
 * Inject a failure of each memory allocation and each user access, one after the other.
 *
 *	fault_session load DIRECTORY	while a session is opened, set up, loaded and attached
 *	fault_session use DIRECTORY	while it is read, stopped and closed
 *	fault_session thread DIRECTORY	in the session's thread, while it runs
 *	fault_session create DIRECTORY	while that thread is made, in kthreadd
 *	fault_session site KIND ADDRESS END DIRECTORY
 *				in the code between these addresses; KIND is failslab
 *				or fail_page_alloc
 *
 * All except the last set /proc/TID/fail-nth to 1, 2, 3 and so on, until no fault was
 * injected. Each failure must be reported: write(2) returns ENOMEM or EFAULT, and the
 * session has the reason, if it exists. After each fault, a session without faults must
 * work.
 *
 * Prints a line for each chunk, the messages of the sessions, and errors after "! ". The
 * exit code is 1 after an error; 4 if faults cannot be injected.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chunks.h"
#include "ktapfs.h"

#define DEBUG		"/sys/kernel/debug/"

#define MAX_SITES	20000	/* limit of the loop */
#define MAX_SAID	64	/* different messages */
#define EXIT_SKIP	4

static struct chunks chunks;
static unsigned int wrongs;

static void wrong(const char *fmt, ...)
{
	va_list ap;

	wrongs++;
	printf("! ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
}

/* Messages of sessions about faults, and how often each was read. */
static struct {
	char *text;
	unsigned int times;
} said[MAX_SAID];

static void remember(const char *text)
{
	unsigned int i;

	for (i = 0; i < MAX_SAID - 1 && said[i].text; i++) {
		if (!strcmp(said[i].text, text))
			break;
	}
	if (!said[i].text)
		said[i].text = strdup(text);
	said[i].times++;
}

static void show_said(void)
{
	for (unsigned int i = 0; i < MAX_SAID && said[i].text; i++)
		printf("said %u times: %s\n", said[i].times, said[i].text);
}

/* Faults of a task */

static int open_nth(const char *task)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%s/fail-nth", task);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT) {
		printf("this kernel injects no faults\n");
		exit(EXIT_SKIP);
	}
	return fd;
}

static void arm(int nth, unsigned int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	/* a fault armed for our own task may hit this call, but only once */
	if (pwrite(nth, text, len, 0) != len && pwrite(nth, text, len, 0) != len)
		err(1, "fail-nth");
}

/* Return true if the fault has been injected since. */
static bool disarm(int nth)
{
	char text[16] = "";
	bool injected;

	/* the fault of our own task may hit this read: then it was the next one */
	injected = pread(nth, text, sizeof(text) - 1, 0) > 0 && !atoi(text);
	arm(nth, 0);
	return injected;
}

/* Sessions */

static void put_number(const char *path, unsigned long n)
{
	char text[32];
	int len = snprintf(text, sizeof(text), "%lu", n);
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, len) != len)
		err(1, "%s", path);
	close(fd);
}

static long get_number(const char *path)
{
	char text[32] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		err(1, "%s", path);
	close(fd);
	return strtol(text, NULL, 0);
}

/* Return 0, or the errno of the refused write. */
static int load(int fd, const struct chunk *c)
{
	size_t len = c->lines ? strlen(c->lines) : 0;

	if (len && write(fd, c->lines, len) != (ssize_t)len)
		return errno;
	if (write(fd, c->data, c->len) != (ssize_t)c->len)
		return errno;
	return 0;
}

/*
 * Read until the end, or until nothing is available. Returns false if the session neither
 * prints anything for ten seconds nor ends.
 */
static bool read_out(int fd, char *text, size_t size, bool to_the_end)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char rest[4096];
	size_t len = 0;
	ssize_t n;

	text[0] = '\0';
	for (;;) {
		if (to_the_end && poll(&p, 1, 10000) != 1)
			return false;
		n = read(fd, rest, sizeof(rest));
		if (n < 0 && to_the_end &&
		    (errno == ENOMEM || errno == EFAULT || errno == EAGAIN))
			continue;
		if (n <= 0)
			return !to_the_end || !n;
		if (n > (ssize_t)(size - 1 - len))
			n = size - 1 - len;
		memcpy(text + len, rest, n);
		len += n;
		text[len] = '\0';
	}
}

/* After a refusal the session has a message. */
static void check_refusal(const struct chunk *c, unsigned int nth, int fd, int error)
{
	char text[4096], *line;
	size_t len;

	if (error == EFAULT) {
		remember("Bad address");
		return;
	}
	if (error != ENOMEM)
		wrong("%s: fault %u: refused with '%s'", c->name, nth, strerror(error));
	read_out(fd, text, sizeof(text), false);
	/* what the script has printed comes before the message */
	len = strlen(text);
	if (len && text[len - 1] == '\n')
		text[len - 1] = '\0';
	line = strrchr(text, '\n');
	line = line ? line + 1 : text;
	if (!*line) {
		/*
		 * If the buffer of a write or a message cannot be allocated, there is
		 * only an errno.
		 */
		remember("(nothing)");
		return;
	}
	remember(line);
	if (!strcasestr(line, "memory"))
		wrong("%s: fault %u: refused with '%s'", c->name, nth, line);
}

/* A session without faults works. */
static void check_control(const char *name, unsigned int nth)
{
	static const struct chunk *control;
	char text[256];
	int fd, error;

	for (unsigned int i = 0; !control && i < chunks.n; i++) {
		if (!strcmp(chunks.chunk[i].name, "control"))
			control = &chunks.chunk[i];
	}
	if (!control)
		errx(1, "there is no chunk 'control'");
	fd = open(SESSION, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	error = fd < 0 ? errno : load(fd, control);
	if (error)
		wrong("%s: after fault %u: no other session: %s", name, nth, strerror(error));
	else if (!read_out(fd, text, sizeof(text), true) || strcmp(text, "control\n"))
		wrong("%s: after fault %u: another session says '%s'", name, nth, text);
	close(fd);
}

static void stop(int fd)
{
	if (write(fd, "stop\n", 5) != 5 && errno != ENOMEM && errno != EFAULT)
		wrong("stop: %s", strerror(errno));
}

/* This always fails: the event does not exist. */
static bool is_refused(const struct chunk *c)
{
	return !strcmp(c->name, "refused");
}

static void check_end(const struct chunk *c, unsigned int nth, int fd)
{
	static char text[1 << 20];

	stop(fd);
	if (!read_out(fd, text, sizeof(text), true))
		wrong("%s: fault %u: it does not end", c->name, nth);
}

/* Each function returns true if the fault was injected. */

static bool fault_load(const struct chunk *c, int nth, unsigned int n)
{
	int fd, error;
	bool injected;

	arm(nth, n);
	fd = open(SESSION, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	error = fd < 0 ? errno : load(fd, c);
	injected = disarm(nth);
	if (fd < 0) {
		if (error != ENOMEM && error != EFAULT)
			wrong("%s: fault %u: open: %s", c->name, n, strerror(error));
		return injected;
	}
	if (error && !(is_refused(c) && error == ENOENT))
		check_refusal(c, n, fd, error);
	else if (!error)
		check_end(c, n, fd);
	if (error && !injected && !is_refused(c))
		wrong("%s: without a fault: %s", c->name, strerror(error));
	close(fd);
	return injected;
}

static bool fault_use(const struct chunk *c, int nth, unsigned int n)
{
	static char text[1 << 16];
	struct pollfd p = { .events = POLLIN };
	bool injected;

	p.fd = open(SESSION, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (load(p.fd, c) && !is_refused(c))
		wrong("%s: %s", c->name, strerror(errno));
	arm(nth, n);
	poll(&p, 1, 5);
	(void)!read(p.fd, text, 100);
	(void)!read(p.fd, text, sizeof(text));
	(void)!write(p.fd, "stop\n", 5);
	poll(&p, 1, 5);
	(void)!read(p.fd, text, sizeof(text));
	close(p.fd);
	injected = disarm(nth);
	return injected;
}

/* The thread of our only session: "ktap/ID". */
static void name_of_thread(char *name, size_t size)
{
	unsigned long id = 0, pid;
	FILE *f = fopen(DIR "sessions", "re");
	char line[256];

	while (f && fgets(line, sizeof(line), f)) {
		if (line[0] != ' ' && sscanf(line, "%lu %lu", &id, &pid) == 2 &&
		    pid == (unsigned long)getpid())
			break;
	}
	if (f)
		fclose(f);
	snprintf(name, size, "ktap/%lu", id);
}

/* Its fail-nth, or -1. */
static int open_thread(void)
{
	char name[32], comm[32], path[64];
	glob_t found;
	int nth = -1;
	FILE *f;

	name_of_thread(name, sizeof(name));
	if (glob("/proc/[0-9]*", 0, NULL, &found))
		return -1;
	for (size_t i = found.gl_pathc; i-- > 0 && nth < 0;) {
		snprintf(path, sizeof(path), "%s/comm", found.gl_pathv[i]);
		f = fopen(path, "re");
		if (f && fgets(comm, sizeof(comm), f)) {
			comm[strcspn(comm, "\n")] = '\0';
			if (!strcmp(comm, name))
				nth = open_nth(found.gl_pathv[i] + strlen("/proc/"));
		}
		if (f)
			fclose(f);
	}
	globfree(&found);
	return nth;
}

static bool fault_thread(const struct chunk *c, int nth, unsigned int n)
{
	int fd = open(SESSION, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	bool injected = false;

	nth = load(fd, c) ? -1 : open_thread();
	if (nth >= 0) {
		arm(nth, n);
		usleep(5000);
		check_end(c, n, fd);
		injected = disarm(nth);
		close(nth);
	}
	close(fd);
	return injected;
}

/* Inject one fault after the other, until none is hit. Return their number. */
static unsigned int sweep(const char *name, const struct chunk *c, int nth, unsigned int most,
			  bool (*fault)(const struct chunk *c, int nth, unsigned int n))
{
	unsigned int before = wrongs, n;

	for (n = 1; n <= most && fault(c, nth, n); n++) {
		check_control(c->name, n);
		/* one example is enough */
		if (wrongs > before + 20)
			break;
	}
	printf("%s %s	%u\n", name, c->name, n - 1);
	fflush(stdout);
	return n - 1;
}

static unsigned int sweep_all(const char *name, int nth, unsigned int most,
			      bool (*fault)(const struct chunk *c, int nth, unsigned int n))
{
	unsigned int all = 0, n;

	for (unsigned int i = 0; i < chunks.n; i++) {
		n = sweep(name, &chunks.chunk[i], nth, most, fault);
		all += n;
		if (n == MAX_SITES)
			wrong("%s: no end of faults", chunks.chunk[i].name);
	}
	return all;
}

/* Faults of a function, whatever task runs it */

static void set(const char *kind, const char *name, unsigned long value)
{
	char path[128];

	snprintf(path, sizeof(path), DEBUG "%s/%s", kind, name);
	put_number(path, value);
}

/*
 * The first allocation after this many bytes, or pages, fails: in steps of @step bytes
 * every allocation of that size fails once.
 */
static unsigned int sweep_site(const char *kind, unsigned long step)
{
	char times[64];
	unsigned int n;

	snprintf(times, sizeof(times), DEBUG "%s/times", kind);
	for (n = 0; n < MAX_SITES; n++) {
		int fd, error;
		bool injected;

		set(kind, "space", n * step);
		set(kind, "times", 1);
		set(kind, "probability", 100);
		fd = open(SESSION, O_RDWR | O_NONBLOCK | O_CLOEXEC);
		error = fd < 0 ? errno : load(fd, &chunks.chunk[0]);
		set(kind, "probability", 0);
		injected = !get_number(times);
		if (error)
			check_refusal(&chunks.chunk[0], n, fd, error);
		close(fd);
		check_control(kind, n);
		if (!injected)
			break;
	}
	return n;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	unsigned int all;

	if (argc != (strcmp(what, "site") ? 3 : 6))
		errx(2, "usage: fault_session KIND DIRECTORY, or site KIND ADDRESS END DIRECTORY");
	read_chunks(&chunks, argv[argc - 1]);
	if (!strcmp(what, "load")) {
		all = sweep_all(what, open_nth("thread-self"), MAX_SITES, fault_load);
	} else if (!strcmp(what, "use")) {
		all = sweep_all(what, open_nth("thread-self"), MAX_SITES, fault_use);
	} else if (!strcmp(what, "thread")) {
		/* ticks never end */
		all = sweep_all(what, -1, 30, fault_thread);
	} else if (!strcmp(what, "create")) {
		all = sweep(what, &chunks.chunk[0], open_nth("2"), MAX_SITES, fault_load);
	} else if (!strcmp(what, "site")) {
		set(argv[2], "require-start", strtoul(argv[3], NULL, 16));
		set(argv[2], "require-end", strtoul(argv[4], NULL, 16));
		set(argv[2], "stacktrace-depth", 32);
		/* all allocations of a ring buffer take hours with all debugging checks */
		all = sweep_site(argv[2], (strcmp(argv[2], "failslab") ? 1 : 64) *
				 (getenv("FULL") ? 1 : 16));
		set(argv[2], "require-start", 0);
		set(argv[2], "require-end", ~0UL);
	} else {
		errx(2, "'%s' is no kind of fault", what);
	}
	show_said();
	printf("all	%u\n", all);
	return wrongs || !all;
}
