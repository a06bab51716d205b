/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters of perf, and watches on memory, which are counters of accesses.
 */
#ifndef _KTAP_PERF_H
#define _KTAP_PERF_H

#include <linux/types.h>

struct ktap_probe;
struct ktap_vm;
struct perf_event_attr;

/* perf.c */
int ktap_perf_add(struct ktap_vm *vm, struct ktap_probe *probe,
		  const struct perf_event_attr *attr, bool of_process);

/**
 * struct ktap_watch_spec - "[MODULE:]SYMBOL[+OFFSET]" or "ADDRESS", and "[:LENGTH[:MODE]]"
 * @symbol: the name, with its module; NULL: @address is absolute
 * @address: the address, or the offset from the symbol
 * @length: bytes; 0: not given
 * @type: HW_BREAKPOINT_*
 */
struct ktap_watch_spec {
	char *symbol;
	u64 address;
	unsigned int length;
	unsigned int type;
};

/* watch.c */
const char *ktap_watch_parse(char *text, struct ktap_watch_spec *spec);
int ktap_watch_error(struct ktap_vm *vm, const char *event, const struct perf_event_attr *attr,
		     int err);

#endif /* _KTAP_PERF_H */
