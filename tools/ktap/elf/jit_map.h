/* SPDX-License-Identifier: GPL-2.0 */
/* Code that programs make while they run, as they tell of it in /tmp/perf-PID.map. */
#ifndef KTAP_JIT_MAP_H
#define KTAP_JIT_MAP_H

#include <stdint.h>

struct jit_maps;

/*
 * The function at @addr of process @pid: its name, which is valid until the
 * next call, and where it begins; NULL if nobody tells.
 */
const char *jit_map_find(struct jit_maps **maps, unsigned long pid, uint64_t addr,
			 uint64_t *begin);
void jit_maps_free(struct jit_maps **maps);

#endif
