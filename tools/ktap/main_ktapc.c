// SPDX-License-Identifier: GPL-2.0
/* ktapc: compiles a script to a chunk, or shows what is in one. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/ktap.h>

#include "compile.h"

#define EXIT_USAGE	2
#define MAX_INPUT	(64U << 20)

struct options {
	const char *output;
	const char *script;	/* -e */
	const char *input;
	bool disassemble;
	struct ktap_compile_opts compile;
};

static const char usage[] =
	"usage: ktapc [-o FILE.ktap] [-d] [-w] [--werror] FILE | -e SCRIPT\n"
	"Compile a ktap script to a chunk; '-' reads it from standard input.\n"
	"\n"
	"  -o, --output=FILE  write the chunk to FILE (default: the script's name, .ktap)\n"
	"  -d, --dump         print the instructions of a script or chunk, write nothing\n"
	"  -e SCRIPT          take the script from the command line\n"
	"  -w                 no warnings\n"
	"      --werror       warnings are errors (also -Werror)\n"
	"  -h, --help         show this help\n"
	"  -V, --version      show the version of the chunk format\n";

static const struct option long_options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "dump", no_argument, NULL, 'd' },
	{ "werror", no_argument, NULL, 'W' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ 0 },
};

static int fail(const char *name)
{
	fprintf(stderr, "ktapc: %s: %s\n", name, strerror(errno));
	return EXIT_USAGE;
}

/* The whole of a file; NULL with errno set. */
static char *read_all(FILE *f, size_t *len)
{
	size_t max = 0, n;
	char *buf = NULL, *bigger;

	*len = 0;
	do {
		if (max - *len < 4096) {
			max = max * 2 + 8192;
			bigger = max > MAX_INPUT ? NULL : realloc(buf, max);
			if (!bigger) {
				free(buf);
				errno = EFBIG;
				return NULL;
			}
			buf = bigger;
		}
		n = fread(buf + *len, 1, max - *len, f);
		*len += n;
	} while (n);
	if (!ferror(f))
		return buf;
	free(buf);
	return NULL;
}

static char *read_input(const char *name, size_t *len)
{
	char *text;
	FILE *f;

	if (!strcmp(name, "-"))
		return read_all(stdin, len);
	f = fopen(name, "rb");
	if (!f)
		return NULL;
	text = read_all(f, len);
	fclose(f);
	return text;
}

/* script.kp to script.ktap */
static char *default_output(const char *input)
{
	const char *slash = strrchr(input, '/'), *dot = strrchr(input, '.');
	size_t len = strlen(input);
	char *name;

	if (!strcmp(input, "-"))
		input = "out", len = 3;
	else if (dot && dot > (slash ? slash + 1 : input))
		len = dot - input;
	name = malloc(len + sizeof(".ktap"));
	if (name)
		sprintf(name, "%.*s.ktap", (int)len, input);
	return name;
}

/* Either the whole chunk gets its name, or nothing does. */
static int write_output(const char *name, const void *chunk, size_t len)
{
	size_t size = strlen(name) + sizeof(".XXXXXX");
	char *tmp = malloc(size);
	mode_t mask = umask(0);
	int fd, error;
	FILE *f;

	umask(mask);
	if (!tmp)
		return fail(name);
	snprintf(tmp, size, "%s.XXXXXX", name);
	fd = mkstemp(tmp);
	f = fd < 0 ? NULL : fdopen(fd, "wb");
	if (!f) {
		error = errno;
		if (fd >= 0)
			close(fd);
	} else {
		error = fchmod(fd, 0666 & ~mask) || fwrite(chunk, 1, len, f) != len ? errno : 0;
		if (fclose(f) && !error)
			error = errno;
		if (!error && rename(tmp, name))
			error = errno;
	}
	if (error && fd >= 0)
		unlink(tmp);
	free(tmp);
	errno = error;
	return error ? fail(name) : 0;
}

static int show(const void *chunk, size_t len)
{
	if (ktap_disassemble(stdout, chunk, len))
		return EXIT_USAGE;
	return fflush(stdout) || ferror(stdout) ? fail("standard output") : 0;
}

static int compile(const struct options *o, const struct ktap_source *src)
{
	size_t len;
	void *chunk = ktap_compile(src, &o->compile, &len);
	char *name = NULL;
	int ret;

	if (!chunk)
		return EXIT_USAGE;
	if (o->disassemble) {
		ret = show(chunk, len);
	} else if (o->output) {
		ret = write_output(o->output, chunk, len);
	} else {
		name = default_output(o->input ? o->input : "-");
		ret = name ? write_output(name, chunk, len) : fail("output");
	}
	free(name);
	free(chunk);
	return ret;
}

static int run(const struct options *o)
{
	struct ktap_source src = { .name = o->input };
	char *text;
	int ret;

	if (o->script) {
		src = (struct ktap_source) {
			.name = "<command line>", .text = o->script, .len = strlen(o->script),
		};
		return compile(o, &src);
	}
	text = read_input(o->input, &src.len);
	if (!text)
		return fail(o->input);
	if (!strcmp(o->input, "-"))
		src.name = "<stdin>";
	src.text = text;
	if (!ktap_is_chunk(text, src.len)) {
		ret = compile(o, &src);
	} else if (o->disassemble) {
		ret = show(text, src.len);
	} else {
		fprintf(stderr, "ktapc: %s: this is a compiled chunk already\n", o->input);
		ret = EXIT_USAGE;
	}
	free(text);
	return ret;
}

int main(int argc, char **argv)
{
	struct options o = { .compile = { .diag = stderr } };
	int c;

	while ((c = getopt_long(argc, argv, "o:de:wW:hV", long_options, NULL)) != -1) {
		switch (c) {
		case 'o':
			o.output = optarg;
			break;
		case 'd':
			o.disassemble = true;
			break;
		case 'e':
			o.script = optarg;
			break;
		case 'w':
			o.compile.nowarn = true;
			break;
		case 'W':
			/* --werror has no argument, -Werror is -W with "error" */
			if (optarg && strcmp(optarg, "error")) {
				fprintf(stderr, "ktapc: unknown warning option -W%s\n", optarg);
				return EXIT_USAGE;
			}
			o.compile.werror = true;
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		case 'V':
			printf("ktapc, chunk format %d.%d\n", KTAP_ABI_MAJOR, KTAP_ABI_MINOR);
			return 0;
		default:
			fputs("Try 'ktapc --help'.\n", stderr);
			return EXIT_USAGE;
		}
	}
	if (optind < argc && !o.script)
		o.input = argv[optind++];
	if (optind < argc || (!o.input && !o.script)) {
		fputs(usage, stderr);
		return EXIT_USAGE;
	}
	return run(&o);
}
