/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events whose handlers run in process context.  Included by load/rewrite.c and
 * event/source.c only, which define
 *
 *	PROCESS_EVENT(prefix, whole, parse)
 *
 * whole: nothing follows the prefix.  parse is a function of event/source.c without its
 * prefix.
 */

PROCESS_EVENT("trace_begin",	true,	begin)
PROCESS_EVENT("trace_end",	true,	end)
PROCESS_EVENT("BEGIN",		true,	begin)
PROCESS_EVENT("END",		true,	end)
PROCESS_EVENT("iter:",		false,	iter)
PROCESS_EVENT("tick-",		false,	tick)
PROCESS_EVENT("tick:",		false,	interval)
PROCESS_EVENT("interval:",	false,	interval)
