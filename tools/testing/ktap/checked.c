// SPDX-License-Identifier: GPL-2.0
/*
 * Compare the tags that the verifier has found for each register with that of the value in it,
 * before each instruction.  Instructions and native code leave out checks where the verifier
 * knows the tag: if it were wrong, a script could use any integer as an address.
 *
 * The linker calls these functions instead of those of the kernel part (--wrap).  The
 * interpreter is that of vm/fenced.c, and its barrier is the comparison.  Native code is not
 * compared.
 */
#include <linux/nospec.h>
#include <stdio.h>
#include <stdlib.h>

#include "load/verifier_types.h"
#include "vm/env.h"
#include "vm/opcode.h"
#include "vm/program.h"
#include "vm/vm.h"

/* A comparison is no step of the script (fuzz/steps.c). */
#ifdef __clang__
#define NO_STEPS	__attribute__((no_sanitize("coverage")))
#else
#define NO_STEPS	__attribute__((no_sanitize_coverage))
#endif

/* As in load/verifier.c: not known, and not to be read */
#define UNWRITTEN	BIT(15)
#define NREGS		256

/* The program that was verified last: the tags that each register may have, by instruction */
static const struct ktap_program *checked_program;
static u16 (*checked_tags)[NREGS];
static u32 checked_room;
/* The last instruction that was compared */
static __thread const struct ktap_code *checked_last;

int __real_ktap_typing_begin(struct ktap_typing *t, struct ktap_program *prog,
			     struct ktap_diag *diag);
int __wrap_ktap_typing_begin(struct ktap_typing *t, struct ktap_program *prog,
			     struct ktap_diag *diag);
int __real_ktap_typing_step(struct ktap_typing *t, u32 func, u32 pc, const u16 *tags,
			    const u32 *facts, struct ktap_typed *out);
int __wrap_ktap_typing_step(struct ktap_typing *t, u32 func, u32 pc, const u16 *tags,
			    const u32 *facts, struct ktap_typed *out);
int __wrap_ktap_interpret(struct ktap_vm *vm, struct ktap_value *R, const struct ktap_code *insn);

int __wrap_ktap_typing_begin(struct ktap_typing *t, struct ktap_program *prog,
			     struct ktap_diag *diag)
{
	checked_program = prog;
	if (prog->ninsns > checked_room) {
		checked_room = prog->ninsns;
		free(checked_tags);
		checked_tags = malloc(checked_room * sizeof(*checked_tags));
		if (!checked_tags)
			abort();
	}
	memset(checked_tags, 0, prog->ninsns * sizeof(*checked_tags));
	return __real_ktap_typing_begin(t, prog, diag);
}

/* The verifier visits an instruction again when its registers may have more tags. */
NO_STEPS int __wrap_ktap_typing_step(struct ktap_typing *t, u32 func, u32 pc, const u16 *tags,
				     const u32 *facts, struct ktap_typed *out)
{
	unsigned int i;

	for (i = 0; i < t->prog->funcs[func].nregs; i++)
		checked_tags[pc][i] |= tags[i];
	return __real_ktap_typing_step(t, func, pc, tags, facts, out);
}

static noinline NO_STEPS void checked_compare(const struct ktap_vm *vm,
					      const struct ktap_value *r,
					      const struct ktap_code *insn)
{
	const struct ktap_program *prog = vm->env->prog;
	u32 pc = insn - prog->code;
	const char *name;
	unsigned int i;
	u16 tags;

	/* An instruction may have a barrier in its middle, too. */
	if (prog != checked_program || insn == checked_last)
		return;
	checked_last = insn;
	for (i = 0; i < vm->func->nregs; i++) {
		tags = checked_tags[pc][i];
		if (tags & UNWRITTEN || tags & BIT(r[i].tag))
			continue;
		name = ktap_opdefs[insn->op].name ?: "made by the loader";
		fprintf(stderr, "instruction %u (%s): register %u has tag %u, the verifier has %#x\n",
			pc, name, i, r[i].tag, tags);
		abort();
	}
}

#undef barrier_nospec
#define barrier_nospec()	checked_compare(vm, R, insn)
#define ktap_interpret_fenced	__wrap_ktap_interpret
#include "vm/fenced.c"
