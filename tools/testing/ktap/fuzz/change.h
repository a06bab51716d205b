/* SPDX-License-Identifier: GPL-2.0 */
/* Changes of a program: each by chance, and most of them such that it may still run. */
#ifndef _KTAP_FUZZ_CHANGE_H
#define _KTAP_FUZZ_CHANGE_H

#include "program.h"

/* One change. */
void program_change(struct program *p, u64 *rng);

/* A function of another program becomes one of this, and is called. */
void program_splice(struct program *p, const struct program *other, u64 *rng);

/* A number of a chunk that was right: of the header, a section, or an entry. */
void chunk_damage(u8 *chunk, size_t len, u64 *rng);

#endif /* _KTAP_FUZZ_CHANGE_H */
