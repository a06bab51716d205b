// SPDX-License-Identifier: GPL-2.0
/*
 * The thread, its memory and the machine in user space: what kernel/trace/ktap/host is
 * for the virtual machine in the kernel.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "btf/btf.h"
#include "data/ustack_file.h"
#include "host/read_memory.h"
#include "host/signal.h"
#include "symbols.h"
#include "types.h"
#include "vm/builtin.h"
#include "vm/env.h"
#include "vm/task_fields.h"
#include "vm/vm.h"

static int give(struct ktap_value *r, s64 i)
{
	r[0] = KTAP_VALUE_INT(i);
	return 0;
}

/* The signal is not sent; for some an error is returned. */
int ktap_signal_current(int number)
{
	return number == SIGKILL ? -EPERM : 0;
}

int ktap_fn_pid(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return give(r, getpid());
}

int ktap_fn_tid(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return give(r, getpid());
}

int ktap_fn_ns_pid(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return give(r, getpid());
}

int ktap_fn_ns_tid(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return give(r, getpid());
}

int ktap_fn_ppid(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return give(r, getppid());
}

int ktap_fn_uid(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return give(r, getuid());
}

int ktap_fn_gid(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return give(r, getgid());
}

int ktap_fn_cpu(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return give(r, 0);
}

int ktap_fn_numa_node(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return give(r, 0);
}

int ktap_fn_execname(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return ktap_make_string(vm, "ktapvm", 6, &r[0]);
}

int ktap_fn_nsecs(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return give(r, shim_clock(CLOCK_MONOTONIC));
}

static u64 process_number(void)
{
	return getpid();
}

static u64 clock_number(void)
{
	return shim_clock(CLOCK_MONOTONIC);
}

ktap_number_fn *ktap_builtin_number(u32 id)
{
	if (id == KTAP_FN_PID || id == KTAP_FN_TID)
		return process_number;
	return id == KTAP_FN_NSECS ? clock_number : NULL;
}

int ktap_fn_cgroup(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return give(r, 3);
}

/* by number, from 1 */
static const char * const cgroup_paths[] = { NULL, "/", "/a", "/a/b" };

int ktap_fn_cgroup_id(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	for (unsigned int i = 1; i < ARRAY_SIZE(cgroup_paths); i++)
		if (strlen(cgroup_paths[i]) == r[0].len &&
		    !memcmp(cgroup_paths[i], r[0].blob, r[0].len))
			return give(r, i);
	return ktap_vm_error(vm, -ENOENT, "cgroup_id: there is no cgroup (v2) '%.*s'",
			     (int)r[0].len, (const char *)r[0].blob);
}

int ktap_fn_cgroup_path(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	const char *path = NULL;

	if (r[0].tag == KTAP_INT && r[0].u < ARRAY_SIZE(cgroup_paths))
		path = cgroup_paths[r[0].u];
	r[0] = path ? KTAP_VALUE_STR(path, strlen(path)) : KTAP_VALUE_NIL;
	return 0;
}

/* Every file is this one. */
int ktap_fn_path(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	if (r[0].tag != KTAP_NIL)
		r[0] = KTAP_VALUE_STR("/a/file", strlen("/a/file"));
	return 0;
}

/* In user space no event has registers. */
int ktap_fn_reg(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	char name[33];

	snprintf(name, sizeof(name), "%.*s", (int)r[0].len, (const char *)r[0].blob);
	if (regs_query_register_offset(name) < 0)
		return ktap_vm_error(vm, -EINVAL, "this machine has no register '%s'", name);
	r[0] = KTAP_VALUE_NIL;
	return 0;
}

int ktap_fn_rand(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return give(r, rand());
}

int ktap_fn_curtask(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_TYPED(TYPES_ADDRESS, ktap_btf_task());
	return 0;
}

/* A few frames, at most the requested number. Words of both kinds have 64 bits. */
static int give_stack(struct ktap_vm *vm, struct ktap_value *r, unsigned int n, enum ktap_tag tag)
{
	unsigned int depth, skip, i;
	unsigned long *frames;

	if (ktap_stack_range(vm, r, n, &depth, &skip))
		return vm->error;
	depth = n ? min(depth, 8 - min(skip, 8U)) : 3;
	frames = ktap_arena_alloc(vm, depth * sizeof(*frames));
	if (!frames)
		return vm->error;
	for (i = 0; i < depth; i++)
		frames[i] = 0x1000 * (skip + i + 1);
	r[0] = (struct ktap_value){ .blob = frames, .tag = tag, .len = depth * sizeof(*frames) };
	return 0;
}

int ktap_fn_kstack(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return give_stack(vm, r, n, KTAP_KSTACK);
}

int ktap_fn_ustack(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return give_stack(vm, r, n, KTAP_USTACK);
}

/* Only a program at 0x400000. */
int ktap_fn_usym(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	static const struct ktap_ustack_file_key program = { .ino = 1 };
	struct ktap_ustack_files *files = vm->env->ufiles;
	u64 address = r[0].u, *frame;
	int number;

	if (r[0].tag == KTAP_NIL)
		return 0;
	frame = ktap_arena_alloc(vm, sizeof(*frame));
	if (!frame)
		return vm->error;
	*frame = address & ~KTAP_FRAME_FILE;
	number = address >> 12 == 0x400 ? ktap_ustack_file_get(files, &program) : -1;
	if (number >= 0)
		*frame = ktap_frame_in_file(number, address & 0xfff);
	r[0] = (struct ktap_value){ .blob = frame, .tag = KTAP_USYM, .len = sizeof(*frame) };
	return 0;
}

void ktap_ustack_file_wait(const struct ktap_env *env, u32 number)
{
	struct ktap_ustack_file *file = &env->ufiles->files[number];

	file->path = kstrdup("/bin/program", GFP_KERNEL);
	file->state = KTAP_UFILE_KNOWN;
}

/* It never ends. */
struct ktap_thread ktap_current_thread(void)
{
	return (struct ktap_thread){ .id = current };
}

/* Memory: a process with an argv, and a kernel. */
static const u64 user_argv[] = { 0x2000, 0x2003, 0x2006, 0 };
static const char user_strings[] = "ls\0-l\0/tmp";
/* Memory before an unmapped address, like a string at the end of a mapping. */
static const char user_end[] = { 'e', 'n', 'd' };
static char kernel_long_string[2 * KTAP_MAX_STRLEN];

static const struct {
	u64 address;
	const void *data;
	size_t size;
} memory[] = {
	{ 0x1000, user_argv, sizeof(user_argv) },
	{ 0x2000, user_strings, sizeof(user_strings) },
	{ 0x3000, user_end, sizeof(user_end) },
	{ 0xffffffff83000000ULL, kernel_long_string, sizeof(kernel_long_string) },
};

__attribute__((constructor)) static void fill_kernel_string(void)
{
	memset(kernel_long_string, 'k', sizeof(kernel_long_string));
}

bool ktap_is_user_address(u64 address)
{
	return address < 0x800000000000ULL;
}

/* Return the memory at an address and its size; NULL if there is none. */
static const char *memory_at(u64 from, bool user, size_t *size)
{
	const char *typed;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(memory) && user == ktap_is_user_address(from); i++) {
		if (from - memory[i].address < memory[i].size) {
			*size = memory[i].address + memory[i].size - from;
			return (const char *)memory[i].data + (from - memory[i].address);
		}
	}
	if (user)
		return NULL;
	typed = symbols_memory(from, size);
	if (typed)
		return typed;
	typed = types_memory(size);
	if (from - TYPES_ADDRESS < *size) {
		*size -= from - TYPES_ADDRESS;
		return typed + (from - TYPES_ADDRESS);
	}
	return NULL;
}

static int read_memory(bool user, void *to, u64 from, size_t size)
{
	size_t there;
	const char *p = memory_at(from, user, &there);

	if (!p || there < size)
		return -EFAULT;
	memcpy(to, p, size);
	return 0;
}

static int read_memory_string(bool user, char *to, u64 from, size_t size)
{
	size_t there;
	const char *p = memory_at(from, user, &there);
	const char *end = p ? memchr(p, '\0', min(there, size)) : NULL;

	if (!p || (!end && there < size))
		return -EFAULT;
	return scnprintf(to, size, "%.*s", (int)min(there, size), p);
}

int ktap_read_user(void *to, u64 from, size_t size)
{
	return read_memory(true, to, from, size);
}

int ktap_read_user_string(char *to, u64 from, size_t size)
{
	return read_memory_string(true, to, from, size);
}

int ktap_read_kernel(void *to, u64 from, size_t size)
{
	return read_memory(false, to, from, size);
}

int ktap_read_kernel_string(char *to, u64 from, size_t size)
{
	return read_memory_string(false, to, from, size);
}

unsigned int ktap_user_pointer_size(void)
{
	return sizeof(u64);
}

/* Time of day, and the machine */

static s64 time_of_day(void)
{
	return shim_clock(CLOCK_REALTIME);
}

int ktap_fn_gettimeofday_ns(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return give(r, time_of_day());
}

int ktap_fn_gettimeofday_us(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return give(r, time_of_day() / 1000);
}

int ktap_fn_gettimeofday_ms(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return give(r, time_of_day() / 1000000);
}

int ktap_fn_gettimeofday_s(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return give(r, time_of_day() / 1000000000);
}

int ktap_fn_num_cpus(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return give(r, 1);
}

int ktap_fn_arch(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return ktap_make_string(vm, "vm", 2, &r[0]);
}

int ktap_fn_syscall_name(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	static const char * const names[] = { "read", "write", NULL, "close" };
	const char *name = r[0].u < ARRAY_SIZE(names) ? names[r[0].u] : NULL;

	r[0] = name ? KTAP_VALUE_STR(name, strlen(name)) : KTAP_VALUE_NIL;
	return 0;
}

int ktap_fn_kernel_v(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return ktap_make_string(vm, "7.2.0", 5, &r[0]);
}

int ktap_fn_in_interrupt(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_BOOL(vm->level != KTAP_LEVEL_TASK && vm->level != KTAP_LEVEL_PROCESS);
	return 0;
}

int ktap_fn_in_iowait(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_BOOL(false);
	return 0;
}
