// SPDX-License-Identifier: GPL-2.0
/*
 * The session file, by a program that makes its chunks without a compiler. bad_chunks.c
 * has wrong chunks, session_over_socket.c sessions of other users.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/ktap.h>

#include "../kselftest_harness.h"
#include "build_chunk.h"
#include "events.h"
#include "ktapfs.h"

FIXTURE(session)
{
	int fd;
	struct built_chunk chunk;
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
	EXPECT_TRUE(!!strstr(self->text, "sched:no_such_event"));
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

/* Another process: events of the own one are not delivered. */
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

/* Read everything whenever epoll reports new output. */
struct edges {
	int fd;
	int set;
	const char *want;	/* the last output */
	unsigned int empty;	/* number of empty reads */
	char text[4096];
};

static void *read_edges(void *p)
{
	struct edges *e = p;
	struct epoll_event ev;
	size_t len = 0;
	ssize_t n;

	while (!strstr(e->text, e->want) && epoll_wait(e->set, &ev, 1, 5000) == 1) {
		n = read(e->fd, e->text + len, sizeof(e->text) - 1 - len);
		e->empty += n < 0 && errno == EAGAIN;
		for (; n > 0; n = read(e->fd, e->text + len, sizeof(e->text) - 1 - len))
			len += n;
	}
	return NULL;
}

static int watch_edges(struct edges *e, pthread_t *reader)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET };

	if (fcntl(e->fd, F_SETFL, O_RDWR | O_NONBLOCK))
		return -errno;
	e->set = epoll_create1(EPOLL_CLOEXEC);
	if (e->set < 0 || epoll_ctl(e->set, EPOLL_CTL_ADD, e->fd, &ev))
		return -errno;
	return -pthread_create(reader, NULL, read_edges, e);
}

/*
 * Output of the top level becomes readable after everything is attached: this is the
 * edge.
 */
TEST_F(session, epoll_reports_output_of_loading)
{
	struct edges e = { .fd = self->fd, .want = "hello\n" };
	pthread_t reader;
	char line[32];

	/* of no process, so that no event wakes the reader */
	snprintf(line, sizeof(line), "pid %d\n", getpid());
	ASSERT_EQ(0, write_line(self->fd, line));
	ASSERT_EQ(0, watch_edges(&e, &reader));
	build_hello_and_probe(&self->chunk, has_getppid() ? "syscalls:*" : "sched:*", "hello");
	EXPECT_EQ(0, write_chunk(self->fd, &self->chunk));
	ASSERT_EQ(0, pthread_join(reader, NULL));
	EXPECT_TRUE(begins(e.text, "hello\n"));
	EXPECT_EQ(0, e.empty);
	close(e.set);
}

TEST_F(session, epoll_reports_a_refused_chunk)
{
	for (int i = 0; i < 20; i++) {
		struct edges e = { .want = "sched:no_such_event" };
		pthread_t reader;

		e.fd = open(SESSION, O_RDWR | O_CLOEXEC);
		ASSERT_LE(0, e.fd);
		ASSERT_EQ(0, watch_edges(&e, &reader));
		build_hello_and_probe(&self->chunk, e.want, "hello");
		EXPECT_EQ(-ENOENT, write_chunk(e.fd, &self->chunk));
		ASSERT_EQ(0, pthread_join(reader, NULL));
		EXPECT_TRUE(begins(e.text, "hello\n"));
		EXPECT_TRUE(!!strstr(e.text, e.want)) TH_LOG("round %d", i);
		EXPECT_EQ(0, e.empty);
		close(e.set);
		close(e.fd);
	}
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

TEST_F(session, own_events_are_delivered_on_request)
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
	/* the other process continues, but the session ends without its events */
	do {
		n = read_text(self->fd, self->text, sizeof(self->text), 1);
	} while (n > 0);
	EXPECT_EQ(0, n);
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

/* Calls with a pause between them; their records do not fill a sub-buffer. */
#define SPACED_CALLS	300
#define PAUSE_US	1000

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

TEST_F_TIMEOUT(session, reader_is_woken_once_for_several_records, 60)
{
	int go[2], status, reads = 0;
	size_t len = 0;
	char line[32];
	pid_t child;
	long start;
	ssize_t n;

	if (!has_getppid())
		SKIP(return, "this kernel has no " GETPPID);
	ASSERT_EQ(0, pipe(go));
	child = fork();
	if (!child) {
		if (read(go[0], line, 1) != 1)
			_exit(1);
		for (int i = 0; i < SPACED_CALLS; i++) {
			syscall(SYS_getppid);
			usleep(PAUSE_US);
		}
		_exit(0);
	}
	snprintf(line, sizeof(line), "pid %d\n", child);
	ASSERT_EQ(0, write_line(self->fd, line));
	build_probe(&self->chunk, GETPPID, "event");
	ASSERT_EQ(0, write_chunk(self->fd, &self->chunk));
	start = now_ms();
	ASSERT_EQ(1, write(go[1], "!", 1));
	for (; len < SPACED_CALLS * strlen("event\n"); len += n) {
		n = read(self->fd, self->text + len, sizeof(self->text) - len);
		ASSERT_LT(0, n);
		reads++;
	}
	/* A wake-up comes 10 ms after a record, or a little less where HZ is low. */
	EXPECT_LE(reads, (now_ms() - start) / 4 + 10);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	close(go[0]);
	close(go[1]);
}

TEST_F(session, records_without_text_do_not_hold_a_reader)
{
	struct pollfd p = { .fd = self->fd, .events = POLLIN };
	int reads = 0, status;
	pid_t child;

	if (!has_getppid())
		SKIP(return, "this kernel has no " GETPPID);
	build_printf_probe(&self->chunk, GETPPID, "");
	ASSERT_EQ(0, write_chunk(self->fd, &self->chunk));
	child = fork();
	if (!child) {
		for (int i = 0; i < 1500; i++)
			syscall(SYS_getppid);
		_exit(0);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_RDWR | O_NONBLOCK));
	while (reads < 100 && poll(&p, 1, 0) == 1) {
		EXPECT_EQ(-1, read(self->fd, self->text, sizeof(self->text)));
		EXPECT_EQ(EAGAIN, errno);
		reads++;
	}
	/* neither all at once nor one by one */
	EXPECT_LE(2, reads);
	EXPECT_GT(100, reads);
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

TEST_F_TIMEOUT(session, close_while_events_come, 120)
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

/* Number of sessions of this process in ktap/sessions */
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
 * The session's thread prints forever, and waits for a reader that does not exist: in
 * trace_begin it waits after write() has returned, elsewhere after it has printed
 * something.
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

/* Each of many sessions counts each of these calls. */
#define MANY		200	/* default of KTAP_SESSIONS, and its limit */
#define MANY_CALLS	50

static int number_of_sessions(void)
{
	const char *number = getenv("KTAP_SESSIONS");
	int n = number ? atoi(number) : MANY;

	return n > 0 && n < MANY ? n : MANY;
}

static unsigned int count_lines(const char *text, const char *line)
{
	unsigned int n = 0;

	for (; begins(text, line); text += strlen(line))
		n++;
	return *text ? 0 : n;
}

TEST_F_TIMEOUT(session, two_hundred_at_once_miss_nothing, 300)
{
	int fds[MANY], go[2], status, many = number_of_sessions();
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
	for (int i = 0; i < many; i++) {
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
	for (int i = 0; i < many; i++)
		ASSERT_EQ(0, write_line(fds[i], "stop\n"));
	for (int i = 0; i < many; i++) {
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

TEST_F(session, frames_can_have_times)
{
	const struct ktap_frame *frame = (void *)self->text;
	struct timespec now;
	uint64_t time, last;

	ASSERT_EQ(0, write_line(self->fd, "times\n"));
	ASSERT_EQ(0, write_line(self->fd, "frames\n"));
	build_hello(&self->chunk, "hello");
	ASSERT_EQ(0, write_chunk(self->fd, &self->chunk));
	ASSERT_EQ(3 * sizeof(*frame) + 8 + 6 + 4,
		  read_all(self->fd, self->text, sizeof(self->text)));
	EXPECT_EQ(8, le32toh(frame->len));
	EXPECT_EQ(KTAP_CH_TIME, frame->channel);
	memcpy(&time, frame + 1, sizeof(time));
	time = le64toh(time);
	ASSERT_EQ(0, clock_gettime(CLOCK_MONOTONIC, &now));
	last = now.tv_sec * 1000000000ULL + now.tv_nsec;
	EXPECT_LT(0, time);
	EXPECT_GE(last, time);
	frame = (void *)(self->text + sizeof(*frame) + 8);
	EXPECT_EQ(6, le32toh(frame->len));
	EXPECT_EQ(KTAP_CH_OUTPUT, frame->channel);
	EXPECT_EQ(0, memcmp(frame + 1, "hello\n", 6));
	frame = (void *)((char *)frame + sizeof(*frame) + 6);
	EXPECT_EQ(KTAP_CH_EXIT, frame->channel);
}

TEST_F(session, second_chunk_is_refused)
{
	pid_t load = start_load();

	build_probe(&self->chunk, event(), "event");
	ASSERT_EQ(0, write_chunk(self->fd, &self->chunk));
	EXPECT_EQ(-EINVAL, write_chunk(self->fd, &self->chunk));
	/* and does not affect the first one */
	EXPECT_LE(60, read_text(self->fd, self->text, sizeof(self->text), 60));
	EXPECT_TRUE(!!strstr(self->text, "event\nevent\n"));
	EXPECT_EQ(0, write_line(self->fd, "stop\n"));
	EXPECT_LE(0, read_all(self->fd, self->text, sizeof(self->text)));
	end_load(load);
}

TEST_F(session, memory_above_the_limit_is_refused)
{
	snprintf(self->text, sizeof(self->text), "memory %lu\n", ULONG_MAX);
	EXPECT_EQ(-ERANGE, write_line(self->fd, self->text));
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

int main(int argc, char **argv)
{
	return run_tests_of_files(argc, argv);
}
