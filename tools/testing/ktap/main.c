// SPDX-License-Identifier: GPL-2.0
/*
 * ktapvm: run a chunk in user space, with the sources of the kernel's virtual machine.
 */
#include <stdlib.h>
#include <unistd.h>

#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "host.h"
#include "read_file.h"

#include "vm/env.h"

static const char usage[] =
	"usage: ktapvm [-v] [-E] [-f FORMAT] [-j] [-l LEVEL] [-u] CHUNK.ktap [args]\n"
	"Runs a chunk made by ktapc.  No event ever happens, unless it is made up.\n"
	"\n"
	"  -E        run the handlers of all events and ticks once\n"
	"  -f FORMAT print json, or text (default)\n"
	"  -j        run nothing, but say how many instructions native code replaces\n"
	"  -l LEVEL  those of events at task (default), softirq, hardirq or nmi\n"
	"  -u        the script may act on the system: ktap --unsafe\n"
	"  -v        say what was loaded and counted\n";

static const char * const levels[KTAP_NR_EVENT_LEVELS] = {
	[KTAP_LEVEL_TASK]	= "task",
	[KTAP_LEVEL_SOFTIRQ]	= "softirq",
	[KTAP_LEVEL_HARDIRQ]	= "hardirq",
	[KTAP_LEVEL_NMI]	= "nmi",
};

static bool parse_level(const char *name, enum ktap_level *level)
{
	unsigned int i;

	for (i = 0; i < KTAP_NR_EVENT_LEVELS; i++) {
		if (!strcmp(levels[i], name)) {
			*level = i;
			return true;
		}
	}
	return false;
}

int main(int argc, char **argv)
{
	struct host h = { .out = stdout, .err = stderr };
	bool verbose = false, good = true;
	void *chunk;
	size_t len;
	int c, code;

	while ((c = getopt(argc, argv, "+Ef:jl:uv")) != -1) {
		switch (c) {
		case 'E':
			h.fire = true;
			break;
		case 'f':
			h.json = !strcmp(optarg, "json");
			good &= h.json || !strcmp(optarg, "text");
			break;
		case 'j':
			h.compile = true;
			break;
		case 'l':
			good &= parse_level(optarg, &h.level);
			break;
		case 'u':
			h.unsafe = true;
			break;
		case 'v':
			verbose = true;
			break;
		default:
			good = false;
		}
	}
	if (!good || optind == argc) {
		fputs(usage, stderr);
		return HOST_EXIT_REFUSED;
	}
	h.args = argv + optind;
	h.nargs = argc - optind;
	chunk = read_file(argv[optind], &len);
	if (!chunk) {
		perror(argv[optind]);
		return HOST_EXIT_REFUSED;
	}
	code = host_run(&h, chunk, len);
	if (h.compile && !code)
		printf("native: %u of %u instructions\n", h.ncompiled, h.ninsns);
	if (verbose)
		fprintf(stderr, "ktapvm: %zu bytes, exit code %d, %zu bytes of heap\n", len, code,
			h.env.heap.bytes);
	return code;
}
