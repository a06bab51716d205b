// SPDX-License-Identifier: GPL-2.0
/*
 * user_event N FILE: register the event "user_events:ktap_test", which is deleted when this
 * program ends; print "ready"; when somebody has enabled it, and FILE exists, write it N times,
 * with the values 1 to N.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <fcntl.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/uio.h>

#if __has_include(<linux/user_events.h>)
#include <linux/user_events.h>
#else
/* headers of a kernel before 6.4 */
struct user_reg {
	uint32_t size;
	uint8_t enable_bit;
	uint8_t enable_size;
	uint16_t flags;
	uint64_t enable_addr;
	uint64_t name_args;
	uint32_t write_index;
} __attribute__((packed));

#define DIAG_IOCSREG	_IOWR('*', 0, struct user_reg *)
#endif

/* The kernel sets bit 0 while the event is enabled. */
static volatile uint32_t enabled;

int main(int argc, char **argv)
{
	struct user_reg reg = {
		.size = sizeof(reg),
		.enable_size = sizeof(enabled),
		.enable_addr = (uintptr_t)&enabled,
		.name_args = (uintptr_t)"ktap_test u32 value",
	};
	uint32_t value, n;
	uint32_t index;
	struct iovec record[] = {
		{ &index, sizeof(index) },
		{ &value, sizeof(value) },
	};
	unsigned int i;
	int fd;

	if (argc != 3)
		return 2;
	n = strtoul(argv[1], NULL, 10);
	fd = open("/sys/kernel/tracing/user_events_data", O_RDWR);
	if (fd < 0 || ioctl(fd, DIAG_IOCSREG, &reg)) {
		perror("user_events_data");
		return 1;
	}
	index = reg.write_index;
	puts("ready");
	fflush(stdout);
	for (i = 0; i < 6000 && !(enabled && !access(argv[2], F_OK)); i++)
		usleep(10000);
	for (value = 1; value <= n; value++) {
		if (writev(fd, record, 2) < 0) {
			perror("write");
			return 1;
		}
	}
	return 0;
}
