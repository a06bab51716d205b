// SPDX-License-Identifier: GPL-2.0
/*
 * A session with the kernel: open ktap/session, write set-up lines and the
 * chunk, split the input into frames.
 */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "compiler/clean_text.h"
#include "compiler/util.h"
#include "session_file.h"

/* Mount points of tracefs, unless KTAP_TRACEFS is set. */
static const char * const tracefs_dirs[] = {
	"/sys/kernel/tracing",
	"/sys/kernel/debug/tracing",
};

#define NR_TRACEFS_DIRS	ARRAY_SIZE(tracefs_dirs)

static const char *in_dir(char *path, size_t size, const char *dir, const char *file)
{
	snprintf(path, size, "%s/%s", dir, file);
	return path;
}

/* access() with the effective ids, with which files are opened */
static bool there_is(const char *dir, const char *file)
{
	char path[4096];

	return !faccessat(AT_FDCWD, in_dir(path, sizeof(path), dir, file), F_OK, AT_EACCESS);
}

/* a mounted tracefs contains its oldest file */
const char *session_tracefs(void)
{
	const char *dir = getenv("KTAP_TRACEFS");

	if (dir)
		return dir;
	for (size_t i = 0; i < NR_TRACEFS_DIRS; i++) {
		if (there_is(tracefs_dirs[i], "trace") || errno == EACCES)
			return tracefs_dirs[i];
	}
	return NULL;
}

/* Does the first line of the file @path contain @word? */
static bool line_has(const char *path, const char *word)
{
	char line[256] = "";
	FILE *f = fopen(path, "re");
	bool has;

	if (!f)
		return false;
	has = fgets(line, sizeof(line), f) && strstr(line, word);
	fclose(f);
	return has;
}

/* Is the user root only in a user namespace? */
static bool in_user_namespace(void)
{
	return !access("/proc/self/uid_map", R_OK) &&
	       !line_has("/proc/self/uid_map", " 4294967295");
}

void session_advise(const char *tracefs, int err)
{
	if (line_has("/sys/kernel/security/lockdown", "[confidentiality]"))
		fprintf(stderr, "ktap: the kernel is locked down: to trace it, boot without lockdown=confidentiality (ktap --explain lockdown)\n");
	else if (in_user_namespace())
		fprintf(stderr, "ktap: tracing shows the whole machine, so it is not allowed in a user namespace, even for its root (ktap --explain permission)\n");
	else if (err == EACCES)
		fprintf(stderr, "ktap: tracefs belongs to root: try sudo, or give it to a group: mount -o remount,gid=GROUP,mode=750 %s; chmod 660 %s/ktap/session (ktap --explain permission)\n",
			tracefs, tracefs);
	else
		fprintf(stderr, "ktap: tracing needs CAP_PERFMON: try sudo, or setcap cap_perfmon+ep of ktap, or sysctl kernel.perf_event_paranoid=-1, or 2 for own processes (ktap --explain permission)\n");
}

/* Explain why ktap/session below @tracefs could not be opened. */
static void explain_open(const char *tracefs, const char *path, int err)
{
	if (err == ENOENT && there_is(tracefs, ".")) {
		fprintf(stderr, "ktap: error: this kernel has no ktap: no %s\n", path);
		fprintf(stderr, "ktap: it must be built with CONFIG_KTAP=y (ktap --explain kernel)\n");
		return;
	}
	fprintf(stderr, "ktap: error: cannot open %s: %s\n", path, strerror(err));
	if (err == EACCES || err == EPERM)
		session_advise(tracefs, err);
	else if (err == EUSERS)
		fputs("ktap: this user has as many sessions as are allowed without CAP_PERFMON: end one of them\n",
		      stderr);
}

void session_no_tracefs(const char *tracefs)
{
	fprintf(stderr, "ktap: error: tracefs is not mounted\n");
	fprintf(stderr, "ktap: try: mount -t tracefs nodev %s (ktap --explain tracefs)\n",
		tracefs ? tracefs : tracefs_dirs[0]);
}

bool session_open(struct session *s)
{
	const char *tracefs = session_tracefs();
	char path[4096];
	int err;

	memset(s, 0, sizeof(*s));
	s->fd = -1;
	s->loaded[0] = -1;
	s->loaded[1] = -1;
	if (!tracefs) {
		session_no_tracefs(NULL);
		return false;
	}

	s->dir = strdup(in_dir(path, sizeof(path), tracefs, "ktap"));
	if (!s->dir) {
		perror("ktap: error");
		return false;
	}
	s->fd = open(in_dir(path, sizeof(path), tracefs, "ktap/session"), O_RDWR | O_CLOEXEC);
	if (s->fd < 0) {
		explain_open(tracefs, path, errno);
		return false;
	}

	err = session_setup(s, "frames\nstream");
	if (err) {
		fprintf(stderr, "ktap: error: %s: %s\n", path, strerror(-err));
		return false;
	}
	s->framed = true;
	return true;
}

static int write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		p += n;
		len -= n;
	}
	return 0;
}

int session_setup(struct session *s, const char *fmt, ...)
{
	char *line;
	va_list ap;
	int err, n;

	va_start(ap, fmt);
	n = vasprintf(&line, fmt, ap);
	va_end(ap);
	if (n < 0)
		return -ENOMEM;

	line[n] = '\n';		/* replaces the NUL */
	err = write_all(s->fd, line, n + 1);
	free(line);
	return err;
}

static void *session_write_chunk(void *arg)
{
	struct session *s = arg;
	int err = write_all(s->fd, s->chunk, s->chunk_len);

	write_all(s->loaded[1], &err, sizeof(err));
	return NULL;
}

int session_load(struct session *s, const void *chunk, size_t len)
{
	int err;

	if (pipe2(s->loaded, O_CLOEXEC))
		return -errno;
	s->chunk = chunk;
	s->chunk_len = len;
	fcntl(s->fd, F_SETFL, O_RDWR | O_NONBLOCK);
	err = pthread_create(&s->loader, NULL, session_write_chunk, s);
	if (err)
		s->chunk = NULL;
	return -err;
}

int session_loaded_fd(const struct session *s)
{
	return s->chunk ? s->loaded[0] : -1;
}

int session_loaded(struct session *s)
{
	int err;

	if (read(s->loaded[0], &err, sizeof(err)) != sizeof(err))
		err = -EIO;
	pthread_join(s->loader, NULL);
	s->chunk = NULL;
	return err;
}

/*
 * The line of this session in ktap/sessions, to be freed; NULL if there is
 * none.
 */
static char *session_line(const struct session *s)
{
	char path[4096], *line = NULL;
	bool found = false;
	size_t size = 0;
	long pid;
	FILE *f;

	f = fopen(in_dir(path, sizeof(path), s->dir, "sessions"), "re");
	while (f && !found && getline(&line, &size, f) > 0)
		found = line[0] != ' ' && sscanf(line, "%*s %ld", &pid) == 1 && pid == getpid();
	if (f)
		fclose(f);
	if (found)
		return line;
	free(line);
	return NULL;
}

/* Is the session in this state? */
static bool session_state(const struct session *s, const char *state)
{
	char word[32], *line = session_line(s);
	bool is;

	snprintf(word, sizeof(word), " %s events=", state);
	is = line && strstr(line, word);
	free(line);
	return is;
}

bool session_attached(const struct session *s, unsigned int *done, unsigned int *all)
{
	char *line = session_line(s), *found;
	bool known;

	found = line ? strstr(line, " attached=") : NULL;
	known = found && sscanf(found, " attached=%u/%u", done, all) == 2;
	free(line);
	return known;
}

/*
 * Wait until the chunk is written: a line within it would be taken as part of
 * the chunk. Writing takes milliseconds, as the kernel begins long work only
 * after the whole chunk.
 */
static void session_wait_for_chunk(const struct session *s)
{
	const struct timespec ms = { .tv_nsec = 1000000 };

	while (s->chunk && session_state(s, "open"))
		nanosleep(&ms, NULL);
}

static void *say_stop(void *arg)
{
	int fd = (intptr_t)arg;

	write_all(fd, "stop\n", strlen("stop\n"));
	close(fd);
	return NULL;
}

/*
 * Writing "stop" may block for long, and further requests must be handled
 * meanwhile, so a thread does it. It has its own descriptor, as the session may
 * be closed first. If the session has ended meanwhile, that is no error; the
 * reader will notice.
 */
void session_stop(struct session *s)
{
	int fd = fcntl(s->fd, F_DUPFD_CLOEXEC, 0);
	pthread_t thread;

	session_wait_for_chunk(s);
	if (fd >= 0 && !pthread_create(&thread, NULL, say_stop, (void *)(intptr_t)fd)) {
		pthread_detach(thread);
		return;
	}
	if (fd >= 0)
		close(fd);
	session_setup(s, "stop");
}

ssize_t session_read(struct session *s)
{
	ssize_t n;

	n = read(s->fd, s->buf, sizeof(s->buf));
	if (n < 0)
		return -errno;
	s->begin = 0;
	s->end = n;
	return n;
}

bool session_peek(struct session *s, struct piece *piece)
{
	size_t have = s->end - s->begin;

	while (!s->left && s->framed) {
		size_t want = sizeof(s->head) - s->head_len;

		if (!have)
			return false;
		if (want > have)
			want = have;
		memcpy((char *)&s->head + s->head_len, s->buf + s->begin, want);
		s->head_len += want;
		s->begin += want;
		have -= want;
		if (s->head_len < sizeof(s->head))
			return false;
		s->head_len = 0;
		s->left = le32toh(s->head.len);
	}

	if (!have)
		return false;
	piece->channel = s->framed ? s->head.channel : KTAP_CH_ERROR;
	piece->data = s->buf + s->begin;
	piece->len = s->framed && have > s->left ? s->left : have;
	piece->last = s->framed && piece->len == s->left;
	return true;
}

void session_take(struct session *s, size_t len)
{
	s->begin += len;
	if (s->framed)
		s->left -= len;
}

int session_status(const struct session *s, FILE *out)
{
	char path[4096], *line = NULL;
	bool mine = false;
	size_t size = 0;
	int running = -1;
	FILE *f;

	f = fopen(in_dir(path, sizeof(path), s->dir, "sessions"), "re");
	if (!f)
		return -1;
	while (getline(&line, &size, f) > 0) {
		long pid;

		if (line[0] != ' ') {
			mine = sscanf(line, "%*s %ld", &pid) == 1 && pid == getpid();
			if (mine)
				running = !!strstr(line, " running events=");
		}
		if (mine && out) {
			fputs("ktap: ", out);
			put_clean(out, line, strcspn(line, "\n"));
			fputc('\n', out);
		}
	}
	free(line);
	fclose(f);
	return running;
}

/* The version of the kernel's ktap, from the features file. */
static bool kernel_version(const struct session *s, unsigned int *major, unsigned int *minor)
{
	char path[4096], line[256];
	bool found = false;
	FILE *f;

	f = fopen(in_dir(path, sizeof(path), s->dir, "features"), "re");
	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f))
		found = sscanf(line, "abi: %u.%u", major, minor) == 2;
	fclose(f);
	return found;
}

bool session_accepts(const struct session *s, const char *name, const void *chunk, size_t len)
{
	const struct ktap_header *h = chunk;
	unsigned int kmajor, kminor, major, minor;

	if (len < sizeof(*h) || le32toh(h->length) != len) {
		fprintf(stderr, "ktap: error: %s: a damaged chunk: it says %u bytes, not %zu\n",
			name, len < sizeof(*h) ? 0 : le32toh(h->length), len);
		return false;
	}
	if (!kernel_version(s, &kmajor, &kminor))
		return true;
	major = le16toh(h->major);
	minor = le16toh(h->minor);
	if (major == kmajor && minor <= kminor)
		return true;
	fprintf(stderr, "ktap: error: %s: needs ktap version %u.%u, this kernel has %u.%u\n",
		name, major, minor, kmajor, kminor);
	fprintf(stderr, "ktap: compile the script with the ktapc that belongs to this kernel (ktap --explain version)\n");
	return false;
}

void session_close(struct session *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	/* the loader thread may still use it */
	if (!s->chunk)
		for (int i = 0; i < 2; i++)
			close(s->loaded[i]);
	free(s->dir);
	s->dir = NULL;
}
