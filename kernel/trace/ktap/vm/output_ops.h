/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Output of the virtual machine; session_output.c implements it.
 */
#ifndef _KTAP_OUTPUT_OPS_H
#define _KTAP_OUTPUT_OPS_H

#include <linux/types.h>
#include <uapi/linux/ktap.h>

struct ktap_vm;

/* A channel for ktap_out_text() only: the text is a record, which the reader formats. */
#define KTAP_CH_RECORD		0

/**
 * ktap_out_reserve() - Reserve room for a record in event context
 * @vm: the activation, not of KTAP_LEVEL_PROCESS
 * @size: bytes
 *
 * Context: any.  Until the commit, the caller may only write the record.
 * Return: the record, for ktap_out_commit(); NULL if there is no room, which is
 * counted as a loss.
 */
void *ktap_out_reserve(struct ktap_vm *vm, size_t size);
void ktap_out_commit(struct ktap_vm *vm, void *rec);

/**
 * ktap_out_text() - Print text in process context
 * @vm: an activation of KTAP_LEVEL_PROCESS
 * @channel: KTAP_CH_OUTPUT; KTAP_CH_CAT if @text is a path; KTAP_CH_SYSTEM if
 *	it is a command; or KTAP_CH_RECORD
 * @text: bytes
 * @len: number of bytes
 *
 * The text keeps its order in time among the records.  Waits for the reader
 * instead of dropping text.
 * Context: process, sleeps.
 * Return: 0; or, with the error set, -EINTR if the session ends meanwhile, -ENOMEM,
 * or -ENOSPC if the top level prints more than the buffer can hold.
 */
int ktap_out_text(struct ktap_vm *vm, enum ktap_channel channel, const char *text, size_t len);

#endif /* _KTAP_OUTPUT_OPS_H */
