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
#define MAX_FOLDERS	32

struct options {
	const char *output;
	const char *script;	/* -e */
	const char *input;
	bool disassemble;
	bool format;
	bool ast;
	const char *folders[MAX_FOLDERS + 1];
	unsigned int nfolders;
	struct ktap_compile_opts compile;
};

static const char usage[] =
	"usage: ktapc [-o FILE.ktap] [-d] [-I DIR] [-w] [--werror] FILE | -e SCRIPT\n"
	"       ktapc --fmt [-o FILE.kp] FILE | -e SCRIPT\n"
	"       ktapc --ast FILE | -e SCRIPT\n"
	"Compile a ktap script to a chunk; '-' reads it from standard input.\n"
	"\n"
	"  -o, --output=FILE  write the chunk to FILE (default: the script's name, .ktap)\n"
	"  -d, --dump         print the instructions of a script or chunk, write nothing\n"
	"  -e SCRIPT          take the script from the command line\n"
	"  -I DIR             search there for what the script includes, and is not beside it\n"
	"  -w                 no warnings\n"
	"      --fmt          print the script in canonical layout (with -o: into that file)\n"
	"      --ast          print the tree of the script and what its names stand for\n"
	"  -Werror, --werror  warnings are errors\n"
	"  -h, --help         show this help\n"
	"  -V, --version      show the version of the chunk format\n";

static const struct option long_options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "dump", no_argument, NULL, 'd' },
	{ "werror", no_argument, NULL, 'W' },
	{ "fmt", no_argument, NULL, 'F' },
	{ "ast", no_argument, NULL, 'A' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ 0 },
};

static int fail(const char *name)
{
	fprintf(stderr, "ktapc: %s: %s\n", name, strerror(errno));
	return EXIT_USAGE;
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

/* To a device or a pipe, which must not be replaced. */
static int write_special(const char *name, const void *data, size_t len)
{
	FILE *f = fopen(name, "wb");
	bool good;

	if (!f)
		return fail(name);
	good = fwrite(data, 1, len, f) == len;
	return fclose(f) || !good ? fail(name) : 0;
}

/* Either the whole of the data gets its name, or nothing does. */
static int write_output(const char *name, const void *data, size_t len)
{
	size_t size = strlen(name) + sizeof(".XXXXXX");
	mode_t mask = umask(0), mode = 0666 & ~mask;
	struct stat st;
	int fd, error;
	char *tmp;
	FILE *f;

	umask(mask);
	if (!stat(name, &st)) {
		if (!S_ISREG(st.st_mode))
			return write_special(name, data, len);
		/* a script that is formatted stays executable */
		mode = st.st_mode & 0777;
	}
	tmp = malloc(size);
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
		error = fchmod(fd, mode) || fwrite(data, 1, len, f) != len ? errno : 0;
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

static int finish_stdout(void)
{
	return fflush(stdout) || ferror(stdout) ? fail("standard output") : 0;
}

static int show(const void *chunk, size_t len)
{
	if (ktap_disassemble(stdout, chunk, len))
		return EXIT_USAGE;
	return finish_stdout();
}

static int format(const struct options *o, const struct ktap_source *src)
{
	size_t len;
	char *text = ktap_format(src, &o->compile, &len);
	int ret;

	if (!text)
		return EXIT_USAGE;
	if (o->output) {
		ret = write_output(o->output, text, len);
	} else {
		fwrite(text, 1, len, stdout);
		ret = finish_stdout();
	}
	free(text);
	return ret;
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

static int process(const struct options *o, const struct ktap_source *src)
{
	if (o->format)
		return format(o, src);
	if (o->ast)
		return ktap_dump_ast(stdout, src, &o->compile) ? EXIT_USAGE : finish_stdout();
	return compile(o, src);
}

static int run(const struct options *o)
{
	struct ktap_source src = { .name = o->input };
	int ret;

	if (o->script) {
		src = (struct ktap_source) {
			.name = "<command line>", .text = o->script, .len = strlen(o->script),
		};
		return process(o, &src);
	}
	errno = -ktap_read_file(NULL, o->input, &src);
	if (errno)
		return fail(o->input);
	if (!strcmp(o->input, "-"))
		src.name = "<stdin>";
	if (!ktap_is_chunk(src.text, src.len)) {
		ret = process(o, &src);
	} else if (o->disassemble) {
		ret = show(src.text, src.len);
	} else {
		fprintf(stderr, "ktapc: %s: this is a compiled chunk already\n", o->input);
		ret = EXIT_USAGE;
	}
	free((void *)src.text);
	return ret;
}

static bool add_folder(struct options *o, const char *folder)
{
	if (o->nfolders == MAX_FOLDERS) {
		fprintf(stderr, "ktapc: more than %u folders to include from\n", MAX_FOLDERS);
		return false;
	}
	o->folders[o->nfolders++] = folder;
	o->compile.folders = o->folders;
	return true;
}

int main(int argc, char **argv)
{
	struct options o = { .compile = { .diag = stderr } };
	int c;

	while ((c = getopt_long(argc, argv, "o:de:I:wW:hV", long_options, NULL)) != -1) {
		switch (c) {
		case 'I':
			if (!add_folder(&o, optarg))
				return EXIT_USAGE;
			break;
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
		case 'F':
			o.format = true;
			break;
		case 'A':
			o.ast = true;
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
