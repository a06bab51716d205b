#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Does the comparison of native code with the interpreter find wrong code?  Each line below
# makes one mistake in a copy of a file in jit/.  A comparer with this copy must fail: by a
# difference, or by a program that does not end, for which it has an alarm.
# Usage: wrong.sh BUILD

build=$1
here=$(cd "$(dirname "$0")" && pwd)
jit=$here/../../../../kernel/trace/ktap/jit
runs=60000
found=0 missed=0

mkdir -p "$build/wrong" || exit 1
n=0
while read -r file mistake; do
	n=$((n + 1))
	wrong=$build/wrong/$file$n
	sed "$mistake" "$jit/$file.c" >"$wrong.c"
	if cmp -s "$jit/$file.c" "$wrong.c"; then
		echo "wrong.sh: $file.c has no place for $mistake"
		missed=$((missed + 1))
		continue
	fi
	make -s --no-print-directory -C "$here/.." O="$build" SAN=0 CFLAGS='-O2 -g' \
		WRONG="$file" "$wrong" || exit 1
	status=0
	"$wrong" -n $runs "$here/corpus/generate" >"$wrong.log" 2>&1 || status=$?
	# 142: SIGALRM
	if [ $status = 0 ] || { [ $status != 142 ] &&
		! grep -q '^FUZZ: native code differs\|^eBPF: ' "$wrong.log"; }; then
		echo "wrong.sh: not found: $mistake"
		missed=$((missed + 1))
	else
		found=$((found + 1))
	fi
done <<'EOF'
lower s/JUMP(JLT, jump_order, .op = BPF_JSLT)/JUMP(JLT, jump_order, .op = BPF_JSLE)/
lower s/JUMP(JGEI, jump_order_imm, .op = BPF_JSGE)/JUMP(JGEI, jump_order_imm, .op = BPF_JGE)/
lower s/ROW_ARITH(ADD, BPF_ADD)/ROW_ARITH(ADD, BPF_SUB)/
lower s/ROW_ARITH(SHR, BPF_ARSH)/ROW_ARITH(SHR, BPF_RSH)/
lower s/BPF_AND, R2, 63/BPF_AND, R2, 127/
lower s/\.tag = KTAP_FUNC/.tag = KTAP_INT/
lower s/JEQ, R2, 0, ktap_unit_step/JEQ, R2, 1, ktap_unit_step/
lower s/ktap_emit_jump_if_int(e, BPF_JNE, R0, 0, ktap_unit_fail(u));/(void)e;/
lower_jump s/return 1 + ktap_straight/return ktap_straight/
lower_jump s/(u, BPF_JGT, R0, KTAP_INT)/(u, BPF_JGT, R0, KTAP_NIL)/
lower_jump s/ktap_emit_alu(e, BPF_ADD, R1, R2)/ktap_emit_alu(e, BPF_SUB, R1, R2)/
lower_jump s/cost = lower_jump_cost(u, insn), next, enough/cost = lower_jump_cost(u, insn) + 1, next, enough/
inline s/u32 cost = func->cost + 1/u32 cost = func->cost/
lower s/insn->d == -1 \&\& op->op == BPF_DIV/insn->d == -1/
lower s/ROW_LOOP(FORPREP, loop, .fn = ktap_jit_for)/ROW_LOOP(FORPREP, loop, .fn = ktap_op_next)/
call s/ktap_frame_replace(vm, func, vm->base + insn->a, insn->b)/ktap_jit_enter(vm, func, insn)/
call s/if (n == KTAP_MULTI) {/if (!n) {/
call s/!vm->handler || vm->floor/!vm->handler || !vm->floor/
call s/if (!ktap_is_true(v))/if (ktap_is_true(v))/
step s/vm->base + insn->a + 1;/vm->base + insn->a;/
step s/vm->base + insn->a + 1, insn->b)/vm->base + insn->a, insn->b)/
unit s/first->variadic || first->is_value/first->variadic/
EOF
echo "wrong native code: $found of $((found + missed)) mistakes found"
[ $missed = 0 ]
