/* SPDX-License-Identifier: GPL-2.0 */
/* Signing chunks. */
#ifndef KTAP_SIGN_H
#define KTAP_SIGN_H

#include <stddef.h>

/*
 * Make a copy of @chunk, of @len bytes, with a signature in place of the one that it may
 * have. @key: a PEM file with the private key; @certificate: a PEM file with its
 * certificate, NULL: that is in @key, too. The program openssl makes the signature, and
 * may ask for a passphrase on the terminal.
 *
 * Returns the signed chunk, of @signed_len bytes, to be freed with free(); NULL after a
 * message on stderr.
 */
void *sign_chunk(const void *chunk, size_t len, const char *key, const char *certificate,
		 size_t *signed_len);

#endif
