// SPDX-License-Identifier: GPL-2.0
/*
 * The session file itself, by a program that needs no tool: it makes its own
 * chunks, right ones and wrong ones.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/capability.h>
#include <linux/ktap.h>

#include "../kselftest_harness.h"
#include "ktapfs.h"

#define FUZZ_ROUNDS	"2000"	/* unless KTAP_FUZZ_ROUNDS says another number */

/* A chunk under construction. */
struct chunk {
	union {
		struct ktap_header header;
		unsigned char bytes[4096];
	};
	uint32_t len;
};

enum { STR_MAIN, STR_TEXT, STR_HANDLER, STR_EVENT, NR_STRINGS };

struct program {
	const char *text;		/* what is printed */
	const char *event;		/* of the probe that handler 1 has, or NULL */
	const struct ktap_insn *main;
	unsigned int nmain;
	const struct ktap_insn *handler;
	unsigned int nhandler;
};

static struct ktap_insn insn(enum ktap_opcode op, uint8_t a, uint8_t b, int32_t d)
{
	return (struct ktap_insn){ .op = op, .a = a, .b = b, .d = htole32(d) };
}

static void *add_section(struct chunk *c, enum ktap_section_type type, uint32_t size,
			 uint32_t count)
{
	struct ktap_section *sections = (void *)(c->bytes + sizeof(c->header));
	uint32_t n = le32toh(c->header.nsections);
	uint32_t offset = (c->len + 7) & ~7U;

	sections[n] = (struct ktap_section){
		.type = htole32(type), .offset = htole32(offset), .size = htole32(size),
		.count = htole32(count),
	};
	c->header.nsections = htole32(n + 1);
	c->len = (offset + size + 7) & ~7U;
	c->header.length = htole32(c->len);
	return c->bytes + offset;
}

static void add_strings(struct chunk *c, const char *const *strings)
{
	uint32_t used = NR_STRINGS * sizeof(struct ktap_string);
	unsigned char data[1024];
	struct ktap_string *entry = (void *)data;

	for (int i = 0; i < NR_STRINGS; i++) {
		size_t len = strlen(strings[i]);

		entry[i].offset = htole32(used);
		entry[i].len = htole32(len);
		memcpy(data + used, strings[i], len + 1);
		used += len + 1;
	}
	memcpy(add_section(c, KTAP_SEC_STRINGS, used, NR_STRINGS), data, used);
}

static void build(struct chunk *c, const struct program *p)
{
	const char *strings[NR_STRINGS] = {
		[STR_MAIN] = "main", [STR_TEXT] = p->text,
		[STR_HANDLER] = "handler", [STR_EVENT] = p->event ? p->event : "",
	};
	uint32_t ninsns = p->nmain + p->nhandler;
	struct ktap_probe_desc *probe;
	struct ktap_function *f;
	struct ktap_insn *code;

	memset(c, 0, sizeof(*c));
	memcpy(c->header.magic, KTAP_MAGIC, KTAP_MAGIC_LEN);
	c->header.major = htole16(KTAP_ABI_MAJOR);
	c->header.minor = htole16(KTAP_ABI_MINOR);
	/* room for all sections, also if there are but three */
	c->len = sizeof(c->header) + 4 * sizeof(struct ktap_section);

	add_strings(c, strings);
	f = add_section(c, KTAP_SEC_FUNCS, (1 + !!p->event) * sizeof(*f), 1 + !!p->event);
	f[0] = (struct ktap_function){
		.name = htole32(STR_MAIN), .ninsns = htole32(p->nmain), .nregs = 4,
	};
	if (p->event)
		f[1] = (struct ktap_function){
			.name = htole32(STR_HANDLER), .first = htole32(p->nmain),
			.ninsns = htole32(p->nhandler), .nparams = 1, .nregs = 4,
		};
	code = add_section(c, KTAP_SEC_CODE, ninsns * sizeof(*code), ninsns);
	memcpy(code, p->main, p->nmain * sizeof(*code));
	if (p->event) {
		memcpy(code + p->nmain, p->handler, p->nhandler * sizeof(*code));
		probe = add_section(c, KTAP_SEC_PROBES, sizeof(*probe), 1);
		*probe = (struct ktap_probe_desc){
			.event = htole32(STR_EVENT), .filter = htole32(KTAP_NONE),
			.handler = htole32(1),
		};
	}
}

/* print(text) */
static void build_hello(struct chunk *c, const char *text)
{
	struct ktap_insn code[] = {
		insn(KTAP_OP_STR, 0, 0, STR_TEXT),
		insn(KTAP_OP_CALLB, 0, 1, KTAP_FN_PRINT),
		insn(KTAP_OP_RET, 0, 0, 0),
	};

	build(c, &(struct program){ .text = text, .main = code, .nmain = 3 });
}

/* trace event { print(text) }, and then @last */
static void build_handler(struct chunk *c, const char *event, const char *text,
			  struct ktap_insn last)
{
	struct ktap_insn code[] = {
		insn(KTAP_OP_INT, 0, 0, 0),
		insn(KTAP_OP_CALLB, 0, 1, KTAP_FN_TRACE),
		insn(KTAP_OP_RET, 0, 0, 0),
	};
	struct ktap_insn handler[] = {
		insn(KTAP_OP_STR, 1, 0, STR_TEXT),
		insn(KTAP_OP_CALLB, 1, 1, KTAP_FN_PRINT),
		last,
	};

	build(c, &(struct program){
		.text = text, .event = event, .main = code, .nmain = 3,
		.handler = handler, .nhandler = 3,
	});
}

/* trace event { print(text) } */
static void build_probe(struct chunk *c, const char *event, const char *text)
{
	build_handler(c, event, text, insn(KTAP_OP_RET, 0, 0, 0));
}

/* trace event { while (1) { print(text) } } */
static void build_flood(struct chunk *c, const char *event, const char *text)
{
	build_handler(c, event, text, insn(KTAP_OP_JMP, 0, 0, -3));
}

/* curtask, for which one needs CAP_PERFMON, then print(text) */
static void build_curtask(struct chunk *c, const char *text)
{
	struct ktap_insn code[] = {
		insn(KTAP_OP_CALLB, 0, 0, KTAP_FN_CURTASK),
		insn(KTAP_OP_STR, 0, 0, STR_TEXT),
		insn(KTAP_OP_CALLB, 0, 1, KTAP_FN_PRINT),
		insn(KTAP_OP_RET, 0, 0, 0),
	};

	build(c, &(struct program){ .text = text, .main = code, .nmain = 4 });
}

static int write_chunk(int fd, const struct chunk *c)
{
	uint32_t done = 0;

	while (done < c->len) {
		ssize_t n = write(fd, c->bytes + done, c->len - done);

		if (n < 0)
			return -errno;
		done += n;
	}
	return 0;
}

static int write_line(int fd, const char *line)
{
	return write(fd, line, strlen(line)) < 0 ? -errno : 0;
}

/*
 * Read until the end of the file, @enough bytes, or five seconds of silence.
 * Returns the number of bytes, or -ETIME.
 */
static ssize_t read_text(int fd, char *buf, size_t size, size_t enough)
{
	size_t len = 0;

	while (len < size - 1 && len < enough) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		ssize_t n;

		if (poll(&p, 1, 5000) != 1)
			return -ETIME;
		n = read(fd, buf + len, size - 1 - len);
		if (n < 0)
			return -errno;
		if (!n)
			break;
		len += n;
	}
	buf[len] = '\0';
	return len;
}

static ssize_t read_all(int fd, char *buf, size_t size)
{
	return read_text(fd, buf, size, size);
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* A system call that nobody else makes; without events of these, what others do, too */
#define GETPPID		"syscalls:sys_enter_getppid"

static bool has_getppid(void)
{
	return !access(DIR "../events/syscalls/sys_enter_getppid", F_OK);
}

static const char *event(void)
{
	return has_getppid() ? GETPPID : "task:task_rename";
}

static void cause_event(void)
{
	syscall(SYS_getppid);
	if (!has_getppid())
		prctl(PR_SET_NAME, "renamed");
}

/* A child that causes events until it is killed */
static pid_t start_load(void)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;) {
			cause_event();
			usleep(100);
		}
	}
	return pid;
}

static void end_load(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

FIXTURE(session)
{
	int fd;
	struct chunk chunk;
	char text[65536];
};

FIXTURE_SETUP(session)
{
	self->fd = open(SESSION, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(session)
{
	close(self->fd);
}

TEST_F(session, chunk_prints)
{
	build_hello(&self->chunk, "hello");
	ASSERT_EQ(0, write_chunk(self->fd, &self->chunk));
	ASSERT_EQ(6, read_all(self->fd, self->text, sizeof(self->text)));
	EXPECT_STREQ("hello\n", self->text);
}

TEST_F(session, chunk_in_single_bytes)
{
	build_hello(&self->chunk, "hello");
	for (uint32_t i = 0; i < self->chunk.len; i++)
		ASSERT_EQ(1, write(self->fd, self->chunk.bytes + i, 1));
	ASSERT_EQ(6, read_all(self->fd, self->text, sizeof(self->text)));
	EXPECT_STREQ("hello\n", self->text);
}

TEST_F(session, every_truncated_chunk_waits_for_the_rest)
{
	build_hello(&self->chunk, "hello");
	for (uint32_t len = 0; len < self->chunk.len; len++) {
		int fd = open(SESSION, O_RDWR | O_NONBLOCK);

		ASSERT_LE(0, fd);
		if (len)
			ASSERT_EQ(len, write(fd, self->chunk.bytes, len));
		ASSERT_EQ(-1, read(fd, self->text, sizeof(self->text)));
		ASSERT_EQ(EAGAIN, errno);
		close(fd);
	}
}

TEST_F(session, truncated_chunk_is_told_to_a_reader_that_waits)
{
	char want[80];

	build_hello(&self->chunk, "hello");
	for (uint32_t len = sizeof(struct ktap_header); len < self->chunk.len; len += 7) {
		int fd = open(SESSION, O_RDWR);
		ssize_t n;

		ASSERT_LE(0, fd);
		ASSERT_EQ(len, write(fd, self->chunk.bytes, len));
		n = read(fd, self->text, sizeof(self->text) - 1);
		ASSERT_LT(0, n);
		self->text[n] = '\0';
		snprintf(want, sizeof(want),
			 "ktap: error: the chunk is incomplete: %u of %u bytes\n", len,
			 self->chunk.len);
		EXPECT_STREQ(want, self->text);
		EXPECT_EQ(0, read(fd, self->text, sizeof(self->text)));
		close(fd);
	}
}

TEST_F(session, wrong_header_is_refused_with_a_diagnosis)
{
	static const struct {
		const char *what;
		size_t offset;
		size_t size;
		uint32_t value;
		int err;
	} wrong[] = {
		{ "magic", 3, 1, 'x', EINVAL },
		{ "major", offsetof(struct ktap_header, major), 2, 99, EPROTONOSUPPORT },
		{ "major 0", offsetof(struct ktap_header, major), 2, 0, EPROTONOSUPPORT },
		{ "minor", offsetof(struct ktap_header, minor), 2, 999, EPROTONOSUPPORT },
		{ "length 0", offsetof(struct ktap_header, length), 4, 0, EINVAL },
		{ "length 8", offsetof(struct ktap_header, length), 4, 8, EINVAL },
		{ "length huge", offsetof(struct ktap_header, length), 4, UINT32_MAX, E2BIG },
		{ "flags", offsetof(struct ktap_header, flags), 4, 0x80000000, EINVAL },
		{ "no sections", offsetof(struct ktap_header, nsections), 4, 0, EINVAL },
		{ "many sections", offsetof(struct ktap_header, nsections), 4, UINT32_MAX, EINVAL },
		{ "main", offsetof(struct ktap_header, main), 4, 1, EINVAL },
		{ "main huge", offsetof(struct ktap_header, main), 4, UINT32_MAX, EINVAL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		uint32_t value = htole32(wrong[i].value);
		int fd = open(SESSION, O_RDWR);
		ssize_t n;

		ASSERT_LE(0, fd);
		build_hello(&self->chunk, "hello");
		memcpy(self->chunk.bytes + wrong[i].offset, &value, wrong[i].size);
		EXPECT_EQ(-wrong[i].err, write_chunk(fd, &self->chunk))
			TH_LOG("wrong %s", wrong[i].what);
		n = read_all(fd, self->text, sizeof(self->text));
		EXPECT_LT(0, n);
		EXPECT_TRUE(begins(self->text, "ktap: error: ")) {
			TH_LOG("wrong %s: '%s'", wrong[i].what, self->text);
		}
		close(fd);
	}
}

enum outcome { LOADED, REFUSED, NOT_OPENED, SILENT, WRONG_ERRNO };

/* What a fuzzed chunk may do in its own process, for as long as it likes. */
static enum outcome try_chunk(const struct chunk *c)
{
	char text[4096];
	int fd, err;

	alarm(2);
	fd = open(SESSION, O_RDWR | O_NONBLOCK);
	if (fd < 0)
		return NOT_OPENED;
	err = write_chunk(fd, c);
	if (!err) {
		write_line(fd, "stop\n");
		return LOADED;
	}
	if (read(fd, text, sizeof(text)) <= 0)
		return SILENT;
	if (err != -EINVAL && err != -EPROTONOSUPPORT && err != -E2BIG &&
	    err != -ENOENT && err != -ENOMEM)
		return WRONG_ERRNO;
	return REFUSED;
}

TEST_F_TIMEOUT(session, random_chunks_do_no_harm, 600)
{
	const char *rounds = getenv("KTAP_FUZZ_ROUNDS");
	int outcomes[REFUSED + 1] = {};
	unsigned int seed = 1;

	for (int round = 0; round < atoi(rounds ? rounds : FUZZ_ROUNDS); round++) {
		int flips = 1 + rand_r(&seed) % 8;
		int status;
		pid_t pid;

		if (round % 2)
			build_hello(&self->chunk, "hello");
		else
			build_probe(&self->chunk, event(), "hello");
		for (int i = 0; i < flips; i++) {
			/* the length stays, or the session would wait for more */
			uint32_t at = sizeof(struct ktap_header) + rand_r(&seed) %
				      (self->chunk.len - sizeof(struct ktap_header));

			self->chunk.bytes[at] = rand_r(&seed);
		}
		pid = fork();
		if (!pid)
			_exit(try_chunk(&self->chunk));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		if (WIFSIGNALED(status)) {
			/* an endless loop ends with the process, which SIGALRM ends */
			ASSERT_EQ(SIGALRM, WTERMSIG(status));
			continue;
		}
		ASSERT_GE(REFUSED, WEXITSTATUS(status)) TH_LOG("round %d", round);
		outcomes[WEXITSTATUS(status)]++;
	}
	EXPECT_LT(0, outcomes[LOADED]);
	EXPECT_LT(0, outcomes[REFUSED]);
}

TEST_F(session, random_bytes_are_refused)
{
	unsigned int seed = 2;

	for (int round = 0; round < 200; round++) {
		unsigned char junk[256];
		int fd = open(SESSION, O_RDWR | O_NONBLOCK);

		ASSERT_LE(0, fd);
		for (size_t i = 0; i < sizeof(junk) - 1; i++)
			junk[i] = rand_r(&seed);
		junk[0] = '!';	/* no chunk */
		junk[sizeof(junk) - 1] = '\n';
		ASSERT_EQ(-1, write(fd, junk, sizeof(junk)));
		ASSERT_EQ(EINVAL, errno);
		ASSERT_LT(0, read(fd, self->text, sizeof(self->text)));
		close(fd);
	}
}

TEST_F(session, unknown_line_is_refused_with_a_diagnosis)
{
	EXPECT_EQ(-EINVAL, write_line(self->fd, "nonsense\n"));
	ASSERT_LT(0, read_all(self->fd, self->text, sizeof(self->text)));
	EXPECT_TRUE(begins(self->text, "ktap: error: "));
}

TEST_F(session, unknown_event_is_refused)
{
	build_probe(&self->chunk, "sched:no_such_event", "never");
	EXPECT_EQ(-ENOENT, write_chunk(self->fd, &self->chunk));
	ASSERT_LT(0, read_all(self->fd, self->text, sizeof(self->text)));
	EXPECT_NE(NULL, strstr(self->text, "sched:no_such_event"));
}

TEST_F(session, probe_prints_and_stop_ends)
{
	pid_t load = start_load();
	ssize_t n;

	build_probe(&self->chunk, event(), "event");
	ASSERT_EQ(0, write_chunk(self->fd, &self->chunk));
	n = read_text(self->fd, self->text, sizeof(self->text), 60);
	EXPECT_LE(60, n);
	EXPECT_TRUE(begins(self->text, "event\nevent\n"));
	EXPECT_EQ(0, write_line(self->fd, "stop\n"));
	EXPECT_LE(0, read_all(self->fd, self->text, sizeof(self->text)));
	EXPECT_EQ(0, read(self->fd, self->text, sizeof(self->text)));
	end_load(load);
}

/* Another process: one's own events are not delivered. */
static void fork_elsewhere(void)
{
	if (!fork()) {
		if (!fork())
			_exit(0);
		wait(NULL);
		_exit(0);
	}
	wait(NULL);
}

TEST_F(session, quiet_session_blocks_and_polls)
{
	struct pollfd p = { .fd = self->fd, .events = POLLIN };
	char byte;

	build_probe(&self->chunk, "sched:sched_process_fork", "fork");
	ASSERT_EQ(0, write_chunk(self->fd, &self->chunk));
	EXPECT_EQ(0, poll(&p, 1, 100));
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_RDWR | O_NONBLOCK));
	EXPECT_EQ(-1, read(self->fd, &byte, 1));
	EXPECT_EQ(EAGAIN, errno);
	fork_elsewhere();
	EXPECT_EQ(1, poll(&p, 1, 5000));
	EXPECT_EQ(1, read(self->fd, &byte, 1));
	EXPECT_EQ('f', byte);
}

TEST_F(session, epoll_set_before_the_chunk_wakes)
{
	struct epoll_event ev = { .events = EPOLLIN };
	int set = epoll_create1(EPOLL_CLOEXEC);

	ASSERT_LE(0, set);
	ASSERT_EQ(0, epoll_ctl(set, EPOLL_CTL_ADD, self->fd, &ev));
	EXPECT_EQ(0, epoll_wait(set, &ev, 1, 0));
	build_probe(&self->chunk, "sched:sched_process_fork", "fork");
	ASSERT_EQ(0, write_chunk(self->fd, &self->chunk));
	EXPECT_EQ(0, epoll_wait(set, &ev, 1, 100));

	/* the event comes while we sleep */
	if (!fork()) {
		usleep(200000);
		fork_elsewhere();
		_exit(0);
	}
	EXPECT_EQ(1, epoll_wait(set, &ev, 1, 5000));
	EXPECT_EQ(4, read(self->fd, self->text, 4));
	wait(NULL);
	close(set);
}

TEST_F(session, own_events_are_not_delivered)
{
	struct pollfd p = { .fd = self->fd, .events = POLLIN };

	if (!has_getppid())
		SKIP(return, "this kernel has no " GETPPID);
	build_probe(&self->chunk, event(), "event");
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_RDWR | O_NONBLOCK));
	ASSERT_EQ(0, write_line(self->fd, "arg x\n"));
	ASSERT_EQ(0, write_chunk(self->fd, &self->chunk));
	EXPECT_EQ(-1, read(self->fd, self->text, sizeof(self->text)));
	for (int i = 0; i < 100; i++)
		syscall(SYS_getppid);
	EXPECT_EQ(0, poll(&p, 1, 200));
}

TEST_F(session, own_events_are_delivered_when_asked_for)
{
	if (!has_getppid())
		SKIP(return, "this kernel has no " GETPPID);
	build_probe(&self->chunk, event(), "event");
	ASSERT_EQ(0, write_line(self->fd, "self\n"));
	ASSERT_EQ(0, write_chunk(self->fd, &self->chunk));
	for (int i = 0; i < 10; i++)
		syscall(SYS_getppid);
	EXPECT_EQ(0, write_line(self->fd, "stop\n"));
	EXPECT_EQ(60, read_all(self->fd, self->text, sizeof(self->text)));
}

TEST_F(session, pid_line_picks_one_process)
{
	pid_t load = start_load(), other = start_load();
	char line[32];
	ssize_t n;

	snprintf(line, sizeof(line), "pid %d\n", load);
	ASSERT_EQ(0, write_line(self->fd, line));
	build_probe(&self->chunk, event(), "event");
	ASSERT_EQ(0, write_chunk(self->fd, &self->chunk));
	EXPECT_LE(60, read_text(self->fd, self->text, sizeof(self->text), 60));
	end_load(load);
	/* the other one goes on, and is not heard of */
	do {
		n = read_text(self->fd, self->text, sizeof(self->text), 1);
	} while (n > 0);
	EXPECT_EQ(-ETIME, n);
	EXPECT_EQ(0, kill(other, 0));
	end_load(other);
}

TEST_F(session, reader_may_be_another_process)
{
	int status;
	pid_t pid;

	build_hello(&self->chunk, "hello");
	ASSERT_EQ(0, write_chunk(self->fd, &self->chunk));
	pid = fork();
	if (!pid)
		_exit(read_all(self->fd, self->text, sizeof(self->text)) != 6);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

TEST_F(session, blocked_reader_is_woken_by_stop)
{
	int status;
	pid_t pid;

	build_probe(&self->chunk, "sched:sched_process_exec", "exec");
	ASSERT_EQ(0, write_chunk(self->fd, &self->chunk));
	pid = fork();
	if (!pid) {
		alarm(10);
		_exit(read(self->fd, self->text, sizeof(self->text)) != 0);
	}
	usleep(200000);
	EXPECT_EQ(0, write_line(self->fd, "stop\n"));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

TEST_F(session, close_while_events_come)
{
	pid_t load = start_load();

	for (int i = 0; i < 20; i++) {
		int fd = open(SESSION, O_RDWR);

		ASSERT_LE(0, fd);
		build_probe(&self->chunk, event(), "event");
		ASSERT_EQ(0, write_chunk(fd, &self->chunk));
		usleep(10000);
		close(fd);
	}
	end_load(load);
}

TEST_F(session, close_at_any_step)
{
	int fd;

	fd = open(SESSION, O_RDWR);
	ASSERT_LE(0, fd);
	close(fd);
	fd = open(SESSION, O_RDWR);
	ASSERT_EQ(0, write_line(fd, "frames\n"));
	close(fd);
	fd = open(SESSION, O_RDWR);
	build_hello(&self->chunk, "hello");
	ASSERT_EQ(20, write(fd, self->chunk.bytes, 20));
	close(fd);
	fd = open(SESSION, O_RDWR);
	ASSERT_EQ(0, write_chunk(fd, &self->chunk));
	close(fd);
	fd = open(SESSION, O_RDWR);
	build_probe(&self->chunk, "sched:sched_process_fork", "fork");
	ASSERT_EQ(0, write_chunk(fd, &self->chunk));
	ASSERT_EQ(0, write_line(fd, "stop\n"));
	close(fd);
}

/* How many this process has, as others see them */
static unsigned int count_sessions(void)
{
	FILE *f = fopen(DIR "sessions", "re");
	unsigned int n = 0;
	char line[512];
	long pid;

	if (!f)
		return UINT_MAX;
	while (fgets(line, sizeof(line), f))
		n += line[0] != ' ' && sscanf(line, "%*u %ld", &pid) == 1 && pid == getpid();
	fclose(f);
	return n;
}

/*
 * The session's thread prints for ever, and waits for a reader who never comes: in
 * trace_begin it does so when write() is back, elsewhere it has printed something.
 */
TEST_F_TIMEOUT(session, close_while_the_thread_waits_for_a_reader, 120)
{
	static const char *const events[] = { "trace_begin", "tick-1ms", "trace_end" };
	unsigned int before = count_sessions();
	char text[512];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	for (int round = 0; round < 15; round++) {
		const char *event = events[round % ARRAY_SIZE(events)];
		struct pollfd p = { .events = POLLIN };

		p.fd = open(SESSION, O_RDWR);
		ASSERT_LE(0, p.fd);
		build_flood(&self->chunk, event, text);
		ASSERT_EQ(0, write_chunk(p.fd, &self->chunk)) TH_LOG("%s", event);
		ASSERT_EQ(0, strcmp(event, "trace_end") ? 0 : write_line(p.fd, "stop\n"));
		ASSERT_EQ(1, poll(&p, 1, 5000)) TH_LOG("%s", event);
		usleep(20000);
		EXPECT_EQ(before + 1, count_sessions());
		EXPECT_EQ(0, close(p.fd));
		EXPECT_EQ(before, count_sessions()) TH_LOG("%s", event);
	}
	build_hello(&self->chunk, "hello");
	ASSERT_EQ(0, write_chunk(self->fd, &self->chunk));
	ASSERT_EQ(6, read_all(self->fd, self->text, sizeof(self->text)));
}

TEST_F(session, two_at_once_see_the_same_events)
{
	pid_t load = start_load();
	int other = open(SESSION, O_RDWR);

	ASSERT_LE(0, other);
	build_probe(&self->chunk, event(), "one");
	ASSERT_EQ(0, write_chunk(self->fd, &self->chunk));
	build_probe(&self->chunk, event(), "two");
	ASSERT_EQ(0, write_chunk(other, &self->chunk));
	EXPECT_LE(40, read_text(self->fd, self->text, sizeof(self->text), 40));
	EXPECT_TRUE(begins(self->text, "one\none\n"));
	EXPECT_LE(40, read_text(other, self->text, sizeof(self->text), 40));
	EXPECT_TRUE(begins(self->text, "two\ntwo\n"));
	close(other);
	EXPECT_LE(40, read_text(self->fd, self->text, sizeof(self->text), 40));
	end_load(load);
}

/* Each of @many sessions hears of each of so many calls. */
#define MANY		200
#define MANY_CALLS	50

static unsigned int count_lines(const char *text, const char *line)
{
	unsigned int n = 0;

	for (; begins(text, line); text += strlen(line))
		n++;
	return *text ? 0 : n;
}

TEST_F_TIMEOUT(session, two_hundred_at_once_miss_nothing, 300)
{
	int fds[MANY], go[2], status;
	char line[32], byte;
	pid_t child;

	if (!has_getppid())
		SKIP(return, "this kernel has no " GETPPID);
	ASSERT_EQ(0, pipe(go));
	child = fork();
	if (!child) {
		close(go[1]);
		if (read(go[0], &byte, 1) != 1)
			_exit(1);
		for (int i = 0; i < MANY_CALLS; i++)
			syscall(SYS_getppid);
		_exit(0);
	}
	snprintf(line, sizeof(line), "pid %d\n", child);
	for (int i = 0; i < MANY; i++) {
		fds[i] = open(SESSION, O_RDWR);
		ASSERT_LE(0, fds[i]);
		ASSERT_EQ(0, write_line(fds[i], line));
		build_probe(&self->chunk, i % 4 == 0 ? "raw_syscalls:sys_enter" :
			    GETPPID, "event");
		ASSERT_EQ(0, write_chunk(fds[i], &self->chunk)) TH_LOG("session %d", i);
	}
	ASSERT_EQ(1, write(go[1], "!", 1));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	for (int i = 0; i < MANY; i++)
		ASSERT_EQ(0, write_line(fds[i], "stop\n"));
	for (int i = 0; i < MANY; i++) {
		unsigned int n;

		ASSERT_LE(0, read_all(fds[i], self->text, sizeof(self->text)));
		n = count_lines(self->text, "event\n");
		/* the other calls are read() and exit_group() */
		if (i % 4 == 0) {
			EXPECT_LE(MANY_CALLS, n) TH_LOG("session %d", i);
		} else {
			EXPECT_EQ(MANY_CALLS, n) TH_LOG("session %d", i);
		}
		close(fds[i]);
	}
}

TEST_F(session, frames_end_with_the_exit_code)
{
	const struct ktap_frame *frame = (void *)self->text;
	uint32_t code;

	ASSERT_EQ(0, write_line(self->fd, "frames\n"));
	build_hello(&self->chunk, "hello");
	ASSERT_EQ(0, write_chunk(self->fd, &self->chunk));
	ASSERT_EQ(2 * sizeof(*frame) + 6 + 4,
		  read_all(self->fd, self->text, sizeof(self->text)));
	EXPECT_EQ(6, le32toh(frame->len));
	EXPECT_EQ(KTAP_CH_OUTPUT, frame->channel);
	EXPECT_EQ(0, memcmp(frame + 1, "hello\n", 6));
	frame = (void *)(self->text + sizeof(*frame) + 6);
	EXPECT_EQ(4, le32toh(frame->len));
	EXPECT_EQ(KTAP_CH_EXIT, frame->channel);
	memcpy(&code, frame + 1, sizeof(code));
	EXPECT_EQ(0, le32toh(code));
}

TEST_F(session, second_chunk_is_refused)
{
	pid_t load = start_load();

	build_probe(&self->chunk, event(), "event");
	ASSERT_EQ(0, write_chunk(self->fd, &self->chunk));
	EXPECT_EQ(-EINVAL, write_chunk(self->fd, &self->chunk));
	/* and does the first one no harm */
	EXPECT_LE(60, read_text(self->fd, self->text, sizeof(self->text), 60));
	EXPECT_NE(NULL, strstr(self->text, "event\nevent\n"));
	EXPECT_EQ(0, write_line(self->fd, "stop\n"));
	EXPECT_LE(0, read_all(self->fd, self->text, sizeof(self->text)));
	end_load(load);
}

TEST_F(session, memory_above_the_limit_is_refused)
{
	EXPECT_EQ(-ERANGE, write_line(self->fd, "memory 999999999999999\n"));
	ASSERT_LT(0, read_all(self->fd, self->text, sizeof(self->text)));
	EXPECT_TRUE(begins(self->text, "ktap: error: "));
}

TEST_F(session, others_may_not_open_it)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (setgid(65534) || setuid(65534))
			_exit(1);
		_exit(open(SESSION, O_RDWR) >= 0 || errno != EACCES);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/* Sessions that are sent over a socket */

#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"

static int send_fd(int to, int fd)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(fd))];
	} control = {};
	struct iovec byte = { "", 1 };
	struct msghdr msg = {
		.msg_iov = &byte, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	return sendmsg(to, &msg, 0) == 1 ? 0 : -1;
}

/* -1 if none was sent. */
static int receive_fd(int from)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control = {};
	char data;
	struct iovec byte = { &data, 1 };
	struct msghdr msg = {
		.msg_iov = &byte, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *c;
	int fd;

	if (recvmsg(from, &msg, MSG_CMSG_CLOEXEC) != 1)
		return -1;
	c = CMSG_FIRSTHDR(&msg);
	if (!c || c->cmsg_type != SCM_RIGHTS)
		return -1;
	memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

/* The files are root's: he stays root, who may no more than others. */
static int drop_capabilities(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};

	return syscall(SYS_capset, &head, none);
}

static int put_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int err = fd < 0 || write(fd, text, strlen(text)) < 0;

	close(fd);
	return err;
}

/* A session that a child has opened who has no capability, and then sent here; or -1. */
static int open_without_capabilities(void)
{
	char was[16] = "";
	int fd, sockets[2];
	pid_t pid;

	fd = open(PARANOID, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, was, sizeof(was) - 1) <= 0 || put_text(PARANOID, "-1"))
		return -1;
	close(fd);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		return -1;
	pid = fork();
	if (!pid)
		_exit(drop_capabilities() || send_fd(sockets[1], open(SESSION, O_RDWR)));
	close(sockets[1]);
	fd = receive_fd(sockets[0]);
	waitpid(pid, NULL, 0);
	close(sockets[0]);
	put_text(PARANOID, was);
	return fd;
}

static bool has_sockets(void)
{
	int sockets[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		return false;
	close(sockets[0]);
	close(sockets[1]);
	return true;
}

TEST_F(session, root_lends_no_rights_to_a_session_that_he_is_sent)
{
	int fd;

	if (!has_sockets() || access(PARANOID, F_OK))
		SKIP(return, "this kernel has no sockets, or no perf events");
	fd = open_without_capabilities();
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EPERM, write_line(fd, "unsafe\n"));
	ASSERT_LT(0, read_all(fd, self->text, sizeof(self->text)));
	EXPECT_STREQ("ktap: error: unsafe: the opener of the session has no CAP_SYS_ADMIN\n",
		     self->text);
	close(fd);

	fd = open_without_capabilities();
	ASSERT_LE(0, fd);
	build_curtask(&self->chunk, "mine");
	EXPECT_EQ(-EPERM, write_chunk(fd, &self->chunk));
	ASSERT_LT(0, read_all(fd, self->text, sizeof(self->text)));
	EXPECT_NE(NULL, strstr(self->text, "CAP_PERFMON is needed for addresses of the kernel")) {
		TH_LOG("'%s'", self->text);
	}
	close(fd);

	/* what its opener may is done */
	fd = open_without_capabilities();
	ASSERT_LE(0, fd);
	build_hello(&self->chunk, "hello");
	EXPECT_EQ(0, write_chunk(fd, &self->chunk));
	ASSERT_EQ(6, read_all(fd, self->text, sizeof(self->text)));
	close(fd);
}

/* What who is sent a session, and may not open one, gets of it: 0 is all. */
static int use_sent(int socket, const struct chunk *c)
{
	char text[64];
	int fd;

	if (setgid(65534) || setuid(65534))
		return 1;
	if (open(SESSION, O_RDWR) >= 0 || errno != EACCES)
		return 2;
	fd = receive_fd(socket);
	if (fd < 0)
		return 3;
	if (write_line(fd, "unsafe\n"))
		return 4;
	if (write_chunk(fd, c))
		return 5;
	return read_all(fd, text, sizeof(text)) == 5 && !strcmp(text, "mine\n") ? 0 : 6;
}

TEST_F(session, who_is_sent_a_session_of_roots_has_its_rights)
{
	int status, sockets[2];
	pid_t pid;

	if (!has_sockets())
		SKIP(return, "this kernel has no sockets");
	build_curtask(&self->chunk, "mine");
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	pid = fork();
	if (!pid) {
		/* or it would be his already */
		close(self->fd);
		_exit(use_sent(sockets[1], &self->chunk));
	}
	close(sockets[1]);
	EXPECT_EQ(0, send_fd(sockets[0], self->fd));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	close(sockets[0]);
}

int main(int argc, char **argv)
{
	return run_tests_of_files(argc, argv);
}
