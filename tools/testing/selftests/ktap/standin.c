// SPDX-License-Identifier: GPL-2.0
/*
 * A library with functions of the names that bash and OpenSSL have, for tests of tools that
 * trace these: they work on text only. The program loader calls them.
 */
#include <string.h>

#define NOINLINE __attribute__((noinline))

NOINLINE char *readline(const char *prompt)
{
	static char line[64];

	strncpy(line, prompt, sizeof(line) - 1);
	return line;
}

NOINLINE int SSL_write(void *ssl, const void *buf, int num)
{
	memcpy(ssl, buf, num);
	return num;
}

NOINLINE int SSL_read(void *ssl, void *buf, int num)
{
	memcpy(buf, ssl, num);
	return num;
}

NOINLINE int SSL_write_ex(void *ssl, const void *buf, size_t num, size_t *written)
{
	memcpy(ssl, buf, num);
	*written = num;
	return 1;
}

NOINLINE int SSL_read_ex(void *ssl, void *buf, size_t num, size_t *readbytes)
{
	memcpy(buf, ssl, num);
	*readbytes = num;
	return 1;
}
