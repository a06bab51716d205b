// SPDX-License-Identifier: GPL-2.0
/*
 * The errors of a session for truncated, wrong and random chunks, which this program
 * makes itself.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/ktap.h>

#include "../kselftest_harness.h"
#include "build_chunk.h"
#include "events.h"
#include "ktapfs.h"

#define FUZZ_ROUNDS	"2000"	/* default of KTAP_FUZZ_ROUNDS */

FIXTURE(bad_chunk)
{
	struct built_chunk chunk;
	char text[65536];
};

FIXTURE_SETUP(bad_chunk)
{
	/* valid until it is damaged */
	build_hello(&self->chunk, "hello");
}

FIXTURE_TEARDOWN(bad_chunk)
{
}

TEST_F(bad_chunk, every_truncated_chunk_waits_for_the_rest)
{
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

TEST_F(bad_chunk, truncated_chunk_is_reported_to_a_waiting_reader)
{
	char want[80];

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

TEST_F(bad_chunk, wrong_header_is_refused_with_a_diagnosis)
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

/* Run a fuzzed chunk in a child process, which may take any time. */
static enum outcome try_chunk(const struct built_chunk *c)
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

TEST_F_TIMEOUT(bad_chunk, random_chunks_do_no_harm, 600)
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
			/* keep the length, or the session would wait for more */
			uint32_t at = sizeof(struct ktap_header) + rand_r(&seed) %
				      (self->chunk.len - sizeof(struct ktap_header));

			self->chunk.bytes[at] = rand_r(&seed);
		}
		pid = fork();
		if (!pid)
			_exit(try_chunk(&self->chunk));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		if (WIFSIGNALED(status)) {
			/* SIGALRM ends the process, and so an endless loop */
			ASSERT_EQ(SIGALRM, WTERMSIG(status));
			continue;
		}
		ASSERT_GE(REFUSED, WEXITSTATUS(status)) TH_LOG("round %d", round);
		outcomes[WEXITSTATUS(status)]++;
	}
	EXPECT_LT(0, outcomes[LOADED]);
	EXPECT_LT(0, outcomes[REFUSED]);
}

TEST_F(bad_chunk, random_bytes_are_refused)
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

int main(int argc, char **argv)
{
	return run_tests_of_files(argc, argv);
}
