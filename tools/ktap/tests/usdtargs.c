// SPDX-License-Identifier: GPL-2.0
/* usdtargs: test arguments of markers in the assembler syntax of six machines. */
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "compiler/util.h"
#include "elf/usdt_arg.h"

#ifndef EM_LOONGARCH
#define EM_LOONGARCH	258
#endif

#define MARKER	0x1000
#define COUNTER	0x4010

struct test {
	unsigned int machine;
	const char *args;
	const char *wanted;	/* each with a blank before it */
	bool fixed;
};

static const struct test tests[] = {
	/* x86: registers and their parts */
	{ EM_X86_64, "8@%rdi -4@%esi 2@%dx 1@%al -1@%cl",
	  " 8@%di -4@%si 2@%dx 1@%ax -1@%cx", false },
	{ EM_X86_64, "1@%ah 1@%bh", " 1@%ax>>8 1@%bx>>8", false },
	{ EM_X86_64, "8@%r8 4@%r9d 2@%r10w 1@%r15b", " 8@%r8 4@%r9 2@%r10 1@%r15", false },
	{ EM_X86_64, "1@%sil 1@%dil 1@%bpl 1@%spl", " 1@%si 1@%di 1@%bp 1@%sp", false },
	{ EM_386, "4@%eax -4@8(%esp)", " 4@%ax -4@8(%sp)", false },
	/* constants */
	{ EM_X86_64, "-4@$5 -4@$-1 8@$0x10", " -4@$5 -4@$-1 8@$16", false },
	{ EM_X86_64, "8@$18446744073709551615", " 8@$-1", false },
	/* memory */
	{ EM_X86_64, "-4@-20(%rbp) 8@(%rax)", " -4@-20(%bp) 8@0(%ax)", false },
	{ EM_X86_64, "8@8(%rax,%rbx,4) 8@(%rax,%rbx)", " 8@8(%ax,%bx,4) 8@0(%ax,%bx,1)", false },
	{ EM_X86_64, "4@16(%rax, %rcx, 2)", " 4@16(%ax,%cx,2)", false },
	{ EM_X86_64, "-4@counter(%rip) -4@counter+4(%rip)", " -4@12304(%ip) -4@12308(%ip)", false },
	{ EM_X86_64, "-4@counter-8(%rip) 8@24(%rip)", " -4@12296(%ip) 8@24(%ip)", false },
	{ EM_X86_64, "-4@counter 8@counter(%rax)", " -4@12304(%ip) 8@16400(%ax)", true },
	{ EM_X86_64, "8@0x4020", " 8@12320(%ip)", true },
	/* operands that are not supported, or that the kernel could not find */
	{ EM_X86_64, "8f@%xmm0 4@%fs:16 8@%xmm1", " !8f@%xmm0 !4@%fs:16 !8@%xmm1", false },
	{ EM_X86_64, "8@unknown(%rip) 4@counter 8@counter(%rax)",
	  " !8@unknown(%rip) !4@counter !8@counter(%rax)", false },
	{ EM_X86_64, "8@(,%rbx,8) 8@(%rax,%rbx,3) 8@%rax)",
	  " !8@(,%rbx,8) !8@(%rax,%rbx,3) !8@%rax)", false },
	{ EM_X86_64, "3@%rax 16@%rax 8@ 8@%r16 8@%r7 8@8(%ah)",
	  " !3@%rax !16@%rax !8@ !8@%r16 !8@%r7 !8@8(%ah)", false },
	/* the size may be missing */
	{ EM_X86_64, "%rax $3", " 8@%ax 8@$3", false },

	{ EM_AARCH64, "8@x0 -4@w1 2@w30 8@sp", " 8@%x0 -4@%x1 2@%x30 8@%sp", false },
	{ EM_AARCH64, "4@5 -4@-1 8@xzr -4@wzr", " 4@$5 -4@$-1 8@$0 -4@$0", false },
	{ EM_AARCH64, "-4@[sp, 44] 8@[x19] 8@[x29, -8] 8@[sp,16]",
	  " -4@44(%sp) 8@0(%x19) 8@-8(%x29) 8@16(%sp)", false },
	{ EM_AARCH64, "8@[x0, x1] 8@[x0, x1, lsl 3] 4@[x0, x2, lsl #2]",
	  " 8@0(%x0,%x1,1) 8@0(%x0,%x1,8) 4@0(%x0,%x2,4)", false },
	{ EM_AARCH64, "8@[x0, w1, sxtw 3] 8@d0 8@x31 8@[x0",
	  " !8@[x0,_w1,_sxtw_3] !8@d0 !8@x31 !8@[x0", false },

	{ EM_ARM, "4@r0 -4@r10 2@lr 1@ip 4@fp 4@sp 4@pc",
	  " 4@%r0 -4@%r10 2@%lr 1@%ip 4@%fp 4@%sp 4@%pc", false },
	{ EM_ARM, "4@r11 4@r12 4@r13 4@r14 4@r15", " 4@%fp 4@%ip 4@%sp 4@%lr 4@%pc", false },
	{ EM_ARM, "-4@#5 4@#-5 8@#1099511627776 4@5", " -4@$5 4@$-5 8@$1099511627776 4@$5", false },
	{ EM_ARM, "4@[r1] -4@[r1, #8] 4@[fp, #-8] 8@[sp,#16]",
	  " 4@0(%r1) -4@8(%r1) 4@-8(%fp) 8@16(%sp)", false },
	{ EM_ARM, "4@[r1, r2] -2@[r1, r12, lsl #1]",
	  " 4@0(%r1,%r2,1) -2@0(%r1,%ip,2)", false },
	/* constants that gcc puts after the code have no name in the file */
	{ EM_ARM, "4@.L3+8 4@#counter 4@[r1, -r2] 4@[r1, #8]! 4@[r1], 4@[#8] 4@r16 4@d0 4@xzr",
	  " !4@.L3+8 !4@#counter !4@[r1,_-r2] !4@[r1,_#8]! !4@[r1], !4@[#8] !4@r16 !4@d0 !4@xzr",
	  false },

	{ EM_RISCV, "8@a0 -4@s11 4@t6 8@fp 8@x10", " 8@%a0 -4@%s11 4@%t6 8@%s0 8@%a0", false },
	{ EM_RISCV, "8@zero -4@7 8@0(a1) -4@-20(s0) 8@(sp)",
	  " 8@$0 -4@$7 8@0(%a1) -4@-20(%s0) 8@0(%sp)", false },
	{ EM_RISCV, "8@fa0 8@0(zero) 8@x32", " !8@fa0 !8@0(zero) !8@x32", false },

	{ EM_PPC64, "8@9 -4@%r31 4@r3", " 8@%gpr9 -4@%gpr31 4@%gpr3", false },
	{ EM_PPC64, "8@i5 -4@i-1", " 8@$5 -4@$-1", false },
	{ EM_PPC64, "8@8(9) -4@-16(31) 8@0(1)", " 8@8(%gpr9) -4@-16(%gpr31) 8@0(%gpr1)", false },
	{ EM_PPC64, "8@9,10 4@0,9", " 8@0(%gpr9,%gpr10,1) 4@0(%gpr9)", false },
	{ EM_PPC64, "8@32 8@8(0) 8@f1", " !8@32 !8@8(0) !8@f1", false },

	{ EM_S390, "8@%r2 -4@%r15 4@5 -4@-1", " 8@%r2 -4@%r15 4@$5 -4@$-1", false },
	{ EM_S390, "8@160(%r15) -4@0(%r1,%r2) 8@(%r11)",
	  " 8@160(%r15) -4@0(%r1,%r2,1) 8@0(%r11)", false },
	{ EM_S390, "8@8(%r0,%r2) 8@8(%r2,%r0)", " 8@8(%r2) 8@8(%r2)", false },
	{ EM_S390, "8@%f0 8@8(%r0) 8@%r16", " !8@%f0 !8@8(%r0) !8@%r16", false },

	/* no argument, only blanks, an unknown machine */
	{ EM_X86_64, "", "", false },
	{ EM_X86_64, "   ", "", false },
	{ EM_X86_64, "  8@%rax   4@%ebx ", " 8@%ax 4@%bx", false },
	{ EM_LOONGARCH, "8@$r4", " !8@$r4", false },
};

static bool find_counter(void *ctx, const char *name, size_t len, uint64_t *addr)
{
	(void)ctx;
	*addr = COUNTER;
	return len == strlen("counter") && !memcmp(name, "counter", len);
}

static bool passes(const struct test *t)
{
	struct usdt_place place = {
		.machine = t->machine, .addr = MARKER, .fixed = t->fixed, .symbol = find_counter,
	};
	char all[1024] = "", arg[MAX_USDT_ARG];
	const char *p = t->args;
	size_t len;

	while ((len = usdt_next_arg(&p))) {
		usdt_arg(&place, p - len, len, arg);
		strcat(all, " ");
		strcat(all, arg);
	}
	if (!strcmp(all, t->wanted))
		return true;
	printf("FAIL machine %u: '%s'\n  gives '%s'\n instead of '%s'\n", t->machine, t->args,
	       all, t->wanted);
	return false;
}

/* Any bytes: results fit into the buffer and have no blanks, and the loop ends. */
static bool survives_bytes(void)
{
	static const unsigned int machines[] = {
		EM_X86_64, EM_AARCH64, EM_ARM, EM_RISCV, EM_PPC64, EM_S390,
	};
	static const char signs[] = "%$()[],+-@048rxiwesp #:\t\x80";
	uint32_t seed = 1;

	for (unsigned int round = 0; round < 200000; round++) {
		struct usdt_place place = {
			.machine = machines[round % ARRAY_SIZE(machines)], .addr = MARKER,
		};
		char text[160], arg[MAX_USDT_ARG];
		const char *p = text;
		size_t len, n;

		seed = seed * 1103515245 + 12345;
		n = seed >> 16 & (round % 100 ? 15 : 127);
		for (size_t i = 0; i < n; i++) {
			seed = seed * 1103515245 + 12345;
			text[i] = signs[(seed >> 16) % (sizeof(signs) - 1)];
		}
		text[n] = '\0';
		while ((len = usdt_next_arg(&p))) {
			usdt_arg(&place, p - len, len, arg);
			if (!*arg || strpbrk(arg, " \t\n\\") || strlen(arg) >= sizeof(arg)) {
				printf("FAIL '%s' gives '%s'\n", text, arg);
				return false;
			}
		}
	}
	return true;
}

int main(void)
{
	int failed = 0, count = ARRAY_SIZE(tests);

	for (int i = 0; i < count; i++)
		failed += !passes(&tests[i]);
	failed += !survives_bytes();
	printf("%d passed, %d failed\n", count + 1 - failed, failed);
	return failed != 0;
}
