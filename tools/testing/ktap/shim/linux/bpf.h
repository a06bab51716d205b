/* SPDX-License-Identifier: GPL-2.0 */
/* Programs of eBPF, and the types of the kernel. */
#ifndef _SHIM_LINUX_BPF_H
#define _SHIM_LINUX_BPF_H

#include_next <linux/bpf.h>

#include <linux/kallsyms.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

/* Newer than the headers of some systems. */
#ifndef BPF_MEMSX
#define BPF_MEMSX	0x80
#endif

#ifndef BPF_NOSPEC
#define BPF_NOSPEC	0xc0
#endif

struct btf;

struct btf *bpf_get_btf_vmlinux(void);

/* Nothing looks for symbols of code in user space. */
struct bpf_ksym {
	unsigned long start;
	unsigned long end;
	char name[KSYM_NAME_LEN];
	struct list_head lnode;
};

static inline void bpf_ksym_add(struct bpf_ksym *ksym) {}
static inline void bpf_ksym_del(struct bpf_ksym *ksym) {}

struct bpf_prog;

struct bpf_prog_aux {
	u32 stack_depth;
	u32 num_exentries;
	char name[BPF_OBJ_NAME_LEN];
	struct bpf_prog *prog;
	struct rcu_head rcu;
};

struct bpf_prog {
	u16 pages;
	u16 jited:1,
	    jit_requested:1,
	    gpl_compatible:1;
	enum bpf_prog_type type;
	u32 len;
	u32 jited_len;
	unsigned int (*bpf_func)(const void *ctx, const struct bpf_insn *insn);
	struct bpf_prog_aux *aux;
	struct bpf_insn insnsi[];
};

#endif /* _SHIM_LINUX_BPF_H */
