// SPDX-License-Identifier: GPL-2.0
/*
 * Read a partition of a disk by requests that grow at their beginning.
 *
 *	front_merge DISK N
 *
 * adds a partition to DISK, which it removes at the end, and N times submits four reads, each of
 * the block before the last one's. The block layer makes one request of four of them. Prints the
 * number of reads that failed.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/aio_abi.h>
#include <linux/blkpg.h>

#define BLOCK		4096
#define READS		4
#define PARTITION	9

static int partition(int disk, int op)
{
	struct blkpg_partition part = { .start = 1 << 20, .length = 1 << 20, .pno = PARTITION };
	struct blkpg_ioctl_arg arg = { .op = op, .datalen = sizeof(part), .data = &part };

	return ioctl(disk, BLKPG, &arg);
}

/* Submit the reads together, from the last block to the first: they are merged. */
static int read_backwards(aio_context_t ctx, int fd, char *buf)
{
	struct io_event done[READS];
	struct iocb reads[READS], *list[READS];
	int failed = 0;

	memset(reads, 0, sizeof(reads));
	for (int i = 0; i < READS; i++) {
		reads[i].aio_lio_opcode = IOCB_CMD_PREAD;
		reads[i].aio_fildes = fd;
		reads[i].aio_buf = (unsigned long)(buf + i * BLOCK);
		reads[i].aio_nbytes = BLOCK;
		reads[i].aio_offset = (READS - 1 - i) * BLOCK;
		list[i] = &reads[i];
	}
	if (syscall(SYS_io_submit, ctx, (long)READS, list) != READS ||
	    syscall(SYS_io_getevents, ctx, (long)READS, (long)READS, done, NULL) != READS)
		return READS;
	for (int i = 0; i < READS; i++)
		failed += done[i].res != BLOCK;
	return failed;
}

int main(int argc, char **argv)
{
	int disk, fd, failed = 0;
	aio_context_t ctx = 0;
	char path[256];
	void *buf;

	if (argc != 3)
		return 2;
	disk = open(argv[1], O_RDONLY);
	snprintf(path, sizeof(path), "%s%d", argv[1], PARTITION);
	if (disk < 0 || partition(disk, BLKPG_ADD_PARTITION)) {
		perror(argv[1]);
		return 1;
	}
	fd = open(path, O_RDONLY | O_DIRECT);
	if (fd < 0 || posix_memalign(&buf, BLOCK, READS * BLOCK) ||
	    syscall(SYS_io_setup, (unsigned int)READS, &ctx)) {
		perror(path);
		partition(disk, BLKPG_DEL_PARTITION);
		return 1;
	}
	for (long n = atol(argv[2]); n > 0; n--)
		failed += read_backwards(ctx, fd, buf);
	syscall(SYS_io_destroy, ctx);
	close(fd);
	printf("%d\n", failed);
	return partition(disk, BLKPG_DEL_PARTITION) || failed;
}
