// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions that run without a terminal.
 *
 * There are two processes. The runner is an ordinary ktap whose output is a recording, which
 * it writes to a pipe. The keeper reads this pipe, keeps the newest frames, and listens at a
 * socket. A client sends one word and a newline:
 *
 *	attach		send the header of a recording, all frames that are kept, and those
 *			that follow, until the session ends
 *	stop		end the session, and do the same
 *	list		send a line about the session
 *
 * After the end, the keeper waits until a client has received all: the client answers with
 * "done". SIGTERM ends both processes. If the keeper is killed, the kernel sends SIGTERM to
 * the runner. SIGUSR1 to the keeper is a dump, like dump() of the script, which the runner
 * passes on.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "compiler/util.h"
#include "json_read.h"
#include "json_text.h"
#include "keeper.h"
#include "keeper_dump.h"
#include "keeper_frames.h"
#include "keeper_socket.h"
#include "kept_output.h"
#include "recording.h"
#include "session_file.h"
#include "signals.h"
#include "text_buffer.h"

#define MAX_CLIENTS	16
#define CLIENT_PIECE	65536	/* bytes that are taken at once */

enum client_state {
	CLIENT_ASKS,		/* its word is being received */
	CLIENT_FOLLOWS,
	CLIENT_LISTS,		/* the line is being sent */
	CLIENT_ENDS,		/* all was sent: it must answer */
};

/**
 * struct keeper_client - a connection
 * @fd: its socket; -1 if it is unused
 * @word: what it has sent
 * @len: its length
 * @reader: what it has received
 * @out: what is being sent
 */
struct keeper_client {
	int fd;
	enum client_state state;
	char word[16];
	size_t len;
	struct kept_reader reader;
	struct text_buffer out;
};

/**
 * struct keeper - a keeper
 * @name: of the session
 * @path: of its socket
 * @runner: pid of the runner; 0 after its end
 * @listener: the socket
 * @frames: reads frames of the runner
 * @recording: its header
 * @lines: joins lines that are in several frames
 * @kept: the output
 * @dump: files with it
 * @ended: there is no more output
 * @received: a client has received all of it
 * @code: exit code of the runner
 */
struct keeper {
	const char *name;
	struct sockaddr_un address;
	pid_t runner;
	int listener;
	struct session frames;
	struct recording recording;
	struct json_lines lines;
	struct kept_output kept;
	struct keeper_dump dump;
	struct keeper_client clients[MAX_CLIENTS];
	bool ended;
	bool received;
	int code;
};

static volatile sig_atomic_t keeper_told;	/* number of signals to end */
static volatile sig_atomic_t keeper_dump_told;	/* there was one to dump */

static void keeper_on_signal(int sig)
{
	(void)sig;
	keeper_told++;
}

/* That of SIGCHLD only interrupts: the writer of a dump may have ended. */
static void keeper_on_dump(int sig)
{
	keeper_dump_told |= sig == SIGUSR1;
}

static void keeper_stop_runner(struct keeper *k)
{
	if (k->runner)
		kill(k->runner, SIGTERM);
}

/* Keep a line, with its newline. */
static void keeper_add_line(struct keeper *k, const struct span *line, bool whole)
{
	/* a NUL follows the line: json_add() has made room for a newline */
	char *end = (char *)line->end;

	*end = '\n';
	kept_add(&k->kept, KTAP_CH_OUTPUT, line->begin, end - line->begin + whole);
	*end = '\0';
}

/* Keep text that has no newline at its end; in JSON there is none. */
static void keeper_add_rest(struct keeper *k)
{
	const struct span rest = { k->lines.line, k->lines.line + k->lines.len };

	if (k->lines.len)
		keeper_add_line(k, &rest, false);
	k->lines.len = 0;
}

static void keeper_dumps(struct keeper *k)
{
	if (keeper_dump_told && k->dump.file)
		keeper_dump_request(&k->dump, "SIGUSR1", strlen("SIGUSR1"));
	keeper_dump_told = 0;
	keeper_dump_step(&k->dump, &k->kept, &k->recording.about);
}

static void keeper_take(struct keeper *k)
{
	struct piece piece;
	struct span line;

	while (session_peek(&k->frames, &piece)) {
		const char *data = piece.data;
		size_t len = piece.len;

		if (piece.channel == KTAP_CH_DUMP) {
			if (!k->recording.about.json)
				keeper_add_rest(k);
			keeper_dump_add(&k->dump, data, len, piece.last);
			keeper_dumps(k);	/* without what follows */
		} else if (piece.channel != KTAP_CH_OUTPUT) {
			kept_add(&k->kept, piece.channel, data, len);
			k->dump.news = true;
			k->dump.ended |= piece.channel == KTAP_CH_EXIT;
		} else {
			k->dump.news = true;
			while (json_add(&k->lines, &data, &len, &line))
				keeper_add_line(k, &line, true);
		}
		session_take(&k->frames, piece.len);
	}
}

/* Wait for the runner, which has closed its output; returns its exit code. */
static int keeper_reap(struct keeper *k)
{
	int status;

	while (waitpid(k->runner, &status, 0) < 0) {
		if (errno != EINTR)
			return 2;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

/* Read from the runner. */
static void keeper_read(struct keeper *k)
{
	ssize_t n = session_read(&k->frames);

	if (n == -EAGAIN || n == -EINTR)
		return;
	if (n > 0) {
		keeper_take(k);
		return;
	}
	keeper_add_rest(k);
	k->ended = true;
	close(k->frames.fd);
	k->frames.fd = -1;
	k->code = keeper_reap(k);
	k->runner = 0;
}

static void client_close(struct keeper_client *c)
{
	close(c->fd);
	c->fd = -1;
	text_free(&c->out);
}

/* Take the next frames for a client. */
static void client_fill(struct keeper *k, struct keeper_client *c)
{
	keeper_put_frames(&k->kept, &k->recording.about, &c->reader, CLIENT_PIECE, &c->out);
}

static void client_begin(struct keeper *k, struct keeper_client *c)
{
	keeper_put_header(&k->recording.about, &c->out);
	c->state = CLIENT_FOLLOWS;
}

/* One line: the keeper, the runner, when it began, how much is kept and overwritten, script */
static void client_list(struct keeper *k, struct keeper_client *c)
{
	text_printf(&c->out, "%d %d %" PRId64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %s %s\n",
		    (int)getpid(), (int)k->runner, k->recording.about.monotonic,
		    k->kept.head - k->kept.tail, k->kept.lines - k->kept.overwritten,
		    k->kept.overwritten, k->ended ? "ended" : "running", k->recording.about.script);
	c->state = CLIENT_LISTS;
}

/* A new session may have this name now; then its file is not ours any more. */
static void keeper_give_name(struct keeper *k)
{
	if (*k->address.sun_path)
		unlink(k->address.sun_path);
	*k->address.sun_path = '\0';
}

static void client_obey(struct keeper *k, struct keeper_client *c)
{
	if (c->state == CLIENT_ENDS && !strcmp(c->word, "done")) {
		k->received = true;
		/* the client waits for the end of the connection */
		keeper_give_name(k);
		client_close(c);
	} else if (c->state == CLIENT_ASKS && !strcmp(c->word, "list")) {
		client_list(k, c);
	} else if (c->state == CLIENT_ASKS && !strcmp(c->word, "attach")) {
		client_begin(k, c);
	} else if (c->state == CLIENT_ASKS && !strcmp(c->word, "stop")) {
		keeper_stop_runner(k);
		client_begin(k, c);
	} else {
		client_close(c);
	}
}

/* Read a word, or the end of the connection. */
static void client_read(struct keeper *k, struct keeper_client *c)
{
	ssize_t n = read(c->fd, c->word + c->len, sizeof(c->word) - c->len);
	char *newline;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		client_close(c);
		return;
	}
	c->len += n;
	newline = memchr(c->word, '\n', c->len);
	if (!newline && c->len < sizeof(c->word))
		return;
	if (newline)
		*newline = '\0';
	else
		*c->word = '\0';
	c->len = 0;
	client_obey(k, c);
}

static void client_write(struct keeper_client *c)
{
	ssize_t n = send(c->fd, c->out.text + c->out.at, c->out.len - c->out.at, MSG_NOSIGNAL);

	if (n < 0 && errno != EAGAIN && errno != EINTR) {
		client_close(c);
		return;
	}
	if (n < 0)
		return;
	c->out.at += n;
	if (c->out.at < c->out.len)
		return;
	c->out.at = 0;
	c->out.len = 0;
	if (c->state == CLIENT_LISTS)
		client_close(c);
}

static void keeper_accept(struct keeper *k)
{
	int fd = accept4(k->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	for (int i = 0; fd >= 0 && i < MAX_CLIENTS; i++) {
		struct keeper_client *c = &k->clients[i];

		if (c->fd >= 0)
			continue;
		memset(c, 0, sizeof(*c));
		c->fd = fd;
		return;
	}
	if (fd >= 0)
		close(fd);
}

/* Prepare what to wait for: a client that follows gets more, or learns of the end. */
static void client_prepare(struct keeper *k, struct keeper_client *c, struct pollfd *fd)
{
	if (c->fd >= 0 && c->state == CLIENT_FOLLOWS && !c->out.len) {
		client_fill(k, c);
		if (!c->out.len && k->ended) {
			shutdown(c->fd, SHUT_WR);
			c->state = CLIENT_ENDS;
		}
	}
	*fd = (struct pollfd){ .fd = c->fd, .events = POLLIN | (c->out.len ? POLLOUT : 0) };
}

static void keeper_step(struct keeper *k)
{
	struct pollfd fds[MAX_CLIENTS + 2] = {
		{ .fd = k->frames.fd, .events = POLLIN },
		{ .fd = k->listener, .events = POLLIN },
	};

	keeper_dumps(k);
	for (int i = 0; i < MAX_CLIENTS; i++)
		client_prepare(k, &k->clients[i], &fds[i + 2]);
	if (signals_poll(fds, ARRAY_SIZE(fds), NULL) < 0)
		return;
	for (int i = 0; i < MAX_CLIENTS; i++) {
		struct keeper_client *c = &k->clients[i];

		if (fds[i + 2].revents & POLLOUT)
			client_write(c);
		if (c->fd >= 0 && (fds[i + 2].revents & (POLLIN | POLLHUP | POLLERR)))
			client_read(k, c);
	}
	if (fds[0].revents)
		keeper_read(k);
	if (fds[1].revents)
		keeper_accept(k);
}

static void keeper_catch_signals(void)
{
	const struct sigaction action = { .sa_handler = keeper_on_signal };
	const struct sigaction dump = { .sa_handler = keeper_on_dump };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGUSR1, &dump, NULL);
	sigaction(SIGCHLD, &dump, NULL);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
}

static void keeper_close_streams(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
}

/* End the runner: each further signal is another request. */
static void keeper_end_runner(struct keeper *k)
{
	struct pollfd fd = { .fd = k->frames.fd, .events = POLLIN };
	int told = -1;

	while (!k->ended) {
		if (told != keeper_told)
			keeper_stop_runner(k);
		told = keeper_told;
		if (signals_poll(&fd, 1, NULL) > 0)
			keeper_read(k);
	}
}

/* Wait until what is due was written, or for a further signal. */
static void keeper_end_dumps(struct keeper *k)
{
	int told = keeper_told;

	keeper_dumps(k);
	while (k->dump.writer && told == keeper_told) {
		signals_poll(NULL, 0, NULL);
		keeper_dumps(k);
	}
}

/* Keep the output until a client has it all, or until a signal; returns the exit code. */
static int keeper_run(struct keeper *k)
{
	setsid();
	keeper_close_streams();
	for (int i = 0; i < MAX_CLIENTS; i++)
		k->clients[i].fd = -1;
	k->frames.framed = true;
	if (recording_read(k->frames.fd, &k->recording.about)) {
		/* the script was refused */
		k->code = keeper_reap(k);
		k->ended = true;
	}
	fcntl(k->frames.fd, F_SETFL, O_NONBLOCK);
	while (k->recording.about.wall && !k->received && !keeper_told)
		keeper_step(k);
	keeper_give_name(k);
	keeper_end_runner(k);
	keeper_end_dumps(k);
	return k->code;
}

/* The runner writes to @out, and says at @ready that it is armed. */
static int keeper_begin_runner(struct options *opts, pid_t keeper, int out, int ready)
{
	static char path[32];

	/* the keeper may have been killed before */
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) || getppid() != keeper)
		exit(2);
	signals_reset();
	signal(SIGHUP, SIG_IGN);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", out);
	opts->record = opts->detach;
	opts->output = path;
	opts->ready = ready;
	return -1;
}

/* The process that was called: returns the exit code. */
static int keeper_wait(pid_t keeper, int ready)
{
	char byte;
	int status;
	ssize_t n;

	do {
		n = read(ready, &byte, 1);
	} while (n < 0 && errno == EINTR);
	close(ready);
	if (n == 1)
		return 0;
	/* output of a script that was refused then is of no use */
	kill(keeper, SIGTERM);
	while (waitpid(keeper, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

static int keeper_perror(const char *what)
{
	fprintf(stderr, "ktap: error: cannot make a %s: %s\n", what, strerror(errno));
	return 2;
}

int keeper_detach(struct options *opts)
{
	static struct keeper k;
	int ready[2], out[2];
	pid_t keeper, self;

	k.name = opts->detach;
	k.dump.file = opts->dump;
	if (!keeper_check_name(k.name))
		return 2;
	if (!kept_init(&k.kept, opts->keep ? opts->keep : KEEPER_DEFAULT_SIZE)) {
		fprintf(stderr, "ktap: error: no memory for --keep\n");
		return 2;
	}
	k.listener = keeper_listen(k.name);
	if (k.listener < 0)
		return 2;
	keeper_address(&k.address, keeper_folder(), k.name);
	if (pipe2(ready, O_CLOEXEC) || pipe2(out, O_CLOEXEC)) {
		unlink(k.address.sun_path);
		return keeper_perror("pipe");
	}
	keeper = fork();
	if (keeper < 0) {
		unlink(k.address.sun_path);
		return keeper_perror("process");
	}
	if (keeper) {
		close(ready[1]);
		close(out[1]);
		return keeper_wait(keeper, ready[0]);
	}
	close(ready[0]);
	keeper_catch_signals();
	self = getpid();
	k.runner = fork();
	if (!k.runner) {
		signals_unblock();
		close(k.listener);
		close(out[0]);
		kept_free(&k.kept);
		return keeper_begin_runner(opts, self, out[1], ready[1]);
	}
	close(ready[1]);
	close(out[1]);
	k.frames.fd = out[0];
	if (k.runner > 0)
		exit(keeper_run(&k));
	unlink(k.address.sun_path);
	exit(keeper_perror("process"));
}

void keeper_armed(const struct options *opts)
{
	if (!opts->detach)
		return;
	keeper_close_streams();
	if (write(opts->ready, "", 1) == 1)
		close(opts->ready);
}
