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

/* The arguments of the last call, and the result that a test has chosen for it */
struct shim_verified {
	const void *data;
	size_t len;
	const void *signature;
	size_t size;
	const struct key *keys;
	int result;
};

extern struct shim_verified shim_verified;

/* There are no keys here. */
static inline int verify_pkcs7_signature(const void *data, size_t len, const void *raw_pkcs7,
					 size_t pkcs7_len, struct key *trusted_keys,
					 enum key_being_used_for usage,
					 int (*view_content)(void *ctx, const void *data,
							     size_t len, size_t asn1hdrlen),
					 void *ctx)
{
	shim_verified.data = data;
	shim_verified.len = len;
	shim_verified.signature = raw_pkcs7;
	shim_verified.size = pkcs7_len;
	shim_verified.keys = trusted_keys;
	return shim_verified.result;
}

#endif
