/* SPDX-License-Identifier: GPL-2.0 */
/* Code that programs generate at run time, listed in /tmp/perf-PID.map. */
#ifndef KTAP_JIT_MAP_H
#define KTAP_JIT_MAP_H

#include <stdint.h>

struct jit_maps;

/*
 * Find the function at @addr of process @pid: its name, valid until the next
 * call, and its start; NULL if unknown.
 */
const char *jit_map_find(struct jit_maps **maps, unsigned long pid, uint64_t addr,
			 uint64_t *begin);
void jit_maps_free(struct jit_maps **maps);

#endif
