// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions that begin at boot: the kernel parameter ktap=, ktap.session.NAME of the
 * bootconfig, and the files ktap/boot/NAME.
 */
#define pr_fmt(fmt) "ktap: " fmt

#include <linux/bootconfig.h>
#include <linux/capability.h>
#include <linux/cleanup.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/initrd.h>
#include <linux/kernel_read_file.h>
#include <linux/limits.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracefs.h>
#include <linux/vmalloc.h>
#include <linux/wait.h>
#include <asm/setup.h>

#include "../trace.h"
#include "limits.h"
#include "load/boot_setting.h"
#include "session.h"
#include "session_output.h"
#include "tracefs.h"

/**
 * DOC: Sessions that begin at boot
 *
 * The scripts are files of the initramfs, which is unpacked in the background from
 * rootfs_initcall(populate_rootfs) on.  boot_init() has the same level.  init/ is linked
 * before kernel/, so boot_init() runs after populate_rootfs(), and waits until the files are
 * there.  All of tracing is ready by then (fs_initcall), and the initcalls of
 * devices are still to come.
 *
 * A script that is built in (CONFIG_KTAP_BOOT_CHUNK) needs no files: boot_init_built_in() begins
 * it as soon as events can be had, which is when the initcalls of the level subsys have run: those
 * of ktap's own events, and the one that finds functions which ftrace cannot patch.  Its file is
 * made later, as there is no tracefs yet.
 *
 * The first process loads the scripts.  It has all permissions; except for that, a session
 * is loaded as one whose file was opened and written.  It holds no file, so it goes on until
 * exit(), an error, or "stop".  Its output stays until it is read from ktap/boot/NAME.  The
 * session is freed when the last of those who have opened this file closes it, after a read
 * has returned the end of the output.
 *
 * Entries of boot_sessions[] are neither freed nor used again, and their session is removed
 * with boot_lock held: so a task that opens the file while it is removed finds no session.
 */

/**
 * struct boot_session - a session that began at boot
 * @name: its name
 * @session: the session; NULL: there is none, or it is over
 * @file: ktap/boot/NAME
 * @users: number of open files of it
 */
struct boot_session {
	char name[KTAP_MAX_BOOT_NAME + 1];
	struct ktap_session *session;
	struct dentry *file;
	unsigned int users;
};

static struct boot_session boot_sessions[KTAP_MAX_BOOT];
static unsigned int boot_count __initdata;	/* entries that are used, or were */
static DEFINE_MUTEX(boot_lock);		/* protects @session and @users of them */

/* The file */

/* The output can be anything that CAP_PERFMON allows to trace. */
static int boot_open(struct inode *inode, struct file *file)
{
	struct boot_session *b = inode->i_private;
	int err = tracing_check_open_get_tr(NULL);

	if (err)
		return err;
	if (!perfmon_capable())
		return -EPERM;
	guard(mutex)(&boot_lock);
	if (!b->session)
		return -ENOENT;
	b->users++;
	file->private_data = b->session;
	return stream_open(inode, file);
}

static int boot_release(struct inode *inode, struct file *file)
{
	struct boot_session *b = inode->i_private;
	struct ktap_session *s = file->private_data;

	scoped_guard(mutex, &boot_lock) {
		if (--b->users || !READ_ONCE(s->output.all_read))
			return 0;
		b->session = NULL;
	}
	tracefs_remove(b->file);
	ktap_session_close(s);
	return 0;
}

static const struct file_operations boot_fops = {
	.open = boot_open,
	.read = ktap_tracefs_read,
	.write = ktap_tracefs_write,
	.poll = ktap_tracefs_poll,
	.release = boot_release,
};

/* Loading */

static char boot_files[COMMAND_LINE_SIZE] __initdata;

/* ktap=FILE[,FILE...], any number of times */
static int __init boot_setup(char *files)
{
	if (*boot_files)
		strlcat(boot_files, ",", sizeof(boot_files));
	strlcat(boot_files, files, sizeof(boot_files));
	return 1;
}
__setup("ktap=", boot_setup);

/* The name of the built-in script, where that of a file would be */
#define BOOT_BUILT_IN	"built-in"

/**
 * struct boot_script - a script to be run
 * @path: the file, or BOOT_BUILT_IN
 * @name: name of the session in the bootconfig; NULL: the script is of the command line
 * @settings: settings of @name
 */
struct boot_script {
	const char *path;
	const char *name;
	struct xbc_node *settings;
};

static __printf(2, 3) void __init boot_error(const struct boot_script *script, const char *fmt, ...)
{
	struct va_format vaf = { .fmt = fmt };
	va_list ap;

	va_start(ap, fmt);
	vaf.va = &ap;
	if (script->name)
		pr_err("boot session %s (bootconfig): %pV\n", script->name, &vaf);
	else
		pr_err("boot script %s: %pV\n", script->path, &vaf);
	va_end(ap);
}

/* In JSON an error is an object of the output. */
static bool __init boot_is_error(const struct ktap_session *s, const struct output_text *text)
{
	return text->channel == KTAP_CH_ERROR ||
	       (s->output.json && strnstr(text->data, "\"type\":\"error\"", text->len));
}

/* Write the session's errors to the log, a line each. */
static void __init boot_log_errors(const struct boot_script *script, struct ktap_session *s)
{
	static const char own[] = "ktap: error: ";
	const struct output_text *text;
	const char *line, *end, *next;

	guard(mutex)(&s->output.text_lock);
	list_for_each_entry(text, &s->output.texts, list) {
		if (!boot_is_error(s, text))
			continue;
		end = text->data + text->len;
		for (line = text->data; line < end; line = next + 1) {
			next = memchr(line, '\n', end - line) ?: end;
			if (str_has_prefix(line, own))
				line += strlen(own);
			boot_error(script, "%.*s", (int)(next - line), line);
		}
	}
}

/* Return an entry with the name of a session; NULL if none can be had. */
static struct boot_session * __init boot_find_entry(const struct boot_script *script)
{
	char name[KTAP_MAX_BOOT_NAME + 1];
	struct boot_session *b;

	if (!ktap_boot_name(name, script->path, script->name)) {
		boot_error(script, "the name of %s has 1 to %d letters, digits, '_', '-' and '.'",
			   script->name ? "a session" : "the file, which the session gets,",
			   KTAP_MAX_BOOT_NAME);
		return NULL;
	}
	for (b = boot_sessions; b < boot_sessions + boot_count; b++) {
		if (strcmp(b->name, name))
			continue;
		boot_error(script, "there is a session '%s' already: choose another name", name);
		return NULL;
	}
	if (boot_count == KTAP_MAX_BOOT) {
		boot_error(script, "at most %d scripts run at boot", KTAP_MAX_BOOT);
		return NULL;
	}
	strscpy(b->name, name);
	return b;
}

static bool __init boot_is_built_in(const struct boot_script *script)
{
	return !strcmp(script->path, BOOT_BUILT_IN);
}

static bool __init boot_check_chunk(const struct boot_script *script,
				    const struct ktap_header *header, size_t len)
{
	if (len < sizeof(*header) || memcmp(header->magic, KTAP_MAGIC, KTAP_MAGIC_LEN))
		boot_error(script, "%s is no compiled script: ktapc makes one", script->path);
	else if (le32_to_cpu(header->length) != len)
		boot_error(script, "%s has %zu bytes, and the chunk in it %u: copy it again",
			   script->path, len, le32_to_cpu(header->length));
	else
		return true;
	return false;
}

/* Read a chunk, for vfree(). */
static void * __init boot_read(const struct boot_script *script, size_t *len)
{
	void *chunk = NULL;
	ssize_t n;

	n = kernel_read_file_from_path(script->path, 0, &chunk, KTAP_MAX_CHUNK, NULL,
				       READING_UNKNOWN);
	if (n == -ENOENT)
		boot_error(script, "there is no file %s in the initramfs", script->path);
	else if (n == -EFBIG)
		boot_error(script, "%s has more than %u bytes", script->path, KTAP_MAX_CHUNK);
	else if (n < 0)
		boot_error(script, "cannot read %s: error %zd", script->path, n);
	if (n < 0)
		return NULL;
	*len = n;
	if (boot_check_chunk(script, chunk, n))
		return chunk;
	vfree(chunk);
	return NULL;
}

/* Feed a line as it is written to ktap/session before the chunk. */
static int __init boot_feed_line(struct ktap_session *s, const char *word, const char *value)
{
	return ktap_session_feed(s, word, strlen(word)) ?:
	       ktap_session_feed(s, " ", 1) ?:
	       ktap_session_feed(s, value, strlen(value)) ?:
	       ktap_session_feed(s, "\n", 1);
}

#ifdef CONFIG_BOOT_CONFIG
/* Number of values of a setting; -1: it has keys of its own */
static int __init boot_count_values(struct xbc_node *values)
{
	const char *value;
	int n = 0;

	if (!values)
		return 0;
	if (!xbc_node_is_value(values))
		return -1;
	xbc_array_for_each_value(values, value)
		n++;
	return n;
}

/* Feed a line for each value of a setting. */
static int __init boot_feed_values(struct ktap_session *s, const char *key, const char *word,
				   struct xbc_node *values, char *error)
{
	const char *value;
	int err = 0;

	xbc_array_for_each_value(values, value) {
		if (!ktap_boot_value(key, value, error))
			return -EINVAL;
		err = boot_feed_line(s, word, value);
		if (err)
			break;
	}
	return err;
}

static int __init boot_feed_setting(struct ktap_session *s, struct xbc_node *node, char *error)
{
	struct xbc_node *values = xbc_node_get_child(node);
	const char *key = xbc_node_get_data(node);
	const char *word = ktap_boot_setting(key, boot_count_values(values), error);

	if (!word)
		return -EINVAL;
	if (!*word)
		return 0;
	if (values)
		return boot_feed_values(s, key, word, values, error);
	return ktap_session_feed(s, word, strlen(word)) ?: ktap_session_feed(s, "\n", 1);
}

static int __init boot_feed_settings(const struct boot_script *script, struct ktap_session *s)
{
	static char error[KTAP_BOOT_ERROR] __initdata;
	struct xbc_node *node;
	int err;

	if (!script->settings)
		return 0;
	xbc_node_for_each_subkey(script->settings, node) {
		*error = '\0';
		err = boot_feed_setting(s, node, error);
		if (*error)
			boot_error(script, "%s", error);
		if (err)
			return err;
	}
	return 0;
}
#else
static int __init boot_feed_settings(const struct boot_script *script, struct ktap_session *s)
{
	return 0;
}
#endif

static bool __init boot_stops(const struct ktap_session *s)
{
	return READ_ONCE(s->filter.state) == KTAP_STOPPING && !READ_ONCE(s->output.blocked);
}

/*
 * Wait until trace_begin has returned and, if that was the end of the session, trace_end; or
 * until they wait for a reader.
 */
static void __init boot_wait(struct ktap_session *s)
{
	ktap_session_wait_begun(s);
	wait_event(s->wait, !boot_stops(s));
}

/* Load the chunk. */
static struct ktap_session * __init boot_load(const struct boot_session *b,
					      const struct boot_script *script,
					      const void *chunk, size_t len)
{
	int err = ktap_permissions_open();
	struct ktap_session *s;

	if (err) {
		boot_error(script, "refused, error %d: is the kernel locked down?", err);
		return NULL;
	}
	s = ktap_session_open(current_cred());
	if (IS_ERR(s)) {
		boot_error(script, "no memory for a session");
		return NULL;
	}
	s->boot_name = b->name;
	err = boot_feed_line(s, "arg", script->path) ?: boot_feed_settings(script, s) ?:
	      ktap_session_feed(s, chunk, len);
	/* The initcalls to come run in this process. */
	ktap_clear_reader(s);
	boot_wait(s);
	boot_log_errors(script, s);
	if (!err)
		return s;
	ktap_session_close(s);
	return NULL;
}

static struct dentry * __init boot_dir(void)
{
	static struct dentry *dir __initdata;

	if (!dir && ktap_tracefs_dir)
		dir = tracefs_create_dir("boot", ktap_tracefs_dir);
	return dir;
}

/* Load a file. */
static struct ktap_session * __init boot_load_file(const struct boot_session *b,
						   const struct boot_script *script)
{
	struct ktap_session *s = NULL;
	size_t len;
	void *chunk = boot_read(script, &len);

	if (chunk)
		s = boot_load(b, script, chunk, len);
	vfree(chunk);
	return s;
}

static struct ktap_session * __init boot_load_built_in(const struct boot_session *b,
						       const struct boot_script *script)
{
	size_t len = __ktap_boot_chunk_end - __ktap_boot_chunk;

	if (!len)
		boot_error(script, "this kernel has no script (CONFIG_KTAP_BOOT_CHUNK)");
	else if (boot_check_chunk(script, (const void *)__ktap_boot_chunk, len))
		return boot_load(b, script, __ktap_boot_chunk, len);
	return NULL;
}

/* Make the file of a session; without one, the session ends. */
static void __init boot_make_file(struct boot_session *b)
{
	/* A program of the initramfs may open it at once. */
	guard(mutex)(&boot_lock);
	if (boot_dir())
		b->file = trace_create_file(b->name, 0600, boot_dir(), b, &boot_fops);
	if (b->file)
		return;
	pr_err("cannot make the file ktap/boot/%s in tracefs\n", b->name);
	ktap_session_close(b->session);
	b->session = NULL;
}

static void __init boot_start(const struct boot_script *script)
{
	struct boot_session *b = boot_find_entry(script);
	struct ktap_session *s;

	if (!b)
		return;
	s = boot_is_built_in(script) ? boot_load_built_in(b, script) : boot_load_file(b, script);
	if (!s)
		return;
	boot_count++;
	b->session = s;
	pr_info("boot script %s: %u events, output in ktap/boot/%s of tracefs\n",
		script->path, READ_ONCE(s->nattached), b->name);
}

/* Begin the scripts of the command line that are files, or built in. */
static void __init boot_start_files(bool built_in)
{
	static char files[COMMAND_LINE_SIZE] __initdata;
	struct boot_script script = {};
	char *rest = files;

	strscpy(files, boot_files);
	while ((script.path = ktap_boot_next_file(&rest))) {
		if (boot_is_built_in(&script) == built_in)
			boot_start(&script);
	}
}

/* ktap.session.NAME.chunk = FILE */
#ifdef CONFIG_BOOT_CONFIG
static void __init boot_start_config(bool built_in)
{
	struct xbc_node *sessions = xbc_find_node("ktap.session"), *node;

	if (!sessions)
		return;
	xbc_node_for_each_subkey(sessions, node) {
		struct boot_script script = {
			.path = xbc_node_find_value(node, "chunk", NULL) ?: "",
			.name = xbc_node_get_data(node),
			.settings = node,
		};

		if (boot_is_built_in(&script) != built_in)
			continue;
		if (*script.path)
			boot_start(&script);
		else
			boot_error(&script, "it has no chunk: chunk = FILE");
	}
}

static bool __init boot_has_config(void)
{
	return xbc_find_node("ktap.session");
}
#else
static void __init boot_start_config(bool built_in)
{
}

static bool __init boot_has_config(void)
{
	return false;
}
#endif

static int __init boot_init_built_in(void)
{
	boot_start_files(true);
	boot_start_config(true);
	return 0;
}
subsys_initcall_sync(boot_init_built_in);

/* Called after populate_rootfs(), see above. */
static int __init boot_init(void)
{
	unsigned int i;

	if (!*boot_files && !boot_has_config())
		return 0;
	if (strlen(boot_files) == sizeof(boot_files) - 1)
		pr_err("ktap= on the command line is too long: the last file may be cut\n");
	/* One that is built in needs its file before the others are there. */
	for (i = 0; i < boot_count; i++)
		boot_make_file(&boot_sessions[i]);
	wait_for_initramfs();
	boot_start_files(false);
	boot_start_config(false);
	for (; i < boot_count; i++)
		boot_make_file(&boot_sessions[i]);
	return 0;
}
rootfs_initcall(boot_init);
