/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_VERIFICATION_H
#define SHIM_VERIFICATION_H

#include <linux/errno.h>
#include <linux/types.h>

struct key;

#define VERIFY_USE_SECONDARY_KEYRING	((struct key *)1UL)

enum key_being_used_for {
	VERIFYING_UNSPECIFIED_SIGNATURE,
};

/* There are no keys here. */
static inline int verify_pkcs7_signature(const void *data, size_t len, const void *raw_pkcs7,
					 size_t pkcs7_len, struct key *trusted_keys,
					 enum key_being_used_for usage,
					 int (*view_content)(void *ctx, const void *data,
							     size_t len, size_t asn1hdrlen),
					 void *ctx)
{
	return -ENOKEY;
}

#endif
