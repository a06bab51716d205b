// SPDX-License-Identifier: GPL-2.0
/*
 * Make an exact number of system calls by numbers of other programs than those of this
 * machine's word size, for compat.sh.
 *
 *	compat_calls compat N NR ARG...	the system call NR of 32-bit programs, N times; numbers,
 *					or strings
 *	compat_calls x32 N NR		the system call NR of x32 programs, N times, without
 *					arguments
 *
 * The exit status is 1 if the machine or the kernel cannot do it, or does not know NR.  On
 * x86 the upper halves of registers are not 0.  On arm64 a 32-bit program does it, which is
 * made here, so that no compiler for it is needed.  It has the name of this one.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALLS_ARGS	5

#if defined(__x86_64__)
#define DIRT	0x5a5a5a5a00000000UL

/* A number, or a string at a 32-bit address. */
static unsigned long compat_arg(const char *arg)
{
	static char *low;
	char *end, *at;
	long n = strtol(arg, &end, 0);

	if (!*end)
		return (uint32_t)n;
	if (!low)
		low = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	at = low;
	low += strlen(arg) + 1;
	return (unsigned long)strcpy(at, arg);
}

static int do_compat(char **args)
{
	unsigned long a[CALLS_ARGS] = {};
	long n = atol(args[0]), ret = -ENOSYS;

	for (int i = 0; i < CALLS_ARGS && args[i + 2]; i++)
		a[i] = compat_arg(args[i + 2]);
	while (n-- > 0)
		asm volatile("int $0x80" : "=a"(ret)
			     : "a"(atol(args[1])), "b"(a[0] | DIRT), "c"(a[1] | DIRT),
			       "d"(a[2] | DIRT), "S"(a[3] | DIRT), "D"(a[4] | DIRT)
			     : "memory", "r8", "r9", "r10", "r11");
	return ret == -ENOSYS;
}
#elif defined(__aarch64__)
#include <elf.h>

#define CODE_AT		0x10000		/* where the program is mapped */
#define CODE_BYTES	4096

/* Numbers of the words of the program, and the registers that they are loaded into */
enum {
	WORD_NAME,		/* r1 of prctl() */
	WORD_COUNT,		/* r8 */
	WORD_NR,		/* r7 */
	WORD_ARGS,		/* r0 to r4 */
	NR_WORDS = WORD_ARGS + CALLS_ARGS,
};

/* The program: headers, code, the words of the code, and strings */
struct calls_program {
	Elf32_Ehdr elf;
	Elf32_Phdr load;
	uint32_t code[24];
	uint32_t words[NR_WORDS];
	char strings[];
};

static unsigned int calls_ninsns;

static void calls_emit(struct calls_program *p, uint32_t insn)
{
	p->code[calls_ninsns++] = insn;
}

/* ldr REG, [pc, #OFFSET]; pc is two instructions ahead */
static void calls_load(struct calls_program *p, unsigned int reg, unsigned int word)
{
	size_t offset = (char *)&p->words[word] - (char *)&p->code[calls_ninsns + 2];

	calls_emit(p, 0xe59f0000 | reg << 12 | offset);
}

static void calls_write_code(struct calls_program *p)
{
	unsigned int loop, i;

	/* prctl(PR_SET_NAME, name) */
	calls_emit(p, 0xe3a0000f);			/* mov r0, #15 */
	calls_load(p, 1, WORD_NAME);
	calls_emit(p, 0xe3a070ac);			/* mov r7, #172 */
	calls_emit(p, 0xef000000);			/* svc #0 */
	calls_load(p, 8, WORD_COUNT);
	calls_load(p, 7, WORD_NR);
	loop = calls_ninsns;
	for (i = 0; i < CALLS_ARGS; i++)
		calls_load(p, i, WORD_ARGS + i);
	calls_emit(p, 0xef000000);			/* svc #0 */
	calls_emit(p, 0xe2588001);			/* subs r8, r8, #1 */
	calls_emit(p, 0x1a000000 |			/* bne loop */
		   ((loop - (calls_ninsns + 2)) & 0xffffff));
	/* exit(result == -ENOSYS) */
	calls_emit(p, 0xe3700026);			/* cmn r0, #38 */
	calls_emit(p, 0x03a00001);			/* moveq r0, #1 */
	calls_emit(p, 0x13a00000);			/* movne r0, #0 */
	calls_emit(p, 0xe3a07001);			/* mov r7, #1 */
	calls_emit(p, 0xef000000);			/* svc #0 */
}

/* Return the address of a string in the program, which is now the last one. */
static uint32_t calls_add_string(struct calls_program *p, size_t *size, const char *s)
{
	uint32_t address = CODE_AT + *size;

	if (*size + strlen(s) + 1 > CODE_BYTES)
		exit(1);
	strcpy((char *)p + *size, s);
	*size += strlen(s) + 1;
	return address;
}

static void calls_make_program(struct calls_program *p, char **args)
{
	size_t size = sizeof(*p);
	char *end;
	int i;

	p->elf = (Elf32_Ehdr){
		.e_ident = ELFMAG "\x01\x01\x01",	/* 32 bits, little-endian */
		.e_type = ET_EXEC,
		.e_machine = EM_ARM,
		.e_version = EV_CURRENT,
		.e_entry = CODE_AT + offsetof(struct calls_program, code),
		.e_phoff = offsetof(struct calls_program, load),
		.e_flags = 0x05000000,			/* EABI version 5 */
		.e_ehsize = sizeof(p->elf),
		.e_phentsize = sizeof(p->load),
		.e_phnum = 1,
	};
	p->load = (Elf32_Phdr){
		.p_type = PT_LOAD,
		.p_vaddr = CODE_AT,
		.p_filesz = CODE_BYTES,
		.p_memsz = CODE_BYTES,
		.p_flags = PF_R | PF_X,
		.p_align = CODE_BYTES,
	};
	calls_write_code(p);
	p->words[WORD_NAME] = calls_add_string(p, &size, "compat_calls");
	p->words[WORD_COUNT] = atol(args[0]);
	p->words[WORD_NR] = atol(args[1]);
	for (i = 0; i < CALLS_ARGS && args[i + 2]; i++) {
		p->words[WORD_ARGS + i] = strtol(args[i + 2], &end, 0);
		if (*end)
			p->words[WORD_ARGS + i] = calls_add_string(p, &size, args[i + 2]);
	}
}

static int do_compat(char **args)
{
	static union {
		struct calls_program program;
		char bytes[CODE_BYTES];
	} file;
	int fd = memfd_create("compat_calls", MFD_CLOEXEC);

	calls_make_program(&file.program, args);
	if (fd < 0 || pwrite(fd, &file, sizeof(file), 0) != sizeof(file))
		return 1;
	fexecve(fd, (char *[]){ "compat_calls", NULL }, (char *[]){ NULL });
	return 1;
}
#else
static int do_compat(char **args)
{
	return 1;
}
#endif

#if defined(__x86_64__) && !defined(__ILP32__)
/* A kernel without the x32 ABI does not know such numbers. */
static int do_x32(char **args)
{
	long n = atol(args[0]), ret = -1;

	errno = 0;
	while (n-- > 0)
		ret = syscall(__X32_SYSCALL_BIT | atol(args[1]), 0, 0, 0);
	return ret < 0 && errno == ENOSYS;
}
#else
static int do_x32(char **args)
{
	return 1;
}
#endif

int main(int argc, char **argv)
{
	if (argc >= 4 && !strcmp(argv[1], "compat"))
		return do_compat(argv + 2);
	if (argc == 4 && !strcmp(argv[1], "x32"))
		return do_x32(argv + 2);
	fprintf(stderr, "usage: compat_calls compat N NR ARG... | x32 N NR\n");
	return 2;
}
