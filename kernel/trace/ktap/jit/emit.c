// SPDX-License-Identifier: GPL-2.0
/*
 * Writing instructions of eBPF.
 */
#include <linux/filter.h>

#include "jit/emit.h"

void ktap_emit(struct ktap_emit *e, u8 code, u8 dst, u8 src, s16 off, s32 imm)
{
	if (e->insns)
		e->insns[e->n] = (struct bpf_insn){
			.code = code, .dst_reg = dst, .src_reg = src, .off = off, .imm = imm,
		};
	e->n++;
}

void ktap_emit_u64(struct ktap_emit *e, u8 dst, u64 imm)
{
	if ((s64)imm == (s32)imm) {
		ktap_emit_mov_imm(e, dst, imm);
		return;
	}
	ktap_emit(e, BPF_LD | BPF_IMM | BPF_DW, dst, 0, 0, (u32)imm);
	ktap_emit(e, 0, 0, 0, 0, imm >> 32);
}

void ktap_emit_call(struct ktap_emit *e, const void *fn)
{
	ktap_emit(e, BPF_JMP | BPF_CALL, 0, 0, 0, BPF_CALL_IMM(fn));
}

/* No program is longer than EMIT_MAX. */
static s16 emit_distance(const struct ktap_emit *e, u32 from, u32 to)
{
	return (s32)to - (s32)from - 1;
}

void ktap_emit_jump(struct ktap_emit *e, u32 to)
{
	ktap_emit(e, BPF_JMP | BPF_JA, 0, 0, emit_distance(e, e->n, to), 0);
}

void ktap_emit_jump_if(struct ktap_emit *e, u8 op, u8 dst, u8 src, u32 to)
{
	ktap_emit(e, BPF_JMP | op | BPF_X, dst, src, emit_distance(e, e->n, to), 0);
}

void ktap_emit_jump_if_imm(struct ktap_emit *e, u8 op, u8 dst, s32 imm, u32 to)
{
	ktap_emit(e, BPF_JMP | op | BPF_K, dst, 0, emit_distance(e, e->n, to), imm);
}

void ktap_emit_jump_if_int(struct ktap_emit *e, u8 op, u8 dst, s32 imm, u32 to)
{
	ktap_emit(e, BPF_JMP32 | op | BPF_K, dst, 0, emit_distance(e, e->n, to), imm);
}

void ktap_emit_aim(struct ktap_emit *e, u32 at, u32 to)
{
	if (e->insns)
		e->insns[at].off = emit_distance(e, at, to);
}

void ktap_emit_land(struct ktap_emit *e, u32 at)
{
	ktap_emit_aim(e, at, e->n);
}
