/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where output goes.  output.c gives these to the virtual machine.
 */
#ifndef _KTAP_OUT_H
#define _KTAP_OUT_H

#include "vm.h"

/**
 * ktap_out_reserve() - Takes place for a record in event context
 * @vm: the activation, not of KTAP_LEVEL_PROCESS
 * @size: bytes
 *
 * Context: any.  Nothing may run between this and the commit but the writing
 * of the record.
 * Return: the place, to be given to ktap_out_commit(); NULL if there is none,
 * which is then counted.
 */
void *ktap_out_reserve(struct ktap_vm *vm, size_t size);
void ktap_out_commit(struct ktap_vm *vm, void *place);

/**
 * ktap_out_text() - Puts out text in process context
 * @vm: an activation of KTAP_LEVEL_PROCESS
 * @channel: KTAP_CH_OUTPUT; or KTAP_CH_CAT, then it is a path; or KTAP_CH_SYSTEM,
 *	then it is a command
 * @text: bytes
 * @len: number of them
 *
 * Keeps its place in time among the records.  Waits for the reader rather than
 * dropping.
 * Context: process, sleeps.
 * Return: 0; or, with the error set, -EINTR if the session ends meanwhile, -ENOMEM,
 * or -ENOSPC if the top level prints more than can wait for the reader.
 */
int ktap_out_text(struct ktap_vm *vm, enum ktap_channel channel, const char *text, size_t len);

#endif /* _KTAP_OUT_H */
