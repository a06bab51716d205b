/* SPDX-License-Identifier: GPL-2.0 */
/* ktap --bt -l: list events in the spelling of bpftrace. */
#ifndef KTAP_LIST_BPFTRACE_H
#define KTAP_LIST_BPFTRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler/compile.h"

/*
 * As list_events(); @patterns are several with commas between, or the name of a script
 * (FILE.bt), whose events are listed.
 */
bool list_bpftrace(const char *patterns, uint64_t pid, bool verbose);

/* As list_bpftrace(), for the events of a script */
bool list_bpftrace_script(const char *text, uint64_t pid, bool verbose);

/* As a ktap_event_fn: is there such an event?  @pid: of the process that is traced, a uint64_t */
enum ktap_event_state list_bpftrace_state(void *pid, const char *kind, const char *rest);

#endif
