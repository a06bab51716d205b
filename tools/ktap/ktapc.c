// SPDX-License-Identifier: GPL-2.0
/* ktapc: compile a script to a chunk, or show a chunk. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/ktap.h>

#include "cmdline.h"
#include "compiler/compile.h"
#include "compiler/library.h"
#include "sign.h"

#define EXIT_USAGE	2
#define MAX_FOLDERS	32

struct ktapc_options {
	const char *output;
	const char *script;	/* -e */
	const char *input;
	const char *key;	/* --sign */
	const char *certificate;
	bool disassemble;
	bool format;
	bool to_ktap;
	bool ast;
	const char *folders[MAX_FOLDERS + 1];
	unsigned int nfolders;
	struct given given;
	struct sources sources;
	struct ktap_compile_opts compile;
};

static const struct exclusion ktapc_exclusions[] = {
	{ "-d", "-o --fmt --ast --sign" },
	{ "--ast", "-o --fmt --sign" },
	{ "--fmt", "--sign" },
	{ "-w", "-Werror" },
	{ "--to-ktap", "-d --fmt --ast --sign" },
	{ "--bt", "--fmt --ast" },
	{ 0 },
};

static const char usage[] =
	"usage: ktapc [-o FILE.ktap] [-d] [-I DIR] [-w] [--werror] FILE | -e SCRIPT\n"
	"       ktapc --fmt [-o FILE.kp] FILE | -e SCRIPT\n"
	"       ktapc --sign=KEY [--cert=FILE] [-o FILE.ktap] FILE | -e SCRIPT\n"
	"       ktapc --ast FILE | -e SCRIPT\n"
	"       ktapc [--bt] --to-ktap [-o FILE.kp] FILE.bt | -e SCRIPT\n"
	"Compile a ktap script to a chunk; '-' reads it from standard input.\n"
	"\n"
	"  -o, --output=FILE  write the chunk to FILE (default: the script's name, .ktap)\n"
	"  -d, --dump         print the instructions of a script or chunk, write nothing\n"
	"  -e SCRIPT          take the script from the command line\n"
	"  -I DIR             search DIR for included scripts\n"
	"  -w                 no warnings\n"
	"      --fmt          print the script in canonical layout (with -o: into that file)\n"
	"      --bt           the script is one of bpftrace, as FILE.bt is\n"
	"      --to-ktap      print it in ktap's language (with -o: into that file)\n"
	"      --ast          print the tree of the script and the bindings of its names\n"
	"      --sign=KEY     sign the chunk, or FILE if it is one; KEY is a PEM file with the\n"
	"                     private key (needs the program openssl)\n"
	"      --cert=FILE    the key's certificate, if the file KEY does not contain it\n"
	"  -Werror, --werror  warnings are errors\n"
	"  -h, --help         show this help\n"
	"  -V, --version      show the version of the chunk format\n";

static const struct option long_options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "dump", no_argument, NULL, 'd' },
	{ "werror", no_argument, NULL, 'W' },
	{ "fmt", no_argument, NULL, 'F' },
	{ "bt", no_argument, NULL, 'B' },
	{ "to-ktap", no_argument, NULL, 'K' },
	{ "ast", no_argument, NULL, 'A' },
	{ "sign", required_argument, NULL, 'S' },
	{ "cert", required_argument, NULL, 'C' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ 0 },
};

static int ktapc_fail(const char *name)
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

/*
 * Reserve space for the new text before the old one is overwritten, if the file
 * system can.
 */
static bool reserve_space(int fd, const struct stat *old, size_t len)
{
	int error;

	if (!len || !fallocate(fd, 0, 0, len))
		return true;
	if (errno != ENOSPC && errno != EDQUOT && errno != EFBIG)
		return true;
	error = errno;
	/* restore the old size */
	if (!ftruncate(fd, old->st_size))
		errno = error;
	return false;
}

/*
 * Write into an existing file that cannot be replaced: a device, a pipe,
 * another user's file, a file with several or too long names, a mount point, or
 * a file in a read-only folder.
 */
static int write_in_place(const char *name, const void *data, size_t len)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	bool regular, good;
	struct stat st;
	FILE *f;

	if (fd < 0)
		return ktapc_fail(name);
	regular = !fstat(fd, &st) && S_ISREG(st.st_mode);
	f = !regular || reserve_space(fd, &st, len) ? fdopen(fd, "wb") : NULL;
	if (!f) {
		ktapc_fail(name);
		close(fd);
		return EXIT_USAGE;
	}
	good = fwrite(data, 1, len, f) == len && !fflush(f) && (!regular || !ftruncate(fd, len));
	return fclose(f) || !good ? ktapc_fail(name) : 0;
}

/*
 * Is it our standard output, such as /dev/stdout? Then write at its current
 * offset.
 */
static bool is_stdout(const struct stat *st)
{
	struct stat out;

	return !fstat(STDOUT_FILENO, &out) && out.st_dev == st->st_dev &&
	       out.st_ino == st->st_ino;
}

static int write_stdout(const void *data, size_t len)
{
	fwrite(data, 1, len, stdout);
	return finish_stdout("ktapc") ? 0 : EXIT_USAGE;
}

/*
 * Is this an error of creating or renaming a file, which may not occur when
 * writing in place?
 */
static bool only_in_place(int error)
{
	return error == EACCES || error == EPERM || error == EROFS || error == ENAMETOOLONG ||
	       error == EBUSY || error == EXDEV;
}

/*
 * Write a new file, with the owner and mode of @old, if it is not NULL; 0 or an
 * errno.
 */
static int write_new(int fd, const struct stat *old, const void *data, size_t len)
{
	mode_t mask = umask(0);
	int error = 0;
	FILE *f;

	umask(mask);
	/* any error means that this owner cannot be set */
	if (old && fchown(fd, old->st_uid, old->st_gid))
		error = EPERM;
	f = error ? NULL : fdopen(fd, "wb");
	if (!f) {
		error = error ? error : errno;
		close(fd);
		return error;
	}
	/* a formatted script stays executable */
	if (fchmod(fd, old ? old->st_mode & 0777 : 0666 & ~mask) ||
	    fwrite(data, 1, len, f) != len)
		error = errno;
	if (fclose(f) && !error)
		error = errno;
	return error;
}

/*
 * Replace @name by a new file, with the owner and mode of @old if it existed.
 */
static int replace_file(const char *name, const struct stat *old, const void *data, size_t len)
{
	size_t size = strlen(name) + sizeof(".XXXXXX");
	char *tmp = malloc(size);
	int fd, error;

	if (!tmp)
		return ktapc_fail(name);
	snprintf(tmp, size, "%s.XXXXXX", name);
	fd = mkstemp(tmp);
	error = fd < 0 ? errno : write_new(fd, old, data, len);
	if (!error && rename(tmp, name))
		error = errno;
	if (error && fd >= 0)
		unlink(tmp);
	free(tmp);
	if (only_in_place(error))
		return write_in_place(name, data, len);
	errno = error;
	return error ? ktapc_fail(name) : 0;
}

/* Write the file completely or not at all, where possible. */
static int write_output(const char *name, const void *data, size_t len)
{
	bool there, link;
	struct stat st;
	char *target;
	int ret;

	link = !lstat(name, &st) && S_ISLNK(st.st_mode);
	there = !stat(name, &st);
	if (there && is_stdout(&st))
		return write_stdout(data, len);
	if (there && (!S_ISREG(st.st_mode) || st.st_nlink > 1))
		return write_in_place(name, data, len);
	if (!link)
		return replace_file(name, there ? &st : NULL, data, len);
	/* keep a link, even if its target does not exist yet */
	target = there ? realpath(name, NULL) : NULL;
	ret = target ? replace_file(target, &st, data, len) : write_in_place(name, data, len);
	free(target);
	return ret;
}

static int write_chunk(const struct ktapc_options *o, const char *name, const void *data,
		       size_t len)
{
	struct stat st;

	if (stat(name, &st) || !sources_have(&o->sources, &st))
		return write_output(name, data, len);
	fprintf(stderr, "ktapc: %s: the chunk would replace the script%s\n", name,
		o->output ? "" : ": choose another file with -o");
	return EXIT_USAGE;
}

static int ktapc_show(const void *chunk, size_t len)
{
	if (ktap_disassemble(stdout, chunk, len))
		return EXIT_USAGE;
	return finish_stdout("ktapc") ? 0 : EXIT_USAGE;
}

/* Print or write the script itself: in canonical layout, or translated. */
static int ktapc_format(const struct ktapc_options *o, const struct ktap_script *src)
{
	size_t len;
	char *text = o->to_ktap ? ktap_from_bpftrace(src, &o->compile, &len) :
				  ktap_format(src, &o->compile, &len);
	int ret;

	if (!text)
		return EXIT_USAGE;
	ret = o->output ? write_output(o->output, text, len) : write_stdout(text, len);
	free(text);
	return ret;
}

/* Replace a chunk by a signed one; false after a message. */
static bool ktapc_sign(const struct ktapc_options *o, void **chunk, size_t *len)
{
	void *signed_chunk = sign_chunk(*chunk, *len, o->key, o->certificate, len);

	if (!signed_chunk)
		return false;
	free(*chunk);
	*chunk = signed_chunk;
	return true;
}

/* Sign a file that is a chunk already. */
static int ktapc_sign_chunk(const struct ktapc_options *o, struct ktap_script *src)
{
	void *chunk = (void *)src->text;
	bool in_place = !o->output && strcmp(o->input, "-");

	if (!ktapc_sign(o, &chunk, &src->len))
		return EXIT_USAGE;
	src->text = chunk;
	return write_output(in_place ? o->input : o->output ? o->output : "out.ktap", chunk,
			    src->len);
}

static int ktapc_compile(const struct ktapc_options *o, const struct ktap_script *src)
{
	size_t len;
	void *chunk = ktap_compile(src, &o->compile, &len);
	char *name = NULL;
	int ret;

	if (!chunk)
		return EXIT_USAGE;
	if (o->key && !ktapc_sign(o, &chunk, &len)) {
		free(chunk);
		return EXIT_USAGE;
	}
	if (o->disassemble) {
		ret = ktapc_show(chunk, len);
	} else if (o->output) {
		ret = write_chunk(o, o->output, chunk, len);
	} else {
		name = default_output(o->input ? o->input : "-");
		ret = name ? write_chunk(o, name, chunk, len) : ktapc_fail("output");
	}
	free(name);
	free(chunk);
	return ret;
}

static int ktapc_process(const struct ktapc_options *o, const struct ktap_script *src)
{
	if (o->format || o->to_ktap)
		return ktapc_format(o, src);
	if (!o->ast)
		return ktapc_compile(o, src);
	return !ktap_dump_ast(stdout, src, &o->compile) && finish_stdout("ktapc") ? 0 : EXIT_USAGE;
}

static int ktapc_run(struct ktapc_options *o)
{
	struct ktap_script src = { .name = o->input };
	int ret;

	o->compile.folders = o->folders;
	o->compile.read = sources_read;
	o->compile.read_ctx = &o->sources;
	if (!o->compile.nowarn)
		ktap_warn_no_folders(stderr, "ktapc", o->folders);

	if (o->script) {
		src = (struct ktap_script) {
			.name = "<command line>", .text = o->script, .len = strlen(o->script),
		};
		if (!o->format && strspn(o->script, " \t\r\n") == src.len) {
			fputs("ktapc: the script of -e is empty\n", stderr);
			return EXIT_USAGE;
		}
		return ktapc_process(o, &src);
	}
	ret = sources_read(&o->sources, o->input, &src);
	if (ret) {
		fprintf(stderr, "ktapc: %s: %s\n", o->input, ktap_read_error(ret));
		return EXIT_USAGE;
	}
	if (!strcmp(o->input, "-"))
		src.name = "<stdin>";
	if (!ktap_is_chunk(src.text, src.len)) {
		ret = ktapc_process(o, &src);
	} else if (o->disassemble) {
		ret = ktapc_show(src.text, src.len);
	} else if (o->key) {
		ret = ktapc_sign_chunk(o, &src);
	} else {
		fprintf(stderr, "ktapc: %s: this is a compiled chunk already\n", o->input);
		ret = EXIT_USAGE;
	}
	free((void *)src.text);
	return ret;
}

static bool ktapc_add_folder(struct ktapc_options *o, const char *folder)
{
	if (o->nfolders == MAX_FOLDERS) {
		fprintf(stderr, "ktapc: more than %u folders to include from\n", MAX_FOLDERS);
		return false;
	}
	o->folders[o->nfolders++] = folder;
	return true;
}

int main(int argc, char **argv)
{
	struct ktapc_options o = { .compile = { .diag = stderr } };
	int c;

	streams_open("ktapc");
	while ((c = getopt_long(argc, argv, "o:de:I:wW:hV", long_options, NULL)) != -1) {
		switch (c) {
		case 'I':
			if (!ktapc_add_folder(&o, optarg))
				return EXIT_USAGE;
			break;
		case 'o':
			given_add(&o.given, "-o", true);
			o.output = optarg;
			break;
		case 'd':
			given_add(&o.given, "-d", false);
			o.disassemble = true;
			break;
		case 'e':
			given_add(&o.given, "-e", true);
			o.script = optarg;
			break;
		case 'w':
			given_add(&o.given, "-w", false);
			o.compile.nowarn = true;
			break;
		case 'F':
			given_add(&o.given, "--fmt", false);
			o.format = true;
			break;
		case 'B':
			given_add(&o.given, "--bt", false);
			o.compile.bpftrace = true;
			break;
		case 'K':
			given_add(&o.given, "--to-ktap", false);
			o.to_ktap = true;
			break;
		case 'A':
			given_add(&o.given, "--ast", false);
			o.ast = true;
			break;
		case 'S':
			given_add(&o.given, "--sign", true);
			o.key = optarg;
			break;
		case 'C':
			given_add(&o.given, "--cert", true);
			o.certificate = optarg;
			break;
		case 'W':
			/* --werror has no argument, -Werror is -W with "error" */
			if (optarg && strcmp(optarg, "error")) {
				fprintf(stderr, "ktapc: unknown warning option -W%s\n", optarg);
				return EXIT_USAGE;
			}
			given_add(&o.given, "-Werror", false);
			o.compile.werror = true;
			break;
		case 'h':
			fputs(usage, stdout);
			return finish_stdout("ktapc") ? 0 : EXIT_USAGE;
		case 'V':
			printf("ktapc, chunk format %d.%d\n", KTAP_ABI_MAJOR, KTAP_ABI_MINOR);
			return finish_stdout("ktapc") ? 0 : EXIT_USAGE;
		default:
			fputs("Try 'ktapc --help'.\n", stderr);
			return EXIT_USAGE;
		}
	}
	if (!given_check(&o.given, ktapc_exclusions, "ktapc"))
		return EXIT_USAGE;
	if (o.certificate && !o.key) {
		fputs("ktapc: error: --cert belongs to --sign\n", stderr);
		return EXIT_USAGE;
	}
	if (optind < argc && !o.script)
		o.input = argv[optind++];
	if (optind < argc) {
		fprintf(stderr, "ktapc: error: only one script can be compiled, and '%s' is another\n",
			argv[optind]);
		return EXIT_USAGE;
	}
	if (!o.input && !o.script) {
		fputs(usage, stderr);
		return EXIT_USAGE;
	}
	if (ktap_is_bpftrace(o.input))
		o.compile.bpftrace = true;
	if (o.compile.bpftrace && (o.format || o.ast)) {
		fputs("ktapc: error: --fmt and --ast are for scripts of ktap: see --to-ktap\n",
		      stderr);
		return EXIT_USAGE;
	}
	if (o.to_ktap && !o.compile.bpftrace) {
		fputs("ktapc: error: --to-ktap is for scripts of bpftrace: FILE.bt, or --bt\n",
		      stderr);
		return EXIT_USAGE;
	}
	return ktapc_run(&o);
}
