/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The BPF JIT.  ../../shim_bpf.c interprets the instructions instead of compiling them, and
 * ../../shim_bpf_check.c checks what the compilers of the kernel rely on.
 */
#ifndef _SHIM_LINUX_FILTER_H
#define _SHIM_LINUX_FILTER_H

#include <linux/bpf.h>
#include <linux/slab.h>
#include <linux/types.h>

#define BPF_REG_FP	BPF_REG_10
#define MAX_BPF_STACK	512

/* Like the functions that BPF_CALL calls; nobody calls this one. */
u64 __bpf_call_base(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5);

/* A function as the immediate of BPF_CALL */
#define BPF_CALL_IMM(x)	((void *)(x) - (void *)__bpf_call_base)

static inline unsigned int bpf_prog_size(unsigned int proglen)
{
	return offsetof(struct bpf_prog, insnsi) + proglen * sizeof(struct bpf_insn);
}

struct bpf_prog *bpf_prog_alloc(unsigned int size, gfp_t gfp_extra_flags);
void bpf_prog_free(struct bpf_prog *fp);

/*
 * The process is aborted if shim_bpf_check() finds a mistake.  The program is not compiled
 * if an allocation is to fail (shim_fail_at).
 */
struct bpf_prog *bpf_prog_select_runtime(struct bpf_prog *fp, int *err);

/* Return what is wrong with instruction *@at, or NULL if the program is valid. */
const char *shim_bpf_check(const struct bpf_prog *fp, u32 *at);

#endif /* _SHIM_LINUX_FILTER_H */
