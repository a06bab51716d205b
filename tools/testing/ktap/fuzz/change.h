/* SPDX-License-Identifier: GPL-2.0 */
/* Random changes of a program. After most of them it may still be valid. */
#ifndef _KTAP_FUZZ_CHANGE_H
#define _KTAP_FUZZ_CHANGE_H

#include "program.h"

/* Make one random change. */
void program_change(struct program *p, u64 *rng);

/* Copy a function of @other to @p, and call it. */
void program_splice(struct program *p, const struct program *other, u64 *rng);

/* Damage a number of a chunk: of its header, a section, or an entry. */
void chunk_damage(u8 *chunk, size_t len, u64 *rng);

#endif /* _KTAP_FUZZ_CHANGE_H */
