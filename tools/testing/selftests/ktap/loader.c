// SPDX-License-Identifier: GPL-2.0
/*
 * A program that loads the C library at its start, and other libraries later.
 *
 *	loader allocate SIZE N		malloc(SIZE) and free(), N times, in do_allocate()
 *	loader leak SIZE N		malloc(SIZE) N times, in do_leak(), without free()
 *	loader resolve HOST N		getaddrinfo(HOST), N times, with any result
 *	loader order FIRST SECOND	takes two of three mutexes, by numbers, in both orders
 *	loader threads N		N threads that end at once, one by one
 *	loader load FILE N		loads a library and calls its shared_twice(1) to
 *					shared_twice(N)
 *	loader standin FILE TEXT	loads a library and calls its readline(TEXT), and sends and
 *					receives TEXT by its SSL_write(), SSL_read() and so on
 *	loader wait COMMAND...		reads a line from stdin, then runs COMMAND
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static __attribute__((noinline)) int do_allocate(char **args)
{
	size_t size = atol(args[0]);

	for (long n = atol(args[1]); n > 0; n--) {
		void *volatile p = malloc(size);

		free(p);
	}
	return 0;
}

static void *volatile leaked;

static __attribute__((noinline)) int do_leak(char **args)
{
	size_t size = atol(args[0]);

	for (long n = atol(args[1]); n > 0; n--)
		leaked = malloc(size);
	return !leaked;
}

static int do_resolve(char **args)
{
	for (long n = atol(args[1]); n > 0; n--) {
		struct addrinfo *info;

		if (!getaddrinfo(args[0], NULL, NULL, &info))
			freeaddrinfo(info);
	}
	return 0;
}

static pthread_mutex_t mutexes[] = {
	PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER
};

static void take_two(int first, int second)
{
	pthread_mutex_lock(&mutexes[first]);
	pthread_mutex_lock(&mutexes[second]);
	pthread_mutex_unlock(&mutexes[second]);
	pthread_mutex_unlock(&mutexes[first]);
}

static __attribute__((noinline)) int do_order(char **args)
{
	int first = atoi(args[0]) % 3, second = atoi(args[1]) % 3;

	if (first == second)
		return 1;
	take_two(first, second);
	take_two(second, first);
	return 0;
}

static void *begin_thread(void *arg)
{
	return arg;
}

static int do_threads(char **args)
{
	for (long n = atol(args[0]); n > 0; n--) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, begin_thread, NULL) ||
		    pthread_join(thread, NULL))
			return 1;
	}
	return 0;
}

static int do_standin(char **args)
{
	void *library = dlopen(args[0], RTLD_NOW);
	char connection[64] = "", text[64] = "";
	int num = strlen(args[1]);
	size_t done;
	char *(*readline)(const char *prompt);
	int (*ssl_write)(void *ssl, const void *buf, int num);
	int (*ssl_read)(void *ssl, void *buf, int num);
	int (*ssl_write_ex)(void *ssl, const void *buf, size_t num, size_t *written);
	int (*ssl_read_ex)(void *ssl, void *buf, size_t num, size_t *readbytes);

	if (!library || num >= (int)sizeof(text))
		return 1;
	readline = (char *(*)(const char *))dlsym(library, "readline");
	ssl_write = (int (*)(void *, const void *, int))dlsym(library, "SSL_write");
	ssl_read = (int (*)(void *, void *, int))dlsym(library, "SSL_read");
	ssl_write_ex = (int (*)(void *, const void *, size_t, size_t *))
		dlsym(library, "SSL_write_ex");
	ssl_read_ex = (int (*)(void *, void *, size_t, size_t *))dlsym(library, "SSL_read_ex");
	if (!readline || !ssl_write || !ssl_read || !ssl_write_ex || !ssl_read_ex)
		return 1;
	return strcmp(readline(args[1]), args[1]) || ssl_write(connection, args[1], num) != num ||
	       ssl_read(connection, text, num) != num ||
	       !ssl_write_ex(connection, args[1], num, &done) ||
	       !ssl_read_ex(connection, text, num, &done) || strcmp(text, args[1]);
}

static int do_load(char **args)
{
	void *library = dlopen(args[0], RTLD_NOW);
	long (*twice)(long n) = library ? (long (*)(long))dlsym(library, "shared_twice") : NULL;

	if (!twice) {
		fprintf(stderr, "loader: %s\n", dlerror());
		return 1;
	}
	for (long i = 1; i <= atol(args[1]); i++) {
		if (twice(i) != 2 * i)
			return 1;
	}
	return 0;
}

static const struct work {
	const char *name;
	int args;
	int (*run)(char **args);
} works[] = {
	{ "allocate", 2, do_allocate },
	{ "leak", 2, do_leak },
	{ "resolve", 2, do_resolve },
	{ "order", 2, do_order },
	{ "threads", 1, do_threads },
	{ "load", 2, do_load },
	{ "standin", 2, do_standin },
};

int main(int argc, char **argv)
{
	char byte;

	argv++;
	if (argc > 2 && !strcmp(*argv, "wait")) {
		while (read(STDIN_FILENO, &byte, 1) == 1 && byte != '\n')
			;
		argv++;
		argc--;
	}
	for (size_t i = 0; argc > 1 && i < sizeof(works) / sizeof(works[0]); i++) {
		if (!strcmp(*argv, works[i].name) && argc == works[i].args + 2)
			return works[i].run(argv + 1);
	}
	fprintf(stderr, "usage: loader [wait] COMMAND ..., see the top of loader.c\n");
	return 2;
}
