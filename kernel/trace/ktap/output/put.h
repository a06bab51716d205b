/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Output of a run: to the reader, or to a speculation.
 */
#ifndef _KTAP_PUT_H
#define _KTAP_PUT_H

#include <linux/types.h>
#include <uapi/linux/ktap.h>

struct ktap_vm;

/*
 * Like ktap_out_reserve(), ktap_out_commit() and ktap_out_text() (output_ops.h).  If the
 * run speculates, the speculation gets the output, or it is dropped and counted.
 */
void *ktap_put_reserve(struct ktap_vm *vm, size_t size);
void ktap_put_commit(struct ktap_vm *vm, void *rec);
int ktap_put_text(struct ktap_vm *vm, enum ktap_channel channel, const char *text, size_t len);

#endif /* _KTAP_PUT_H */
