/* SPDX-License-Identifier: GPL-2.0 */
/* The parts of the fuzzer that runs in a booted guest. */
#ifndef _KTAP_FUZZ_GUEST_H
#define _KTAP_FUZZ_GUEST_H

#include "hammer.h"

/* guest_mutants.c: use these chunks, which are changed again and again. */
void guest_mutants_begin(const struct chunks *chunks);

/* As in struct hammer_chunks. */
size_t guest_mutants_next(struct rng *rng, unsigned char *data, const char **lines,
			  bool *changed);
void guest_mutants_tried(struct rng *rng, bool loaded);

/* guest_load.c: start a child for each CPU, which causes events. */
void guest_load_begin(struct rng *rng);

void guest_load_end(void);

#endif /* _KTAP_FUZZ_GUEST_H */
