// SPDX-License-Identifier: GPL-2.0
/*
 * Pass a path that is not in memory to look(), which opens it, for absent.sh.
 *
 *	absent_page userfault		the page must come from this program (userfaultfd)
 *	absent_page fuse DIRECTORY	it must come from a file server: this program, there
 *	absent_page file FILE		it is read from FILE
 *
 * The first two print "asked" when they are asked for the page, and never deliver it.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/fuse.h>
#include <linux/userfaultfd.h>

#define FILE_NODE	2

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* It is probed.  The file need not exist. */
__attribute__((noinline)) void look(const char *path)
{
	int fd = open(path, O_RDONLY);

	if (fd >= 0)
		close(fd);
}

static void *look_in_thread(void *path)
{
	look(path);
	return NULL;
}

static void wait_forever(void)
{
	printf("asked\n");
	fflush(stdout);
	for (;;)
		pause();
}

static void userfault(void)
{
	long size = sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register missing = {
		.range = { .start = (uintptr_t)page, .len = size },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	struct pollfd p = { .events = POLLIN };
	pthread_t thread;

	p.fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (p.fd < 0)
		fail("userfaultfd");
	if (ioctl(p.fd, UFFDIO_API, &api) || ioctl(p.fd, UFFDIO_REGISTER, &missing))
		fail("UFFDIO_REGISTER");
	if (pthread_create(&thread, NULL, look_in_thread, page))
		fail("pthread_create");
	while (poll(&p, 1, -1) != 1)
		;
	wait_forever();
}

/* The path is at the start of the file. */
static void look_into(const char *file)
{
	int fd = open(file, O_RDONLY);
	const char *page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_PRIVATE, fd, 0);

	if (page == MAP_FAILED)
		fail(file);
	look(page);
}

static void fuse_reply(int fd, uint64_t unique, int error, const void *data, size_t size)
{
	char reply[512];
	struct fuse_out_header head = {
		.len = sizeof(head) + size, .error = -error, .unique = unique
	};

	memcpy(reply, &head, sizeof(head));
	if (size)
		memcpy(reply + sizeof(head), data, size);
	/* It fails if the request was interrupted. */
	if (write(fd, reply, head.len) < 0 && errno != ENOENT)
		fail("write to /dev/fuse");
}

static struct fuse_attr fuse_attr_of(uint64_t node)
{
	return (struct fuse_attr){
		.ino = node, .nlink = 1, .size = 4096,
		.mode = node == FILE_NODE ? S_IFREG | 0444 : S_IFDIR | 0555,
	};
}

/* Answer all requests but those for the content of the file. */
static void fuse_answer(int fd, const struct fuse_in_header *in)
{
	struct fuse_init_out init = {
		.major = FUSE_KERNEL_VERSION, .minor = 31, .max_write = 4096,
		.max_readahead = 4096,
	};
	struct fuse_entry_out entry = { .nodeid = FILE_NODE, .attr = fuse_attr_of(FILE_NODE) };
	struct fuse_attr_out attr = { .attr = fuse_attr_of(in->nodeid) };
	struct fuse_open_out opened = { .fh = 1 };

	switch (in->opcode) {
	case FUSE_INIT:
		return fuse_reply(fd, in->unique, 0, &init, sizeof(init));
	case FUSE_LOOKUP:
		return fuse_reply(fd, in->unique, 0, &entry, sizeof(entry));
	case FUSE_GETATTR:
		return fuse_reply(fd, in->unique, 0, &attr, sizeof(attr));
	case FUSE_OPEN:
		return fuse_reply(fd, in->unique, 0, &opened, sizeof(opened));
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		return;
	case FUSE_READ:
		return wait_forever();
	default:
		return fuse_reply(fd, in->unique, ENOSYS, NULL, 0);
	}
}

static void fuse(const char *directory)
{
	static _Alignas(struct fuse_in_header) char request[FUSE_MIN_READ_BUFFER + 4096];
	char options[100], file[4096];
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		fail("/dev/fuse");
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
	if (mount("absent_page", directory, "fuse", 0, options))
		fail("mount");
	snprintf(file, sizeof(file), "%s/file", directory);
	switch (fork()) {
	case -1:
		fail("fork");
	case 0:
		close(fd);
		look_into(file);
		exit(0);
	}
	for (;;) {
		if (read(fd, request, sizeof(request)) < (ssize_t)sizeof(struct fuse_in_header))
			fail("read of /dev/fuse");
		fuse_answer(fd, (const struct fuse_in_header *)request);
	}
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "userfault"))
		userfault();
	else if (argc == 3 && !strcmp(argv[1], "fuse"))
		fuse(argv[2]);
	else if (argc == 3 && !strcmp(argv[1], "file"))
		look_into(argv[2]);
	else
		return 2;
	return 0;
}
