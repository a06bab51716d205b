/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Signatures of chunks.
 */
#ifndef _KTAP_SIGNATURE_H
#define _KTAP_SIGNATURE_H

#include <linux/types.h>

/**
 * ktap_signature_check() - Check that a chunk is signed by a key that the kernel trusts
 * @chunk: the chunk, of any bytes, that the writer cannot change any more
 * @len: its bytes
 * @why: gets the reason of an error
 *
 * A chunk that is signed may still be malformed.
 *
 * Context: process, may sleep.
 * Return: 0; -ENODATA if there is no signature; -ENOKEY if no trusted key made it; another
 * negative errno if it is damaged or the chunk has been changed.
 */
int ktap_signature_check(const void *chunk, size_t len, const char **why);

#endif
