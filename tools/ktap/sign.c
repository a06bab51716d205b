// SPDX-License-Identifier: GPL-2.0
/* Signing chunks: the section KTAP_SEC_SIGNATURE, made by the program openssl. */
#define _GNU_SOURCE
#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/ktap.h>

#include "compiler/chunk_read.h"
#include "sign.h"

#define ALIGN8(n)	(((n) + 7) & ~(size_t)7)
/* ECDSA signatures differ in length by a few bytes from one to the next. */
#define MAX_TRIES	64
#define MAX_SIGNATURE	65536

extern char **environ;

static void put_le32(unsigned char *p, size_t n)
{
	p[0] = n;
	p[1] = n >> 8;
	p[2] = n >> 16;
	p[3] = n >> 24;
}

static void sign_error(const char *what)
{
	fprintf(stderr, "ktapc: error: the chunk was not signed: %s\n", what);
}

static const unsigned char *sign_section(const unsigned char *chunk, uint32_t i)
{
	return chunk + sizeof(struct ktap_header) + i * sizeof(struct ktap_section);
}

/*
 * Copy the chunk, which chunk_read() has checked, to @to without its signature, and reserve
 * @size bytes for a new one. Returns where that begins. @to has room for @len bytes, the new
 * table entry, gaps between sections, and the signature.
 */
static size_t sign_copy(unsigned char *to, const unsigned char *chunk, size_t size)
{
	uint32_t n = get_le32(chunk + 16), kept = 0, i;
	unsigned char *entry;
	size_t at;

	for (i = 0; i < n; i++)
		kept += get_le32(sign_section(chunk, i)) != KTAP_SEC_SIGNATURE;
	memcpy(to, chunk, sizeof(struct ktap_header));
	entry = to + sizeof(struct ktap_header);
	at = sizeof(struct ktap_header) + (kept + 1) * sizeof(struct ktap_section);
	for (i = 0; i < n; i++) {
		const unsigned char *old = sign_section(chunk, i);
		uint32_t bytes = get_le32(old + 12);

		if (get_le32(old) == KTAP_SEC_SIGNATURE)
			continue;
		memcpy(entry, old, sizeof(struct ktap_section));
		put_le32(entry + 8, at);
		memcpy(to + at, chunk + get_le32(old + 8), bytes);
		at = ALIGN8(at + bytes);
		entry += sizeof(struct ktap_section);
	}
	memset(entry, 0, sizeof(struct ktap_section));
	put_le32(entry, KTAP_SEC_SIGNATURE);
	put_le32(entry + 4, KTAP_SEC_OPTIONAL);
	put_le32(entry + 8, at);
	put_le32(entry + 12, size);
	put_le32(to + 8, at + size);
	put_le32(to + 16, kept + 1);
	return at;
}

/* Run openssl with these files as standard input and output; false after a message. */
static bool sign_run(char **argv, FILE *in, FILE *out)
{
	posix_spawn_file_actions_t actions;
	int status, error;
	pid_t pid;

	if (posix_spawn_file_actions_init(&actions)) {
		sign_error("no memory");
		return false;
	}
	error = posix_spawn_file_actions_adddup2(&actions, fileno(in), STDIN_FILENO);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO);
	if (!error)
		error = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (error) {
		fprintf(stderr, "ktapc: error: the chunk was not signed: openssl: %s%s\n",
			strerror(error), error == ENOENT ? " (install the package openssl)" : "");
		return false;
	}
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return false;
	}
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return true;
	sign_error("openssl failed (see above)");
	return false;
}

/* Sign @len bytes. Returns the length of the signature; 0 after a message. */
static size_t sign_bytes(const void *data, size_t len, const char *key, const char *certificate,
			 unsigned char *signature)
{
	char *argv[] = {
		"openssl", "cms", "-sign", "-binary", "-noattr", "-nocerts", "-md", "sha256",
		"-outform", "DER", "-signer", (char *)(certificate ? certificate : key),
		"-inkey", (char *)key, NULL
	};
	FILE *in = tmpfile(), *out = tmpfile();
	size_t n = 0;

	if (!in || !out || fwrite(data, 1, len, in) != len || fflush(in) ||
	    fseek(in, 0, SEEK_SET)) {
		fprintf(stderr, "ktapc: error: the chunk was not signed: temporary file: %s\n",
			strerror(errno));
	} else if (sign_run(argv, in, out)) {
		rewind(out);
		n = fread(signature, 1, MAX_SIGNATURE, out);
		if (!n || n == MAX_SIGNATURE) {
			sign_error("openssl made no signature");
			n = 0;
		}
	}
	if (in)
		fclose(in);
	if (out)
		fclose(out);
	return n;
}

void *sign_chunk(const void *chunk, size_t len, const char *key, const char *certificate,
		 size_t *signed_len)
{
	/* room for the bytes between sections, which may have been unaligned */
	unsigned char *to = calloc(1, len + MAX_SIGNATURE + 1024);
	unsigned char *signature = malloc(MAX_SIGNATURE);
	const char *error;
	struct chunk read;
	size_t size = 512, made, at;
	unsigned int tries;

	error = to && signature ? chunk_read(&read, chunk, len) : "no memory";
	if (!error && get_le32((const unsigned char *)chunk + 16) > 32)
		error = "it has too many sections";
	if (error) {
		sign_error(error);
		goto failed;
	}
	/* The length of the signature is signed, too. */
	for (tries = 0; tries < MAX_TRIES; tries++, size = made) {
		at = sign_copy(to, chunk, size);
		made = sign_bytes(to, at, key, certificate, signature);
		if (!made)
			goto failed;
		if (made != size)
			continue;
		memcpy(to + at, signature, size);
		*signed_len = at + size;
		free(signature);
		return to;
	}
	sign_error("each signature has another length");
failed:
	free(signature);
	free(to);
	return NULL;
}
