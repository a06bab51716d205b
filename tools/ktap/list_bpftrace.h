/* SPDX-License-Identifier: GPL-2.0 */
/* ktap --bt -l: list events in the spelling of bpftrace. */
#ifndef KTAP_LIST_BPFTRACE_H
#define KTAP_LIST_BPFTRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler/compile.h"
#include "options.h"

/*
 * As list_events(), of &options.list, which has several patterns with commas between, or the name
 * of a script (FILE.bt), whose events are listed; or of the script &options.text.
 */
bool list_bpftrace(const struct options *opts);

/* As a ktap_event_fn: is there such an event?  @pid: of the process that is traced, a uint64_t */
enum ktap_event_state list_bpftrace_state(void *pid, const char *kind, const char *rest);

#endif
