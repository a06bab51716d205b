// SPDX-License-Identifier: GPL-2.0
/*
 * A program that loads the C library at its start, and other libraries later.
 *
 *	loader allocate SIZE N		malloc(SIZE) and free(), N times, in do_allocate()
 *	loader load FILE N		loads a library and calls its shared_twice(1) to
 *					shared_twice(N)
 *	loader wait COMMAND...		reads a line from stdin, then runs COMMAND
 */
#define _GNU_SOURCE
#include <dlfcn.h>
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
	if (argc == 4 && !strcmp(*argv, "allocate"))
		return do_allocate(argv + 1);
	if (argc == 4 && !strcmp(*argv, "load"))
		return do_load(argv + 1);
	fprintf(stderr, "usage: loader [wait] allocate|load ...\n");
	return 2;
}
