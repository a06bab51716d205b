// SPDX-License-Identifier: GPL-2.0
/*
 * The fuzzer in a booted guest: changed chunks for session files, and random operations on
 * these files, while events happen on all CPUs.
 *
 *	fuzz_guest DIRECTORY SEED SECONDS	with the chunks of a directory
 *	fuzz_guest FIRST+N			(executed by itself: see hammer_actions.c)
 *
 * The operations and the processes are those of the selftest hammer.sh; the chunks are those
 * of guest_mutants.c.  No session permits a script to act on the system, so a chunk that the
 * kernel accepts may do anything.
 *
 * Prints how often each operation was done.  The exit code is 1 if a process did not end
 * when it was killed, or ended in another way.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

static bool fuzz(uint64_t seed, unsigned int seconds)
{
	static const struct hammer_chunks mutants = {
		/* with KASAN and an emulated machine a load may take a second */
		.life = 30000,
		.next = guest_mutants_next,
		.tried = guest_mutants_tried,
	};
	bool right = hammer(&mutants, seed, seconds, 0);

	printf("executions	%lu\n", hammer_count(N_loads) + hammer_count(N_damaged_loads));
	printf("accepted	%lu\n", hammer_count(N_loaded) + hammer_count(N_damaged_loaded));
	return right;
}

int main(int argc, char **argv)
{
	static struct chunks chunks;
	struct rng rng;
	int status = 1;
	pid_t pid;

	if (argc == 2)
		hammer_use_inherited(argv[1]);
	if (argc != 4)
		errx(2, "usage: fuzz_guest DIRECTORY SEED SECONDS");
	read_chunks(&chunks, argv[1]);
	guest_mutants_begin(&chunks);
	rng.state = strtoull(argv[2], NULL, 0);
	guest_load_begin(&rng);
	/* hammer() waits for all children of its process */
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (!pid)
		exit(!fuzz(rnd(&rng, 0), atoi(argv[3])));
	waitpid(pid, &status, 0);
	guest_load_end();
	return !!status;
}
