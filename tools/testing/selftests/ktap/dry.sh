#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Dry runs: everything is checked, and nothing attached.

. "$(dirname "$0")/lib.sh"
needs syscalls:sys_enter_getppid
plan 10

script='trace syscalls:sys_e*_getppid, sched:sched_switch { n += 1; print("handler") }
tick-10ms { print("tick") }
trace_begin { print("begin") }
trace_end { print("end") }
print("top level")'
run --dry-run -e "$script"
is dry_run_ends_well "$code" 0
out only_the_top_level_runs 'top level\n'
matches "$tmp/err" "^ktap: would attach 2 events of 'syscalls:sys_e\*_getppid'\$" \
	"^ktap: would attach 1 events of 'sched:sched_switch'\$" \
	'^ktap: nothing was attached: [34] events are in the script$'
result $? events_are_counted

run --dry-run -e 'trace sched:no_such_event { n += 1 }'
is missing_event_is_refused "$code" 2
run --dry-run -e 'trace sched:sched_switch { print(args.no_such_field) }'
is missing_field_is_refused "$code" 2
run --dry-run -e 'print(1 / 0)'
is error_of_the_top_level_is_reported "$code" 1
run --dry-run -e 'n = 5 exit(3)'
is exit_code_of_the_top_level_stays "$code" 3
is globals_are_not_printed "$(cat "$tmp/out")" ''
run --dry-run -e 'trace sched:sched_switch { n += 1 }' -- touch "$tmp/made"
is command_ends_with_the_session "$code" 0
[ ! -e "$tmp/made" ]
result $? command_does_not_run

finish
