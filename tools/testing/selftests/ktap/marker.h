/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Static markers for the tests: a nop, and a note with its address, its name, and the
 * locations of its arguments.
 */
#ifndef KTAP_MARKER_H
#define KTAP_MARKER_H

#ifdef __LP64__
#define MARKER_WORD	".8byte"
#define MARKER_LONG	"8"	/* bytes of a long, for arguments */
#else
#define MARKER_WORD	".4byte"
#define MARKER_LONG	"4"
#endif

/* Operands that an argument may be; the compiler chooses one. */
#ifdef __x86_64__
#define MARKER_ANYWHERE	"nor"
#else
#define MARKER_ANYWHERE	"r"
#endif

/*
 * @args are operands of the assembler, like "8@%0 -4@%1", for the inputs that
 * follow.  @semaphore is the name of an unsigned short, or "0".
 */
#define MARKER(provider, name, semaphore, args, ...)				\
	__asm__ volatile(							\
		"990:	nop\n"							\
		".pushsection .note.stapsdt,\"\",%%note\n"			\
		"	.balign 4\n"						\
		"	.4byte 992f - 991f, 994f - 993f, 3\n"			\
		"991:	.asciz \"stapsdt\"\n"					\
		"992:	.balign 4\n"						\
		"993:	" MARKER_WORD " 990b, marker_base, " semaphore "\n"	\
		"	.asciz \"" provider "\"\n"				\
		"	.asciz \"" name "\"\n"					\
		"	.asciz \"" args "\"\n"					\
		"994:	.balign 4\n"						\
		".popsection\n" : : __VA_ARGS__)

/* Once in a program: the base of the addresses in notes, in case it is moved. */
#define MARKER_BASE()								\
	__asm__(".pushsection .stapsdt.base,\"a\",%progbits\n"			\
		"marker_base: .byte 0\n"					\
		".popsection\n")

#define MARKER_SEMAPHORE(name)							\
	volatile unsigned short name __attribute__((section(".probes"), used))

#endif
